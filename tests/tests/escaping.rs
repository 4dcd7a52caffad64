//! Names and texts of files and extensions on their way to people: none of them steers a terminal,
//! passes for a line of ours, or fills the screen.

use gxe_tests::{Gxe, SCHEDULER};
use std::path::Path;

/// A name that clears the screen, turns the direction of writing, and begins a line. YAML's
/// escapes.
const EVIL: &str = "\\e[2J\\x9b31m\\u202e\\nerror: forged";

/// The same as it is.
const RAW: &str = "\u{1b}[2J\u{9b}31m\u{202e}\nerror: forged";

/// An entity and a codelet of this name.
fn app(codelet: &str) -> String {
    format!(
        "name: \"{EVIL}\"
components:
- name: \"{EVIL}\"
  type: {codelet}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 2}}}}
{SCHEDULER}"
    )
}

#[track_caller]
fn is_harmless(text: &str) {
    let hidden = text.chars().find(|character| {
        (character.is_control() && !matches!(character, '\n' | '\t')) || *character == '\u{202e}'
    });
    assert_eq!(hidden, None, "{text:?}");
    assert!(!text.lines().any(|line| line.starts_with("error: forged")), "{text}");
}

#[test]
fn the_statistics_table_and_files_are_harmless() {
    let gxe = Gxe::app(&app("nvidia::gxf::HelloWorld"));
    let folder = gxe.folder();
    let gxe = gxe.args("--statistics=statistics.json --trace trace.json --severity verbose");
    let (ended, files) = gxe.spawn().end_with(|| {
        ["statistics.json", "trace.json"]
            .map(|name| std::fs::read_to_string(folder.join(name)).unwrap())
    });
    let ended = ended.with_status(0);
    is_harmless(&ended.stdout);
    is_harmless(&ended.stderr);
    assert!(
        ended.stdout.contains(r"\u{1b}[2J\u{9b}31m\u{202e}\nerror: forged"),
        "{}",
        ended.stdout
    );
    for text in &files {
        is_harmless(text);
    }
    let [statistics, trace] =
        files.map(|text| serde_json::from_str::<serde_json::Value>(&text).unwrap());
    assert_eq!(statistics["entities"][0]["name"], RAW);
    assert!(
        trace["traceEvents"].as_array().unwrap().iter().any(|event| event["args"]["name"] == RAW)
    );
}

#[test]
fn the_causes_of_a_failure_are_harmless() {
    let ended = Gxe::app(&app("gxe::test::Probe\n  parameters: {fail_in: tick}")).run();
    is_harmless(&ended.stderr);
    is_harmless(&ended.stdout);
    ended.complains(r"\u{1b}[2J\u{9b}31m\u{202e}\nerror: forged");
    assert_ne!(ended.status, Some(0));
}

#[test]
fn the_name_of_a_call_that_hangs_is_harmless() {
    let app = app("gxe::test::Probe\n  parameters: {hang_in: tick}");
    let mut running = Gxe::app(&app).spawn();
    running.wait_for("tick");
    running.signal("INT");
    running.wait_for_error("has not returned from tick for ");
    running.signal("INT");
    let ended = running.end();
    is_harmless(&ended.stderr);
    is_harmless(&ended.stdout);
}

#[test]
fn names_of_columns_are_harmless() {
    let header = RAW.replace('\n', "");
    for codelet in ["gxe::view::Print", "gxe::view::Plot"] {
        let flow = gxe_tests::flow::Flow::default()
            .then("source", "gxe::io::CsvSource", "address: data.csv")
            .then("view", codelet, "");
        let ended = flow.gxe().file("data.csv", &format!("{header}\n1\n")).run().clean();
        is_harmless(&ended.stdout);
        assert!(ended.stdout.contains(r"\u{1b}[2J\u{9b}31m\u{202e}error: forged"), "{codelet}");
    }
}

