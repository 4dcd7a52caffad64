//! `gxe graph`: the complete text of DOT, Mermaid and SVG for the apps of `tests/graph`, whose
//! first line may add arguments: `# gxe: --statistics parts/measured.json`.
//!
//! `UPDATE_EXPECT=1 cargo test -p gxe-tests --test end_to_end graph::` writes the current texts. Read them
//! before you commit them, and look at the SVG. `graph_page.rs` tests the HTML page.

use expect_test::expect_file;
use gxe_tests::{Ended, Gxe};
use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const CASES: [&str; 5] = ["cycle", "hostile", "measured", "subgraphs", "unknown"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("graph")
}

fn draw(case: &str, arguments: &str) -> Ended {
    let text = std::fs::read_to_string(folder().join(format!("{case}.yaml"))).unwrap();
    let own = text.lines().next().and_then(|line| line.strip_prefix("# gxe: ")).unwrap_or("");
    let line = format!("graph --app {case}.yaml {own} {arguments}");
    Gxe::in_folder(&folder()).args(&line).run().with_status(0)
}

#[test]
fn drawings_are_as_written_down() {
    let mut wrong = Vec::new();
    for case in CASES {
        for (format, ending) in [("dot", "dot"), ("mermaid", "mmd"), ("svg", "svg")] {
            let found = draw(case, &format!("--format {format}")).stdout;
            let file = format!("{case}.{ending}");
            let compared = catch_unwind(|| expect_file![folder().join(&file)].assert_eq(&found));
            wrong.extend(compared.is_err().then_some(file));
        }
    }
    assert!(wrong.is_empty(), "not as written down, see above: {wrong:?}");
}

#[test]
fn the_same_graph_gives_the_same_page() {
    for case in CASES {
        let page = || draw(case, "--format html").stdout;
        let first = page();
        assert!(first.starts_with("<!DOCTYPE html>") && first.ends_with("</html>\n"));
        assert!(first == page(), "{case} differs from run to run");
    }
}

#[test]
fn folded_subgraphs_are_boxes() {
    let open = draw("subgraphs", "--format svg").stdout;
    let folded = draw("subgraphs", "--format svg --fold 1").stdout;
    let inner = draw("subgraphs", "--format svg --fold 2").stdout;
    let shown = |svg: &str, of: &str| {
        let lines = svg.lines().filter(|line| line.contains(of));
        lines.filter(|line| !line.contains("display:none")).count()
    };
    let counts = [&open, &folded, &inner]
        .map(|svg| (shown(svg, "class=\"node"), shown(svg, "class=\"group")));
    assert_eq!(counts, [(5, 3), (3, 1), (3, 3)]);
}

