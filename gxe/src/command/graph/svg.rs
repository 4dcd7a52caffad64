//! The graph as SVG, with light and dark colours.

use super::card::{BAR, Card, INSET, tooltip};
use super::format::{count, rate};
use super::layout::place::Placed;
use super::layout::route::rounded;
use super::layout::{Item, Segment};
use super::model::{Node, NodeKind, Port, Wire};
use super::scene::{BESIDE, Scene};
use super::text_width::width;
use std::fmt::Write;

/// Declarations of the colours, light and dark.
pub const COLORS: [&str; 2] = [include_str!("assets/light.css"), include_str!("assets/dark.css")];
/// Rules that use the colours.
pub const STYLE: &str = include_str!("assets/drawing.css");

/// Most wires named in a tooltip; the others are counted.
const MOST_NAMED: usize = 12;

/// A whole file.
pub fn file(scene: &Scene<'_>, title: &str) -> String {
    let [light, dark] = COLORS.map(with_colors);
    let style = format!("{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n",
        element(scene, &scene.place(), title, Some(&style))
    )
}

/// The style sheet with colours instead of variables, which not every SVG viewer knows.
fn with_colors(colors: &str) -> String {
    let mut style = STYLE.to_owned();
    for declaration in colors.split(';') {
        if let Some((name, value)) = declaration.split_once(':') {
            style = style.replace(&format!("var({})", name.trim()), value.trim());
        }
    }
    style
}

/// The `svg` element.
pub fn element(scene: &Scene<'_>, placed: &Placed, title: &str, style: Option<&str>) -> String {
    let [width, height] = placed.size.map(rounded);
    let mut svg = Writer(String::new());
    svg.put(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"gxe-graph\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{}</title>\n",
        escaped(title)
    ));
    if let Some(style) = style {
        svg.put(format_args!("<style>\n{style}</style>\n"));
    }
    svg.put(format_args!(
        "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" \
         markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
         <path class=\"arrow\" d=\"M0 0.5L7.5 4L0 7.5Z\"/></marker></defs>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n<g class=\"view\">\n"
    ));
    for (index, frame) in placed.groups.iter().enumerate() {
        if let Some(frame) = frame {
            svg.group(scene, index, *frame);
        }
    }
    for (level, (known, curves)) in scene.plan.levels.iter().zip(&placed.curves).enumerate() {
        for (segment, curve) in known.segments.iter().zip(curves).filter(|(_, d)| !d.is_empty()) {
            let last = known.items[segment.path[segment.path.len() - 1]];
            svg.wire(scene, level, segment, curve, matches!(last, Item::Box(_)));
        }
    }
    for (index, place) in placed.boxes.iter().enumerate() {
        if let Some(place) = place {
            svg.node(scene, index, *place);
        }
    }
    svg.0.push_str("</g>\n</svg>");
    svg.0
}

/// A text as content of an element or value of an attribute. Characters that XML does not allow are
/// replaced.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(c),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

struct Writer(String);

