//! `CsvSource`.

use crate::counted;
use crate::source::{BadInput, BadInputs, Disconnect, Lines, Parser, Source, source};
use crate::table::Table;
use csv_core::ReadRecordResult;
use gxe_columns::Values;
use gxf::prelude::*;

/// A row has at most this many fields.
const MOST_FIELDS: usize = 4096;

/// Publishes the rows of a CSV text (RFC 4180), some in each message: a column for each field, named
/// as the header says. The first value of a column decides whether it has numbers or texts; an
/// empty field is a missing value. Numbers are rounded to float64, so integers of more than 15 digits
/// belong in `texts`. It is its own scheduling term, and ends at the end of the input.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct CsvSource {
    /// Where the text comes from: a path, `-` for standard input, `tcp://HOST:PORT`,
    /// `tcp-listen://HOST:PORT` or `udp://HOST:PORT`.
    address: Parameter<String>,
    /// Transmitter for the rows.
    #[parameter(carries = Tensor)]
    output: Parameter<Handle<Transmitter>>,
    /// Maximum number of rows in a message.
    #[parameter(default = 1024, minimum = 1)]
    rows: Parameter<u64>,
    /// Names of the fields of a text without a header line [default: the first line is the header].
    names: Parameter<Option<Vec<String>>>,
    /// Columns to publish [default: all].
    columns: Parameter<Option<Vec<String>>>,
    /// Columns that have texts even if they look like numbers, such as `007`.
    texts: Parameter<Option<Vec<String>>>,
    /// The character between two fields.
    #[parameter(default = String::from(","))]
    delimiter: Parameter<String>,
    /// Longest row in bytes.
    #[parameter(default = 1048576, minimum = 1, unit = "bytes")]
    longest_line: Parameter<u64>,
    /// What to do with rows that are too long, have too few or too many fields, or something else
    /// than a number in a column of numbers.
    #[parameter(default = BadInput::fail)]
    bad_input: Parameter<BadInput>,
    /// What to do after a peer has gone.
    #[parameter(default = Disconnect::end)]
    on_disconnect: Parameter<Disconnect>,
    source: Source<CsvParser>,
}

impl CsvSource {
    fn parser(&self) -> Result<CsvParser> {
        let delimiter = match self.delimiter.as_bytes() {
            [byte @ (b'\t' | b' '..=b'~')] if *byte != b'"' => *byte,
            _ => {
                return Err(Error::new(
                    ResultCode::PARAMETER_OUT_OF_RANGE,
                    format!(
                        "`delimiter` is one character of ASCII, such as `,` or `;`, not {:?}",
                        self.delimiter.as_str()
                    ),
                ));
            }
        };
        let mut parser = CsvParser {
            lines: Lines::new(*self.longest_line),
            bad: BadInputs::new(*self.bad_input, &self.address),
            limit: usize::try_from(*self.rows).unwrap_or(usize::MAX),
            delimiter,
            wanted: self.columns.as_deref().map(<[String]>::to_vec),
            texts: self.texts.as_deref().unwrap_or_default().to_vec(),
            fields: None,
            table: Table::default(),
            unquoted: Vec::new(),
            ends: vec![0; MOST_FIELDS],
        };
        if let Some(names) = self.names.as_deref() {
            let names: Vec<_> = names.iter().map(String::as_str).collect();
            parser.set_header(&names).map_err(|problem| {
                Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, format!("`names`: {problem}"))
            })?;
        }
        Ok(parser)
    }
}

source!(CsvSource);

/// Rows for the next message.
pub struct CsvParser {
    lines: Lines,
    bad: BadInputs,
    limit: usize,
    delimiter: u8,
    wanted: Option<Vec<String>>,
    texts: Vec<String>,
    /// For each field, its column in the table if it is wanted. `None` before the header.
    fields: Option<Vec<Option<usize>>>,
    table: Table,
    /// Memory for rows with quotes.
    unquoted: Vec<u8>,
    ends: Vec<usize>,
}

