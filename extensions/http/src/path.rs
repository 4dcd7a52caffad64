//! Paths of requests: `service/resource`, percent-encoded.

use std::fmt::Write as _;

/// The text of a path as it is sent. Slashes stay: a resource may consist of several parts.
pub fn encoded(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut path, byte| {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => path.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => path.push(char::from(byte)),
            _ => _ = write!(path, "%{byte:02X}"),
        }
        path
    })
}

/// The text that was sent as this part of a path; `None` if it is no text, or not well encoded.
pub fn decoded(part: &str) -> Option<String> {
    let mut pieces = part.split('%');
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        let (digits, rest) = piece.split_at_checked(2)?;
        let digit = |at: usize| char::from(digits.as_bytes()[at]).to_digit(16);
        bytes.push(u8::try_from(digit(0)? * 16 + digit(1)?).ok()?);
        bytes.extend(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::{decoded, encoded};

    #[test]
    fn what_is_sent_arrives() {
        for text in ["stat/entity", "config/a b/c%d/é?#", "", "x+y=~z", "%", "/"] {
            let path = encoded(text);
            assert!(path.bytes().all(|byte| byte.is_ascii_graphic()), "{path}");
            assert_eq!(decoded(&path).as_deref(), Some(text));
        }
        assert_eq!(encoded("a b/é"), "a%20b/%C3%A9");
        assert_eq!(decoded("st%61t").as_deref(), Some("stat"));
        assert_eq!(decoded("a%2fb+c").as_deref(), Some("a/b+c"));
    }

    #[test]
    fn what_is_no_text_is_refused() {
        for part in ["%", "a%4", "%zz", "%+1", "%é", "%ff", "a%c3"] {
            assert_eq!(decoded(part), None, "{part}");
        }
    }
}
