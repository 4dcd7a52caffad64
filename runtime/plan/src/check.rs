//! What is wrong with a plan.

use crate::compile::{MOST_INSTANCES, Options, compile, counts_acts};
use crate::error;
use crate::figures::{Figures, StreamMemory};
use crate::memory::Memory;
use crate::plan::{
    CPU, Completion, Consumer, Flow, Kind, Plan, Register, Stream, Task, Variable, kind_of_memory,
};
use crate::ports::Entity;
use gxf_app::suggest::nearest;
use gxf_app::{Diagnostic, Diagnostics, Span};
use gxf_plugin_abi::ResultCode;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::iter;

/// More processes than anybody starts.
const MOST_RANKS: u32 = 1024;
/// Threads of a process, beside those that tasks have for themselves.
const MOST_THREADS: usize = 128;
/// Where payloads can be, and variables.
const MEMORIES: [&str; 4] = ["host", "pinned", "device", "managed"];
const VARIABLE_MEMORIES: [&str; 2] = ["host", "pinned"];

fn placed(problem: Diagnostic, place: Option<&Span>) -> Diagnostic {
    match place {
        Some(place) => problem.at(place.clone()),
        None => problem,
    }
}

/// The name that was most likely meant. Each search compares with all names, so only findings that
/// are shown get one.
fn near<'n>(
    findings: &Diagnostics,
    wanted: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    if findings.errors() < Diagnostics::SHOWN { nearest(wanted, names) } else { None }
}

/// What is wrong with a plan by itself.
#[must_use]
pub fn check(plan: &Plan) -> Diagnostics {
    let mut findings = without_figures(plan);
    if !findings.has_errors() {
        figures(plan, &mut findings);
    }
    findings.sort_by_place();
    findings
}

/// What is wrong with a plan for one process.
#[must_use]
pub fn check_ranks(plan: &Plan) -> Option<Diagnostic> {
    let count = plan.ranks().len();
    if count < 2 {
        return None;
    }
    let text = format!("the plan has {count} ranks, and a run of the app is one process");
    let problem = Diagnostic::error(ResultCode::ARGUMENT_INVALID, text).help(
        "`gxe plan --check PLAN --split FOLDER` writes an app for each rank, and `gxe launch \
         FOLDER/ranks.yaml` runs them",
    );
    let other = plan.streams.iter().find(|stream| stream.rank != plan.streams[0].rank);
    Some(placed(problem, other.and_then(|stream| stream.place.as_ref())))
}

/// The same without the figures that follow from the rest: what a wrong plan needs is of no use.
fn without_figures(plan: &Plan) -> Diagnostics {
    let mut findings = Diagnostics::new();
    streams(plan, &mut findings);
    tasks(plan, &mut findings);
    registers(plan, &mut findings);
    control_circles(plan, &mut findings);
    in_place(plan, &mut findings);
    variables(plan, &mut findings);
    if let Some((limit, place)) = &plan.limit {
        let needed = plan.memory().bytes;
        if needed > *limit {
            let text = format!("the registers need {needed} bytes, but the limit is {limit}");
            let problem = error("memory", text)
                .label(match needed - limit {
                    1 => "1 byte too little".to_owned(),
                    bytes => format!("{bytes} bytes too little"),
                })
                .help("raise the limit, or give large registers fewer instances");
            findings.push(placed(problem, place.as_ref()));
        }
    }
    findings.sort_by_place();
    findings
}

/// A figure of a file that is not the plan's.
struct Figure<'f> {
    place: &'f Span,
    /// What the file says, if that is too little.
    too_little: Option<String>,
    /// What it would have to say.
    right: String,
}

/// What a file says of the memory that its plan needs. One that says less than that is an error, and
/// any other difference no more than a warning.
fn figures(plan: &Plan, findings: &mut Diagnostics) {
    let mut others: Option<Diagnostic> = None;
    for Figure { place, too_little, right } in wrong_figures(&plan.figures, &plan.memory()) {
        if let Some(what) = too_little {
            let problem = error("memory", format!("{what}, but the plan needs {right} bytes"))
                .label(format!("must be {right}"))
                .help("it follows from the rest of the plan: correct it, or leave it out");
            findings.push(problem.at(place.clone()));
            continue;
        }
        let right = format!("the plan's: {right}");
        others = Some(match others {
            None => Diagnostic::warning("`memory` is not what this plan needs")
                .at(place.clone())
                .label(right)
                .help("it follows from the rest of the plan; `gxe plan --check` writes it anew"),
            Some(before) => before.note(place.clone(), right),
        });
    }
    findings.extend(others);
}

