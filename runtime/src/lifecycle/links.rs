//! Links to other processes: the network contexts of a graph open and close those of its entities.
//!
//! Graphs that lead to each other in a circle have no source whose end could travel along the links.
//! They are over when all of them rest and nothing is on its way between them. [`Inner::rest`] is
//! what one of them knows of that; `gxf_remote` compares what all know.

use super::state::keep_first;
use crate::inner::Inner;
use gxf_app::ParameterValue;
use gxf_app::error::{Error, Result};
use gxf_engine::entity::wiring::interfaces;
use gxf_engine::graph::store::Entity;
use gxf_plugin::component::{Component, FromComponent, Interface};
use gxf_plugin::registry::TypeInfo;
use gxf_plugin_abi::{Event, LinkCounts, LinkState, Uid, tids};
use gxf_sync::event_queue::{EventLoop, EventQueue};
use std::sync::Arc;
use std::time::Duration;

/// The event loop of a network context.
struct NetworkLoop(Interface<gxf::EventLoop>);

impl EventLoop for NetworkLoop {
    fn enter(&self) -> bool {
        self.0.call("enter", |network| network.enter())
    }

    fn wait(&self, timeout: Option<Duration>) {
        let nanoseconds =
            timeout.map_or(-1, |timeout| i64::try_from(timeout.as_nanos()).unwrap_or(i64::MAX));
        // What goes wrong, the context reports as its failure.
        _ = self.0.call("wait", |network| network.wait(nanoseconds));
    }

    fn work(&self) -> bool {
        self.0.call("work", |network| network.work())
    }

    fn leave(&self) {
        _ = self.0.call("leave", |network| network.leave());
    }

    fn wake(&self) {
        _ = self.0.call("wake", |network| network.wake());
    }
}

/// This graph's end of an open link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkEnd {
    /// Whether it is the transmitter.
    pub sends: bool,
    /// What this end has counted.
    pub counts: LinkCounts,
}

impl Inner {
    /// The open links of a graph that rests: only what comes over one of them can wake it. `None` if
    /// the graph does not rest, or if that is not known. A graph whose run has ended rests; one that
    /// does not end in a deadlock may get messages that nobody sees coming.
    pub fn rest(&self) -> Option<Vec<LinkEnd>> {
        let (engine, scheduler, has_systems, has_ended) = {
            let run = self.run.lock();
            let scheduler = run.scheduler.clone();
            (run.engine.clone(), scheduler, !run.systems.is_empty(), run.outcome.is_some())
        };
        let Some(engine) = engine else {
            return has_ended.then(|| self.open_link_ends()).flatten();
        };
        let stops = scheduler.and_then(|scheduler| scheduler.parameter("stop_on_deadlock"));
        if stops == Some(ParameterValue::Bool(false)) {
            return None;
        }
        let environment = engine.environment();
        // In this order: an end counts what its entity was notified of before, so the queue shows
        // whether that was all.
        let rest = environment.event_queue.resting()?;
        let ends = self.open_link_ends()?;
        let now = environment.clock.timestamp();
        let runners = environment.runners.all();
        let waits = runners.iter().all(|runner| runner.waits_only_for_links(now));
        (waits && !has_systems && environment.event_queue.still_rests(rest)).then_some(ends)
    }

    /// `None` if a link is not open yet, or does not count.
    fn open_link_ends(&self) -> Option<Vec<LinkEnd>> {
        let mut ends = Vec::new();
        for (link, _) in self.links() {
            match link.state() {
                LinkState::ENDED => {}
                LinkState::OPEN => {
                    let counted = gxf::CountedLink::from_component(link.component())?;
                    let counts = counted.call("counts", |link| link.counts()).ok()?;
                    ends.push(LinkEnd { sends: link.component().is_a(tids::TRANSMITTER), counts });
                }
                _ => return None,
            }
        }
        Some(ends)
    }

    /// The links of the graph, with their entities.
    fn links(&self) -> Vec<(Interface<gxf::Link>, Uid)> {
        let linked = self.run.lock().linked.clone();
        let entities = linked.into_iter().filter_map(|eid| self.graph.entity(eid).ok());
        let of = |entity: Arc<Entity>| {
            let components = entity.components();
            let links = components.iter().filter_map(gxf::Link::from_component);
            links.map(|link| (link, entity.eid())).collect::<Vec<_>>()
        };
        entities.flat_map(of).collect()
    }