impl CsvParser {
    /// Makes the columns.
    fn set_header(&mut self, names: &[&str]) -> std::result::Result<(), String> {
        let mut fields = Vec::new();
        for (index, name) in names.iter().map(|name| name.trim()).enumerate() {
            if name.is_empty() {
                return Err(format!("field {} has no name", index + 1));
            }
            if names[..index].iter().any(|other| other.trim() == name) {
                return Err(format!("two fields have the name `{name}`"));
            }
            let is_wanted = self.wanted.as_ref().is_none_or(|list| list.iter().any(|w| w == name));
            fields.push(is_wanted.then(|| {
                self.table.add_column(name, self.texts.iter().any(|text| text == name));
                self.table.columns.len() - 1
            }));
        }
        let mut asked = self.wanted.iter().flatten().chain(&self.texts);
        if let Some(missing) = asked.find(|name| !names.iter().any(|n| n.trim() == **name)) {
            let there: Vec<_> = names.iter().map(|name| format!("`{}`", name.trim())).collect();
            return Err(format!("there is no column `{missing}`, only {}", there.join(", ")));
        }
        self.fields = Some(fields);
        Ok(())
    }

    /// Reads a line without quotes.
    fn plain_row(&mut self, line: &[u8]) -> Result<()> {
        let Some(fields) = &self.fields else {
            if memchr::memchr(b'\r', line).is_some() {
                let text = "it has a carriage return without a newline, which ends no line";
                return self.header_result(self.lines.number, Err(text.to_owned()));
            }
            let header = str::from_utf8(line).map_err(|_| "the header is not UTF-8".to_owned());
            let delimiter = char::from(self.delimiter);
            let set = header
                .and_then(|header| self.set_header(&header.split(delimiter).collect::<Vec<_>>()));
            return self.header_result(self.lines.number, set);
        };
        let row = self.table.rows;
        let mut at = 0;
        let mut problem = None;
        self.table.begin();
        for (index, field) in fields.iter().enumerate() {
            if at > line.len() {
                problem = Some((at, wrong_length(index, fields.len())));
                break;
            }
            let rest = &line[at..];
            let column = field.map(|column| &mut self.table.columns[column]);
            // The usual case: a number up to the delimiter.
            if let Some(column) = &column
                && let Some(Values::Numbers(_)) = column.values
                && let Some((number, length)) = number_at(rest)
                && number.is_finite()
                && rest.get(length).is_none_or(|next| *next == self.delimiter)
                && let Some(column) = column_of(&mut self.table, *field)
            {
                column.number(row, number);
                at += length + 1;
                continue;
            }
            let length = memchr::memchr(self.delimiter, rest).unwrap_or(rest.len());
            if let Some(column) = column_of(&mut self.table, *field)
                && let Err(text) = add_field(column, row, &rest[..length])
            {
                problem = Some((at + 1, text));
                break;
            }
            at += length + 1;
        }
        if problem.is_none() && at <= line.len() {
            let most = counted(fields.len() as u64, "field");
            problem = Some((at + 1, format!("the row has more than {most}")));
        }
        self.end_row(self.lines.number, problem)
    }

    /// Reads the row at the front of `bytes`, which has quotes. Returns the bytes used, or `None`
    /// if the row is not complete.
    fn quoted_row(&mut self, bytes: &[u8], at_end: bool) -> Result<Option<usize>> {
        let mut reader = csv_core::ReaderBuilder::new().delimiter(self.delimiter).build();
        let limit = self.lines.longest.min(bytes.len());
        if self.unquoted.len() < limit {
            self.unquoted.resize(limit, 0);
        }
        let (output, ends) = (&mut self.unquoted, &mut self.ends);
        let (mut result, used, written, mut fields) =
            reader.read_record(&bytes[..limit], output, ends);
        if result == ReadRecordResult::InputEmpty && at_end && limit == bytes.len() {
            // The newline that the last row lacks, which does not end a row within quotes.
            let more = reader.read_record(b"\n", &mut output[written..], &mut ends[fields..]);
            (result, fields) = (more.0, fields + more.3);
        }
        let mut used = used;
        let line = self.lines.number + 1;
        match result {
            ReadRecordResult::Record => {}
            ReadRecordResult::InputEmpty if limit == bytes.len() && !at_end => return Ok(None),
            ReadRecordResult::InputEmpty if limit == bytes.len() => {
                let text = "a quote is never closed";
                if self.fields.is_none() {
                    return self.header_result(line, Err(text.to_owned())).map(|()| None);
                }
                self.bad.add(line, 0, text)?;
                return Ok(Some(self.skip_line(bytes)));
            }
            ReadRecordResult::OutputEndsFull => {
                let text = format!("a row has more than {MOST_FIELDS} fields");
                self.bad.add(line, 0, &text)?;
                return Ok(Some(self.skip_line(bytes)));
            }
            _ => {
                let text = format!("the row is longer than {limit} bytes; is a quote not closed?");
                self.bad.add(line, 0, &text)?;
                return Ok(Some(self.skip_line(bytes)));
            }
        }
        // After a carriage return, the reader leaves the newline.
        if bytes.get(used) == Some(&b'\n') && used > 0 && bytes[used - 1] == b'\r' {
            used += 1;
        }
        self.lines.number += memchr::memchr_iter(b'\n', &bytes[..used]).count() as u64;
        let (unquoted, ends) = (std::mem::take(&mut self.unquoted), std::mem::take(&mut self.ends));
        let mut begin = 0;
        let values = ends[..fields].iter().map(|end| {
            let value = &unquoted[begin..*end];
            begin = *end;
            value
        });
        let taken = self.row_of(line, &values.collect::<Vec<_>>());
        (self.unquoted, self.ends) = (unquoted, ends);
        taken.map(|()| Some(used))
    }