/// The figures that are not the plan's.
fn wrong_figures<'f>(said: &'f Figures, needed: &Memory) -> Vec<Figure<'f>> {
    let mut wrong = Vec::new();
    // If the sum is that of the streams, the figures may be those of the plan before an edit of its
    // registers or tasks, which need not be added up by hand.
    let streams = said.streams.as_ref().filter(|(streams, _)| !streams.is_empty());
    let sum = streams.map(|(streams, _)| {
        streams.iter().fold(0, |sum: u64, (stream, _)| sum.saturating_add(stream.bytes))
    });
    let is_of_one_piece = sum.is_some() && sum == said.bytes.as_ref().map(|(bytes, _)| *bytes);
    let mut number = |said: &'f Option<(u64, Span)>, right: u64, need: Option<&str>| {
        if let Some((number, place)) = said.as_ref().filter(|(number, _)| *number != right) {
            let too_little = need.filter(|_| *number < right);
            let too_little = too_little.map(|key| format!("`memory.{key}` is {number}"));
            wrong.push(Figure { place, too_little, right: right.to_string() });
        }
    };
    number(&said.bytes, needed.bytes, (!is_of_one_piece).then_some("bytes"));
    number(&said.saved, needed.saved, None);
    number(&said.variables, needed.variables, Some("variables"));
    if let Some((streams, place)) = &said.streams {
        for (stream, place) in streams {
            let StreamMemory { id, bytes } = *stream;
            let own = needed.streams.iter().find(|one| one.id == id).map(|own| own.bytes);
            if own != Some(bytes) {
                let too_little = own.filter(|own| bytes < *own && !is_of_one_piece);
                let too_little =
                    too_little.map(|_| format!("the bytes of stream {id} are {bytes}"));
                let right = own.map_or(format!("no stream {id}"), |own| own.to_string());
                wrong.push(Figure { place, too_little, right });
            }
        }
        let count = needed.streams.len();
        if streams.len() != count {
            wrong.push(Figure { place, too_little: None, right: format!("{count} streams") });
        }
    }
    let mut list = |place: &'f Span, right: Vec<String>| {
        let right = if right.is_empty() { "none".to_owned() } else { right.join(", ") };
        wrong.push(Figure { place, too_little: None, right });
    };
    if let Some((blocks, place)) = &said.shared
        && let right = needed.shared()
        && !blocks.iter().eq(right.iter().copied())
    {
        list(place, right.iter().map(|block| block.registers.join(" with ")).collect());
    }
    if let Some((names, place)) = &said.unknown
        && *names != needed.unknown
    {
        list(place, needed.unknown.clone());
    }
    wrong
}

fn streams(plan: &Plan, findings: &mut Diagnostics) {
    if plan.streams.is_empty() {
        let problem = error("streams", "a plan without streams executes nothing");
        findings.push(placed(problem, plan.section(|sections| &sections.streams)));
    }
    let most = MOST_THREADS + plan.tasks.len();
    let mut of_ranks: FxHashMap<u32, usize> = FxHashMap::default();
    for (position, stream) in plan.streams.iter().enumerate() {
        let count = of_ranks.entry(stream.rank).or_default();
        *count += 1;
        if *count == most + 1 {
            let text = format!("rank {} has more than {most} streams", stream.rank);
            let problem = error("streams", text).help(format!(
                "a process has up to {MOST_THREADS} threads and one for each task of its own"
            ));
            findings.push(placed(problem, stream.place.as_ref()));
        }
        if stream.id as usize != position {
            let text = format!("stream {} stands where {position} is expected", stream.id);
            let problem = error("streams", text).help("streams are numbered from 0, in order");
            findings.push(placed(problem, stream.place.as_ref()));
        }
        if stream.rank >= MOST_RANKS {
            let text = format!("stream {} is of rank {}", stream.id, stream.rank);
            let help = format!("ranks are 0 to {}", MOST_RANKS - 1);
            let problem = error("rank", text).help(help);
            findings.push(placed(problem, stream.place.as_ref()));
        }
    }
}

fn tasks(plan: &Plan, findings: &mut Diagnostics) {
    let mut known: FxHashSet<&str> = FxHashSet::default();
    for task in &plan.tasks {
        if !known.insert(&task.name) {
            let problem = error("tasks", format!("task `{}` is there twice", task.name));
            findings.push(placed(problem, task.place.as_ref()));
        }
        if task.stream as usize >= plan.streams.len() {
            let text =
                format!("task `{}` is on stream {}, which is missing", task.name, task.stream);
            let problem = match plan.streams.len() {
                0 => error("tasks", text),
                count => error("tasks", text).help(format!("there are 0 to {}", count - 1)),
            };
            findings.push(placed(problem, task.place.as_ref()));
        }
    }
}

