//! `--driver`, `--worker`: the part of this process in a graph of several. The graph that runs here
//! has a `GraphDriver`, a `GraphWorker`, or both.

use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::loading::add_paths;
use crate::options::GraphOptions;
use crate::remote_options::RemoteOptions;
use crate::segments::{Segments, folder_of, read_with_manifest};
use anyhow::{Context as _, anyhow};
use gxf_remote::{SegmentFiles, SegmentsFile};
use gxf_runtime::Context;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::path::Path;

impl RemoteOptions {
    /// Loads a graph that plays this part. Returns the segments that this process knows all about: a
    /// driver all of them, and a worker its own.
    ///
    /// # Errors
    /// The file cannot be read, or `libgxf_http.so` cannot be loaded.
    pub fn load(&self, context: &Context, options: &GraphOptions) -> Result<Segments, Failure> {
        add_paths(context, options);
        let failed = |error| Failure::new(ExitStatus::Load, error);
        let driver = self.driver.then_some(("--address", &self.address.0));
        let worker = self.worker_address.as_ref().map(|(host, _)| ("--worker-address", host));
        for (flag, host) in driver.into_iter().chain(worker) {
            listens_at(flag, host).map_err(|error| Failure::new(ExitStatus::Graph, error))?;
        }
        let path = &options.apps[0];
        let file = read_with_manifest(path, options)?;
        if options.app_root.is_none() {
            context.set_file_root(folder_of(path));
        }
        let folder = options.app_root.clone().unwrap_or_else(|| folder_of(path));
        let text = self.graph(&file, path, &folder).map_err(failed)?;
        let http = Path::new("libgxf_http.so");
        let name = format!("<{}>", path.display());
        let loaded = context
            .load_extension(http)
            .and_then(|()| context.load_app_text(&name, &text, &options.overrides));
        let loaded = loaded.with_context(|| format!("cannot load the app '{}'", path.display()));
        loaded.map_err(failed)?;
        let mut segments = Segments::new(file, folder);
        if !self.driver {
            segments.retain(|segment| self.runs(segment));
        }
        Ok(segments)
    }

    /// Whether a worker has this segment.
    fn runs(&self, segment: &SegmentFiles) -> bool {
        self.fragments.as_ref().is_none_or(|wanted| wanted.contains(&segment.name))
    }

    /// The graph as YAML. The paths of the file's segments begin in `folder`.
    fn graph(&self, file: &SegmentsFile, path: &Path, folder: &Path) -> anyhow::Result<String> {
        let (host, port) = &self.address;
        let mut entities = Vec::new();
        if self.driver {
            let connections = file.connections.iter();
            let connections = connections.map(
                |connection| json!({"source": connection.source, "target": connection.target}),
            );
            let segments = file.segments.iter().map(|segment| &segment.name);
            entities.push(json!({"name": "driver", "components": [
                self.server(host, *port),
                self.client("0.0.0.0", *port),
                {"name": "driver", "type": "nvidia::gxf::GraphDriver", "parameters": {
                    "server": "server", "client": "client",
                    "segments": segments.collect::<Vec<_>>(),
                    "connections": connections.collect::<Vec<_>>(),
                }},
            ]}));
        }
        if self.worker {
            let (own, own_port) = match &self.worker_address {
                Some(address) => address.clone(),
                None => (host.clone(), free_port(file, folder)?),
            };
            let specs = self.specs(file, path)?;
            let mut parameters = json!({
                "server": "server", "client": "client", "graph-specs": specs,
                "driver-reconnection-times": 10,
            });
            if self.worker_address.is_some() {
                parameters["own_address"] = json!(own);
            }
            entities.push(json!({"name": "worker", "components": [
                self.server(&own, own_port),
                self.client(host, *port),
                self.with_access("worker", "nvidia::gxf::GraphWorker", parameters),
            ]}));
        }
        // JSON is YAML.
        Ok(entities.iter().map(|entity| format!("---\n{entity}\n")).collect())
    }

    fn server(&self, host: &str, port: u16) -> Value {
        let is_local = host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
        let parameters = json!({"port": port, "remote_access": !is_local});
        self.with_access("server", "nvidia::gxf::HttpServer", parameters)
    }

    fn client(&self, host: &str, port: u16) -> Value {
        let parameters = json!({"server_ip_address": host, "port": port});
        self.with_access("client", "nvidia::gxf::HttpIPCClient", parameters)
    }

    /// A component that knows the token and the certificates.
    fn with_access(&self, name: &str, kind: &str, mut parameters: Value) -> Value {
        for (key, path) in
            [("token_file", &self.token_file), ("tls_directory", &self.tls_directory)]
        {
            if let Some(path) = path {
                parameters[key] = json!(path);
            }
        }
        json!({"name": name, "type": kind, "parameters": parameters})
    }

