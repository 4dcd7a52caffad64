//! The layout: layered, from left to right, one level for each group.
//!
//! - [`split`]: divides a wire that crosses groups into one segment for each level, so that every
//!   group is laid out by itself and is a box in the level around it;
//! - [`rank`]: assigns columns to the items of a level; opens cycles at the wires that lead back in
//!   a walk in the order of the file;
//! - [`order`]: orders the items of each column so that few wires cross;
//! - [`place`]: turns columns and orders into coordinates, and segments into curves.
//!
//! The first three create a [`Plan`]. Nothing else places anything: the HTML page gets coordinates
//! with all groups open, and when one is folded it only takes empty strips out.
//!
//! The work is proportional to the number of wires, not to wires times columns, because a wire that
//! skips many columns is drawn straight.

mod area;
mod order;
pub mod place;
mod rank;
pub mod route;
mod sizes;
mod split;

use area::Area;
use sizes::Sizes;

/// The input of a layout.
#[derive(Debug, Default)]
pub struct Drawing {
    /// The nodes.
    pub boxes: Vec<BoxSize>,
    /// The groups; outer ones come before those in them.
    pub groups: Vec<GroupSize>,
    /// The wires between nodes.
    pub wires: Vec<WireEnds>,
    /// Space between two columns.
    pub column_gap: f64,
}

/// Size of a node, in the units of the drawing.
#[derive(Debug, Default)]
pub struct BoxSize {
    /// Position of the group it is in.
    pub group: Option<usize>,
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
    /// Distance of each input from the top.
    pub inputs: Vec<f64>,
    /// Distance of each output from the top.
    pub outputs: Vec<f64>,
    /// Whether it comes after all others if no wire leads to it.
    pub is_quiet: bool,
}

/// The input about a group; its size follows from its content.
#[derive(Debug, Default)]
pub struct GroupSize {
    /// Position of the group around it.
    pub parent: Option<usize>,
    /// Width of its title.
    pub title_width: f64,
}

/// The ends of a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WireEnds {
    /// Node it comes from.
    pub from: usize,
    /// Which of its outputs.
    pub output: usize,
    /// Node it leads to.
    pub to: usize,
    /// Which of its inputs.
    pub input: usize,
}

/// Columns and orders, without coordinates: first the outermost level, then one for each group.
#[derive(Debug)]
pub struct Plan {
    /// The levels.
    pub levels: Vec<Level>,
}

/// The direct content of one group.
#[derive(Debug, Default)]
pub struct Level {
    /// Whether it is the content of a group.
    pub is_inner: bool,
    /// What has a place.
    pub items: Vec<Item>,
    /// Unconnected pieces, in the order in which they are put side by side.
    pub parts: Vec<Part>,
    /// The segments between items.
    pub segments: Vec<Segment>,
}

/// An item in a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    /// A node.
    Box(usize),
    /// A group in this group.
    Group(usize),
    /// Where wires come in from outside, by position among the group's entries.
    Entry(usize),
    /// Where wires go out, by position among the group's exits.
    Exit(usize),
    /// Where a segment passes a column.
    Bend,
}

/// Connected items.
#[derive(Debug, Default)]
pub struct Part {
    /// The items of each column from top to bottom.
    pub columns: Vec<Vec<usize>>,
    /// Whether it begins a new row.
    pub new_row: bool,
}

/// The part of a wire, or of several, that lies in one level.
#[derive(Debug)]
pub struct Segment {
    /// The items it passes, in the direction of the messages.
    pub path: Vec<usize>,
    /// Which output of the first item.
    pub output: usize,
    /// Which input of the last item.
    pub input: usize,
    /// Whether it leads against the columns.
    pub is_back: bool,
    /// The wires.
    pub wires: Vec<usize>,
}

/// Columns and orders for a drawing.
pub fn plan(drawing: &Drawing) -> Plan {
    let mut levels = split::levels(drawing);
    let mut sizes = Sizes::new(drawing);
    // A group comes after the one around it, so going backwards meets the inner ones first.
    for (index, level) in levels.iter_mut().enumerate().rev() {
        let columns = rank::columns(level, &sizes);
        order::order(level, columns);
        if index > 0 {
            let area = Area::new(level, &sizes);
            sizes.set_group(index - 1, level, [area.width, area.height], &area.y, false);
        }
    }
    Plan { levels }
}

#[cfg(test)]
mod tests;