/// Whether memory of this kind can be there.
fn memory_kind(memory: &str, kinds: &[&str], place: Option<&Span>, findings: &mut Diagnostics) {
    if kinds.contains(&kind_of_memory(memory)) {
        return;
    }
    let known: Vec<String> = kinds.iter().map(|kind| format!("`{kind}`")).collect();
    let problem = error("memory", format!("there is no `{memory}` memory"))
        .suggest(nearest(memory, kinds.iter().copied()))
        .help(format!("there is {}", known.join(", ")));
    findings.push(placed(problem, place));
}

fn registers(plan: &Plan, findings: &mut Diagnostics) {
    let stream = |task: &Task| plan.streams.get(task.stream as usize);
    // With their ranks.
    let tasks: FxHashMap<&str, Option<u32>> = plan
        .tasks
        .iter()
        .map(|task| (&*task.name, stream(task).map(|stream| stream.rank)))
        .collect();
    let mut known: FxHashSet<&str> = FxHashSet::default();
    for register in &plan.registers {
        let Register { name, producer, places, .. } = register;
        if !known.insert(name) {
            let problem = error("registers", format!("register `{name}` is there twice"));
            findings.push(placed(problem, places.whole.as_ref()));
        }
        if !tasks.contains_key(&**producer) {
            let text = match &**producer {
                "" => format!("register `{name}` has no producer"),
                _ => format!("register `{name}` has no producer: there is no task `{producer}`"),
            };
            let near = near(findings, producer, tasks.keys().copied());
            let problem = error("producer", text).suggest(near);
            findings.push(placed(problem, places.producer.as_ref().or(places.whole.as_ref())));
        }
        if register.instances == 0 {
            let problem = error("instances", format!("register `{name}` has no instance"))
                .label("must be at least 1")
                .help("without an instance its producer never acts");
            findings.push(placed(problem, places.instances.as_ref().or(places.whole.as_ref())));
        }
        if register.flow == Flow::Credits {
            most_instances(register, findings);
        }
        let memory_place = places.memory.as_ref().or(places.whole.as_ref());
        memory_kind(&register.memory, &MEMORIES, memory_place, findings);
        if register.kind == Kind::Control {
            control(register, &tasks, findings);
        }
        let mut receivers: FxHashSet<&str> = FxHashSet::default();
        for consumer in &register.consumers {
            let place = consumer.place.as_ref();
            let reader = register.reader(consumer);
            if !receivers.insert(&consumer.receiver) {
                let text =
                    format!("register `{name}` has the consumer `{}` twice", consumer.receiver);
                findings.push(placed(error("consumer", text), place));
            }
            if !tasks.contains_key(reader) {
                let text =
                    format!("register `{name}` has a consumer in `{reader}`, which is no task");
                let near = near(findings, reader, tasks.keys().copied());
                findings.push(placed(error("consumer", text).suggest(near), place));
            }
            if consumer.room.is_some_and(|room| room < register.instances) {
                let text = format!(
                    "`{}` has room for fewer messages than register `{name}` has instances",
                    consumer.receiver
                );
                findings.push(placed(error("consumer", text), place));
            }
        }
    }
}

/// Whether a register has more instances, or room for more, than anybody may ask for: the lanes
/// between threads have a place for each.
fn most_instances(register: &Register, findings: &mut Diagnostics) {
    let Register { name, places, .. } = register;
    let too_many =
        |what: String| error("instances", what).label(format!("must be at most {MOST_INSTANCES}"));
    if register.instances > MOST_INSTANCES {
        let problem = too_many(format!("register `{name}` has {} instances", register.instances));
        findings.push(placed(problem, places.instances.as_ref().or(places.whole.as_ref())));
    }
    for consumer in &register.consumers {
        if let Some(room) = consumer.room.filter(|room| *room > MOST_INSTANCES) {
            let receiver = &consumer.receiver;
            let text = format!("`{receiver}` has room for {room} messages of register `{name}`");
            findings.push(placed(too_many(text), consumer.place.as_ref()));
        }
    }
}

/// What a control register may not say.
fn control(register: &Register, ranks: &FxHashMap<&str, Option<u32>>, findings: &mut Diagnostics) {
    let Register { name, places, .. } = register;
    let mut wrong =
        |text: String| findings.push(placed(error("kind", text), places.whole.as_ref()));
    let has_memory = register.in_place.is_some() || register.variable.is_some();
    if register.payload_bytes.is_some() || has_memory {
        wrong(format!("control register `{name}` has a payload"));
    }
    if register.flow == Flow::Queue {
        wrong(format!("control register `{name}` has no queue: its flow is `credits`"));
    }
    if register.consumers.is_empty() {
        wrong(format!("control register `{name}` has no consumer"));
    }
    let rank_of = |task: &str| ranks.get(task).copied().flatten();
    let mut readers = register.consumers.iter().map(|consumer| register.reader(consumer));
    if let Some(rank) = rank_of(&register.producer)
        && readers.any(|reader| rank_of(reader).is_some_and(|own| own != rank))
    {
        wrong(format!(
            "control register `{name}` leads to another rank, where only messages can be sent"
        ));
    }
}

