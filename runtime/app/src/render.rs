//! Diagnostics as text for people: message, place, underlined excerpt, help.

use super::diagnostic::{Diagnostic, Diagnostics, Severity};
use super::escape::{is_hidden, one_line};
use super::source::Span;
use annotate_snippets::{AnnotationKind, Element, Level, Origin, Renderer, Snippet};

/// Characters shown on each side of the place when a line is longer than twice this.
const WINDOW: usize = 60;
/// Longest underline in characters; a longer one adds nothing.
const UNDERLINED: usize = 60;

impl Diagnostics {
    /// The findings as text for a terminal: each with an underlined excerpt, at most
    /// [`Self::SHOWN`] errors and as many warnings.
    #[must_use]
    pub fn render(&self, styled: bool) -> String {
        let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
        let mut text = String::new();
        let (mut errors, mut warnings) = (0, 0);
        for diagnostic in self {
            let shown = match diagnostic.severity {
                Severity::Error => &mut errors,
                Severity::Warning => &mut warnings,
            };
            *shown += 1;
            if *shown <= Self::SHOWN {
                text.push_str(&one(diagnostic, &renderer));
                text.push_str("\n\n");
            }
        }
        for (count, noun) in [(errors, "error"), (warnings, "warning")] {
            match count.saturating_sub(Self::SHOWN) {
                0 => {}
                1 => text.push_str(&format!("… and 1 more {noun}\n\n")),
                more => text.push_str(&format!("… and {more} more {noun}s\n\n")),
            }
        }
        text.truncate(text.trim_end().len());
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }
}

/// One finding, without a line break at the end.
fn one(diagnostic: &Diagnostic, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut title = level.primary_title(one_line(&diagnostic.message));
    // An extension may return a code without a name.
    let has_name = !diagnostic.code.description().is_empty();
    if let Some(rule) = diagnostic.rule {
        title = title.id(rule);
    } else if diagnostic.severity == Severity::Error && has_name {
        title = title.id(diagnostic.code.name());
    }
    let mut report = Vec::new();
    let mut group = title.elements(Vec::<Element<'_>>::new());
    if let Some(span) = &diagnostic.span {
        let label = one_line(&diagnostic.label);
        group = excerpt(group, span, (!label.is_empty()).then_some(label));
    }
    if diagnostic.notes.is_empty() {
        group = group.elements(help(diagnostic));
    }
    report.push(group);
    for (index, (span, text)) in diagnostic.notes.iter().enumerate() {
        let note = Level::NOTE.secondary_title(one_line(text));
        let mut group = excerpt(note.elements(Vec::<Element<'_>>::new()), span, None);
        if index + 1 == diagnostic.notes.len() {
            group = group.elements(help(diagnostic));
        }
        report.push(group);
    }
    renderer.render(&report)
}

impl Span {
    /// The place as text for a terminal, as in the findings of a load: `text` in a line of its own,
    /// then the underlined excerpt, without a line break at the end.
    #[must_use]
    pub fn render(&self, text: &str, styled: bool) -> String {
        let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
        let note = Level::NOTE.primary_title(one_line(text)).elements(Vec::<Element<'_>>::new());
        renderer.render(&[excerpt(note, self, None)])
    }
}

fn help(diagnostic: &Diagnostic) -> impl Iterator<Item = annotate_snippets::Message<'static>> {
    diagnostic.help.iter().map(|text| Level::HELP.message(one_line(text)))
}

/// Adds `--> file:line:column` and the underlined line, or the part around the place, to a group.
fn excerpt<'a>(
    group: annotate_snippets::Group<'a>,
    span: &Span,
    label: Option<String>,
) -> annotate_snippets::Group<'a> {
    let name = one_line(&span.source.name);
    if span.source.is_lost() {
        let place =
            format!("{name}, byte {} (the file has changed since it was read)", span.start());
        return group.element(Origin::path(place));
    }
    let (line, range) = span.source.line_at(span.start());
    let (line_number, column) = (line, span.line_column().1);
    let whole = span.source.text();
    let text = &whole[range.clone()];
    // A span may start at a line break or cover several lines; only the first line is shown.
    let within = |offset: usize| offset.clamp(range.start, range.end) - range.start;
    let start = text.floor_char_boundary(within(span.start()));
    let end = text.ceil_char_boundary(within(span.end())).max(start);

    let before: usize = text[..start].chars().rev().take(WINDOW).map(char::len_utf8).sum();
    let underlined: usize = text[start..end].chars().take(UNDERLINED).map(char::len_utf8).sum();
    let after: usize = text[start + underlined..].chars().take(WINDOW).map(char::len_utf8).sum();
    let (cut_start, cut_end) = (start - before, start + underlined + after);

    let mut shown = String::new();
    let (mut mark_start, mut mark_end) = (None, None);
    if cut_start > 0 {
        shown.push('…');
    }
    for (offset, character) in text[cut_start..cut_end].char_indices() {
        let offset = cut_start + offset;
        if offset >= start && mark_start.is_none() {
            mark_start = Some(shown.len());
        }
        if offset >= start + underlined && mark_end.is_none() {
            mark_end = Some(shown.len());
        }
        match character {
            '\t' => shown.push('→'),
            _ if is_hidden(character) => shown.push('\u{fffd}'),
            _ => shown.push(character),
        }
    }
    let mark_start = mark_start.unwrap_or(shown.len());
    let mark_end = mark_end.unwrap_or(shown.len()).max(mark_start);
    if cut_end < text.len() {
        shown.push('…');
    }

    let mark = AnnotationKind::Primary.span(mark_start..mark_end).label(label);
    let snippet = Snippet::source(shown).line_start(line_number).annotation(mark);
    if cut_start == 0 {
        return group.element(snippet.path(name));
    }
    // The renderer would count the column from where the line is cut.
    group.element(Origin::path(name).line(line_number).char_column(column)).element(snippet)
}
