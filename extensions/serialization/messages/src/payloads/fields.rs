//! Records of little-endian numbers without padding.

use gxf::{Endpoint, Result};

/// Builds a record.
pub struct Record<const SIZE: usize> {
    bytes: [u8; SIZE],
    used: usize,
}

impl<const SIZE: usize> Record<SIZE> {
    /// All zero.
    pub fn new() -> Self {
        Self { bytes: [0; SIZE], used: 0 }
    }

    /// Adds the bytes of a field.
    pub fn put(&mut self, field: &[u8]) -> &mut Self {
        self.bytes[self.used..self.used + field.len()].copy_from_slice(field);
        self.used += field.len();
        self
    }

    /// Skips bytes, which stay zero.
    pub fn skip(&mut self, size: usize) -> &mut Self {
        self.used += size;
        self
    }

    /// Writes the record and returns its size.
    pub fn write(&self, endpoint: &Endpoint) -> Result<u64> {
        debug_assert_eq!(self.used, SIZE);
        endpoint.write_all(&self.bytes)?;
        Ok(SIZE as u64)
    }
}

/// Takes a record apart.
pub struct Fields<const SIZE: usize> {
    bytes: [u8; SIZE],
    used: usize,
}

impl<const SIZE: usize> Fields<SIZE> {
    /// Reads the record.
    pub fn read(endpoint: &Endpoint) -> Result<Self> {
        let mut bytes = [0; SIZE];
        endpoint.read_exact(&mut bytes)?;
        Ok(Self { bytes, used: 0 })
    }

    /// The next bytes.
    pub fn take<const FIELD: usize>(&mut self) -> [u8; FIELD] {
        let mut field = [0; FIELD];
        field.copy_from_slice(&self.bytes[self.used..self.used + FIELD]);
        self.used += FIELD;
        field
    }

    /// The next number.
    pub fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    /// The next number.
    pub fn i32(&mut self) -> i32 {
        i32::from_le_bytes(self.take())
    }

    /// The next number.
    pub fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    /// The next number.
    pub fn f32(&mut self) -> f32 {
        f32::from_le_bytes(self.take())
    }

    /// The next numbers.
    pub fn f32s<const COUNT: usize>(&mut self) -> [f32; COUNT] {
        core::array::from_fn(|_| self.f32())
    }
}
