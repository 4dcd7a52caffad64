//! A process that starts and stops the schedules of a master.

use crate::Failure;
use crate::client::{answer, connect};
use crate::message::{Reader, Request, send};
use crate::segment::Segment;
use gxf_stm::status::Status;
use std::os::unix::net::UnixStream;
use std::path::Path;

/// A schedule manager that is connected to a master.
pub struct Manager {
    stream: UnixStream,
    answers: Reader,
    _memory: Segment,
}

impl Manager {
    /// Connects to a master, and waits for it if it is not there yet. The discriminator tells
    /// managers of one name apart, and is not used yet by any master.
    ///
    /// # Errors
    /// The master expects no manager of this name, or there is one already.
    pub fn connect(name: &str, discriminator: i32, socket: &Path) -> Result<Self, Failure> {
        let request = Request::Manager { name: name.to_owned(), discriminator };
        let (stream, memory, _, answers) = connect(socket, &request, &|| false, &|| ())?;
        Ok(Self { stream, answers, _memory: memory })
    }

    fn ask(&mut self, request: &Request) -> Result<(), Failure> {
        send(&self.stream, request)
            .map_err(|_| Failure::new(Status::Connection, "the master is gone"))?;
        answer(&mut self.answers)
    }

    /// Starts a schedule.
    ///
    /// # Errors
    /// There is none with this id, one runs, or clients are missing.
    pub fn start(&mut self, schedule: u16) -> Result<(), Failure> {
        self.ask(&Request::Start { schedule })
    }

    /// Stops a schedule, and waits until its frames have ended.
    ///
    /// # Errors
    /// There is none with this id, or it does not run.
    pub fn stop(&mut self, schedule: u16) -> Result<(), Failure> {
        self.ask(&Request::Stop { schedule })
    }

    /// Starts a schedule in place of another one, and waits until every hyperepoch has changed.
    ///
    /// # Errors
    /// There is none with such an id, `stop` does not run, the hyperepochs own other resources, or a
    /// client is not ready in the longest time of a frame.
    pub fn roll_over(&mut self, start: u16, stop: u16) -> Result<(), Failure> {
        self.ask(&Request::RollOver { start, stop })
    }
}
