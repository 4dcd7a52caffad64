//! What tests of links between processes share.

use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicU16, Ordering};

/// A port of this host at which nobody listens.
///
/// It is below those that Linux takes for outgoing connections, and no other test of this process
/// gets it, so that it stays free until the test uses it.
///
/// # Panics
/// If there is none.
#[must_use]
pub fn free_port() -> u16 {
    const FIRST: u16 = 20_000;
    const COUNT: u16 = 12_000;
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Other test programs begin elsewhere.
    let begin = std::process::id().wrapping_mul(101) % u32::from(COUNT);
    let ports = std::iter::repeat_with(|| {
        let number = begin + u32::from(NEXT.fetch_add(1, Ordering::Relaxed));
        FIRST + u16::try_from(number % u32::from(COUNT)).expect("less than COUNT")
    });
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    ports.take(usize::from(COUNT)).find(is_free).expect("a free port")
}

/// The entities that link and schedule: parameters of the context besides its serializer, and a
/// scheduler with its parameters.
#[must_use]
pub fn common_entities(parameters: &str, scheduler: &str) -> String {
    format!(
        "\
---
name: links
components:
- {{name: allocator, type: nvidia::gxf::UnboundedAllocator}}
- {{name: components, type: nvidia::gxf::UcxComponentSerializer, parameters: {{allocator: allocator}}}}
- {{name: entities, type: nvidia::gxf::UcxEntitySerializer, parameters: {{component_serializers: [components]}}}}
- {{name: network, type: nvidia::gxf::UcxContext, parameters: {{serializer: entities, {parameters}}}}}
---
name: scheduler
components:
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- {{type: nvidia::gxf::{scheduler}}}
"
    )
}

/// A scheduler for [`common_entities`].
pub const GREEDY: &str = "GreedyScheduler, parameters: {clock: clock}";

/// What a transmitter or receiver of a link needs in its entity.
pub const BUFFER: &str = "\
- {name: allocator, type: nvidia::gxf::UnboundedAllocator}
- {name: buffer, type: nvidia::gxf::UcxSerializationBuffer, parameters: {allocator: allocator}}
";

/// The libraries of apps with [`ping_sender`] and [`ping_receiver`].
pub const MANIFEST: &str = "\
extensions:
- gxf/std/libgxf_std.so
- libgxf_sample.so
- libgxf_ucx.so
";

/// The entity `tx`, which sends numbers through a transmitter with these parameters.
#[must_use]
pub fn ping_sender(parameters: &str, count: u64) -> String {
    format!(
        "\
name: tx
components:
{BUFFER}\
- {{name: signal, type: nvidia::gxf::UcxTransmitter, parameters: {{buffer: buffer, {parameters}}}}}
- {{type: nvidia::gxf::PingTx, parameters: {{signal: signal}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: signal}}}}
"
    )
}

/// The entity `rx`, which receives them through a receiver with these parameters.
#[must_use]
pub fn ping_receiver(parameters: &str) -> String {
    format!(
        "\
name: rx
components:
{BUFFER}\
- {{name: signal, type: nvidia::gxf::UcxReceiver, parameters: {{buffer: buffer, {parameters}}}}}
- {{type: nvidia::gxf::PingRx, parameters: {{signal: signal}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: signal}}}}
"
    )
}

const ROWS: u32 = 1 << 20;

/// Two apps: one sends three tensors of 8 MiB, the other one writes them to a file.
#[must_use]
pub fn large_tensors(port: u16, file: &Path, context: &str) -> (String, String) {
    let tx = format!(
        "\
name: tx
components:
{BUFFER}\
- {{name: out, type: nvidia::gxf::UcxTransmitter, parameters: {{buffer: buffer, port: {port}}}}}
- {{type: gxe::math::Signal, parameters: {{output: out, rows: {ROWS}, messages: 3, columns: [x = i]}}}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: out}}}}
{context}"
    );
    let rx = format!(
        "\
name: rx
components:
{BUFFER}\
- {{name: in, type: nvidia::gxf::UcxReceiver, parameters: {{buffer: buffer, port: {port}}}}}
- {{type: gxe::io::RawSink, parameters: {{input: in, address: {}}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
{context}",
        file.display()
    );
    (tx, rx)
}

/// Whether a file has the tensors of [`large_tensors`].
///
/// # Panics
/// If it has not.
#[track_caller]
pub fn assert_large_tensors(file: &Path) {
    let bytes = std::fs::read(file).expect("what has arrived");
    let expected = (0..3 * ROWS).flat_map(|number| f64::from(number).to_le_bytes());
    assert!(bytes.into_iter().eq(expected), "the tensors differ");
}
