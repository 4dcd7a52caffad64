//! A monitor that notices calls outside its life.

use gxf::Uid;
use gxf::implement;
use gxf::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Says so in the log when it is called before `initialize` or after `deinitialize`.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct Watcher {
    is_alive: AtomicBool,
}

impl Watcher {
    fn look(&self) {
        if !self.is_alive.load(Ordering::SeqCst) {
            gxf::info!("watcher called outside its life");
        }
    }
}

impl Lifecycle for Watcher {
    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        self.is_alive.store(true, Ordering::SeqCst);
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        self.is_alive.store(false, Ordering::SeqCst);
        Ok(())
    }
}

impl implement::Monitor for Watcher {
    fn on_execute(&self, _eid: Uid, _timestamp: i64, _code: ResultCode) -> Result<()> {
        self.look();
        // A call takes its time, and may be under way when the entity leaves.
        std::thread::sleep(Duration::from_micros(50));
        self.look();
        Ok(())
    }
}
