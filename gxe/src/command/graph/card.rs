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

/// Lines that the page fills in: how often and how long the entity ticks, and what it waits for.
const LIVE: [&str; 2] = ["live-rate", "live-now"];

const LINE: f64 = 15.0;
const PORT_LINE: f64 = 18.0;
/// Width of every card. What does not fit ends with an ellipsis, so that the layout does not
/// depend on the length of texts; tooltips and the page's panel have all of it.
const WIDTH: f64 = 196.0;
/// Width of a card with a name only.
const NAME_WIDTH: f64 = 132.0;
/// Space between the texts of an input and an output in one line.
const BETWEEN: f64 = 14.0;
/// What an output has at least if the input beside it shows what was measured.
const LEAST: f64 = 36.0;
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
    /// Whether the page fills in what the entity does now.
    pub is_live: bool,
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
    /// Name of the queue, in full.
    pub port: String,
    /// The same, as far as there is room.
    pub name: String,
    /// Capacity and policy, or the most messages measured.
    pub queue: String,
    /// Whether that was measured.
    pub is_measured: bool,
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
        let ports = node.inputs.len().max(node.outputs.len());
        let height = (ports as f64 * 9.0 + 12.0).max(30.0);
        let spread = |count: usize| {
            let at =
                |index: usize| height / 2.0 + (index as f64 - (count as f64 - 1.0) / 2.0) * 9.0;
            (0..count).map(at).collect()
        };
        Self {
            width: NAME_WIDTH,
            height,
            inputs: spread(node.inputs.len()),
            outputs: spread(node.outputs.len()),
            lines: vec![Line {
                class: "name",
                y: height / 2.0 + 4.5,
                text: name(node, NAME_WIDTH - INSET),
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
        let mut card = Self { width: WIDTH, ..Self::default() };
        let inner = card.width - 2.0 * INSET;
        let mut y = 21.0;
        card.lines.push(Line { class: "name", y, text: name(node, inner) });
        for (class, texts) in [("type", types), ("unknown", unknown), ("measured", measured)] {
            for text in texts {
                y += LINE;
                card.lines.push(Line { class, y, text: fitted(&text, TEXT_SIZE, inner) });
            }
        }
        if node.is_live {
            card.is_live = true;
            for class in LIVE {
                y += LINE;
                card.lines.push(Line { class, y, text: String::new() });
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

    fn ports(
        &mut self,
        node: &Node,
        mut inputs: Vec<PortText>,
        mut outputs: Vec<PortText>,
        top: f64,
    ) {
        let at = |row: usize| top + row.min(MOST_PORTS - 1) as f64 * PORT_LINE + PORT_LINE / 2.0;
        self.inputs = (0..node.inputs.len()).map(at).collect();
        self.outputs = (0..node.outputs.len()).map(at).collect();
        let inner = self.width - 2.0 * INSET;
        for row in 0..inputs.len().max(outputs.len()).min(MOST_PORTS) {
            let y = at(row) + 3.5;
            match (inputs.get_mut(row), outputs.get_mut(row)) {
                (Some(input), Some(output)) => {
                    (input.y, output.y) = (y, y);
                    let both = inner - BETWEEN;
                    let least = if input.is_measured { LEAST } else { both / 2.0 };
                    output.fit((both - input.width()).max(least));
                    input.fit(both - output.width());
                }
                (Some(port), None) | (None, Some(port)) => {
                    port.y = y;
                    port.fit(inner);
                }
                (None, None) => {}
            }
        }
        let inputs = inputs.into_iter().take(MOST_PORTS);
        self.port_texts.extend(inputs.chain(outputs.into_iter().take(MOST_PORTS)));
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

    /// Leaves out or cuts what is wider than the room, the least important first.
    fn fit(&mut self, room: f64) {
        if self.width() > room {
            self.fill = None;
        }
        if self.width() > room && !self.is_measured {
            self.queue.clear();
        }
        let others = self.width() - width(&self.name, TEXT_SIZE);
        self.name = fitted(&self.name, TEXT_SIZE, room - others);
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

/// Everything about a node in lines, for its tooltip.
pub fn tooltip(node: &Node) -> String {
    let mut lines = vec![node.name.clone()];
    lines.extend(node.types.iter().cloned().chain(node.unknown()).chain(measured(node)));
    lines.extend(node.terms.iter().map(|term| format!("runs when: {term}")));
    for port in node.inputs.iter().chain(&node.outputs).filter(|port| !port.queue.is_empty()) {
        lines.push(format!("{}: {}", port.name, port.queue));
    }
    lines.join("\n")
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

/// Up to two lines: how often it ticked, how long ticks took, and which deadlines it missed or what
/// it waited for.
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
    if let Some(missed) = measured.missed.filter(|missed| *missed > 0.0) {
        lines.push(format!("missed {} deadlines", count(missed)));
    } else if let Some((term, time)) = &measured.waited {
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
        port: port.name.clone(),
        name: port.name.clone(),
        queue: if is_input || port.is_queue_chosen { port.queue.clone() } else { String::new() },
        is_measured: false,
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
            text.is_measured = true;
        }
    }
    if fill.dropped > 0.0 {
        text.queue = format!("{} lost", count(fill.dropped));
        text.is_measured = true;
        text.is_lossy = true;
    }
    text
}
