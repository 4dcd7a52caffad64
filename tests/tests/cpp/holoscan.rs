//! Programs with Holoscan's API of operators (`holoscan/holoscan.hpp`).

use super::{compiled, sources};
use gxe_tests::build;
use std::process::Command;

/// What a run of a program in `cpp/holoscan` said.
struct Said {
    status: Option<i32>,
    /// Standard output and error, which has the log, without the engine's own lines.
    lines: Vec<String>,
}

impl Said {
    /// Lines of the program itself.
    fn own(&self) -> Vec<&str> {
        self.lines.iter().map(String::as_str).filter(|line| !line.contains(".hpp@")).collect()
    }
}

/// Runs `operators.cpp` with these words, and with these variables.
fn with(words: &[&str], variables: &[(&str, &str)]) -> Said {
    run("operators", words, variables)
}

/// Runs a program with these words, and with these variables.
fn run(name: &str, words: &[&str], variables: &[(&str, &str)]) -> Said {
    let folder = build::gxe().parent().expect("target/PROFILE").to_owned();
    let libraries = folder.to_str().expect("UTF-8");
    let options = ["-std=c++17", "-Werror", "-L", libraries, "-lgxf_core", "-pthread"];
    let source = sources().join("holoscan").join(name).with_extension("cpp");
    let program = compiled("g++", &source, name, &options);
    let output = Command::new(program)
        .args(words)
        .env("LD_LIBRARY_PATH", libraries)
        .envs(variables.iter().copied())
        .output()
        .expect("the program starts");
    let said = [output.stdout, output.stderr].concat();
    let lines = String::from_utf8_lossy(&said);
    let is_own = |line: &&str| !line.contains(".rs@");
    Said {
        status: output.status.code(),
        lines: lines.lines().filter(is_own).map(str::to_owned).collect(),
    }
}

/// Runs the program, which must end well and say exactly this.
#[track_caller]
fn says(words: &[&str], expected: &[&str]) {
    let said = with(words, &[]);
    assert_eq!(said.own(), [expected, &["done"]].concat(), "{words:?}: {:?}", said.lines);
    assert_eq!(said.status, Some(0));
}

#[test]
fn the_ping_example_runs_on_every_scheduler() {
    for scheduler in ["greedy", "events", "threads"] {
        let said = with(&["ping", scheduler], &[]);
        let numbers = said.lines.iter().filter_map(|line| line.split_once("Rx message value: "));
        let numbers: Vec<_> = numbers.map(|(_, number)| number).collect();
        assert_eq!((said.status, numbers), (Some(0), vec!["1", "2", "3"]), "{scheduler}");
    }
}

/// The documentation's own lines: a port without a condition, and one for it from outside, whose
/// `min_size_` is no parameter.
#[test]
fn a_condition_from_outside_takes_the_place_of_a_port_without_one() {
    let said = with(&["none"], &[]);
    let expected = ["1 -1", "2 -2", "3 -3", "4 -4", "5 -5", "6 -6", "sent 6", "done"];
    assert_eq!(said.own(), expected);
    let warning = "`in1_condition` (nvidia::gxf::MessageAvailableSchedulingTerm) has no parameter \
                   `min_size_`; the argument is ignored";
    assert_eq!(said.lines.iter().filter(|line| line.contains(warning)).count(), 1);
}

#[test]
fn conditions_of_several_ports_count_messages_together_or_each() {
    says(&["sum"], &["3 and 3", "3 and 3", "sent 6"]);
    says(&["each"], &["2 and 2", "2 and 2", "2 and 2", "sent 6"]);
    says(&["either"], &["4 and 4", "sent 6"]);
}

#[test]
fn an_operator_switches_its_condition_off() {
    says(&["boolean"], &["enabled true", "enabled false", "sent 4"]);
}

