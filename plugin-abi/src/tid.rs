//! 128-bit type ids, GXF's `gxf_tid_t`.

use abi_stable::StableAbi;

/// A 128-bit id of a type or an extension; both halves 0 means "none".
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, StableAbi)]
pub struct Tid {
    /// Upper half.
    pub hash1: u64,
    /// Lower half.
    pub hash2: u64,
}

impl Tid {
    /// The id that means "none".
    pub const NULL: Tid = Tid::new(0, 0);

    /// Builds an id from its halves.
    #[must_use]
    pub const fn new(hash1: u64, hash2: u64) -> Self {
        Self { hash1, hash2 }
    }

    /// Whether this is [`Tid::NULL`].
    #[must_use]
    pub const fn is_null(self) -> bool {
        self.hash1 == 0 && self.hash2 == 0
    }

    /// Reads 32 hexadecimal digits, with or without the four hyphens of a UUID.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits: String = text.chars().filter(|c| *c != '-').collect();
        if digits.len() != 32 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let half = |range| u64::from_str_radix(digits.get(range)?, 16).ok();
        Some(Self { hash1: half(0..16)?, hash2: half(16..32)? })
    }
}

impl core::fmt::Display for Tid {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "{:016x}{:016x}", self.hash1, self.hash2)
    }
}

impl core::fmt::Debug for Tid {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "{self}")
    }
}
