//! The stock components for data: `libgxe_io.so`, `libgxe_math.so` and `libgxe_view.so`, in apps that
//! are YAML alone. The book has more: its tutorial, and the page on data.

use gxe_tests::flow::{Flow, STOCK};
use gxe_tests::{Ended, Gxe, Line, build, lines_of};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::process::{Command, Stdio};

/// Three rows with a quoted text and a missing number.
const CSV: &str = "time,load,host\n0,0.5,a\n1,0.75,\"b, \"\"c\"\"\"\n2,,d\n3,1.25,e\n";

/// Output that is not the log.
fn data(ended: &Ended) -> String {
    let lines = lines_of(&ended.stdout).filter_map(|line| match line {
        Line::Other(text) => Some(format!("{text}\n")),
        Line::Log { .. } => None,
    });
    lines.collect()
}

/// What the app writes to standard output.
#[track_caller]
fn prints(gxe: Gxe) -> String {
    data(&gxe.run().clean())
}

/// A source of CSV and a sink of JSON lines.
fn csv_to_json(parameters: &str) -> Flow {
    Flow::default().then("source", "gxe::io::CsvSource", parameters).then(
        "sink",
        "gxe::io::JsonLinesSink",
        "address: '-'",
    )
}

#[test]
fn csv_becomes_columns_and_rows_again() {
    for rows in [1, 3, 100] {
        let flow = csv_to_json(&format!("address: data.csv, rows: {rows}"));
        assert_eq!(
            prints(flow.gxe().file("data.csv", CSV)),
            "{\"time\":0,\"load\":0.5,\"host\":\"a\"}\n\
             {\"time\":1,\"load\":0.75,\"host\":\"b, \\\"c\\\"\"}\n\
             {\"time\":2,\"load\":null,\"host\":\"d\"}\n\
             {\"time\":3,\"load\":1.25,\"host\":\"e\"}\n"
        );
        let copy = Flow::default()
            .then("source", "gxe::io::CsvSource", &format!("address: data.csv, rows: {rows}"))
            .then("sink", "gxe::io::CsvSink", "address: '-'");
        assert_eq!(prints(copy.gxe().file("data.csv", CSV)), CSV);
    }
}

#[test]
fn csv_has_dialects() {
    let flow =
        csv_to_json("address: d, delimiter: ;, names: [a, b, c], columns: [c, a], texts: [c]");
    // Without a newline at the end, with those of Windows, and with a line break in a quoted field.
    let text = "1;x;007\r\n2.5;\"y\ny\";8\r\n\r\n-3e2;z;";
    assert_eq!(
        prints(flow.gxe().file("d", text)),
        "{\"a\":1,\"c\":\"007\"}\n{\"a\":2.5,\"c\":\"8\"}\n{\"a\":-300,\"c\":\"\"}\n"
    );
    let marked = csv_to_json("address: d");
    assert_eq!(prints(marked.gxe().file("d", "\u{feff}a,b\n1,2\n")), "{\"a\":1,\"b\":2}\n");
    assert_eq!(prints(csv_to_json("address: d").gxe().file("d", "")), "");
    assert_eq!(prints(csv_to_json("address: d").gxe().file("d", "a,b\n")), "");
}

#[test]
fn bad_rows_end_the_graph_with_their_place_or_are_counted() {
    for (line, place, problem) in [
        ("1,2", ":3:4", "the row has 2 fields instead of 3"),
        ("1,2,c,d", ":3:7", "the row has more than 3 fields"),
        ("1,x,c", ":3:3", "`load` is \"x\", not a number; `texts: [load]` reads texts"),
        ("1,2,\"c\nd\"", ":3", "`host` has a line break, which no column can hold"),
        ("1,\"2\",c,d", ":3", "the row has 4 fields instead of 3"),
        ("1,\"2\n3,\"", ":3", "the row has 2 fields instead of 3; is a quote not closed?"),
        ("1,1e400,c", ":3:3", "`load` is \"1e400\", which is out of the range of float64"),
    ] {
        let text = format!("time,load,host\n0,0.5,a\n{line}\n2,1,z\n");
        let gxe = csv_to_json("address: data.csv").gxe().file("data.csv", &text);
        let ended = gxe.run().with_status(5);
        ended.complains(&format!(
            "data.csv{place}: {problem}; `bad_input: skip` leaves such input out"
        ));
        let skipping = csv_to_json("address: data.csv, bad_input: skip");
        let ended = skipping.gxe().file("data.csv", &text).run().with_status(0);
        assert_eq!(data(&ended).lines().count(), 2, "{line}: {}", ended.stdout);
        assert_eq!(ended.count(&format!("data.csv{place}: {problem}; skipped")), 1, "{line}");
        assert_eq!(ended.count("skipped 1 line that could not be read"), 1);
    }
    // Bytes that are not UTF-8, and a quote that never closes.
    let folder = tempfile_with(b"a,b\n1,\xff\xfe\n2,\"never closed\n3,4\n");
    let flow = csv_to_json(&format!("address: {folder}/data, longest_line: 10, bad_input: skip"));
    let ended = flow.gxe().run().with_status(0);
    assert_eq!(ended.count("`b` is not UTF-8; skipped"), 1, "{}", ended.stdout);
    assert_eq!(ended.count("is a quote not closed?; skipped"), 1, "{}", ended.stdout);
    assert_eq!(data(&ended), "{\"a\":3,\"b\":4}\n");
}

