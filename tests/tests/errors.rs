//! What a user reads if a graph is wrong: each app of `tests/errors` has a file with the complete
//! output and the exit status.

#[test]
fn every_mistake_is_explained_as_written_down() {
    gxe_tests::cases::run_all("errors", "gxe");
}
