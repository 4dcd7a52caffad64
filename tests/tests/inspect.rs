//! `gxe inspect`: what a person reads about extensions, components and parameters, and about
//! libraries that cannot be loaded. The texts are in `tools/inspect/`.

use expect_test::expect_file;
use gxe_tests::{Ended, Gxe, MANIFEST, build};
use std::path::Path;
use std::process::Command;

/// `gxe inspect` in a folder with the manifest of all extensions.
fn inspect(line: &str) -> Ended {
    Gxe::alone().file("manifest.yaml", MANIFEST).args("inspect").args(line).run()
}

/// The output, with `BUILD` for the folder of the libraries and `1.x` for the version of the ABI.
fn shown(ended: &Ended) -> String {
    let folder = build::gxe();
    let folder = std::fs::canonicalize(folder.parent().expect("a folder")).expect("its path");
    let text = ended.stdout.replace(&*folder.to_string_lossy(), "BUILD");
    without_abi_version(&text)
}

/// Installed extensions are searched, too.
#[test]
fn types_are_found_by_parts_of_their_names() {
    let found = Gxe::alone().args("inspect nvidia::gxf::HelloWorld --brief").run().clean();
    assert!(found.stdout.contains("SampleExtension"), "{}", found.stdout);
    let found = Gxe::alone().args("inspect DOUBLEbuffer --brief").run().clean().stdout;
    for name in ["nvidia::gxf::DoubleBufferReceiver", "nvidia::gxf::DoubleBufferTransmitter"] {
        assert!(found.contains(name), "{found}");
    }
    let ended = Gxe::alone().args("inspect zebra::crossing").run().with_status(2);
    ended.complains("no installed extension has a type `zebra::crossing`");
    ended.complains("name the extension it comes from: --manifest FILE, or its .so\n");
}

#[test]
fn a_missing_library_hides_no_other() {
    let ended = inspect("libgxf_sample.so nowhere/libnone.so --brief").with_status(3);
    assert!(ended.stdout.contains("nvidia::gxf::PingTx"), "{}", ended.stdout);
    ended.complains("cannot load the extension library 'nowhere/libnone.so'");
    let manifest = "extensions: [libnone.so, libgxf_sample.so]\n";
    let gxe = Gxe::alone().file("m.yaml", manifest).args("inspect PingTx --manifest m.yaml");
    let ended = gxe.run().with_status(3);
    assert!(ended.stdout.contains("clock"), "{}", ended.stdout);
    ended.complains("cannot find extension library `libnone.so`");
}

#[test]
fn installed_extensions_are_listed() {
    let ended = Gxe::alone().args("list").run();
    assert!(ended.stdout.starts_with("StandardExtension "), "{}", ended.stdout);
    assert!(ended.stdout.contains("\n  nvidia::gxf::PingTx "), "{}", ended.stdout);
}

fn without_abi_version(text: &str) -> String {
    let version = format!("{}.{}", gxf_runtime::ABI_MAJOR, gxf_runtime::ABI_MINOR);
    text.replace(&format!("\"abi\": \"{version}\""), "\"abi\": \"1.x\"")
        .replace(&format!("ABI         {version}"), "ABI         1.x")
        .replace(&format!("has ABI {version};"), "has ABI 1.x;")
}

#[test]
fn a_type_is_shown_with_its_parameters() {
    for (line, file) in [
        ("nvidia::gxf::PingTx DoubleBufferReceiver --manifest manifest.yaml", "types.table"),
        ("PingTx --manifest manifest.yaml --format json", "type.json"),
        ("pingtxasync --manifest manifest.yaml --format markdown", "type.md"),
        // The id of PingTx.
        ("568ba758168811ec96210242ac130002 libgxf_sample.so --brief", "by_id.table"),
    ] {
        expect_file![format!("../tools/inspect/{file}")].assert_eq(&shown(&inspect(line).clean()));
    }
}

#[test]
fn a_library_is_shown_with_all_its_types() {
    for (line, file) in [
        ("libgxf_sample.so", "library.table"),
        ("libgxf_sample.so --format markdown", "library.md"),
    ] {
        expect_file![format!("../tools/inspect/{file}")].assert_eq(&shown(&inspect(line).clean()));
    }
}

#[test]
fn a_manifest_is_shown_as_the_libraries_it_lists() {
    let ended = inspect("manifest.yaml --brief").clean();
    let headings: Vec<_> =
        ended.stdout.lines().filter(|line| line.contains("Extension ")).collect();
    assert_eq!(headings[..2], ["StandardExtension 2.6.0", "SampleExtension 1.6.0"]);
    let built_in = inspect("").clean();
    assert!(built_in.stdout.starts_with("StandardExtension "), "{}", built_in.stdout);
    assert!(!built_in.stdout.contains("SampleExtension"));
    // The list grows with every type, so it is not repeated here.
    let named = inspect("libgxf_std.so --brief").clean().stdout;
    assert!(named.contains("\n  nvidia::gxf::Broadcast "), "{named}");
    assert!(named.contains("\n  Base types: nvidia::gxf::Component, "), "{named}");
    assert!(named.contains("\n  Payloads of messages: int8_t, "), "{named}");
}

