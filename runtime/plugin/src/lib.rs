//! The ABI boundary from the runtime's side: everything that reads or calls an extension's code,
//! and the messages that both share.
//!
//! - [`loader`]: finds and opens a library, checks its descriptor, reads its types;
//!   [`known_missing`]: libraries and types of GXF that gxe does not have; [`aliases`]: Holoscan's
//!   names of types;
//! - [`descriptor`]: reads an extension's description of its types, of any ABI minor version;
//!   [`registry`]: the types of a context by id and by name;
//! - [`component`]: a component instance: memory, parameters, interfaces, calls of a codelet;
//!   [`value`]: conversion of parameter values to and from their ABI form;
//! - [`message`]: the pool of messages; [`id`]: ids with a generation;
//! - [`call_note`]: whose code each thread is calling; [`reported`]: the text of an error, which
//!   accompanies its code; [`wake_token`]: the tokens that extensions wake entities with.
//!
//! Only this crate and the host table of `gxf-runtime` may call code through a pointer from an
//! extension. This crate imports [`gxf_app`], [`gxf_sync`], the SDK and the ABI. It knows neither
//! entities nor schedulers.

pub mod aliases;
pub mod call_note;
pub mod component;
pub mod descriptor;
pub mod id;
pub mod known_missing;
pub mod loader;
pub mod message;
pub mod registry;
pub mod reported;
pub mod value;
pub mod wake_token;

pub use registry::{ExtensionInfo, PortType, TypeInfo};
