//! Texts with units: periods, frequencies, byte sizes.
