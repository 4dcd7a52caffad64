//! A deliberately naive model of a run under the greedy scheduler, written from the description of
//! GXF's behaviour: it checks every entity in every round, and everything is a vector. The engine
//! must be faster with the same result.

use super::graph::{
    Actor, EVENT_WAITING, Entity, Graph, Period, Policy, Publishing, Queue, Term, first_number,
    first_publisher,
};
use super::{Call, End, Event, Run, Taken};
use std::collections::BTreeSet;

/// `GXF_EXCEEDING_PREALLOCATED_SIZE`, of a queue
const QUEUE_IS_FULL: i32 = 47;
/// `GXF_EXCEEDING_PREALLOCATED_SIZE`, of an allocator
const NO_MEMORY: i32 = 47;
/// `GXF_ARGUMENT_OUT_OF_RANGE`, of a target time before the pending one
const TARGET_IN_THE_PAST: i32 = 8;

/// The position of a message in a queue.
struct Stages {
    queue: Queue,
    main: Vec<Taken>,
    back: Vec<Taken>,
    /// Of a transmitter that holds a message: the receivers that have no room for it.
    owed: Vec<(usize, usize)>,
}

impl Stages {
    fn new(queue: Queue) -> Self {
        Self { queue, main: Vec::new(), back: Vec::new(), owed: Vec::new() }
    }

    fn capacity(&self) -> usize {
        usize::try_from(self.queue.capacity).expect("a small capacity")
    }

    fn len(&self) -> usize {
        self.main.len() + self.back.len()
    }

    /// Whether a sender that keeps what is refused has to keep a message.
    fn refuses(&self) -> bool {
        self.queue.policy == Policy::Fault && self.len() >= self.capacity()
    }

    fn push(&mut self, message: Taken) -> Result<(), i32> {
        if self.back.len() == self.capacity() {
            match self.queue.policy {
                Policy::Pop => _ = self.back.remove(0),
                Policy::Reject => return Ok(()),
                Policy::Fault => return Err(QUEUE_IS_FULL),
            }
        }
        self.back.push(message);
        Ok(())
    }

    fn sync(&mut self) -> Result<(), i32> {
        while self.len() > self.capacity() {
            match self.queue.policy {
                Policy::Pop if !self.main.is_empty() => _ = self.main.remove(0),
                Policy::Pop => _ = self.back.remove(0),
                Policy::Reject => _ = self.back.pop(),
                Policy::Fault => return Err(QUEUE_IS_FULL),
            }
        }
        self.main.append(&mut self.back);
        Ok(())
    }

    fn take(&mut self) -> Option<Taken> {
        if self.main.is_empty() { None } else { Some(self.main.remove(0)) }
    }

    /// The next message to send, from whichever stage it is in.
    fn take_to_send(&mut self) -> Option<Taken> {
        self.take().or_else(|| (!self.back.is_empty()).then(|| self.back.remove(0)))
    }
}

/// Acquisition time of a message that waits for its publication to set it.
const NOT_ACQUIRED: i64 = i64::MIN;

impl Taken {
    /// The message once it is published, if it is published for the first time.
    fn published_at(self, now: i64) -> Self {
        let acquired = if self.acquired == NOT_ACQUIRED { now } else { self.acquired };
        let published = if self.published == 0 { now } else { self.published };
        Self { acquired, published, ..self }
    }
}

/// What a term says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Condition {
    // In the order of precedence.
    Ready,
    WaitTime(i64),
    Wait,
    WaitEvent,
    Never,
}

/// One of two terms suffices: NEVER > READY > WAIT_TIME (the earliest) > WAIT_EVENT > WAIT.
fn one_of(one: Condition, other: Condition) -> Condition {
    use Condition::{Never, Ready, WaitEvent, WaitTime};
    for strongest in [Never, Ready] {
        if one == strongest || other == strongest {
            return strongest;
        }
    }
    match (one, other) {
        (WaitTime(one), WaitTime(other)) => WaitTime(one.min(other)),
        (WaitTime(target), _) | (_, WaitTime(target)) => WaitTime(target),
        (WaitEvent, _) | (_, WaitEvent) => WaitEvent,
        (one, _) => one,
    }
}

