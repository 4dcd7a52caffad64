//! Elements and keys, the same at every level of a file.

use super::error;
use gxf_app::suggest::nearest;
use gxf_app::yaml::{Kind, Node};
use gxf_app::{Diagnostic, Diagnostics, Source, Span, Spanned};
use std::sync::Arc;

/// Reads the nodes of one file.
pub(crate) struct Nodes<'a> {
    pub(crate) source: Arc<Source>,
    pub(crate) findings: &'a mut Diagnostics,
}

/// An id and what is nested below it.
pub(crate) struct Entry<'a> {
    pub(crate) id: Spanned<String>,
    pub(crate) pairs: Vec<(&'a Node, &'a Node)>,
}

/// Something with its article.
pub(crate) fn a(what: &str) -> String {
    let article = if what.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("{article} {what}")
}

impl Nodes<'_> {
    pub(crate) fn place(&self, node: &Node) -> Span {
        node.span(&self.source)
    }

    pub(crate) fn push(&mut self, problem: Diagnostic) {
        self.findings.push(problem);
    }

    /// Reports a node that is something else.
    pub(crate) fn expected(&mut self, what: &str, node: &Node) {
        let message = format!("expected {what}, found {}", node.describe());
        let problem = error("form", message).at(self.place(node));
        self.push(problem);
    }

    /// The elements of a list; none for a node without content.
    pub(crate) fn list<'n>(&mut self, what: &str, node: &'n Node) -> &'n [Node] {
        match &node.kind {
            Kind::Sequence(elements) => elements,
            _ if node.is_null() => &[],
            _ => {
                let message = format!("expected {what} as a list, found {}", node.describe());
                let problem = error("form", message).at(self.place(node));
                self.push(problem.help("each element of a list starts with `- `"));
                &[]
            }
        }
    }

    /// The pairs of a mapping; none for a node without content.
    pub(crate) fn pairs<'n>(&mut self, what: &str, node: &'n Node) -> Vec<(&'n Node, &'n Node)> {
        match &node.kind {
            Kind::Mapping(pairs) => pairs.iter().map(|(key, value)| (key, value)).collect(),
            _ if node.is_null() => Vec::new(),
            _ => {
                self.expected(&format!("{what} as a mapping"), node);
                Vec::new()
            }
        }
    }

    /// The entries of a list of `- id: {…}`. `keys` are those that an entry may have; found beside
    /// the id, they are reported and taken for its own.
    pub(crate) fn entries<'n>(
        &mut self,
        what: &str,
        node: &'n Node,
        keys: &[&str],
    ) -> Vec<Entry<'n>> {
        let elements = self.list(&format!("{what}s"), node);
        elements.iter().filter_map(|element| self.entry(what, element, keys)).collect()
    }

    fn entry<'n>(&mut self, what: &str, element: &'n Node, keys: &[&str]) -> Option<Entry<'n>> {
        let Some(pairs) = element.as_mapping() else {
            self.expected(&format!("{} as `id:` with its keys below", a(what)), element);
            return None;
        };
        let is_key = |node: &Node| node.as_text().is_some_and(|text| keys.contains(&text));
        let ids: Vec<_> = pairs.iter().filter(|(key, _)| !is_key(key)).collect();
        let (id, content) = match ids[..] {
            [] => {
                let first = &pairs.first()?.0;
                let text = first.as_text().unwrap_or_default();
                let problem =
                    error("misplaced", format!("`{text}` stands where {}'s id is", a(what)))
                        .at(self.place(first))
                        .help(format!(
                            "write `- id:`, and `{text}` in the lines below, indented more"
                        ));
                self.push(problem);
                return None;
            }
            [first, ..] => first,
        };
        for (other, _) in ids.iter().skip(1) {
            let text = other.as_text().unwrap_or_default();
            let near = nearest(text, keys.iter().copied());
            let problem = match near {
                Some(_) => self.unknown_key(other, &a(what), keys),
                None => error("misplaced", format!("a second {what}, `{text}`, in one element"))
                    .at(self.place(other))
                    .help(format!("start each {what} with `- `")),
            };
            self.push(problem);
        }
        let name = self.id(what, id)?;
        let mut below = self.pairs(&format!("the {what} `{}`", name.value), content);
        for (key, value) in pairs.iter().filter(|(key, _)| is_key(key)) {
            let text = key.as_text().unwrap_or_default();
            let problem = self.beside(key, text, &name);
            self.push(problem);
            below.push((key, value));
        }
        Some(Entry { id: name, pairs: below })
    }

    /// A key that stands beside the id that it belongs to.
    pub(crate) fn beside(&self, key: &Node, text: &str, id: &Spanned<String>) -> Diagnostic {
        error("misplaced", format!("`{text}` stands beside `{}`, not below it", id.value))
            .at(self.place(key))
            .help(format!("indent it by more than `{}`", id.value))
            .note(id.span.clone(), "it belongs to this")
    }

    pub(crate) fn unknown_key(&self, key: &Node, owner: &str, known: &[&str]) -> Diagnostic {
        let text = key.as_text().unwrap_or_default();
        let near = nearest(text, known.iter().copied());
        let problem = error("unknown-key", format!("{owner} has no key `{text}`"))
            .at(self.place(key))
            .suggest(near);
        if near.is_some() {
            return problem;
        }
        let known: Vec<_> = known.iter().map(|key| format!("`{key}`")).collect();
        problem.help(format!("its keys are {}", known.join(", ")))
    }
}
