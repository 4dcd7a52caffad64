//! Pieces of work of several codelets on one stream that become one launch. The host's side of
//! [`gxf::abi::DeviceChainTable`]; only the copy of this crate in the host has something here.
//!
//! A piece that is held back has a fence whose event is not recorded yet. Whoever uses such a fence
//! lets the piece go first ([`let_go`]), so nobody ever waits for an event in vain. Memory that it
//! uses goes home afterwards ([`after`]). What nobody asks for is let go by the thread of
//! `completion.rs` within two of its periods.
//!
//! Operations go to the driver under the lock of their stream; what libraries do afterwards, and
//! reports, come without it.

use crate::completion::watch_held;
use crate::device::Device;
use crate::fence::Fence;
use crate::graph::{Graphs, Launched};
use crate::held::{self, is_any_held};
use crate::piece::Piece;
use gxf::{Callback, Error, Result};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::ptr::with_exposed_provenance_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Most pieces to hold back.
const MOST: usize = 64;

/// Hears what becomes of a piece of work.
pub trait Report: Send {
    /// It was launched, with the pieces before it, as a graph of so many operations.
    fn launched(&self, operations: u64, is_new: bool);
    /// It was launched as a part of a graph that a later piece is the end of.
    fn joined(&self);
    /// It was enqueued operation by operation: for this reason if that does not change, else an empty
    /// one.
    fn ordinary(&self, reason: &str);
    /// It was the last of its chain, because others could not wait.
    fn cut(&self, reason: &str);
    /// The driver refused it after its tick.
    fn failed(&self, error: &Error);
}

/// A stream of the driver, of a device. `is_foreign`: it may end at any time after the call.
#[derive(Clone, Copy)]
pub struct Place {
    /// Its address.
    pub stream: usize,
    /// Number of the device.
    pub device: i32,
    /// Whether nothing of gxe keeps it.
    pub is_foreign: bool,
}

struct Member {
    /// 0 unless it is held back.
    number: u32,
    piece: Arc<Piece>,
    held: Option<Callback>,
    report: Box<dyn Report>,
}

/// The work of a stream.
#[derive(Default)]
struct Chain {
    members: Vec<Member>,
    /// To be called once the members are launched.
    after: Vec<Callback>,
    graphs: Graphs,
    /// Whose stream it is.
    owner: usize,
    device: i32,
    /// Whether the members were there when the thread last looked.
    was_seen: bool,
}

/// What was launched, with what is left to do without the lock.
struct Ended {
    members: Vec<Member>,
    after: Vec<Callback>,
    how: Launched,
    result: Result<()>,
}

type Chains = FxHashMap<(usize, bool), Arc<Mutex<Chain>>>;

/// By stream, and whether it is foreign.
static CHAINS: Mutex<Option<Chains>> = Mutex::new(None);

static NEXT_NUMBER: AtomicU32 = AtomicU32::new(1);

fn chain_of(stream: usize) -> Option<Arc<Mutex<Chain>>> {
    CHAINS.lock().as_ref()?.get(&(stream, false)).cloned()
}

/// Launches a piece of work behind what is held back of its stream, or holds it back with it: the
/// result is then its number. `held` is absent if it cannot be held back, and stays with the caller
/// unless it is.
///
/// # Errors
/// If the driver refuses the work.
pub fn launch(
    place: Place,
    owner: usize,
    piece: Piece,
    held: &mut Option<Callback>,
    report: Box<dyn Report>,
) -> Result<u32> {
    let Place { stream, device, is_foreign } = place;
    if is_foreign {
        let_go(stream, 0, "another library's name for its stream is used")?;
    }
    let chain = {
        let mut chains = CHAINS.lock();
        chains.get_or_insert_default().entry((stream, is_foreign)).or_default().clone()
    };
    let mut inner = chain.lock();
    (inner.owner, inner.device) = (owner, device);
    let is_held = held.is_some() && !is_foreign && inner.members.len() < MOST;
    let mut number = 0;
    if is_held {
        while number == 0 {
            number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        }
    }
    let held = if is_held { held.take() } else { None };
    inner.members.push(Member { number, piece: Arc::new(piece), held, report });
    if is_held {
        inner.was_seen = false;
        held::add();
        drop(inner);
        watch_held(let_old_go);
        return Ok(number);
    }
    let ended = inner.launch(stream, is_foreign);
    drop(inner);
    ended.tell().map(|()| 0)
}