#[test]
fn parameters_come_from_a_file_from_arguments_and_from_defaults() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("app.yaml");
    let text = "source: {first: 7, label: from the file, speed: 3}\ncount: {count: 2}\n";
    std::fs::write(&path, text).expect("a file");
    let said = with(&["parameters", path.to_str().expect("UTF-8")], &[]);
    assert_eq!(said.own(), ["label from the file", "got -7", "got -8", "sent 2", "done"]);
    let warning = "`source` has no parameter `speed`; the argument is ignored";
    assert!(said.lines.iter().any(|line| line.contains(warning)), "{:?}", said.lines);
    std::fs::write(&path, "source: {first: many}\ncount: {count: 2}\n").expect("a file");
    let said = with(&["parameters", path.to_str().expect("UTF-8")], &[]);
    let refused = "refused: the argument `first` does not fit: ";
    assert!(said.own()[0].starts_with(refused) && said.status == Some(2), "{:?}", said.lines);
}

#[test]
fn an_input_of_any_size_has_a_queue_for_each_sender() {
    let sent = ["sent 2"; 3];
    says(&["gather"], &[&["got -10 -20 -30", "got -11 -21 -31"][..], &sent].concat());
}

#[test]
fn tensors_travel_without_a_copy_and_messages_keep_their_time() {
    let line = "2x3 of 4 bytes, 24 in all, same memory true, last 5.0, time 4711";
    says(&["tensor"], &[line, line]);
}

#[test]
fn events_outside_the_application_wake_an_operator() {
    says(&["outside"], &["tick 1 state 0", "tick 2 state 3", "tick 3 state 3"]);
}

#[test]
fn a_clock_is_a_resource_and_paces_operators() {
    says(&["periodic"], &["at 0 ms", "at 20 ms", "at 40 ms", "at 60 ms"]);
}

#[test]
fn conditions_and_resources_may_be_classes_of_the_program() {
    let looks = "2 looks or more: true";
    says(&["native"], &["scaled 5", looks, "scaled 10", looks]);
}

/// Runs a program's `streams` on the stand-in for CUDA's driver, without CUDA's headers.
fn on_stand_in(name: &str, check: impl Fn(Said)) {
    if gxe_tests::cuda::is_on_gpu() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy(build::library("cuda_stand_in"), folder.path().join("libcuda.so.1"))
        .expect("the stand-in is built");
    let libraries = build::gxe().parent().expect("target/PROFILE").to_owned();
    let libraries = format!("{}:{}", folder.path().display(), libraries.display());
    for mode in ["eager", "lazy"] {
        let variables = [("LD_LIBRARY_PATH", &*libraries), ("CUDA_STAND_IN_MODE", mode)];
        check(run(name, &["streams"], &variables));
    }
}

#[test]
fn messages_name_the_streams_of_their_data() {
    on_stand_in("operators", |said| {
        let each = ["device 0", "no stream: true", "its stream: true of 1"];
        let count = |line| said.own().iter().filter(|known| **known == line).count();
        assert_eq!((each.map(count), said.status), ([2, 4, 4], Some(0)), "{:?}", said.lines);
    });
}

#[test]
fn mistakes_are_thrown_with_names() {
    let text = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
    let cast =
        format!("input `in` of operator `wrong`: the message has a value of type int, not {text}");
    says(&["wrong", "type"], &[&cast]);
    says(&["wrong", "empty"], &["empty true: input `in` of operator `wrong`: there is no message"]);
    for (mistake, status, expected) in [
        ("throw", 3, "a domain error: no more of this"),
        ("input", 2, "refused: the operator `wrong` has no input `inn`; its inputs: in"),
        ("output", 2, "refused: the operator `wrong` has no output `out`; its outputs: none"),
        ("port", 2, "refused: operator `tx` has no output `exit`; its outputs: out"),
        ("twice", 2, "refused: there are two operators with the name `tx`"),
        ("missing", 2, "refused: `tensors` needs a value for the parameter `allocator`"),
        (
            "value",
            2,
            "refused: the argument `mistake` does not fit: expected a text, found a list or a mapping",
        ),
        ("receiver", 2, "refused: the operator `wrong` has no input `inn`"),
        ("key", 2, "refused: the configuration has no key `no.such`"),
    ] {
        let said = with(&["wrong", mistake], &[]);
        assert_eq!((said.status, said.own()), (Some(status), vec![expected]), "{mistake}");
    }
}

