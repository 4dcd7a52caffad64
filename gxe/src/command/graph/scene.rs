//! A model with sizes and a plan, for SVG and HTML.

use super::card::Card;
use super::layout::place::{Placed, place};
use super::layout::{BoxSize, Drawing, GroupSize, Plan, WireEnds, plan};
use super::model::{Model, Node, NodeKind, WireKind};
use super::text_width::{bold_width, width};

/// With this many nodes or more, cards show only names: more would not be readable, and files would
/// be large.
const COMPACT_FROM: usize = 1500;
/// Space between columns; more where rates are written on the wires.
const COLUMN_GAP: [f64; 2] = [64.0, 92.0];
/// How strongly the card is coloured whose entity took most time.
const STRONGEST: f64 = 0.4;
/// Height at which a reference ends.
const REFERENCE_AT: f64 = 17.0;

/// Sizes and a plan of a model.
pub struct Scene<'a> {
    /// What is drawn.
    pub model: &'a Model,
    /// By node.
    pub cards: Vec<Card>,
    /// Sizes, for the layout.
    pub drawing: Drawing,
    /// Columns and orders.
    pub plan: Plan,
    /// By group: whether it is folded.
    pub folded: Vec<bool>,
    /// By node and output: the rate of the fastest wire.
    pub rates: Vec<Vec<Option<f64>>>,
    /// Whether the cards have names only.
    pub is_compact: bool,
    /// The highest load of a node.
    most_load: f64,
}

impl<'a> Scene<'a> {
    /// Lays out a model. `folded` says which groups are folded.
    pub fn new(model: &'a Model, folded: Vec<bool>) -> Self {
        let is_compact = model.nodes.len() >= COMPACT_FROM;
        let cards: Vec<Card> = model.nodes.iter().map(|node| Card::new(node, is_compact)).collect();
        let is_measured = model.wires.iter().any(|wire| wire.rate_hz.is_some());
        let mut drawing =
            Drawing { column_gap: COLUMN_GAP[usize::from(is_measured)], ..Drawing::default() };
        for (node, card) in model.nodes.iter().zip(&cards) {
            // After the queues: where references end.
            let with_reference = |ports: &[f64]| {
                let mut ports = ports.to_vec();
                ports.push(REFERENCE_AT.min(card.height / 2.0));
                ports
            };
            drawing.boxes.push(BoxSize {
                group: node.group,
                width: card.width,
                height: card.height,
                inputs: with_reference(&card.inputs),
                outputs: with_reference(&card.outputs),
                is_quiet: node.kind == NodeKind::Resource,
            });
        }
        for group in &model.groups {
            let title_width = title_width(&group.label);
            drawing.groups.push(GroupSize { parent: group.parent, title_width });
        }
        for wire in &model.wires {
            let (from, to) = (wire.source.0, wire.target.0);
            drawing.wires.push(WireEnds {
                from,
                output: wire.source.1.unwrap_or(cards[from].outputs.len()),
                to,
                input: wire.target.1.unwrap_or(cards[to].inputs.len()),
            });
        }
        let mut rates: Vec<Vec<Option<f64>>> =
            model.nodes.iter().map(|node| vec![None; node.outputs.len()]).collect();
        for wire in &model.wires {
            if let ((node, Some(output)), Some(rate)) = (wire.source, wire.rate_hz) {
                let fastest = &mut rates[node][output];
                *fastest = Some(fastest.map_or(rate, |known: f64| known.max(rate)));
            }
        }
        let plan = plan(&drawing);
        let most_load = model.nodes.iter().filter_map(load).fold(0.0, f64::max);
        Self { model, cards, drawing, plan, folded, rates, is_compact, most_load }
    }

    /// The coordinates of everything.
    pub fn place(&self) -> Placed {
        place(&self.drawing, &self.plan, &self.folded)
    }

    /// How strongly a node's card is coloured, from 0 to 1, by the time its ticks took: most for the
    /// entity whose ticks took longest.
    pub fn heat(&self, node: usize) -> Option<f64> {
        let own = load(&self.model.nodes[node])?;
        // The root tells small shares apart.
        (self.most_load > 0.0).then(|| STRONGEST * (own / self.most_load).max(0.0).sqrt())
    }

    /// Whether a segment consists of references only.
    pub fn is_reference(&self, wires: &[usize]) -> bool {
        wires.iter().all(|wire| self.model.wires[*wire].kind == WireKind::Reference)
    }
}

/// Share of the run that a node's ticks took.
fn load(node: &Node) -> Option<f64> {
    node.measured.as_ref()?.load
}

/// Space between the title of a group and its addresses.
pub const BESIDE: f64 = 8.0;

/// Width of the title of a group and of its addresses, which stand beside it.
fn title_width(label: &str) -> f64 {
    let mut lines = label.lines();
    let title = bold_width(lines.next().unwrap_or_default(), 12.0);
    match lines.collect::<Vec<_>>().join(", ").as_str() {
        "" => title,
        below => title + BESIDE + width(below, 11.0),
    }
}
