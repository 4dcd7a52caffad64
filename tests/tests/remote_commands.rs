//! `gxe launch`, `gxe check` and `gxe graph` over all segments.

use crate::remote::{Example, MANIFEST, received, root};
use crate::remote_cuts::{Cut, FORWARDS, Part};
use gxe_tests::Gxe;
use gxe_tests::links::free_port;
use std::path::Path;

/// As a service manager or a script ends it, without a terminal.
#[test]
fn a_signal_to_one_command_reaches_all() {
    // In a terminal, Ctrl-C reaches all processes anyway.
    let has_terminal = std::fs::File::open("/dev/tty").is_ok();
    let signals = [("TERM", 143), ("HUP", 143), ("INT", 130)];
    for (signal, status) in signals.into_iter().filter(|(name, _)| *name != "INT" || !has_terminal)
    {
        let example = Example::new();
        let text = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
        example.write("ping.yaml", &text);
        let endless =
            "{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 10ms}}";
        let counted = "{type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 10}}";
        example.edit("gxf/ucx/tests/test_ping_ucx_tx.yaml", |text| text.replace(counted, endless));
        let mut launched = example.plain().args("launch ping.yaml").spawn();
        let pid = launched.pid();
        let children = || {
            let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
            let children = children.unwrap_or_default();
            children.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        gxe_tests::eventually("all processes run", || children().len() == 3);
        launched.wait_for("Scheduling");
        let children = children();
        launched.signal(signal);
        let ended = launched.end();
        assert_eq!(ended.status, Some(status), "{signal}: {}", ended.stderr);
        for child in children {
            let is_there = Path::new(&format!("/proc/{child}")).exists();
            assert!(!is_there, "{signal}: process {child} goes on");
        }
    }
}

/// A driver at all addresses, of either version of IP, is reached at this host, although it listens
/// there alone without a token. And the file may be any YAML.
#[test]
fn a_driver_may_be_at_all_addresses_and_its_file_in_any_yaml() {
    let example = Example::new();
    let text = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
    let indented: String = text
        .lines()
        .skip_while(|line| line.starts_with('#'))
        .map(|line| format!("  {line}\n").replace("graph-specs:", "\"graph-specs\" :"))
        .collect();
    for (place, text) in [("[::]", &text), ("0.0.0.0", &indented)] {
        example.write("ping.yaml", text);
        let line = format!("run ping.yaml --driver --worker --address {place}:{}", free_port());
        let ended = example.plain().args(&line).run().with_status(0);
        assert_eq!(received(&ended), (0..10).collect::<Vec<_>>(), "{place}");
    }
    assert_eq!(example.plain().args("check ping.yaml").run().clean().stdout, "nothing found\n");
    let ended = example.plain().args("run ping.yaml").run().with_status(2);
    ended.complains("'ping.yaml' lists segments under `graph-specs`");
    let ended = example.plain().args("run worker.yaml --worker").run().with_status(3);
    ended.complains("'worker.yaml' has no `graph-specs`");
}

/// Paths in it begin in the current folder.
#[test]
fn a_driver_reads_its_file_from_standard_input() {
    let example = Example::new();
    let text = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
    example.write("ping.yaml", &text);
    example.write("piped.sh", "cat ping.yaml | \"$@\"\n");
    let piped = |file: &str| {
        let line = format!("run {file} --driver --worker --address 127.0.0.1:{}", free_port());
        example.plain().args(&line).started_by("sh piped.sh").run()
    };
    let ended = piped("/dev/stdin").with_status(0);
    assert_eq!(received(&ended), (0..10).collect::<Vec<_>>());
    piped("-").with_status(3).complains("standard input is `/dev/stdin`");
}

/// Names of entities in subgraphs have dots.
#[test]
fn links_in_subgraphs_are_connected() {
    let example = Example::new();
    let rx = "gxf/ucx/tests/test_ping_ucx_rx.yaml";
    let text = std::fs::read_to_string(example.path(rx)).expect("the receiver");
    let (receiver, rest) = text.split_once("name: links").expect("two parts");
    example.write("inner.yaml", receiver.trim_end_matches("---\n"));
    example.write(
        rx,
        &format!(
            "name: outer\ncomponents:\n- {{type: nvidia::gxf::Subgraph, parameters: {{location: \
             inner.yaml}}}}\n---\nname: links{rest}"
        ),
    );
    let ping = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
    example.write("ping.yaml", &ping.replace("downstream.rx.", "downstream.outer.rx."));
    assert_eq!(example.plain().args("check ping.yaml").run().clean().stdout, "nothing found\n");
    let ended = example.plain().args("launch ping.yaml").run().with_status(0);
    assert_eq!(received(&ended), (0..10).collect::<Vec<_>>());
}

#[test]
fn one_command_starts_all() {
    let example = Example::new();
    let text = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
    example.write("ping.yaml", &text);
    let gxe = || {
        let folder = example.folder.path().to_string_lossy().into_owned();
        Gxe::in_folder(example.folder.path()).env("XDG_RUNTIME_DIR", &folder)
    };
    let ended = gxe().args("launch ping.yaml").run().with_status(0);
    assert_eq!(received(&ended), (0..10).collect::<Vec<_>>());
    ended.complains("gxe: starting: gxe run ping.yaml --driver --address=127.0.0.1:");
    ended.complains("gxe: starting: gxe run ping.yaml --worker --fragments=downstream --address=");
    // Options may say where the file is.
    let elsewhere = tempfile::tempdir().expect("a folder");
    let root = format!("launch ping.yaml -- --app-root={}", example.folder.path().display());
    let runtime = example.folder.path().to_string_lossy();
    let ended = Gxe::in_folder(elsewhere.path()).env("XDG_RUNTIME_DIR", &runtime).args(&root).run();
    assert_eq!(received(&ended.with_status(0)), (0..10).collect::<Vec<_>>());
    // What is printed is for a shell.
    let line = "launch ping.yaml --print --";
    let printed = gxe().args(line).arg("--param=a/b/c=$x y").run().clean().stdout;
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 3, "{printed}");
    assert!(lines[0].starts_with("gxe run ping.yaml --driver --address=127.0.0.1:"), "{printed}");
    assert!(lines[2].ends_with(" '--param=a/b/c=$x y'"), "{printed}");
    // Without segments nothing would ever happen.
    example.write("empty.yaml", "connections: []\ngraph-specs: {}\n");
    for line in ["run empty.yaml --driver --worker", "check empty.yaml", "launch empty.yaml"] {
        let ended = gxe().args(line).run().with_status(3);
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert!(said.contains("`graph-specs` names no segment"), "{said}");
        assert!(said.contains("--> empty.yaml:2:14"), "{said}");
    }
    // A process may be driver and worker.
    let ended = gxe()
        .args("run ping.yaml --driver --worker --address")
        .arg(&format!("localhost:{}", free_port()));
    assert_eq!(received(&ended.run().with_status(0)), (0..10).collect::<Vec<_>>());
    for (line, status, text) in [
        (
            "run ping.yaml --worker --fragments upstrem",
            3,
            "has no segment `upstrem`; it has upstream, downstream",
        ),
        ("run ping.yaml --fragments upstream", 2, "'--fragments' needs --driver or --worker"),
        ("run ping.yaml --driver --address nowhere", 2, "'--address nowhere' is no address"),
        (
            "run ping.yaml --driver --address 256.1.1.1:57777",
            2,
            "'--address 256.1.1.1:57777' is no address",
        ),
        (
            "run ping.yaml --driver --address [::1]:57777",
            4,
            "cannot listen at `::1`, which '--address' names",
        ),
        (
            "run ping.yaml --worker --address fd00::1:57777",
            2,
            "'--address fd00::1:57777' is no address",
        ),
        (
            "run ping.yaml --worker --address [fd00:99]:57777",
            2,
            "write a host and a port:  --address 127.0.0.1:57777  or  --address [2001:db8::1]:57777",
        ),
        (
            "run ping.yaml --driver --address 192.0.2.1:57777",
            4,
            "cannot listen at `192.0.2.1`, which '--address' names: this host has no such address",
        ),
        (
            "run ping.yaml --driver --address 127.0.0.2:57777",
            4,
            "cannot listen at `127.0.0.2`, which '--address' names",
        ),
        (
            "run ping.yaml --worker --worker-address 192.0.2.1:57778",
            4,
            "cannot listen at `192.0.2.1`, which '--worker-address' names",
        ),
        ("run ping.yaml worker.yaml --driver", 2, "--driver and --worker take one file"),
        ("run worker.yaml --driver", 3, "has no `graph-specs`, which names the app"),
        ("ping.yaml", 2, "`gxe launch ping.yaml` runs them all on this machine"),
        ("launch missing.yaml", 3, "missing.yaml"),
        ("launch /dev/null", 2, "'/dev/null' is no file, and each process reads it"),
    ] {
        gxe().args(line).run().with_status(status).complains(text);
    }
}

