//! Assigns columns to items.

use super::area::BOX_GAP;
use super::sizes::Sizes;
use super::{Drawing, Item, Level};

/// The parts of a level, each with the column of its items.
pub struct Columns {
    /// By item: its part and its column there.
    pub of_item: Vec<(usize, usize)>,
    /// By part: how many columns it has.
    pub counts: Vec<usize>,
    /// By part: whether it begins a new row.
    pub new_row: Vec<bool>,
}

/// The longest column, in the units of the drawing, for few items; see [`Ranker::tallest`].
const TALLEST: f64 = 1400.0;

/// Assigns columns and finds the segments that lead back.
pub fn columns(level: &mut Level, sizes: &Sizes<'_>) -> Columns {
    let count = level.items.len();
    let mut after = vec![Vec::new(); count];
    let mut before_count = vec![0usize; count];
    for (index, segment) in level.segments.iter().enumerate() {
        let (from, to) = (segment.path[0], segment.path[1]);
        after[from].push((to, index));
        before_count[to] += 1;
    }
    for index in back_segments(&level.items, &after, &before_count) {
        level.segments[index].is_back = true;
    }
    let mut ranker = Ranker::new(level, sizes);
    ranker.longest_paths();
    ranker.move_sources_right();
    parts(level, sizes.drawing, &ranker.column)
}

/// The segments that lead back in the walk. Without them there is no cycle.
fn back_segments(
    items: &[Item],
    after: &[Vec<(usize, usize)>],
    before_count: &[usize],
) -> Vec<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; items.len()];
    let mut back = Vec::new();
    let sources = (0..items.len()).filter(|item| before_count[*item] == 0);
    for start in sources.chain(0..items.len()) {
        if state[start] != State::New {
            continue;
        }
        state[start] = State::Open;
        // The item, and how many of its segments were followed.
        let mut stack = vec![(start, 0)];
        while let Some((item, followed)) = stack.last_mut() {
            let Some(&(next, segment)) = after[*item].get(*followed) else {
                state[*item] = State::Done;
                stack.pop();
                continue;
            };
            *followed += 1;
            match state[next] {
                State::New => {
                    state[next] = State::Open;
                    stack.push((next, 0));
                }
                State::Open => back.push(segment),
                State::Done => {}
            }
        }
    }
    back
}

struct Ranker<'a> {
    items: &'a [Item],
    /// By item, once a neighbour: what it leads to and what leads to it, cycles opened.
    after: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
    height: Vec<f64>,
    column: Vec<usize>,
    /// Height of each column so far.
    filled: Vec<f64>,
    tallest: f64,
}

impl<'a> Ranker<'a> {
    fn new(level: &'a Level, sizes: &Sizes<'_>) -> Self {
        let count = level.items.len();
        let (mut after, mut before) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for segment in &level.segments {
            let (mut from, mut to) = (segment.path[0], segment.path[1]);
            if segment.is_back {
                (from, to) = (to, from);
            }
            if from != to {
                after[from].push(to);
                before[to].push(from);
            }
        }
        for list in after.iter_mut().chain(&mut before) {
            list.sort_unstable();
            list.dedup();
        }
        let all = level.items.iter().map(|item| sizes.of(*item));
        let height: Vec<f64> = all.clone().map(|[_, height]| height + BOX_GAP).collect();
        let gap = sizes.drawing.column_gap;
        let area: f64 = all.map(|[width, height]| (width + gap) * (height + BOX_GAP)).sum();
        // The height of a drawing that is somewhat wider than high.
        let tallest = (area / 1.6).sqrt().max(TALLEST);
        Self {
            items: &level.items,
            after,
            before,
            height,
            column: vec![0; count],
            filled: Vec::new(),
            tallest,
        }
    }

