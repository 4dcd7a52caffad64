//! From columns and orders to coordinates, and from segments to curves.

use super::area::Area;
use super::route::Router;
use super::sizes::{PADDING, Sizes};
use super::{Drawing, Item, Plan};

/// Space around everything.
const MARGIN: f64 = 24.0;

/// The coordinates of everything.
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
            let area = &areas[index];
            sizes.set_group(index - 1, level, [area.width, area.height], &area.y, is_folded);
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
                    let [width, height] = sizes.of(*kind);
                    placed.groups[known] = Some([x, y, width, height]);
                }
                _ => {}
            }
        }
        let mut router = Router::new(level, area, &sizes, frame, origin);
        placed.curves.push(level.segments.iter().map(|known| router.curve(known)).collect());
    }
    placed
}
