//! The entities of a graph as tasks: how long each takes, how often it runs, and what it follows.

use super::{Percentile, PlanningArguments};
use crate::command::graph::statistics::Statistics;
use gxf_runtime::ResultCode;
use gxf_runtime::graph::describe::{
    ComponentDescription, ComponentPosition, EntityDescription, GraphDescription, Place,
};
use gxf_runtime::graph::escape::one_line;
use gxf_runtime::graph::{Diagnostic, Diagnostics, Span, read_source};
use gxf_stm::time::{LONGEST, show_time};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Time of an entity that was not measured, and the shortest of any, in nanoseconds.
const SHORTEST: u64 = 1_000;
/// Most places of other periods that a finding shows.
const NAMED: usize = 4;
/// Most frames of all epochs in a common period.
const MOST_FRAMES: u64 = 10_000;

/// What asks terms in place of the entity.
const COMBINER: &str = "nvidia::gxf::SchedulingTermCombiner";

/// What a plan makes of a term that waits for a device.
const DEVICE: &str = "waits for work of a device, which may end at any time; its executions are \
                      passed over until then";

/// Terms that ask for more than messages, room, counts and periods, and what a plan makes of them.
const DYNAMIC: [(&str, &str); 9] = [
    ("nvidia::gxf::CudaBufferAvailableSchedulingTerm", DEVICE),
    ("nvidia::gxf::CudaEventSchedulingTerm", DEVICE),
    ("nvidia::gxf::CudaStreamSchedulingTerm", DEVICE),
    (
        "nvidia::gxf::AsynchronousSchedulingTerm",
        "waits for an event, which may come at any time; its executions are passed over until then",
    ),
    (
        "nvidia::gxf::TargetTimeSchedulingTerm",
        "chooses its times while it runs; its executions are passed over until then",
    ),
    (
        "nvidia::gxf::BTSchedulingTerm",
        "runs when its parent in a behaviour tree asks; its other executions are passed over",
    ),
    (
        "nvidia::gxf::ExpiringMessageAvailableSchedulingTerm",
        "depends on the time between messages; it is asked once in each frame",
    ),
    (
        "nvidia::gxf::MessageAvailableFrequencyThrottler",
        "depends on the time between messages; it is asked once in each frame",
    ),
    (
        "nvidia::holoscan::MultiMessageAvailableTimeoutSchedulingTerm",
        "depends on the time between messages; it is asked once in each frame",
    ),
];

/// What has to be planned.
pub struct Tasks {
    /// In the order of the file.
    pub tasks: Vec<Task>,
    /// By period, in nanoseconds; `None` is the one epoch of an app without periods.
    pub epochs: BTreeMap<Option<u64>, Epoch>,
    /// The least common multiple of the periods, if there are any.
    pub period: Option<u64>,
}

/// One epoch.
pub struct Epoch {
    /// Its name.
    pub name: String,
    /// Frames in the common period.
    pub frames: u64,
}

/// One entity with codelets.
pub struct Task {
    /// Name of the entity.
    pub entity: String,
    /// Name of the runnable.
    pub id: String,
    /// Its period.
    pub period: Option<u64>,
    /// Whether it never runs more often, however fast what leads to it is.
    is_fixed: bool,
    /// Its time in nanoseconds.
    pub wcet: u64,
    /// Tasks of the same period that it follows.
    pub after: Vec<usize>,
    /// The term that gives it its period, or its codelet.
    place: Option<Place>,
}

/// A connection between two tasks.
struct Edge {
    from: usize,
    to: usize,
    /// For messages.
    text: String,
    place: Option<Place>,
}

