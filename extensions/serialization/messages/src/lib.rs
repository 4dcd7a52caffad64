//! Messages to recordings and back: what the recorders, replayers and entity serializers of the
//! extensions share. The files themselves are those of the crate `gxf-recording`.
//!
//! - [`MessageRecorder`]: messages to a recording, with their log times;
//! - [`Playback`]: where a replayer stands in a recording;
//! - [`Entities`]: entities in GXF's layout, numbered; what entity serializers are made of.
#![forbid(unsafe_code)]

mod entities;
mod playback;
mod recorder;

pub use entities::Entities;
pub use playback::{Playback, Step, Wanted};
pub use recorder::MessageRecorder;

/// An error of a recording with its cause, in the words of the graph.
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
