//! Who wakes whom, and what each entity's runner consists of, worked out once at activation.

use crate::entity::mail::{Inbox, Mailslot, Outbox, Sender, Target, TargetQueue};
use crate::entity::store::Entity;
use crate::entity::term::Term;
use crate::entity::work::Parts;
use crate::message::queue::DoubleBufferReceiver;
use crate::message::router::Routes;
use crate::plugin::component::{Component, FromComponent, Interface};
use crate::schedule::terms::{DownstreamReceptiveSchedulingTerm, MessageAvailableSchedulingTerm};
use gxf::{Receiver, SchedulingTerm, SchedulingTermCombiner, Transmitter};
use gxf_plugin_abi::{TYPE_TERM_ANNOUNCES, Uid, tids};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

pub(crate) fn interfaces<'a, T: FromComponent>(
    entities: impl Iterator<Item = &'a Arc<Entity>>,
) -> Vec<Interface<T>> {
    entities
        .flat_map(|entity| entity.components().to_vec())
        .filter_map(|component| T::from_component(&component))
        .collect()
}

/// Who wakes whom, worked out once at activation.
pub(crate) struct Plan {
    /// Numbers of the entities that have codelets.
    pub numbers: FxHashMap<Uid, u32>,
    /// By receiver: entities to wake when a message arrives.
    pub on_arrival: FxHashMap<Uid, Vec<u32>>,
    /// By receiver: entities to wake when room was made.
    on_room: FxHashMap<Uid, Vec<u32>>,
    /// By receiver: the most room one of these waits for.
    wanted_room: FxHashMap<Uid, usize>,
    /// By receiver: its queue.
    queues: FxHashMap<Uid, Interface<gxf::Queue>>,
    /// By receiver: its entity.
    owners: FxHashMap<Uid, Arc<Entity>>,
    /// By transmitter: the receivers it leads to.
    targets: FxHashMap<Uid, Vec<Interface<gxf::Queue>>>,
}

fn add_once(list: &mut Vec<u32>, number: u32) {
    if !list.contains(&number) {
        list.push(number);
    }
}

/// The combiners of an entity, and the terms they own.
fn combiners_of(
    components: &[Arc<Component>],
) -> (Vec<Interface<SchedulingTermCombiner>>, FxHashSet<Uid>) {
    let combiners: Vec<Interface<SchedulingTermCombiner>> =
        components.iter().filter_map(SchedulingTermCombiner::from_component).collect();
    let mut owned = FxHashSet::default();
    for combiner in &combiners {
        combiner.terms(&mut |cid| {
            owned.insert(cid);
        });
    }
    (combiners, owned)
}

impl Plan {
    /// Entities that have a runner keep its number, others get one from `reserve`.
    pub fn new(
        entities: &[Arc<Entity>],
        routes: &Routes,
        mut reserve: impl FnMut() -> u32,
    ) -> Self {
        let mut plan = Self {
            numbers: FxHashMap::default(),
            on_arrival: FxHashMap::default(),
            on_room: FxHashMap::default(),
            wanted_room: FxHashMap::default(),
            queues: FxHashMap::default(),
            owners: FxHashMap::default(),
            targets: FxHashMap::default(),
        };
        for entity in entities {
            let components = entity.components();
            let runs = components.iter().any(|component| component.is_a(tids::CODELET));
            let known = entity.runner.read().as_ref().map(|runner| runner.number);
            let number = if runs { known.unwrap_or_else(&mut reserve) } else { u32::MAX };
            if runs {
                plan.numbers.insert(entity.eid(), number);
            }
            let (_, owned) = combiners_of(&components);
            for component in components.iter() {
                if component.is_a(tids::RECEIVER)
                    && let Some(queue) = gxf::Queue::from_component(component)
                {
                    plan.queues.insert(component.cid(), queue);
                    plan.owners.insert(component.cid(), entity.clone());
                    if runs {
                        add_once(plan.on_arrival.entry(component.cid()).or_default(), number);
                    }
                }
                let Some(term) = SchedulingTerm::from_component(component).filter(|_| runs) else {
                    continue;
                };
                // Another term may want any room there is, and one that is asked through the border
                // sees the two stages of a queue one after the other.
                let wanted = component
                    .native::<DownstreamReceptiveSchedulingTerm>()
                    .filter(|_| !owned.contains(&component.cid()))
                    .map_or(usize::MAX, |term| term.wanted());
                term.watched(&mut |cid| {
                    add_once(plan.on_arrival.entry(cid).or_default(), number);
                    for receiver in routes.receivers(cid) {
                        add_once(plan.on_room.entry(*receiver).or_default(), number);
                        let most = plan.wanted_room.entry(*receiver).or_default();
                        *most = wanted.max(*most);
                    }
                });
            }
        }
        for entity in entities {
            for component in entity.components().iter() {
                let receivers = routes.receivers(component.cid());
                if !receivers.is_empty() {
                    let reached = receivers.iter().filter_map(|cid| plan.queues.get(cid).cloned());
                    let reached = reached.collect();
                    plan.targets.insert(component.cid(), reached);
                }
            }
        }
        plan
    }

