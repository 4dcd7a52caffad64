//! `gxe lsp` over its protocol, and from Neovim's own client where there is one.

use gxe_tests::{SCHEDULER, build};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// An editor.
struct Editor {
    server: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    requests: u64,
}

impl Editor {
    /// Starts the server in a folder.
    fn start(folder: &Path) -> Self {
        let mut server = Command::new(build::gxe())
            .arg("lsp")
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("gxe starts");
        let to = server.stdin.take();
        let from = BufReader::new(server.stdout.take().expect("piped"));
        let mut editor = Self { server, to, from, requests: 0 };
        let started = editor.ask("initialize", json!({"capabilities": {}, "processId": null}));
        assert_eq!(started["capabilities"]["hoverProvider"], true);
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        let text = message.to_string();
        let to = self.to.as_mut().expect("the server runs");
        write!(to, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server listens");
        to.flush().expect("the server listens");
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.from.read_line(&mut line).expect("UTF-8"), 0, "the server ended");
            match line.trim().split_once(": ") {
                Some(("Content-Length", text)) => length = text.parse().expect("a number"),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).expect("a whole message");
        serde_json::from_slice(&body).expect("JSON")
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(json!({"method": method, "params": params}));
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        self.send(json!({"id": self.requests, "method": method, "params": params}));
        let answer = self.receive();
        assert_eq!(answer["id"], self.requests, "{answer}");
        answer["result"].clone()
    }

