//! Who may connect to an extension from outside, to which addresses, and whether what is said is
//! encrypted.
//!
//! Without a token everything listens on this host only, whatever address it is asked to listen at,
//! and says so once. With a token it listens where it is asked to, and the other end must know it.
//! A certificate of an authority that both ends know takes the place of the token; see `tls.rs`.
//!
//! The crate knows no protocol. It may import the SDK, rustls and socket2.
#![forbid(unsafe_code)]

mod host;
mod listen;
mod tls;

pub use host::{authority, is_this_machine};
pub use listen::{Listening, listen};
pub use tls::{Tls, is_about_trust, remedy, unexpected_tls};

use gxf::{Error, Result, ResultCode};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most bytes of a token.
const TOKEN_LIMIT: u64 = 4096;
/// Names the file with the token, if no parameter does.
const TOKEN_FILE: &str = "GXE_TOKEN_FILE";
/// Names the folder with the certificates, if no parameter does.
const TLS_DIRECTORY: &str = "GXE_TLS_DIRECTORY";
/// Waives the token.
const INSECURE: &str = "GXE_INSECURE";

/// What a context knows about access.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The secret that both ends know; empty for none.
    pub token: String,
    /// Whether other hosts may connect without one.
    pub is_insecure: bool,
    /// Certificates; without them nothing is encrypted.
    pub tls: Option<Tls>,
    /// What the protocol knows.
    proofs: Proofs,
}

/// By what a peer can prove that it may connect.
#[derive(Clone, Copy, Debug, Default)]
enum Proofs {
    /// The token, or a certificate.
    #[default]
    All,
    /// The token.
    Token,
    /// Nothing.
    None,
}

/// What the parameters of a component say about access.
#[derive(Clone, Copy, Debug, Default)]
pub struct AccessOptions<'a> {
    /// File with the token.
    pub token_file: Option<&'a str>,
    /// Folder with certificates.
    pub tls_directory: Option<&'a str>,
    /// Whether other hosts may connect without token and certificate.
    pub insecure: bool,
}

impl Access {
    /// From parameters, or else from the environment.
    ///
    /// # Errors
    /// A file cannot be read, or others can read a secret.
    pub fn new(asked: AccessOptions<'_>) -> Result<Self> {
        let token = read(asked.token_file, TOKEN_FILE, read_token)?.unwrap_or_default();
        let tls = read(asked.tls_directory, TLS_DIRECTORY, Tls::new)?;
        let is_insecure = asked.insecure || is_waived()?;
        Ok(Self { token, is_insecure, tls, proofs: Proofs::All })
    }

    /// The same for what is never encrypted, so that nobody proves by a certificate who it is.
    #[must_use]
    pub fn unencrypted(self) -> Self {
        Self { tls: None, proofs: Proofs::Token, ..self }
    }

    /// The same for a protocol by which nobody can prove anything.
    #[must_use]
    pub fn without_proofs(self) -> Self {
        Self { token: String::new(), tls: None, proofs: Proofs::None, ..self }
    }

    /// Whether a peer knows the token. Takes equally long for every wrong one of the same length.
    #[must_use]
    pub fn admits(&self, token: &str) -> bool {
        let (own, other) = (self.token.as_bytes(), token.as_bytes());
        let differences = own.iter().zip(other).fold(0, |sum, (one, two)| sum | (one ^ two));
        own.is_empty() || (own.len() == other.len() && differences == 0)
    }

    /// Whether peers have to bring a token or a certificate.
    #[must_use]
    pub fn asks(&self) -> bool {
        !self.token.is_empty() || self.tls.as_ref().is_some_and(Tls::asks_clients)
    }

    /// Whether a peer may connect that sends this as `Authorization`. The name of its scheme may be
    /// in upper and lower case.
    #[must_use]
    pub fn admits_header(&self, authorization: Option<&str>) -> bool {
        let words = authorization.and_then(|value| value.split_once(' '));
        let token = words.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        self.admits(token.map_or("", |(_, token)| token.trim_start_matches(' ')))
    }

    /// Whether other hosts may connect.
    #[must_use]
    pub fn admits_others(&self) -> bool {
        self.is_insecure || self.asks()
    }

    fn may_listen(&self, address: SocketAddr) -> bool {
        address.ip().is_loopback() || self.admits_others()
    }

    /// Why only this host may connect, and what lets others in.
    #[must_use]
    pub fn reason(&self) -> String {
        let certificates = match self.proofs {
            Proofs::All => format!(" or {TLS_DIRECTORY} to a folder with certificates,"),
            Proofs::Token => String::new(),
            Proofs::None => {
                return format!(
                    "their protocol knows no token and no certificate; set {INSECURE}=1 to let \
                     everybody in"
                );
            }
        };
        format!(
            "there is no token; set {TOKEN_FILE} to a file with a secret on every host to let \
             others in,{certificates} or {INSECURE}=1 to do without"
        )
    }

    /// Logs that a peer was refused because it does not know the token.
    pub fn note_refused(&self, what: &str) {
        static REFUSALS: Refusals = Refusals::new();
        REFUSALS.note(|| format!("{what} with a wrong token was refused"));
    }

