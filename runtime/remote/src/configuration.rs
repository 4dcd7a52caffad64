//! The YAML of `graph-specs` and `connections`.

use gxf::{Error, Result, ResultCode, Yaml};
use gxf_app::suggest::nearest;
use gxf_app::yaml::{Node, parse_stream, parse_value_at};
use gxf_app::{Diagnostic, Diagnostics, Source, Span};
use std::ops::Range;
use std::sync::Arc;

/// What is read, or a mistake with its place.
pub type Read<T> = std::result::Result<T, Diagnostic>;

/// Where a segment's graph is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentFiles {
    /// Name of the segment.
    pub name: String,
    /// Address of the context in which the program has composed the graph; then there are no files.
    pub context: Option<usize>,
    /// Its app file.
    pub app: String,
    /// Its manifest.
    pub manifest: Option<String>,
    /// Another app file, which sets parameters.
    pub parameters: Option<String>,
}

/// Where a file says where the graph of a segment is.
#[derive(Clone, Debug)]
pub struct SegmentPlaces {
    /// The name of the segment.
    pub name: Span,
    /// Its app file.
    pub app: Span,
    /// Its manifest.
    pub manifest: Option<Span>,
    /// The app file that sets parameters.
    pub parameters: Option<Span>,
}

/// A link from one segment to another. Ends are `segment.entity.component`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The transmitter.
    pub source: String,
    /// The receiver.
    pub target: String,
}

impl Connection {
    /// The segments of both ends.
    pub fn segments(&self) -> [&str; 2] {
        [&self.source, &self.target].map(|end| segment_of(end))
    }
}

/// The segment of `segment.entity.component`.
pub fn segment_of(end: &str) -> &str {
    end.split('.').next().unwrap_or(end)
}

/// Whether a segment may have this name.
pub fn is_segment_name(name: &str) -> bool {
    !name.is_empty() && !name.contains('.')
}

/// Segment, entity and component of `segment.entity.component`. Names of entities in subgraphs have
/// dots themselves.
pub fn parts_of(end: &str) -> Option<[&str; 3]> {
    let (segment, rest) = end.split_once('.')?;
    let (entity, component) = rest.rsplit_once('.')?;
    let is_whole = end.split('.').all(|part| !part.is_empty());
    is_whole.then_some([segment, entity, component])
}

/// A mistake at a place of the YAML.
fn mistake(source: &Arc<Source>, node: &Node, text: impl Into<String>) -> Diagnostic {
    Diagnostic::error(ResultCode::PARAMETER_PARSER_ERROR, text).at(node.span(source))
}

/// Refuses keys that nothing reads. `what` names the mapping.
fn check_keys(source: &Arc<Source>, node: &Node, what: &str, known: &[&str]) -> Read<()> {
    for (key, _) in node.as_mapping().into_iter().flatten() {
        let name = key.as_text().unwrap_or_default();
        if !known.contains(&name) {
            let unknown = mistake(source, key, format!("{what}unknown key `{name}`"));
            return Err(unknown.suggest(nearest(name, known.iter().copied())));
        }
    }
    Ok(())
}

/// Reads the value of a parameter, whose place nobody knows any more.
fn parameter<T>(
    yaml: &Yaml,
    key: &str,
    read: impl FnOnce(&Arc<Source>, &Node) -> Read<T>,
) -> Result<T> {
    let source = Source::new("<value>", yaml.0.as_str());
    let node = parse_value_at(&source, 0).map_err(|problem| Diagnostic {
        message: format!("`{key}` cannot be read: {}", problem.message),
        ..problem
    });
    node.and_then(|node| read(&source, &node)).map_err(|problem| {
        let text = std::iter::once(&problem.message).chain(&problem.help);
        let text: Vec<&str> = text.map(String::as_str).collect();
        Error::new(ResultCode::PARAMETER_PARSER_ERROR, text.join("; "))
    })
}

