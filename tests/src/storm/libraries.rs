//! Libraries that misbehave in one place at a time: all there is of `evil/evil.c`.

use super::{Round, Storm};
use crate::evil::libraries::{DEEDS, FAILURES, LIES, PLACES, folder, with, wrong};

/// See the head of this file.
pub const STORM: Storm = Storm { name: "libraries", rounds: 8, round };

fn round(round: &mut Round) -> Result<(), String> {
    let deeds = || FAILURES.iter().chain(DEEDS);
    let deeds = PLACES.iter().flat_map(|place| deeds().map(move |deed| format!("{place} {deed}")));
    let mut evils: Vec<_> = LIES.iter().map(|lie| format!("lie {lie}")).chain(deeds).collect();
    let evil = evils.swap_remove(round.spread(evils.len() as u64) as usize);
    let folder = folder();
    wrong(&evil, &with(folder.path(), &evil)).map_or(Ok(()), Err)
}
