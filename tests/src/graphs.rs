//! Documents of apps that many tests are made of; each begins with `---`.

/// An entity whose probe publishes a number a tick through the queue `out`, `ticks` times. The probe
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

/// An entity whose probe takes all messages of the queue `in`, which has room for `capacity` of them,
/// once there is one. The probe has the entity's name.
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

/// Joins pairs of queues, such as `tx/out` and `rx/in`.
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
/// which `first` takes them.
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
