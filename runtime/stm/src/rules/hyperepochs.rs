//! Hyperepochs and epochs: the partition of the resources, periods and frames.

use super::{Resolver, value_or};
use crate::graph::{Epoch, Hyperepoch};
use crate::read::{RawHyperepoch, error};
use crate::time::show_time;
use rustc_hash::FxHashMap;

impl Resolver<'_> {
    pub(super) fn hyperepochs(&mut self) {
        let raw = self.raw;
        if raw.hyperepochs.is_empty() && !raw.is_partial {
            let mut problem = error("required", "the graph has no `Hyperepochs`");
            problem.span = raw.name.as_ref().map(|name| name.span.clone());
            self.push(problem.help("write `Hyperepochs:`, and below it `- NAME: {Epochs: […]}`"));
        }
        let mut names = FxHashMap::default();
        for hyperepoch in &raw.hyperepochs {
            let name = &hyperepoch.name;
            if let Some(first) = names.insert(name.value.as_str(), name.span.clone()) {
                self.taken("hyperepoch", &name.value, &name.span, &first);
                continue;
            }
            let index = self.graph.hyperepochs.len();
            let before = self.findings.errors();
            let resources = self.partition(index, hyperepoch);
            if self.findings.errors() > before {
                self.unclear.insert(index);
            }
            self.graph.hyperepochs.push(Hyperepoch {
                name: name.value.clone(),
                period: None,
                resources,
                epochs: Vec::new(),
                span: name.span.clone(),
            });
            self.epochs(index, hyperepoch);
            self.period(index, hyperepoch);
        }
    }

    /// The resources of a hyperepoch.
    fn partition(&mut self, index: usize, raw: &RawHyperepoch) -> Vec<usize> {
        let Some(names) = &raw.resources else {
            if self.raw.hyperepochs.len() > 1 {
                let message = format!("the hyperepoch `{}` has no `Resources`", raw.name.value);
                let problem = error("partition", message).at(raw.name.span.clone());
                let help = "only a hyperepoch that is alone owns all resources without a list";
                self.push(problem.help(help));
                return Vec::new();
            }
            let all = 0..self.graph.resources.len();
            self.graph.resources.iter_mut().for_each(|resource| resource.hyperepoch = Some(index));
            return all.collect();
        };
        let mut owned = Vec::new();
        for name in names {
            let found = self.global.get(&name.value).cloned().unwrap_or_default();
            let [resource] = found[..] else {
                let problem = if found.len() > 1 {
                    let all: Vec<_> = found
                        .iter()
                        .map(|resource| format!("`{}`", self.graph.resource_name(*resource)))
                        .collect();
                    error("unknown", format!("several SOCs have a resource `{}`", name.value))
                        .help(format!("write {}", all.join(" or ")))
                } else if let Some(instances) = self.types.get(&name.value) {
                    let all: Vec<_> = instances
                        .iter()
                        .map(|resource| self.graph.resource_name(*resource))
                        .collect();
                    let message =
                        format!("`{}` is a type; a hyperepoch owns instances", name.value);
                    error("unknown", message).help(format!("write `{}`", all.join(", ")))
                } else {
                    let all = self.names_of(&self.global);
                    let near = self.near(&name.value, all.iter().map(String::as_str));
                    error("unknown", format!("there is no resource `{}`", name.value)).suggest(near)
                };
                self.push(problem.at(name.span.clone()));
                continue;
            };
            match self.graph.resources[resource].hyperepoch {
                Some(owner) if owner == index => {
                    let message = format!("`{}` is listed twice", name.value);
                    self.push(error("partition", message).at(name.span.clone()));
                }
                Some(owner) => {
                    let owner = &self.graph.hyperepochs[owner];
                    let message = format!(
                        "`{}` belongs to the hyperepoch `{}`; hyperepochs share no resources",
                        name.value, owner.name
                    );
                    let note = owner.span.clone();
                    let problem = error("partition", message).at(name.span.clone());
                    self.push(problem.note(note, "its owner"));
                }
                None => {
                    self.graph.resources[resource].hyperepoch = Some(index);
                    owned.push(resource);
                }
            }
        }
        owned
    }

    fn epochs(&mut self, hyperepoch: usize, raw: &RawHyperepoch) {
        if raw.epochs.is_empty() {
            let message = format!("the hyperepoch `{}` has no `Epochs`", raw.name.value);
            let problem = error("required", message).at(raw.name.span.clone());
            self.push(problem.help("write `Epochs:`, and below it `- NAME: {Period: 10ms}`"));
        }
        for epoch in &raw.epochs {
            let whole = format!("{}.{}", raw.name.value, epoch.name.value);
            if let Some(first) = self.epochs.get(&whole) {
                let first = self.graph.epochs[*first].span.clone();
                self.taken("epoch", &epoch.name.value, &epoch.name.span, &first);
                continue;
            }
            let index = self.graph.epochs.len();
            self.epochs.insert(whole, index);
            self.graph.hyperepochs[hyperepoch].epochs.push(index);
            self.graph.epochs.push(Epoch {
                name: epoch.name.value.clone(),
                hyperepoch,
                period: epoch.period.given().map(|period| period.value),
                frames: value_or(&epoch.frames, 1),
                alias_groups: Vec::new(),
                span: epoch.name.span.clone(),
            });
        }
    }

    /// The period of a hyperepoch, and whether its frames fit.
    fn period(&mut self, index: usize, raw: &RawHyperepoch) {
        let epochs = self.graph.hyperepochs[index].epochs.clone();
        let period = match (raw.period.given(), &epochs[..]) {
            (Some(period), _) => Some(period.value),
            (None, [epoch]) if raw.period.is_absent() => {
                let epoch = &self.graph.epochs[*epoch];
                epoch.period.and_then(|period| period.checked_mul(u64::from(epoch.frames)))
            }
            (None, [_, _, ..]) if raw.period.is_absent() => {
                let message = format!(
                    "the hyperepoch `{}` has {} epochs and no `Period`",
                    raw.name.value,
                    epochs.len()
                );
                let problem = error("period", message).at(raw.name.span.clone());
                self.push(problem.help("only the period of a single epoch can be inferred"));
                None
            }
            _ => None,
        };
        self.graph.hyperepochs[index].period = period;
        let (Some(period), Some(written)) = (period, raw.period.given()) else { return };
        for (epoch, raw_epoch) in epochs.iter().zip(&raw.epochs) {
            let epoch = &self.graph.epochs[*epoch];
            let Some(step) = raw_epoch.period.given() else { continue };
            let span = u128::from(step.value) * u128::from(epoch.frames);
            if span <= u128::from(period) {
                continue;
            }
            let length = u64::try_from(span).map_or("far more".to_owned(), show_time);
            let message = format!(
                "{} × {} = {length}, but the period of `{}` is {}",
                match epoch.frames {
                    1 => "1 frame".to_owned(),
                    frames => format!("{frames} frames"),
                },
                show_time(step.value),
                raw.name.value,
                show_time(period)
            );
            let fit = period / step.value;
            let problem = error("frames", message)
                .at(raw_epoch
                    .frames
                    .given()
                    .map_or(step.span.clone(), |frames| frames.span.clone()))
                .label(format!("{fit} fit"))
                .note(written.span.clone(), "the period");
            self.push(problem);
        }
    }
}
