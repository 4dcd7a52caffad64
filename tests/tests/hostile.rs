//! Inputs that no command may trip over: files that are not what they seem, outputs that cannot be
//! written. Every command ends by itself, in little memory, and says what is wrong with which file.

use gxe_tests::{Ended, Gxe, PATIENCE, build};
use std::fmt::Write as _;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Memory limit of a command in KiB, large enough for memory that is reserved and never used.
const MEMORY: u32 = 3 << 20;

/// An app that runs for a moment.
const APP: &str = "\
name: hello
components:
- type: nvidia::gxf::HelloWorld
- type: nvidia::gxf::CountSchedulingTerm
  parameters: {count: 1}
---
name: scheduler
components:
- name: clock
  type: nvidia::gxf::RealtimeClock
- type: nvidia::gxf::GreedyScheduler
  parameters: {clock: clock}
";

/// Runs a command with bounded memory in a folder that has `app.yaml` and `manifest.yaml`.
fn run(folder: &Path, line: &str) -> Ended {
    let limit = format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"");
    let mut command = Command::new("timeout");
    command.arg(PATIENCE.as_secs().to_string()).args(["bash", "-c", &limit]);
    command.arg(build::gxe()).args(line.split(' '));
    command.current_dir(folder).env("GXF_LOG_LEVEL", "error").stdin(Stdio::null());
    let output = command.output().expect("the shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ended {
        status: output.status.code(),
        signal: output.status.signal(),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    }
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("app.yaml"), APP).expect("writable");
    std::fs::write(folder.path().join("manifest.yaml"), gxe_tests::MANIFEST).expect("writable");
    folder
}

/// Each level names the previous one ten times.
fn aliases(of: impl Fn(u32, &str) -> String) -> String {
    let mut text = "a0: &a0 {k0: 1}\n".to_owned();
    for level in 1..12 {
        let before = vec![format!("*a{}", level - 1); 10].join(", ");
        // Writing to a `String` does not fail.
        _ = writeln!(text, "a{level}: &a{level} {}", of(level, &before));
    }
    text
}