    /// What the entity consists of. Its terms get to know the receivers behind its transmitters.
    pub fn parts(
        &self,
        entity: &Entity,
        monitors: Arc<[Interface<gxf::Monitor>]>,
        routers: &[Interface<gxf::Router>],
    ) -> Parts {
        let components = entity.components();
        for component in components.iter() {
            if let Some(term) = component.native::<DownstreamReceptiveSchedulingTerm>() {
                term.lead_to(self.behind(term.transmitter()));
            }
        }
        let (combiners, owned) = combiners_of(&components);
        let terms = components.iter().filter(|component| !owned.contains(&component.cid()));
        let must_be_polled = |component: &&Arc<Component>| {
            let info = component.type_info();
            (info.is_a(tids::SCHEDULING_TERM) || info.is_a(tids::SCHEDULING_TERM_COMBINER))
                && info.flags & TYPE_TERM_ANNOUNCES == 0
        };
        Parts {
            polled: components.iter().find(must_be_polled).is_some(),
            codelets: components.iter().filter_map(Component::codelet).collect(),
            terms: terms.filter_map(|component| self.term(component)).collect(),
            combiners,
            inbox: components.iter().filter_map(|component| self.inbox(component)).collect(),
            outbox: components.iter().filter_map(|one| self.outbox(entity, one)).collect(),
            routers: routers.to_vec(),
            controller: components.iter().find_map(gxf::Controller::from_component),
            monitors,
        }
    }

    /// A term, past the border where it and the queues it looks at are our own.
    fn term(&self, component: &Arc<Component>) -> Option<Term> {
        let own = |cid: Uid| self.queues.get(&cid)?.component().native::<DoubleBufferReceiver>();
        if let Some(term) = component.native::<MessageAvailableSchedulingTerm>()
            && let Some(queue) = own(term.receiver())
        {
            return Some(Term::Messages(term, queue));
        }
        if let Some(term) = component.native::<DownstreamReceptiveSchedulingTerm>() {
            let queues: Option<Vec<_>> = self
                .behind(term.transmitter())
                .iter()
                .map(|queue| own(queue.component().cid()))
                .collect();
            if let Some(queues) = queues {
                return Some(Term::Room(term, queues));
            }
        }
        SchedulingTerm::from_component(component).map(Term::Other)
    }

    /// The queues a transmitter leads to.
    fn behind(&self, transmitter: Uid) -> &[Interface<gxf::Queue>] {
        self.targets.get(&transmitter).map_or(&[], Vec::as_slice)
    }

    fn inbox(&self, component: &Arc<Component>) -> Option<Inbox> {
        let receiver = match component.native() {
            Some(own) => Mailslot::Own(own),
            None => Mailslot::Other(Receiver::from_component(component)?),
        };
        let senders = self.on_room.get(&component.cid()).cloned().unwrap_or_default();
        let wanted_room = self.wanted_room.get(&component.cid()).copied().unwrap_or_default();
        Some(Inbox { receiver, senders, wanted_room, before: 0, dropped: false })
    }

    fn outbox(&self, entity: &Entity, component: &Arc<Component>) -> Option<Outbox> {
        let transmitter = match component.native() {
            Some(own) => Sender::Own(own),
            None => Sender::Other(Transmitter::from_component(component)?),
        };
        let queues = self.behind(component.cid());
        let place = |entity: &str, component: &Component| format!("{entity}/{}", component.label());
        let targets = queues.iter().map(|queue| Target {
            from: place(entity.name(), component).into(),
            to: {
                let owner = self.owners.get(&queue.component().cid());
                place(owner.map_or("", |owner| owner.name()), queue.component()).into()
            },
            wake: self.on_arrival.get(&queue.component().cid()).cloned().unwrap_or_default(),
            queue: match queue.component().native() {
                Some(own) => TargetQueue::Own(own),
                None => TargetQueue::Other(queue.clone()),
            },
            lost: 0,
        });
        Some(Outbox { transmitter, targets: targets.collect() })
    }
}
