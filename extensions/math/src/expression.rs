//! Expressions over columns. The crate `exmex` parses them; they are evaluated for [`LANES`] rows at
//! a time, so that intermediate results stay in the processor's cache.

use exmex::{
    BinOp, Express, FlatEx, MakeOperators, MatchLiteral, Operator, literal_matcher_from_pattern,
};
use gxe_columns::{Column, Content, Reader, bad_data};
use gxf::{Error, Result, ResultCode};
use pulp::{Arch, Simd, WithSimd};
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::{Deref, DerefMut, Range};
use std::str::FromStr;
use std::sync::LazyLock;

/// Rows that are evaluated at a time. The C library copies 8 KiB and more by an instruction that is
/// slower where the target is not in the cache.
pub const LANES: usize = 512;
/// Numbers in a line of the processor's cache.
const LINE: usize = 8;
/// Longest expression in bytes.
const LONGEST: usize = 4096;

/// Values of some rows: one for all of them, or one for each.
#[derive(Clone, Debug)]
pub enum Operand {
    /// The same for all rows.
    Number(f64),
    /// One for each row; the last ones may be unused.
    Lanes(Lanes),
}

/// A value for each row of a block. The memory goes to the next block of the thread.
#[derive(Debug)]
pub struct Lanes(Option<Box<[f64; LANES]>>);

thread_local! {
    static FREE: RefCell<Vec<Box<[f64; LANES]>>> = const { RefCell::new(Vec::new()) };
}

/// Most lanes that a thread keeps.
const KEPT: usize = 16;

impl Lanes {
    /// Lanes with any values.
    fn any() -> Self {
        // A thread that ends has none.
        let kept = FREE.try_with(|free| free.try_borrow_mut().ok()?.pop());
        Self(Some(kept.ok().flatten().unwrap_or_else(|| {
            // On the heap at once, without a copy from the stack.
            match vec![0.0; LANES].into_boxed_slice().try_into() {
                Ok(lanes) => lanes,
                Err(_) => unreachable!("the length is that of the array"),
            }
        })))
    }
}

impl Deref for Lanes {
    type Target = [f64; LANES];

    fn deref(&self) -> &Self::Target {
        self.0.as_ref().expect("only a drop takes them")
    }
}

impl DerefMut for Lanes {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0.as_mut().expect("only a drop takes them")
    }
}

impl Clone for Lanes {
    fn clone(&self) -> Self {
        let mut lanes = Self::any();
        lanes.copy_from_slice(&**self);
        lanes
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        let lanes = self.0.take();
        _ = FREE.try_with(|free| {
            let mut free = free.try_borrow_mut().ok()?;
            if free.len() < KEPT {
                free.extend(lanes);
            }
            Some(())
        });
    }
}

/// A function for all lanes, compiled for the vectors of each kind of processor.
struct Each<'a, F>(&'a mut [f64; LANES], F);

impl<F: Fn(f64) -> f64> WithSimd for Each<'_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self(lanes, function) = self;
        lanes.iter_mut().for_each(|lane| *lane = function(*lane));
    }
}

/// The same for pairs of lanes.
struct Pairs<'a, F>(&'a mut [f64; LANES], &'a [f64; LANES], F);

impl<F: Fn(f64, f64) -> f64> WithSimd for Pairs<'_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self(a, b, function) = self;
        a.iter_mut().zip(b.iter()).for_each(|(a, b)| *a = function(*a, *b));
    }
}

impl Default for Operand {
    fn default() -> Self {
        Self::Number(0.0)
    }
}

impl FromStr for Operand {
    type Err = std::num::ParseFloatError;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        text.parse().map(Self::Number)
    }
}

impl Operand {
    fn map(self, function: impl Fn(f64) -> f64) -> Self {
        match self {
            Self::Number(number) => Self::Number(function(number)),
            Self::Lanes(mut lanes) => {
                Arch::new().dispatch(Each(&mut lanes, function));
                Self::Lanes(lanes)
            }
        }
    }

