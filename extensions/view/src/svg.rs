//! The picture of some curves.

use crate::curve::{Curve, range};
use crate::describe::number_text;
use plotters::prelude::*;
use std::ops::Range;

/// Colours that people with any kind of sight can tell apart (Okabe and Ito).
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// Draws the curves. `x` is the name of the horizontal axis.
///
/// # Errors
/// The text says what the drawing library did not do.
pub fn draw(title: &str, x: &str, curves: &[Curve]) -> Result<String, String> {
    let mut svg = String::new();
    draw_into(&mut svg, title, x, curves).map_err(|error| error.to_string())?;
    Ok(svg)
}

fn draw_into(
    svg: &mut String,
    title: &str,
    x: &str,
    curves: &[Curve],
) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(svg, (900, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let points = || curves.iter().flat_map(|curve| &curve.buckets);
    let horizontal = Axis::of(range(points().map(|point| (point.x, point.x))));
    let vertical = Axis::of(range(points().map(|point| (point.low, point.high))));
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d(horizontal.range.clone(), vertical.range.clone())?;
    let (x_label, y_label) = (|at: &f64| horizontal.label(*at), |at: &f64| vertical.label(*at));
    let mut mesh = chart.configure_mesh();
    if horizontal.shrinks {
        mesh.x_label_formatter(&x_label);
    }
    if vertical.shrinks {
        mesh.y_label_formatter(&y_label);
    }
    mesh.x_desc(x).light_line_style(WHITE).draw()?;
    for (curve, color) in curves.iter().zip(COLORS.iter().cycle()) {
        let color = *color;
        // The extremes between two points are part of the curve.
        let line = curve.buckets.iter().flat_map(|point| {
            let x = horizontal.at(point.x);
            match point.count {
                1 => vec![(x, vertical.at(point.low))],
                _ => vec![(x, vertical.at(point.low)), (x, vertical.at(point.high))],
            }
        });
        chart
            .draw_series(LineSeries::new(line, color.stroke_width(2)))?
            .label(curve.name.as_str())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    root.present()?;
    Ok(())
}

/// Values that are too large for the drawing library are divided by this.
const SHRINK: f64 = 1024.0;
/// The drawing library steps over an axis forever where a step is lost in rounding, so an axis is at
/// least this long, as a share of its values.
const LEAST_LENGTH: f64 = 1e-9;

/// What an axis shows.
struct Axis {
    range: Range<f64>,
    shrinks: bool,
}

impl Axis {
    fn of(range: Option<(f64, f64)>) -> Self {
        let (low, high) = range.unwrap_or((0.0, 1.0));
        let largest = low.abs().max(high.abs());
        let mut axis = Self { range: low..high, shrinks: largest > f64::MAX / SHRINK };
        let (low, high) = (axis.at(low), axis.at(high));
        let margin = if high > low { (high - low) * 0.04 } else { 1.0 };
        let margin = margin.max(low.abs().max(high.abs()) * LEAST_LENGTH);
        axis.range = (low - margin)..(high + margin);
        axis
    }

    fn at(&self, value: f64) -> f64 {
        if self.shrinks { value / SHRINK } else { value }
    }

    /// The text for a place of an axis that shrinks its values.
    fn label(&self, place: f64) -> String {
        number_text((place * SHRINK).clamp(f64::MIN, f64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_numbers_can_be_drawn() {
        for ends in [
            [1.7e308, -1e308],
            [f64::MAX, f64::MIN],
            [f64::MAX; 2],
            [f64::MAX, 0.0],
            [1e300; 2],
            [1e17; 2],
            [1e16, 1e16 + 2.0],
            [-1e15 - 0.125, -1e15],
            [5e-324, 1e-323],
            [0.0, 1e-300],
            [0.0; 2],
        ] {
            let mut curve = Curve::new("c");
            ends.iter().for_each(|end| curve.add(*end, *end));
            let svg = draw("any", "x", &[curve]).unwrap();
            assert!(svg.contains("<polyline "), "{ends:?}: {svg}");
            assert!(!svg.contains("inf") && !svg.contains("NaN"), "{ends:?}: {svg}");
        }
    }
}