/// Circles of control registers: each task of one waits for the one before it, so none acts.
fn control_circles(plan: &Plan, findings: &mut Diagnostics) {
    let is_control = |register: &Register, _: &Consumer| register.kind == Kind::Control;
    if let Some((register, tasks)) = circle(plan, is_control) {
        let text = format!(
            "control register `{}` is part of a circle: each of its tasks waits for another",
            register.name
        );
        let problem = error("circle", text).label(tasks);
        findings.push(placed(problem, register.places.whole.as_ref()));
    }
}

/// The first control register on a circle of tasks that wait for each other, and its tasks.
fn circle(
    plan: &Plan,
    waits: impl Fn(&Register, &Consumer) -> bool,
) -> Option<(&Register, String)> {
    let mut behind: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
    for register in &plan.registers {
        let waiting = register.consumers.iter().filter(|consumer| waits(register, consumer));
        let readers = waiting.map(|consumer| register.reader(consumer));
        behind.entry(&register.producer).or_default().extend(readers);
    }
    let on_circles = on_or_behind_circles(&behind);
    let mut controls = plan.registers.iter().filter(|register| {
        register.kind == Kind::Control && on_circles.contains_key(&*register.producer)
    });
    controls.find_map(|register| {
        let producer = &*register.producer;
        let mut before: FxHashMap<&str, &str> = FxHashMap::default();
        let mut next: VecDeque<&str> = VecDeque::new();
        for consumer in &register.consumers {
            let reader = register.reader(consumer);
            if before.insert(reader, producer).is_none() {
                next.push_back(reader);
            }
        }
        while let Some(task) = next.pop_front() {
            if task == producer {
                let mut tasks = vec![producer];
                let mut last = before[producer];
                while last != producer {
                    tasks.push(last);
                    last = before[last];
                }
                tasks.push(producer);
                tasks.reverse();
                return Some((register, tasks.join(" → ")));
            }
            for reader in behind.get(task).into_iter().flatten() {
                if !before.contains_key(reader) {
                    before.insert(reader, task);
                    next.push_back(reader);
                }
            }
        }
        None
    })
}

/// The tasks that are on circles, or that ways from circles lead to: those that are left when what
/// nothing leads to is taken away, again and again.
fn on_or_behind_circles<'p>(
    behind: &FxHashMap<&'p str, Vec<&'p str>>,
) -> FxHashMap<&'p str, usize> {
    let mut ways_to: FxHashMap<&str, usize> = FxHashMap::default();
    for reader in behind.values().flatten() {
        *ways_to.entry(reader).or_default() += 1;
    }
    let first = behind.keys().filter(|task| !ways_to.contains_key(*task));
    let mut next: Vec<&str> = first.copied().collect();
    while let Some(task) = next.pop() {
        for reader in behind.get(task).into_iter().flatten() {
            let Some(count) = ways_to.get_mut(reader) else { continue };
            *count -= 1;
            if *count == 0 {
                ways_to.remove(reader);
                next.push(reader);
            }
        }
    }
    ways_to
}

fn in_place(plan: &Plan, findings: &mut Diagnostics) {
    let by_name: FxHashMap<&str, &Register> =
        plan.registers.iter().map(|register| (&*register.name, register)).collect();
    let on_cycles = on_cycles(plan, &by_name);
    let mut reported: FxHashSet<&str> = FxHashSet::default();
    for register in &plan.registers {
        let Some(source) = &register.in_place else { continue };
        let place = register.places.in_place.as_ref().or(register.places.whole.as_ref());
        let Some(input) = by_name.get(&**source) else {
            let text =
                format!("register `{}` is in place of `{source}`, which is missing", register.name);
            let near = near(findings, source, by_name.keys().copied());
            findings.push(placed(error("in-place", text).suggest(near), place));
            continue;
        };
        if reported.contains(&*register.name) {
            continue;
        }
        if on_cycles.contains(&*register.name)
            && let Some(cycle) = cycle(&by_name, register)
        {
            let text = format!("a cycle of in-place relations: {}", cycle.join(" → "));
            let problem = error("in-place", text).help("one of them needs memory of its own");
            findings.push(placed(problem, place));
            reported.extend(cycle);
            continue;
        }
        if !input.consumers.iter().any(|one| input.reader(one) == register.producer) {
            let text = format!(
                "register `{}` is in place of `{source}`, which its producer `{}` does not consume",
                register.name, register.producer
            );
            findings.push(placed(error("in-place", text), place));
        }
        if let (Some(needed), Some(there)) = (register.payload_bytes, input.payload_bytes)
            && needed > there
        {
            let text = format!(
                "register `{}` needs {needed} bytes, but `{source}`, in whose place it is, has {there}",
                register.name
            );
            findings.push(placed(error("in-place", text), place));
        }
    }
}

