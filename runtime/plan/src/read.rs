//! From JSON to a plan. JSON is YAML, so the reader of app files reads it, with places and
//! comments.

use crate::error;
use crate::figures::{Block, Figures, StreamMemory};
use crate::plan::{
    Completion, Consumer, Flow, Kind, Places, Plan, Register, Stream, Task, VERSION, Variable,
};
use gxf_app::suggest::nearest;
use gxf_app::yaml::{Kind as NodeKind, Node, parse_stream};
use gxf_app::{Diagnostic, Diagnostics, Source, Span};
use std::sync::Arc;

const PLAN_KEYS: [&str; 7] =
    ["plan", "graph", "streams", "tasks", "variables", "registers", "memory"];
const STREAM_KEYS: [&str; 3] = ["id", "rank", "device"];
const TASK_KEYS: [&str; 4] = ["name", "stream", "job", "completion"];
const VARIABLE_KEYS: [&str; 3] = ["name", "bytes", "memory"];
const REGISTER_KEYS: [&str; 11] = [
    "name",
    "producer",
    "consumers",
    "instances",
    "kind",
    "flow",
    "payload_bytes",
    "memory",
    "given",
    "in_place",
    "variable",
];
const CONSUMER_KEYS: [&str; 2] = ["receiver", "room"];
/// All but the limit say what follows from the rest.
const MEMORY_KEYS: [&str; 7] =
    ["bytes", "saved", "limit", "variables", "streams", "shared", "unknown"];
const STREAM_MEMORY_KEYS: [&str; 2] = ["id", "bytes"];
const SHARED_KEYS: [&str; 4] = ["stream", "memory", "bytes", "registers"];

/// Reads a plan. What is wrong with its content is for [`crate::check`].
///
/// # Errors
/// All mistakes of form.
pub fn read_plan(source: &Arc<Source>) -> Result<Plan, Diagnostics> {
    let mut reader = Reader { source, findings: Diagnostics::new() };
    let mut repeated_keys = Diagnostics::new();
    let parsed = parse_stream(source, &mut repeated_keys);
    for Diagnostic { message, span, notes, .. } in repeated_keys {
        let mut problem = error("duplicate-key", message).help("remove one of the two");
        problem.span = span;
        for (first, _) in notes.into_vec() {
            problem = problem.note(first, "the first one");
        }
        reader.findings.push(problem);
    }
    let plan = match parsed {
        Ok(documents) => reader.documents(&documents),
        Err(problem) => {
            reader.findings.push(problem);
            None
        }
    };
    match plan {
        Some(plan) if !reader.findings.has_errors() => Ok(plan),
        _ => {
            reader.findings.sort_by_place();
            Err(reader.findings)
        }
    }
}

struct Reader<'a> {
    source: &'a Arc<Source>,
    findings: Diagnostics,
}