    /// Leaves out the line at the front.
    fn skip_line(&mut self, bytes: &[u8]) -> usize {
        self.lines.number += 1;
        memchr::memchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1)
    }

    /// Takes in a row that begins in a line and is split into fields.
    fn row_of(&mut self, line: u64, values: &[&[u8]]) -> Result<()> {
        let Some(fields) = &self.fields else {
            let names: std::result::Result<Vec<&str>, _> =
                values.iter().map(|value| str::from_utf8(value)).collect();
            let set = names.map_err(|_| "the header is not UTF-8".to_owned());
            let set = set.and_then(|names| self.set_header(&names));
            return self.header_result(line, set);
        };
        let mut problem = None;
        if fields.len() != values.len() {
            let is_long = self.lines.number > line;
            let question = if is_long { "; is a quote not closed?" } else { "" };
            problem = Some((0, wrong_length(values.len(), fields.len()) + question));
        }
        let row = self.table.rows;
        self.table.begin();
        for (field, value) in fields.iter().zip(values) {
            if problem.is_none()
                && let Some(column) = column_of(&mut self.table, *field)
                && let Err(text) = add_field(column, row, value)
            {
                problem = Some((0, text));
            }
        }
        self.end_row(line, problem)
    }

    fn header_result(&self, line: u64, set: std::result::Result<(), String>) -> Result<()> {
        set.map_err(|problem| {
            gxe_columns::bad_data(format!(
                "{}:{line}: the header cannot be used: {problem}",
                self.bad.address
            ))
        })
    }

    fn end_row(&mut self, line: u64, problem: Option<(usize, String)>) -> Result<()> {
        match problem {
            None => self.table.end(),
            Some((column, text)) => {
                self.table.undo();
                self.bad.add(line, column, &text)?;
            }
        }
        Ok(())
    }
}

fn wrong_length(fields: usize, header: usize) -> String {
    format!("the row has {} instead of {header}", counted(fields as u64, "field"))
}

/// The number at the front of a text, and its length.
fn number_at(text: &[u8]) -> Option<(f64, usize)> {
    decimal_at(text).or_else(|| fast_float2::parse_partial(text).ok())
}

/// A decimal number of up to 15 digits without an exponent, which is most of what files have. Its
/// digits and the power of ten are exact in a `f64`, so one division rounds correctly.
fn decimal_at(text: &[u8]) -> Option<(f64, usize)> {
    const POWERS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let is_negative = text.first() == Some(&b'-');
    let begin = usize::from(is_negative);
    let mut digits = 0_u64;
    let mut add_digits = |from: usize| {
        let mut at = from;
        while let Some(digit) = text.get(at).map(|byte| byte.wrapping_sub(b'0'))
            && digit < 10
        {
            // Of too many digits, nothing is used.
            digits = digits.wrapping_mul(10).wrapping_add(u64::from(digit));
            at += 1;
        }
        at
    };
    let mut end = add_digits(begin);
    let whole = end - begin;
    let mut fraction = 0;
    if text.get(end) == Some(&b'.') {
        let from = end + 1;
        end = add_digits(from);
        fraction = end - from;
    }
    let has_exponent = matches!(text.get(end), Some(b'e' | b'E'));
    if !(1..=15).contains(&(whole + fraction)) || has_exponent {
        return None;
    }
    let number = digits as f64 / POWERS[fraction];
    Some((if is_negative { -number } else { number }, end))
}

