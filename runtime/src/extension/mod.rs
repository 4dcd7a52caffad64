//! Extensions: which types there are and where they come from.
//!
//! - `manifest.rs`: reads the list of libraries;
//! - `loader.rs`: finds and opens a library, judges its descriptor, takes its types;
//! - `copy.rs`: opens a library whose file may change meanwhile;
//! - `elf.rs`: says why a file is not a library that can be opened here;
//! - `aliases.rs`: Holoscan's names of types; `elsewhere.rs`: types and libraries of others;
//! - `registry.rs`: the types of a context by id and by name.

pub(crate) mod aliases;
pub(crate) mod copy;
pub(crate) mod elf;
pub(crate) mod elsewhere;
pub(crate) mod loader;
pub(crate) mod manifest;
pub(crate) mod registry;

pub use aliases::ALIASES;
pub use manifest::manifest_entries;
pub use registry::{ExtensionInfo, TypeInfo};
