//! Finds the SDK that an extension is built with.

use crate::usage_error::UsageError;
use std::path::{Path, PathBuf};

/// The folder `plugin-abi` of gxe's sources, or the prefix gxe was installed to, which has the
/// headers and the CMake package at the same places but nothing for Rust.
pub struct Sdk(pub PathBuf);

impl Sdk {
    /// Looks at the given folder, above this program, and where it was built.
    pub fn find(named: Option<&Path>, with_crates: bool) -> Result<Self, UsageError> {
        if let Some(named) = named {
            // The SDK's own folder is accepted as well as that of the sources.
            let mut above = named.ancestors();
            return above.find_map(|folder| Self::of(folder, with_crates)).ok_or_else(|| {
                UsageError::new(format!("'{}' has no plugin-abi/sdk", named.display()))
                    .hint("name the folder with gxe's sources")
            });
        }
        let program = std::env::current_exe().unwrap_or_default();
        let built_in = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut candidates = program.ancestors().chain(built_in.ancestors());
        candidates.find_map(|folder| Self::of(folder, with_crates)).ok_or_else(|| {
            UsageError::new("the SDK of gxe is not where this gxe was built")
                .hint("name the folder with gxe's sources: --sdk DIR")
        })
    }

    /// The SDK in a folder of sources or an installation, if it has one.
    fn of(folder: &Path, with_crates: bool) -> Option<Self> {
        let sources = folder.join("plugin-abi");
        let found = if sources.join("sdk/Cargo.toml").is_file() {
            sources
        } else if !with_crates && folder.join("include/gxf/plugin_abi.h").is_file() {
            folder.to_owned()
        } else {
            return None;
        };
        Some(Self(std::fs::canonicalize(&found).unwrap_or(found)))
    }
}
