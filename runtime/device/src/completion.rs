//! Actions once a device has reached a fence.
//!
//! A *shadow stream* for each stream waits for the fence and runs a host function of the driver, so
//! the stream itself never stalls. After an error the driver calls no host functions any more;
//! therefore a thread, which ends a second after the last action, looks at the shadow streams ten times
//! a second and performs what is pending when it finds one. Where the time of a host function matters,
//! and where actions come so often that host functions would keep a processor busy, that thread polls
//! the fence instead.

use crate::chain_table;
use crate::device::Device;
use crate::device_clock::DeviceClock;
use crate::error::call;
use crate::fence::{Fence, Point};
use crate::held::is_any_held;
use crate::stream::Stream;
use gxf::{Result, WakeToken};
use parking_lot::{Condvar, Mutex, MutexGuard};
use rustc_hash::FxHashMap;
use std::ffi::c_void;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What to do once a device has reached a fence, or has failed.
pub enum Action {
    /// Wakes an entity.
    Wake(WakeToken),
    /// Calls a function on a thread that may use CUDA. It should be short.
    Run(Box<dyn FnOnce() + Send>),
}

/// How often the thread looks for errors.
const WATCH_PERIOD: Duration = Duration::from_millis(100);

/// While the last fence to be polled is younger, the thread polls without a pause.
const SPIN_TIME: Duration = Duration::from_micros(200);

/// The longest pause between two looks at a fence. Before that, one is a tenth of its age.
const MOST_PAUSE: Duration = Duration::from_millis(1);

/// More actions a second are polled, several at once.
const FREQUENT: u32 = 5_000;

/// How long actions are counted for that.
const COUNTING_PERIOD: Duration = Duration::from_millis(10);

/// The shortest pause between two looks at fences of frequent actions.
const SHARED_PAUSE: Duration = Duration::from_micros(50);

/// Periods without work after which the thread ends and the shadow streams are destroyed.
const IDLE_PERIODS: u32 = 10;

#[derive(Default)]
struct State {
    /// By number, so that a host function and the thread do not perform the same one.
    pending: FxHashMap<usize, Pending>,
    /// In the order of their numbers, which `pending` does not have.
    polled: Vec<Polled>,
    /// Number of the first of those that the thread is looking at, and that `polled` lacks meanwhile.
    polling: Option<usize>,
    next_number: usize,
    frequency: Frequency,
    /// By device and address of the stream that they shadow.
    shadows: FxHashMap<(i32, usize), Stream>,
    /// By device.
    clocks: FxHashMap<i32, Arc<DeviceClock>>,
    /// Functions to call, whose time has come.
    due: Vec<Box<dyn FnOnce() + Send>>,
    /// Actions that are neither pending nor due, because they are being performed right now.
    running: usize,
    has_thread: bool,
    /// Lets work go that has been held back for a period.
    let_old_go: Option<fn()>,
    /// Threads in `settle`.
    settling: usize,
}

struct Pending {
    action: Action,
    shadow: (i32, usize),
}

/// An action whose fence the thread polls.
struct Polled {
    number: usize,
    fence: Fence,
    action: Action,
    since: Instant,
    /// Whether its time matters, and not only how many there are.
    is_urgent: bool,
}

impl Polled {
    /// What is left to do: nothing of those that are done, or will never be.
    fn look(self) -> Option<Self> {
        if !self.fence.point().is_over() {
            return Some(self);
        }
        perform(self.action);
        None
    }
}

/// How long the thread may pause until the next look at a fence.
fn pause(is_urgent: bool, age: Duration) -> Duration {
    match is_urgent {
        true if age < SPIN_TIME => Duration::ZERO,
        true => (age / 10).min(MOST_PAUSE),
        false => (age / 10).clamp(SHARED_PAUSE, MOST_PAUSE),
    }
}

/// Whether actions are frequent.
#[derive(Default)]
struct Frequency {
    since: Option<Instant>,
    count: u32,
    is_high: bool,
}

impl Frequency {
    /// Notes an action. Returns whether those of the latest period were frequent.
    fn note(&mut self, now: Instant) -> bool {
        let passed = self.since.map(|since| now.saturating_duration_since(since));
        if passed.is_none_or(|passed| passed >= COUNTING_PERIOD) {
            let few = passed.map_or(f64::MAX, |passed| passed.as_secs_f64() * f64::from(FREQUENT));
            self.is_high = f64::from(self.count) > few;
            (self.since, self.count) = (Some(now), 0);
        }
        self.count += 1;
        self.is_high
    }
}

