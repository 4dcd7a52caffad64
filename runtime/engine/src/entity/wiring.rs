//! The wiring: which entities each event wakes, and the parts of each entity's runner, computed at
//! activation.

use crate::entity::parts::Parts;
use crate::entity::port::{ReceiverPort, TransmitterPort};
use crate::entity::ports::{Inbox, Outbox, Target};
use crate::entity::promise::{Ledger, Promise, Supply};
use crate::entity::remote::{RemotePort, RemoteTerm};
use crate::entity::term::Term;
use crate::graph::routes::Routes;
use crate::graph::store::Entity;
use crate::standard::queue::{DoubleBufferReceiver, UNLIMITED};
use crate::standard::term::{
    DownstreamReceptiveSchedulingTerm, MemoryAvailableSchedulingTerm,
    MessageAvailableSchedulingTerm,
};
use gxf::{Allocator, SchedulingTerm, SchedulingTermCombiner};
use gxf_app::ParameterValue;
use gxf_plugin::component::{Component, FromComponent, Interface, Native};
use gxf_plugin_abi::{TYPE_TERM_ANNOUNCES, Uid, tids};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::sync::Arc;
use thin_vec::ThinVec;

/// All components of these entities with an interface.
pub fn interfaces<'a, T: FromComponent>(
    entities: impl Iterator<Item = &'a Arc<Entity>>,
) -> Vec<Interface<T>> {
    let mut found = Vec::new();
    for entity in entities {
        found.extend(entity.components().iter().filter_map(T::from_component));
    }
    found
}

/// Indices of entities, without an allocation for a few.
type Numbers = SmallVec<[u32; 4]>;

/// Which entities each event wakes, computed at activation.
pub struct Wiring {
    /// Indices of the entities that have codelets.
    pub numbers: FxHashMap<Uid, u32>,
    /// Components that a term of another entity watches, with the index of that entity.
    pub watched_elsewhere: FxHashSet<(Uid, u32)>,
    /// By receiver: entities to wake when a message arrives.
    on_arrival: FxHashMap<Uid, Numbers>,
    /// By receiver: entities to wake when there is new room.
    on_room: FxHashMap<Uid, Numbers>,
    /// By receiver: the largest room that one of these waits for.
    wanted_room: FxHashMap<Uid, usize>,
    /// By receiver: its entity.
    receivers: FxHashMap<Uid, Arc<Entity>>,
    /// By transmitter: its receivers.
    targets: FxHashMap<Uid, Vec<Interface<gxf::Queue>>>,
    /// The receivers and transmitters that lead to other processes.
    links: FxHashMap<Uid, Interface<gxf::Link>>,
    /// The monitors, which every entity calls.
    monitors: Arc<Vec<Interface<gxf::Monitor>>>,
    /// The routers, in the order of loading.
    routers: Vec<Interface<gxf::Router>>,
    /// The allocators.
    allocators: FxHashMap<Uid, Interface<Allocator>>,
    /// By receiver or allocator: the entities whose terms promise its room or memory.
    promised_to: FxHashMap<Uid, Numbers>,
    /// By receiver or allocator that several entities share.
    ledgers: FxHashMap<Uid, Arc<Ledger>>,
}

fn add_once(list: &mut Numbers, number: u32) {
    if !list.contains(&number) {
        list.push(number);
    }
}

/// A list of usually one item, with room for no more: there are several lists for each entity.
fn few<T>(items: impl Iterator<Item = T>) -> Box<[T]> {
    let few: SmallVec<[T; 1]> = items.collect();
    few.into_boxed_slice()
}

/// The combiners of an entity, and the terms they own.
fn combiners_of(
    components: &[Arc<Component>],
) -> (ThinVec<Interface<SchedulingTermCombiner>>, FxHashSet<Uid>) {
    let combiners: ThinVec<Interface<SchedulingTermCombiner>> =
        components.iter().filter_map(SchedulingTermCombiner::from_component).collect();
    let mut owned = FxHashSet::default();
    for combiner in &combiners {
        combiner.call("terms", |combiner| {
            combiner.terms(&mut |cid| {
                owned.insert(cid);
            })
        });
    }
    (combiners, owned)
}