/// Variables, and the registers that are bound to them.
fn variables(plan: &Plan, findings: &mut Diagnostics) {
    let mut known: FxHashMap<&str, &Variable> = FxHashMap::default();
    for variable in &plan.variables {
        memory_kind(&variable.memory, &VARIABLE_MEMORIES, variable.place.as_ref(), findings);
        if known.insert(&variable.name, variable).is_some() {
            let text = format!("variable `{}` is there twice", variable.name);
            findings.push(placed(error("variable", text), variable.place.as_ref()));
        }
    }
    let mut writers: FxHashMap<&str, &Register> = FxHashMap::default();
    for register in plan.registers.iter().filter(|register| register.kind == Kind::Data) {
        let Some(name) = &register.variable else { continue };
        let place = register.places.variable.as_ref().or(register.places.whole.as_ref());
        let own = &register.name;
        let Some(variable) = known.get(&**name) else {
            let text = format!("register `{own}` is bound to variable `{name}`, which is missing");
            let near = near(findings, name, known.keys().copied());
            findings.push(placed(error("variable", text).suggest(near), place));
            continue;
        };
        let mut wrong = |problem: Diagnostic| findings.push(placed(problem, place));
        if let Some(needed) = register.payload_bytes.filter(|needed| *needed > variable.bytes) {
            let bytes = variable.bytes;
            let text =
                format!("register `{own}` needs {needed} bytes, but variable `{name}` has {bytes}");
            wrong(error("variable", text));
        }
        if register.memory != variable.memory {
            let (own_memory, its) = (&register.memory, &variable.memory);
            let text = format!(
                "the payloads of register `{own}` are in {own_memory} memory, and variable `{name}` \
                 in {its} memory"
            );
            wrong(error("variable", text));
        }
        if register.in_place.is_some() {
            let text = format!(
                "register `{own}` is in place of another one, so it cannot be bound to variable `{name}`"
            );
            wrong(error("variable", text).help("bind the register in whose place it is"));
        }
        if !register.is_given {
            let text = format!(
                "register `{own}` cannot be bound to variable `{name}`: its producer `{}` does not \
                 fill memory that it is given",
                register.producer
            );
            wrong(error("variable", text).help("its codelet must have the flag `publishes_into`"));
        }
        if let Some(other) = writers.insert(name, register) {
            let text = format!(
                "variable `{name}` has two writers: registers `{}` and `{own}`",
                other.name
            );
            wrong(error("variable", text).help(
                "one register is bound to it; others that change the payloads are in place of that",
            ));
        }
    }
}

/// The registers on cycles of in-place relations.
fn on_cycles<'p>(plan: &'p Plan, by_name: &FxHashMap<&'p str, &'p Register>) -> FxHashSet<&'p str> {
    let source = |register: &Register| by_name.get(register.in_place.as_deref()?).copied();
    // The first way on which a register was seen.
    let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
    let mut found: FxHashSet<&str> = FxHashSet::default();
    for (way, start) in plan.registers.iter().enumerate() {
        let mut next = Some(start);
        while let Some(register) = next {
            let Some(first) = seen.get(&*register.name) else {
                seen.insert(&register.name, way);
                next = source(register);
                continue;
            };
            let mut member = Some(register).filter(|_| *first == way);
            while let Some(register) = member.filter(|one| found.insert(&one.name)) {
                member = source(register);
            }
            break;
        }
    }
    found
}

/// The names of the registers from this one back to it, along the in-place relations.
fn cycle<'p>(
    by_name: &FxHashMap<&'p str, &'p Register>,
    start: &'p Register,
) -> Option<Vec<&'p str>> {
    let mut names = vec![&*start.name];
    let mut register = start;
    while let Some(next) = register.in_place.as_deref().and_then(|name| by_name.get(name)) {
        names.push(&next.name);
        if next.name == start.name {
            return Some(names);
        }
        if names.len() > by_name.len() {
            return None;
        }
        register = next;
    }
    None
}

