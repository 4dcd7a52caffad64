//! A schedule as those read it who execute it: names are indexes, and the order is known to have no circle.
//!
//! That a schedule keeps the constraints of its graph is `gxe stm check`'s to prove. Here it must
//! only be one that always goes on: every execution that another one waits for comes first.

use crate::schedule::{CyclePlan, Execution, HyperepochPlan, Schedule};
use gxf_app::{Diagnostic, Diagnostics, Span};
use gxf_plugin_abi::ResultCode;
use rustc_hash::FxHashMap;

/// A schedule.
pub struct Plan {
    /// Name of the compute graph.
    pub graph: String,
    /// Id of the schedule.
    pub identifier: u16,
    /// That of the schedule.
    pub fingerprint: u64,
    /// `client.runnable` by index.
    pub runnables: Vec<String>,
    /// Its hyperepochs.
    pub hyperepochs: Vec<Hyperepoch>,
}

/// The plan of a hyperepoch.
pub struct Hyperepoch {
    /// Its name.
    pub name: String,
    /// Nanoseconds between two starts; `None` starts again as soon as it ends.
    pub period: Option<i64>,
    /// Its epochs.
    pub epochs: Vec<Epoch>,
    /// The resources that it owns, sorted.
    pub resources: Vec<String>,
    /// The engines that execute something in any cycle.
    pub lanes: Vec<String>,
    /// The cycles, which follow each other.
    pub cycles: Vec<Cycle>,
}

/// An epoch.
pub struct Epoch {
    /// Its name.
    pub name: String,
    /// Nanoseconds between two frames; `None` starts a frame when the one before is done.
    pub period: Option<i64>,
    /// Frames in each cycle.
    pub frames: u32,
}

/// The plan of one cycle: the executions of each lane, in order.
pub struct Cycle {
    /// By lane.
    pub lanes: Vec<Vec<Step>>,
}

/// Position of an execution: its lane, and the place there.
pub type Place = (usize, usize);

/// One execution.
pub struct Step {
    /// The runnable.
    pub runnable: usize,
    /// Its epoch.
    pub epoch: usize,
    /// The frame of the epoch.
    pub frame: u32,
    /// Nanoseconds after the start of its frame at which the clock releases it; `None` if only
    /// others delay it.
    pub release: Option<i64>,
    /// The latest of its own release and those of what it follows in its frame, which is the time
    /// of the execution, in nanoseconds after the start of the frame.
    pub time: i64,
    /// The executions that it waits for, each the last of its block.
    pub after: Vec<Place>,
    /// The work that it submits.
    pub submits: Option<Place>,
}

/// A schedule that no engine can execute.
fn wrong(message: String, place: Option<&Span>) -> Diagnostic {
    let problem = Diagnostic::error(ResultCode::INVALID_DATA_FORMAT, message);
    match place {
        Some(place) => problem.at(place.clone()),
        None => problem,
    }
}

fn signed(time: u64) -> i64 {
    i64::try_from(time).unwrap_or(i64::MAX)
}

impl Plan {
    /// The plan of a schedule.
    ///
    /// # Errors
    /// What keeps it from being executed.
    pub fn new(schedule: &Schedule) -> Result<Self, Diagnostics> {
        let mut reader = Reader {
            findings: Diagnostics::new(),
            runnables: FxHashMap::default(),
            names: Vec::new(),
        };
        let mut hyperepochs = Vec::new();
        let mut owners: FxHashMap<&str, &str> = FxHashMap::default();
        for plan in &schedule.hyperepochs {
            let hyperepoch = reader.hyperepoch(plan);
            let lanes = plan.cycles.iter().flat_map(|cycle| &cycle.lanes);
            for lane in lanes {
                let owner = *owners.entry(&lane.engine).or_insert(&plan.name);
                if owner != plan.name {
                    let message = format!(
                        "`{}` executes something in the hyperepochs `{owner}` and `{}`",
                        lane.engine, plan.name
                    );
                    reader.findings.push(wrong(message, plan.place.as_ref()));
                    break;
                }
            }
            hyperepochs.push(hyperepoch);
        }
        let steps = hyperepochs.iter().flat_map(|plan| &plan.cycles);
        if !reader.findings.has_errors() && steps.flat_map(|cycle| &cycle.lanes).all(Vec::is_empty)
        {
            reader.findings.push(wrong("the schedule executes nothing".to_owned(), None));
        }
        if reader.findings.has_errors() {
            return Err(reader.findings);
        }
        Ok(Self {
            graph: schedule.graph.clone(),
            identifier: schedule.identifier,
            fingerprint: schedule.fingerprint(),
            runnables: reader.names,
            hyperepochs,
        })
    }
}

