//! App documents that many tests use; each starts with `---`.

/// An entity whose probe publishes a number per tick on the queue `out`, `ticks` times. The probe
/// has the entity's name.
#[must_use]
pub fn sender(name: &str, ticks: u32) -> String {
    format!(
        "---
name: {name}
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: {name}, type: gxe::test::Probe, parameters: {{transmitters: [out]}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {ticks}}}}}
"
    )
}

/// An entity whose probe takes all messages of the queue `in`, of this `capacity`, once there is
/// one. The probe has the entity's name.
#[must_use]
pub fn receiver(name: &str, capacity: u32) -> String {
    format!(
        "---
name: {name}
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{capacity: {capacity}}}}}
- {{name: {name}, type: gxe::test::Probe, parameters: {{receivers: [in]}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
"
    )
}

/// Connects pairs of queues, such as `tx/out` and `rx/in`.
#[must_use]
pub fn connect(pairs: &[(&str, &str)]) -> String {
    let lines = pairs.iter().map(|(source, target)| {
        format!(
            "- {{type: nvidia::gxf::Connection, parameters: {{source: {source}, target: {target}}}}}\n"
        )
    });
    format!("---\ncomponents:\n{}", lines.collect::<String>())
}

/// `tx` publishes two messages every second of the clock, five times; `rx` has two codelets, of
/// which `first` takes the messages.
pub const EVERY_SECOND: &str = "\
---
name: tx
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter, parameters: {capacity: 10}}
- {name: send, type: gxe::test::Probe, parameters: {transmitters: [out], publish: 2}}
- {name: five, type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 5}}
- {name: second, type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 1s}}
---
name: rx
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {capacity: 4}}
- {name: first, type: gxe::test::Probe, parameters: {receivers: [in]}}
- {name: second, type: gxe::test::Probe}
- {name: mail, type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: tx/out, target: rx/in}}
";

/// The manifest of graphs with recordings.
pub const RECORDINGS: &str = "\
extensions:
- gxf/std/libgxf_std.so
- libgxf_serialization.so
- libgxf_multimedia.so
- libgxf_stream_playback.so
- libmy_recorder.so
";

/// A replayer of the recording `in` and a recorder of the recording `out`, in the working
/// directory. `parameters` are further ones of the replayer, each with a comma before it.
#[must_use]
pub fn replay_and_record(parameters: &str, scheduler: &str) -> String {
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
