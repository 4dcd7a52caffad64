//! The layout of a node's card.

use super::format::{count, duration, rate};
use super::model::{Node, NodeKind, Port};
use super::text_width::{bold_width, fitted, width};

/// Font size of the name.
pub const NAME_SIZE: f64 = 13.0;
/// Font size of everything else.
pub const TEXT_SIZE: f64 = 10.5;
/// From the edge of a card to its texts.
pub const INSET: f64 = 12.0;
/// Width of the bar that shows how full a queue was.
pub const BAR: f64 = 34.0;

const LINE: f64 = 15.0;
const PORT_LINE: f64 = 18.0;
const NARROWEST: f64 = 132.0;
const WIDEST: f64 = 300.0;
/// Codelets named on a card.
const MOST_TYPES: usize = 3;
/// Terms named on a card.
const MOST_TERMS: usize = 6;
/// Queues named on a card; the others share the last line.
const MOST_PORTS: usize = 24;

/// A card: size and texts.
#[derive(Debug, Default)]
pub struct Card {
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
    /// Height of each input.
    pub inputs: Vec<f64>,
    /// Height of each output.
    pub outputs: Vec<f64>,
    /// Lines below each other, with the height of their base line.
    pub lines: Vec<Line>,
    /// The terms in frames: left, top, width, text.
    pub chips: Vec<(f64, f64, f64, String)>,
    /// Names of queues, with the height of their base line.
    pub port_texts: Vec<PortText>,
    /// Share of the run that the entity's ticks took, and the height of its bar.
    pub load: Option<(f64, f64)>,
}

/// A line of text.
#[derive(Debug)]
pub struct Line {
    /// Class in the style sheet.
    pub class: &'static str,
    /// Height of the base line.
    pub y: f64,
    /// The text.
    pub text: String,
}

/// The name of a queue.
#[derive(Debug)]
pub struct PortText {
    /// Whether it is on the left.
    pub is_input: bool,
    /// Height of the base line.
    pub y: f64,
    /// Name of the queue.
    pub name: String,
    /// Capacity and policy, or the most messages measured.
    pub queue: String,
    /// Whether messages were lost.
    pub is_lossy: bool,
    /// Median and most messages as shares of the capacity.
    pub fill: Option<[f64; 2]>,
}

impl Card {
    /// The card of a node. A compact one has only the name and the ends of wires.
    pub fn new(node: &Node, is_compact: bool) -> Self {
        match node.kind {
            _ if is_compact => Self::name_only(node),
            NodeKind::Topic => Self::name_only(node),
            _ => Self::full(node),
        }
    }

    fn name_only(node: &Node) -> Self {
        let wanted = bold_width(&node.label, NAME_SIZE) + 2.0 * INSET;
        let card_width = wanted.clamp(60.0, WIDEST).ceil();
        let ports = node.inputs.len().max(node.outputs.len());
        let height = (ports as f64 * 9.0 + 12.0).max(30.0);
        let spread = |count: usize| {
            let at =
                |index: usize| height / 2.0 + (index as f64 - (count as f64 - 1.0) / 2.0) * 9.0;
            (0..count).map(at).collect()
        };
        Self {
            width: card_width,
            height,
            inputs: spread(node.inputs.len()),
            outputs: spread(node.outputs.len()),
            lines: vec![Line {
                class: "name",
                y: height / 2.0 + 4.5,
                text: name(node, card_width - 2.0 * INSET),
            }],
            ..Self::default()
        }
    }

    fn full(node: &Node) -> Self {
        let types = few(node.types.iter().cloned());
        let unknown = few(node.unknown());
        let measured = measured(node);
        let inputs: Vec<PortText> = port_texts(&node.inputs, true);
        let outputs: Vec<PortText> = port_texts(&node.outputs, false);
        let mut wanted = bold_width(&node.label, NAME_SIZE);
        for text in types.iter().chain(&unknown).chain(&measured) {
            wanted = wanted.max(width(text, TEXT_SIZE));
        }
        for row in 0..inputs.len().max(outputs.len()) {
            let one = |ports: &[PortText]| ports.get(row).map_or(0.0, PortText::width);
            let between = if row < inputs.len() && row < outputs.len() { 14.0 } else { 0.0 };
            wanted = wanted.max(one(&inputs) + between + one(&outputs));
        }
        for term in node.terms.iter().take(MOST_TERMS) {
            wanted = wanted.max(width(term, TEXT_SIZE) + 12.0);
        }
        let mut card = Self {
            width: (wanted + 2.0 * INSET).clamp(NARROWEST, WIDEST).ceil(),
            ..Self::default()
        };
        let inner = card.width - 2.0 * INSET;
        let mut y = 21.0;
        card.lines.push(Line { class: "name", y, text: name(node, inner) });
        for (class, texts) in [("type", types), ("unknown", unknown), ("measured", measured)] {
            for text in texts {
                y += LINE;
                card.lines.push(Line { class, y, text: fitted(&text, TEXT_SIZE, inner) });
            }
        }
        if let Some(load) = node.measured.as_ref().and_then(|measured| measured.load) {
            y += 7.0;
            card.load = Some((load.clamp(0.0, 1.0), y));
        }
        y += 8.0;
        card.ports(node, inputs, outputs, y);
        let rows = node.inputs.len().max(node.outputs.len()).min(MOST_PORTS);
        y += rows as f64 * PORT_LINE;
        y = card.chips(&node.terms, y, inner);
        card.height = y + 5.0;
        card
    }

