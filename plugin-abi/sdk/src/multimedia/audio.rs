//! Audio.

use crate::{
    Allocator, Error, Handle, MemoryBuffer, Payload, Result, ResultCode, StorageType, Tid, abi,
};
use abi::{AudioBufferInfo, AudioFormat};
use core::mem::offset_of;

/// A piece of audio that a message can carry (GXF's `AudioBuffer`).
#[repr(C)]
#[derive(Default)]
pub struct AudioBuffer {
    info: AudioBufferInfo,
    memory: MemoryBuffer,
}

const _: () = {
    assert!(size_of::<AudioBuffer>() == size_of::<abi::AudioBuffer>());
    assert!(offset_of!(AudioBuffer, info) == offset_of!(abi::AudioBuffer, info));
    assert!(offset_of!(AudioBuffer, memory) == offset_of!(abi::AudioBuffer, memory));
};

// SAFETY: the ABI defines this layout for this id, see above.
unsafe impl Payload for AudioBuffer {
    const TID: Tid = abi::tids::AUDIO_BUFFER;
}

/// Size of a sample in bytes; 0 if the format does not define it.
fn sample_size(format: AudioFormat) -> u32 {
    match format {
        AudioFormat::S16LE => 2,
        AudioFormat::F32LE => 4,
        _ => 0,
    }
}

/// Size of all samples in bytes.
fn size_of_samples(info: &AudioBufferInfo) -> Result<u64> {
    let known = sample_size(info.audio_format);
    if known != 0 && known != info.bytes_per_sample {
        return Err(Error::new(
            ResultCode::ARGUMENT_INVALID,
            format!("a sample of this format has {known} bytes, not {}", info.bytes_per_sample),
        ));
    }
    let samples = u64::from(info.channels) * u64::from(info.samples);
    samples.checked_mul(info.bytes_per_sample.into()).ok_or_else(|| {
        Error::new(ResultCode::ARGUMENT_OUT_OF_RANGE, "the sound is larger than any memory")
    })
}

impl AudioBuffer {
    /// Allocates audio. The samples are not cleared.
    pub fn new(
        allocator: &Handle<Allocator>,
        storage: StorageType,
        info: AudioBufferInfo,
    ) -> Result<Self> {
        let memory = MemoryBuffer::allocate(allocator, size_of_samples(&info)?, storage)?;
        Ok(Self { info, memory })
    }

    /// Uses existing memory as audio.
    pub fn from_memory(info: AudioBufferInfo, memory: MemoryBuffer) -> Result<Self> {
        let size = size_of_samples(&info)?;
        if size > memory.size() {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!("the samples have {size} bytes, and their memory has {}", memory.size()),
            ));
        }
        Ok(Self { info, memory })
    }

    /// Description of the audio.
    #[must_use]
    pub fn info(&self) -> &AudioBufferInfo {
        &self.info
    }

    /// The memory of the samples.
    #[must_use]
    pub fn memory(&self) -> &MemoryBuffer {
        &self.memory
    }

    /// Makes the memory read only for users of this value, such as memory that other processes use.
    pub fn set_read_only(&mut self) {
        self.memory.set_read_only();
    }

    /// Kind of memory.
    #[must_use]
    pub fn storage_type(&self) -> StorageType {
        self.memory.storage_type()
    }

    /// The bytes of the samples in host or system memory.
    pub fn bytes(&self) -> Result<&[u8]> {
        self.memory.bytes()
    }

    /// Like [`AudioBuffer::bytes`], for writing. Fails for shared and read-only memory.
    pub fn bytes_mut(&mut self) -> Result<&mut [u8]> {
        self.memory.bytes_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_must_fit_their_memory() {
        let info = AudioBufferInfo {
            channels: 2,
            samples: 3,
            sampling_rate: 48_000,
            bytes_per_sample: 2,
            audio_format: AudioFormat::S16LE,
            audio_layout: abi::AudioLayout::INTERLEAVED,
        };
        let memory = |size| MemoryBuffer::from_vec(vec![0u8; size]);
        assert_eq!(AudioBuffer::from_memory(info, memory(12)).unwrap().bytes().unwrap().len(), 12);
        assert!(AudioBuffer::from_memory(info, memory(11)).is_err());
        let wrong = AudioBufferInfo { bytes_per_sample: 4, ..info };
        assert!(AudioBuffer::from_memory(wrong, memory(100)).is_err());
        let huge = AudioBufferInfo {
            channels: u32::MAX,
            samples: u32::MAX,
            bytes_per_sample: u32::MAX,
            audio_format: AudioFormat::CUSTOM,
            ..info
        };
        assert!(AudioBuffer::from_memory(huge, memory(1)).is_err());
    }
}