    /// Opens a text, or changes it; returns what is wrong with it.
    fn open(&mut self, path: &Path, text: &str) -> Vec<Value> {
        let uri = format!("file://{}", path.display());
        let document = json!({"uri": uri, "languageId": "yaml", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
        let published = self.receive();
        assert_eq!(published["method"], "textDocument/publishDiagnostics");
        assert_eq!(published["params"]["uri"], uri);
        published["params"]["diagnostics"].as_array().expect("a list").clone()
    }

    /// Asks at the cursor, which `text` marks with `|`.
    fn at(&mut self, method: &str, path: &Path, text: &str) -> Value {
        let before = text.split('|').next().expect("a cursor");
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().expect("a line").chars().count();
        _ = self.open(path, &text.replacen('|', "", 1));
        let uri = format!("file://{}", path.display());
        let position = json!({"line": line, "character": column});
        self.ask(method, json!({"textDocument": {"uri": uri}, "position": position}))
    }

    /// The labels offered at the cursor.
    fn offered(&mut self, path: &Path, text: &str) -> Vec<String> {
        let found = self.at("textDocument/completion", path, text);
        let mut items = found["items"].as_array().cloned().unwrap_or_default();
        // As editors do.
        items.sort_by_key(|item| item["sortText"].as_str().expect("a text").to_owned());
        items.iter().map(|item| item["label"].as_str().expect("a label").to_owned()).collect()
    }

    fn hover(&mut self, path: &Path, text: &str) -> String {
        let found = self.at("textDocument/hover", path, text);
        found["contents"]["value"].as_str().unwrap_or_default().to_owned()
    }

    /// Ends the session as the protocol wants it.
    fn end(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        drop(self.to.take());
        assert!(self.server.wait().expect("it ends").success());
    }
}

const PING: &str = "\
name: tx
components:
- name: signal
  type: nvidia::gxf::DoubleBufferTransmitter
- name: clock
  type: nvidia::gxf::RealtimeClock
---
name: rx
components:
- name: signal
  type: nvidia::gxf::DoubleBufferReceiver
";

#[test]
fn types_keys_handles_and_choices_are_completed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ping.yaml");
    let mut editor = Editor::start(folder.path());
    let types = editor.offered(&path, &format!("{PING}- type: nvidia::gxf::|"));
    for name in ["nvidia::gxf::PingTx", "nvidia::gxf::GreedyScheduler"] {
        assert!(types.iter().any(|known| known == name), "{name}: {types:?}");
    }
    // Types that only others derive from are no components.
    assert!(!types.iter().any(|known| known == "nvidia::gxf::Clock"), "{types:?}");
    assert_eq!(editor.offered(&path, &format!("{PING}- |")), ["name", "type", "parameters"]);
    assert_eq!(editor.offered(&path, &format!("{PING}---\nna|"))[..2], ["name", "components"]);

    let term = "- type: nvidia::gxf::MessageAvailableSchedulingTerm\n  parameters:\n";
    let keys = editor.offered(&path, &format!("{PING}{term}    min_size: 1\n    |"));
    assert!(keys.contains(&"receiver".to_owned()), "{keys:?}");
    assert!(!keys.contains(&"min_size".to_owned()), "{keys:?}");
    // A receiver fits, and a transmitter does not.
    assert_eq!(editor.offered(&path, &format!("{PING}{term}    receiver: |")), ["signal"]);
    let connection = "---\ncomponents:\n- type: nvidia::gxf::Connection\n  parameters:\n";
    let handles = editor.offered(&path, &format!("{PING}{connection}    source: t|"));
    assert_eq!(handles, ["tx/signal"]);
    let greedy = "- type: nvidia::gxf::GreedyScheduler\n  parameters:\n    ";
    assert_eq!(editor.offered(&path, &format!("{PING}{greedy}clock: |")), ["tx/clock"]);
    // The same within braces.
    let types = editor.offered(&path, &format!("{PING}- {{name: a, type: nvidia::gxf::Pi|}}\n"));
    assert!(types.contains(&"nvidia::gxf::PingTx".to_owned()), "{types:?}");
    let keys = ["name", "type", "parameters"];
    assert_eq!(editor.offered(&path, &format!("{PING}- {{|}}")), keys);
    let term = "- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {";
    let keys = editor.offered(&path, &format!("{PING}{term}min_size: 1, |}}}}"));
    assert!(keys.contains(&"receiver".to_owned()), "{keys:?}");
    assert!(!keys.contains(&"min_size".to_owned()), "{keys:?}");
    assert_eq!(editor.offered(&path, &format!("{PING}{term}receiver: |}}}}\n")), ["signal"]);
    let term =
        "- {type: nvidia::gxf::MultiMessageAvailableSchedulingTerm,\n   parameters: {receivers: [";
    assert_eq!(editor.offered(&path, &format!("{PING}{term}a, |\n---\n")), ["signal"]);
    let connection =
        "---\ncomponents:\n- {type: nvidia::gxf::Connection, parameters: {source: tx/|}}\n";
    assert_eq!(editor.offered(&path, &format!("{PING}{connection}")), ["tx/signal"]);
    let words = editor.offered(&path, &format!("{PING}{greedy}realtime: |"));
    assert!(words.is_empty() || words == ["true", "false"], "{words:?}");
    editor.end();
}

#[test]
fn types_parameters_and_handles_are_explained() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ping.yaml");
    let mut editor = Editor::start(folder.path());
    let text = PING.replace("DoubleBufferReceiver", "DoubleBuffer|Receiver");
    let shown = editor.hover(&path, &text);
    assert!(shown.starts_with("**nvidia::gxf::DoubleBufferReceiver**"), "{shown}");
    assert!(shown.contains("`capacity`"), "{shown}");
    let capacity = format!("{PING}  parameters:\n    cap|acity: 1\n");
    let shown = editor.hover(&path, &capacity);
    assert!(shown.starts_with("`capacity` (uint64"), "{shown}");
    let handle = format!(
        "{PING}---\ncomponents:\n- type: nvidia::gxf::Connection\n  parameters:\n    \
         source: tx/si|gnal\n"
    );
    let shown = editor.hover(&path, &handle);
    assert!(shown.starts_with("**nvidia::gxf::DoubleBufferTransmitter**"), "{shown}");
    // Within braces.
    let connection = "- {name: c, type: nvidia::gxf::Connection, parameters: {source: tx/signal}}";
    for (word, expected) in [
        ("Connection", "**nvidia::gxf::Connection**"),
        ("source", "`source` (handle of nvidia::gxf::Transmitter"),
        ("tx/", "**nvidia::gxf::DoubleBufferTransmitter**"),
    ] {
        let text = connection.replace(word, &format!("|{word}"));
        let shown = editor.hover(&path, &format!("{PING}---\ncomponents:\n{text}\n"));
        assert!(shown.starts_with(expected), "{word}: {shown}");
    }
    let place = editor.at("textDocument/definition", &path, &handle);
    assert_eq!(place["range"]["start"]["line"], 2, "{place}");
    editor.end();
}