/// State of a term.
#[derive(Clone, Copy)]
struct Memory {
    /// Remaining ticks, for Count.
    remaining: i64,
    /// For Periodic: the next tick; `None` before the first.
    period: Option<i64>,
    /// For TargetTime: set, and not checked since.
    pending: Option<i64>,
    /// For TargetTime: the time it waits for.
    locked: Option<i64>,
    /// For Boolean.
    enabled: bool,
    /// For PolledDelay: the next tick.
    delayed: i64,
    /// For FrequencyThrottler: the latest time of the next tick; `None` before the first check.
    deadline: Option<i64>,
    /// For Asynchronous, with GXF's number.
    event: i32,
}

/// An entity while it runs.
struct Running<'a> {
    entity: &'a Entity,
    receivers: Vec<Stages>,
    transmitters: Vec<Stages>,
    memory: Vec<Memory>,
    ticks: u64,
    /// By actor and transmitter.
    published: [Vec<u64>; 2],
    /// Blocks of memory that the entity keeps.
    held: u64,
    /// It sent what it held since the round began.
    sent: bool,
    started: bool,
    ended: bool,
}

/// A run.
struct Reference<'a> {
    graph: &'a Graph,
    entities: Vec<Running<'a>>,
    clock: i64,
    events: Vec<Event>,
}

/// Runs a graph for at most this many rounds and, if given, nanoseconds of its clock. `None` if the
/// run did not end.
#[must_use]
pub fn run(graph: &Graph, max_duration: Option<i64>, rounds: usize) -> Option<Run> {
    let entities = graph.entities.iter().map(Running::new).collect();
    Reference { graph, entities, clock: 0, events: Vec::new() }.run(max_duration, rounds)
}