#[test]
fn metadata_travels_with_messages() {
    // What an operator removes does not go on; `number` is no text.
    says(
        &["metadata"],
        &[
            "2 values: left=left saw 1 right=right saw 1",
            "2 values: left=left saw 2 right=right saw 2",
        ],
    );
    for detail in ["off", "off here"] {
        says(&["metadata", detail], &["0 values:", "0 values:"]);
    }
    let said = with(&["metadata", "clash"], &[]);
    let refused = "refused: Key 'left' already exists. The metadata policy is set to kRaise.";
    assert_eq!((said.status, said.own()), (Some(2), vec![refused]), "{:?}", said.lines);
}

#[test]
fn a_policy_says_which_metadata_counts() {
    says(&["metadata", "update"], &["1 values: left=right saw 1", "1 values: left=right saw 2"]);
    says(&["metadata", "reject"], &["1 values: left=left saw 1", "1 values: left=left saw 2"]);
}

#[test]
fn a_tracker_measures_the_paths_of_messages() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("paths.log");
    let zeros = ["0 values:"; 5];
    // One message of each path is left out at the start, and one at the end.
    let measured = ["tx,left,rx: 3 messages, true", "tx,right,rx: 3 messages, true", "tx->out: 5"];
    says(&["track", log.to_str().expect("UTF-8")], &[&zeros[..], &measured].concat());
    let log = std::fs::read_to_string(log).expect("the paths");
    let paths: Vec<&str> = log.lines().filter(|line| line.starts_with("(tx,")).collect();
    assert_eq!(paths.len(), 10, "{log}");
    assert!(paths.iter().all(|path| path.contains("->(rx,") && path.ends_with(",-1)")), "{log}");
}

#[test]
fn an_operator_chooses_its_flows_at_each_execution() {
    let mut said = with(&["dynamic"], &[]);
    assert_eq!(said.status, Some(0), "{:?}", said.lines);
    said.lines.sort_unstable();
    let expected = ["done", "even 2", "even 4", "even 5", "odd 1", "odd 3", "odd 5"];
    assert_eq!(said.own(), expected);
    let said = with(&["dynamic", "stranger"], &[]);
    let refused = "refused: there is no flow from `tx` to `stranger`";
    assert_eq!((said.status, said.own()), (Some(2), vec![refused]), "{:?}", said.lines);
}

#[test]
fn operators_without_ports_run_one_after_the_other() {
    says(&["order"], &["first", "second", "first", "second", "first", "second", "last"]);
}

/// Values of C++ and metadata go from fragment to fragment.
#[test]
fn fragments_run_side_by_side() {
    let mut said = with(&["fragments"], &[]);
    assert_eq!(said.status, Some(0), "{:?}", said.lines);
    said.lines.sort_unstable();
    let expected = [
        "3 values: from=tx middle=middle saw 1 number=?",
        "3 values: from=tx middle=middle saw 2 number=?",
        "3 values: from=tx middle=middle saw 3 number=?",
        "done",
        "own 1",
        "own 2",
        "own 3",
    ];
    assert_eq!(said.own(), expected);
    let said = with(&["fragments", "throw"], &[]);
    let failed = ["a domain error: not today"];
    let own: Vec<&str> = said.own().into_iter().filter(|line| !line.contains(" values:")).collect();
    assert_eq!((said.status, own), (Some(3), failed.to_vec()), "{:?}", said.lines);
    let said = with(&["fragments", "fail"], &[]);
    let refused = "refused: operator `rx` has no input `no`; its inputs: left, right";
    assert_eq!((said.status, said.own()), (Some(2), vec![refused]), "{:?}", said.lines);
}

