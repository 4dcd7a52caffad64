//! `gxe sdk`: where the SDK is, for Makefiles and scripts.

use super::error::CommandError;
use crate::arguments::CommonArguments;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::sdk::Sdk;
use crate::usage_error::UsageError;
use clap::{Args, ValueEnum};
use gxf_runtime::graph::escape::one_line;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Folders of the SDK that belongs to this gxe.
#[derive(Args, Debug)]
#[command(after_help = "\
cc -isystem $(gxe sdk headers) …
cmake -DGXF_ROOT=$(gxe sdk cmake) …
gxe sdk cargo > .cargo/config.toml

GXE_SDK names another SDK: the folder gxe is installed to, or that of its sources.")]
pub struct SdkCommand {
    /// The part to print, instead of a list of all
    #[arg(value_name = "PART", value_enum)]
    part: Option<Part>,

    /// With `cargo`: the crate gxf-cuda, too
    #[arg(long)]
    cuda: bool,

    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Folder of the headers for C and C++
    Headers,
    /// What CMake needs as GXF_ROOT or in CMAKE_PREFIX_PATH
    Cmake,
    /// Folder of the crate gxf, for extensions
    Rust,
    /// Folder of the crate gxf-runtime, for programs that run graphs
    Runtime,
    /// Configuration with which cargo takes the crate gxf, and with --cuda gxf-cuda, from this folder
    Cargo,
    /// Folder of the manifests that --manifest finds by name
    Manifests,
}

impl SdkCommand {
    /// Prints a folder, or all.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        let sdk = Sdk::find(None)?;
        let text = match self.part {
            Some(Part::Cargo) => cargo(&rust(&sdk)?, self.cuda),
            _ if self.cuda => {
                return Err(UsageError::new("--cuda belongs to `gxe sdk cargo`".to_owned()).into());
            }
            Some(part) => format!("{}\n", path(&sdk, part)?.display()),
            None => all(&sdk),
        };
        Console::print(&text)?;
        Ok(ExitStatus::Success)
    }
}

fn path(sdk: &Sdk, part: Part) -> Result<PathBuf, UsageError> {
    Ok(match part {
        Part::Headers => sdk.headers(),
        Part::Cmake => sdk.cmake(),
        Part::Rust | Part::Cargo => rust(sdk)?,
        // Both lie in one workspace: plugin-abi/sdk and runtime.
        Part::Runtime => workspace(&rust(sdk)?).join("runtime"),
        Part::Manifests => sdk.manifests(),
    })
}

fn rust(sdk: &Sdk) -> Result<PathBuf, UsageError> {
    sdk.rust().ok_or_else(|| {
        let root = sdk.root().display();
        UsageError::new(format!("'{root}' has the headers, but not the crates for Rust"))
            .hint("install gxe with `make install`, or a package that includes them")
    })
}

fn all(sdk: &Sdk) -> String {
    let mut text = String::new();
    for part in [Part::Headers, Part::Cmake, Part::Rust, Part::Runtime, Part::Manifests] {
        let Ok(path) = path(sdk, part) else { continue };
        let name = part.to_possible_value();
        let name = name.as_ref().map_or("", |name| name.get_name());
        // Writing to a `String` does not fail.
        _ = writeln!(text, "{name:<10} {}", one_line(&path.to_string_lossy()));
    }
    text
}

/// TOML with which cargo finds the crate `gxf`, whose folder this is, and gxf-cuda.
fn cargo(path: &Path, has_cuda: bool) -> String {
    let patch = |name: &str, path: &Path| {
        let path = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
        format!("{name} = {{ path = \"{path}\" }}\n")
    };
    let cuda = has_cuda.then(|| patch("gxf-cuda", &workspace(path).join("runtime/device")));
    format!(
        "# Written by `gxe sdk cargo`, and differs between machines: keep it out of version \
         control.\n[patch.crates-io]\n{}{}",
        patch("gxf", path),
        cuda.unwrap_or_default()
    )
}

/// The workspace of the crate `gxf`.
fn workspace(path: &Path) -> &Path {
    path.ancestors().nth(2).unwrap_or(Path::new("/"))
}
