//! What a driver says to workers, and when it last heard of each; and how both call the other end.
//!
//! The driver's thread waits for answers, so a worker that gives none is given up as soon as it counts
//! as lost: all others would wait with the driver. The thread of a worker has other things to do, too.

use crate::protocol::{WORKER, WorkerInfo};
use gxf::prelude::*;
use gxf::{Error, IpcClient, Result};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// When workers last gave a sign of life. The server's threads write it down, because the driver's
/// thread may be waiting for an answer.
#[derive(Clone, Default)]
pub struct Signs(Arc<Mutex<Heard>>);

#[derive(Default)]
struct Heard {
    clock: Clock,
    /// Run and latest sign of life of each worker, by its name.
    workers: BTreeMap<String, (u64, Duration)>,
}

impl Signs {
    /// A run of a worker begins.
    pub fn add(&self, info: &WorkerInfo) {
        let Heard { clock, workers } = &mut *self.0.lock();
        workers.insert(info.name(), (info.run, clock.now()));
    }

    /// A worker gives a sign of life. Strangers, and earlier runs, leave none.
    pub fn renew(&self, info: &WorkerInfo) {
        let Heard { clock, workers } = &mut *self.0.lock();
        if let Some((run, at)) = workers.get_mut(&info.name())
            && *run == info.run
        {
            *at = clock.now();
        }
    }

    /// A worker is gone for good.
    pub fn forget(&self, name: &str) {
        self.0.lock().workers.remove(name);
    }

    /// For how long a worker has given no sign of life.
    pub fn silence(&self, name: &str) -> Duration {
        let Heard { clock, workers } = &mut *self.0.lock();
        let now = clock.now();
        workers.get(name).map_or(Duration::ZERO, |(_, at)| now - *at)
    }

    /// Time of the driver.
    fn now(&self) -> Duration {
        self.0.lock().clock.now()
    }
}

/// The time for which the driver has run. Somebody reads it several times a second, unless the
/// process is stopped, by Ctrl-Z for example: this time does not count, because workers can give no
/// sign of life then.
#[derive(Default)]
struct Clock {
    time: Duration,
    read: Option<Instant>,
}

impl Clock {
    fn now(&mut self) -> Duration {
        self.now_at(Instant::now())
    }

    fn now_at(&mut self, now: Instant) -> Duration {
        let passed = now - self.read.replace(now).unwrap_or(now);
        if passed < STANDSTILL {
            self.time += passed;
        }
        self.time
    }
}

/// A driver that did not read its clock for this long was stopped.
const STANDSTILL: Duration = Duration::from_secs(1);

/// How often somebody who waits for an answer looks whether to give up.
pub const PERIOD: Duration = Duration::from_millis(20);

/// How long a worker may take to show that it is there.
const ANSWER_TIME: Duration = Duration::from_secs(1);

/// Calls workers, one at a time.
pub struct Calls {
    pub client: Handle<IpcClient>,
    pub signs: Signs,
    /// A worker without a sign of life for this long is lost.
    pub timeout: Duration,
}

impl Calls {
    /// Sends a request to a worker, and returns its answer. `beats`: it gives signs of life.
    ///
    /// # Errors
    /// `IPC_CONNECTION_FAILURE` if it is not reached, or does not answer in time.
    pub fn action(
        &self,
        info: &WorkerInfo,
        beats: bool,
        action: &str,
        body: &str,
    ) -> Result<String> {
        let (name, begin) = (info.name(), self.signs.now());
        let is_late = || {
            let is_silent = beats && self.signs.silence(&name) >= self.timeout;
            is_silent || self.signs.now() - begin >= self.timeout
        };
        let answer = self.call(info, is_late, || self.client.action(WORKER, action, body));
        answer.map_err(|error| {
            let segments: Vec<_> = info.segments().collect();
            let segments = segments.join(", ");
            error.context(format!("{action} of worker {name} with its segments {segments}"))
        })
    }