#[test]
fn a_quote_that_never_closes_is_found_where_it_opens() {
    let text = "a,b\n1,2\n\"1,3\n5,6";
    let gxe = csv_to_json("address: data.csv").gxe().file("data.csv", text);
    gxe.run().with_status(5).complains("data.csv:3: a quote is never closed; `bad_input: skip`");
    let gxe = csv_to_json("address: data.csv, bad_input: skip").gxe().file("data.csv", text);
    let ended = gxe.run().with_status(0);
    assert_eq!(data(&ended), "{\"a\":1,\"b\":2}\n{\"a\":5,\"b\":6}\n");
    assert_eq!(ended.count("data.csv:3: a quote is never closed; skipped"), 1);
    let header = csv_to_json("address: data.csv, bad_input: skip");
    let ended = header.gxe().file("data.csv", "\"a,b\n1,2\n").run().with_status(5);
    ended.complains("data.csv:1: the header cannot be used: a quote is never closed");
    // The last row needs no newline.
    let gxe = csv_to_json("address: d").gxe().file("d", "a,b\n\"x\",\"\"\"y\"\"\"");
    assert_eq!(prints(gxe), "{\"a\":\"x\",\"b\":\"\\\"y\\\"\"}\n");
}

#[test]
fn texts_of_other_systems() {
    let gxe = csv_to_json("address: data.csv").gxe().file("data.csv", "a,b\r1,2\r3,4\r");
    gxe.run().with_status(5).complains(
        "data.csv:1: the header cannot be used: it has a carriage return without a newline, which \
         ends no line",
    );
    for (codelet, text, expected) in [
        ("CsvSource", "a\n1\n", "{\"a\":1}\n"),
        ("CsvSource", "\"a\"\n1\n", "{\"a\":1}\n"),
        ("JsonLinesSource", "{\"a\": 1}\n", "{\"a\":1}\n"),
        ("LineSource", "a\n", "{\"text\":\"a\"}\n"),
    ] {
        let flow = Flow::default()
            .then("source", &format!("gxe::io::{codelet}"), "address: marked")
            .then("sink", "gxe::io::JsonLinesSink", "address: '-'");
        let marked = format!("\u{feff}{text}");
        assert_eq!(prints(flow.gxe().file("marked", &marked)), expected, "{codelet}: {text}");
    }
}

/// A new folder that stays, with a file `data`.
fn tempfile_with(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder").keep();
    std::fs::write(folder.join("data"), bytes).expect("a file");
    folder.display().to_string()
}

#[test]
fn a_line_without_end_does_not_fill_the_memory() {
    let endless = vec![b'x'; 3 << 20];
    let folder = tempfile_with(&[&endless, &b"\nshort\n"[..]].concat());
    for (codelet, line) in [
        ("gxe::io::LineSource", "{\"text\":\"short\"}\n"),
        ("gxe::io::JsonLinesSource", ""),
        ("gxe::io::CsvSource", ""),
    ] {
        let flow = |policy: &str| {
            Flow::default()
                .then("source", codelet, &format!("address: {folder}/data, bad_input: {policy}"))
                .then("sink", "gxe::io::JsonLinesSink", "address: '-'")
                .gxe()
        };
        let problem = "/data:1: the line is longer than 1048576 bytes (`longest_line`)";
        flow("fail").run().with_status(5).complains(problem);
        let ended = flow("skip").run().with_status(0);
        assert_eq!(data(&ended), line, "{codelet}");
    }
}

#[test]
fn objects_of_json_become_columns() {
    let flow = Flow::default()
        .then("source", "gxe::io::JsonLinesSource", "address: data.jsonl, bad_input: skip")
        .then("sink", "gxe::io::CsvSink", "address: '-'");
    let text = "{\"a\": 1, \"b\": {\"c\": \"x\", \"d\": true}}\n\n{\"a\": null}\nnonsense\n[1]\n\
                {\"a\": \"text\"}\n{\"b\": {\"d\": 2.5}, \"e\": [1, 2]}\n";
    let ended = flow.gxe().file("data.jsonl", text).run().with_status(0);
    assert_eq!(data(&ended), "a,b.c,b.d,e\n1,x,1,\n,,,\n,,2.5,\"[1,2]\"\n");
    for problem in [
        "data.jsonl:4:2: no JSON: expected ident; skipped",
        "data.jsonl:5:1: the line is no object; skipped",
        "data.jsonl:6: `a` has numbers and texts; skipped",
    ] {
        assert_eq!(ended.count(problem), 1, "{problem}: {}", ended.stdout);
    }
}

