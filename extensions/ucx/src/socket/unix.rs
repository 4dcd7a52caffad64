//! Where the Unix sockets of this host's links are: in a folder that only the user can enter, named
//! by the port of the receiver, and by its address unless it listens at all of them. Two network
//! namespaces may use the same port, so the name has theirs, too.

use super::socket::Socket;
use super::stream::{Listener, Stream};
use crate::address::reached_at;
use gxe_access::Listening;
use mio::net::{UnixListener, UnixStream};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::PathBuf;

fn folder() -> PathBuf {
    let user = rustix::process::getuid().as_raw();
    match std::env::var_os("XDG_RUNTIME_DIR").filter(|path| !path.is_empty()) {
        Some(runtime) => PathBuf::from(runtime).join("gxe-links"),
        None => std::env::temp_dir().join(format!("gxe-links-{user}")),
    }
}

fn path(ip: IpAddr, port: u16) -> io::Result<PathBuf> {
    let namespace = std::fs::metadata("/proc/self/ns/net")?.ino();
    Ok(folder().join(match ip.is_unspecified() {
        true => format!("{namespace}-{port}"),
        false => format!("{namespace}-{ip}-{port}"),
    }))
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

/// Listens for the receiver with this address.
pub fn listen(address: SocketAddr) -> io::Result<Listener> {
    checked_folder()?;
    let path = path(address.ip(), address.port())?;
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
    bound.map(|listener| Listener::Unix(Listening(listener), path))
}

/// Connects to the receiver that is reached at this address, if it has a socket.
pub fn connect(address: SocketAddr) -> io::Result<Stream> {
    checked_folder()?;
    let mut connected = Err(ErrorKind::NotFound.into());
    for ip in reached_at(address.ip()) {
        connected = path(ip, address.port()).and_then(UnixStream::connect);
        if connected.is_ok() {
            break;
        }
    }
    connected.map(|stream| Stream::new(Socket::Unix(stream)))
}
