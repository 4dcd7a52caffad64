//! The YAML of `graph-specs` and `connections`.

use gxf::{Error, Result, ResultCode, Yaml};
use gxf_app::Source;
use gxf_app::yaml::{Node, parse_value_at};

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

fn invalid(text: String) -> Error {
    Error::new(ResultCode::PARAMETER_PARSER_ERROR, text)
}

fn parsed(yaml: &Yaml, key: &str) -> Result<Node> {
    let source = Source::new("<value>", yaml.0.as_str());
    let node = parse_value_at(&source, 0);
    node.map_err(|problem| invalid(format!("`{key}` cannot be read: {}", problem.message)))
}

/// A graph in several processes, in one file: `graph-specs` and `connections`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentsFile {
    /// The segments.
    pub segments: Vec<SegmentFiles>,
    /// The links between them.
    pub connections: Vec<Connection>,
}

impl SegmentsFile {
    /// Reads the text of such a file.
    ///
    /// # Errors
    /// `PARAMETER_PARSER_ERROR`
    pub fn read(text: &str) -> Result<Self> {
        let node = parsed(&Yaml(text.to_owned()), "the file")?;
        let pairs = node.as_mapping().filter(|_| node.get("graph-specs").is_some());
        let pairs = pairs.ok_or_else(|| invalid("the file has no `graph-specs`".to_owned()))?;
        const KEYS: [&str; 2] = ["graph-specs", "connections"];
        for (key, _) in pairs {
            let key = key.as_text().unwrap_or_default();
            if !KEYS.contains(&key) {
                let near = gxf_app::suggest::nearest(key, KEYS);
                let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                return Err(invalid(format!("unknown key `{key}`{hint}")));
            }
        }
        let part = |key| node.get(key).map(|node| Yaml(gxf_app::yaml::emit(node)));
        let segments = part("graph-specs").map_or(Ok(Vec::new()), |yaml| segments(&yaml))?;
        if segments.is_empty() {
            let at = node.get("graph-specs").map_or(0, |specs| specs.range().start);
            let (line, column) = Source::new("<file>", text).line_column(at);
            return Err(invalid(format!(
                "{line}:{column}: `graph-specs` names no segment, so nothing would run; name one \
                 with its app, such as `graph-specs: {{one: {{app-path: app.yaml}}}}`"
            )));
        }
        let connections = part("connections").map_or(Ok(Vec::new()), |yaml| connections(&yaml))?;
        for end in connections.iter().flat_map(Connection::segments) {
            if !segments.iter().any(|segment| segment.name == end) {
                let names = segments.iter().map(|segment| segment.name.as_str());
                let near = gxf_app::suggest::nearest(end, names);
                let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                return Err(invalid(format!("`connections`: there is no segment `{end}`{hint}")));
            }
        }
        Ok(Self { segments, connections })
    }
}

/// Reads `graph-specs`.
///
/// # Errors
/// `PARAMETER_PARSER_ERROR`
pub fn segments(yaml: &Yaml) -> Result<Vec<SegmentFiles>> {
    const KEYS: [&str; 5] = ["app-path", "manifest-path", "severity", "param-path", "context"];
    let node = parsed(yaml, "graph-specs")?;
    if node.is_null() {
        return Ok(Vec::new());
    }
    let pairs = node.as_mapping().ok_or_else(|| {
        invalid(format!("`graph-specs` is {}, and must map segments to files", node.describe()))
    })?;
    let mut segments = Vec::new();
    for (name, files) in pairs {
        let name = name.as_text().unwrap_or_default().to_owned();
        let of = || format!("`graph-specs`, segment `{name}`");
        let keys = files.as_mapping().ok_or_else(|| {
            invalid(format!("{}: {}, and must have `app-path`", of(), files.describe()))
        })?;
        for (key, _) in keys {
            let key = key.as_text().unwrap_or_default();
            if !KEYS.contains(&key) {
                let near = gxf_app::suggest::nearest(key, KEYS);
                let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                return Err(invalid(format!("{}: unknown key `{key}`{hint}", of())));
            }
        }
        let text = |key| files.get(key).and_then(Node::as_text).map(str::to_owned);
        if name.is_empty() || name.contains('.') {
            return Err(invalid(format!("{}: a name without dots is needed", of())));
        }
        let context = text("context").map(|address| {
            let wrong = || invalid(format!("{}: `context` is no address", of()));
            address.parse::<usize>().map_err(|_| wrong())
        });
        let context = context.transpose()?;
        let app = text("app-path").or_else(|| context.map(|_| String::new()));
        segments.push(SegmentFiles {
            context,
            app: app.ok_or_else(|| invalid(format!("{}: no `app-path`", of())))?,
            manifest: text("manifest-path"),
            parameters: text("param-path"),
            name,
        });
    }
    Ok(segments)
}

/// Reads `connections`.
///
/// # Errors
/// `PARAMETER_PARSER_ERROR`
pub fn connections(yaml: &Yaml) -> Result<Vec<Connection>> {
    let node = parsed(yaml, "connections")?;
    if node.is_null() {
        return Ok(Vec::new());
    }
    let list = node.as_sequence().ok_or_else(|| {
        invalid(format!("`connections` is {}, and must be a list", node.describe()))
    })?;
    let mut connections: Vec<Connection> = Vec::new();
    for (index, item) in list.iter().enumerate() {
        let end = |key: &str| {
            let text = item.get(key).and_then(Node::as_text).unwrap_or_default();
            if text.split('.').filter(|part| !part.is_empty()).count() == 3 {
                return Ok(text.to_owned());
            }
            let number = index + 1;
            Err(invalid(format!(
                "`connections`, item {number}: `{key}` is `{text}`, and must be \
                 `segment.entity.component`"
            )))
        };
        let connection = Connection { source: end("source")?, target: end("target")? };
        if let Some(other) = connections.iter().find(|known| known.target == connection.target) {
            let (target, one, two) = (&connection.target, &other.source, &connection.source);
            return Err(invalid(format!(
                "`connections`: both `{one}` and `{two}` lead to `{target}`, and a receiver has \
                 one transmitter"
            )));
        }
        connections.push(connection);
    }
    Ok(connections)
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
    fn a_file_names_segments() {
        for (text, place) in [
            ("graph-specs: {}", "1:14"),
            ("connections: []\ngraph-specs: {}\n", "2:14"),
            ("graph-specs:\n", "1:12"),
        ] {
            let error = SegmentsFile::read(text).unwrap_err();
            let expected = format!("{place}: `graph-specs` names no segment");
            assert!(error.message().starts_with(&expected), "{text}: {}", error.message());
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
    }
}
