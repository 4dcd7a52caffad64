//! Aggregates of a window, such as `p95(latency)`.

use crate::expression::{Expression, split_assignment};
use gxf::{Error, Result, ResultCode};

/// What an aggregate computes. Missing values do not count.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Function {
    Count,
    Sum,
    Mean,
    Minimum,
    Maximum,
    First,
    Last,
    Deviation,
    Median,
    Percentile(f64),
}

/// `NAME = FUNCTION(EXPRESSION)`.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// Name of the column.
    pub name: String,
    /// What goes into the function.
    pub expression: Expression,
    function: Function,
}

impl Aggregate {
    /// Reads `NAME = FUNCTION(EXPRESSION)`.
    pub fn parse(text: &str) -> Result<Self> {
        let (name, call) = split_assignment(text)?;
        let split = call.split_once('(').and_then(|(f, rest)| Some((f, rest.strip_suffix(')')?)));
        let function = split.and_then(|(function, _)| match function.trim() {
            "count" => Some(Function::Count),
            "sum" => Some(Function::Sum),
            "mean" => Some(Function::Mean),
            "min" => Some(Function::Minimum),
            "max" => Some(Function::Maximum),
            "first" => Some(Function::First),
            "last" => Some(Function::Last),
            "deviation" => Some(Function::Deviation),
            "median" => Some(Function::Median),
            other => {
                let percent: f64 = other.strip_prefix('p')?.parse().ok()?;
                (0.0..=100.0).contains(&percent).then_some(Function::Percentile(percent))
            }
        });
        let (Some(function), Some((_, inner))) = (function, split) else {
            return Err(Error::new(
                ResultCode::PARAMETER_PARSER_ERROR,
                format!(
                    "`{call}` is no aggregate: write FUNCTION(expression) with one of count, sum, \
                     mean, min, max, first, last, deviation, median, or p0 to p100"
                ),
            ));
        };
        if inner.trim().is_empty() {
            return Err(Error::new(
                ResultCode::PARAMETER_PARSER_ERROR,
                format!("`{call}` has no expression in its parentheses, such as a column"),
            ));
        }
        Ok(Self { name: name.to_owned(), expression: Expression::parse(inner)?, function })
    }

    /// The aggregate of some values, which it may reorder.
    pub fn of(&self, values: &mut Vec<f64>) -> f64 {
        values.retain(|value| !value.is_nan());
        let count = values.len() as f64;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / count;
        match self.function {
            Function::Count => count,
            Function::Sum => values.iter().sum(),
            Function::Mean => mean(values),
            Function::Minimum => values.iter().copied().fold(f64::NAN, f64::min),
            Function::Maximum => values.iter().copied().fold(f64::NAN, f64::max),
            Function::First => values.first().copied().unwrap_or(f64::NAN),
            Function::Last => values.last().copied().unwrap_or(f64::NAN),
            Function::Deviation => {
                let mean = mean(values);
                (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
            }
            Function::Median => {
                if values.is_empty() {
                    return f64::NAN;
                }
                let middle = values.len() / 2;
                let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
                match below.iter().copied().reduce(f64::max) {
                    Some(lower) if count % 2.0 == 0.0 => lower.midpoint(*upper),
                    _ => *upper,
                }
            }
            Function::Percentile(percent) => {
                if values.is_empty() {
                    return f64::NAN;
                }
                // The smallest value that this share of all values does not exceed.
                let rank = (count * percent / 100.0).ceil() as usize;
                let index = rank.saturating_sub(1);
                *values.select_nth_unstable_by(index, f64::total_cmp).1
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aggregates_of_known_values() {
        for (function, expected) in [
            ("count", 4.0),
            ("sum", 10.0),
            ("mean", 2.5),
            ("min", 1.0),
            ("max", 4.0),
            ("first", 4.0),
            ("last", 1.0),
            ("median", 2.5),
            ("p50", 2.0),
            ("p95", 4.0),
            ("p0", 1.0),
            ("deviation", 1.25f64.sqrt()),
        ] {
            let aggregate = Aggregate::parse(&format!("a = {function}(x)")).unwrap();
            let mut values = vec![4.0, 3.0, f64::NAN, 2.0, 1.0];
            assert_eq!(aggregate.of(&mut values), expected, "{function}");
        }
        let median = Aggregate::parse("m = median(x)").unwrap();
        for (mut values, expected) in
            [(vec![2.0, 1.0], 1.5), (vec![3.0, 1.0, 2.0], 2.0), (vec![7.0], 7.0)]
        {
            assert_eq!(median.of(&mut values), expected);
        }
        assert!(median.of(&mut vec![f64::NAN]).is_nan());
        let error = Aggregate::parse("a = count()").unwrap_err();
        assert!(error.message().contains("`count()` has no expression in its parentheses"));
        for wrong in ["a", "a = x", "a = sum x", "a = p101(x)", "a = foo(x)", "a = sum()"] {
            assert!(Aggregate::parse(wrong).is_err(), "{wrong}");
        }
    }
}
