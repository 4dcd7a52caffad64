//! Programs that compose their graphs with GXF's application API (`gxf/app`).

use super::{compiled, sources};
use gxe_tests::build;
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

/// Links of several processes have the same ports in each program: one test uses them at a time.
static LINK_PORTS: Mutex<()> = Mutex::new(());

/// Runs `cpp/app/thermometer.cpp` with these words.
fn thermometer(words: &[&str]) -> (Output, String) {
    let folder = build::gxe().parent().expect("target/PROFILE").to_owned();
    let libraries = folder.to_str().expect("UTF-8");
    let options = ["-std=c++17", "-Werror", "-L", libraries, "-lgxf_core"];
    let program = compiled("g++", &sources().join("app/thermometer.cpp"), "thermometer", &options);
    let output = Command::new(program).args(words).env("LD_LIBRARY_PATH", libraries).output();
    let output = output.expect("the program starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    // What the graph prints, without the log.
    let is_log = |line: &&str| [" INFO ", " WARN "].iter().any(|level| line.contains(level));
    let said = said.lines().filter(|line| !is_log(line)).collect::<Vec<_>>().join("\n");
    (output, said)
}

#[test]
fn a_program_composes_a_graph_of_its_own_classes() {
    let (output, said) = thermometer(&[]);
    assert!(output.status.success(), "{said}");
    // Once for each type of scheduler.
    let run = "in_0: 21 K\nin_0: 31 K\nin_0: 32 K\n";
    assert_eq!(said, format!("{}done", run.repeat(3)));
}

#[test]
fn a_composed_graph_is_saved_as_an_app_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("saved.yaml");
    let (output, said) = thermometer(&["save", path.to_str().expect("UTF-8")]);
    assert!(output.status.success(), "{said}");
    let saved = std::fs::read_to_string(path).expect("the app");
    for text in [
        "type: nvidia::thermometer::Sensor",
        "steps: [1, 10]",
        "in: [in_0]",
        "source: sensor/out",
        "target: logger/in_0",
        "name: drst_out",
        "name: mast_in_0",
        "stop_on_deadlock: true",
        "target: [sensor, logger]",
    ] {
        assert!(saved.contains(text), "`{text}` is not in\n{saved}");
    }
}

#[test]
fn owners_of_entities_are_counted() {
    let (output, said) = thermometer(&["owners"]);
    assert!(output.status.success(), "{said}");
    let expected = "owners: 3, destroyed: 0
afterwards: -1
message with a pool: both 1, activated 11, allocates 010
afterwards: -1, entities: 0
grouped: 1 group, activated: 1
in ms
owners of each other: 1 1";
    assert_eq!(said, expected);
}

#[test]
fn a_run_is_interrupted_and_queues_are_replaced_and_added() {
    let (output, said) = thermometer(&["forever"]);
    assert!(output.status.success(), "{said}");
    let expected = "1 transmitter, 2 receivers, replaced: 1, the logger is known\nno term: 25\n";
    assert!(said.starts_with(expected), "{said}");
    assert!(said.contains("in_0: 21 K\nin_1: 21 K\n"), "{said}");
}