impl Tasks {
    /// The tasks of a graph.
    ///
    /// # Errors
    /// There is nothing to plan, or the periods have no common one.
    pub fn of(
        graph: &GraphDescription,
        measured: &Statistics,
        planning: &PlanningArguments,
        remarks: &mut Diagnostics,
    ) -> Result<Self, Diagnostics> {
        let mut tasks = Vec::new();
        let mut task_of: HashMap<usize, usize> = HashMap::new();
        let mut ids = BTreeSet::new();
        let mut errors = Diagnostics::new();
        for (index, entity) in graph.entities.iter().enumerate() {
            let is_codelet = |one: &ComponentDescription| one.is_a("nvidia::gxf::Codelet");
            let Some(codelet) = entity.components.iter().find(|one| is_codelet(one)) else {
                continue;
            };
            let time = measured.entities.iter().find(|one| one.name == entity.name);
            let wcet = time.and_then(|one| worst_case(one, planning));
            if wcet.is_none() {
                let what = format!(
                    "the entity `{}` did not tick in the run that was measured; {} is assumed",
                    one_line(&entity.name),
                    show_time(SHORTEST)
                );
                remarks.push(at(Diagnostic::warning(what), codelet.place.as_ref()));
            }
            let mut period = None;
            let mut place = codelet.place.clone();
            let mut at_least = None;
            let owned: HashSet<ComponentPosition> = combined(entity).collect();
            for (component, term) in entity.components.iter().enumerate() {
                if owned.contains(&ComponentPosition { entity: index, component }) {
                    continue;
                }
                let own = match term.is_a(COMBINER) {
                    true => combined_period(graph, term, &mut errors),
                    false => own_period(term, &mut errors).map(|own| (own, true)),
                };
                match own {
                    Some((own, true)) if period < Some(own) => {
                        (period, place) = (Some(own), term.place.clone());
                    }
                    Some((own, false)) => at_least = at_least.max(Some(own)),
                    _ => {}
                }
                if term.is_a(COMBINER) && own.is_none_or(|(_, is_fixed)| !is_fixed) {
                    let text = format!(
                        "the entity `{}` runs when any of several terms is ready, which depends on \
                         the run; it is asked once in each frame",
                        one_line(&entity.name)
                    );
                    remarks.push(at(Diagnostic::warning(text), term.place.as_ref()));
                }
                let dynamic = DYNAMIC.iter().find(|(name, _)| term.is_a(name));
                if let Some((_, what)) = dynamic {
                    let text = format!("the entity `{}` {what}", one_line(&entity.name));
                    remarks.push(at(Diagnostic::warning(text), term.place.as_ref()));
                }
            }
            task_of.insert(index, tasks.len());
            tasks.push(Task {
                entity: entity.name.clone(),
                id: id_of(&entity.name, &mut ids),
                is_fixed: period.is_some(),
                period: period.or(at_least),
                wcet: wcet.unwrap_or(SHORTEST),
                after: Vec::new(),
                place,
            });
        }
        let components = graph.entities.iter().flat_map(|entity| &entity.components);
        let mut schedulers = components.filter(|one| one.is_a("nvidia::gxf::Scheduler"));
        if let (Some(first), Some(second)) = (schedulers.next(), schedulers.next()) {
            let what = "the graph has two schedulers, and one runs";
            let problem = Diagnostic::error(ResultCode::ARGUMENT_INVALID, what);
            let problem = at(problem, second.place.as_ref());
            let note = first.place.as_ref().and_then(span_at);
            errors.push(match note {
                Some(place) => problem.note(place, "the other one"),
                None => problem,
            });
        }
        if tasks.is_empty() {
            let what = "no entity has a codelet, so there is nothing to plan";
            errors.push(Diagnostic::error(ResultCode::ARGUMENT_INVALID, what));
        }
        if errors.has_errors() {
            return Err(errors);
        }
        let edges = edges(graph, &task_of);
        set_rates(&mut tasks, &edges, remarks);
        set_dependencies(&mut tasks, &edges, remarks);
        let (epochs, period) = epochs(&tasks)?;
        Ok(Self { tasks, epochs, period })
    }
}

impl Tasks {
    /// Findings in the compute graph, which is not written, at the entities that they are about.
    pub fn in_app(&self, findings: Diagnostics) -> Diagnostics {
        let placed = findings.into_iter().map(|mut finding| {
            let span = finding.span.take();
            finding.notes = Box::default();
            let id = span.map(|span| span.text());
            let task = self.tasks.iter().find(|task| id.as_ref() == Some(&task.id));
            at(finding, task.and_then(|task| task.place.as_ref()))
        });
        placed.fold(Diagnostics::new(), |mut placed, finding| {
            placed.push(finding);
            placed
        })
    }
}

/// The text at a place of a file, as far as a value goes.
fn span_at(place: &Place) -> Option<Span> {
    let source = read_source(&place.file).ok()?;
    let text = source.text();
    let line: usize = text.split_inclusive('\n').take(place.line - 1).map(str::len).sum();
    let rest = &text[line..];
    let column = rest.char_indices().nth(place.column - 1).map_or(0, |(at, _)| at);
    let length = rest[column..].find([',', '}', '\n']).unwrap_or(0);
    Some(Span::new(&source, line + column..line + column + length))
}