/// What is wrong with a plan for a graph. Whoever edits a plan may choose streams and numbers of
/// instances, but the tasks and registers are those of the graph. `devices` are the kinds that the
/// queues of its components have.
#[must_use]
pub fn check_for(
    plan: &Plan,
    entities: &[Entity],
    variables: &[Variable],
    devices: &[&str],
) -> Diagnostics {
    let mut findings = without_figures(plan);
    if findings.has_errors() {
        return findings;
    }
    for stream in &plan.streams {
        thread_kind(stream, devices, &mut findings);
    }
    let options = Options { graph: String::new(), ranks: 1, threads: 1, register_num: 1 };
    let wanted = compile(entities, variables, &options);
    for variable in &plan.variables {
        let Variable { name, place, .. } = variable;
        let known = variables.iter().find(|known| known.name == *name);
        let problem = match known {
            None => {
                let text = format!("`{name}` is no gxe::Variable of the graph");
                let names = variables.iter().map(|known| &*known.name);
                error("variable", text).suggest(near(&findings, name, names))
            }
            Some(known) if (known.bytes, &known.memory) != (variable.bytes, &variable.memory) => {
                let Variable { bytes, memory, .. } = known;
                error("variable", format!("variable `{name}` has {bytes} bytes of {memory} memory"))
            }
            Some(_) => continue,
        };
        findings.push(placed(problem, place.as_ref()));
    }
    let names: Vec<&str> = entities.iter().map(|entity| &*entity.name).collect();
    for task in &plan.tasks {
        if !names.contains(&&*task.name) {
            let text = format!("task `{}` is no entity with codelets of the graph", task.name);
            let near = near(&findings, &task.name, names.iter().copied());
            let problem = error("tasks", text).suggest(near);
            findings.push(placed(problem, task.place.as_ref()));
        }
    }
    for task in &plan.tasks {
        let entity = entities.iter().find(|entity| entity.name == task.name);
        if let (Some(entity), Some(completion)) = (entity, &task.completion) {
            completes(plan, task, completion, entity, &mut findings);
        }
    }
    jobs(plan, &wanted, &mut findings);
    for name in names.iter().filter(|name| plan.task(name).is_none()) {
        let text = format!("entity `{name}` of the graph has no task");
        let problem = error("tasks", text).help("write the plan anew with `gxe plan`");
        findings.push(placed(problem, plan.section(|sections| &sections.tasks)));
    }
    for register in plan.registers.iter().filter(|register| register.kind == Kind::Data) {
        let Some(expected) = wanted.registers.iter().find(|one| one.name == register.name) else {
            let text =
                format!("register `{}` is no connected transmitter of the graph", register.name);
            let known = wanted.registers.iter().map(|one| &*one.name);
            let near = near(&findings, &register.name, known);
            let problem = error("registers", text).suggest(near);
            findings.push(placed(problem, register.places.whole.as_ref()));
            continue;
        };
        compare(register, expected, entities, &mut findings);
    }
    for expected in &wanted.registers {
        if !plan.registers.iter().any(|register| register.name == expected.name) {
            let text = format!("transmitter `{}` of the graph has no register", expected.name);
            let problem = error("registers", text).help("write the plan anew with `gxe plan`");
            findings.push(placed(problem, plan.section(|sections| &sections.registers)));
        }
    }
    if !findings.has_errors() {
        mixed_circles(plan, entities, &mut findings);
        figures(plan, &mut findings);
    }
    findings.sort_by_place();
    findings
}

/// Whether all tasks that messages connect are of the same job. Reports one task of each part.
fn jobs(plan: &Plan, wanted: &Plan, findings: &mut Diagnostics) {
    let connected: FxHashMap<&str, u32> =
        wanted.tasks.iter().map(|task| (&*task.name, task.job)).collect();
    let mut first: FxHashMap<u32, &Task> = FxHashMap::default();
    let mut reported: FxHashSet<u32> = FxHashSet::default();
    for task in &plan.tasks {
        let Some(part) = connected.get(&*task.name) else { continue };
        let other = *first.entry(*part).or_insert(task);
        if other.job != task.job && reported.insert(*part) {
            let text = format!(
                "task `{}` is of job {}, but `{}`, with which messages connect it, is of job {}",
                task.name, task.job, other.name, other.job
            );
            findings.push(placed(error("job", text), task.place.as_ref()));
        }
    }
}

