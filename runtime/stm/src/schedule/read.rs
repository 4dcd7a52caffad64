//! Text to schedules.

use super::{CyclePlan, EpochPlan, Execution, HyperepochPlan, Lane, Refutation, Schedule, VERSION};
use crate::deduce::Proof;
use crate::expand::MOST_INSTANCES;
use crate::read::nodes::{Entry, Nodes};
use crate::read::{Field, documents, error};
use gxf_app::yaml::Node;
use gxf_app::{Diagnostic, Diagnostics, Severity, Source};
use std::sync::Arc;

const SCHEDULE_KEYS: [&str; 5] =
    ["Schedule", "Graph", "Identifier", "OneActiveRunnable", "Hyperepochs"];
const REFUTATION_KEYS: [&str; 7] =
    ["Refutation", "Graph", "Identifier", "OneActiveRunnable", "Hyperepoch", "Cycle", "Proof"];
const HYPEREPOCH_KEYS: [&str; 4] = ["Period", "Resources", "Epochs", "Cycles"];
const EPOCH_KEYS: [&str; 2] = ["Period", "Frames"];
const CYCLE_KEYS: [&str; 5] = ["Makespan", "LowerBound", "KeepsDeadlines", "Proof", "Lanes"];
const EXECUTION_KEYS: [&str; 10] =
    ["Runnable", "Epoch", "Frame", "Release", "Start", "End", "Holds", "After", "Submits", "Fused"];

/// What a file of this format is.
#[derive(Clone, Debug)]
pub enum Document {
    /// A schedule.
    Schedule(Schedule),
    /// A proof that there is none.
    Refutation(Refutation),
}

/// Reads a schedule, or the refutation of one.
///
/// # Errors
/// All mistakes of form.
pub fn read_document(source: &Arc<Source>) -> Result<Document, Diagnostics> {
    read(source, |nodes, document| match document.get("Refutation") {
        Some(version) => nodes.refutation(document, version).map(Document::Refutation),
        None => nodes.schedule(document).map(Document::Schedule),
    })
}

/// Reads a schedule.
///
/// # Errors
/// All mistakes of form.
pub fn read_schedule(source: &Arc<Source>) -> Result<Schedule, Diagnostics> {
    read(source, |nodes, document| nodes.schedule(document))
}

