//! Tokens that are used once, and too late.

use gxf::prelude::*;
use gxf::{Event, Uid, WakeToken};
use std::sync::Mutex;

/// Tokens that outlive their graphs.
static KEPT: Mutex<Vec<WakeToken>> = Mutex::new(Vec::new());

/// Its first tick uses four references to a token, two of them on another thread.
#[derive(Component, Default)]
pub struct TokenUser {}

impl Codelet for TokenUser {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let token = context.wake_token()?;
        let others = [token.clone(), token.clone()];
        let thread = std::thread::spawn(move || others.into_iter().for_each(WakeToken::wake));
        token.clone().wake();
        token.wake();
        thread.join().map_err(|_| Error::failure("the thread with the tokens panicked"))
    }
}

/// Logs its events.
#[derive(Component, Default)]
pub struct Listener {}

impl implement::System for Listener {
    fn schedule(&self, _eid: Uid) -> Result<()> {
        Ok(())
    }

    fn unschedule(&self, _eid: Uid) -> Result<()> {
        Ok(())
    }

    fn run_async(&self) -> Result<()> {
        Ok(())
    }

    fn stop(&self) -> Result<()> {
        Ok(())
    }

    fn wait(&self) -> Result<()> {
        Ok(())
    }

    fn event_notify(&self, _eid: Uid, event: Event) -> Result<()> {
        gxf::info!("outside: event {}", event.0);
        Ok(())
    }
}

/// Keeps tokens of its entity longer than the entity lives.
#[derive(Component, Default)]
pub struct TokenKeeper {}

impl Codelet for TokenKeeper {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let mut kept = KEPT.lock().expect("no thread panics with the lock");
        for _ in 0..4 {
            kept.push(context.wake_token()?);
        }
        Ok(())
    }
}

/// Uses one kept token in each tick, and drops one.
#[derive(Component, Default)]
pub struct LateUser {}

impl Codelet for LateUser {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let mut kept = KEPT.lock().expect("no thread panics with the lock");
        let (Some(used), Some(_)) = (kept.pop(), kept.pop()) else {
            return Err(Error::failure("no token was kept"));
        };
        drop(kept);
        used.wake();
        Ok(())
    }
}
