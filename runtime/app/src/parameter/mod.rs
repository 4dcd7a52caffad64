//! Descriptions and values of parameters. `read.rs` reads a value from YAML according to its
//! description; `fixit.rs` knows the notation of other languages.

mod fixit;
mod read;

pub use super::handle_text::HandleText;
use gxf_plugin_abi::{PARAMETER_MAX_RANK, ParameterType, Tid, Uid};
pub use read::parse_value;
use std::fmt;

/// The description of one parameter of a component type; the owned counterpart of
/// [`gxf_plugin_abi::ParameterDescriptor`].
#[derive(Clone, Debug)]
pub struct ParameterSpec {
    /// Name in YAML.
    pub key: String,
    /// Short title; may be empty.
    pub headline: String,
    /// Full description; may be empty.
    pub description: String,
    /// Physical unit.
    pub unit: Option<String>,
    /// Any of `PARAMETER_OPTIONAL`, `PARAMETER_DYNAMIC`.
    pub flags: u32,
    /// Type of the elements.
    pub element: ParameterType,
    /// 0 for one element, 1 for a list, 2 for a list of lists, ….
    pub rank: u32,
    /// Length of each dimension; -1 for any length. Only the first `rank` entries are used.
    pub shape: [i32; PARAMETER_MAX_RANK],
    /// Required type of a handle; null for other parameters.
    pub handle_tid: Tid,
    /// Value that applies if the file gives none.
    pub default: Option<ParameterValue>,
    /// Smallest allowed number.
    pub minimum: Option<Number>,
    /// Largest allowed number.
    pub maximum: Option<Number>,
    /// A value outside of the limits is an error. GXF ignores limits, so those of extensions in C
    /// and C++ only advise.
    pub limits_bind: bool,
    /// Step between allowed numbers, for editors.
    pub step: Option<Number>,
    /// The only texts allowed; empty for any text.
    pub choices: Vec<String>,
}

impl ParameterSpec {
    /// A parameter with only a key, a type and a rank; lists may have any length.
    #[must_use]
    pub fn new(key: impl Into<String>, element: ParameterType, rank: u32) -> Self {
        Self {
            key: key.into(),
            headline: String::new(),
            description: String::new(),
            unit: None,
            flags: 0,
            element,
            rank,
            shape: [-1; PARAMETER_MAX_RANK],
            handle_tid: Tid::NULL,
            default: None,
            minimum: None,
            maximum: None,
            limits_bind: true,
            step: None,
            choices: Vec::new(),
        }
    }

    /// The limits in words, such as "from 0 to 10 ms".
    pub fn limits(&self) -> String {
        let unit = self.unit.as_deref().map(|unit| format!(" {unit}")).unwrap_or_default();
        match (self.minimum, self.maximum) {
            (Some(minimum), Some(maximum)) => format!("from {minimum} to {maximum}{unit}"),
            (Some(minimum), None) => format!("{minimum}{unit} or more"),
            (None, Some(maximum)) => format!("{maximum}{unit} or less"),
            (None, None) => "any number".to_owned(),
        }
    }

    /// Whether a number is within the limits, bind they or not; NaN never is if there are any.
    pub fn allows(&self, number: Number) -> bool {
        self.minimum.is_none_or(|minimum| number >= minimum)
            && self.maximum.is_none_or(|maximum| number <= maximum)
    }
}

/// A limit of a numeric parameter. Integers are exact for every integer type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Limit of an integer parameter.
    Integer(i128),
    /// Limit of a float parameter.
    Float(f64),
}

impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => write!(formatter, "{value}"),
            Self::Float(value) => write!(formatter, "{value}"),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        let float = |number: &Self| match number {
            Self::Integer(value) => *value as f64,
            Self::Float(value) => *value,
        };
        match (self, other) {
            (Self::Integer(one), Self::Integer(two)) => one.partial_cmp(two),
            _ => float(self).partial_cmp(&float(other)),
        }
    }
}