struct Reader {
    findings: Diagnostics,
    runnables: FxHashMap<String, usize>,
    names: Vec<String>,
}

impl Reader {
    fn hyperepoch(&mut self, plan: &HyperepochPlan) -> Hyperepoch {
        let epochs = plan.epochs.iter().map(|epoch| Epoch {
            name: epoch.name.clone(),
            period: epoch.period.filter(|period| *period > 0).map(signed),
            frames: epoch.frames.max(1),
        });
        let mut resources = plan.resources.clone();
        resources.sort_unstable();
        let mut hyperepoch = Hyperepoch {
            name: plan.name.clone(),
            period: plan.period.filter(|period| *period > 0).map(signed),
            epochs: epochs.collect(),
            resources,
            lanes: Vec::new(),
            cycles: Vec::new(),
        };
        for lane in plan.cycles.iter().flat_map(|cycle| &cycle.lanes) {
            if !hyperepoch.lanes.contains(&lane.engine) {
                hyperepoch.lanes.push(lane.engine.clone());
            }
        }
        for cycle in &plan.cycles {
            let cycle = self.cycle(&hyperepoch, cycle);
            hyperepoch.cycles.extend(cycle);
        }
        hyperepoch
    }

    fn cycle(&mut self, hyperepoch: &Hyperepoch, plan: &CyclePlan) -> Option<Cycle> {
        let before = self.findings.errors();
        let mut lanes: Vec<&[Execution]> = vec![&[]; hyperepoch.lanes.len()];
        for lane in &plan.lanes {
            let index = hyperepoch.lanes.iter().position(|name| *name == lane.engine)?;
            if !lanes[index].is_empty() {
                let message = format!("`{}` has a second lane", lane.engine);
                self.findings.push(wrong(message, plan.place.as_ref()));
            }
            lanes[index] = &lane.executions;
        }
        let mut places: FxHashMap<String, Place> = FxHashMap::default();
        for (lane, executions) in lanes.iter().enumerate() {
            for (position, execution) in executions.iter().enumerate() {
                if places.insert(execution.id(), (lane, position)).is_some() {
                    let message = format!("`{}` is executed twice", execution.id());
                    self.findings.push(wrong(message, execution.place.as_ref()));
                }
            }
        }
        // The end of each execution's block.
        let ends: Vec<Vec<usize>> = lanes
            .iter()
            .map(|executions| {
                let mut ends = vec![0; executions.len()];
                for position in (0..executions.len()).rev() {
                    let next = executions.get(position + 1);
                    ends[position] = match next {
                        Some(next) if next.fused => ends[position + 1],
                        _ => position,
                    };
                }
                ends
            })
            .collect();
        let mut steps: Vec<Vec<Step>> = Vec::new();
        for executions in &lanes {
            let steps_of_lane = executions
                .iter()
                .filter_map(|execution| self.step(hyperepoch, execution, &places, &ends));
            steps.push(steps_of_lane.collect());
        }
        if self.findings.errors() > before {
            return None;
        }
        let mut cycle = Cycle { lanes: steps };
        let heads = |place: Place| {
            let executions = lanes[place.0];
            (0..=place.1).rev().find(|at| !executions[*at].fused).unwrap_or(0)
        };
        move_waits_to_heads(&mut cycle, heads);
        match order(hyperepoch, &cycle) {
            Ok(sorted) => {
                set_times(&mut cycle, &sorted);
                Some(cycle)
            }
            Err((lane, position)) => {
                let execution = &lanes[lane][position];
                let message = format!(
                    "the order never lets `{}` start: what it waits for waits for it",
                    execution.id()
                );
                self.findings.push(wrong(message, execution.place.as_ref()));
                None
            }
        }
    }