impl State {
    /// The number of another action.
    fn number(&mut self) -> usize {
        self.next_number += 1;
        self.next_number
    }

    fn need_thread(&mut self) {
        if !self.has_thread {
            self.has_thread = true;
            // Detached: it ends by itself.
            std::thread::spawn(watch);
        }
    }

    fn is_idle(&self) -> bool {
        let is_polling = self.polling.is_some() || !self.polled.is_empty();
        self.pending.is_empty() && !is_polling && self.running == 0 && !is_any_held()
    }

    /// Whether an action with this number or an earlier one is still to be performed.
    fn has_up_to(&self, last: usize) -> bool {
        let polled = self.polling.into_iter().chain(self.polled.iter().map(|polled| polled.number));
        self.pending.keys().copied().chain(polled).any(|number| number <= last)
    }

    /// Takes an action out to perform it; [`State::performed`] follows.
    fn take(&mut self, number: usize) -> Option<Action> {
        let pending = self.pending.remove(&number)?;
        self.running += 1;
        Some(pending.action)
    }

    /// Notes that the action was performed, or is due.
    fn performed(&mut self) {
        self.running -= 1;
    }

    /// Whether all actions up to this number are performed, and the thread has ended if it is not
    /// needed.
    fn is_settled(&self, last: usize) -> bool {
        let is_thread_over = !self.is_idle() || !self.has_thread;
        let is_over = self.due.is_empty() && self.running == 0;
        is_over && is_thread_over && !self.has_up_to(last)
    }

    /// How long the thread may pause between two looks at what it polls.
    fn pause(&self) -> Duration {
        let now = Instant::now();
        let pause =
            |polled: &Polled| pause(polled.is_urgent, now.saturating_duration_since(polled.since));
        self.polled.iter().map(pause).min().unwrap_or_default()
    }
}

static STATE: Mutex<Option<State>> = Mutex::new(None);
static CHANGED: Condvar = Condvar::new();

fn with<R>(change: impl FnOnce(&mut State) -> R) -> R {
    change(STATE.lock().get_or_insert_default())
}

/// Performs an action once the device has reached a point, or has failed: at once if it has. While
/// there are more than 5,000 a second, a thread polls the device for all of them every 50
/// microseconds.
///
/// # Errors
/// If the driver refuses; the action is then performed all the same.
pub fn when_done(point: Point<'_>, action: Action) -> Result<()> {
    // Once for all that follows. The driver itself refuses what it cannot do without.
    let _entered = (!point.is_none()).then(|| Device::get(point.device()).and_then(Device::enter));
    let Some(action) = unless_done(point, action)? else { return Ok(()) };
    if with(|state| state.frequency.note(Instant::now())) {
        return poll(point, action, false);
    }
    let shadow = (point.device(), point.stream_address());
    let number = with(|state| {
        let number = state.number();
        state.pending.insert(number, Pending { action, shadow });
        state.need_thread();
        number
    });
    let enqueued = enqueue(point, number);
    if enqueued.is_err()
        && let Some(action) = with(|state| state.take(number))
    {
        perform_late(point, action);
        with(State::performed);
        CHANGED.notify_all();
    }
    enqueued
}

/// Like [`when_done`], some microseconds sooner, for which a thread polls the device: without a pause
/// at first, then each time after a tenth of what has passed, and at least every millisecond.
///
/// # Errors
/// As of [`when_done`].
pub fn poll_until_done(point: Point<'_>, action: Action) -> Result<()> {
    let Some(action) = unless_done(point, action)? else { return Ok(()) };
    poll(point, action, true)
}

fn poll(point: Point<'_>, action: Action, is_urgent: bool) -> Result<()> {
    let kept = match point.fence() {
        Some(fence) => Ok(fence.clone()),
        None => shadowed(point).and_then(|shadow| shadow.record()),
    };
    match kept {
        Ok(fence) => {
            let wakes = with(|state| {
                let wakes = is_urgent || (state.polled.is_empty() && state.polling.is_none());
                let (number, since) = (state.number(), Instant::now());
                state.polled.push(Polled { number, fence, action, since, is_urgent });
                state.need_thread();
                wakes
            });
            if wakes {
                CHANGED.notify_all();
            }
            Ok(())
        }
        Err(error) => {
            perform_late(point, action);
            Err(error)
        }
    }
}

/// Performs an action whose point is reached, or whose device has failed; else returns it.
fn unless_done(point: Point<'_>, action: Action) -> Result<Option<Action>> {
    match point.is_done() {
        Ok(false) => Ok(Some(action)),
        Ok(true) => {
            perform(action);
            Ok(None)
        }
        Err(error) => {
            perform_late(point, action);
            Err(error)
        }
    }
}

