//! A segment: a graph in a context of its own, with a thread that loads, runs and ends it.

use crate::address;
use crate::configuration::{SegmentFiles, parts_of};
use crate::listeners::{self, Address, LinkPort, NETWORK, TRANSMITTER, link_ports};
use crate::protocol::{ComponentParams, SegmentInfo};
use gxf::{Error, Result};
use gxf_app::ParameterValue;
use gxf_runtime::{Context, Tid};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

/// A segment of a worker.
pub struct Segment {
    pub name: String,
    pub context: Context,
    report: Reporter,
    orders: Sender<Order>,
    /// Whether it is to end: orders that still wait do not start anything.
    is_ending: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Tells the worker what happens.
type Reporter = Arc<dyn Fn(Report) + Send + Sync>;

/// What a segment's thread does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    Activate,
    Run,
    Deactivate,
}

/// What a segment tells its worker.
pub enum Report {
    /// It is active.
    Activated(String),
    /// Its entities have started, and wait before they tick.
    Ready(String),
    /// The run has ended.
    Ended(String),
    /// It failed.
    Failed(String, String),
}

/// The context of a graph that the program has composed.
fn composed(address: usize, files: &SegmentFiles, parent: &Context) -> Result<Context> {
    let context = Context::from_raw(std::ptr::without_provenance(address))?;
    parent.add_segment(&files.name, &context);
    Ok(context)
}

/// A context with the graph of files.
fn loaded(files: &SegmentFiles, parent: &Context) -> Result<Context> {
    let context = parent.segment(&files.name);
    let root = parent.file_root();
    let path = |text: &str| match &root {
        Some(root) => root.join(text),
        None => PathBuf::from(text),
    };
    if let Some(manifest) = &files.manifest {
        context.load_manifest(&path(manifest), root.as_deref())?;
    }
    let mut apps = vec![path(&files.app)];
    apps.extend(files.parameters.as_deref().map(path));
    context.load_apps(&apps, &[])?;
    for warning in context.take_warnings().iter() {
        tracing::warn!("segment {}: {}", files.name, warning.message);
    }
    Ok(context)
}

impl Segment {
    /// Loads a segment and starts its thread, which calls `report` with what happens.
    pub fn load(
        files: &SegmentFiles,
        parent: &Context,
        report: impl Fn(Report) + Send + Sync + 'static,
    ) -> Result<Self> {
        let report: Reporter = Arc::new(report);
        let context = match files.context {
            Some(address) => composed(address, files, parent)?,
            None => loaded(files, parent)?,
        };
        let (orders, received) = channel();
        let is_ending = Arc::new(AtomicBool::new(false));
        let thread = {
            let (context, name, report) = (context.clone(), files.name.clone(), report.clone());
            let is_ending = is_ending.clone();
            std::thread::Builder::new().name(format!("segment {name}")).spawn(move || {
                let ends = || is_ending.load(Ordering::Acquire);
                for order in received {
                    if order != Order::Deactivate && ends() {
                        continue;
                    }
                    tracing::debug!("segment {name}: {order:?}");
                    let done = match order {
                        Order::Activate => {
                            context.activate().inspect(|()| report(Report::Activated(name.clone())))
                        }
                        Order::Run => {
                            let ran = context.run_with(|| {
                                // An interrupt before this was refused: nothing ran.
                                if ends() {
                                    _ = context.interrupt();
                                }
                                context.run_epochs();
                            });
                            ran.inspect(|()| report(Report::Ended(name.clone())))
                        }
                        Order::Deactivate => context.deactivate(),
                    };
                    if let Err(error) = done {
                        report(Report::Failed(name.clone(), said(error)));
                    }
                }
            })
        };
        let thread = thread.map_err(|error| Error::failure(format!("no thread: {error}")))?;
        let name = files.name.clone();
        Ok(Self { name, context, report, orders, is_ending, thread: Some(thread) })
    }

