//! Links between two processes beside plain sockets, both in the same minute: `make bench-network`.
//! Prints the median of nine runs of each. Arguments: the folder with `gxe` and the libraries; then
//! words, to run only the parts with one of them in their name. `--alone` leaves out other projects.
#![forbid(unsafe_code)]

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

const RUNS: usize = 9;
const ROUND_TRIPS: u64 = 5_000;
const SMALL: u64 = 200_000;
/// Bytes that a message with a number has on a link.
const ENTITY: usize = 175;
/// Links without messages beside one with messages.
const QUIET: u16 = 999;
/// The first of their ports; below those that the system gives away.
const QUIET_PORTS: u16 = 20_000;
/// Bytes that go over the link in a run with tensors.
const VOLUME: u64 = 2 << 30;

fn main() {
    let (flags, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let is_alone = flags.iter().any(|flag| flag == "--alone");
    let (folder, words) =
        words.split_first().map_or(("target/release", &[][..]), |(first, rest)| (first, rest));
    let folder = PathBuf::from(folder);
    let bench = Bench {
        folder,
        work: std::env::temp_dir().join(format!("gxe-bench-{}", std::process::id())),
    };
    std::fs::create_dir_all(&bench.work).expect("a folder");
    bench.write(
        "manifest.yaml",
        "extensions:\n- libgxf_std.so\n- libgxf_sample.so\n- libgxf_ucx.so\n- libgxf_http.so\n\
         - libgxf_bench_stages.so\n",
    );
    let begins = |name: &str| {
        let is_wanted = words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
        if is_wanted {
            println!("{name}");
        }
        is_wanted
    };
    if begins("round trip of 8 bytes, median in microseconds") {
        compare(
            1e3,
            &[
                ("blocking TCP", &|| ping_pong(ROUND_TRIPS)),
                ("gxe, tcp", &|| bench.round_trip("tcp", 0)),
                ("gxe, unix", &|| bench.round_trip("unix", 0)),
            ],
        );
    }
    let has_ucx = !is_alone && is_there("ucx_perftest", "-h", "Debian's ucx-utils", "UCX");
    if has_ucx && begins("round trip of 8 bytes over UCX, median in microseconds") {
        compare(
            1e3,
            &[
                ("ucx_perftest", &|| ucx_perftest(8, ROUND_TRIPS)[0]),
                ("gxe, ucx", &|| bench.round_trip("ucx", 0)),
            ],
        );
    }
    if begins("round trip within one process, median in microseconds") {
        compare(
            1e3,
            &[
                ("two threads", &|| bench.round_trip_of_threads()),
                ("two segments", &|| bench.round_trip("process", 0)),
            ],
        );
    }
    if begins("round trip of 8 bytes beside quiet links over tcp, median in microseconds") {
        let beside = format!("beside {QUIET}");
        compare(
            1e3,
            &[
                ("alone", &|| bench.round_trip("tcp", 0)),
                (&beside, &|| bench.round_trip("tcp", QUIET)),
            ],
        );
    }
    if begins("start of a driver until 16 segments run, median in milliseconds") {
        compare(1e6, &[("gxe run", &|| bench.start_of_segments(16))]);
    }
    let has_iperf = is_there("iperf3", "--version", "Debian's iperf3", "iperf3");
    for size in [1u64 << 20, 8 << 20] {
        if begins(&format!("tensors of {} MiB, GB a second", size >> 20)) {
            let iperf: [Row<'_>; 1] = [("iperf3", &|| iperf(size))];
            let rows: [Row<'_>; 5] = [
                ("plain write", &|| stream(size, VOLUME / size)),
                ("gxe, tcp, queue of 4", &|| bench.tensors("tcp", size, 4)[1]),
                ("gxe, unix, queue of 4", &|| bench.tensors("unix", size, 4)[1]),
                ("gxe, tcp, queue of 16", &|| bench.tensors("tcp", size, 16)[1]),
                ("gxe, unix, queue of 16", &|| bench.tensors("unix", size, 16)[1]),
            ];
            let iperf = iperf.into_iter().filter(|_| has_iperf);
            compare(1e9, &rows.into_iter().chain(iperf).collect::<Vec<_>>());
        }
        if has_ucx && begins(&format!("tensors of {} MiB over UCX, GB a second", size >> 20)) {
            compare(
                1e9,
                &[
                    ("ucx_perftest", &|| ucx_perftest(size, VOLUME / size)[1]),
                    ("gxe, ucx, queue of 4", &|| bench.tensors("ucx", size, 4)[1]),
                    ("gxe, ucx, queue of 16", &|| bench.tensors("ucx", size, 16)[1]),
                ],
            );
        }
    }
    if words.is_empty()
        && let Some(library) = bench.iceoryx()
    {
        println!("round trip through iceoryx2, which copies nothing, median in microseconds");
        compare(
            1e3,
            &[
                ("8 bytes", &|| bench.shared_memory(&library, 8)),
                ("8 MiB", &|| bench.shared_memory(&library, 8 << 20)),
            ],
        );
    }
    if begins("messages of 8 bytes, thousands a second") {
        const RAW: usize = size_of::<i64>();
        let peers = (!is_alone).then(|| {
            [
                ("libzmq", bench.zeromq()),
                ("gRPC, C++", bench.grpc_cpp()),
                ("gRPC, tonic", bench.peer("grpc", "grpc_stream")),
                ("zenoh", bench.peer("zenoh", "zenoh_throughput")),
            ]
        });
        let peers =
            peers.into_iter().flatten().filter_map(|(name, program)| Some((name, program?)));
        let peers = peers.flat_map(|(name, program)| {
            [ENTITY, RAW].map(|size| {
                let program = program.clone();
                let measure: Box<dyn Fn() -> f64> = Box::new(move || peer(&program, size));
                (format!("{name}, {size}"), measure)
            })
        });
        let peers: Vec<(String, Box<dyn Fn() -> f64>)> = peers.collect();
        let peers = peers.iter().map(|(name, measure)| (name.as_str(), measure.as_ref()));
        // libzmq lets as many wait as the longer queue does.
        let own: [Row<'_>; 4] = [
            ("gxe, tcp, queue 1000", &|| bench.small("tcp", 1000)[0]),
            ("gxe, unix, 1000", &|| bench.small("unix", 1000)[0]),
            ("gxe, tcp, queue 64", &|| bench.small("tcp", 64)[0]),
            ("gxe, unix, 64", &|| bench.small("unix", 64)[0]),
        ];
        compare(1e3, &peers.chain(own).collect::<Vec<_>>());
    }
    _ = std::fs::remove_dir_all(&bench.work);
}

/// A name, and something that measures.
type Row<'a> = (&'a str, &'a dyn Fn() -> f64);

/// Shows the medians of several measurements that take turns, in this unit, and how often the first
/// goes into each of the others.
fn compare(unit: f64, rows: &[Row<'_>]) {
    let mut values = vec![Vec::new(); rows.len()];
    for _ in 0..RUNS {
        for ((_, measure), values) in rows.iter().zip(&mut values) {
            values.push(measure());
        }
    }
    let mut first = None;
    for ((name, _), mut values) in rows.iter().zip(values) {
        values.sort_by(f64::total_cmp);
        let median = values[values.len() / 2];
        let ratio = first.map(|first| format!("  {:.2} x", median / first)).unwrap_or_default();
        println!("  {name:<20}{:>10.2}{ratio}", median / unit);
        first = first.or(Some(median));
    }
}

/// Two ends of a connection.
fn connection() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let one = TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
    let (other, _) = listener.accept().expect("a connection");
    one.set_nodelay(true).expect("no delay");
    other.set_nodelay(true).expect("no delay");
    (one, other)
}

/// Nanoseconds of a round trip between two threads.
fn ping_pong(count: u64) -> f64 {
    let (mut one, mut other) = connection();
    let echo = std::thread::spawn(move || {
        let mut bytes = [0; 8];
        while other.read_exact(&mut bytes).is_ok() && other.write_all(&bytes).is_ok() {}
    });
    let mut times = Vec::new();
    for _ in 0..count {
        let begin = Instant::now();
        one.write_all(&[1; 8]).expect("it is sent");
        one.read_exact(&mut [0; 8]).expect("it comes back");
        times.push(begin.elapsed().as_nanos() as f64);
    }
    drop(one);
    echo.join().expect("the echo ends");
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Bytes a second of plain writes.
fn stream(size: u64, count: u64) -> f64 {
    let (mut one, mut other) = connection();
    let reader = std::thread::spawn(move || {
        let mut buffer = vec![0; size as usize];
        let mut began = None;
        let mut read = 0u64;
        while other.read_exact(&mut buffer).is_ok() {
            match began {
                None => began = Some(Instant::now()),
                Some(_) => read += size,
            }
        }
        read as f64 / began.expect("something came").elapsed().as_secs_f64()
    });
    let bytes = vec![77; size as usize];
    for _ in 0..count {
        one.write_all(&bytes).expect("it is sent");
    }
    drop(one);
    reader.join().expect("the reader ends")
}

/// Whether a program is installed; otherwise says what is not measured.
fn is_there(program: &str, option: &str, package: &str, what: &str) -> bool {
    let mut command = Command::new(program);
    let found = command.arg(option).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        println!("skipped: {what}, because there is no `{program}` ({package})");
    }
    found
}

/// Bytes a second that iperf3 sends in writes of this size, or of its largest one.
fn iperf(size: u64) -> f64 {
    let size = size.min(1 << 20);
    let port = free_port().to_string();
    let mut server = Command::new("iperf3");
    let server = server.args(["--server", "--one-off", "--port", &port]).stdout(Stdio::null());
    let mut server = server.spawn().expect("iperf3 starts");
    let (size, volume) = (size.to_string(), VOLUME.to_string());
    let said = ask(&|| {
        let mut client = Command::new("iperf3");
        client.args(["--client", "127.0.0.1", "--port", &port, "--format", "k"]);
        client.args(["--length", &size, "--bytes", &volume]);
        client
    });
    server.wait().expect("iperf3 ends");
    let line = said.lines().find(|line| line.ends_with("receiver")).expect("a result");
    let words: Vec<&str> = line.split_whitespace().collect();
    let unit = words.iter().position(|word| *word == "Kbits/sec").expect("a unit");
    words[unit - 1].parse::<f64>().expect("a number") * 1e3 / 8.0
}

/// Nanoseconds of a round trip, and bytes a second, of UCX's own program with its stream API over TCP,
/// as gxe uses it. It sleeps while it waits, as gxe does.
fn ucx_perftest(size: u64, count: u64) -> [f64; 2] {
    let start = |arguments: &[&str], port: &str| {
        let mut command = Command::new("ucx_perftest");
        command.args(arguments).args(["-p", port, "-E", "sleep"]);
        command.env("UCX_TLS", "tcp").env("UCX_NET_DEVICES", "lo");
        command
    };
    let port = free_port().to_string();
    let mut server = start(&[], &port);
    let server = server.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut server = server.expect("ucx_perftest starts");
    let test = if size <= 8 { "stream_lat" } else { "stream_bw" };
    let (size, count) = (size.to_string(), count.to_string());
    let client = ["127.0.0.1", "-t", test, "-s", &size, "-n", &count, "-w", "100", "-f", "-v"];
    let said = ask(&|| start(&client, &port));
    server.wait().expect("ucx_perftest ends");
    let line = said.lines().last().expect("a result");
    let numbers: Vec<f64> = line.split(',').filter_map(|word| word.parse().ok()).collect();
    // Half a round trip in microseconds; megabytes of 2^20 bytes a second.
    [numbers[1] * 2e3, numbers[5] * f64::from(1 << 20)]
}

/// What a program says that needs a server, once that listens.
fn ask(program: &dyn Fn() -> Command) -> String {
    for _ in 0..200 {
        let output = program().stderr(Stdio::null()).output().expect("it starts");
        if output.status.success() {
            return String::from_utf8_lossy(&output.stdout).into_owned();
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("no server answered");
}

struct Bench {
    folder: PathBuf,
    work: PathBuf,
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// The entities of a graph that are the same in all.
fn common(carrier: &str) -> String {
    format!(
        "\
---
name: links
components:
- {{name: allocator, type: nvidia::gxf::UnboundedAllocator}}
- {{name: components, type: nvidia::gxf::UcxComponentSerializer, parameters: {{allocator: allocator}}}}
- {{name: entities, type: nvidia::gxf::UcxEntitySerializer, parameters: {{component_serializers: [components]}}}}
- {{type: nvidia::gxf::UcxContext, parameters: {{serializer: entities, carrier: {carrier}}}}}
---
name: scheduler
components:
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- {{type: nvidia::gxf::GreedyScheduler, parameters: {{clock: clock}}}}
"
    )
}

const BUFFER: &str = "\
- {name: allocator, type: nvidia::gxf::UnboundedAllocator}
- {name: buffer, type: nvidia::gxf::UcxSerializationBuffer, parameters: {allocator: allocator}}
";

/// An entity that makes the pinger begin.
const KICK: &str = "\
name: kick
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: nvidia::gxf::PingTx, parameters: {signal: out}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}}
- {type: nvidia::gxf::Connection, parameters: {source: out, target: pinger/begin}}
---
";

impl Bench {
    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.work.join(name);
        std::fs::write(&path, text).expect("a file");
        path
    }

    fn start(&self, files: &[&Path]) -> Child {
        let manifest = self.work.join("manifest.yaml");
        let mut command = Command::new(self.folder.join("gxe"));
        command.args(["--severity", "error", "--manifest"]).arg(manifest).args(files);
        command.env("XDG_RUNTIME_DIR", &self.work);
        command.stdout(Stdio::piped()).spawn().expect("gxe starts")
    }

    /// Runs two graphs; what the one that measures printed.
    fn run(&self, one: &str, two: &str) -> Vec<f64> {
        let (one, two) = (self.write("one.yaml", one), self.write("two.yaml", two));
        let others = self.start(&[&two]);
        let result = result(self.start(&[&one]));
        let other = others.wait_with_output().expect("gxe ends");
        let said = String::from_utf8_lossy(&other.stdout).into_owned();
        result.or_else(|| numbers(&said)).expect("a result")
    }

    /// Nanoseconds of a round trip between two graphs that have so many links more.
    fn round_trip(&self, carrier: &str, quiet: u16) -> f64 {
        let (go, back) = (free_port(), free_port());
        let count = ROUND_TRIPS + 1;
        let pinger = format!(
            "{KICK}name: pinger\ncomponents:\n{BUFFER}\
- {{name: begin, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: in, type: nvidia::gxf::UcxReceiver, parameters: {{buffer: buffer, port: {back}}}}}
- {{name: out, type: nvidia::gxf::UcxTransmitter, parameters: {{buffer: buffer, port: {go}}}}}
- {{type: bench::Pinger, parameters: {{inputs: [begin, in], output: out, count: {ROUND_TRIPS}}}}}
- {{type: nvidia::gxf::MultiMessageAvailableSchedulingTerm, parameters: {{receivers: [begin, in]}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}
"
        );
        let echo = format!(
            "name: echo\ncomponents:\n{BUFFER}\
- {{name: in, type: nvidia::gxf::UcxReceiver, parameters: {{buffer: buffer, port: {go}}}}}
- {{name: out, type: nvidia::gxf::UcxTransmitter, parameters: {{buffer: buffer, port: {back}}}}}
- {{type: nvidia::gxf::Forward, parameters: {{in: in, out: out}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
"
        );
        if carrier != "process" {
            let (mut quiet_one, mut quiet_two) = (String::new(), String::new());
            for port in QUIET_PORTS..QUIET_PORTS + quiet {
                _ = write!(
                    quiet_one,
                    "---\nname: quiet_{port}\ncomponents:\n{BUFFER}\
- {{name: in, type: nvidia::gxf::UcxReceiver, parameters: {{buffer: buffer, port: {port}}}}}
- {{type: nvidia::gxf::PingRx, parameters: {{signal: in}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
"
                );
                // Nothing ever comes to be forwarded.
                _ = write!(
                    quiet_two,
                    "---\nname: quiet_{port}\ncomponents:\n{BUFFER}\
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: out, type: nvidia::gxf::UcxTransmitter, parameters: {{buffer: buffer, port: {port}}}}}
- {{type: nvidia::gxf::Forward, parameters: {{in: in, out: out}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
"
                );
            }
            let (pinger, echo) = (format!("{pinger}{quiet_one}"), format!("{echo}{quiet_two}"));
            let tail = common(carrier);
            return self.run(&format!("{pinger}{tail}"), &format!("{echo}{tail}"))[0];
        }
        let tail = common("auto");
        self.write("one.yaml", &format!("{pinger}{tail}"));
        self.write("two.yaml", &format!("{echo}{tail}"));
        let segments = "\
graph-specs:
  one: {app-path: one.yaml, manifest-path: manifest.yaml}
  two: {app-path: two.yaml, manifest-path: manifest.yaml}
connections:
";
        let mut file = segments.to_owned();
        _ = write!(
            file,
            "- {{source: one.pinger.out, target: two.echo.in}}\n- {{source: two.echo.out, target: one.pinger.in}}\n"
        );
        let file = self.write("both.yaml", &file);
        let address = format!("127.0.0.1:{}", free_port());
        let mut command = Command::new(self.folder.join("gxe"));
        command.arg("run").arg(file).args(["--driver", "--worker", "--severity", "error"]);
        command.args(["--address", &address]);
        let child = command.stdout(Stdio::piped()).spawn().expect("gxe starts");
        result(child).expect("a result")[0]
    }

    /// Nanoseconds of a round trip between two entities on threads of their own.
    fn round_trip_of_threads(&self) -> f64 {
        let count = ROUND_TRIPS + 1;
        let file = self.write(
            "one.yaml",
            &format!(
                "{KICK}name: pinger\ncomponents:
- {{name: begin, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: bench::Pinger, parameters: {{inputs: [begin, in], output: out, count: {ROUND_TRIPS}}}}}
- {{type: nvidia::gxf::MultiMessageAvailableSchedulingTerm, parameters: {{receivers: [begin, in]}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}
- {{type: nvidia::gxf::CPUThread, parameters: {{pin_entity: true}}}}
---
name: echo
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: nvidia::gxf::Forward, parameters: {{in: in, out: out}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
- {{type: nvidia::gxf::CPUThread, parameters: {{pin_entity: true}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: pinger/out, target: echo/in}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: echo/out, target: pinger/in}}}}
---
name: scheduler
components:
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- {{type: nvidia::gxf::EventBasedScheduler, parameters: {{clock: clock}}}}
"
            ),
        );
        result(self.start(&[&file])).expect("a result")[0]
    }

    /// Nanoseconds until a driver with a worker in its process has got this many segments to run.
    fn start_of_segments(&self, count: usize) -> f64 {
        // The meter of a segment says when the second message comes.
        self.write(
            "segment.yaml",
            "\
name: tx
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: bench::Source, parameters: {output: out}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 2}}
---
name: rx
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {type: bench::Meter, parameters: {input: in, count: 2}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: tx/out, target: rx/in}}
---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
",
        );
        let mut file = "graph-specs:\n".to_owned();
        for number in 0..count {
            _ = writeln!(
                file,
                "  s{number}: {{app-path: segment.yaml, manifest-path: manifest.yaml}}"
            );
        }
        let file = self.write("segments.yaml", &file);
        let address = format!("127.0.0.1:{}", free_port());
        let mut command = Command::new(self.folder.join("gxe"));
        command.arg("run").arg(file).args(["--driver", "--worker", "--severity", "error"]);
        command.args(["--address", &address]).stdout(Stdio::piped());
        let begin = Instant::now();
        let mut child = command.spawn().expect("gxe starts");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let results = lines.filter(|line| line.as_ref().is_ok_and(|it| it.starts_with("RESULT")));
        let run = results.take(count).count();
        let time = begin.elapsed().as_nanos() as f64;
        assert_eq!(run, count, "all segments run");
        assert!(child.wait().expect("gxe ends").success());
        time
    }

    /// The library that `make iceoryx` builds, if it did.
    fn iceoryx(&self) -> Option<PathBuf> {
        let library = Path::new("optional/target/release/libgxe_iceoryx.so");
        let found = library.canonicalize().ok();
        if found.is_none() {
            println!("skipped: iceoryx2, because `make iceoryx` did not build its library");
        }
        found
    }

    /// The program that sends messages through libzmq, if that is installed.
    fn zeromq(&self) -> Option<PathBuf> {
        let program = self.work.join("zeromq");
        let mut compiler = Command::new("cc");
        compiler.args(["-O2", "benches/peers/zeromq/throughput.c", "-lzmq", "-o"]).arg(&program);
        let compiled = compiler.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        if !compiled {
            println!("  skipped: libzmq, with which `cc` compiled nothing (Debian's libzmq3-dev)");
        }
        compiled.then_some(program)
    }

    /// The program that sends messages through gRPC's C++ library, if that is installed.
    fn grpc_cpp(&self) -> Option<PathBuf> {
        let mut make = Command::new("make");
        make.args(["-C", "benches/peers/grpc_cpp"]).arg(format!("OUT={}", self.work.display()));
        let made = make.stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !made.is_ok_and(|status| status.success()) {
            println!(
                "  skipped: gRPC's C++ library, with which `make` made nothing (Debian's libgrpc++-dev, \
                 libprotobuf-dev, protobuf-compiler-grpc, pkg-config)"
            );
            return None;
        }
        Some(self.work.join("throughput"))
    }

    /// The program of another project in this folder, if it builds: with its dependencies, which the
    /// first time takes minutes.
    fn peer(&self, folder: &str, program: &str) -> Option<PathBuf> {
        let target = self.folder.join("../peers");
        let manifest = format!("benches/peers/{folder}/Cargo.toml");
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--release", "--locked", "--manifest-path", &manifest]);
        let output = cargo.env("CARGO_TARGET_DIR", &target).output().ok()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let reason = said.lines().find(|line| line.starts_with("error")).unwrap_or_default();
            println!("  skipped: `{program}`, which does not build ({reason})");
            return None;
        }
        Some(target.join("release").join(program))
    }

    /// Nanoseconds of a round trip of tensors in shared memory.
    fn shared_memory(&self, library: &Path, size: u64) -> f64 {
        let text = format!(
            "extensions:\n- libgxf_std.so\n- libgxf_sample.so\n- libgxf_ucx.so\n\
             - libgxf_bench_stages.so\n- {}\n",
            library.display()
        );
        self.write("manifest.yaml", &text);
        let service = |entity: &str, name: &str| {
            format!(
                "name: {entity}
components:
- {{name: service, type: gxe::iceoryx::IceoryxService, parameters: {{service_name: bench/{name}}}}}
- {{name: components, type: nvidia::gxf::UcxComponentSerializer, parameters: {{allocator: service}}}}
- {{name: entities, type: nvidia::gxf::UcxEntitySerializer, parameters: {{component_serializers: [components]}}}}
---
"
            )
        };
        let graph = |go: &str, back: &str, count: u64, input: &str| {
            format!(
                "{}{}name: subscriber
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: gxe::iceoryx::IceoryxSubscriber, parameters: {{output: out, service: back/service, entity_serializer: back/entities}}}}
---
name: pinger
components:
- {{name: begin, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: bench::Pinger, parameters: {{inputs: [{input}], output: out, count: {count}, allocator: go/service, size: {size}}}}}
- {{type: nvidia::gxf::MultiMessageAvailableSchedulingTerm, parameters: {{receivers: [{input}]}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {ticks}}}}}
---
name: publisher
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: gxe::iceoryx::IceoryxPublisher, parameters: {{input: in, service: go/service, entity_serializer: go/entities}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: pinger/out, target: publisher/in}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: subscriber/out, target: pinger/in}}}}
---
name: scheduler
components:
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- {{type: nvidia::gxf::GreedyScheduler, parameters: {{clock: clock, stop_on_deadlock: true}}}}
",
                service("go", go),
                service("back", back),
                ticks = ROUND_TRIPS + 1,
            )
        };
        let name = std::process::id();
        let (go, back) = (format!("{name}/go"), format!("{name}/back"));
        let pinger = format!("{KICK}{}", graph(&go, &back, ROUND_TRIPS, "begin, in"));
        let echo = self.write("two.yaml", &graph(&back, &go, u64::MAX, "in"));
        let pinger = self.write("one.yaml", &pinger);
        let (mut echo, mut pinger) = (self.start(&[&echo]), self.start(&[&pinger]));
        let said = pinger.stdout.take().expect("piped");
        let found = BufReader::new(said).lines().find_map(|line| numbers(&line.ok()?));
        // Each waits for the end of the other.
        for child in [&mut echo, &mut pinger] {
            child.kill().expect("it runs");
            child.wait().expect("it ends");
        }
        found.expect("a result")[0]
    }

    fn receiver(&self, port: u16, count: u64, carrier: &str, capacity: u64) -> String {
        let tail = common(carrier);
        format!(
            "name: rx\ncomponents:\n{BUFFER}\
- {{name: in, type: nvidia::gxf::UcxReceiver, parameters: {{buffer: buffer, port: {port}, capacity: {capacity}}}}}
- {{type: bench::Meter, parameters: {{input: in, count: {count}}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
{tail}"
        )
    }

    fn sender(&self, port: u16, count: u64, carrier: &str, codelet: &str) -> String {
        let tail = common(carrier);
        format!(
            "name: tx\ncomponents:\n{BUFFER}\
- {{name: out, type: nvidia::gxf::UcxTransmitter, parameters: {{buffer: buffer, port: {port}}}}}
- {codelet}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: out}}}}
{tail}"
        )
    }

    fn tensors(&self, carrier: &str, size: u64, capacity: u64) -> Vec<f64> {
        let (port, count) = (free_port(), VOLUME / size);
        let codelet =
            format!("{{type: bench::TensorSource, parameters: {{output: out, shape: [{size}]}}}}");
        let receiver = self.receiver(port, count, carrier, capacity);
        self.run(&self.sender(port, count, carrier, &codelet), &receiver)
    }

    fn small(&self, carrier: &str, capacity: u64) -> Vec<f64> {
        let port = free_port();
        let codelet = "{type: bench::Source, parameters: {output: out}}";
        let receiver = self.receiver(port, SMALL, carrier, capacity);
        self.run(&self.sender(port, SMALL, carrier, codelet), &receiver)
    }
}

/// Messages of this size a second that another project's program sends over TCP.
fn peer(program: &Path, size: usize) -> f64 {
    let address = format!("127.0.0.1:{}", free_port());
    let mut command = Command::new(program);
    command.arg(address).args([size.to_string(), SMALL.to_string()]).stdout(Stdio::piped());
    result(command.spawn().expect("the program starts")).expect("a result")[0]
}

/// What a process measured.
fn result(child: Child) -> Option<Vec<f64>> {
    let output = child.wait_with_output().expect("gxe ends");
    assert!(output.status.success(), "it failed");
    numbers(&String::from_utf8_lossy(&output.stdout))
}

fn numbers(said: &str) -> Option<Vec<f64>> {
    let line = said.lines().find_map(|line| line.strip_prefix("RESULT "))?;
    Some(line.split(' ').filter_map(|word| word.parse().ok()).collect())
}
