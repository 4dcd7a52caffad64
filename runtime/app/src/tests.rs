//! What users see: complete messages for the most frequent mistakes.

use super::diagnostic::{Diagnostic, Diagnostics};
use super::infer::infer_value;
use super::overrides::parse_override;
use super::parameter::{Number, ParameterSpec, parse_value};
use super::read_app;
use super::source::Source;
use super::yaml::tests::app_like;
use super::yaml::{parse_stream, read_source};
use gxf_plugin_abi::{ParameterType, ResultCode};
use proptest::prelude::*;

/// All messages about an app file.
fn app(text: &str) -> String {
    let mut diagnostics = Diagnostics::new();
    let _ = read_app(&Source::new("app.yaml", text), &mut diagnostics);
    diagnostics.render(false)
}

/// All messages about the value of the parameter `capacity`.
fn value(spec: &ParameterSpec, text: &str) -> String {
    let source = Source::new("app.yaml", text);
    let node = parse_stream(&source, &mut Diagnostics::new()).unwrap().remove(0);
    let errors = parse_value(spec, node.get("capacity").unwrap(), &source, &mut Diagnostics::new())
        .unwrap_err();
    let mut diagnostics = Diagnostics::new();
    diagnostics.extend(errors);
    diagnostics.render(false)
}

fn one(diagnostic: Diagnostic) -> String {
    Diagnostics::from(diagnostic).render(false)
}

fn number(rank: u32) -> ParameterSpec {
    ParameterSpec::new("capacity", ParameterType::INT32, rank)
}

fn limited() -> ParameterSpec {
    let mut spec = number(0);
    (spec.minimum, spec.maximum) = (Some(Number::Integer(1)), Some(Number::Integer(10)));
    spec.unit = Some("ms".into());
    spec
}

fn choice() -> ParameterSpec {
    let mut spec = ParameterSpec::new("capacity", ParameterType::STRING, 0);
    spec.choices = vec!["Broadcast".into(), "RoundRobin".into()];
    spec
}

fn bomb() -> String {
    let level = |n: u32| format!("a{n}: &a{n} [{}]\n", format!("*a{},", n - 1).repeat(9));
    format!("a0: &a0 x\n{}", (1..20).map(level).collect::<String>())
}

fn not_utf8() -> Diagnostic {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.yaml");
    std::fs::write(&path, b"name: a\nb: gr\xfcn\n").unwrap();
    let mut diagnostic = read_source(&path).unwrap_err();
    // The folder has a random name.
    let place = diagnostic.span.take().unwrap();
    let source = Source::new("app.yaml", place.source.text().to_string());
    diagnostic.message = diagnostic.message.replace(&*path.to_string_lossy(), "app.yaml");
    diagnostic.at(super::source::Span::new(&source, place.start()..place.end()))
}

#[track_caller]
fn check(found: &str, expected: &str) {
    assert_eq!(found.trim_end(), expected.trim_matches('\n').trim_end(), "found:\n{found}");
}

#[test]
fn only_the_first_errors_are_shown() {
    let mut diagnostics = Diagnostics::new();
    for number in 1..=25 {
        let message = format!("number {number}\x1b[31m");
        diagnostics.push(Diagnostic::error(ResultCode::FAILURE, message));
    }
    let text = diagnostics.render(false);
    assert!(text.starts_with("error[GXF_FAILURE]: number 1\\u{1b}[31m\n\nerror"), "{text}");
    assert!(text.contains("number 20") && !text.contains("number 21"));
    assert!(text.ends_with("\n\n… and 5 more errors\n"));
    assert_eq!((diagnostics.errors(), diagnostics.warnings()), (25, 0));
    assert!(diagnostics.render(true).starts_with("\x1b["));
    assert_eq!(Diagnostics::new().render(false), "");
}

#[test]
fn an_open_quote() {
    check(
        &app("name: tx\ncomponents:\n- type: \"nvidia::gxf::Clock\n  name: c\n"),
        r#"
error[GXF_FAILURE]: this quoted text has no closing quote
 --> app.yaml:3:9
  |
3 | - type: "nvidia::gxf::Clock
  |         ^ opened here
"#,
    );
}