/// Circles of control registers and of messages that terms wait for. Only a message from outside gets
/// such a circle going: a codelet starts with its first act.
fn mixed_circles(plan: &Plan, entities: &[Entity], findings: &mut Diagnostics) {
    let awaited: FxHashSet<String> = entities
        .iter()
        .flat_map(|entity| entity.inputs.iter().map(move |input| (entity, input)))
        .filter(|(_, input)| input.wanted > 0)
        .map(|(entity, input)| format!("{}/{}", entity.name, input.name))
        .collect();
    let waits = |register: &Register, consumer: &Consumer| {
        register.kind == Kind::Control || awaited.contains(&consumer.receiver)
    };
    if let Some((register, tasks)) = circle(plan, waits) {
        let text = format!(
            "control register `{}` closes a circle of tasks that wait for each other",
            register.name
        );
        let problem = Diagnostic::warning(text)
            .label(tasks)
            .help("they never act, unless another task sends one of them a message");
        findings.push(placed(problem, register.places.whole.as_ref()));
    }
}

/// Whether there are threads of a stream's kind.
fn thread_kind(stream: &Stream, devices: &[&str], findings: &mut Diagnostics) {
    let Stream { id, device, place, device_place, .. } = stream;
    let known = || iter::once(CPU).chain(devices.iter().copied());
    if known().any(|kind| kind == device) {
        return;
    }
    let kinds: Vec<String> = known().map(|kind| format!("`{kind}`")).collect();
    let text = format!("stream {id}: there are no threads for a device of kind `{device}`");
    let problem = error("device", text).suggest(nearest(device, known())).help(format!(
        "there is {}; a component of the graph that queues work of a device, such as a \
         CudaStreamPool, adds its kind",
        kinds.join(", ")
    ));
    findings.push(placed(problem, device_place.as_ref().or(place.as_ref())));
}

/// Whether the acts of a task can end with this component.
fn completes(
    plan: &Plan,
    task: &Task,
    completion: &Completion,
    entity: &Entity,
    findings: &mut Diagnostics,
) {
    let Completion { component, place } = completion;
    let known = entity.completions.iter().map(String::as_str);
    if !known.clone().any(|name| name == component) {
        let text = format!(
            "entity `{}` has no component `{component}` that says when submitted work is done",
            task.name
        );
        let near = nearest(component, known);
        findings.push(placed(error("completion", text).suggest(near), place.as_ref()));
    }
    if !counts_acts(&plan.registers, &task.name) {
        let text = format!("no credits count the acts of task `{}` that are under way", task.name);
        let problem = error("completion", text).help(
            "an act that ends with submitted work needs credits at all registers that its task \
             fills, or at one that it reads if it fills none",
        );
        findings.push(placed(problem, place.as_ref()));
    }
}

/// Whether what a plan says may be this memory: one from before plans named devices does not know the
/// number.
fn may_be(memory: &str, right: &str) -> bool {
    memory == right || memory == kind_of_memory(right)
}

