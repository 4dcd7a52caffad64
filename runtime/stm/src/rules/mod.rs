//! What a graph must keep beyond its form.
//!
//! Names become indexes in the order of the files: `resources.rs`, `hyperepochs.rs`,
//! `runnables.rs`, `submits.rs`, `alias.rs`. What concerns the whole graph comes last: `cycles.rs`,
//! `load.rs`.

mod alias;
mod cycles;
mod hyperepochs;
mod load;
mod resources;
mod runnables;
mod submits;

use crate::graph::{Client, Graph};
use crate::read::wcets::Wcets;
use crate::read::{Field, RawGraph, warning};
use gxf_app::suggest::nearest;
use gxf_app::{Diagnostic, Diagnostics};
use rustc_hash::{FxHashMap, FxHashSet};

/// The rules of graphs, each with the name that a finding has in brackets, and what it asks for.
pub const RULES: &[(&str, &str)] = &[
    (
        "alias",
        "steps of an alias group: one client, one epoch, the same resources; equally many steps in groups of neighbours; work turns with its submitter",
    ),
    ("cycle", "dependencies do not lead back to where they start"),
    ("deadline", "a deadline can be met, and belongs to a frame whose start is known"),
    ("duplicate", "a name is given once, and named once in a list"),
    ("empty", "the graph has runnables"),
    ("engine", "a runnable asks for exactly one engine, and for no more instances than there are"),
    (
        "engine-name",
        "instances of CPU, GPU, VPU, PVA and DLA are named after their type, with a number",
    ),
    ("extern", "an external runnable is defined by another file, in the same epoch"),
    ("form", "lists, mappings and texts stand where they belong"),
    ("frames", "all frames of an epoch fit the period of its hyperepoch"),
    ("global-type", "streams and handles belong to clients"),
    ("graph-id", "a file has one graph beside its version"),
    ("identifier", "version 3.0.0 needs an identifier"),
    ("limit", "an engine has at most as many streams as its limit says"),
    ("local-mapping", "a client's mutex is not mapped to an engine"),
    ("local-type", "engines and shared types belong to the graph"),
    ("misplaced", "a key stands below what it belongs to"),
    ("name", "ids have no periods and no control characters"),
    ("number", "numbers are whole, and within their range"),
    ("other-epoch", "dependencies stay within one epoch"),
    ("overcommitted", "the work of a period fits each resource, and each set of resources"),
    ("partition", "a resource belongs to one hyperepoch, and only its runnables use it"),
    ("period", "the period of a hyperepoch is written unless it has a single epoch"),
    ("pva-stream", "a client has one PVA stream on each engine"),
    ("required", "WCET, resources, hyperepochs and epochs are not left out"),
    ("start-time", "a start time belongs to a frame whose start is known"),
    ("stream-engine", "a stream is mapped to an engine of its kind"),
    (
        "submit",
        "a CPU runnable with a stream submits work of its own client and epoch to another engine; all such work is submitted, once",
    ),
    ("time", "times have a unit, a length above 0 where one is needed, and at most a day"),
    ("too-large", "a schedule has at most 200,000 executions, and as many frames"),
    ("unknown", "names lead to something"),
    ("unknown-key", "keys are known"),
    ("version", "a version is given, and known"),
    ("version-key", "keys of version 3.0.0 stand in files of that version"),
    ("yaml", "lines are keys, elements or comments"),
];