#[test]
fn findings_come_as_one_types() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("app.yaml");
    std::fs::write(folder.path().join("manifest.yaml"), "extensions: [libgxf_sample.so]\n")
        .expect("a file");
    let mut editor = Editor::start(folder.path());
    let hello = "name: a\ncomponents:\n- type: nvidia::gxf::HelloWorld\n\
                 - {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 2}}\n";
    assert_eq!(editor.open(&path, &format!("{hello}{SCHEDULER}")), Vec::<Value>::new());
    // What `gxe check` finds.
    let found = editor.open(&path, hello);
    assert_eq!(found[0]["code"], "no-scheduler", "{found:?}");
    assert_eq!((&found[0]["severity"], &found[0]["source"]), (&2.into(), &"gxe".into()));
    // What a load finds, behind letters of several bytes.
    let wrong = hello.replace("HelloWorld", "HelloWorl").replace("name: a", "name: ä𝄞 # ß");
    let found = editor.open(&path, &format!("{wrong}{SCHEDULER}"));
    assert_eq!(found[0]["code"], "GXF_FACTORY_UNKNOWN_CLASS_NAME", "{found:?}");
    let start = json!({"line": 2, "character": 8});
    assert_eq!(found[0]["range"]["start"], start, "{found:?}");
    assert!(found[0]["message"].as_str().is_some_and(|text| text.contains("did you mean")));
    // Half a file is no reason to fall silent or to end.
    let found = editor.open(&path, "name: a\ncomponents:\n- type: {");
    assert_eq!(found[0]["severity"], 1, "{found:?}");
    let uri = format!("file://{}", path.display());
    editor.tell("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    assert_eq!(editor.receive()["params"]["diagnostics"], json!([]));
    editor.end();
}

/// In the manifest, in the app that names it, and in an app with its own list.
#[test]
fn a_missing_library_is_a_finding() {
    let folder = tempfile::tempdir().expect("a folder");
    let (app, manifest) = (folder.path().join("app.yaml"), folder.path().join("manifest.yaml"));
    let list = "extensions:\n- libgxf_sample.so\n- libgxf_sampel.so\n";
    std::fs::write(&manifest, list).expect("a file");
    let mut editor = Editor::start(folder.path());
    let found = editor.open(&manifest, list);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["code"], "GXF_EXTENSION_FILE_NOT_FOUND");
    assert_eq!(found[0]["range"]["start"], json!({"line": 2, "character": 2}));
    let text = found[0]["message"].as_str().expect("a text");
    assert!(text.contains("did you mean `libgxf_sample.so`?"), "{text}");

    let hello = "name: a\ncomponents:\n- type: nvidia::gxf::HelloWorld\n";
    let found = editor.open(&app, hello);
    assert_eq!(found.len(), 1, "{found:?}");
    let text = found[0]["message"].as_str().expect("a text");
    let start = format!("{}:3:3: cannot find extension library", manifest.display());
    assert!(text.starts_with(&start), "{text}");

    // Before it is saved.
    std::fs::write(&app, format!("{list}---\n{hello}")).expect("a file");
    let found = editor.open(&app, &format!("# new\n{list}---\n{hello}"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["range"]["start"]["line"], 3);
    editor.end();
}

