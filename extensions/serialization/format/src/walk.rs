//! Walks through the components of one entity.
//!
//! A walk trusts no length: it never reads past its end, allocates nothing, and advances by at
//! least 32 bytes per component, whatever the stated number of components.

use crate::error::FrameError;
use crate::layout::{
    COMPONENT_HEADER_SIZE, ComponentHeader, ENTITY_HEADER_SIZE, EntityHeader, TENSOR_HEADER_SIZE,
    TensorHeader,
};
use crate::multimedia::{AUDIO_HEADER_SIZE, AudioHeader, VIDEO_HEADER_SIZE, VideoHeader};
use crate::source::Source;
use crate::type_id::TypeId;
use core::fmt;
use core::ops::Range;

/// What [`FrameError::Truncated`] calls the name of a component.
pub const NAME: &str = "the name";

/// The payload of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// A tensor.
    Tensor(TensorHeader),
    /// A video frame.
    Video(VideoHeader),
    /// A piece of sound.
    Audio(AudioHeader),
    /// A payload of fixed size, with the name of its type.
    Plain(&'static str),
}

impl fmt::Display for Payload {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tensor(header) => write!(formatter, "Tensor {header}"),
            Self::Video(header) => write!(formatter, "VideoBuffer {header}"),
            Self::Audio(header) => write!(formatter, "AudioBuffer {header}"),
            Self::Plain(name) => formatter.write_str(name),
        }
    }
}

/// One component of an entity. Ranges are offsets in the entities file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its type.
    pub tid: TypeId,
    /// Where its name is.
    pub name: Range<u64>,
    /// Its payload.
    pub payload: Payload,
    /// Where the payload is, a tensor's header included.
    pub bytes: Range<u64>,
}

/// Types of a fixed size in the stock serializers: id, name, size in bytes.
const PLAIN: [(TypeId, &str, u64); 16] = [
    (TypeId::TIMESTAMP, "Timestamp", 16),
    (TypeId(0x83905c6aca344f40, 0xb474cf2cde8274de), "int8", 1),
    (TypeId(0xd4299e150006d0bf, 0x8cbd9b743575e155), "uint8", 1),
    (TypeId(0x9e1dde793550307d, 0xe81ab864890b3685), "int16", 2),
    (TypeId(0x958cbdefb505bcc7, 0x8a43dc4b23f8cead), "uint16", 2),
    (TypeId(0xb557ec7f49a508f7, 0xa35e086e9d1ea767), "int32", 4),
    (TypeId(0xd5506b685c86fedb, 0xa2a2a7bae38ff3ef), "uint32", 4),
    (TypeId(0xc611627b6393365f, 0xd2341f26bfa8d28f), "int64", 8),
    (TypeId(0xc4385f5b6e2501d9, 0xd7b56e7cadc704e8), "uint64", 8),
    (TypeId(0xa81bf295421f49ef, 0xf24af59e9ea0d5d6), "float32", 4),
    (TypeId(0xd57cee59686fe26d, 0x95be659c126b02ea), "float64", 8),
    (TypeId(0xc02f9e93d01b1d29, 0xf52378d2a9195128), "bool", 1),
    (TypeId(0x97edf9034ea54e59, 0x8a44de9754d40b7f), "complex64", 8),
    (TypeId(0x0a401e6d4ca74d21, 0xa6a0fe6a2fcc37ea), "complex128", 16),
    (TypeId(0xbac444bdf13b4927, 0x85c1db5e1947f890), "CameraModel", 64),
    (TypeId(0xda8387d9d8ab425f, 0x909b814694f148ef), "Pose3D", 48),
];

/// The types a walk knows.
pub fn known_types() -> impl Iterator<Item = TypeId> {
    let fixed = PLAIN.iter().map(|(tid, ..)| *tid);
    [TypeId::TENSOR, TypeId::VIDEO_BUFFER, TypeId::AUDIO_BUFFER].into_iter().chain(fixed)
}

/// Id and size in bytes of the type with this name, if it is one of a fixed size.
#[must_use]
pub fn plain_type(name: &str) -> Option<(TypeId, u64)> {
    let known = PLAIN.iter().find(|(_, known, _)| *known == name);
    known.map(|(tid, _, size)| (*tid, *size))
}

/// Bytes of a type of fixed size.
#[must_use]
pub fn plain_size(tid: TypeId) -> Option<u64> {
    PLAIN.iter().find(|(known, ..)| *known == tid).map(|(_, _, size)| *size)
}

/// A walk through one entity.
pub struct EntityWalk<'a, S: ?Sized> {
    source: &'a S,
    foreign: &'a [TypeId],
    header: EntityHeader,
    position: u64,
    end: u64,
    component: u64,
}

impl<'a, S: Source + ?Sized> EntityWalk<'a, S> {
    /// Starts at `offset`. The entity may reach up to `end`, which must not be past the end of the
    /// file.
    ///
    /// # Errors
    /// There is no room for a header.
    pub fn begin(source: &'a S, offset: u64, end: u64) -> Result<Self, FrameError> {
        let available = end.saturating_sub(offset);
        if available < ENTITY_HEADER_SIZE {
            return Err(FrameError::NoHeader { available });
        }
        let mut bytes = [0; ENTITY_HEADER_SIZE as usize];
        source.read_exact_at(&mut bytes, offset)?;
        let header = EntityHeader::from_bytes(&bytes);
        let position = offset + ENTITY_HEADER_SIZE;
        Ok(Self { source, foreign: &[], header, position, end, component: 0 })
    }

