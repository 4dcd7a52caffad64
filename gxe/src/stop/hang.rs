//! A graph that was asked to stop and does not: who keeps it.

use super::Stop;
use crate::console::Console;
use gxf_runtime::{EntityStatus, GraphStatus};
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often it is looked at.
const PERIOD: Duration = Duration::from_millis(100);
/// When it is told for the first time, and how much later each time after.
const PATIENCE: Duration = Duration::from_secs(1);
const LATER: u32 = 5;
/// At most this many codelets are named.
const NAMED: usize = 10;

/// Says which codelets do not return, from now on until the graph is gone.
///
/// # Errors
/// No thread can be started.
pub fn watch(stop: Arc<Stop>, console: Console) -> io::Result<()> {
    let watch = move || {
        let (begin, mut patience) = (Instant::now(), PATIENCE);
        let mut calls = Calls::default();
        while let Some(status) = stop.graph().look(|context| context.status()) {
            calls.see(&status);
            let passed = begin.elapsed();
            if passed >= patience {
                patience *= LATER;
                console.note(&calls.describe(&status, passed));
            }
            std::thread::sleep(PERIOD);
        }
    };
    std::thread::Builder::new().name("stop".into()).spawn(watch).map(|_| ())
}

/// Calls of codelets that have not returned, and when each was seen first.
#[derive(Default)]
struct Calls(HashMap<Call, Instant>);

/// Another tick is another call.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Call {
    entity: String,
    codelet: String,
    function: String,
    ticks: u64,
}

impl Call {
    fn of(entity: &EntityStatus) -> Option<Self> {
        let inside = entity.inside.as_ref()?;
        Some(Self {
            entity: entity.name.clone(),
            codelet: inside.codelet.clone(),
            function: inside.function.clone(),
            ticks: entity.ticks,
        })
    }
}

impl Calls {
    fn see(&mut self, status: &GraphStatus) {
        let before = std::mem::take(&mut self.0);
        let calls = status.entities.iter().filter_map(Call::of);
        self.0 = calls
            .map(|call| {
                let since = before.get(&call).copied().unwrap_or_else(Instant::now);
                (call, since)
            })
            .collect();
    }

    fn describe(&self, status: &GraphStatus, passed: Duration) -> String {
        let calls = status.entities.iter().filter_map(Call::of);
        // One that was just seen may be about to return.
        let stuck: Vec<_> = calls
            .filter_map(|call| {
                let since = self.0.get(&call)?.elapsed();
                (since > PERIOD).then_some((call, since))
            })
            .collect();
        let mut text = format!("still not stopped after {:.0} s", passed.as_secs_f64());
        if stuck.is_empty() {
            let state = match &*status.state {
                "loaded" => "still being loaded",
                other => other,
            };
            return format!("{text}; the graph is {state}");
        }
        for (call, since) in stuck.iter().take(NAMED) {
            let Call { entity, codelet, function, .. } = call;
            let since = since.as_secs_f64();
            text += &format!(
                "\n  codelet '{codelet}' of entity '{entity}' has not returned from {function} for \
                 at least {since:.1} s"
            );
        }
        if stuck.len() > NAMED {
            text += &format!("\n  and {} more", stuck.len() - NAMED);
        }
        text
    }
}