/// Sees that work that is held back goes to the driver some time: calls a function periodically while
/// there is any.
pub(crate) fn watch_held(let_old_go: fn()) {
    with(|state| {
        state.let_old_go = Some(let_old_go);
        state.need_thread();
    });
}

/// The clock of a device, compared with the host's within the last second. It lives as long as the
/// shadow streams.
pub(crate) fn clock(device: Device) -> Result<Arc<DeviceClock>> {
    let known = with(|state| state.clocks.get(&device.ordinal()).cloned());
    if let Some(clock) = known.as_ref().filter(|clock| clock.is_recent()) {
        return Ok(clock.clone());
    }
    let clock = Arc::new(DeviceClock::new(device, known.as_deref())?);
    let former = with(|state| state.clocks.insert(device.ordinal(), clock.clone()));
    drop(former);
    Ok(clock)
}

/// Performs an action when the driver refuses to call back: this thread waits, if it must for all work
/// of the device, which returns at once if the device is broken.
fn perform_late(point: Point<'_>, action: Action) {
    let waited = point.synchronize();
    _ = waited.or_else(|_| Device::get(point.device()).and_then(Device::synchronize));
    perform(action);
}

/// The shadow of a point's stream, which waits for the point. Holds no lock.
fn shadowed(point: Point<'_>) -> Result<Stream> {
    let shadow = (point.device(), point.stream_address());
    let stream = match with(|state| state.shadows.get(&shadow).cloned()) {
        Some(stream) => stream,
        None => {
            let stream = Device::get(point.device())?.new_stream()?;
            with(|state| state.shadows.entry(shadow).or_insert(stream).clone())
        }
    };
    stream.wait_for(point)?;
    Ok(stream)
}

/// Enqueues the host function of an action. Holds no lock: it may be called before this returns.
fn enqueue(point: Point<'_>, number: usize) -> Result<()> {
    let stream = shadowed(point)?;
    let _entered = stream.device().enter()?;
    let user = std::ptr::without_provenance_mut::<c_void>(number);
    // The function takes a number; the stream is alive.
    call!(cuLaunchHostFunc(stream.raw(), Some(reached), user))
}

/// The host function. It must not call CUDA, and nothing that may.
unsafe extern "C" fn reached(user: *mut c_void) {
    if let Some(action) = with(|state| state.take(user.addr())) {
        match action {
            Action::Wake(token) => token.wake(),
            Action::Run(function) => with(|state| state.due.push(function)),
        }
        with(State::performed);
        CHANGED.notify_all();
    }
}

fn perform(action: Action) {
    match action {
        Action::Wake(token) => token.wake(),
        Action::Run(function) => function(),
    }
}

/// The thread: calls functions that are due, polls fences, and looks for errors.
fn watch() {
    // Its pauses are short, and the kernel would lengthen each by 50 microseconds.
    _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1_000));
    let mut state = STATE.lock();
    let mut idle = 0;
    let mut looked = Instant::now();
    loop {
        if looked.elapsed() >= WATCH_PERIOD {
            looked = Instant::now();
            MutexGuard::unlocked(&mut state, look_after_work);
        }
        let Some(inner) = state.as_mut() else { return };
        let due = std::mem::take(&mut inner.due);
        if !due.is_empty() {
            inner.running += 1;
            drop(state);
            due.into_iter().for_each(|function| function());
            state = STATE.lock();
            if let Some(inner) = state.as_mut() {
                inner.performed();
            }
            CHANGED.notify_all();
            continue;
        }
        if !inner.polled.is_empty() {
            look_at_polled(&mut state);
            let pause = state.as_ref().map_or(Duration::ZERO, State::pause);
            if !pause.is_zero() {
                CHANGED.wait_for(&mut state, pause);
            }
            idle = 0;
            continue;
        }
        let is_idle = inner.is_idle();
        if is_idle && (inner.settling > 0 || idle >= IDLE_PERIODS) {
            // They are gone before anybody can see that the thread has ended.
            let gone = (std::mem::take(&mut inner.shadows), std::mem::take(&mut inner.clocks));
            drop(state);
            drop(gone);
            state = STATE.lock();
            if let Some(inner) = state.as_mut()
                && inner.is_idle()
                && inner.due.is_empty()
                && inner.shadows.is_empty()
            {
                inner.has_thread = false;
                CHANGED.notify_all();
                return;
            }
            continue;
        }
        let timed_out = CHANGED.wait_for(&mut state, WATCH_PERIOD).timed_out();
        idle = if timed_out && is_idle { idle + 1 } else { 0 };
    }
}