#[test]
fn segments_run_side_by_side_and_a_file_says_which() {
    let (output, said) = thermometer(&["halves"]);
    assert!(output.status.success(), "{said}");
    let composed = "the left half has a sensor: 1";
    for text in [composed, "left only once", "in_0: 22 left", "in_0: 22 right"] {
        assert_eq!(said.matches(text).count(), 1, "{said}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("segments.yaml");
    let one = "# one\nsegment_config:\n  enabled_segments:\n  - segment_name: right\n";
    std::fs::write(&path, one).expect("a file");
    let (output, said) = thermometer(&["halves", path.to_str().expect("UTF-8")]);
    assert!(output.status.success(), "{said}");
    assert_eq!((said.matches("right").count(), said.matches("22 left").count()), (2, 0), "{said}");
    std::fs::write(&path, "segment_config: {enabled_segments: [left, rihgt]}\n").expect("a file");
    let (output, said) = thermometer(&["halves", path.to_str().expect("UTF-8")]);
    assert!(!output.status.success() && !said.contains("in_0"), "{said}");
    let said = String::from_utf8_lossy(&output.stderr);
    let complaint = "`enabled_segments`: there is no segment `rihgt`; there are `left`, `right`";
    assert!(said.contains(complaint), "{said}");
    std::fs::write(&path, "segment_config: {worker: {speed: 1}}\n").expect("a file");
    let (output, _) = thermometer(&["halves", path.to_str().expect("UTF-8")]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("`worker` has no key `speed`") && !output.status.success(), "{said}");
}

#[test]
fn an_interrupt_reaches_the_segments_that_start() {
    let (output, said) = thermometer(&["interrupted"]);
    assert!(output.status.success(), "{said}");
    assert_eq!(said, "interrupted: before 0, during 1; started 1, ended 1, afterwards 0");
}

/// A driver and two workers, whose segments are classes of the program.
#[test]
fn a_driver_runs_segments_of_several_processes() {
    let _ports = LINK_PORTS.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    };
    let manifest = file("manifest.yaml", "extensions: [libgxf_ucx.so, libgxf_http.so]\n");
    let [driver, one, two] = [(); 3].map(|()| gxe_tests::links::free_port());
    let config = |name: &str, segment: &str, port: u16, more: &str| {
        let text = format!(
            "segment_config:\n  enabled_segments:\n  - segment_name: {segment}\n  worker: {{port: {port}, \
             driver_ip: localhost, driver_port: {driver}}}\n{more}"
        );
        file(name, &text)
    };
    let sending = config("one.yaml", "sending", one, &format!("  driver: {{port: {driver}}}\n"));
    let receiving = config("two.yaml", "receiving", two, "");
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| thermometer(&["distributed", &manifest, &sending]));
        let second = thermometer(&["distributed", &manifest, &receiving]);
        (first.join().expect("it ends"), second)
    });
    let expected = "in_0: 21 receiving\nin_0: 22 receiving\nin_0: 23 receiving";
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(second.1, expected, "{}", said(&second.0));
    assert!(first.0.status.success() && second.0.status.success(), "{}", said(&first.0));

    // Both in one process, set by the program.
    let (output, text) =
        thermometer(&["setters", &manifest, &gxe_tests::links::free_port().to_string()]);
    assert_eq!(text, expected, "{}", said(&output));
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn what_a_program_does_wrong_is_logged_and_nothing_runs() {
    let (output, said) = thermometer(&["wrong"]);
    assert_eq!((output.status.code(), said.as_str()), (Some(1), ""));
    let log = String::from_utf8_lossy(&output.stderr);
    for text in [
        "entity `sensor`: `speed` of nvidia::thermometer::Sensor: GXF_PARAMETER_NOT_FOUND",
        "connect: no entity: GXF_ARGUMENT_NULL",
        "entity `logger` has no nvidia::gxf::Transmitter named `exit`: GXF_ENTITY_COMPONENT_NOT_FOUND",
        "the graph was not composed: GXF_FAILURE",
    ] {
        assert!(log.contains(text), "`{text}` is not in\n{log}");
    }
}

#[test]
fn segments_are_connected_by_links() {
    // Links of one process take free ports, also beside a program with the first one of several.
    let _ports = LINK_PORTS.lock().unwrap_or_else(PoisonError::into_inner);
    let _other = std::net::TcpListener::bind(("127.0.0.1", 13337));
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = folder.path().join("manifest.yaml");
    std::fs::write(&manifest, "extensions: [libgxf_ucx.so]\n").expect("a file");
    let manifest = manifest.to_str().expect("UTF-8");
    let (output, said) = thermometer(&["linked", manifest]);
    assert!(output.status.success(), "{said}");
    assert_eq!(said, "in_0: 21 receiving\nin_0: 22 receiving\nin_0: 23 receiving");
    for (port, complaint) in [
        ("sensor.up", "entity `sensor` has no nvidia::gxf::Transmitter named `up`; it has `out`"),
        ("up", "segment `sending` has no entity for port `up`, which is \"entity.queue\""),
    ] {
        let (output, said) = thermometer(&["linked", manifest, port]);
        assert_eq!((output.status.code(), said.as_str()), (Some(1), ""));
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(log.contains(complaint), "{log}");
    }
}
