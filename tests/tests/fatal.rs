//! Extensions that end the process, or never return: one line names the library or the component,
//! and the process ends as it would have.

use gxe_tests::{Ended, Gxe};
use std::path::Path;
use std::process::Command;

const SIGABRT: i32 = 6;
const SIGBUS: i32 = 7;
const SIGFPE: i32 = 8;
const SIGSEGV: i32 = 11;

/// A library whose code runs while it is being loaded, listed in the run's manifest.
fn with_constructor(code: &str) -> Gxe {
    let gxe = Gxe::alone()
        .file("manifest.yaml", "extensions: [libhostile.so]\n")
        .file("app.yaml", "name: a\n");
    let head = "#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <sys/wait.h>\n\
         #include <unistd.h>\n";
    let code = format!("{head}__attribute__((constructor)) static void begin(void) {{ {code} }}\n");
    compile(&gxe.folder(), &code);
    gxe
}

fn compile(folder: &Path, code: &str) {
    std::fs::write(folder.join("hostile.c"), code).expect("a file can be written");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugin-abi/include");
    let mut command = Command::new(compiler);
    command.current_dir(folder).args([
        "-shared",
        "-fPIC",
        "-o",
        "libhostile.so",
        "hostile.c",
        "-I",
    ]);
    assert!(command.arg(include).status().expect("a C compiler").success());
}

fn loaded(gxe: Gxe) -> Ended {
    gxe.args("--app app.yaml --manifest manifest.yaml").run()
}

#[test]
fn a_library_that_crashes_while_it_is_loaded_is_named() {
    for (code, signal, name) in [
        ("*(volatile int *)0 = 1;", SIGSEGV, "SIGSEGV"),
        ("abort();", SIGABRT, "SIGABRT"),
        // A signal that would not repeat.
        ("kill(getpid(), SIGFPE); pause();", SIGFPE, "SIGFPE"),
        // The same for one that Rust handles as well.
        ("raise(SIGSEGV);", SIGSEGV, "SIGSEGV"),
        ("raise(SIGBUS);", SIGBUS, "SIGBUS"),
    ] {
        let ended = loaded(with_constructor(code));
        assert_eq!(ended.signal, Some(signal), "{}", ended.stderr);
        let line = ended.stderr.lines().find(|line| line.starts_with("gxe: killed by"));
        let line = line.unwrap_or_else(|| panic!("{}", ended.stderr));
        assert!(line.starts_with(&format!("gxe: killed by {name} while '/")), "{line}");
        assert!(line.ends_with("/libhostile.so' was being loaded"), "{line}");
    }
    // Also if no graph is loaded.
    let ended = with_constructor("abort();").args("inspect libhostile.so").run();
    assert_eq!(ended.signal, Some(SIGABRT));
    ended.complains("/libhostile.so' was being loaded");
}

/// A whole extension, except its factory.
const FACTORY: &str = r#"
#include <stdlib.h>
#include "gxf/plugin_abi.h"
static GxeResultCode create_factory(const GxeHostTable *table, GxeExtensionFactory *factory) {
  (void)table;
  (void)factory;
  abort();
}
const GxeExtensionDescriptor GXF_EXT_FACTORY = {
    .magic = GXE_ABI_MAGIC, .size = sizeof(GxeExtensionDescriptor),
    .abi_major = GXE_ABI_MAJOR, .abi_minor = GXE_ABI_MINOR,
    .id = {UINT64_C(0x7d1c5b82e94f4a06), UINT64_C(0x9b3f60d2c8a7e514)},
    .name = "Hostile", .version = "1.0.0", .description = "", .license = "", .build_info = "",
    .create_factory = create_factory,
};
"#;

#[test]
fn a_factory_that_crashes_is_named_as_well() {
    let gxe = with_constructor("");
    compile(&gxe.folder(), FACTORY);
    let ended = loaded(gxe);
    assert_eq!(ended.signal, Some(SIGABRT), "{}", ended.stderr);
    ended.complains("/libhostile.so' was being loaded");
}

#[test]
fn a_library_that_leaves_is_named_and_does_not_pass_for_success() {
    for (code, status) in [("exit(0);", 5), ("exit(7);", 7)] {
        let ended = loaded(with_constructor(&format!("printf(\"kept\"); {code}")));
        assert_eq!(ended.status, Some(status), "{}", ended.stderr);
        ended.complains("gxe: ended by a call of exit() while '/");
        ended.complains("/libhostile.so' was being loaded");
        assert!(ended.stdout.ends_with("kept\n"), "{}", ended.stdout);
    }
}

