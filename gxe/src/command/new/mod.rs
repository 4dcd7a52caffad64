//! `gxe new`: creates an extension, an app or a codelet that builds and runs at once.

mod insert;
mod name;
mod templates;

use super::error::CommandError;
use super::uuid::random_id;
use crate::arguments::CommonArguments;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::sdk::{self, Sdk};
use crate::shell_words::quoted;
use crate::usage_error::UsageError;
use clap::{Args, Subcommand, ValueEnum};
use name::Name;
use std::path::{Path, PathBuf};
use templates::{File, Values};

/// Files to begin with.
#[derive(Args, Debug)]
#[command(subcommand_help_heading = "What")]
pub struct New {
    #[command(subcommand)]
    what: What,

    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Debug, Subcommand)]
enum What {
    /// A library with two codelets, an app and a test
    Extension(ExtensionScaffold),
    /// An app with its own extension
    App(Scaffold),
    /// Another codelet, with an app, for an extension created by `gxe new`
    Codelet(Scaffold),
}

#[derive(Args, Debug)]
struct ExtensionScaffold {
    #[command(flatten)]
    scaffold: Scaffold,

    /// With a codelet that works on a GPU, and its kernel in CUDA C; in Rust or C++
    #[arg(long)]
    cuda: bool,
}

#[derive(Args, Debug)]
struct Scaffold {
    /// Name in snake_case, such as `image_filter`
    name: Name,

    /// Programming language
    #[arg(long, value_name = "LANGUAGE", value_enum)]
    lang: Language,

    /// Folder to write to, or that of the extension that gets a codelet [default: NAME, or for a
    /// codelet the current folder]
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,

    /// Folder of the SDK for the project's Makefile: the prefix gxe is installed to, or its
    /// sources [default: whatever belongs to the gxe that make finds]
    #[arg(long, value_name = "DIR")]
    sdk: Option<PathBuf>,

    #[command(flatten)]
    common: CommonArguments,
}

/// A programming language of extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Language {
    /// Rust, with the crate gxf
    Rust,
    /// C11, with the header plugin_abi.h
    C,
    /// C++17, with GXF's classes and macros; needs CMake
    Cpp,
    /// Python, with the package gxe; for codelets
    Python,
}

/// A language whose codelets are compiled into a library.
#[derive(Clone, Copy)]
enum Compiled {
    Rust,
    C,
    Cpp,
}

impl Language {
    const fn text(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::C => "C",
            Self::Cpp => "C++",
            Self::Python => "Python",
        }
    }

    /// As `--lang` calls it.
    const fn option(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::C => "c",
            Self::Cpp => "cpp",
            Self::Python => "python",
        }
    }

    const fn compiled(self) -> Option<Compiled> {
        match self {
            Self::Rust => Some(Compiled::Rust),
            Self::C => Some(Compiled::C),
            Self::Cpp => Some(Compiled::Cpp),
            Self::Python => None,
        }
    }
}

impl New {
    /// Writes the files and prints the next steps.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        let text = match self.what {
            What::Extension(ExtensionScaffold { scaffold, cuda: false }) => scaffold.extension()?,
            What::Extension(ExtensionScaffold { scaffold, cuda: true }) => scaffold.cuda()?,
            What::App(scaffold) => scaffold.app()?,
            What::Codelet(scaffold) => scaffold.codelet()?,
        };
        Console::print(&text)?;
        Ok(ExitStatus::Success)
    }
}

impl Scaffold {
    fn compiled(&self) -> Result<Compiled, UsageError> {
        self.lang.compiled().ok_or_else(|| {
            let hint = format!("gxe new codelet {} --lang python", self.name);
            UsageError::new("codelets in Python need no library of their own".to_owned()).hint(hint)
        })
    }

    fn extension(&self) -> Result<String, UsageError> {
        let files = templates::extension(self.compiled()?, &self.values()?);
        let folder = self.folder();
        write(&folder, &files)?;
        Ok(self.done(&folder, &files, "make run && make test"))
    }

    fn cuda(&self) -> Result<String, UsageError> {
        let files = templates::cuda_extension(self.compiled()?, &self.values()?);
        let files = files.ok_or_else(|| {
            let language = self.lang.text();
            UsageError::new(format!("there is no template for CUDA in {language}"))
                .hint("use --lang rust or --lang cpp".to_owned())
        })?;
        let folder = self.folder();
        write(&folder, &files)?;
        Ok(self.done(&folder, &files, "make test && make run"))
    }

    fn app(&self) -> Result<String, UsageError> {
        let files = templates::app(self.compiled()?, &self.values()?);
        let folder = self.folder();
        write(&folder, &files)?;
        Ok(self.done(&folder, &files, "make run && make test"))
    }

