//! The two files of a recording.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const INDEX: &str = ".gxf_index";
const ENTITIES: &str = ".gxf_entities";

/// The paths of the two files of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingPaths {
    /// `NAME.gxf_index`.
    pub index: PathBuf,
    /// `NAME.gxf_entities`.
    pub entities: PathBuf,
}

impl RecordingPaths {
    /// The files `BASENAME.gxf_index` and `BASENAME.gxf_entities` in a directory, or in one below
    /// it if the base name is a path.
    #[must_use]
    pub fn new(directory: &Path, basename: &str) -> Self {
        // `join` would leave the directory for a base name that starts with a slash.
        Self::with_stem(directory.join(basename.trim_start_matches('/')).into_os_string())
    }

    /// The files for a path to either of them, or to both without the extension.
    #[must_use]
    pub fn named(path: &Path) -> Self {
        let text = path.as_os_str().as_bytes();
        let endings = [INDEX, ENTITIES].into_iter();
        let stem = endings.filter_map(|ending| text.strip_suffix(ending.as_bytes())).next();
        Self::with_stem(OsStr::from_bytes(stem.unwrap_or(text)).to_owned())
    }

    /// Appends the extensions. `Path::with_extension` would replace everything after a dot in the
    /// name.
    fn with_stem(stem: OsString) -> Self {
        let with = |ending| {
            let mut path = stem.clone();
            path.push(ending);
            PathBuf::from(path)
        };
        Self { index: with(INDEX), entities: with(ENTITIES) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_file_names_both() {
        for name in ["a.b/video.1", "a.b/video.1.gxf_index", "a.b/video.1.gxf_entities"] {
            let paths = RecordingPaths::named(Path::new(name));
            assert_eq!(paths, RecordingPaths::new(Path::new("a.b"), "video.1"));
            assert_eq!(paths.index, Path::new("a.b/video.1.gxf_index"));
            assert_eq!(paths.entities, Path::new("a.b/video.1.gxf_entities"));
        }
        let below = RecordingPaths::new(Path::new("a"), "/b/c");
        assert_eq!(below.index, Path::new("a/b/c.gxf_index"));
    }
}
