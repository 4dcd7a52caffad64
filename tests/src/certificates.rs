//! An authority, and folders with what it certifies.

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Certifies hosts.
pub struct Authority {
    folder: tempfile::TempDir,
    certificate: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    /// A new one, which nobody knows.
    ///
    /// # Panics
    /// If the system has no random numbers or no temporary folder.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "every authority is another")]
    pub fn new() -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut parameters = CertificateParams::new(Vec::new()).expect("parameters");
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = parameters.self_signed(&key).expect("a certificate").pem();
        let folder = tempfile::tempdir().expect("a folder");
        Self { folder, certificate, issuer: Issuer::new(parameters, key) }
    }

    /// The folder `name`, with a certificate for some names and addresses.
    ///
    /// # Panics
    /// If it cannot be written.
    #[must_use]
    pub fn certify(&self, name: &str, subjects: &[&str]) -> PathBuf {
        let folder = self.certificate_only(name);
        let key = KeyPair::generate().expect("a key");
        let subjects: Vec<String> = subjects.iter().map(|name| (*name).to_owned()).collect();
        let parameters = CertificateParams::new(subjects).expect("parameters");
        let certificate = parameters.signed_by(&key, &self.issuer).expect("a certificate");
        write(&folder.join("tls.crt"), &certificate.pem());
        write(&folder.join("tls.key"), &key.serialize_pem());
        folder
    }

    /// The folder `name`, with nothing but the authority's own certificate.
    ///
    /// # Panics
    /// If it cannot be written.
    #[must_use]
    pub fn certificate_only(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        write(&folder.join("ca.crt"), &self.certificate);
        folder
    }
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("a file");
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o600)).expect("permissions");
}