    fn zip(self, other: Self, function: impl Fn(f64, f64) -> f64) -> Self {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Self::Number(function(a, b)),
            (Self::Number(a), Self::Lanes(mut b)) => {
                Arch::new().dispatch(Each(&mut b, |b| function(a, b)));
                Self::Lanes(b)
            }
            (Self::Lanes(mut a), Self::Number(b)) => {
                Arch::new().dispatch(Each(&mut a, |a| function(a, b)));
                Self::Lanes(a)
            }
            (Self::Lanes(mut a), Self::Lanes(b)) => {
                Arch::new().dispatch(Pairs(&mut a, &b, function));
                Self::Lanes(a)
            }
        }
    }
}

literal_matcher_from_pattern!(Literals, r"^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?");

/// The operators and functions of expressions.
#[derive(Clone, Debug)]
pub struct Operators;

fn truth(is_true: bool) -> f64 {
    f64::from(u8::from(is_true))
}

fn is_true(value: f64) -> bool {
    value != 0.0 && !value.is_nan()
}

impl MakeOperators<Operand> for Operators {
    fn make<'a>() -> Vec<Operator<'a, Operand>> {
        macro_rules! operators {
            (
                binary { $($symbol:literal $prio:literal $commutes:literal |$a:ident, $b:ident| $binary:expr;)* }
                unary { $($name:literal |$x:ident| $unary:expr;)* }
                constants { $($constant:literal $value:expr;)* }
            ) => {
                vec![
                    $(Operator::make_bin($symbol, BinOp {
                        apply: |$a: Operand, $b: Operand| $a.zip($b, |$a, $b| $binary),
                        prio: $prio,
                        is_commutative: $commutes,
                    }),)*
                    $(Operator::make_unary($name, |$x: Operand| $x.map(|$x| $unary)),)*
                    $(Operator::make_constant($constant, Operand::Number($value)),)*
                    Operator::make_bin_unary(
                        "-",
                        BinOp {
                            apply: |a: Operand, b: Operand| a.zip(b, |a, b| a - b),
                            prio: 5,
                            is_commutative: false,
                        },
                        |x: Operand| x.map(|x| -x),
                    ),
                ]
            };
        }
        operators! {
            binary {
                "else" 0 false |a, b| if a.is_nan() { b } else { a };
                "if" 1 false |a, b| if is_true(b) { a } else { f64::NAN };
                "||" 2 true |a, b| truth(is_true(a) || is_true(b));
                "&&" 3 true |a, b| truth(is_true(a) && is_true(b));
                "<" 4 false |a, b| truth(a < b);
                "<=" 4 false |a, b| truth(a <= b);
                ">" 4 false |a, b| truth(a > b);
                ">=" 4 false |a, b| truth(a >= b);
                "==" 4 true |a, b| truth(a == b);
                "!=" 4 true |a, b| truth(a != b);
                "+" 5 true |a, b| a + b;
                "*" 6 true |a, b| a * b;
                "/" 6 false |a, b| a / b;
                "%" 6 false |a, b| a.rem_euclid(b);
                "^" 7 false |a, b| a.powf(b);
                "min" 8 true |a, b| a.min(b);
                "max" 8 true |a, b| a.max(b);
                "atan2" 8 false |a, b| a.atan2(b);
                "hypot" 8 true |a, b| a.hypot(b);
            }
            unary {
                "!" |x| truth(!is_true(x));
                "abs" |x| x.abs();
                "sqrt" |x| x.sqrt();
                "exp" |x| x.exp();
                "ln" |x| x.ln();
                "log2" |x| x.log2();
                "log10" |x| x.log10();
                "sin" |x| x.sin();
                "cos" |x| x.cos();
                "tan" |x| x.tan();
                "asin" |x| x.asin();
                "acos" |x| x.acos();
                "atan" |x| x.atan();
                "sinh" |x| x.sinh();
                "cosh" |x| x.cosh();
                "tanh" |x| x.tanh();
                "floor" |x| x.floor();
                "ceil" |x| x.ceil();
                "round" |x| x.round();
                "trunc" |x| x.trunc();
                "sign" |x| if x == 0.0 { 0.0 } else { x.signum() };
                "is_missing" |x| truth(x.is_nan());
            }
            constants {
                "PI" std::f64::consts::PI;
                "E" std::f64::consts::E;
            }
        }
    }
}