    /// Puts every item as far left as its predecessors allow, but not into a full column.
    fn longest_paths(&mut self) {
        let has_entries = self.items.iter().any(|item| matches!(item, Item::Entry(_)));
        let mut waiting: Vec<usize> = self.before.iter().map(Vec::len).collect();
        let mut ready: std::collections::BTreeSet<(usize, usize)> = (0..self.items.len())
            .filter(|item| waiting[*item] == 0)
            .map(|item| (0, item))
            .collect();
        while let Some((earliest, item)) = ready.pop_first() {
            let is_entry = matches!(self.items[item], Item::Entry(_));
            let first = usize::from(has_entries && !is_entry);
            let mut column = earliest.max(first);
            // Unconnected items are put into rows later; entries must stay at the frame.
            let is_alone = self.before[item].is_empty() && self.after[item].is_empty();
            if !is_entry && !is_alone {
                while self.fill(column) > 0.0
                    && self.fill(column) + self.height[item] > self.tallest
                {
                    column += 1;
                }
                self.filled[column] += self.height[item];
            }
            self.column[item] = column;
            for next in self.after[item].clone() {
                waiting[next] -= 1;
                self.column[next] = self.column[next].max(column + 1);
                if waiting[next] == 0 {
                    ready.insert((self.column[next], next));
                }
            }
        }
        let last = (0..self.items.len())
            .filter(|item| !matches!(self.items[*item], Item::Exit(_)))
            .map(|item| self.column[item])
            .max()
            .unwrap_or(0);
        for (item, kind) in self.items.iter().enumerate() {
            if matches!(kind, Item::Exit(_)) {
                self.column[item] = last + 1;
            }
        }
    }

    fn fill(&mut self, column: usize) -> f64 {
        if self.filled.len() <= column {
            self.filled.resize(column + 1, 0.0);
        }
        self.filled[column]
    }

    /// Moves an item without incoming wires right before its first successor.
    fn move_sources_right(&mut self) {
        for item in 0..self.items.len() {
            if !self.before[item].is_empty() || matches!(self.items[item], Item::Entry(_)) {
                continue;
            }
            let nearest = self.after[item].iter().map(|next| self.column[*next]).min();
            let Some(wanted) = nearest.map(|nearest| nearest - 1) else { continue };
            let here = self.column[item];
            if wanted > here && self.fill(wanted) + self.height[item] <= self.tallest {
                self.filled[here] -= self.height[item];
                self.filled[wanted] += self.height[item];
                self.column[item] = wanted;
            }
        }
    }
}

/// Assigns connected items to parts; those at the frame of the group share one.
fn parts(level: &Level, drawing: &Drawing, column: &[usize]) -> Columns {
    let count = level.items.len();
    let mut leader: Vec<usize> = (0..count).collect();
    fn find(leader: &mut [usize], mut item: usize) -> usize {
        while leader[item] != item {
            leader[item] = leader[leader[item]];
            item = leader[item];
        }
        item
    }
    let border = (0..count).find(|item| is_border(level.items[*item]));
    let at_border = (0..count).filter(|item| is_border(level.items[*item]));
    let together = level.segments.iter().map(|segment| (segment.path[0], segment.path[1]));
    let together = together.chain(at_border.filter_map(|item| Some((border?, item))));
    for (one, other) in together {
        let (one, other) = (find(&mut leader, one), find(&mut leader, other));
        leader[one.max(other)] = one.min(other);
    }
    let is_quiet = |item: usize| matches!(level.items[item], Item::Box(index) if drawing.boxes[index].is_quiet);
    // By leader: how many items, and whether anything but quiet ones.
    let mut sizes = vec![(0usize, false); count];
    for item in 0..count {
        let first = find(&mut leader, item);
        sizes[first].0 += 1;
        sizes[first].1 |= !is_quiet(item);
    }
    let border = border.map(|item| find(&mut leader, item));
    let mut leaders: Vec<usize> = (0..count).filter(|item| leader[*item] == *item).collect();
    let class = |first: usize| match sizes[first] {
        _ if border == Some(first) => 0,
        (2.., true) => 1,
        (_, true) => 2,
        _ => 3,
    };
    leaders.sort_by_key(|first| class(*first));
    let mut part_of = vec![0; count];
    let (mut new_row, mut previous) = (Vec::new(), None);
    for (part, first) in leaders.iter().enumerate() {
        part_of[*first] = part;
        new_row.push(previous.is_some_and(|previous| previous != class(*first)));
        previous = Some(class(*first));
    }
    // Skips columns without items of the part.
    let mut used = vec![std::collections::BTreeMap::new(); leaders.len()];
    let mut of_item = Vec::with_capacity(count);
    for item in 0..count {
        let part = part_of[find(&mut leader, item)];
        used[part].insert(column[item], 0);
        of_item.push((part, column[item]));
    }
    for columns in &mut used {
        columns.values_mut().enumerate().for_each(|(index, number)| *number = index);
    }
    for (part, column) in &mut of_item {
        *column = used[*part][column];
    }
    let counts = used.iter().map(std::collections::BTreeMap::len).collect();
    Columns { of_item, counts, new_row }
}

fn is_border(item: Item) -> bool {
    matches!(item, Item::Entry(_) | Item::Exit(_))
}