/// Reads the value that a file has at a place.
fn value_at<T>(place: &Span, read: impl FnOnce(&Arc<Source>, &Node) -> Read<T>) -> Read<T> {
    let source = &place.source;
    let range = place.start()..place.end();
    // The load has reported what is worth a warning.
    let documents = parse_stream(source, &mut Diagnostics::new()).unwrap_or_default();
    match documents.iter().find_map(|document| find(document, &range)) {
        Some(node) => read(source, node),
        // A value of the command line.
        None => read(source, &parse_value_at(source, place.start())?),
    }
}

/// The node at a place.
fn find<'a>(node: &'a Node, range: &Range<usize>) -> Option<&'a Node> {
    if node.range() == *range {
        return Some(node);
    }
    let mut pairs = node.as_mapping().into_iter().flatten();
    let mut items = node.as_sequence().into_iter().flatten();
    pairs
        .find_map(|(_, value)| find(value, range))
        .or_else(|| items.find_map(|item| find(item, range)))
}

/// A graph in several processes, in one file: `graph-specs` and `connections`.
#[derive(Clone, Debug)]
pub struct SegmentsFile {
    /// The segments.
    pub segments: Vec<SegmentFiles>,
    /// Where the file names them and their files.
    pub segment_places: Vec<SegmentPlaces>,
    /// The links between them.
    pub connections: Vec<Connection>,
    /// Where the file names source and target of each link.
    pub places: Vec<[Span; 2]>,
}

impl SegmentsFile {
    /// Reads such a file.
    ///
    /// # Errors
    /// `PARAMETER_PARSER_ERROR`, with the place.
    pub fn read(source: &Arc<Source>) -> Read<Self> {
        let node = parse_value_at(source, 0)?;
        check_keys(source, &node, "", &["graph-specs", "connections"])?;
        let Some(specs) = node.get("graph-specs") else {
            return Err(mistake(source, &node, "the file has no `graph-specs`"));
        };
        let (segments, segment_places): (Vec<_>, Vec<_>) =
            read_segments(source, specs)?.into_iter().unzip();
        if segments.is_empty() {
            let text = "`graph-specs` names no segment, so nothing would run";
            return Err(mistake(source, specs, text).help(
                "name one with its app, such as `graph-specs: {one: {app-path: app.yaml}}`",
            ));
        }
        for (name, files) in specs.as_mapping().into_iter().flatten() {
            if let Some(context) = files.get("context") {
                let text = "`context` is for programs that compose segments; name the app of this \
                            one: `app-path`";
                return Err(mistake(source, context, text));
            }
            let text = name.as_text().unwrap_or_default();
            // `--fragments` separates names by commas, and its `all` means all of them.
            let is_strange = |one: char| one == ',' || one.is_control();
            if text.contains(is_strange) || text.trim() != text || text == "all" {
                let text = format!("`--fragments` cannot name a segment `{}`", text.escape_debug());
                return Err(mistake(source, name, text)
                    .help("use a name other than `all`, without commas and outer spaces"));
            }
        }
        let links = node.get("connections").map(|links| read_connections(source, links));
        let links = links.transpose()?.unwrap_or_default();
        for (connection, places) in &links {
            for (end, place) in connection.segments().into_iter().zip(places) {
                if !segments.iter().any(|segment| segment.name == end) {
                    let text = format!("`connections`: there is no segment `{end}`");
                    let names = segments.iter().map(|segment| segment.name.as_str());
                    let unknown = Diagnostic::error(ResultCode::PARAMETER_PARSER_ERROR, text);
                    return Err(unknown.at(place.clone()).suggest(nearest(end, names)));
                }
            }
        }
        let (connections, places) = links.into_iter().unzip();
        Ok(Self { segments, segment_places, connections, places })
    }
}

/// Reads `graph-specs`.
///
/// # Errors
/// `PARAMETER_PARSER_ERROR`
pub fn segments(yaml: &Yaml) -> Result<Vec<SegmentFiles>> {
    let read = parameter(yaml, "graph-specs", read_segments)?;
    Ok(read.into_iter().map(|(files, _)| files).collect())
}