/// What a word of an expression does.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// A constant.
    Value,
    /// A function of this many values.
    Function(usize),
    /// Stands before a value.
    Prefix,
    /// Stands between two values.
    Infix,
    /// Either.
    Both,
}

static WORDS: LazyLock<Vec<(String, Role)>> = LazyLock::new(|| {
    let role = |operator: &Operator<'_, Operand>| {
        let word = operator.repr();
        let is_function = word.starts_with(char::is_alphabetic) && !["if", "else"].contains(&word);
        match (operator.has_bin(), operator.has_unary()) {
            (false, false) => Role::Value,
            (true, true) => Role::Both,
            (true, false) if is_function => Role::Function(2),
            (true, false) => Role::Infix,
            (false, true) if is_function => Role::Function(1),
            (false, true) => Role::Prefix,
        }
    };
    Operators::make().iter().map(|operator| (operator.repr().to_owned(), role(operator))).collect()
});

fn is_inner(next: char) -> bool {
    next.is_alphanumeric() || next == '_' || next == '.'
}

/// Length of the number at the front of a text, with everything that sticks to it.
fn number_length(text: &str) -> usize {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let mantissa = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let exponent = text[mantissa..].strip_prefix(['e', 'E']).map_or(0, |exponent| {
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        match digits(unsigned) {
            0 => 0,
            length => 1 + exponent.len() - unsigned.len() + length,
        }
    });
    let end = mantissa + exponent;
    end + text[end..].find(|c| !is_inner(c)).unwrap_or(text.len() - end)
}

