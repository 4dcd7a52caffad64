//! Alias groups: runnables that take turns.

use super::Resolver;
use crate::graph::AliasGroup;
use crate::read::{RawAliasGroup, error, warning};
use gxf_app::Spanned;
use rustc_hash::FxHashMap;

impl Resolver<'_> {
    pub(super) fn alias_groups(&mut self) {
        let raw = self.raw;
        for hyperepoch in &raw.hyperepochs {
            for raw_epoch in &hyperepoch.epochs {
                let name = format!("{}.{}", hyperepoch.name.value, raw_epoch.name.value);
                let Some(epoch) = self.epochs.get(&name).copied() else { continue };
                let mut names = FxHashMap::default();
                for group in &raw_epoch.alias_groups {
                    let name = &group.name;
                    if let Some(first) = names.insert(name.value.as_str(), name.span.clone()) {
                        self.taken("alias group", &name.value, &name.span, &first);
                    }
                    self.alias_group(epoch, group);
                }
            }
        }
        self.neighbours();
        self.pairs();
    }

    fn alias_group(&mut self, epoch: usize, raw: &RawAliasGroup) {
        let index = self.graph.epochs[epoch].alias_groups.len();
        let mut steps = Vec::new();
        let mut first: Option<usize> = None;
        for step in &raw.steps {
            let Some(step) = step else {
                steps.push(None);
                continue;
            };
            let found = self.runnable_named(step);
            steps.push(found);
            let Some(found) = found else { continue };
            let problem = self.member(epoch, index, raw, step, found, first);
            if let Some(problem) = problem {
                self.push(problem.at(step.span.clone()));
            } else {
                self.graph.runnables[found].alias_group = Some(index);
            }
            first.get_or_insert(found);
        }
        let name = raw.name.value.clone();
        self.graph.epochs[epoch].alias_groups.push(AliasGroup { name, steps });
    }

    /// What keeps a runnable from being a step of a group whose first one is `first`.
    fn member(
        &self,
        epoch: usize,
        index: usize,
        raw: &RawAliasGroup,
        step: &Spanned<String>,
        found: usize,
        first: Option<usize>,
    ) -> Option<gxf_app::Diagnostic> {
        let (runnable, name, group) = (&self.graph.runnables[found], &step.value, &raw.name.value);
        if runnable.epoch != epoch {
            if runnable.epoch == usize::MAX {
                return None;
            }
            let message = format!(
                "`{name}` runs in `{}`, not in the epoch of `{group}`",
                self.graph.epoch_name(runnable.epoch)
            );
            return Some(error("alias", message).note(runnable.span.clone(), "the runnable"));
        }
        if let Some(other) = runnable.alias_group.filter(|other| *other != index) {
            let other = &self.graph.epochs[epoch].alias_groups[other].name;
            let message = format!("`{name}` is a step of `{other}` already");
            return Some(error("alias", message));
        }
        let first = first?;
        let first_name = self.graph.runnable_name(first);
        let first = &self.graph.runnables[first];
        if first.client != runnable.client {
            let message = format!("the steps `{first_name}` and `{name}` are of different clients");
            return Some(error("alias", message).help("steps of one group belong to one client"));
        }
        let texts = |runnable: &crate::graph::Runnable| {
            let mut texts: Vec<String> =
                runnable.needs.iter().map(|need| need.text.clone()).collect();
            texts.sort();
            texts.join(", ")
        };
        let (theirs, own) = (texts(first), texts(runnable));
        (theirs != own).then(|| {
            let message =
                format!("the steps `{first_name}` and `{name}` do not ask for the same resources");
            error("alias", message)
                .label(format!("asks for [{own}]"))
                .note(first.span.clone(), format!("asks for [{theirs}]"))
        })
    }

    fn steps_of(&self, runnable: usize) -> Option<&AliasGroup> {
        let runnable = &self.graph.runnables[runnable];
        self.graph.epochs.get(runnable.epoch)?.alias_groups.get(runnable.alias_group?)
    }

    /// A parent and a child that both take turns have equally many steps.
    fn neighbours(&mut self) {
        for index in 0..self.graph.runnables.len() {
            for dependency in self.graph.runnables[index].dependencies.clone() {
                let (Some(own), Some(theirs)) = (self.steps_of(index), self.steps_of(dependency))
                else {
                    continue;
                };
                if self.graph.runnables[index].submitter == Some(dependency) {
                    // More is asked of such a pair.
                    continue;
                }
                let (name, parent) =
                    (self.graph.runnable_name(index), self.graph.runnable_name(dependency));
                let note = self.graph.runnables[dependency].span.clone();
                let problem = if own.steps.len() != theirs.steps.len() {
                    let message = format!(
                        "`{name}` takes turns in {} steps, but `{parent}`, which it depends on, in {}",
                        own.steps.len(),
                        theirs.steps.len()
                    );
                    error("alias", message).help("groups of neighbours have equally many steps")
                } else if !own
                    .steps
                    .iter()
                    .zip(&theirs.steps)
                    .any(|(one, other)| *one == Some(index) && *other == Some(dependency))
                {
                    let message = format!(
                        "`{name}` depends on `{parent}`, and they never run in the same frame"
                    );
                    warning("alias", message)
                } else {
                    continue;
                };
                let place = self.graph.runnables[index].span.clone();
                self.push(problem.at(place).note(note, "the other one"));
            }
        }
    }

    /// Work runs in the frames of its submitter.
    fn pairs(&mut self) {
        for index in 0..self.graph.runnables.len() {
            let Some(submitter) = self.graph.runnables[index].submitter else { continue };
            let turns = |runnable: usize| -> Option<Vec<bool>> {
                let steps = self.steps_of(runnable)?.steps.iter();
                Some(steps.map(|step| *step == Some(runnable)).collect())
            };
            let (theirs, own) = (turns(submitter), turns(index));
            if theirs == own {
                continue;
            }
            let (name, work) =
                (self.graph.runnable_name(submitter), self.graph.runnable_name(index));
            let message =
                format!("`{work}` does not run in the same frames as its submitter `{name}`");
            let problem = error("alias", message)
                .at(self.graph.runnables[index].span.clone())
                .help("let both take turns, in groups with the same order")
                .note(self.graph.runnables[submitter].span.clone(), "the submitter");
            self.push(problem);
        }
    }
}
