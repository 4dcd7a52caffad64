//! Entities and components of an app, and the words in it. A file that is being typed is no YAML for
//! most of the time, so this scans words, and takes from indentation and brackets what they are.

use super::document::Place;
use std::ops::Range;

/// An entity of the file.
#[derive(Debug)]
pub struct Entity {
    pub name: String,
    /// The lines of its document, without the `---` before it.
    pub lines: Range<usize>,
    pub components: Vec<Component>,
    words: Vec<Word>,
}

/// A component of an entity.
#[derive(Debug, Default)]
pub struct Component {
    pub name: String,
    pub type_name: String,
    /// Where it begins.
    pub line: usize,
    /// The keys below `parameters`, with their places.
    pub parameters: Vec<(String, Place)>,
}

/// A scalar.
#[derive(Debug)]
pub struct Word {
    pub slot: Slot,
    /// Without quotes.
    pub text: String,
    pub line: usize,
    /// Its bytes in the line.
    pub range: Range<usize>,
}

/// What stands at a place, or may stand there.
#[derive(Debug, PartialEq, Eq)]
pub struct Slot {
    /// The keys and the numbers of items that lead there from the document; for a key, to its mapping.
    path: Vec<String>,
    pub is_key: bool,
}

impl Slot {
    pub fn path(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
    }
}

/// All documents of a file as entities.
pub fn read(lines: &[&str]) -> Vec<Entity> {
    let mut entities = Vec::new();
    let mut start = 0;
    for end in 0..=lines.len() {
        if end == lines.len() || lines[end].starts_with("---") {
            entities.push(Entity::read(lines, start..end));
            start = end + 1;
        }
    }
    entities
}

/// What may stand where the text before a place ends. `None` within a comment, and where something
/// has to come first.
pub fn slot(lines: &[&str], entity: &Entity, place: Place) -> Option<Slot> {
    let mut scanner = Scanner::default();
    (entity.lines.start..place.line).for_each(|number| scanner.line(number, lines[number]));
    scanner.words.clear();
    let before = &lines[place.line][..place.byte];
    let is_blank = before.trim_start_matches(' ').is_empty();
    if before.trim_start().starts_with('#') || before.contains(" #") {
        return None;
    }
    if is_blank {
        scanner.move_to(before.len(), false);
    } else {
        scanner.line(place.line, before);
    }
    if let Some(word) = scanner.words.pop_if(|word| word.range.end == before.len()) {
        return Some(word.slot);
    }
    let is_key = match scanner.top().map(|level| &level.step) {
        Some(Step::Key(key)) => key.is_none() || (is_blank && scanner.brackets.is_empty()),
        Some(Step::Item(_)) => scanner.brackets.is_empty(),
        None => true,
    };
    let slot = Slot { path: scanner.path(), is_key };
    (is_key || !before.ends_with(':')).then_some(slot)
}

impl Entity {
    fn read(lines: &[&str], range: Range<usize>) -> Self {
        let mut scanner = Scanner::default();
        range.clone().for_each(|number| scanner.line(number, lines[number]));
        let mut entity =
            Self { name: String::new(), lines: range, components: Vec::new(), words: Vec::new() };
        for word in &scanner.words {
            entity.take(word);
        }
        entity.words = scanner.words;
        entity
    }

    fn take(&mut self, word: &Word) {
        let path = word.slot.path();
        let ["components", number, below @ ..] = &path[..] else {
            if path == ["name"] && !word.slot.is_key {
                self.name.clone_from(&word.text);
            }
            return;
        };
        let Ok(number) = number.parse::<usize>() else { return };
        while self.components.len() <= number {
            self.components.push(Component { line: word.line, ..Component::default() });
        }
        let component = &mut self.components[number];
        let text = word.text.clone();
        match (below, word.slot.is_key) {
            (["name"], false) => component.name = text,
            (["type"], false) => component.type_name = text,
            (["parameters"], true) => {
                component
                    .parameters
                    .push((text, Place { line: word.line, byte: word.range.start }));
            }
            _ => {}
        }
    }

    /// The component to which a path leads.
    pub fn component(&self, path: &[&str]) -> Option<&Component> {
        let ["components", number, ..] = path else { return None };
        self.components.get(number.parse::<usize>().ok()?)
    }
}

/// The word at a place, and its entity.
pub fn word_at(entities: &[Entity], place: Place) -> Option<(&Entity, &Word)> {
    let entity = entities.iter().find(|entity| entity.lines.contains(&place.line))?;
    let is_there = |word: &&Word| {
        word.line == place.line && (word.range.start..=word.range.end).contains(&place.byte)
    };
    Some((entity, entity.words.iter().find(is_there)?))
}

/// A list or a mapping that is open.
struct Level {
    /// Column of its dashes or keys; of no meaning within brackets.
    column: usize,
    step: Step,
}

/// Where in a list or a mapping the scanner is.
enum Step {
    Item(usize),
    Key(Option<String>),
}