impl Reference<'_> {
    fn run(mut self, max_duration: Option<i64>, rounds: usize) -> Option<Run> {
        for _ in 0..rounds {
            let now = self.clock;
            if max_duration.is_some_and(|longest| now > longest) {
                return Some(self.ended(End::Finished));
            }
            let mut earliest = None;
            let mut something_ran = false;
            for entity in &mut self.entities {
                entity.sent = false;
            }
            let mut awaits_event = false;
            for number in 0..self.entities.len() {
                if self.entities[number].ended {
                    continue;
                }
                match self.execute(number, now) {
                    Ok(Condition::Ready) => something_ran = true,
                    Ok(Condition::WaitTime(target)) => {
                        earliest = Some(earliest.map_or(target, |known: i64| known.min(target)));
                    }
                    Ok(Condition::Wait) => {}
                    Ok(Condition::WaitEvent) => awaits_event = true,
                    Ok(Condition::Never) => {
                        for actor in 0..self.entities[number].entity.actors().count() {
                            self.note(number, actor, Call::Stop);
                        }
                        self.entities[number].ended = true;
                    }
                    Err(code) => return Some(self.ended(End::Failed(code))),
                }
            }
            if self.entities.iter().all(|entity| entity.ended) {
                return Some(self.ended(End::Finished));
            }
            if something_ran || self.entities.iter().any(|entity| entity.sent) {
                continue;
            }
            match earliest {
                Some(target) => self.clock = self.clock.max(target),
                // Nothing can send the event.
                None if awaits_event => return None,
                None => return Some(self.ended(End::Deadlock)),
            }
        }
        None
    }

    fn ended(self, end: End) -> Run {
        Run { events: self.events, end }
    }

    fn note(&mut self, entity: usize, actor: usize, call: Call) {
        self.events.push(Event { entity, actor, call });
    }

    /// One execution; READY means that the entity started or ticked.
    fn execute(&mut self, number: usize, now: i64) -> Result<Condition, i32> {
        if !self.entities[number].started {
            self.entities[number].started = true;
            let actors = self.entities[number].entity.actors();
            for (place, actor) in actors.enumerate() {
                self.note(number, place, Call::Start { now });
                if let Err(code) = self
                    .publish_new(number, place, actor.publish_at_start, now, &[])
                    .and_then(|()| self.entities[number].fail_if_asked(actor))
                {
                    // The codelets before it started, and are stopped.
                    for before in (0..place).rev() {
                        self.note(number, before, Call::Stop);
                    }
                    return Err(code);
                }
            }
            return Ok(Condition::Ready);
        }
        let holds = self.send_held(number);
        let condition = match self.condition(number, now) {
            // Everything is sent before the entity ends.
            Condition::Never if holds => Condition::Wait,
            Condition::WaitTime(target) if target <= now => Condition::Ready,
            condition => condition,
        };
        if condition != Condition::Ready {
            return Ok(condition);
        }
        for receiver in &mut self.entities[number].receivers {
            receiver.sync()?;
        }
        self.entities[number].ticks += 1;
        for (place, actor) in self.entities[number].entity.actors().enumerate() {
            self.tick(number, place, actor, now)?;
        }
        self.entities[number].on_execute(now);
        self.send(number, now);
        Ok(Condition::Ready)
    }

    fn tick(&mut self, number: usize, place: usize, actor: &Actor, now: i64) -> Result<(), i32> {
        let entity = &mut self.entities[number];
        let take = actor.take;
        let taken: Vec<Vec<Taken>> = entity
            .receivers
            .iter_mut()
            .map(|receiver| (0..take).map_while(|_| receiver.take()).collect())
            .collect();
        self.note(number, place, Call::Tick { now, taken: taken.clone() });
        let taken: Vec<Taken> = taken.into_iter().flatten().collect();
        let entity = &mut self.entities[number];
        if place == 0 && entity.entity.blocks > 0 && !actor.carry {
            if entity.held == entity.entity.blocks {
                return Err(NO_MEMORY);
            }
            entity.held = (entity.held + 1).min(actor.hold);
        }
        match actor.publishing {
            Publishing::Number(count) => self.publish_new(number, place, count, now, &taken)?,
            Publishing::Relay => {
                self.publish_new(number, place, taken.len() as u64, now, &taken)?;
            }
            Publishing::Forward => {
                for transmitter in &mut entity.transmitters {
                    for message in &taken {
                        let again = Taken { acquired: now, published: 0, ..*message };
                        transmitter.push(if actor.stamps { again } else { *message })?;
                    }
                }
            }
        }
        self.clock += actor.sleep;
        if place == 0 {
            let ticks = self.entities[number].ticks;
            self.entities[self.graph.set_by(number)].set_terms(actor, ticks, now)?;
        }
        self.entities[number].fail_if_asked(actor)
    }

    /// Publishes new messages in a call that took these.
    fn publish_new(
        &mut self,
        number: usize,
        actor: usize,
        count: u64,
        now: i64,
        taken: &[Taken],
    ) -> Result<(), i32> {
        let entity = self.entities[number].entity;
        let carries = actor == 0 && entity.actor.carry && entity.blocks > 0;
        let stamps = entity.actors().nth(actor).is_none_or(|actor| actor.stamps);
        for index in 0..entity.transmitters.len() {
            for _ in 0..count {
                if carries && self.carried(number, taken) == entity.blocks {
                    return Err(NO_MEMORY);
                }
                let running = &mut self.entities[number];
                let published = &mut running.published[actor][index];
                let message = first_number(number, actor, index) + *published;
                *published += 1;
                let acquired = if stamps { now } else { NOT_ACQUIRED };
                let message = Taken { number: message, acquired, published: 0 };
                running.transmitters[index].push(message)?;
            }
        }
        Ok(())
    }

    /// Messages of an entity's first actor that still exist: they are in a queue or were just
    /// taken.
    fn carried(&self, number: usize, taken: &[Taken]) -> u64 {
        let entities = self.entities.iter();
        let queues =
            entities.flat_map(|entity| entity.receivers.iter().chain(&entity.transmitters));
        let messages = queues.flat_map(|queue| queue.main.iter().chain(&queue.back)).chain(taken);
        let own = messages.filter(|message| first_publisher(message.number) == Some(number));
        own.map(|message| message.number).collect::<BTreeSet<_>>().len() as u64
    }

    /// The combined condition of an entity's terms.
    fn condition(&mut self, number: usize, now: i64) -> Condition {
        let entity = self.entities[number].entity;
        let (own, all) = (entity.terms.len(), entity.all_terms().count());
        let mut together = Condition::Ready;
        for index in 0..own {
            together = together.max(self.ask(number, index, now));
        }
        let either = (own..all).map(|index| match self.ask(number, index, now) {
            Condition::WaitTime(target) if target <= now => Condition::Ready,
            condition => condition,
        });
        together.max(either.reduce(one_of).unwrap_or(Condition::Ready))
    }

    fn ask(&mut self, number: usize, index: usize, now: i64) -> Condition {
        let entity = &self.entities[number];
        let held = |receiver: &usize| entity.receivers[*receiver].len() as u64;
        let all = 0..entity.receivers.len();
        let memory = entity.memory[index];
        let ready_or_wait = |ready| if ready { Condition::Ready } else { Condition::Wait };
        let ready_or_never = |ready| if ready { Condition::Ready } else { Condition::Never };
        let term = entity.entity.all_terms().nth(index).expect("a term");
        match term {
            Term::Count(_) => ready_or_never(memory.remaining != 0),
            Term::MessageAvailable { receiver, min_size, front_stage_max_size } => {
                let main = entity.receivers[*receiver].main.len() as u64;
                let room = front_stage_max_size.is_none_or(|most| main <= most);
                ready_or_wait(room && held(receiver) >= *min_size)
            }
            Term::SumOfAll { min_sum } => {
                ready_or_wait(all.map(|receiver| held(&receiver)).sum::<u64>() >= *min_sum)
            }
            Term::PerReceiver { min_sizes } => {
                ready_or_wait(all.zip(min_sizes).all(|(receiver, min)| held(&receiver) >= *min))
            }
            Term::DownstreamReceptive { transmitter, min_size } => {
                let targets = self.targets(number, *transmitter);
                if targets.is_empty() {
                    return Condition::Never;
                }
                if !entity.transmitters[*transmitter].owed.is_empty() {
                    return Condition::Wait;
                }
                ready_or_wait(targets.iter().all(|(entity, receiver)| {
                    let queue = &self.entities[*entity].receivers[*receiver];
                    queue.len() as u64 + min_size <= queue.queue.capacity
                }))
            }
            Term::Boolean { .. } => ready_or_never(memory.enabled),
            Term::Periodic { .. } => match memory.period {
                Some(target) if now <= target => Condition::WaitTime(target),
                _ => Condition::Ready,
            },
            Term::PolledDelay { .. } => ready_or_wait(now >= memory.delayed),
            Term::Expiring { receiver, max_batch_size, max_delay } => {
                let queue = &entity.receivers[*receiver];
                let held = i64::try_from(queue.len()).expect("a short queue");
                match queue.main.first().or(queue.back.first()) {
                    None => Condition::Wait,
                    Some(_) if held >= *max_batch_size => Condition::Ready,
                    Some(oldest) if oldest.acquired + max_delay <= now => Condition::Ready,
                    Some(oldest) => Condition::WaitTime(oldest.acquired + max_delay),
                }
            }
            Term::FrequencyThrottler { period, min_sum } => {
                let enough = all.map(|receiver| held(&receiver)).sum::<u64>() >= *min_sum;
                let deadline = memory.deadline.unwrap_or(now + period);
                self.entities[number].memory[index].deadline = Some(deadline);
                match enough || deadline <= now {
                    true => Condition::Ready,
                    false => Condition::WaitTime(deadline),
                }
            }
            // The event comes in any case.
            Term::Asynchronous if entity.entity.actor.awaits => Condition::Ready,
            Term::Asynchronous => match memory.event {
                0 | 3 => Condition::Ready,
                1 => Condition::Wait,
                EVENT_WAITING => Condition::WaitEvent,
                _ => Condition::Never,
            },
            Term::MemoryAvailable { min_blocks } => {
                let carries = entity.entity.actor.carry;
                let in_use = if carries { self.carried(number, &[]) } else { entity.held };
                ready_or_wait(entity.entity.blocks - in_use >= *min_blocks)
            }
            Term::TargetTime => {
                let locked = memory.pending.or(memory.locked);
                let memory = &mut self.entities[number].memory[index];
                (memory.pending, memory.locked) = (None, locked);
                match locked {
                    None => Condition::Wait,
                    Some(target) if target > now => Condition::WaitTime(target),
                    Some(_) => Condition::Ready,
                }
            }
        }
    }

    /// The receivers of a transmitter, each once.
    fn targets(&self, entity: usize, transmitter: usize) -> Vec<(usize, usize)> {
        let mut targets = Vec::new();
        for connection in &self.graph.connections {
            if connection.source == (entity, transmitter) && !targets.contains(&connection.target) {
                targets.push(connection.target);
            }
        }
        targets
    }

    /// Every message that was published goes to every receiver.
    fn send(&mut self, number: usize, now: i64) {
        for transmitter in 0..self.entities[number].transmitters.len() {
            let own = &mut self.entities[number].transmitters[transmitter];
            for message in own.main.iter_mut().chain(&mut own.back) {
                *message = message.published_at(now);
            }
            self.send_from(number, transmitter);
        }
    }

    /// A full receiver loses a message, unless it has policy 2 and the sender a
    /// DownstreamReceptive: then the message stays, and those behind it, until each receiver that
    /// had no room has some.
    fn send_from(&mut self, number: usize, transmitter: usize) {
        let is_careful = self.entities[number].entity.all_terms().any(|term| {
            matches!(term, Term::DownstreamReceptive { transmitter: own, .. } if *own == transmitter)
        });
        while let Some(message) = self.entities[number].transmitters[transmitter].take_to_send() {
            let owed = std::mem::take(&mut self.entities[number].transmitters[transmitter].owed);
            let targets = if owed.is_empty() { self.targets(number, transmitter) } else { owed };
            let mut refused = Vec::new();
            for target in targets {
                let receiver = &mut self.entities[target.0].receivers[target.1];
                if is_careful && receiver.refuses() {
                    refused.push(target);
                } else {
                    let _ = receiver.push(message);
                    self.entities[number].sent = true;
                }
            }
            if !refused.is_empty() {
                let own = &mut self.entities[number].transmitters[transmitter];
                own.owed = refused;
                own.main.insert(0, message);
                return;
            }
        }
    }

    /// Sends what the transmitters of an entity hold. Whether they still hold something.
    fn send_held(&mut self, number: usize) -> bool {
        for transmitter in 0..self.entities[number].transmitters.len() {
            if !self.entities[number].transmitters[transmitter].owed.is_empty() {
                self.send_from(number, transmitter);
            }
        }
        self.entities[number].transmitters.iter().any(|transmitter| !transmitter.owed.is_empty())
    }
}

