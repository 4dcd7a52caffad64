//! `gxe doctor`: what this installation has, and what is missing for which purpose.

use super::error::CommandError;
use crate::arguments::{CommonArguments, ExtensionArguments, GraphArguments};
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::help;
use crate::loading::add_paths;
use crate::options::GraphOptions;
use crate::sdk::{self, Sdk};
use clap::Args;
use gxf_runtime::Context;
use gxf_runtime::graph::escape::one_line;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A look at the installation and at optional programs and libraries.
#[derive(Args, Debug)]
pub struct Doctor {
    #[command(flatten)]
    extensions: ExtensionArguments,

    #[command(flatten)]
    common: CommonArguments,
}

/// Something optional: what it is called, where it is, what it is for.
struct Part {
    name: &'static str,
    found: Option<PathBuf>,
    purpose: &'static str,
}

impl Doctor {
    /// Prints the report. Fails if an installed extension cannot be loaded.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        let environment = |name: &str| std::env::var_os(name);
        let options = GraphOptions::new(GraphArguments::default(), self.extensions, environment)?;
        let mut text = format!("gxe {}\n", *help::VERSION);
        if let Ok(program) = std::env::current_exe() {
            row(&mut text, "program", &program.to_string_lossy());
        }
        match Sdk::find(None) {
            Ok(sdk) => {
                row(&mut text, "SDK", &sdk.root().to_string_lossy());
                if sdk.rust().is_none() {
                    row(&mut text, "", "without the crates for Rust");
                }
            }
            Err(_) => {
                let missing = match sdk::in_environment() {
                    Some(folder) => {
                        format!("missing: {} names '{}'", sdk::VARIABLE, folder.display())
                    }
                    None => "missing: `gxe new` needs the headers and crates".to_owned(),
                };
                row(&mut text, "SDK", &missing);
            }
        }
        let are_sound = extensions(&mut text, &options);
        text.push_str("\nOptional:\n");
        for part in parts() {
            let place = match part.found {
                Some(path) => one_line(&path.to_string_lossy()),
                None => "missing".to_owned(),
            };
            row(&mut text, part.name, &format!("{place} ({})", part.purpose));
        }
        Console::print(&text)?;
        Ok(if are_sound { ExitStatus::Success } else { ExitStatus::Load })
    }
}

// Writing to a `String` does not fail.
fn row(text: &mut String, name: &str, value: &str) {
    _ = writeln!(text, "  {name:<12} {}", one_line(value));
}

/// Lists the installed extensions; false if one cannot be loaded.
fn extensions(text: &mut String, options: &GraphOptions) -> bool {
    let context = Context::new();
    add_paths(&context, options);
    let mut are_sound = true;
    let libraries = context.installed_libraries();
    row(text, "extensions", &format!("{} besides those built in", libraries.len()));
    for library in libraries {
        let name = library.file_name().unwrap_or_default().to_string_lossy();
        match context.load_extension(&library) {
            Ok(()) => row(text, "", &name),
            Err(error) => {
                are_sound = false;
                row(text, "", &format!("{name}: {:#}", anyhow::Error::from(error)));
            }
        }
    }
    are_sound
}

fn parts() -> Vec<Part> {
    let part = |name, found, purpose| Part { name, found, purpose };
    vec![
        part("CUDA", library("libcuda.so.1"), "work on a GPU, pinned host memory"),
        part(
            "UCX",
            library("libucp.so.0"),
            "links over InfiniBand and shared memory; those over TCP need nothing",
        ),
        part("Python", program(&["python3"]), "codelets and programs in Python"),
        part(
            "browser",
            program(&["xdg-open", "firefox", "chromium", "google-chrome"]),
            "pages of `gxe graph` and `--serve`",
        ),
        part("cargo", program(&["cargo"]), "extensions in Rust"),
        part("C++", program(&["c++", "g++", "clang++"]), "extensions in C++"),
        part("C", program(&["cc", "gcc", "clang"]), "extensions in C"),
        part("CMake", program(&["cmake"]), "extensions in C++ from `gxe new`"),
        part("make", program(&["make"]), "projects from `gxe new`"),
    ]
}

/// The first of these programs that is in PATH.
fn program(names: &[&str]) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let folders: Vec<_> = std::env::split_paths(&folders).collect();
    let found = |name: &&str| folders.iter().map(|folder| folder.join(name)).find(is_file);
    names.iter().find_map(found)
}

/// A library where the system's loader looks by default. Not opened: a driver may start threads.
fn library(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let machine = format!("{}-linux-gnu", std::env::consts::ARCH);
    let system = ["/usr/lib", "/lib", "/usr/local/lib", "/usr/lib64", "/usr/local/cuda/lib64"];
    let mut candidates = std::env::split_paths(&folders)
        .chain(["/usr/lib", "/lib"].map(|folder| Path::new(folder).join(&machine)))
        .chain(system.map(PathBuf::from))
        .map(|folder| folder.join(name));
    candidates.find(is_file)
}

#[expect(clippy::ptr_arg, reason = "the form that `find` needs")]
fn is_file(path: &PathBuf) -> bool {
    path.is_file()
}
