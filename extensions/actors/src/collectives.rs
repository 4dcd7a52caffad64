//! `AllReduce`, `AllGather` and `Broadcast`.

use crate::executor::{Action, Agreement, Token, Uneven};
use crate::many_to_one::joined;
use crate::own_term::{OwnTerm, own_term};
use crate::sum::{Operation, Sum};
use gxe_columns::{bad_data, has_message, is_only_end};
use gxf::prelude::*;
use gxf::{ContextHandle, Link, LinkState, SharedCodelet};
use std::cell::Cell;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The links of a process on the ring.
struct Ring {
    next: Handle<Transmitter>,
    next_link: Handle<Link>,
    previous: Handle<Receiver>,
    previous_link: Handle<Link>,
}

/// What a member needs between its start and its end.
#[derive(Default)]
pub struct Membership(Mutex<Option<Member>>);

struct Member {
    token: Token,
    ring: Option<Ring>,
    name: String,
    /// Whether its receiver gets nothing more.
    input_ended: Cell<bool>,
}

/// The parameters of a member.
struct Parameters<'a> {
    input: Option<&'a Handle<Receiver>>,
    output: &'a Handle<Transmitter>,
    agreement: Agreement,
    member: u64,
    processes: u64,
    rank: Option<u64>,
    next: Option<&'a Handle<Transmitter>>,
    previous: Option<&'a Handle<Receiver>>,
}

impl Membership {
    fn lock(&self) -> MutexGuard<'_, Option<Member>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Becomes a member.
    fn begin(&self, parameters: Parameters<'_>, handle: ContextHandle) -> Result<()> {
        let Parameters { agreement, member, processes, rank, next, previous, .. } = parameters;
        let name = agreement.name.clone();
        let ring = match (next, previous) {
            (Some(next), Some(previous)) => Some(Ring {
                next_link: handle.resolve(next.cid())?,
                next: next.clone(),
                previous_link: handle.resolve(previous.cid())?,
                previous: previous.clone(),
            }),
            _ => None,
        };
        let token = Token::new(handle, agreement, member, processes, rank)?;
        *self.lock() = Some(Member { token, ring, name, input_ended: Cell::new(false) });
        Ok(())
    }

    fn end(&self) {
        *self.lock() = None;
    }

    /// The receiver gets nothing more.
    fn input_ended(&self) {
        if let Some(member) = &*self.lock() {
            member.input_ended.set(true);
        }
    }

    fn condition(&self, input: Option<&Handle<Receiver>>) -> ConditionType {
        let member = self.lock();
        let Some(member) = &*member else { return ConditionType::NEVER };
        member.end_with(input);
        if member.token.is_over() {
            return ConditionType::NEVER;
        }
        if member.can_act(input) {
            return ConditionType::READY;
        }
        let is_open = |link: &Link| link.state() != LinkState::ENDED;
        let awaits_link = |ring: &Ring| {
            let sends = member.token.has_outgoing() && is_open(&ring.next_link);
            sends || member.token.awaits_others() && is_open(&ring.previous_link)
        };
        match member.ring.as_ref().is_some_and(awaits_link) {
            true => ConditionType::WAIT_EVENT,
            false => ConditionType::WAIT,
        }
    }

    fn tick(
        &self,
        input: Option<&Handle<Receiver>>,
        output: &Handle<Transmitter>,
        context: &TickContext,
        result: impl FnOnce(&[Message], &TickContext) -> Result<Message>,
    ) -> Result<()> {
        let member = self.lock();
        let Some(member) = &*member else { return Ok(()) };
        if member.token.may_contribute()
            && let Some(message) = input.map(|input| input.try_receive()).transpose()?.flatten()
        {
            member.token.contribute(message);
        }
        if member.send(context)? {
            // It leaves with this tick, which must not fail: others find the same reason by it.
            return Ok(());
        }
        member.receive()?;
        if member.token.has_outgoing() && member.send(context)? {
            return Ok(());
        }
        if member.token.is_complete() {
            let Some((call, messages)) = member.token.take() else { return Ok(()) };
            let result = uneven_end(&messages)
                .map_or_else(|| result(&messages, context), |text| Err(bad_data(text)));
            let result = result.map_err(|error| {
                error.context(format!("call {call} of collective `{}`", member.name))
            })?;
            return output.publish(result, context.now());
        }
        match member.broken() {
            Some(text) => Err(bad_data(text)),
            None => Ok(()),
        }
    }

    fn start(&self) -> Result<()> {
        if let Some(member) = &*self.lock() {
            member.token.start();
        }
        Ok(())
    }

