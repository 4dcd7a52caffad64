//! Proof that a schedule keeps every constraint of its graph.
//!
//! The schedule's own words are believed in nothing: what has to be executed follows from the
//! graph.
//!
//! - this file: executions and instances meet; `times.rs`: the plan, if every execution takes its
//!   worst case; `order.rs`: the order alone, however long executions take; `bound.rs`: what the
//!   schedule claims about its length.

mod bound;
mod order;
mod times;

use crate::deduce::{NEVER, Problem};
use crate::expand::{Cycle, Instance, cycle_count};
use crate::graph::Graph;
use crate::read::{error, warning};
use crate::schedule::{CyclePlan, EpochPlan, Execution, Refutation, Schedule};
use gxf_app::{Diagnostic, Diagnostics, Span};
use rustc_hash::FxHashMap;

/// What is proven about a schedule that keeps every constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proven {
    /// Executions in all cycles.
    pub executions: usize,
    /// Cycles of all hyperepochs.
    pub cycles: usize,
    /// Cycles whose lower bound is proven.
    pub bounds: usize,
    /// Cycles that are proven to be as short as possible.
    pub optimal: usize,
}

/// Checks a schedule against its graph.
///
/// # Errors
/// Every constraint that it breaks, with warnings about deadlines.
pub fn check(graph: &Graph, schedule: &Schedule) -> Result<(Proven, Diagnostics), Diagnostics> {
    let mut checker = Checker { graph, findings: Diagnostics::new(), proven: Proven::default() };
    checker.schedule(schedule);
    if checker.findings.has_errors() {
        return Err(checker.findings);
    }
    Ok((checker.proven, checker.findings))
}

/// Checks the proof that a cycle of a graph has no schedule.
///
/// # Errors
/// It is of another graph, or wrong.
pub fn check_refutation(graph: &Graph, refutation: &Refutation) -> Result<(), Diagnostics> {
    let mut hyperepochs = graph.hyperepochs.iter();
    let index = hyperepochs.position(|one| one.name == refutation.hyperepoch);
    let is_of_graph = (refutation.graph.as_str(), refutation.identifier)
        == (graph.name.as_str(), graph.identifier);
    let known = index.filter(|index| is_of_graph && refutation.cycle < cycle_count(graph, *index));
    let Some(index) = known else {
        let message = format!(
            "this refutes cycle {} of `{}` in the graph `{}` with identifier {}, which is not there",
            refutation.cycle, refutation.hyperepoch, refutation.graph, refutation.identifier
        );
        return Err(error("other-graph", message).into());
    };
    let instances = Cycle::new(graph, index, refutation.cycle).instances;
    let mut problem = Problem::new(graph, &instances, false);
    if refutation.one_active {
        problem.one_at_a_time();
    }
    refutation.proof.verify(&problem, NEVER).map_err(|why| {
        error("bound", format!("the proof that there is no schedule is wrong: {why}")).into()
    })
}

struct Checker<'a> {
    graph: &'a Graph,
    findings: Diagnostics,
    proven: Proven,
}

/// An execution that was found to be an instance of the graph.
struct Placed<'a> {
    execution: &'a Execution,
    lane: usize,
    /// Position in its lane.
    position: usize,
    /// The engine and everything else that it holds.
    resources: Vec<usize>,
}

/// The parts of one cycle.
struct Part<'a> {
    plan: &'a CyclePlan,
    one_active: bool,
    instances: Vec<Instance>,
    /// The execution of each instance.
    placed: Vec<Placed<'a>>,
    /// Instances of each lane, in order.
    lanes: Vec<Vec<usize>>,
    /// Instances that each execution names to wait for.
    after: Vec<Vec<usize>>,
    /// By instance: if it is work, its submitter and the stream of the submitter that it goes
    /// through; none where that is not known.
    submitted: Vec<Option<(usize, Option<usize>)>>,
    /// What has to end before what: instances, each pair with its reason.
    orders: Vec<(usize, usize, Why)>,
}

/// Why one execution ends before another one starts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    /// The graph says so.
    Depends,
    /// The work that it submits depends on it.
    WorkDepends,
    /// Both hold this resource.
    Share(usize),
    /// One runnable is active at a time.
    OneActive,
}

