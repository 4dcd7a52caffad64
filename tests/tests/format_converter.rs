//! The format converter in real graphs.

use gxe_tests::recording::{Component, Files};
use gxe_tests::{Ended, Gxe};
use std::path::Path;

const COMPONENT: &str = "format_converter_entity/format_converter_component";

/// The example with parameters of the converter, for `command`.
fn example(command: &str, parameters: &[&str]) -> Gxe {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let gxe = Gxe::in_folder(&root)
        .args(command)
        .args("--app apps/format_convert/format_convert.yaml")
        .args("--manifest manifests/format_convert.yaml");
    parameters
        .iter()
        .fold(gxe, |gxe, parameter| gxe.arg("--param").arg(&format!("{COMPONENT}/{parameter}")))
}

/// The findings of `gxe check` for the example.
fn checked(parameters: &[&str]) -> Ended {
    example("check", parameters).run()
}

/// Runs the example and reads the recording, if there is one.
fn convert(parameters: &[&str]) -> (Ended, Option<Files>) {
    let folder = tempfile::tempdir().unwrap();
    let directory = format!("--param recorder/recorder/directory={}", folder.path().display());
    let ended = example("", parameters).args(&directory).run();
    let recorded = folder.path().join("converted.gxf_index").exists();
    (ended, recorded.then(|| Files::read(folder.path(), "converted")))
}

/// The frames of the example as recorded.
fn original() -> (Vec<u64>, Vec<Vec<u8>>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files = Files::read(&root.join("apps/my_recorder/data"), "turning_disc");
    let times = files.index.chunks(24).map(|record| record[..8].try_into().unwrap());
    let times = times.map(u64::from_le_bytes).collect();
    let frames = files.entities.chunks(40 + 32 + 116 + 9216).map(|frame| frame[188..].to_vec());
    (times, frames.collect())
}

fn recording(element: i32, size: u64, shape: &[i32], make: impl Fn(&[u8]) -> Vec<u8>) -> Files {
    let (times, frames) = original();
    let mut files = Files::default();
    for (time, frame) in times.into_iter().zip(frames) {
        files.add(
            time,
            &[Component::Tensor {
                name: "source_video".to_owned(),
                storage: 0,
                element,
                element_size: size,
                shape: shape.to_vec(),
                data: make(&frame),
            }],
        );
    }
    files
}

#[test]
fn bytes_become_floats_and_times_stay() {
    let (ended, files) = convert(&[]);
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    let expected = recording(9, 4, &[48, 64, 3], |frame| {
        frame.iter().flat_map(|byte| f32::from(*byte).to_le_bytes()).collect()
    });
    assert!(files.unwrap() == expected, "{}", ended.stdout);
}

#[test]
fn channels_change_places() {
    let (ended, files) = convert(&["out_dtype=bgra8888", "alpha_value=7"]);
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    let expected = recording(2, 1, &[48, 64, 4], |frame| {
        frame.chunks(3).flat_map(|rgb| [rgb[2], rgb[1], rgb[0], 7]).collect()
    });
    assert!(files.unwrap() == expected, "{}", ended.stdout);
}

#[test]
fn pictures_become_half_as_large() {
    let (ended, files) =
        convert(&["out_dtype=rgb888", "resize_width=32", "resize_height=24", "resize_mode=1"]);
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    let expected = recording(2, 1, &[24, 32, 3], |frame| {
        let pixel = |row: usize, column: usize| {
            let start = (row * 64 + column) * 3;
            frame[start..start + 3].to_vec()
        };
        let rows = (0..24).map(|row| 2 * row + 1);
        rows.flat_map(|row| (0..32).flat_map(move |column| pixel(row, 2 * column + 1))).collect()
    });
    assert!(files.unwrap() == expected, "{}", ended.stdout);
}

#[test]
fn what_is_not_possible_is_refused_before_the_graph_runs() {
    let component = "apps/format_convert/format_convert.yaml:59:9";
    for (parameters, place, problem) in [
        (
            &["out_dtype=rgb565"][..],
            "<--param 1>:1:62",
            "`out_dtype`: `rgb565` is not known; there are uint8, uint16, float16, float32, \
             float64, gray8, rgb888, bgr888, rgba8888, bgra8888, nv12, yuv420",
        ),
        (
            &["out_dtype=nv12", "resize_width=31", "resize_height=24"],
            component,
            "rgb888 cannot become nv12: a nv12 picture has an even width and height, not 31 × 24",
        ),
        (
            &["resize_mode=3"],
            "<--param 1>:1:64",
            "`resize_mode`: 3 is not known; there are 1 (nearest), 2 (bilinear), \
             4 (cubic), 8 (area), 16 (Lanczos), and 0 for the usual one, which is 4",
        ),
        (
            &["resize_width=32"],
            "<--param 1>:1:65",
            "`resize_width` and `resize_height` belong together",
        ),
        (
            &["out_channel_order=[0, 1]"],
            component,
            "rgb888 cannot become float32: `out_channel_order` [0, 1] does not fit 3 channels: it \
             names one of 0 to 2 for each",
        ),
        (
            &["scale_max=-1"],
            "apps/format_convert/format_convert.yaml:66:16",
            "`scale_min` (0) must be less than `scale_max` (-1)",
        ),
    ] {
        let (ended, files) = convert(parameters);
        let place = format!(" --> {place}\n");
        let finding = |code: &str| {
            format!(
                "error[{code}]: entity `format_converter_entity`, component \
                 `format_converter_component`: {problem}\n"
            )
        };
        assert_eq!((ended.status, files), (Some(4), None));
        assert!(ended.stderr.starts_with(&finding("GXF_ARGUMENT_INVALID")), "{}", ended.stderr);
        assert!(ended.stderr.contains(&place), "{}", ended.stderr);
        let checked = checked(parameters);
        assert_eq!(checked.status, Some(4));
        assert!(checked.stdout.starts_with(&finding("impossible-parameters")), "{checked:?}");
        assert!(checked.stdout.contains(&place), "{checked:?}");
    }
    assert_eq!(checked(&[]).status, Some(0));
}

#[test]
fn an_input_of_another_kind_is_an_error_that_names_both() {
    let (ended, _) = convert(&["in_dtype=nv12"]);
    assert_eq!(ended.status, Some(5));
    ended.complains(
        "`in_dtype` is nv12, and a uint8 tensor of 48 x 64 x 3 in host memory is something else",
    );
}