/// Looks once at each fence to be polled, and performs the actions of those that are reached.
fn look_at_polled(state: &mut MutexGuard<'_, Option<State>>) {
    let Some(inner) = state.as_mut() else { return };
    let polled = std::mem::take(&mut inner.polled);
    inner.polling = polled.first().map(|first| first.number);
    let count = polled.len();
    let mut left = MutexGuard::unlocked(state, || {
        let left: Vec<_> = polled.into_iter().filter_map(Polled::look).collect();
        std::thread::yield_now();
        left
    });
    let Some(inner) = state.as_mut() else { return };
    let is_any_done = left.len() < count;
    // Others may have come meanwhile.
    left.append(&mut inner.polled);
    inner.polled = left;
    inner.polling = None;
    if is_any_done {
        CHANGED.notify_all();
    }
}

/// Lets work go that has been held back, and performs what waits for devices that have failed.
fn look_after_work() {
    if is_any_held()
        && let Some(let_old_go) = with(|state| state.let_old_go)
    {
        let_old_go();
    }
    if with(|state| state.pending.is_empty()) {
        return;
    }
    let shadows = with(|state| state.shadows.clone());
    let failed = shadows.iter().filter(|(_, stream)| stream.has_failed());
    for (shadow, _) in failed {
        give_up(*shadow);
    }
}

/// Performs what waits for a device that failed.
fn give_up(shadow: (i32, usize)) {
    let numbers: Vec<_> = with(|state| {
        let ours = state.pending.iter().filter(|(_, pending)| pending.shadow == shadow);
        ours.map(|(number, _)| *number).collect()
    });
    for number in numbers {
        if let Some(action) = with(|state| state.take(number)) {
            perform(action);
            with(State::performed);
            CHANGED.notify_all();
        }
    }
}

/// Blocks until everything that this library has pending now has been done, and destroys the shadow
/// streams if nothing else is pending. For components that are deinitialised.
pub fn settle() {
    chain_table::let_all_go("a codelet or an allocator ends");
    let mut state = STATE.lock();
    let Some(inner) = state.as_mut() else { return };
    inner.settling += 1;
    let last = inner.next_number;
    CHANGED.notify_all();
    while !state.as_ref().is_none_or(|inner| inner.is_settled(last)) {
        CHANGED.wait_for(&mut state, WATCH_PERIOD);
    }
    let Some(inner) = state.as_mut() else { return };
    inner.settling -= 1;
    if !inner.has_up_to(usize::MAX) {
        let gone = (std::mem::take(&mut inner.shadows), std::mem::take(&mut inner.clocks));
        drop(state);
        drop(gone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_five_thousand_actions_a_second_are_frequent() {
        let (mut frequency, mut now) = (Frequency::default(), Instant::now());
        let mut note = |count: u32, microseconds| {
            let step = Duration::from_micros(microseconds);
            (0..count).fold(false, |_, _| {
                now += step;
                frequency.note(now)
            })
        };
        assert!(!note(10_000, 210), "4,762 a second");
        assert!(!note(40, 100), "only for 4 ms");
        assert!(note(1_000, 190), "5,263 a second");
        assert!(!note(2, 20_000), "a pause");
        assert!(!note(1, 1_000_000), "a longer one");
    }

    /// As when the driver's thread is stopped between taking an action out and making it due.
    #[test]
    fn an_action_that_is_being_performed_is_not_settled() {
        let mut state = State::default();
        let number = state.number();
        let action = Action::Run(Box::new(|| ()));
        state.pending.insert(number, Pending { action, shadow: (0, 0) });
        assert!(!state.is_settled(number));
        let Some(Action::Run(function)) = state.take(number) else { panic!("it is pending") };
        assert!(!state.is_settled(number) && !state.is_idle());
        assert!(state.take(number).is_none(), "nobody else performs it");
        state.due.push(function);
        state.performed();
        assert!(!state.is_settled(number));
        state.due.clear();
        assert!(state.is_settled(number));
    }

    #[test]
    fn frequent_actions_share_a_look() {
        let pause = |is_urgent, age| pause(is_urgent, Duration::from_micros(age)).as_micros();
        assert_eq!([0, 100, 2_000, 1_000_000].map(|age| pause(true, age)), [0, 0, 200, 1_000]);
        assert_eq!([0, 100, 2_000, 1_000_000].map(|age| pause(false, age)), [50, 50, 200, 1_000]);
    }
}
