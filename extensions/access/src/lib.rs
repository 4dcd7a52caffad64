//! Who may connect to an extension from outside, and to which addresses.
//!
//! Without a token everything listens on this host only, whatever address it is asked to listen at,
//! and says so once. With a token it listens where it is asked to, and the other end must know it.
#![forbid(unsafe_code)]

use gxf::{Error, Result, ResultCode};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::Once;

/// Most bytes of a token.
const TOKEN_LIMIT: u64 = 4096;
/// Names the file with the token, if no parameter does.
const TOKEN_FILE: &str = "GXE_TOKEN_FILE";
/// Waives the token.
const INSECURE: &str = "GXE_INSECURE";

/// What a context knows about access.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The secret that both ends know; empty for none.
    pub token: String,
    /// Whether other hosts may connect without one.
    pub is_insecure: bool,
}

impl Access {
    /// From a file, or else from the environment.
    ///
    /// # Errors
    /// The file cannot be read, or others can read it.
    pub fn new(file: Option<&Path>, is_insecure: bool) -> Result<Self> {
        let from_environment = std::env::var_os(TOKEN_FILE).filter(|path| !path.is_empty());
        let path = file.map(Path::to_owned).or(from_environment.map(Into::into));
        let token = path.as_deref().map(read_token).transpose()?.unwrap_or_default();
        let waived = std::env::var_os(INSECURE).is_some_and(|value| value == "1");
        Ok(Self { token, is_insecure: is_insecure || waived })
    }

    /// Whether a peer knows the token. Takes equally long for every wrong one of the same length.
    #[must_use]
    pub fn admits(&self, token: &str) -> bool {
        let (own, other) = (self.token.as_bytes(), token.as_bytes());
        let differences = own.iter().zip(other).fold(0, |sum, (one, two)| sum | (one ^ two));
        own.is_empty() || (own.len() == other.len() && differences == 0)
    }

    /// Where to listen if `address` is asked for. `what` names those that ask, for the log.
    #[must_use]
    pub fn listening(&self, address: SocketAddr, what: &str) -> SocketAddr {
        if address.ip().is_loopback() || self.is_insecure || !self.token.is_empty() {
            return address;
        }
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            gxf::warning!(
                "{what} accept connections of this host only, because there is no token; set \
                 {TOKEN_FILE} to a file with a secret on every host to let others in, or \
                 {INSECURE}=1 to do without"
            );
        });
        let loopback = match address.ip() {
            IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        };
        SocketAddr::new(loopback, address.port())
    }
}

/// The token in a file that only its owner can read.
fn read_token(path: &Path) -> Result<String> {
    let failed = |text: String| {
        Error::new(ResultCode::FAILURE, format!("token file '{}': {text}", path.display()))
    };
    let status = std::fs::metadata(path).map_err(|error| failed(error.to_string()))?;
    if status.permissions().mode() & 0o077 != 0 {
        return Err(failed(format!(
            "others may read it (mode {:03o}); run: chmod 600",
            status.mode() & 0o777
        )));
    }
    if !status.is_file() || status.len() > TOKEN_LIMIT {
        return Err(failed(format!("is no file of at most {TOKEN_LIMIT} bytes")));
    }
    let token = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    match token.trim() {
        "" => Err(failed("is empty".to_owned())),
        token => Ok(token.to_owned()),
    }
}