/// Launches what is held back of a stream, if this piece is among it; 0 stands for any. `reason` says
/// why it cannot wait.
///
/// # Errors
/// If the driver refuses the work; its last codelet hears of that, too.
pub fn let_go(stream: usize, number: u32, reason: &str) -> Result<()> {
    if !is_any_held() {
        return Ok(());
    }
    let Some(chain) = chain_of(stream) else { return Ok(()) };
    let mut inner = chain.lock();
    let is_meant = |member: &Member| number == 0 || member.number == number;
    if !inner.members.iter().any(is_meant) {
        return Ok(());
    }
    let mut ended = inner.launch(stream, false);
    drop(inner);
    if let Some(last) = ended.members.last() {
        last.report.cut(reason);
        if let Err(error) = &ended.result {
            last.report.failed(error);
            ended.result = Err(Error::new(error.code(), error.message().to_owned()));
        }
    }
    ended.tell()
}

/// Whether the work before a fence is held back.
#[must_use]
pub fn is_held_back(fence: &Fence) -> bool {
    let number = fence.point().number();
    if number == 0 || !is_any_held() {
        return false;
    }
    let chain = chain_of(fence.stream_address());
    chain.is_some_and(|chain| chain.lock().members.iter().any(|member| member.number == number))
}

/// Calls back once a piece is launched. If it is not held back, the callback comes back.
///
/// # Errors
/// The callback.
pub fn after(stream: usize, number: u32, callback: Callback) -> std::result::Result<(), Callback> {
    let chain = is_any_held().then(|| chain_of(stream)).flatten();
    let Some(chain) = chain else { return Err(callback) };
    let mut inner = chain.lock();
    if !inner.members.iter().any(|member| member.number == number) {
        return Err(callback);
    }
    inner.after.push(callback);
    Ok(())
}

fn all() -> Vec<(usize, Arc<Mutex<Chain>>)> {
    let chains = CHAINS.lock();
    let own = chains.iter().flatten().filter(|((_, is_foreign), _)| !is_foreign);
    own.map(|((stream, _), chain)| (*stream, chain.clone())).collect()
}

/// Launches all that is held back.
pub fn let_all_go(reason: &str) {
    if is_any_held() {
        for (stream, _) in all() {
            // The codelet hears of an error.
            _ = let_go(stream, 0, reason);
        }
    }
}

/// Launches what was already held back at the last call.
fn let_old_go() {
    for (stream, chain) in all() {
        let was_seen = std::mem::replace(&mut chain.lock().was_seen, true);
        if was_seen {
            _ = let_go(stream, 0, "the next codelet of its messages does not tick");
        }
    }
}

/// Launches what is held back of an owner's streams, and forgets their graphs.
pub fn forget(owner: usize) {
    for (stream, chain) in all() {
        let is_meant = chain.lock().owner == owner;
        if is_meant {
            _ = let_go(stream, 0, "the run ends");
        }
    }
    let mut chains = CHAINS.lock();
    let Some(known) = chains.as_mut() else { return };
    let is_theirs = |chain: &Arc<Mutex<Chain>>| chain.lock().owner == owner;
    let gone: Vec<_> = known.extract_if(|_, chain| is_theirs(chain)).collect();
    drop(chains);
    drop(gone);
}

impl Chain {
    /// Gives the members to the driver.
    fn launch(&mut self, stream: usize, is_foreign: bool) -> Ended {
        let members = std::mem::take(&mut self.members);
        let after = std::mem::take(&mut self.after);
        let pieces: Vec<_> = members.iter().map(|member| member.piece.clone()).collect();
        let raw = with_exposed_provenance_mut(stream);
        let device = Device::get(self.device);
        let entered = device.and_then(|device| Ok((device, device.enter()?)));
        let (how, result) = match &entered {
            Ok((device, _)) => self.graphs.launch(*device, (raw, is_foreign), &pieces),
            Err(error) => {
                let error = Error::new(error.code(), error.message().to_owned());
                (Launched::EachYet, Err(error))
            }
        };
        // Now their events are recorded.
        let held = members.iter().filter_map(|member| member.held.as_ref());
        let count = held.map(Callback::call).count();
        held::remove(count);
        Ended { members, after, how, result }
    }
}

impl Ended {
    /// Tells everybody, without a lock.
    fn tell(self) -> Result<()> {
        let Self { members, after, how, result } = self;
        let operations = members.iter().map(|member| member.piece.operations()).sum();
        let count = members.len();
        for (place, Member { report, held, .. }) in members.into_iter().enumerate() {
            // What libraries do once the work is with the driver.
            drop(held);
            match &how {
                Launched::Graph { is_new } if place + 1 == count => {
                    report.launched(operations, *is_new);
                }
                Launched::Graph { .. } => report.joined(),
                Launched::EachYet => report.ordinary(""),
                Launched::Each(reason) => report.ordinary(reason),
            }
        }
        after.iter().for_each(Callback::call);
        result
    }
}