/// Checks an expression and puts every variable in braces: the parser would take `minimum` for `min`
/// and `imum`, and its errors are about its own insides. The error says what is wrong.
fn braced(text: &str) -> std::result::Result<String, String> {
    let mut braced = String::new();
    let mut rest = text;
    let mut needs_value = true;
    // For each open parenthesis, the function it belongs to, and the commas in it.
    let mut open: Vec<(Option<(&str, usize)>, usize)> = Vec::new();
    let mut function: Option<(&str, usize)> = None;
    let mut variable = None;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '{' => rest.find('}').ok_or("`{` is not closed")? + 1,
            '0'..='9' | '.' => number_length(rest),
            _ if is_inner(first) => rest.find(|c| !is_inner(c)).unwrap_or(rest.len()),
            _ => {
                let symbols = WORDS.iter().filter(|(word, _)| rest.starts_with(word.as_str()));
                symbols.map(|(word, _)| word.len()).max().unwrap_or(first.len_utf8())
            }
        };
        let (word, others) = rest.split_at(length);
        rest = others;
        if first.is_whitespace() {
            braced.push_str(word);
            continue;
        }
        let role = WORDS.iter().find(|(known, _)| known == word).map(|(_, role)| *role);
        let is_name = role.is_none() && (first.is_alphabetic() || first == '_');
        let is_value = is_name || role == Some(Role::Value) || first == '{';
        let (called, named) = (function.take(), variable.take());
        if let Some((name, 2)) = called
            && word != "("
        {
            return Err(format!("`{name}` takes its values in parentheses, as in `{name}(a, b)`"));
        }
        let missing = |what: &str| Err(format!("{what} is missing before `{word}`"));
        match (word, role) {
            _ if is_value || first.is_ascii_digit() || first == '.' => {
                if !is_value && word.parse::<f64>().is_err() {
                    return Err(format!("`{word}` is no number"));
                }
                if !needs_value {
                    return missing("an operator");
                }
                needs_value = false;
                variable = is_name.then_some(word);
            }
            (_, Some(Role::Function(count))) if needs_value => function = Some((word, count)),
            (_, Some(Role::Prefix | Role::Both)) if needs_value => {}
            (_, Some(Role::Function(_) | Role::Prefix)) => return missing("an operator"),
            (_, Some(_)) if needs_value => return missing("a value"),
            (_, Some(_)) => needs_value = true,
            ("(", _) => {
                if let Some(name) = named {
                    let functions =
                        WORDS.iter().filter(|(_, role)| matches!(role, Role::Function(_)));
                    let functions: Vec<_> = functions.map(|(name, _)| name.as_str()).collect();
                    return Err(format!(
                        "there is no function `{name}`, only {}",
                        functions.join(", ")
                    ));
                }
                if !needs_value {
                    return missing("an operator");
                }
                open.push((called, 0));
            }
            (")", _) => {
                let (called, commas) = open.pop().ok_or("`)` closes no parenthesis")?;
                if needs_value {
                    return missing("a value");
                }
                if let Some((name, takes)) = called.filter(|(_, takes)| *takes != commas + 1) {
                    let values = if takes == 1 { "value" } else { "values" };
                    return Err(format!("`{name}` takes {takes} {values}, not {}", commas + 1));
                }
            }
            (",", _) => {
                let Some((Some(_), commas)) = open.last_mut() else {
                    return Err("a comma stands between the values of a function".to_owned());
                };
                if needs_value {
                    return missing("a value");
                }
                *commas += 1;
                needs_value = true;
            }
            _ => return Err(format!("`{word}` is no operator")),
        }
        if is_name {
            braced.extend(["{", word, "}"]);
        } else {
            braced.push_str(word);
        }
    }
    if needs_value {
        return Err("a value is missing at the end".to_owned());
    }
    if !open.is_empty() {
        return Err("`(` is not closed".to_owned());
    }
    Ok(braced)
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expression {
    parsed: FlatEx<Operand, Operators, Literals>,
    text: String,
}

impl Expression {
    /// Reads an expression. The error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self> {
        let invalid = |problem: &str| {
            let shown: String = text.chars().take(80).collect();
            Error::new(
                ResultCode::PARAMETER_PARSER_ERROR,
                format!("`{shown}` is no expression: {problem}"),
            )
        };
        if text.len() > LONGEST {
            return Err(invalid(&format!("it is longer than {LONGEST} bytes")));
        }
        if text.trim().is_empty() {
            return Err(invalid("it is empty"));
        }
        let braced = braced(text).map_err(|problem| invalid(&problem))?;
        let parsed = FlatEx::parse(&braced).map_err(|error| invalid(error.msg()))?;
        Ok(Self { parsed, text: text.to_owned() })
    }

    /// Names of the variables, in the order of the values of [`Self::evaluate`].
    pub fn variables(&self) -> &[String] {
        self.parsed.var_names()
    }

    /// Evaluates up to [`LANES`] rows. `value` gives each variable by its position.
    fn block(&self, value: impl FnMut(usize) -> Result<Operand>) -> Result<Operand> {
        let values = (0..self.variables().len()).map(value).collect::<Result<Vec<_>>>()?;
        self.parsed.eval_vec(values).map_err(|error| bad_data(format!("`{}`: {error}", self.text)))
    }

    /// Evaluates `rows` rows from the columns, which are in the order of the variables, and appends
    /// them.
    pub fn evaluate(
        &self,
        columns: &[&Column<'_>],
        rows: usize,
        result: &mut Vec<f64>,
    ) -> Result<()> {
        let readers = columns.iter().map(|column| match column.content {
            Content::Number(number) => Ok(Err(number)),
            _ => column.reader().map(Ok),
        });
        let readers = readers.collect::<Result<Vec<std::result::Result<Reader<'_>, f64>>>>()?;
        self.blocks(rows, result, |index, block| match &readers[index] {
            Err(number) => Ok(Operand::Number(*number)),
            Ok(read) => {
                let mut lanes = Lanes::any();
                read(block.start, &mut lanes[..block.len()])?;
                Ok(Operand::Lanes(lanes))
            }
        })
    }

    /// Evaluates `rows` rows of which a function gives the variables.
    pub fn generate(
        &self,
        rows: usize,
        mut variable: impl FnMut(&str, usize) -> f64,
    ) -> Result<Vec<f64>> {
        let mut result = Vec::with_capacity(rows);
        let generated = self.blocks(rows, &mut result, |index, block| {
            let name = &self.variables()[index];
            let mut lanes = Lanes::any();
            for (row, lane) in block.zip(&mut lanes[..]) {
                *lane = variable(name, row);
            }
            Ok(Operand::Lanes(lanes))
        });
        generated.map(|()| result)
    }

    /// Evaluates `rows` rows in blocks. `value` gives each variable, by its position, for the rows
    /// of a block.
    fn blocks(
        &self,
        rows: usize,
        result: &mut Vec<f64>,
        mut value: impl FnMut(usize, Range<usize>) -> Result<Operand>,
    ) -> Result<()> {
        result.reserve(rows);
        let mut begin = 0;
        while begin < rows {
            let count = (rows - begin).min(LANES);
            // The processor fetches the lines of the result while it computes what they will contain.
            for line in result.spare_capacity_mut()[..count].iter_mut().step_by(LINE) {
                line.write(0.0);
            }
            match self.block(|index| value(index, begin..begin + count))? {
                Operand::Number(number) => result.extend(std::iter::repeat_n(number, count)),
                Operand::Lanes(lanes) => result.extend_from_slice(&lanes[..count]),
            }
            begin += count;
        }
        Ok(())
    }
}

