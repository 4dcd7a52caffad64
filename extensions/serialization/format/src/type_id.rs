//! `TypeId`: the type of a component.

use core::fmt;

/// Id of a component type, as two halves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub u64, pub u64);

impl TypeId {
    /// `nvidia::gxf::Tensor`.
    pub const TENSOR: Self = Self(0x377501d69abf447c, 0xa6170114d4f33ab8);
    /// `nvidia::gxf::VideoBuffer`.
    pub const VIDEO_BUFFER: Self = Self(0x16ad58c8b463422c, 0xb09761a9acc5050e);
    /// `nvidia::gxf::AudioBuffer`.
    pub const AUDIO_BUFFER: Self = Self(0xa914cac65f19449d, 0x9ade8c5cdcebe7c3);
    /// `nvidia::gxf::Timestamp`.
    pub const TIMESTAMP: Self = Self(0xd1095b105c904bbc, 0xbc89601134cb4e03);
}

impl fmt::Display for TypeId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}{:016x}", self.0, self.1)
    }
}
