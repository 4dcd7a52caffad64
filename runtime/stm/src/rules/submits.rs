//! Submitters on CPUs, and the work that they submit to other engines.
//!
//! An engine starts work as soon as its stream lets it. So what work waits for, its submitter waits
//! for, and a `StartTime` of work is one of its submitter, too.

use super::Resolver;
use crate::graph::{Engine, Need, ResourceKind};
use crate::read::error;

impl Resolver<'_> {
    pub(super) fn submits(&mut self) {
        for index in 0..self.graph.runnables.len() {
            if let Some(submittee) = self.graph.runnables[index].submits {
                self.submit(index, submittee);
            }
        }
        for index in 0..self.graph.runnables.len() {
            if let Some(submitter) = self.graph.runnables[index].submitter {
                self.hold_back(submitter, index);
            }
        }
        for index in 0..self.graph.runnables.len() {
            let runnable = &self.graph.runnables[index];
            let engine = self.graph.engine_of(index);
            let Some(engine) = engine.filter(|engine| *engine != Engine::Cpu) else { continue };
            if runnable.submitter.is_none() {
                let name = self.graph.runnable_name(index);
                let message =
                    format!("`{name}` runs on a {}, and nothing submits it", engine.name());
                let problem = error("submit", message).at(runnable.span.clone());
                let help = format!("give the CPU runnable that submits it `Submits: {name}`");
                self.push(problem.help(help));
            }
        }
    }

    fn submit(&mut self, submitter: usize, submittee: usize) {
        let (first, second) = (&self.graph.runnables[submitter], &self.graph.runnables[submittee]);
        let (name, work) =
            (self.graph.runnable_name(submitter), self.graph.runnable_name(submittee));
        let (engine, work_engine) =
            (self.graph.engine_of(submitter), self.graph.engine_of(submittee));
        let other = second.span.clone();
        let problem = if let Some(earlier) = second.submitter {
            let message = format!("`{work}` has a second submitter, `{name}`");
            error("submit", message)
                .note(self.graph.runnables[earlier].span.clone(), "the first one")
        } else if first.client != second.client {
            let message = format!("`{name}` submits `{work}`, which belongs to another client");
            error("submit", message).note(other, "the work")
        } else if first.epoch != second.epoch {
            let message = format!("`{name}` submits `{work}`, which runs in another epoch");
            error("submit", message).note(other, "the work")
        } else if engine.is_some_and(|engine| engine != Engine::Cpu) {
            let message = format!("`{name}` submits work and does not run on a CPU");
            error("submit", message)
                .help("ask for `CPU` and a stream; the work asks for its engine")
        } else if work_engine == Some(Engine::Cpu) {
            let message = format!("`{name}` submits `{work}`, which runs on a CPU");
            error("submit", message)
                .help("only work on other engines is submitted; write a dependency instead")
                .note(other, "the work")
        } else {
            self.link(submitter, submittee);
            return;
        };
        let place = self.graph.runnables[submitter].span.clone();
        self.push(problem.at(place));
    }

    /// Lets a submitter wait for what its work waits for.
    fn hold_back(&mut self, submitter: usize, work: usize) {
        let start_time = self.graph.runnables[work].start_time;
        let before = self.graph.runnables[work].dependencies.iter();
        let before = before.filter(|other| **other != submitter).map(|other| {
            // A stream executes work in the order of its submission.
            match self.graph.runnables[*other].submitter {
                Some(theirs) if self.graph.may_share_stream(theirs, submitter) => theirs,
                _ => *other,
            }
        });
        let own = &self.graph.runnables[submitter].dependencies;
        let before = before.filter(|other| *other != submitter && !own.contains(other)).collect();
        let runnable = &mut self.graph.runnables[submitter];
        runnable.start_time = runnable.start_time.max(start_time);
        runnable.before_work = before;
    }

    /// Joins a pair, and narrows its streams and engines to those that fit each other.
    fn link(&mut self, submitter: usize, submittee: usize) {
        self.graph.runnables[submittee].submitter = Some(submitter);
        if !self.graph.runnables[submittee].dependencies.contains(&submitter) {
            self.graph.runnables[submittee].dependencies.push(submitter);
        }
        let Some(engine) = self.graph.engine_of(submittee) else { return };
        let Some(need) = self.graph.runnables[submittee].needs.first() else { return };
        let mut engines = need.candidates.clone();
        let leads_to = |stream: &usize| self.graph.resources[*stream].leads_to;
        let needs = &self.graph.runnables[submitter].needs;
        let is_stream = |need: &&Need| need.candidates.first().and_then(leads_to).is_some();
        let wanted = match engine {
            Engine::Gpu => "CUDA_STREAM",
            Engine::Vpu | Engine::Pva => "PVA_STREAM",
            Engine::Cpu | Engine::Dla => "",
        };
        let (name, work) =
            (self.graph.runnable_name(submitter), self.graph.runnable_name(submittee));
        let place = self.graph.runnables[submitter].span.clone();
        if !needs.iter().any(|need| is_stream(&need)) {
            let has_stream = needs.iter().any(|need| {
                let kind = need.candidates.first().map(|c| self.graph.resources[*c].kind);
                kind == Some(ResourceKind::Stream)
            });
            let is_known = !self.incomplete.contains(&submitter);
            if !wanted.is_empty() && !has_stream && is_known {
                let message =
                    format!("`{name}` submits work to a {} without a stream", engine.name());
                let problem = error("submit", message).at(place);
                self.push(problem.help(format!("add `{wanted}` to its `Resources`")));
            }
            return;
        }
        // A schedule does not say which of its streams a submitter uses: all lead to the work.
        for need in needs.iter().filter(is_stream) {
            let reached: Vec<usize> = need.candidates.iter().filter_map(leads_to).collect();
            let of_work = &self.graph.runnables[submittee].needs[0].candidates;
            let message = if reached.iter().all(|engine| !of_work.contains(engine)) {
                let text = &need.text;
                format!("`{work}` does not run on the engine that `{text}` of `{name}` leads to")
            } else if reached.iter().all(|engine| !engines.contains(engine)) {
                format!(
                    "the streams of `{name}` lead to different engines, and `{work}` runs on one"
                )
            } else {
                engines.retain(|engine| reached.contains(engine));
                continue;
            };
            let note = self.graph.runnables[submittee].span.clone();
            self.push(error("submit", message).at(place).note(note, "the work"));
            return;
        }
        let leads_there: Vec<bool> = self
            .graph
            .resources
            .iter()
            .map(|stream| stream.leads_to.is_none_or(|engine| engines.contains(&engine)))
            .collect();
        for need in &mut self.graph.runnables[submitter].needs {
            need.candidates.retain(|candidate| leads_there[*candidate]);
        }
        self.graph.runnables[submittee].needs[0].candidates = engines;
    }
}
