//! A program in Rust that runs a graph; it needs the crate `gxf-runtime` and not the C API.

use gxf_runtime::{Context, Error};
use std::path::PathBuf;

fn main() -> Result<(), Error> {
    let mut files = std::env::args_os().skip(1).map(PathBuf::from);
    let context = Context::new();
    context.load_manifest(&files.next().unwrap_or_default(), None)?;
    context.load_app(&files.next().unwrap_or_default(), &[])?;
    context.activate()?;
    context.run()?;
    context.deactivate()?;
    println!("done");
    Ok(())
}
