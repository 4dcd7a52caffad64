//! A short run of `make storm`.

use gxe_tests::recording_storm::{INDEX_BITS, damage_entities, flip_index_bit, kill_a_recorder};

#[test]
fn a_killed_recorder_leaves_every_frame_it_wrote() {
    let frames: usize = (0..8).map(kill_a_recorder).sum();
    assert!(frames > 0, "something was recorded");
}

#[test]
fn a_flipped_bit_of_the_index_costs_one_frame_at_most() {
    // Prime to the number of bits: all records and fields have their turn.
    (0..8).for_each(|round| flip_index_bit(round * 101 % INDEX_BITS));
}

#[test]
fn a_damaged_entities_file_costs_the_frames_that_are_damaged() {
    (0..8).for_each(damage_entities);
}
