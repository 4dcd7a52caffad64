//! Random graphs: what is compiled passes the independent checker, and on small graphs, verdicts
//! and lengths are those of an exhaustive search. `STM_GRAPHS` says how many.

use gxf_app::{Diagnostics, Source};
use gxf_stm::expand::{Cycle, Instance, cycle_count};
use gxf_stm::schedule::{CyclePlan, Document};
use gxf_stm::{Graph, GraphFiles, read_graph};
use gxf_stm_compile::{Options, compile};
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
            if entries[epoch as usize].contains("Period") && random.is_one_of(4) {
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
                let _ = writeln!(
                    text,
                    "          - e{epoch}w{index}: {{WCET: {}us, Resources: [GPU]}}",
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
fn exhaustive(graph: &Graph, instances: &[Instance], one_active: bool) -> Option<(Length, u64)> {
    struct Walk<'a> {
        graph: &'a Graph,
        instances: &'a [Instance],
        one_active: bool,
        ends: Vec<Option<u64>>,
        taken: Vec<Vec<usize>>,
        free: Vec<u64>,
        /// Of the executions so far.
        length: Length,
        best: Option<Length>,
        shortest: Option<u64>,
    }
    impl Walk<'_> {
        fn next(&mut self) {
            let mut is_done = true;
            for at in 0..self.instances.len() {
                if self.ends[at].is_some() {
                    continue;
                }
                is_done = false;
                let before = self.instances[at].predecessors.iter();
                let Some(ends) = before.map(|other| self.ends[*other]).collect::<Option<Vec<_>>>()
                else {
                    continue;
                };
                let ready = ends.into_iter().fold(self.instances[at].release, u64::max);
                self.choose(at, ready, Vec::new());
            }
            if is_done {
                let (length, end) = (self.length, self.length.1);
                self.best = Some(self.best.map_or(length, |best| best.min(length)));
                self.shortest = Some(self.shortest.map_or(end, |shortest| shortest.min(end)));
            }
        }

        fn choose(&mut self, at: usize, ready: u64, taken: Vec<usize>) {
            let runnable = &self.graph.runnables[self.instances[at].runnable];
            if let Some(need) = runnable.needs.get(taken.len()) {
                for candidate in need.candidates.clone() {
                    let leads = self.engine_of_stream(at);
                    if taken.is_empty() && leads.is_some_and(|engine| engine != candidate) {
                        continue;
                    }
                    let mut more = taken.clone();
                    more.push(candidate);
                    self.choose(at, ready, more);
                }
                return;
            }
            let mut held = taken.clone();
            if self.one_active {
                held.push(self.free.len() - 1);
            }
            let start = held.iter().map(|resource| self.free[*resource]).fold(ready, u64::max);
            let end = start + runnable.wcet;
            if self.instances[at].latest_end.is_some_and(|latest| end > latest) {
                return;
            }
            let was = self.length;
            let behind = end.saturating_sub(self.instances[at].deadline.unwrap_or(end));
            self.length = (was.0.max(behind), was.1.max(end));
            let is_worse = self.best.is_some_and(|best| self.length >= best)
                && self.shortest.is_some_and(|shortest| self.length.1 >= shortest);
            if is_worse {
                self.length = was;
                return;
            }
            let before: Vec<u64> = held.iter().map(|resource| self.free[*resource]).collect();
            held.iter().for_each(|resource| self.free[*resource] = end);
            self.ends[at] = Some(end);
            self.taken[at] = taken;
            self.next();
            self.ends[at] = None;
            self.length = was;
            held.iter().zip(before).for_each(|(resource, free)| self.free[*resource] = free);
        }

        /// For work: the engine that its submitter's stream leads to.
        fn engine_of_stream(&self, at: usize) -> Option<usize> {
            let submitter = self.graph.runnables[self.instances[at].runnable].submitter?;
            let is_it = |other: &Instance| {
                other.runnable == submitter && other.frame == self.instances[at].frame
            };
            let submitter = self.instances.iter().position(is_it)?;
            let mut taken = self.taken[submitter].iter();
            taken.find_map(|resource| self.graph.resources[*resource].leads_to)
        }
    }
    let mut walk = Walk {
        graph,
        instances,
        one_active,
        ends: vec![None; instances.len()],
        taken: vec![Vec::new(); instances.len()],
        free: vec![0; graph.resources.len() + 1],
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

fn read(text: &str) -> Result<Graph, Diagnostics> {
    let graph = Source::new("random.yaml", text);
    let files = GraphFiles { graph, fragments: Vec::new(), wcets: Vec::new() };
    read_graph(&files, &mut Diagnostics::new())
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
                let plans = &compiled.schedule.hyperepochs[0].cycles;
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
            Err(refusal) if !refusal.is_proven && !is_small => open += 1,
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
