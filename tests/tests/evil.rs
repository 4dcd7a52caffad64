//! A short storm of evil libraries; `make storm` runs all there is.

use gxe_tests::evil::libraries;

/// Runs some evils, and fails with all that ended wrongly.
fn all_end_well<'a>(evils: impl IntoIterator<Item = &'a str>) {
    let folder = libraries::folder();
    let judged = evils.into_iter().filter_map(|evil| {
        let ended = libraries::with(folder.path(), evil);
        libraries::wrong(evil, &ended)
    });
    let wrong: Vec<String> = judged.collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_crash_in_any_function_names_the_component() {
    let folder = libraries::folder();
    for (place, component) in [
        ("set_parameter", "'codelet' of type evil::Codelet"),
        ("check_parameters", "'receiver' of type evil::Receiver"),
        ("clear_parameters", "'receiver' of type evil::Receiver"),
        ("update_state", "'term' of type evil::Term"),
        ("check", "'term' of type evil::Term"),
        ("on_execute", "'term' of type evil::Term"),
        ("sync", "'receiver' of type evil::Receiver"),
    ] {
        let ended = libraries::with(folder.path(), &format!("{place} crash"));
        ended.complains(&format!(
            "gxe: killed by SIGSEGV in {place} of component {component} (extension EvilExtension) in \
             entity 'evil'\n"
        ));
    }
    let ended = libraries::with(folder.path(), "destroy throw");
    ended.complains(
        "gxe: killed by SIGABRT in destroy of component 'receiver' of type evil::Receiver",
    );
    // The entity that pushes is another one.
    libraries::with(folder.path(), "push crash").complains(
        "gxe: killed by SIGSEGV in push of component 'receiver' of type evil::Receiver (extension \
         EvilExtension)\n",
    );
}

#[test]
fn a_condition_that_is_none_names_the_term() {
    let folder = libraries::folder();
    let app = std::fs::read_to_string(folder.path().join("app.yaml")).expect("an app");
    for scheduler in ["Greedy", "MultiThread", "EventBased"] {
        let app = app.replace("GreedyScheduler", &format!("{scheduler}Scheduler"));
        std::fs::write(folder.path().join("app.yaml"), app).expect("writable");
        let ended = libraries::with(folder.path(), "lie condition").with_status(5);
        ended.complains("entity `evil`, component `term` of type evil::Term");
        ended.complains("the answer is the condition 77, and conditions are 0 (NEVER), 1 (READY)");
    }
}

#[test]
fn what_a_library_does_in_its_factory_is_its_own_matter() {
    all_end_well(["", "factory crash", "factory exit", "factory throw", "factory close_output"]);
    let folder = libraries::folder();
    let ended = libraries::with(folder.path(), "factory load_itself");
    ended.complains("loads the library itself");
    // From another factory it can be loaded.
    let other = folder.path().join("libother.so");
    std::fs::copy(folder.path().join("libevil.so"), &other).expect("a copy");
    let sample = gxe_tests::build::library("gxf_sample");
    let sample = sample.to_str().expect("UTF-8");
    let evil = [("EVIL", "factory load_other"), ("EVIL_OTHER", sample)];
    let line = "--app app.yaml --manifest manifest.yaml";
    let ended = gxe_tests::evil::run(folder.path(), line, &evil).with_status(0);
    ended.complains("libgxf_sample.so' answered 0\n");
}

#[test]
fn a_sample_of_all_lies_and_deeds_ends_well() {
    let lies = libraries::LIES.iter().step_by(9).map(|lie| format!("lie {lie}"));
    let deeds = libraries::DEEDS.iter().chain(libraries::FAILURES);
    let deeds = deeds.step_by(2).zip(libraries::PLACES.iter().skip(3).step_by(2));
    let deeds = deeds.map(|(deed, place)| format!("{place} {deed}"));
    let evils: Vec<String> = lies.chain(deeds).collect();
    all_end_well(evils.iter().map(String::as_str));
}

#[test]
fn a_library_that_hangs_is_named() {
    let folder = libraries::folder();
    libraries::hangs(folder.path(), "set_parameter");
}
