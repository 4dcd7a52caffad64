//! Runnables: what they need, and what they wait for.

use super::resources::STREAMS;
use super::{Resolver, value_or};
use crate::graph::{Engine, Need, ResourceKind, Runnable};
use crate::read::{Field, RawRunnable, error, warning};
use crate::time::show_time;
use gxf_app::{Span, Spanned};
use rustc_hash::FxHashMap;

impl<'a> Resolver<'a> {
    pub(super) fn runnables(&mut self) {
        let raw = self.raw;
        let mut defined: Vec<&'a RawRunnable> = Vec::new();
        let mut external: Vec<(String, Option<usize>, &'a RawRunnable, &'a Span)> = Vec::new();
        for (client, raw_client) in raw.clients.iter().enumerate() {
            for (epoch_name, runnables) in &raw_client.epochs {
                let epoch = self.epoch_named(epoch_name);
                for runnable in runnables {
                    let name = format!("{}.{}", raw_client.name.value, runnable.name.value);
                    match &runnable.external {
                        Field::Given(key) => {
                            external.push((name, epoch, runnable, &key.span));
                            continue;
                        }
                        Field::Wrong => {
                            self.undefined.insert(name);
                            continue;
                        }
                        Field::Absent => {}
                    }
                    if let Some(first) = self.runnables.get(&name) {
                        let first = self.graph.runnables[*first].span.clone();
                        self.taken("runnable", &name, &runnable.name.span, &first);
                        continue;
                    }
                    self.runnables.insert(name.clone(), defined.len());
                    defined.push(runnable);
                    let wcet = self.wcet(&name, runnable);
                    self.graph.runnables.push(Runnable {
                        name: runnable.name.value.clone(),
                        client,
                        epoch: epoch.unwrap_or(usize::MAX),
                        wcet,
                        start_time: value_or(&runnable.start_time, 0),
                        deadline: runnable.deadline.given().map(|deadline| deadline.value),
                        needs: Vec::new(),
                        dependencies: Vec::new(),
                        submits: None,
                        submitter: None,
                        before_work: Vec::new(),
                        priority: value_or(&runnable.priority, 10),
                        alias_group: None,
                        span: runnable.name.span.clone(),
                    });
                }
            }
        }
        self.externals(&external);
        self.strangers_among_wcets();
        let mut users = FxHashMap::default();
        for (index, runnable) in defined.iter().enumerate() {
            if self.graph.runnables[index].epoch == usize::MAX {
                continue;
            }
            self.times(index, runnable);
            self.needs(index, runnable, &mut users);
            self.dependencies(index, runnable);
            if let Some(submits) = runnable.submits.given() {
                let target = self.runnable_named(submits);
                self.graph.runnables[index].submits = target;
            }
        }
    }

    fn epoch_named(&mut self, name: &Spanned<String>) -> Option<usize> {
        let found = self.epochs.get(&name.value).copied();
        if found.is_none() && !self.raw.is_partial {
            let all = self.names_of(&self.epochs);
            let near = self.near(&name.value, all.iter().map(String::as_str));
            let message = format!("there is no epoch `{}`", name.value);
            let mut problem = error("unknown", message).at(name.span.clone()).suggest(near);
            if near.is_none() && !name.value.contains('.') {
                problem = problem.help("write `hyperepoch.epoch`");
            }
            self.push(problem);
        }
        found
    }

    fn wcet(&mut self, name: &str, runnable: &RawRunnable) -> u64 {
        let measured = self.wcets.of(name);
        if measured.is_none() && runnable.wcet.is_absent() {
            let message = format!("`{name}` has no `WCET`");
            let problem = error("required", message).at(runnable.name.span.clone());
            self.push(problem.help("write `WCET: 1ms`, or name it in a file for --wcet"));
        }
        measured.unwrap_or_else(|| value_or(&runnable.wcet, 1))
    }