#[test]
fn two_keys_that_make_one_column_are_bad_input() {
    let flow = |policy: &str| {
        let parameters = format!("address: data.jsonl, bad_input: {policy}");
        Flow::default()
            .then("source", "gxe::io::JsonLinesSource", &parameters)
            .then("sink", "gxe::io::JsonLinesSink", "address: '-'")
            .gxe()
            .file("data.jsonl", "{\"x\":1}\n{\"a.b\":1,\"a\":{\"b\":2},\"x\":2}\n{\"x\":3}\n")
    };
    let ended = flow("fail").run().with_status(5);
    ended.complains("data.jsonl:2: two keys make the column `a.b`");
    let ended = flow("skip").run().with_status(0);
    assert_eq!(data(&ended), "{\"x\":1}\n{\"x\":3}\n");
}

#[test]
fn what_is_appended_begins_on_a_new_line_without_another_header() {
    for (sink, before, after) in [
        ("CsvSink", "", "a,b\n1,2\n"),
        ("CsvSink", "a,b\n0,0\n", "a,b\n0,0\n1,2\n"),
        ("CsvSink", "a,b\n0,0", "a,b\n0,0\n1,2\n"),
        ("CsvSink", "\"a\",b\r\n", "\"a\",b\r\n1,2\n"),
        ("JsonLinesSink", "{}", "{}\n{\"a\":1,\"b\":2}\n"),
        ("RawSink", "x", "x\0\0\0\0\0\0\u{f0}?\0\0\0\0\0\0\0@"),
    ] {
        let folder = tempfile_with(before.as_bytes());
        let parameters = format!("address: {folder}/data, append: true");
        let flow = Flow::default().then("source", "gxe::io::CsvSource", "address: in.csv").then(
            "sink",
            &format!("gxe::io::{sink}"),
            &parameters,
        );
        let _ = flow.gxe().file("in.csv", "a,b\n1,2\n").run().clean();
        let found = std::fs::read(format!("{folder}/data")).unwrap();
        let after: Vec<u8> = after.chars().map(|byte| byte as u8).collect();
        assert_eq!(found, after, "{sink}: {before:?}");
    }
}

#[test]
fn rows_are_not_appended_below_the_header_of_others() {
    let folder = tempfile_with(b"a,c\n0,0\n");
    let flow = |parameters: &str| {
        let source = Flow::default().then("source", "gxe::io::CsvSource", "address: in.csv");
        let parameters = format!("address: {folder}/data, append: true{parameters}");
        source.then("sink", "gxe::io::CsvSink", &parameters).gxe().file("in.csv", "a,b\n1,2\n")
    };
    let ended = flow("").run().with_status(5);
    ended.complains(
        "the file begins with `a,c`, and the columns are `a,b`; append to a file with these",
    );
    assert_eq!(std::fs::read_to_string(format!("{folder}/data")).unwrap(), "a,c\n0,0\n");
    let _ = flow(", header: false").run().clean();
    let text = std::fs::read_to_string(format!("{folder}/data")).unwrap();
    assert_eq!(text, "a,c\n0,0\n1,2\n");
}

#[test]
fn no_file_is_read_and_written_at_once() {
    let folder = tempfile_with(b"a,b\n1,2\n");
    std::fs::hard_link(format!("{folder}/data"), format!("{folder}/link")).unwrap();
    let source = ("source", "gxe::io::CsvSource", format!("address: {folder}/data"));
    for parameters in ["data", "link", "data, append: true"] {
        let sink = ("sink", "gxe::io::CsvSink", format!("address: {folder}/{parameters}"));
        let flow = Flow::default().then(source.0, source.1, &source.2);
        let flow = flow.then(sink.0, sink.1, &sink.2);
        // Whichever starts first.
        let app = flow.app();
        let mut parts: Vec<_> = app.split("---\n").collect();
        parts[1..].reverse();
        for app in [app.clone(), parts.join("---\n")] {
            let ended = flow.gxe().file("app.yaml", &app).run().with_status(5);
            ended.complains("` is to be read, and written, too");
            let text = std::fs::read_to_string(format!("{folder}/data")).unwrap();
            assert_eq!(text, "a,b\n1,2\n", "{parameters}");
        }
    }
    // A stream without rows empties what was there before.
    let empty = tempfile_with(b"old");
    let flow = Flow::default().then("source", "gxe::io::LineSource", "address: nothing").then(
        "sink",
        "gxe::io::LineSink",
        &format!("address: {empty}/data"),
    );
    let _ = flow.gxe().file("nothing", "").run().clean();
    assert_eq!(std::fs::read_to_string(format!("{empty}/data")).unwrap(), "");
}

#[test]
fn no_file_is_written_twice() {
    let app = |parameters: &str| {
        let mut app = "\
default_conditions: true
---
name: signal
components:
- {name: a, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::math::Signal, parameters: {output: a, rows: 1, messages: 3, columns: [v = i]}}
"
        .to_owned();
        for (name, sink) in [("one", "JsonLinesSink"), ("other", "CsvSink")] {
            app += &format!(
                "---\nname: {name}\ncomponents:\n\
                 - {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}\n\
                 - {{type: gxe::io::{sink}, parameters: {{input: in, {parameters}}}}}\n"
            );
        }
        app + &gxe_tests::graphs::connect(&[("signal/a", "one/in"), ("signal/a", "other/in")])
            + gxe_tests::SCHEDULER
    };
    let folder = tempfile_with(b"old");
    let with = |parameters: &str| {
        let parameters = format!("address: {folder}/data{parameters}");
        app(&parameters)
    };
    let gxe = |app: &str| Flow::default().gxe().file("app.yaml", app);
    gxe(&with("")).run().with_status(5).complains("/data` is to be written by two components");
    assert_eq!(std::fs::read_to_string(format!("{folder}/data")).unwrap(), "old");
    // What both append stays.
    let _ = gxe(&with(", append: true").replace("CsvSink", "JsonLinesSink")).run().clean();
    let text = std::fs::read_to_string(format!("{folder}/data")).unwrap();
    assert_eq!(text.matches("{\"v\":2}\n").count(), 2, "{text}");
}

