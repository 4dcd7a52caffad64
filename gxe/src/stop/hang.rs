//! Names the calls that keep a run from stopping, and since when.
//!
//! A thread watches the graph from the start, so that it also knows since when a codelet was stuck
//! before the stop.

use super::Stop;
use crate::console::Console;
use gxf_runtime::graph::escape::one_line;
use gxf_runtime::{Context, GraphStage, PendingCall};
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

/// Period for checking the graph.
const PERIOD: Duration = Duration::from_millis(250);
/// Delay of the first message; each further delay is `LATER` times as long.
const PATIENCE: Duration = Duration::from_secs(1);
const LATER: u32 = 5;
/// Most calls named.
const NAMED: usize = 10;

/// Starts a thread that names calls that do not return after a stop request. The thread waits at
/// `begun` with the caller.
///
/// # Errors
/// No thread can be started.
pub fn watch(stop: Arc<Stop>, console: Console, begun: Arc<Barrier>) -> io::Result<()> {
    let watch = move || {
        begun.wait();
        let mut calls = Calls::default();
        let mut requested: Option<(Instant, Duration)> = None;
        loop {
            std::thread::sleep(PERIOD);
            let Some(now) = stop.live.look(Context::calls) else {
                calls = Calls::default();
                continue;
            };
            calls.see(now);
            if !stop.is_requested() {
                continue;
            }
            let (begin, patience) = requested.get_or_insert((Instant::now(), PATIENCE));
            let passed = begin.elapsed();
            if passed < *patience {
                continue;
            }
            *patience *= LATER;
            let state = stop.live.look(|context| context.status().state).unwrap_or_default();
            console.note(&calls.describe(state, passed));
        }
    };
    std::thread::Builder::new().name("stop".into()).spawn(watch).map(|_| ())
}

/// Calls that have not returned, in order, and when each was first seen.
#[derive(Default)]
struct Calls(Vec<(PendingCall, Instant)>);

impl Calls {
    fn see(&mut self, calls: Vec<PendingCall>) {
        let before: HashMap<_, _> =
            self.0.drain(..).map(|(call, since)| (identity(&call), since)).collect();
        self.0 = calls
            .into_iter()
            .map(|call| {
                let since = before.get(&identity(&call)).copied().unwrap_or_else(Instant::now);
                (call, since)
            })
            .collect();
    }

    fn describe(&self, state: GraphStage, passed: Duration) -> String {
        let lasted = |call: &PendingCall, since: &Instant| {
            call.elapsed_ns.map_or_else(|| since.elapsed(), Duration::from_nanos)
        };
        // A call that was just seen may be about to return.
        let stuck: Vec<_> = self
            .0
            .iter()
            .map(|(call, since)| (call, lasted(call, since)))
            .filter(|(_, lasted)| *lasted >= PERIOD)
            .collect();
        let mut text = format!("still not stopped after {:.0} s", passed.as_secs_f64());
        if stuck.is_empty() {
            return match state {
                GraphStage::Loaded => format!("{text}; the graph is still being loaded"),
                _ => format!("{text}; the graph is {state}"),
            };
        }
        for (call, lasted) in stuck.iter().take(NAMED) {
            text += &format!("\n  {} for {:.1} s", what(call), lasted.as_secs_f64());
        }
        if stuck.len() > NAMED {
            text += &format!("\n  and {} more", stuck.len() - NAMED);
        }
        text
    }
}

/// Identifies a call; another tick is another call.
fn identity(call: &PendingCall) -> (Option<String>, String, String, u64) {
    (call.entity.clone(), call.component.clone(), call.function.clone(), call.ticks)
}

fn what(call: &PendingCall) -> String {
    let PendingCall { entity, component, function, .. } = call;
    let component = one_line(component);
    match entity.as_deref().map(one_line) {
        Some(entity) => {
            format!("component '{component}' of entity '{entity}' has not returned from {function}")
        }
        None => format!("'{component}' is still being loaded"),
    }
}
