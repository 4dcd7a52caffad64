//! Random graphs: what is compiled passes the independent checker, and on small graphs, verdicts
//! and lengths are those of an exhaustive search. `STM_GRAPHS` says how many.

use gxf_app::{Diagnostics, Source};
use gxf_stm::expand::{Cycle, Instance, cycle_count};
use gxf_stm::graph::Runnable;
use gxf_stm::plan::{self, Plan};
use gxf_stm::program::{Program, flag, lower};
use gxf_stm::schedule::{CyclePlan, Document, Execution};
use gxf_stm::{Graph, GraphFiles, read_graph};
use gxf_stm_compile::{Options, compile};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Most executions of a cycle for the exhaustive search.
const SMALL: usize = 7;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn is_one_of(&mut self, limit: u64) -> bool {
        self.below(limit) == 0
    }
}

/// The text of a graph that keeps every rule but perhaps that of loads.
fn random_text(random: &mut Random) -> String {
    let cpus = 1 + random.below(3);
    let names: Vec<String> = (0..cpus).map(|cpu| format!("CPU{cpu}")).collect();
    let mut text = format!(
        "Version: 2.0.0\nrandom:\n  Resources: {{CPU: [{}], GPU: [GPU0, GPU1], LOCK: [LOCK0, LOCK1]}}\n",
        names.join(", ")
    );
    let epochs = 1 + random.below(2);
    let mut entries = Vec::new();
    let period = 12 + random.below(40);
    for epoch in 0..epochs {
        let frames = 1 + random.below(3);
        let turns = match random.below(3) {
            0 => format!(", AliasGroups: [turns: {{Steps: [c.e{epoch}r0, ~]}}]"),
            _ => String::new(),
        };
        let step = match random.below(3) {
            0 => String::new(),
            _ => format!("Period: {}us, ", period / frames),
        };
        entries.push(format!("e{epoch}: {{{step}Frames: {frames}{turns}}}"));
    }
    let has_period = epochs > 1 || !random.is_one_of(3);
    let period_text = if has_period { format!("Period: {period}us, ") } else { String::new() };
    let _ = write!(
        text,
        "  Hyperepochs: [h: {{{period_text}Epochs: [{}]}}]\n  Clients:\n  - c:\n      Resources: \
         {{CUDA_STREAM: [s0: GPU0, s1: GPU1], OWN: [OWN0]}}\n      Epochs:\n",
        entries.join(", ")
    );
    for epoch in 0..epochs {
        let _ = write!(text, "      - h.e{epoch}:\n          Runnables:\n");
        let most = if random.is_one_of(6) { 12 } else { 4 };
        let count = 1 + random.below(most);
        let has_period_of_epoch = entries[epoch as usize].contains("Period");
        let mut works = Vec::new();
        for index in 0..count {
            let mut needs = vec![match random.below(3) {
                0 => format!("CPU{}", random.below(cpus)),
                _ => "CPU".to_owned(),
            }];
            if random.is_one_of(4) {
                needs.push(["LOCK", "LOCK0", "OWN"][random.below(3) as usize].to_owned());
            }
            let submits = index > 0 && random.is_one_of(4);
            let mut more = String::new();
            if submits {
                needs.push(["CUDA_STREAM", "s0", "s1"][random.below(3) as usize].to_owned());
                let _ = write!(more, ", Submits: c.e{epoch}w{index}");
            }
            if index > 0 && random.is_one_of(2) {
                let _ = write!(more, ", Dependencies: [c.e{epoch}r{}]", random.below(index));
            }
            if has_period_of_epoch && random.is_one_of(4) {
                let _ = write!(more, ", StartTime: {}us", random.below(6));
            }
            if random.is_one_of(5) {
                let _ = write!(more, ", Deadline: {}us", 2 + random.below(20));
            }
            if random.is_one_of(4) {
                let _ = write!(more, ", Priority: {}", 1 + random.below(10));
            }
            let _ = writeln!(
                text,
                "          - e{epoch}r{index}: {{WCET: {}us, Resources: [{}]{more}}}",
                1 + random.below(9),
                needs.join(", ")
            );
            if submits {
                let lock = ["", "", ", LOCK", ", LOCK0"][random.below(4) as usize];
                let mut more = String::new();
                if random.is_one_of(3) {
                    // Of what precedes the submitter in the file, nothing follows it.
                    let _ = write!(more, ", Dependencies: [c.e{epoch}r{}]", random.below(index));
                } else if let Some(before) = works.last().filter(|_| random.is_one_of(2)) {
                    let _ = write!(more, ", Dependencies: [c.e{epoch}w{before}]");
                }
                if has_period_of_epoch && random.is_one_of(6) {
                    let _ = write!(more, ", StartTime: {}us", random.below(6));
                }
                works.push(index);
                let _ = writeln!(
                    text,
                    "          - e{epoch}w{index}: {{WCET: {}us, Resources: [GPU{lock}]{more}}}",
                    1 + random.below(9)
                );
            }
        }
    }
    text
}