impl Writer {
    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a `String` does not fail.
        _ = self.0.write_fmt(text);
    }

    fn text(&mut self, class: &str, [x, y]: [f64; 2], text: &str) {
        let (x, y) = (rounded(x), rounded(y));
        let text = escaped(text);
        self.put(format_args!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>"));
    }

    fn group(&mut self, scene: &Scene<'_>, index: usize, frame: [f64; 4]) {
        let group = &scene.model.groups[index];
        let [x, y, width, height] = frame.map(rounded);
        let (folded, sign) = if scene.folded[index] {
            (" folded", "M0 -4L4 0L0 4")
        } else {
            ("", "M-2 -2L2 2L6 -2")
        };
        self.put(format_args!(
            "<g class=\"group{folded}\" data-group=\"{index}\" transform=\"translate({x},{y})\">\
             <title>{}</title><rect width=\"{width}\" height=\"{height}\" rx=\"12\"/>\
             <g class=\"sign\" transform=\"translate(15,20)\"><rect x=\"-11\" y=\"-14\" \
             width=\"22\" height=\"28\" fill-opacity=\"0\"/><path d=\"{sign}\"/></g>",
            escaped(&group.name)
        ));
        let mut lines = group.label.lines();
        let title = escaped(lines.next().unwrap_or_default());
        let below = lines.collect::<Vec<_>>().join(", ");
        let below = match below.as_str() {
            "" => String::new(),
            below => format!(
                "<tspan dx=\"{BESIDE}\" style=\"font-size:11px;font-weight:400\">{}</tspan>",
                escaped(below)
            ),
        };
        self.put(format_args!("<text class=\"title\" x=\"27\" y=\"24\">{title}{below}</text>"));
        self.0.push_str("</g>\n");
    }

    fn wire(
        &mut self,
        scene: &Scene<'_>,
        level: usize,
        segment: &Segment,
        curve: &str,
        is_end: bool,
    ) {
        let wires = segment.wires.iter().map(|wire| &scene.model.wires[*wire]);
        let is_lossy = wires.clone().any(|wire| wire.dropped > 0.0);
        let mut class = String::from("wire");
        for (is_so, name) in [
            (segment.is_back, " back"),
            (scene.is_reference(&segment.wires), " reference"),
            (is_lossy, " lossy"),
        ] {
            class.push_str(if is_so { name } else { "" });
        }
        let fastest = wires.clone().filter_map(|wire| wire.rate_hz).reduce(f64::max);
        let thickness = fastest.map_or(String::new(), |rate| {
            let thickness = rounded((1.3 + 0.55 * (1.0 + rate.max(0.0)).log10()).min(5.0));
            format!(" style=\"stroke-width:{thickness}\"")
        });
        let numbers: Vec<String> = segment.wires.iter().map(usize::to_string).collect();
        let mut lines: Vec<String> =
            wires.take(MOST_NAMED).map(|wire| wire_text(scene, wire)).collect();
        if segment.wires.len() > MOST_NAMED {
            lines.push(format!("and {} more", segment.wires.len() - MOST_NAMED));
        }
        // The outermost level belongs to no group.
        let group =
            level.checked_sub(1).map_or(String::new(), |at| format!(" data-group=\"{at}\""));
        let arrow = if is_end { " marker-end=\"url(#arrow)\"" } else { "" };
        self.put(format_args!(
            "<path class=\"{class}\"{group} data-wires=\"{}\" \
             d=\"{curve}\"{arrow}{thickness}><title>{}</title></path>\n",
            numbers.join(" "),
            escaped(&lines.join("\n"))
        ));
    }

    fn node(&mut self, scene: &Scene<'_>, index: usize, place: [f64; 2]) {
        let (node, card) = (&scene.model.nodes[index], &scene.cards[index]);
        let kind = match node.kind {
            NodeKind::Entity => "entity",
            NodeKind::Resource => "resource",
            NodeKind::Topic => "topic",
        };
        let unknown = if node.unknown_types.is_empty() { "" } else { " unknown" };
        let [x, y] = place.map(rounded);
        let (width, height) = (rounded(card.width), rounded(card.height));
        let radius = if node.kind == NodeKind::Topic { height / 2.0 } else { 8.0 };
        self.put(format_args!(
            "<g class=\"node {kind}{unknown}\" data-node=\"{index}\" transform=\"translate({x},{y})\">\
             <title>{}</title><rect class=\"card\" width=\"{width}\" \
             height=\"{height}\" rx=\"{radius}\"/>",
            escaped(&tooltip(node))
        ));
        let heat = if card.is_live { Some(0.0) } else { scene.heat(index) };
        if let Some(heat) = heat {
            let heat = (heat * 100.0).round() / 100.0;
            self.put(format_args!(
                "<rect class=\"heat\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\" \
                 fill-opacity=\"{heat}\"/>"
            ));
        }
        self.card(card);
        if node.kind != NodeKind::Topic {
            self.ports(card, node, scene.is_compact);
            self.rates(scene, index);
        }
        self.0.push_str("</g>\n");
    }

    fn card(&mut self, card: &Card) {
        for line in &card.lines {
            self.text(line.class, [INSET, line.y], &line.text);
        }
        if let Some((load, y)) = card.load {
            let inner = card.width - 2.0 * INSET;
            self.bar("bar", [INSET, y], inner);
            self.bar("half", [INSET, y], inner * load);
        }
        for (x, y, width, text) in &card.chips {
            let (x, y, width) = (rounded(*x), rounded(*y), rounded(*width));
            self.put(format_args!(
                "<g class=\"chip\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"16\" \
                 rx=\"8\"/>"
            ));
            self.text("term", [x + 6.0, y + 11.5], text);
            self.0.push_str("</g>");
        }
        for port in &card.port_texts {
            let class = if port.is_lossy { "queue lost" } else { "queue" };
            let size = super::card::TEXT_SIZE;
            let parts = [
                ("port-name", port.name.as_str(), width(&port.name, size)),
                (class, port.queue.as_str(), port.queue_width()),
            ];
            // Names are at the edge of the card, so those on the right are right-aligned.
            let mut x = if port.is_input { INSET } else { card.width - INSET };
            for (class, text, own) in parts.into_iter().filter(|(_, text, _)| !text.is_empty()) {
                if port.is_input {
                    self.text(class, [x, port.y], text);
                    x += own + 6.0;
                } else {
                    let (at, y, text) = (rounded(x), rounded(port.y), escaped(text));
                    self.put(format_args!(
                        "<text class=\"{class}\" x=\"{at}\" y=\"{y}\" text-anchor=\"end\">{text}\
                         </text>"
                    ));
                    x -= own + 6.0;
                }
            }
            if let Some([half, most]) = port.fill {
                let at = [x, port.y - 6.0];
                if card.is_live {
                    let name = escaped(&port.port);
                    self.put(format_args!("<g class=\"fill\" data-queue=\"{name}\">"));
                }
                self.bar("bar", at, BAR);
                self.bar("most", at, BAR * most);
                self.bar("half", at, BAR * half);
                if card.is_live {
                    self.0.push_str("</g>");
                }
            }
        }
    }

    fn bar(&mut self, class: &str, [x, y]: [f64; 2], width: f64) {
        let (x, y, width) = (rounded(x), rounded(y), rounded(width));
        if width > 0.0 {
            self.put(format_args!(
                "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"4\" \
                 rx=\"2\"/>"
            ));
        }
    }

    /// Dots where wires begin, and rings at unconnected queues.
    fn ports(&mut self, card: &Card, node: &Node, is_compact: bool) {
        let inputs = node.inputs.iter().zip(&card.inputs).map(|(port, y)| (port, 0.0, y, false));
        let outputs =
            node.outputs.iter().zip(&card.outputs).map(|(port, y)| (port, card.width, y, true));
        for (port, x, y, is_output) in inputs.chain(outputs) {
            let class = match port.connected {
                true if !is_output || is_compact => continue,
                true => "port",
                false => "port open",
            };
            let (x, y) = (rounded(x), rounded(*y));
            self.put(format_args!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"3.5\"/>"));
        }
    }

    /// The message rate of each output.
    fn rates(&mut self, scene: &Scene<'_>, index: usize) {
        let card = &scene.cards[index];
        for (speed, y) in scene.rates[index].iter().zip(&card.outputs) {
            if let Some(speed) = speed {
                self.text("rate", [card.width + 7.0, y - 5.0], &rate(*speed));
            }
        }
    }
}

/// The ends of a wire and what was measured: `tx/signal → rx/signal, 100 messages`.
pub fn wire_text(scene: &Scene<'_>, wire: &Wire) -> String {
    let nodes = &scene.model.nodes;
    let end = |node: usize, ports: &[Port], port: Option<usize>| {
        let name = port.and_then(|port| ports.get(port)).map_or("", |port| &port.name);
        let node = &nodes[node].name;
        if name.is_empty() { node.clone() } else { format!("{node}/{name}") }
    };
    let mut text = format!(
        "{} → {}",
        end(wire.source.0, &nodes[wire.source.0].outputs, wire.source.1),
        end(wire.target.0, &nodes[wire.target.0].inputs, wire.target.1)
    );
    if let Some(messages) = wire.messages {
        _ = write!(text, ", {} messages", count(messages));
    }
    if let Some(speed) = wire.rate_hz {
        _ = write!(text, ", {}", rate(speed));
    }
    if wire.dropped > 0.0 {
        _ = write!(text, ", {} lost", count(wire.dropped));
    }
    text
}
