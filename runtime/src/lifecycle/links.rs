//! Links to other processes: the network contexts of a graph open and close those of its entities.

use super::state::keep_first;
use crate::inner::Inner;
use gxf_app::error::{Error, Result};
use gxf_engine::entity::wiring::interfaces;
use gxf_engine::graph::store::Entity;
use gxf_plugin_abi::Uid;
use std::sync::Arc;

impl Inner {
    /// Prepares the network contexts of the first entities, and has them open the links of all.
    pub(super) fn open_links(&self, of: &[Arc<Entity>], all: &[Arc<Entity>]) -> Result<()> {
        let networks = interfaces::<gxf::NetworkContext>(of.iter());
        for network in networks {
            self.run.lock().networks.push(network.clone());
            let prepared =
                network.call("initialize_network", |network| network.initialize_network());
            prepared.map_err(|error| self.network_failed(&network, error))?;
        }
        all.iter().try_for_each(|entity| self.open_links_of(entity.eid()))
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
