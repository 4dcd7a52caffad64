//! Orders each column so that few wires cross: adds bends to segments across several columns, then
//! sweeps, moving every item to the mean of its neighbours.

use super::rank::Columns;
use super::{Item, Level, Part};
use std::collections::HashMap;

/// Segments get bends as long as there are at most this many in a level.
const MOST_BENDS: usize = 200_000;
/// Segments across more columns than this are drawn straight.
const LONGEST: usize = 60;
/// Most sweeps over a level.
const SWEEPS: usize = 24;
/// Stops after this many sweeps without improvement.
const PATIENCE: usize = 6;
/// Levels with more items than this are not refined pair by pair.
const REFINED: usize = 3000;

/// Fills the parts of a level and puts bends into its segments.
pub fn order(level: &mut Level, columns: Columns) {
    let mut parts: Vec<Part> = (columns.counts.iter().zip(&columns.new_row))
        .map(|(count, new_row)| Part { columns: vec![Vec::new(); *count], new_row: *new_row })
        .collect();
    let mut column: Vec<usize> = columns.of_item.iter().map(|(_, column)| *column).collect();
    for (item, (part, column)) in columns.of_item.iter().enumerate() {
        parts[*part].columns[*column].push(item);
    }
    let boxes = level.items.len();
    add_bends(level, &columns, &mut parts, &mut column);
    for column in parts.iter_mut().flat_map(|part| &mut part.columns) {
        // Wires to many boxes pass through their middle by default.
        let first_bend = column.partition_point(|item| *item < boxes);
        let bends = column.len() - first_bend;
        column[first_bend / 2..].rotate_right(bends);
    }
    let links = Links::new(level, &column);
    let mut position = vec![0; level.items.len()];
    for part in &mut parts {
        Sweeper { part, links: &links, position: &mut position }.run();
    }
    level.parts = parts;
}

/// One bend for each column a segment passes. Segments of the same output or input share theirs
/// and look like one wire that branches.
fn add_bends(level: &mut Level, columns: &Columns, parts: &mut [Part], column_of: &mut Vec<usize>) {
    let degree = |ends: fn(&super::Segment) -> (usize, usize)| {
        let mut counts: HashMap<(usize, usize), usize> = HashMap::new();
        for segment in &level.segments {
            *counts.entry(ends(segment)).or_default() += 1;
        }
        counts
    };
    let outputs = degree(|segment| (segment.path[0], segment.output));
    let inputs = degree(|segment| (segment.path[1], segment.input));
    let longest = LONGEST.min(MOST_BENDS / level.segments.len().max(1));
    let mut shared: HashMap<(bool, bool, usize, usize, usize), usize> = HashMap::new();
    for segment in &mut level.segments {
        let (from, to) = (segment.path[0], segment.path[1]);
        let (part, first) = columns.of_item[from];
        let last = columns.of_item[to].1;
        let passed: Vec<usize> = match segment.is_back {
            true => (last..=first).rev().collect(),
            false => (first + 1..last).collect(),
        };
        if passed.len() > longest {
            continue;
        }
        let (output, input) = ((from, segment.output), (to, segment.input));
        let by_output = outputs[&output] >= inputs[&input];
        let (item, port) = if by_output { output } else { input };
        let mut path = vec![from];
        for column in passed {
            let key = (segment.is_back, by_output, item, port, column);
            path.push(*shared.entry(key).or_insert_with(|| {
                level.items.push(Item::Bend);
                column_of.push(column);
                parts[part].columns[column].push(level.items.len() - 1);
                level.items.len() - 1
            }));
        }
        path.push(to);
        segment.path = path;
    }
}

/// The neighbours of each item in the adjacent columns, and the positions of both ends on their
/// sides, from 0 to 1.
struct Links {
    left: Vec<Vec<(usize, f64, f64)>>,
    right: Vec<Vec<(usize, f64, f64)>>,
    /// For a bend where a wire turns back: the item of the same column that it goes around.
    around: Vec<Option<usize>>,
}

impl Links {
    fn new(level: &Level, column: &[usize]) -> Self {
        let count = level.items.len();
        let mut links = Self {
            left: vec![Vec::new(); count],
            right: vec![Vec::new(); count],
            around: vec![None; count],
        };
        for segment in &level.segments {
            let last = segment.path.len() - 1;
            for (step, pair) in segment.path.windows(2).enumerate() {
                let (from, to) = (pair[0], pair[1]);
                // The ports of an item are few: a hundredth of its height each keeps their order.
                let at_from = if step == 0 { share(segment.output) } else { 0.5 };
                let at_to = if step + 1 == last { share(segment.input) } else { 0.5 };
                if column[from] < column[to] {
                    links.right[from].push((to, at_from, at_to));
                    links.left[to].push((from, at_to, at_from));
                } else if column[from] > column[to] {
                    links.right[to].push((from, at_to, at_from));
                    links.left[from].push((to, at_from, at_to));
                } else {
                    let (bend, other) = if step == 0 { (to, from) } else { (from, to) };
                    links.around[bend] = Some(other).filter(|_| level.items[bend] == Item::Bend);
                }
            }
        }
        links
    }
}

