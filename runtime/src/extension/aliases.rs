//! Other names of types: Holoscan's conditions are GXF's scheduling terms with the same parameters,
//! and an app may write either name. `docs/conditions.md` is this table for people.

/// Holoscan's name of a type, then GXF's.
pub const ALIASES: &[(&str, &str)] = &[
    ("holoscan::AsynchronousCondition", "nvidia::gxf::AsynchronousSchedulingTerm"),
    ("holoscan::BooleanCondition", "nvidia::gxf::BooleanSchedulingTerm"),
    ("holoscan::CountCondition", "nvidia::gxf::CountSchedulingTerm"),
    ("holoscan::CudaBufferAvailableCondition", "nvidia::gxf::CudaBufferAvailableSchedulingTerm"),
    ("holoscan::CudaEventCondition", "nvidia::gxf::CudaEventSchedulingTerm"),
    ("holoscan::CudaStreamCondition", "nvidia::gxf::CudaStreamSchedulingTerm"),
    (
        "holoscan::DownstreamMessageAffordableCondition",
        "nvidia::gxf::DownstreamReceptiveSchedulingTerm",
    ),
    (
        "holoscan::ExpiringMessageAvailableCondition",
        "nvidia::gxf::ExpiringMessageAvailableSchedulingTerm",
    ),
    ("holoscan::MessageAvailableCondition", "nvidia::gxf::MessageAvailableSchedulingTerm"),
    (
        "holoscan::MultiMessageAvailableCondition",
        "nvidia::gxf::MultiMessageAvailableSchedulingTerm",
    ),
    (
        "holoscan::MultiMessageAvailableTimeoutCondition",
        "nvidia::holoscan::MultiMessageAvailableTimeoutSchedulingTerm",
    ),
    ("holoscan::PeriodicCondition", "nvidia::gxf::PeriodicSchedulingTerm"),
];

/// The name under which a type is registered, if this is another name of it.
pub(crate) fn registered_name(name: &str) -> Option<&'static str> {
    ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, registered)| *registered)
}