#[test]
fn findings_are_harmless_in_every_format() {
    let check = |format: &str| {
        let gxe = Gxe::alone()
            .file("manifest.yaml", gxe_tests::MANIFEST)
            .file("app.yaml", &app("nvidia::gxf::PingRx"));
        let line = "check --app app.yaml --manifest manifest.yaml --format";
        let ended = gxe.args(line).args(format).run();
        is_harmless(&ended.stdout);
        is_harmless(&ended.stderr);
        ended
    };
    for format in ["json", "sarif"] {
        let text = check(format).stdout;
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(document.to_string().contains("forged"), "{text}");
    }
    assert!(check("text").stdout.contains(r"\u{1b}[2J"));
}

#[test]
fn what_an_extension_says_of_itself_is_harmless() {
    let gxe = Gxe::alone();
    let code = r#"
#include "gxf/plugin_abi.h"
static GxeResultCode create_factory(const GxeHostTable *table, GxeExtensionFactory *factory) {
  (void)table;
  (void)factory;
  return 0;
}
const GxeExtensionDescriptor GXF_EXT_FACTORY = {
    .magic = GXE_ABI_MAGIC, .size = sizeof(GxeExtensionDescriptor),
    .abi_major = GXE_ABI_MAJOR, .abi_minor = GXE_ABI_MINOR,
    .id = {UINT64_C(0x7d1c5b82e94f4a07), UINT64_C(0x9b3f60d2c8a7e515)},
    .name = "Evil\\033[2J\\nname", .version = "1.0.0", .description = "text\\033]0;title\\a",
    .author = "\\302\\233", .license = "", .build_info = "\\r",
    .display_name = "Shown\\033[1m", .category = "Sensors\\b",
    .create_factory = create_factory,
};
"#;
    std::fs::write(gxe.folder().join("evil.c"), code).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugin-abi/include");
    let mut command = std::process::Command::new(compiler);
    command.current_dir(gxe.folder()).args([
        "-shared",
        "-fPIC",
        "-o",
        "libevil.so",
        "evil.c",
        "-I",
    ]);
    assert!(command.arg(include).status().expect("a C compiler").success());
    let folder = gxe.folder();
    for format in ["table", "markdown", "json"] {
        let line = format!("inspect ./libevil.so --format {format}");
        let ended = Gxe::in_folder(&folder).args(&line).run().clean();
        is_harmless(&ended.stdout);
        // [S14]: what tools show.
        for text in ["Shown", "Sensors"] {
            assert!(ended.stdout.contains(text), "{format}: {}", ended.stdout);
        }
    }
}

#[test]
fn the_page_of_a_graph_is_harmless() {
    let ended = Gxe::alone()
        .file("app.yaml", &app("nvidia::gxf::HelloWorld"))
        .file("manifest.yaml", gxe_tests::MANIFEST)
        .args("graph --app app.yaml --manifest manifest.yaml --format html")
        .run()
        .with_status(0);
    is_harmless(&ended.stdout);
}

/// Texts of megabytes are told by their beginning and their end.
#[test]
fn long_texts_are_cut() {
    let name = "x".repeat(1 << 20);
    let app = format!("name: a\ncomponents:\n- type: nvidia::gxf::{name}\n");
    let ended = Gxe::app(&app).run().with_status(3);
    assert!(ended.stderr.len() < 10_000, "{} bytes", ended.stderr.len());
    ended.complains("more characters");
    let app = format!(
        "name: a\ncomponents:\n- {{type: nvidia::gxf::PingTx, parameters: {{clock: {name}}}}}\n"
    );
    let ended = Gxe::app(&app).run().with_status(3);
    assert!(ended.stderr.len() < 10_000, "{} bytes", ended.stderr.len());
    let app = format!(
        "name: a\ncomponents:\n- {{type: nvidia::gxf::HelloWorld, parameters: {{{name}: 1}}}}\n"
    );
    for format in ["json", "sarif", "text"] {
        let gxe = Gxe::alone().file("app.yaml", &app).file("manifest.yaml", gxe_tests::MANIFEST);
        let line = format!("check --app app.yaml --manifest manifest.yaml --format {format}");
        let ended = gxe.args(&line).run();
        let bytes = ended.stdout.len();
        assert!((1..40_000).contains(&bytes), "{format}: {bytes} bytes");
        assert!(ended.stdout.contains("more characters"), "{format}\n{}", ended.stdout);
    }
}
