//! Where the Unix sockets of this host's links are: in a folder that only the user can enter, named
//! by the port of the receiver. Two network namespaces may use the same port, so the name has
//! theirs, too.

use super::socket::Socket;
use super::stream::{Listener, Stream};
use mio::net::{UnixListener, UnixStream};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::PathBuf;

fn folder() -> PathBuf {
    let user = rustix::process::getuid().as_raw();
    match std::env::var_os("XDG_RUNTIME_DIR").filter(|path| !path.is_empty()) {
        Some(runtime) => PathBuf::from(runtime).join("gxe-links"),
        None => std::env::temp_dir().join(format!("gxe-links-{user}")),
    }
}

fn path(port: u16) -> io::Result<PathBuf> {
    let namespace = std::fs::metadata("/proc/self/ns/net")?.ino();
    Ok(folder().join(format!("{namespace}-{port}")))
}

/// The folder, if it belongs to the user alone.
fn checked_folder() -> io::Result<()> {
    let folder = folder();
    match std::fs::DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let status = std::fs::symlink_metadata(&folder)?;
    let is_own = status.is_dir()
        && status.uid() == rustix::process::getuid().as_raw()
        && status.mode() & 0o077 == 0;
    if is_own {
        return Ok(());
    }
    Err(io::Error::other(format!("'{}' does not belong to this user alone", folder.display())))
}

/// Listens for the receiver with this port.
pub fn listen(port: u16) -> io::Result<Listener> {
    checked_folder()?;
    let path = path(port)?;
    let bound = match UnixListener::bind(&path) {
        // Left behind by a process that was killed, unless somebody answers.
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            if UnixStream::connect(&path).is_ok() {
                return Err(error);
            }
            std::fs::remove_file(&path)?;
            UnixListener::bind(&path)
        }
        bound => bound,
    };
    bound.map(|listener| Listener::Unix(listener, path))
}

/// Connects to the receiver with this port, if it has a socket.
pub fn connect(port: u16) -> io::Result<Stream> {
    checked_folder()?;
    UnixStream::connect(path(port)?).map(|stream| Stream::new(Socket::Unix(stream)))
}
