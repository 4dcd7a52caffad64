//! Clients and their runnables.

use super::nodes::{Entry, Nodes};
use super::{Field, RawClient, RawGraph, RawRunnable, error};
use gxf_app::Spanned;
use gxf_app::yaml::Node;

pub(super) const CLIENT_KEYS: [&str; 3] = ["SOC", "Resources", "Epochs"];
const RUNNABLE_KEYS: [&str; 8] =
    ["WCET", "StartTime", "Deadline", "Resources", "Dependencies", "Submits", "Priority", "Extern"];

impl Nodes<'_> {
    /// Reads a client. One that the graph has already, as its file and a fragment may both have
    /// it, is continued.
    pub(super) fn client(
        &mut self,
        name: Spanned<String>,
        pairs: Vec<(&Node, &Node)>,
        graph: &mut RawGraph,
    ) {
        let known = graph.clients.iter().position(|client| client.name.value == name.value);
        let index = match known {
            Some(index) => {
                let first = graph.clients[index].name.span.clone();
                if std::sync::Arc::ptr_eq(&first.source, &name.span.source) {
                    let message = format!("a second client `{}`", name.value);
                    let problem = error("duplicate", message).at(name.span.clone());
                    self.push(problem.note(first, "first one here"));
                }
                index
            }
            None => {
                let (resources, epochs) = (Vec::new(), Vec::new());
                graph.clients.push(RawClient { name, soc: None, resources, epochs });
                graph.clients.len() - 1
            }
        };
        // Beside an empty `Resources`, lists are its types.
        let empty =
            pairs.iter().find(|(key, value)| key.as_text() == Some("Resources") && value.is_null());
        let parent =
            empty.map(|(key, _)| Spanned { value: "Resources".to_owned(), span: self.place(key) });
        for (key, value) in pairs {
            let client = &mut graph.clients[index];
            match key.as_text().unwrap_or_default() {
                "SOC" => {
                    if !graph.has_socs {
                        self.newer_key(key);
                    }
                    client.soc = self.text("the name of an SOC", value);
                }
                "Resources" => self.resources(value, None, &mut client.resources),
                "Epochs" => {
                    for entry in self.epochs(value) {
                        let runnables = self.runnables(&entry);
                        client.epochs.push((entry.id, runnables));
                    }
                }
                text => {
                    let parent = parent.as_ref().filter(|_| value.as_sequence().is_some());
                    let problem = match parent {
                        Some(parent) => {
                            self.resource_type(key, value, None, &mut client.resources);
                            self.beside(key, text, parent)
                        }
                        None => self.unknown_key(key, "a client", &CLIENT_KEYS),
                    };
                    self.push(problem);
                }
            }
        }
    }

    /// The entries of `Epochs`, whose ids are `hyperepoch.epoch`.
    fn epochs<'n>(&mut self, node: &'n Node) -> Vec<Entry<'n>> {
        let mut entries = Vec::new();
        for element in self.list("`Epochs`", node) {
            let Some(pairs) = element.as_mapping() else {
                self.expected("an epoch as `hyperepoch.epoch:` with `Runnables` below", element);
                continue;
            };
            let mut pairs = pairs.iter();
            let Some((id, content)) = pairs.next() else { continue };
            let Some(id) = self.text("the name of an epoch", id) else { continue };
            let mut below = self.pairs(&format!("the epoch `{}`", id.value), content);
            for (key, value) in pairs {
                let text = key.as_text().unwrap_or_default();
                let problem = self.beside(key, text, &id);
                self.push(problem);
                below.push((key, value));
            }
            entries.push(Entry { id, pairs: below });
        }
        entries
    }

    fn runnables(&mut self, epoch: &Entry<'_>) -> Vec<RawRunnable> {
        let mut runnables = Vec::new();
        for (key, value) in &epoch.pairs {
            if key.as_text() != Some("Runnables") {
                let problem = self.unknown_key(key, "an epoch of a client", &["Runnables"]);
                self.push(problem);
                continue;
            }
            for entry in self.entries("runnable", value, &RUNNABLE_KEYS) {
                runnables.push(self.runnable(entry));
            }
        }
        runnables
    }

    fn runnable(&mut self, entry: Entry<'_>) -> RawRunnable {
        let mut runnable = RawRunnable {
            name: entry.id,
            wcet: Field::Absent,
            start_time: Field::Absent,
            deadline: Field::Absent,
            resources: None,
            dependencies: Vec::new(),
            submits: Field::Absent,
            priority: Field::Absent,
            external: Field::Absent,
        };
        for (key, value) in entry.pairs {
            let each = "the name of a runnable";
            match key.as_text().unwrap_or_default() {
                "WCET" => runnable.wcet = self.duration("WCET", value),
                "StartTime" => runnable.start_time = self.time("StartTime", value),
                "Deadline" => runnable.deadline = self.duration("Deadline", value),
                "Resources" => {
                    let each = "the name of a resource or a type";
                    runnable.resources = Some(self.texts("`Resources`", each, value));
                }
                "Dependencies" => {
                    runnable.dependencies = self.texts("`Dependencies`", each, value);
                }
                "Submits" => runnable.submits = self.text(each, value).into(),
                "Priority" => runnable.priority = self.number("Priority", value, 1, 10),
                "Extern" => runnable.external = self.external(key, value),
                _ => {
                    let problem = self.unknown_key(key, "a runnable", &RUNNABLE_KEYS);
                    self.push(problem);
                }
            }
        }
        runnable
    }

    /// Whether `Extern` is true, with the place of the key.
    fn external(&mut self, key: &Node, value: &Node) -> Field<()> {
        match value.as_text() {
            Some("true" | "True" | "TRUE" | "yes") => {
                Field::Given(Spanned { value: (), span: self.place(key) })
            }
            Some("false" | "False" | "FALSE" | "no") => Field::Absent,
            _ => {
                self.expected("`Extern` as true or false", value);
                Field::Wrong
            }
        }
    }
}