/// The value of a parameter. Handles are texts until their target is found.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterValue {
    /// `BOOL`
    Bool(bool),
    /// `INT8`
    Int8(i8),
    /// `INT16`
    Int16(i16),
    /// `INT32`
    Int32(i32),
    /// `INT64`
    Int64(i64),
    /// `UINT8`
    UInt8(u8),
    /// `UINT16`
    UInt16(u16),
    /// `UINT32`
    UInt32(u32),
    /// `UINT64`
    UInt64(u64),
    /// `FLOAT32`
    Float32(f32),
    /// `FLOAT64`
    Float64(f64),
    /// `STRING`
    String(String),
    /// `FILE`: a path
    File(String),
    /// `HANDLE`; boxed to keep long lists of numbers small
    Handle(Box<HandleText>),
    /// `HANDLE`, once the target is found
    Component(Uid),
    /// `TID`
    Tid(Tid),
    /// `COMPLEX64`: real and imaginary part
    Complex64([f32; 2]),
    /// `COMPLEX128`: real and imaginary part
    Complex128([f64; 2]),
    /// `CUSTOM`: the YAML text, for the component to read
    Custom(String),
    /// One dimension of a parameter with a rank above 0
    List(Vec<ParameterValue>),
}

impl ParameterValue {
    /// Whether the type and rank of this value match `spec`.
    #[must_use]
    pub fn fits(&self, spec: &ParameterSpec) -> bool {
        match self {
            Self::List(items) if spec.rank > 0 => {
                let below = ParameterSpec::new("", spec.element, spec.rank - 1);
                items.iter().all(|item| item.fits(&below))
            }
            _ => spec.rank == 0 && self.element() == Some(spec.element),
        }
    }

    /// Element type and rank of an undeclared value.
    #[must_use]
    pub fn natural_type(&self) -> (ParameterType, u32) {
        match self {
            Self::List(items) => {
                let (element, rank) =
                    items.first().map_or((ParameterType::CUSTOM, 0), Self::natural_type);
                (element, rank + 1)
            }
            single => (single.element().unwrap_or(ParameterType::CUSTOM), 0),
        }
    }

    /// The value as a number to compare with limits; `None` if it is not a number.
    pub fn number(&self) -> Option<Number> {
        Some(match *self {
            Self::Int8(value) => Number::Integer(value.into()),
            Self::Int16(value) => Number::Integer(value.into()),
            Self::Int32(value) => Number::Integer(value.into()),
            Self::Int64(value) => Number::Integer(value.into()),
            Self::UInt8(value) => Number::Integer(value.into()),
            Self::UInt16(value) => Number::Integer(value.into()),
            Self::UInt32(value) => Number::Integer(value.into()),
            Self::UInt64(value) => Number::Integer(value.into()),
            Self::Float32(value) => Number::Float(value.into()),
            Self::Float64(value) => Number::Float(value),
            _ => return None,
        })
    }

    fn element(&self) -> Option<ParameterType> {
        Some(match self {
            Self::Bool(_) => ParameterType::BOOL,
            Self::Int8(_) => ParameterType::INT8,
            Self::Int16(_) => ParameterType::INT16,
            Self::Int32(_) => ParameterType::INT32,
            Self::Int64(_) => ParameterType::INT64,
            Self::UInt8(_) => ParameterType::UINT8,
            Self::UInt16(_) => ParameterType::UINT16,
            Self::UInt32(_) => ParameterType::UINT32,
            Self::UInt64(_) => ParameterType::UINT64,
            Self::Float32(_) => ParameterType::FLOAT32,
            Self::Float64(_) => ParameterType::FLOAT64,
            Self::String(_) => ParameterType::STRING,
            Self::File(_) => ParameterType::FILE,
            Self::Component(_) => ParameterType::HANDLE,
            Self::Tid(_) => ParameterType::TID,
            Self::Complex64(_) => ParameterType::COMPLEX64,
            Self::Complex128(_) => ParameterType::COMPLEX128,
            Self::Custom(_) => ParameterType::CUSTOM,
            Self::Handle(_) | Self::List(_) => return None,
        })
    }
}
