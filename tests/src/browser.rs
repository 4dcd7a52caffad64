//! A headless browser, driven through the WebDriver protocol, for tests of pages.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The protocol's name for the id of an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Most drivers to start for one browser.
const DRIVERS: u32 = 20;

/// A browser with one window; it ends with the value.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

/// An element of the page that is open.
pub struct Element<'a> {
    browser: &'a Browser,
    id: String,
}

impl Browser {
    /// Starts a browser, light or dark. `None` if none is installed, with a note on standard error:
    /// the test is then skipped.
    ///
    /// # Panics
    /// If it is installed but does not start.
    /// It is installed but does not start.
    #[must_use]
    pub fn start(is_dark: bool) -> Option<Self> {
        let (Some(driver), Some(browser)) =
            (installed(&["chromedriver"]), installed(&["chromium", "google-chrome", "chrome"]))
        else {
            eprintln!(
                "skipped: there is no browser to drive (apt-get install chromium chromium-driver)"
            );
            return None;
        };
        // The driver takes any free IPv4 port, and ends if the same IPv6 port is taken, perhaps by
        // the driver of a parallel test.
        let started = (0..DRIVERS).find_map(|_| driver_on_a_port(&driver));
        let (driver, port) = started.expect("chromedriver says its port");
        let mut browser_of = Self { driver, port, session: String::new() };
        // Containers often have little shared memory.
        let mut arguments = vec![
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--window-size=1400,900",
        ];
        if is_dark {
            arguments.push("--force-dark-mode");
        }
        let capabilities = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"binary": browser, "args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let answer = browser_of.request("POST", "/session", Some(&capabilities));
        let session = answer["sessionId"].as_str().expect("a session");
        browser_of.session = format!("/session/{session}");
        Some(browser_of)
    }

    /// Opens a file.
    pub fn open(&self, file: &Path) {
        self.open_url(&format!("file://{}", file.display()));
    }

    /// Opens a page.
    pub fn open_url(&self, url: &str) {
        self.command("/url", &json!({"url": url}));
    }

    /// The value that a script passes to the function in its last argument.
    #[must_use]
    pub fn run_async(&self, script: &str, arguments: &Value) -> Value {
        self.command("/timeouts", &json!({"script": 100_000}));
        self.command("/execute/async", &json!({"script": script, "args": arguments}))
    }

    /// The value that a script returns.
    #[must_use]
    pub fn run(&self, script: &str) -> Value {
        self.command("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// The first element that a CSS selector finds.
    #[must_use]
    pub fn find(&self, selector: &str) -> Element<'_> {
        let found = self.command("/element", &json!({"using": "css selector", "value": selector}));
        let id = found[ELEMENT].as_str().expect("an element").to_owned();
        Element { browser: self, id }
    }

    /// Writes what the window shows to a PNG file.
    ///
    /// # Panics
    /// The file cannot be written.
    pub fn screenshot(&self, file: &Path) {
        let taken = self.request("GET", &format!("{}/screenshot", self.session), None);
        let digit = |byte: u8| match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        let text = taken.as_str().expect("a picture in base64").trim_end_matches('=');
        let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
        for byte in text.bytes() {
            (bits, count) = (bits << 6 | u32::from(digit(byte)), count + 6);
            if count >= 8 {
                count -= 8;
                bytes.push((bits >> count) as u8);
            }
        }
        std::fs::write(file, bytes).expect("the picture can be written");
    }

    /// Complaints of the page or the browser.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        let log = self.command("/se/log", &json!({"type": "browser"}));
        let lines = log.as_array().expect("a list").iter();
        lines.map(|line| line["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    fn command(&self, path: &str, body: &Value) -> Value {
        self.request("POST", &format!("{}{path}", self.session), Some(body))
    }

    fn request(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let body = body.map(Value::to_string).unwrap_or_default();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("chromedriver");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a time limit");
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        )
        .expect("chromedriver listens");
        let mut answer = BufReader::new(stream);
        let (mut line, mut length) = (String::new(), 0);
        while answer.read_line(&mut line).expect("an answer") > 2 {
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().expect("a length");
            }
            line.clear();
        }
        let mut text = vec![0; length];
        answer.read_exact(&mut text).expect("the whole answer");
        let answer: Value = serde_json::from_slice(&text).expect("JSON");
        let value = answer["value"].clone();
        assert!(value["error"].is_null(), "{method} {path} {body}: {value:#}");
        value
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !std::thread::panicking() && !self.session.is_empty() {
            self.request("DELETE", &self.session, None);
        }
        // The driver ends its browser too.
        _ = self.driver.kill();
        _ = self.driver.wait();
    }
}

impl Element<'_> {
    /// Clicks the middle of the element.
    pub fn click(&self) {
        self.command("click", &json!({}));
    }

    /// Types into the element.
    pub fn write(&self, text: &str) {
        self.command("value", &json!({"text": text}));
    }

    /// The element's text as a person sees it.
    #[must_use]
    pub fn text(&self) -> String {
        let path = format!("{}/element/{}/text", self.browser.session, self.id);
        self.browser.request("GET", &path, None).as_str().unwrap_or_default().to_owned()
    }

    fn command(&self, command: &str, body: &Value) {
        self.browser.command(&format!("/element/{}/{command}", self.id), body);
    }
}

/// A driver that reports its port; `None` if it ends before.
fn driver_on_a_port(program: &Path) -> Option<(Child, u16)> {
    let mut driver = Command::new(program)
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("chromedriver starts");
    let stdout = BufReader::new(driver.stdout.take().expect("piped"));
    let port = stdout.lines().map_while(Result::ok).find_map(|line| {
        line.split_once("started successfully on port ")?.1.trim_end_matches('.').parse().ok()
    });
    if port.is_none() {
        driver.wait().expect("it has ended");
    }
    Some((driver, port?))
}

/// The first of several programs that is installed.
fn installed(names: &[&str]) -> Option<PathBuf> {
    let folders: Vec<PathBuf> =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect())?;
    let files = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    files.into_iter().find(|file| file.is_file())
}
