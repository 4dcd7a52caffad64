//! Tensors on a device that go over links between processes, on the stand-in for CUDA's driver in each of
//! them.

use crate::cuda::{POOLS, RMM, connected, dot_product, entity, scheduler};
use gxe_tests::cuda::{MODES, Report, SCHEDULERS, is_on_gpu, modes, run, with_stand_in};
use gxe_tests::links::{BUFFER, GREEDY, common_entities, free_port};
use gxe_tests::{Gxe, Running};

const MANIFEST: &str = "\
extensions:
- gxf/std/libgxf_std.so
- libgxf_test.so
- libgxf_cuda.so
- libgxf_rmm.so
- libgxf_test_cuda.so
- libgxf_ucx.so
- libgxe_io.so
";

const TICKS: u32 = 8;
const EQUAL: &str = "8 pairs were equal";

/// The entities of an app, by name: documents that begin so.
fn split(app: &str, names: &[&str]) -> (String, String) {
    let documents = app.split("---\n").filter(|document| !document.is_empty());
    let is_named =
        |document: &&str| names.iter().any(|name| document.starts_with(&format!("name: {name}\n")));
    let (one, other): (Vec<_>, Vec<_>) = documents.partition(is_named);
    let joined = |documents: Vec<&str>| {
        documents.iter().map(|document| format!("---\n{document}")).collect::<String>()
    };
    (joined(one), joined(other))
}

/// The products, whose connections between two parts are links of these ports.
struct Parts {
    sender: String,
    receiver: String,
}

/// Cuts [`dot_product`] behind entities: each connection that leads out of them becomes a link.
fn cut(pool: &str, wait: &str, names: &[&str], links: &[(&str, &str)]) -> Parts {
    let mut app = dot_product(pool, wait, TICKS);
    for (from, to) in links {
        let connection = connected(from, to);
        assert!(app.contains(&connection), "{connection}");
        app = app.replace(&connection, "");
    }
    let (mut sender, mut receiver) = split(&app, names);
    for (from, to) in links {
        let port = free_port();
        let end = |app: &mut String, path: &str, plain: &str, linked: &str| {
            let (entity, queue) = path.split_once('/').expect("a path");
            let start = app.find(&format!("name: {entity}\n")).expect("the entity");
            let rest = app.split_off(start);
            let old = format!("- {{name: {queue}, type: nvidia::gxf::{plain}}}\n");
            assert!(rest.contains(&old), "{old}");
            let new = format!(
                "- {{name: {queue}_buffer, type: nvidia::gxf::UcxSerializationBuffer, parameters: \
                 {{allocator: links/allocator}}}}\n- {{name: {queue}, type: nvidia::gxf::{linked}, \
                 parameters: {{buffer: {queue}_buffer, port: {port}}}}}\n"
            );
            *app += &rest.replacen(&old, &new, 1);
        };
        end(&mut sender, from, "DoubleBufferTransmitter", "UcxTransmitter");
        end(&mut receiver, to, "DoubleBufferReceiver", "UcxReceiver");
    }
    Parts { sender, receiver }
}

/// The entity with the network, whose allocator receives.
fn network(parameters: &str, allocator: &str) -> String {
    let common = common_entities(parameters, GREEDY);
    let (links, _) = split(&common, &["links"]);
    links.replace("type: nvidia::gxf::UnboundedAllocator", allocator)
}

fn gxe(app: &str, mode: &str) -> Gxe {
    let folder = std::env::temp_dir().to_string_lossy().into_owned();
    with_stand_in(app, mode).file("manifest.yaml", MANIFEST).env("XDG_RUNTIME_DIR", &folder)
}

fn listening(gxe: Gxe) -> (Running, std::path::PathBuf) {
    let report = gxe.folder().join("report");
    let mut running = gxe.args("--severity debug").spawn();
    running.wait_for("listens at");
    (running, report)
}

const UNBOUNDED: &str = "type: nvidia::gxf::UnboundedAllocator";

/// Connections that become links.
type Links = &'static [(&'static str, &'static str)];

/// Where the graph is cut: tensors on the device, tensors that the device copies to pinned memory, and
/// the connections there.
const CUTS: [(&str, &[&str], Links); 2] = [
    ("device", &["generator"], &[("generator/cuda", "dot/in"), ("generator/host", "host_dot/in")]),
    (
        "pinned",
        &[
            "generator",
            "dot",
            "to_host",
            "connection_generator_cuda_dot_in",
            "connection_dot_out_to_host_in",
        ],
        &[("to_host/out", "verify/rx0"), ("generator/host", "host_dot/in")],
    ),
];

