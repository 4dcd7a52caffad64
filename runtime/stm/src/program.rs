//! What the workers of a hyperepoch execute: lists of slots, each with what it waits for, made of a
//! plan.

use crate::plan::{self, order};
use rustc_hash::FxHashMap;

/// No fence, runnable or work.
pub const NONE: u32 = u32::MAX;

/// The program of a hyperepoch.
pub struct Program {
    /// By lane, whether a thread executes it. Other lanes are work that workers submit.
    pub has_worker: Vec<bool>,
    /// What is submitted.
    pub works: Vec<WorkPlan>,
    /// What the lanes execute in each cycle; afterwards from the start.
    pub cycles: Vec<Cycle>,
    /// Distance of the counts of a lane's fence from one cycle to the next.
    pub stride: u32,
}

/// A runnable that another one submits.
pub struct WorkPlan {
    /// The runnable.
    pub runnable: usize,
    /// Its epoch.
    pub epoch: usize,
    /// Its fence; those of the lanes come first.
    pub fence: usize,
}

/// The program of one cycle.
pub struct Cycle {
    /// By lane, if it has a worker.
    pub lanes: Vec<Vec<Slot>>,
    /// By epoch and frame.
    pub parts: Vec<Vec<Parts>>,
}

/// What takes part in a frame.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Parts {
    /// How many workers and pieces of work leave it, of those that nobody in the frame waits for: when
    /// they have left, all others have. 0 if nothing executes.
    pub counted: u32,
    /// Whether a worker executes something as soon as the frame has started.
    pub begins: bool,
}

/// What a slot needs beside its execution, so that most look for nothing: before it, the first of
/// a run of slots of one frame, a wait, or a release by the clock; after it, a signal, or the
/// worker's leaving of the frame.
pub mod flag {
    /// The slot before it is of another frame.
    pub const SWITCHES: u32 = 1;
    /// It waits for fences.
    pub const WAITS: u32 = 2;
    /// The clock releases it later than those before it in its frame.
    pub const RELEASE: u32 = 4;
    /// Others wait for it.
    pub const SIGNALS: u32 = 8;
    /// It is the last execution of its frame in the lane.
    pub const LEAVES: u32 = 16;
    /// It is that, and no other lane's part of the frame waits for it.
    pub const COUNTED: u32 = 32;
    /// It is the only one of its frame that is counted.
    pub const ALONE: u32 = 64;
    /// All that comes before the execution.
    pub const BEFORE: u32 = SWITCHES | WAITS | RELEASE;
    /// All that comes after it.
    pub const AFTER: u32 = SIGNALS | LEAVES | COUNTED;
}

/// One execution.
pub struct Slot {
    /// Any of [`flag`].
    pub flags: u32,
    /// The runnable; [`NONE`] waits for submitted work only.
    pub runnable: u32,
    /// The runnable, or the work that is waited for.
    pub owner: u32,
    /// Its epoch.
    pub epoch: u32,
    /// The frame of the epoch in the cycle.
    pub frame: u32,
    /// The work that it submits, or [`NONE`].
    pub work: u32,
    /// What others wait for when it is over.
    pub signal: u32,
    /// Time of the execution after the start of its frame.
    pub time: i64,
    /// Nanoseconds after the start of its frame at which the clock releases it; [`i64::MIN`] for
    /// none.
    pub release: i64,
    /// What it waits for.
    pub waits: Box<[Wait]>,
}

/// A fence, and the count to wait for: `cycle * factor + offset`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// Index of the fence.
    pub fence: u32,
    /// Distance of the counts of two cycles.
    pub factor: u32,
    /// Count in the first cycle.
    pub offset: u32,
}

impl Wait {
    /// The count in a cycle.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "fences compare the lower bits")]
    pub fn count(self, cycle: u64) -> u32 {
        (cycle as u32).wrapping_mul(self.factor).wrapping_add(self.offset)
    }
}

