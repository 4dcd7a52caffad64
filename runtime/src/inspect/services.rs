//! The services with which GXF's runtime answers other processes, at every IPC server of a graph:
//! `config` sets a parameter, `dump` shows the graph, and `stat`, at the server of a `JobStatistics`,
//! has statistics.

use crate::Context;
use crate::inner::Inner;
use gxf_app::error::{Error, Result};
use gxf_engine::graph::store::Entity;
use gxf_plugin::component::{Component, FromComponent};
use gxf_plugin_abi::{ResultCode, Uid, tids};
use std::sync::Arc;

impl Inner {
    /// Has the servers of a graph answer about it.
    pub fn serve(&self, entities: &[Arc<Entity>]) {
        let components = entities.iter().flat_map(|entity| entity.components().to_vec());
        for component in components {
            let Some(server) = gxf::IpcServer::from_component(&component) else { continue };
            let services = [
                ("config", true, self.service(config)),
                ("dump", false, self.service(|context, resource, _| dump(context, resource))),
            ];
            for (name, is_action, service) in services {
                let registered = server.call("register_service", |server| {
                    server.register_service(name, is_action, service)
                });
                if let Err(error) = registered {
                    // A server may be there for its own services only.
                    tracing::debug!("{} has no service {name}: {error}", component.description());
                }
            }
        }
    }

    /// Has the server of a `JobStatistics` answer with the statistics.
    pub(super) fn serve_statistics(
        &self,
        component: &Component,
        server: Uid,
        answer: impl Fn(&Context, &str) -> gxf::Result<String> + Send + Sync + 'static,
    ) -> Result<()> {
        let server = self.graph.component(server)?;
        let Some(server) = gxf::IpcServer::from_component(&server) else {
            return Err(self.graph.wrong_type(&server, tids::IPC_SERVER));
        };
        let service = self.service(move |context, resource, _| answer(context, resource));
        let registered = server
            .call("register_service", |server| server.register_service("stat", false, service));
        registered.map_err(|error: gxf::Error| {
            let text = format!("{}: the server refuses the statistics", component.description());
            Error::new(error.code(), text).caused_by(error.to_string())
        })
    }

    /// A service of this graph, which may be gone when a request comes.
    fn service(
        &self,
        answer: impl Fn(&Context, &str, &str) -> gxf::Result<String> + Send + Sync + 'static,
    ) -> gxf::IpcService {
        let address = self.raw().addr();
        gxf::IpcService::new(move |resource, payload| {
            let context = Context::from_raw(std::ptr::without_provenance(address))?;
            answer(&context, resource, payload)
        })
    }
}

/// Sets a parameter, `cid/key` or `entity/component/key`, to a value in YAML. As in GXF, it needs not
/// be dynamic; a component that has read it keeps the former value.
fn config(context: &Context, resource: &str, payload: &str) -> gxf::Result<String> {
    let Some((path, key)) = resource.rsplit_once('/') else {
        let text = format!("`{resource}` is neither `cid/key` nor `entity/component/key`");
        return Err(gxf::Error::new(ResultCode::ARGUMENT_INVALID, text));
    };
    let (graph, cid) = match path.parse() {
        Ok(cid) => (context.clone(), cid),
        Err(_) => context.component_at(path)?,
    };
    if graph.parameter_spec(cid, key)?.is_none() {
        let text = format!("the component has no parameter `{key}`");
        return Err(gxf::Error::new(ResultCode::PARAMETER_NOT_FOUND, text));
    }
    let set = graph.set_parameter_yaml(cid, key, payload, "");
    set.map_err(|error| gxf::Error::new(error.code(), error.what_is_wrong()))?;
    Ok(String::new())
}

/// The graph, or the entity with an id, or with a component of this id, as YAML with ids.
fn dump(context: &Context, resource: &str) -> gxf::Result<String> {
    if resource == "*" {
        return Ok(context.to_yaml_with_ids(None)?);
    }
    let no_object = || {
        let text = format!("there is no entity or component `{resource}`; `*` is the whole graph");
        gxf::Error::new(ResultCode::ENTITY_NOT_FOUND, text)
    };
    let uid: Uid = resource.parse().map_err(|_| no_object())?;
    let holder = context.inner().graph.component(uid).map(|component| component.eid());
    let eid = holder.unwrap_or(uid);
    context.inner().graph.entity(eid).map_err(|_| no_object())?;
    Ok(context.to_yaml_with_ids(Some(eid))?)
}
