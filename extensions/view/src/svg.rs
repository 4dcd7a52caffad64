//! The picture of some curves.

use crate::curve::{Curve, range};
use plotters::prelude::*;

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
    let wider = |(low, high): (f64, f64)| {
        let margin = if high > low { (high - low) * 0.04 } else { 1.0 };
        (low - margin)..(high + margin)
    };
    let x_range = range(points().map(|point| (point.x, point.x))).unwrap_or((0.0, 1.0));
    let y_range = range(points().map(|point| (point.low, point.high))).unwrap_or((0.0, 1.0));
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d(wider(x_range), wider(y_range))?;
    chart.configure_mesh().x_desc(x).light_line_style(WHITE).draw()?;
    for (curve, color) in curves.iter().zip(COLORS.iter().cycle()) {
        let color = *color;
        // The extremes between two points are part of the curve.
        let line = curve.buckets.iter().flat_map(|point| match point.count {
            1 => vec![(point.x, point.low)],
            _ => vec![(point.x, point.low), (point.x, point.high)],
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