    fn ports(&mut self, node: &Node, inputs: Vec<PortText>, outputs: Vec<PortText>, top: f64) {
        let at = |row: usize| top + row.min(MOST_PORTS - 1) as f64 * PORT_LINE + PORT_LINE / 2.0;
        self.inputs = (0..node.inputs.len()).map(at).collect();
        self.outputs = (0..node.outputs.len()).map(at).collect();
        let inner = self.width - 2.0 * INSET;
        let both = !inputs.is_empty() && !outputs.is_empty();
        let room = if both { (inner - 14.0) * 0.55 } else { inner };
        let all = [inputs, outputs];
        for ports in all {
            for (row, mut port) in ports.into_iter().enumerate().take(MOST_PORTS) {
                port.y = at(row) + 3.5;
                let fixed = port.width() - width(&port.name, TEXT_SIZE);
                let opposite = if port.is_input { node.outputs.len() } else { node.inputs.len() };
                let room = if row < opposite { room } else { inner };
                if port.width() > room && self.width >= WIDEST {
                    port.name = fitted(&port.name, TEXT_SIZE, (room - fixed).max(30.0));
                }
                self.port_texts.push(port);
            }
        }
    }

    fn chips(&mut self, terms: &[String], mut y: f64, inner: f64) -> f64 {
        let mut shown: Vec<String> = terms.iter().take(MOST_TERMS).cloned().collect();
        if terms.len() > MOST_TERMS {
            shown.push(format!("+{}", terms.len() - MOST_TERMS));
        }
        if shown.is_empty() {
            return y + 3.0;
        }
        y += 5.0;
        let mut x = 0.0;
        for text in shown {
            let text = fitted(&text, TEXT_SIZE, inner - 12.0);
            let own = width(&text, TEXT_SIZE) + 12.0;
            if x > 0.0 && x + own > inner {
                x = 0.0;
                y += 20.0;
            }
            self.chips.push((INSET + x, y, own, text));
            x += own + 5.0;
        }
        y + 20.0
    }
}

impl PortText {
    /// Width of the text about the queue; losses are bold.
    pub fn queue_width(&self) -> f64 {
        if self.is_lossy {
            bold_width(&self.queue, TEXT_SIZE)
        } else {
            width(&self.queue, TEXT_SIZE)
        }
    }

    fn width(&self) -> f64 {
        let queue = if self.queue.is_empty() { 0.0 } else { 6.0 + self.queue_width() };
        let bar = if self.fill.is_some() { BAR + 6.0 } else { 0.0 };
        width(&self.name, TEXT_SIZE) + queue + bar
    }
}

/// The name, in bold.
fn name(node: &Node, room: f64) -> String {
    fitted(&node.label, bold_width("x", NAME_SIZE) / width("x", 1.0), room)
}

/// The first few, and the number of others.
fn few(types: impl Iterator<Item = String>) -> Vec<String> {
    let mut types: Vec<String> = types.collect();
    if types.len() > MOST_TYPES {
        let more = format!("+{} more", types.len() - MOST_TYPES);
        types.truncate(MOST_TYPES);
        types.push(more);
    }
    types
}

/// Up to two lines: how often it ticked, how long ticks took, and what it waited for.
pub fn measured(node: &Node) -> Vec<String> {
    let Some(measured) = &node.measured else { return Vec::new() };
    let parts = [
        measured.rate_hz.map(rate),
        measured.median_ns.map(duration),
        measured.p99_ns.map(|p99| format!("p99 {}", duration(p99))),
    ];
    let mut lines: Vec<String> = Vec::new();
    let first: Vec<String> = parts.into_iter().flatten().collect();
    if !first.is_empty() {
        lines.push(first.join(" · "));
    }
    if let Some((term, time)) = &measured.waited {
        lines.push(format!("waited {} for {term}", duration(*time)));
    }
    if lines.is_empty()
        && let Some(ticks) = measured.ticks
    {
        lines.push(format!("{} ticks", count(ticks)));
    }
    lines
}

fn port_texts(ports: &[Port], is_input: bool) -> Vec<PortText> {
    ports.iter().map(|port| port_text(port, is_input)).collect()
}

fn port_text(port: &Port, is_input: bool) -> PortText {
    let mut text = PortText {
        is_input,
        y: 0.0,
        name: port.name.clone(),
        queue: if is_input || port.is_queue_chosen { port.queue.clone() } else { String::new() },
        is_lossy: false,
        fill: None,
    };
    let Some(fill) = port.measured else { return text };
    let share = |fill: Option<f64>, capacity: f64| {
        if capacity > 0.0 { (fill.unwrap_or(0.0) / capacity).clamp(0.0, 1.0) } else { 0.0 }
    };
    if is_input {
        text.fill = Some([share(fill.median, fill.capacity), share(fill.max, fill.capacity)]);
        if let Some(most) = fill.max {
            text.queue = format!("{} of {}", count(most), count(fill.capacity));
        }
    }
    if fill.dropped > 0.0 {
        text.queue = format!("{} lost", count(fill.dropped));
        text.is_lossy = true;
    }
    text
}