    /// Has the thread do something after what it does now.
    pub fn order(&self, order: Order) {
        _ = self.orders.send(order);
    }

    /// Ends its activation or run, also one that was ordered and has not begun.
    pub fn interrupt(&self) {
        self.is_ending.store(true, Ordering::Release);
        // Both are refused if there is none; the thread that begins one looks whether it is to end.
        _ = self.context.cancel_activation();
        _ = self.context.interrupt();
    }

    /// Has the next run wait after its entities have started.
    pub fn hold(&self) {
        let (report, name) = (self.report.clone(), self.name.clone());
        self.context.hold_start(move || report(Report::Ready(name)));
    }

    /// The receivers of the segment, and where they are; other hosts reach this one at `own`.
    pub fn info(&self, own: &str) -> SegmentInfo {
        let ports = link_ports(&self.context, Some(own)).into_iter();
        let ports = ports.filter_map(|LinkPort { entity, name, address, .. }| {
            let Address { host, port } = address?;
            let authority = address::authority(host.as_deref().unwrap_or(own), port);
            Some((format!("{}.{entity}.{name}", self.name), authority))
        });
        let ports: BTreeMap<String, String> = ports.collect();
        SegmentInfo { segment_name: self.name.clone(), ip_port_address_map: ports }
    }

    /// Sets a parameter of each `UcxContext` that has no value for it.
    pub fn set_network(&self, key: &str, value: &str) -> Result<()> {
        let mut result = Ok(());
        self.for_each(NETWORK, |_, _, cid| {
            if result.is_ok() && address::text(&self.context, cid, key).is_none() {
                let value = ParameterValue::String(value.to_owned());
                result = self.context.set_parameter(cid, key, Some(value));
            }
        });
        Ok(result?)
    }

    /// Calls `found` with entity, name and id of every component of a type.
    fn for_each(&self, tid: Tid, mut found: impl FnMut(&str, &str, gxf::Uid)) {
        listeners::for_each(&self.context, |known, entity, component, cid| {
            if known == tid {
                found(entity, component, cid);
            }
        });
    }

    /// What to say of the source of a connection that is none of this segment's transmitters.
    fn no_transmitter(&self, wanted: &str) -> Error {
        let mut known = Vec::new();
        self.for_each(TRANSMITTER, |entity, component, _| {
            known.push(format!("{}.{entity}.{component}", self.name));
        });
        let hint = gxf_app::suggest::did_you_mean(wanted, known.iter().map(String::as_str));
        Error::failure(format!("no segment has the transmitter `{wanted}`{hint}"))
    }

    /// Sets parameters of a component of this segment.
    pub fn set(&self, component: &ComponentParams) -> Result<()> {
        let of = |error: gxf_runtime::Error| {
            Error::from(error).context(format!("parameters of `{}`", component.name))
        };
        let Some([_, entity, name]) = parts_of(&component.name) else {
            let text = format!("`{}` is not `segment.entity.component`", component.name);
            return Err(Error::failure(text));
        };
        let cid = self.context.find_component(entity, name);
        // A driver tells transmitters where their receivers are.
        let is_source = component.params.iter().any(|param| param.key == "receiver_address");
        let tid = |cid: &gxf::Uid| self.context.component_type(*cid).ok();
        if is_source && cid.as_ref().ok().and_then(tid) != Some(TRANSMITTER) {
            return Err(self.no_transmitter(&component.name));
        }
        let cid = cid.map_err(of)?;
        component.params.iter().try_for_each(|param| {
            self.context.set_parameter_yaml(cid, &param.key, &param.to_yaml(), "").map_err(of)
        })
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        let (orders, _) = channel();
        // The thread ends when nobody can give it orders any more.
        drop(std::mem::replace(&mut self.orders, orders));
        self.interrupt();
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

/// An error with its causes.
fn said(error: gxf_runtime::Error) -> String {
    Error::from(error).to_string()
}

/// The name of a file without its folder, for logs.
pub fn file_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}