impl Part<'_> {
    fn find_orders(&self, graph: &Graph) -> Vec<(usize, usize, Why)> {
        let mut orders = Vec::new();
        for (index, instance) in self.instances.iter().enumerate() {
            let before_work = &graph.runnables[instance.runnable].before_work;
            orders.extend(instance.predecessors.iter().map(|predecessor| {
                let is_for_work = before_work.contains(&self.instances[*predecessor].runnable);
                let why = if is_for_work { Why::WorkDepends } else { Why::Depends };
                (*predecessor, index, why)
            }));
        }
        let key =
            |index: &usize| (self.placed[*index].execution.start, self.placed[*index].position);
        for (resource, mut members) in self.members(graph.resources.len()).into_iter().enumerate() {
            members.sort_by_key(key);
            let pairs = members.windows(2);
            orders.extend(pairs.map(|pair| (pair[0], pair[1], Why::Share(resource))));
        }
        // Lanes say the order of work, too, which may be another one than that of its times.
        for lane in &self.lanes {
            for pair in lane.windows(2).filter(|pair| key(&pair[0]) > key(&pair[1])) {
                let engine = self.placed[pair[0]].resources[0];
                orders.push((pair[0], pair[1], Why::Share(engine)));
            }
        }
        if self.one_active {
            let mut all: Vec<usize> = (0..self.placed.len()).collect();
            all.sort_by_key(key);
            orders.extend(all.windows(2).map(|pair| (pair[0], pair[1], Why::OneActive)));
        }
        orders
    }

    /// Instances that hold each resource.
    fn members(&self, resources: usize) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); resources];
        for (index, placed) in self.placed.iter().enumerate() {
            placed.resources.iter().for_each(|resource| members[*resource].push(index));
        }
        members
    }

    /// If one instance ends before another one starts: the pair of which that has to hold, too,
    /// because nobody can hold work back that is submitted. A stream executes work in the order of its
    /// submission; otherwise, all that work has to follow ends before its submitter starts.
    fn held_back(&self, first: usize, second: usize) -> Option<(usize, usize)> {
        let (submitter, stream) = self.submitted[second]?;
        if submitter == first {
            return None;
        }
        match self.submitted[first] {
            Some((other, theirs)) if theirs.is_some() && theirs == stream => {
                Some((other, submitter))
            }
            _ => Some((first, submitter)),
        }
    }
}

