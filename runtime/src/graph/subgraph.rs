//! `Subgraph`: an entity that stands for the entities of other files.

use gxf::prelude::*;
use std::path::PathBuf;

/// Stands for the entities of other files. Their names get the name of this entity and a dot in
/// front; components they export as `interfaces` can be found in this entity.
#[derive(Component, Default)]
pub(crate) struct Subgraph {
    /// The files, separated by commas; relative to `--graph_directory`, else to the file this
    /// stands in.
    #[parameter(headline = "Location")]
    location: Parameter<PathBuf>,
    /// Components handed in: a map from the name the files use (as `prerequisites/name`) to a
    /// handle.
    #[parameter(headline = "Prerequisites")]
    prerequisites: Parameter<Option<gxf::Yaml>>,
}
