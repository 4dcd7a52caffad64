//! Complaints of people who use GXF, each as an app that deliberately goes wrong, with the complete
//! text that gxe shows: would you know what to do next?

use expect_test::expect_file;
use gxe_tests::Gxe;

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
    // As soon as a person could.
    std::thread::sleep(std::time::Duration::from_millis(200));
    running.signal("INT");
    let ended = running.end().with_status(130);
    expect_file!["../complaints/files/hangs_at_stop.stderr"]
        .assert_eq(&format!("{}\n", ended.notes().join("\n")));
}