/// A finding at a place of a file.
fn at(finding: Diagnostic, place: Option<&Place>) -> Diagnostic {
    match place.and_then(span_at) {
        Some(span) => finding.at(span),
        None => finding,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, which is right for a duration"
)]
fn worst_case(
    measured: &crate::command::graph::statistics::EntityStatistics,
    planning: &PlanningArguments,
) -> Option<u64> {
    let times = &measured.execution_ns;
    let time = match planning.percentile {
        Percentile::P50 => times.median,
        Percentile::P90 => times.p90,
        Percentile::P95 => times.p95,
        Percentile::P99 => times.p99,
        Percentile::P100 => times.max,
    };
    measured.ticks.filter(|ticks| *ticks > 0.0)?;
    let time = time? * (1.0 + f64::from(planning.margin) / 100.0);
    Some((time.ceil() as u64).max(SHORTEST))
}

/// The terms of an entity that its combiners ask.
fn combined(entity: &EntityDescription) -> impl Iterator<Item = ComponentPosition> {
    let combiners = entity.components.iter().filter(|one| one.is_a(COMBINER));
    combiners.flat_map(|one| &one.parameters).flat_map(|one| &one.targets).copied()
}

/// The shortest period of the terms of which a combiner needs one, and whether nothing but periods
/// makes it ready.
fn combined_period(
    graph: &GraphDescription,
    combiner: &ComponentDescription,
    errors: &mut Diagnostics,
) -> Option<(u64, bool)> {
    let targets = combiner.parameters.iter().flat_map(|one| &one.targets);
    let terms = targets.filter_map(|position| graph.component(*position));
    let periods: Vec<Option<u64>> = terms.map(|term| own_period(term, errors)).collect();
    let shortest = periods.iter().flatten().min()?;
    Some((*shortest, periods.iter().all(Option::is_some)))
}

/// The period that a term asks for.
fn own_period(term: &ComponentDescription, errors: &mut Diagnostics) -> Option<u64> {
    if !term.is_a("nvidia::gxf::PeriodicSchedulingTerm") {
        return None;
    }
    let text = term.parameter("recess_period")?.value.clone()?;
    let text = text.trim_matches(['\'', '"']);
    match gxf::units::parse_period_ns(text) {
        Ok(period) => u64::try_from(period).ok().filter(|period| *period > 0),
        Err(error) => {
            let what = format!("`recess_period`: {error}");
            let problem = Diagnostic::error(ResultCode::ARGUMENT_INVALID, what);
            errors.push(at(problem, term.place.as_ref()));
            None
        }
    }
}

/// The name of an entity as that of a runnable: letters, digits and `_`, unlike all others.
fn id_of(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut id: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let is_plain = id.chars().next().is_some_and(|c| c.is_ascii_alphabetic())
        && !matches!(
            &*id.to_ascii_lowercase(),
            "null" | "true" | "false" | "yes" | "no" | "on" | "off"
        );
    if !is_plain {
        id.insert_str(0, "e_");
    }
    let unique = (1..).map(|number| match number {
        1 => id.clone(),
        more => format!("{id}_{more}"),
    });
    let id = unique.into_iter().find(|id| !taken.contains(id)).unwrap_or_default();
    taken.insert(id.clone());
    id
}

fn edges(graph: &GraphDescription, task_of: &HashMap<usize, usize>) -> Vec<Edge> {
    let connections = graph.connections.iter().map(|one| (one.source, one.target, one.component));
    let topics = graph.topics.iter().flat_map(|topic| {
        topic.transmitters.iter().flat_map(|source| {
            let component = topic.components.first().copied().unwrap_or(*source);
            topic.receivers.iter().map(move |target| (*source, *target, component))
        })
    });
    connections
        .chain(topics)
        .filter_map(|(source, target, component)| {
            Some(Edge {
                from: *task_of.get(&source.entity)?,
                to: *task_of.get(&target.entity)?,
                text: format!(
                    "`{}` → `{}`",
                    one_line(&graph.path(source)),
                    one_line(&graph.path(target))
                ),
                place: graph.component(component).and_then(|one| one.place.clone()),
            })
        })
        .collect()
}

