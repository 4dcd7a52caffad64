//! A look through the head of a message in the layout of GXF's `UcxEntitySerializer`, before memory
//! is allocated for what it states.
//!
//! ```text
//! u64 0  u64 sequence number  u64 number of components          24 bytes
//! each:  u64 0  u64 u64 type id  name, 256 bytes with zeros     280 bytes
//!        the name again, without zeros
//!        the header of the payload; its memory is in the body
//! ```

use gxf_recording::TypeId;
use gxf_recording::layout::{TENSOR_HEADER_SIZE, TensorHeader};
use gxf_recording::multimedia::{AUDIO_HEADER_SIZE, AudioHeader, VIDEO_HEADER_SIZE, VideoHeader};
use gxf_recording::walk::plain_size;

const ENTITY_HEADER_SIZE: usize = 24;
const NAME_SIZE: usize = 256;
const COMPONENT_HEADER_SIZE: usize = 24 + NAME_SIZE;
/// `nvidia::gxf::EndOfStream`, eight bytes.
const END_OF_STREAM: TypeId = TypeId(0x8c42f7bf70414626, 0x97929eb20ce33cce);

/// What is wrong with a message.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WalkError {
    /// The head ends too early.
    #[error("the message ends within {0}")]
    Truncated(&'static str),
    /// A payload states a size that cannot be.
    #[error("component {component} of the message: {problem}")]
    Payload {
        /// Its position.
        component: u64,
        /// What is wrong.
        problem: String,
    },
    /// The payloads state other sizes than the message.
    #[error("the payloads of the message state {stated} bytes, and it brings {brought}")]
    Body {
        /// What the payloads say.
        stated: u64,
        /// Bytes of the body.
        brought: u64,
    },
}

/// Looks through a head whose message has a body of this size. Stops at the first payload of a type
/// that only its own serializer knows.
///
/// # Errors
/// The message contradicts itself.
pub fn walk(head: &[u8], body: u64) -> Result<(), WalkError> {
    let mut rest = head;
    let header = take(&mut rest, ENTITY_HEADER_SIZE, "its header")?;
    let count = number(&header[16..24]);
    let mut stated = 0u64;
    for component in 0..count {
        let header = take(&mut rest, COMPONENT_HEADER_SIZE, "the header of a component")?;
        let tid = TypeId(number(&header[8..16]), number(&header[16..24]));
        let name = header[24..].iter().position(|byte| *byte == 0).unwrap_or(NAME_SIZE);
        take(&mut rest, name, "the name of a component")?;
        let wrong = |problem: String| WalkError::Payload { component, problem };
        let size = match tid {
            TypeId::TENSOR => {
                let bytes = array::<{ TENSOR_HEADER_SIZE as usize }>(&mut rest, "a tensor")?;
                TensorHeader::from_bytes(&bytes)
                    .data_size()
                    .map_err(|error| wrong(error.to_string()))?
            }
            TypeId::VIDEO_BUFFER => {
                let bytes = array::<{ VIDEO_HEADER_SIZE as usize }>(&mut rest, "a video frame")?;
                let size = VideoHeader::from_bytes(&bytes).data_size;
                size.ok_or_else(|| wrong("its planes have no end".to_owned()))?
            }
            TypeId::AUDIO_BUFFER => {
                let bytes = array::<{ AUDIO_HEADER_SIZE as usize }>(&mut rest, "sound")?;
                let size = AudioHeader::from_bytes(&bytes).data_size();
                size.ok_or_else(|| wrong("it is larger than any memory".to_owned()))?
            }
            END_OF_STREAM => {
                take(&mut rest, 8, "a payload")?;
                0
            }
            tid => {
                // Only its serializer knows the rest of the head; what is known must fit.
                let Some(size) = plain_size(tid) else { return fits(stated, body) };
                let size = usize::try_from(size).unwrap_or(usize::MAX);
                take(&mut rest, size, "a payload")?;
                0
            }
        };
        stated =
            stated.checked_add(size).ok_or(WalkError::Body { stated: u64::MAX, brought: body })?;
        fits(stated, body)?;
    }
    if stated == body { Ok(()) } else { Err(WalkError::Body { stated, brought: body }) }
}

fn fits(stated: u64, body: u64) -> Result<(), WalkError> {
    if stated <= body { Ok(()) } else { Err(WalkError::Body { stated, brought: body }) }
}

fn take<'a>(rest: &mut &'a [u8], size: usize, what: &'static str) -> Result<&'a [u8], WalkError> {
    let (taken, behind) = rest.split_at_checked(size).ok_or(WalkError::Truncated(what))?;
    *rest = behind;
    Ok(taken)
}

fn array<const SIZE: usize>(rest: &mut &[u8], what: &'static str) -> Result<[u8; SIZE], WalkError> {
    let mut array = [0; SIZE];
    array.copy_from_slice(take(rest, SIZE, what)?);
    Ok(array)
}

fn number(bytes: &[u8]) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(bytes);
    u64::from_le_bytes(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A message with one tensor of this many bytes.
    fn tensor(size: i32) -> Vec<u8> {
        let mut head = vec![0; 16];
        head.extend(1u64.to_le_bytes());
        head.extend([0; 8]);
        head.extend(TypeId::TENSOR.0.to_le_bytes());
        head.extend(TypeId::TENSOR.1.to_le_bytes());
        head.push(b't');
        head.extend([0; 255]);
        head.push(b't');
        let mut header = TensorHeader {
            storage_type: 0,
            element_type: 2,
            bytes_per_element: 1,
            rank: 1,
            dimensions: [1; 8],
            strides: [0; 8],
        };
        header.dimensions[0] = size;
        header.strides[0] = 1;
        head.extend(header.to_bytes());
        head
    }

    #[test]
    fn sizes_are_compared_before_memory_is_allocated() {
        assert_eq!(walk(&tensor(100), 100), Ok(()));
        let stated = WalkError::Body { stated: 2_000_000_000, brought: 100 };
        assert_eq!(walk(&tensor(2_000_000_000), 100), Err(stated));
        assert!(walk(&tensor(100), 101).is_err());
        let head = tensor(100);
        for end in 0..head.len() {
            assert!(walk(&head[..end], 100).is_err(), "cut at {end}");
        }
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600), body: u64) {
            _ = walk(&bytes, body);
        }
    }
}
