//! Collectives: what several actors do together, in one process and in several.

use crate::ranks::{connections, entity, gxe, printed_by, split, started};
use std::fmt::Write;
use std::path::Path;

const MANIFEST: &str = "\
extensions:
- libgxe_io.so
- libgxe_math.so
- libgxe_actors.so
";

const SCHEDULER: &str = "\
---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {name: actors, type: gxe::ActorScheduler, parameters: {clock: clock, threads: 2}}
";

/// A source, a member of a collective and a printer for each of the members, which the parameters
/// of members and the columns of sources tell apart.
pub fn app(
    kind: &str,
    members: usize,
    parameters: impl Fn(usize) -> String,
    source: impl Fn(usize) -> Option<String>,
) -> String {
    let mut app = String::new();
    let mut pairs = Vec::new();
    for number in 0..members {
        let source = source(number);
        if let Some(source) = &source {
            let signal =
                format!("{{type: 'gxe::math::Signal', parameters: {{output: out, {source}}}}}");
            app += &entity(&format!("source{number}"), &signal, &[], &["out"]);
            pairs.push((format!("source{number}/out"), format!("member{number}/in")));
        }
        _ = write!(app, "---\nname: member{number}\ncomponents:\n");
        let input = if source.is_some() {
            app += "- {name: in, type: nvidia::gxf::DoubleBufferReceiver}\n";
            "input: in, "
        } else {
            ""
        };
        _ = write!(
            app,
            "- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}\n\
             - {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: out}}}}\n\
             - {{type: 'gxe::actors::{kind}', parameters: {{{input}output: out, collective: all, \
             member: {number}, members: {members}, {}}}}}\n",
            parameters(number)
        );
        let print = format!(
            "{{type: 'gxe::io::JsonLinesSink', parameters: {{input: in, address: all{number}.jsonl}}}}"
        );
        app += &entity(&format!("printer{number}"), &print, &["in"], &[]);
        pairs.push((format!("member{number}/out"), format!("printer{number}/in")));
    }
    let pairs: Vec<_> = pairs.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    app + &connections(&pairs) + SCHEDULER
}

fn signal(column: &str, rows: usize, messages: usize) -> Option<String> {
    Some(format!("columns: [x = {column}], rows: {rows}, messages: {messages}"))
}

pub fn prepared(folder: &Path, app: &str) {
    std::fs::write(folder.join("app.yaml"), app).expect("an app");
    std::fs::write(folder.join("manifest.yaml"), MANIFEST).expect("a manifest");
}

/// Runs an app in one process and in several; every member must get these lines.
#[track_caller]
fn all_get(app: &str, members: usize, ranks: &[usize], expected: &[String]) {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    prepared(folder, app);
    let check = |what: &str| {
        for number in 0..members {
            let lines = printed_by(folder, &format!("all{number}"));
            let lines: Vec<&str> = lines.lines().collect();
            assert_eq!(lines, expected, "member {number}, {what}");
        }
    };
    _ = gxe(folder, "app.yaml --manifest manifest.yaml --severity error").run().with_status(0);
    check("one process");
    for ranks in ranks {
        split(folder, &format!("--ranks {ranks}"));
        _ = gxe(folder, "launch parts/ranks.yaml").run().with_status(0);
        check(&format!("{ranks} ranks"));
    }
}

#[test]
fn all_members_get_the_sum_of_all() {
    let source = |number: usize| signal(&format!("i + {}", number * 100), 1, 8);
    let app = app("AllReduce", 4, |_| "operation: Sum".to_owned(), source);
    let sums = (0..8).map(|i| format!("{{\"x\":{}}}", 600 + 4 * i));
    all_get(&app, 4, &[2, 4], &sums.collect::<Vec<_>>());
}

