//! Submitters on CPUs, and the work that they submit to other engines.

use super::Resolver;
use crate::graph::{Engine, ResourceKind};
use crate::read::error;

impl Resolver<'_> {
    pub(super) fn submits(&mut self) {
        for index in 0..self.graph.runnables.len() {
            if let Some(submittee) = self.graph.runnables[index].submits {
                self.submit(index, submittee);
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

    /// Joins a pair, and narrows its streams and engines to those that fit each other.
    fn link(&mut self, submitter: usize, submittee: usize) {
        self.graph.runnables[submittee].submitter = Some(submitter);
        if !self.graph.runnables[submittee].dependencies.contains(&submitter) {
            self.graph.runnables[submittee].dependencies.push(submitter);
        }
        let Some(engine) = self.graph.engine_of(submittee) else { return };
        let engines = match self.graph.runnables[submittee].needs.first() {
            Some(need) => need.candidates.clone(),
            None => return,
        };
        let leads_to = |stream: &usize| self.graph.resources[*stream].leads_to;
        let needs = &self.graph.runnables[submitter].needs;
        let streams = needs.iter().position(|need| {
            need.candidates.first().is_some_and(|candidate| leads_to(candidate).is_some())
        });
        let wanted = match engine {
            Engine::Gpu => "CUDA_STREAM",
            Engine::Vpu | Engine::Pva => "PVA_STREAM",
            Engine::Cpu | Engine::Dla => "",
        };
        let (name, work) =
            (self.graph.runnable_name(submitter), self.graph.runnable_name(submittee));
        let place = self.graph.runnables[submitter].span.clone();
        let Some(streams) = streams else {
            let has_stream = needs.iter().any(|need| {
                let kind = need.candidates.first().map(|c| self.graph.resources[*c].kind);
                kind == Some(ResourceKind::Stream)
            });
            if !wanted.is_empty() && !has_stream {
                let message =
                    format!("`{name}` submits work to a {} without a stream", engine.name());
                let problem = error("submit", message).at(place);
                self.push(problem.help(format!("add `{wanted}` to its `Resources`")));
            }
            return;
        };
        let of_work =
            |stream: &usize| leads_to(stream).is_some_and(|engine| engines.contains(&engine));
        let fitting: Vec<usize> =
            needs[streams].candidates.iter().filter(|stream| of_work(stream)).copied().collect();
        if fitting.is_empty() {
            let text = &needs[streams].text;
            let message =
                format!("`{work}` does not run on the engine that `{text}` of `{name}` leads to");
            let note = self.graph.runnables[submittee].span.clone();
            self.push(error("submit", message).at(place).note(note, "the work"));
            return;
        }
        let reached: Vec<usize> = fitting.iter().filter_map(leads_to).collect();
        self.graph.runnables[submitter].needs[streams].candidates = fitting;
        self.graph.runnables[submittee].needs[0]
            .candidates
            .retain(|engine| reached.contains(engine));
    }
}
