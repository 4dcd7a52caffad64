//! Recordings through real graphs.
//!
//! - this file: the graph that replays one recording and records another;
//! - `same.rs`: what is recorded is what was replayed, byte for byte;
//! - `replay.rs`: order, number and times of what is replayed, and what it costs;
//! - `damage.rs`: damaged recordings, and graphs that cannot read theirs;
//! - `writing.rs`: where recordings go, and recorders that are killed or run out of room.

mod damage;
mod replay;
mod same;
mod writing;

use gxe_tests::recording::{Component, Files, picture};
use gxe_tests::{Ended, Gxe, SCHEDULER};
use std::path::Path;

const MANIFEST: &str = "\
extensions:
- gxf/std/libgxf_std.so
- libgxf_serialization.so
- libgxf_multimedia.so
- libgxf_stream_playback.so
- libmy_recorder.so
";

/// A replayer of the recording `in` and a recorder of the recording `out`, in the working
/// directory. `parameters` are further ones of the replayer, each with a comma before it.
fn app(parameters: &str, scheduler: &str) -> String {
    let serializer = "\
- {name: allocator, type: nvidia::gxf::UnboundedAllocator}
- {name: component_serializer, type: nvidia::gxf::StdComponentSerializer,
   parameters: {allocator: allocator}}
- {name: multimedia, type: gxe::MultimediaComponentSerializer, parameters: {allocator: allocator}}
- {name: serializer, type: nvidia::holoscan::stream_playback::VideoStreamSerializer,
   parameters: {component_serializers: [component_serializer, multimedia]}}
";
    format!(
        "\
name: replayer
components:
- {{name: output, type: nvidia::gxf::DoubleBufferTransmitter, parameters: {{capacity: 8}}}}
{serializer}\
- {{name: replayer, type: nvidia::holoscan::stream_playback::VideoStreamReplayer,
   parameters: {{transmitter: output, entity_serializer: serializer,
     boolean_scheduling_term: more, directory: '.', basename: in{parameters}}}}}
- {{name: more, type: nvidia::gxf::BooleanSchedulingTerm}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: output}}}}
---
name: recorder
components:
- {{name: input, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{capacity: 8}}}}
{serializer}\
- {{name: recorder, type: nvidia::holoscan::stream_playback::VideoStreamRecorder,
   parameters: {{receiver: input, entity_serializer: serializer, out_directory: '.',
     basename: out}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: input}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: replayer/output, target: recorder/input}}}}
{scheduler}"
    )
}

/// A run of [`app`] with this recording.
fn playback(files: &Files, parameters: &str) -> Gxe {
    let gxe = Gxe::alone().file("app.yaml", &app(parameters, SCHEDULER));
    files.write(&gxe.folder(), "in");
    gxe.file("manifest.yaml", MANIFEST).args("--app app.yaml --manifest manifest.yaml")
}

/// Runs, and reads what was recorded.
fn recorded(gxe: Gxe) -> (Ended, Files) {
    let folder = gxe.folder();
    let mut running = gxe.spawn();
    running.wait_for("Deinitializing");
    // The folder goes with the run, and the recording is complete by now: codelets were stopped.
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

/// How many frames an index in a folder names.
fn index_records(folder: &Path, name: &str) -> usize {
    let index = folder.join(format!("{name}.gxf_index"));
    std::fs::metadata(index).map_or(0, |file| file.len() as usize / 24)
}
