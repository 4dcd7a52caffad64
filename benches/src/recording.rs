//! Graphs that move large tensors: into a recording, out of a recording, through a conversion.

use crate::{Scheduler, context, run_in};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Rows, columns and channels of a picture of 8 MB.
pub const SHAPE: [i32; 3] = [1632, 1632, 3];
/// Bytes of such a picture.
pub const SIZE: u64 = 1632 * 1632 * 3;

const EXTENSIONS: [&str; 3] =
    ["libgxf_serialization.so", "libgxf_stream_playback.so", "libgxf_format_converter.so"];

/// Runs a graph with the extensions for recordings, and returns the time of the run alone.
///
/// # Panics
/// If an extension is not built, or the graph is not well-formed or fails.
#[must_use]
pub fn run(yaml: &str) -> Duration {
    let context = context();
    for extension in EXTENSIONS {
        let loaded = context.load_extension(&PathBuf::from(extension));
        loaded.expect("the extensions lie beside the benchmark; `make bench` builds them");
    }
    run_in(&context, yaml)
}

fn serializer() -> String {
    format!(
        "- {{name: pool, type: nvidia::gxf::BlockMemoryPool,
   parameters: {{storage_type: 2, block_size: {SIZE}, num_blocks: 3}}}}
- {{name: component_serializer, type: nvidia::gxf::StdComponentSerializer,
   parameters: {{allocator: pool}}}}
- {{name: serializer, type: nvidia::holoscan::stream_playback::VideoStreamSerializer,
   parameters: {{component_serializers: [component_serializer]}}}}
"
    )
}

const INPUT: &str = "- {name: input, type: nvidia::gxf::DoubleBufferReceiver}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: input}}
";

const OUTPUT: &str = "- {name: output, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: output}}
";

/// Publishes `count` pictures from memory.
#[must_use]
pub fn source(count: u64) -> String {
    format!(
        "---
name: source
components:
{OUTPUT}\
- {{type: bench::TensorSource, parameters: {{output: output, shape: {SHAPE:?}}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}
"
    )
}

/// Replays a recording at full speed.
#[must_use]
pub fn replayer(directory: &Path) -> String {
    format!(
        "---
name: source
components:
{OUTPUT}{}\
- {{name: more, type: nvidia::gxf::BooleanSchedulingTerm}}
- type: nvidia::holoscan::stream_playback::VideoStreamReplayer
  parameters: {{transmitter: output, entity_serializer: serializer, boolean_scheduling_term: more,
    directory: '{}', basename: recording, realtime: false}}
",
        serializer(),
        directory.display()
    )
}

/// Converts bytes to floats.
#[must_use]
pub fn converter() -> String {
    format!(
        "---
name: converter
components:
{INPUT}{OUTPUT}\
- {{name: pool, type: nvidia::gxf::BlockMemoryPool,
   parameters: {{storage_type: 2, block_size: {}, num_blocks: 3}}}}
- type: nvidia::holoscan::formatconverter::FormatConverter
  parameters: {{in: input, out: output, in_dtype: rgb888, out_dtype: float32, scale_max: 255.0,
    pool: pool}}
",
        SIZE * 4
    )
}

/// Writes a recording of this name.
#[must_use]
pub fn recorder(directory: &Path, name: &str) -> String {
    format!(
        "---
name: recorder
components:
{INPUT}{}\
- type: nvidia::holoscan::stream_playback::VideoStreamRecorder
  parameters: {{receiver: input, entity_serializer: serializer, directory: '{}', basename: {name}}}
",
        serializer(),
        directory.display()
    )
}

/// Takes messages and drops them.
#[must_use]
pub fn sink() -> String {
    format!(
        "---\nname: sink\ncomponents:\n{INPUT}- {{type: bench::TensorSink, parameters: {{input: input}}}}\n"
    )
}

/// A graph of these entities in a row.
#[must_use]
pub fn chain(entities: &[(&str, String)]) -> String {
    let mut yaml: String = entities.iter().map(|(_, entity)| entity.as_str()).collect();
    for pair in entities.windows(2) {
        let _ = write!(
            yaml,
            "---\ncomponents:\n- {{type: nvidia::gxf::Connection, parameters: \
             {{source: {}/output, target: {}/input}}}}\n",
            pair[0].0, pair[1].0
        );
    }
    yaml + &Scheduler::Greedy.yaml("")
}
