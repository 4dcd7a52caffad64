//! `gxe check`: each app of `tests/check` has a file with the complete text of its analysis. Apps
//! that run well have none.

use expect_test::expect_file;
use gxe_tests::{Ended, Gxe, manifest_of_all};
use std::path::Path;

#[test]
fn every_finding_is_explained_as_written_down() {
    gxe_tests::cases::run_all("check", "gxe check");
}

fn check(line: &str) -> Ended {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("check");
    Gxe::in_folder(&folder).args("check --manifest manifest.yaml").args(line).run()
}

#[test]
fn programs_read_findings_as_json() {
    let ended = check("--app deadlock_cycle.yaml --format json").with_status(4);
    assert_eq!(ended.stderr, "");
    expect_file!["../tools/check/deadlock_cycle.json"].assert_eq(&ended.stdout);
    let ended = check("--app load_errors.yaml --format json").with_status(3);
    expect_file!["../tools/check/load_errors.json"].assert_eq(&ended.stdout);
}

#[test]
fn review_tools_read_findings_as_sarif() {
    let ended = check("--app capacity_below_minimum.yaml --format sarif").with_status(4);
    expect_file!["../tools/check/capacity_below_minimum.sarif"].assert_eq(&ended.stdout);
    let log: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    for result in run["results"].as_array().expect("results") {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
}

/// The JSON Schema of SARIF 2.1.0, from the npm package `@microsoft/jest-sarif`, validates the
/// findings for every app here.
#[test]
fn sarif_follows_its_schema() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let schema = std::fs::read(here.join("sarif/sarif-2.1.0-rtm.5.json")).expect("the schema");
    let mut schema: serde_json::Value = serde_json::from_slice(&schema).expect("JSON");
    for of in ["run", "toolComponent"] {
        // Not a regular expression: its brackets do not match.
        let language = &mut schema["definitions"][of]["properties"]["language"];
        language.as_object_mut().expect("a rule").remove("pattern");
    }
    let validator = jsonschema::options().should_validate_formats(true).build(&schema);
    let validator = validator.expect("a schema");
    assert!(!validator.is_valid(&serde_json::json!({"version": "2.1.0"})));
    let mut results = 0;
    for (folder, manifest) in [("check", "manifest.yaml"), ("errors", "manifest.yaml")] {
        let folder = here.join(folder);
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
            if !name.ends_with(".yaml") || name == "manifest.yaml" {
                continue;
            }
            let line = format!("check --format sarif --manifest {manifest} --app {name}");
            let ended = Gxe::in_folder(&folder).args(&line).run();
            let log: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
            let wrong: Vec<_> =
                validator.iter_errors(&log).map(|error| error.to_string()).collect();
            assert_eq!(wrong, Vec::<String>::new(), "{name}");
            results += log["runs"][0]["results"].as_array().expect("a list").len();
        }
    }
    assert!(results > 100, "{results}");
}

/// Two sequences that name each other as children, without a root.
#[test]
fn behaviours_that_are_each_other_s_parents_never_tick() {
    let node = |name: &str, child: &str| {
        format!(
            "name: {name}\ncomponents:\n- name: term\n  type: nvidia::gxf::BTSchedulingTerm\n  \
             parameters: {{is_root: false}}\n- type: nvidia::gxf::SequenceBehavior\n  parameters: \
             {{children: [{child}/term], s_term: term}}\n---\n"
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    let scheduler = "name: scheduler\ncomponents:\n- name: clock\n  type: \
                     nvidia::gxf::RealtimeClock\n- type: nvidia::gxf::GreedyScheduler\n  \
                     parameters: {clock: clock}\n";
    let app = node("chicken", "egg") + &node("egg", "chicken") + scheduler;
    std::fs::write(folder.path().join("app.yaml"), app).expect("writable");
    std::fs::write(folder.path().join("manifest.yaml"), manifest_of_all()).expect("writable");
    let line = "check --strict --app app.yaml --manifest manifest.yaml";
    let ended = Gxe::in_folder(folder.path()).args(line).run().with_status(4);
    for name in ["chicken", "egg"] {
        let text = format!("warning[never-ticks]: entity `{name}` never ticks");
        assert!(ended.stdout.contains(&text), "{}", ended.stdout);
    }
}

#[test]
fn a_scheduler_that_stops_at_once_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = "components:\n- name: clock\n  type: nvidia::gxf::RealtimeClock\n- type: \
               nvidia::gxf::GreedyScheduler\n  parameters: {clock: clock, max_duration_ms: -5}\n";
    std::fs::write(folder.path().join("app.yaml"), app).expect("writable");
    let ended = Gxe::in_folder(folder.path()).args("check app.yaml").run();
    let text = "warning[never-ticks]: no entity ever ticks: the scheduler stops after -5 ms";
    assert!(ended.stdout.contains(text), "{}", ended.stdout);
}

#[test]
fn warnings_fail_only_when_strict() {
    assert_eq!(check("--app clocks.yaml").status, Some(0));
    assert_eq!(check("--app clocks.yaml --strict").status, Some(4));
    assert_eq!(check("--app cycle_with_first_message.yaml --strict").status, Some(0));
    assert_eq!(check("--app load_errors.yaml").status, Some(3));
}

#[test]
fn a_strict_run_refuses_what_the_check_finds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("check");
    let run = |line: &str| {
        let gxe = Gxe::in_folder(&folder).args("run --manifest manifest.yaml").args(line);
        gxe.env("GXF_LOG_LEVEL", "error").run()
    };
    let ended = run("--app no_back_pressure.yaml --strict").with_status(3);
    assert_eq!(ended.stdout, "");
    expect_file!["../tools/check/strict_run.error"].assert_eq(&ended.stderr);
    assert_eq!(run("--app cycle_with_first_message.yaml --strict").status, Some(0));
}

/// The apps of the repository and the fragments of the documentation run well, so certain findings
/// in them would be mistakes of the check.
#[test]
fn apps_that_run_have_no_errors() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = folder.path().join("manifest.yaml");
    std::fs::write(&manifest, manifest_of_all()).expect("writable");
    let run = |app: &Path, strict: &str| {
        let gxe = Gxe::in_folder(&here.join("..")).args("check").args(strict);
        let gxe = gxe.arg("--manifest").arg(&manifest.to_string_lossy());
        gxe.arg("--app").arg(&app.to_string_lossy()).run()
    };
    for app in [
        "access_log/access_log",
        "batch/batch",
        "behavior_tree/behavior_tree",
        "hello_world/hello_world",
        "manual_clock/manual_clock",
        "ping/ping",
        "ping_topologies/fan_out_fan_in",
        "ping_topologies/many_to_many",
        "ping_topologies/many_to_one",
        "ping_topologies/multiple_one_to_one",
        "ping_topologies/one_to_many",
        "ping_topologies/one_to_one",
        "subgraphs/subgraphs",
    ] {
        let ended = run(Path::new(&format!("apps/{app}.yaml")), "--strict");
        assert_eq!((ended.status, &*ended.stdout), (Some(0), "nothing found\n"), "{app}");
    }
    let entries = std::fs::read_dir(here.join("seeds")).expect("a folder");
    let files = entries.map(|entry| entry.expect("an entry").path());
    for app in files.filter(|path| path.extension().is_some_and(|kind| kind == "yaml")) {
        let ended = run(&app, "");
        assert_eq!(ended.status, Some(0), "{}", ended.stdout);
    }
}