/// The program of a hyperepoch. `is_work` says of a runnable whether it is submitted.
///
/// # Errors
/// The runnable that never starts, because work waits for something that follows on its submitter.
pub fn lower(
    plan: &mut plan::Hyperepoch,
    is_work: impl Fn(usize) -> bool,
) -> Result<Program, usize> {
    // A lane of which all is submitted needs no thread.
    let has_worker: Vec<bool> = (0..plan.lanes.len())
        .map(|lane| {
            let mut steps = plan.cycles.iter().flat_map(|cycle| &cycle.lanes[lane]);
            steps.any(|step| !is_work(step.runnable))
        })
        .collect();
    let mut works: Vec<WorkPlan> = Vec::new();
    let mut work_of: FxHashMap<usize, usize> = FxHashMap::default();
    for step in plan.cycles.iter().flat_map(|cycle| cycle.lanes.iter().flatten()) {
        if is_work(step.runnable) && !work_of.contains_key(&step.runnable) {
            work_of.insert(step.runnable, works.len());
            let fence = plan.lanes.len() + works.len();
            works.push(WorkPlan { runnable: step.runnable, epoch: step.epoch, fence });
        }
    }
    for number in 0..plan.cycles.len() {
        hold_submitters_back(&mut plan.cycles[number], &has_worker);
        order(plan, &plan.cycles[number])
            .map_err(|(lane, position)| plan.cycles[number].lanes[lane][position].runnable)?;
    }
    let longest = plan.cycles.iter().flat_map(|cycle| &cycle.lanes).map(Vec::len).max();
    let stride = small(longest.unwrap_or(0)) + 1;
    let lowering = Lowering { plan, has_worker: &has_worker, work_of: &work_of, stride };
    let cycles = plan.cycles.iter().map(|cycle| lowering.cycle(cycle)).collect();
    Ok(Program { has_worker, works, cycles, stride })
}

/// What submitted work waits for, its submitter waits for: nobody can hold it back. The schedules of
/// the compiler say so themselves.
fn hold_submitters_back(cycle: &mut plan::Cycle, has_worker: &[bool]) {
    for lane in 0..cycle.lanes.len() {
        for position in 0..cycle.lanes[lane].len() {
            let Some((on, at)) = cycle.lanes[lane][position].submits else { continue };
            if has_worker[on] {
                continue;
            }
            let mut after = cycle.lanes[on][at].after.clone();
            after.retain(|other| {
                *other != (lane, position) && !(other.0 == lane && other.1 < position)
            });
            cycle.lanes[lane][position].after.append(&mut after);
        }
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(NONE)
}

/// The last execution of each frame, by its epoch and number.
type Lasts = FxHashMap<(usize, u32), usize>;

/// What a lane waits for, by the other lane: the position in the own lane, and the latest in the other
/// one that was waited for up to there.
type Awaited = FxHashMap<usize, Vec<(usize, usize)>>;

fn awaited(lane: usize, steps: &[plan::Step]) -> Awaited {
    let mut awaited = Awaited::default();
    for (position, step) in steps.iter().enumerate() {
        for &(other, at) in step.after.iter().filter(|(other, _)| *other != lane) {
            let known = awaited.entry(other).or_default();
            let latest = known.last().map_or(at, |(_, latest)| at.max(*latest));
            known.push((position, latest));
        }
    }
    awaited
}

/// From steps to slots.
struct Lowering<'a> {
    plan: &'a plan::Hyperepoch,
    has_worker: &'a [bool],
    work_of: &'a FxHashMap<usize, usize>,
    stride: u32,
}