/// How far a plan of a cycle is behind its deadlines, and its makespan.
type Length = (u64, u64);

/// The best of a cycle, and the shortest whatever its deadlines, by every order and every choice of
/// resources; `None` if no order keeps the ends of the frames.
///
/// Work goes with its submitter: what it follows ends before the submitter starts, or went through the
/// same stream.
fn exhaustive(graph: &Graph, instances: &[Instance], one_active: bool) -> Option<(Length, u64)> {
    struct Walk<'a> {
        graph: &'a Graph,
        instances: &'a [Instance],
        one_active: bool,
        /// By instance: its submitter, its work.
        submitter: Vec<Option<usize>>,
        work: Vec<Option<usize>>,
        ends: Vec<Option<u64>>,
        /// The streams of work.
        streams: Vec<Option<usize>>,
        /// By resource: when it is free, and the stream of the work that held it last.
        free: Vec<(u64, Option<usize>)>,
        /// Of the executions so far.
        length: Length,
        best: Option<Length>,
        shortest: Option<u64>,
    }
    impl Walk<'_> {
        fn next(&mut self) {
            if self.ends.iter().all(Option::is_some) {
                let (length, end) = (self.length, self.length.1);
                self.best = Some(self.best.map_or(length, |best| best.min(length)));
                self.shortest = Some(self.shortest.map_or(end, |shortest| shortest.min(end)));
                return;
            }
            for at in 0..self.instances.len() {
                if self.ends[at].is_none() && self.submitter[at].is_none() {
                    self.choose(at, Vec::new());
                }
            }
        }

        fn choose(&mut self, at: usize, taken: Vec<usize>) {
            let own = &self.graph.runnables[self.instances[at].runnable].needs;
            let work = self.work[at].map(|work| self.instances[work].runnable);
            let of_work = work.map_or(&[][..], |work| &self.graph.runnables[work].needs);
            let Some(need) = own.iter().chain(of_work).nth(taken.len()) else {
                self.place(at, &taken[..own.len()], &taken[own.len()..]);
                return;
            };
            for candidate in need.candidates.clone() {
                let mut streams =
                    taken.iter().filter_map(|one| self.graph.resources[*one].leads_to);
                if taken.len() == own.len() && streams.any(|engine| engine != candidate) {
                    continue;
                }
                let mut more = taken.clone();
                more.push(candidate);
                self.choose(at, more);
            }
        }

        /// Places an execution, and the work that it submits, behind all that is placed.
        fn place(&mut self, at: usize, taken: &[usize], of_work: &[usize]) {
            let everything = self.one_active.then_some(self.free.len() - 1);
            let leads = |one: &&usize| self.graph.resources[**one].leads_to.is_some();
            let stream = taken.iter().find(leads).copied();
            let held: Vec<usize> = taken.iter().copied().chain(everything).collect();
            let held_by_work: Vec<usize> = of_work.iter().copied().chain(everything).collect();
            let mut start = self.instances[at].release;
            let mut ready = Vec::new();
            for before in &self.instances[at].predecessors {
                let Some(end) = self.ends[*before] else { return };
                start = start.max(end);
            }
            if let Some(work) = self.work[at] {
                ready.push(self.instances[work].release);
                for before in self.instances[work].predecessors.iter().filter(|one| **one != at) {
                    let Some(end) = self.ends[*before] else { return };
                    match stream.is_some() && self.streams[*before] == stream {
                        true => ready.push(end),
                        false => start = start.max(end),
                    }
                }
                for resource in &held_by_work {
                    let (free, last) = self.free[*resource];
                    match stream.is_some() && last == stream {
                        true => ready.push(free),
                        false => start = start.max(free),
                    }
                }
            }
            let start = held.iter().map(|resource| self.free[*resource].0).fold(start, u64::max);
            let mut placed = vec![(at, start, held, None)];
            if let Some(work) = self.work[at] {
                let wcet = self.graph.runnables[self.instances[at].runnable].wcet;
                let start = ready.into_iter().fold(start + wcet, u64::max);
                placed.push((work, start, held_by_work, stream));
            }
            let (length, free) = (self.length, self.free.clone());
            let mut is_late = false;
            for (one, start, held, stream) in &placed {
                let instance = &self.instances[*one];
                let end = start + self.graph.runnables[instance.runnable].wcet;
                is_late |= instance.latest_end.is_some_and(|latest| end > latest);
                let behind = end.saturating_sub(instance.deadline.unwrap_or(end));
                self.length = (self.length.0.max(behind), self.length.1.max(end));
                held.iter().for_each(|resource| self.free[*resource] = (end, *stream));
                (self.ends[*one], self.streams[*one]) = (Some(end), *stream);
            }
            let is_worse = self.best.is_some_and(|best| self.length >= best)
                && self.shortest.is_some_and(|shortest| self.length.1 >= shortest);
            if !is_late && !is_worse {
                self.next();
            }
            placed.iter().for_each(|(one, ..)| self.ends[*one] = None);
            (self.length, self.free) = (length, free);
        }
    }
    let of = |runnable: Option<usize>, frame: u32| {
        let is_it = |other: &Instance| Some(other.runnable) == runnable && other.frame == frame;
        instances.iter().position(is_it)
    };
    let pair = |instance: &Instance| {
        let runnable = &graph.runnables[instance.runnable];
        (of(runnable.submitter, instance.frame), of(runnable.submits, instance.frame))
    };
    let (submitter, work) = instances.iter().map(pair).unzip();
    let mut walk = Walk {
        graph,
        instances,
        one_active,
        submitter,
        work,
        ends: vec![None; instances.len()],
        streams: vec![None; instances.len()],
        free: vec![(0, None); graph.resources.len() + 1],
        length: (0, 0),
        best: None,
        shortest: None,
    };
    walk.next();
    walk.best.zip(walk.shortest)
}

