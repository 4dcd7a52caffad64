//! The complaints of people who use GXF, each as an app that goes wrong on purpose, with the whole
//! text a person gets here beside it: would you know what to do next?

use gxe_tests::Gxe;
use gxe_tests::expect::expect;

#[test]
fn every_complaint_is_answered_as_written_down() {
    gxe_tests::cases::run_all("complaints", "gxe");
}

/// "It hangs when I stop it": a codelet that is in its tick for an hour.
#[test]
fn a_codelet_that_does_not_return_does_not_keep_the_user() {
    let app = "\
name: tx
components:
- name: signal
  type: nvidia::gxf::DoubleBufferTransmitter
- type: nvidia::gxf::PingTxAsync
  parameters:
    signal: signal
    sleep_time_us: 3600000000
---
components:
- type: nvidia::gxf::Connection
  parameters: {source: tx/signal, target: rx/signal}
---
name: rx
components:
- name: signal
  type: nvidia::gxf::DoubleBufferReceiver
- type: nvidia::gxf::PingRx
  parameters: {signal: signal}
- type: nvidia::gxf::MessageAvailableSchedulingTerm
  parameters: {receiver: signal}
---
name: scheduler
components:
- name: clock
  type: nvidia::gxf::RealtimeClock
- type: nvidia::gxf::GreedyScheduler
  parameters: {clock: clock}
";
    let mut running = Gxe::app(app).spawn();
    running.wait_for("Scheduling 2 entities");
    running.signal("INT");
    running.wait_for_error("press Ctrl-C again to end at once\n");
    running.signal("INT");
    let ended = running.end().with_status(130);
    expect("complaints/files/hangs_at_stop.stderr", &format!("{}\n", ended.notes().join("\n")));
}
