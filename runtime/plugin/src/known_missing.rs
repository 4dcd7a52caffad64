//! Types and libraries of GXF, or of programs built on it, that gxe does not have. Apps written for
//! those use the names, and errors should say where the names come from.

/// An extension of GXF that gxe does not have.
pub struct Absent {
    /// Its name in GXF.
    pub extension: &'static str,
    /// Its file.
    pub library: &'static str,
    /// Its types, without `nvidia::gxf::`. A name that ends in `::` covers all types in that
    /// namespace.
    types: &'static [&'static str],
}

const ABSENT: &[Absent] = &[
    Absent {
        extension: "BenchmarkExtension",
        library: "libgxf_benchmark.so",
        types: &["benchmark::"],
    },
    Absent {
        extension: "TensorRTExtension",
        library: "libgxf_tensor_rt.so",
        types: &["TensorRtInference"],
    },
];

/// Libraries of gxe that not every manifest lists, and their types as in [`Absent::types`].
const PRESENT: &[(&str, &[&str])] = &[
    (
        "gxf/cuda/libgxf_cuda.so",
        &[
            "CudaAllocator",
            "CudaBuffer",
            "CudaBufferAvailableSchedulingTerm",
            "CudaEvent",
            "CudaEventSchedulingTerm",
            "CudaStream",
            "CudaStreamId",
            "CudaStreamPool",
            "CudaStreamSchedulingTerm",
            "CudaStreamSync",
            "StreamOrderedAllocator",
        ],
    ),
    ("gxf/grpc/libgxf_grpc.so", &["GrpcClient", "GrpcServer"]),
    (
        "gxf/network/libgxf_network.so",
        &["ClockSyncPrimary", "ClockSyncSecondary", "TcpClient", "TcpServer"],
    ),
    ("gxf/npp/libgxf_npp.so", &["NppiMulC", "NppiSet"]),
    ("gxf/rmm/libgxf_rmm.so", &["RMMAllocator"]),
    ("gxf/stream/libgxf_stream.so", &["StreamSync", "StreamSyncId"]),
    ("gxf/test_cuda/libgxf_test_cuda.so", &["test::cuda::"]),
    ("gxf/test_stream/libgxf_test_stream.so", &["stream::test::"]),
];

/// Namespaces of programs that are built on GXF, and the programs.
const PROGRAMS: &[(&str, &str)] = &[
    ("nvidia::isaac_ros::", "Isaac ROS"),
    ("nvidia::isaac::", "Isaac ROS"),
    ("nvidia::cvcore::", "Isaac ROS"),
    ("nvidia::triton::", "Isaac ROS"),
    ("nvidia::deepstream::", "DeepStream"),
    ("nvidia::holoscan::", "Holoscan"),
    ("holoscan::", "Holoscan"),
];

/// Advice for a type that gxe does not have.
const WAY_OUT: &str = "remove the component, or build an extension with this type for gxe (GXF's C++ \
                       headers are included) and add it to the manifest";

/// Where a type comes from, and what to do without it; `None` for unknown types.
pub fn help_for(type_name: &str) -> Option<String> {
    if let Some(name) = type_name.strip_prefix("nvidia::gxf::") {
        let is_it = |known: &str| match known.strip_suffix("::") {
            Some(_) => name.starts_with(known),
            None => name == known,
        };
        let is_there = |(_, types): &&(&str, &[&str])| types.iter().any(|it| is_it(it));
        if let Some((library, _)) = PRESENT.iter().find(is_there) {
            return Some(format!("it is in `{library}`, which the manifest does not list; add it"));
        }
        if let Some(absent) = ABSENT.iter().find(|absent| absent.types.iter().any(|it| is_it(it))) {
            let Absent { extension, library, .. } = absent;
            return Some(format!(
                "it belongs to GXF's {extension} (`{library}`), which is not part of gxe; {WAY_OUT}"
            ));
        }
        return None;
    }
    let (namespace, program) = PROGRAMS.iter().find(|(prefix, _)| type_name.starts_with(prefix))?;
    let namespace = namespace.trim_end_matches("::");
    Some(format!(
        "types of `{namespace}` come with {program}, and no extension of gxe has this one; {WAY_OUT}"
    ))
}

/// Whether this is the name of a type of GXF's that gxe does not have, and no mistyped one.
pub fn is_known(type_name: &str) -> bool {
    type_name.starts_with("nvidia::gxf::") && help_for(type_name).is_some()
}

/// The extension of GXF with this file name.
pub fn library(file_name: &str) -> Option<&'static Absent> {
    ABSENT.iter().find(|absent| absent.library == file_name)
}

#[cfg(test)]
mod tests {
    use super::{help_for, is_known, library};

    #[test]
    fn types_are_known_by_name_and_by_namespace() {
        let says = |type_name, text: &str| help_for(type_name).is_some_and(|it| it.contains(text));
        assert!(says(
            "nvidia::gxf::CudaStreamPool",
            "`gxf/cuda/libgxf_cuda.so`, which the manifest"
        ));
        assert!(says("nvidia::gxf::benchmark::BenchmarkSink", "BenchmarkExtension"));
        assert!(says("nvidia::isaac_ros::MessageRelay", "`nvidia::isaac_ros` come with Isaac ROS"));
        assert!(says("holoscan::ops::HolovizOp", "Holoscan"));
        for other in ["nvidia::gxf::PingTX", "nvidia::gxf::CudaStreamPoo", "acme::Camera", ""] {
            assert_eq!(help_for(other), None, "{other}");
        }
        assert!(says("nvidia::gxf::test::cuda::CublasDotProduct", "libgxf_test_cuda.so"));
        assert!(says("nvidia::gxf::GrpcServer", "`gxf/grpc/libgxf_grpc.so`, which the manifest"));
        assert!(is_known("nvidia::gxf::StreamSync") && !is_known("nvidia::gxf::StreamSnyc"));
        assert!(!is_known("nvidia::isaac_ros::MessageRelay"), "that may be mistyped");
        assert_eq!(
            library("libgxf_tensor_rt.so").map(|known| known.extension),
            Some("TensorRTExtension")
        );
        assert!(library("libgxf_sample.so").is_none());
    }
}
