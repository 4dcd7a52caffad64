//! Messages to recordings and back: shared by the recorders, replayers and entity serializers of
//! the extensions. The crate `gxf-recording` reads and writes the files.
//!
//! - [`MessageRecorder`]: messages to a recording, with their log times;
//! - [`Playback`]: the position of a replayer in a recording;
//! - [`foreign_types`]: types whose layout only their serializer knows;
//! - [`Entities`]: numbered entities in GXF's layout, the shared part of entity serializers;
//! - [`payloads`]: payloads in a stream, the shared part of component serializers.
#![forbid(unsafe_code)]

mod entities;
mod foreign;
pub mod payloads;
mod playback;
mod recorder;

pub use entities::Entities;
pub use foreign::foreign_types;
pub use playback::{Playback, Step, Wanted};
pub use recorder::MessageRecorder;

/// Turns an error of a recording, with its cause, into one of the graph.
fn failure(error: gxf_recording::Error) -> gxf::Error {
    let code = match &error {
        gxf_recording::Error::File { source, .. } => {
            gxf::Error::from(std::io::Error::from(source.kind())).code()
        }
        gxf_recording::Error::Frame { .. } => gxf::ResultCode::INVALID_DATA_FORMAT,
        _ => gxf::ResultCode::FAILURE,
    };
    let cause = std::error::Error::source(&error);
    let text = cause.map_or(error.to_string(), |cause| format!("{error}: {cause}"));
    gxf::Error::new(code, text)
}