/// How far a plan is behind the deadlines of its graph, and its makespan.
fn length(plan: &CyclePlan, graph: &Graph, instances: &[Instance]) -> Length {
    let mut behind = 0;
    for execution in plan.lanes.iter().flat_map(|lane| &lane.executions) {
        let is_it = |one: &&Instance| {
            one.frame == execution.frame && graph.runnable_name(one.runnable) == execution.runnable
        };
        let deadline = instances.iter().find(is_it).and_then(|one| one.deadline);
        behind = behind.max(execution.end.saturating_sub(deadline.unwrap_or(execution.end)));
    }
    (behind, plan.makespan)
}

/// Executes a plan as engines do: lanes of CPUs in order, work as soon as its submitter and the work
/// before it in its stream have ended, each for a random part of its WCET. Nothing starts later than
/// planned, nor before what the graph puts before it.
fn execute(plan: &CyclePlan, graph: &Graph, instances: &[Instance], random: &mut Random) {
    let mut executions: Vec<(usize, &Execution)> = (0..)
        .zip(&plan.lanes)
        .flat_map(|(lane, own)| own.executions.iter().map(move |execution| (lane, execution)))
        .collect();
    executions.sort_by_key(|(_, execution)| execution.start);
    let instance_of = |execution: &Execution| {
        instances.iter().position(|one| {
            one.frame == execution.frame && graph.runnable_name(one.runnable) == execution.runnable
        })
    };
    let mut times: HashMap<String, (u64, u64)> = HashMap::new();
    let mut submitted: HashMap<String, (u64, Option<String>)> = HashMap::new();
    let (mut lanes, mut streams) = (HashMap::new(), HashMap::new());
    let mut resources: HashMap<String, u64> = HashMap::new();
    for (lane, execution) in &executions {
        let (id, index) = (execution.id(), instance_of(execution).expect("an instance"));
        let work = submitted.get(&id).cloned();
        let start = match &work {
            Some((submitted, stream)) => {
                let before = stream.as_ref().and_then(|stream| streams.get(stream));
                before.copied().unwrap_or(0).max(*submitted)
            }
            None => {
                let before = execution.after.iter().map(|other| times[other].1);
                let before = before.chain(lanes.get(lane).copied());
                before.fold(execution.release.unwrap_or(0), u64::max)
            }
        };
        let end = start + random.below(execution.end - execution.start + 1);
        assert!(start <= execution.start, "{id} starts at {start}, planned at {}", execution.start);
        for predecessor in &instances[index].predecessors {
            let other = &instances[*predecessor];
            let name = format!("{}@{}", graph.runnable_name(other.runnable), other.frame);
            assert!(times[&name].1 <= start, "{id} starts before {name} ends");
        }
        for resource in execution.holds.iter().chain([&plan.lanes[*lane].engine]) {
            let free = resources.insert(resource.clone(), end).unwrap_or(0);
            assert!(free <= start, "{id} starts before {resource} is free");
        }
        match work {
            Some((_, Some(stream))) => _ = streams.insert(stream, end),
            Some(_) => {}
            None => _ = lanes.insert(*lane, end),
        }
        if let Some(work) = &execution.submits {
            let stream = execution.holds.iter().find(|name| name.starts_with("c.s")).cloned();
            submitted.insert(work.clone(), (end, stream));
        }
        times.insert(id, (start, end));
    }
}