    fn step(
        &mut self,
        hyperepoch: &Hyperepoch,
        execution: &Execution,
        places: &FxHashMap<String, Place>,
        ends: &[Vec<usize>],
    ) -> Option<Step> {
        let at = execution.place.as_ref();
        let epoch = hyperepoch.epochs.iter().position(|epoch| epoch.name == execution.epoch);
        let Some(epoch) = epoch else {
            let message = format!(
                "`{}` belongs to the epoch `{}`, which `{}` does not have",
                execution.id(),
                execution.epoch,
                hyperepoch.name
            );
            self.findings.push(wrong(message, at));
            return None;
        };
        let frames = hyperepoch.epochs[epoch].frames;
        if execution.frame >= frames {
            let message = format!(
                "`{}` is in frame {}, and the epoch `{}` has {frames} in each cycle",
                execution.runnable, execution.frame, execution.epoch
            );
            self.findings.push(wrong(message, at));
            return None;
        }
        let mut find = |name: &String| {
            let place = places.get(name).copied();
            if place.is_none() {
                let message = format!("`{}` names `{name}`, which is not executed", execution.id());
                self.findings.push(wrong(message, at));
            }
            place
        };
        let after = execution.after.iter().filter_map(&mut find);
        let after = after.map(|(lane, position)| (lane, ends[lane][position])).collect();
        let submits = execution.submits.as_ref().and_then(&mut find);
        let frame_start = match hyperepoch.epochs[epoch].period {
            Some(period) => period.saturating_mul(i64::from(execution.frame)),
            None => 0,
        };
        let next = self.names.len();
        let runnable = *self.runnables.entry(execution.runnable.clone()).or_insert(next);
        if runnable == next {
            self.names.push(execution.runnable.clone());
        }
        Some(Step {
            runnable,
            epoch,
            frame: execution.frame,
            release: execution.release.map(|time| (signed(time) - frame_start).max(0)),
            time: 0,
            after,
            submits,
        })
    }
}

/// The first execution of a block waits for all that any of them waits for.
fn move_waits_to_heads(cycle: &mut Cycle, head_of: impl Fn(Place) -> usize) {
    for lane in 0..cycle.lanes.len() {
        for position in 0..cycle.lanes[lane].len() {
            let head = head_of((lane, position));
            let mut after = std::mem::take(&mut cycle.lanes[lane][position].after);
            // Of its own lane, those before it have ended anyway.
            after.retain(|(other, end)| *other != lane || *end >= head);
            cycle.lanes[lane][head].after.append(&mut after);
        }
        for step in &mut cycle.lanes[lane] {
            step.after.sort_unstable();
            // Of each other lane, the last one.
            step.after.reverse();
            step.after.dedup_by_key(|(lane, _)| *lane);
        }
    }
}

/// The executions in an order in which each comes after all that it waits for: those that it names,
/// those before it in its lane, and the frame before.
///
/// # Errors
/// One that waits for itself.
pub fn order(hyperepoch: &Hyperepoch, cycle: &Cycle) -> Result<Vec<Place>, Place> {
    let firsts: Vec<usize> = cycle
        .lanes
        .iter()
        .scan(0, |next, lane| {
            let first = *next;
            *next += lane.len();
            Some(first)
        })
        .collect();
    let places: Vec<Place> = cycle
        .lanes
        .iter()
        .enumerate()
        .flat_map(|(lane, steps)| (0..steps.len()).map(move |position| (lane, position)))
        .collect();
    let index = |(lane, position): Place| firsts[lane] + position;
    // Behind the executions, one node for the end of each frame.
    let frame_nodes: Vec<usize> = hyperepoch
        .epochs
        .iter()
        .scan(places.len(), |next, epoch| {
            let first = *next;
            *next += epoch.frames as usize;
            Some(first)
        })
        .collect();
    let frames: usize = hyperepoch.epochs.iter().map(|epoch| epoch.frames as usize).sum();
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); places.len() + frames];
    let mut open = vec![0_usize; next.len()];
    let mut link = |first: usize, second: usize| {
        next[first].push(second);
        open[second] += 1;
    };
    for (epoch, first) in hyperepoch.epochs.iter().zip(&frame_nodes) {
        (1..epoch.frames as usize).for_each(|frame| link(first + frame - 1, first + frame));
    }
    for &(lane, position) in &places {
        let step = &cycle.lanes[lane][position];
        let own = index((lane, position));
        if position > 0 {
            link(own - 1, own);
        }
        step.after.iter().for_each(|other| link(index(*other), own));
        if let Some(work) = step.submits {
            link(own, index(work));
        }
        let frame = frame_nodes[step.epoch] + step.frame as usize;
        link(own, frame);
        if step.frame > 0 {
            link(frame - 1, own);
        }
    }
    let mut ready: Vec<usize> = (0..next.len()).filter(|node| open[*node] == 0).collect();
    let mut sorted = Vec::with_capacity(places.len());
    while let Some(node) = ready.pop() {
        sorted.extend(places.get(node));
        for other in &next[node] {
            open[*other] -= 1;
            if open[*other] == 0 {
                ready.push(*other);
            }
        }
    }
    match places.iter().zip(&open).find(|(_, open)| **open > 0) {
        Some((place, _)) => Err(*place),
        None => Ok(sorted),
    }
}