#[test]
fn an_open_list() {
    check(
        &app("name: tx\ncomponents: [a, b\n"),
        r#"
error[GXF_FAILURE]: `[` has no closing `]`
 --> app.yaml:2:13
  |
2 | components: [a, b
  |             ^ opened here
"#,
    );
}

#[test]
fn a_list_without_end() {
    check(
        &app("name: tx\ncomponents:\n- type: [a, b\n  name: c\n"),
        r#"
error[GXF_FAILURE]: expected `,` or `]`
 --> app.yaml:4:7
  |
4 |   name: c
  |       ^ found this instead
  |
note: inside the `[` that begins here
 --> app.yaml:3:9
  |
3 | - type: [a, b
  |         ^
"#,
    );
}

#[test]
fn a_tab() {
    check(
        &app("name: tx\ncomponents:\n- type: A\n  name: b\n\tparameters: 5\n"),
        r#"
error[GXF_FAILURE]: a tab is not allowed as indentation
 --> app.yaml:5:1
  |
5 | →parameters: 5
  | ^ this is a tab
  |
  = help: indent with spaces
"#,
    );
}

#[test]
fn a_repeated_key() {
    check(
        &app("name: tx\ncomponents:\n- type: A\n  name: a\n  type: B\n"),
        r#"
warning: duplicate key `type`
 --> app.yaml:5:3
  |
5 |   type: B
  |   ^^^^ this one counts
  |
note: this one is ignored
 --> app.yaml:3:3
  |
3 | - type: A
  |   ^^^^
"#,
    );
}

#[test]
fn a_wrong_indentation() {
    check(
        &app("name: tx\ncomponents:\n - name: x\n- type: y\n"),
        r#"
error[GXF_FAILURE]: expected a key of the mapping above
 --> app.yaml:4:3
  |
4 | - type: y
  |   ^
  |
  = help: keys of one mapping start in the same column
"#,
    );
}

#[test]
fn a_mistyped_key() {
    check(
        &app("näme: tx\ncomponent:\n- type: A\n"),
        r#"
warning: `näme` is not a key of a document; it is ignored
 --> app.yaml:1:1
  |
1 | näme: tx
  | ^^^^
  |
  = help: did you mean `name`?

warning: `component` is not a key of a document; it is ignored
 --> app.yaml:2:1
  |
2 | component:
  | ^^^^^^^^^
  |
  = help: did you mean `components`?
"#,
    );
}

#[test]
fn deep_nesting() {
    check(
        &app(&"[".repeat(200)),
        r#"
error[GXF_FAILURE]: lists and mappings are nested more than 128 levels deep
 --> app.yaml:1:129
  |
 ::: 
1 | …[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[…
  |                                                              ^
"#,
    );
}

#[test]
fn an_alias_bomb() {
    check(
        &app(&bomb()),
        r#"
error[GXF_FAILURE]: the aliases of this file expand to more than 1000000 nodes
 --> app.yaml:8:10
  |
8 | a7: &a7 [*a6,*a6,*a6,*a6,*a6,*a6,*a6,*a6,*a6,]
  |          ^^^ the limit is exceeded here
  |
  = help: aliases of aliases multiply; write the values out or shorten the lists
"#,
    );
}

#[test]
fn a_long_line() {
    check(
        &app(&format!("name: a\n{}: x: y {}\n", "k ".repeat(400), "ab ".repeat(400_000))),
        r#"
error[GXF_FAILURE]: a `:` is not allowed here
 --> app.yaml:2:804
  |
 ::: 
2 | … k k k k k k k k k k k k k k k k k k k k k k k k k k k k : x: y ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab …
  |                                                              ^
  |
  = help: quote a text that contains `: `, or check the indentation of this line
"#,
    );
}

#[test]
fn control_characters() {
    check(
        &app("name: a\ncomp\u{202e}o: \"\x1b[31m\n"),
        r#"
error[GXF_FAILURE]: this quoted text has no closing quote
 --> app.yaml:2:9
  |
2 | comp�o: "�[31m
  |         ^ opened here
"#,
    );
}

#[test]
fn a_wrong_type() {
    check(
        &value(&number(1), "capacity: {a: 1}\n"),
        r#"
error[GXF_PARAMETER_PARSER_ERROR]: `capacity`: expected a list of 32-bit integers, found a mapping
 --> app.yaml:1:11
  |
1 | capacity: {a: 1}
  |           ^^^^^^ expected a list of 32-bit integers
"#,
    );
}

#[test]
fn wrong_elements() {
    check(
        &value(&number(1), "capacity: [1, [2], ä, 3000000000]\n"),
        r#"
error[GXF_PARAMETER_PARSER_ERROR]: `capacity`: expected a 32-bit integer, found a list
 --> app.yaml:1:15
  |
1 | capacity: [1, [2], ä, 3000000000]
  |               ^^^ expected a 32-bit integer

error[GXF_PARAMETER_PARSER_ERROR]: `capacity`: expected a 32-bit integer, found `ä`
 --> app.yaml:1:20
  |
1 | capacity: [1, [2], ä, 3000000000]
  |                    ^ expected a 32-bit integer

error[GXF_PARAMETER_PARSER_ERROR]: `capacity`: `3000000000` does not fit int32
 --> app.yaml:1:23
  |
1 | capacity: [1, [2], ä, 3000000000]
  |                       ^^^^^^^^^^ int32 holds -2147483648 to 2147483647
"#,
    );
}

#[test]
fn a_number_out_of_range() {
    check(
        &value(&limited(), "capacity: 11\n"),
        r#"
error[GXF_PARAMETER_OUT_OF_RANGE]: `capacity`: `11` is out of range
 --> app.yaml:1:11
  |
1 | capacity: 11
  |           ^^ allowed: from 1 to 10 ms
"#,
    );
}

#[test]
fn an_unknown_choice() {
    check(
        &value(&choice(), "capacity: Roundrobin\n"),
        r#"
error[GXF_ARGUMENT_OUT_OF_RANGE]: `capacity` cannot be `Roundrobin`
 --> app.yaml:1:11
  |
1 | capacity: Roundrobin
  |           ^^^^^^^^^^
  |
  = help: did you mean `RoundRobin`?
  = help: choices: Broadcast, RoundRobin
"#,
    );
}

#[test]
fn a_short_override() {
    check(
        &one(parse_override("tx/signal=5", 3).unwrap_err()),
        r#"
error[GXF_ARGUMENT_INVALID]: expected 3 names before the `=`, found 2
 --> <--param 3>:1:1
  |
1 | tx/signal=5
  | ^^^^^^^^^
  |
  = help: expected `entity/component/key=value`, such as `tx/signal/capacity=4`
"#,
    );
}

#[test]
fn bytes_that_are_no_text() {
    check(
        &one(not_utf8()),
        r#"
error[GXF_FAILURE]: `app.yaml` is not UTF-8: byte 13 is 0xfc
 --> app.yaml:2:6
  |
2 | b: gr�n
  |      ^ not UTF-8
"#,
    );
}

proptest! {
    #[test]
    fn no_file_breaks_the_front_end(text in app_like(), element in 0..18_u32, rank in 0..3_u32) {
        let source = Source::new("app.yaml", text.as_str());
        let mut diagnostics = Diagnostics::new();
        let _ = read_app(&source, &mut diagnostics);
        let spec = ParameterSpec::new("p", ParameterType(element), rank);
        for document in parse_stream(&source, &mut Diagnostics::new()).unwrap_or_default() {
            let _ = infer_value(&document);
            let nodes = document.as_mapping().unwrap_or_default().iter().map(|(_, value)| value);
            for node in nodes {
                let errors = parse_value(&spec, node, &source, &mut diagnostics).err();
                diagnostics.extend(errors.into_iter().flatten());
            }
        }
        diagnostics.extend(parse_override(&text, 1).err());
        let _ = diagnostics.render(true);
    }
}
