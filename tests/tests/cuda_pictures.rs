//! Pictures on a device: what the format converter and GXF's NPP components do there, on the driver of
//! `tests/cuda_stand_in` or, in `make test-gpu`, on the machine's own.

use gxe_tests::cuda::{MODES, is_on_gpu, run, with_driver, with_stand_in};
use gxe_tests::recording::Files;
use gxe_tests::{Ended, Gxe};
use std::path::Path;

const COMPONENT: &str = "format_converter_entity/format_converter_component";

/// An example of `apps/format_convert` with parameters of the converter: how it ended, and its
/// recording.
fn convert(app: &str, parameters: &[&str], mode: Option<&str>) -> (Ended, Option<Files>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let directory = format!("--param recorder/recorder/directory={}", folder.path().display());
    let gxe = Gxe::in_folder(&root)
        .args(&format!("--app apps/format_convert/{app}.yaml"))
        .args("--manifest manifests/format_convert.yaml")
        // For the largest elements.
        .args("--param format_converter_entity/pool/block_size=73728")
        .args(&directory);
    let gxe = parameters
        .iter()
        .fold(gxe, |gxe, parameter| gxe.arg("--param").arg(&format!("{COMPONENT}/{parameter}")));
    let gxe = match mode {
        Some(mode) => with_driver(gxe, folder.path(), mode),
        None => gxe,
    };
    let ended = gxe.run();
    let recorded = folder.path().join("converted.gxf_index").exists();
    (ended, recorded.then(|| Files::read(folder.path(), "converted")))
}

/// The device gives the same bytes as the CPU, whatever the order of its work.
#[test]
fn the_example_records_the_same_with_and_without_a_device() {
    for (index, parameters) in [
        &[][..],
        &["out_dtype=uint8"],
        &["out_dtype=uint16"],
        &["out_dtype=float16", "scale_max=1"],
        &["out_dtype=float64", "scale_min=-1", "scale_max=1"],
        &["out_dtype=gray8"],
        &["out_dtype=bgra8888", "alpha_value=7"],
        &["out_dtype=nv12"],
        &["out_dtype=yuv420"],
        &["out_dtype=float32", "out_channel_order=[2,0,1]"],
    ]
    .into_iter()
    .enumerate()
    {
        let (ended, expected) = convert("format_convert", parameters, None);
        assert_eq!(ended.status, Some(0), "{}", ended.stderr);
        let expected = expected.expect("a recording");
        let modes = if index == 0 { &MODES[..] } else { &MODES[index % 3..=index % 3] };
        for mode in modes {
            let (ended, files) = convert("format_convert_gpu", parameters, Some(mode));
            let ended = ended.clean();
            assert!(
                files.expect("a recording") == expected,
                "{parameters:?} {mode}\n{}",
                ended.stdout
            );
        }
    }
}

#[test]
fn what_a_device_cannot_do_is_named() {
    let parameters = ["resize_width=32", "resize_height=24"];
    let (ended, _) = convert("format_convert_gpu", &parameters, Some("eager"));
    assert_eq!(ended.status, Some(5));
    ended.complains("pictures on a device cannot be resized yet; copy them to the host first");
}

#[test]
fn without_a_driver_the_example_says_so() {
    if is_on_gpu() {
        eprintln!("skipped: this machine has a driver");
        return;
    }
    let (ended, _) = convert("format_convert_gpu", &[], None);
    ended.complains("memory of storage type 1 (device) needs CUDA: ");
}

/// The graph of the book's page about GPUs: pictures of one colour, multiplied, converted, written.
#[test]
fn the_graph_of_the_book_makes_its_pictures() {
    let page = include_str!("../../docs/book/src/howto/cuda.md");
    let block = |name: &str| {
        let (_, rest) = page.split_once(&format!("```yaml,file={name}\n")).expect("the file");
        rest.split_once("```").expect("its end").0
    };
    for mode in MODES {
        let gxe = with_stand_in(block("pictures.yaml"), mode)
            .file("manifest.yaml", block("manifest.yaml"));
        let (ended, report) = run(gxe);
        _ = ended.clean();
        report.nothing_is_left();
        if !is_on_gpu() {
            assert_eq!(report.get("kernels"), 9);
        }
    }
}

/// RMM's pools of device and host memory.
#[test]
fn an_rmm_allocator_has_device_and_host_memory() {
    let page = include_str!("../../docs/book/src/howto/cuda.md");
    let (_, rest) = page.split_once("```yaml,file=pictures.yaml\n").expect("the file");
    let app = rest.split_once("```").expect("its end").0;
    let rmm = "type: nvidia::gxf::RMMAllocator\n  parameters:\n    device_memory_initial_size: \"32B\"\n    \
               device_max_memory_pool_size: \"64MB\"\n    host_memory_initial_size: 1MB";
    let app = app
        .replace("type: nvidia::gxf::StreamOrderedAllocator", rmm)
        .replace("type: nvidia::gxf::UnboundedAllocator", rmm);
    assert_eq!(app.matches("RMMAllocator").count(), 3);
    let manifest = "extensions:\n- libgxf_cuda.so\n- libgxf_rmm.so\n- libgxf_npp.so\n\
                    - libgxf_format_converter.so\n- libgxe_view.so\n";
    for mode in MODES {
        let (ended, report) = run(with_stand_in(&app, mode).file("manifest.yaml", manifest));
        _ = ended.clean();
        report.nothing_is_left();
    }
    let small = app.replace("\"64MB\"", "\"20KB\"");
    let (ended, _) = run(with_stand_in(&small, "lazy").file("manifest.yaml", manifest));
    ended.complains("bytes do not fit the pool: 0 of 20480 bytes are in use");
}
