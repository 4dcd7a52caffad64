//! Who takes part in collectives, and what they have contributed.
//!
//! Every member of a collective registers when its entity becomes active, gets a token, and gives it
//! back in the end. Members in the same process find each other here. Processes form a ring: each
//! passes on what comes from the one before it, until everybody has the contributions of all members.
//! A message on the ring has a tensor that says whose contribution it is, or whose end.
//!
//! A member whose input has ended says so, and before which call. All that contribute must end before
//! the same call: then the collective is over, and each member ends once it has the results.

use crate::sum::Operation;
use gxe_columns::bad_data;
use gxf::prelude::*;
use gxf::{ContextHandle, PayloadInfo};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Name of the tensor.
const HEADER: &str = "gxe::collective";
/// Calls that a process keeps: the one that is not complete everywhere, and the next one.
const CALLS: usize = 2;

/// What the members do together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Reduce(Operation),
    Gather,
    /// The messages of this member go to all.
    Broadcast(u64),
}

impl Action {
    /// A number for other processes.
    fn number(self) -> i64 {
        match self {
            Self::Reduce(Operation::Sum) => 0,
            Self::Reduce(Operation::Maximum) => 1,
            Self::Reduce(Operation::Minimum) => 2,
            Self::Gather => 3,
            Self::Broadcast(root) => 4_i64.saturating_add_unsigned(root),
        }
    }

    /// Whether a member contributes.
    pub fn takes_from(self, member: u64) -> bool {
        match self {
            Self::Broadcast(root) => root == member,
            _ => true,
        }
    }
}

/// What all members must agree on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Agreement {
    pub name: String,
    pub action: Action,
    pub members: u64,
}

impl Agreement {
    /// The members that contribute.
    fn givers(&self) -> impl Iterator<Item = u64> {
        let action = self.action;
        (0..self.members).filter(move |member| action.takes_from(*member))
    }
}

/// The members of a collective in this process.
struct Group {
    /// The graph.
    context: usize,
    agreement: Agreement,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    seats: BTreeMap<u64, Seat>,
    /// Calls that some member here has not finished, in order.
    calls: VecDeque<BTreeMap<u64, Message>>,
    /// Number of the first of them.
    first: u64,
    /// By member: the call before which it ended.
    ends: BTreeMap<u64, u64>,
    /// By member of another process: the rank of that.
    ranks: BTreeMap<u64, u64>,
    /// The rank of this process, if there are several.
    rank: Option<u64>,
    /// What the next process has to get.
    outgoing: VecDeque<Contribution>,
}

struct Seat {
    handle: ContextHandle,
    /// Whether it has the links.
    leads: bool,
    contributed: u64,
    finished: u64,
    /// Whether its codelet is between start and stop.
    runs: bool,
}

impl Seat {
    fn new(handle: ContextHandle, leads: bool) -> Self {
        Self { handle, leads, contributed: 0, finished: 0, runs: false }
    }
}

/// A message on the ring.
struct Contribution {
    member: u64,
    /// The rank that it is from; `None` for this one.
    rank: Option<u64>,
    call: u64,
    /// Processes that it still has to reach; 0 for all others.
    hops: u64,
    /// `None`: the member ended before the call.
    message: Option<Message>,
}

impl Contribution {
    /// One of a member of this process.
    fn own(member: u64, call: u64, message: Option<Message>) -> Self {
        Self { member, rank: None, call, hops: 0, message }
    }
}

/// Two members that did not contribute to equally many calls.
pub struct Uneven {
    /// The call before which one ended.
    pub call: u64,
    /// The one that ended, for people.
    pub ended: String,
    /// One that contributed to the call, for people.
    pub other: String,
}

static GROUPS: Mutex<Vec<Weak<Group>>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The right to take part as a member, until it is dropped.
pub struct Token {
    group: Arc<Group>,
    member: u64,
    /// Processes of the ring.
    processes: u64,
}

