//! Pictures on a device: what the format converter and GXF's NPP components do there, on the driver of
//! `tests/cuda_stand_in` or, in `make test-gpu`, on the machine's own.

use crate::cuda::{MESSAGE, ROOM, RX, TX, connected, entity, scheduler, stage};
use gxe_tests::cuda::{MODES, SCHEDULERS, is_on_gpu, modes, run, with_driver, with_stand_in};
use gxe_tests::recording::Files;
use gxe_tests::{Ended, Gxe};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const COMPONENT: &str = "format_converter_entity/format_converter_component";

const MANIFEST: &str = "extensions:\n- libgxf_serialization.so\n- libgxf_stream_playback.so\n\
                        - libgxf_format_converter.so\n- libgxf_sample.so\n- libgxf_test.so\n";

/// An example of `apps/format_convert` with parameters of the converter: how it ended, and its
/// recording.
fn convert(app: &str, parameters: &[&str], mode: Option<&str>) -> (Ended, Option<Files>) {
    let parameters: Vec<_> = parameters.iter().map(|it| format!("{COMPONENT}/{it}")).collect();
    let text = std::fs::read_to_string(root().join(format!("apps/format_convert/{app}.yaml")));
    run_app(&text.expect("the app"), &parameters, mode)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The same for the text of an app, with parameters of any component.
fn run_app(app: &str, parameters: &[String], mode: Option<&str>) -> (Ended, Option<Files>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("app.yaml");
    std::fs::write(&path, app).expect("a file");
    let manifest = folder.path().join("manifest.yaml");
    std::fs::write(&manifest, MANIFEST).expect("a file");
    let directory = format!("--param recorder/recorder/directory={}", folder.path().display());
    let gxe = Gxe::in_folder(&root())
        .args(&format!("--app {}", path.display()))
        .args(&format!("--manifest {}", manifest.display()))
        // For the largest elements.
        .args("--param format_converter_entity/pool/block_size=73728")
        .args(&directory);
    let gxe = parameters.iter().fold(gxe, |gxe, parameter| gxe.arg("--param").arg(parameter));
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

/// The bytes of pictures that are converted in steps, each of which has an input and an output type.
fn converted(
    (rows, columns): (u32, u32),
    steps: &[&str],
    on_device: bool,
    mode: Option<&str>,
) -> Vec<u8> {
    let memory = |kind: u32| {
        format!(
            "type: nvidia::gxf::BlockMemoryPool, parameters: {{storage_type: {kind}, block_size: 2097152, num_blocks: 4}}"
        )
    };
    let copier = |mode: u32| {
        format!(
            "type: nvidia::gxf::TensorCopier, parameters: {{receiver: in, transmitter: out, allocator: pool, mode: {mode}}}"
        )
    };
    let converters = steps.iter().map(|step| {
        let codelet = format!(
            "type: nvidia::holoscan::formatconverter::FormatConverter, parameters: {{in: in, out: out, pool: pool, {step}}}"
        );
        (codelet, u32::from(on_device))
    });
    let [first, end] = [(copier(0), 1), (copier(1), 0)].map(|copier| on_device.then_some(copier));
    let source = [
        &format!("name: out, {TX}"),
        &format!("name: pool, {}", memory(0)),
        &format!(
            "type: nvidia::gxf::test::TensorGenerator, parameters: {{output: out, allocator: pool, shape: [{rows}, {columns}, 3]}}"
        ),
        "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 2}",
        &format!("{ROOM}out}}"),
    ];
    let sink = [
        &format!("name: in, {RX}"),
        "type: gxe::io::RawSink, parameters: {input: in, address: bytes.raw}",
        &format!("{MESSAGE}in}}"),
    ];
    let mut app = entity("source", &source) + &entity("sink", &sink);
    let mut last = "source/out".to_owned();
    for (index, (codelet, kind)) in first.into_iter().chain(converters).chain(end).enumerate() {
        let name = format!("step{index}");
        app += &stage(&name, &codelet, &memory(kind));
        app += &connected(&last, &format!("{name}/in"));
        last = format!("{name}/out");
    }
    app += &connected(&last, "sink/in");
    app += &scheduler(SCHEDULERS[0].1);
    let folder = tempfile::tempdir().expect("a folder");
    let gxe = Gxe::in_folder(folder.path())
        .file("app.yaml", &app)
        .file("manifest.yaml", &format!("{MANIFEST}- libgxe_io.so\n"))
        .args("--app app.yaml --manifest manifest.yaml");
    let gxe = match mode {
        Some(mode) => with_driver(gxe, folder.path(), mode),
        None => gxe,
    };
    let ended = gxe.run();
    assert_eq!(ended.status, Some(0), "{app}\n{}\n{}", ended.stdout, ended.stderr);
    std::fs::read(folder.path().join("bytes.raw")).expect("a file")
}

/// Rows wide enough that threads of a device work together, and others.
#[test]
fn wide_pictures_are_converted_as_on_the_host() {
    let mut index = 0;
    for size in [(66, 256), (34, 250), (130, 384)] {
        for steps in [
            &["in_dtype: rgb888, out_dtype: float32"][..],
            &["in_dtype: rgb888, out_dtype: rgba8888"],
            &["in_dtype: rgb888, out_dtype: bgr888"],
            &["in_dtype: rgb888, out_dtype: rgba8888", "in_dtype: rgba8888, out_dtype: rgb888"],
            &["in_dtype: rgb888, out_dtype: gray8"],
            &["in_dtype: rgb888, out_dtype: uint16", "in_dtype: uint16, out_dtype: rgb888"],
            &["in_dtype: rgb888, out_dtype: nv12", "in_dtype: nv12, out_dtype: rgb888"],
            &["in_dtype: rgb888, out_dtype: yuv420", "in_dtype: yuv420, out_dtype: rgb888"],
            &["in_dtype: rgb888, out_dtype: rgb888, resize_width: 128, resize_height: 40"],
            &["in_dtype: rgb888, out_dtype: rgb888, resize_width: 300, resize_height: 90"],
        ] {
            let expected = converted(size, steps, false, None);
            let mode = MODES[index % MODES.len()];
            index += 1;
            let found = converted(size, steps, true, Some(mode));
            assert!(found == expected && !found.is_empty(), "{size:?} {steps:?} {mode}");
        }
    }
}

/// Pictures of bytes, of 16-bit integers and of floats, made larger and smaller in every mode.
#[test]
fn pictures_are_resized_as_on_the_host() {
    let app = |name: &str, element: &str| {
        let path = root().join(format!("apps/format_convert/{name}.yaml"));
        let app = std::fs::read_to_string(path).expect("the app");
        if element == "rgb888" {
            return app;
        }
        // A converter before the one that resizes.
        let start = app.find("---\nname: format_converter_entity").expect("the converter");
        let end = start + app[start + 4..].find("---\n").expect("its end") + 4;
        let first = app[start..end]
            .replace("name: format_converter_entity", "name: widen")
            .replace("\"float32\"", element);
        let second = app[start..end].replace(
            "in_dtype: rgb888",
            &format!("in_dtype: {element}\n    in_tensor_name: source_video"),
        );
        let rest = app[end..]
            .replace("target: format_converter_entity/in_tensor", "target: widen/in_tensor");
        let connection = "---\ncomponents:\n- type: nvidia::gxf::Connection\n  parameters:\n    \
                          source: widen/out_tensor\n    target: format_converter_entity/in_tensor\n";
        [&app[..start], &first, &second, connection, &rest].concat()
    };
    let mut index = 0;
    for (element, out) in [("rgb888", "rgb888"), ("uint16", "uint16"), ("float32", "uint8")] {
        for resize_mode in [1, 2, 4, 8, 16] {
            for (width, height) in [(31, 17), (90, 60), (64, 20)] {
                let parameters = [
                    format!("resize_width={width}"),
                    format!("resize_height={height}"),
                    format!("resize_mode={resize_mode}"),
                    format!("out_dtype={out}"),
                ]
                .map(|parameter| format!("{COMPONENT}/{parameter}"));
                let host = app("format_convert", element);
                let mut all = parameters.to_vec();
                if element != "rgb888" {
                    all.push("widen/pool/block_size=73728".to_owned());
                }
                let (ended, expected) = run_app(&host, &all, None);
                assert_eq!(ended.status, Some(0), "{}\n{}", ended.stdout, ended.stderr);
                let device = app("format_convert_gpu", element);
                index += 1;
                let mode = MODES[index % MODES.len()];
                let (ended, files) = run_app(&device, &all, Some(mode));
                let ended = ended.clean();
                assert!(
                    files.expect("a recording") == expected.expect("a recording"),
                    "{element} {resize_mode} {width} {height} {mode}\n{}",
                    ended.stdout
                );
            }
        }
    }
}

/// A size that the pool has no room for costs no memory of the host.
#[test]
fn a_size_that_does_not_fit_the_pool_is_refused_at_once() {
    let parameters = ["resize_width=20000000", "resize_height=2"];
    let begin = Instant::now();
    let (ended, _) = convert("format_convert_gpu", &parameters, Some("eager"));
    ended.with_status(5).complains("480000000 bytes do not fit");
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
}

/// A tensor on a device is recorded by way of pinned host memory: the same bytes, except that each frame
/// says where it was.
#[test]
fn tensors_on_a_device_are_recorded() {
    let path = root().join("apps/format_convert/format_convert_gpu.yaml");
    let app = std::fs::read_to_string(path).expect("the app");
    let direct = app.replace("target: to_host/in", "target: recorder/input");
    let start = direct.find("---\nname: to_host").expect("the copier");
    let end = direct.find("---\nname: recorder").expect("the recorder");
    let direct = [&direct[..start], &direct[end..]].concat();
    let direct = direct.replace(
        "- type: nvidia::gxf::Connection\n  parameters:\n    source: to_host/out\n    \
         target: recorder/input\n",
        "",
    );
    for mode in modes() {
        let (ended, expected) = run_app(&app, &[], Some(mode));
        _ = ended.clean();
        let (ended, files) = run_app(&direct, &[], Some(mode));
        assert_eq!(ended.clean().count("is skipped"), 0, "{mode}");
        let (expected, files) = (expected.expect("a recording"), files.expect("a recording"));
        assert_eq!(files.entities.len(), expected.entities.len());
        let pairs = files.entities.iter().zip(&expected.entities);
        let others: Vec<_> = pairs.filter(|(own, other)| own != other).collect();
        assert_eq!(others.len(), 24, "{mode}");
        assert!(others.iter().all(|(own, other)| (**own, **other) == (1, 0)), "{mode}");
    }
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
    for mode in modes() {
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
    for mode in modes() {
        let (ended, report) = run(with_stand_in(&app, mode).file("manifest.yaml", manifest));
        _ = ended.clean();
        report.nothing_is_left();
    }
    // The host memory of all pictures is part of the reserved megabyte.
    if !is_on_gpu() {
        let reserved = app.replace(
            "    host_memory_initial_size: 1MB",
            "    host_memory_initial_size: 1MB\n    host_memory_max_size: 1MB",
        );
        let (ended, report) = run(with_stand_in(&reserved, "lazy").file("manifest.yaml", manifest));
        _ = ended.clean();
        assert_eq!(report.get("call cuMemHostAlloc"), 3);
    }
    let small = app.replace("\"64MB\"", "\"20KB\"");
    let (ended, _) = run(with_stand_in(&small, "lazy").file("manifest.yaml", manifest));
    ended.complains("bytes do not fit the pool: 0 of 20480 bytes are in use");
}