#[test]
fn a_skipped_row_leaves_nothing_behind() {
    let csv = |text: &str, parameters: &str| {
        let parameters = format!("address: data.csv, bad_input: skip{parameters}");
        let ended = csv_to_json(&parameters).gxe().file("data.csv", text).run().with_status(0);
        data(&ended)
    };
    // `1` does not make `a` a column of numbers.
    assert_eq!(csv("a,b\n1,2,3\nx,5\ny,6\n", ""), "{\"a\":\"x\",\"b\":5}\n{\"a\":\"y\",\"b\":6}\n");
    // The rest of a line that is too long is no row, and takes none with it.
    let long = format!("a,b\n{}\"p\",9\ngood,1\ngood2,2\n", "z".repeat(256 << 10));
    assert_eq!(
        csv(&long, ", longest_line: 1000"),
        "{\"a\":\"good\",\"b\":1}\n{\"a\":\"good2\",\"b\":2}\n"
    );
    let flow = Flow::default()
        .then("source", "gxe::io::JsonLinesSource", "address: data, bad_input: skip")
        .then("sink", "gxe::io::JsonLinesSink", "address: '-'");
    let lines = "{\"a\":1,\"c\":1,\"b\":\"x\\ny\"}\n{\"a\":\"t\",\"b\":\"u\"}\n";
    let ended = flow.gxe().file("data", lines).run().with_status(0);
    assert_eq!(data(&ended), "{\"a\":\"t\",\"b\":\"u\"}\n");
}

#[test]
fn a_row_of_one_missing_value_is_a_row() {
    let flow = || {
        Flow::default().then("source", "gxe::io::JsonLinesSource", "address: data").then(
            "sink",
            "gxe::io::CsvSink",
            "address: '-'",
        )
    };
    for (lines, csv) in [
        ("{\"v\":1}\n{\"v\":null}\n{\"v\":3}\n", "v\n1\n\"\"\n3\n"),
        ("{\"v\":\"a\"}\n{\"v\":\"\"}\n{\"v\":\"c\"}\n", "v\na\n\"\"\nc\n"),
    ] {
        assert_eq!(prints(flow().gxe().file("data", lines)), csv);
        let back = csv_to_json("address: data.csv").gxe().file("data.csv", csv);
        assert_eq!(prints(back), lines);
    }
}

#[test]
fn bytes_stay_as_they_are() {
    let bytes: Vec<u8> = (0..=255).cycle().take(300_000).collect();
    let folder = tempfile_with(&bytes);
    let flow = Flow::default()
        .then("source", "gxe::io::RawSource", &format!("address: {folder}/data, bytes: 1000"))
        .then("sink", "gxe::io::RawSink", &format!("address: {folder}/copy"));
    let _ = flow.gxe().run().clean();
    assert_eq!(std::fs::read(format!("{folder}/copy")).unwrap(), bytes);
}

/// A filter, a moving average and arithmetic over a CSV file.
#[test]
fn rows_are_filtered_averaged_and_computed_with() {
    let flow = Flow::default()
        .then("source", "gxe::io::CsvSource", "address: data.csv, rows: 2")
        .then("filter", "gxe::math::Filter", "keep: load > 0.5")
        .then("average", "gxe::math::MovingAverage", "columns: [load], window: 2")
        .then(
            "map",
            "gxe::math::Map",
            "columns: [percent = load * 100, \"big = percent > 100 && load_average >= 1\"], \
             keep: [time, percent, big]",
        )
        .then("sink", "gxe::io::CsvSink", "address: '-'");
    assert_eq!(prints(flow.gxe().file("data.csv", CSV)), "time,percent,big\n1,75,0\n3,125,1\n");
}

#[test]
fn lines_are_matched_and_summed_up_in_windows() {
    let flow = Flow::default()
        .then("source", "gxe::io::LineSource", "address: access.log")
        .then(
            "pattern",
            "gxe::io::LinePattern",
            "pattern: '^(?P<time>\\S+) (?P<status>\\d+) (?P<ms>\\S+)$', time: time",
        )
        .then(
            "window",
            "gxe::math::Window",
            "key: time, length: 60, aggregates: \
             [requests = count(ms), errors = sum(status >= 500), p50 = median(ms), p95 = p95(ms)]",
        )
        .then("sink", "gxe::io::CsvSink", "address: '-'");
    let mut log = String::new();
    for second in 0..90 {
        let (minute, second) = (second / 60, second % 60);
        let status = if second % 10 == 0 { 503 } else { 200 };
        log += &format!("2026-11-02T09:{minute:02}:{second:02}Z {status} {second}.5\n");
    }
    log += "rubbish\n";
    let ended = flow.gxe().file("access.log", &log).run().with_status(0);
    assert_eq!(
        data(&ended),
        "time,requests,errors,p50,p95\n1793610000,60,6,30,56.5\n1793610060,30,3,15,28.5\n"
    );
    assert_eq!(ended.count("pattern:91: the line does not match the pattern: \"rubbish\""), 1);
    assert_eq!(ended.count("skipped 1 of 91 lines"), 1);
}