fn read(text: &str) -> Result<Graph, Diagnostics> {
    let graph = Source::new("random.yaml", text);
    let files = GraphFiles { graph, fragments: Vec::new(), wcets: Vec::new() };
    read_graph(&files, &mut Diagnostics::new())
}

/// When the counted lanes have left a frame, every lane has: the last execution of each comes before that of
/// a counted one.
fn frames_end_with_those_that_are_counted(plan: &plan::Hyperepoch, program: &Program) {
    for (planned, cycle) in plan.cycles.iter().zip(&program.cycles) {
        let slots = cycle.lanes.iter().enumerate().flat_map(|(lane, slots)| {
            slots.iter().enumerate().map(move |(position, slot)| ((lane, position), slot))
        });
        let with = |frame: (usize, u32), flag: u32| {
            let of_frame = slots.clone().filter(move |(_, slot)| {
                (slot.epoch as usize, slot.frame) == frame && slot.flags & flag != 0
            });
            of_frame.map(|(place, _)| place).collect::<Vec<_>>()
        };
        for (epoch, parts) in cycle.parts.iter().enumerate() {
            for (frame, parts) in (0..).zip(parts) {
                let frame = (epoch, frame);
                let counted = with(frame, flag::COUNTED);
                let steps = planned.lanes.iter().flatten();
                let works = steps.filter(|step| {
                    let is_work = program.works.iter().any(|work| work.runnable == step.runnable);
                    is_work && (step.epoch, step.frame) == frame
                });
                assert_eq!(parts.counted as usize, counted.len() + works.count());
                assert_eq!(
                    with(frame, flag::ALONE).len(),
                    usize::from(parts.counted == 1 && !counted.is_empty())
                );
                let mut ended = HashSet::new();
                let mut open = counted;
                while let Some((lane, position)) = open.pop() {
                    if program.has_worker[lane] && ended.insert((lane, position)) {
                        open.extend(position.checked_sub(1).map(|before| (lane, before)));
                        open.extend(&planned.lanes[lane][position].after);
                    }
                }
                let lasts = with(frame, flag::LEAVES);
                assert!(lasts.iter().all(|last| ended.contains(last)), "{lasts:?}");
            }
        }
    }
}