/// Where a port is between the top and the bottom of its item, for any number of ports.
fn share(port: usize) -> f64 {
    let port = port as f64;
    (port + 0.5) / (port + 1.5)
}

struct Sweeper<'a> {
    part: &'a mut Part,
    links: &'a Links,
    /// By item: its position in its column.
    position: &'a mut [usize],
}

impl Sweeper<'_> {
    fn run(&mut self) {
        let columns = self.part.columns.len();
        if columns < 2 {
            return;
        }
        (0..columns).for_each(|column| self.number(column));
        let mut best = self.part.columns.clone();
        let mut fewest = self.crossings();
        let mut waited = 0;
        for sweep in 0..SWEEPS {
            if fewest == 0 || waited == PATIENCE {
                break;
            }
            if sweep % 2 == 0 {
                (1..columns).for_each(|column| self.sort(column, true));
            } else {
                (0..columns - 1).rev().for_each(|column| self.sort(column, false));
            }
            let crossings = self.crossings();
            waited += 1;
            if crossings < fewest {
                (fewest, waited) = (crossings, 0);
                best.clone_from(&self.part.columns);
            }
        }
        self.part.columns = best;
        (0..columns).for_each(|column| self.number(column));
        if self.part.columns.iter().map(Vec::len).sum::<usize>() <= REFINED {
            self.refine();
        }
    }

    fn number(&mut self, column: usize) {
        for (position, item) in self.part.columns[column].iter().enumerate() {
            self.position[*item] = position;
        }
    }

    fn sort(&mut self, column: usize, by_left: bool) {
        let links = if by_left { &self.links.left } else { &self.links.right };
        let mut keyed: Vec<(f64, usize)> = (self.part.columns[column].iter())
            .map(|item| {
                let places = links[*item]
                    .iter()
                    .map(|(other, own, at)| self.position[*other] as f64 + at - 0.01 * own);
                let around = self.links.around[*item];
                let around = around.map(|other| self.position[other] as f64 + 0.75);
                let count = links[*item].len() + usize::from(around.is_some());
                let mean = places.chain(around).sum::<f64>() / count as f64;
                (if count == 0 { self.position[*item] as f64 } else { mean }, *item)
            })
            .collect();
        keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
        self.part.columns[column] = keyed.into_iter().map(|(_, item)| item).collect();
        self.number(column);
    }

    /// Number of crossings between adjacent columns.
    fn crossings(&self) -> usize {
        let columns = &self.part.columns;
        let mut crossings = 0;
        for (column, next) in columns.iter().zip(columns.iter().skip(1)) {
            let mut ends = Vec::new();
            for item in column {
                for (other, own, at) in &self.links.right[*item] {
                    if next.get(self.position[*other]) == Some(other) {
                        let from = self.position[*item] as f64 + own;
                        ends.push((from, self.position[*other], *at));
                    }
                }
            }
            ends.sort_by(|one, other| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal));
            let mut seen = Counts::new(next.len());
            for (number, (_, position, _)) in ends.iter().enumerate() {
                crossings += number - seen.up_to(*position);
                seen.add(*position);
            }
        }
        crossings
    }

    /// Swaps neighbours while that reduces crossings.
    fn refine(&mut self) {
        for _ in 0..4 {
            let mut better = false;
            for column in 0..self.part.columns.len() {
                for upper in 1..self.part.columns[column].len() {
                    let (one, other) =
                        (self.part.columns[column][upper - 1], self.part.columns[column][upper]);
                    if self.crossings_of(one, other) > self.crossings_of(other, one) {
                        self.part.columns[column].swap(upper - 1, upper);
                        self.position[one] = upper;
                        self.position[other] = upper - 1;
                        better = true;
                    }
                }
            }
            if !better {
                return;
            }
        }
    }

    /// Crossings between the links of two items of a column when one is above the other.
    fn crossings_of(&self, above: usize, below: usize) -> usize {
        let place = |(other, _, at): &(usize, f64, f64)| self.position[*other] as f64 + at;
        let on_side = |links: &[Vec<(usize, f64, f64)>]| {
            // Two hubs have too many pairs to look at.
            if links[above].len() * links[below].len() > 10_000 {
                return 0;
            }
            let pairs = links[above]
                .iter()
                .flat_map(|one| links[below].iter().filter(move |other| place(one) > place(other)));
            pairs.count()
        };
        on_side(&self.links.left) + on_side(&self.links.right)
    }
}

/// The count of each position, with fast sums (a Fenwick tree).
struct Counts(Vec<usize>);

impl Counts {
    fn new(positions: usize) -> Self {
        Self(vec![0; positions + 1])
    }

    fn add(&mut self, position: usize) {
        let mut index = position + 1;
        while index < self.0.len() {
            self.0[index] += 1;
            index += index & index.wrapping_neg();
        }
    }

    /// The sum of the counts up to this position.
    fn up_to(&self, position: usize) -> usize {
        let (mut index, mut sum) = (position + 1, 0);
        while index > 0 {
            sum += self.0[index];
            index -= index & index.wrapping_neg();
        }
        sum
    }
}