impl Wiring {
    /// Entities with a runner keep its index, which `number_of` returns; others get one from
    /// `reserve`.
    pub fn new(
        entities: &[Arc<Entity>],
        routes: &Routes,
        number_of: impl Fn(Uid) -> Option<u32>,
        mut reserve: impl FnMut() -> u32,
    ) -> Self {
        // A map that grows leaves its former storage behind. Most entities have one receiver.
        fn map_for<T>(entities: &[Arc<Entity>]) -> FxHashMap<Uid, T> {
            FxHashMap::with_capacity_and_hasher(entities.len(), FxBuildHasher)
        }
        let mut wiring = Self {
            numbers: map_for(entities),
            watched_elsewhere: FxHashSet::default(),
            on_arrival: map_for(entities),
            on_room: FxHashMap::default(),
            wanted_room: FxHashMap::default(),
            receivers: map_for(entities),
            targets: FxHashMap::default(),
            links: FxHashMap::default(),
            monitors: Arc::default(),
            routers: Vec::new(),
            allocators: FxHashMap::default(),
            promised_to: FxHashMap::default(),
            ledgers: FxHashMap::default(),
        };
        let mut monitors = Vec::new();
        for entity in entities {
            let components = entity.components();
            let runs = components.iter().any(|component| component.is_a(tids::CODELET));
            let known = number_of(entity.eid());
            let number = if runs { known.unwrap_or_else(&mut reserve) } else { u32::MAX };
            if runs {
                wiring.numbers.insert(entity.eid(), number);
            }
            let (_, owned) = combiners_of(&components);
            for component in components.iter() {
                if component.is_a(tids::RECEIVER) {
                    wiring.receivers.insert(component.cid(), entity.clone());
                    if runs {
                        add_once(wiring.on_arrival.entry(component.cid()).or_default(), number);
                    }
                }
                monitors.extend(gxf::Monitor::from_component(component));
                wiring.routers.extend(gxf::Router::from_component(component));
                if let Some(link) = gxf::Link::from_component(component) {
                    wiring.links.insert(component.cid(), link);
                }
                if let Some(allocator) = Allocator::from_component(component) {
                    wiring.allocators.insert(component.cid(), allocator);
                }
                let Some(term) = SchedulingTerm::from_component(component).filter(|_| runs) else {
                    continue;
                };
                // Any other term may want any amount of room, and one that is called through the
                // ABI sees the two stages of a queue at different moments.
                let wanted = component
                    .native::<DownstreamReceptiveSchedulingTerm>()
                    .filter(|_| !owned.contains(&component.cid()))
                    // A held message needs room for one.
                    .map_or(UNLIMITED + 1, |term| term.min_size().max(1));
                term.call("watched", |term| {
                    term.watched(&mut |cid| {
                        add_once(wiring.on_arrival.entry(cid).or_default(), number);
                        if !components.iter().any(|component| component.cid() == cid) {
                            wiring.watched_elsewhere.insert((cid, number));
                        }
                        for receiver in routes.receivers(cid) {
                            add_once(wiring.on_room.entry(*receiver).or_default(), number);
                            let most = wiring.wanted_room.entry(*receiver).or_default();
                            *most = wanted.max(*most);
                        }
                    })
                });
                if let Some(term) = component.native::<DownstreamReceptiveSchedulingTerm>() {
                    for cid in routes.receivers(term.transmitter()) {
                        add_once(wiring.promised_to.entry(*cid).or_default(), number);
                    }
                } else if let Some(term) = component.native::<MemoryAvailableSchedulingTerm>() {
                    add_once(wiring.promised_to.entry(term.allocator()).or_default(), number);
                }
            }
        }
        wiring.monitors = Arc::new(monitors);
        for (transmitter, receivers) in routes.all() {
            let reached = receivers.iter().filter_map(|cid| wiring.queue(*cid)).collect();
            wiring.targets.insert(transmitter, reached);
        }
        wiring
    }

