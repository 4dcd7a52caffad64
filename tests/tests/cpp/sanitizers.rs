//! Extensions under the sanitizers of their compilers, with every scheduler.

use super::moved;
use super::{run_surface_app, surface_app};
use std::process::Command;

/// The surface's app for each scheduler: its own and the host's.
pub fn surface_apps() -> Vec<String> {
    let own = "\"nvidia::gxf::surface::RoundScheduler\", parameters: {clock: clock";
    let app = surface_app();
    assert!(app.contains(own));
    let with = |name: &str, workers: &str| {
        let host = format!("nvidia::gxf::{name}Scheduler, parameters: {{clock: clock{workers}");
        app.replace(own, &host)
    };
    let workers = ", worker_thread_number: 2";
    vec![app.clone(), with("Greedy", ""), with("MultiThread", workers), with("EventBased", workers)]
}

/// The location of one of g++'s libraries.
fn runtime(name: &str) -> String {
    let output = Command::new("g++").arg(format!("-print-file-name={name}")).output();
    String::from_utf8(output.expect("g++ runs").stdout).expect("a path").trim().to_owned()
}

#[test]
#[ignore = "compiles for more than a minute; `make asan` runs it"]
fn clean_under_the_address_and_undefined_behaviour_sanitizers() {
    let preload = format!("{} {}", runtime("libasan.so"), runtime("libubsan.so"));
    // What the process keeps for its whole life is no leak of the extension.
    let environment = [("LD_PRELOAD", preload.as_str()), ("ASAN_OPTIONS", "detect_leaks=0")];
    let options =
        ["-std=c++17", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    for app in surface_apps() {
        run_surface_app("g++", &app, &options, &environment);
    }
    moved::runs_sanitized("g++", &options, &environment);
}

#[test]
#[ignore = "needs a gxe that is built with the thread sanitizer, as `make tsan` does"]
fn clean_under_the_thread_sanitizer() {
    // The sanitizer's runtime is in gxe; clang++ leaves it out of libraries. A report makes gxe
    // fail.
    let options = ["-std=c++17", "-g", "-fsanitize=thread"];
    for app in surface_apps() {
        run_surface_app("clang++", &app, &options, &[]);
    }
    moved::runs_sanitized("clang++", &options, &[]);
}