/// Sets the time of each execution from its release and from what it follows in its frame.
fn set_times(cycle: &mut Cycle, sorted: &[Place]) {
    for &(lane, position) in sorted {
        let step = &cycle.lanes[lane][position];
        let frame = (step.epoch, step.frame);
        let before = position.checked_sub(1).map(|position| (lane, position));
        let times = step.after.iter().copied().chain(before).filter_map(|(lane, position)| {
            let other = &cycle.lanes[lane][position];
            ((other.epoch, other.frame) == frame).then_some(other.time)
        });
        let time = times.chain(step.release).max().unwrap_or(0);
        cycle.lanes[lane][position].time = time;
        if let Some((lane, position)) = cycle.lanes[lane][position].submits {
            let work = &mut cycle.lanes[lane][position];
            work.time = work.time.max(time);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gxf_app::Source;

    fn plan(lanes: &str) -> Result<Plan, String> {
        let text = format!(
            "Schedule: 1.0.0\nGraph: g\nIdentifier: 1\nHyperepochs:\n- h:\n    Period: 10ms\n    \
             Resources: [CPU0, CPU1]\n    Epochs:\n    - e: {{Period: 5ms, Frames: 2}}\n    Cycles:\n    - Makespan: 1ms\n      \
             Lanes: {lanes}\n"
        );
        let schedule = crate::schedule::read_schedule(&Source::new("s", text))
            .map_err(|findings| findings.render(false))?;
        Plan::new(&schedule).map_err(|findings| findings.render(false))
    }

    fn step(name: &str, more: &str) -> String {
        format!("{{Runnable: c.{name}, Epoch: e, Frame: 0, Start: 0ns, End: 1ms{more}}}")
    }

    #[test]
    fn blocks_wait_and_are_waited_for_as_a_whole() {
        let lanes = format!(
            "[{{CPU0: [{}, {}]}}, {{CPU1: [{}, {}, {}]}}]",
            step("a", ", Release: 1ms"),
            step("b", ", Fused: true, After: [c.d@0]"),
            step("d", ""),
            step("f", ", After: [c.a@0]"),
            step("g", ", Fused: true"),
        );
        let plan = plan(&lanes).unwrap();
        let lanes = &plan.hyperepochs[0].cycles[0].lanes;
        assert_eq!(plan.runnables, ["c.a", "c.b", "c.d", "c.f", "c.g"]);
        assert_eq!((&lanes[0][0].after, &lanes[0][1].after), (&vec![(1, 0)], &vec![]));
        assert_eq!(lanes[1][1].after, [(0, 1)]);
        let times: Vec<i64> = lanes.iter().flatten().map(|step| step.time).collect();
        assert_eq!(times, [1_000_000, 1_000_000, 0, 1_000_000, 1_000_000]);
    }

    #[test]
    fn an_order_with_a_circle_and_names_of_nothing_are_refused() {
        let lanes = format!(
            "[{{CPU0: [{}, {}]}}, {{CPU1: [{}, {}]}}]",
            step("a", ", After: [c.d@0]"),
            step("b", ""),
            step("c", ", After: [c.b@0]"),
            step("d", ""),
        );
        let text = plan(&lanes).err().unwrap();
        assert!(text.contains("the order never lets `c.a@0` start"), "{text}");
        let text = plan(&format!("[{{CPU0: [{}]}}]", step("a", ", After: [c.x@0]"))).err().unwrap();
        assert!(text.contains("`c.a@0` names `c.x@0`, which is not executed"), "{text}");
        let text = plan("[]").err().unwrap();
        assert!(text.contains("the schedule executes nothing"), "{text}");
        let late = step("a", "").replace("Frame: 0", "Frame: 2");
        let text = plan(&format!("[{{CPU0: [{late}]}}]")).err().unwrap();
        assert!(text.contains("is in frame 2, and the epoch `e` has 2 in each cycle"), "{text}");
    }
}
