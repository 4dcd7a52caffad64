//! Extensions like those of real projects (`tests/cpp/moved`), with graphs of their own.

use super::{compilers, sources, with_extension};
use gxe_tests::{Ended, Gxe};

/// The host's schedulers.
const SCHEDULERS: [&str; 3] = [
    "nvidia::gxf::GreedyScheduler",
    "nvidia::gxf::MultiThreadScheduler",
    "nvidia::gxf::EventBasedScheduler",
];

/// An app with its placeholders filled in.
fn filled(app: &str, put_in: &[(&str, &str)]) -> String {
    let path = sources().join("moved").join(app).with_extension("yaml");
    let app = std::fs::read_to_string(path).expect("the app");
    put_in.iter().fold(app, |app, (place, text)| app.replace(place, text))
}

/// A run of one of them in preparation.
fn prepared(name: &str, app: &str, put_in: &[(&str, &str)]) -> Gxe {
    let app = filled(app, put_in);
    // One standard and one compiler each: the headers have tests of their own for all of them.
    let by_clang = ["composer", "mock", "transport"].contains(&name);
    let (compiler, version) = match by_clang && compilers().contains(&"clang++") {
        true => ("clang++", "-std=c++20"),
        false => ("g++", "-std=c++17"),
    };
    with_extension(compiler, &format!("moved/{name}.cpp"), &app, &[version, "-Werror"])
}

#[track_caller]
fn says(ended: &Ended, texts: &[&str]) {
    for text in texts {
        assert!(ended.count(text) > 0, "`{text}` is not in\n{}", ended.stdout);
    }
}

#[track_caller]
fn runs(name: &str, schedulers: &[&str], texts: &[&str]) {
    for scheduler in schedulers {
        says(&prepared(name, name, &[("SCHEDULER", scheduler)]).run().clean(), texts);
    }
}

#[test]
#[ignore = "make test-thorough"]
fn test_components_with_parameters_of_every_type() {
    let texts = [
        "all parameters of 'mock' are right",
        "compared 10 messages",
        "counter of 'steps' saw 10 ticks",
        "monitor: ran, 0 failures",
    ];
    runs("mock", &SCHEDULERS, &texts);
}

#[test]
#[ignore = "make test-thorough"]
fn messages_are_composed_and_taken_apart() {
    let texts = [
        "kept 3 messages, newest whole",
        "collected 40 labels, first left/1000, parts label:std::__cxx11::basic_string<char>,\
         :nvidia::gxf::Tensor,timestamp:nvidia::gxf::Timestamp,pose:nvidia::gxf::Pose3D",
    ];
    runs("composer", &SCHEDULERS, &texts);
}

#[test]
fn messages_carry_components() {
    let texts = [
        "first: 6 frames, stages took 210",
        "second: 6 frames, stages took 210",
        "actor says 42, later changes are refused: yes",
        "states in lines: yes, sizes in brackets: yes",
    ];
    runs("carried", &SCHEDULERS, &texts);
}

#[test]
#[ignore = "make test-thorough"]
fn frames_and_tensors_share_memory() {
    let texts = [
        "formats take 79792 bytes",
        "0 frames are still lent",
        "planar: 5056 bytes, 4 dimensions, pixel 3, row 36 ends with 105",
    ];
    runs("video", &SCHEDULERS, &texts);
}

#[test]
#[ignore = "make test-thorough"]
fn terms_clocks_schedulers_controllers_and_monitors() {
    let own = "nvidia::gxf::timing::ThreadPerEntityScheduler";
    let texts = [
        "asynchronous rounds: 5",
        "conducted for a while, longest pause known",
        "'background' ticked",
        "flaky codelet needed 3 attempts",
        "journal has ",
    ];
    runs("scheduling", &[&SCHEDULERS[..], &[own]].concat(), &texts);
}

#[test]
fn queues_memory_and_serializers_of_its_own() {
    transport(|app, put_in| prepared("transport", app, put_in));
}

/// The extension with the most memory and threads of its own, compiled with a sanitizer.
#[track_caller]
pub fn runs_sanitized(compiler: &str, options: &[&str], environment: &[(&str, &str)]) {
    transport(|app, put_in| {
        let gxe = with_extension(compiler, "moved/transport.cpp", &filled(app, put_in), options);
        environment.iter().fold(gxe, |gxe, (name, value)| gxe.env(name, value))
    });
}

/// Records and replays.
#[track_caller]
fn transport(prepared: impl Fn(&str, &[(&str, &str)]) -> Gxe) {
    for scheduler in SCHEDULERS {
        let folder = tempfile::tempdir().expect("a folder");
        let directory = ("DIRECTORY", folder.path().to_str().expect("UTF-8"));
        let recorded = prepared("transport", &[("SCHEDULER", scheduler), directory]);
        says(
            &recorded.run().clean(),
            &[
                "'checker' summed up 55",
                "queue 'recorded' passed 10 messages on",
                "arena: 32 of 32 blocks are free, Initialized, used yes",
            ],
        );
        let replay = prepared("transport_replay", &[("SCHEDULER", scheduler), directory]);
        says(&replay.run().clean(), &["'checker' summed up 55"]);
    }
}

#[test]
#[ignore = "make test-thorough"]
fn the_spelling_of_gxf_2_4() {
    runs("old_spelling", &SCHEDULERS, &["old consumer: sum 30.0 of 5 messages"]);
}

#[test]
#[ignore = "make test-thorough"]
fn an_extension_that_writes_its_way_in_by_hand() {
    let texts = [
        "bench 'told': speed slow, small 5",
        "bench 'default': speed fast, small -3",
        "tool pace is nvidia::gxf::CountSchedulingTerm, surely",
        "tool time is nvidia::gxf::RealtimeClock, surely",
        "part 7",
    ];
    runs("by_hand", &SCHEDULERS[..1], &texts);
    let closed = prepared("by_hand", "by_hand", &[("SCHEDULER", SCHEDULERS[0])]);
    let ended = closed.env("WORKSHOP_CLOSED", "1").run();
    assert_ne!(ended.status, Some(0));
    ended.complains("its `GxfExtensionFactory` failed with GXF_NOT_FINISHED");
}