impl<'a> Running<'a> {
    fn new(entity: &'a Entity) -> Self {
        let stages = |queues: &[Queue]| queues.iter().copied().map(Stages::new).collect();
        let memory = entity.all_terms().map(|term| Memory {
            remaining: if let Term::Count(count) = term { *count } else { 0 },
            period: None,
            pending: Some(0),
            locked: None,
            enabled: *term == Term::Boolean { enable_tick: true },
            delayed: 0,
            deadline: None,
            event: 0,
        });
        Self {
            receivers: stages(&entity.receivers),
            transmitters: stages(&entity.transmitters),
            memory: memory.collect(),
            ticks: 0,
            published: [(); 2].map(|()| vec![0; entity.transmitters.len()]),
            held: 0,
            sent: false,
            started: false,
            ended: false,
            entity,
        }
    }

    /// Sets terms of this entity, as a tick of a first actor of this entity or another one does.
    fn set_terms(&mut self, actor: &Actor, ticks: u64, now: i64) -> Result<(), i32> {
        if let Some(index) = self.entity.target_time() {
            let target = now + actor.distance;
            if self.memory[index].locked.is_some_and(|locked| target < locked) {
                return Err(TARGET_IN_THE_PAST);
            }
            self.memory[index].pending = Some(target);
        }
        if let Some(index) = self.entity.switch() {
            for (at, enabled) in [(actor.switch_off_at, false), (actor.switch_on_at, true)] {
                if at == Some(ticks) {
                    self.memory[index].enabled = enabled;
                }
            }
        }
        if let Some((index, (tick, state))) = self.entity.asynchronous().zip(actor.event)
            && tick == ticks
        {
            self.memory[index].event = state;
        }
        Ok(())
    }

    fn fail_if_asked(&self, actor: &Actor) -> Result<(), i32> {
        match actor.failure {
            Some((tick, code)) if tick == self.ticks => Err(code),
            _ => Ok(()),
        }
    }

    /// Notifies all terms that the entity ticked, including those of a combiner.
    fn on_execute(&mut self, now: i64) {
        for (term, memory) in self.entity.all_terms().zip(&mut self.memory) {
            match term {
                Term::Count(_) => memory.remaining -= i64::from(memory.remaining > 0),
                Term::TargetTime => memory.locked = None,
                Term::PolledDelay { delay } => memory.delayed = now + delay,
                Term::FrequencyThrottler { period, .. } => memory.deadline = Some(now + period),
                Term::Periodic { period, policy } => {
                    memory.period = Some(match (memory.period, policy) {
                        (None, _) | (_, Period::MinTimeBetweenTicks) => now + period,
                        (Some(target), Period::CatchUpMissedTicks) => target + period,
                        (Some(mut target), Period::NoCatchUpMissedTicks) => {
                            while target <= now {
                                target += period;
                            }
                            target
                        }
                    });
                }
                _ => {}
            }
        }
    }
}