/// The manifest of the command line is that of segments that name none.
#[test]
fn manifests_of_the_command_line_are_for_segments_without_one() {
    let example = Example::new();
    let text = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
    let named = format!("    manifest-path: {MANIFEST}\n");
    assert_eq!(text.matches(&named).count(), 2, "{text}");
    example.write("ping.yaml", &text);
    example.write("bare.yaml", &text.replacen(&named, "", 1));
    let address = format!("--address 127.0.0.1:{}", free_port());
    let here = format!("run bare.yaml --driver --worker {address}");
    for line in [
        format!("{here} --manifest {MANIFEST}"),
        format!("launch bare.yaml -- --manifest={MANIFEST}"),
    ] {
        let ended = example.plain().args(&line).run().with_status(0);
        assert_eq!(received(&ended), (0..10).collect::<Vec<_>>(), "{line}");
    }
    let line = format!("check bare.yaml --manifest {MANIFEST}");
    assert_eq!(example.plain().args(&line).run().clean().stdout, "nothing found\n");
    let unknown = "no loaded extension has this type";
    let ended = example.plain().args("check bare.yaml").run().with_status(3);
    assert!(ended.stdout.contains(unknown), "{}", ended.stdout);
    let missing = "there is no file `nowhere.yaml`";
    for part in ["--driver --worker", "--driver", "--worker"] {
        let line = format!("run ping.yaml {part} {address} --manifest nowhere.yaml");
        example.plain().args(&line).run().with_status(3).complains(missing);
    }
    let ended = example.plain().args("check ping.yaml --manifest nowhere.yaml").run();
    assert!(ended.with_status(3).stdout.contains(missing));
    let several = format!("--manifest {MANIFEST},other.yaml");
    for line in [
        format!("{here} {several}"),
        format!("launch bare.yaml -- {several}"),
        format!("check bare.yaml {several}"),
        format!("graph bare.yaml {several}"),
    ] {
        let ended = example.plain().args(&line).run().with_status(2);
        ended.complains("segments take one manifest, and '--manifest' names several");
    }
}