/// Gives tasks without a fixed period that of the fastest task before them, or else behind them, or
/// else of all.
fn set_rates(tasks: &mut [Task], edges: &[Edge], remarks: &mut Diagnostics) {
    let fixed: Vec<bool> = tasks.iter().map(|task| task.is_fixed).collect();
    let Some(fastest) = tasks.iter().filter_map(|task| task.period).min() else { return };
    spread(tasks, &fixed, edges.iter().map(|edge| (edge.from, edge.to)));
    let known: Vec<bool> = tasks.iter().map(|task| task.period.is_some()).collect();
    spread(tasks, &known, edges.iter().map(|edge| (edge.to, edge.from)));
    for task in tasks.iter_mut().filter(|task| task.period.is_none()) {
        let what = format!(
            "the entity `{}` has no period, and no connection to one that has; it runs once in each \
             frame of {}",
            one_line(&task.entity),
            show_time(fastest)
        );
        remarks.push(at(Diagnostic::warning(what), task.place.as_ref()));
        task.period = Some(fastest);
    }
}

/// Gives tasks that are not fixed the shortest period of those that lead to them.
fn spread(tasks: &mut [Task], fixed: &[bool], links: impl Iterator<Item = (usize, usize)> + Clone) {
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (from, to) in links.clone() {
            let Some(period) = tasks[from].period.filter(|_| !fixed[to]) else { continue };
            if tasks[to].period.is_none_or(|known| period < known) {
                tasks[to].period = Some(period);
                changed = true;
            }
        }
    }
}

fn set_dependencies(tasks: &mut [Task], edges: &[Edge], remarks: &mut Diagnostics) {
    for edge in edges {
        let (from, to) = (&tasks[edge.from], &tasks[edge.to]);
        let why = if from.period != to.period {
            let show = |period: Option<u64>| show_time(period.unwrap_or(0));
            Some(format!(
                "the connection {} leads from a period of {} to one of {}: nothing fixes which \
                 executions come first",
                edge.text,
                show(from.period),
                show(to.period)
            ))
        } else if reaches(tasks, edge.from, edge.to) {
            Some(format!(
                "the connection {} closes a circle: its messages are taken in the next frame",
                edge.text
            ))
        } else {
            None
        };
        match why {
            Some(why) => remarks.push(at(Diagnostic::warning(why), edge.place.as_ref())),
            None if tasks[edge.to].after.contains(&edge.from) => {}
            None => tasks[edge.to].after.push(edge.from),
        }
    }
}

/// Whether `task` follows `other`, directly or not, or is the same.
fn reaches(tasks: &[Task], task: usize, other: usize) -> bool {
    let mut seen = vec![false; tasks.len()];
    let mut open = vec![task];
    while let Some(next) = open.pop() {
        if next == other {
            return true;
        }
        if !std::mem::replace(&mut seen[next], true) {
            open.extend(&tasks[next].after);
        }
    }
    false
}

/// The epochs, and their common period.
type Epochs = (BTreeMap<Option<u64>, Epoch>, Option<u64>);

fn epochs(tasks: &[Task]) -> Result<Epochs, Diagnostics> {
    let periods: BTreeSet<u64> = tasks.iter().filter_map(|task| task.period).collect();
    let periods: Vec<u64> = periods.into_iter().collect();
    if periods.is_empty() {
        let epoch = Epoch { name: "frame".to_owned(), frames: 1 };
        return Ok((BTreeMap::from([(None, epoch)]), None));
    }
    let frames = frames(&periods).ok_or_else(|| no_common(tasks))?;
    // Rounded periods end up to a nanosecond apart.
    let ends = periods.iter().zip(&frames).map(|(period, frames)| period * frames);
    let common = ends.max().unwrap_or(0);
    let name = |period: u64| match periods.len() {
        1 => "frame".to_owned(),
        _ => format!("every_{}", show_time(period).replace('.', "_")),
    };
    let epoch =
        |(period, frames): (&u64, u64)| (Some(*period), Epoch { name: name(*period), frames });
    Ok((periods.iter().zip(frames).map(epoch).collect(), Some(common)))
}

