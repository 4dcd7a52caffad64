//! Options of a process that is a driver, a worker or both.

use crate::arguments::RemoteArguments;
use crate::usage_error::UsageError;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;

/// Where a driver is unless somebody says otherwise, as in Holoscan.
const DRIVER: &str = "127.0.0.1:57777";

/// What stands for all segments.
const ALL: &str = "all";

/// Why segments cannot have several manifests, and what to do.
pub const ONE_MANIFEST: &str = "segments take one manifest, and '--manifest' names several";
pub const ONE_MANIFEST_HINT: &str =
    "list all libraries in one manifest, or give each segment its own with `manifest-path`";

/// The part of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteOptions {
    pub driver: bool,
    pub worker: bool,
    pub address: (String, u16),
    pub worker_address: Option<(String, u16)>,
    /// The segments of the worker; `None` for all.
    pub fragments: Option<Vec<String>>,
    pub token_file: Option<PathBuf>,
    pub tls_directory: Option<PathBuf>,
}

/// `HOST:PORT`, or `[IPV6]:PORT`.
fn address(text: &str, flag: &str) -> Result<(String, u16), UsageError> {
    let parts = text.rsplit_once(':').and_then(|(host, port)| {
        let host = match host.strip_prefix('[') {
            Some(rest) => rest.strip_suffix(']').filter(|ip| ip.parse::<Ipv6Addr>().is_ok())?,
            None => Some(host).filter(|host| may_be_host(host))?,
        };
        Some((host, port.parse().ok()?))
    });
    let (host, port) = parts.filter(|(_, port)| *port != 0).ok_or_else(|| {
        UsageError::new(format!("'{flag} {text}' is no address")).hint(format!(
            "write a host and a port:  {flag} {DRIVER}  or  {flag} [2001:db8::1]:57777"
        ))
    })?;
    Ok((host.to_owned(), port))
}

/// Whether this is an IPv4 address or may be a name, whose last part is no number.
fn may_be_host(host: &str) -> bool {
    let may_have = |one: char| one.is_alphanumeric() || "-_.".contains(one);
    let last = host.strip_suffix('.').unwrap_or(host).rsplit('.').next().unwrap_or_default();
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit());
    host.parse::<Ipv4Addr>().is_ok() || host.chars().all(may_have) && !is_number
}

impl RemoteOptions {
    /// Checks the arguments of a run of so many files, with so many manifests for their segments.
    pub fn new(
        arguments: RemoteArguments,
        watches: bool,
        apps: usize,
        manifests: usize,
    ) -> Result<Option<Self>, UsageError> {
        let RemoteArguments {
            driver,
            worker,
            address: at,
            worker_address,
            fragments,
            token_file,
            tls_directory,
        } = arguments;
        if !driver && !worker {
            let others = [
                ("--address", at.is_some()),
                ("--worker-address", worker_address.is_some()),
                ("--fragments", !fragments.is_empty()),
                ("--token-file", token_file.is_some()),
                ("--tls-directory", tls_directory.is_some()),
            ];
            let other = others.iter().find(|(_, is_given)| *is_given);
            return match other {
                Some((flag, _)) => {
                    Err(UsageError::new(format!("'{flag}' needs --driver or --worker")))
                }
                None => Ok(None),
            };
        }
        let of_worker = [
            ("--worker-address", worker_address.is_some()),
            ("--fragments", !fragments.is_empty()),
        ];
        if let Some((flag, _)) = of_worker.iter().find(|(_, is_given)| *is_given && !worker) {
            return Err(UsageError::new(format!("'{flag}' needs --worker")));
        }
        if watches {
            return Err(UsageError::new("'--watch' does not work with --driver or --worker"));
        }
        if apps != 1 {
            let text = "--driver and --worker take one file, with `graph-specs` and `connections`";
            return Err(UsageError::new(text));
        }
        if manifests > 1 {
            return Err(UsageError::new(ONE_MANIFEST).hint(ONE_MANIFEST_HINT));
        }
        let names = fragments.iter().flat_map(|text| text.split(','));
        let names: Vec<String> = names.map(|name| name.trim().to_owned()).collect();
        if let Some((_, twice)) =
            names.iter().enumerate().find(|(index, name)| names[..*index].contains(name))
        {
            return Err(UsageError::new(format!("'--fragments' names `{twice}` twice")));
        }
        if let Some(name) = names.iter().find(|name| *name != ALL)
            && names.iter().any(|name| name == ALL)
        {
            let text = format!("'--fragments' names `{name}` beside `{ALL}`");
            return Err(UsageError::new(text).hint(format!(
                "leave `{ALL}` out to run only what is named, or the names to run all segments"
            )));
        }
        Ok(Some(Self {
            driver,
            worker,
            address: address(at.as_deref().unwrap_or(DRIVER), "--address")?,
            worker_address: worker_address
                .map(|text| address(&text, "--worker-address"))
                .transpose()?,
            fragments: Some(names).filter(|names| !names.is_empty() && names[0] != ALL),
            token_file,
            tls_directory,
        }))
    }
}