#[test]
fn repeated_fragments_add_up() {
    let example = Example::new();
    let text = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
    example.write("ping.yaml", &text);
    let address = format!("--address 127.0.0.1:{}", free_port());
    for parts in ["--fragments upstream --fragments downstream", "--fragments all"] {
        let line = format!("run ping.yaml --driver --worker {parts} {address}");
        let ended = example.plain().args(&line).run().with_status(0);
        assert_eq!(received(&ended), (0..10).collect::<Vec<_>>(), "{parts}");
    }
    for (parts, text) in [
        ("--fragments upstream --fragments upstream", "'--fragments' names `upstream` twice"),
        ("--fragments upstream,all", "'--fragments' names `upstream` beside `all`"),
        ("--fragments all --fragments upstream", "'--fragments' names `upstream` beside `all`"),
    ] {
        let line = format!("run ping.yaml --worker {parts}");
        example.plain().args(&line).run().with_status(2).complains(text);
    }
}

#[test]
fn graph_draws_all_segments() {
    let example = Example::new();
    let text = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
    example.write("ping.yaml", &text);
    let gxe = |line: &str| Gxe::in_folder(example.folder.path()).args(line).run();
    let drawn = gxe("graph ping.yaml").with_status(0).stdout;
    for text in ["label=\"upstream\"", "label=\"downstream\\n", "tooltip=\"upstream.tx\""] {
        assert!(drawn.contains(text), "{text}: {drawn}");
    }
    assert_eq!(drawn.matches(" -> ").count(), 1, "{drawn}");
    let page = gxe("graph ping.yaml --output ping.html");
    assert!(page.with_status(0).stderr.is_empty());
    example.edit("ping.yaml", |text| text.replace("downstream.rx.signal", "downstream.rx.signa"));
    let drawn = gxe("graph ping.yaml").with_status(0);
    drawn.complains(
        "the connection from `upstream.tx.signal` to `downstream.rx.signa` leads nowhere",
    );
    example.write(
        "back.yaml",
        &text
            .replace("upstream.tx.signal", "x")
            .replace("downstream.rx.signal", "upstream.tx.signal")
            .replace("source: x", "source: downstream.rx.signal"),
    );
    gxe("graph back.yaml").with_status(0).complains(
        "the connection from `downstream.rx.signal` to `upstream.tx.signal` leads nowhere",
    );
    example.edit("ping.yaml", |text| text.replace("test_ping_ucx_rx.yaml", "missing.yaml"));
    let failed = gxe("graph ping.yaml").with_status(3);
    failed.complains("segment `downstream`: there is no file `./gxf/ucx/tests/missing.yaml`");
    failed.complains("--> ping.yaml:");
}