impl Token {
    /// Registers a member of a collective in its graph.
    pub fn new(
        handle: ContextHandle,
        agreement: Agreement,
        member: u64,
        processes: u64,
        rank: Option<u64>,
    ) -> Result<Self> {
        let name = &agreement.name;
        let invalid = |text| Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text));
        let context = handle.as_raw().addr();
        let mut groups = lock(&GROUPS);
        groups.retain(|group| group.strong_count() > 0);
        let mut known = groups.iter().filter_map(Weak::upgrade);
        let known = known.find(|one| one.context == context && one.agreement.name == *name);
        let group = known.unwrap_or_else(|| {
            let agreement = agreement.clone();
            let group = Arc::new(Group { context, agreement, state: Mutex::default() });
            groups.push(Arc::downgrade(&group));
            group
        });
        if group.agreement != agreement {
            return invalid(format!("members of collective `{name}` do different things"));
        }
        let mut state = lock(&group.state);
        if state.seats.contains_key(&member) {
            return invalid(format!("member {member} of collective `{name}` is there twice"));
        }
        let leads = processes > 1;
        if leads && state.seats.values().any(|seat| seat.leads) {
            return invalid(format!("two members of collective `{name}` have links"));
        }
        state.seats.insert(member, Seat::new(handle, leads));
        state.rank = state.rank.or(rank);
        drop(state);
        Ok(Self { group, member, processes })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.group.state)
    }

    fn agreement(&self) -> &Agreement {
        &self.group.agreement
    }

    /// Whether a message is to be taken from the member.
    pub fn may_contribute(&self) -> bool {
        let state = self.state();
        let Some(seat) = state.seats.get(&self.member) else { return false };
        self.agreement().action.takes_from(self.member)
            && seat.contributed == seat.finished
            && seat.contributed < state.first + CALLS as u64
    }

    /// Contributes a message to the next call.
    pub fn contribute(&self, message: Message) {
        let mut state = self.state();
        let Some(seat) = state.seats.get_mut(&self.member) else { return };
        let call = seat.contributed;
        seat.contributed += 1;
        let is_ring = state.seats.values().any(|seat| seat.leads);
        if is_ring {
            state.outgoing.push_back(Contribution::own(self.member, call, Some(message.clone())));
        }
        state.add(call, self.member, message);
        self.wake_others(&state);
    }

    /// The member contributes nothing more.
    pub fn end(&self) {
        let mut state = self.state();
        let Some(seat) = state.seats.get(&self.member) else { return };
        let call = seat.contributed;
        if !self.agreement().action.takes_from(self.member) || state.ends.contains_key(&self.member)
        {
            return;
        }
        state.ends.insert(self.member, call);
        if state.seats.values().any(|seat| seat.leads) {
            state.outgoing.push_back(Contribution::own(self.member, call, None));
        }
        self.wake_others(&state);
    }

    /// Whether the member has said that it contributes nothing more.
    pub fn has_ended(&self) -> bool {
        self.state().ends.contains_key(&self.member)
    }

    /// Whether all that contribute have ended, and the member has all results and passed on all that it
    /// had to.
    pub fn is_over(&self) -> bool {
        let state = self.state();
        let Some(seat) = state.seats.get(&self.member) else { return false };
        let mut givers = self.agreement().givers();
        givers.all(|member| state.ends.get(&member) == Some(&seat.finished))
            && (state.outgoing.is_empty() || !seat.leads)
    }

    /// A member that ended before a call to which another one contributed.
    pub fn uneven(&self) -> Option<Uneven> {
        let state = self.state();
        let (ended, call) = state.ends.iter().min_by_key(|(_, call)| **call)?;
        let contributed = state.call(*call).and_then(|call| call.keys().next());
        let later = || state.ends.iter().find(|(_, other)| *other > call).map(|(other, _)| other);
        let other = state.described(*contributed.or_else(later)?);
        Some(Uneven { call: *call, ended: state.described(*ended), other })
    }

    /// Notes that the codelet of the member starts.
    pub fn start(&self) {
        if let Some(seat) = self.state().seats.get_mut(&self.member) {
            seat.runs = true;
        }
    }

    /// Whether a call has what the member waits for.
    pub fn is_complete(&self) -> bool {
        let state = self.state();
        let Some(seat) = state.seats.get(&self.member) else { return false };
        let Some(call) = state.call(seat.finished) else { return false };
        self.missing(call).is_empty()
    }

    /// The members without a contribution to a call.
    fn missing(&self, call: &BTreeMap<u64, Message>) -> Vec<u64> {
        self.agreement().givers().filter(|member| !call.contains_key(member)).collect()
    }

    /// Takes what all contributed to a complete call, by member; also its number.
    pub fn take(&self) -> Option<(u64, Vec<Message>)> {
        let mut state = self.state();
        let number = state.seats.get(&self.member)?.finished;
        let messages = state.call(number)?.values().cloned().collect();
        state.seats.get_mut(&self.member)?.finished += 1;
        let done = state.seats.values().map(|seat| seat.finished).min().unwrap_or_default();
        while state.first < done {
            state.calls.pop_front();
            state.first += 1;
        }
        self.wake_others(&state);
        Some((number, messages))
    }

    /// Whether a member here waits for a contribution of another process.
    pub fn awaits_others(&self) -> bool {
        let state = self.state();
        match self.agreement().action {
            Action::Broadcast(root) => !state.seats.contains_key(&root),
            _ => {
                let mut givers = self.agreement().givers();
                state.is_pending()
                    || !state.ends.is_empty() && givers.any(|one| !state.ends.contains_key(&one))
            }
        }
    }

    /// What a member here waits for although nothing more comes: the call and the members.
    pub fn lacks(&self) -> Option<(u64, Vec<u64>)> {
        let state = self.state();
        let is_broadcast = matches!(self.agreement().action, Action::Broadcast(_));
        if is_broadcast || !state.is_pending() {
            return None;
        }
        let calls = state.calls.iter().zip(state.first..);
        let mut lacking = calls.map(|(call, number)| (number, self.missing(call)));
        lacking.find(|(_, missing)| !missing.is_empty())
    }

    /// Whether there is something for the next process.
    pub fn has_outgoing(&self) -> bool {
        !self.state().outgoing.is_empty()
    }

    /// A message for the next process.
    pub fn next_outgoing(&self, context: &TickContext) -> Result<Option<Message>> {
        let Some(contribution) = self.state().outgoing.pop_front() else { return Ok(None) };
        let Contribution { member, rank, call, hops, message: payloads } = contribution;
        // The leader knows how many processes there are.
        let hops = if hops == 0 { self.processes - 1 } else { hops };
        let rank = rank.or(self.state().rank);
        let Agreement { action, members, .. } = self.agreement();
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let header = [
            number(member),
            number(call),
            number(hops),
            action.number(),
            number(*members),
            rank.map_or(-1, number),
            i64::from(payloads.is_none()),
        ];
        let mut message = context.new_message()?;
        if let Some(payloads) = payloads {
            message.share_payloads(&payloads)?;
        }
        message.add(HEADER, Tensor::from_vec(&[7], header.to_vec())?)?;
        Ok(Some(message))
    }

    /// Whether there is room for a contribution of another process. The member's own one comes first,
    /// so that a disagreement shows on all ranks.
    pub fn has_room(&self) -> bool {
        let state = self.state();
        match self.agreement().action {
            Action::Broadcast(_) => state.calls.len() < CALLS,
            _ => {
                let seat = state.seats.get(&self.member);
                let has_ended = state.ends.contains_key(&self.member);
                has_ended || seat.is_some_and(|seat| seat.contributed > seat.finished)
            }
        }
    }

    /// Takes a contribution that came from another process.
    pub fn receive(&self, mut message: Message) -> Result<()> {
        let Agreement { name, action, members } = self.agreement();
        let is_header = |payload: &PayloadInfo<'_>| payload.name == HEADER;
        let place = message.payloads().position(|payload| is_header(&payload));
        let header = match message.try_get::<Tensor>(HEADER) {
            Some(header) => header.to_vec::<i64>()?,
            None => Vec::new(),
        };
        let ([member, call, hops, other, size, rank, is_end], Some(place)) = (&header[..], place)
        else {
            return Err(bad_data("a message on the ring is no contribution"));
        };
        if (*other, *size) != (action.number(), i64::try_from(*members).unwrap_or(i64::MAX)) {
            return Err(bad_data(format!(
                "member {member} of collective `{name}` does something else on its rank: the ranks \
                 disagree in the operation or the number of members"
            )));
        }
        message.remove(place)?;
        let number = |number: i64| u64::try_from(number).unwrap_or(u64::MAX);
        let (member, call, hops) = (number(*member), number(*call), number(*hops));
        let rank = u64::try_from(*rank).ok();
        let message = (*is_end == 0).then_some(message);
        let mut state = self.state();
        let is_new = state.call(call).is_none_or(|known| !known.contains_key(&member))
            && !state.ends.contains_key(&member);
        // An end is no call that has to be kept.
        let calls = CALLS as u64 + u64::from(message.is_none());
        let is_near = (state.first..state.first + calls).contains(&call);
        if member >= *members || state.seats.contains_key(&member) || !is_new || !is_near {
            return Err(bad_data(format!(
                "member {member} contributes to call {call}, which nobody expects of it"
            )));
        }
        if hops > 1 {
            let (hops, message) = (hops - 1, message.clone());
            state.outgoing.push_back(Contribution { member, rank, call, hops, message });
        }
        if let Some(rank) = rank {
            state.ranks.insert(member, rank);
        }
        match message {
            Some(message) => state.add(call, member, message),
            None => _ = state.ends.insert(member, call),
        }
        self.wake_others(&state);
        Ok(())
    }

    /// The codelet of the member stops. When the last one does, the next run begins with the first
    /// call.
    pub fn stop(&self) {
        let mut state = self.state();
        if let Some(seat) = state.seats.get_mut(&self.member) {
            seat.runs = false;
        }
        if state.seats.values().any(|seat| seat.runs) {
            return;
        }
        state.calls.clear();
        state.ends.clear();
        state.ranks.clear();
        state.outgoing.clear();
        state.first = 0;
        for seat in state.seats.values_mut() {
            seat.contributed = 0;
            seat.finished = 0;
        }
    }

    /// Lets the other members here look again.
    fn wake_others(&self, state: &State) {
        let others = state.seats.iter().filter(|(member, _)| **member != self.member);
        for (_, seat) in others {
            // An entity that is gone needs nothing.
            if let Ok(token) = seat.handle.wake_token() {
                token.wake();
            }
        }
    }
}

impl State {
    fn call(&self, number: u64) -> Option<&BTreeMap<u64, Message>> {
        let place = number.checked_sub(self.first)?;
        self.calls.get(usize::try_from(place).ok()?)
    }

    fn add(&mut self, call: u64, member: u64, message: Message) {
        let place = usize::try_from(call.saturating_sub(self.first)).unwrap_or(usize::MAX);
        while self.calls.len() <= place {
            self.calls.push_back(BTreeMap::new());
        }
        self.calls[place].insert(member, message);
    }

    /// A member for people.
    fn described(&self, member: u64) -> String {
        match self.ranks.get(&member).copied().or(self.rank) {
            Some(rank) => format!("member {member} of rank {rank}"),
            None => format!("member {member}"),
        }
    }

    fn is_pending(&self) -> bool {
        self.seats.values().any(|seat| seat.contributed > seat.finished)
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        self.state().seats.remove(&self.member);
    }
}
