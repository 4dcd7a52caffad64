//! `Plot`.

use crate::curve::Curve;
use crate::describe::number_text;
use crate::output::{print, save};
use crate::svg;
use gxe_columns::{Content, Rows};
use gxf::prelude::*;
use std::path::PathBuf;

/// Plots columns of numbers as curves: one line of a terminal for each when the graph ends, and an
/// SVG file. A long stream takes no more memory than a short one: neighbouring points become one
/// that keeps their extremes.
#[derive(Component, Default)]
pub struct Plot {
    /// Receiver for the rows.
    #[parameter(carries = [Tensor, f64, f32, i64, u64, i32, u32, i16, u16, i8, u8, bool])]
    input: Parameter<Handle<Receiver>>,
    /// Columns to plot [default: all with numbers but `x`].
    columns: Parameter<Option<Vec<String>>>,
    /// Column of the horizontal axis [default: the number of the row].
    x: Parameter<Option<String>>,
    /// SVG file to write when the graph ends [default: none].
    svg: Parameter<Option<PathBuf>>,
    /// Title of the picture [default: the name of the entity].
    title: Parameter<Option<String>>,
    /// Prints a line for each curve when the graph ends.
    #[parameter(default = true)]
    print: Parameter<bool>,
    /// Characters of such a curve.
    #[parameter(default = 60, minimum = 1, maximum = 1000)]
    width: Parameter<u64>,
    curves: Vec<Curve>,
    rows: u64,
}

/// There are at most this many curves.
const MOST_CURVES: usize = 64;

impl Codelet for Plot {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.rows = 0;
        let names = self.columns.iter().flatten();
        self.curves = names.map(|name| Curve::new(name)).collect();
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        let rows = Rows::of(&message)?;
        if rows.is_empty() {
            return Ok(());
        }
        if self.curves.is_empty() {
            let is_plotted = |name: &str, content: &Content<'_>| {
                !matches!(content, Content::Texts(_)) && self.x.as_deref() != Some(name)
            };
            let columns = rows.columns().iter().filter(|c| is_plotted(c.name, &c.content));
            self.curves = columns.take(MOST_CURVES).map(|c| Curve::new(c.name)).collect();
        }
        let xs = match self.x.as_deref() {
            Some(name) => rows.column(name)?.to_numbers(rows.len())?,
            None => (self.rows..).take(rows.len()).map(|row| row as f64).collect(),
        };
        for curve in &mut self.curves {
            let ys = rows.column(&curve.name)?.to_numbers(rows.len())?;
            if ys.len() != xs.len() {
                let text = format!("column `{}` has several numbers a row", curve.name);
                return Err(gxe_columns::bad_data(text));
            }
            xs.iter().zip(ys).for_each(|(x, y)| curve.add(*x, y));
        }
        self.rows += rows.len() as u64;
        Ok(())
    }

    fn stop(&mut self, context: &TickContext) -> Result<()> {
        if *self.print {
            let longest = self.curves.iter().map(|curve| curve.name.escape_debug().count()).max();
            let longest = longest.unwrap_or(0);
            let mut text = String::new();
            for curve in &self.curves {
                let Some((low, high)) = curve.range() else { continue };
                let values = if curve.count() == 1 { "value" } else { "values" };
                text.push_str(&format!(
                    "{:<longest$}  {}  from {} to {}, {} {values}\n",
                    curve.name.escape_debug().to_string(),
                    curve.sparkline(*self.width as usize),
                    number_text(low),
                    number_text(high),
                    curve.count()
                ));
            }
            print(context, &text)?;
        }
        if let Some(path) = self.svg.as_deref() {
            let name = context.entity_name();
            let title = self.title.as_deref().unwrap_or(&name);
            let x = self.x.as_deref().unwrap_or("row");
            let drawn = svg::draw(title, x, &self.curves).map_err(|error| {
                Error::failure(format!("`{}` cannot be drawn: {error}", path.display()))
            })?;
            save(context, path, &drawn)?;
        }
        Ok(())
    }
}