    /// After a run: says what is missing, and that this process sends nothing more.
    fn stop(&self) -> Result<()> {
        let member = self.lock();
        let Some(member) = &*member else { return Ok(()) };
        if let Some((call, missing)) = member.token.lacks() {
            let name = &member.name;
            gxf::warning!("{}", incomplete(call, name, &missing));
        }
        member.input_ended.set(false);
        member.token.stop();
        match &member.ring {
            Some(ring) => ring.next_link.finish(),
            None => Ok(()),
        }
    }
}

/// That some members contributed no more than the end of their streams, and others more.
fn uneven_end(messages: &[Message]) -> Option<String> {
    let ended = messages.iter().position(is_only_end)?;
    let other = messages.iter().position(|message| !is_only_end(message))?;
    Some(format!("the stream of member {ended} ended, and member {other} sent a message"))
}

fn incomplete(call: u64, name: &str, missing: &[u64]) -> String {
    let missing: Vec<String> = missing.iter().map(u64::to_string).collect();
    let noun = if missing.len() == 1 { "member" } else { "members" };
    format!(
        "call {call} of collective `{name}` is not complete: {noun} {} sent nothing",
        missing.join(", ")
    )
}

impl Member {
    fn can_act(&self, input: Option<&Handle<Receiver>>) -> bool {
        let token = &self.token;
        let moves = |ring: &Ring| {
            let sends = token.has_outgoing() && ring.next_link.room() > 0;
            sends || token.has_room() && has_message(&ring.previous)
        };
        token.is_complete()
            || self.ring.as_ref().is_some_and(moves)
            || token.may_contribute() && input.is_some_and(|input| has_message(input))
            || self.broken().is_some()
    }

    /// Says that the member contributes nothing more, once it has taken all messages of its input.
    fn end_with(&self, input: Option<&Handle<Receiver>>) {
        let has_ended = self.input_ended.get() && !input.is_some_and(|input| has_message(input));
        if has_ended && !self.token.has_ended() {
            self.token.end();
        }
    }

    /// What members here wait for, if it cannot come any more.
    fn broken(&self) -> Option<String> {
        if let Some(Uneven { call, ended, other }) = self.token.uneven() {
            let name = &self.name;
            return Some(format!(
                "collective `{name}`: {ended} ended before call {call}, to which {other} contributed"
            ));
        }
        let ring = self.ring.as_ref()?;
        if ring.previous_link.state() != LinkState::ENDED || has_message(&ring.previous) {
            return None;
        }
        let (call, missing) = self.token.lacks()?;
        let text = incomplete(call, &self.name, &missing);
        Some(format!("{text} before the rank before this one ended"))
    }

    /// Takes what other processes contributed.
    fn receive(&self) -> Result<()> {
        let Some(ring) = &self.ring else { return Ok(()) };
        while self.token.has_room() {
            let Some(message) = ring.previous.try_receive()? else { break };
            let received = self.token.receive(message);
            received.map_err(|error| error.context(format!("collective `{}`", self.name)))?;
        }
        Ok(())
    }

    /// Passes on what there is room for. Returns whether there was anything.
    fn send(&self, context: &TickContext) -> Result<bool> {
        let Some(ring) = &self.ring else { return Ok(false) };
        let mut has_sent = false;
        for _ in 0..ring.next_link.room() {
            let Some(message) = self.token.next_outgoing(context)? else { break };
            ring.next.publish_as_is(message)?;
            has_sent = true;
        }
        Ok(has_sent)
    }
}

/// Checks the parameters that all members have.
fn check(parameters: &Parameters<'_>) -> Result<()> {
    let Parameters { agreement, member, processes, next, previous, .. } = parameters;
    let invalid = |text: String| Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text));
    let members = agreement.members;
    if *member >= members {
        return invalid(format!("`member` is {member}, and members are 0 to {}", members - 1));
    }
    if let Action::Broadcast(root) = agreement.action
        && root >= members
    {
        return invalid(format!("`root` is {root}, and members are 0 to {}", members - 1));
    }
    if [next.is_some(), previous.is_some()] != [*processes > 1; 2] {
        return invalid("`next` and `previous` are for several `processes`".to_owned());
    }
    Ok(())
}

