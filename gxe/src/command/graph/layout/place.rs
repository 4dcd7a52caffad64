//! Columns and orders become coordinates, and segments become curves.
//!
//! `assets/place.js` does the same in the page when a group is folded, step by step, with the same
//! names. Whoever changes one changes the other; a test in a browser compares what they draw.

use super::{Drawing, Item, Level, Plan, Segment};
use std::fmt::Write;

/// Space between two boxes of a column.
pub const BOX_GAP: f64 = 22.0;
/// Space between a box and a wire that passes it.
const PASS_GAP: f64 = 16.0;
/// Space between two wires that pass a column.
const WIRE_GAP: f64 = 10.0;
/// Space between parts.
const PART_GAP: f64 = 36.0;
/// Space around everything.
const MARGIN: f64 = 24.0;
/// Space between the border of a group and what is in it.
const PADDING: [f64; 4] = [40.0, 24.0, 20.0, 24.0];
/// Space that a title needs beside it.
const TITLE_SPACE: f64 = 44.0;
/// Distance of the ends of wires at a folded group.
const FOLDED_STEP: f64 = 14.0;
/// How far a wire goes around a box before it leads back.
const HOOK: f64 = 22.0;
/// A part wider than this and than so many times its height is broken into rows.
const WIDE: [f64; 2] = [3000.0, 7.0];
/// Width of the whole compared to its height.
const ASPECT: f64 = 1.7;
/// Alternating passes that straighten wires.
const PASSES: usize = 8;

/// Where everything is.
#[derive(Debug, Default)]
pub struct Placed {
    /// Left and top of each node; none if a folded group hides it.
    pub boxes: Vec<Option<[f64; 2]>>,
    /// Left, top, width and height of each group; none if a folded group hides it.
    pub groups: Vec<Option<[f64; 4]>>,
    /// By level and segment: the curve as the `d` of an SVG path; empty if hidden.
    pub curves: Vec<Vec<String>>,
    /// Width and height of the whole.
    pub size: [f64; 2],
}

/// Places everything; folded groups become small boxes.
pub fn place(drawing: &Drawing, plan: &Plan, folded: &[bool]) -> Placed {
    let mut areas: Vec<Area> = plan.levels.iter().map(|_| Area::default()).collect();
    let mut sizes = Sizes::new(drawing);
    for index in (0..plan.levels.len()).rev() {
        let level = &plan.levels[index];
        let is_folded = index > 0 && folded[index - 1];
        if !is_folded {
            areas[index] = Area::new(level, &sizes);
        }
        if index > 0 {
            sizes.set_group(index - 1, level, &areas[index], is_folded);
        }
    }
    let mut placed = Placed {
        boxes: vec![None; drawing.boxes.len()],
        groups: vec![None; drawing.groups.len()],
        curves: Vec::new(),
        size: [areas[0].width + 2.0 * MARGIN, areas[0].height + 2.0 * MARGIN],
    };
    for (index, level) in plan.levels.iter().enumerate() {
        let frame = match index {
            0 => Some([0.0, 0.0, placed.size[0], placed.size[1]]),
            _ => placed.groups[index - 1].filter(|_| !folded[index - 1]),
        };
        let Some(frame) = frame else {
            placed.curves.push(vec![String::new(); level.segments.len()]);
            continue;
        };
        let origin = match index {
            0 => [MARGIN, MARGIN],
            _ => [frame[0] + PADDING[3], frame[1] + PADDING[0]],
        };
        let area = &areas[index];
        for (item, kind) in level.items.iter().enumerate() {
            let (x, y) = (origin[0] + area.x[item], origin[1] + area.y[item]);
            match *kind {
                Item::Box(known) => placed.boxes[known] = Some([x, y]),
                Item::Group(known) => {
                    placed.groups[known] = Some([x, y, sizes.width[known], sizes.height[known]]);
                }
                _ => {}
            }
        }
        let mut router = Router { level, area, sizes: &sizes, frame, origin, used: Vec::new() };
        placed.curves.push(level.segments.iter().map(|known| router.curve(known)).collect());
    }
    placed
}

