//! Element types and pixel formats, and their names in YAML.

use gxf::PrimitiveType;
use std::fmt;

/// A result, or a text that says why there is none.
pub type Possible<T> = Result<T, String>;

/// Element types the converter supports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    U8,
    U16,
    F16,
    F32,
    F64,
}

impl Element {
    pub const ALL: [Self; 5] = [Self::U8, Self::U16, Self::F16, Self::F32, Self::F64];

    pub fn name(self) -> &'static str {
        self.primitive().name()
    }

    pub fn primitive(self) -> PrimitiveType {
        match self {
            Self::U8 => PrimitiveType::UNSIGNED8,
            Self::U16 => PrimitiveType::UNSIGNED16,
            Self::F16 => PrimitiveType::FLOAT16,
            Self::F32 => PrimitiveType::FLOAT32,
            Self::F64 => PrimitiveType::FLOAT64,
        }
    }

    /// Size in bytes.
    pub fn size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 | Self::F16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    pub fn of_primitive(primitive: PrimitiveType) -> Option<Self> {
        Self::ALL.into_iter().find(|element| element.primitive() == primitive)
    }
}

/// Order of colours in a picture of `uint8`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pixels {
    Gray,
    Rgb,
    Bgr,
    Rgba,
    Bgra,
    /// Plane Y, then U and V in turns at half width and height (BT.601, limited range).
    Nv12,
    /// Planes Y, U and V, the last two at half width and height (BT.601, limited range).
    Yuv420,
}

impl Pixels {
    /// Its names, the usual one first.
    const NAMES: [(Self, &'static [&'static str]); 7] = [
        (Self::Gray, &["gray8", "gray"]),
        (Self::Rgb, &["rgb888", "rgb"]),
        (Self::Bgr, &["bgr888", "bgr"]),
        (Self::Rgba, &["rgba8888", "rgba"]),
        (Self::Bgra, &["bgra8888", "bgra"]),
        (Self::Nv12, &["nv12"]),
        (Self::Yuv420, &["yuv420"]),
    ];

    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(pixels, _)| *pixels == self).map_or("", |(_, names)| names[0])
    }

    /// Elements of a pixel; 1 for planes.
    pub fn channels(self) -> usize {
        match self {
            Self::Gray | Self::Nv12 | Self::Yuv420 => 1,
            Self::Rgb | Self::Bgr => 3,
            Self::Rgba | Self::Bgra => 4,
        }
    }

    pub fn is_planar(self) -> bool {
        matches!(self, Self::Nv12 | Self::Yuv420)
    }
}

/// A value of `in_dtype` or `out_dtype`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Elements of a type, whatever the colours.
    Elements(Element),
    /// Colours, as `uint8`.
    Pixels(Pixels),
}

impl Format {
    /// Reads the value of a parameter; the error lists all values.
    pub fn parse(word: &str) -> Possible<Self> {
        let elements = Element::ALL.into_iter();
        if let Some(element) = elements.clone().find(|element| element.name() == word) {
            return Ok(Self::Elements(element));
        }
        let pixels = Pixels::NAMES.iter().find(|(_, names)| names.contains(&word));
        pixels.map(|(pixels, _)| Self::Pixels(*pixels)).ok_or_else(|| {
            let pixels = Pixels::NAMES.iter().map(|(_, names)| names[0]);
            let known: Vec<_> = elements.map(Element::name).chain(pixels).collect();
            format!("`{word}` is not known; there are {}", known.join(", "))
        })
    }

    pub fn element(self) -> Element {
        match self {
            Self::Elements(element) => element,
            Self::Pixels(_) => Element::U8,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Elements(element) => element.name(),
            Self::Pixels(pixels) => pixels.name(),
        })
    }
}