/// `NAME = EXPRESSION`.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// Name of the column.
    pub name: String,
    /// Its values.
    pub expression: Expression,
}

/// Splits `NAME = REST`.
pub fn split_assignment(text: &str) -> Result<(&str, &str)> {
    let split = text.split_once('=').filter(|(name, rest)| {
        let name = name.trim();
        !rest.starts_with('=') && !name.is_empty() && !name.ends_with(['<', '>', '!'])
    });
    split.map(|(name, rest)| (name.trim(), rest.trim())).ok_or_else(|| {
        let shown: String = text.chars().take(80).collect();
        Error::new(
            ResultCode::PARAMETER_PARSER_ERROR,
            format!("`{shown}` is not `name = expression`"),
        )
    })
}

/// Fails if a name comes twice. `done` says what is done with it.
pub fn check_names<'a>(mut names: impl Iterator<Item = &'a str>, done: &str) -> Result<()> {
    let mut before = HashSet::new();
    names.find(|name| !before.insert(*name)).map_or(Ok(()), |name| {
        let text = format!("`{name}` is {done} twice");
        Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text))
    })
}

impl Assignment {
    /// Reads `NAME = EXPRESSION`.
    pub fn parse(text: &str) -> Result<Self> {
        let (name, expression) = split_assignment(text)?;
        Ok(Self { name: name.to_owned(), expression: Expression::parse(expression)? })
    }