#[test]
fn every_built_in_parameter_is_in_the_json() {
    let ended = inspect("--format json").clean();
    let all: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let types = all["extensions"][0]["types"].as_array().expect("a list");
    let find = |name: &str| {
        types.iter().find(|known| known["name"] == name).unwrap_or_else(|| panic!("{name}"))
    };
    let receiver = find("nvidia::gxf::DoubleBufferReceiver");
    assert_eq!(
        receiver["bases"],
        serde_json::json!([
            "nvidia::gxf::Receiver",
            "nvidia::gxf::Queue",
            "nvidia::gxf::Component"
        ])
    );
    let policy = &receiver["parameters"][1];
    assert_eq!((&policy["key"], &policy["default"]), (&"policy".into(), &2.into()));
    assert_eq!((&policy["minimum"], &policy["maximum"]), (&0.into(), &2.into()));
    assert_eq!(find("nvidia::gxf::Clock")["kind"], "abstract");
    assert_eq!(find("nvidia::gxf::Timestamp")["kind"], "payload");
}

#[test]
fn unknown_types_are_named_with_the_nearest() {
    let ended = inspect("PingTX2 --manifest manifest.yaml").with_status(2);
    expect_file!["../tools/inspect/unknown.error"].assert_eq(&ended.stderr);
    let ended = inspect("my::Own").with_status(2);
    expect_file!["../tools/inspect/unknown_far.error"].assert_eq(&ended.stderr);
}

/// Compiles C code to a library in a folder.
fn library(folder: &Path, name: &str, code: &str, arguments: &[&str]) {
    std::fs::write(folder.join("code.c"), code).expect("a file can be written");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut command = Command::new(&compiler);
    command.current_dir(folder).args(["-shared", "-fPIC", "code.c", "-o", name]).args(arguments);
    let status = command.status().unwrap_or_else(|error| panic!("{compiler}: {error}"));
    assert!(status.success(), "{command:?}");
}

#[test]
fn a_library_that_will_not_load_says_what_it_lacks() {
    let gxe = Gxe::alone();
    let folder = std::fs::canonicalize(gxe.folder()).expect("a path");
    library(&folder, "libplain.so", "int nothing;", &[]);
    let calls = "int cuda_thing(void); int call(void) { return cuda_thing(); }";
    let kept = ["-Wl,--unresolved-symbols=ignore-all", "-Wl,--no-as-needed", "-lm"];
    library(&folder, "libsymbol.so", calls, &kept);
    library(&folder, "libhelper.so", "int helper(void) { return 1; }", &[]);
    let calls = "int helper(void); int call(void) { return helper(); }";
    library(&folder, "libneedy.so", calls, &["-L.", "-lhelper"]);
    std::fs::remove_file(folder.join("libhelper.so")).expect("it is there");
    // The head of a descriptor of a future ABI: magic, size, major, minor.
    let future = "struct { unsigned long magic, size; unsigned major, minor; long rest[64]; } \
                  const GXF_EXT_FACTORY = {0x5458455f455847, 8, 1, 999, {0}};";
    library(&folder, "libfuture.so", future, &[]);
    std::fs::write(folder.join("libtext.so"), "not a library").expect("a file can be written");
    let mut all = String::new();
    for name in ["libplain", "libsymbol", "libneedy", "libfuture", "libtext", "libnowhere"] {
        let gxe = Gxe::in_folder(&folder).env("LD_LIBRARY_PATH", "");
        let ended = gxe.args(&format!("inspect ./{name}.so")).run();
        assert_eq!((ended.status, &*ended.stdout), (Some(3), ""), "{}", ended.stderr);
        let folder = folder.to_string_lossy();
        let program = build::gxe();
        let program = program.parent().expect("a folder").to_string_lossy();
        let said = ended.stderr.replace(&*folder, "DIR").replace(&*program, "BUILD");
        let said = without_abi_version(&said);
        all.push_str(&format!("$ gxe inspect ./{name}.so\n{said}\n"));
    }
    expect_file!["../tools/inspect/refused.error"].assert_eq(&all);
    drop(gxe);
}

#[test]
fn colors_only_where_they_are_asked_for() {
    assert!(!inspect("Broadcast").clean().stdout.contains('\u{1b}'));
    assert!(inspect("Broadcast --color always").clean().stdout.contains('\u{1b}'));
}

#[test]
fn what_goes_through_the_ports_of_a_type_is_shown() {
    let inspect = |line: &str| {
        let gxe = Gxe::alone().file("manifest.yaml", "extensions: [libgxf_outside.so]\n");
        gxe.args("inspect --manifest manifest.yaml").args(line).run().clean()
    };
    let ended = inspect("PoseSource PoseFilter PoseReceiver");
    expect_file!["../tools/inspect/ports.table"].assert_eq(&ended.stdout);
    let json: serde_json::Value =
        serde_json::from_str(&inspect("PoseFilter --format json").stdout).expect("JSON");
    let filter = &json["types"][0];
    assert_eq!(filter["flags"], serde_json::json!(["capturable", "in_place", "publishes_into"]));
    assert_eq!(filter["parameters"][0]["carries"], serde_json::json!(["gxe::test::Pose"]));
    let markdown = inspect("PoseFilter --format markdown").stdout;
    assert!(markdown.contains("Flags: capturable, in place, publishes into a given register."));
    assert!(markdown.contains("Receiver of poses. Carries `gxe::test::Pose`. |"), "{markdown}");
    let markdown = inspect("PoseReceiver --format markdown").stdout;
    assert!(markdown.contains("\nCarries `gxe::test::Pose`, `somebody::Else`.\n"), "{markdown}");
}
