//! Activates, runs and deactivates a graph many times in one context. Arguments: manifest, app, count, and
//! `graphs` to make CUDA graphs.
//!
//! Prints the descriptors and the resident memory, in KiB, after the first tenth and at the end.
#![forbid(unsafe_code)]

use gxf_runtime::Context;
use std::path::Path;
use std::process::ExitCode;

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
}

fn activate([manifest, app, count]: [&str; 3], makes_graphs: bool) -> Result<(), String> {
    let count: u32 = count.parse().map_err(|_| format!("`{count}` is no number"))?;
    let context = Context::new();
    if makes_graphs {
        context.make_cuda_graphs();
    }
    let loaded = context.load_manifest(Path::new(manifest), None);
    let loaded = loaded.and_then(|()| context.load_app(Path::new(app), &[]));
    loaded.map_err(|error| format!("{error:?}"))?;
    for round in 1..=count {
        let ran = context.activate().and_then(|()| context.run());
        let ended = ran.and_then(|()| context.deactivate());
        ended.map_err(|error| format!("round {round}: {error:?}"))?;
        if round == count / 10 || round == count {
            println!("RESULT {} {}", descriptors(), resident());
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let ended = match arguments[..] {
        [manifest, app, count] => activate([manifest, app, count], false),
        [manifest, app, count, "graphs"] => activate([manifest, app, count], true),
        _ => Err("usage: activations MANIFEST APP COUNT [graphs]".to_owned()),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}