/// How many frames of each period, the shortest first, are equally long. Periods are whole nanoseconds:
/// those of 60 Hz and 30 Hz have no common multiple of two frames, but would if they were not rounded.
fn frames(periods: &[u64]) -> Option<Vec<u64>> {
    let shortest = *periods.first()?;
    let fits = |length: u64| length.checked_mul(shortest).is_some_and(|time| time <= LONGEST);
    let exact = |period: u64| {
        let factor = common_factor(period, shortest);
        Some((period / factor, shortest / factor))
    };
    let count = |ratio: &dyn Fn(u64) -> Option<(u64, u64)>| {
        let mut ratios = Vec::with_capacity(periods.len());
        // Frames of the shortest period.
        let mut length = 1_u64;
        for period in periods {
            let (of_shortest, own) = ratio(*period)?;
            let factor = common_factor(length, of_shortest);
            length = (length / factor).checked_mul(of_shortest).filter(|length| fits(*length))?;
            ratios.push((of_shortest, own));
        }
        let frames = ratios.iter().map(|(of_shortest, own)| length / of_shortest * own);
        let frames: Vec<u64> = frames.collect();
        (frames.iter().sum::<u64>() <= MOST_FRAMES).then_some(frames)
    };
    count(&exact).or_else(|| count(&|period| rounded_ratio(period, shortest)))
}

/// The simplest ratio that two periods can have had before they were rounded to nanoseconds: so many
/// of the shorter one take as long as so many of the longer one.
fn rounded_ratio(period: u64, shortest: u64) -> Option<(u64, u64)> {
    let [period, shortest] = [period, shortest].map(u128::from);
    for own in 1..=u128::from(MOST_FRAMES) {
        let of_shortest = (own * period + shortest / 2) / shortest;
        let apart = (own * period).abs_diff(of_shortest * shortest);
        // Each of them is half a nanosecond off at most, and one of whole microseconds is as it was.
        let off = |period: u128, frames: u128| if period.is_multiple_of(1000) { 0 } else { frames };
        if 2 * apart <= off(period, own) + off(shortest, of_shortest) {
            return Some((u64::try_from(of_shortest).ok()?, u64::try_from(own).ok()?));
        }
    }
    None
}

fn no_common(tasks: &[Task]) -> Diagnostics {
    let mut names: BTreeMap<u64, &Task> = BTreeMap::new();
    for task in tasks {
        if let Some(period) = task.period {
            names.entry(period).or_insert(task);
        }
    }
    let list: Vec<String> = names
        .iter()
        .map(|(period, task)| format!("{} of `{}`", show_time(*period), one_line(&task.entity)))
        .collect();
    let (list, longest) = (list.join(", "), show_time(LONGEST));
    let what = match names.len() {
        1 => format!("the period {list} is longer than {longest}, the most"),
        _ => format!(
            "the periods {list} have no common multiple up to {longest} and {MOST_FRAMES} frames, \
             so no schedule repeats"
        ),
    };
    let mut places = names.values().filter_map(|task| span_at(task.place.as_ref()?));
    let mut problem = Diagnostic::error(ResultCode::ARGUMENT_INVALID, what);
    problem.span = places.next();
    places.take(NAMED).fold(problem, |problem, place| problem.note(place, "another period")).into()
}

fn common_factor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hertz(rate: f64) -> u64 {
        (1e9 / rate).round() as u64
    }

    #[test]
    fn rounded_rates_have_a_common_period() {
        let frames = |rates: &[f64]| {
            let periods: BTreeSet<u64> = rates.iter().map(|rate| hertz(*rate)).collect();
            frames(&periods.into_iter().collect::<Vec<_>>())
        };
        assert_eq!(frames(&[60.0, 30.0]), Some(vec![2, 1]));
        assert_eq!(frames(&[200.0, 30.0]), Some(vec![20, 3]));
        assert_eq!(frames(&[1000.0, 60.0, 30.0, 7.0]), Some(vec![1000, 60, 30, 7]));
        assert_eq!(frames(&[100.0, 10.0]), Some(vec![10, 1]));
        assert_eq!(frames(&[29.97, 30.0]), Some(vec![1000, 999]));
        assert_eq!(frames(&[3.0]), Some(vec![1]));
    }

    #[test]
    fn periods_without_a_relation_have_none() {
        assert_eq!(frames(&[1_000_000, 999_999_937]), None);
        assert_eq!(frames(&[9_973_001, 10_007_003, 99_991_111]), None);
    }
}