/// Reads `graph-specs` where a file sets that parameter.
///
/// # Errors
/// `PARAMETER_PARSER_ERROR`, with the place.
pub fn segments_at(place: &Span) -> Read<Vec<(SegmentFiles, SegmentPlaces)>> {
    value_at(place, read_segments)
}

/// Names of severities, each also as its number.
const SEVERITIES: [&str; 6] = ["none", "error", "warning", "info", "debug", "verbose"];

fn read_segments(source: &Arc<Source>, node: &Node) -> Read<Vec<(SegmentFiles, SegmentPlaces)>> {
    const KEYS: [&str; 5] = ["app-path", "manifest-path", "severity", "param-path", "context"];
    if node.is_null() {
        return Ok(Vec::new());
    }
    let pairs = node.as_mapping().ok_or_else(|| {
        let text = format!("`graph-specs` is {}, and must map segments to files", node.describe());
        mistake(source, node, text)
    })?;
    let mut segments = Vec::new();
    for (key, files) in pairs {
        let name = key.as_text().unwrap_or_default().to_owned();
        let of = |text: &str| format!("`graph-specs`, segment `{name}`: {text}");
        if files.as_mapping().is_none() {
            let text = format!("{}, and must have `app-path`", files.describe());
            return Err(mistake(source, files, of(&text)));
        }
        check_keys(source, files, &of(""), &KEYS)?;
        if !is_segment_name(&name) {
            return Err(mistake(source, key, of("a name without dots is needed")));
        }
        let wrong = |key: &str, what: &str| {
            mistake(source, files.get(key).unwrap_or(files), of(&format!("`{key}` {what}")))
        };
        let text = |key: &str| match files.get(key).filter(|value| !value.is_null()) {
            None => Ok(None),
            Some(value) => match value.as_text() {
                Some("") => Err(wrong(key, "is empty")),
                Some(text) => Ok(Some(text.to_owned())),
                None => Err(wrong(key, &format!("is {}, and must be a text", value.describe()))),
            },
        };
        if let Some(severity) = text("severity")?
            && !SEVERITIES.contains(&severity.to_ascii_lowercase().as_str())
            && !severity.parse().is_ok_and(|number: usize| number < SEVERITIES.len())
        {
            let text = format!("is `{severity}`, and must be 0 to 5 or {}", SEVERITIES.join(", "));
            return Err(wrong("severity", &text));
        }
        let context = text("context")?
            .map(|address| address.parse::<usize>().map_err(|_| wrong("context", "is no address")));
        let context = context.transpose()?;
        let app = text("app-path")?.or_else(|| context.map(|_| String::new()));
        let Some(app) = app else {
            return Err(mistake(source, key, of("no `app-path`")));
        };
        let place = |key: &str| Some(files.get(key)?.span(source));
        let places = SegmentPlaces {
            name: key.span(source),
            app: place("app-path").unwrap_or_else(|| key.span(source)),
            manifest: place("manifest-path"),
            parameters: place("param-path"),
        };
        let files = SegmentFiles {
            context,
            app,
            manifest: text("manifest-path")?,
            parameters: text("param-path")?,
            name,
        };
        segments.push((files, places));
    }
    Ok(segments)
}

/// Reads `connections`.
///
/// # Errors
/// `PARAMETER_PARSER_ERROR`
pub fn connections(yaml: &Yaml) -> Result<Vec<Connection>> {
    let read = parameter(yaml, "connections", read_connections)?;
    Ok(read.into_iter().map(|(connection, _)| connection).collect())
}

/// Reads `connections` where a file sets that parameter, with the places of the ends.
///
/// # Errors
/// `PARAMETER_PARSER_ERROR`, with the place.
pub fn connections_at(place: &Span) -> Read<Vec<(Connection, [Span; 2])>> {
    value_at(place, read_connections)
}

