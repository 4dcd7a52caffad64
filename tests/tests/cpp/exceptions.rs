//! Exceptions of C++ components become errors that name the component; none unwinds across the ABI
//! boundary, from any function.

use super::{sources, with_extension};
use gxe_tests::{Ended, Gxe};
use std::path::Path;

/// Runs the graph with a component that throws in one of its functions.
fn thrown(component: &str, function: &str, scheduler: &str, serializer: &str) -> Ended {
    let folder = tempfile::tempdir().expect("a folder");
    prepared(component, function, scheduler, serializer, folder.path()).run()
}

fn prepared(
    component: &str,
    function: &str,
    scheduler: &str,
    serializer: &str,
    folder: &Path,
) -> Gxe {
    let app = std::fs::read_to_string(sources().join("throwing.yaml")).expect("the app");
    let app = app
        .replace(&format!("throw_in: {component}.none"), &format!("throw_in: {function}"))
        .replace("SERIALIZER", serializer)
        .replace("DIRECTORY", folder.to_str().expect("UTF-8"))
        + scheduler;
    with_extension("g++", "throwing.cpp", &app, &["-std=c++17", "-Werror"])
}

/// One report has the text of the exception, the function and the component, and the program ends
/// by itself.
#[track_caller]
fn is_told(ended: &Ended, component: &str, function: &str) {
    let said = format!("{}{}", ended.stdout, ended.stderr);
    assert!(ended.status.is_some(), "{component}: {function}\n{said}");
    let what = if function.len().is_multiple_of(2) {
        "out of cheese"
    } else {
        "something that is no exception"
    };
    for text in [what, component] {
        assert!(said.contains(text), "{component}: {function}: `{text}` is not in\n{said}");
    }
}

const GREEDY: &str = "- {type: \"nvidia::gxf::GreedyScheduler\", parameters: {clock: clock}}\n";

#[test]
fn the_graph_without_an_exception_runs() {
    let ended = thrown("nothing", "nowhere", GREEDY, "std").clean();
    assert_eq!(ended.count("threw"), 0);
}

#[test]
fn functions_that_can_fail_make_the_graph_fail() {
    for (component, functions) in [
        ("sender", &["initialize", "start", "tick"][..]),
        ("out", &["initialize", "pop_abi", "sync_abi"]),
        ("in", &["initialize", "receive_abi", "sync_abi"]),
        ("memory", &["initialize"]),
        ("term", &["initialize", "check_abi", "onExecute_abi", "update_state_abi"]),
        ("both", &["initialize", "combine"]),
        ("clock", &["initialize", "sleepUntil"]),
        ("watcher", &["initialize"]),
        ("whole", &["initialize"]),
    ] {
        for function in functions {
            let ended = thrown(component, function, GREEDY, "std");
            assert_ne!(ended.status, Some(0), "{component}: {function}\n{}", ended.stdout);
            is_told(&ended, component, function);
        }
    }
}

#[test]
fn a_code_of_the_headers_is_explained() {
    let empty = "a tensor of shape [3, 0] has no elements";
    for (component, text) in [("term", "update_state_abi() failed"), ("sender", empty)] {
        let ended = thrown(component, "\"nothing, but fails\"", GREEDY, "std");
        assert_ne!(ended.status, Some(0), "{component}\n{}", ended.stdout);
        ended.complains(text);
    }
}

#[test]
fn what_a_codelet_does_not_catch_itself_is_its_own() {
    for (component, function) in [
        ("out", "publish_abi"),
        ("out", "push_abi"),
        ("memory", "allocate_abi"),
        ("memory", "free_abi"),
    ] {
        let ended = thrown(component, function, GREEDY, "std");
        assert_ne!(ended.status, Some(0), "{component}: {function}\n{}", ended.stdout);
        is_told(&ended, "sender", function);
    }
}

#[test]
fn functions_that_cannot_fail_are_told() {
    for (component, functions) in [
        ("out", &["size_abi"][..]),
        ("in", &["size_abi", "back_size_abi", "capacity_abi", "push_abi"]),
        ("chief", &["control"]),
        ("watcher", &["on_execute_abi"]),
        ("sender", &["stop", "deinitialize"]),
        ("term", &["deinitialize"]),
        ("clock", &["deinitialize"]),
        ("host_memory", &["is_available_abi"]),
    ] {
        for function in functions {
            is_told(&thrown(component, function, GREEDY, "std"), component, function);
        }
    }
}

#[test]
fn a_graph_whose_clock_throws_can_be_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut running = prepared("clock", "timestamp", GREEDY, "std", folder.path()).spawn();
    running.wait_for_error("timestamp() threw");
    running.signal("TERM");
    is_told(&running.end(), "clock", "timestamp");
}

#[test]
fn serializers_and_schedulers_make_the_graph_fail() {
    for (component, function, serializer) in
        [("numbers", "serialize", "std"), ("whole", "serialize_entity_abi", "whole")]
    {
        let ended = thrown(component, function, GREEDY, serializer);
        assert_ne!(ended.status, Some(0), "{component}: {function}\n{}", ended.stdout);
        is_told(&ended, component, function);
    }
    for function in ["initialize", "prepare_abi", "schedule_abi", "runAsync_abi", "wait_abi"] {
        let own = format!(
            "- {{name: once, type: \"throwing::Once\", parameters: {{throw_in: {function}}}}}\n"
        );
        let ended = thrown("once", function, &own, "std");
        assert_ne!(ended.status, Some(0), "{function}\n{}", ended.stdout);
        is_told(&ended, "once", function);
    }
}

#[test]
fn a_factory_that_fails_says_why() {
    for (variable, code, text) in [
        ("FACTORY_THROWS", "GXF_FAILURE", "threw a text: no paper"),
        (
            "FACTORY_REPEATS",
            "GXF_FACTORY_DUPLICATE_TID",
            "`throwing::Time` has the id of `throwing::In`",
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let gxe = prepared("nothing", "nowhere", GREEDY, "std", folder.path());
        let ended = gxe.env(variable, "1").run();
        assert_ne!(ended.status, Some(0));
        for text in ["libextension.so", code, text] {
            ended.complains(text);
        }
    }
}
