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
    /// By epoch and frame: how many workers and pieces of work take part.
    pub parts: Vec<Vec<u32>>,
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
    /// All that comes before the execution.
    pub const BEFORE: u32 = SWITCHES | WAITS | RELEASE;
    /// All that comes after it.
    pub const AFTER: u32 = SIGNALS | LEAVES;
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

/// From steps to slots.
struct Lowering<'a> {
    plan: &'a plan::Hyperepoch,
    has_worker: &'a [bool],
    work_of: &'a FxHashMap<usize, usize>,
    stride: u32,
}

impl Lowering<'_> {
    fn cycle(&self, cycle: &plan::Cycle) -> Cycle {
        let mut parts: Vec<Vec<u32>> =
            self.plan.epochs.iter().map(|epoch| vec![0; epoch.frames as usize]).collect();
        // Executions that others wait for.
        let mut is_awaited: Vec<Vec<bool>> =
            cycle.lanes.iter().map(|lane| vec![false; lane.len()]).collect();
        for step in cycle.lanes.iter().flatten() {
            step.after.iter().for_each(|(lane, position)| is_awaited[*lane][*position] = true);
        }
        let mut lanes = Vec::new();
        for (lane, steps) in cycle.lanes.iter().enumerate() {
            let mut slots: Vec<Slot> = Vec::new();
            let mut lasts: FxHashMap<(usize, u32), usize> = FxHashMap::default();
            let mut releases: FxHashMap<(usize, u32), i64> = FxHashMap::default();
            for (position, step) in steps.iter().enumerate() {
                let is_work = self.work_of.contains_key(&step.runnable);
                if is_work {
                    parts[step.epoch][step.frame as usize] += 1;
                }
                if !self.has_worker[lane] {
                    continue;
                }
                lasts.insert((step.epoch, step.frame), position);
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
                let released = releases.entry((step.epoch, step.frame)).or_insert(i64::MIN);
                if slot.release > *released {
                    *released = slot.release;
                    slot.flags |= flag::RELEASE;
                }
                slots.push(slot);
            }
            for ((epoch, frame), last) in lasts {
                parts[epoch][frame as usize] += 1;
                slots[last].flags |= flag::LEAVES;
            }
            lanes.push(slots);
        }
        Cycle { lanes, parts }
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