    /// Asks a worker something that need not be answered now.
    ///
    /// # Errors
    /// `IPC_CONNECTION_FAILURE` if it does not answer soon: it may be busy, or end.
    pub fn question(&self, info: &WorkerInfo, action: &str, body: &str) -> Result<String> {
        let limit = self.timeout.min(ANSWER_TIME) / 2;
        self.call_for(info, limit, || self.client.action(WORKER, action, body))
    }

    /// Whether a worker answers at once.
    pub fn answers(&self, info: &WorkerInfo) -> bool {
        let limit = self.timeout.min(ANSWER_TIME);
        let answer = self.call_for(info, limit, || self.client.ping("ping"));
        !answer.is_err_and(|error| error.code() == ResultCode::IPC_CONNECTION_FAILURE)
    }

    /// Calls a worker for no longer than this.
    fn call_for(
        &self,
        info: &WorkerInfo,
        limit: Duration,
        call: impl FnOnce() -> Result<String> + Send,
    ) -> Result<String> {
        let begin = self.signs.now();
        self.call(info, || self.signs.now() - begin >= limit, call)
    }

    /// Calls a worker until it `is_late`.
    fn call(
        &self,
        info: &WorkerInfo,
        is_late: impl Fn() -> bool,
        call: impl FnOnce() -> Result<String> + Send,
    ) -> Result<String> {
        let ip = &info.server_ip_address;
        let port = info.server_port.parse().map_err(|_| {
            let name = info.name();
            Error::failure(format!("worker {name} has registered with an impossible port"))
        })?;
        if is_late() {
            return Err(no_answer());
        }
        self.client.change_address(ip, port)?;
        within(&self.client, (ip, port), is_late, call)
    }
}

fn no_answer() -> Error {
    Error::new(ResultCode::IPC_CONNECTION_FAILURE, "it does not answer")
}

/// Makes a call of a client, which calls `address`, until it `is_late`.
pub fn within(
    client: &Handle<IpcClient>,
    (ip, port): (&str, u32),
    is_late: impl Fn() -> bool,
    call: impl FnOnce() -> Result<String> + Send,
) -> Result<String> {
    let (sender, answer) = channel();
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("call".to_owned());
        thread.spawn_scoped(scope, move || sender.send(call()))?;
        let mut late = false;
        loop {
            match answer.recv_timeout(PERIOD) {
                Ok(answer) if late => return answer.map_err(|_| no_answer()),
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => return Err(no_answer()),
                Err(RecvTimeoutError::Timeout) if late || is_late() => {
                    late = true;
                    // Ends the call, if it has begun. A client that cannot do so ends it itself.
                    _ = client.change_address(ip, port);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_run_that_registered_gives_signs_of_life() {
        let text = r#"{"server_ip_address": "h", "server_port": "1",
            "segment_info_list": [{"segment_name": "s", "ip_port_address_map": {}}]}"#;
        let worker = WorkerInfo::from_json(text).unwrap();
        let before = WorkerInfo { run: 1, ..worker.clone() };
        let signs = Signs::default();
        signs.renew(&worker);
        assert!(signs.0.lock().workers.is_empty());
        signs.add(&worker);
        let pause = Duration::from_millis(20);
        std::thread::sleep(pause);
        signs.renew(&before);
        assert!(signs.silence("h:1") >= pause);
        signs.renew(&worker);
        assert!(signs.silence("h:1") < pause);
        signs.forget("h:1");
        assert_eq!(signs.silence("h:1"), Duration::ZERO);
    }

    #[test]
    fn time_in_which_the_driver_was_stopped_does_not_count() {
        let mut clock = Clock::default();
        let (begin, step) = (Instant::now(), Duration::from_millis(100));
        let times = [1, 2, 3, 90, 91].map(|steps| clock.now_at(begin + steps * step));
        assert_eq!(times, [0, 1, 2, 2, 3].map(|steps| steps * step));
    }
}
