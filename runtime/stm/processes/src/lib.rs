//! Static schedules that several processes execute together: a master, which releases frames, and
//! clients, which execute the runnables of the schedules that bear their names.
//!
//! - [`layout`]: what the schedules of a master are made of, and where each of their fences is;
//! - `segment`: the memory that all processes share, with the fences;
//! - `message`: what master and clients tell each other over a socket;
//! - `worker`: executes the lists of one engine; `execution`: what is known of each execution;
//! - [`client`]: a process that executes runnables; [`manager`]: one that starts and stops schedules;
//! - [`master`]: accepts clients, releases frames, and changes schedules; `hyperepoch` runs one of
//!   them, `connection` serves a client, `log` writes what happened to a file.
//!
//! No process hands out executions. A worker waits for fences in shared memory: for those that the
//! schedule names, for the execution before it in its engine's list, which may be another
//! client's, and for the frame, which the master admits at its time. A process that is killed leaves
//! its fences where they are; the master notices by the socket, names it, and ends the schedule or
//! passes over its executions.
//!
//! The crate imports `gxf-stm` for schedules and `gxf-sync` for fences, and knows neither the engine nor graphs of entities.
//! `runtime/stm/c` has STM's functions in C.

pub mod client;
mod connection;
mod execution;
mod hyperepoch;
pub mod layout;
mod log;
pub mod manager;
pub mod master;
mod message;
mod segment;
mod worker;

use gxf_stm::status::Status;
use std::fmt::{Display, Formatter};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Why something was refused or failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// STM's number for it.
    pub status: Status,
    /// What happened.
    pub text: String,
}

impl Failure {
    /// A failure with a text.
    #[must_use]
    pub fn new(status: Status, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }
}

impl Display for Failure {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.text)
    }
}

impl std::error::Error for Failure {}

/// The socket of a master that nobody names: that of the environment variable `GXE_STM_MASTER`, or
/// `gxe-stm.sock` in the user's folder for such files.
#[must_use]
pub fn default_socket() -> PathBuf {
    if let Some(path) = std::env::var_os("GXE_STM_MASTER") {
        return path.into();
    }
    match std::env::var_os("XDG_RUNTIME_DIR") {
        Some(folder) => PathBuf::from(folder).join("gxe-stm.sock"),
        None => {
            let user = rustix::process::getuid().as_raw();
            PathBuf::from(format!("/tmp/gxe-stm-{user}.sock"))
        }
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Nanoseconds of the clock that all processes share.
fn now() -> i64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec)
}
