//! Copies some of the frames to a new recording.

use crate::error::{Error, Result};
use crate::layout::{ENTITY_HEADER_SIZE, EntityHeader};
use crate::recording::Recording;
use crate::source::Source;
use crate::writer::RecordingWriter;
use core::ops::Range;
use std::io::Write;

/// Size of a copied piece, in bytes.
const PIECE: u64 = 1024 * 1024;

/// Copies frames. Their sequence numbers start at 0 again, as in every recording; log times stay.
/// Calls `progress` with the number of frames done.
///
/// # Errors
/// A frame is damaged or missing, or a file cannot be read or written. Frames copied before stay.
pub fn cut<S: Source>(
    recording: &Recording<S>,
    frames: Range<u64>,
    writer: &mut RecordingWriter,
    progress: &mut dyn FnMut(u64),
) -> Result<()> {
    let mut piece = Vec::new();
    for (sequence_number, number) in (0..).zip(frames) {
        let record = recording.record(number)?;
        recording.check(&record).map_err(|error| Error::Frame { number, error })?;
        let walk = recording.walk(&record);
        let walk = walk.map_err(|error| Error::Frame { number, error })?;
        let header = EntityHeader { sequence_number, ..*walk.header() };
        write(writer, &header.to_bytes())?;
        let mut rest =
            record.data_offset + ENTITY_HEADER_SIZE..record.data_offset + record.data_size;
        while !rest.is_empty() {
            let size = (rest.end - rest.start).min(PIECE);
            piece.resize(usize::try_from(size).unwrap_or(0), 0);
            recording.entities().read_exact_at(&mut piece, rest.start).map_err(Error::Read)?;
            write(writer, &piece)?;
            rest.start += size;
        }
        writer.finish_frame(record.log_time)?;
        progress(sequence_number + 1);
    }
    Ok(())
}

fn write(writer: &mut RecordingWriter, bytes: &[u8]) -> Result<()> {
    writer.write_all(bytes).map_err(|source| Error::File {
        path: writer.paths().entities.clone(),
        action: "written",
        source,
    })
}
