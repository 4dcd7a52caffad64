//! The complaints of people who use GXF, each as an app that goes wrong on purpose, with the whole
//! text a person gets here beside it: would you know what to do next?

use gxe_tests::Gxe;
use gxe_tests::expect::expect;

#[test]
fn every_complaint_is_answered_as_written_down() {
    gxe_tests::cases::run_all("complaints", "gxe");
}

/// "It hangs when I stop it": a codelet that does not return from its tick.
#[test]
fn a_codelet_that_does_not_return_does_not_keep_the_user() {
    let app = "\
name: camera
components:
- {name: driver, type: gxe::test::Probe, parameters: {hang_in: tick}}
---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
";
    let mut running = Gxe::app(app).spawn();
    running.wait_for("probe driver tick");
    running.signal("INT");
    running.wait_for_error("press Ctrl-C again to end at once\n");
    running.signal("INT");
    let ended = running.end().with_status(130);
    expect("complaints/files/hangs_at_stop.stderr", &format!("{}\n", ended.notes().join("\n")));
}