#[test]
fn all_members_get_the_largest_and_the_smallest() {
    // The largest is that of another member from message to message.
    let source = |number: usize| signal(&format!("i * {}", 1 - number as i64), 2, 4);
    let largest = app("AllReduce", 3, |_| "operation: Maximum".to_owned(), source);
    all_get(&largest, 3, &[3], &(0..8).map(|i| format!("{{\"x\":{i}}}")).collect::<Vec<_>>());
    let smallest = app("AllReduce", 3, |_| "operation: Minimum".to_owned(), source);
    let lines = (0..8).map(|i| format!("{{\"x\":{}}}", if i == 0 { 0 } else { -i }));
    all_get(&smallest, 3, &[], &lines.collect::<Vec<_>>());
}

#[test]
fn all_members_get_the_tensors_of_all_in_their_order() {
    let source = |number: usize| signal(&format!("{}", number * 10), number + 1, 2);
    let app = app("AllGather", 3, |_| String::new(), source);
    let once = [0, 10, 10, 20, 20, 20].map(|x| format!("{{\"x\":{x}}}"));
    all_get(&app, 3, &[2, 3], &[once.clone(), once].concat());
}

#[test]
fn the_messages_of_one_member_come_to_all() {
    // That of a rank in the middle.
    let source = |number: usize| if number == 1 { signal("i", 1, 40) } else { None };
    let app = app("Broadcast", 3, |_| "root: 1".to_owned(), source);
    let lines: Vec<String> = (0..40).map(|i| format!("{{\"x\":{i}}}")).collect();
    all_get(&app, 3, &[2, 3], &lines);
}

/// Starts a process for each rank; says what the last one to fail complained.
#[track_caller]
fn ranks_fail(app: &str, ranks: u32, text: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    prepared(folder, app);
    split(folder, &format!("--ranks {ranks}"));
    let (driver, ranks) = started(folder, ranks);
    drop(driver.end().with_status(5));
    let ended: Vec<_> = ranks.into_iter().map(|rank| rank.end()).collect();
    let all: String = ended.iter().map(|ended| ended.stderr.clone() + &ended.stdout).collect();
    assert!(all.contains(text), "{all}");
    assert!(ended.iter().all(|ended| ended.status == Some(5)), "{all}");
}

#[test]
fn ranks_that_disagree_end_with_the_reason() {
    let source = |number: usize| signal("i", 1 + number / 2, 3);
    let shapes = app("AllReduce", 3, |_| String::new(), source);
    ranks_fail(&shapes, 3, "call 0 of collective `all`: member 2: `x`: expected float64 tensor of");
    let source = |_| signal("i", 1, 3);
    let operation = |number| format!("operation: {}", ["Sum", "Maximum"][number]);
    let operations = app("AllReduce", 2, operation, source);
    let text = "the ranks disagree in the operation or the number of members";
    ranks_fail(&operations, 2, text);
    let source = |number: usize| signal("i", 1, 3 + number);
    let counts = app("AllReduce", 2, |_| String::new(), source);
    let text = "collective `all`: member 0 of rank 0 ended before call 3, to which member 1 of rank 1 contributed";
    ranks_fail(&counts, 2, text);
}

/// Over several ranks, none of which knows all members, a missing one would be waited for without end.
#[test]
fn a_collective_that_is_not_complete_is_not_split() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let app = app("AllReduce", 3, |_| String::new(), |_| signal("i", 1, 3));
    for (written, edited, text) in [
        ("member: 2,", "member: 1,", "collective `all` has two members with number 1"),
        ("members: 3", "members: 4", "collective `all` has 4 members, and number 3 is missing"),
        ("member: 1,", "member: 3,", "collective `all` has 3 members, and number 1 is missing"),
        (
            "member: 1, members: 3",
            "member: 1, members: 4",
            "the members of collective `all` disagree: `members` is 3 and 4",
        ),
    ] {
        assert!(app.contains(written), "{app}");
        prepared(folder, &app.replace(written, edited));
        let line = "plan app.yaml --manifest manifest.yaml --ranks 3 --split parts";
        gxe(folder, line).run().with_status(4).complains(text);
        assert!(!folder.join("parts").exists(), "{edited}");
    }
}