impl Checker<'_> {
    fn push(&mut self, problem: Diagnostic, place: Option<&Span>) {
        self.findings.push(match place {
            Some(place) => problem.at(place.clone()),
            None => problem,
        });
    }

    fn schedule(&mut self, schedule: &Schedule) {
        let graph = self.graph;
        if (schedule.graph.as_str(), schedule.identifier) != (graph.name.as_str(), graph.identifier)
        {
            let message = format!(
                "this is a schedule of the graph `{}` with identifier {}, not of `{}` with {}",
                schedule.graph, schedule.identifier, graph.name, graph.identifier
            );
            self.push(error("other-graph", message), None);
            return;
        }
        let names: Vec<_> = schedule.hyperepochs.iter().map(|plan| plan.name.as_str()).collect();
        let wanted: Vec<_> = graph.hyperepochs.iter().map(|one| one.name.as_str()).collect();
        if names != wanted {
            let message = format!(
                "the schedule plans the hyperepochs {}, and the graph has {}",
                list(&names),
                list(&wanted)
            );
            let differs = names.iter().zip(&wanted).position(|(one, other)| one != other);
            let shorter = names.len().min(wanted.len());
            let other = schedule.hyperepochs.get(differs.unwrap_or(shorter));
            let place = other.or(schedule.hyperepochs.last()).and_then(|plan| plan.place.as_ref());
            self.push(error("other-graph", message), place);
            return;
        }
        for (index, plan) in schedule.hyperepochs.iter().enumerate() {
            let hyperepoch = &graph.hyperepochs[index];
            if plan.period != hyperepoch.period {
                let message = format!("the period of `{}` is another one in the graph", plan.name);
                self.push(error("other-graph", message), plan.place.as_ref());
            }
            let wanted = hyperepoch.resources.iter().map(|one| graph.resource_name(*one));
            let mut wanted: Vec<String> = wanted.collect();
            wanted.sort_unstable();
            let mut planned = plan.resources.clone();
            planned.sort_unstable();
            if planned != wanted {
                let message = format!(
                    "the schedule gives `{}` the resources {}, and the graph {}",
                    plan.name,
                    list(&planned),
                    list(&wanted)
                );
                self.push(error("other-graph", message), plan.place.as_ref());
            }
            let epochs = hyperepoch.epochs.iter().map(|epoch| &graph.epochs[*epoch]);
            let epochs = epochs.map(|epoch| EpochPlan {
                name: epoch.name.clone(),
                period: epoch.period,
                frames: epoch.frames,
            });
            if !epochs.eq(plan.epochs.iter().cloned()) {
                let message = format!("the graph gives `{}` other epochs", plan.name);
                self.push(error("other-graph", message), plan.place.as_ref());
            }
            let count = cycle_count(graph, index);
            if plan.cycles.len() as u64 != count {
                let message = format!(
                    "`{}` repeats after {count} cycles, and the schedule plans {}",
                    plan.name,
                    plan.cycles.len()
                );
                self.push(error("executions", message), plan.place.as_ref());
                continue;
            }
            for (number, cycle) in (0..).zip(&plan.cycles) {
                let instances = Cycle::new(graph, index, number).instances;
                self.cycle(cycle, instances, schedule.one_active);
            }
        }
    }

    fn cycle(&mut self, plan: &CyclePlan, instances: Vec<Instance>, one_active: bool) {
        let before = self.findings.errors();
        let Some(part) = self.place(plan, instances, one_active) else { return };
        self.times(&part);
        self.order(&part);
        if self.findings.errors() == before {
            self.bound(&part);
            self.proven.executions += part.instances.len();
            self.proven.cycles += 1;
        }
    }

    /// Finds the instance of each execution, and the resources that it names.
    fn place<'a>(
        &mut self,
        plan: &'a CyclePlan,
        instances: Vec<Instance>,
        one_active: bool,
    ) -> Option<Part<'a>> {
        let graph = self.graph;
        let before = self.findings.errors();
        let mut wanted: FxHashMap<String, usize> = FxHashMap::default();
        for (index, instance) in instances.iter().enumerate() {
            let name = graph.runnable_name(instance.runnable);
            wanted.insert(format!("{name}@{}", instance.frame), index);
        }
        let names = (0..graph.resources.len()).map(|index| (graph.resource_name(index), index));
        let resources: FxHashMap<String, usize> = names.collect();
        let mut placed: Vec<Option<Placed<'a>>> = instances.iter().map(|_| None).collect();
        let mut lanes = Vec::new();
        let mut engines = Vec::new();
        for entry in &plan.lanes {
            let first = entry.executions.first().and_then(|first| first.place.as_ref());
            let place = first.or(plan.place.as_ref());
            let Some(engine) = resources.get(&entry.engine).copied() else {
                let message = format!("the graph has no engine `{}`", entry.engine);
                self.push(error("resources", message), place);
                continue;
            };
            if engines.contains(&engine) {
                let message = format!("`{}` has a second lane", entry.engine);
                self.push(error("resources", message), place);
                continue;
            }
            engines.push(engine);
            let mut members = Vec::new();
            for (position, execution) in entry.executions.iter().enumerate() {
                let id = execution.id();
                let at = execution.place.as_ref();
                let Some(index) = wanted.get(&id).copied() else {
                    let message = format!("`{id}` is not executed in this cycle of the graph");
                    self.push(error("executions", message), at);
                    continue;
                };
                if placed[index].is_some() {
                    self.push(error("executions", format!("`{id}` is executed twice")), at);
                    continue;
                }
                let mut held = vec![engine];
                for name in &execution.holds {
                    match resources.get(name) {
                        Some(resource) => held.push(*resource),
                        None => {
                            let message = format!("the graph has no resource `{name}`");
                            self.push(error("resources", message), at);
                        }
                    }
                }
                self.words(&instances[index], execution, at);
                self.needs(&instances[index], &held, &id, at);
                members.push(index);
                placed[index] =
                    Some(Placed { execution, lane: lanes.len(), position, resources: held });
            }
            lanes.push(members);
        }
        for (index, missing) in placed.iter().enumerate() {
            if missing.is_none() {
                let instance = &instances[index];
                let name = graph.runnable_name(instance.runnable);
                let message = format!("`{name}@{}` is not executed", instance.frame);
                self.push(error("executions", message), plan.place.as_ref());
            }
        }
        if self.findings.errors() > before {
            return None;
        }
        let placed: Vec<Placed<'a>> = placed.into_iter().flatten().collect();
        let mut after = Vec::with_capacity(placed.len());
        for Placed { execution, .. } in &placed {
            let mut named = Vec::with_capacity(execution.after.len());
            for name in &execution.after {
                let Some(other) = wanted.get(name) else {
                    let message =
                        format!("`{}` waits for `{name}`, which is not executed", execution.id());
                    self.push(error("order", message), execution.place.as_ref());
                    continue;
                };
                named.push(*other);
            }
            after.push(named);
        }
        let submitted = self.submitted(&instances, &placed);
        let orders = Vec::new();
        let mut part =
            Part { plan, one_active, instances, placed, lanes, after, submitted, orders };
        part.orders = part.find_orders(graph);
        (self.findings.errors() == before).then_some(part)
    }

    fn submitted(
        &self,
        instances: &[Instance],
        placed: &[Placed<'_>],
    ) -> Vec<Option<(usize, Option<usize>)>> {
        let graph = self.graph;
        let mut index_of: FxHashMap<(usize, u32), usize> = FxHashMap::default();
        for (index, instance) in instances.iter().enumerate() {
            index_of.insert((instance.runnable, instance.frame), index);
        }
        let submitted = |instance: &Instance| {
            let submitter = graph.runnables[instance.runnable].submitter?;
            let submitter = *index_of.get(&(submitter, instance.frame))?;
            let held = placed[submitter].resources.iter().copied();
            let mut streams = held.filter(|resource| graph.resources[*resource].leads_to.is_some());
            // Of several streams, nobody knows which one the work goes through.
            let stream = streams.next().filter(|_| streams.next().is_none());
            Some((submitter, stream))
        };
        instances.iter().map(submitted).collect()
    }

    /// What an execution repeats of the graph, for those who have only the schedule.
    fn words(&mut self, instance: &Instance, execution: &Execution, at: Option<&Span>) {
        let graph = self.graph;
        let runnable = &graph.runnables[instance.runnable];
        let (epoch, id) = (&graph.epochs[runnable.epoch].name, execution.id());
        if *epoch != execution.epoch {
            let message = format!("`{id}` belongs to the epoch `{epoch}`");
            self.push(error("executions", message), at);
        }
        let work = runnable.submits.map(|work| graph.runnable_name(work));
        let work = work.map(|work| format!("{work}@{}", instance.frame));
        if work != execution.submits {
            let message = match work {
                Some(work) => format!("`{id}` submits `{work}`"),
                None => format!("`{id}` submits nothing"),
            };
            self.push(error("executions", message), at);
        }
    }

    /// Whether an execution holds exactly what its runnable asks for.
    fn needs(&mut self, instance: &Instance, held: &[usize], id: &str, at: Option<&Span>) {
        let graph = self.graph;
        let needs = &graph.runnables[instance.runnable].needs;
        let mut free = held.to_vec();
        for need in needs {
            // Sets of candidates of one runnable do not overlap.
            match free.iter().position(|resource| need.candidates.contains(resource)) {
                Some(at) => _ = free.swap_remove(at),
                None => {
                    let message = format!("`{id}` asks for `{}` and does not get it", need.text);
                    self.push(error("resources", message), at);
                }
            }
        }
        if let Some(more) = free.first() {
            let name = graph.resource_name(*more);
            self.push(error("resources", format!("`{id}` does not ask for `{name}`")), at);
        }
        if held.first().is_none_or(|engine| graph.engine(*engine).is_none()) {
            self.push(error("resources", format!("`{id}` does not run on an engine")), at);
        }
    }
}

impl Checker<'_> {
    fn reason(&self, why: Why) -> String {
        match why {
            Why::Depends => "it depends on it".to_owned(),
            Why::WorkDepends => "its work depends on it".to_owned(),
            Why::Share(resource) => format!("both hold `{}`", self.graph.resource_name(resource)),
            Why::OneActive => "one runnable is active at a time".to_owned(),
        }
    }
}

/// Names in backticks.
fn list<Name: AsRef<str>>(names: impl IntoIterator<Item = Name>) -> String {
    let names = names.into_iter().map(|name| format!("`{}`", name.as_ref()));
    names.collect::<Vec<_>>().join(", ")
}

/// A warning, which does not fail a check.
fn remark(rule: &'static str, message: String) -> Diagnostic {
    warning(rule, message)
}
