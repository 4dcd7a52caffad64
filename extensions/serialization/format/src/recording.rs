//! `Recording`: frames by number.

use crate::error::{Error, FrameError, Result};
use crate::layout::{ENTITY_HEADER_SIZE, INDEX_RECORD_SIZE, IndexRecord};
use crate::paths::RecordingPaths;
use crate::source::{Source, only_files};
use crate::type_id::TypeId;
use crate::walk::EntityWalk;
use std::fs::{File, TryLockError};
use std::path::Path;

/// A recording open for reading. It may grow meanwhile; the sizes at opening count.
pub struct Recording<S = File> {
    index: S,
    entities: S,
    index_size: u64,
    entities_size: u64,
    is_growing: bool,
    foreign: Vec<TypeId>,
}

impl Recording<File> {
    /// Opens both files and locks writers out while the recording lives.
    ///
    /// # Errors
    /// A file cannot be opened, or a recorder is about to overwrite both.
    pub fn open(paths: &RecordingPaths) -> Result<Self> {
        let index = open_file(&paths.index)?;
        let entities = open_file(&paths.entities)?;
        // A recorder that is still writing holds the locks; the frames it has finished are
        // readable.
        let is_locked =
            |file: &File| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        let locked = [&index, &entities].map(is_locked);
        if locked == [true, false] {
            // It waits for its first frame.
            return Err(Error::InUse { path: paths.index.clone() });
        }
        Ok(Self { is_growing: locked != [false; 2], ..Self::new(index, entities)? })
    }
}

impl<S: Source> Recording<S> {
    /// A recording of these two sources.
    ///
    /// # Errors
    /// The size of a source is unknown.
    pub fn new(index: S, entities: S) -> Result<Self> {
        // The index first: a frame is in the entities file before it is in the index.
        let index_size = index.size().map_err(Error::Read)?;
        let entities_size = entities.size().map_err(Error::Read)?;
        Ok(Self {
            index,
            entities,
            index_size,
            entities_size,
            is_growing: false,
            foreign: Vec::new(),
        })
    }

    /// Treats these types as unknown, because the reader's serializer may have its own layout for
    /// them.
    #[must_use]
    pub fn with_foreign(self, foreign: Vec<TypeId>) -> Self {
        Self { foreign, ..self }
    }

    /// Number of complete index records.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.index_size / INDEX_RECORD_SIZE
    }

    /// Number of index records worth reading: at most one more than the entities file has room for.
    /// A sparse index can be larger than any disk.
    #[must_use]
    pub fn plausible_frames(&self) -> u64 {
        self.frames().min(self.entities_size / ENTITY_HEADER_SIZE + 1)
    }

    /// Whether a recorder is still writing: its latest frame may not be in the index yet.
    #[must_use]
    pub fn is_growing(&self) -> bool {
        self.is_growing
    }

    /// Bytes after the last complete record of the index: the rest of one that a crash interrupted.
    #[must_use]
    pub fn index_remainder(&self) -> u64 {
        self.index_size % INDEX_RECORD_SIZE
    }

    /// Length of the entities file in bytes.
    #[must_use]
    pub fn entities_size(&self) -> u64 {
        self.entities_size
    }

    /// The entities file.
    #[must_use]
    pub fn entities(&self) -> &S {
        &self.entities
    }

    /// The index record of a frame, unchecked.
    ///
    /// # Errors
    /// There is no such frame, or it cannot be read.
    pub fn raw_record(&self, number: u64) -> Result<IndexRecord> {
        if number >= self.frames() {
            return Err(Error::NoFrame { number, frames: self.frames() });
        }
        let mut bytes = [0; INDEX_RECORD_SIZE as usize];
        let offset = number * INDEX_RECORD_SIZE;
        self.index.read_exact_at(&mut bytes, offset).map_err(Error::Read)?;
        Ok(IndexRecord::from_bytes(&bytes))
    }

    /// The index record of a frame that lies within the entities file.
    ///
    /// # Errors
    /// There is no such frame, or the record is damaged.
    pub fn record(&self, number: u64) -> Result<IndexRecord> {
        let record = self.raw_record(number)?;
        match self.bounds(&record) {
            Ok(_) => Ok(record),
            Err(error) => Err(Error::Frame { number, error }),
        }
    }

    /// Where a frame with this record ends.
    ///
    /// # Errors
    /// Not within the entities file, or too short for an entity.
    pub fn bounds(&self, record: &IndexRecord) -> Result<u64, FrameError> {
        let end = self.end(record)?;
        let size = record.data_size;
        if size < ENTITY_HEADER_SIZE { Err(FrameError::TooShort { size }) } else { Ok(end) }
    }

    /// Where a frame with this record ends, whatever its content.
    ///
    /// # Errors
    /// Not within the entities file.
    pub fn end(&self, record: &IndexRecord) -> Result<u64, FrameError> {
        let IndexRecord { data_size: size, data_offset: offset, .. } = *record;
        let end = record.end().filter(|end| *end <= self.entities_size);
        end.ok_or(FrameError::OutsideFile { size, offset, available: self.entities_size })
    }

    /// A walk through the frame with this record.
    ///
    /// # Errors
    /// As [`Self::bounds`], or its header cannot be read.
    pub fn walk(&self, record: &IndexRecord) -> Result<EntityWalk<'_, S>, FrameError> {
        let end = self.bounds(record)?;
        let walk = EntityWalk::begin(&self.entities, record.data_offset, end)?;
        Ok(walk.with_foreign(&self.foreign))
    }

    /// Checks the lengths in a frame, and that its components fill it exactly. A component of an
    /// unknown type ends the check.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, record: &IndexRecord) -> Result<(), FrameError> {
        let end = self.bounds(record)?;
        let position = match self.walk(record)?.finish() {
            Err(FrameError::UnknownType { .. }) => return Ok(()),
            walked => walked?,
        };
        if position == end { Ok(()) } else { Err(FrameError::TooLong { left: end - position }) }
    }
}

/// Opens one file of a recording for reading.
///
/// # Errors
/// It cannot be opened, or is not a file: opening a pipe would wait for its other end.
pub fn open_file(path: &Path) -> Result<File> {
    let opened = only_files(path).and_then(|()| File::open(path));
    opened.map_err(|source| Error::File { path: path.to_owned(), action: "opened", source })
}
