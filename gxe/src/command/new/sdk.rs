//! Where the SDK is that an extension is built with.

use crate::usage_error::UsageError;
use std::path::{Path, PathBuf};

/// The folder with gxe's sources: the one that was named, the one above this program, the one it
/// was built in.
pub fn find(named: Option<&Path>) -> Result<PathBuf, UsageError> {
    if let Some(named) = named {
        // The SDK's own folder is as good as that of the sources.
        let mut above = named.ancestors();
        let found = above.find(|folder| is_sdk(folder));
        return found.map(absolute).ok_or_else(|| {
            UsageError::new(format!("'{}' has no plugin-abi/sdk", named.display()))
                .hint("name the folder with gxe's sources")
        });
    }
    let program = std::env::current_exe().unwrap_or_default();
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut candidates = program.ancestors().chain(built_in.ancestors());
    candidates.find(|folder| is_sdk(folder)).map(absolute).ok_or_else(|| {
        UsageError::new("the SDK of gxe is not where this gxe was built")
            .hint("name the folder with gxe's sources: --sdk DIR")
    })
}

fn is_sdk(folder: &Path) -> bool {
    folder.join("plugin-abi/sdk/Cargo.toml").is_file()
}

fn absolute(folder: &Path) -> PathBuf {
    std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}
