//! `AsyncPingTx`, `AsyncPingRx`: pings paced by their own thread, as by a device.
//!
//! After each tick the codelet sets its term to EVENT_WAITING and asks its [`Alarm`] to set it to
//! EVENT_DONE after the delay; the scheduler does nothing in between.

use gxf::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Publishes a message, waits for an event that comes after a delay, and so on.
#[derive(Component, Default)]
pub struct AsyncPingTx {
    /// Time from a tick to the event that allows the next one, in real time.
    #[parameter(unit = "ms", default = 10, minimum = 0)]
    delay: Parameter<i64>,
    /// Transmitter for the messages.
    signal: Parameter<Handle<Transmitter>>,
    /// Number of messages after which the codelet never ticks again; 0 for no end.
    #[parameter(default = 0)]
    count: Parameter<u64>,
    /// Term of the same entity that follows the event.
    scheduling_term: Parameter<Handle<AsynchronousSchedulingTerm>>,
    sent: u64,
    alarm: Option<Alarm>,
}

impl Codelet for AsyncPingTx {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.sent = 0;
        self.alarm = Some(Alarm::new(*self.delay, &self.scheduling_term)?);
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        self.signal.publish(context.new_message()?, context.now())?;
        self.sent += 1;
        if self.sent == *self.count {
            return self.scheduling_term.set_event_state(AsynchronousEventState::EVENT_NEVER);
        }
        set_alarm(self.alarm.as_ref(), &self.scheduling_term)
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.alarm = None;
        Ok(())
    }
}

/// Receives a message, waits for an event that comes after a delay, and so on.
#[derive(Component, Default)]
pub struct AsyncPingRx {
    /// Time from a tick to the event that allows the next one, in real time.
    #[parameter(unit = "ms", default = 10, minimum = 0)]
    delay: Parameter<i64>,
    /// Receiver of the messages.
    signal: Parameter<Handle<Receiver>>,
    /// Term of the same entity that follows the event.
    scheduling_term: Parameter<Handle<AsynchronousSchedulingTerm>>,
    alarm: Option<Alarm>,
}

impl Codelet for AsyncPingRx {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.alarm = Some(Alarm::new(*self.delay, &self.scheduling_term)?);
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        self.signal.receive()?;
        set_alarm(self.alarm.as_ref(), &self.scheduling_term)
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.alarm = None;
        Ok(())
    }
}

/// The term must wait before the alarm can go off, or a short delay would be lost.
fn set_alarm(alarm: Option<&Alarm>, term: &AsynchronousSchedulingTerm) -> Result<()> {
    term.set_event_state(AsynchronousEventState::EVENT_WAITING)?;
    alarm.ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?.set()
}

/// A thread that sets a term to EVENT_DONE a fixed time after each request.
struct Alarm {
    /// Dropping the only sender ends the thread, even during the delay.
    requests: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Alarm {
    fn new(delay_ms: i64, term: &Handle<AsynchronousSchedulingTerm>) -> Result<Self> {
        let delay = Duration::from_millis(u64::try_from(delay_ms).unwrap_or_default());
        let term = term.clone();
        let (requests, requested) = channel();
        let thread = std::thread::Builder::new().name("ping-alarm".into()).spawn(move || {
            while requested.recv().is_ok() {
                // No second request comes before the answer to this one, so only the end cuts the
                // wait short.
                if requested.recv_timeout(delay) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                if let Err(error) = term.set_event_state(AsynchronousEventState::EVENT_DONE) {
                    gxf::error!("the event could not be announced: {error}");
                }
            }
        })?;
        Ok(Self { requests: Some(requests), thread: Some(thread) })
    }

    fn set(&self) -> Result<()> {
        let sent = self.requests.as_ref().is_some_and(|requests| requests.send(()).is_ok());
        if sent { Ok(()) } else { Err(Error::failure("the alarm thread is gone")) }
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // The panic hook has already shown a panic of the thread.
            let _ = thread.join();
        }
    }
}
