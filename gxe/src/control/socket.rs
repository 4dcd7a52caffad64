//! A Unix socket that only its owner may open.

use anyhow::{Context as _, Result, bail};
use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// A socket that listens, and its file, which goes with it.
pub struct PrivateSocket {
    path: PathBuf,
    /// Device and number of the file.
    identity: (u64, u64),
    listener: UnixListener,
}

impl PrivateSocket {
    /// Makes the socket. One that a killed process left behind is replaced.
    ///
    /// # Errors
    /// Somebody listens there already, something that is no socket has this name, or the file
    /// cannot be made.
    pub fn bind(path: &Path) -> Result<Self> {
        // Made under a shorter name first, it could be there and yet be out of everybody's reach.
        SocketAddr::from_pathname(path)
            .context("the path of a socket has to be short; take one such as /tmp/gxe.sock")
            .with_context(|| cannot_make(path))?;
        match fs::symlink_metadata(path) {
            Ok(found) if !found.file_type().is_socket() => {
                bail!("'{}' is there already, and is no socket", path.display())
            }
            Ok(_) if UnixStream::connect(path).is_ok() => {
                bail!("'{}' is in use by another run", path.display())
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error).context(cannot_make(path)),
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        // Made in a folder of ours, so that nobody can open it before its mode is right, and put in
        // its place in one step.
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

    /// The end that takes connections.
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
