//! The order alone: with it, every constraint holds however long executions take.
//!
//! An execution waits for the one before it in its lane and for those that it names. Work waits for its
//! submitter alone, which waits for what the work names, and for the work before it if that went through
//! the same stream. Joined executions are one block, which waits for all that any of them waits for,
//! and which others wait for as a whole.

use super::{Checker, Part, Why};
use crate::read::error;
use rustc_hash::FxHashSet;

/// Most words that the positions of all lanes may take for all blocks.
const MOST_POSITIONS: usize = 100_000_000;

impl Checker<'_> {
    pub(super) fn order(&mut self, part: &Part<'_>) {
        let Some(blocks) = self.blocks(part) else { return };
        let Some(known) = self.what_has_ended(part, &blocks) else { return };
        let mut problems = Vec::new();
        let mut said = FxHashSet::default();
        let mut need = |first: usize, second: usize, follows: usize, why: Why| {
            let has_ended = if blocks.of[first] == blocks.of[second] {
                part.placed[first].position < part.placed[second].position
            } else {
                known.ended_before(part, &blocks, first, second)
            };
            if has_ended || !said.insert((first, second)) {
                return;
            }
            let reason = if follows == second {
                self.reason(why)
            } else {
                let work = part.placed[follows].execution.id();
                format!("its work, `{work}`, has to follow ({})", self.reason(why))
            };
            let message = format!(
                "nothing makes `{}` wait for `{}`: {reason}",
                part.placed[second].execution.id(),
                part.placed[first].execution.id(),
            );
            problems.push((error("order", message), second));
        };
        for &(first, second, why) in &part.orders {
            let held_back = part.held_back(first, second);
            if let Some((first, submitter)) = held_back {
                need(first, submitter, second, why);
            }
            if held_back.is_none_or(|(earlier, _)| earlier != first) {
                need(first, second, second, why);
            }
        }
        for (problem, index) in problems {
            self.push(problem, part.placed[index].execution.place.as_ref());
        }
    }

    /// Joins fused executions.
    fn blocks(&mut self, part: &Part<'_>) -> Option<Blocks> {
        let mut blocks = Blocks { of: vec![0; part.placed.len()], members: Vec::new() };
        let before = self.findings.errors();
        for lane in &part.lanes {
            for (position, index) in lane.iter().enumerate() {
                let execution = part.placed[*index].execution;
                let previous = position.checked_sub(1).map(|before| lane[before]);
                let Some(previous) = previous.filter(|_| execution.fused) else {
                    if execution.fused {
                        let message = format!("`{}` is joined to nothing", execution.id());
                        self.push(error("fusion", message), execution.place.as_ref());
                    }
                    blocks.of[*index] = blocks.members.len();
                    blocks.members.push(vec![*index]);
                    continue;
                };
                let problem = self.cannot_join(part, previous, *index);
                if let Some(problem) = problem {
                    let message = format!(
                        "`{}` cannot be joined to `{}`: {problem}",
                        execution.id(),
                        part.placed[previous].execution.id()
                    );
                    self.push(error("fusion", message), execution.place.as_ref());
                }
                let block = blocks.of[previous];
                blocks.of[*index] = block;
                blocks.members[block].push(*index);
            }
        }
        if self.findings.errors() > before {
            return None;
        }
        // A block is planned as one: nothing outside waits for a part of it.
        for (index, instance) in part.instances.iter().enumerate() {
            for predecessor in instance.predecessors.iter().chain(&part.after[index]) {
                let (first, second) = (blocks.of[*predecessor], blocks.of[index]);
                let Some(last) = blocks.members[first].last() else { continue };
                let Some(head) = blocks.members[second].first() else { continue };
                // Where no block is longer, `times.rs` says so.
                let is_longer = (predecessor, index) != (last, *head);
                let end = part.placed[*last].execution.end;
                if first != second && is_longer && end > part.placed[*head].execution.start {
                    let execution = part.placed[*head].execution;
                    let message = format!(
                        "`{}` starts before `{}`, whose block it has to wait for, ends",
                        execution.id(),
                        part.placed[*last].execution.id()
                    );
                    self.push(error("fusion", message), execution.place.as_ref());
                }
            }
        }
        (self.findings.errors() == before).then_some(blocks)
    }

    fn cannot_join(&self, part: &Part<'_>, first: usize, second: usize) -> Option<&'static str> {
        let (one, other) = (&part.instances[first], &part.instances[second]);
        let (runnable, joined) =
            (&self.graph.runnables[one.runnable], &self.graph.runnables[other.runnable]);
        if part.placed[first].execution.end != part.placed[second].execution.start {
            Some("there is a gap between them")
        } else if runnable.client != joined.client {
            Some("they belong to different clients")
        } else if runnable.epoch != joined.epoch || one.frame != other.frame {
            Some("they belong to different frames")
        } else if runnable.submits.is_some() {
            Some("the first one submits work")
        } else if runnable.needs.len() > 1 || joined.needs.len() > 1 {
            Some("one of them holds more than a CPU")
        } else if self.graph.engine_of(one.runnable) != Some(crate::graph::Engine::Cpu) {
            Some("they do not run on a CPU")
        } else {
            None
        }
    }

    /// For each block, how far each lane has come when it starts; follows the order.
    fn what_has_ended(&mut self, part: &Part<'_>, blocks: &Blocks) -> Option<Known> {
        let lanes = part.lanes.len();
        if lanes.saturating_mul(blocks.members.len()) > MOST_POSITIONS {
            let message = "the schedule has too many executions on too many engines to be checked";
            self.push(error("order", message), part.plan.place.as_ref());
            return None;
        }
        let count = blocks.members.len();
        let mut next = vec![Vec::new(); count];
        let mut open = vec![0_usize; count];
        let mut link = |first: usize, second: usize| {
            if first != second {
                next[first].push(second);
                open[second] += 1;
            }
        };
        for pair in part.lanes.iter().flat_map(|lane| lane.windows(2)) {
            // A lane makes nothing wait that is submitted; a stream does.
            let held_back = part.held_back(pair[0], pair[1]);
            if held_back.is_none_or(|(first, _)| first != pair[0]) {
                link(blocks.of[pair[0]], blocks.of[pair[1]]);
            }
        }
        let before = self.findings.errors();
        for (index, placed) in part.placed.iter().enumerate() {
            let submitter = part.submitted[index].map(|(submitter, _)| submitter);
            if let Some(submitter) = submitter {
                link(blocks.of[submitter], blocks.of[index]);
            }
            for other in part.after[index].iter().filter(|other| Some(**other) != submitter) {
                // What work names, its submitter waits for.
                let index = submitter.unwrap_or(index);
                if blocks.of[*other] != blocks.of[index] {
                    link(blocks.of[*other], blocks.of[index]);
                    continue;
                }
                let message = format!(
                    "`{}` waits for `{}` of its own block",
                    placed.execution.id(),
                    part.placed[*other].execution.id()
                );
                self.push(error("order", message), placed.execution.place.as_ref());
            }
        }
        if self.findings.errors() > before {
            return None;
        }
        let mut ended = vec![0_u32; lanes * count];
        let mut ready: Vec<usize> = (0..count).filter(|block| open[*block] == 0).collect();
        let mut done = 0;
        while let Some(block) = ready.pop() {
            done += 1;
            let mut own = ended[block * lanes..(block + 1) * lanes].to_vec();
            if let Some(last) = blocks.members[block].last() {
                let placed = &part.placed[*last];
                own[placed.lane] = own[placed.lane].max(placed.position as u32 + 1);
            }
            for other in &next[block] {
                for (lane, position) in own.iter().enumerate() {
                    let theirs = &mut ended[other * lanes + lane];
                    *theirs = (*theirs).max(*position);
                }
                open[*other] -= 1;
                if open[*other] == 0 {
                    ready.push(*other);
                }
            }
        }
        if done < count {
            let stuck = (0..count)
                .find(|block| open[*block] > 0)
                .and_then(|block| blocks.members[block].first());
            let name = stuck.map_or(String::new(), |index| part.placed[*index].execution.id());
            let message =
                format!("the order never lets `{name}` start: what it waits for waits for it");
            self.push(error("order", message), part.plan.place.as_ref());
            return None;
        }
        Some(Known { ended, lanes })
    }
}

/// Executions that run as one.
struct Blocks {
    /// The block of each instance.
    of: Vec<usize>,
    members: Vec<Vec<usize>>,
}

/// For each block and lane, the number of executions that have ended when the block starts.
struct Known {
    ended: Vec<u32>,
    lanes: usize,
}

impl Known {
    fn ended_before(&self, part: &Part<'_>, blocks: &Blocks, first: usize, second: usize) -> bool {
        let first = &part.placed[first];
        let ended = self.ended[blocks.of[second] * self.lanes + first.lane];
        first.position < ended as usize
    }
}