#[test]
fn schedules_of_random_graphs_are_right_and_verdicts_true() {
    let count = std::env::var("STM_GRAPHS").ok().and_then(|text| text.parse().ok()).unwrap_or(250);
    let seed = std::env::var("STM_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(2026);
    let mut random = Random(seed);
    let (mut scheduled, mut impossible, mut exact, mut overcommitted) = (0, 0, 0, 0);
    let mut open = 0;
    for number in 0..count {
        let text = random_text(&mut random);
        let one_active = random.is_one_of(8);
        let options = Options {
            time_limit: Duration::from_secs(10),
            jobs: 1 + random.below(2) as usize,
            seed: number,
            fuse_below: Some(1_000 * random.below(8)),
            one_active,
            ..Options::default()
        };
        let graph = match read(&text) {
            Ok(graph) => graph,
            Err(findings) => {
                let shown = findings.render(false);
                assert!(shown.contains("overcommitted"), "{number}:\n{text}\n{shown}");
                overcommitted += 1;
                continue;
            }
        };
        let cycles = cycle_count(&graph, 0);
        let cycle = |number| Cycle::new(&graph, 0, number).instances;
        let is_small = (0..cycles).all(|number| cycle(number).len() <= SMALL);
        let best: Vec<Option<(Length, u64)>> = match is_small {
            true => {
                (0..cycles).map(|number| exhaustive(&graph, &cycle(number), one_active)).collect()
            }
            false => Vec::new(),
        };
        match compile(&graph, &options) {
            Ok(compiled) => {
                scheduled += 1;
                // As text, so that the file format is checked, too.
                let written = Source::new("random.stm", compiled.schedule.to_string());
                let schedule = gxf_stm::schedule::read_schedule(&written)
                    .unwrap_or_else(|findings| panic!("{}", findings.render(false)));
                let checked = gxf_stm::check::check(&graph, &schedule);
                let checked = checked.map_err(|findings| findings.render(false));
                assert!(checked.is_ok(), "{number}:\n{text}\n{}", checked.unwrap_err());
                // Those who execute it find that everything starts.
                let mut plan = Plan::new(&schedule)
                    .unwrap_or_else(|findings| panic!("{number}: {}", findings.render(false)));
                let submits = |one: &Runnable| one.submits.map(|work| graph.runnable_name(work));
                let works: Vec<String> = graph.runnables.iter().filter_map(submits).collect();
                let names = plan.runnables.clone();
                let is_work = |runnable: usize| works.contains(&names[runnable]);
                let program = lower(&mut plan.hyperepochs[0], is_work);
                let program = program.unwrap_or_else(|_| panic!("{number}:\n{text}"));
                frames_end_with_those_that_are_counted(&plan.hyperepochs[0], &program);
                let plans = &compiled.schedule.hyperepochs[0].cycles;
                for _ in 0..4 {
                    for (at, plan) in (0..).zip(plans) {
                        execute(plan, &graph, &cycle(at), &mut random);
                    }
                }
                for (at, (plan, best)) in (0..).zip(plans.iter().zip(&best)) {
                    let (best, shortest) = best.unwrap_or_else(|| panic!("{number}: none\n{text}"));
                    let length = length(plan, &graph, &cycle(at));
                    assert_eq!(length, best, "{number}, cycle {at}:\n{text}");
                    let bound = if plan.keeps_deadlines { best.1 } else { shortest };
                    assert_eq!(plan.lower_bound, bound, "{number}, cycle {at}:\n{text}");
                    exact += 1;
                }
            }
            // Only small graphs need a verdict in time.
            Err(refusal) if !refusal.is_proven && !is_small => {
                println!("{number}: no verdict\n{text}");
                open += 1;
            }
            Err(refusal) => {
                impossible += 1;
                let refutation = refusal.refutation.as_ref();
                let refutation =
                    refutation.unwrap_or_else(|| panic!("{number}: no proof\n{text}\n{refusal:?}"));
                let written = Source::new("random.stm", refutation.to_string());
                let read = gxf_stm::schedule::read_document(&written);
                let Ok(Document::Refutation(read)) = read else { panic!("{refutation}") };
                assert!(gxf_stm::check::check_refutation(&graph, &read).is_ok(), "{number}");
                assert!(
                    refusal.is_proven && !refusal.reasons.is_empty(),
                    "{number}:\n{text}\n{refusal:?}"
                );
                let is_true = best.is_empty() || best.contains(&None);
                assert!(is_true, "{number}: {best:?}\n{text}\n{refusal:?}");
            }
        }
    }
    println!(
        "{scheduled} scheduled, {exact} cycles exact, {impossible} impossible, {overcommitted} overcommitted, \
         {open} without a verdict"
    );
    assert!(open * 1_000 <= count, "{open} of {count} have no verdict");
    assert!(scheduled * 5 > count && impossible * 30 > count && exact * 5 > count);
}

/// The same graph, seed and number of threads give the same schedule.
#[test]
fn searches_repeat() {
    let mut random = Random(7);
    for _ in 0..10 {
        let text = random_text(&mut random);
        let Ok(graph) = read(&text) else { continue };
        let time_limit = Duration::from_secs(600);
        let rounds = Some(12);
        let options = Options { jobs: 3, rounds, time_limit, ..Options::default() };
        let schedule = || compile(&graph, &options).map(|one| one.schedule.to_string()).ok();
        assert_eq!(schedule(), schedule());
    }
}

/// A chain becomes one block of all its executions, in a time that grows with its length only.
#[test]
fn long_chains_are_joined_in_time() {
    let mut text = "Version: 2.0.0\ng:\n  Resources: {CPU: [CPU0, CPU1]}\n  Hyperepochs:\n  - h: \
                    {Epochs: [e: {Period: 1s}]}\n  Clients:\n  - c:\n      Epochs:\n      - h.e:\n          \
                    Runnables:\n          - r0: {WCET: 1us, Resources: [CPU]}\n"
        .to_owned();
    let count = 3000;
    for number in 1..count {
        let before = number - 1;
        _ = writeln!(
            text,
            "          - r{number}: {{WCET: 1us, Resources: [CPU], Dependencies: [c.r{before}]}}"
        );
    }
    let graph = read(&text).unwrap_or_else(|findings| panic!("{}", findings.render(false)));
    let started = Instant::now();
    let options = Options { time_limit: Duration::ZERO, ..Options::default() };
    let compiled = compile(&graph, &options).expect("a schedule");
    let lanes = &compiled.schedule.hyperepochs[0].cycles[0].lanes;
    assert_eq!(lanes.iter().map(|lane| lane.executions.len()).collect::<Vec<_>>(), [count]);
    assert!(lanes[0].executions[1..].iter().all(|execution| execution.fused));
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}