#[test]
fn a_row_without_key_belongs_to_no_window() {
    let flow = Flow::default()
        .then("source", "gxe::io::CsvSource", "address: data.csv")
        .then(
            "window",
            "gxe::math::Window",
            "key: time, length: 10, aggregates: ['m = median(v)', 'p = p50(v)']",
        )
        .then("sink", "gxe::io::CsvSink", "address: '-'");
    let text = "time,v\n0,1\n1,2\n,7\n10,3\n";
    let ended = flow.gxe().file("data.csv", text).run().with_status(0);
    assert_eq!(data(&ended), "time,m,p\n0,1.5,1\n10,3,3\n");
    assert_eq!(ended.count("1 row has no `time` and belongs to no window"), 1);
}

#[test]
fn names_that_come_twice_are_found_before_the_run() {
    for (codelet, parameters, problem) in [
        ("Window", "key: time, aggregates: ['time = count(v)']", "`time` is assigned twice"),
        ("Window", "aggregates: ['a = count(v)', 'a = sum(v)']", "`a` is assigned twice"),
        ("Window", "aggregates: ['a = count()']", "`count()` has no expression in its parentheses"),
        ("Map", "columns: ['a = v', 'a = v + 1']", "`a` is assigned twice"),
        ("MovingAverage", "columns: [v, v]", "`v` is averaged twice"),
    ] {
        let flow = Flow::default()
            .then("source", "gxe::io::CsvSource", "address: data.csv")
            .then("codelet", &format!("gxe::math::{codelet}"), parameters)
            .then("sink", "gxe::io::CsvSink", "address: '-'");
        let ended = flow.gxe().file("data.csv", "time,v\n0,1\n").run().with_status(4);
        ended.complains(problem);
    }
}

#[test]
fn columns_to_keep_must_be_there() {
    let flow = Flow::default()
        .then("source", "gxe::io::CsvSource", "address: data.csv")
        .then("map", "gxe::math::Map", "columns: ['w = load'], keep: [time, W]")
        .then("sink", "gxe::io::CsvSink", "address: '-'");
    let ended = flow.gxe().file("data.csv", CSV).run().with_status(5);
    ended.complains("`keep`: there is no column `W`, only `time`, `load`, `host`, `w`");
}

/// Two files with different times.
fn two_streams(codelet: &str, parameters: &str, branches: &[(&str, &str)]) -> Gxe {
    let left = "time,a\n0,1\n1,2\n2,3\n3,4\n10,5\n";
    let right = "time,b\n0.1,x\n0.9,y\n2.5,z\n3.1,w\n";
    Flow::default()
        .source("one", "gxe::io::CsvSource", "address: left.csv, rows: 2")
        .source("two", "gxe::io::CsvSource", "address: right.csv, rows: 1")
        .join("join", codelet, parameters, branches)
        .then("sink", "gxe::io::CsvSink", "address: '-'")
        .gxe()
        .file("left.csv", left)
        .file("right.csv", right)
}

#[test]
fn two_streams_are_joined_by_time() {
    let join = |parameters: &str| {
        let parameters = format!("left: left, right: right, {parameters}");
        let branches = [("one", "left"), ("two", "right")];
        prints(two_streams("gxe::math::Join", &parameters, &branches))
    };
    assert_eq!(join("tolerance: 0.2"), "time,a,b\n0,1,x\n1,2,y\n3,4,w\n");
    assert_eq!(join("tolerance: 1"), "time,a,b\n0,1,x\n1,2,y\n2,3,z\n3,4,w\n");
    assert_eq!(join("tolerance: 100, choose: previous"), "time,a,b\n1,2,y\n2,3,y\n3,4,z\n10,5,w\n");
}

#[test]
fn streams_are_merged_in_the_order_of_their_time() {
    let file = "time,a\n0.5,10\n2,20\n2.5,30\n";
    let branches = [("one", "in0"), ("two", "in1")];
    let gxe = two_streams("gxe::math::Merge", "inputs: [in0, in1]", &branches);
    assert_eq!(
        prints(gxe.file("right.csv", file)),
        "time,a\n0,1\n0.5,10\n1,2\n2,3\n2,20\n2.5,30\n3,4\n10,5\n"
    );
    let gxe = two_streams("gxe::math::Merge", "inputs: [in0, in1]", &branches);
    let ended = gxe.file("right.csv", "time,a\n2,1\n1,2\n").run().with_status(5);
    ended.complains("`inputs[1]`: `time` does not ascend: 1 comes after 2");
}

