//! `PingTx`: sends a message on every tick.

use crate::INTEGER;
use gxf::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Publishes a message on every tick. It carries an int32_t named "Integer" that counts from 0.
#[derive(Component, Default)]
pub struct PingTx {
    /// Transmitter for the messages.
    #[parameter(carries = i32)]
    signal: Parameter<Handle<Transmitter>>,
    /// Clock that gives each message its acquisition time, which is 0 without a clock.
    clock: Parameter<Option<Handle<Clock>>>,
    /// Interrupts the graph this long after the start of the codelet, in real time [default:
    /// never].
    #[parameter(unit = "ms", minimum = 0)]
    trigger_interrupt_after_ms: Parameter<Option<i64>>,
    count: i32,
    interrupter: Option<Interrupter>,
}

impl Codelet for PingTx {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        self.count = 0;
        if let Some(delay) = *self.trigger_interrupt_after_ms {
            let delay = u64::try_from(delay).map_err(|_| {
                Error::new(
                    ResultCode::ARGUMENT_OUT_OF_RANGE,
                    format!("`trigger_interrupt_after_ms` is {delay}, but cannot be negative"),
                )
            })?;
            self.interrupter = Some(Interrupter::after(Duration::from_millis(delay), context)?);
        }
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let mut message = context.new_message()?;
        message.add(INTEGER, self.count)?;
        let acquisition_time = self.clock.as_ref().map_or(0, |clock| clock.timestamp());
        self.signal.publish(message, acquisition_time)?;
        gxf::info!("Message Sent: int_value = {}", self.count);
        self.count = self.count.wrapping_add(1);
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.interrupter = None;
        Ok(())
    }
}

/// A thread that interrupts the graph once, unless dropped before.
struct Interrupter {
    /// Dropping the only sender ends the thread's wait.
    cancel: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Interrupter {
    fn after(delay: Duration, context: &ComponentContext) -> Result<Self> {
        let graph = context.handle();
        let (cancel, cancelled) = channel();
        let thread =
            std::thread::Builder::new().name("ping-interrupt".into()).spawn(move || {
                if cancelled.recv_timeout(delay) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                gxf::info!("Interrupting the graph after {} ms", delay.as_millis());
                if let Err(error) = graph.interrupt() {
                    // The graph may have ended by itself in this very moment.
                    gxf::warning!("the graph could not be interrupted: {error}");
                }
            })?;
        Ok(Self { cancel: Some(cancel), thread: Some(thread) })
    }
}

impl Drop for Interrupter {
    fn drop(&mut self) {
        self.cancel = None;
        if let Some(thread) = self.thread.take() {
            // The panic hook has already shown a panic of the thread.
            let _ = thread.join();
        }
    }
}