    /// Treats these types as unknown, because their writer may have its own layout for them.
    #[must_use]
    pub fn with_foreign(self, foreign: &'a [TypeId]) -> Self {
        Self { foreign, ..self }
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &EntityHeader {
        &self.header
    }

    /// Where the next component starts; after the last one, where the entity ends.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The next component, `None` after the last one.
    ///
    /// # Errors
    /// It reaches past the end, contradicts itself, or is of an unknown type.
    pub fn next_component(&mut self) -> Result<Option<Component>, FrameError> {
        if self.component >= self.header.component_count {
            return Ok(None);
        }
        let mut bytes = [0; COMPONENT_HEADER_SIZE as usize];
        let start = self.take("the header", COMPONENT_HEADER_SIZE)?.start;
        self.source.read_exact_at(&mut bytes, start)?;
        let header = ComponentHeader::from_bytes(&bytes);
        let name = self.take(NAME, header.name_size)?;
        let start = self.position;
        let payload = match header.tid {
            tid if self.foreign.contains(&tid) => {
                return Err(FrameError::UnknownType { component: self.component, tid });
            }
            TypeId::TENSOR => Payload::Tensor(self.tensor()?),
            TypeId::VIDEO_BUFFER => Payload::Video(self.video()?),
            TypeId::AUDIO_BUFFER => Payload::Audio(self.audio()?),
            tid => Payload::Plain(self.plain(tid)?),
        };
        self.component += 1;
        let component = Component { tid: header.tid, name, payload, bytes: start..self.position };
        Ok(Some(component))
    }

    /// Walks through all components and returns where the entity ends.
    ///
    /// # Errors
    /// As [`Self::next_component`].
    pub fn finish(mut self) -> Result<u64, FrameError> {
        while self.next_component()?.is_some() {}
        Ok(self.position)
    }

    /// The name of a component, at most 256 bytes of it.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn name(&self, component: &Component) -> Result<String, FrameError> {
        let size = (component.name.end - component.name.start).min(256);
        let mut bytes = vec![0; usize::try_from(size).unwrap_or(256)];
        self.source.read_exact_at(&mut bytes, component.name.start)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn tensor(&mut self) -> Result<TensorHeader, FrameError> {
        let bytes = self.header_bytes::<{ TENSOR_HEADER_SIZE as usize }>("the tensor header")?;
        let header = TensorHeader::from_bytes(&bytes);
        let component = self.component;
        let size =
            header.data_size().map_err(|problem| FrameError::Tensor { component, problem })?;
        self.take("the data", size)?;
        Ok(header)
    }

    fn video(&mut self) -> Result<VideoHeader, FrameError> {
        let bytes = self.header_bytes::<{ VIDEO_HEADER_SIZE as usize }>("the video header")?;
        let header = VideoHeader::from_bytes(&bytes);
        let (what, component) = ("video frame", self.component);
        self.take("the data", header.data_size.ok_or(FrameError::NoSize { what, component })?)?;
        Ok(header)
    }

    fn audio(&mut self) -> Result<AudioHeader, FrameError> {
        let bytes = self.header_bytes::<{ AUDIO_HEADER_SIZE as usize }>("the sound header")?;
        let header = AudioHeader::from_bytes(&bytes);
        let (what, component) = ("sound", self.component);
        self.take("the data", header.data_size().ok_or(FrameError::NoSize { what, component })?)?;
        Ok(header)
    }

    fn plain(&mut self, tid: TypeId) -> Result<&'static str, FrameError> {
        let known = PLAIN.iter().find(|(known, ..)| *known == tid);
        let component = self.component;
        let (_, what, size) = known.ok_or(FrameError::UnknownType { component, tid })?;
        self.take("the payload", *size)?;
        Ok(what)
    }

    fn header_bytes<const SIZE: usize>(
        &mut self,
        what: &'static str,
    ) -> Result<[u8; SIZE], FrameError> {
        let start = self.take(what, SIZE as u64)?.start;
        let mut bytes = [0; SIZE];
        self.source.read_exact_at(&mut bytes, start)?;
        Ok(bytes)
    }

    /// Steps over bytes that must be there.
    fn take(&mut self, what: &'static str, needed: u64) -> Result<Range<u64>, FrameError> {
        let available = self.end - self.position;
        if needed > available {
            let component = self.component;
            return Err(FrameError::Truncated { what, component, needed, available });
        }
        let start = self.position;
        self.position += needed;
        Ok(start..self.position)
    }
}

/// Length of the entity that starts at `start` and ends at `end` at the latest, if there is one.
pub fn entity_at<S: Source + ?Sized>(source: &S, start: u64, end: u64) -> Option<u64> {
    let walk = EntityWalk::begin(source, start, end).ok()?;
    // Zeros look like an entity without components.
    if walk.header().component_count == 0 {
        return None;
    }
    let size = walk.finish().ok()? - start;
    debug_assert!(size > ENTITY_HEADER_SIZE, "a component has a header");
    Some(size)
}

/// Number of whole entities, back to back, at the start of a range, and where the last one ends.
pub fn entities_in<S: Source + ?Sized>(source: &S, range: Range<u64>) -> (u64, u64) {
    let (mut count, mut position) = (0, range.start);
    while let Some(size) = entity_at(source, position, range.end) {
        (count, position) = (count + 1, position + size);
    }
    (count, position)
}
