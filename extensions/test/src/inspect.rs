//! `Pop`, `Print`, `TestLogger`, `EntityMonitor`: messages and executions, in the log.

use gxf::prelude::*;
use gxf::{Complex64, Complex128, Payload, PayloadInfo, Uid};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Receives a message on every tick and drops it.
#[derive(Component, Default)]
pub struct Pop {
    /// Receiver of the messages.
    message: Parameter<Handle<Receiver>>,
}

impl Codelet for Pop {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        self.message.receive()?;
        Ok(())
    }
}

/// Receives a message on every tick and logs its payloads: name, type and size of each payload, and
/// the value of numbers and timestamps.
#[derive(Component, Default)]
pub struct Print {
    /// Receiver of the messages.
    message: Parameter<Handle<Receiver>>,
}

impl Codelet for Print {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.message.receive()?;
        gxf::info!("Message {} carries {} payloads", message.eid(), message.len());
        for payload in message.payloads() {
            let PayloadInfo { tid, name, size } = payload;
            match value_text(&message, &payload) {
                Some(value) => gxf::info!("  `{name}` = {value}"),
                None => gxf::info!("  `{name}`: {size} bytes of type {tid}"),
            }
        }
        Ok(())
    }
}

/// The value of a payload of a known type.
fn value_text(message: &Message, payload: &PayloadInfo) -> Option<String> {
    fn text<T: Payload + std::fmt::Debug>(
        message: &Message,
        payload: &PayloadInfo,
    ) -> Option<String> {
        (payload.tid == T::TID)
            .then(|| message.get::<T>(payload.name).ok())?
            .map(|value| format!("{value:?}"))
    }
    let known = [
        text::<bool>,
        text::<i8>,
        text::<u8>,
        text::<i16>,
        text::<u16>,
        text::<i32>,
        text::<u32>,
        text::<i64>,
        text::<u64>,
        text::<f32>,
        text::<f64>,
        text::<Complex64>,
        text::<Complex128>,
        text::<Timestamp>,
    ];
    known.iter().find_map(|text| text(message, payload))
}

/// Logs one line of each severity on every tick.
#[derive(Component, Default)]
pub struct TestLogger {}

impl Codelet for TestLogger {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        gxf::verbose!("This is a test message at severity verbose");
        gxf::debug!("This is a test message at severity debug");
        gxf::info!("This is a test message at severity info");
        gxf::warning!("This is a test message at severity warning");
        gxf::error!("This is a test message at severity error");
        Ok(())
    }
}

/// Counts the executions of every entity, and logs the counts at deinitialize.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct EntityMonitor {
    entities: Mutex<BTreeMap<Uid, Executions>>,
}

/// Number of executions of an entity.
#[derive(Default)]
struct Executions {
    total: u64,
    failed: u64,
}

impl Lifecycle for EntityMonitor {
    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        let mut entities = self.entities.lock().unwrap_or_else(PoisonError::into_inner);
        for (eid, Executions { total, failed }) in std::mem::take(&mut *entities) {
            gxf::info!("Entity {eid} was executed {total} times, {failed} of them failed");
        }
        Ok(())
    }
}

impl implement::Monitor for EntityMonitor {
    fn on_execute(&self, eid: Uid, timestamp: i64, code: ResultCode) -> Result<()> {
        gxf::debug!("Entity {eid} was executed at {timestamp} ns: {code}");
        let mut entities = self.entities.lock().unwrap_or_else(PoisonError::into_inner);
        let executions = entities.entry(eid).or_default();
        executions.total += 1;
        executions.failed += u64::from(!code.is_success());
        Ok(())
    }
}
