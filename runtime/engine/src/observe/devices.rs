//! CUDA devices as what keeps an entity waiting, in place of one of its terms.

/// In place of the position of a term: more than an event of a trace has room for.
pub const DEVICES: usize = 0xff_ffff;

/// Their name, in place of that of a term.
pub const NAME: &str = "CUDA devices";
