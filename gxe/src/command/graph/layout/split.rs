//! Divides wires that cross groups into one segment for each level.

use super::{Drawing, Item, Level, Segment};
use std::collections::HashMap;

/// The levels with their items and segments; nothing has a column yet.
pub fn levels(drawing: &Drawing) -> Vec<Level> {
    let mut splitter = Splitter {
        levels: (0..=drawing.groups.len())
            .map(|index| Level { is_inner: index > 0, ..Level::default() })
            .collect(),
        items: HashMap::new(),
        borders: HashMap::new(),
        border_counts: vec![[0, 0]; drawing.groups.len()],
        segments: HashMap::new(),
    };
    for (index, group) in drawing.groups.iter().enumerate() {
        splitter.item(level_of(group.parent), Item::Group(index));
    }
    for (index, known) in drawing.boxes.iter().enumerate() {
        splitter.item(level_of(known.group), Item::Box(index));
    }
    for wire in 0..drawing.wires.len() {
        splitter.wire(drawing, wire);
    }
    splitter.levels
}

fn level_of(group: Option<usize>) -> usize {
    group.map_or(0, |group| group + 1)
}

/// An end of a segment: the item and which of its inputs or outputs.
type End = (Item, usize);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    Entry,
    Exit,
}

struct Splitter {
    levels: Vec<Level>,
    /// By level and item: position in the level.
    items: HashMap<(usize, Item), usize>,
    /// By group, side, node and port: the entry or exit of the group.
    borders: HashMap<(usize, Side, usize, usize), usize>,
    /// By group: number of entries and exits.
    border_counts: Vec<[usize; 2]>,
    /// By level and ends: position in the level. Several wires may share a segment.
    segments: HashMap<(usize, End, End), usize>,
}

impl Splitter {
    fn item(&mut self, level: usize, item: Item) -> usize {
        *self.items.entry((level, item)).or_insert_with(|| {
            self.levels[level].items.push(item);
            self.levels[level].items.len() - 1
        })
    }

    fn wire(&mut self, drawing: &Drawing, wire: usize) {
        let ends = drawing.wires[wire];
        let around = |node: usize| -> Vec<usize> {
            let innermost = drawing.boxes[node].group;
            std::iter::successors(innermost, |group| drawing.groups[*group].parent).collect()
        };
        let (mut out_of, mut into) = (around(ends.from), around(ends.to));
        while let (Some(one), Some(other)) = (out_of.last(), into.last())
            && one == other
        {
            out_of.pop();
            into.pop();
        }
        let mut from = (Item::Box(ends.from), ends.output);
        for group in out_of {
            let exit = self.border(group, Side::Exit, ends.from, ends.output);
            self.segment(group + 1, from, (Item::Exit(exit), 0), wire);
            from = (Item::Group(group), exit);
        }
        let common = match from.0 {
            Item::Group(group) => drawing.groups[group].parent,
            _ => drawing.boxes[ends.from].group,
        };
        let mut level = level_of(common);
        for group in into.into_iter().rev() {
            let entry = self.border(group, Side::Entry, ends.to, ends.input);
            self.segment(level, from, (Item::Group(group), entry), wire);
            from = (Item::Entry(entry), 0);
            level = group + 1;
        }
        self.segment(level, from, (Item::Box(ends.to), ends.input), wire);
    }

    fn border(&mut self, group: usize, side: Side, node: usize, port: usize) -> usize {
        let counts = &mut self.border_counts[group];
        *self.borders.entry((group, side, node, port)).or_insert_with(|| {
            let count = &mut counts[side as usize];
            *count += 1;
            *count - 1
        })
    }

    fn segment(&mut self, level: usize, from: End, to: End, wire: usize) {
        let path = vec![self.item(level, from.0), self.item(level, to.0)];
        let segments = &mut self.levels[level].segments;
        let known = *self.segments.entry((level, from, to)).or_insert_with(|| {
            segments.push(Segment {
                path,
                output: from.1,
                input: to.1,
                is_back: false,
                wires: Vec::new(),
            });
            segments.len() - 1
        });
        segments[known].wires.push(wire);
    }
}
