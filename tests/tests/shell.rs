//! `gxe completions` and `gxe man`, which come from the same definitions as the help texts.

use gxe_tests::{Gxe, build};
use std::process::Command;

/// The completions of bash for the last of these words.
fn completed(words: &[&str]) -> Vec<String> {
    let folder = build::gxe();
    let folder = folder.parent().expect("a folder").to_string_lossy().into_owned();
    let last = words.len() - 1;
    let script = format!(
        "PATH={folder}:$PATH; source <(gxe completions bash); COMP_WORDS=({}); COMP_CWORD={last}; \
         compopt() {{ :; }}; _clap_complete_gxe gxe '{}' '{}'; \
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words.join(" "),
        words[last],
        words[last - 1],
    );
    let output = Command::new("bash").args(["--norc", "-c", &script]).output().expect("bash");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let offered = String::from_utf8(output.stdout).expect("UTF-8");
    offered.lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_flags_and_choices() {
    assert_eq!(completed(&["gxe", "insp"]), ["inspect"]);
    assert_eq!(completed(&["gxe", "--man"]), ["--manifest"]);
    assert_eq!(completed(&["gxe", "check", "--format", "s"]), ["sarif"]);
    assert_eq!(completed(&["gxe", "new", "ext"]), ["extension"]);
    assert_eq!(completed(&["gxe", "new", "app", "--lang", "r"]), ["rust"]);
}

#[test]
fn bash_completes_types_parameters_and_manifests() {
    assert_eq!(completed(&["gxe", "inspect", "GreedyS"]), ["GreedyScheduler"]);
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let app = format!("{root}/apps/ping/ping.yaml");
    assert_eq!(completed(&["gxe", &app, "--param", "tx/signal/cap"]), ["tx/signal/capacity="]);
    let command = ["gxe", "check", "--app", &app, "--param", "rx/signal/pol"];
    assert_eq!(completed(&command), ["rx/signal/policy="]);
    assert_eq!(completed(&["gxe", "--manifest", "hello_w"]), ["hello_world"]);
}

#[test]
fn every_shell_gets_a_script_that_asks_gxe() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = Gxe::alone().args(&format!("completions {shell}")).run().clean().stdout;
        assert!(script.contains("COMPLETE") && script.contains("gxe"), "{shell}: {script}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let _ = Gxe::in_folder(folder.path()).args("man --dir man1").run().clean();
    let help = Gxe::alone().args("--help").run().clean().stdout;
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<_> = commands.map_while(|line| line.split_whitespace().next()).collect();
    assert!(commands.contains(&"check") && commands.contains(&"uuid"), "{commands:?}");
    let read = |name: &str| {
        let page = std::fs::read_to_string(folder.path().join("man1").join(name));
        page.unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let main = read("gxe.1");
    let others: Vec<_> = commands.iter().map(|command| read(&format!("gxe-{command}.1"))).collect();
    assert!(main.contains("gxe \\- runs compute graphs"), "{main}");
    assert!(main.contains("\\-\\-manifest") && main.contains("GXF_LOG_LEVEL"), "{main}");
    for page in others.iter().chain([&main]) {
        assert!(page.contains(".SH NAME") && !page.contains('\u{1b}'), "{page}");
    }
    let printed = Gxe::alone().args("man").run().clean().stdout;
    assert_eq!(printed, main);
}

#[test]
fn words_that_people_try_work_or_lead_on() {
    let say = |line: &str| Gxe::alone().args(line).run();
    assert_eq!(say("help").clean().stdout, say("--help").clean().stdout);
    assert_eq!(say("help new app").clean().stdout, say("new app --help").clean().stdout);
    assert_eq!(say("version").clean().stdout, say("--version").clean().stdout);
    for (line, text) in [
        ("plugins", "there is no command `plugins`\n\n  did you mean `list` or `inspect`?"),
        ("chekc", "did you mean `check`?"),
        ("help draw", "did you mean `graph`?"),
        ("zzzzzz", "`gxe help` lists the commands; an app is a file: gxe APP.yaml"),
    ] {
        say(line).with_status(2).complains(text);
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink("loop", folder.path().join("loop")).expect("a link");
    let ended = Gxe::in_folder(folder.path()).args("loop").run().with_status(3);
    ended.complains("Too many levels of symbolic links");
}

#[test]
fn the_doctor_finds_the_installation() {
    let said = Gxe::alone().args("doctor").run().stdout;
    for text in ["  program  ", "  SDK  ", "libgxf_sample.so", "  CUDA  ", "  cargo  "] {
        assert!(said.contains(text), "{text}:\n{said}");
    }
}