    /// `graph-specs` of the worker.
    fn specs(&self, file: &SegmentsFile, path: &Path) -> anyhow::Result<Value> {
        let wanted = self.fragments.as_deref();
        if let Some(unknown) = wanted
            .into_iter()
            .flatten()
            .find(|name| !file.segments.iter().any(|segment| segment.name == **name))
        {
            let names: Vec<_> = file.segments.iter().map(|one| one.name.as_str()).collect();
            return Err(anyhow!(
                "'{}' has no segment `{unknown}`; it has {}",
                path.display(),
                names.join(", ")
            ));
        }
        let own = file.segments.iter().filter(|segment| self.runs(segment));
        let specs = own.map(|segment| {
            let mut spec = json!({"app-path": segment.app});
            let more = [("manifest-path", &segment.manifest), ("param-path", &segment.parameters)];
            for (key, value) in more {
                if let Some(value) = value {
                    spec[key] = json!(value);
                }
            }
            (segment.name.clone(), spec)
        });
        Ok(Value::Object(specs.collect()))
    }
}

/// Whether a server of this host is reached at `host`: servers listen at 127.0.0.1, or at all
/// addresses.
fn listens_at(flag: &str, host: &str) -> anyhow::Result<()> {
    let Ok(addresses) = (host, 0).to_socket_addrs() else {
        // As in Kubernetes, at first.
        tracing::info!("this host does not know the name `{host}`, which '{flag}' gives it");
        return Ok(());
    };
    let is_name = host.parse::<IpAddr>().is_err();
    let is_own = |address: SocketAddr| match address.ip() {
        IpAddr::V4(ip) if ip.is_loopback() => is_name || ip == Ipv4Addr::LOCALHOST,
        IpAddr::V6(ip) if ip.is_loopback() => false,
        _ => TcpListener::bind(address).is_ok(),
    };
    let addresses: Vec<SocketAddr> = addresses.collect();
    if addresses.iter().copied().any(is_own) {
        return Ok(());
    }
    let is_loopback = addresses.iter().all(|address| address.ip().is_loopback());
    let why = match is_loopback {
        true => "of the loopback addresses, servers listen at 127.0.0.1 alone; write that",
        false => "this host has no such address",
    };
    Err(anyhow!("cannot listen at `{host}`, which '{flag}' names: {why}"))
}

/// A port of this host at which nobody listens, and for which the segments of a file, whose paths
/// begin in `folder`, have no use either.
///
/// It is one that Linux does not give to outgoing connections, and processes begin their search at
/// different ports, so that it is still free when a server listens there.
pub fn free_port(file: &SegmentsFile, folder: &Path) -> anyhow::Result<u16> {
    const FIRST: u32 = 10_000;
    const COUNT: u32 = 10_000;
    let outgoing = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range");
    let outgoing = outgoing.ok().and_then(|range| range.split_whitespace().next()?.parse().ok());
    let count = outgoing.map_or(COUNT, |first: u32| first.saturating_sub(FIRST).min(COUNT));
    let begin = std::process::id().wrapping_mul(101);
    let ports = (0..count).map(|number| FIRST + begin.wrapping_add(number) % count);
    let ports = ports.filter_map(|port| u16::try_from(port).ok());
    let named = numbers_of(file, folder);
    let mut ports = ports.filter(|port| *port != RECEIVER_PORT && !named.contains(port));
    let bind = |port: u16| TcpListener::bind(("127.0.0.1", port));
    // Where all ports are for outgoing connections, one of those.
    let listener = ports.find_map(|port| bind(port).ok()).map_or_else(|| bind(0), Ok);
    let listener = listener.context("there is no free port")?;
    Ok(listener.local_addr()?.port())
}

/// The port of a `UcxReceiver` that names none.
const RECEIVER_PORT: u16 = 13_337;

/// The numbers that may be ports in the files of segments. Those that can be read only once stay unread.
fn numbers_of(file: &SegmentsFile, folder: &Path) -> HashSet<u16> {
    let mut numbers = HashSet::new();
    let files = file.segments.iter().flat_map(|one| [Some(&one.app), one.parameters.as_ref()]);
    let paths = files.flatten().map(|path| folder.join(path));
    for path in paths.filter(|path| path.is_file()) {
        // Who loads the segment says why it cannot be read.
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let words = text.split(|one: char| !one.is_ascii_digit());
        numbers.extend(words.filter_map(|word| word.parse::<u16>().ok()));
    }
    numbers
}