#[test]
fn made_up_rows_and_fewer_messages() {
    let flow = Flow::default()
        .then(
            "signal",
            "gxe::math::Signal",
            "columns: [n = i, \"wave = round(sin(2 * PI * t))\"], rate: 4, rows: 2, messages: 5",
        )
        .then("rate", "gxe::math::Rate", "every: 2")
        .then("sink", "gxe::io::CsvSink", "address: '-'");
    let ended = flow.gxe().run().clean();
    assert_eq!(data(&ended), "n,wave\n0,0\n1,1\n4,0\n5,1\n8,0\n9,1\n");
    assert_eq!(ended.count("dropped 2 of 5 messages"), 1);
}

#[test]
fn wrong_parameters_are_found_before_the_run() {
    for (codelet, parameters, problem) in [
        ("gxe::io::LineSource", "address: http://x:1", "unknown scheme `http`"),
        ("gxe::io::LineSource", "address: tcp://x", "is not tcp://HOST:PORT with a port up to"),
        (
            "gxe::io::CsvSource",
            "address: a, delimiter: ab",
            "`delimiter` is one character of ASCII",
        ),
        ("gxe::io::CsvSource", "address: a, names: [a, a]", "two fields have the name `a`"),
        ("gxe::math::Signal", "columns: [a = b]", "`a` uses `b`; there is `i`, `t` and `random`"),
        ("gxe::math::Signal", "columns: [a]", "`a` is not `name = expression`"),
        ("gxe::math::Signal", "columns: ['a = (1']", "`(1` is no expression: `(` is not closed"),
        (
            "gxe::math::Signal",
            "columns: ['a = foo(1)']",
            "`foo(1)` is no expression: there is no function `foo`, only min, max, atan2, ",
        ),
    ] {
        let flow = Flow::default().then("source", codelet, parameters).then(
            "sink",
            "gxe::io::LineSink",
            "address: '-'",
        );
        let app = flow.app();
        let gxe = Gxe::alone().file("app.yaml", &app).file("manifest.yaml", STOCK);
        let ended = gxe.args("check --app app.yaml --manifest manifest.yaml").run();
        assert_eq!(ended.status, Some(4), "{ended:?}");
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert!(said.contains(problem), "`{problem}` is not in\n{said}");
    }
    let flow = csv_to_json("address: missing.csv").gxe();
    flow.run().with_status(5).complains("`missing.csv` cannot be opened in the working directory");
    let flow = csv_to_json("address: data.csv, columns: [loud]").gxe().file("data.csv", CSV);
    flow.run().with_status(5).complains(
        "data.csv:1: the header cannot be used: there is no column `loud`, only `time`, `load`, \
         `host`",
    );
}

#[test]
fn parameters_of_expressions_can_change() {
    let inspect = Gxe::alone().file("manifest.yaml", STOCK);
    let ended = inspect.args("inspect manifest.yaml --format json").run().clean();
    let known: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let text = known.to_string();
    assert!(text.contains("gxe::math::Filter"), "{text}");
    assert!(text.contains("\"dynamic\":true"), "{text}");
}

#[test]
fn standard_input_flows_to_standard_output() {
    let folder = tempfile_with(b"");
    let flow = csv_to_json("address: '-'");
    std::fs::write(format!("{folder}/app.yaml"), flow.app()).unwrap();
    std::fs::write(format!("{folder}/manifest.yaml"), STOCK).unwrap();
    let mut gxe = Command::new(build::gxe())
        .current_dir(&folder)
        .args(["--app", "app.yaml", "--manifest", "manifest.yaml"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = gxe.stdin.take().unwrap();
    for piece in ["a,", "b\n1,2", "\n3,4\n", "5,6"] {
        stdin.write_all(piece.as_bytes()).unwrap();
        stdin.flush().unwrap();
    }
    drop(stdin);
    let output = gxe.wait_with_output().unwrap();
    assert!(output.status.success());
    let stdout = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<_> = stdout.lines().filter(|line| line.starts_with('{')).collect();
    assert_eq!(rows, ["{\"a\":1,\"b\":2}", "{\"a\":3,\"b\":4}", "{\"a\":5,\"b\":6}"]);
}

/// The port in a line `waiting for … 127.0.0.1:PORT`.
fn address_in(log: &str) -> &str {
    log.rsplit(' ').next().expect("an address")
}

#[test]
fn a_peer_sends_and_another_receives() {
    let receiver = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = receiver.local_addr().unwrap();
    let flow = Flow::default()
        .then("source", "gxe::io::LineSource", "address: tcp-listen://127.0.0.1:0")
        .then("sink", "gxe::io::LineSink", &format!("address: tcp://{to}"));
    let mut running = flow.gxe().spawn();
    let line = running.line_with("waiting for a connection to ");
    let mut sender = TcpStream::connect(address_in(&line)).unwrap();
    sender.write_all(b"one\ntwo\nthr").unwrap();
    let (mut peer, _) = receiver.accept().unwrap();
    let mut start = [0; 8];
    peer.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"one\ntwo\n");
    sender.write_all(b"ee").unwrap();
    drop(sender);
    let mut rest = String::new();
    peer.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "three\n");
    let _ = running.end().clean();
}

