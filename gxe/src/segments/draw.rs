//! All segments as one graph.

use super::Segments;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::options::GraphOptions;
use gxf_remote::{Connection, link_ports};
use gxf_runtime::graph::describe::GraphDescription;
use gxf_runtime::graph::{Diagnostic, Diagnostics};

impl Segments {
    /// Adds the segments to a graph, each as a subgraph with its name, and their links. Returns
    /// warnings.
    ///
    /// # Errors
    /// A segment cannot be read.
    pub fn draw(
        &self,
        graph: &mut GraphDescription,
        options: &GraphOptions,
    ) -> Result<Diagnostics, Failure> {
        let mut findings = Diagnostics::new();
        for mut loaded in self.load(options, true) {
            findings.extend(std::mem::take(&mut loaded.findings));
            let worker = loaded.segment.worker.as_ref();
            let own = worker.and_then(|address| address.host.as_deref());
            let mut addresses: Vec<String> =
                worker.map(|address| format!("worker {address}")).into_iter().collect();
            for port in link_ports(&loaded.context, own) {
                if let Some(address) = port.address {
                    addresses.push(format!("{}.{} {address}", port.entity, port.name));
                }
            }
            graph.add_segment(loaded.name(), addresses, loaded.context.describe());
        }
        if findings.errors() > 0 {
            let error = gxf_runtime::Error::from_diagnostics("cannot load the segments", findings);
            return Err(Failure::new(ExitStatus::Load, error.into()));
        }
        for link in self.links() {
            let Connection { source, target } = &link.connection;
            let is_there = |end: &str| {
                self.list.iter().any(|segment| segment.files.name == gxf_remote::segment_of(end))
            };
            if !graph.connect_segments(source, target) && is_there(source) && is_there(target) {
                let text = format!("the connection from `{source}` to `{target}` leads nowhere");
                findings.push(Diagnostic::warning(text).at(link.places[1].clone()));
            }
        }
        Ok(findings)
    }
}
