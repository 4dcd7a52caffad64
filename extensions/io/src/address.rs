//! What the parameter `address` can say.

use crate::program::Program;
use std::fmt;
use std::path::PathBuf;

/// Where data comes from or goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// `-`: standard input or output.
    Standard,
    /// A file, a FIFO or a device.
    File(PathBuf),
    /// `tcp://HOST:PORT`: a connection to a server.
    Connect(String),
    /// `tcp-listen://HOST:PORT`: a server for one peer at a time.
    Listen(String),
    /// `udp://HOST:PORT`: datagrams, received at this address or sent to it.
    Datagrams(String),
    /// A program, which no parameter names directly.
    Program(Program),
}

impl Address {
    /// Reads the value of a parameter. The error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == "-" {
            return Ok(Self::Standard);
        }
        let Some((scheme, rest)) = text.split_once("://") else {
            return match text {
                "" => Err("an address is empty; write a path, or `-`".to_owned()),
                path => Ok(Self::File(path.into())),
            };
        };
        let kind = match scheme {
            "tcp" => Self::Connect,
            "tcp-listen" => Self::Listen,
            "udp" => Self::Datagrams,
            _ => {
                return Err(format!(
                    "`{text}` has the unknown scheme `{scheme}`; an address is a path, `-`, \
                     tcp://HOST:PORT, tcp-listen://HOST:PORT or udp://HOST:PORT"
                ));
            }
        };
        let port = rest.rsplit_once(':').filter(|(host, _)| !host.is_empty());
        match port.map(|(_, port)| port.parse::<u16>()) {
            Some(Ok(_)) => Ok(kind(rest.to_owned())),
            _ => Err(format!("`{text}` is not {scheme}://HOST:PORT with a port up to 65535")),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Standard => formatter.write_str("-"),
            Self::File(path) => write!(formatter, "{}", path.display()),
            Self::Connect(place) => write!(formatter, "tcp://{place}"),
            Self::Listen(place) => write!(formatter, "tcp-listen://{place}"),
            Self::Datagrams(place) => write!(formatter, "udp://{place}"),
            Self::Program(program) => formatter.write_str(&program.about),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let connect = Address::Connect("[::1]:80".to_owned());
        assert_eq!(Address::parse("tcp://[::1]:80"), Ok(connect));
        assert_eq!(Address::parse("a/b.csv"), Ok(Address::File("a/b.csv".into())));
        for wrong in ["", "tcp://", "tcp://host", "udp://:1", "udp://h:66000", "http://h:1"] {
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
    }
}