fn compare(
    register: &Register,
    expected: &Register,
    entities: &[Entity],
    findings: &mut Diagnostics,
) {
    let name = &register.name;
    let whole = register.places.whole.as_ref();
    if register.producer != expected.producer {
        let text = format!("register `{name}` is filled by `{}`", expected.producer);
        let place = register.places.producer.as_ref();
        findings.push(placed(error("producer", text), place));
    }
    let receivers = |register: &Register| -> FxHashSet<String> {
        register.consumers.iter().map(|consumer| consumer.receiver.clone()).collect()
    };
    let (is, wanted) = (receivers(register), receivers(expected));
    for receiver in is.symmetric_difference(&wanted) {
        let text = match wanted.contains(receiver) {
            true => format!("register `{name}` lacks the consumer `{receiver}`"),
            false => format!("register `{name}` does not lead to `{receiver}`"),
        };
        findings.push(placed(error("consumer", text), whole));
    }
    if register.flow == Flow::Credits && expected.flow == Flow::Queue {
        let text = format!("credits cannot limit register `{name}`");
        let problem = error("flow", text).help(
            "they need a DownstreamReceptiveSchedulingTerm at the transmitter, and built-in queues \
             behind it with no other transmitter",
        );
        findings.push(placed(problem, whole));
    }
    if register.flow == Flow::Queue && expected.flow == Flow::Credits {
        let text = format!(
            "register `{name}` has credits: `{}` waits for room behind it",
            expected.producer
        );
        let problem = error("flow", text)
            .help("without its DownstreamReceptiveSchedulingTerm the flow would be `queue`");
        findings.push(placed(problem, whole));
    }
    if register.is_given && !expected.is_given {
        let text = format!("`{}` does not fill memory that a plan gives it", expected.producer);
        let problem = error("given", text).help(
            "its codelet must have the flag `publishes_into`, one transmitter, and a \
             BlockMemoryPool of its own",
        );
        findings.push(placed(problem, whole));
    }
    if register.is_given && register.in_place.is_some() && expected.in_place.is_none() {
        let text = format!(
            "`{}` fills memory of its own, so register `{name}` is in place of no other",
            expected.producer
        );
        let problem = error("in-place", text)
            .help("a codelet that changes the payloads that it receives has the flag `in_place`");
        findings.push(placed(problem, register.places.in_place.as_ref().or(whole)));
    }
    if let Some(block) = expected.payload_bytes.filter(|_| register.is_given && expected.is_given)
        && let bytes = register.payload_bytes.unwrap_or_default()
        && bytes < block
    {
        let text = format!(
            "register `{name}` gives `{}` {bytes} bytes for a payload, and its blocks have {block}",
            expected.producer
        );
        let problem = error("payload_bytes", text).label(format!("must be at least {block}"));
        findings.push(placed(problem, register.places.payload_bytes.as_ref().or(whole)));
    }
    if register.is_given && expected.is_given && !may_be(&register.memory, &expected.memory) {
        let (memory, right) = (&register.memory, &expected.memory);
        let text = format!(
            "the payloads of register `{name}` are in {memory} memory, but `{}` fills {right} \
             memory",
            expected.producer
        );
        let problem = error("memory", text).label(format!("must be `{right}`")).help(
            "it follows from the codelet's allocator in the app: correct it, or write the plan anew \
             with `gxe plan`",
        );
        findings.push(placed(problem, register.places.memory.as_ref().or(whole)));
    }
    if let Some(variable) = &expected.variable
        && register.variable.as_ref() != Some(variable)
    {
        let producer = &expected.producer;
        let text = format!("`{producer}` fills register `{name}` in the memory of `{variable}`");
        let problem = error("variable", text).help("a codelet chooses its allocator in the app");
        findings.push(placed(problem, register.places.variable.as_ref().or(whole)));
    }
    let output = entities.iter().find(|entity| entity.name == expected.producer);
    let mut outputs = output.into_iter().flat_map(|entity| &entity.outputs);
    let is_it =
        |output: &&crate::ports::Output| format!("{}/{}", expected.producer, output.name) == *name;
    let needed = outputs.find(is_it).map_or(1, |output| output.needed(entities));
    if register.flow == Flow::Credits && register.instances < needed {
        let text = format!(
            "register `{name}` has {} of the {needed} instances that the terms of its tasks wait for",
            register.instances
        );
        let problem = error("instances", text).label(format!("must be at least {needed}"));
        findings.push(placed(problem, register.places.instances.as_ref().or(whole)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::{Input, Output};

    /// `a` fills memory of this kind that a plan gives it, and `b` reads it.
    fn graph(memory: &str) -> [Entity; 2] {
        let output = Output {
            name: "out".to_owned(),
            countable: true,
            back_pressure: Some(1),
            payload: Some((64, memory.to_owned())),
            is_given: true,
            variable: None,
            in_place: None,
            targets: vec![(1, 0)],
        };
        let input = Input { name: "in".to_owned(), capacity: 1, wanted: 1, countable: true };
        let (a, b) = ("a".to_owned(), "b".to_owned());
        [
            Entity { name: a, outputs: vec![output], ..Entity::default() },
            Entity { name: b, inputs: vec![input], ..Entity::default() },
        ]
    }

    /// What is wrong with a plan that says `memory` for a graph that has `right`.
    fn said(memory: &str, right: &str) -> Vec<String> {
        let options = Options { graph: String::new(), ranks: 1, threads: 1, register_num: 1 };
        let mut plan = compile(&graph(right), &[], &options);
        assert_eq!(plan.registers[0].memory, right);
        memory.clone_into(&mut plan.registers[0].memory);
        let findings = check_for(&plan, &graph(right), &[], &[]);
        findings.iter().map(|finding| finding.message.clone()).collect()
    }

    #[test]
    fn memory_that_is_given_is_of_the_kind_that_the_graph_has() {
        let text = |memory: &str, right: &str| {
            format!(
                "the payloads of register `a/out` are in {memory} memory, but `a` fills {right} \
                 memory"
            )
        };
        for (memory, right) in [
            ("host", "device"),
            ("device", "host"),
            ("pinned", "host"),
            ("managed", "device:1"),
            ("device:2", "device:1"),
            ("device:1", "device"),
        ] {
            assert_eq!(said(memory, right), [text(memory, right)]);
        }
        assert_eq!(said("device:0", "device"), ["there is no `device:0` memory"]);
        assert_eq!(said("host:1", "host"), ["there is no `host:1` memory"]);
    }

    /// A plan from before names none.
    #[test]
    fn the_number_of_a_device_may_be_unknown() {
        for (memory, right) in [("device", "device:1"), ("device:1", "device:1")] {
            assert_eq!(said(memory, right), [""; 0]);
        }
    }
}
