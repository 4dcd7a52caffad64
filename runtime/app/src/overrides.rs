//! Parameter values from the command line: `entity/component/key=value`.

use super::diagnostic::Diagnostic;
use super::source::{Source, Span};
use super::yaml::{Node, parse_value_at};
use gxf_plugin_abi::ResultCode;
use std::sync::Arc;

/// A value that replaces one from a file.
#[derive(Clone, Debug)]
pub struct ParameterOverride {
    /// Name of the entity, with its subgraph prefix (`outer.inner`).
    pub entity: String,
    /// Name or type name of the component.
    pub component: String,
    /// Key of the parameter.
    pub key: String,
    /// The value.
    pub value: Node,
    /// The text of the override, named `<--param N>`; places of `value` belong to it.
    pub source: Arc<Source>,
    /// Length of the path `entity/component/key` in `source`, in bytes.
    path_length: usize,
}

impl ParameterOverride {
    /// The place of `entity/component/key`.
    #[must_use]
    pub fn path_span(&self) -> Span {
        Span::new(&self.source, 0..self.path_length)
    }
}

/// Parses one override. Messages use `index`, which counts from 1.
///
/// Everything after the first `=` is the value, parsed as YAML.
///
/// # Errors
/// The text has another form ([`ResultCode::ARGUMENT_INVALID`]), or its value is not YAML.
pub fn parse_override(text: &str, index: usize) -> Result<ParameterOverride, Diagnostic> {
    let source = Source::new(format!("<--param {index}>"), text);
    let wrong = |range, message: String| {
        Diagnostic::error(ResultCode::ARGUMENT_INVALID, message)
            .at(Span::new(&source, range))
            .help("expected `entity/component/key=value`, such as `tx/signal/capacity=4`")
    };
    let Some((path, _)) = text.split_once('=') else {
        return Err(wrong(0..text.len(), "the override has no `=`".into()));
    };
    let pieces: Vec<&str> = path.split('/').collect();
    let [entity, component, key] = pieces[..] else {
        let message = format!("expected 3 names before the `=`, found {}", pieces.len());
        return Err(wrong(0..path.len(), message));
    };
    let mut start = 0;
    for (name, what) in [(entity, "entity"), (component, "component"), (key, "parameter")] {
        if name.trim().is_empty() {
            return Err(wrong(start..start + name.len(), format!("the {what} has no name")));
        }
        start += name.len() + 1;
    }
    let value = parse_value_at(&source, path.len() + 1)?;
    Ok(ParameterOverride {
        entity: entity.trim().into(),
        component: component.trim().into(),
        key: key.trim().into(),
        value,
        path_length: path.len(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_at_the_first_equals_sign() {
        let found = parse_override("outer.tx/signal/url=\"http://x?a=b\"", 1).unwrap();
        assert_eq!((&*found.entity, &*found.component, &*found.key), ("outer.tx", "signal", "url"));
        assert_eq!(found.value.as_text(), Some("http://x?a=b"));
        assert_eq!(found.value.span(&found.source).to_string(), "<--param 1>:1:21");
        assert_eq!(found.path_span().text(), "outer.tx/signal/url");
    }

    #[test]
    fn values_are_yaml() {
        let value = |text| parse_override(text, 1).unwrap().value;
        assert!(value("a/b/c=").is_null());
        assert_eq!(value("a/b/c= - ").as_text(), Some("-"));
        assert_eq!(value("a/b/c=- 1").as_sequence().map(<[_]>::len), Some(1));
        assert_eq!(value("a/b/c=[1, 2]").as_sequence().map(<[_]>::len), Some(2));
        assert_eq!(value("a/b/c={x: 1}").get("x").and_then(Node::as_text), Some("1"));
    }

    #[test]
    fn other_forms_are_refused() {
        for text in [
            "",
            "a",
            "a/b/c",
            "a/b=1",
            "a/b/c/d=1",
            "//=1",
            "a/ /c=1",
            "a/b/c=[",
            "a/b/c=1\n---\n2",
        ] {
            assert!(parse_override(text, 1).is_err(), "{text}");
        }
    }
}