#[test]
fn tensors_arrive_on_the_device_of_another_process() {
    for (index, mode) in MODES.into_iter().enumerate() {
        for (place, (name, names, links)) in CUTS.into_iter().enumerate() {
            let number = index + place;
            let carrier = ["tcp", "unix"][number % 2];
            let allocator = [UNBOUNDED, RMM][index / 2];
            let parts = cut(POOLS[index % POOLS.len()], "term", names, links);
            let common = network(&format!("carrier: {carrier}"), allocator)
                + &scheduler(SCHEDULERS[number % SCHEDULERS.len()].1);
            let (receiver, reported) = listening(gxe(&(parts.receiver + &common), mode));
            let (ended, report) = run(gxe(&(parts.sender + &common), mode));
            let what = format!("{name} {mode} {carrier}");
            let _ = ended.clean();
            report.nothing_is_left();
            let (ended, text) =
                receiver.end_with(|| std::fs::read_to_string(reported).unwrap_or_default());
            let ended = ended.with_status(0);
            assert_eq!(ended.count(EQUAL), 1, "{what}\n{}", ended.stdout);
            let report = Report::parse(&text);
            report.nothing_is_left();
            if !is_on_gpu() && name == "device" {
                // Two tensors of a message go to the device by one copy each, and no thread waits there.
                assert_eq!(report.get("call cuMemcpyHtoDAsync_v2"), 2 * u64::from(TICKS), "{what}");
                assert_eq!(report.get("kernels"), 2 * u64::from(TICKS), "{what} {report:?}");
            }
        }
    }
}

/// Within a process, messages go over links by reference: nothing is copied, and no thread waits.
#[test]
fn tensors_stay_on_the_device_within_a_process() {
    let (_, names, links) = CUTS[0];
    for mode in modes() {
        let parts = cut(POOLS[0], "term", names, links);
        let app = parts.sender + &parts.receiver + &network("", UNBOUNDED);
        let (ended, report) = run(gxe(&(app + &scheduler(SCHEDULERS[1].1)), mode));
        let ended = ended.clean();
        assert_eq!(ended.count(EQUAL), 1, "{mode}\n{}", ended.stdout);
        report.nothing_is_left();
        if !is_on_gpu() {
            assert_eq!(report.get("call cuMemcpyDtoHAsync_v2"), u64::from(TICKS), "{report:?}");
            for wait in ["cuStreamSynchronize", "cuEventSynchronize"] {
                assert_eq!(report.get(&format!("call {wait}")), 0, "{mode} {report:?}");
            }
        }
    }
}

/// A receiver that cannot have device memory ends its run, and says where the data comes from.
#[test]
fn a_receiver_without_device_memory_names_both_ends() {
    let (_, names, links) = CUTS[0];
    let blocks = "type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 2, block_size: 4096, \
                  num_blocks: 16}";
    for (has_driver, allocator, text) in [
        (false, UNBOUNDED, "there is no CUDA driver"),
        (true, blocks, "give the component serializer an allocator of device memory"),
    ] {
        if is_on_gpu() && !has_driver {
            eprintln!("skipped: this machine has a driver");
            continue;
        }
        let parts = cut(POOLS[0], "sync", names, &links[..1]);
        let common = network("", UNBOUNDED) + &scheduler(SCHEDULERS[0].1);
        let (_, port) = parts.receiver.split_once("port: ").expect("a port");
        let port: u16 = port.split_once('}').expect("its end").0.parse().expect("a number");
        let sink = format!(
            "---\nname: sink\ncomponents:\n{BUFFER}- {{name: in, type: nvidia::gxf::UcxReceiver, \
             parameters: {{buffer: buffer, port: {port}}}}}\n- {{type: gxe::io::RawSink, parameters: \
             {{input: in, address: bytes.raw}}}}\n{MESSAGE}in}}}}\n",
            MESSAGE = format_args!("- {{{}", crate::cuda::MESSAGE),
        );
        let app = sink + &network("", allocator) + &scheduler(SCHEDULERS[0].1);
        let mut receiver = gxe(&app, "eager");
        if !has_driver {
            receiver = receiver.env("LD_LIBRARY_PATH", "");
        }
        let (receiver, _) = listening(receiver);
        // Nobody takes its tensors on the host.
        let drain = entity(
            "drain",
            &[
                &format!("name: in, {}", crate::cuda::RX),
                "type: nvidia::gxf::CudaStreamSync, parameters: {rx: in}",
                &format!("{}in}}", crate::cuda::MESSAGE),
            ],
        ) + &connected("generator/host", "drain/in");
        // It ends when it hears that the receiver has, or does not find it again.
        let sender = parts.sender.replace("port: ", "maximum_connection_retries: 1, port: ");
        let sender = gxe(&(sender + &drain + &common), "eager").spawn();
        let ended = receiver.end();
        assert_ne!(ended.status, Some(0), "{}", ended.stdout);
        ended.complains("from `generator/cuda` at ");
        ended.complains(" to receiver `sink/in`: message 0: ");
        ended.complains(text);
        ended.complains("bytes of device memory");
        drop(sender.end());
    }
}

#[test]
fn a_sender_of_host_memory_only_refuses_device_memory() {
    let (_, names, links) = CUTS[0];
    let parts = cut(POOLS[0], "term", names, links);
    let app = |part: &str, parameters: &str| {
        format!("{part}{}{}", network(parameters, UNBOUNDED), scheduler(SCHEDULERS[0].1))
    };
    // It ends when its transmitter does not come back.
    let (receiver, _) =
        listening(gxe(&app(&parts.receiver, "reconnect_timeout_ms: 1000"), "eager"));
    let (ended, _) = run(gxe(&app(&parts.sender, "cpu_data_only: true"), "eager"));
    assert_ne!(ended.status, Some(0));
    ended.complains("`generator/cuda` does not send data in device memory to `dot/in` at ");
    ended.complains("because `cpu_data_only` is true; copy it to the host with a TensorCopier");
    drop(receiver.end());
}
