//! Types whose layout only their serializer knows.

use gxf::prelude::*;
use gxf::{ComponentSerializer, Tid};
use gxf_recording::TypeId;
use gxf_recording::walk::known_types;

/// The serializers whose layouts [`gxf_recording::walk`] knows:
/// `nvidia::gxf::StdComponentSerializer` and `gxe::MultimediaComponentSerializer`.
const STOCK_SERIALIZERS: [Tid; 2] = [
    Tid::new(0xc0e6b36c39ac50ac, 0xce8d702e18d8bff7),
    Tid::new(0x8c1f0b0a5e0c4d7b, 0x9a52d7c3e4716f28),
];

/// Types for which the entity of `context` has a component serializer with a layout that may be its
/// own; only that serializer knows their lengths.
///
/// # Errors
/// The host fails.
pub fn foreign_types(context: &ComponentContext) -> Result<Vec<TypeId>> {
    let mut foreign = Vec::new();
    for serializer in context.find_all::<ComponentSerializer>()? {
        if STOCK_SERIALIZERS.contains(&context.type_of(serializer.cid())?) {
            continue;
        }
        let is_supported = |tid: &TypeId| serializer.is_supported(Tid::new(tid.0, tid.1));
        foreign.extend(known_types().filter(is_supported));
    }
    Ok(foreign)
}
