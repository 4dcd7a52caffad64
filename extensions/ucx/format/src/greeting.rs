//! What both ends say first, as JSON: a later version may add fields.

use serde::{Deserialize, Serialize};

/// Version of the protocol. Unequal ones refuse each other.
pub const PROTOCOL: u32 = 2;

/// Most bytes of a greeting.
pub const GREETING_LIMIT: u32 = 64 << 10;

/// The transmitter's greeting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// Version of gxe, for people.
    pub version: String,
    /// The transmitter, `entity/component`.
    pub name: String,
    /// A number that only this run of the transmitter has.
    pub run: u64,
    /// The first message that may come again.
    pub next: u64,
    /// The secret that both ends know.
    #[serde(default)]
    pub token: String,
}

/// The receiver's greeting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// Version of gxe, for people.
    pub version: String,
    /// The receiver, `entity/component`.
    pub name: String,
    /// Messages of this run that it has.
    pub has: u64,
    /// Messages of this run that there may be in all.
    pub granted: u64,
}

/// The receiver does not want this transmitter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// Why, for people.
    pub reason: String,
    /// Whether it may be different later.
    #[serde(default)]
    pub for_now: bool,
}

/// What is wrong with a greeting.
#[derive(Debug, thiserror::Error)]
pub enum GreetingError {
    /// It cannot be read.
    #[error("the peer's greeting cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// The versions do not fit.
    #[error(
        "the peer (gxe {version}) speaks version {protocol} of the link protocol, and this gxe \
         version {PROTOCOL}"
    )]
    Protocol {
        /// Its version of the protocol.
        protocol: u32,
        /// Its version of gxe.
        version: String,
    },
}

/// A greeting with a version.
pub trait Greeting: Serialize + for<'a> Deserialize<'a> {
    /// Version of the protocol, and of gxe; `None` if it needs none.
    fn versions(&self) -> Option<(u32, &str)>;

    /// The greeting as bytes.
    fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Reads a greeting.
    ///
    /// # Errors
    /// It cannot be read, or is of another version.
    fn from_bytes(bytes: &[u8]) -> Result<Self, GreetingError> {
        let greeting: Self = serde_json::from_slice(bytes)?;
        match greeting.versions() {
            Some((protocol, version)) if protocol != PROTOCOL => {
                let version = version.chars().take(40).filter(|one| !one.is_control()).collect();
                Err(GreetingError::Protocol { protocol, version })
            }
            _ => Ok(greeting),
        }
    }
}

impl Greeting for Hello {
    fn versions(&self) -> Option<(u32, &str)> {
        Some((self.protocol, &self.version))
    }
}

impl Greeting for Welcome {
    fn versions(&self) -> Option<(u32, &str)> {
        Some((self.protocol, &self.version))
    }
}

impl Greeting for Refused {
    fn versions(&self) -> Option<(u32, &str)> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unequal_versions_name_both() {
        let welcome = Welcome {
            protocol: 3,
            version: "9.1".to_owned(),
            name: "rx/signal".to_owned(),
            has: 0,
            granted: 1,
        };
        let error = Welcome::from_bytes(&welcome.to_bytes()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the peer (gxe 9.1) speaks version 3 of the link protocol, and this gxe version 2"
        );
    }
}
