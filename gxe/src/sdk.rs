//! Finds what extensions are built with and graphs are run from: headers, crates, manifests. All of
//! it moves with the program, so nothing here knows where the program was built.

use crate::usage_error::UsageError;
use std::path::{Path, PathBuf};

/// The environment variable that names the SDK to use.
pub const VARIABLE: &str = "GXE_SDK";

/// The folder that the environment names.
pub fn in_environment() -> Option<PathBuf> {
    std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// gxe's sources, or the prefix gxe is installed to.
pub struct Sdk {
    root: PathBuf,
    is_source: bool,
}

impl Sdk {
    /// The SDK in the named folder, in that of the environment, or around this program.
    ///
    /// # Errors
    /// There is none.
    pub fn find(named: Option<&Path>) -> Result<Self, UsageError> {
        if let Some(named) = named.or(in_environment().as_deref()) {
            // A folder inside the SDK is accepted as well as the SDK's own.
            let named = std::path::absolute(named).unwrap_or_else(|_| named.to_owned());
            return named.ancestors().find_map(Self::of).ok_or_else(|| {
                UsageError::new(format!("'{}' has no SDK of gxe", named.display())).hint(
                    "name the folder gxe is installed to, such as /usr/local, or that of its \
                     sources",
                )
            });
        }
        Self::around_program().ok_or_else(|| {
            UsageError::new("there is no SDK next to this gxe").hint(format!(
                "name the folder gxe is installed to, or that of its sources, with the environment \
                 variable {VARIABLE}"
            ))
        })
    }

    /// The SDK that this program belongs to.
    fn around_program() -> Option<Self> {
        let program = std::env::current_exe().ok()?;
        program.ancestors().find_map(Self::of)
    }

    fn of(folder: &Path) -> Option<Self> {
        let is_source = folder.join("plugin-abi/sdk/Cargo.toml").is_file();
        let is_there = is_source || folder.join("include/gxe/gxf/plugin_abi.h").is_file();
        is_there.then(|| Self { root: folder.to_owned(), is_source })
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What a compiler for C and C++ gets as `-isystem`.
    pub fn headers(&self) -> PathBuf {
        match self.is_source {
            true => self.cmake().join("include"),
            false => self.root.join("include/gxe"),
        }
    }

    /// What CMake gets as `GXF_ROOT`.
    pub fn cmake(&self) -> PathBuf {
        if self.is_source { self.root.join("plugin-abi") } else { self.root.clone() }
    }

    /// The crate `gxf`, if the Rust SDK is there.
    pub fn rust(&self) -> Option<PathBuf> {
        let crates = if self.is_source { self.root.clone() } else { self.shared().join("rust") };
        Some(crates.join("plugin-abi/sdk")).filter(|path| path.join("Cargo.toml").is_file())
    }

    /// The folder with manifests that are found by name.
    pub fn manifests(&self) -> PathBuf {
        self.shared().join("manifests")
    }

    fn shared(&self) -> PathBuf {
        if self.is_source { self.root.clone() } else { self.root.join("share/gxe") }
    }
}