/// Neovim 0.7 (Debian 12) or newer, with its own client.
#[test]
fn neovim_gets_completion_hover_and_findings() {
    if Command::new("nvim").arg("--version").output().is_err() {
        assert!(std::env::var_os("NEEDS_NEOVIM").is_none(), "nvim is missing");
        eprintln!("skipped: nvim is missing; `make test-editor` needs it");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(
        folder.path().join("ping.yaml"),
        format!("{PING}- type: nvidia::gxf::MessageAvailableSchedulingTerm\n  parameters:\n    receiver: \n"),
    )
    .expect("a file");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tools/lsp/neovim.lua");
    let output = Command::new("nvim")
        .args(["--headless", "--clean", "-n", "ping.yaml", "-c", &format!("luafile {script}")])
        .current_dir(folder.path())
        .env("GXE", build::gxe())
        .env("HOME", folder.path())
        .output()
        .expect("nvim");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let said = said + &String::from_utf8_lossy(&output.stdout);
    for text in ["completion: signal", "hover: **nvidia::gxf::DoubleBufferReceiver**", "finding: "]
    {
        assert!(said.contains(text), "{text}:\n{said}");
    }
}

/// Sends texts to a server, and returns its answers, what it complains about, and its exit status.
/// Standard input stays open until it has ended if it is to end by itself.
fn session(texts: &[&str], ends_itself: bool) -> (Vec<Value>, String, Option<i32>) {
    let mut command = Command::new(build::gxe());
    command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = command.spawn().expect("gxe starts");
    let mut to = server.stdin.take();
    let mut input = to.as_ref().expect("piped");
    for text in texts {
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it listens");
    }
    if !ends_itself {
        to.take();
    }
    let output = server.wait_with_output().expect("gxe ends");
    drop(to);
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let answers = said.split("Content-Length: ").skip(1);
    let answers = answers.map(|answer| answer.split_once("\r\n\r\n").expect("a header").1);
    let answers = answers.map(|text| serde_json::from_str(text).expect("JSON")).collect();
    (answers, String::from_utf8(output.stderr).expect("UTF-8"), output.status.code())
}

#[test]
fn a_session_ends_as_the_protocol_says() {
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
    let initialized = r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#;
    let shutdown = r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#;
    let hover = r#"{"jsonrpc":"2.0","id":3,"method":"textDocument/hover","params":{}}"#;
    let exit = r#"{"jsonrpc":"2.0","method":"exit"}"#;
    let codes = |answers: &[Value]| -> Vec<(Value, Value)> {
        answers.iter().map(|one| (one["id"].clone(), one["error"]["code"].clone())).collect()
    };
    // Nothing in between.
    let (answers, said, status) = session(&[initialize, shutdown, exit], true);
    assert_eq!(codes(&answers), [(1.into(), Value::Null), (2.into(), Value::Null)]);
    assert_eq!((&*said, status), ("", Some(0)));
    // In any place but its own.
    let wrong = [hover, initialize, initialize, initialized, shutdown, hover, exit];
    let (answers, _, status) = session(&wrong, true);
    let expected = [(3, -32002), (1, 0), (1, -32600), (2, 0), (3, -32600)];
    let code = |code| if code == 0 { Value::Null } else { json!(code) };
    assert_eq!(codes(&answers), expected.map(|(id, error)| (json!(id), code(error))));
    assert_eq!(status, Some(0));
    // Without `shutdown`.
    let (_, said, status) = session(&[initialize, initialized, exit], true);
    assert_eq!(said, "error: the client sent `exit` without `shutdown` before it\n");
    assert_eq!(status, Some(5));
    // What is no message is answered, and what follows it, too.
    let (answers, said, status) =
        session(&[initialize, initialized, "{\"a\":", "[]", hover, shutdown, exit], true);
    let expected = [(1, 0), (0, -32700), (0, -32600), (3, 0), (2, 0)];
    assert_eq!(codes(&answers), expected.map(|(id, error)| (code(id), code(error))));
    assert_eq!((&*said, status), ("", Some(0)));
    let (answers, said, _) = session(&["{]"], false);
    assert_eq!(codes(&answers), [(Value::Null, json!(-32700))]);
    assert_eq!(said, "error: standard input ended before the client ended the session\n");
}

/// A server that is started by hand, or by something that is no editor.
#[test]
fn what_is_no_editor_is_told_so() {
    for (input, expected) in [
        ("", "error: standard input ended before the client ended the session\n"),
        ("hello\n", "error: standard input has no message of an editor\n"),
        ("A: b\r\n\r\n", "error: a message states no `Content-Length`\n"),
        (
            "Content-Length: 99999999999\r\n\r\n{}",
            "error: a message of 99999999999 bytes; 67108864 are the most\n",
        ),
    ] {
        let mut command = Command::new(build::gxe());
        command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut server = command.spawn().expect("gxe starts");
        let mut to = server.stdin.take().expect("piped");
        to.write_all(input.as_bytes()).expect("the server listens");
        drop(to);
        let output = server.wait_with_output().expect("gxe ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(5) && said.starts_with(expected), "{input}: {said}");
    }
}