    /// Reads several. No name may come twice.
    pub fn parse_all(texts: &[String]) -> Result<Vec<Self>> {
        let mut all: Vec<Self> = Vec::new();
        for text in texts {
            let assignment = Self::parse(text)?;
            all.push(assignment);
        }
        check_names(all.iter().map(|assignment| assignment.name.as_str()), "assigned")?;
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> f64 {
        let values = |name: &str, _| match name {
            "x" | "minimum" | "a.b" => 3.0,
            "gone" => f64::NAN,
            name => panic!("no variable {name}"),
        };
        Expression::parse(text).unwrap().generate(1, values).unwrap()[0]
    }

    #[test]
    fn expressions_mean_what_they_say() {
        for (text, expected) in [
            ("1 + 2 * 3 ^ 2", 19.0),
            ("x >= 3 && x < 4", 1.0),
            ("!(x == 3) || x != 3", 0.0),
            ("min(x, 2) + max(x, 2)", 5.0),
            ("minimum - 1", 2.0),
            ("{a.b} * 2 - a.b", 3.0),
            ("-x % 2", 1.0),
            ("5 if x > 2 else 7", 5.0),
            ("5 if x < 2 else 7", 7.0),
            ("gone else 4", 4.0),
            ("is_missing(gone) + is_missing(x)", 1.0),
            ("1e3 + 2.5e-1", 1000.25),
            ("round(sin(PI / 2))", 1.0),
            ("hypot(x, 4)", 5.0),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn rows_beyond_one_block() {
        let expression = Expression::parse("i * 2 + 1").unwrap();
        let rows = expression.generate(3 * LANES + 5, |_, row| row as f64).unwrap();
        assert!(rows.iter().enumerate().all(|(row, value)| *value == row as f64 * 2.0 + 1.0));
        assert_eq!(rows.len(), 3 * LANES + 5);
    }

    #[test]
    fn what_is_no_expression_is_an_error() {
        for (text, problem) in [
            ("", "it is empty"),
            ("1 +", "a value is missing at the end"),
            ("(1", "`(` is not closed"),
            ("1)", "`)` closes no parenthesis"),
            (")(", "`)` closes no parenthesis"),
            ("x y", "an operator is missing before `y`"),
            ("2 (x)", "an operator is missing before `(`"),
            ("2 abs(x)", "an operator is missing before `abs`"),
            ("* 2", "a value is missing before `*`"),
            ("1 + ()", "a value is missing before `)`"),
            ("max(, 1)", "a value is missing before `,`"),
            ("foo (1)", "there is no function `foo`, only min, max, atan2, hypot, abs, sqrt, "),
            ("min(1)", "`min` takes 2 values, not 1"),
            ("min(1, (2), 3)", "`min` takes 2 values, not 3"),
            ("sin(1, 2)", "`sin` takes 1 value, not 2"),
            ("1 + min 2", "`min` takes its values in parentheses, as in `min(a, b)`"),
            ("(1, 2)", "a comma stands between the values of a function"),
            ("1e", "`1e` is no number"),
            ("0x10", "`0x10` is no number"),
            ("1..2", "`1..2` is no number"),
            ("1 ? 2", "`?` is no operator"),
            ("a =", "`=` is no operator"),
            ("{a", "`{` is not closed"),
        ] {
            let error = Expression::parse(text).unwrap_err();
            let expected = format!("`{text}` is no expression: {problem}");
            assert!(error.message().starts_with(&expected), "{error} is not {expected}");
        }
        assert!(Assignment::parse("a == 3").is_err());
        assert!(Assignment::parse("a <= 3").is_err());
        assert!(Assignment::parse("= 3").is_err());
        assert_eq!(Assignment::parse(" b = a == 3").unwrap().name, "b");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[-a-z0-9 .()+*/^<>=!&|%,{}]{0,40}") {
            if let Ok(checked) = braced(&text) {
                let parsed = FlatEx::<Operand, Operators, Literals>::parse(&checked);
                prop_assert!(parsed.is_ok(), "{text}: {parsed:?}");
            }
            if let Ok(expression) = Expression::parse(&text) {
                let _ = expression.generate(2, |_, row| row as f64);
            }
        }

        #[test]
        fn sums_and_products_agree_with_rust(a in -1e6..1e6f64, b in -1e6..1e6f64, c in 1.0..1e3f64) {
            let expression = Expression::parse("(a + b) * c - b / c").unwrap();
            let values = |name: &str, _| match name { "a" => a, "b" => b, _ => c };
            let found = expression.generate(1, values).unwrap()[0];
            prop_assert_eq!(found, (a + b) * c - b / c);
        }
    }
}
