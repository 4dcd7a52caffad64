//! An independent writer of recordings.
//!
//! It shares no code with the crate `gxf-recording` and was written only from the description of
//! the format (ARCHITECTURE, section on recordings), so that a mistake in the crate is not repeated
//! here.

use std::path::Path;

/// The two files of a recording as bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// `NAME.gxf_index`.
    pub index: Vec<u8>,
    /// `NAME.gxf_entities`.
    pub entities: Vec<u8>,
}

/// A component of a frame.
#[derive(Clone, Debug)]
pub enum Component {
    /// A tensor without gaps between its elements.
    Tensor {
        /// Name in the message.
        name: String,
        /// 0 host, 1 device, 2 system.
        storage: i32,
        /// GXF's number of the element type.
        element: i32,
        /// Size of an element in bytes.
        element_size: u64,
        /// Up to 8 dimensions.
        shape: Vec<i32>,
        /// The elements.
        data: Vec<u8>,
    },
    /// A payload, written unchanged.
    Raw {
        /// Name in the message.
        name: String,
        /// Both halves of its type id.
        tid: (u64, u64),
        /// Its bytes.
        bytes: Vec<u8>,
    },
}

/// Type id of GXF's Timestamp.
pub const TIMESTAMP: (u64, u64) = (0xd1095b105c904bbc, 0xbc89601134cb4e03);
/// Type id of GXF's VideoBuffer.
pub const VIDEO_BUFFER: (u64, u64) = (0x16ad58c8b463422c, 0xb09761a9acc5050e);
/// Type id of GXF's AudioBuffer.
pub const AUDIO_BUFFER: (u64, u64) = (0xa914cac65f19449d, 0x9ade8c5cdcebe7c3);
/// Type id of GXF's Tensor.
pub const TENSOR: (u64, u64) = (0x377501d69abf447c, 0xa6170114d4f33ab8);

/// A picture as NVIDIA's converter writes it, in host memory: rows, columns and 3 channels of
/// `uint8`, derived from `seed`.
#[must_use]
pub fn picture(height: i32, width: i32, seed: u8) -> Component {
    let size = usize::try_from(height * width * 3).expect("a size");
    let data = (0..size).map(|index| (index as u8).wrapping_mul(7).wrapping_add(seed)).collect();
    Component::Tensor {
        name: String::new(),
        storage: 0,
        element: 2,
        element_size: 1,
        shape: vec![height, width, 3],
        data,
    }
}

/// A video frame of format NV12 in host memory: rows of `width` bytes, `stride` bytes apart.
#[must_use]
pub fn nv12(width: u32, height: u32, stride: u32) -> Component {
    let (luma, chroma) = (stride * height, stride * height / 2);
    let planes = [
        ("Y", 1_u8, stride, 0, width, height, luma),
        ("UV", 2, stride, luma, width / 2, height / 2, chroma),
    ];
    frame(width, height, 5, &planes)
}

/// A video frame of format RGB in host memory.
#[must_use]
pub fn rgb_frame(width: u32, height: u32, stride: u32) -> Component {
    frame(width, height, 17, &[("RGB", 3, stride, 0, width, height, stride * height)])
}

/// Name, bytes of a pixel, stride, offset, width, height and size of a plane.
type Plane = (&'static str, u8, u32, u32, u32, u32, u32);

fn frame(width: u32, height: u32, format: i64, planes: &[Plane]) -> Component {
    let mut bytes = Vec::new();
    for number in [width, height, 0] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(format.to_le_bytes());
    let none = ("", 0, 0, 0, 0, 0, 0);
    for place in 0..4 {
        let (name, pixel, stride, offset, width, height, size) =
            *planes.get(place).unwrap_or(&none);
        let mut text = name.as_bytes().to_vec();
        text.resize(256, 0);
        bytes.extend(text);
        bytes.push(pixel);
        for number in [stride, offset, width, height] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(u64::from(size).to_le_bytes());
    }
    let pitch_linear = 1_u32;
    for number in [pitch_linear, planes.len() as u32] {
        bytes.extend(number.to_le_bytes());
    }
    let size: u32 = planes.iter().map(|plane| plane.6).sum();
    bytes.extend((0..size).map(|index| (index * 13 % 256) as u8));
    Component::Raw { name: "video".to_owned(), tid: VIDEO_BUFFER, bytes }
}

impl Files {
    /// Appends a frame.
    pub fn add(&mut self, log_time: u64, components: &[Component]) {
        let sequence = self.index.len() as u64 / 24;
        let entity = entity(sequence, components);
        let offset = self.entities.len() as u64;
        for number in [log_time, entity.len() as u64, offset] {
            self.index.extend(number.to_le_bytes());
        }
        self.entities.extend(entity);
    }

    /// Writes both files.
    pub fn write(&self, folder: &Path, name: &str) {
        let put = |ending, bytes: &[u8]| {
            std::fs::write(folder.join(format!("{name}{ending}")), bytes).expect("a file");
        };
        put(".gxf_index", &self.index);
        put(".gxf_entities", &self.entities);
    }

    /// Reads both files.
    #[must_use]
    pub fn read(folder: &Path, name: &str) -> Self {
        let get = |ending| {
            let path = folder.join(format!("{name}{ending}"));
            std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        Self { index: get(".gxf_index"), entities: get(".gxf_entities") }
    }
}

/// Number of complete records in the index of a recording, 0 when there is none.
#[must_use]
pub fn index_records(folder: &Path, name: &str) -> usize {
    let index = folder.join(format!("{name}.gxf_index"));
    std::fs::metadata(index).map_or(0, |file| file.len() as usize / 24)
}

fn entity(sequence: u64, components: &[Component]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend(0_u32.to_le_bytes());
    bytes.extend(sequence.to_le_bytes());
    bytes.extend(0_u32.to_le_bytes());
    bytes.extend((components.len() as u64).to_le_bytes());
    bytes.extend(0_u64.to_le_bytes());
    for component in components {
        let (name, tid) = match component {
            Component::Tensor { name, .. } => (name, TENSOR),
            Component::Raw { name, tid, .. } => (name, *tid),
        };
        for number in [0, tid.0, tid.1, name.len() as u64] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(name.as_bytes());
        match component {
            Component::Raw { bytes: payload, .. } => bytes.extend(payload),
            Component::Tensor { storage, element, element_size, shape, data, .. } => {
                bytes.extend(storage.to_le_bytes());
                bytes.extend(element.to_le_bytes());
                bytes.extend(element_size.to_le_bytes());
                bytes.extend((shape.len() as u32).to_le_bytes());
                for index in 0..8 {
                    bytes.extend(shape.get(index).copied().unwrap_or(1).to_le_bytes());
                }
                for index in 0..8 {
                    let inner = shape.get(index + 1..).unwrap_or_default();
                    let stride = inner.iter().fold(*element_size, |size, &n| size * n as u64);
                    let stride = if index < shape.len() { stride } else { 0 };
                    bytes.extend(stride.to_le_bytes());
                }
                bytes.extend(data);
            }
        }
    }
    bytes
}