/// What the graph around it would provide are names without a component.
#[test]
fn a_subgraph_is_drawn_alone() {
    for (file, entities) in [("stage", 1), ("two_stages", 2)] {
        let line = format!("graph --app parts/{file}.yaml --format html");
        let ended = Gxe::in_folder(&folder()).args(&line).run().with_status(0);
        assert_eq!(ended.stderr, "");
        assert_eq!(ended.stdout.matches("class=\"node entity").count(), entities, "{file}");
        assert!(ended.stdout.contains(r#""key":"clock","value":"prerequisites/clock""#), "{file}");
    }
    // It is not complete, so it cannot run.
    let ended = Gxe::in_folder(&folder()).args("--app parts/stage.yaml").run().with_status(3);
    ended.complains("`prerequisites/clock` comes from the graph that uses this subgraph");
}

/// The drawing names what a missing library would bring, and shows everything else.
#[test]
fn a_missing_library_is_told() {
    let told = draw("unknown", "").stderr;
    let told: Vec<&str> = told.lines().filter(|line| !line.starts_with(' ')).collect();
    let beginnings = [
        "warning: cannot find extension library `libacme_camera.so`; looked for ",
        "",
        "warning: unknown component type `acme::SharedMemoryTransmitter`",
        "",
        "warning: unknown component type `acme::Grabber`",
        "",
        "warning: unknown component type `acme::Detector`",
        "",
        "warning: unknown component type `acme::SharedMemoryReceiver`",
        "",
        "warning: unknown component type `acme::Window`",
        "",
        "warning: unknown component type `acme::Window`",
        "",
        "warning: unknown component type `acme::Pool`",
        "",
        "gxe: 7 components of unknown type are marked in the drawing",
    ];
    let told: Vec<&str> = told.into_iter().filter(|line| !is_excerpt(line)).collect();
    assert_eq!(told.len(), beginnings.len(), "{told:#?}");
    for (line, beginning) in told.iter().zip(beginnings) {
        assert!(line.starts_with(beginning), "{line}");
    }
}

/// `12 |` and what follows.
fn is_excerpt(line: &str) -> bool {
    line.starts_with(|first: char| first.is_ascii_digit())
}

/// Draws nothing that cannot be read or that has other mistakes.
#[test]
fn other_mistakes_are_mistakes() {
    let app = "name: a\ncomponents: [{type: acme::A}, {type: nvidia::gxf::Vault, parameters: \
               {source: b/in}}]\n";
    let ended = Gxe::alone().file("app.yaml", app).args("graph --app app.yaml").run();
    let ended = ended.with_status(3);
    ended.complains("error[GXF_ENTITY_NOT_FOUND]: there is no entity `b`");
    assert_eq!(ended.stdout, "");
    let ended = Gxe::alone().file("app.yaml", app).args("graph --app app.yaml --manifest no").run();
    ended.with_status(3).complains("no");
}

/// Graphviz accepts how names are quoted.
#[test]
fn graphviz_reads_what_is_written() {
    for case in CASES {
        let child = Command::new("dot")
            .arg("-Tplain")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            eprintln!("skipped: there is no `dot` (apt-get install graphviz)");
            return;
        };
        let text = draw(case, "").stdout;
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let plain = String::from_utf8_lossy(&output.stdout);
        let nodes = plain.lines().filter(|line| line.starts_with("node ")).count();
        let written =
            text.lines().filter(|line| line.trim().starts_with('n') && line.contains(" ["));
        let written = written.filter(|line| !line.contains(" -> ") && !line.contains("node ["));
        assert_eq!(nodes, written.count(), "{case}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{case}");
    }
}

#[test]
fn the_ending_says_what_is_written() {
    let folder = tempfile::tempdir().unwrap();
    for (ending, begin) in
        [("dot", "digraph"), ("MMD", "flowchart"), ("svg", "<?xml"), ("html", "<!DOCTYPE")]
    {
        let run = Gxe::in_folder(folder.path()).file("app.yaml", "name: a\ncomponents: []\n");
        let ended = run.args(&format!("graph --app app.yaml -o out.{ending}")).run().clean();
        assert_eq!(ended.stdout, "");
        let written = std::fs::read_to_string(folder.path().join(format!("out.{ending}"))).unwrap();
        assert!(written.starts_with(begin), "{ending}");
    }
}

#[test]
fn mistakes_are_explained() {
    let app = "name: a\ncomponents: []\n";
    for (arguments, status, message) in [
        (
            "-o picture",
            2,
            "error: 'picture' does not say what to write\n\n  end it with .dot, .mmd, .svg or \
             .html, or give the format with --format\n\nFor more information, try 'gxe --help'.\n",
        ),
        (
            "-o no/where.svg",
            2,
            "error: cannot write 'no/where.svg': No such file or directory (os error 2)\n",
        ),
        (
            "--statistics app.yaml",
            3,
            "error: app.yaml:1:2: these are no statistics of a run: not JSON: expected ident\n",
        ),
        (
            "--statistics list.json",
            3,
            "error: list.json:1:13: these are no statistics of a run: invalid type: integer `3`, \
             expected a sequence\n",
        ),
    ] {
        let run = Gxe::alone().file("app.yaml", app).file("list.json", "{\"entities\":3}");
        let ended = run.args(&format!("graph --app app.yaml {arguments}")).run();
        assert_eq!(ended.stderr, message, "{arguments}");
        assert_eq!((ended.status, ended.stdout.as_str()), (Some(status), ""));
    }
    let nothing = Gxe::alone().args("graph").run().with_status(2);
    nothing.complains(
        "error: no app file given, so there is nothing to draw\n\n  name one:  gxe graph",
    );
    let strangers = draw("measured", "").stderr;
    let told = "gxe: the statistics are of another graph: this one has no 'somebody else'\n";
    assert_eq!(strangers, told);
}

/// There is no limit. Very large graphs have less text on each card, and a note says so.
#[test]
fn ten_thousand_entities_are_drawn() {
    let mut app = String::new();
    for index in 0..10_000 {
        let (queue, more) = (index, index % 97);
        write!(
            app,
            "name: e{queue}\ncomponents:\n- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}\n\
             - {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}\n\
             - {{type: nvidia::gxf::Connection, parameters: {{source: out, target: e{}/in}}}}\n\
             - {{type: nvidia::gxf::Connection, parameters: {{source: out, target: e{}/in}}}}\n---\n",
            (index * 7919 + more) % 10_000,
            index / 3,
        )
        .unwrap();
    }
    let ended = Gxe::alone().file("app.yaml", &app).args("graph --app app.yaml --format svg").run();
    let ended = ended.with_status(0);
    assert_eq!(ended.stdout.matches("class=\"node ").count(), 10_000);
    assert_eq!(
        ended.stderr,
        "gxe: 10000 entities · 20000 connections: the cards have names only, because there are so \
         many\n"
    );
}
