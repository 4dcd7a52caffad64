//! Sizes of the items of a level, and where wires meet them.

use super::{Drawing, Item, Level};

/// Space between the frame of a group and its content.
pub const PADDING: [f64; 4] = [40.0, 24.0, 20.0, 24.0];
/// Space beside a title.
const TITLE_SPACE: f64 = 44.0;
/// Distance of the ends of wires at a folded group.
const FOLDED_STEP: f64 = 14.0;

/// Sizes of the groups known so far, and where wires meet them.
pub struct Sizes<'a> {
    /// The input.
    pub drawing: &'a Drawing,
    width: Vec<f64>,
    height: Vec<f64>,
    entries: Vec<Vec<f64>>,
    exits: Vec<Vec<f64>>,
}

impl<'a> Sizes<'a> {
    /// No group has a size yet.
    pub fn new(drawing: &'a Drawing) -> Self {
        let count = drawing.groups.len();
        Self {
            drawing,
            width: vec![0.0; count],
            height: vec![0.0; count],
            entries: vec![Vec::new(); count],
            exits: vec![Vec::new(); count],
        }
    }

    /// Width and height.
    pub fn of(&self, item: Item) -> [f64; 2] {
        match item {
            Item::Box(index) => {
                let known = &self.drawing.boxes[index];
                [known.width, known.height]
            }
            Item::Group(index) => [self.width[index], self.height[index]],
            _ => [0.0, 0.0],
        }
    }

    /// Distance of an input from the top.
    pub fn input(&self, item: Item, port: usize) -> f64 {
        match item {
            Item::Box(index) => self.drawing.boxes[index].inputs[port],
            Item::Group(index) => self.entries[index][port],
            _ => 0.0,
        }
    }

    /// Distance of an output from the top.
    pub fn output(&self, item: Item, port: usize) -> f64 {
        match item {
            Item::Box(index) => self.drawing.boxes[index].outputs[port],
            Item::Group(index) => self.exits[index][port],
            _ => 0.0,
        }
    }

    /// Adds a group after its inner groups: `size` is the size of its content, `tops` the top of
    /// each of its items.
    pub fn set_group(
        &mut self,
        group: usize,
        level: &Level,
        size: [f64; 2],
        tops: &[f64],
        is_folded: bool,
    ) {
        let (mut entries, mut exits) = (Vec::new(), Vec::new());
        for item in level.parts.iter().flat_map(|part| part.columns.iter().flatten()) {
            match level.items[*item] {
                Item::Entry(port) => entries.push((port, *item)),
                Item::Exit(port) => exits.push((port, *item)),
                _ => {}
            }
        }
        let title = self.drawing.groups[group].title_width + TITLE_SPACE;
        if is_folded {
            let most = entries.len().max(exits.len()) as f64;
            self.width[group] = title.max(120.0);
            self.height[group] = (28.0 + FOLDED_STEP * most).max(48.0);
        } else {
            self.width[group] = title.max(size[0] + PADDING[1] + PADDING[3]);
            self.height[group] = size[1] + PADDING[0] + PADDING[2];
        }
        let height = self.height[group];
        let spread = |ends: &[(usize, usize)]| {
            let mut places = vec![0.0; ends.len()];
            for (order, (port, item)) in ends.iter().enumerate() {
                let middle = (ends.len() as f64 - 1.0) / 2.0;
                places[*port] = match is_folded {
                    true => height / 2.0 + (order as f64 - middle) * FOLDED_STEP,
                    false => tops[*item] + PADDING[0],
                };
            }
            places
        };
        self.entries[group] = spread(&entries);
        self.exits[group] = spread(&exits);
    }
}