    /// Adds the files, and a line or two to the extension's list of types.
    fn codelet(&self) -> Result<String, UsageError> {
        let folder = self.path.clone().unwrap_or_default();
        let Some(lang) = self.lang.compiled() else {
            let files = templates::python_codelet(&self.values()?);
            write(&folder, &files)?;
            let name = &self.name;
            let run = format!("gxe --app {name}.yaml --manifest {name}_manifest.yaml");
            return Ok(self.done(&folder, &files, &run));
        };
        let read = |path: &Path| {
            std::fs::read_to_string(path).map_err(|error| {
                let hint = match self.other_language(&folder) {
                    Some(other) => format!(
                        "this extension is in {}: use --lang {}",
                        other.text(),
                        other.option()
                    ),
                    None => {
                        "run this in the folder of an extension, or name it with --path".to_owned()
                    }
                };
                UsageError::new(format!("cannot read '{}': {error}", path.display())).hint(hint)
            })
        };
        let manifest = folder.join("manifest.yaml");
        let crate_name = insert::crate_name(&read(&manifest)?);
        let crate_name = crate_name.ok_or_else(|| not_understood(&manifest))?;
        let list = folder.join(templates::list_of_types(lang));
        let text = read(&list)?;
        let mut values = self.values()?;
        values.set("crate", &crate_name);
        let changed = insert::codelet(lang, &text, &values);
        let changed = changed.ok_or_else(|| not_understood(&list))?;
        let files = templates::codelet(lang, &values);
        write(&folder, &files)?;
        std::fs::write(&list, changed).map_err(|error| cannot_write(&list, &error))?;
        let app = format!("apps/{}.yaml", self.name);
        let said = self.done(&folder, &files, "make test");
        Ok(format!("changed {}\n{said}\nits app is {app}\n", list.display()))
    }

    /// The language of the extension in a folder, if it is not the one that was asked for.
    fn other_language(&self, folder: &Path) -> Option<Language> {
        let all = [Language::Rust, Language::C, Language::Cpp];
        all.into_iter().filter(|known| *known != self.lang).find(|known| {
            let list = known.compiled().map(templates::list_of_types);
            list.is_some_and(|list| folder.join(list).is_file())
        })
    }

    /// What was written, and the next steps.
    fn done(&self, folder: &Path, files: &[File], next: &str) -> String {
        let files: Vec<_> = files
            .iter()
            .map(|file| format!("wrote {}\n", folder.join(&file.path).display()))
            .collect();
        let enter = match folder.to_str() {
            Some("") => String::new(),
            _ => format!("cd {} && ", quoted(&folder.to_string_lossy())),
        };
        let program = match std::env::current_exe() {
            Ok(program) if self.sdk.is_none() && !is_in_path() => {
                format!("export GXE={}\n      ", quoted(&program.to_string_lossy()))
            }
            _ => String::new(),
        };
        format!("{}\nnext: {program}{enter}{next}\n", files.concat())
    }

    /// The program that the Makefile uses by default, and its line about the SDK.
    fn makefile_lines(&self) -> Result<(String, String), UsageError> {
        let Some(named) = &self.sdk else { return Ok(("gxe".to_owned(), String::new())) };
        let sdk = Sdk::find(Some(named))?;
        if self.lang == Language::Rust && sdk.rust().is_none() {
            let error = format!("'{}' has no crates for Rust", sdk.root().display());
            return Err(UsageError::new(error).hint("install gxe there with `make install`"));
        }
        let root = sdk.root().display();
        let program = sdk.root().join("bin/gxe");
        let program = if program.is_file() { program.display().to_string() } else { "gxe".into() };
        Ok((program, format!("export {} ?= {root}\n", sdk::VARIABLE)))
    }

    fn folder(&self) -> PathBuf {
        self.path.clone().unwrap_or_else(|| PathBuf::from(self.name.to_string()))
    }

    /// The values of the templates' placeholders.
    fn values(&self) -> Result<Values, UsageError> {
        let mut values = Values::default();
        values.set("crate", &self.name.to_string());
        values.set("Crate", &self.name.camel());
        values.set("name", &self.name.to_string());
        values.set("Name", &self.name.camel());
        let (program, sdk) = self.makefile_lines()?;
        values.set("gxe", &program);
        values.set("sdk", &sdk);
        values.set("version", env!("CARGO_PKG_VERSION"));
        values.set("language", self.lang.text());
        values.set("lang", self.lang.option());
        for id in ["extension_id", "source_id", "sink_id", "codelet_id"] {
            values.set(id, &random_id()?);
        }
        Ok(values)
    }
}

/// Whether typing `gxe` starts this program.
fn is_in_path() -> bool {
    let own = std::env::current_exe().and_then(std::fs::canonicalize);
    let Ok(own) = own else { return false };
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&folders).map(|folder| folder.join("gxe"));
    let first = found.find(|path| path.is_file());
    first.and_then(|path| std::fs::canonicalize(path).ok()).is_some_and(|path| path == own)
}

/// Writes new files: all of them or none.
fn write(folder: &Path, files: &[File]) -> Result<(), UsageError> {
    for file in files {
        let path = folder.join(&file.path);
        if path.exists() {
            return Err(UsageError::new(format!("'{}' already exists", path.display()))
                .hint("choose another name, or another folder with --path"));
        }
    }
    for file in files {
        let path = folder.join(&file.path);
        let parent = path.parent().unwrap_or(folder);
        let written =
            std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&path, &file.text));
        written.map_err(|error| cannot_write(&path, &error))?;
    }
    Ok(())
}

fn cannot_write(path: &Path, error: &std::io::Error) -> UsageError {
    UsageError::new(format!("cannot write '{}': {error}", path.display()))
}

fn not_understood(list: &Path) -> UsageError {
    UsageError::new(format!("'{}' is not as `gxe new extension` writes it", list.display()))
        .hint("add the codelet by hand: its file and an entry of the list of types")
}
