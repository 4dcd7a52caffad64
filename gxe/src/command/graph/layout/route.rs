//! From segments to curves.

use super::area::Area;
use super::sizes::Sizes;
use super::{Item, Level, Segment};
use std::fmt::Write;

/// How far a wire goes around a box before it leads back.
const HOOK: f64 = 22.0;

/// Draws the segments of one level.
pub struct Router<'a> {
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

impl<'a> Router<'a> {
    /// No segment is drawn yet. The frame is left, top, width and height of the group, the origin
    /// left and top of what is in it.
    pub fn new(
        level: &'a Level,
        area: &'a Area,
        sizes: &'a Sizes<'a>,
        frame: [f64; 4],
        origin: [f64; 2],
    ) -> Self {
        Self { level, area, sizes, frame, origin, used: Vec::new() }
    }

    /// The `d` of an SVG path.
    pub fn curve(&mut self, segment: &Segment) -> String {
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