/// Reads line by line.
#[derive(Default)]
struct Scanner {
    /// Lists and mappings by indentation, from the outermost.
    blocks: Vec<Level>,
    /// Within the innermost of these: those in brackets.
    brackets: Vec<Level>,
    /// Deeper lines belong to a text.
    text_below: Option<usize>,
    words: Vec<Word>,
}

impl Scanner {
    fn top(&self) -> Option<&Level> {
        self.brackets.last().or(self.blocks.last())
    }

    fn path(&self) -> Vec<String> {
        let levels = self.blocks.iter().chain(&self.brackets);
        let steps = levels.filter_map(|level| match &level.step {
            Step::Item(number) => Some(number.to_string()),
            Step::Key(key) => key.clone(),
        });
        steps.collect()
    }

    fn line(&mut self, number: usize, line: &str) {
        let text = line.trim_start_matches(' ');
        let mut at = line.len() - text.len();
        if text.is_empty() || text.starts_with('#') {
            return;
        }
        // Of brackets that are never closed, less indentation is the end.
        let is_inside = text.starts_with(['}', ']'])
            || self.blocks.last().is_none_or(|level| at > level.column);
        if !self.brackets.is_empty() && is_inside {
            return self.bracketed(number, line, at);
        }
        if self.text_below.take_if(|column| at <= *column).is_none() && self.text_below.is_some() {
            return;
        }
        loop {
            let rest = &line[at..];
            let is_item = rest == "-" || rest.starts_with("- ");
            self.move_to(at, is_item);
            if !is_item {
                break;
            }
            match self.blocks.last_mut() {
                Some(Level { column, step: Step::Item(number) }) if *column == at => *number += 1,
                _ => self.blocks.push(Level { column: at, step: Step::Item(0) }),
            }
            at = line.len() - rest[1..].trim_start_matches(' ').len();
        }
        let rest = &line[at..];
        if rest.starts_with(['{', '[']) {
            return self.bracketed(number, line, at);
        }
        let Some(end) = colon(rest) else {
            let is_key = !matches!(self.blocks.last(), Some(Level { step: Step::Item(_), .. }));
            return self.word(number, line, at..line.len(), is_key);
        };
        if !matches!(self.blocks.last(), Some(Level { column, step: Step::Key(_) }) if *column == at)
        {
            self.blocks.push(Level { column: at, step: Step::Key(None) });
        }
        self.word(number, line, at..at + end, true);
        if let Some(level) = self.blocks.last_mut() {
            level.step = Step::Key(Some(unquoted(&rest[..end]).to_owned()));
        }
        let value = rest[end + 1..].trim_start_matches(' ');
        let value_at = line.len() - value.len();
        if value.starts_with(['{', '[']) {
            self.bracketed(number, line, value_at);
        } else if value.starts_with(['|', '>']) {
            self.text_below = Some(at);
        } else {
            self.word(number, line, value_at..line.len(), false);
        }
    }

    /// Leaves what does not reach this column, and the key that was last in its mapping.
    fn move_to(&mut self, column: usize, is_item: bool) {
        let is_left = |level: &mut Level| {
            let is_list = matches!(level.step, Step::Item(_));
            level.column > column || (level.column == column && is_list && !is_item)
        };
        if self.blocks.last().is_some_and(|level| column <= level.column) {
            self.brackets.clear();
        }
        if !self.brackets.is_empty() {
            return;
        }
        while self.blocks.pop_if(is_left).is_some() {}
        if let Some(Level { step: Step::Key(key), .. }) =
            self.blocks.last_mut().filter(|level| level.column == column && !is_item)
        {
            *key = None;
        }
    }

    /// Reads within brackets, from the one that opens or from where the line goes on.
    fn bracketed(&mut self, number: usize, line: &str, mut at: usize) {
        while let Some(first) = line[at..].chars().next() {
            match first {
                '{' => self.brackets.push(Level { column: at, step: Step::Key(None) }),
                '[' => self.brackets.push(Level { column: at, step: Step::Item(0) }),
                '}' | ']' => {
                    self.brackets.pop();
                    if self.brackets.is_empty() {
                        return;
                    }
                }
                ',' => match self.brackets.last_mut().map(|level| &mut level.step) {
                    Some(Step::Item(number)) => *number += 1,
                    Some(Step::Key(key)) => *key = None,
                    None => return,
                },
                '#' => return,
                ' ' | '\t' | ':' => {}
                _ => {
                    at = self.bracketed_word(number, line, at);
                    continue;
                }
            }
            at += 1;
        }
    }

    /// Takes a key or a value within brackets. Returns where the line goes on.
    fn bracketed_word(&mut self, number: usize, line: &str, at: usize) -> usize {
        let rest = &line[at..];
        let quoted = quoted(rest);
        let ends_word = |mark: char| matches!(mark, ',' | '[' | ']' | '{' | '}');
        let ends = [rest[quoted..].find(ends_word), rest[quoted..].find(" #")];
        let end = ends.into_iter().flatten().min().map_or(rest.len(), |end| quoted + end);
        let Some(Level { step: Step::Key(None), .. }) = self.brackets.last() else {
            self.word(number, line, at..at + end, false);
            return at + end;
        };
        let Some(key) = colon(&rest[..end]) else {
            self.word(number, line, at..at + end, true);
            return at + end;
        };
        self.word(number, line, at..at + key, true);
        if let Some(level) = self.brackets.last_mut() {
            level.step = Step::Key(Some(unquoted(&rest[..key]).to_owned()));
        }
        at + key + 1
    }

