//! Trees of the YAML texts that people write, and of some that they should not.

use super::*;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{Source, Span};
use gxf_plugin_abi::ResultCode;
use proptest::prelude::*;

fn parse(text: &str) -> Result<Vec<Node>, Diagnostic> {
    parse_stream(&Source::new("t", text), &mut Diagnostics::new())
}

/// What a text is warned of.
fn warned(text: &str) -> String {
    let mut warnings = Diagnostics::new();
    parse_stream(&Source::new("t", text), &mut warnings).unwrap();
    let texts = warnings.iter().map(|found| found.to_string().replacen("warning: ", "", 1));
    texts.collect::<Vec<_>>().join("\n")
}

/// The documents of a text in one notation.
fn shown(text: &str) -> String {
    parse(text).unwrap().iter().map(emit).collect::<Vec<_>>().join(" --- ")
}

fn refused(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn the_last_of_equal_keys_counts() {
    assert_eq!(shown("a: 1\nb: 2\na: 3"), "{b: 2, a: 3}");
    assert_eq!(warned("a: 1\nb: 2\na: 3"), "t:3:1: duplicate key `a`");
    assert_eq!(
        shown("- {~: 1, null: 2}\n- {? [1] : 1, ? [1] : 2}"),
        "[{null: 2}, {? [1] : 1, ? [1] : 2}]"
    );
    assert_eq!(shown("x: {a: [1], a: &p [2], b: *p}\ny: *p"), "{x: {a: [2], b: [2]}, y: [2]}");
    assert_eq!(
        shown("x: &p {a: 1, a: 2}\ny: *p\nz: {<<: *p}"),
        "{x: {a: 2}, y: {a: 2}, z: {a: 2}}"
    );
    assert_eq!(warned("x: &p {a: 1, a: 2}\ny: *p\nz: {<<: *p}"), "t:1:14: duplicate key `a`");
    assert_eq!(
        warned("name: a\ncomponents: []\nname: b\ncomponents:\n- {name: c, name: d}\n---\nname: e"),
        "t:3:1: duplicate key `name` (missing `---`?)\n\
         t:4:1: duplicate key `components` (missing `---`?)\n\
         t:5:13: duplicate key `name`"
    );
    let many: String = (0..20).map(|key| format!("k{key}: {key}\n")).collect();
    assert_eq!(warned(&format!("{many}k7: x\nk7: y")).lines().count(), 2);
}

#[test]
fn a_directive_without_a_document_start_is_accepted() {
    for text in [
        "%YAML 1.2\na: 1\n",
        "%YAML 1.2\n\n# comment\na: 1\n---\nb: 2\n",
        "\u{feff}%YAML 1.1\r\na: 1\r\n",
        "# licence\n%YAML 1.2\n%TAG ! tag:x,2000:\na: 1\n",
    ] {
        assert_eq!(shown(text).split(" --- ").next(), Some("{a: 1}"), "{text:?}");
    }
    assert!(refused("a: 1\n%YAML 1.2 x\n").contains("t:"), "no directive");
}

#[test]
fn a_key_without_a_colon_is_found_where_it_stands() {
    for (text, place) in [
        ("a: 1\nbad\n", "t:2:1"),
        ("a: 1\nbad\n\n\n", "t:2:1"),
        ("a: 1\n  \nbad thing  # comment\n\n", "t:3:1"),
        ("- a: 1\n  bad\n- b: 2\n", "t:2:3"),
    ] {
        assert!(refused(text).starts_with(&format!("{place}: ")), "{text:?} {}", refused(text));
    }
}

#[test]
fn streams_of_documents() {
    assert_eq!(shown(""), "");
    assert_eq!(shown("a: 1\r\nb: 'x y'\r\n"), r#"{a: 1, b: "x y"}"#);
    assert_eq!(
        shown("\u{feff}%YAML 1.2\n---\na: 1\n---\n# nothing\n---\n- b\n...\n"),
        "{a: 1} --- ~ --- [b]"
    );
    assert_eq!(shown("a:\nb: ~\nc: null\nd: ''"), r#"{a: ~, b: ~, c: null, d: ""}"#);
    assert_eq!(
        shown("a: !ms 5\nb: !!str 5\nc: ! 5"),
        r#"{a: !<!ms> 5, b: !<tag:yaml.org,2002:str> "5", c: "5"}"#
    );
    assert_eq!(shown("a: |\n  x\n  y\n"), r#"{a: "x\ny\n"}"#);
    assert_eq!(shown("? [1, 2]\n: {a: b}\n"), "{? [1, 2] : {a: b}}");
}

#[test]
fn what_gxf_accepts_is_accepted() {
    assert_eq!(shown("a:\t1\nb: {c:\t \t2, d: [\t3\t]}\n"), "{a: 1, b: {c: 2, d: [3]}}");
    // A tab inside a text stays.
    assert_eq!(shown("a: |\n  x:\ty\nb:\tc\n"), "{a: \"x:\\ty\\n\", b: c}");
    assert_eq!(
        shown("%YAML 1.2\n---\na: 1\n%YAML 1.2\n# joined\n---\nb:\t2\n%YAML 1.1\n---\n- c\n"),
        "{a: 1} --- {b: 2} --- [c]"
    );
    let source = Source::new("t", "ä:\tö\n%YAML 1.2\n---\nü:\tß\n");
    let documents = parse_stream(&source, &mut Diagnostics::new()).unwrap();
    assert_eq!(documents[1].get("ü").unwrap().span(&source).text(), "ß");
    assert!(refused("a: 1\n%TAG ! tag:t,2000:\n---\nb: 2\n").contains("document end marker"));
    // Parsing again terminates.
    assert!(parse(&"a:\tb\n---\n%x\n".repeat(1 << 20)).is_err());
}

#[test]
fn escapes_that_stand_for_nothing_are_named() {
    for (text, place, message, help) in [
        (
            r#"{p: "a\ud83d\ude00"}"#,
            "t:1:7",
            r"\ud83d",
            r"write `😀` or `\U0001F600` in place of both",
        ),
        (r#"- ["\t\u00e4", "\ud83d"]"#, "t:1:17", r"\ud83d", "write the character itself"),
        (r#"a: "\ud83dx\ude00""#, "t:1:5", r"\ud83d", "write the character itself"),
        (r#"a: "\UFFFFFFFF""#, "t:1:5", r"\UFFFFFFFF", "write the character itself"),
        (r#"a: "\x2""#, "t:1:5", r"\x2", r"`\x` has 2 hexadecimal digits"),
        ("a: \"b\n  \\qc\"", "t:2:3", r"\q", r"write a backslash as `\\`"),
    ] {
        let problem = parse(text).unwrap_err();
        let shown = problem.to_string();
        assert!(shown.contains(&format!("`{message}` stands for no character")), "{shown}");
        assert!(shown.starts_with(place) && problem.help[0].contains(help), "{problem:?}");
    }
    let known = r#"\0\a\b\t\n\v\f\r\e\ \"\/\\\N\_\L\P\x41\u00e4\U0001F600"#;
    assert!(parse(&format!("\"{known}\"")).is_ok());
    assert!(refused(&format!("\"{known}\\q\"")).contains("`\\q` stands for no character"));
}

#[test]
fn utf_16_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.yaml");
    let text = "name: \u{1f600} ä\n";
    let read = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        read_source(&file).map(|source| source.text().to_string())
    };
    let units: Vec<u16> = std::iter::once(0xfeff).chain(text.encode_utf16()).collect();
    let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    assert_eq!(read(&little).unwrap(), text);
    assert_eq!(read(&big).unwrap(), text);
    assert_eq!(read(&[0xff, 0xfe]).unwrap(), "");
    // Half a character, and half a pair of surrogates.
    for broken in [&little[..little.len() - 1], &[0xff, 0xfe, 0x3d, 0xd8]] {
        let problem = read(broken).unwrap_err();
        assert!(problem.help[0].contains("damaged UTF-16"), "{problem}");
    }
}

#[test]
fn places_are_exact() {
    let source = Source::new("t", "ä: [ö, 'ü']\nb:\n  - c: |\n      text\n\n  - d:\ne: f\n");
    let documents = parse_stream(&source, &mut Diagnostics::new()).unwrap();
    let mut texts = Vec::new();
    fn walk(node: &Node, source: &std::sync::Arc<Source>, texts: &mut Vec<String>) {
        texts.push(node.span(source).text().to_owned());
        match &node.kind {
            Kind::Scalar { .. } => {}
            Kind::Sequence(elements) => elements.iter().for_each(|e| walk(e, source, texts)),
            Kind::Mapping(pairs) => {
                pairs.iter().for_each(|(k, v)| {
                    walk(k, source, texts);
                    walk(v, source, texts);
                });
            }
        }
    }
    walk(&documents[0], &source, &mut texts);
    assert_eq!(
        texts,
        [
            source.text().trim_end(),
            "ä",
            "[ö, 'ü']",
            "ö",
            "'ü'",
            "b",
            "- c: |\n      text\n\n  - d",
            "c: |\n      text",
            "c",
            "text",
            "d",
            "d",
            "",
            "e",
            "f",
        ]
    );
}

#[test]
fn anchors_aliases_and_merging() {
    assert_eq!(shown("a: &x [1, &y 2]\nb: *x\nc: *y\n"), "{a: [1, 2], b: [1, 2], c: 2}");
    assert_eq!(
        shown("base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\n"),
        "{base: {x: 1, y: 2}, use: {y: 3, x: 1}}"
    );
    assert_eq!(shown("<<: [{a: 1}, {a: 2, b: &z 2}]\nc: 3\nd: *z"), "{c: 3, d: 2, a: 1, b: 2}");
    assert_eq!(shown("'<<': {a: 1}"), r#"{"<<": {a: 1}}"#);
    assert!(refused("<<: 5").contains("a merge key"));
    assert!(refused("a: &a [*a]").contains("names no anchor that is complete"));
    assert!(refused("a: *b").contains("this alias has no anchor"));
    assert!(refused("- &a 1\n---\n- *a").contains("this alias has no anchor"));
}

#[test]
fn limits_hold() {
    let mut bomb = String::from("a0: &a0 [x]\n");
    for level in 1..30 {
        bomb +=
            &format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 9].join(", "));
    }
    assert!(refused(&bomb).contains("expand to more than 1000000 nodes"));
    let chain: String = (1..200).map(|n| format!("- &a{n} [*a{}]\n", n - 1)).collect();
    assert!(refused(&format!("- &a0 []\n{chain}")).contains("128 levels deep"));
    for (open, close) in [("[", "]"), ("{a: ", "}"), ("- ", ""), ("? ", "")] {
        let deep = |levels| format!("{}x{}", open.repeat(levels), close.repeat(levels));
        assert!(parse(&deep(128)).is_ok(), "{open}");
        for levels in [129, 300, 100_000] {
            let message = refused(&deep(levels));
            assert!(message.contains("128 levels deep"), "{open} {message}");
        }
    }
}

#[test]
fn files_that_are_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.yaml");
    let code = |path: &std::path::Path| read_source(path).unwrap_err().code;
    assert_eq!(code(&path), ResultCode::FILE_NOT_FOUND);
    assert_eq!(code(folder.path()), ResultCode::FAILURE);
    std::fs::write(&path, b"a: 1\nb: \xff\n").unwrap();
    let error = read_source(&path).unwrap_err();
    assert!(error.to_string().contains(":2:4: error:"));
    assert!(error.message.ends_with("is not UTF-8: byte 8 is 0xff"));
    std::fs::write(&path, "\u{feff}a: 1").unwrap();
    assert_eq!(read_source(&path).unwrap().text().as_str(), "a: 1");
    std::fs::File::create(&path).unwrap().set_len((1 << 30) + 1).unwrap();
    assert!(read_source(&path).unwrap_err().message.contains("larger than 128 MiB"));
}

/// Nobody writes to the socket, so whoever read it would wait for ever.
#[test]
fn what_a_parameter_names_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    assert_eq!(read_file(&path).unwrap_err().code, ResultCode::FILE_NOT_FOUND);
    assert!(
        read_file(folder.path()).unwrap_err().message.ends_with("is a directory, expected a file")
    );
    let refused = |path: &std::path::Path| read_file(path).unwrap_err().message;
    assert_eq!(refused("/dev/zero".as_ref()), "`/dev/zero` is a device, expected a file");
    let socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
    assert!(refused(&path).ends_with("a.json` is a socket, expected a file"));
    drop(socket);
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, "a: 1").unwrap();
    assert_eq!(read_file(&path).unwrap().text().as_str(), "a: 1");
}

/// Random combinations of lines that look like YAML.
fn yaml_like() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b: ",
        "- ",
        "? ",
        ": ",
        "\n",
        "\n  ",
        "\n    ",
        "\n---\n",
        "\n...\n",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "&x ",
        "*x",
        "!t ",
        "!!str ",
        "!<a%41> ",
        "'",
        "\"",
        "|\n",
        ">\n",
        "|2-\n",
        "#",
        " # c\n",
        "<<: ",
        "\t",
        "\r\n",
        "\u{feff}",
        "%YAML 1.2\n",
        "%TAG !e! x:\n",
        "!e!f ",
        "ä",
        "\\",
        "\0",
        "~",
        "null",
        "1",
        "-",
        "::",
        "\u{2028}",
        "\u{85}",
        "🦀",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Lines as in app files, with and without constructs that the fast reader leaves to the full one.
pub(crate) fn app_like() -> impl Strategy<Value = String> {
    let start = prop::sample::select(vec![
        "",
        "  ",
        "    ",
        "- ",
        "  - ",
        "    - ",
        "- - ",
        "---\n",
        "---",
        "--- ",
        "---\nname: ",
    ]);
    let key = prop::sample::select(vec![
        "name: ",
        "type: ",
        "a::b: ",
        "a:b: ",
        "parameters:",
        "components:\n",
        "x:  ",
        "",
        "",
        "k : ",
        "<<: ",
        "a #b: ",
        "-1: ",
        "'q': ",
        "a#b: ",
        "...: ",
        "\u{e4}: ",
    ]);
    let value = prop::sample::select(vec![
        "x",
        "nvidia::gxf::Clock",
        "-1",
        "- 1",
        "-",
        "[1, -2.5, a b]",
        "[]",
        "[[1],['x', \"y\"]] # c",
        "[a,]",
        "[a: b]",
        "[a::b, c:d]",
        "'x y'",
        "'it''s'",
        "\"x\\n\"",
        "\"x\" # c",
        "'x'#c",
        "x#c",
        "x # c",
        "x  ",
        "x: y",
        "x:y",
        "x:",
        "~",
        "<Unspecified>",
        "{a: b}",
        "|",
        "&a x",
        "*a",
        "# c",
        "",
        "",
        "a\n  b",
        "[1,\n 2]",
        "[x",
        "a, b",
        "a]b",
        "?x",
        "a/b.c",
        ".inf",
        "--",
        "...",
        "[- 1]",
        "[-]",
        "[a #b]",
        "[a#b]",
        "[a ,b]",
        "[ ]",
        "[a]]",
        "{a: 1, b_2: x/y}",
        "{a: [1, {b: 2}], c: \"d\"}",
        "[{a: 1}, {b: 2 }]",
        "{ a: 1 , b:  2 } # c",
        "{a: 1, a: 2}",
        "{<<: {a: 1}}",
        "{a: 1,}",
        "{a: }",
        "{a, b: 1}",
        "{a:1}",
        "{a: b: c}",
        "{a: b]}",
        "[a}]",
        "{a: n::T}",
        "{\"a\": 1}",
        "{a: 1} x",
        "{a: 1}: x",
        "{~: 1, null: 2}",
        "{a: -1, b: - 1}",
        "{ }",
        "{}",
    ]);
    let end = prop::sample::select(vec!["\n", "\n", "\n", "\n\n", "\n# c\n", "\n  # c\n", ""]);
    let line = (start, key, value, end).prop_map(|(a, b, c, d)| [a, b, c, d].concat());
    prop::collection::vec(line, 0..8).prop_map(|lines| lines.concat())
}

/// The tree without places, with one spelling of null, and with quotes where plain text needs them.
fn normal(node: &Node) -> String {
    let tag = node.tag.as_deref().unwrap_or_default();
    match &node.kind {
        _ if node.is_null() => format!("{tag} null"),
        Kind::Scalar { value, .. } => format!("{tag} {value:?}"),
        Kind::Sequence(elements) => {
            format!("{tag} [{}]", elements.iter().map(normal).collect::<Vec<_>>().join(","))
        }
        Kind::Mapping(pairs) => {
            let pairs =
                pairs.iter().map(|(key, value)| format!("{}={}", normal(key), normal(value)));
            format!("{tag} {{{}}}", pairs.collect::<Vec<_>>().join(","))
        }
    }
}

proptest! {
    #[test]
    fn no_text_breaks_the_parser(text in any::<String>()) {
        let _ = parse(&text);
    }

    #[test]
    fn what_is_read_can_be_written(text in yaml_like()) {
        let source = Source::new("t", text);
        match parse_stream(&source, &mut Diagnostics::new()) {
            Ok(documents) => for document in documents {
                let emitted = emit(&document);
                let again = parse(&emitted);
                prop_assert!(again.is_ok(), "{emitted:?} {again:?}");
                let again = again.unwrap();
                prop_assert_eq!(again.len(), 1);
                prop_assert_eq!(normal(&again[0]), normal(&document), "{:?}", emitted);
            },
            Err(error) => { let _ = crate::diagnostic::Diagnostics::from(error).render(true); }
        }
    }

    #[test]
    fn the_fast_reader_agrees_with_the_full_parser(text in prop_oneof![app_like(), yaml_like()]) {
        // The full parser lets a block scalar at the top level swallow the start of a document.
        if text.contains("---") && text.contains(['|', '>']) {
            return Ok(());
        }
        let source = Source::new("t", text);
        let (mut full, mut some, mut all) = (Vec::new(), Diagnostics::new(), Diagnostics::new());
        let range = 0..source.text().len();
        let result = stream::parse_fully(&source, range, &mut full, &mut 0, &mut all);
        match (parse_stream(&source, &mut some), result) {
            (Ok(documents), Ok(())) => {
                prop_assert_eq!(documents, full);
                prop_assert_eq!(some.render(false), all.render(false));
            }
            (Err(_), Err(_)) => {}
            (Ok(found), Err(error)) => prop_assert!(false, "{found:?}, but {error}"),
            (Err(error), Ok(())) => prop_assert!(false, "{error}, but {full:?}"),
        }
    }

    #[test]
    fn any_text_can_be_written(text in any::<String>(), key in any::<String>()) {
        let scalar = |value: &str| {
            let mut node = Node::null(0);
            node.kind = Kind::Scalar { value: value.into(), plain: true };
            node
        };
        let mut tree = scalar("");
        tree.kind = Kind::Mapping(vec![(scalar(&key), scalar(&text))]);
        let again = parse(&emit(&tree)).unwrap();
        prop_assert_eq!(normal(&again[0]), normal(&tree));
    }
}

#[test]
fn a_large_text_stays_in_its_file_until_a_place_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.yaml");
    let filler = "# nothing\n".repeat(200_000);
    std::fs::write(&path, format!("\u{feff}{filler}wrong: 1\n")).unwrap();
    let source = read_source(&path).unwrap();
    let place = Span::new(&source, filler.len()..filler.len() + 5);
    source.release();
    assert_eq!(place.line_column(), (200_001, 1));
    assert_eq!(place.text(), "wrong");

    source.release();
    std::fs::write(&path, "other: 1\n").unwrap();
    assert_eq!(place.to_string(), format!("{}, byte 2000000", path.display()));
    assert_eq!(place.text(), "");
    assert_eq!(place.line_column(), (1, 1));
    let shown = place.render("this one", false);
    assert!(shown.contains("byte 2000000 (the file has changed since it was read)"), "{shown}");

    let small = Source::new("small.yaml", "a: 1");
    small.release();
    assert_eq!(small.text().as_str(), "a: 1");
}
