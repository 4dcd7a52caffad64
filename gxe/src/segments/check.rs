//! What is wrong with segments and with the links between them.

use super::load::Loaded;
use super::{Link, Segments, circle};
use crate::options::GraphOptions;
use gxf_plugin_abi::ResultCode;
use gxf_remote::{Connection, LinkPort, link_ports};
use gxf_runtime::Context;
use gxf_runtime::graph::suggest::nearest;
use gxf_runtime::graph::{Diagnostic, Diagnostics, Span};

/// One end of a link in a loaded segment.
struct End {
    /// `segment.entity.component`
    name: String,
    port: LinkPort,
    place: Option<Span>,
}

impl End {
    fn new(segment: &Loaded<'_>, port: LinkPort) -> Self {
        Self {
            name: format!("{}.{}.{}", segment.name(), port.entity, port.name),
            place: segment.context.component_place(port.cid).ok().flatten(),
            port,
        }
    }

    fn sends(&self) -> bool {
        self.port.address.is_none()
    }

    fn warning(&self, message: String) -> Diagnostic {
        let finding = Diagnostic::warning(message);
        match &self.place {
            Some(place) => finding.at(place.clone()),
            None => finding,
        }
    }
}

impl Segments {
    /// Checks every segment, and the links between them. The second result says whether all of them
    /// could be loaded.
    pub fn check(&self, options: &GraphOptions) -> (Diagnostics, bool) {
        self.find(options, true)
    }

    /// What [`Self::check`] finds, also if other processes have more segments.
    pub fn check_part(&self, options: &GraphOptions) -> Diagnostics {
        // What a driver's own list lacks is a mistake wherever the workers are.
        self.find(options, self.list.is_empty()).0
    }

    fn find(&self, options: &GraphOptions, are_names_known: bool) -> (Diagnostics, bool) {
        let segments = self.load(options, false);
        let mut findings = Diagnostics::new();
        for segment in &segments {
            findings.extend(segment.findings.clone());
            if segment.findings.errors() == 0 {
                findings.extend(segment.context.check());
            }
        }
        let is_loaded = findings_of_loads(&segments) == 0;
        self.named_twice(&mut findings);
        if are_names_known {
            self.unknown_segments(&mut findings);
        }
        if is_loaded {
            let ends = segments.iter().flat_map(|segment| {
                let ports = link_ports(&segment.context, None).into_iter();
                ports.map(|port| End::new(segment, port)).collect::<Vec<_>>()
            });
            let ends: Vec<End> = ends.collect();
            self.unknown_ends(&ends, &mut findings);
            self.unconnected(&ends, &mut findings);
            same_ports(&ends, &mut findings);
            let contexts: Vec<(&str, &Context)> =
                segments.iter().map(|segment| (segment.name(), &segment.context)).collect();
            let connections: Vec<Connection> =
                self.links().map(|link| link.connection.clone()).collect();
            findings.extend(circle::circles(&contexts, &connections));
        }
        (findings, is_loaded)
    }

    fn has(&self, segment: &str) -> bool {
        self.list.iter().any(|known| known.files.name == segment)
    }

    /// The files of several workers, each with the same segment.
    fn named_twice(&self, findings: &mut Diagnostics) {
        for (index, segment) in self.list.iter().enumerate() {
            let name = &segment.files.name;
            let before = self.list[..index].iter().find(|known| known.files.name == *name);
            if let Some(before) = before {
                let message = format!(
                    "two workers have a segment `{name}`, and a driver refuses the second one"
                );
                let finding = Diagnostic::warning(message).at(segment.places.name.clone());
                findings.push(finding.note(before.places.name.clone(), "the other one"));
            }
        }
    }

    /// Segments of links that no worker here has. Others may have them, but if some are known, names
    /// without any are probably wrong.
    fn unknown_segments(&self, findings: &mut Diagnostics) {
        let known: Vec<&str> =
            self.list.iter().map(|segment| segment.files.name.as_str()).collect();
        let awaited = self.awaited.iter().map(String::as_str);
        let names: Vec<&str> = known.iter().copied().chain(awaited).collect();
        let connected =
            |name: &&str| self.links().any(|link| link.connection.segments().contains(name));
        // A driver lists segments without connections; one that lists others lists all.
        if known.is_empty() && !names.iter().any(connected) {
            return;
        }
        for link in self.links() {
            for (segment, place) in link.connection.segments().into_iter().zip(&link.places) {
                if names.contains(&segment) {
                    continue;
                }
                let message = match known.is_empty() {
                    true => {
                        format!("`connections`: the driver's `segments` do not name `{segment}`")
                    }
                    false => format!("`connections`: no worker here has a segment `{segment}`"),
                };
                let finding = Diagnostic::warning(message).at(place.clone());
                findings.push(finding.suggest(nearest(segment, names.iter().copied())).help(
                    "the driver waits for it until a worker registers it; if there is one, give its \
                     file, too",
                ));
            }
        }
    }

    /// Ends of links that their segments do not have.
    fn unknown_ends(&self, ends: &[End], findings: &mut Diagnostics) {
        for Link { connection, places: [source, target] } in self.links() {
            let sides = [
                (&connection.source, source, true, "UcxTransmitter"),
                (&connection.target, target, false, "UcxReceiver"),
            ];
            for (end, place, sends, kind) in sides {
                let known = || ends.iter().filter(|known| known.sends() == sends);
                let is_elsewhere = !self.has(gxf_remote::segment_of(end));
                if is_elsewhere || known().any(|known| known.name == *end) {
                    continue;
                }
                let message = format!("`connections`: no segment has the {kind} `{end}`");
                let finding = Diagnostic::error(ResultCode::ENTITY_COMPONENT_NOT_FOUND, message);
                let near = nearest(end, known().map(|known| known.name.as_str()));
                findings.push(finding.at(place.clone()).suggest(near));
            }
        }
    }

    /// Ends without a link, if the links are known.
    fn unconnected(&self, ends: &[End], findings: &mut Diagnostics) {
        let Some(links) = &self.links else { return };
        for end in ends {
            let is_it = |link: &Link| match end.sends() {
                true => link.connection.source == end.name,
                false => link.connection.target == end.name,
            };
            if links.iter().any(is_it) {
                continue;
            }
            let name = &end.name;
            findings.push(end.warning(match end.sends() {
                true => format!(
                    "no connection begins at transmitter `{name}`, so it connects to the address of \
                     its own parameters"
                ),
                false => format!("no connection leads to receiver `{name}`"),
            }));
        }
    }
}

fn findings_of_loads(segments: &[Loaded<'_>]) -> usize {
    segments.iter().map(|segment| segment.findings.errors()).sum()
}

/// Receivers that cannot listen on one host.
fn same_ports(ends: &[End], findings: &mut Diagnostics) {
    let receivers: Vec<(&End, u64)> =
        ends.iter().filter_map(|end| Some((end, end.port.address.as_ref()?.port))).collect();
    for (index, (end, port)) in receivers.iter().enumerate() {
        let before = receivers[..index].iter().find(|(_, known)| known == port);
        if let Some((other, _)) = before {
            let message = format!(
                "receivers `{}` and `{}` both listen at port {port}, so their segments cannot run on \
                 one host",
                other.name, end.name
            );
            let mut finding = end.warning(message).help("give one of them another `port`");
            if let Some(place) = &other.place {
                finding = finding.note(place.clone(), "the other one");
            }
            findings.push(finding);
        }
    }
}