/// Runs `examples.cpp`, which must end well and say exactly this.
#[track_caller]
fn example_says(mode: &str, expected: &[&str]) {
    let said = run("examples", &[mode], &[]);
    assert_eq!(said.own(), expected, "{mode}: {:?}", said.lines);
    assert_eq!(said.status, Some(0));
}

#[test]
fn a_null_pointer_is_a_message() {
    example_says("null", &["true", "true", "done"]);
}

#[test]
fn operators_find_the_clock_and_each_other() {
    let passed = ["rx got 1", "rx got 2", "sent 2", "done"];
    let with_passed = |each: &[&'static str]| {
        let [first, second, sent, done] = passed;
        [each, &[first], each, &[second, sent, done]].concat()
    };
    example_says("clock", &with_passed(&["true true"]));
    let seen = ["true true false", "[\"tx\", \"look\", \"rx\"] root tx next rx"];
    example_says("status", &with_passed(&seen));
    example_says("label", &with_passed(&["1 tx,look true"]));
    example_says("control", &["waiting runs", "done"]);
}

#[test]
fn a_thread_pool_executes_its_operators() {
    example_says("pool", &["3", "rx got 1", "rx got 2", "sent 2", "done"]);
}

#[test]
fn subgraphs_have_ports_of_their_own() {
    let said = run("examples", &["subgraph"], &[]);
    let mut own = said.own();
    own.sort_unstable();
    let expected = ["done", "end got 1", "end got 2", "second_say got 1", "second_say got 2"];
    assert_eq!((said.status, own), (Some(0), expected.to_vec()), "{:?}", said.lines);
    let said = run("examples", &["interface"], &[]);
    let refused = "refused: the subgraph `first` has no output `date`; its outputs: data";
    assert_eq!((said.status, said.own()), (Some(2), vec![refused]), "{:?}", said.lines);
}

#[test]
fn the_operators_of_the_examples_run() {
    example_says("async", &["say got 1", "say got 2", "say got 3", "done"]);
    example_says("async_rx", &["done"]);
    let said = run("examples", &["tensor"], &[]);
    for text in [
        "Tensor key: 'tensor', shape: (3, 5)",
        "message 1: Tensor key: 'tensor', shape: (32, 64, 2)",
    ] {
        let count = said.lines.iter().filter(|line| line.ends_with(text)).count();
        assert_eq!((said.status, count), (Some(0), 1), "{text}: {:?}", said.lines);
    }
}

#[test]
fn texts_have_places_for_values_as_in_fmt() {
    example_says(
        "texts",
        &[
            "1|   2|3   |  a  |**b**",
            "2 1 {}",
            "   1|2.000",
            "003.1 ff 0XFF +5 00000101 1000000",
            "0.1 1.5 true c",
            "[\"a\", \"b\"] {\"k\": 1} (1, 2.5)",
            "1+2 of all",
        ],
    );
}

#[test]
fn the_environment_s_log_level_counts_more_than_the_program_s() {
    // What the program sees, and which of its lines are shown.
    let seen = |level: &str| {
        let said = run("examples", &["level"], &[("HOLOSCAN_LOG_LEVEL", level)]);
        let has = |text| said.lines.iter().any(|line| line.ends_with(text));
        let shown = ["a trace of [1, 2]", "an information", "an error"].map(has);
        let number = said.own().into_iter().find(|line| line.len() == 1);
        (number.map(str::to_owned), shown)
    };
    let level = |number: &str| Some(number.to_owned());
    assert_eq!(seen("TRACE"), (level("0"), [true, true, true]));
    assert_eq!(seen("info"), (level("2"), [false, true, true]));
    assert_eq!(seen(""), (level("4"), [false, false, true]));
    assert_eq!(seen("OFF"), (level("6"), [false, false, false]));
}

