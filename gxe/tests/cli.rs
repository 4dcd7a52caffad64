//! The command line of the real binary: texts, spellings, errors, exit statuses.

use std::path::Path;
use std::process::{Command, Stdio};

/// One run of `gxe`, in a folder and with an environment of its own.
struct Gxe {
    command: Command,
}

/// How it ended.
#[derive(Debug)]
struct Ended {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

fn gxe(line: &str) -> Gxe {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gxe"));
    command.args(line.split_whitespace()).stdin(Stdio::null()).env("TZ", "UTC");
    for variable in ["COLUMNS", "NO_COLOR", "GXF_LOG_LEVEL", "GXE_EXTENSION_PATH"] {
        command.env_remove(variable);
    }
    Gxe { command }
}

impl Gxe {
    fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    fn folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    fn run(mut self) -> Ended {
        let output = self.command.output().expect("gxe starts");
        Ended {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
        }
    }
}

impl Ended {
    #[track_caller]
    fn fails(&self, status: i32, stderr: &str) {
        assert_eq!((self.status, &*self.stderr), (Some(status), stderr), "{}", self.stdout);
    }

    /// The texts of the log lines on standard output.
    fn log(&self) -> Vec<&str> {
        self.stdout.lines().map(|line| line.split_once(": ").expect("a log line").1).collect()
    }
}

/// An empty graph, which every stage accepts.
fn folder_with_app() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("app.yaml"), "name: nothing\ncomponents: []\n").unwrap();
    folder
}

#[test]
fn help_is_as_written_down() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/help.txt");
    for line in ["--help", "-h", "-help"] {
        let ended = gxe(line).run();
        assert_eq!((ended.status, &*ended.stderr), (Some(0), ""));
        if std::env::var_os("GXE_UPDATE_SNAPSHOTS").is_some() {
            std::fs::write(&file, &ended.stdout).unwrap();
        }
        let expected = std::fs::read_to_string(&file).unwrap();
        assert_eq!(
            ended.stdout, expected,
            "after a wanted change, run the tests once with GXE_UPDATE_SNAPSHOTS=1"
        );
    }
}

#[test]
fn help_is_plain_unless_colors_are_asked_for() {
    assert!(!gxe("--help").run().stdout.contains('\u{1b}'));
    assert!(gxe("--help --color=always").run().stdout.contains('\u{1b}'));
    assert!(gxe("--nope --color always").run().stderr.contains('\u{1b}'));
    assert!(!gxe("--nope --color never").run().stderr.contains('\u{1b}'));
}

#[test]
fn version_names_the_abi() {
    for line in ["--version", "-V", "-version"] {
        let ended = gxe(line).run();
        let expected = format!("gxe {} (extension ABI 1.14)\n", env!("CARGO_PKG_VERSION"));
        assert_eq!((ended.status, ended.stdout), (Some(0), expected));
    }
}

#[test]
fn stages_are_logged_as_gxf_does() {
    let folder = folder_with_app();
    let ended = gxe("--app app.yaml").folder(folder.path()).run();
    ended.fails(0, "");
    let log = ended.log();
    for stage in [
        "Creating context",
        "Loading app: 'app.yaml'",
        "Loading GXF entities from YAML file 'app.yaml'...",
        "Initializing...",
        "Running...",
        "Deinitializing...",
        "Destroying context",
        "Context destroyed.",
    ] {
        assert!(log.contains(&stage), "{log:?}");
    }
    let first = ended.stdout.lines().next().unwrap();
    assert!(first.contains(" INFO  gxe/src/run.rs@"), "{first}");
    assert_eq!(first.find(" INFO "), Some("2022-08-24 04:46:47.333".len()));
}