#[test]
fn datagrams_are_lines() {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    let to = receiver.local_addr().unwrap();
    let flow = Flow::default()
        .then("source", "gxe::io::LineSource", "address: udp://127.0.0.1:0")
        .then("sink", "gxe::io::LineSink", &format!("address: udp://{to}"));
    let mut running = flow.gxe().spawn();
    let line = running.line_with("waiting for datagrams at ");
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    sender.connect(address_in(&line)).unwrap();
    let mut buffer = [0; 100];
    for text in ["one", "two\n"] {
        sender.send(text.as_bytes()).unwrap();
        let length = receiver.recv(&mut buffer).unwrap();
        assert_eq!(&buffer[..length], format!("{}\n", text.trim()).as_bytes());
    }
    running.signal("INT");
    assert_eq!(running.end().status, Some(130));
}

#[test]
fn nothing_outside_holds_up_a_stop() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("address: tcp://{}", listener.local_addr().unwrap());
    for (source, parameters) in [
        ("gxe::io::RawSource", silent.as_str()),
        ("gxe::io::CsvSource", "address: tcp-listen://127.0.0.1:0"),
        ("gxe::io::LineSource", "address: udp://127.0.0.1:0"),
        ("gxe::io::LineSource", "address: tcp://127.0.0.1:1, on_disconnect: reconnect"),
    ] {
        for scheduler in ["GreedyScheduler", "MultiThreadScheduler", "EventBasedScheduler"] {
            let flow = Flow::default().then("source", source, parameters).then(
                "sink",
                "gxe::io::RawSink",
                "address: /dev/null",
            );
            let app = flow.app().replace("GreedyScheduler", scheduler);
            let app = app.replace("ManualClock", "RealtimeClock");
            let mut running = flow.gxe().file("app.yaml", &app).spawn();
            running.wait_for("Scheduling");
            running.signal("INT");
            assert_eq!(running.end().status, Some(130), "{source} {scheduler}");
        }
    }
}

#[test]
fn a_peer_that_is_gone_is_an_error() {
    // Nobody listens on this port: it was just given back.
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let source = Flow::default()
        .then("source", "gxe::io::LineSource", &format!("address: tcp://{nobody}"))
        .then("sink", "gxe::io::LineSink", "address: /dev/null");
    let ended = source.gxe().run().with_status(5);
    ended.complains(&format!("`tcp://{nobody}` cannot be read: Connection refused"));
    let sink = Flow::default().then("source", "gxe::io::LineSource", "address: text").then(
        "sink",
        "gxe::io::LineSink",
        &format!("address: tcp://{nobody}"),
    );
    let ended = sink.gxe().file("text", "one\n").run().with_status(5);
    ended.complains(&format!("`tcp://{nobody}` cannot be written: Connection refused"));
}

#[test]
fn a_full_device_is_said_to_be_so_once() {
    let flow = Flow::default().then("source", "gxe::io::LineSource", "address: text").then(
        "sink",
        "gxe::io::LineSink",
        "address: /dev/full",
    );
    let ended = flow.gxe().file("text", "one\n").run().with_status(5);
    ended.complains("`/dev/full` cannot be written: No space left on device (os error 28)");
    let said = format!("{}{}", ended.stdout, ended.stderr);
    assert!(!said.contains("no storage space"), "{said}");
}

#[test]
fn a_reader_that_takes_nothing_holds_up_the_graph_but_no_stop() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = listener.local_addr().unwrap();
    let flow = Flow::default()
        .then("signal", "gxe::math::Signal", "columns: [a = i], rows: 2000000")
        .then("sink", "gxe::io::RawSink", &format!("address: tcp://{to}"));
    let mut running = flow.gxe().spawn();
    let _peer = listener.accept().unwrap();
    running.signal("INT");
    let ended = running.end();
    assert_ne!(ended.status, Some(0), "{ended:?}");
    ended.complains(&format!("`tcp://{to}` does not take the last "));
}

#[test]
fn anything_can_be_printed() {
    let ping = "\
name: ping
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: nvidia::gxf::PingTx, parameters: {signal: out}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 2}}
---
name: print
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {type: gxe::view::Print, parameters: {input: in}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: ping/out, target: print/in}}
";
    let flow = Flow::default().gxe();
    let app = format!("default_conditions: true\n---\n{ping}{}", gxe_tests::SCHEDULER);
    let manifest = format!("{STOCK}- libgxf_sample.so\n");
    let gxe = flow.file("app.yaml", &app).file("manifest.yaml", &manifest);
    assert_eq!(prints(gxe), "Integer: 0\nInteger: 1\n");
    let long = Flow::default()
        .then("signal", "gxe::math::Signal", "columns: [a = i, b = -i / 4], rows: 5")
        .then("print", "gxe::view::Print", "rows: 2");
    let expected = "       a         b\n       0         0\n       1     -0.25\n… 3 more rows\n";
    assert_eq!(prints(long.gxe()), expected);
    let raw = Flow::default().then("source", "gxe::io::RawSource", "address: data").then(
        "print",
        "gxe::view::Print",
        "rows: 0",
    );
    assert_eq!(prints(raw.gxe().file("data", "")), "end_of_stream: end of the stream\n");
}

