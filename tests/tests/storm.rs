//! The first rounds of every storm; `make storm` runs more.

use gxe_tests::storm::{Storm, descriptors, files, libraries, outputs, signals};

fn first_rounds(storm: &Storm) {
    for number in 0..storm.rounds {
        storm.run(number).unwrap_or_else(|problem| panic!("{problem}"));
    }
}

#[test]
fn signals_at_every_moment() {
    first_rounds(&signals::STORM);
}

#[test]
fn outputs_that_take_nothing() {
    first_rounds(&outputs::STORM);
}

#[test]
fn too_few_open_files() {
    first_rounds(&descriptors::STORM);
}

#[test]
fn files_that_are_wrong() {
    first_rounds(&files::STORM);
}

#[test]
fn libraries_that_misbehave() {
    first_rounds(&libraries::STORM);
}
