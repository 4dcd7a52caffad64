//! Turns YAML documents into the description of a graph.

use super::diagnostic::{Diagnostic, Diagnostics};
use super::model::{AppFile, ComponentSpec, EntityGroupSpec, EntitySpec, InterfaceSpec};
use super::scalar::parse_bool;
use super::source::{Source, Span, Spanned};
use super::suggest::nearest;
use super::yaml::{Kind, Node, for_each_document};
use compact_str::CompactString;
use gxf_plugin_abi::ResultCode;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Longest name of an entity in bytes.
const ENTITY_NAME: usize = 2048;
/// Longest name of a component in bytes.
const COMPONENT_NAME: usize = 255;

/// Keys of a document that gxe knows.
const DOCUMENT_KEYS: &[&str] = &[
    "name",
    "components",
    "interfaces",
    "prerequisites",
    "start_order",
    "EntityGroups",
    "default_conditions",
];
/// Keys of a document that other programs know.
const FOREIGN_DOCUMENT_KEYS: &[&str] = &[
    "application",
    "dependencies",
    "description",
    "display_name",
    "segment_config",
    "ui_property",
    "version",
];
const COMPONENT_KEYS: &[&str] = &["type", "name", "parameters"];
const FOREIGN_COMPONENT_KEYS: &[&str] = &["description", "ui_property"];

/// Reads the text of an app file.
///
/// Reports all mistakes of form together. Only text that is not YAML ends the reading early,
/// without a description. If there are errors, the description has everything that was right, so
/// that later checks can report more.
#[must_use]
pub fn read_app(source: &Arc<Source>, diagnostics: &mut Diagnostics) -> Option<AppFile> {
    let mut found = Diagnostics::new();
    let mut reader = Reader {
        diagnostics: &mut found,
        app: AppFile {
            source: Arc::clone(source),
            documents: Vec::new(),
            start_order: None,
            entity_groups: Vec::new(),
            default_conditions: None,
        },
        start_order_key: None,
        manifest_key: None,
    };
    let mut warnings = Diagnostics::new();
    let read = for_each_document(source, &mut warnings, |document| reader.document(document));
    if let Err(problem) = read {
        // Text that is not YAML may be meant differently from its first line on.
        diagnostics.push(problem);
        return None;
    }
    reader.check_start_order();
    reader.check_manifest();
    let app = reader.app;
    diagnostics.extend(warnings);
    diagnostics.extend(found);
    Some(app)
}

struct Reader<'a> {
    diagnostics: &'a mut Diagnostics,
    app: AppFile,
    /// The first `start_order` key.
    start_order_key: Option<Node>,
    /// The key `extensions` of a document that lists the libraries of the app.
    manifest_key: Option<Span>,
}