/// Commands of Slurm that start the tasks of a job on this machine.
const SLURM: [(&str, &str); 3] = [
    ("sbatch", "SLURM_JOB_ID=7$$ SLURM_JOB_NODELIST=here exec sh -s\n"),
    ("scontrol", "[ \"$*\" = \"show hostnames here\" ] && echo localhost\n"),
    (
        "srun",
        "[ \"$*\" = \"--kill-on-bad-exit=1 --label sh -s\" ] || exit 2
script=$(cat)
SLURM_PROCID=0 sh -c \"$script\" & first=$!
SLURM_PROCID=1 sh -c \"$script\" & second=$!
wait $first && wait $second\n",
    ),
];

/// All but a few of the ports that it would take are named there.
#[test]
fn launch_takes_no_port_that_a_segment_names() {
    let example = Example::new();
    let text = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
    example.write("ping.yaml", &text);
    let ports = (10_000..20_000).filter(|port| port % 1000 != 555);
    let named: Vec<String> = ports.map(|port: u16| port.to_string()).collect();
    example.edit("gxf/ucx/tests/test_ping_ucx_rx.yaml", |text| {
        format!("{text}# {}\n", named.join(" "))
    });
    let printed = example.plain().args("launch ping.yaml --print").run().clean().stdout;
    let driver = printed.lines().next().expect("the driver");
    assert!(driver.contains("--address=127.0.0.1:1") && driver.ends_with("555"), "{printed}");
}

