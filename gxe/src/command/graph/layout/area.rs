//! From columns and orders of one level to coordinates.

use super::sizes::Sizes;
use super::{Item, Level};

/// Space between two boxes of a column.
pub const BOX_GAP: f64 = 22.0;
/// Space between a box and a wire that passes it.
const PASS_GAP: f64 = 16.0;
/// Space between two wires that pass a column.
const WIRE_GAP: f64 = 10.0;
/// Space between parts.
const PART_GAP: f64 = 36.0;
/// A part that is narrower than this stays in one row.
const WIDE: f64 = 3000.0;
/// A part that is wider than its height times this gets several rows: one that fills a window
/// rather than one within a group, which the level around it can put into a row of its own.
const LONG: [f64; 2] = [4.5, 12.0];
/// Width of the whole compared to its height.
const ASPECT: f64 = 1.7;
/// Alternating passes that straighten wires.
const PASSES: usize = 8;

/// Coordinates within one level.
#[derive(Default)]
pub struct Area {
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
    /// By item: its left.
    pub x: Vec<f64>,
    /// By item: its top.
    pub y: Vec<f64>,
    /// By item: left and width of its column.
    pub column: Vec<[f64; 2]>,
    /// By item: its part, and the row of the part.
    pub row: Vec<[usize; 2]>,
    /// By part.
    pub parts: Vec<PartArea>,
}

/// A part with its place.
pub struct PartArea {
    /// Its left end.
    pub left: f64,
    /// Its right end.
    pub right: f64,
    /// By row: top of the gap below it.
    pub gutters: Vec<f64>,
}

/// The pull of a wire on an item towards the height where the wire is straight: the other item, the
/// height of its end, the height of this end, and the strength.
type Pull = (usize, f64, f64, f64);
/// By side, left first, and by item.
type Pulls = [Vec<Vec<Pull>>; 2];

impl Area {
    /// Places the items of a level. The sizes of its inner groups must be known.
    pub fn new(level: &Level, sizes: &Sizes<'_>) -> Self {
        let count = level.items.len();
        let mut area = Self {
            x: vec![0.0; count],
            y: vec![0.0; count],
            column: vec![[0.0; 2]; count],
            row: vec![[0; 2]; count],
            ..Self::default()
        };
        let mut column_of = vec![0; count];
        for columns in level.parts.iter().map(|part| &part.columns) {
            for (index, column) in columns.iter().enumerate() {
                column.iter().for_each(|item| column_of[*item] = index);
            }
        }
        let pulls = pulls(level, sizes, &column_of);
        let mut extents = Vec::new();
        for part in 0..level.parts.len() {
            area.straighten(level, sizes, part, &pulls);
            extents.push(area.columns(level, sizes, part));
        }
        area.pack(level, &extents);
        area
    }

    /// Sets the heights: moves every item towards its neighbours, and keeps the order of the
    /// column.
    fn straighten(&mut self, level: &Level, sizes: &Sizes<'_>, part: usize, pulls: &Pulls) {
        let columns = &level.parts[part].columns;
        let last = columns.len() - 1;
        let tops: Vec<Vec<f64>> =
            columns.iter().map(|column| stacked(level, sizes, column)).collect();
        for (column, tops) in columns.iter().zip(&tops) {
            let middle = tops[tops.len() - 1] / 2.0;
            for (item, top) in column.iter().zip(tops) {
                self.y[*item] = top - middle;
            }
        }
        for pass in 0..PASSES {
            if pass % 2 == 0 {
                (1..=last).for_each(|at| self.relax(&columns[at], &tops[at], &pulls[..1]));
            } else {
                (0..last).rev().for_each(|at| self.relax(&columns[at], &tops[at], &pulls[1..]));
            }
        }
        for _ in 0..2 {
            (0..=last).for_each(|at| self.relax(&columns[at], &tops[at], pulls));
        }
    }

