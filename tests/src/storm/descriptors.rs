//! Fewer open files than a run wants, from none to enough: it ends by itself, and says what is
//! missing.

use super::process::Process;
use super::{Round, Storm};

/// See the head of this file.
pub const STORM: Storm = Storm { name: "descriptors", rounds: 16, round };

fn round(round: &mut Round) -> Result<(), String> {
    let limit = 3 + round.spread(40);
    let scheduler = round.any(&["GreedyScheduler", "MultiThreadScheduler", "EventBasedScheduler"]);
    let mut process = Process::new(scheduler, Some(5), &format!("ulimit -n {limit};"))?;
    for option in [
        "--control control.sock",
        "--metrics 127.0.0.1:0",
        "--trace trace.json",
        "--statistics=statistics.json",
    ] {
        if round.below(2) == 0 {
            process.args(option);
        }
    }
    let ended = process.start(None, None)?.end()?;
    // The system's loader needs some, too.
    let never_began = ended.stderr.contains("error while loading shared libraries");
    let said = never_began || ended.status == Some(0) || !ended.stderr.is_empty();
    ended
        .check(&[0, 2, 3, 4, 5, 127])
        .and_then(|()| if said { Ok(()) } else { Err("it says nothing".to_owned()) })
        .map_err(|problem| format!("{limit} files: {problem}\n{ended:#?}"))
}
