//! A page of the book as a list of steps.
//!
//! A fenced block ` ```yaml,file=NAME ` is a file in the page's folder. A block ` ```console ` has
//! commands, each after `$ `, followed by everything the command prints. There, `…` matches any
//! text of a line, and a line with only `…` any number of lines.

/// A step that a page asks its reader to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Write a file.
    File {
        /// Its name.
        name: String,
        /// Its text.
        text: String,
    },
    /// Run a command.
    Command {
        /// The text after `$ `.
        line: String,
        /// What it prints.
        expected: String,
    },
}

/// The steps of a page, in order.
///
/// # Errors
/// A YAML block without a file, or a block that is never closed.
pub fn steps(page: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let mut text = String::new();
        loop {
            let line = lines.next().ok_or_else(|| format!("the block `{info}` is not closed"))?;
            if line == "```" {
                break;
            }
            text.push_str(line);
            text.push('\n');
        }
        let file = info.split(',').find_map(|word| word.trim().strip_prefix("file="));
        match (info.split(',').next(), file) {
            (_, Some(name)) => steps.push(Step::File { name: name.to_owned(), text }),
            (Some("yaml"), None) => return Err(format!("YAML that is no file:\n{text}")),
            (Some("console"), None) => commands(&text, &mut steps)?,
            _ => {}
        }
    }
    Ok(steps)
}

fn commands(text: &str, steps: &mut Vec<Step>) -> Result<(), String> {
    for line in text.split_inclusive('\n') {
        if let Some(command) = line.strip_prefix("$ ") {
            let line = command.trim_end().to_owned();
            steps.push(Step::Command { line, expected: String::new() });
            continue;
        }
        match steps.last_mut() {
            Some(Step::Command { expected, .. }) => expected.push_str(line),
            _ => return Err(format!("output of no command: {line}")),
        }
    }
    Ok(())
}

/// Whether a text matches what a page says, see the top of this file.
#[must_use]
pub fn matches(expected: &str, found: &str) -> bool {
    let expected: Vec<&str> = expected.lines().collect();
    let found: Vec<&str> = found.lines().collect();
    lines_match(&expected, &found)
}

fn lines_match(expected: &[&str], found: &[&str]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((&"…", rest)) => (0..=found.len()).any(|skip| lines_match(rest, &found[skip..])),
        Some((first, rest)) => {
            let Some((line, others)) = found.split_first() else { return false };
            line_matches(first, line) && lines_match(rest, others)
        }
    }
}

fn line_matches(expected: &str, found: &str) -> bool {
    let mut pieces = expected.split('…');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = found.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_stand_for_any_text() {
        assert!(matches("a…c\n…\nend\n", "abc\n1\n2\nend\n"));
        assert!(matches("…\nx\n", "x\n"));
        assert!(!matches("a…c\n", "ab\n"));
        assert!(!matches("a\n", "a\nb\n"));
        assert!(!matches("…b…b", "ab"));
    }

    #[test]
    fn a_page_is_read_in_order() {
        let page = "text\n```yaml,file=a.yaml\nx: 1\n```\n```console\n$ one\n1\n$ two\n```\n";
        assert_eq!(
            steps(page).unwrap(),
            [
                Step::File { name: "a.yaml".into(), text: "x: 1\n".into() },
                Step::Command { line: "one".into(), expected: "1\n".into() },
                Step::Command { line: "two".into(), expected: String::new() },
            ]
        );
        assert!(steps("```yaml\nx: 1\n```\n").is_err());
    }
}