macro_rules! collective {
    (
        $(#[$meaning:meta])* $type:ident { $($own:tt)* },
        $agrees:expr, $input:expr, $result:expr
    ) => {
        $(#[$meaning])*
        #[derive(Component, Default)]
        #[component(lifecycle)]
        pub struct $type {
            $($own)*
            /// Name of the collective.
            collective: Parameter<String>,
            /// Number of this member, from 0.
            member: Parameter<u64>,
            /// Number of members of all processes.
            #[parameter(minimum = 1, maximum = 65536)]
            members: Parameter<u64>,
            /// Processes with members.
            #[parameter(default = 1, minimum = 1)]
            processes: Parameter<u64>,
            /// Number of this process, for messages.
            rank: Parameter<Option<u64>>,
            /// Transmitter of a link to the next process, in one member of each process.
            next: Parameter<Option<Handle<Transmitter>>>,
            /// Receiver of a link from the previous process, in the same member.
            previous: Parameter<Option<Handle<Receiver>>>,
            membership: Membership,
        }

        impl $type {
            fn parameters(&self) -> Parameters<'_> {
                let action: fn(&Self) -> Action = $agrees;
                let input: fn(&Self) -> Option<&Handle<Receiver>> = $input;
                Parameters {
                    input: input(self),
                    output: &self.output,
                    agreement: Agreement {
                        name: self.collective.get().clone(),
                        action: action(self),
                        members: *self.members,
                    },
                    member: *self.member,
                    processes: *self.processes,
                    rank: *self.rank.get(),
                    next: self.next.get().as_ref(),
                    previous: self.previous.get().as_ref(),
                }
            }
        }

        impl Lifecycle for $type {
            fn check_parameters(&self) -> Result<()> {
                check(&self.parameters())
            }

            fn initialize(&self, context: &ComponentContext) -> Result<()> {
                self.membership.begin(self.parameters(), context.handle())
            }

            fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
                self.membership.end();
                Ok(())
            }
        }

        impl SharedCodelet for $type {
            fn tick(&self, context: &TickContext) -> Result<()> {
                let result: fn(&Self, &[Message], &TickContext) -> Result<Message> = $result;
                let Parameters { input, output, .. } = self.parameters();
                self.membership.tick(input, output, context, |messages, context| {
                    result(self, messages, context)
                })
            }

            fn start(&self, _context: &TickContext) -> Result<()> {
                self.membership.start()
            }

            fn stop(&self, _context: &TickContext) -> Result<()> {
                self.membership.stop()
            }
        }

        impl gxf::implement::EndOfInputs for $type {
            fn inputs_ended(&self) -> Result<()> {
                self.membership.input_ended();
                Ok(())
            }
        }

        impl OwnTerm for $type {
            fn condition(&self) -> ConditionType {
                self.membership.condition(self.parameters().input)
            }

            // Asked before defaults are set, so it reads no other parameter.
            fn receivers(&self, each: &mut dyn FnMut(&Handle<Receiver>)) {
                let input: fn(&Self) -> Option<&Handle<Receiver>> = $input;
                input(self).into_iter().for_each(each);
            }
        }
        own_term!($type);
    };
}

collective! {
    /// Publishes, for one message of each member of a collective, their sum, maximum or minimum,
    /// payload by payload and in the order of the members, so that all members get the same.
    /// Payloads are those of `gxe::actors::Accumulate`. Members are entities of one process, of
    /// several, or both: `gxe plan --split` adds the links. It is its own scheduling term.
    AllReduce {
        /// Receiver for the messages of this member.
        input: Parameter<Handle<Receiver>>,
        /// Transmitter for the results.
        output: Parameter<Handle<Transmitter>>,
        /// What is made of the messages.
        #[parameter(default = Operation::Sum)]
        operation: Parameter<Operation>,
    },
    |member| Action::Reduce(*member.operation),
    |member| Some(&member.input),
    |member, messages, context| {
        let mut sum = Sum::with(*member.operation);
        for (message, number) in messages.iter().zip(0..) {
            sum.add(message).map_err(|error| error.context(format!("member {number}")))?;
        }
        sum.take(context)
    }
}

collective! {
    /// Publishes, for one message of each member of a collective, one with the tensors of all, one
    /// behind the other in the first dimension and in the order of the members. Other payloads
    /// are those of member 0. Members are as in `gxe::actors::AllReduce`. It is its own scheduling
    /// term.
    AllGather {
        /// Receiver for the messages of this member.
        #[parameter(carries = Tensor)]
        input: Parameter<Handle<Receiver>>,
        /// Transmitter for the results.
        #[parameter(carries = Tensor)]
        output: Parameter<Handle<Transmitter>>,
    },
    |_| Action::Gather,
    |member| Some(&member.input),
    |_, messages, context| joined(messages, context)
}

collective! {
    /// Publishes the messages of one member of a collective at all of them. Members are as in
    /// `gxe::actors::AllReduce`. It is its own scheduling term.
    Broadcast {
        /// Receiver for the messages, of the member that has them.
        input: Parameter<Option<Handle<Receiver>>>,
        /// Transmitter for the messages.
        output: Parameter<Handle<Transmitter>>,
        /// Number of the member that has the messages.
        #[parameter(default = 0)]
        root: Parameter<u64>,
    },
    |member| Action::Broadcast(*member.root),
    |member| member.input.get().as_ref(),
    |_, messages, _| messages.first().cloned().ok_or_else(|| bad_data("no message"))
}