/// Resolves the names of a graph. `None` if mistakes of form left nothing to resolve.
pub(crate) fn resolve(raw: &RawGraph, wcets: &Wcets, findings: &mut Diagnostics) -> Option<Graph> {
    let name = raw.name.as_ref().map_or(String::new(), |name| name.value.clone());
    let identifier = raw.identifier.given().map(|identifier| identifier.value);
    let graph = Graph {
        identifier: identifier.unwrap_or_else(|| assigned_identifier(&name)),
        name,
        resources: Vec::new(),
        hyperepochs: Vec::new(),
        epochs: Vec::new(),
        clients: Vec::new(),
        runnables: Vec::new(),
    };
    let mut resolver = Resolver {
        raw,
        wcets,
        findings,
        graph,
        suggestions: 0,
        global: FxHashMap::default(),
        types: FxHashMap::default(),
        local: FxHashMap::default(),
        epochs: FxHashMap::default(),
        runnables: FxHashMap::default(),
        undefined: FxHashSet::default(),
        unclear: FxHashSet::default(),
        incomplete: FxHashSet::default(),
        limits: FxHashMap::default(),
    };
    resolver.global_resources();
    resolver.hyperepochs();
    for client in &raw.clients {
        let (name, span) = (client.name.value.clone(), client.name.span.clone());
        resolver.graph.clients.push(Client { name, span });
    }
    resolver.client_resources();
    resolver.runnables();
    if raw.is_partial {
        return None;
    }
    resolver.submits();
    resolver.alias_groups();
    if resolver.findings.has_errors() {
        // Loads and cycles of a graph that lacks a part are those of another graph.
        resolver.cycles();
        return None;
    }
    resolver.cycles();
    resolver.load();
    if resolver.graph.runnables.is_empty() {
        let mut nothing = warning("empty", "the graph has no runnables, so its schedule is empty");
        nothing.span = raw.name.as_ref().map(|name| name.span.clone());
        resolver.findings.push(nothing);
    }
    Some(resolver.graph)
}

/// An id from the name of a graph, the same each time.
fn assigned_identifier(name: &str) -> u16 {
    // FNV-1a, folded to 16 bits.
    let hash = name
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash >> 16) as u16 ^ hash as u16
}

struct Resolver<'a> {
    raw: &'a RawGraph,
    wcets: &'a Wcets,
    findings: &'a mut Diagnostics,
    graph: Graph,
    /// Number of suggestions that were looked for.
    suggestions: usize,
    /// Global resources by name, and by `SOC.name`.
    global: FxHashMap<String, Vec<usize>>,
    /// Global resources by type.
    types: FxHashMap<String, Vec<usize>>,
    /// Resources of a client by name and by type.
    local: FxHashMap<(usize, String), Vec<usize>>,
    /// Epochs by `hyperepoch.epoch`.
    epochs: FxHashMap<String, usize>,
    /// Runnables by `client.runnable`.
    runnables: FxHashMap<String, usize>,
    /// External runnables that are not defined, which is reported where they are declared.
    undefined: FxHashSet<String>,
    /// Hyperepochs with a mistake in their `Resources`, which was reported.
    unclear: FxHashSet<usize>,
    /// Runnables with a mistake in their `Resources`, which was reported.
    incomplete: FxHashSet<usize>,
    /// Most streams of an engine.
    limits: FxHashMap<usize, (u32, gxf_app::Span)>,
}

impl Resolver<'_> {
    fn push(&mut self, problem: Diagnostic) {
        self.findings.push(problem);
    }

    /// The keys of a map, for suggestions, as long as there are to be more.
    fn names_of<V>(&self, map: &FxHashMap<String, V>) -> Vec<String> {
        if self.suggestions >= Diagnostics::SHOWN {
            return Vec::new();
        }
        let mut names: Vec<String> = map.keys().cloned().collect();
        names.sort();
        names
    }

    /// The nearest name. Each look compares with every candidate, so only as many as are shown
    /// are made.
    fn near<'n>(
        &mut self,
        wanted: &str,
        candidates: impl IntoIterator<Item = &'n str>,
    ) -> Option<&'n str> {
        self.suggestions += 1;
        if self.suggestions > Diagnostics::SHOWN { None } else { nearest(wanted, candidates) }
    }
}

/// The value of a field, or a default.
fn value_or<T: Copy>(field: &Field<T>, default: T) -> T {
    field.given().map_or(default, |given| given.value)
}