impl Reader<'_> {
    fn place(&self, node: &Node) -> Span {
        node.span(self.source)
    }

    fn push(&mut self, problem: Diagnostic, node: &Node) {
        let problem = problem.at(self.place(node));
        self.findings.push(problem);
    }

    fn expected(&mut self, what: &str, node: &Node) {
        self.push(error("form", format!("expected {what}, found {}", node.describe())), node);
    }

    fn documents(&mut self, documents: &[Node]) -> Option<Plan> {
        let mut given = documents.iter().filter(|document| !document.is_null());
        let (document, other) = (given.next(), given.next());
        let Some(version) = document.and_then(|document| document.get("plan")) else {
            let message = format!("`{}` is no plan: it has no key `plan`", self.source.name);
            let problem = error("form", message).help("a plan is written by `gxe plan`");
            let place = document.or(documents.first()).map(|document| self.place(document));
            let place = place.unwrap_or_else(|| Span::new(self.source, 0..0));
            self.findings.push(problem.at(place));
            return None;
        };
        if version.as_text() != Some(VERSION) {
            let text = format!("version {} of plans is not known", version.describe());
            self.push(
                error("version", text).help(format!("the known version is {VERSION}")),
                version,
            );
        }
        if let Some(other) = other {
            self.push(error("form", "a second document, where a plan is one"), other);
        }
        document.map(|document| self.plan(document))
    }

    /// The pairs of a mapping, all of whose keys are known.
    fn pairs<'n>(&mut self, what: &str, node: &'n Node, keys: &[&str]) -> &'n [(Node, Node)] {
        let NodeKind::Mapping(pairs) = &node.kind else {
            self.expected(&format!("{what} as a mapping"), node);
            return &[];
        };
        for (key, _) in pairs {
            let text = key.as_text().unwrap_or_default();
            if !keys.contains(&text) {
                let near = nearest(text, keys.iter().copied());
                let problem = error("unknown-key", format!("{what} has no key `{text}`"));
                self.push(problem.suggest(near), key);
            }
        }
        pairs
    }

    fn list<'n>(&mut self, what: &str, node: &'n Node) -> &'n [Node] {
        match &node.kind {
            NodeKind::Sequence(elements) => elements,
            _ if node.is_null() => &[],
            _ => {
                self.expected(&format!("{what} as a list"), node);
                &[]
            }
        }
    }

    fn text(&mut self, what: &str, node: &Node) -> String {
        match node.as_text().filter(|_| !node.is_null()) {
            Some(text) => text.to_owned(),
            None => {
                self.expected(what, node);
                String::new()
            }
        }
    }

    fn number<T: TryFrom<u64>>(&mut self, what: &str, node: &Node) -> Option<T> {
        let number = node.as_text().and_then(|text| text.parse::<u64>().ok());
        let number = number.and_then(|number| T::try_from(number).ok());
        if number.is_none() {
            self.expected(&format!("{what} as a whole number"), node);
        }
        number
    }

    /// One of the words for something; the first if it is none of them.
    fn word<T: Copy>(&mut self, what: &str, node: &Node, words: &[(&'static str, T)]) -> T {
        let text = node.as_text().unwrap_or_default();
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
            return *value;
        }
        let known: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        self.expected(&format!("{what}, which is {}", known.join(" or ")), node);
        words[0].1
    }

    /// A key that an object must have.
    fn required<'n>(&mut self, what: &str, node: &'n Node, key: &str) -> Option<&'n Node> {
        let value = node.get(key);
        if value.is_none() && node.as_mapping().is_some() {
            self.push(error("required", format!("{what} has no `{key}`")), node);
        }
        value
    }

    fn plan(&mut self, document: &Node) -> Plan {
        let mut plan = Plan::default();
        plan.sections.whole = Some(self.place(document));
        for (key, value) in self.pairs("a plan", document, &PLAN_KEYS) {
            match key.as_text().unwrap_or_default() {
                "graph" => plan.graph = self.text("the name of a graph", value),
                "streams" => {
                    plan.sections.streams = Some(self.place(value));
                    plan.streams = self
                        .list("`streams`", value)
                        .iter()
                        .map(|node| self.stream(node))
                        .collect();
                }
                "tasks" => {
                    plan.sections.tasks = Some(self.place(value));
                    plan.tasks =
                        self.list("`tasks`", value).iter().map(|node| self.task(node)).collect();
                }
                "variables" => {
                    let variables = self.list("`variables`", value).iter();
                    plan.variables = variables.map(|node| self.variable(node)).collect();
                }
                "registers" => {
                    plan.sections.registers = Some(self.place(value));
                    let registers = self.list("`registers`", value).iter();
                    plan.registers = registers.map(|node| self.register(node)).collect();
                }
                "memory" => {
                    for (key, value) in self.pairs("`memory`", value, &MEMORY_KEYS) {
                        match key.as_text().unwrap_or_default() {
                            _ if value.is_null() => {}
                            "limit" => {
                                let limit = self.number("`limit`", value);
                                plan.limit = limit.map(|limit| (limit, Some(self.place(value))));
                            }
                            key => self.figure(&mut plan.figures, key, value),
                        }
                    }
                }
                _ => {}
            }
        }
        plan
    }

    /// Something that follows from the rest of the plan.
    fn figure(&mut self, figures: &mut Figures, key: &str, value: &Node) {
        let place = self.place(value);
        match key {
            "bytes" => figures.bytes = self.number("`bytes`", value).map(|sum| (sum, place)),
            "saved" => figures.saved = self.number("`saved`", value).map(|sum| (sum, place)),
            "variables" => {
                figures.variables = self.number("`variables`", value).map(|sum| (sum, place));
            }
            "streams" => {
                let streams = self.list("`streams`", value).iter();
                let streams = streams.map(|node| (self.stream_memory(node), self.place(node)));
                figures.streams = Some((streams.collect(), place));
            }
            "shared" => {
                let blocks = self.list("`shared`", value).iter();
                figures.shared = Some((blocks.map(|node| self.block(node)).collect(), place));
            }
            "unknown" => {
                let names = self.list("`unknown`", value).iter();
                let names = names.map(|node| self.text("the name of a register", node));
                figures.unknown = Some((names.collect(), place));
            }
            _ => {}
        }
    }

    fn stream_memory(&mut self, node: &Node) -> StreamMemory {
        let mut memory = StreamMemory { id: 0, bytes: 0 };
        for (key, value) in self.pairs("the memory of a stream", node, &STREAM_MEMORY_KEYS) {
            match key.as_text().unwrap_or_default() {
                "id" => memory.id = self.number("`id`", value).unwrap_or_default(),
                "bytes" => memory.bytes = self.number("`bytes`", value).unwrap_or_default(),
                _ => {}
            }
        }
        for key in STREAM_MEMORY_KEYS {
            self.required("the memory of a stream", node, key);
        }
        memory
    }

    fn block(&mut self, node: &Node) -> Block {
        let (memory, registers) = (String::new(), Vec::new());
        let mut block = Block { stream: 0, memory, bytes: 0, registers };
        for (key, value) in self.pairs("shared memory", node, &SHARED_KEYS) {
            match key.as_text().unwrap_or_default() {
                "stream" => block.stream = self.number("`stream`", value).unwrap_or_default(),
                "memory" => block.memory = self.text("a kind of memory", value),
                "bytes" => block.bytes = self.number("`bytes`", value).unwrap_or_default(),
                "registers" => {
                    let names = self.list("`registers`", value).iter();
                    let names = names.map(|node| self.text("the name of a register", node));
                    block.registers = names.collect();
                }
                _ => {}
            }
        }
        for key in SHARED_KEYS {
            self.required("shared memory", node, key);
        }
        block
    }

    fn stream(&mut self, node: &Node) -> Stream {
        let place = Some(self.place(node));
        let mut stream = Stream { place, ..Stream::of_cpu(0, 0) };
        for (key, value) in self.pairs("a stream", node, &STREAM_KEYS) {
            match key.as_text().unwrap_or_default() {
                "id" => stream.id = self.number("`id`", value).unwrap_or_default(),
                "rank" => stream.rank = self.number("`rank`", value).unwrap_or_default(),
                "device" => {
                    stream.device = self.text("a kind of device", value);
                    stream.device_place = Some(self.place(value));
                }
                _ => {}
            }
        }
        self.required("a stream", node, "id");
        stream
    }

    fn task(&mut self, node: &Node) -> Task {
        let place = Some(self.place(node));
        let mut task = Task { name: String::new(), stream: 0, job: 0, completion: None, place };
        for (key, value) in self.pairs("a task", node, &TASK_KEYS) {
            match key.as_text().unwrap_or_default() {
                "name" => task.name = self.text("the name of an entity", value),
                "stream" => task.stream = self.number("`stream`", value).unwrap_or_default(),
                "job" => task.job = self.number("`job`", value).unwrap_or_default(),
                "completion" if !value.is_null() => {
                    let component = self.text("the name of a component", value);
                    let place = Some(self.place(value));
                    task.completion = Some(Completion { component, place });
                }
                _ => {}
            }
        }
        self.required("a task", node, "name");
        self.required("a task", node, "stream");
        task
    }

    fn variable(&mut self, node: &Node) -> Variable {
        let (name, memory) = (String::new(), "host".to_owned());
        let mut variable = Variable { name, bytes: 0, memory, place: Some(self.place(node)) };
        for (key, value) in self.pairs("a variable", node, &VARIABLE_KEYS) {
            match key.as_text().unwrap_or_default() {
                "name" => variable.name = self.text("the name of a component", value),
                "bytes" => variable.bytes = self.number("`bytes`", value).unwrap_or_default(),
                "memory" => variable.memory = self.text("a kind of memory", value),
                _ => {}
            }
        }
        self.required("a variable", node, "name");
        self.required("a variable", node, "bytes");
        variable
    }

    fn register(&mut self, node: &Node) -> Register {
        let mut register = Register {
            name: String::new(),
            producer: String::new(),
            consumers: Vec::new(),
            instances: 1,
            kind: Kind::Data,
            flow: Flow::Credits,
            payload_bytes: None,
            memory: "host".to_owned(),
            is_given: false,
            in_place: None,
            variable: None,
            places: Places { whole: Some(self.place(node)), ..Places::default() },
        };
        for (key, value) in self.pairs("a register", node, &REGISTER_KEYS) {
            let place = Some(self.place(value));
            match key.as_text().unwrap_or_default() {
                "name" => register.name = self.text("the name of a register", value),
                "producer" => {
                    register.producer = self.text("the name of a task", value);
                    register.places.producer = place;
                }
                "consumers" => {
                    let consumers = self.list("`consumers`", value).iter();
                    register.consumers = consumers.map(|node| self.consumer(node)).collect();
                }
                "instances" => {
                    register.instances = self.number("`instances`", value).unwrap_or(1);
                    register.places.instances = place;
                }
                "kind" => {
                    let kinds = [Kind::Data, Kind::Control].map(|kind| (kind.name(), kind));
                    register.kind = self.word("`kind`", value, &kinds);
                }
                "flow" => {
                    let flows = [Flow::Credits, Flow::Queue].map(|flow| (flow.name(), flow));
                    register.flow = self.word("`flow`", value, &flows);
                }
                "payload_bytes" if !value.is_null() => {
                    register.payload_bytes = self.number("`payload_bytes`", value);
                    register.places.payload_bytes = place;
                }
                "memory" => {
                    register.memory = self.text("a kind of memory", value);
                    register.places.memory = place;
                }
                "given" => {
                    let words = [("false", false), ("true", true)];
                    register.is_given = self.word("`given`", value, &words);
                }
                "in_place" if !value.is_null() => {
                    register.in_place = Some(self.text("the name of a register", value));
                    register.places.in_place = place;
                }
                "variable" if !value.is_null() => {
                    register.variable = Some(self.text("the name of a variable", value));
                    register.places.variable = place;
                }
                _ => {}
            }
        }
        for key in ["name", "producer", "instances"] {
            self.required("a register", node, key);
        }
        register
    }

    fn consumer(&mut self, node: &Node) -> Consumer {
        let place = Some(self.place(node));
        if node.as_text().is_some() {
            return Consumer { receiver: self.text("`entity/receiver`", node), room: None, place };
        }
        let mut consumer = Consumer { receiver: String::new(), room: None, place };
        for (key, value) in self.pairs("a consumer", node, &CONSUMER_KEYS) {
            match key.as_text().unwrap_or_default() {
                "receiver" => consumer.receiver = self.text("`entity/receiver`", value),
                "room" if !value.is_null() => consumer.room = self.number("`room`", value),
                _ => {}
            }
        }
        self.required("a consumer", node, "receiver");
        consumer
    }
}