/// Every member ends during the run, in one process and in several, and those behind it hear of it.
#[test]
fn a_collective_ends_with_its_inputs() {
    let all = |number: usize| signal(&format!("i + {}", number * 100), 1, 4);
    // Only the root has an input, on the last rank.
    let one = |number: usize| if number == 2 { signal("i", 1, 4) } else { None };
    for (app, ranks) in [
        (app("AllReduce", 3, |_| String::new(), all), 3),
        (app("AllReduce", 3, |_| String::new(), all), 2),
        (app("AllGather", 3, |_| String::new(), all), 2),
        (app("Broadcast", 3, |_| "root: 2".to_owned(), one), 3),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        prepared(folder, &app);
        split(folder, &format!("--ranks {ranks}"));
        for line in [
            "app.yaml --manifest manifest.yaml --severity debug",
            "launch parts/ranks.yaml -- --severity=debug",
        ] {
            let ended = gxe(folder, line).run().with_status(0);
            let log = ended.stdout.clone() + &ended.stderr;
            for number in 0..3 {
                let text = format!("entity `member{number}` ended");
                assert!(log.contains(&text), "{line}, {ranks} ranks: {text}: {log}");
            }
            let results = printed_by(folder, "all1");
            let expected = if app.contains("AllGather") { 12 } else { 4 };
            assert_eq!(results.lines().count(), expected, "{line}, {ranks} ranks: {results}");
        }
    }
}

/// Those behind the members get no more than the calls that all took part in.
#[test]
fn members_that_end_unevenly_are_an_error() {
    let source = |number: usize| signal("i", 1, 5 - number);
    let app = app("AllReduce", 2, |_| String::new(), source);
    let folder = tempfile::tempdir().expect("a folder");
    prepared(folder.path(), &app);
    let line = "app.yaml --manifest manifest.yaml --severity error";
    gxe(folder.path(), line)
        .run()
        .with_status(5)
        .complains("collective `all`: member 1 ended before call 4, to which member 0 contributed");
    let lines = printed_by(folder.path(), "all0");
    assert_eq!(lines.lines().count(), 4, "{lines}");
}

#[test]
fn a_lost_rank_ends_a_collective_with_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let endless = |_| Some("columns: [x = i], rows: 1, messages: 100000000".to_owned());
    prepared(folder, &app("AllReduce", 3, |_| String::new(), endless));
    split(folder, "--ranks 3");
    let (driver, mut ranks) = started(folder, 3);
    ranks.iter_mut().for_each(|rank| rank.wait_for("Scheduling 3 entities"));
    // Until there are results everywhere.
    for number in 0..3 {
        let results = folder.join(format!("all{number}.jsonl"));
        for _ in 0..4000 {
            if std::fs::metadata(&results).is_ok_and(|file| file.len() > 100) {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
    ranks[1].signal("KILL");
    driver.end().with_status(5).complains("is lost with its segments rank1: ");
    drop(ranks.remove(1).end());
    for rank in ranks {
        rank.end().with_status(5).complains("is lost with its segments rank1: ");
    }
}

#[test]
fn what_is_wrong_with_a_member_is_told() {
    let run = |app: &str, text: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        prepared(folder.path(), app);
        let line = "app.yaml --manifest manifest.yaml --severity error";
        let ended = gxe(folder.path(), line).run();
        assert_ne!(ended.status, Some(0));
        ended.complains(text);
    };
    let source = |_| signal("i", 1, 3);
    let good = app("AllReduce", 2, |_| String::new(), source);
    run(&good.replace("member: 1,", "member: 2,"), "`member` is 2, and members are 0 to 1");
    run(&good.replace("member: 1,", "member: 0,"), "member 0 of collective `all` is there twice");
    let operation = |number| format!("operation: {}", ["Sum", "Maximum"][number]);
    let mixed = app("AllReduce", 2, operation, source);
    run(&mixed, "members of collective `all` do different things");
    let alone = app("AllReduce", 2, |_| "processes: 2".to_owned(), source);
    run(&alone, "`next` and `previous` are for several `processes`");
    let root = app("Broadcast", 2, |_| "root: 2".to_owned(), source);
    run(&root, "`root` is 2, and members are 0 to 1");
}
