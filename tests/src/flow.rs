//! Apps that are chains of one-codelet entities, as the stock components make them.

use crate::{Gxe, SCHEDULER};
use std::fmt::Write;

/// The manifest of the stock components.
pub const STOCK: &str =
    "extensions:\n- libgxe_io.so\n- libgxe_math.so\n- libgxe_mcap.so\n- libgxe_view.so\n";

/// An app in the making.
#[derive(Default)]
pub struct Flow {
    entities: String,
    links: String,
    last: String,
}

impl Flow {
    /// Adds an entity with a codelet, and connects its `input` or `in` to the `output` of the one
    /// before it. `parameters` are those of the codelet; queues among them get created: those of
    /// `receivers` and, if the codelet has one, the transmitter `out`.
    #[must_use]
    pub fn then(mut self, name: &str, codelet: &str, parameters: &str) -> Self {
        let receivers: &[&str] = if self.last.is_empty() { &[] } else { &["in"] };
        self.add(name, codelet, parameters, receivers);
        if !receivers.is_empty() {
            let source = self.last.clone();
            self.link(&source, name, "in");
        }
        name.clone_into(&mut self.last);
        self
    }

    /// Adds the first entity of another branch.
    #[must_use]
    pub fn source(mut self, name: &str, codelet: &str, parameters: &str) -> Self {
        self.add(name, codelet, parameters, &[]);
        name.clone_into(&mut self.last);
        self
    }

    /// Adds an entity that brings branches together: for each, the name of its last entity and the
    /// receiver, which neighbours may share.
    #[must_use]
    pub fn join(
        mut self,
        name: &str,
        codelet: &str,
        parameters: &str,
        branches: &[(&str, &str)],
    ) -> Self {
        let mut receivers: Vec<&str> = branches.iter().map(|(_, receiver)| *receiver).collect();
        receivers.dedup();
        self.add(name, codelet, parameters, &receivers);
        for (branch, receiver) in branches {
            self.link(branch, name, receiver);
        }
        name.clone_into(&mut self.last);
        self
    }

    fn add(&mut self, name: &str, codelet: &str, parameters: &str, receivers: &[&str]) {
        let text = &mut self.entities;
        _ = write!(text, "---\nname: {name}\ncomponents:\n");
        for receiver in receivers {
            _ = writeln!(text, "- {{name: {receiver}, type: nvidia::gxf::DoubleBufferReceiver}}");
        }
        let mut own = String::new();
        if receivers == ["in"] {
            own.push_str("input: in, ");
        }
        let is_sink = codelet.ends_with("Sink") || codelet.starts_with("gxe::view::P");
        if !is_sink {
            _ = writeln!(text, "- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}");
            own.push_str("output: out, ");
        }
        _ = writeln!(text, "- {{type: {codelet}, parameters: {{{own}{parameters}}}}}");
    }

    fn link(&mut self, source: &str, target: &str, receiver: &str) {
        _ = writeln!(
            self.links,
            "- {{type: nvidia::gxf::Connection, \
             parameters: {{source: {source}/out, target: {target}/{receiver}}}}}"
        );
    }

    /// The app, with a greedy scheduler on a manual clock.
    #[must_use]
    pub fn app(&self) -> String {
        let Self { entities, links, .. } = self;
        format!("default_conditions: true\n{entities}---\ncomponents:\n{links}{SCHEDULER}")
    }

    /// A run of the app with the stock components.
    #[must_use]
    pub fn gxe(&self) -> Gxe {
        Gxe::alone()
            .file("app.yaml", &self.app())
            .file("manifest.yaml", STOCK)
            .args("--app app.yaml --manifest manifest.yaml")
    }
}
