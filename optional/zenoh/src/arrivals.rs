//! What arrived and waits for the subscriber's next tick. Zenoh's threads add to it, and wait while
//! it is full if they are to.

use gxf::{Result, WakeToken};
use std::collections::{HashSet, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// See the head of this file.
#[derive(Default)]
pub struct Arrivals {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    messages: VecDeque<Vec<u8>>,
    /// Publishers that have said that nothing follows.
    ended: HashSet<String>,
    /// Publishers that live and have not.
    publishing: HashSet<String>,
    /// Publishers that went without a word, until they are reported.
    lost: Vec<String>,
    token: Option<WakeToken>,
    is_closed: bool,
    dropped: u64,
}

/// What the subscriber does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Something is there.
    Something,
    /// Nothing yet.
    Nothing,
    /// All publishers have ended, and everything is taken.
    End,
}

impl Arrivals {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        let token = state.token.take();
        drop(state);
        self.changed.notify_all();
        if let Some(token) = token {
            token.wake();
        }
    }

    /// Adds a message. If `capacity` messages are there, waits or drops it.
    pub fn add(&self, message: Vec<u8>, publisher: Option<String>, capacity: usize, blocks: bool) {
        let mut state = self.lock();
        if blocks {
            let is_full = |state: &mut State| state.messages.len() >= capacity && !state.is_closed;
            let waited = self.changed.wait_while(state, is_full);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_closed || state.messages.len() >= capacity {
            state.dropped += 1;
            return;
        }
        state.messages.push_back(message);
        if let Some(publisher) = publisher.filter(|name| !state.ended.contains(name)) {
            state.publishing.insert(publisher);
        }
        let token = state.token.take();
        drop(state);
        if let Some(token) = token {
            token.wake();
        }
    }

    /// A publisher has come.
    pub fn come(&self, publisher: &str) {
        self.change(|state| _ = state.publishing.insert(publisher.to_owned()));
    }

    /// A publisher says that nothing follows.
    pub fn end(&self, publisher: &str) {
        self.change(|state| {
            state.publishing.remove(publisher);
            state.ended.insert(publisher.to_owned());
        });
    }

    /// A publisher has gone.
    pub fn gone(&self, publisher: &str) {
        self.change(|state| {
            if state.publishing.remove(publisher) {
                state.lost.push(publisher.to_owned());
            }
        });
    }

    /// Takes the oldest message.
    pub fn take(&self) -> Option<Vec<u8>> {
        let message = self.lock().messages.pop_front();
        self.changed.notify_all();
        message
    }

    /// Publishers that went without a word since the last call.
    pub fn lost(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().lost)
    }

    /// Messages dropped so far.
    pub fn dropped(&self) -> u64 {
        self.lock().dropped
    }

    /// What to do next; the token is used once there is something, if there is nothing yet.
    pub fn next_or(&self, token: impl FnOnce() -> Result<WakeToken>) -> Result<Next> {
        let mut state = self.lock();
        if !state.messages.is_empty() || !state.lost.is_empty() {
            return Ok(Next::Something);
        }
        if state.publishing.is_empty() && !state.ended.is_empty() {
            return Ok(Next::End);
        }
        if state.token.is_none() {
            state.token = Some(token()?);
        }
        Ok(Next::Nothing)
    }

    /// Lets go of everybody who waits for room.
    pub fn close(&self) {
        self.change(|state| state.is_closed = true);
    }
}
