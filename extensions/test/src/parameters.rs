//! Components that only hold parameters, one of each type, and log them.
//!
//! The SDK has no type for maps; those parameters hold the YAML text of their value.

use gxf::prelude::*;
use gxf::{Complex64, Complex128, Yaml};

/// Defines a component that holds parameters and logs them at initialize.
macro_rules! holder {
    ($(#[$meta:meta])* $name:ident {
        $($(#[$field_meta:meta])* $field:ident: $type:ty,)*
    }) => {
        $(#[$meta])*
        #[derive(Component, Default)]
        #[component(lifecycle)]
        pub struct $name {
            $($(#[$field_meta])* $field: Parameter<$type>,)*
        }

        impl Lifecycle for $name {
            fn initialize(&self, _context: &ComponentContext) -> Result<()> {
                $(gxf::debug!("{} = {:?}", stringify!($field), self.$field.get());)*
                Ok(())
            }
        }
    };
}

/// Fails at initialize unless its parameters have the values their names promise.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct LoadParameterFromYamlTest {
    /// Must be true.
    fact: Parameter<bool>,
    /// Must be false.
    rumor: Parameter<bool>,
    /// Must be 42.
    forty_two: Parameter<i32>,
    /// Must be -1.
    minus_one: Parameter<i32>,
    /// Must be `hello`.
    some_text: Parameter<String>,
    /// Must be a list of maps in block style that begins with `{a: st, b: ee}`.
    more: Parameter<String>,
}

impl Lifecycle for LoadParameterFromYamlTest {
    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        expect("fact", &*self.fact, &true)?;
        expect("rumor", &*self.rumor, &false)?;
        expect("forty_two", &*self.forty_two, &42)?;
        expect("minus_one", &*self.minus_one, &-1)?;
        expect("some_text", self.some_text.as_str(), "hello")?;
        let begin: String = self.more.split_inclusive('\n').take(2).collect();
        expect("more", begin.as_str(), "- a: st\n  b: ee\n")
    }
}

fn expect<T: PartialEq + std::fmt::Debug + ?Sized>(
    parameter: &str,
    found: &T,
    expected: &T,
) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(Error::failure(format!("`{parameter}` is {found:?} instead of {expected:?}")))
}

holder! {
    /// Parameters with and without default, mandatory and optional.
    RegisterParameterInterfaceTest {
        /// Must be set.
        mandatory_no_default: i64,
        /// Has a default.
        #[parameter(default = 2)]
        mandatory_with_default: i64,
        /// May be unset.
        optional_no_default: Option<i64>,
        /// May be unset, and has a default.
        #[parameter(default = Some(4))]
        optional_with_default: Option<u64>,
        /// A text with a default.
        #[parameter(default = "Defaultvalueofstd::stringtext")]
        std_string_text: String,
        /// A truth value with a default.
        #[parameter(default = true)]
        bool_default: bool,
        /// A 64-bit float with a default.
        #[parameter(default = 0.5)]
        double_default: f64,
        /// A complex number of two 32-bit floats with a default.
        #[parameter(default = Complex64 { re: 1.0, im: -1.0 })]
        complex64: Complex64,
        /// A complex number of two 64-bit floats with a default.
        #[parameter(default = Complex128 { re: 2.0, im: -2.0 })]
        complex128: Complex128,
        /// A list of texts.
        custom_parameter: Vec<String>,
    }
}

holder! {
    /// A list with a limited length.
    FixedVectorParameterTest {
        /// Small numbers.
        fixed_vector_stack: Vec<u8>,
    }
}

holder! {
    /// Lists, arrays, lists of lists, maps and complex numbers.
    StdParameterTest {
        /// A list of integers.
        integers: Vec<i32>,
        /// A list of small numbers.
        my_unsigned_int8: Vec<u8>,
        /// A list of texts.
        strings: Vec<String>,
        /// A list of lists of floats.
        my_doubles: Vec<Vec<f64>>,
        /// A list of pairs of points of the plane.
        segments: Vec<[[f64; 2]; 2]>,
        /// A list of lists.
        rank_2_vector: Vec<Vec<u64>>,
        /// A list of lists of lists.
        rank_3_vector: Vec<Vec<Vec<u64>>>,
        /// A list of floats.
        vector_of_float: Vec<f64>,
        /// A list of allocators.
        vector_of_handles: Option<Vec<Handle<Allocator>>>,
        /// Exactly two integers.
        rank_1_array: [i32; 2],
        /// Exactly one row of exactly two integers.
        rank_2_array: [[u64; 2]; 1],
        /// Exactly two allocators.
        array_of_two_handles: Option<[Handle<Allocator>; 2]>,
        /// A map from texts to integers, as YAML text.
        string_to_int_map: Yaml,
        /// A map from texts to lists of floats, as YAML text.
        string_to_vector_map: Yaml,
        /// A complex number of two 32-bit floats.
        complex64: Complex64,
        /// A complex number of two 64-bit floats.
        complex128: Complex128,
    }
}

holder! {
    /// A handle.
    TestHandleParameter {
        /// An allocator.
        pool: Handle<Allocator>,
    }
}

holder! {
    /// One parameter of each type, alone, in lists, and in lists of lists.
    TestGxfParameterSetFromYamlNode {
        /// A truth value.
        bool: bool,
        /// An 8-bit integer.
        int8: i8,
        /// A 16-bit integer.
        int16: i16,
        /// A 32-bit integer.
        int32: i32,
        /// A 64-bit integer.
        int64: i64,
        /// An unsigned 8-bit integer.
        uint8: u8,
        /// An unsigned 16-bit integer.
        uint16: u16,
        /// An unsigned 32-bit integer.
        uint32: u32,
        /// An unsigned 64-bit integer.
        uint64: u64,
        /// A 32-bit float.
        float: f32,
        /// A 64-bit float.
        double: f64,
        /// A text.
        string: String,
        /// An allocator.
        handle: Handle<Allocator>,
        /// Truth values.
        vector_bool: Vec<bool>,
        /// 8-bit integers.
        vector_int8: Vec<i8>,
        /// 16-bit integers.
        vector_int16: Vec<i16>,
        /// 32-bit integers.
        vector_int32: Vec<i32>,
        /// 64-bit integers.
        vector_int64: Vec<i64>,
        /// Unsigned 8-bit integers.
        vector_uint8: Vec<u8>,
        /// Unsigned 16-bit integers.
        vector_uint16: Vec<u16>,
        /// Unsigned 32-bit integers.
        vector_uint32: Vec<u32>,
        /// Unsigned 64-bit integers.
        vector_uint64: Vec<u64>,
        /// 32-bit floats.
        vector_float: Vec<f32>,
        /// 64-bit floats.
        vector_double: Vec<f64>,
        /// Allocators.
        vector_handle: Vec<Handle<Allocator>>,
        /// Texts.
        vector_string: Vec<String>,
        /// Rows of truth values.
        vector_2d_bool: Vec<Vec<bool>>,
        /// Rows of 8-bit integers.
        vector_2d_int8: Vec<Vec<i8>>,
        /// Rows of 16-bit integers.
        vector_2d_int16: Vec<Vec<i16>>,
        /// Rows of 32-bit integers.
        vector_2d_int32: Vec<Vec<i32>>,
        /// Rows of 64-bit integers.
        vector_2d_int64: Vec<Vec<i64>>,
        /// Rows of unsigned 8-bit integers.
        vector_2d_uint8: Vec<Vec<u8>>,
        /// Rows of unsigned 16-bit integers.
        vector_2d_uint16: Vec<Vec<u16>>,
        /// Rows of unsigned 32-bit integers.
        vector_2d_uint32: Vec<Vec<u32>>,
        /// Rows of unsigned 64-bit integers.
        vector_2d_uint64: Vec<Vec<u64>>,
        /// Rows of 32-bit floats.
        vector_2d_float: Vec<Vec<f32>>,
        /// Rows of 64-bit floats.
        vector_2d_double: Vec<Vec<f64>>,
        /// Rows of texts.
        vector_2d_string: Vec<Vec<String>>,
        /// A complex number of two 32-bit floats.
        complex64: Complex64,
        /// A complex number of two 64-bit floats.
        complex128: Complex128,
    }
}

holder! {
    /// Lists and rows of numbers.
    VectorParameterTest {
        /// Five 64-bit floats.
        five_64_bit_floats: Vec<f64>,
        /// Five 64-bit integers.
        five_64_bit_ints: Vec<i64>,
        /// Five unsigned 64-bit integers.
        five_64_bit_unsigned_ints: Vec<u64>,
        /// Five 32-bit integers.
        five_32_bit_ints: Vec<i32>,
        /// Six 64-bit floats in rows.
        six_64_bit_float_2d: Vec<Vec<f64>>,
        /// Six 64-bit integers in rows.
        six_64_bit_int_2d: Vec<Vec<i64>>,
        /// Six unsigned 64-bit integers in rows.
        six_64_bit_uint_2d: Vec<Vec<u64>>,
        /// Six 32-bit integers in rows.
        six_32_bit_int_2d: Vec<Vec<i32>>,
    }
}

/// Longest text `string_5_value` may hold, in bytes.
const STRING_LIMIT: usize = 5;
/// Most numbers `int_vector_4_value` may hold.
const VECTOR_LIMIT: usize = 4;

/// Holds values of limited length, and logs them on every tick.
#[derive(Component, Default)]
pub struct TestConfigurationSet {
    /// A truth value.
    #[parameter(default = false)]
    bool_value: Parameter<bool>,
    /// A number.
    uint64_value: Parameter<u64>,
    /// A text of any length.
    string_value: Parameter<String>,
    /// A text of at most 5 bytes.
    string_5_value: Parameter<String>,
    /// At most 4 numbers.
    int_vector_4_value: Parameter<Vec<i32>>,
}

impl Codelet for TestConfigurationSet {
    fn initialize(&mut self, _context: &ComponentContext) -> Result<()> {
        at_most("string_5_value", self.string_5_value.len(), STRING_LIMIT)?;
        at_most("int_vector_4_value", self.int_vector_4_value.len(), VECTOR_LIMIT)
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        gxf::info!(
            "bool {}, uint64 {}, string `{}`, string of 5 `{}`, vector of 4 {:?}",
            *self.bool_value,
            *self.uint64_value,
            *self.string_value,
            *self.string_5_value,
            *self.int_vector_4_value
        );
        Ok(())
    }
}

fn at_most(parameter: &str, length: usize, limit: usize) -> Result<()> {
    if length <= limit {
        return Ok(());
    }
    Err(Error::new(
        ResultCode::PARAMETER_OUT_OF_RANGE,
        format!("`{parameter}` has length {length}, but the limit is {limit}"),
    ))
}