fn read<T>(
    source: &Arc<Source>,
    content: impl FnOnce(&mut Nodes<'_>, &Node) -> Option<T>,
) -> Result<T, Diagnostics> {
    let mut findings = Diagnostics::new();
    let documents = documents(source, &mut findings);
    let mut findings: Diagnostics = findings.into_iter().map(refused).collect();
    let found = documents.and_then(|(source, documents)| {
        let mut nodes = Nodes { source, findings: &mut findings };
        let [document] = &documents[..] else {
            let message = format!("`{}` is not one schedule", nodes.source.name);
            nodes.push(error("form", message));
            return None;
        };
        content(&mut nodes, document)
    });
    match found {
        Some(found) if !findings.has_errors() => Ok(found),
        _ => Err(findings),
    }
}

/// A key that is given twice, which graphs may have: a proof holds for one reading of a schedule.
fn refused(finding: Diagnostic) -> Diagnostic {
    if finding.severity == Severity::Error {
        return finding;
    }
    let notes = finding.notes.into_iter().map(|(span, _)| (span, "first one here".to_owned()));
    let refused = error("duplicate", finding.message).help("keep one of the two");
    Diagnostic { span: finding.span, notes: notes.collect(), ..refused }
}

impl Nodes<'_> {
    /// The pairs of a mapping, all of whose keys are known.
    fn known<'n>(
        &mut self,
        what: &str,
        node: &'n Node,
        keys: &[&str],
    ) -> Vec<(&'n Node, &'n Node)> {
        let pairs = self.pairs(what, node);
        for (key, _) in &pairs {
            if !key.as_text().is_some_and(|key| keys.contains(&key)) {
                let problem = self.unknown_key(key, what, keys);
                self.push(problem);
            }
        }
        pairs
    }

    fn schedule(&mut self, document: &Node) -> Option<Schedule> {
        if document.get("Schedule").is_none() {
            let problem = error("version", "this is no schedule: it has no key `Schedule`")
                .at(self.place(document))
                .help("a schedule is written by `gxe stm compile`");
            self.push(problem);
            return None;
        }
        let mut schedule = Schedule {
            graph: String::new(),
            identifier: 0,
            one_active: false,
            hyperepochs: Vec::new(),
        };
        for (key, value) in self.known("a schedule", document, &SCHEDULE_KEYS) {
            match key.as_text().unwrap_or_default() {
                "Schedule" => self.format_version(value)?,
                "Graph" => schedule.graph = self.text("`Graph`", value)?.value,
                "Identifier" => {
                    if let Field::Given(id) = self.number("Identifier", value, 0, 65_535) {
                        schedule.identifier = id.value;
                    }
                }
                "OneActiveRunnable" => {
                    schedule.one_active = self.flag("OneActiveRunnable", value);
                }
                "Hyperepochs" => {
                    for entry in self.entries("hyperepoch", value, &HYPEREPOCH_KEYS) {
                        let place = entry.id.span;
                        let mut plan = HyperepochPlan {
                            name: entry.id.value,
                            period: None,
                            resources: Vec::new(),
                            epochs: Vec::new(),
                            cycles: Vec::new(),
                            place: Some(place.clone()),
                        };
                        let owns = |(key, _): &(&Node, &Node)| key.as_text() == Some("Resources");
                        if !entry.pairs.iter().any(owns) {
                            let message =
                                format!("`{}` does not say which `Resources` it owns", plan.name);
                            self.push(error("required", message).at(place.clone()));
                        }
                        for (key, value) in entry.pairs {
                            match key.as_text().unwrap_or_default() {
                                "Period" => plan.period = self.moment("Period", value),
                                "Resources" => {
                                    let names = self.texts("`Resources`", "a resource", value);
                                    plan.resources =
                                        names.into_iter().map(|name| name.value).collect();
                                }
                                "Epochs" => {
                                    for entry in self.entries("epoch", value, &EPOCH_KEYS) {
                                        let epoch = self.epoch_plan(entry);
                                        plan.epochs.push(epoch);
                                    }
                                }
                                "Cycles" => {
                                    for cycle in self.list("`Cycles`", value) {
                                        let cycle = self.cycle(cycle);
                                        plan.cycles.push(cycle);
                                    }
                                }
                                _ => {
                                    let keys = &HYPEREPOCH_KEYS;
                                    let problem = self.unknown_key(key, "a hyperepoch", keys);
                                    self.push(problem);
                                }
                            }
                        }
                        let frames: u64 =
                            plan.epochs.iter().map(|epoch| u64::from(epoch.frames)).sum();
                        if frames > u64::from(MOST_INSTANCES) {
                            let message =
                                format!("`{}` has more than {MOST_INSTANCES} frames", plan.name);
                            self.push(error("too-large", message).at(place));
                        }
                        schedule.hyperepochs.push(plan);
                    }
                }
                _ => {}
            }
        }
        Some(schedule)
    }

    fn epoch_plan(&mut self, entry: Entry<'_>) -> EpochPlan {
        let mut epoch = EpochPlan { name: entry.id.value, period: None, frames: 1 };
        for (key, value) in entry.pairs {
            match key.as_text().unwrap_or_default() {
                "Period" => epoch.period = self.moment("Period", value),
                "Frames" => {
                    let frames = self.number("Frames", value, 1, u64::from(u32::MAX));
                    epoch.frames = frames.given().map_or(1, |frames| frames.value);
                }
                _ => {
                    let problem = self.unknown_key(key, "an epoch", &EPOCH_KEYS);
                    self.push(problem);
                }
            }
        }
        epoch
    }

    fn format_version(&mut self, value: &Node) -> Option<()> {
        let version = self.text("the version of the format", value)?;
        if version.value != VERSION {
            let message =
                format!("version `{}` of the format of schedules is not known", version.value);
            let problem = error("version", message).at(version.span);
            self.push(problem.help(format!("the known version is {VERSION}")));
        }
        Some(())
    }

    fn refutation(&mut self, document: &Node, version: &Node) -> Option<Refutation> {
        self.format_version(version)?;
        let mut refutation = Refutation {
            graph: String::new(),
            identifier: 0,
            one_active: false,
            hyperepoch: String::new(),
            cycle: 0,
            proof: Proof::default(),
        };
        for (key, value) in self.known("a refutation", document, &REFUTATION_KEYS) {
            match key.as_text().unwrap_or_default() {
                "Graph" => refutation.graph = self.text("`Graph`", value)?.value,
                "Identifier" => {
                    refutation.identifier =
                        self.number("Identifier", value, 0, 65_535).given()?.value;
                }
                "OneActiveRunnable" => {
                    refutation.one_active = self.flag("OneActiveRunnable", value);
                }
                "Hyperepoch" => refutation.hyperepoch = self.text("`Hyperepoch`", value)?.value,
                "Cycle" => {
                    refutation.cycle = self.number("Cycle", value, 0, u64::MAX).given()?.value;
                }
                "Proof" => refutation.proof = self.proof(value)?,
                _ => {}
            }
        }
        Some(refutation)
    }

    fn proof(&mut self, value: &Node) -> Option<Proof> {
        let lines = self.texts("`Proof`", "a line of a proof", value);
        let words = lines.iter().flat_map(|line| line.value.split_whitespace());
        let proof = Proof::from_words(words);
        if proof.is_none() {
            let problem = error("form", "a proof consists of `X`, `O1:2` and `T1:2`");
            let problem = problem.at(self.place(value));
            self.push(problem);
        }
        proof
    }

    fn cycle(&mut self, node: &Node) -> CyclePlan {
        let mut cycle = CyclePlan {
            makespan: 0,
            lower_bound: 0,
            keeps_deadlines: false,
            proof: None,
            lanes: Vec::new(),
            place: Some(self.place(node)),
        };
        for (key, value) in self.known("a cycle", node, &CYCLE_KEYS) {
            match key.as_text().unwrap_or_default() {
                "Makespan" => cycle.makespan = self.moment("Makespan", value).unwrap_or(0),
                "LowerBound" => cycle.lower_bound = self.moment("LowerBound", value).unwrap_or(0),
                "KeepsDeadlines" => cycle.keeps_deadlines = self.flag("KeepsDeadlines", value),
                "Proof" => cycle.proof = self.proof(value),
                "Lanes" => {
                    for entry in self.list("`Lanes`", value) {
                        let lane = self.lane(entry);
                        cycle.lanes.extend(lane);
                    }
                }
                _ => {}
            }
        }
        cycle
    }

    fn lane(&mut self, node: &Node) -> Option<Lane> {
        let Some([(engine, executions)]) = node.as_mapping() else {
            self.expected("a lane as the name of an engine with its executions", node);
            return None;
        };
        let engine = self.text("the name of an engine", engine)?.value;
        let executions = self.list("the executions of an engine", executions).iter();
        let executions = executions.filter_map(|node| self.execution(node)).collect();
        Some(Lane { engine, executions })
    }

    fn execution(&mut self, node: &Node) -> Option<Execution> {
        let mut execution = Execution {
            runnable: String::new(),
            epoch: String::new(),
            frame: 0,
            release: None,
            start: 0,
            end: 0,
            holds: Vec::new(),
            after: Vec::new(),
            submits: None,
            fused: false,
            place: Some(self.place(node)),
        };
        let mut given = 0;
        for (key, value) in self.known("an execution", node, &EXECUTION_KEYS) {
            let names = |nodes: &mut Self, key: &str| {
                let texts = nodes.texts(&format!("`{key}`"), "a name", value);
                texts.into_iter().map(|text| text.value).collect::<Vec<_>>()
            };
            match key.as_text().unwrap_or_default() {
                "Runnable" => execution.runnable = self.text("`Runnable`", value)?.value,
                "Epoch" => execution.epoch = self.text("`Epoch`", value)?.value,
                "Frame" => {
                    let frame = self.number("Frame", value, 0, u64::from(u32::MAX));
                    execution.frame = frame.given().map_or(0, |frame| frame.value);
                }
                "Release" => {
                    execution.release = self.moment("Release", value);
                    continue;
                }
                "Start" => execution.start = self.moment("Start", value).unwrap_or(0),
                "End" => execution.end = self.moment("End", value).unwrap_or(0),
                "Holds" => {
                    execution.holds = names(self, "Holds");
                    continue;
                }
                "After" => {
                    execution.after = names(self, "After");
                    continue;
                }
                "Submits" => {
                    execution.submits = self.text("`Submits`", value).map(|work| work.value);
                    continue;
                }
                "Fused" => {
                    execution.fused = self.flag("Fused", value);
                    continue;
                }
                _ => continue,
            }
            given += 1;
        }
        if given < 5 {
            let message = "an execution has `Runnable`, `Epoch`, `Frame`, `Start` and `End`";
            let problem = error("required", message).at(self.place(node));
            self.push(problem);
            return None;
        }
        Some(execution)
    }

    fn moment(&mut self, key: &str, node: &Node) -> Option<u64> {
        self.time(key, node).given().map(|time| time.value)
    }

    fn flag(&mut self, key: &str, node: &Node) -> bool {
        match node.as_text() {
            Some("true") => true,
            Some("false") => false,
            _ => {
                self.expected(&format!("`{key}` as true or false"), node);
                false
            }
        }
    }
}
