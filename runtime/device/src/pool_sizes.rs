//! The sizes of a pool, as allocators have them as parameters.

use gxf::units::{UnitError, parse_byte_size, parse_byte_size_or_zero};
use gxf::{Error, Result, ResultCode};

/// GXF's default of the size that a pool reserves at the start.
pub const INITIAL_POOL_SIZE: &str = if cfg!(target_arch = "aarch64") { "8MB" } else { "16MB" };

/// The number of bytes that a parameter states, such as `16MB`.
///
/// # Errors
/// `PARAMETER_PARSER_ERROR`, with the name of the parameter.
pub fn size_parameter(key: &str, text: &str) -> Result<u64> {
    stated(key, parse_byte_size(text))
}

/// As [`size_parameter`], for a size that may be zero.
///
/// # Errors
/// As there.
pub fn size_or_zero_parameter(key: &str, text: &str) -> Result<u64> {
    stated(key, parse_byte_size_or_zero(text))
}

fn stated(key: &str, size: std::result::Result<u64, UnitError>) -> Result<u64> {
    size.map_err(|error| {
        Error::new(ResultCode::PARAMETER_PARSER_ERROR, format!("`{key}`: {error}"))
    })
}

/// What a pool of `kind` memory, `device` or `host`, reserves at the start, and the most it may have, in
/// bytes: what `KIND_memory_initial_size` states, and `KIND_memory_max_size` or its other name,
/// `KIND_max_memory_pool_size`; without either, twice the initial size.
///
/// # Errors
/// A text is no size, both names of the limit are set, or the pool would begin above it; the text names
/// the parameter.
pub fn pool_sizes(
    kind: &str,
    initial: &str,
    limit: Option<&str>,
    other: Option<&str>,
) -> Result<(u64, u64)> {
    let initial = size_parameter(&format!("{kind}_memory_initial_size"), initial)?;
    let limit = match (limit, other) {
        (Some(_), Some(_)) => {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!(
                    "`{kind}_max_memory_pool_size` and `{kind}_memory_max_size` mean the same; set \
                     one of them"
                ),
            ));
        }
        (Some(text), None) => size_parameter(&format!("{kind}_memory_max_size"), text)?,
        (None, Some(text)) => size_parameter(&format!("{kind}_max_memory_pool_size"), text)?,
        (None, None) => initial.saturating_mul(2),
    };
    if initial > limit {
        return Err(Error::new(
            ResultCode::PARAMETER_OUT_OF_RANGE,
            format!(
                "`{kind}_memory_initial_size` is {initial} bytes, and the pool may have at most \
                 {limit}"
            ),
        ));
    }
    Ok((initial, limit))
}