    /// Takes nothing more from links to other graphs. The transmitters at the other ends end, too.
    pub fn end_links(&self) -> Result<()> {
        for (link, eid) in self.links() {
            if link.state() == LinkState::OPEN && !link.component().is_a(tids::TRANSMITTER) {
                link.call("finish", |link| link.finish())?;
                self.notify_entity(eid, Event::MESSAGE_SYNC)?;
            }
        }
        Ok(())
    }

    /// Links to other graphs break when the graph ends, as those of a process that dies.
    pub fn break_links(&self) {
        self.run.lock().runners.break_links();
    }

    /// Prepares the network contexts of the first entities, and has them open the links of all.
    pub(super) fn open_links(&self, of: &[Arc<Entity>], all: &[Arc<Entity>]) -> Result<()> {
        let networks = interfaces::<gxf::NetworkContext>(of.iter());
        for network in networks {
            self.run.lock().networks.push(network.clone());
            let prepared =
                network.call("initialize_network", |network| network.initialize_network());
            prepared.map_err(|error| self.network_failed(&network, error))?;
        }
        all.iter().try_for_each(|entity| self.open_links_of(entity.eid()))?;
        all.iter().for_each(|entity| self.warn_of_unopened(entity));
        Ok(())
    }

    /// The network context that opens a link: a type of the same extension.
    pub(crate) fn network_type(&self, link: &Component) -> Option<Arc<TypeInfo>> {
        let registry = self.graph.registry.read();
        let mut types = registry.component_names().filter_map(|name| registry.by_name(name));
        let is_meant = |known: &&Arc<TypeInfo>| {
            known.is_a(tids::NETWORK_CONTEXT)
                && !known.is_abstract()
                && known.extension == link.type_info().extension
        };
        types.find(is_meant).cloned()
    }

    /// Logs the links of an entity that no network context has opened: nothing goes over them, and
    /// such a graph ends as if there were nothing to do.
    fn warn_of_unopened(&self, entity: &Entity) {
        let networks = self.run.lock().networks.clone();
        for component in entity.components().iter() {
            let Some(link) = gxf::Link::from_component(component) else { continue };
            let extension = |one: &Component| one.type_info().extension.clone();
            let own = extension(component);
            // The state alone does not tell: an open link may have ended already.
            let may_be_open = networks.iter().any(|network| extension(network.component()) == own);
            if may_be_open || link.state() != LinkState::ENDED {
                continue;
            }
            let add = self.network_type(component).map(|known| format!("; add a {}", known.name));
            tracing::warn!(
                "{}, {}: the graph has no network context that opens this link, so nothing goes over \
                 it{}",
                entity.described(),
                component.description(),
                add.unwrap_or_default(),
            );
        }
    }

    /// Lets the scheduler sleep where its messages arrive, in the first network context that can be
    /// slept in; those of others wake it.
    pub(super) fn sleep_in_network(&self, event_queue: &EventQueue) {
        let networks = self.run.lock().networks.clone();
        let mut loops =
            networks.iter().filter_map(|it| gxf::EventLoop::from_component(it.component()));
        if let Some(first) = loops.next() {
            event_queue.sleep_in(Arc::new(NetworkLoop(first)));
        }
    }

    /// Opens the links of one entity.
    pub(super) fn open_links_of(&self, eid: Uid) -> Result<()> {
        let networks = self.run.lock().networks.clone();
        if networks.is_empty() {
            return Ok(());
        }
        self.run.lock().linked.push(eid);
        networks.iter().try_for_each(|network| {
            let opened = network.call("add_routes", |network| network.add_routes(eid));
            opened.map_err(|error| self.network_failed(network, error))
        })
    }

    /// Closes the links of one entity; waits until what it sent has arrived.
    pub(super) fn close_links_of(&self, eid: Uid, first: &mut Result<()>) {
        let networks = {
            let mut run = self.run.lock();
            run.linked.retain(|linked| *linked != eid);
            run.networks.clone()
        };
        for network in &networks {
            let closed = network.call("remove_routes", |network| network.remove_routes(eid));
            keep_first(first, closed.map_err(|error| self.network_failed(network, error)));
        }
    }

    /// Closes all links.
    pub(super) fn close_links(&self, first: &mut Result<()>) {
        let linked = self.run.lock().linked.clone();
        for eid in linked.into_iter().rev() {
            self.close_links_of(eid, first);
        }
        self.run.lock().networks.clear();
    }

    fn network_failed(
        &self,
        network: &gxf_plugin::component::Interface<gxf::NetworkContext>,
        error: gxf::Error,
    ) -> Error {
        let component = network.component();
        match self.graph.entity(component.eid()) {
            Ok(entity) => self.component_failed(&entity, component, "network", error.into()),
            Err(_) => error.into(),
        }
    }
}