    /// Creates a ledger for each receiver and allocator that several entities share, unless it has
    /// one.
    pub fn keep_ledgers(&mut self, known: &mut FxHashMap<Uid, Arc<Ledger>>) {
        let shared = self.promised_to.iter().filter(|(_, entities)| entities.len() > 1);
        let ledgers = shared.filter_map(|(cid, _)| {
            let supply = || match self.receiver(*cid) {
                Some(receiver) => ReceiverPort::of(&receiver).map(Supply::Room),
                None => self.allocators.get(cid).cloned().map(Supply::Memory),
            };
            let ledger = known.get(cid).cloned();
            Some((*cid, ledger.or_else(|| supply().map(Ledger::new).map(Arc::new))?))
        });
        self.ledgers = ledgers.collect();
        known.clone_from(&self.ledgers);
    }

    /// The promises of an entity's terms that need a ledger, and the ids of these ledgers.
    fn promises(
        &self,
        entity: &Entity,
        terms: &[Term],
        owned: &FxHashSet<Uid>,
    ) -> (ThinVec<Promise>, Vec<Uid>) {
        let mut wanted: Vec<(Uid, usize, u64)> = Vec::new();
        for component in entity.components().iter() {
            let place = terms.iter().position(|term| term.component().cid() == component.cid());
            // One of several terms of a combiner promises nothing.
            let amount = |amount| if owned.contains(&component.cid()) { 0 } else { amount };
            if let Some(term) = component.native::<DownstreamReceptiveSchedulingTerm>() {
                let amount = amount(term.min_size() as u64);
                let behind = self.behind(term.transmitter()).iter();
                wanted.extend(
                    behind
                        .map(|queue| (queue.component().cid(), place.unwrap_or_default(), amount)),
                );
            } else if let Some(term) = component.native::<MemoryAvailableSchedulingTerm>() {
                wanted.push((term.allocator(), place.unwrap_or_default(), amount(term.wanted())));
            }
        }
        wanted.sort_unstable();
        let mut promises: ThinVec<Promise> = ThinVec::new();
        let mut cids = Vec::new();
        let number = self.numbers.get(&entity.eid()).copied().unwrap_or(u32::MAX);
        for (cid, term, amount) in wanted {
            let Some(ledger) = self.ledgers.get(&cid) else { continue };
            if cids.last() == Some(&cid) {
                promises.last_mut().into_iter().for_each(|promise| promise.promise_also(amount));
                continue;
            }
            promises.push(Promise::new(ledger.clone(), number, term, amount));
            cids.push(cid);
        }
        (promises, cids)
    }

    /// The parts of an entity. Also gives its terms the receivers of its transmitters.
    pub fn parts(&self, entity: &Entity) -> Parts {
        let components = entity.components();
        for component in components.iter() {
            if let Some(term) = component.native::<DownstreamReceptiveSchedulingTerm>() {
                term.lead_to(self.behind(term.transmitter()));
            }
        }
        let (combiners, owned) = combiners_of(&components);
        let free = components.iter().filter(|component| !owned.contains(&component.cid()));
        let terms = few(free.filter_map(|component| self.term(component)));
        let (promises, promised) = self.promises(entity, &terms, &owned);
        let inbox = few(components.iter().filter_map(|one| self.inbox(one)));
        let ledger = |inbox: &Inbox| self.ledgers.get(&inbox.receiver.component().cid()).cloned();
        let mut ledgers: ThinVec<_> = inbox.iter().map(ledger).collect();
        if ledgers.iter().all(Option::is_none) {
            ledgers = ThinVec::new();
        }
        let must_be_polled = |component: &&Arc<Component>| {
            let info = component.type_info();
            (info.is_a(tids::SCHEDULING_TERM) || info.is_a(tids::SCHEDULING_TERM_COMBINER))
                && info.flags & TYPE_TERM_ANNOUNCES == 0
        };
        Parts {
            polled: components.iter().find(must_be_polled).is_some(),
            codelets: few(components.iter().filter_map(Component::codelet)),
            outbox: few(components
                .iter()
                .filter_map(|component| self.outbox(entity, component, &promised))),
            terms,
            owned: components
                .iter()
                .filter(|component| owned.contains(&component.cid()))
                .filter_map(SchedulingTerm::from_component)
                .collect(),
            combiners,
            inbox,
            promises,
            ledgers,
            remote: match self.links.is_empty() {
                true => ThinVec::new(),
                false => components.iter().filter_map(RemotePort::of).collect(),
            },
            deadlines: components.iter().filter_map(Component::native).collect(),
            routers: self.routers.as_slice().into(),
            controller: components.iter().find_map(gxf::Controller::from_component).map(Box::new),
            monitors: self.monitors.clone(),
        }
    }

