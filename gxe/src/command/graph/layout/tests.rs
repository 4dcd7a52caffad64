use super::place::{Placed, place};
use super::*;
use proptest::prelude::*;

/// A drawing of boxes of one size with two inputs and two outputs each.
fn drawing(groups: &[Option<usize>], boxes: &[Option<usize>], wires: &[[usize; 4]]) -> Drawing {
    let group = |parent: &Option<usize>| GroupSize { parent: *parent, title_width: 50.0 };
    let one = |(index, group): (usize, &Option<usize>)| BoxSize {
        group: *group,
        width: 120.0 + (index % 3) as f64 * 30.0,
        height: 60.0 + (index % 4) as f64 * 25.0,
        inputs: vec![20.0, 40.0],
        outputs: vec![25.0, 45.0],
        is_quiet: index % 11 == 10,
    };
    Drawing {
        boxes: boxes.iter().enumerate().map(one).collect(),
        groups: groups.iter().map(group).collect(),
        wires: wires
            .iter()
            .map(|[from, output, to, input]| WireEnds {
                from: *from,
                output: *output,
                to: *to,
                input: *input,
            })
            .collect(),
        column_gap: 64.0,
    }
}

fn laid_out(drawing: &Drawing) -> (Plan, Placed) {
    let plan = plan(drawing);
    let placed = place(drawing, &plan, &vec![false; drawing.groups.len()]);
    (plan, placed)
}

fn frame(drawing: &Drawing, placed: &Placed, index: usize) -> [f64; 4] {
    let [x, y] = placed.boxes[index].unwrap();
    [x, y, drawing.boxes[index].width, drawing.boxes[index].height]
}

fn overlap([x, y, width, height]: [f64; 4], other: [f64; 4]) -> bool {
    x < other[0] + other[2]
        && other[0] < x + width
        && y < other[1] + other[3]
        && other[1] < y + height
}

fn within([x, y, width, height]: [f64; 4], outer: [f64; 4]) -> bool {
    outer[0] <= x
        && outer[1] <= y
        && x + width <= outer[0] + outer[2]
        && y + height <= outer[1] + outer[3]
}

#[test]
fn a_chain_is_a_straight_line() {
    let drawing = drawing(&[], &[None; 3], &[[0, 0, 1, 0], [1, 0, 2, 0]]);
    let (plan, placed) = laid_out(&drawing);
    assert_eq!(plan.levels[0].parts[0].columns, [[0], [1], [2]]);
    let ends = |curve: &str| -> (String, String) {
        let y = |point: &str| point.rsplit(' ').next().unwrap().to_owned();
        (y(curve.split('C').next().unwrap()), y(curve))
    };
    for curve in &placed.curves[0] {
        let (begin, end) = ends(curve);
        assert_eq!(begin, end, "{curve}");
    }
}

#[test]
fn a_cycle_is_opened_where_the_walk_came_from() {
    let drawing = drawing(&[], &[None; 3], &[[0, 0, 1, 0], [1, 0, 2, 0], [2, 0, 0, 0]]);
    let (plan, _) = laid_out(&drawing);
    let back: Vec<bool> = plan.levels[0].segments.iter().map(|segment| segment.is_back).collect();
    assert_eq!(back, [false, false, true]);
    // It passes all three columns on its way back.
    assert_eq!(plan.levels[0].segments[2].path.len(), 5);
}

#[test]
fn wires_of_one_output_share_their_way() {
    let wires =
        [[0, 0, 1, 0], [1, 0, 2, 0], [2, 0, 3, 0], [2, 0, 4, 0], [0, 1, 3, 1], [0, 1, 4, 1]];
    let (plan, _) = laid_out(&drawing(&[], &[None; 5], &wires));
    let bends = plan.levels[0].items.iter().filter(|item| **item == Item::Bend).count();
    assert_eq!(bends, 2, "one in each of the two columns between");
}

#[test]
fn a_wire_into_two_groups_has_a_segment_in_each() {
    let drawing = drawing(&[None, Some(0)], &[None, Some(1)], &[[0, 0, 1, 0]]);
    let (plan, placed) = laid_out(&drawing);
    let counts: Vec<usize> = plan.levels.iter().map(|level| level.segments.len()).collect();
    assert_eq!(counts, [1, 1, 1]);
    let [_, outer] = [&placed.curves[0][0], &placed.curves[1][0]];
    let meets = placed.curves[0][0].rsplit(' ').next().unwrap();
    assert!(outer.starts_with(&format!("M{} {meets}", placed.groups[0].unwrap()[0])), "{outer}");
}

#[test]
fn a_wire_across_very_many_columns_is_drawn_straight() {
    let mut wires: Vec<[usize; 4]> = (0..299).map(|at| [at, 0, at + 1, 0]).collect();
    wires.push([0, 1, 299, 1]);
    let (plan, _) = laid_out(&drawing(&[], &[None; 300], &wires));
    assert_eq!(plan.levels[0].segments[299].path, [0, 299]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn nothing_overlaps_and_groups_hold_what_is_theirs(
        parents in prop::collection::vec(prop::option::of(0usize..6), 0..6),
        places in prop::collection::vec(prop::option::of(0usize..6), 1..40),
        ends in prop::collection::vec((0usize..40, 0usize..2, 0usize..40, 0usize..2), 0..70),
        folded in prop::collection::vec(any::<bool>(), 6),
    ) {
        let groups: Vec<Option<usize>> = (parents.iter().enumerate())
            .map(|(index, parent)| parent.filter(|parent| *parent < index))
            .collect();
        let boxes: Vec<Option<usize>> =
            places.iter().map(|group| group.filter(|group| *group < groups.len())).collect();
        let wires: Vec<[usize; 4]> = (ends.iter())
            .map(|(from, output, to, input)| {
                [from % boxes.len(), *output, to % boxes.len(), *input]
            })
            .collect();
        let drawing = drawing(&groups, &boxes, &wires);
        let plan = plan(&drawing);
        for folded in [vec![false; groups.len()], folded[..groups.len()].to_vec()] {
            let placed = place(&drawing, &plan, &folded);
            let page = [0.0, 0.0, placed.size[0], placed.size[1]];
            let around = |group: Option<usize>| group.map_or(Some(page), |group| {
                placed.groups[group].filter(|_| !folded[group])
            });
            // By group around: what stands side by side.
            let mut beside: Vec<(Option<usize>, [f64; 4])> = Vec::new();
            for (index, group) in boxes.iter().enumerate() {
                prop_assert_eq!(placed.boxes[index].is_some(), around(*group).is_some());
                if placed.boxes[index].is_some() {
                    beside.push((*group, frame(&drawing, &placed, index)));
                }
            }
            for (index, parent) in groups.iter().enumerate() {
                prop_assert_eq!(placed.groups[index].is_some(), around(*parent).is_some());
                beside.extend(placed.groups[index].map(|frame| (*parent, frame)));
            }
            for (number, (group, frame)) in beside.iter().enumerate() {
                prop_assert!(within(*frame, around(*group).unwrap()));
                for (other, next) in &beside[number + 1..] {
                    prop_assert!(group != other || !overlap(*frame, *next), "{frame:?} {next:?}");
                }
            }
            for curve in placed.curves.iter().flatten() {
                prop_assert!(!curve.contains("NaN") && !curve.contains("inf"), "{}", curve);
            }
        }
    }
}