#[test]
fn a_print_that_nobody_reads_keeps_no_run_from_ending() {
    let flow = Flow::default()
        .then("signal", "gxe::math::Signal", "columns: [a = i], messages: 0")
        .then("print", "gxe::view::Print", "");
    let gxe = flow.gxe().file("unread.sh", "mkfifo full && exec 4<>full && exec \"$@\" >full\n");
    let pipe = gxe.folder().join("full");
    let mut running = gxe.started_by("sh unread.sh").spawn();
    gxe_tests::eventually("the pipe is full", || {
        // Both ends, so that opening it waits for nobody.
        let both = std::fs::File::options().read(true).write(true).open(&pipe);
        both.is_ok_and(|pipe| rustix::io::ioctl_fionread(&pipe).unwrap() > 50_000)
    });
    running.signal("INT");
    let _ = running.end().with_status(130);
}

#[test]
fn a_plot_is_a_line_and_a_picture() {
    let flow = Flow::default()
        .then(
            "signal",
            "gxe::math::Signal",
            "columns: [time = t, \"wave & co = sin(2 * PI * t)\"], rate: 100, messages: 3",
        )
        .then("plot", "gxe::view::Plot", "x: time, svg: wave.svg, title: A wave, width: 16");
    let gxe = flow.gxe();
    let file = gxe.folder().join("wave.svg");
    let (ended, svg) = gxe.spawn().end_with(|| std::fs::read_to_string(&file).unwrap());
    let line = data(&ended.clean());
    assert!(line.starts_with("wave & co  "), "{line}");
    assert!(line.ends_with("  from -1 to 1, 3000 values\n"), "{line}");
    for text in ["<svg ", "A wave", "wave &amp; co", "<polyline ", "time"] {
        assert!(svg.contains(text), "`{text}` is not in\n{svg}");
    }
    // However long the stream, the picture stays small.
    assert!(svg.len() < 200_000, "{}", svg.len());
}

#[test]
fn a_plot_waits_for_no_reader_of_a_pipe() {
    let flow = Flow::default().then("signal", "gxe::math::Signal", "columns: [a = i]").then(
        "plot",
        "gxe::view::Plot",
        "svg: pipe",
    );
    let gxe = flow.gxe().file("alone.sh", "mkfifo pipe && exec \"$@\"\n");
    let ended = gxe.started_by("sh alone.sh").run().with_status(5);
    ended.complains("`pipe` cannot be written: it is a pipe that nobody reads");
    let script = "mkfifo pipe && (cat pipe >read &) && exec \"$@\" 4<>pipe\n";
    let gxe = flow.gxe().file("read.sh", script);
    let read = gxe.folder().join("read");
    let (ended, ()) = gxe.started_by("sh read.sh").spawn().end_with(|| {
        gxe_tests::eventually("the picture is read", || {
            std::fs::read_to_string(&read).is_ok_and(|svg| svg.contains("</svg>"))
        });
    });
    let _ = ended.clean();
}

#[test]
fn a_plot_of_the_largest_numbers_ends() {
    let flow = Flow::default().then("source", "gxe::io::CsvSource", "address: data.csv").then(
        "plot",
        "gxe::view::Plot",
        "x: x, svg: large.svg, width: 2",
    );
    let ended = flow.gxe().file("data.csv", "x,y\n0,1.7e308\n1,-1e308\n").run().clean();
    assert_eq!(data(&ended), "y  █▁  from -1.00000e308 to 1.70000e308, 2 values\n");
    let flow = Flow::default().then("source", "gxe::io::CsvSource", "address: data.csv").then(
        "plot",
        "gxe::view::Plot",
        "width: 2",
    );
    let ended = flow.gxe().file("data.csv", "y\n1\n").run().clean();
    assert!(data(&ended).ends_with("from 1 to 1, 1 value\n"), "{}", ended.stdout);
}

/// A PNG of 2 x 2 pixels.
#[rustfmt::skip]
const PNG: &[u8] = &[137,80,78,71,13,10,26,10,0,0,0,13,73,72,68,82,0,0,0,2,0,0,0,2,8,2,0,0,0,253,212,154,115,0,0,0,19,73,68,65,84,120,156,99,248,207,192,192,0,194,12,255,57,57,216,1,26,38,3,22,170,136,81,210,0,0,0,0,73,69,78,68,174,66,96,130];

#[test]
fn pictures_stay_as_they_are() {
    let folder = tempfile_with(PNG);
    let copy =
        |paths: &str, name: &str| {
            Flow::default()
                .then("source", "gxe::view::ImageSource", &format!("paths: [{paths}]"))
                .then("sink", "gxe::view::ImageSink", &format!("path: '{folder}/{name}-##.png'"))
        };
    let _ = copy(&format!("{folder}/data, {folder}/data"), "copy").gxe().run().clean();
    let pixels = Flow::default()
        .then("source", "gxe::view::ImageSource", &format!("paths: ['{folder}/copy-01.png']"))
        .then("sink", "gxe::io::RawSink", &format!("address: {folder}/pixels"));
    let _ = pixels.gxe().run().clean();
    let pixels = std::fs::read(format!("{folder}/pixels")).unwrap();
    assert_eq!(pixels, [255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 8, 7]);
    let broken = tempfile_with(&PNG[..40]);
    let gxe = copy(&format!("{broken}/data"), "broken").gxe();
    gxe.run().with_status(5).complains("cannot be read: ");
}