/// `_exit` runs nothing of the process any more, and is told all the same.
#[test]
fn a_library_that_leaves_without_a_word_is_named_as_well() {
    for (code, status, function) in [
        ("_exit(0);", 5, "_exit"),
        ("_exit(7);", 7, "_exit"),
        ("_Exit(0);", 5, "_exit"),
        // Whoever is told of it is not told with which status.
        ("quick_exit(7);", 5, "quick_exit"),
    ] {
        let ended = loaded(with_constructor(code));
        assert_eq!(ended.status, Some(status), "{}", ended.stderr);
        ended.complains(&format!("gxe: ended by a call of {function}() while '/"));
        ended.complains("/libhostile.so' was being loaded");
    }
}

/// A process that an extension starts ends as it likes.
#[test]
fn the_end_of_a_child_is_nobodys_business() {
    let code = "pid_t child = fork(); if (child == 0) _exit(0); \
                int status = 1; waitpid(child, &status, 0); printf(\"child: %d\\n\", status);";
    let ended = loaded(with_constructor(code));
    assert!(!ended.stderr.contains("ended by"), "{}", ended.stderr);
    assert!(ended.stdout.contains("child: 0\n"), "{}", ended.stdout);
}

/// What gxe needs to be stopped is no descriptor.
#[test]
fn a_library_that_closes_every_descriptor_does_not_keep_a_run_from_ending() {
    let code = "for (int file = 3; file < 1024; file++) close(file); for (;;) pause();";
    let gxe = with_constructor(code).args("--app app.yaml --manifest manifest.yaml");
    let mut running = gxe.env("GXF_LOG_LEVEL", "debug").spawn();
    running.wait_for("Loading manifest");
    running.signal("TERM");
    running.wait_for_error("/libhostile.so' is still being loaded for ");
    running.signal("TERM");
    let ended = running.end();
    assert_eq!(ended.status, Some(143), "{}", ended.stderr);
    assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
}

#[test]
fn a_library_that_never_returns_is_named_when_the_user_gives_up() {
    let gxe = with_constructor("for (;;) pause();").args("--app app.yaml --manifest manifest.yaml");
    let mut running = gxe.env("GXF_LOG_LEVEL", "debug").spawn();
    running.wait_for("Loading manifest");
    running.signal("INT");
    running.wait_for_error("/libhostile.so' is still being loaded for ");
    running.signal("INT");
    let ended = running.end();
    assert_eq!(ended.status, Some(130), "{}", ended.stderr);
}

/// A graph whose codelet ends the process in one of its functions.
fn ended(function: &str, by: &str, scheduler: &str) -> Ended {
    Gxe::app(&format!(
        "name: a
components:
- name: trouble
  type: gxe::test::Ender
  parameters: {{ends_in: {function}, by: {by}}}
- {{type: 'nvidia::gxf::CountSchedulingTerm', parameters: {{count: 1}}}}
---
components:
- {{name: clock, type: 'nvidia::gxf::RealtimeClock'}}
- {{type: 'nvidia::gxf::{scheduler}', parameters: {{clock: clock}}}}
"
    ))
    .run()
}

const TYPE: &str = "of component 'trouble' of type gxe::test::Ender (extension \
                    LifecycleProbeExtension)";

#[test]
fn the_function_of_a_component_that_crashes_is_named() {
    for scheduler in ["GreedyScheduler", "MultiThreadScheduler"] {
        for function in ["initialize", "start", "tick", "stop", "deinitialize"] {
            let ended = ended(function, "abort", scheduler);
            assert_eq!(ended.signal, Some(SIGABRT), "{function}: {}", ended.stderr);
            ended
                .complains(&format!("gxe: killed by SIGABRT in {function} {TYPE} in entity 'a'\n"));
        }
    }
    // The entity no longer exists by then.
    let ended = ended("destroy", "abort", "GreedyScheduler");
    ended.complains(&format!("gxe: killed by SIGABRT in destroy {TYPE}\n"));
}

#[test]
fn an_exit_in_a_tick_is_named_and_does_not_pass_for_success() {
    let ended = ended("tick", "exit", "GreedyScheduler").with_status(5);
    ended.complains(&format!("gxe: ended by a call of exit() in tick {TYPE} in entity 'a'\n"));
}

#[test]
fn a_stack_that_is_used_up_is_told_in_both_ways() {
    for scheduler in ["GreedyScheduler", "EventBasedScheduler"] {
        let ended = ended("tick", "overflow", scheduler);
        assert!(matches!(ended.signal, Some(SIGSEGV | SIGABRT)), "{}", ended.stderr);
        ended.complains(&format!("in tick {TYPE} in entity 'a'\n"));
        ended.complains("has overflowed its stack");
    }
}

#[test]
fn a_thread_of_an_extension_is_told_by_its_name() {
    let ended = ended("tick", "thread", "GreedyScheduler");
    assert_eq!(ended.signal, Some(SIGABRT), "{}", ended.stderr);
    ended.complains("gxe: killed by SIGABRT on the thread 'own', which calls no component");
}

#[test]
fn a_run_that_ends_by_itself_tells_nothing() {
    let ended = ended("nowhere", "abort", "GreedyScheduler").clean();
    assert_eq!(ended.signal, None);
}