    /// Where to listen if `address` is asked for. `what` names those that ask, for the log.
    #[must_use]
    pub fn listening(&self, address: SocketAddr, what: &str) -> SocketAddr {
        if self.may_listen(address) {
            return address;
        }
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            gxf::warning!("{what} accept connections of this host only, because {}", self.reason());
        });
        let loopback = match address.ip() {
            IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(ip) => {
                if ip.is_unspecified() {
                    gxf::warning!(
                        "{what} that ask for `::` accept those to ::1 alone; ask for 0.0.0.0 to \
                         have 127.0.0.1"
                    );
                }
                IpAddr::V6(Ipv6Addr::LOCALHOST)
            }
        };
        SocketAddr::new(loopback, address.port())
    }
}

/// How often peers were refused, of which the log hears at first each time, then ever more seldom, because
/// strangers may ask as often as they like.
#[derive(Debug, Default)]
pub struct Refusals(AtomicU64);

impl Refusals {
    /// None so far.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Counts one more. `text` says it, if it is to be logged.
    pub fn note(&self, text: impl FnOnce() -> String) {
        match self.0.fetch_add(1, Ordering::Relaxed) + 1 {
            1 => gxf::warning!("{}", text()),
            count if count.is_power_of_two() => {
                gxf::warning!("{}; so far {count} of them", text());
            }
            _ => {}
        }
    }
}

/// Reads what a parameter names, or else an environment variable, which errors name then.
fn read<T>(
    parameter: Option<&str>,
    variable: &str,
    read: impl Fn(&Path) -> Result<T>,
) -> Result<Option<T>> {
    if let Some(path) = parameter {
        return read(Path::new(path)).map(Some);
    }
    let path = std::env::var_os(variable).filter(|path| !path.is_empty());
    let found = path.map(|path| read(Path::new(&path))).transpose();
    found.map_err(|error| error.context(variable))
}

/// Whether the environment waives the token.
fn is_waived() -> Result<bool> {
    let value = std::env::var_os(INSECURE).unwrap_or_default();
    match value.to_str() {
        Some("1") => Ok(true),
        Some("" | "0") => Ok(false),
        _ => {
            let text = format!("{INSECURE} is {value:?}, and must be 1 or unset");
            Err(Error::new(ResultCode::ARGUMENT_INVALID, text))
        }
    }
}

/// The token in a file that only its owner can read.
fn read_token(path: &Path) -> Result<String> {
    let failed = |text: String| {
        Error::new(ResultCode::FAILURE, format!("token file '{}' {text}", path.display()))
    };
    match read_secret(path, TOKEN_LIMIT).map_err(failed)?.trim() {
        "" => Err(failed("is empty".to_owned())),
        // As in the headers of requests.
        token if token.bytes().all(|byte| matches!(byte, b' '..=b'~')) => Ok(token.to_owned()),
        _ => Err(failed("may have printable ASCII characters only, on one line".to_owned())),
    }
}

/// The text of a file that only its owner can read.
fn read_secret(path: &Path, limit: u64) -> std::result::Result<String, String> {
    let unreadable = |error: std::io::Error| format!("cannot be read: {error}");
    let status = std::fs::metadata(path).map_err(unreadable)?;
    if !status.is_file() || status.len() > limit {
        return Err(format!("is no file of at most {limit} bytes"));
    }
    if status.permissions().mode() & 0o077 != 0 {
        let mode = status.mode() & 0o777;
        return Err(format!("can be read by others (mode {mode:03o}); run: chmod 600"));
    }
    std::fs::read_to_string(path).map_err(unreadable)
}

#[cfg(test)]
mod tests {
    use super::{Access, Tls};
    use std::net::{Ipv4Addr, SocketAddr};

    #[test]
    fn certificates_open_nothing_that_is_not_encrypted() {
        let public = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 7));
        let access = Access { tls: Some(Tls::that_asks()), ..Access::default() };
        assert!(access.asks());
        assert!(access.may_listen(public));
        let access = access.unencrypted();
        assert!(!access.asks() && !access.may_listen(public));
        assert!(access.may_listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 7))));
        let access = Access { token: "secret".to_owned(), ..access };
        assert!(access.may_listen(public));
    }

    #[test]
    fn nobody_is_told_to_set_what_is_of_no_use() {
        let tls = Some(Tls::that_asks());
        let access = Access { token: "secret".to_owned(), tls, ..Access::default() };
        let names = ["GXE_TOKEN_FILE", "GXE_TLS_DIRECTORY", "GXE_INSECURE=1"];
        for (access, named) in [
            (access.clone(), [true, true, true]),
            (access.clone().unencrypted(), [true, false, true]),
            (access.without_proofs(), [false, false, true]),
        ] {
            let reason = access.reason();
            assert_eq!(names.map(|name| reason.contains(name)), named, "{reason}");
        }
    }

    #[test]
    fn a_secret_opens_nothing_that_cannot_ask_for_it() {
        let public = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 7));
        let access = Access { token: "secret".to_owned(), ..Access::default() };
        assert_eq!(access.listening(public, "servers"), public);
        let access = access.without_proofs();
        assert!(!access.asks() && !access.may_listen(public));
        let access = Access { is_insecure: true, ..access };
        assert!(access.may_listen(public));
    }

    #[test]
    fn the_token_comes_in_a_header() {
        let access = Access { token: "secret".to_owned(), ..Access::default() };
        for right in ["Bearer secret", "bearer secret", "BEARER  secret"] {
            assert!(access.admits_header(Some(right)), "{right}");
        }
        for wrong in [None, Some("secret"), Some("Basic secret"), Some("Bearer"), Some("Bearer s")]
        {
            assert!(!access.admits_header(wrong), "{wrong:?}");
        }
        assert!(Access::default().admits_header(None));
    }
}