    /// Adds a word, without a comment behind it.
    fn word(&mut self, line_number: usize, line: &str, range: Range<usize>, is_key: bool) {
        let text = &line[range.clone()];
        let end = text.find(" #").filter(|end| *end >= quoted(text)).unwrap_or(text.len());
        let text = text[..end].trim_end();
        if text.is_empty() || text.starts_with('#') {
            return;
        }
        self.words.push(Word {
            slot: Slot { path: self.path(), is_key },
            text: unquoted(text).to_owned(),
            line: line_number,
            range: range.start..range.start + text.len(),
        });
    }
}

/// Where a quoted text at the beginning ends; 0 for none.
fn quoted(text: &str) -> usize {
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) else { return 0 };
    text[1..].find(quote).map_or(text.len(), |end| end + 2)
}

/// The colon behind the key at the beginning of a text.
fn colon(text: &str) -> Option<usize> {
    let from = quoted(text);
    let ends_key = |place: &usize| matches!(text.as_bytes().get(place + 1), None | Some(b' '));
    text[from..].match_indices(':').map(|(place, _)| from + place).find(ends_key)
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_file_is_enough() {
        let text = "name: tx\ncomponents:\n- name: out\n  type: a::Tx\n  parameters:\n    capacity: 1\n    \
                    deep:\n      x: 1\n    pol\n- {name: t, type: a::Term, parameters: {\"p\": [1, 2],\n    q: \
                    {r: 1}}}\n- {type: a::Open, parameters: {u: \n- type: a::Next\n---\n# none\ncomponents:\n  \
                    - type: b::C # why\n    \n---\n{components: [{type: d::E}]}\n";
        let lines: Vec<_> = text.split('\n').collect();
        let entities = read(&lines);
        let found: Vec<_> = entities.iter().flat_map(|entity| &entity.components).collect();
        let types: Vec<_> = found.iter().map(|component| &*component.type_name).collect();
        assert_eq!(types, ["a::Tx", "a::Term", "a::Open", "a::Next", "b::C", "d::E"]);
        assert_eq!((&*entities[0].name, &*found[0].name, &*found[1].name), ("tx", "out", "t"));
        let keys = |number: usize| -> Vec<_> {
            found[number].parameters.iter().map(|(key, _)| key.as_str()).collect()
        };
        assert_eq!(keys(0), ["capacity", "deep", "pol"]);
        assert_eq!((keys(1), keys(2)), (vec!["p", "q"], vec!["u"]));
        assert_eq!(found[1].parameters[1].1, Place { line: 10, byte: 4 });
    }

    /// The slot at the end of a text.
    fn slot_of(text: &str) -> Option<(String, bool)> {
        let lines: Vec<_> = text.split('\n').collect();
        let place = Place { line: lines.len() - 1, byte: lines.last()?.len() };
        let entities = read(&lines);
        let entity = entities.last()?;
        slot(&lines, entity, place).map(|slot| (slot.path.join("/"), slot.is_key))
    }

    #[test]
    fn both_styles_tell_what_may_follow() {
        let list = "name: a\ncomponents:\n";
        for (text, path, is_key) in [
            ("", "", true),
            ("- {type: x}\nna", "", true),
            ("- ", "components/0", true),
            ("- {", "components/0", true),
            ("- {name: out, ty", "components/0", true),
            ("- type: a::", "components/0/type", false),
            ("- {name: out, type: a::", "components/0/type", false),
            ("- type: x\n  parameters:\n    ", "components/0/parameters", true),
            ("- type: x\n  parameters:\n    one: 1\n    ", "components/0/parameters", true),
            ("- type: x\n  parameters: {one: 1, ", "components/0/parameters", true),
            ("- {type: x, parameters: {", "components/0/parameters", true),
            (
                "- {type: x}\n- {type: y, parameters: {\n    k: v/",
                "components/1/parameters/k",
                false,
            ),
            ("- type: x\n  parameters: {k: [a, ", "components/0/parameters/k/1", false),
            ("- {type: x, parameters: {k: \n- ty", "components/1", false),
            ("- {type: x, parameters: {k: \n- {ty", "components/1", true),
            ("- {type: x, parameters: {k: \n", "", true),
        ] {
            let found = slot_of(&format!("{list}{text}"));
            assert_eq!(found, Some((path.to_owned(), is_key)), "{text}");
        }
        for text in ["- {type:", "- type:", "- type: x # ty", "# na"] {
            assert_eq!(slot_of(&format!("{list}{text}")), None, "{text}");
        }
    }
}
