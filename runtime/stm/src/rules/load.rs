//! Resources that are asked for more time than a period has.

use super::Resolver;
use crate::expand::{Cycle, MOST_INSTANCES, cycle_count, instance_count};
use crate::graph::{Need, ResourceKind};
use crate::read::error;
use crate::time::show_time;
use rustc_hash::FxHashMap;

/// Most terms of a sum to show.
const TERMS: usize = 4;
/// Most executions times engines: checks of orders know for each how far each engine has come.
const MOST_POSITIONS: u128 = 50_000_000;
/// Most dependencies between the frames of epochs without a period.
const MOST_DEPENDENCIES: u128 = 10_000_000;

impl Resolver<'_> {
    pub(super) fn load(&mut self) {
        for hyperepoch in 0..self.graph.hyperepochs.len() {
            let count = instance_count(&self.graph, hyperepoch);
            if count > u128::from(MOST_INSTANCES) {
                let raw = &self.graph.hyperepochs[hyperepoch];
                let message = format!(
                    "a schedule of `{}` would have {count} executions; at most {MOST_INSTANCES} are allowed",
                    raw.name
                );
                let problem = error("too-large", message).at(raw.span.clone());
                let help = "fewer frames, or alias groups whose steps have common factors, make it shorter";
                self.push(problem.help(help));
                continue;
            }
            if self.too_many_frames(hyperepoch) {
                continue;
            }
            let engines = self.graph.resources.iter().filter(|resource| {
                resource.hyperepoch == Some(hyperepoch)
                    && matches!(resource.kind, ResourceKind::Engine(_))
            });
            let engines = engines.count();
            if count * engines as u128 > MOST_POSITIONS {
                let raw = &self.graph.hyperepochs[hyperepoch];
                let message = format!(
                    "`{}` has too many executions, {count}, on {engines} engines",
                    raw.name
                );
                let problem = error("too-large", message).at(raw.span.clone());
                self.push(problem.help("make it several hyperepochs"));
                continue;
            }
            if self.too_many_dependencies(hyperepoch) {
                continue;
            }
            let Some(period) = self.graph.hyperepochs[hyperepoch].period else { continue };
            self.overcommitted(hyperepoch, period);
        }
    }

    /// Epochs count their frames in a schedule, whether anything runs in them or not.
    fn too_many_frames(&mut self, hyperepoch: usize) -> bool {
        let hyperepoch = &self.graph.hyperepochs[hyperepoch];
        let frames =
            hyperepoch.epochs.iter().map(|epoch| u64::from(self.graph.epochs[*epoch].frames));
        let frames: u64 = frames.sum();
        let is_too_large = frames > u64::from(MOST_INSTANCES);
        if is_too_large {
            let message = format!(
                "a schedule of `{}` would have {frames} frames; at most {MOST_INSTANCES} are allowed",
                hyperepoch.name
            );
            let problem = error("too-large", message).at(hyperepoch.span.clone());
            self.push(problem.help("make it several hyperepochs, or give epochs fewer frames"));
        }
        is_too_large
    }

    /// In an epoch without a period, the first runnables of a frame wait for the last ones of the
    /// frame before: each for each.
    fn too_many_dependencies(&mut self, hyperepoch: usize) -> bool {
        let mut members = vec![0_u128; self.graph.epochs.len()];
        for runnable in &self.graph.runnables {
            members[runnable.epoch] += 1;
        }
        for epoch in self.graph.hyperepochs[hyperepoch].epochs.clone() {
            let (members, epoch) = (members[epoch], &self.graph.epochs[epoch]);
            let frames = u128::from(epoch.frames);
            if epoch.period.is_some() || members * members * (frames - 1) <= MOST_DEPENDENCIES {
                continue;
            }
            let message = format!(
                "{frames} frames of {members} runnables without a `Period` are too many dependencies"
            );
            let problem = error("too-large", message).at(epoch.span.clone());
            let help = format!("give `{}` a `Period`, or fewer frames", epoch.name);
            self.push(problem.help(help));
            return true;
        }
        false
    }

    /// Compares the time that runnables ask of each set of resources with what it has.
    fn overcommitted(&mut self, hyperepoch: usize, period: u64) {
        let mut sets: Vec<&Vec<usize>> = Vec::new();
        let mut seen: FxHashMap<&Vec<usize>, ()> = FxHashMap::default();
        for runnable in &self.graph.runnables {
            if self.graph.epochs[runnable.epoch].hyperepoch != hyperepoch {
                continue;
            }
            for Need { candidates, .. } in &runnable.needs {
                if seen.insert(candidates, ()).is_none() {
                    sets.push(candidates);
                }
            }
        }
        sets.sort();
        let mut problems = Vec::new();
        for cycle in 0..cycle_count(&self.graph, hyperepoch) {
            let instances = Cycle::new(&self.graph, hyperepoch, cycle).instances;
            let mut frames = FxHashMap::default();
            for instance in &instances {
                *frames.entry(instance.runnable).or_insert(0_u64) += 1;
            }
            for set in &sets {
                let is_inside = |need: &Need| need.candidates.iter().all(|c| set.contains(c));
                let mut terms: Vec<(u64, u64, usize)> = Vec::new();
                for (index, count) in &frames {
                    let runnable = &self.graph.runnables[*index];
                    let needs = runnable.needs.iter().filter(|need| is_inside(need)).count() as u64;
                    if needs > 0 {
                        terms.push((runnable.wcet * count * needs, *count, *index));
                    }
                }
                let sum: u128 = terms.iter().map(|(time, ..)| u128::from(*time)).sum();
                if sum > u128::from(period) * set.len() as u128 {
                    terms.sort_by_key(|(time, _, index)| (std::cmp::Reverse(*time), *index));
                    problems.push(self.explain_load(hyperepoch, period, set, &terms, sum));
                }
            }
            // One cycle is enough to see it.
            if !problems.is_empty() {
                break;
            }
        }
        problems.into_iter().for_each(|problem| self.push(problem));
    }

    fn explain_load(
        &self,
        hyperepoch: usize,
        period: u64,
        set: &[usize],
        terms: &[(u64, u64, usize)],
        sum: u128,
    ) -> gxf_app::Diagnostic {
        let names: Vec<String> =
            set.iter().map(|index| format!("`{}`", self.graph.resource_name(*index))).collect();
        let mut sums: Vec<String> = Vec::new();
        for (_, count, index) in terms.iter().take(TERMS) {
            let name = self.graph.runnable_name(*index);
            let wcet = show_time(self.graph.runnables[*index].wcet);
            sums.push(match count {
                1 => format!("{wcet} for `{name}`"),
                _ => format!("{count} × {wcet} for `{name}`"),
            });
        }
        if terms.len() > TERMS {
            let rest: u64 = terms[TERMS..].iter().map(|(time, ..)| time).sum();
            sums.push(format!("{} for {} more", show_time(rest), terms.len() - TERMS));
        }
        let show = |time: u128| u64::try_from(time).map_or("too much".to_owned(), show_time);
        let there = u128::from(period) * set.len() as u128;
        let message = format!(
            "{} {} {} in each period of `{}`, and {} of work",
            if names.len() > 3 {
                format!("{} and {} more", names[..2].join(", "), names.len() - 2)
            } else {
                names.join(" and ")
            },
            if names.len() == 1 { "has" } else { "have" },
            show(there),
            self.graph.hyperepochs[hyperepoch].name,
            show(sum)
        );
        let (.., first) = terms[0];
        error("overcommitted", message)
            .at(self.graph.runnables[first].span.clone())
            .label("asks for the most")
            .help(format!("the sum: {} = {}", sums.join(" + "), show(sum)))
    }
}