/// Links, with the places of their ends.
fn read_connections(source: &Arc<Source>, node: &Node) -> Read<Vec<(Connection, [Span; 2])>> {
    if node.is_null() {
        return Ok(Vec::new());
    }
    let list = node.as_sequence().ok_or_else(|| {
        let text = format!("`connections` is {}, and must be a list", node.describe());
        mistake(source, node, text)
    })?;
    let mut links: Vec<(Connection, [Span; 2])> = Vec::new();
    for (index, item) in list.iter().enumerate() {
        let of = |text: &str| format!("`connections`, item {}: {text}", index + 1);
        check_keys(source, item, &of(""), &["source", "target"])?;
        let end = |key: &str| {
            let node = item.get(key).unwrap_or(item);
            let text = item.get(key).and_then(Node::as_text).unwrap_or_default();
            match parts_of(text) {
                Some(_) => Ok((text.to_owned(), node.span(source))),
                None => {
                    let text =
                        format!("`{key}` is `{text}`, and must be `segment.entity.component`");
                    Err(mistake(source, node, of(&text)))
                }
            }
        };
        let ((from, from_place), (to, to_place)) = (end("source")?, end("target")?);
        let wrong = |text: String, place: &Span| {
            Diagnostic::error(ResultCode::PARAMETER_PARSER_ERROR, text).at(place.clone())
        };
        if from == to {
            let text = of(&format!("`source` and `target` are the same component `{from}`"));
            return Err(wrong(text, &to_place));
        }
        for (other, [other_from, other_to]) in &links {
            let text = match (other.source == from, other.target == to) {
                (true, true) => of(&format!("`{from}` leads to `{to}` already")),
                (true, false) => format!(
                    "`connections`: `{from}` leads to both `{}` and `{to}`, and a transmitter has \
                     one receiver",
                    other.target
                ),
                (false, true) => format!(
                    "`connections`: both `{}` and `{from}` lead to `{to}`, and a receiver has one \
                     transmitter",
                    other.source
                ),
                (false, false) => continue,
            };
            let (place, earlier) = match other.source == from {
                true => (&from_place, other_from),
                false => (&to_place, other_to),
            };
            return Err(wrong(text, place).note(earlier.clone(), "the other connection"));
        }
        links.push((Connection { source: from, target: to }, [from_place, to_place]));
    }
    Ok(links)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yaml(text: &str) -> Yaml {
        Yaml(text.to_owned())
    }

    #[test]
    fn the_seeds_text_is_understood() {
        let found = segments(&yaml(
            "ucx_upstream:\n  app-path: a.yaml\n  manifest-path: m.yaml\n  severity: 4\n",
        ));
        let expected = SegmentFiles {
            name: "ucx_upstream".to_owned(),
            context: None,
            app: "a.yaml".to_owned(),
            manifest: Some("m.yaml".to_owned()),
            parameters: None,
        };
        assert_eq!(found.unwrap(), [expected]);
        let found = connections(&yaml("- source: a.tx.signal\n  target: b.rx.signal\n")).unwrap();
        assert_eq!(found[0].segments(), ["a", "b"]);
    }

    #[test]
    fn entities_of_subgraphs_have_dots() {
        assert_eq!(parts_of("a.b.c"), Some(["a", "b", "c"]));
        assert_eq!(parts_of("a.outer.inner.b.c"), Some(["a", "outer.inner.b", "c"]));
        for wrong in ["", "a", "a.b", ".b.c", "a..c", "a.b.", "a.b..c"] {
            assert_eq!(parts_of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn mistakes_in_a_file_have_places() {
        let one = "graph-specs: {a: {app-path: x}, b: {app-path: y}}\nconnections:\n";
        for (text, place, message) in [
            ("graph-specs: {}", (1, 14), "`graph-specs` names no segment"),
            ("connections: []\ngraph-specs: {}\n", (2, 14), "`graph-specs` names no segment"),
            ("graph-specs:\n", (1, 12), "`graph-specs` names no segment"),
            ("graph-specs: {a: {app-path: x}}\nconections: []\n", (2, 1), "unknown key"),
            ("graph-specs: {a: {app-path: x}, a: {}}\n", (1, 33), "duplicate key `a`"),
            ("graph-specs: {'a,b': {app-path: x}}\n", (1, 15), "`--fragments` cannot name"),
            ("graph-specs: {all: {app-path: x}}\n", (1, 15), "`--fragments` cannot name"),
            (
                "graph-specs: {a: {app-path: }}\n",
                (1, 15),
                "`graph-specs`, segment `a`: no `app-path`",
            ),
            (
                "graph-specs: {a: {app-path: [x]}}\n",
                (1, 29),
                "`graph-specs`, segment `a`: `app-path` is a list, and must be a text",
            ),
            (
                "graph-specs: {a: {app-path: x, manifest-path: [m]}}\n",
                (1, 47),
                "`graph-specs`, segment `a`: `manifest-path` is a list, and must be a text",
            ),
            (
                "graph-specs: {a: {app-path: x, param-path: ''}}\n",
                (1, 44),
                "`graph-specs`, segment `a`: `param-path` is empty",
            ),
            (
                "graph-specs: {a: {context: 12345}}\n",
                (1, 28),
                "`context` is for programs that compose segments",
            ),
            (
                "graph-specs: {a: {app-path: x, severity: loud}}\n",
                (1, 42),
                "`graph-specs`, segment `a`: `severity` is `loud`, and must be 0 to 5 or none,",
            ),
            (
                &format!("{one}- {{source: c.b.c, target: b.b.c}}\n"),
                (3, 12),
                "`connections`: there is no segment `c`",
            ),
            (
                &format!("{one}- {{source: a.b.c, target: b.b.c, foo: 3}}\n"),
                (3, 34),
                "`connections`, item 1: unknown key `foo`",
            ),
        ] {
            let source = Source::new("file", text);
            let mistake = SegmentsFile::read(&source).unwrap_err();
            assert!(mistake.message.starts_with(message), "{text}: {}", mistake.message);
            assert_eq!(mistake.span.map(|span| span.line_column()), Some(place), "{text}");
            assert_ne!(mistake.code, ResultCode::SUCCESS, "{text}");
        }
    }

    #[test]
    fn mistakes_say_what_is_expected() {
        let text = |error: Error| error.message().to_owned();
        assert_eq!(
            text(segments(&yaml("a: {app-pat: x}")).unwrap_err()),
            "`graph-specs`, segment `a`: unknown key `app-pat`; did you mean `app-path`?"
        );
        assert_eq!(
            text(connections(&yaml("[{source: a.b, target: c.d.e}]")).unwrap_err()),
            "`connections`, item 1: `source` is `a.b`, and must be `segment.entity.component`"
        );
        let two = "[{source: a.b.c, target: x.y.z}, {source: d.e.f, target: x.y.z}]";
        assert_eq!(
            text(connections(&yaml(two)).unwrap_err()),
            "`connections`: both `a.b.c` and `d.e.f` lead to `x.y.z`, and a receiver has one \
             transmitter"
        );
        for (more, problem) in [
            ("{source: a.b.c, target: a.b.c}", "are the same component `a.b.c`"),
            (
                "{source: a.b.c, target: d.e.f}, {source: a.b.c, target: g.h.i}",
                "`a.b.c` leads to both `d.e.f` and `g.h.i`, and a transmitter has one receiver",
            ),
            (
                "{source: a.b.c, target: d.e.f}, {source: a.b.c, target: d.e.f}",
                "item 2: `a.b.c` leads to `d.e.f` already",
            ),
        ] {
            let said = text(connections(&yaml(&format!("[{more}]"))).unwrap_err());
            assert!(said.ends_with(problem), "{said}");
        }
    }
}