    /// The heights closest to the pulls that keep the order and distances of a column: pools items
    /// that would overlap, and places each pool at the mean of its items' pulls.
    fn relax(&mut self, column: &[usize], tops: &[f64], pulls: &[Vec<Vec<Pull>>]) {
        // Sum of weighted heights, sum of weights, number of items.
        let mut pools: Vec<(f64, f64, usize)> = Vec::new();
        for (item, top) in column.iter().zip(tops) {
            let (mut sum, mut weight) = (0.0, 0.0);
            for pulls in pulls {
                for (other, there, here, strength) in &pulls[*item] {
                    sum += strength * (self.y[*other] + there - here);
                    weight += strength;
                }
            }
            if weight == 0.0 {
                weight = 0.1;
                sum = weight * self.y[*item];
            }
            pools.push((sum - weight * top, weight, 1));
            while let [.., above, below] = pools.as_slice()
                && above.0 / above.1 > below.0 / below.1
            {
                let merged = (above.0 + below.0, above.1 + below.1, above.2 + below.2);
                pools.pop();
                pools.pop();
                pools.push(merged);
            }
        }
        let mut next = 0;
        for (sum, weight, count) in pools {
            for _ in 0..count {
                self.y[column[next]] = sum / weight + tops[next];
                next += 1;
            }
        }
    }

    /// Puts the columns of a part side by side, in several rows if there are many. Returns the
    /// width and height of the part and the gaps below its rows.
    fn columns(&mut self, level: &Level, sizes: &Sizes<'_>, part: usize) -> (f64, f64, Vec<f64>) {
        let columns = &level.parts[part].columns;
        let gap = sizes.drawing.column_gap;
        let widest = |column: &Vec<usize>| {
            column.iter().map(|item| sizes.of(level.items[*item])[0]).fold(0.0, f64::max)
        };
        let widths: Vec<f64> = columns.iter().map(widest).collect();
        // The frame of a group needs less space than another box.
        let gap_after = |at: usize| match widths.get(at + 1) {
            None => 0.0,
            Some(next) if *next == 0.0 || widths[at] == 0.0 => gap / 2.0,
            Some(_) => gap,
        };
        let total: f64 = (0..widths.len()).map(|at| widths[at] + gap_after(at)).sum();
        let extent = |columns: &[Vec<usize>], y: &[f64]| {
            let (mut top, mut bottom) = (f64::INFINITY, f64::NEG_INFINITY);
            for item in columns.iter().flatten() {
                top = top.min(y[*item]);
                bottom = bottom.max(y[*item] + sizes.of(level.items[*item])[1]);
            }
            [top, bottom]
        };
        let [top, bottom] = extent(columns, &self.y);
        let height = bottom - top;
        let long = LONG[usize::from(level.is_inner)];
        let limit = if total > WIDE && total > long * height {
            (total * (height + 60.0) * ASPECT).sqrt().max(WIDE / 2.0)
        } else {
            total
        };
        let (mut first, mut row, mut below, mut width) = (0, 0, 0.0, 0.0f64);
        let mut gutters = Vec::new();
        while first < columns.len() {
            let (mut x, mut next, mut after) = (0.0, first, 0.0);
            while next < columns.len() && (next == first || x + widths[next] <= limit + 0.5) {
                for item in &columns[next] {
                    let own = sizes.of(level.items[*item])[0];
                    self.x[*item] = x + (widths[next] - own) / 2.0;
                    self.column[*item] = [x, widths[next]];
                    self.row[*item] = [part, row];
                }
                after = gap_after(next);
                x += widths[next] + after;
                next += 1;
            }
            width = width.max(x - after);
            let [top, bottom] = extent(&columns[first..next], &self.y);
            for item in columns[first..next].iter().flatten() {
                self.y[*item] += below - top;
            }
            below += bottom - top;
            if next < columns.len() {
                gutters.push(below);
                below += 34.0 + 5.0 * (columns[next].len() as f64).min(8.0);
            }
            first = next;
            row += 1;
        }
        (width, below, gutters)
    }