#[test]
fn all_spellings_of_gxf_are_understood() {
    let folder = folder_with_app();
    for line in [
        "-app app.yaml",
        "-app=app.yaml",
        "--app=app.yaml",
        "-app app.yaml -app_root . -severity -1",
        "--app app.yaml --app-root=.",
        "-app app.yaml -graph_directory .",
        "-app=app.yaml -manifest= -log_file_path= -app_root= -graph_directory=",
        "-run=true -app app.yaml",
        "-run -app app.yaml",
    ] {
        let ended = gxe(line).folder(folder.path()).run();
        ended.fails(0, "");
        assert!(ended.log().contains(&"Running..."), "{line}");
    }
}

#[test]
fn a_run_may_be_asked_for_by_its_name() {
    let folder = folder_with_app();
    let ended = gxe("run -app=app.yaml -norun").folder(folder.path()).run();
    ended.fails(0, "");
    assert!(ended.log().contains(&"Initializing...") && !ended.log().contains(&"Running..."));
    let mixed = gxe("--app app.yaml uuid").folder(folder.path()).run();
    assert_eq!(mixed.status, Some(2));
    let expected = "error: the command `uuid` comes after flags of a run\n\n  write it first:  ";
    assert!(mixed.stderr.starts_with(expected), "{}", mixed.stderr);
}

#[test]
fn ids_are_random_and_as_a_factory_wants_them() {
    let ended = gxe("uuid 100").run();
    ended.fails(0, "");
    let halves: std::collections::HashSet<u64> = ended
        .stdout
        .lines()
        .flat_map(|line| line.split(", "))
        .map(|half| {
            assert_eq!(half.len(), "0x0123456789abcdef".len(), "{half}");
            u64::from_str_radix(half.strip_prefix("0x").unwrap(), 16).unwrap()
        })
        .collect();
    assert_eq!(halves.len(), 200);
    assert_eq!(gxe("uuid 0").run().status, Some(2));
}

#[test]
fn nobody_needs_to_read_what_a_command_prints() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut gxe = gxe("uuid");
    let ended = gxe.command.stdout(writer).stderr(Stdio::piped()).output().unwrap();
    assert_eq!((ended.status.code(), &*String::from_utf8_lossy(&ended.stderr)), (Some(141), ""));
}

#[test]
fn a_graph_need_not_run() {
    let folder = folder_with_app();
    for line in ["-run=false", "--run=false", "--run=0", "-norun", "--run --run=no"] {
        let ended = gxe(&format!("--app app.yaml {line}")).folder(folder.path()).run();
        ended.fails(0, "");
        let log = ended.log();
        assert!(log.contains(&"Initializing...") && !log.contains(&"Running..."), "{line}");
    }
}

#[test]
fn the_severity_decides_what_is_logged() {
    let folder = folder_with_app();
    for line in ["--severity 2", "-severity=warning", "--severity 0", "--severity None"] {
        let ended = gxe(&format!("--app app.yaml {line}")).folder(folder.path()).run();
        assert_eq!((ended.status, &*ended.stdout), (Some(0), ""), "{line}");
    }
    let quiet = gxe("--app app.yaml").env("GXF_LOG_LEVEL", "Error").folder(folder.path()).run();
    assert_eq!(quiet.stdout, "");
    let flag = gxe("--app app.yaml --severity info").env("GXF_LOG_LEVEL", "Error");
    assert_ne!(flag.folder(folder.path()).run().stdout, "");
}

#[test]
fn the_log_goes_to_a_file() {
    let folder = folder_with_app();
    let line = "--app app.yaml --log_file_path gxe.log --color always";
    let ended = gxe(line).folder(folder.path()).run();
    ended.fails(0, "");
    assert_eq!(ended.stdout, "");
    let log = std::fs::read_to_string(folder.path().join("gxe.log")).unwrap();
    assert!(log.contains("Running...") && !log.contains('\u{1b}'), "{log}");
}

