//! A Unix socket that only its owner may open.

use anyhow::{Context as _, Result, bail};
use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// A listening socket; its file is removed on drop.
pub struct PrivateSocket {
    path: PathBuf,
    /// Device and number of the file.
    identity: (u64, u64),
    listener: UnixListener,
}

impl PrivateSocket {
    /// Creates the socket. Replaces one that a killed process left behind.
    ///
    /// # Errors
    /// Another process listens there, a file with this name is no socket, or it cannot be created.
    pub fn bind(path: &Path) -> Result<Self> {
        // Checked first: the socket is created under a shorter name and then renamed, and could
        // exist but be unreachable.
        SocketAddr::from_pathname(path)
            .context("the path of a socket has to be short; take one such as /tmp/gxe.sock")
            .with_context(|| cannot_make(path))?;
        match fs::symlink_metadata(path) {
            Ok(found) if !found.file_type().is_socket() => {
                bail!("'{}' already exists, and is not a socket", path.display())
            }
            Ok(_) if UnixStream::connect(path).is_ok() => {
                bail!("'{}' is in use by another run", path.display())
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error).context(cannot_make(path)),
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        // Created in a private folder, so that nobody can open it before its mode is set, and then
        // moved into place atomically.
        if let Some(parent) = parent.filter(|parent| !parent.is_dir()) {
            bail!("{}: there is no folder '{}'", cannot_make(path), parent.display());
        }
        let folder = tempfile::Builder::new()
            .prefix(".gxe-")
            .tempdir_in(parent.unwrap_or(Path::new(".")))
            .with_context(|| cannot_make(path))?;
        let first = folder.path().join("socket");
        let made = UnixListener::bind(&first).and_then(|listener| {
            fs::set_permissions(&first, Permissions::from_mode(0o600))?;
            let found = fs::symlink_metadata(&first)?;
            fs::rename(&first, path)?;
            Ok((listener, (found.dev(), found.ino())))
        });
        let (listener, identity) = made.with_context(|| cannot_make(path))?;
        Ok(Self { path: path.to_owned(), identity, listener })
    }

    /// The listener that accepts connections.
    ///
    /// # Errors
    /// There are too many open files.
    pub fn listener(&self) -> Result<UnixListener> {
        self.listener.try_clone().with_context(|| cannot_make(&self.path))
    }
}

impl Drop for PrivateSocket {
    fn drop(&mut self) {
        // Another run may have put its own socket there.
        let ours = fs::symlink_metadata(&self.path)
            .is_ok_and(|found| (found.dev(), found.ino()) == self.identity);
        if ours {
            _ = fs::remove_file(&self.path);
        }
    }
}

fn cannot_make(path: &Path) -> String {
    format!("cannot make the socket '{}'", path.display())
}
