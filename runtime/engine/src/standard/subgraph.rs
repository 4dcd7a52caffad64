//! `Subgraph`: an entity that includes other files.

use gxf::prelude::*;
use std::path::PathBuf;

/// Includes the entities of other files. Their names are prefixed with the name of this entity and
/// a dot. Components that they export as `interfaces` are available in this entity.
#[derive(Component, Default)]
pub struct Subgraph {
    /// The files, separated by commas; relative to `--graph-directory`, or else to the file that
    /// contains this component.
    #[parameter(headline = "Location")]
    location: Parameter<PathBuf>,
    /// Components for the included files: a map from the name that the files use (as
    /// `prerequisites/name`) to a handle.
    #[parameter(headline = "Prerequisites")]
    prerequisites: Parameter<Option<gxf::Yaml>>,
}
