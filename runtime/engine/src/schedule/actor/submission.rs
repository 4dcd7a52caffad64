//! Actors whose acts end with the work that they submit.
//!
//! The tick of such an actor only submits work, to a device or to threads of an extension. What it
//! published is sent, and what it took is acknowledged, when the `gxe::Completion` that the plan
//! names says that the work is done. Meanwhile the actor goes on acting; the credits of its
//! registers, which stay out as long, bound how many of its acts are under way.
//!
//! All its registers with credits go through [`Post`], those within its thread, too, and it uses them
//! through a [`Courier`] of its own, which keeps what an act sends. The instances of its control registers
//! wait with that. The acts are over in their order.

use super::control::Controls;
use super::post::Post;
use crate::entity::register::{Courier, Register};
use gxf_app::error::{Error, Result};
use gxf_app::escape::one_line;
use gxf_plugin::component::Interface;
use gxf_plugin::wake_token::{Token, Wakes};
use gxf_plugin_abi::Uid;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

/// What an actor submits, and what it sends when that is done.
pub(super) struct Submission {
    actor: u32,
    /// Name of the actor's entity.
    entity: String,
    completion: Interface<gxf::Completion>,
    post: Arc<Post>,
    controls: Arc<Controls>,
    /// Only the actor's thread uses it, and during a pause the one that steps.
    acts: Mutex<Acts>,
}

#[derive(Default)]
struct Acts {
    /// What the act that is not sealed yet has sent.
    current: Vec<Parcel>,
    /// Those whose work is not known to be done, in order.
    under_way: VecDeque<Act>,
    /// Lists to use again.
    spare: Vec<Vec<Parcel>>,
    /// Whether the actor never acts again.
    is_over: bool,
}

struct Act {
    parcels: Vec<Parcel>,
    done: Arc<Token>,
}

/// What an act sends when it is over.
enum Parcel {
    Message {
        register: u32,
        message: gxf::Message,
    },
    Credits {
        register: u32,
        instances: u32,
    },
    /// The instances of its control registers.
    Controls,
}

impl Submission {
    pub fn new(
        actor: u32,
        entity: &str,
        completion: Interface<gxf::Completion>,
        post: Arc<Post>,
        controls: Arc<Controls>,
    ) -> Self {
        let (entity, acts) = (entity.to_owned(), Mutex::default());
        Self { actor, entity, completion, post, controls, acts }
    }

    /// The act that the actor just made sends the instances of its control registers.
    pub fn send_controls(&self) {
        self.acts.lock().current.push(Parcel::Controls);
    }

    /// The act that the actor just made ends with the work that is submitted now. `under_way` counts
    /// the actors that have acts under way.
    ///
    /// # Errors
    /// The work failed.
    pub fn seal(self: &Arc<Self>, under_way: &AtomicUsize) -> Result<()> {
        let mut acts = self.acts.lock();
        if acts.current.is_empty() {
            return Ok(());
        }
        if self.is_done()? && acts.under_way.is_empty() {
            let mut parcels = std::mem::take(&mut acts.current);
            self.send(&mut parcels);
            acts.current = parcels;
            return Ok(());
        }
        let waker: Weak<Self> = Arc::downgrade(self);
        let done = Arc::new(Token::new(waker, self.completion.component().eid()));
        let token = done.reference();
        let notified = self.completion.call("notify of the completion", |one| one.notify(token));
        notified.map_err(|error| self.failed(error))?;
        let spare = acts.spare.pop().unwrap_or_default();
        let parcels = std::mem::replace(&mut acts.current, spare);
        if acts.under_way.is_empty() {
            under_way.fetch_add(1, Ordering::AcqRel);
        }
        acts.under_way.push_back(Act { parcels, done });
        Ok(())
    }

    /// Sends what the acts send whose work is done. Returns whether none is under way.
    ///
    /// # Errors
    /// The work failed.
    pub fn release(&self, under_way: &AtomicUsize) -> Result<bool> {
        let mut acts = self.acts.lock();
        if acts.under_way.is_empty() {
            return Ok(true);
        }
        if acts.under_way.front().is_some_and(|act| act.done.is_used()) {
            self.is_done()?;
        }
        while let Some(act) = acts.under_way.pop_front_if(|act| act.done.is_used()) {
            let mut parcels = act.parcels;
            self.send(&mut parcels);
            acts.spare.push(parcels);
        }
        if acts.under_way.is_empty() {
            under_way.fetch_sub(1, Ordering::AcqRel);
        }
        Ok(acts.under_way.is_empty())
    }

    /// Whether acts are under way.
    pub fn is_under_way(&self) -> bool {
        !self.acts.lock().under_way.is_empty()
    }

    /// Whether the work of an act is not done.
    pub fn is_busy(&self) -> bool {
        self.acts.lock().under_way.iter().any(|act| !act.done.is_used())
    }

    /// The actor never acts again. Returns whether it ends later, because acts are under way.
    pub fn ends_later(&self) -> bool {
        let mut acts = self.acts.lock();
        acts.is_over = !acts.under_way.is_empty();
        acts.is_over
    }

    /// Whether the actor that was to end later ends now.
    pub fn ends_now(&self) -> bool {
        let mut acts = self.acts.lock();
        acts.under_way.is_empty() && std::mem::take(&mut acts.is_over)
    }

    /// After the run: what was not sent never is, and its instances go home.
    pub fn abandon(&self) {
        let mut acts = self.acts.lock();
        let mut parcels = std::mem::take(&mut acts.current);
        parcels.extend(acts.under_way.drain(..).flat_map(|act| act.parcels));
        for parcel in parcels {
            match parcel {
                Parcel::Message { register, message: _ } => self.register(register).come_home(1),
                Parcel::Credits { register, instances } => {
                    self.post.give_back(self.register(register), instances);
                }
                // Nobody acts with them any more.
                Parcel::Controls => {}
            }
        }
    }

    fn register(&self, number: u32) -> &Register {
        &self.post.registers()[number as usize]
    }

    fn send(&self, parcels: &mut Vec<Parcel>) {
        for parcel in parcels.drain(..) {
            match parcel {
                Parcel::Message { register, message } => {
                    self.post.deliver(self.register(register), message);
                }
                Parcel::Credits { register, instances } => {
                    self.post.give_back(self.register(register), instances);
                }
                Parcel::Controls => {
                    self.controls.acted(self.actor, |other| self.post.post_event(other));
                }
            }
        }
    }

    fn is_done(&self) -> Result<bool> {
        let done = self.completion.call("poll of the completion", |completion| completion.poll());
        done.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: gxf::Error) -> Error {
        let (entity, code) = (one_line(&self.entity), error.code());
        let text = format!("the work that entity `{entity}` submitted failed with {code}");
        Error::new(code, text).caused_by(error)
    }
}

/// Keeps what an act sends until it is over.
impl Courier for Submission {
    fn deliver(&self, register: &Register, message: gxf::Message) {
        let register = register.number;
        self.acts.lock().current.push(Parcel::Message { register, message });
    }

    fn give_back(&self, register: &Register, instances: u32) {
        let register = register.number;
        self.acts.lock().current.push(Parcel::Credits { register, instances });
    }
}

impl Wakes for Submission {
    fn wake(&self, _: Uid) {
        self.post.post_event(self.actor);
    }
}
