//! The border between the runtime and extensions, both ways.
//!
//! - `descriptor/`: reads what an extension says about its types, whatever its ABI minor version;
//! - `in_program.rs`: extensions that are part of the program;
//! - `component/`: a component instance: memory, parameters, interfaces;
//! - `value.rs`: parameter values to the border and back;
//! - `host/`: the host table, what extensions may ask of us;
//! - `fatal.rs`: whose code was called when the process is ended from within.

pub(crate) mod component;
pub(crate) mod descriptor;
pub(crate) mod fatal;
pub(crate) mod host;
mod in_program;
pub(crate) mod value;