/// What an operator throws at the end is the only error.
#[test]
fn a_stop_that_fails_is_the_only_error() {
    let said = run("examples", &["stop"], &[]);
    assert_eq!(said.own().last(), Some(&"refused: no stop"), "{:?}", said.lines);
    let errors = said.lines.iter().filter(|line| line.contains("cannot interrupt")).count();
    assert_eq!((said.status, errors), (Some(2), 0), "{:?}", said.lines);
}

/// Runs `hub.cpp`, which must end well and say exactly this.
#[track_caller]
fn hub_says(words: &[&str], expected: &[&str]) {
    let said = run("hub", words, &[]);
    assert_eq!(said.own(), expected, "{words:?}: {:?}", said.lines);
    assert_eq!(said.status, Some(0));
}

#[test]
fn applications_read_their_configuration_and_the_executor_s_context() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("app.yaml");
    std::fs::write(&path, "name: first\n---\ntx: {step: 4}\n").expect("a file");
    let words = ["config", path.to_str().expect("UTF-8")];
    let received = ["got 4", "true", "got 8", "true"];
    let done = ["done, given back 0"];
    hub_says(
        &words,
        &[&["an application 1.2.3", "2 of true", "first"][..], &received, &done].concat(),
    );
}

#[test]
fn a_null_pointer_is_the_value_of_a_parameter() {
    hub_says(&["null"], &["true true", "got 1", "true true", "got 2", "done, given back 0"]);
    let said = run("hub", &["no condition"], &[]);
    assert_eq!(said.own(), ["refused: a condition of an operator is a null pointer"]);
}

#[test]
fn functions_write_to_the_log_as_the_macros_do() {
    let said = run("hub", &["plain"], &[]);
    for text in ["INFO  HEADER: a line of plain", "ERROR HEADER: an error of plain"] {
        let (level, text) = text.split_once("HEADER").expect("a level");
        let is_it = |line: &&String| line.contains(level) && line.ends_with(text);
        assert_eq!(said.lines.iter().filter(is_it).count(), 1, "{text}: {:?}", said.lines);
    }
}

#[test]
fn a_flow_chooses_the_kind_of_its_queues() {
    hub_says(&["buffer"], &["got 1", "got 1", "got 1", "done, given back 0"]);
}

/// Where the system refuses the policy, the engine warns, and the application runs.
#[test]
fn a_thread_pool_has_threads_for_real_time_work() {
    hub_says(&["fifo"], &["got 1", "got 2", "done, given back 0"]);
    let refused = |mode: &str| run("hub", &[mode], &[]);
    let said = refused("deadline");
    let why = "a deadline policy needs 0 < sched_runtime <= sched_deadline <= sched_period";
    assert!(said.lines.iter().any(|line| line.contains(why)), "{:?}", said.lines);
    assert_eq!(said.status, Some(2));
    let why = "refused: thread pool `pool`: only a pinned operator has a scheduling policy";
    assert_eq!(refused("loose").own(), [why]);
}

#[test]
fn tensors_come_from_other_libraries_and_go_to_them() {
    let seen = ["false true", "2x3 last 6 given back 0", "done, given back 1"];
    hub_says(&["dlpack"], &seen);
}

#[test]
fn operators_send_pictures_without_a_list_of_extensions() {
    hub_says(&["picture"], &["4 wide", "done, given back 0"]);
}

#[test]
fn operators_look_for_streams_themselves() {
    on_stand_in("hub", |said| {
        let expected = [
            "first of 0: a stream true, theirs false",
            "named true",
            "second of 1: a stream true, theirs true",
            "named true",
            "third of 2: a stream true, theirs false",
            "named true",
            "done, given back 0",
        ];
        assert_eq!((said.own(), said.status), (expected.to_vec(), Some(0)), "{:?}", said.lines);
    });
}