impl Lowering<'_> {
    fn cycle(&self, cycle: &plan::Cycle) -> Cycle {
        let frames = self.plan.epochs.iter().map(|epoch| epoch.frames as usize);
        let mut parts: Vec<Vec<Parts>> =
            frames.map(|frames| vec![Parts::default(); frames]).collect();
        let lasts = self.lasts(cycle);
        let all_awaited: Vec<Awaited> =
            cycle.lanes.iter().enumerate().map(|(lane, steps)| awaited(lane, steps)).collect();
        // Whether another lane's part of a frame ends only after this lane's.
        let is_followed = |lane: usize, frame: &(usize, u32), last: usize| {
            lasts.iter().zip(&all_awaited).any(|(lasts, awaited)| {
                lasts.get(frame).zip(awaited.get(&lane)).is_some_and(|(end, awaited)| {
                    let until = awaited.partition_point(|(position, _)| position <= end);
                    awaited[..until].last().is_some_and(|(_, latest)| *latest >= last)
                })
            })
        };
        // Executions that others wait for.
        let mut is_awaited: Vec<Vec<bool>> =
            cycle.lanes.iter().map(|lane| vec![false; lane.len()]).collect();
        for step in cycle.lanes.iter().flatten() {
            step.after.iter().for_each(|(lane, position)| is_awaited[*lane][*position] = true);
        }
        let mut lanes = Vec::new();
        for (lane, steps) in cycle.lanes.iter().enumerate() {
            let mut slots: Vec<Slot> = Vec::new();
            let mut releases: FxHashMap<(usize, u32), i64> = FxHashMap::default();
            for (position, step) in steps.iter().enumerate() {
                let is_work = self.work_of.contains_key(&step.runnable);
                if is_work {
                    parts[step.epoch][step.frame as usize].counted += 1;
                }
                if !self.has_worker[lane] {
                    continue;
                }
                let mut slot = self.slot(cycle, step);
                slot.signal = small(position + 1);
                if is_awaited[lane][position] {
                    slot.flags |= flag::SIGNALS;
                }
                if position.checked_sub(1).is_none_or(|before| {
                    (steps[before].epoch, steps[before].frame) != (step.epoch, step.frame)
                }) {
                    slot.flags |= flag::SWITCHES;
                }
                let frame = (step.epoch, step.frame);
                let released = releases.entry(frame).or_insert_with(|| {
                    parts[frame.0][frame.1 as usize].begins |= slot.release <= 0;
                    i64::MIN
                });
                if slot.release > *released {
                    *released = slot.release;
                    slot.flags |= flag::RELEASE;
                }
                slots.push(slot);
            }
            for (frame, last) in &lasts[lane] {
                slots[*last].flags |= flag::LEAVES;
                if !is_followed(lane, frame, *last) {
                    slots[*last].flags |= flag::COUNTED;
                    parts[frame.0][frame.1 as usize].counted += 1;
                }
            }
            lanes.push(slots);
        }
        let counted = lanes.iter_mut().flatten().filter(|slot| slot.flags & flag::COUNTED != 0);
        for slot in counted {
            if parts[slot.epoch as usize][slot.frame as usize].counted == 1 {
                slot.flags |= flag::ALONE;
            }
        }
        Cycle { lanes, parts }
    }

    /// By lane with a worker: the last execution of each frame.
    fn lasts(&self, cycle: &plan::Cycle) -> Vec<Lasts> {
        let lanes = cycle.lanes.iter().zip(self.has_worker);
        let lasts = |(steps, has_worker): (&Vec<plan::Step>, &bool)| {
            let steps = steps.iter().enumerate().filter(|_| *has_worker);
            steps.map(|(position, step)| ((step.epoch, step.frame), position)).collect()
        };
        lanes.map(lasts).collect()
    }

    fn slot(&self, cycle: &plan::Cycle, step: &plan::Step) -> Slot {
        let own = self.work_of.get(&step.runnable);
        let mut waits: Vec<Wait> =
            step.after.iter().flat_map(|place| self.waits(cycle, *place)).collect();
        // On a lane with a worker, submitted work is waited for in its place.
        waits.extend(own.map(|work| self.wait_for_work(*work, step.epoch, step.frame)));
        waits.sort_unstable_by_key(|wait| (wait.fence, std::cmp::Reverse(wait.offset)));
        waits.dedup_by_key(|wait| wait.fence);
        let work = step.submits.and_then(|(lane, position)| {
            self.work_of.get(&cycle.lanes[lane][position].runnable).copied()
        });
        Slot {
            runnable: if own.is_some() { NONE } else { small(step.runnable) },
            owner: small(step.runnable),
            epoch: small(step.epoch),
            frame: step.frame,
            work: work.map_or(NONE, small),
            flags: if waits.is_empty() { 0 } else { flag::WAITS },
            signal: 0,
            time: step.time,
            release: step.release.unwrap_or(i64::MIN),
            waits: waits.into(),
        }
    }

    /// What to wait for so that an execution and those before it in its lane have ended.
    fn waits(&self, cycle: &plan::Cycle, (lane, position): plan::Place) -> Vec<Wait> {
        if self.has_worker[lane] {
            let offset = small(position + 1);
            return vec![Wait { fence: small(lane), factor: self.stride, offset }];
        }
        let before = cycle.lanes[lane][..=position].iter().rev();
        let mut waits: Vec<Wait> = Vec::new();
        for step in before {
            let Some(work) = self.work_of.get(&step.runnable) else { continue };
            let wait = self.wait_for_work(*work, step.epoch, step.frame);
            if waits.iter().all(|known| known.fence != wait.fence) {
                waits.push(wait);
            }
        }
        waits
    }

    fn wait_for_work(&self, work: usize, epoch: usize, frame: u32) -> Wait {
        let fence = small(self.plan.lanes.len() + work);
        Wait { fence, factor: self.plan.epochs[epoch].frames, offset: frame + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gxf_app::Source;

    fn cycle(lanes: &str) -> Cycle {
        let text = format!(
            "Schedule: 1.0.0\nGraph: g\nIdentifier: 1\nHyperepochs:\n- h:\n    Resources: []\n    Epochs:\n    \
             - e: {{Frames: 2}}\n    - f: {{Frames: 1}}\n    Cycles:\n    - Makespan: 1ms\n      Lanes: {lanes}\n"
        );
        let schedule = crate::schedule::read_schedule(&Source::new("s", text));
        let schedule = schedule.unwrap_or_else(|findings| panic!("{}", findings.render(false)));
        let mut plan = plan::Plan::new(&schedule).unwrap_or_else(|_| panic!("{lanes}"));
        lower(&mut plan.hyperepochs[0], |_| false).unwrap().cycles.remove(0)
    }

    fn step(name: &str, epoch: &str, more: &str) -> String {
        format!("{{Runnable: c.{name}, Epoch: {epoch}, Frame: 0, Start: 0ns, End: 1ms{more}}}")
    }

    /// The flags of what follows each slot, by lane.
    fn flags(cycle: &Cycle) -> Vec<Vec<u32>> {
        let after = |slots: &Vec<Slot>| {
            slots.iter().map(|slot| slot.flags & (flag::AFTER | flag::ALONE)).collect()
        };
        cycle.lanes.iter().map(after).collect()
    }

    #[test]
    fn a_frame_counts_the_lanes_that_nobody_waits_for() {
        use flag::{ALONE, COUNTED, LEAVES, SIGNALS};
        let alone = LEAVES | COUNTED | ALONE;
        let apart = cycle(&format!(
            "[{{CPU0: [{}]}}, {{CPU1: [{}]}}]",
            step("a", "e", ""),
            step("b", "e", ", Release: 1ms")
        ));
        let counted = LEAVES | COUNTED;
        assert_eq!(flags(&apart), [[counted], [counted]]);
        assert_eq!(apart.parts[0][0], Parts { counted: 2, begins: true });
        assert_eq!(apart.parts[0][1], Parts::default(), "nothing executes");
        let back = cycle(&format!(
            "[{{CPU0: [{}, {}]}}, {{CPU1: [{}]}}]",
            step("a", "e", ", Release: 1ms"),
            step("c", "e", ", After: [c.b@0]"),
            step("b", "e", ", Release: 1ms, After: [c.a@0]")
        ));
        assert_eq!(flags(&back), [vec![SIGNALS, alone], vec![LEAVES | SIGNALS]]);
        assert_eq!(back.parts[0][0], Parts { counted: 1, begins: false });
        // What another frame waits for, this one does only if it goes on behind that.
        let other = cycle(&format!(
            "[{{CPU0: [{}]}}, {{CPU1: [{}]}}]",
            step("a", "e", ""),
            step("b", "f", ", After: [c.a@0]")
        ));
        assert_eq!(flags(&other), [[alone | SIGNALS], [alone]]);
        let behind = cycle(&format!(
            "[{{CPU0: [{}]}}, {{CPU1: [{}, {}]}}]",
            step("a", "e", ""),
            step("b", "f", ", After: [c.a@0]"),
            step("c", "e", "")
        ));
        assert_eq!(flags(&behind), [vec![LEAVES | SIGNALS], vec![alone, alone]]);
    }
}
