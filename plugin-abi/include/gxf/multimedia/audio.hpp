/// Sound.
#ifndef NVIDIA_GXF_MULTIMEDIA_AUDIO_HPP_
#define NVIDIA_GXF_MULTIMEDIA_AUDIO_HPP_

#include <cstdint>
#include <utility>

#include "gxf/std/memory_buffer.hpp"

namespace nvidia {
namespace gxf {

/// Format of a sample.
enum class AudioFormat {
  GXF_AUDIO_FORMAT_CUSTOM = 0,
  GXF_AUDIO_FORMAT_S16LE = 1,
  GXF_AUDIO_FORMAT_F32LE = 2,
};

/// Name and bits of a format.
template <AudioFormat A>
struct AudioTypeTraits;

#define GXF_AUDIO_TYPE_TRAITS(ENUM, WIDTH)                        \
  template <>                                                     \
  struct AudioTypeTraits<AudioFormat::ENUM> {                     \
    static constexpr const char* name = #ENUM;                    \
    static constexpr AudioFormat value = AudioFormat::ENUM;       \
    static constexpr uint8_t width = WIDTH;                       \
  };

GXF_AUDIO_TYPE_TRAITS(GXF_AUDIO_FORMAT_CUSTOM, 0)
GXF_AUDIO_TYPE_TRAITS(GXF_AUDIO_FORMAT_S16LE, 16)
GXF_AUDIO_TYPE_TRAITS(GXF_AUDIO_FORMAT_F32LE, 32)

/// Order of the samples of several channels.
enum class AudioLayout {
  GXF_AUDIO_LAYOUT_CUSTOM = 0,
  GXF_AUDIO_LAYOUT_INTERLEAVED = 1,
  GXF_AUDIO_LAYOUT_NON_INTERLEAVED = 2,
};

/// Description of a piece of audio.
struct AudioBufferInfo {
  uint32_t channels;
  /// Of each channel.
  uint32_t samples;
  /// Samples a second.
  uint32_t sampling_rate;
  uint32_t bytes_per_sample;
  AudioFormat audio_format;
  AudioLayout audio_layout;
};

/// A piece of sound, in the layout every language of extensions sees.
class AudioBuffer {
 public:
  using release_function_t = MemoryBuffer::release_function_t;

  AudioBuffer() = default;
  AudioBuffer(const AudioBuffer&) = delete;
  AudioBuffer& operator=(const AudioBuffer&) = delete;
  AudioBuffer(AudioBuffer&& other) noexcept { *this = std::move(other); }
  AudioBuffer& operator=(AudioBuffer&& other) noexcept {
    if (this != &other) {
      info_ = std::exchange(other.info_, AudioBufferInfo{});
      memory_ = std::move(other.memory_);
    }
    return *this;
  }

  /// New memory.
  template <AudioFormat A>
  Expected<void> resize(uint32_t channels, uint32_t samples, uint32_t sampling_rate,
                        AudioLayout layout, MemoryStorageType storage_type,
                        Handle<Allocator> allocator) {
    return resizeCustom(AudioBufferInfo{channels, samples, sampling_rate,
                                        AudioTypeTraits<A>::width / 8u, A, layout},
                        storage_type, std::move(allocator));
  }
  Expected<void> resizeCustom(AudioBufferInfo buffer_info, MemoryStorageType storage_type,
                              Handle<Allocator> allocator) {
    const uint64_t samples = uint64_t{buffer_info.channels} * buffer_info.samples;
    if (samples != 0 && buffer_info.bytes_per_sample > UINT64_MAX / samples) {
      return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE};
    }
    return Take(buffer_info, memory_.resize(std::move(allocator),
                                            samples * buffer_info.bytes_per_sample, storage_type));
  }
  /// Wraps foreign memory.
  Expected<void> wrapMemory(AudioBufferInfo buffer_info, uint64_t size,
                            MemoryStorageType storage_type, void* pointer,
                            release_function_t release_func) {
    return Take(buffer_info,
                memory_.wrapMemory(pointer, size, storage_type, std::move(release_func)));
  }

  AudioBufferInfo audio_buffer_info() const { return info_; }
  MemoryStorageType storage_type() const { return memory_.storage_type(); }
  uint64_t size() const { return memory_.size(); }
  byte* pointer() const { return memory_.pointer(); }

 private:
  Expected<void> Take(const AudioBufferInfo& info, Expected<void> changed) {
    return detail::TakeDescription(info_, memory_, info, std::move(changed));
  }

  AudioBufferInfo info_{};
  MemoryBuffer memory_;
};

static_assert(sizeof(AudioBuffer) == sizeof(GxeAudioBuffer), "messages share this layout");

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_MULTIMEDIA_AUDIO_HPP_
