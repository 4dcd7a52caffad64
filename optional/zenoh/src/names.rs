//! The key expressions beside that of the messages. Their second last part begins with `@`, which
//! no wildcard of zenoh matches, so that they reach no subscriber to messages.

/// The token of a publisher: it lives as long as the publisher.
pub fn token(key: &str, publisher: &str) -> String {
    format!("{key}/@gxe-alive/{publisher}")
}

/// The tokens of all publishers.
pub fn tokens(key: &str) -> String {
    token(key, "*")
}

/// The question of a publisher whether everything has arrived.
pub fn end(key: &str, publisher: &str) -> String {
    format!("{key}/@gxe-end/{publisher}")
}

/// The questions of all publishers.
pub fn ends(key: &str) -> String {
    end(key, "*")
}

/// The publisher in such a key.
pub fn publisher(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or_default()
}
