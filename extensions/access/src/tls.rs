//! TLS 1.3, with certificates from a folder.

use gxf::{Error, Result, ResultCode};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder's files have the names of a Kubernetes secret of the type `kubernetes.io/tls`.
const AUTHORITY: &str = "ca.crt";
const CERTIFICATE: &str = "tls.crt";
const KEY: &str = "tls.key";
/// The name in the certificates of other hosts, if it is not the name of their host.
const SERVER_NAME: &str = "GXE_TLS_SERVER_NAME";
/// Most bytes of a file with certificates.
const CERTIFICATE_LIMIT: u64 = 1 << 20;

/// What a process proves to others, and what it asks of them.
#[derive(Clone, Debug)]
pub struct Tls {
    client: Option<Arc<ClientConfig>>,
    server: Option<Arc<ServerConfig>>,
    /// Whether only those connect that have a certificate of the authority.
    asks_clients: bool,
    server_name: Option<String>,
    folder: PathBuf,
}

impl Tls {
    /// From a folder with `ca.crt`, the authority that certifies the other ends, and `tls.crt` and
    /// `tls.key`, the certificate of this process and its private key. Servers need the latter two;
    /// with an authority they ask for certificates of clients, too. Clients need the authority.
    pub(crate) fn new(folder: &Path) -> Result<Self> {
        if !folder.is_dir() {
            return Err(failed(folder, "is no directory"));
        }
        let authority = folder.join(AUTHORITY);
        let roots = if authority.exists() { Some(Arc::new(roots(&authority)?)) } else { None };
        let (certificate, key) = (folder.join(CERTIFICATE), folder.join(KEY));
        let identity = match (certificate.exists(), key.exists()) {
            (true, true) => Some(identity(&certificate, &key)?),
            (false, false) => None,
            (true, false) => return Err(failed(&key, "does not exist")),
            (false, true) => return Err(failed(&certificate, "does not exist")),
        };
        if roots.is_none() && identity.is_none() {
            let text = format!("has neither {AUTHORITY} nor {CERTIFICATE} and {KEY}");
            return Err(failed(folder, text));
        }
        let client = match &roots {
            None => None,
            Some(roots) => Some(client(roots.clone(), identity.as_ref(), folder)?),
        };
        let asks_clients = roots.is_some();
        let server = match &identity {
            None => None,
            Some(identity) => Some(server(roots, identity, folder)?),
        };
        let server_name = std::env::var(SERVER_NAME).ok().filter(|name| !name.is_empty());
        let folder = folder.to_owned();
        Ok(Self { client, server, asks_clients, server_name, folder })
    }

    /// A server's, which asks for certificates and has none.
    #[cfg(test)]
    pub(crate) fn that_asks() -> Self {
        let server = ServerConfig::builder_with_provider(provider())
            .with_protocol_versions(&[&rustls::version::TLS13])
            .unwrap()
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(rustls::server::ResolvesServerCertUsingSni::new()));
        let server = Some(Arc::new(server));
        let folder = PathBuf::new();
        Self { client: None, server, asks_clients: true, server_name: None, folder }
    }

    /// Whether servers admit only clients with a certificate of the authority.
    pub(crate) fn asks_clients(&self) -> bool {
        self.asks_clients && self.server.is_some()
    }

    /// For servers of an application protocol (ALPN), or of none.
    ///
    /// # Errors
    /// The folder has no certificate.
    pub fn server(&self, protocol: Option<&str>) -> Result<Arc<ServerConfig>> {
        let Some(server) = &self.server else {
            let text = format!("has no {CERTIFICATE} and {KEY}, which servers need");
            return Err(failed(&self.folder, text));
        };
        Ok(match protocol {
            None => server.clone(),
            Some(protocol) => {
                let mut server = ServerConfig::clone(server);
                server.alpn_protocols = vec![protocol.as_bytes().to_vec()];
                Arc::new(server)
            }
        })
    }

    /// For clients of an application protocol (ALPN), or of none.
    ///
    /// # Errors
    /// The folder has no authority.
    pub fn client(&self, protocol: Option<&str>) -> Result<Arc<ClientConfig>> {
        let Some(client) = &self.client else {
            let text = format!("has no {AUTHORITY}, which clients need");
            return Err(failed(&self.folder, text));
        };
        Ok(match protocol {
            None => client.clone(),
            Some(protocol) => {
                let mut client = ClientConfig::clone(client);
                client.alpn_protocols = vec![protocol.as_bytes().to_vec()];
                Arc::new(client)
            }
        })
    }

    /// The name that the certificate of a host must have.
    ///
    /// # Errors
    /// It cannot be in a certificate.
    pub fn server_name(&self, host: &str) -> Result<ServerName<'static>> {
        let name = match (&self.server_name, host) {
            (Some(name), _) => name.as_str(),
            // This host, as in the addresses of GXF's components.
            (None, "0.0.0.0" | "::" | "") => "localhost",
            (None, host) => host,
        };
        ServerName::try_from(name.to_owned()).map_err(|_| {
            let text = format!("no certificate can have the name `{name}`");
            Error::new(ResultCode::ARGUMENT_INVALID, text)
        })
    }
}