/// The column of a field that is wanted.
fn column_of(table: &mut Table, field: Option<usize>) -> Option<&mut crate::table::GrowingColumn> {
    table.columns.get_mut(field?)
}

/// Adds a field to a column. The error says what is wrong with it.
fn add_field(
    column: &mut crate::table::GrowingColumn,
    row: usize,
    field: &[u8],
) -> std::result::Result<(), String> {
    let not_utf8 = |_| format!("`{}` is not UTF-8", column.name);
    let is_text = matches!(column.values, Some(Values::Texts(_)));
    let text = str::from_utf8(field).map_err(not_utf8)?;
    let trimmed = text.trim();
    if trimmed.is_empty() {
        column.missing();
        return Ok(());
    }
    if text.contains('\n') {
        return Err(format!("`{}` has a line break, which no column can hold", column.name));
    }
    let number = (!is_text).then(|| fast_float2::parse::<f64, _>(trimmed).ok()).flatten();
    let shown: String = trimmed.chars().take(40).collect();
    if number.is_some_and(f64::is_infinite) && trimmed.contains(|c: char| c.is_ascii_digit()) {
        return Err(format!(
            "`{}` is {shown:?}, which is out of the range of float64",
            column.name
        ));
    }
    let fits = match number {
        Some(number) => column.number(row, number),
        None => column.text(row, text),
    };
    if fits {
        return Ok(());
    }
    Err(format!(
        "`{}` is {shown:?}, not a number; `texts: [{}]` reads texts",
        column.name, column.name
    ))
}

impl Parser for CsvParser {
    const HAS_LINES: bool = true;

    fn parse(&mut self, bytes: &[u8], at_end: bool) -> Result<usize> {
        let mut begin = 0;
        while !self.is_full() {
            let rest = &bytes[begin..];
            let end = memchr::memchr(b'\n', rest);
            let line = &rest[..end.unwrap_or(rest.len())];
            // The rest of a line that is too long is no row.
            if !self.lines.skips
                && memchr::memchr(b'"', line).is_some()
                && (end.is_some() || at_end)
            {
                match self.quoted_row(rest, at_end)? {
                    Some(used) => begin += used,
                    None => break,
                }
                continue;
            }
            let (line, used) = self.lines.next(rest, at_end, &mut self.bad)?;
            begin += used;
            match line {
                Some([]) => {}
                Some(line) => self.plain_row(line)?,
                None if used == 0 => break,
                None => {}
            }
        }
        Ok(begin)
    }

    fn has_some(&self) -> bool {
        self.table.rows > 0
    }

    fn is_full(&self) -> bool {
        self.table.rows >= self.limit
    }

    fn fill(&mut self, message: &mut Message) -> Result<()> {
        self.table.fill(message)
    }

    fn skipped(&self) -> u64 {
        self.bad.count()
    }
}

#[cfg(test)]
mod tests {
    use super::{decimal_at, number_at};
    use proptest::prelude::*;

    #[test]
    fn the_quick_way_leaves_what_it_does_not_know() {
        assert_eq!(decimal_at(b"12.50,3"), Some((12.5, 5)));
        assert_eq!(decimal_at(b"-7"), Some((-7.0, 2)));
        assert_eq!(decimal_at(b"999999999999999"), Some((999_999_999_999_999.0, 15)));
        for other in ["", "-", ".", "-.", "x", "1e3", "1.5E2", "nan", "1234567890123456", "+1"] {
            assert_eq!(decimal_at(other.as_bytes()), None, "{other}");
        }
        assert_eq!(number_at(b"1e3,2"), Some((1000.0, 3)));
        assert_eq!(number_at(b"12345678901234567890"), Some((12_345_678_901_234_567_890.0, 20)));
        assert!(number_at(b"-0").is_some_and(|(number, _)| number.is_sign_negative()));
    }

    proptest! {
        #[test]
        fn both_ways_agree(text in "-?[0-9]{0,17}(\\.[0-9]{0,17})?[,;e ]?") {
            let expected = fast_float2::parse_partial::<f64, _>(text.as_bytes()).ok();
            prop_assert_eq!(number_at(text.as_bytes()), expected);
        }
    }
}
