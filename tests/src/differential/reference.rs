//! A deliberately naive model of a run under the greedy scheduler, written from the description of
//! GXF's behaviour: every entity is asked in every round, and everything is a vector. What the engine
//! does faster, it must do with the same result.

use super::graph::{Actor, Entity, Graph, Period, Policy, Publishing, Queue, Term, first_number};
use super::{Call, End, Event, Run, Taken};

/// `GXF_EXCEEDING_PREALLOCATED_SIZE`
const QUEUE_IS_FULL: i32 = 47;

/// Where a message stands in a queue.
struct Stages {
    queue: Queue,
    main: Vec<Taken>,
    back: Vec<Taken>,
}

impl Stages {
    fn new(queue: Queue) -> Self {
        Self { queue, main: Vec::new(), back: Vec::new() }
    }

    fn capacity(&self) -> usize {
        usize::try_from(self.queue.capacity).expect("a small capacity")
    }

    fn len(&self) -> usize {
        self.main.len() + self.back.len()
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
}

/// What a term says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Condition {
    // In the order of precedence.
    Ready,
    WaitTime(i64),
    Wait,
    Never,
}

/// What a term remembers.
#[derive(Clone, Copy)]
struct Memory {
    /// Ticks that are left, for Count.
    remaining: i64,
    /// For Periodic: the next tick; `None` before the first.
    period: Option<i64>,
    /// For TargetTime: set, and not asked for since.
    pending: Option<i64>,
    /// For TargetTime: waited for.
    locked: Option<i64>,
    /// For Boolean.
    enabled: bool,
}

/// An entity while it runs.
struct Running<'a> {
    entity: &'a Entity,
    number: usize,
    receivers: Vec<Stages>,
    transmitters: Vec<Stages>,
    memory: Vec<Memory>,
    ticks: u64,
    published: Vec<u64>,
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

