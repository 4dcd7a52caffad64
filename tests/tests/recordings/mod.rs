//! Recordings through real graphs.
//!
//! - this file: the graph that replays one recording and records another;
//! - `same.rs`: a recording of a replay is identical, byte for byte;
//! - `replay.rs`: order, number and times of replayed frames, and their cost;
//! - `damage.rs`: damaged recordings, and graphs that cannot read theirs;
//! - `writing.rs`: where recordings go, and recorders that run out of room;
//! - `storm.rs`: killed recorders and random damage, a short run of `make storm`.

mod damage;
mod replay;
mod same;
mod storm;
mod writing;

use gxe_tests::graphs::{RECORDINGS as MANIFEST, replay_and_record as app};
use gxe_tests::recording::{Component, Files, picture};
use gxe_tests::{Ended, Gxe, SCHEDULER};

/// A run of [`app`] with this recording.
fn playback(files: &Files, parameters: &str) -> Gxe {
    let gxe = Gxe::alone().file("app.yaml", &app(parameters, SCHEDULER));
    files.write(&gxe.folder(), "in");
    gxe.file("manifest.yaml", MANIFEST).args("--app app.yaml --manifest manifest.yaml")
}

/// Runs, and reads the new recording.
fn recorded(gxe: Gxe) -> (Ended, Files) {
    let folder = gxe.folder();
    let mut running = gxe.spawn();
    running.wait_for("Deinitializing");
    // The folder is removed with the run. The recording is complete, because the codelets were
    // stopped.
    let files = Files::read(&folder, "out");
    (running.end(), files)
}

fn pictures(count: u8) -> Files {
    let mut files = Files::default();
    for number in 0..count {
        files.add(1_000_000 * u64::from(number), &[picture(4, 5, number)]);
    }
    files
}

fn tensor(name: &str, element: i32, element_size: u64, shape: &[i32]) -> Component {
    let count: u64 = shape.iter().map(|&length| length as u64).product();
    let data = (0..count * element_size).map(|index| (index * 31 % 251) as u8).collect();
    let shape = shape.to_vec();
    Component::Tensor { name: name.to_owned(), storage: 0, element, element_size, shape, data }
}