impl Reader<'_> {
    fn document(&mut self, document: Node) {
        if document.is_null() {
            return;
        }
        let pairs = match document.kind {
            Kind::Mapping(pairs) => pairs,
            _ => {
                let code = ResultCode::INVALID_DATA_FORMAT;
                self.expected(code, "a mapping that describes an entity", &document);
                return;
            }
        };
        if self.is_no_app(&pairs) {
            return;
        }
        let mut entity = EntitySpec {
            name: None,
            has_components: false,
            components: Vec::new(),
            interfaces: Vec::new(),
            prerequisites: None,
        };
        let mut is_entity = false;
        for (key, value) in pairs {
            let name = key.as_text().unwrap_or_default();
            is_entity |= matches!(name, "name" | "components" | "interfaces" | "prerequisites");
            match name {
                "name" => entity.name = self.entity_name(value),
                "components" => {
                    entity.has_components = true;
                    let entries = self.list("`components`", value);
                    entity.components.reserve_exact(entries.len());
                    for entry in entries {
                        entity.components.extend(self.component(entry));
                    }
                }
                "interfaces" => {
                    for entry in self.list("`interfaces`", value) {
                        entity.interfaces.extend(self.interface(&entry));
                    }
                }
                "prerequisites" => {
                    entity.prerequisites = Some(self.prerequisites(value));
                }
                "start_order" => self.start_order(key, value),
                "default_conditions" => self.default_conditions(&key, &value),
                "EntityGroups" => {
                    for entry in self.list("`EntityGroups`", value) {
                        let group = self.entity_group(entry);
                        self.app.entity_groups.extend(group);
                    }
                }
                _ => self.unknown_key(&key, "a document", DOCUMENT_KEYS, FOREIGN_DOCUMENT_KEYS),
            }
        }
        if is_entity {
            self.app.documents.push(entity);
        }
    }

    /// Whether this is a different kind of file, with a list of extensions where an app has
    /// components. One warning covers all of it.
    fn is_no_app(&mut self, pairs: &[(Node, Node)]) -> bool {
        let keys = || pairs.iter().map(|(key, _)| key);
        let has = |wanted| keys().any(|key| key.as_text() == Some(wanted));
        let extensions = keys().find(|key| key.as_text() == Some("extensions"));
        let Some(extensions) = extensions.filter(|_| !has("components")) else { return false };
        let place = extensions.span(&self.app.source);
        if pairs.len() == 1 {
            self.manifest_key.get_or_insert(place);
            return true;
        }
        self.describes_no_entity(
            place,
            "this looks like the settings of a Holoscan program, whose graph is in its code; an app \
             lists entities with `name` and `components`",
        );
        true
    }

    /// An app may contain its manifest. A file without anything else is a manifest.
    fn check_manifest(&mut self) {
        if let Some(place) = self.manifest_key.take()
            && self.app.documents.is_empty()
        {
            self.describes_no_entity(place, "this looks like a manifest; pass it to --manifest");
        }
    }

    fn describes_no_entity(&mut self, extensions: Span, help: &str) {
        let problem = Diagnostic::warning("a document with `extensions` describes no entity");
        self.diagnostics.push(problem.at(extensions).label("ignored").help(help));
    }

    fn component(&mut self, entry: Node) -> Option<ComponentSpec> {
        let range = entry.range();
        let pairs = match entry.kind {
            Kind::Mapping(pairs) => pairs,
            _ => {
                let expected = "a component: a mapping with `type`, `name`, `parameters`";
                self.expected(ResultCode::FAILURE, expected, &entry);
                return None;
            }
        };
        let mut component = ComponentSpec {
            type_name: None,
            name: None,
            parameters: Vec::new(),
            has_parameters: false,
        };
        let mut valid = true;
        for (key, value) in pairs {
            match key.as_text().unwrap_or_default() {
                "type" => {
                    component.type_name = self.text("the type of a component", value);
                    valid &= component.type_name.is_some();
                }
                // As in GXF, an empty name means no name.
                "name" if value.is_null() || value.as_text() == Some("") => {}
                "name" => {
                    component.name = self.component_name(value);
                    valid &= component.name.is_some();
                }
                "parameters" => {
                    component.has_parameters = true;
                    component.parameters = self.parameters(value);
                }
                _ => {
                    self.unknown_key(&key, "a component", COMPONENT_KEYS, FOREIGN_COMPONENT_KEYS);
                }
            }
        }
        if valid && component.type_name.is_none() && component.name.is_none() {
            valid = false;
            let diagnostic =
                Diagnostic::error(ResultCode::FAILURE, "a component has neither `type` nor `name`")
                    .at(Span::new(&self.app.source, range))
                    .help("`type` adds a component; `name` alone changes an existing one");
            self.diagnostics.push(diagnostic);
        }
        valid.then_some(component)
    }

    fn parameters(&mut self, value: Node) -> Vec<(Spanned<CompactString>, Node)> {
        if value.is_null() {
            return Vec::new();
        }
        let pairs = match value.kind {
            Kind::Mapping(pairs) => pairs,
            _ => {
                let code = ResultCode::INVALID_DATA_FORMAT;
                let problem =
                    self.unexpected(code, "`parameters` as a mapping of keys to values", &value);
                let problem = match value.kind {
                    Kind::Sequence(_) => problem.help("write `key: value`, without a `-` before"),
                    _ => problem,
                };
                self.diagnostics.push(problem);
                return Vec::new();
            }
        };
        let mut parameters = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            if let Some(key) = self.text("the key of a parameter", key) {
                parameters.push((key, value));
            }
        }
        parameters
    }

    fn interface(&mut self, entry: &Node) -> Option<InterfaceSpec> {
        let (name, target) = self.name_and_target("an interface", entry)?;
        let name = self.text("the name of an interface", name.clone())?;
        let target = self.text("the target of an interface", target.clone())?;
        let pieces = target.value.split_once('/');
        if pieces.is_none_or(|(entity, component)| entity.is_empty() || component.is_empty()) {
            let message = format!("`{}` is not the target of an interface", target.value);
            let diagnostic = Diagnostic::error(ResultCode::FAILURE, message)
                .at(target.span)
                .label("expected `entity/component`");
            self.diagnostics.push(diagnostic);
            return None;
        }
        Some(InterfaceSpec { name, target })
    }

    fn entity_group(&mut self, entry: Node) -> Option<EntityGroupSpec> {
        let (name, target) = self.name_and_target("an entity group", &entry)?;
        let name = self.text("the name of an entity group", name.clone())?;
        let targets = self.names("`target`", target.clone());
        Some(EntityGroupSpec { name, targets })
    }

    /// Two values of a mapping that needs both. `what` says what it describes.
    fn name_and_target<'n>(&mut self, what: &str, entry: &'n Node) -> Option<(&'n Node, &'n Node)> {
        if let (Some(name), Some(target)) = (entry.get("name"), entry.get("target")) {
            return Some((name, target));
        }
        if entry.as_mapping().is_none() {
            let expected = format!("{what}: a mapping with `name` and `target`");
            self.expected(ResultCode::FAILURE, &expected, entry);
            return None;
        }
        let missing = if entry.get("name").is_none() { "name" } else { "target" };
        let diagnostic =
            Diagnostic::error(ResultCode::FAILURE, format!("{what} has no `{missing}`"))
                .at(entry.span(&self.app.source))
                .label("expected `name` and `target`");
        self.diagnostics.push(diagnostic);
        None
    }

    fn default_conditions(&mut self, key: &Node, value: &Node) {
        let span = key.span(&self.app.source);
        if let Some(first) = &self.app.default_conditions {
            let first = first.span.clone();
            self.second_one("default_conditions", span, first);
            return;
        }
        match value.as_text().filter(|_| !value.is_null()).and_then(parse_bool) {
            Some(value) => self.app.default_conditions = Some(Spanned { value, span }),
            None => {
                let code = ResultCode::PARAMETER_PARSER_ERROR;
                self.expected(code, "`default_conditions` as true or false", value);
            }
        }
    }

    fn second_one(&mut self, key: &str, at: Span, first: Span) {
        let message = format!("a file can have only one `{key}`");
        let diagnostic = Diagnostic::error(ResultCode::FAILURE, message)
            .at(at)
            .label("second one")
            .note(first, "first one here");
        self.diagnostics.push(diagnostic);
    }

    fn start_order(&mut self, key: Node, value: Node) {
        if let Some(first) = &self.start_order_key {
            let (at, first) = (key.span(&self.app.source), first.span(&self.app.source));
            self.second_one("start_order", at, first);
            return;
        }
        self.app.start_order = Some(self.names("`start_order`", value));
        self.start_order_key = Some(key);
    }

    fn check_start_order(&mut self) {
        let Some(order) = &self.app.start_order else { return };
        let entities = self.app.documents.iter().filter_map(|entity| entity.name.as_ref());
        let known: FxHashSet<&str> = entities.map(|name| name.value.as_str()).collect();
        if order.len() > known.len()
            && let Some(key) = &self.start_order_key
        {
            let message = format!(
                "`start_order` has {} names, but the file names only {} entities",
                order.len(),
                known.len()
            );
            let place = key.span(&self.app.source);
            self.diagnostics.push(Diagnostic::error(ResultCode::FAILURE, message).at(place));
        }
        let unknown = order.iter().filter(|name| !known.contains(name.value.as_str()));
        // Each suggestion compares with every entity, so only errors that are shown get one.
        for (index, name) in unknown.enumerate() {
            let near = (index < Diagnostics::SHOWN)
                .then(|| nearest(&name.value, known.iter().copied()))
                .flatten();
            let message =
                format!("`start_order` names `{}`, which is not in this file", name.value);
            let diagnostic = Diagnostic::warning(message).at(name.span.clone()).suggest(near);
            self.diagnostics.push(diagnostic);
        }
    }

    fn entity_name(&mut self, value: Node) -> Option<Spanned<CompactString>> {
        // As in GXF, an empty name means an unnamed entity.
        if value.is_null() || value.as_text() == Some("") {
            return None;
        }
        let name = self.text("the name of an entity", value)?;
        if name.value.len() > ENTITY_NAME {
            let code = ResultCode::ENTITY_NAME_EXCEEDS_LIMIT;
            self.too_long(code, "an entity", ENTITY_NAME, &name);
            return None;
        }
        if name.value.starts_with("__") {
            let diagnostic = Diagnostic::warning(
                "entity names that start with `__` are reserved for unnamed entities",
            );
            self.diagnostics.push(diagnostic.at(name.span.clone()));
        }
        if name.value.contains('/') {
            let diagnostic =
                Diagnostic::warning("no other entity can refer to a name with a slash")
                    .at(name.span.clone())
                    .label("a handle `entity/component` is split at its first slash");
            self.diagnostics.push(diagnostic);
        }
        Some(name)
    }

    fn component_name(&mut self, value: Node) -> Option<Spanned<CompactString>> {
        let name = self.text("the name of a component", value)?;
        if name.value.len() > COMPONENT_NAME {
            let code = ResultCode::ENTITY_COMPONENT_NAME_EXCEEDS_LIMIT;
            self.too_long(code, "a component", COMPONENT_NAME, &name);
            return None;
        }
        if name.value.contains('/') {
            let diagnostic = Diagnostic::warning(
                "a component with a slash in its name is found only as `entity/name`",
            )
            .at(name.span.clone())
            .label("a handle is split at its first slash");
            self.diagnostics.push(diagnostic);
        }
        Some(name)
    }

    fn too_long(
        &mut self,
        code: ResultCode,
        what: &str,
        limit: usize,
        name: &Spanned<CompactString>,
    ) {
        let message = format!(
            "the name of {what} has {} bytes; at most {limit} are allowed",
            name.value.len()
        );
        self.diagnostics.push(Diagnostic::error(code, message).at(name.span.clone()));
    }

    /// The elements of a list; none for null.
    fn list(&mut self, what: &str, value: Node) -> Vec<Node> {
        if value.is_null() {
            return Vec::new();
        }
        match value.kind {
            Kind::Sequence(elements) => elements,
            _ => {
                let problem =
                    self.unexpected(ResultCode::FAILURE, &format!("{what} as a list"), &value);
                let problem = problem.help("each entry of a list starts with `- `");
                self.diagnostics.push(problem);
                Vec::new()
            }
        }
    }

    /// Names, or mappings with a `name`.
    fn prerequisites(&mut self, value: Node) -> Vec<Spanned<CompactString>> {
        let entries = self.list("`prerequisites`", value).into_iter();
        let names = entries.map(|entry| entry.get("name").cloned().unwrap_or(entry));
        let names: Vec<Node> = names.collect();
        names.into_iter().filter_map(|name| self.text("a name", name)).collect()
    }

    fn names(&mut self, what: &str, value: Node) -> Vec<Spanned<CompactString>> {
        let elements = self.list(what, value);
        elements.into_iter().filter_map(|element| self.text("a name", element)).collect()
    }

    fn text(&mut self, what: &str, node: Node) -> Option<Spanned<CompactString>> {
        if node.as_text().is_none_or(str::is_empty) || node.is_null() {
            self.expected(ResultCode::FAILURE, what, &node);
            return None;
        }
        let span = node.span(&self.app.source);
        Some(Spanned { value: node.into_text()?, span })
    }

    fn expected(&mut self, code: ResultCode, what: &str, node: &Node) {
        let problem = self.unexpected(code, what, node);
        self.diagnostics.push(problem);
    }

    fn unexpected(&self, code: ResultCode, what: &str, node: &Node) -> Diagnostic {
        let message = format!("expected {what}, found {}", node.describe());
        Diagnostic::error(code, message).at(node.span(&self.app.source))
    }

    /// Warns about an unknown key. GXF ignores those, which hides typing errors.
    fn unknown_key(&mut self, key: &Node, place: &str, known: &[&str], foreign: &[&str]) {
        let Some(text) = key.as_text().filter(|text| !foreign.contains(text)) else { return };
        let near = nearest(text, known.iter().copied());
        let mut diagnostic =
            Diagnostic::warning(format!("`{text}` is not a key of {place}; it is ignored"))
                .at(key.span(&self.app.source))
                .suggest(near);
        if near.is_none() {
            let known: Vec<_> = known.iter().map(|key| format!("`{key}`")).collect();
            diagnostic = diagnostic.help(format!("its keys are {}", known.join(", ")));
        }
        self.diagnostics.push(diagnostic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (AppFile, Vec<String>) {
        let mut diagnostics = Diagnostics::new();
        let app = read_app(&Source::new("a.yaml", text), &mut diagnostics).unwrap();
        (app, diagnostics.iter().map(|d| format!("{d} [{}]", d.code.name())).collect())
    }

    #[test]
    fn a_whole_file() {
        let (app, messages) = read(
            "%YAML 1.2\n---\nname: tx\ncomponents:\n- name: out\n  type: T\n  parameters:\n    \
             capacity: 1\n- name: other\n  parameters:\n---\n---\ncomponents:\n---\n\
             interfaces: [{name: i, target: tx/out}]\nprerequisites: [clock]\n---\n\
             dependencies: [x]\nEntityGroups:\n- name: g\n  target: [tx]\n---\nstart_order: [tx]\n",
        );
        assert_eq!(messages, Vec::<String>::new());
        let [tx, unnamed, inner] = &app.documents[..] else { panic!("{:?}", app.documents) };
        assert_eq!(tx.name.as_ref().map(|name| name.value.as_str()), Some("tx"));
        assert_eq!(
            tx.name.as_ref().map(|name| name.span.to_string()).as_deref(),
            Some("a.yaml:3:7")
        );
        let [out, other] = &tx.components[..] else { panic!("{:?}", tx.components) };
        assert_eq!(out.parameters[0].0.value, "capacity");
        assert_eq!(out.parameters[0].1.as_text(), Some("1"));
        assert!(other.type_name.is_none() && other.has_parameters);
        assert!(unnamed.name.is_none() && unnamed.has_components);
        assert_eq!(inner.interfaces[0].target.value, "tx/out");
        assert_eq!(inner.prerequisites.as_ref().map(Vec::len), Some(1));
        assert!(!inner.has_components);
        assert_eq!(app.start_order.as_ref().map(Vec::len), Some(1));
        assert_eq!(app.entity_groups[0].targets[0].value, "tx");
    }

    #[test]
    fn all_mistakes_of_a_file_are_reported() {
        let long = "n".repeat(256);
        let (_, messages) = read(&format!(
            "text\n---\nname: [a]\ncomponent: []\ncomponents: x\n---\ncomponents:\n- x\n\
             - parameters: {{}}\n- type: T\n  parameters: 5\n  parameter: 5\n- name: {long}\n\
             - type: T\n  name: a/b\n---\nname: __x\nstart_order: [tx, __y]\n---\nstart_order: []\n",
        ));
        assert_eq!(
            messages,
            [
                "a.yaml:1:1: error: expected a mapping that describes an entity, found `text` \
                 [GXF_INVALID_DATA_FORMAT]",
                "a.yaml:3:7: error: expected the name of an entity, found a list [GXF_FAILURE]",
                "a.yaml:4:1: warning: `component` is not a key of a document; it is ignored \
                 [GXF_SUCCESS]",
                "a.yaml:5:13: error: expected `components` as a list, found `x` [GXF_FAILURE]",
                "a.yaml:8:3: error: expected a component: a mapping with `type`, `name`, \
                 `parameters`, found `x` [GXF_FAILURE]",
                "a.yaml:9:3: error: a component has neither `type` nor `name` [GXF_FAILURE]",
                "a.yaml:11:15: error: expected `parameters` as a mapping of keys to values, found \
                 `5` [GXF_INVALID_DATA_FORMAT]",
                "a.yaml:12:3: warning: `parameter` is not a key of a component; it is ignored \
                 [GXF_SUCCESS]",
                "a.yaml:13:9: error: the name of a component has 256 bytes; at most 255 are \
                 allowed [GXF_ENTITY_COMPONENT_NAME_EXCEEDS_LIMIT]",
                "a.yaml:15:9: warning: a component with a slash in its name is found only as \
                 `entity/name` [GXF_SUCCESS]",
                "a.yaml:17:7: warning: entity names that start with `__` are reserved for unnamed \
                 entities [GXF_SUCCESS]",
                "a.yaml:20:1: error: a file can have only one `start_order` [GXF_FAILURE]",
                "a.yaml:18:1: error: `start_order` has 2 names, but the file names only 1 entities \
                 [GXF_FAILURE]",
                "a.yaml:18:15: warning: `start_order` names `tx`, which is not in this file \
                 [GXF_SUCCESS]",
                "a.yaml:18:19: warning: `start_order` names `__y`, which is not in this file \
                 [GXF_SUCCESS]",
            ]
        );
    }
}
