//! Entities and components of an app, read line by line. A file that is being typed is no YAML for
//! most of the time, so this looks at indentation and keys only.

use std::ops::Range;

/// An entity of the file.
#[derive(Debug, Default)]
pub struct Entity {
    pub name: String,
    /// The lines of its document, without the `---` before it.
    pub lines: Range<usize>,
    pub components: Vec<Component>,
}

/// A component of an entity.
#[derive(Debug, Default)]
pub struct Component {
    pub name: String,
    pub type_name: String,
    pub lines: Range<usize>,
    /// Column of its keys.
    pub column: usize,
    /// The keys below `parameters`, with their lines.
    pub parameters: Vec<(String, usize)>,
    /// Line and column of the key `parameters`.
    pub parameters_at: Option<(usize, usize)>,
    /// Column of the keys below it, once there is one.
    pub parameter_column: Option<usize>,
}

/// All documents of a file as entities.
pub fn read(lines: &[&str]) -> Vec<Entity> {
    let mut entities = Vec::new();
    let mut start = 0;
    for end in 0..=lines.len() {
        if end == lines.len() || lines[end].starts_with("---") {
            entities.push(entity(lines, start..end));
            start = end + 1;
        }
    }
    entities
}

/// The key of a line `key: value` or `- key: value`, its column, and the value.
pub fn key(line: &str) -> Option<(&str, usize, &str)> {
    let content = line.trim_start_matches([' ', '-']);
    let column = line.len() - content.len();
    let (key, value) = content.split_once(':')?;
    let is_word = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_end = value.is_empty() || value.starts_with(' ');
    (is_word && is_end).then(|| (key, column, value.trim()))
}

fn entity(lines: &[&str], range: Range<usize>) -> Entity {
    let mut entity = Entity { lines: range.clone(), ..Entity::default() };
    let mut dashes = None;
    let mut is_inside = false;
    for number in range.clone() {
        let line = lines[number];
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let is_item = text == "-" || text.starts_with("- ");
        if indent == 0 && !is_item {
            let Some((key, _, value)) = key(line) else { continue };
            is_inside = key == "components";
            if key == "name" {
                entity.name = plain(value).to_owned();
            }
            continue;
        }
        if !is_inside {
            continue;
        }
        if is_item && dashes.is_none_or(|column| column == indent) {
            dashes = Some(indent);
            let column = indent + 1 + text[1..].len() - text[1..].trim_start().len();
            let column = if text == "-" { indent + 2 } else { column };
            entity.components.push(Component {
                lines: number..number + 1,
                column,
                ..Component::default()
            });
        }
        if let Some(component) = entity.components.last_mut() {
            component.lines.end = number + 1;
            component.take(line, number);
        }
    }
    entity
}

impl Component {
    fn take(&mut self, line: &str, number: usize) {
        let content = line.trim_start_matches([' ', '-']);
        if content.starts_with('{') {
            for part in content.trim_matches(['{', '}']).split(',') {
                match part.trim().split_once(": ") {
                    Some(("name", value)) => self.name = plain(value).to_owned(),
                    Some(("type", value)) => self.type_name = plain(value).to_owned(),
                    _ => {}
                }
            }
            return;
        }
        let Some((key, column, value)) = key(line) else { return };
        if column == self.column {
            match key {
                "name" => self.name = plain(value).to_owned(),
                "type" => self.type_name = plain(value).to_owned(),
                "parameters" => self.parameters_at = Some((number, column)),
                _ => {}
            }
            return;
        }
        // Deeper keys belong to the value of a parameter.
        if self.parameters_at.is_some_and(|(_, above)| column > above)
            && self.parameter_column.is_none_or(|known| known == column)
        {
            self.parameter_column = Some(column);
            self.parameters.push((key.to_owned(), number));
        }
    }
}

/// A scalar without quotes and comment.
fn plain(value: &str) -> &str {
    let value = value.split(" #").next().unwrap_or(value).trim();
    value.trim_matches(['"', '\'', '}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_file_is_enough() {
        let text = "name: tx\ncomponents:\n- name: out\n  type: a::Tx\n  parameters:\n    capacity: 1\n    \
                    deep:\n      x: 1\n    pol\n- {name: t, type: a::Term}\n---\n# none\ncomponents:\n  - type: \
                    b::C # why\n    \n";
        let lines: Vec<_> = text.split('\n').collect();
        let entities = read(&lines);
        assert_eq!(entities.len(), 2);
        let [out, term] = &entities[0].components[..] else { panic!("{entities:?}") };
        assert_eq!((&*entities[0].name, &*out.name, &*out.type_name), ("tx", "out", "a::Tx"));
        let keys: Vec<_> = out.parameters.iter().map(|(key, _)| &**key).collect();
        assert_eq!((keys, out.lines.clone()), (vec!["capacity", "deep"], 2..9));
        assert_eq!((&*term.name, &*term.type_name), ("t", "a::Term"));
        assert_eq!(entities[1].components[0].type_name, "b::C");
    }
}