/// Runs a graph for at most this many rounds and, if given, nanoseconds of its clock. `None` when it
/// did not come to an end.
#[must_use]
pub fn run(graph: &Graph, max_duration: Option<i64>, rounds: usize) -> Option<Run> {
    let entities = graph.entities.iter().enumerate();
    let entities = entities.map(|(number, entity)| Running::new(number, entity)).collect();
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
                    Ok(Condition::Never) => {
                        self.note(number, Call::Stop);
                        self.entities[number].ended = true;
                    }
                    Err(code) => return Some(self.ended(End::Failed(code))),
                }
            }
            if self.entities.iter().all(|entity| entity.ended) {
                return Some(self.ended(End::Finished));
            }
            if something_ran {
                continue;
            }
            match earliest {
                Some(target) => self.clock = self.clock.max(target),
                None => return Some(self.ended(End::Deadlock)),
            }
        }
        None
    }

    fn ended(self, end: End) -> Run {
        Run { events: self.events, end }
    }

    fn note(&mut self, entity: usize, call: Call) {
        self.events.push(Event { entity, call });
    }

    /// One execution; READY says that it was started or ticked.
    fn execute(&mut self, number: usize, now: i64) -> Result<Condition, i32> {
        if !self.entities[number].started {
            self.note(number, Call::Start { now });
            let entity = &mut self.entities[number];
            entity.started = true;
            entity.publish_new(entity.entity.actor.publish_at_start, now)?;
            entity.fail_if_asked()?;
            return Ok(Condition::Ready);
        }
        let condition = match self.condition(number, now) {
            Condition::WaitTime(target) if target <= now => Condition::Ready,
            condition => condition,
        };
        if condition != Condition::Ready {
            return Ok(condition);
        }
        for receiver in &mut self.entities[number].receivers {
            receiver.sync()?;
        }
        self.tick(number, now)?;
        self.entities[number].on_execute(now);
        self.send(number);
        Ok(Condition::Ready)
    }

    fn tick(&mut self, number: usize, now: i64) -> Result<(), i32> {
        let entity = &mut self.entities[number];
        let Actor { take, publishing, sleep, distance, switch_off_at, .. } = entity.entity.actor;
        entity.ticks += 1;
        let taken: Vec<Vec<Taken>> = entity
            .receivers
            .iter_mut()
            .map(|receiver| (0..take).map_while(|_| receiver.take()).collect())
            .collect();
        self.note(number, Call::Tick { now, taken: taken.clone() });
        let taken: Vec<Taken> = taken.into_iter().flatten().collect();
        let entity = &mut self.entities[number];
        match publishing {
            Publishing::Number(count) => entity.publish_new(count, now)?,
            Publishing::Relay => entity.publish_new(taken.len() as u64, now)?,
            Publishing::Forward => {
                for transmitter in &mut entity.transmitters {
                    for message in &taken {
                        transmitter.push(Taken { number: message.number, acquired: now })?;
                    }
                }
            }
        }
        self.clock += sleep;
        for (term, memory) in entity.entity.terms.iter().zip(&mut entity.memory) {
            if *term == Term::TargetTime {
                memory.pending = Some(now + distance);
                break;
            }
        }
        if let Some(switch) = entity.entity.switch()
            && switch_off_at == Some(entity.ticks)
        {
            entity.memory[switch].enabled = false;
        }
        entity.fail_if_asked()
    }

    /// All terms of an entity together.
    fn condition(&mut self, number: usize, now: i64) -> Condition {
        let terms = 0..self.entities[number].entity.terms.len();
        let conditions = terms.map(|index| self.ask(number, index, now));
        conditions.max().unwrap_or(Condition::Ready)
    }

    fn ask(&mut self, number: usize, index: usize, now: i64) -> Condition {
        let entity = &self.entities[number];
        let held = |receiver: &usize| entity.receivers[*receiver].len() as u64;
        let all = 0..entity.receivers.len();
        let memory = entity.memory[index];
        let ready_or_wait = |ready| if ready { Condition::Ready } else { Condition::Wait };
        let ready_or_never = |ready| if ready { Condition::Ready } else { Condition::Never };
        match &entity.entity.terms[index] {
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

    /// The receivers of a transmitter.
    fn targets(&self, entity: usize, transmitter: usize) -> Vec<(usize, usize)> {
        let connections = self.graph.connections.iter();
        let from = connections.filter(|connection| connection.source == (entity, transmitter));
        from.map(|connection| connection.target).collect()
    }

    /// Every message that was published goes to every receiver; a full one loses it.
    fn send(&mut self, number: usize) {
        for transmitter in 0..self.entities[number].transmitters.len() {
            let messages =
                std::mem::take(&mut self.entities[number].transmitters[transmitter].back);
            for message in messages {
                for (entity, receiver) in self.targets(number, transmitter) {
                    let _ = self.entities[entity].receivers[receiver].push(message);
                }
            }
        }
    }
}

impl<'a> Running<'a> {
    fn new(number: usize, entity: &'a Entity) -> Self {
        let stages = |queues: &[Queue]| queues.iter().copied().map(Stages::new).collect();
        let memory = entity.terms.iter().map(|term| Memory {
            remaining: if let Term::Count(count) = term { *count } else { 0 },
            period: None,
            pending: Some(0),
            locked: None,
            enabled: *term == Term::Boolean { enable_tick: true },
        });
        Self {
            number,
            receivers: stages(&entity.receivers),
            transmitters: stages(&entity.transmitters),
            memory: memory.collect(),
            ticks: 0,
            published: vec![0; entity.transmitters.len()],
            started: false,
            ended: false,
            entity,
        }
    }

    fn publish_new(&mut self, count: u64, now: i64) -> Result<(), i32> {
        for (index, transmitter) in self.transmitters.iter_mut().enumerate() {
            for _ in 0..count {
                let number = first_number(self.number, index) + self.published[index];
                self.published[index] += 1;
                transmitter.push(Taken { number, acquired: now })?;
            }
        }
        Ok(())
    }

    fn fail_if_asked(&self) -> Result<(), i32> {
        match self.entity.actor.failure {
            Some((tick, code)) if tick == self.ticks => Err(code),
            _ => Ok(()),
        }
    }

    /// Tells the terms that the entity ticked.
    fn on_execute(&mut self, now: i64) {
        for (term, memory) in self.entity.terms.iter().zip(&mut self.memory) {
            match term {
                Term::Count(_) => memory.remaining -= i64::from(memory.remaining > 0),
                Term::TargetTime => memory.locked = None,
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
