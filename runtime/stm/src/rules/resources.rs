//! Resources: names of engines, limits, streams and mutexes.

use super::Resolver;
use crate::graph::{Engine, Resource, ResourceKind};
use crate::read::{RawResource, error};
use gxf_app::{Diagnostic, Span};

/// Types of streams and handles, the engines that they lead to, and whether the file must say to
/// which instance.
pub(super) const STREAMS: [(&str, &[Engine], bool); 5] = [
    ("CUDA_STREAM", &[Engine::Gpu], true),
    ("PVA_STREAM", &[Engine::Vpu, Engine::Pva], true),
    ("CUDLA_STREAM", &[Engine::Dla], false),
    ("DLA_HANDLE", &[Engine::Dla], false),
    ("VPI_HANDLE", &[Engine::Vpu, Engine::Pva, Engine::Gpu], false),
];

impl Resolver<'_> {
    pub(super) fn global_resources(&mut self) {
        let raw = self.raw;
        let has_socs = raw.socs.len() > 1;
        for resource in &raw.resources {
            let type_name = &resource.type_name.value;
            if STREAMS.iter().any(|(name, ..)| name == type_name) {
                let message = format!("`{type_name}` is a resource of a client");
                let problem = error("global-type", message).at(resource.name.span.clone());
                self.push(problem.help("list it below `Resources` of the client that uses it"));
                continue;
            }
            let kind = match Engine::named(type_name) {
                Some(engine) => {
                    self.engine_name(engine, resource);
                    ResourceKind::Engine(engine)
                }
                None => ResourceKind::Mutex,
            };
            let soc = resource.soc.clone().filter(|_| has_socs);
            let name = &resource.name.value;
            let whole = soc.as_ref().map_or_else(|| name.clone(), |soc| format!("{soc}.{name}"));
            if let Some(first) = self.global.get(&whole).and_then(|known| known.first()) {
                let first = self.graph.resources[*first].span.clone();
                self.taken("resource", name, &resource.name.span, &first);
                continue;
            }
            let index = self.graph.resources.len();
            self.limit(kind, index, resource);
            self.graph.resources.push(Resource {
                name: name.clone(),
                type_name: type_name.clone(),
                kind,
                client: None,
                soc,
                hyperepoch: None,
                leads_to: None,
                span: resource.name.span.clone(),
            });
            if whole != *name {
                self.global.entry(name.clone()).or_default().push(index);
            } else if let Some(only) = &resource.soc {
                // As it is called beside another SOC.
                self.global.entry(format!("{only}.{name}")).or_default().push(index);
            }
            self.global.entry(whole).or_default().push(index);
            self.types.entry(type_name.clone()).or_default().push(index);
        }
        for resource in &raw.resources {
            if let Some(instances) = self.types.get(&resource.name.value) {
                let type_of =
                    instances.first().map(|first| self.graph.resources[*first].type_name.clone());
                let name = &resource.name.value;
                let message = format!("`{name}` is the name of a type and of a resource");
                let problem = error("duplicate", message).at(resource.name.span.clone());
                let help = format!("call the resource `{}0`", type_of.unwrap_or_default());
                self.push(problem.help(help));
            }
        }
    }

    /// `CPU0` and so on.
    fn engine_name(&mut self, engine: Engine, resource: &RawResource) {
        let name = &resource.name.value;
        let number = name.strip_prefix(engine.name());
        let is_number = number.is_some_and(|number| {
            !number.is_empty() && number.len() < 6 && number.bytes().all(|b| b.is_ascii_digit())
        });
        let kind = engine.name();
        if let Some(digits) = number.filter(|_| is_number) {
            // `CPU1` and `CPU01` would be one core.
            let short = digits.trim_start_matches('0');
            let short = if short.is_empty() { "0" } else { short };
            if short != digits {
                let message = format!("the number of the {kind} `{name}` begins with 0");
                let problem = error("engine-name", message).at(resource.name.span.clone());
                self.push(problem.help(format!("name it `{kind}{short}`")));
            }
            return;
        }
        let message = format!("the {kind} `{name}` is not named {kind} and a number");
        let problem = error("engine-name", message).at(resource.name.span.clone());
        self.push(problem.help(format!("name it `{kind}0`, or another number")));
    }

    /// The number behind an engine's name.
    fn limit(&mut self, kind: ResourceKind, index: usize, resource: &RawResource) {
        let Some(limit) = &resource.mapped else { return };
        let name = &resource.name.value;
        let can_limit = matches!(
            kind,
            ResourceKind::Engine(Engine::Gpu | Engine::Vpu | Engine::Pva | Engine::Dla)
        );
        let number = limit.value.parse::<u32>().ok().filter(|number| *number > 0);
        let problem = match number {
            _ if !can_limit => error("limit", format!("`{name}` has no streams to limit"))
                .help(format!("write `- {name}` alone")),
            Some(number) => {
                self.limits.insert(index, (number, limit.span.clone()));
                return;
            }
            None => {
                let found = &limit.value;
                error(
                    "limit",
                    format!("the most streams of `{name}` are a number from 1, found `{found}`"),
                )
                .help(format!("write `- {name}: 8`, or `- {name}` for any number"))
            }
        };
        self.push(problem.at(limit.span.clone()));
    }

    pub(super) fn client_resources(&mut self) {
        let raw = self.raw;
        for (index, client) in raw.clients.iter().enumerate() {
            if client.soc.is_none()
                && let [first, _, ..] = &raw.socs[..]
            {
                let name = &client.name;
                let message =
                    format!("the client `{}` does not say on which SOC it is", name.value);
                let problem = error("required", message).at(name.span.clone());
                let help = format!("write `SOC: {}`, or the name of another one", first.value);
                self.push(problem.help(help));
            }
            if let Some(soc) = &client.soc
                && !raw.socs.iter().any(|known| known.value == soc.value)
                && raw.has_socs
            {
                let near = self.near(&soc.value, raw.socs.iter().map(|soc| soc.value.as_str()));
                let message = format!("there is no SOC `{}`", soc.value);
                self.push(error("unknown", message).at(soc.span.clone()).suggest(near));
            }
            for resource in &client.resources {
                self.local_resource(index, resource);
            }
        }
        self.stream_limits();
    }

    fn local_resource(&mut self, client: usize, resource: &RawResource) {
        let (type_name, name) = (&resource.type_name.value, &resource.name.value);
        let at = resource.name.span.clone();
        if Engine::named(type_name).is_some() || self.types.contains_key(type_name) {
            let message =
                format!("`{type_name}` is a type of the graph's resources, not of a client's");
            let problem = error("local-type", message).at(resource.type_name.span.clone());
            self.push(problem.help("list it below `Resources` of the graph, or rename the type"));
            return;
        }
        let known = self.local.get(&(client, name.clone())).or_else(|| self.global.get(name));
        if let Some(first) = known.and_then(|known| known.first()) {
            let first = self.graph.resources[*first].span.clone();
            self.taken("resource", name, &at, &first);
            return;
        }
        let stream = STREAMS.iter().find(|(known, ..)| known == type_name);
        let leads_to = match (stream, &resource.mapped) {
            (None, Some(mapped)) => {
                let message = format!("the mutex `{name}` cannot be mapped to `{}`", mapped.value);
                let problem = error("local-mapping", message).at(mapped.span.clone());
                let near = self.near(type_name, STREAMS.map(|(name, ..)| name));
                let problem = match near {
                    Some(near) => problem.suggest(Some(near)),
                    None => problem.help(format!("write `- {name}`")),
                };
                self.push(problem);
                return;
            }
            (Some((_, engines, true)), None) => {
                let engine = engines[0].name();
                let message = format!("the stream `{name}` is not mapped to an engine");
                let problem = error("stream-engine", message).at(at);
                self.push(problem.help(format!("write `- {name}: {engine}0`")));
                return;
            }
            (Some((_, engines, _)), Some(mapped)) => {
                let Some(engine) = self.stream_engine(client, type_name, engines, mapped) else {
                    return;
                };
                Some(engine)
            }
            (_, None) => None,
        };
        let kind = if stream.is_some() { ResourceKind::Stream } else { ResourceKind::Mutex };
        let index = self.graph.resources.len();
        if type_name == "PVA_STREAM" {
            let mut earlier = self.graph.resources.iter();
            let other = earlier.find(|other| {
                other.client == Some(client)
                    && other.type_name == *type_name
                    && other.leads_to == leads_to
            });
            if let (Some(other), Some(engine)) = (other, leads_to) {
                let engine = &self.graph.resources[engine].name;
                let message = format!(
                    "a client has one PVA stream on each engine; `{name}` is a second one on `{engine}`"
                );
                let problem = error("pva-stream", message).at(at.clone());
                let problem = problem.note(other.span.clone(), "first one here");
                self.push(problem);
            }
        }
        self.graph.resources.push(Resource {
            name: name.clone(),
            type_name: type_name.clone(),
            kind,
            client: Some(client),
            soc: None,
            hyperepoch: leads_to.and_then(|engine| self.graph.resources[engine].hyperepoch),
            leads_to,
            span: at,
        });
        self.local.entry((client, name.clone())).or_default().push(index);
        self.local.entry((client, type_name.clone())).or_default().push(index);
    }

    /// The engine that a stream is mapped to.
    fn stream_engine(
        &mut self,
        client: usize,
        type_name: &str,
        engines: &[Engine],
        mapped: &gxf_app::Spanned<String>,
    ) -> Option<usize> {
        let wanted = &mapped.value;
        let found = self.global_named(client, wanted);
        let is_right =
            |index: &usize| self.graph.engine(*index).is_some_and(|e| engines.contains(&e));
        if let Some(index) = found.iter().copied().find(is_right) {
            return Some(index);
        }
        let kinds: Vec<_> = engines.iter().map(|engine| engine.name()).collect();
        let kinds = kinds.join(" or ");
        let problem = if found.is_empty() && self.global.contains_key(wanted) {
            error("stream-engine", self.not_on_soc(client, wanted))
        } else if found.is_empty() {
            let is_engine = |index: &usize| {
                self.graph.engine(*index).is_some_and(|engine| engines.contains(&engine))
            };
            let all: Vec<usize> = (0..self.graph.resources.len()).filter(is_engine).collect();
            let here = self.of_soc(client, &all).into_iter();
            let names: Vec<String> =
                here.map(|index| self.graph.resources[index].name.clone()).collect();
            let names = names.iter().map(String::as_str);
            let near = self.near(wanted, names);
            error(
                "stream-engine",
                format!("there is no {kinds} `{wanted}` in the graph's resources"),
            )
            .suggest(near)
        } else {
            let message = format!("a {type_name} leads to a {kinds}, and `{wanted}` is none");
            error("stream-engine", message)
        };
        self.push(problem.at(mapped.span.clone()));
        None
    }

    /// Global resources with a name, those of the client's SOC if it names one.
    pub(super) fn global_named(&self, client: usize, name: &str) -> Vec<usize> {
        let found = self.global.get(name).map(Vec::as_slice).unwrap_or_default();
        self.of_soc(client, found)
    }

    /// What to say of a resource of another SOC than the client's.
    pub(super) fn not_on_soc(&self, client: usize, name: &str) -> String {
        let soc = self.raw.clients[client].soc.as_ref().map_or("", |soc| &soc.value);
        let client = &self.graph.clients[client].name;
        format!("the client `{client}` is on the SOC `{soc}`, which has no `{name}`")
    }

    /// Those of a client's SOC.
    pub(super) fn of_soc(&self, client: usize, resources: &[usize]) -> Vec<usize> {
        let soc = self.raw.clients[client].soc.as_ref().map(|soc| soc.value.as_str());
        let is_there = |index: &&usize| {
            let own = self.graph.resources[**index].soc.as_deref();
            own.is_none() || soc.is_none() || own == soc
        };
        resources.iter().filter(is_there).copied().collect()
    }

    fn stream_limits(&mut self) {
        let mut limits: Vec<_> =
            self.limits.iter().map(|(index, limit)| (*index, limit.clone())).collect();
        limits.sort_by_key(|(index, _)| *index);
        for (engine, (limit, place)) in limits {
            let streams =
                self.graph.resources.iter().filter(|stream| stream.leads_to == Some(engine));
            let streams: Vec<_> = streams.collect();
            let Some(first_beyond) = streams.get(limit as usize) else { continue };
            let name = &self.graph.resources[engine].name;
            let message =
                format!("{} streams lead to `{name}`, whose limit is {limit}", streams.len());
            let problem = error("limit", message)
                .at(first_beyond.span.clone())
                .label("this one is too many")
                .note(place, "the limit");
            self.push(problem);
        }
    }

    /// A name that is given twice.
    pub(super) fn taken(&mut self, what: &str, name: &str, at: &Span, first: &Span) {
        let problem: Diagnostic =
            error("duplicate", format!("a second {what} `{name}`")).at(at.clone());
        self.push(problem.note(first.clone(), "first one here"));
    }
}