    /// Puts the parts into rows of about equal length.
    fn pack(&mut self, level: &Level, extents: &[(f64, f64, Vec<f64>)]) {
        let (mut widest, mut surface) = (0.0f64, 0.0);
        for (width, height, _) in extents {
            widest = widest.max(*width);
            surface += (width + PART_GAP) * (height + PART_GAP);
        }
        let limit = widest.max((surface * ASPECT).sqrt());
        let (mut x, mut y, mut tallest) = (0.0, 0.0, 0.0f64);
        for (part, (width, height, gutters)) in level.parts.iter().zip(extents) {
            if x > 0.0 && (part.new_row || x + width > limit + 0.5) {
                x = 0.0;
                y += tallest + PART_GAP;
                tallest = 0.0;
            }
            for item in part.columns.iter().flatten() {
                self.x[*item] += x;
                self.y[*item] += y;
                self.column[*item][0] += x;
            }
            self.parts.push(PartArea {
                left: x,
                right: x + width,
                gutters: gutters.iter().map(|gutter| y + gutter).collect(),
            });
            self.width = self.width.max(x + width);
            tallest = tallest.max(*height);
            self.height = self.height.max(y + height);
            x += width + PART_GAP;
        }
    }
}

/// The pulls of all segments of a level.
fn pulls(level: &Level, sizes: &Sizes<'_>, column_of: &[usize]) -> Pulls {
    let mut pulls = [vec![Vec::new(); level.items.len()], vec![Vec::new(); level.items.len()]];
    for segment in &level.segments {
        let last = segment.path.len() - 1;
        for step in 0..last {
            let (from, to) = (segment.path[step], segment.path[step + 1]);
            let (at_from, at_to) = (level.items[from], level.items[to]);
            let is_neighbour = column_of[from].abs_diff(column_of[to]) == 1;
            let strength = match (at_from, at_to) {
                _ if !is_neighbour => 0.2,
                (Item::Bend, Item::Bend) => 6.0,
                (Item::Bend, _) | (_, Item::Bend) => 2.0,
                _ => 1.0,
            };
            let out = if step == 0 { sizes.output(at_from, segment.output) } else { 0.0 };
            let into = if step + 1 == last { sizes.input(at_to, segment.input) } else { 0.0 };
            if column_of[from] == column_of[to] {
                // Where a wire turns back, near the box it goes around.
                let turn = if step == 0 { (to, from, out) } else { (from, to, into) };
                let (bend, other, there) = turn;
                if level.items[bend] == Item::Bend {
                    pulls.iter_mut().for_each(|side| side[bend].push((other, there, 0.0, 1.0)));
                }
            } else if column_of[from] < column_of[to] {
                pulls[1][from].push((to, into, out, strength));
                pulls[0][to].push((from, out, into, strength));
            } else {
                pulls[0][from].push((to, into, out, strength));
                pulls[1][to].push((from, out, into, strength));
            }
        }
    }
    pulls
}

/// The tops of the items of a column as close together as they may be.
fn stacked(level: &Level, sizes: &Sizes<'_>, column: &[usize]) -> Vec<f64> {
    let mut tops = Vec::with_capacity(column.len());
    let mut below: Option<(f64, bool)> = None;
    for item in column {
        let kind = level.items[*item];
        let is_solid = matches!(kind, Item::Box(_) | Item::Group(_));
        let top = match below {
            None => 0.0,
            Some((bottom, true)) if is_solid => bottom + BOX_GAP,
            Some((bottom, false)) if !is_solid => bottom + WIRE_GAP,
            Some((bottom, _)) => bottom + PASS_GAP,
        };
        tops.push(top);
        below = Some((top + sizes.of(kind)[1], is_solid));
    }
    tops
}