    /// Each external runnable is defined by another file, in the same epoch.
    fn externals(&mut self, external: &[(String, Option<usize>, &RawRunnable, &Span)]) {
        for (name, epoch, runnable, place) in external {
            let has_more = !runnable.wcet.is_absent() || runnable.resources.is_some();
            let problem = match self.runnables.get(name) {
                _ if has_more => error("extern", format!("`{name}` is `Extern` and defined here"))
                    .help("leave out `Extern`, or all other keys"),
                None if self.raw.is_partial => continue,
                None => error("extern", format!("`{name}` is `Extern`, and no file defines it"))
                    .help("pass the file that does with another -i"),
                Some(known)
                    if epoch.is_some_and(|epoch| epoch != self.graph.runnables[*known].epoch) =>
                {
                    let defined = &self.graph.runnables[*known];
                    let message = format!("`{name}` is defined in another epoch");
                    error("extern", message).note(defined.span.clone(), "defined here")
                }
                Some(_) => continue,
            };
            self.push(problem.at((*place).clone()));
            if !self.runnables.contains_key(name) {
                self.undefined.insert(name.clone());
            }
        }
    }

    fn strangers_among_wcets(&mut self) {
        let wcets = self.wcets;
        for (name, _) in &wcets.times {
            if !self.runnables.contains_key(&name.value) && !self.raw.is_partial {
                let all = self.names_of(&self.runnables);
                let near = self.near(&name.value, all.iter().map(String::as_str));
                let message = format!("the graph has no runnable `{}`", name.value);
                self.push(error("unknown", message).at(name.span.clone()).suggest(near));
            }
        }
    }

    fn times(&mut self, index: usize, raw: &RawRunnable) {
        let runnable = &self.graph.runnables[index];
        let epoch = &self.graph.epochs[runnable.epoch];
        let has_no_clock = epoch.period.is_none() && epoch.frames > 1;
        let name = self.graph.runnable_name(index);
        let (wcet, start_time, epoch_name) =
            (runnable.wcet, runnable.start_time, epoch.name.clone());
        if let Some(start) = raw.start_time.given().filter(|_| has_no_clock) {
            let message = format!(
                "`{name}` has a `StartTime`, but the frames of `{epoch_name}` start when the one before is done"
            );
            let problem = error("start-time", message).at(start.span.clone());
            self.push(problem.help(format!("give `{epoch_name}` a `Period`")));
        }
        if let Some(deadline) = raw.deadline.given() {
            let problem = if has_no_clock {
                let message =
                    format!("the `Deadline` of `{name}` is ignored: its frames have no period");
                warning("deadline", message)
            } else if deadline.value < start_time + wcet {
                let message = format!(
                    "`{name}` ends at {} at the earliest, after its `Deadline`",
                    show_time(start_time + wcet)
                );
                warning("deadline", message)
            } else {
                return;
            };
            self.push(problem.at(deadline.span.clone()));
        }
    }

    fn needs(
        &mut self,
        index: usize,
        raw: &RawRunnable,
        users: &mut FxHashMap<usize, (usize, Span)>,
    ) {
        let name = self.graph.runnable_name(index);
        let Some(wanted) = &raw.resources else {
            let problem = error("required", format!("`{name}` has no `Resources`"));
            self.push(problem.at(raw.name.span.clone()).help("write `Resources: [CPU]`"));
            return;
        };
        let mut needs: Vec<Need> = Vec::new();
        let mut is_complete = true;
        for text in wanted {
            if needs.iter().any(|need| need.text == text.value) {
                let message = format!("`{name}` asks for `{}` twice", text.value);
                self.push(error("duplicate", message).at(text.span.clone()));
                continue;
            }
            match self.candidates(index, text) {
                Some(candidates) => {
                    self.one_hyperepoch(index, &candidates, text, users);
                    needs.push(Need { text: text.value.clone(), candidates });
                }
                None => is_complete = false,
            }
        }
        if !is_complete {
            self.incomplete.insert(index);
        }
        // A type beside one of its instances means another instance.
        let single: Vec<usize> = needs
            .iter()
            .filter(|need| need.candidates.len() == 1)
            .map(|need| need.candidates[0])
            .collect();
        for need in needs.iter_mut().filter(|need| need.candidates.len() > 1) {
            need.candidates.retain(|candidate| !single.contains(candidate));
        }
        // One with a single instance leaves none then. Engines have an error of their own.
        for need in &mut needs {
            if let [only] = need.candidates[..]
                && self.graph.engine(only).is_none()
                && need.text != self.graph.resources[only].name
                && single.iter().filter(|one| **one == only).count() > 1
            {
                need.candidates.clear();
            }
        }
        let is_engine =
            |need: &Need| need.candidates.first().is_some_and(|c| self.graph.engine(*c).is_some());
        let engines: Vec<String> = needs
            .iter()
            .filter(|need| is_engine(need))
            .map(|need| format!("`{}`", need.text))
            .collect();
        needs.sort_by_key(|need| !is_engine(need));
        let place = raw.resources.as_ref().and_then(|wanted| wanted.first());
        let place = place.map_or(raw.name.span.clone(), |first| first.span.clone());
        let problem = if engines.len() > 1 {
            let message =
                format!("`{name}` asks for {}; a runnable uses one engine", engines.join(" and "));
            Some(error("engine", message).help("split it in two, one after the other"))
        } else if engines.is_empty() && is_complete {
            let message = format!("`{name}` asks for no engine to run on");
            Some(error("engine", message).help("add `CPU`, or another engine"))
        } else if let Some(empty) = needs.iter().find(|need| need.candidates.is_empty()) {
            let message = format!("`{name}` asks for `{}` and for its only instances", empty.text);
            Some(error("engine", message))
        } else {
            None
        };
        if let Some(problem) = problem {
            self.push(problem.at(place));
        }
        self.graph.runnables[index].needs = needs;
    }