/// Sizes of groups and where wires meet them, as far as they are known already.
pub struct Sizes<'a> {
    /// What is laid out.
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

    fn input(&self, item: Item, port: usize) -> f64 {
        match item {
            Item::Box(index) => self.drawing.boxes[index].inputs[port],
            Item::Group(index) => self.entries[index][port],
            _ => 0.0,
        }
    }

    fn output(&self, item: Item, port: usize) -> f64 {
        match item {
            Item::Box(index) => self.drawing.boxes[index].outputs[port],
            Item::Group(index) => self.exits[index][port],
            _ => 0.0,
        }
    }

    /// Takes note of a group, whose inner groups are known.
    pub fn set_group(&mut self, group: usize, level: &Level, area: &Area, is_folded: bool) {
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
            self.width[group] = title.max(area.width + PADDING[1] + PADDING[3]);
            self.height[group] = area.height + PADDING[0] + PADDING[2];
        }
        let height = self.height[group];
        let spread = |ends: &[(usize, usize)]| {
            let mut places = vec![0.0; ends.len()];
            for (order, (port, item)) in ends.iter().enumerate() {
                let middle = (ends.len() as f64 - 1.0) / 2.0;
                places[*port] = match is_folded {
                    true => height / 2.0 + (order as f64 - middle) * FOLDED_STEP,
                    false => area.y[*item] + PADDING[0],
                };
            }
            places
        };
        self.entries[group] = spread(&entries);
        self.exits[group] = spread(&exits);
    }
}

/// Coordinates within one level.
#[derive(Default)]
pub struct Area {
    width: f64,
    height: f64,
    /// By item.
    x: Vec<f64>,
    y: Vec<f64>,
    /// By item: left and width of its column.
    column: Vec<[f64; 2]>,
    /// By item: its part, and the row of the part.
    row: Vec<[usize; 2]>,
    parts: Vec<PartArea>,
}

/// A part that was put into place.
struct PartArea {
    left: f64,
    right: f64,
    /// By row: top of the gap below it.
    gutters: Vec<f64>,
}

/// What pulls an item to where a wire would be straight: the other item, the height of its end,
/// the height of the own end, and how strongly.
type Pull = (usize, f64, f64, f64);
/// By side, left first, and by item.
type Pulls = [Vec<Vec<Pull>>; 2];

impl Area {
    /// Places what is in a level, whose inner groups are known.
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

    /// Heights: every item is pulled to its neighbours, and the order of the column is kept.
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

    /// The heights nearest to what the pulls want that keep order and distances of a column: pool
    /// what would overlap, and put the pool at the mean of what its items want.
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