    /// A term, accessed directly if it and its queues are built in.
    fn term(&self, component: &Arc<Component>) -> Option<Term> {
        let own = |cid: Uid| self.receiver(cid)?.native::<DoubleBufferReceiver>();
        if !self.links.is_empty()
            && let Some(term) = SchedulingTerm::from_component(component)
        {
            let mut links = Vec::new();
            term.call("watched", |term| {
                term.watched(&mut |cid| links.extend(self.links.get(&cid).cloned()));
            });
            if !links.is_empty() {
                return RemoteTerm::of(component, links).map(Box::new).map(Term::Remote);
            }
        }
        if let Some(term) = component.native::<MessageAvailableSchedulingTerm>()
            && let Some(queue) = own(term.receiver())
        {
            let limits = term.limits();
            return Some(Term::Messages(term, queue, limits));
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
        let term = SchedulingTerm::from_component(component)?;
        Some(match component.native() {
            Some(count) => Term::Count(count, term),
            None => Term::Other(term),
        })
    }

    /// A receiver.
    fn receiver(&self, cid: Uid) -> Option<Arc<Component>> {
        let components = self.receivers.get(&cid)?.components();
        components.iter().find(|component| component.cid() == cid).cloned()
    }

    /// The queue of a receiver.
    fn queue(&self, receiver: Uid) -> Option<Interface<gxf::Queue>> {
        gxf::Queue::from_component(&self.receiver(receiver)?)
    }

    /// The queues of a transmitter's receivers.
    fn behind(&self, transmitter: Uid) -> &[Interface<gxf::Queue>] {
        self.targets.get(&transmitter).map_or(&[], Vec::as_slice)
    }

    fn inbox(&self, component: &Arc<Component>) -> Option<Inbox> {
        let receiver = ReceiverPort::of(component)?;
        let senders = self.on_room.get(&component.cid()).map_or_else(Vec::new, |all| all.to_vec());
        let wanted_room = self.wanted_room.get(&component.cid()).copied().unwrap_or_default();
        Some(Inbox { receiver, senders, wanted_room, before: 0, dropped: false, link: None })
    }

    fn outbox(
        &self,
        entity: &Entity,
        component: &Arc<Component>,
        promised: &[Uid],
    ) -> Option<Outbox> {
        let transmitter = TransmitterPort::of(component)?;
        let components = entity.components();
        let terms = components.iter().filter_map(Component::native);
        let back_pressure: Vec<_> = terms
            .filter(|term: &Native<DownstreamReceptiveSchedulingTerm>| {
                term.transmitter() == component.cid()
            })
            .collect();
        let careful = !back_pressure.is_empty();
        let queues = self.behind(component.cid());
        let place = |entity: &str, component: &Component| format!("{entity}/{}", component.label());
        let targets = queues.iter().filter_map(|queue| {
            let receiver = queue.component();
            let cid = receiver.cid();
            let owner = self.receivers.get(&cid);
            let policy = receiver.parameter("policy");
            Some(Target {
                queue: ReceiverPort::of(receiver)?,
                link: None,
                wake: self.on_arrival.get(&cid).map_or_else(Vec::new, |all| all.to_vec()),
                careful,
                faults: matches!(
                    policy,
                    Some(ParameterValue::UInt64(2) | ParameterValue::Int64(2))
                ),
                promise: promised.iter().position(|known| careful && *known == cid),
                owed: false,
                lost: 0,
                from: place(entity.name(), component).into(),
                to: place(owner.map_or("", |owner| owner.name()), receiver).into(),
            })
        });
        Some(Outbox {
            transmitter,
            targets: targets.collect(),
            back_pressure,
            holds: false,
            link: self.links.get(&component.cid()).cloned().map(Box::new),
        })
    }
}