    /// The resources that a text of a runnable stands for.
    fn candidates(&mut self, index: usize, text: &Spanned<String>) -> Option<Vec<usize>> {
        let runnable = &self.graph.runnables[index];
        let (client, epoch) = (runnable.client, runnable.epoch);
        let hyperepoch = self.graph.epochs[epoch].hyperepoch;
        let owner = self.graph.hyperepochs[hyperepoch].name.clone();
        let name = self.graph.runnable_name(index);
        let all = match self.local.get(&(client, text.value.clone())) {
            Some(local) => local.clone(),
            None => {
                let named = self.global_named(client, &text.value);
                if named.is_empty() {
                    self.of_soc(
                        client,
                        self.types.get(&text.value).map(Vec::as_slice).unwrap_or_default(),
                    )
                } else {
                    named
                }
            }
        };
        if all.is_empty() {
            let problem = self.unknown_resource(client, text);
            self.push(problem);
            return None;
        }
        let is_there = |resource: &&usize| {
            let resource = &self.graph.resources[**resource];
            match (resource.client, resource.leads_to) {
                (Some(_), None) => true,
                _ => resource.hyperepoch == Some(hyperepoch),
            }
        };
        let here: Vec<usize> = all.iter().filter(is_there).copied().collect();
        let may_own = |resource: &usize| self.graph.resources[*resource].hyperepoch.is_none();
        if here.is_empty() && self.unclear.contains(&hyperepoch) && all.iter().any(may_own) {
            return None;
        }
        if here.is_empty() {
            let first = &self.graph.resources[all[0]];
            let message = match first.hyperepoch.map(|other| &self.graph.hyperepochs[other].name) {
                Some(other) if all.len() == 1 => format!(
                    "`{name}` runs in the hyperepoch `{owner}`, but `{}` belongs to `{other}`",
                    text.value
                ),
                _ if all.len() == 1 => {
                    format!("`{}` belongs to no hyperepoch, so nothing can use it", text.value)
                }
                _ => format!("the hyperepoch `{owner}` of `{name}` owns no `{}`", text.value),
            };
            let place = self.graph.hyperepochs[hyperepoch].span.clone();
            let problem = error("partition", message).at(text.span.clone());
            self.push(problem.note(place, format!("the hyperepoch `{owner}`")));
            return None;
        }
        Some(here)
    }

