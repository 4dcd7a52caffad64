//! What a user reads when a graph is wrong: each app of `tests/errors` has beside it the whole
//! text it gives, with the exit status.

#[test]
fn every_mistake_is_explained_as_written_down() {
    gxe_tests::cases::run_all("errors", "gxe");
}