#[test]
fn launch_submits_what_it_prints() {
    let example = Example::new();
    let text = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
    example.write("ping.yaml", &text);
    let programs = example.path("programs");
    let executable = |name: &str, text: &str| {
        example.write(&format!("programs/{name}"), &format!("#!/bin/sh\n{text}"));
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(programs.join(name), mode).expect("permissions");
    };
    SLURM.iter().for_each(|(name, text)| executable(name, text));
    std::os::unix::fs::symlink(gxe_tests::build::gxe(), programs.join("gxe")).expect("a link");
    let path = format!("{}:/usr/bin:/bin", programs.display());
    let folder = example.folder.path().to_string_lossy().into_owned();
    let gxe = |line: &str| {
        Gxe::in_folder(example.folder.path())
            .env("XDG_RUNTIME_DIR", &folder)
            .env("PATH", &path)
            .args(line)
    };
    let submitted = gxe("launch ping.yaml --with slurm").run().with_status(0);
    assert_eq!(received(&submitted), (0..10).collect::<Vec<_>>());
    submitted.complains("gxe: submitting with: sbatch");
    let printed = gxe("launch ping.yaml --with slurm --name Two_Hosts --print -- --severity=error");
    let printed = printed.run().with_status(0).stdout;
    assert!(submitted.stderr.contains("exec gxe run ping.yaml --driver --worker"), "{printed}");
    assert!(printed.contains("#SBATCH --job-name=two-hosts\n#SBATCH --ntasks=2\n"), "{printed}");
    assert!(
        printed.contains(
            "1) exec gxe run ping.yaml --worker --fragments=downstream --severity=error \
             --address=\"$driver\" ;;"
        ),
        "{printed}"
    );
    // A job without its tasks fails.
    executable("srun", "echo no nodes >&2; exit 3\n");
    let failed = gxe("launch ping.yaml --with slurm").run().with_status(5);
    failed.complains("'sbatch' failed (exit status: 3)");
    gxe("launch ping.yaml --with kubernetes")
        .run()
        .with_status(2)
        .complains("name it:  --image=REGISTRY/IMAGE:TAG");
    let printed = gxe("launch ping.yaml --with kubernetes --image gxe:1 --print").run();
    let printed = printed.with_status(0).stdout;
    let line = "1) exec gxe run ping.yaml --worker --fragments=downstream --control=/tmp/gxe.sock ";
    assert!(printed.contains(line), "{printed}");
    assert!(printed.contains("--address=\"ping-0.ping:57777\" ;;"), "{printed}");
    let documents: Vec<serde_json::Value> = serde_saphyr::from_multiple(&printed).expect("YAML");
    assert_eq!(documents[1]["spec"]["completions"], 2);
    let container = &documents[1]["spec"]["template"]["spec"]["containers"][0];
    let probe = serde_json::json!(["gxe", "top", "/tmp/gxe.sock", "--json", "--count=1"]);
    assert_eq!(container["livenessProbe"]["exec"]["command"], probe);
    // A job that is over keeps its name, and is not started again.
    let line = "launch ping.yaml --with kubernetes --image gxe:1";
    let kubectl = |said: &str| {
        let said = format!("service/ping unchanged\\njob.batch/ping {said}");
        executable("kubectl", &format!("cat >script\nprintf '{said}\\n'\n"));
        gxe(line).run()
    };
    assert!(kubectl("created").with_status(0).stdout.ends_with("job.batch/ping created\n"));
    assert_eq!(std::fs::read_to_string(example.path("script")).expect("a script"), printed);
    let ended = kubectl("unchanged").with_status(5);
    ended.complains("there is a job `ping` already, and nothing was started; delete it with");
    // Names that YAML takes for something else are texts, and Kubernetes leaves arguments alone.
    let line = "launch ping.yaml --with kubernetes --image gxe:1 --name true --print --";
    let printed = gxe(line).arg("--param=a/b/c=$(X)$$word").run().with_status(0).stdout;
    let documents: Vec<serde_json::Value> = serde_saphyr::from_multiple(&printed).expect("YAML");
    let template = &documents[1]["spec"]["template"];
    for name in [
        &documents[0]["metadata"]["name"],
        &documents[0]["spec"]["selector"]["job-name"],
        &documents[1]["metadata"]["name"],
        &template["metadata"]["labels"]["job-name"],
        &template["spec"]["subdomain"],
    ] {
        assert_eq!(name, "true", "{printed}");
    }
    let script = template["spec"]["containers"][0]["args"][0].as_str().expect("a script");
    assert!(script.starts_with("case \"$$JOB_COMPLETION_INDEX\" in\n"), "{script}");
    assert!(script.contains("'--param=a/b/c=$$(X)$$$$word'"), "{script}");
    gxe("launch ping.yaml --with ray").run().with_status(5).complains("'python3'");
    let printed = gxe("launch ping.yaml --with ray --print").run().with_status(0).stdout;
    assert!(printed.contains("\"--worker\",\"--fragments=downstream\"]"), "{printed}");
}