    fn unknown_resource(&mut self, client: usize, text: &Spanned<String>) -> gxf_app::Diagnostic {
        let others =
            self.local.keys().find(|(other, name)| *other != client && *name == text.value);
        if let Some((other, _)) = others {
            let other = &self.graph.clients[*other].name;
            let message = format!("`{}` is a resource of the client `{other}` alone", text.value);
            return error("unknown", message).at(text.span.clone());
        }
        if self.global.contains_key(&text.value) || self.types.contains_key(&text.value) {
            let message = self.not_on_soc(client, &text.value);
            return error("unknown", message).at(text.span.clone());
        }
        let own = self.local.keys().filter(|(other, _)| *other == client).map(|(_, name)| name);
        let is_here =
            |(_, resources): &(_, &Vec<usize>)| !self.of_soc(client, resources).is_empty();
        let shared = self.global.iter().chain(&self.types).filter(is_here).map(|(name, _)| name);
        let mut names: Vec<String> = own.chain(shared).cloned().collect();
        names.sort();
        let near = self.near(&text.value, names.iter().map(String::as_str));
        let message = format!("there is no resource and no type `{}`", text.value);
        let problem = error("unknown", message).at(text.span.clone()).suggest(near);
        let is_stream = STREAMS.iter().any(|(name, ..)| *name == text.value);
        let is_engine = Engine::named(&text.value).is_some();
        match near {
            None if is_stream => problem.help("list one below `Resources` of the client"),
            None if is_engine => problem.help("list one below `Resources` of the graph"),
            _ => problem,
        }
    }

    /// A client's mutex is of use in one hyperepoch only: others run at times of their own.
    fn one_hyperepoch(
        &mut self,
        index: usize,
        candidates: &[usize],
        text: &Spanned<String>,
        users: &mut FxHashMap<usize, (usize, Span)>,
    ) {
        let hyperepoch = self.graph.epochs[self.graph.runnables[index].epoch].hyperepoch;
        for candidate in candidates {
            let resource = &self.graph.resources[*candidate];
            if resource.client.is_none() || resource.leads_to.is_some() {
                continue;
            }
            let (first, place) =
                users.entry(*candidate).or_insert_with(|| (hyperepoch, text.span.clone()));
            if *first == hyperepoch {
                continue;
            }
            let what = if resource.kind == ResourceKind::Mutex { "mutex" } else { "handle" };
            let message = format!(
                "the {what} `{}` is used in `{}` and in `{}`, which run independently",
                resource.name,
                self.graph.hyperepochs[*first].name,
                self.graph.hyperepochs[hyperepoch].name
            );
            let problem = error("partition", message).at(text.span.clone());
            self.findings.push(problem.note(place.clone(), "first used here"));
            return;
        }
    }

    fn dependencies(&mut self, index: usize, raw: &RawRunnable) {
        let epoch = self.graph.runnables[index].epoch;
        let mut dependencies = Vec::new();
        for name in &raw.dependencies {
            let Some(other) = self.runnable_named(name) else { continue };
            let own = self.graph.runnable_name(index);
            let their_epoch = self.graph.runnables[other].epoch;
            if dependencies.contains(&other) {
                let message = format!("`{own}` depends on `{}` twice", name.value);
                self.push(warning("duplicate", message).at(name.span.clone()));
            } else if their_epoch != epoch && their_epoch != usize::MAX {
                let message = format!(
                    "`{own}` runs in `{}` and cannot depend on `{}` of `{}`",
                    self.graph.epoch_name(epoch),
                    name.value,
                    self.graph.epoch_name(their_epoch)
                );
                let problem = error("other-epoch", message).at(name.span.clone());
                self.push(problem.help("dependencies stay within one epoch"));
            } else {
                dependencies.push(other);
            }
        }
        self.graph.runnables[index].dependencies = dependencies;
    }

    pub(super) fn runnable_named(&mut self, name: &Spanned<String>) -> Option<usize> {
        let found = self.runnables.get(&name.value).copied();
        let is_known = found.is_some() || self.undefined.contains(&name.value);
        if !is_known && !self.raw.is_partial {
            let all = self.names_of(&self.runnables);
            let near = self.near(&name.value, all.iter().map(String::as_str));
            let message = format!("there is no runnable `{}`", name.value);
            let mut problem = error("unknown", message).at(name.span.clone()).suggest(near);
            if near.is_none() && !name.value.contains('.') {
                problem = problem.help("write `client.runnable`");
            }
            self.push(problem);
        }
        found
    }
}
