//! `gxe inspect cuda`: the driver and its devices.

use gxf_runtime::cuda::{Cuda, cuda};
use gxf_runtime::graph::escape;
use serde_json::json;
use std::fmt::Write;

/// The driver and its devices as text, or what is missing.
pub fn text() -> String {
    let Cuda { version: (major, minor), devices, functions } = match cuda() {
        Ok(found) => found,
        Err(error) => return format!("CUDA: {}\n", escape::one_line(error.message())),
    };
    let mut text = format!("CUDA: a driver for {major}.{minor}\n");
    for device in devices {
        let (major, minor) = device.capability;
        _ = writeln!(
            text,
            "device {}: {}, compute capability {major}.{minor}, {} multiprocessors, {} MiB",
            device.number,
            escape::one_line(&device.name),
            device.processors,
            device.memory >> 20
        );
    }
    for (function, is_there) in functions {
        _ = writeln!(text, "{function}: {}", if is_there { "yes" } else { "no" });
    }
    text
}

/// The same as JSON.
pub fn json() -> serde_json::Value {
    match cuda() {
        Ok(found) => json!({
            "version": format!("{}.{}", found.version.0, found.version.1),
            "devices": found.devices.iter().map(|device| json!({
                "number": device.number,
                "name": device.name,
                "capability": format!("{}.{}", device.capability.0, device.capability.1),
                "multiprocessors": device.processors,
                "memory": device.memory,
            })).collect::<Vec<_>>(),
            "functions": found.functions.iter().copied().collect::<std::collections::BTreeMap<_, _>>(),
        }),
        Err(error) => json!({ "missing": error.message() }),
    }
}