#[test]
fn check_follows_connections_through_all_segments() {
    let example = Example::new();
    let text = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
    example.write("ping.yaml", &text);
    let check = || {
        let ended = Gxe::in_folder(example.folder.path()).args("check ping.yaml").run();
        (ended.status, ended.stdout)
    };
    assert_eq!(check(), (Some(0), "nothing found\n".to_owned()));
    example.write("ping.yaml", &text.replace("downstream.rx.signal", "downstream.rx.signl"));
    let (status, said) = check();
    assert_eq!(status, Some(4), "{said}");
    for text in [
        "`connections`: no segment has the UcxReceiver `downstream.rx.signl`",
        "did you mean `downstream.rx.signal`?",
        "no connection leads to receiver `downstream.rx.signal`",
    ] {
        assert!(said.contains(text), "{said}");
    }
    example.write("ping.yaml", &text.replace("test_ping_ucx_tx", "test_ping_ucx_rx"));
    let (_, said) = check();
    let text = "receivers `upstream.rx.signal` and `downstream.rx.signal` both listen at port ";
    assert!(said.contains(text), "{said}");
}

/// Segments in a circle, none of which sends the first message. With one that does, nothing is wrong.
#[test]
fn check_finds_segments_that_wait_for_each_other() {
    let mut cut = Cut { segments: 3, ..Cut::default() };
    for segment in 0..3 {
        let (name, components) = (format!("e{segment}"), FORWARDS.to_owned());
        cut.entities.push(Part { name, segment, components });
    }
    for (source, target) in [(0, 1), (1, 2), (2, 0)] {
        cut.connect((source, "out"), (target, "in"), 1);
    }
    let example = Example::new();
    cut.write(&example, true);
    let check = || {
        let ended = Gxe::in_folder(example.folder.path()).args("check cut.yaml").run();
        (ended.status, ended.stdout)
    };
    let (status, said) = check();
    assert_eq!(status, Some(4), "{said}");
    for text in [
        "error[deadlock-cycle]: segments `s0`, `s1`, `s2` wait for each other's messages, so none ever \
         sends one",
        " --> ./s0.yaml:",
        " `s0` waits here for a message of `s2.e2.out`",
        " `s1` waits here for a message of `s0.e0.out`",
        " `s2` waits here for a message of `s1.e1.out`",
        "the circle: `s0.e0.out` to `s1.e1.in`, `s1.e1.out` to `s2.e2.in`, `s2.e2.out` to `s0.e0.in`",
    ] {
        assert!(said.contains(text), "{text}\n{said}");
    }
    assert_eq!(said.matches("deadlock-cycle").count(), 1, "{said}");
    // An entity that ticks without messages.
    let text = std::fs::read_to_string(example.folder.path().join("s1.yaml")).expect("a segment");
    let term = "nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}";
    let count = "nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}";
    assert!(text.contains(term), "{text}");
    example.write("s1.yaml", &text.replace(term, count));
    let (_, said) = check();
    assert!(!said.contains("deadlock-cycle"), "{said}");
}
