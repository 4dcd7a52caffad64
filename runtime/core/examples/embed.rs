//! A Rust program that runs a graph: embed manifest.yaml app.yaml. It uses the crate `gxf-runtime`
//! and not the C API.

use gxf_runtime::{Context, Error};
use std::path::PathBuf;

fn main() -> Result<(), Error> {
    let mut files = std::env::args_os().skip(1).map(PathBuf::from);
    let (manifest, app) = (&files.next().unwrap_or_default(), &files.next().unwrap_or_default());
    let context = Context::new();
    context.load_manifest(manifest, None)?;
    context.load_app(app, &[])?;
    context.activate()?;
    context.run()?;
    context.deactivate()?;
    println!("done");
    Ok(())
}
