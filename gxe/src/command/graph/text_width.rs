//! Estimates the width of a text without a font, from the widths of a wide sans-serif font, so that
//! a text is rarely wider than its space.

/// Width of a text at a font size, both in the units of the drawing.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(of_char).sum::<f64>() * size
}

/// The same in bold.
pub fn bold_width(text: &str, size: f64) -> f64 {
    1.14 * width(text, size)
}

/// The text, or its beginning with an ellipsis, so that it fits a width.
pub fn fitted(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_owned();
    }
    let mut left = most / size - of_char('…');
    let fits = |c: &char| {
        left -= of_char(*c);
        left >= 0.0
    };
    let mut short: String = text.chars().take_while(fits).collect();
    short.push('…');
    short
}

/// Width of a character, as a share of the font size.
fn of_char(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '\'' | '|' => 0.28,
        ' ' | '!' | '.' | ',' | ':' | ';' | 'I' | 'f' | 't' | 'r' | '/' | '(' | ')' | '[' | ']' => {
            0.38
        }
        'm' | 'M' | 'W' | '@' | '%' | '…' => 1.0,
        'w' => 0.8,
        'A'..='Z' | '≥' | '→' | '_' => 0.68,
        ' '..='~' => 0.6,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7af}' => 1.0,
        '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ff60}' => 1.0,
        '\u{1f000}'..='\u{3ffff}' => 1.4,
        _ => 0.68,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_to_fit() {
        assert_eq!(fitted("short", 10.0, 100.0), "short");
        let cut = fitted(&"long ".repeat(100), 10.0, 100.0);
        assert!(cut.ends_with('…') && width(&cut, 10.0) <= 100.0, "{cut}");
        assert_eq!(fitted("x", 10.0, 0.0), "…");
    }
}