    /// Puts the columns of a part side by side, in several rows if there are very many, and
    /// answers with the width and height of the part and the gaps below its rows.
    fn columns(&mut self, level: &Level, sizes: &Sizes<'_>, part: usize) -> (f64, f64, Vec<f64>) {
        let columns = &level.parts[part].columns;
        let gap = sizes.drawing.column_gap;
        let widest = |column: &Vec<usize>| {
            column.iter().map(|item| sizes.of(level.items[*item])[0]).fold(0.0, f64::max)
        };
        let widths: Vec<f64> = columns.iter().map(widest).collect();
        // The border of a group needs less space than another box.
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
        let limit = if total > WIDE[0] && total > WIDE[1] * height {
            (total * (height + 60.0) * ASPECT).sqrt().max(WIDE[0] / 2.0)
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
                let bend = if step == 0 { (to, from, out) } else { (from, to, into) };
                let (bend, other, there) = bend;
                pulls.iter_mut().for_each(|side| side[bend].push((other, there, 0.0, 1.0)));
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

/// Draws the segments of one level.
struct Router<'a> {
    level: &'a Level,
    area: &'a Area,
    sizes: &'a Sizes<'a>,
    /// Left, top, width and height of the group.
    frame: [f64; 4],
    origin: [f64; 2],
    /// By part and row: how many segments go through the gap below.
    used: Vec<([usize; 2], usize)>,
}

type Point = [f64; 2];

impl Router<'_> {
    fn curve(&mut self, segment: &Segment) -> String {
        let first = segment.path[0];
        let last = segment.path[segment.path.len() - 1];
        let start = self.start(first, segment.output);
        let end = self.end(last, segment.input);
        let mut pen = Pen::new(start);
        let bends = &segment.path[1..segment.path.len() - 1];
        if segment.is_back {
            if bends.is_empty() {
                pen.curve([start[0] + 80.0, start[1]], [end[0] - 80.0, end[1]], end);
                return pen.path;
            }
            for (number, bend) in bends.iter().enumerate() {
                let [left, right] = self.passage(*bend);
                if number == 0 {
                    pen.line([right[0], start[1]]);
                    let around = right[0] + HOOK;
                    pen.curve([around, start[1]], [around, right[1]], right);
                } else {
                    self.link(&mut pen, bends[number - 1], *bend, right);
                }
                pen.line(left);
            }
            let around = pen.at[0] - HOOK;
            let turn = pen.at;
            pen.curve([around, turn[1]], [around, end[1]], [turn[0], end[1]]);
            pen.line(end);
            return pen.path;
        }
        let mut before = first;
        for bend in bends {
            let [left, right] = self.passage(*bend);
            self.link(&mut pen, before, *bend, left);
            pen.line(right);
            before = *bend;
        }
        self.link(&mut pen, before, last, end);
        pen.path
    }

    fn start(&self, item: usize, port: usize) -> Point {
        let kind = self.level.items[item];
        let y = self.origin[1] + self.area.y[item] + self.sizes.output(kind, port);
        match kind {
            Item::Entry(_) => [self.frame[0], y],
            _ => [self.origin[0] + self.area.x[item] + self.sizes.of(kind)[0], y],
        }
    }

    fn end(&self, item: usize, port: usize) -> Point {
        let kind = self.level.items[item];
        let y = self.origin[1] + self.area.y[item] + self.sizes.input(kind, port);
        match kind {
            Item::Exit(_) => [self.frame[0] + self.frame[2], y],
            _ => [self.origin[0] + self.area.x[item], y],
        }
    }

    /// Left and right end of where a bend passes its column.
    fn passage(&self, bend: usize) -> [Point; 2] {
        let [left, width] = self.area.column[bend];
        let y = self.origin[1] + self.area.y[bend];
        let left = self.origin[0] + left;
        [[left, y], [left + width, y]]
    }

    /// From where the pen is, beside one item, to a point beside another.
    fn link(&mut self, pen: &mut Pen, from: usize, to: usize, end: Point) {
        let (at, next) = (self.area.row[from], self.area.row[to]);
        let start = pen.at;
        if at[1].abs_diff(next[1]) != 1 {
            let middle = (start[0] + end[0]) / 2.0;
            pen.curve([middle, start[1]], [middle, end[1]], end);
            return;
        }
        // The rows are joined like lines of text: through the gap between them.
        let upper = [at[0], at[1].min(next[1])];
        let number = self.number(upper);
        let part = &self.area.parts[upper[0]];
        let beside = 8.0 + 3.0 * (number % 4) as f64;
        let right = self.origin[0] + part.right + beside;
        let left = self.origin[0] + part.left - beside;
        let gap = self.origin[1] + part.gutters[upper[1]] + 14.0 + 5.0 * (number % 8) as f64;
        let (first, second) = if at[1] < next[1] { (right, left) } else { (left, right) };
        pen.rounded(&[[first, start[1]], [first, gap], [second, gap], [second, end[1]], end]);
    }

    fn number(&mut self, gap: [usize; 2]) -> usize {
        if let Some((_, count)) = self.used.iter_mut().find(|(known, _)| *known == gap) {
            *count += 1;
            return *count - 1;
        }
        self.used.push((gap, 1));
        0
    }
}

/// Writes the `d` of a path.
struct Pen {
    path: String,
    at: Point,
}

impl Pen {
    fn new(at: Point) -> Self {
        let mut pen = Self { path: String::new(), at };
        pen.write('M', &[at]);
        pen
    }

    fn write(&mut self, command: char, points: &[Point]) {
        self.path.push(command);
        for (index, [x, y]) in points.iter().enumerate() {
            let between = if index > 0 { " " } else { "" };
            // Writing to a `String` does not fail.
            _ = write!(self.path, "{between}{} {}", rounded(*x), rounded(*y));
        }
        self.at = points[points.len() - 1];
    }

    fn line(&mut self, to: Point) {
        if to != self.at {
            self.write('L', &[to]);
        }
    }

    fn curve(&mut self, one: Point, other: Point, to: Point) {
        self.write('C', &[one, other, to]);
    }

    /// Straight lines with round corners.
    fn rounded(&mut self, points: &[Point]) {
        for pair in points.windows(2) {
            let (corner, next) = (pair[0], pair[1]);
            self.write('L', &[toward(corner, self.at)]);
            self.write('Q', &[corner, toward(corner, next)]);
        }
        self.write('L', &[points[points.len() - 1]]);
    }
}

/// A point near another, in the direction of a third.
fn toward(from: Point, to: Point) -> Point {
    const RADIUS: f64 = 7.0;
    let (x, y) = (to[0] - from[0], to[1] - from[1]);
    let length = (x.abs() + y.abs()).max(1.0);
    let share = (RADIUS / length).min(0.5);
    [from[0] + x * share, from[1] + y * share]
}

/// Tenths, so that files stay small; never a negative zero.
pub fn rounded(number: f64) -> f64 {
    (number * 10.0 + 0.5).floor() / 10.0 + 0.0
}