#[test]
fn failures_are_in_the_log_file_too() {
    let folder = folder_with_app();
    let ended = gxe("--app nope.yaml --log-file-path gxe.log").folder(folder.path()).run();
    assert_eq!(ended.status, Some(3));
    let log = std::fs::read_to_string(folder.path().join("gxe.log")).unwrap();
    assert!(log.contains(": cannot load the app 'nope.yaml'"), "{log}");
    assert!(ended.stderr.contains("cannot load the app 'nope.yaml'"), "{}", ended.stderr);
}

#[test]
fn without_an_app_there_is_nothing_to_run() {
    for line in ["", "--manifest m.yaml", "--app=", "-run=false"] {
        gxe(line).run().fails(
            2,
            "error: no app file given, so there is nothing to run\n\
             \n\
             \x20 name one:  gxe APP.yaml --manifest FILE\n\
             \n\
             For more information, try 'gxe --help'.\n",
        );
    }
}

#[test]
fn mistyped_flags_are_recognised() {
    for line in ["-mainfest m.yaml", "--mainfest=m.yaml"] {
        gxe(line).run().fails(
            2,
            "error: unexpected argument '--mainfest' found\n\
             \n\
             \x20 tip: a similar argument exists: '--manifest'\n\
             \n\
             Usage: gxe APP… [--manifest FILE[,FILE…]] [OPTIONS]\n\
             \x20      gxe COMMAND …\n\
             \n\
             For more information, try '--help'.\n",
        );
    }
}

#[test]
fn a_file_needs_no_flag() {
    gxe("app.yaml").run().fails(
        3,
        "error[GXF_FILE_NOT_FOUND]: there is no file `app.yaml`\n\
         \n\
         error: cannot load the app 'app.yaml': 1 error\n",
    );
}

#[test]
fn lists_have_no_empty_entries() {
    for (line, list) in [
        ("--app a.yaml,,b.yaml", "--app a.yaml,,b.yaml"),
        ("-app=a.yaml,", "--app a.yaml,"),
        ("--app a --manifest ,m.yaml", "--manifest ,m.yaml"),
    ] {
        gxe(line).run().fails(
            2,
            &format!(
                "error: '{list}' names an empty file\n\
                 \n\
                 \x20 remove the comma that separates nothing\n\
                 \n\
                 For more information, try 'gxe --help'.\n"
            ),
        );
    }
}

#[test]
fn malformed_parameters_are_reported_together() {
    gxe("--app a.yaml --param tx/signal/capacity --param a/b=1").run().fails(
        2,
        "error[GXF_ARGUMENT_INVALID]: the override has no `=`\n \
         --> <--param 1>:1:1\n\
         \x20 |\n\
         1 | tx/signal/capacity\n\
         \x20 | ^^^^^^^^^^^^^^^^^^\n\
         \x20 |\n\
         \x20 = help: expected `entity/component/key=value`, such as `tx/signal/capacity=4`\n\
         \n\
         error[GXF_ARGUMENT_INVALID]: expected 3 names before the `=`, found 2\n \
         --> <--param 2>:1:1\n\
         \x20 |\n\
         1 | a/b=1\n\
         \x20 | ^^^\n\
         \x20 |\n\
         \x20 = help: expected `entity/component/key=value`, such as `tx/signal/capacity=4`\n\
         \n\
         For more information, try 'gxe --help'.\n",
    );
}

#[test]
fn unknown_log_levels_are_named_with_their_place() {
    let expected = |place| {
        format!(
            "error: unknown log level 'loud' {place}\n\
             \n\
             \x20 expected NONE, ERROR, WARNING, INFO, DEBUG, VERBOSE in any case, or 0 to 5\n\
             \n\
             For more information, try 'gxe --help'.\n"
        )
    };
    let variable = gxe("--app a.yaml").env("GXF_LOG_LEVEL", "loud").run();
    variable.fails(2, &expected("in the environment variable GXF_LOG_LEVEL"));
    gxe("--app a.yaml --severity loud").run().fails(2, &expected("for '--severity'"));
}