type Identity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn failed(path: &Path, text: impl std::fmt::Display) -> Error {
    Error::new(ResultCode::FAILURE, format!("TLS: '{}' {text}", path.display()))
}

fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn client(
    roots: Arc<RootCertStore>,
    identity: Option<&Identity>,
    folder: &Path,
) -> Result<Arc<ClientConfig>> {
    let builder = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(|error| failed(folder, error))?
        .with_root_certificates(roots);
    let config = match identity {
        None => Ok(builder.with_no_client_auth()),
        Some((certificates, key)) => {
            builder.with_client_auth_cert(certificates.clone(), key.clone_key())
        }
    };
    config.map(Arc::new).map_err(|error| unusable(folder, &error))
}

fn server(
    roots: Option<Arc<RootCertStore>>,
    (certificates, key): &Identity,
    folder: &Path,
) -> Result<Arc<ServerConfig>> {
    let builder = ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(|error| failed(folder, error))?;
    let builder = match roots {
        None => builder.with_no_client_auth(),
        Some(roots) => {
            let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider());
            builder.with_client_cert_verifier(
                verifier.build().map_err(|error| failed(&folder.join(AUTHORITY), error))?,
            )
        }
    };
    let config = builder.with_single_cert(certificates.clone(), key.clone_key());
    config.map(Arc::new).map_err(|error| unusable(folder, &error))
}

/// Whether one of the two ends of a connection does not trust the other's certificate.
#[must_use]
pub fn is_about_trust(error: &rustls::Error) -> bool {
    remedy(error).is_some()
}

/// What to do if one of the two ends of a connection does not trust the other's certificate.
#[must_use]
pub fn remedy(error: &rustls::Error) -> Option<&'static str> {
    use rustls::CertificateError as Problem;
    use rustls::Error::{AlertReceived, InvalidCertificate, NoCertificatesPresented};
    let problem = match error {
        AlertReceived(_) => {
            return Some("it does not accept the certificate of this end, and its log says why");
        }
        NoCertificatesPresented => return Some("it needs a certificate of its own"),
        InvalidCertificate(problem) => problem,
        _ => return None,
    };
    Some(match problem {
        Problem::Expired
        | Problem::ExpiredContext { .. }
        | Problem::NotValidYet
        | Problem::NotValidYetContext { .. } => {
            "renew its certificate, or set the clocks of both hosts"
        }
        Problem::NotValidForName | Problem::NotValidForNameContext { .. } => {
            "certify it for the name or address in use here, or set GXE_TLS_SERVER_NAME to the name \
             in its certificate"
        }
        _ => "give both ends the ca.crt of the authority that certified them",
    })
}

/// What is wrong where no TLS is expected and a peer begins with an alert or a handshake of TLS.
#[must_use]
pub fn unexpected_tls(bytes: &[u8]) -> Option<&'static str> {
    let is_tls = matches!(bytes, [0x15 | 0x16, 3, ..]);
    is_tls.then_some("the peer uses TLS, and this end has no certificates")
}

/// The error of a certificate and its key.
fn unusable(folder: &Path, error: &rustls::Error) -> Error {
    let text = error.to_string();
    if matches!(error, rustls::Error::InconsistentKeys(_)) {
        let text = format!("has a {CERTIFICATE} and a {KEY} that do not fit together: {text}");
        return failed(folder, text);
    }
    // What openssl makes if it is told no extension.
    let hint = if text.contains("UnsupportedCertVersion") {
        "; it is of version 1 of X.509, and needs an extension: subjectAltName with the name or \
         address of the host"
    } else {
        ""
    };
    failed(&folder.join(CERTIFICATE), format!("cannot be used: {text}{hint}"))
}

fn roots(path: &Path) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots.add(certificate).map_err(|error| failed(path, error))?;
    }
    Ok(roots)
}

fn identity(certificate: &Path, key: &Path) -> Result<Identity> {
    let secret = crate::read_secret(key, CERTIFICATE_LIMIT).map_err(|text| failed(key, text))?;
    if secret.contains("ENCRYPTED") {
        let text = "needs a passphrase, which nobody can be asked for; remove it: openssl pkey -in \
                    tls.key -out new.key";
        return Err(failed(key, text));
    }
    let secret = PrivateKeyDer::from_pem_slice(secret.as_bytes());
    let secret = secret.map_err(|error| failed(key, format!("is no private key: {error}")))?;
    Ok((certificates(certificate)?, secret))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let bytes = std::fs::metadata(path).and_then(|status| match status.len() {
        // A pipe would hold the start up, and a device have no end.
        _ if !status.is_file() => Err(std::io::Error::other("it is no file")),
        0..=CERTIFICATE_LIMIT => std::fs::read(path),
        size => Err(std::io::Error::other(format!(
            "{size} bytes, and {CERTIFICATE_LIMIT} are the most"
        ))),
    });
    let bytes = bytes.map_err(|error| failed(path, format!("cannot be read: {error}")))?;
    let all: std::result::Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    match all.map_err(|error| failed(path, format!("is no certificate: {error}")))? {
        all if all.is_empty() => Err(failed(path, "has no certificate in PEM")),
        all => Ok(all),
    }
}
