//! `ReentrantLock`.

use crate::own_term::{OwnTerm, own_term, ready_if};
use crate::wiring;
use gxe_columns::bad_data;
use gxe_columns::{has_message, is_only_end};
use gxf::SharedCodelet;
use gxf::prelude::*;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lets one of several users at a time go on. A message of `requests[i]` asks for user i; it leaves
/// through `grants[i]` when nobody else has the lock, users taking turns in the order in which they
/// asked. A message of `releases[i]` gives the lock back. A user that has the lock may ask for it
/// again, and gives it back as often. It can have it as often at a time as the capacity of
/// `releases[i]` says. The mere end of a stream passes without the lock. It is its own scheduling
/// term.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct ReentrantLock {
    /// Receivers for the requests, one for each user.
    requests: Parameter<Vec<Handle<Receiver>>>,
    /// Transmitters for the requests that are granted, one for each user.
    grants: Parameter<Vec<Handle<Transmitter>>>,
    /// Receivers for messages that give the lock back, one for each user.
    releases: Parameter<Vec<Handle<Receiver>>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Who has the lock, and how often.
    holder: Option<(usize, u64)>,
    /// Requests that are not granted, in their order, at most one of each user.
    waiting: VecDeque<(usize, Message)>,
}

impl State {
    /// Position of the request that is granted next. All messages with which a user gives the lock
    /// back have room in its receiver: a user that waited for room there would not take its next
    /// grant, and without room for grants the lock would not take what is given back.
    fn next(&self, releases: &[Handle<Receiver>]) -> Option<usize> {
        match self.holder {
            None if self.waiting.is_empty() => None,
            None => Some(0),
            Some((holder, times)) if times < releases[holder].capacity() as u64 => {
                self.waiting.iter().position(|(user, _)| *user == holder)
            }
            Some(_) => None,
        }
    }

    fn waits(&self, user: usize) -> bool {
        self.waiting.iter().any(|(waiting, _)| *waiting == user)
    }
}

impl ReentrantLock {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lifecycle for ReentrantLock {
    fn check_parameters(&self) -> Result<()> {
        let users = self.requests.len();
        if self.grants.len() != users || self.releases.len() != users {
            return Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!(
                    "a user has one of each, but there are {users} `requests`, {} `grants` and {} \
                     `releases`",
                    self.grants.len(),
                    self.releases.len()
                ),
            ));
        }
        wiring::some("requests", "receiver", &self.requests)?;
        wiring::different("requests", "receiver", &self.requests, ("", &[]))?;
        wiring::different("grants", "transmitter", &self.grants, ("", &[]))?;
        wiring::different("releases", "receiver", &self.releases, ("requests", &self.requests))
    }
}

impl SharedCodelet for ReentrantLock {
    fn start(&self, _context: &TickContext) -> Result<()> {
        *self.state() = State::default();
        Ok(())
    }

    fn tick(&self, _context: &TickContext) -> Result<()> {
        let mut state = self.state();
        for (user, release) in self.releases.iter().enumerate() {
            while let Some(message) = release.try_receive()? {
                if is_only_end(&message) {
                    continue;
                }
                state.holder = match state.holder {
                    Some((holder, 1)) if holder == user => None,
                    Some((holder, times)) if holder == user => Some((holder, times - 1)),
                    _ => {
                        return Err(bad_data(format!(
                            "user {user} gives back a lock that it does not have"
                        )));
                    }
                };
            }
        }
        for (user, request) in self.requests.iter().enumerate() {
            if !state.waits(user)
                && let Some(message) = request.try_receive()?
            {
                state.waiting.push_back((user, message));
            }
        }
        let next = state.next(&self.releases);
        let Some((user, message)) = next.and_then(|at| state.waiting.remove(at)) else {
            return Ok(());
        };
        if !is_only_end(&message) {
            let times = state.holder.map_or(0, |(_, times)| times);
            state.holder = Some((user, times + 1));
        }
        drop(state);
        self.grants[user].publish_as_is(message)
    }

    fn stop(&self, _context: &TickContext) -> Result<()> {
        *self.state() = State::default();
        Ok(())
    }
}

impl OwnTerm for ReentrantLock {
    fn condition(&self) -> ConditionType {
        let state = self.state();
        let mut requests = self.requests.iter().enumerate();
        let asks = requests.any(|(user, request)| !state.waits(user) && has_message(request));
        let gives_back = self.releases.iter().any(|release| has_message(release));
        ready_if(asks || gives_back || state.next(&self.releases).is_some())
    }

    fn receivers(&self, each: &mut dyn FnMut(&Handle<Receiver>)) {
        let releases = self.releases.try_get().into_iter().flatten();
        self.requests.try_get().into_iter().flatten().chain(releases).for_each(each);
    }
}
own_term!(ReentrantLock);