#[test]
fn an_unwritable_log_file_is_an_error() {
    gxe("--app a.yaml --log_file_path /nope/gxe.log").run().fails(
        2,
        "error: cannot open the log file '/nope/gxe.log': No such file or directory (os error 2)\n\
         \n\
         For more information, try 'gxe --help'.\n",
    );
}

#[test]
fn a_full_disk_below_the_log_file_is_an_error_and_mentioned_once() {
    let folder = folder_with_app();
    let ended = gxe("--app app.yaml --log_file_path /dev/full").folder(folder.path()).run();
    ended.fails(
        5,
        "gxe: cannot write to the log file '/dev/full': No space left on device (os error 28)\n",
    );
}

#[test]
fn nobody_needs_to_read_errors() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut gxe = gxe("--app nope.yaml");
    let status = gxe.command.stdout(Stdio::null()).stderr(writer).status().unwrap();
    assert_eq!(status.code(), Some(3));
}

#[test]
fn missing_files_are_errors_of_the_load() {
    let folder = folder_with_app();
    let no_folder = " |\n = help: there is no folder `/nope` either\n";
    for (line, missing, what, help) in [
        ("--app nope.yaml", "nope.yaml", "app 'nope.yaml'", ""),
        ("--app app.yaml,nope.yaml", "nope.yaml", "apps 'app.yaml', 'nope.yaml'", ""),
        ("--app app.yaml --manifest nope.yaml", "nope.yaml", "manifest 'nope.yaml'", ""),
        ("--app app.yaml --app_root /nope", "/nope/app.yaml", "app '/nope/app.yaml'", no_folder),
    ] {
        let ended = gxe(line).folder(folder.path()).run();
        let log = ended.log();
        assert!(log.ends_with(&["Destroying context", "Context destroyed."]), "{log:?}");
        ended.fails(
            3,
            &format!(
                "error[GXF_FILE_NOT_FOUND]: there is no file `{missing}`\n{help}\n\
                 error: cannot load the {what}: 1 error\n"
            ),
        );
    }
}

#[test]
fn missing_parameters_are_errors_of_the_graph() {
    let folder = folder_with_app();
    let app = "components:\n- type: nvidia::gxf::PeriodicSchedulingTerm\n";
    std::fs::write(folder.path().join("app.yaml"), app).unwrap();
    let ended = gxe("--app app.yaml").folder(folder.path()).run();
    assert_eq!(ended.status, Some(4));
    assert!(ended.stderr.ends_with("\nerror: the graph cannot be activated: 1 error\n"));
    assert!(ended.log().contains(&"Deinitializing..."));
}

#[test]
fn warnings_are_errors_when_strict() {
    let folder = folder_with_app();
    let app = "components:\n- type: nvidia::gxf::CPUThread\n  parameters: {oops: 1}\n";
    std::fs::write(folder.path().join("app.yaml"), app).unwrap();
    let run = |line: &str| gxe(&format!("--app app.yaml {line}")).folder(folder.path()).run();
    let lenient = run("");
    assert_eq!(lenient.status, Some(0));
    assert!(lenient.stderr.starts_with("warning: "), "{}", lenient.stderr);
    run("--severity error").fails(0, "");
    for line in ["--strict", "--strict --severity none"] {
        let expected =
            format!("{}error: the graph is not run: 1 warning, with --strict\n", lenient.stderr);
        let strict = run(line);
        assert!(!strict.stdout.contains("Initializing..."));
        strict.fails(3, &expected);
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_run_quietly() {
    let folder = folder_with_app();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut gxe = gxe("--app app.yaml").folder(folder.path());
    gxe.command.stdout(writer).stderr(Stdio::piped());
    let ended = gxe.command.spawn().unwrap().wait_with_output().unwrap();
    assert_eq!((ended.status.code(), &*String::from_utf8_lossy(&ended.stderr)), (Some(141), ""));
}
