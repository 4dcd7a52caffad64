//! `gxe top --json` and runs that refuse or leave.

use gxe_tests::Gxe;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixListener;

/// `gxe top --json` at a run that gives these answers, one for each request, and leaves.
fn asked(answers: &[&str], count: &str) -> gxe_tests::Ended {
    let folder = tempfile::tempdir().expect("a folder");
    let run = UnixListener::bind(folder.path().join("run.sock")).expect("a socket");
    let answers: Vec<String> = answers.iter().map(|answer| format!("{answer}\n")).collect();
    let run = std::thread::spawn(move || {
        let (mut stream, _) = run.accept().expect("a client");
        let mut requests = BufReader::new(stream.try_clone().expect("a handle")).lines();
        for answer in answers {
            _ = requests.next();
            stream.write_all(answer.as_bytes()).expect("it listens");
        }
        _ = requests.next();
    });
    let line = format!("top --json --interval 10 run.sock {count}");
    let ended = Gxe::in_folder(folder.path()).args(&line).run();
    run.join().expect("the run");
    ended
}

#[test]
fn scripts_learn_from_the_exit_status_that_a_run_did_not_answer() {
    let (good, bad) = (r#"{"status":{},"ok":true}"#, r#"{"ok":false,"error":"there is no graph"}"#);
    let refused = asked(&[bad], "--count 1").with_status(5);
    assert_eq!(refused.stdout, format!("{bad}\n"));
    refused.complains("error: the run refuses: there is no graph");
    asked(&[], "").with_status(5).complains("error: the run ended before it answered");
    // Between two graphs there is none.
    let _ = asked(&[bad, good], "").with_status(0);
    let _ = asked(&[good], "--count 1").with_status(0);
}