#[test]
fn no_file_makes_a_command_fall() {
    let folder = folder();
    let levels = 100_000;
    let lists = aliases(|_, before| format!("[{before}]"));
    let merges = aliases(|level, before| format!("{{<<: [{before}], k{level}: 1}}"));
    let hostile: Vec<(&str, Vec<u8>)> = vec![
        ("junk", (0..20_000_u32).map(|byte| ((byte * 7919) >> 3) as u8).collect()),
        ("zeros", vec![0; 10_000]),
        ("text", b"just a text\n".to_vec()),
        ("lists_in_lists", "[".repeat(levels).into_bytes()),
        ("closed_lists", ("[".repeat(levels) + &"]".repeat(levels)).into_bytes()),
        ("maps_in_maps", "{a: ".repeat(levels).into_bytes()),
        ("items_in_items", "- ".repeat(levels).into_bytes()),
        ("aliases", lists.into_bytes()),
        ("merges", merges.into_bytes()),
        ("alias_of_itself", b"a: &a [*a]\n".to_vec()),
        ("not_utf8", b"name: a\xff\xfe\n".to_vec()),
        ("utf16", APP.encode_utf16().flat_map(u16::to_le_bytes).collect()),
    ];
    for (name, bytes) in &hostile {
        std::fs::write(folder.path().join(name), bytes).expect("writable");
    }
    std::fs::create_dir(folder.path().join("folder")).expect("a folder");
    let names = hostile.iter().map(|(name, _)| *name).chain(["folder", "missing", "/dev/zero"]);
    let mut wrong = String::new();
    for name in names {
        for line in [
            "check --app FILE --manifest manifest.yaml",
            "--app FILE --manifest manifest.yaml",
            "graph --app FILE --manifest manifest.yaml",
            "graph --app app.yaml --manifest manifest.yaml --statistics FILE",
            "inspect --manifest FILE",
            "trace convert FILE out.json",
            "recording info FILE",
        ] {
            let ended = run(folder.path(), &line.replace("FILE", name));
            let text = ended.stdout + &ended.stderr;
            let is_named = text.contains(name) && !text.contains("panicked");
            if ended.status != Some(3) || !is_named || text.len() > 10_000 {
                _ = writeln!(wrong, "{line}: {name}: {:?}\n{text:.500}", ended.status);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// An entity that is a subgraph, or two.
fn subgraphs(locations: &[&str]) -> String {
    let mut text = String::new();
    for (index, location) in locations.iter().enumerate() {
        _ = writeln!(
            text,
            "---\nname: s{index}\ncomponents:\n- {{name: stage, type: nvidia::gxf::Subgraph, \
             parameters: {{location: {location}}}}}"
        );
    }
    text
}

#[test]
fn a_load_that_grows_without_end_is_refused() {
    let folder = folder();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
    put("endless.yaml", &subgraphs(&["/dev/zero"])).expect("writable");
    for level in 0..26 {
        let next = format!("level{}.yaml", level + 1);
        put(&format!("level{level}.yaml"), &subgraphs(&[&next, &next])).expect("writable");
    }
    put("level26.yaml", "name: e\n").expect("writable");
    for (line, expected) in [
        ("--app endless.yaml", "`/dev/zero` is larger than 128 MiB"),
        ("--app app.yaml --manifest /dev/zero", "`/dev/zero` is larger than 128 MiB"),
        ("--app level0.yaml", "come to more than 20000 files or 256 MiB"),
    ] {
        let ended = run(folder.path(), line).with_status(3);
        assert!(ended.stderr.contains(expected), "{line}\n{}", ended.stderr);
        assert_eq!(ended.stderr.matches("error[").count(), 1, "{line}\n{}", ended.stderr);
    }
}

#[test]
fn an_output_that_waits_for_its_reader_ends_with_a_signal() {
    let folder = folder();
    let made = Command::new("mkfifo").arg(folder.path().join("pipe")).status();
    assert!(made.expect("mkfifo").success());
    for option in ["--trace=pipe", "--statistics=pipe", "--log_file_path=pipe"] {
        let line = format!("--app app.yaml --manifest manifest.yaml {option}");
        let mut running = Gxe::in_folder(folder.path()).args(&line).spawn();
        let threads = format!("/proc/{}/task", running.pid());
        let watches = || {
            let tasks = std::fs::read_dir(&threads).expect("threads");
            tasks.flatten().any(|task| {
                std::fs::read_to_string(task.path().join("comm"))
                    .is_ok_and(|name| name == "signals\n")
            })
        };
        while !watches() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        // It waits from about now on; a signal before that ends it, too.
        std::thread::sleep(std::time::Duration::from_millis(300));
        running.signal("TERM");
        let ended = running.end();
        assert_eq!(ended.status, Some(143), "{line}\n{}", ended.stderr);
        assert!(!ended.stderr.contains("error"), "{line}\n{}", ended.stderr);
    }
    // A reader that comes late gets everything.
    let line = "--app app.yaml --manifest manifest.yaml --statistics=pipe";
    let running = Gxe::in_folder(folder.path()).args(line).spawn();
    let text = std::fs::read_to_string(folder.path().join("pipe")).expect("statistics");
    _ = running.end().with_status(0);
    assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}");
}

#[test]
fn a_load_that_waits_for_a_pipe_ends_with_a_signal() {
    let folder = folder();
    let pipe = folder.path().join("pipe.yaml");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    std::fs::write(folder.path().join("below.yaml"), subgraphs(&["pipe.yaml"])).expect("writable");
    for (line, begun) in [
        ("--app pipe.yaml --manifest manifest.yaml", "Loading app"),
        ("--app below.yaml --manifest manifest.yaml", "Loading app"),
        ("--app app.yaml --manifest pipe.yaml --severity 4", "Loading manifest"),
        ("--app pipe.yaml --manifest manifest.yaml --watch", "Loading app"),
    ] {
        let mut running = Gxe::in_folder(folder.path()).args(line).spawn();
        running.wait_for(begun);
        running.signal("TERM");
        let ended = running.end();
        assert_eq!(ended.status, Some(143), "{line}\n{}", ended.stderr);
        ended.complains("stopped by SIGTERM before the graph ran");
        assert!(!ended.stderr.contains("error"), "{line}\n{}", ended.stderr);
    }
    // The last writer is read.
    let running = Gxe::in_folder(folder.path()).args("--app pipe.yaml --manifest manifest.yaml");
    let running = running.spawn();
    std::fs::write(&pipe, APP).expect("gxe reads");
    _ = running.end().with_status(0);
}

#[test]
fn a_file_with_windows_line_ends_or_a_byte_order_mark_is_an_app() {
    let folder = folder();
    for (name, text) in [("dos", APP.replace('\n', "\r\n")), ("mark", format!("\u{feff}{APP}"))] {
        std::fs::write(folder.path().join(name), text).expect("writable");
        let ended = run(folder.path(), &format!("--app {name} --manifest manifest.yaml --strict"));
        assert_eq!((ended.status, &*ended.stderr), (Some(0), ""), "{name}");
    }
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("folder")).expect("a folder");
    let long = "s".repeat(150);
    for (line, status, expected) in [
        ("--trace no/file", 2, "cannot write 'no/file'"),
        ("--trace folder", 2, "cannot write 'folder'"),
        ("--trace /dev/full", 5, "cannot write '/dev/full'"),
        ("--statistics=no/file", 2, "cannot write 'no/file'"),
        ("--flight-recorder folder", 2, "cannot write 'folder'"),
        ("--flight-recorder no/file", 2, "cannot create the trace file `no/file.recording`"),
        ("--log-file-path no/file", 2, "cannot open the log file 'no/file'"),
        ("--control no/socket", 2, "cannot make the socket 'no/socket'"),
        ("--control folder", 2, "'folder' already exists, and is not a socket"),
        (&*format!("--control {long}"), 2, "the path of a socket has to be short"),
        ("--metrics 192.0.2.1:80", 2, "could be read from other machines"),
        ("--metrics 127.0.0.1", 2, "is no address with a port"),
    ] {
        let ended = run(folder.path(), &format!("--app app.yaml --manifest manifest.yaml {line}"));
        assert_eq!(ended.status, Some(status), "{line}\n{}", ended.stderr);
        assert!(ended.stderr.contains(expected), "{line}\n{}", ended.stderr);
    }
    let ended = run(folder.path(), "graph --app app.yaml --manifest manifest.yaml -o no/file.svg");
    ended.with_status(2).complains("cannot write 'no/file.svg'");
    let _ = run(folder.path(), "app.yaml --trace a.json").with_status(0);
    std::fs::copy(folder.path().join("a.json"), folder.path().join("b.json")).expect("writable");
    for line in ["graph app.yaml --format svg -o /dev/full", "trace merge /dev/full a.json b.json"]
    {
        let ended = run(folder.path(), line).with_status(5);
        let expected = "error: cannot write '/dev/full': No space left on device";
        assert!(ended.stderr.starts_with(expected), "{line}: {}", ended.stderr);
    }
}

/// A full disk: what the user requested is missing, so the command fails. A lost log is only
/// reported.
#[test]
fn a_full_standard_output_is_told() {
    let folder = folder();
    let run = |line: &str| {
        let mut command = Command::new(build::gxe());
        command.args(line.split(' ')).current_dir(folder.path()).stdin(Stdio::null());
        let full = std::fs::File::options().write(true).open("/dev/full").expect("the device");
        let output = command.stdout(full).output().expect("gxe");
        (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
    };
    let lost = "cannot write to standard output";
    for line in ["--help", "--version", "inspect", "recording --help", "uuid"] {
        let (status, said) = run(line);
        assert_eq!(status, Some(5), "{line}: {said}");
        assert!(said.starts_with(&format!("error: {lost}: No space left on device")), "{said}");
    }
    let graph = "--app app.yaml --manifest manifest.yaml";
    let log = "gxe: cannot write the log to standard output: No space left on device";
    let (status, said) = run(graph);
    assert_eq!((status, said.lines().count()), (Some(0), 1), "{said}");
    assert!(said.starts_with(log), "{said}");
    let (status, said) = run(&format!("{graph} --severity error --statistics"));
    assert_eq!(status, Some(5));
    assert!(said.starts_with(&format!("error: {lost}\n")), "{said}");
}

#[test]
fn a_manifest_that_lists_nothing_says_so() {
    let folder = folder();
    std::fs::write(folder.path().join("mistyped.yaml"), "extentions: [libgxf_sample.so]\n")
        .unwrap();
    let ended = run(folder.path(), "inspect --manifest mistyped.yaml");
    ended.complains("`extentions` is not a key of a manifest; it is ignored");
    ended.complains("did you mean `extensions`?");
    let ended = run(folder.path(), "check --app app.yaml --manifest app.yaml --format text");
    assert!(
        ended.stdout.contains("this looks like an app file; pass it to --app"),
        "{}",
        ended.stdout
    );
    std::fs::write(folder.path().join("near.yaml"), "extensions: [libgxf_sampel.so]\n").unwrap();
    let ended = Gxe::in_folder(folder.path()).args("inspect near.yaml").run().with_status(3);
    ended.complains("did you mean `libgxf_sample.so`?");
    ended.complains("name more folders with --extension-path");
}

/// Libraries with one damaged place each.
#[test]
fn a_damaged_library_says_what_is_wrong_with_it() {
    let folder = folder();
    let good = std::fs::read(build::library("gxf_sample")).expect("a library");
    let changed = |place: usize, bytes: &[u8]| {
        let mut changed = good.clone();
        changed[place..place + bytes.len()].copy_from_slice(bytes);
        changed
    };
    for (name, bytes, expected) in [
        ("empty.so", Vec::new(), "the file is empty"),
        ("text.so", b"no library".to_vec(), "it is not an ELF file"),
        ("head.so", good[..40].to_vec(), "cut off"),
        ("half.so", good[..good.len() / 2].to_vec(), "the file is cut off"),
        ("small.so", changed(4, &[1]), "it is not a 64-bit library"),
        ("program.so", changed(16, &[2]), "not a shared library"),
        ("other.so", changed(18, &[243, 0]), "it is for RISC-V"),
        ("segments.so", changed(32, &[0xff; 8]), "its ELF header is damaged or cut off"),
    ] {
        std::fs::write(folder.path().join(name), bytes).expect("writable");
        let ended = run(folder.path(), &format!("inspect {name}")).with_status(3);
        ended.complains(expected);
        ended.complains(name);
    }
}

/// A slip of the hand in a command line destroys no file.
#[test]
fn nothing_is_written_over_what_is_read() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    std::fs::copy(path("app.yaml"), path("copy.yaml")).expect("writable");
    std::fs::hard_link(path("app.yaml"), path("link.yaml")).expect("a link");
    let _ = run(folder.path(), "app.yaml --statistics=run.json").with_status(0);
    let measured = std::fs::read(path("run.json")).expect("statistics");
    for (line, file) in [
        ("app.yaml --trace app.yaml", "app.yaml"),
        ("app.yaml --trace link.yaml", "link.yaml"),
        ("app.yaml --statistics=manifest.yaml", "manifest.yaml"),
        ("app.yaml --log-file-path app.yaml", "app.yaml"),
        ("app.yaml --flight-recorder app.yaml", "app.yaml"),
        ("graph app.yaml -o app.yaml --format dot", "app.yaml"),
        ("graph app.yaml -o run.json --format dot --statistics run.json", "run.json"),
        ("plan app.yaml -o app.yaml --format json", "app.yaml"),
        ("schedule app.yaml --statistics run.json -o .", "./app.yaml"),
        ("plan app.yaml --manifest manifest.yaml --ranks 2 --split .", "./manifest.yaml"),
        ("stm compile -i app.yaml -o app.yaml", "app.yaml"),
        ("stm graph -i app.yaml -o app.yaml --format dot", "app.yaml"),
        ("trace convert run.json run.json", "run.json"),
    ] {
        let ended = run(folder.path(), line).with_status(2);
        let expected = format!("error: '{file}' is to be read, and written, too\n");
        assert!(ended.stderr.starts_with(&expected), "{line}: {}", ended.stderr);
    }
    let line = "app.yaml --trace new.json --statistics=./new.json";
    let ended = run(folder.path(), line).with_status(2);
    ended.complains("error: two outputs are to be written to 'new.json'\n");
    let _ = run(folder.path(), "app.yaml --trace /dev/null --statistics=/dev/null").with_status(0);
    assert_eq!(std::fs::read(path("app.yaml")).ok(), std::fs::read(path("copy.yaml")).ok());
    assert_eq!(std::fs::read(path("run.json")).ok(), Some(measured));
}

/// What can be read only once is read once.
#[test]
fn a_pipe_is_checked_and_drawn_like_a_file() {
    let folder = folder();
    let with_pipe = |line: &str, text: &str| {
        let shell = format!("printf '%s' \"$TEXT\" | \"$0\" {line}");
        let mut command = Command::new("bash");
        command.args(["-c", &shell]).arg(build::gxe()).env("TEXT", text);
        command.env("GXF_LOG_LEVEL", "error").current_dir(folder.path());
        let output = command.output().expect("the shell");
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        (output.status.code(), said)
    };
    let wrong = APP.replace("HelloWorld", "HelloWord");
    let (status, said) = with_pipe("check /dev/stdin --manifest manifest.yaml", &wrong);
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("did you mean `nvidia::gxf::HelloWorld`?"), "{said}");
    let (status, said) = with_pipe("check /dev/stdin --manifest manifest.yaml", APP);
    assert_eq!((status, said.as_str()), (Some(0), "nothing found\n"));
    let (status, said) = with_pipe("graph /dev/stdin --manifest manifest.yaml", APP);
    assert!(status == Some(0) && said.contains("HelloWorld"), "{said}");
}

#[test]
fn what_is_no_statistics_is_refused() {
    let folder = folder();
    let _ = run(folder.path(), "app.yaml --trace trace.json").with_status(0);
    for (name, text) in [
        ("empty.json", "{}"),
        ("list.json", "[]"),
        ("null.json", "null"),
        ("later.json", r#"{"version": 2, "entities": [{"name": "hello"}]}"#),
    ] {
        std::fs::write(folder.path().join(name), text).expect("writable");
    }
    for (name, expected) in [
        ("trace.json", "error: 'trace.json' is a trace, not the statistics of a run"),
        ("empty.json", "error: 'empty.json' has no statistics of a run"),
        ("list.json", "error: 'list.json' has no statistics of a run"),
        ("null.json", "no statistics of a run: invalid type: null, expected an object with"),
        (
            "later.json",
            "'later.json' is of version 2 of the statistics, and this gxe reads version 1",
        ),
    ] {
        for line in
            ["schedule app.yaml -o out --statistics FILE", "graph app.yaml --statistics FILE"]
        {
            let ended = run(folder.path(), &line.replace("FILE", name)).with_status(3);
            assert!(ended.stderr.contains(expected), "{line}: {name}: {}", ended.stderr);
        }
    }
}
