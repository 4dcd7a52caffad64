/// Parts of one piece of memory.
#ifndef NVIDIA_GXF_STD_GEMS_SUBALLOCATORS_FIRST_FIT_ALLOCATOR_HPP_
#define NVIDIA_GXF_STD_GEMS_SUBALLOCATORS_FIRST_FIT_ALLOCATOR_HPP_

#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "gxf/core/expected.hpp"

namespace nvidia {
namespace gxf {

/// Which part of a range is in use. A part begins at the first place that has enough room.
class FirstFitAllocatorBase {
 public:
  /// Begins with a free range of `size` places. `GXF_ARGUMENT_INVALID`: it has one already, or the
  /// size is not positive.
  Expected<void> allocate(int32_t size) {
    if (size_ != 0 || size <= 0) { return Unexpected{GXF_ARGUMENT_INVALID}; }
    size_ = size;
    free_[0] = size;
    return Success;
  }
  /// The first place of a part, which has `size` places. `GXF_OUT_OF_MEMORY`: there is no room.
  Expected<int32_t> acquire(int32_t size) {
    if (size <= 0) { return Unexpected{GXF_ARGUMENT_INVALID}; }
    for (auto it = free_.begin(); it != free_.end(); ++it) {
      const auto [begin, room] = *it;
      if (room < size) { continue; }
      free_.erase(it);
      if (room > size) { free_[begin + size] = room - size; }
      used_[begin] = size;
      return begin;
    }
    return Unexpected{GXF_OUT_OF_MEMORY};
  }
  /// Frees the part at an address. `GXF_ARGUMENT_INVALID`: no part starts there.
  Expected<void> release(int32_t begin) {
    const auto used = used_.find(begin);
    if (used == used_.end()) { return Unexpected{GXF_ARGUMENT_INVALID}; }
    auto freed = free_.emplace(begin, used->second).first;
    used_.erase(used);
    const auto next = std::next(freed);
    if (next != free_.end() && next->first == begin + freed->second) {
      freed->second += next->second;
      free_.erase(next);
    }
    if (freed != free_.begin()) {
      const auto before = std::prev(freed);
      if (before->first + before->second == begin) {
        before->second += freed->second;
        free_.erase(freed);
      }
    }
    return Success;
  }
  /// Places of the whole range.
  int32_t size() const { return size_; }

 private:
  int32_t size_ = 0;
  /// Free parts and those in use: begin and size.
  std::map<int32_t, int32_t> free_;
  std::map<int32_t, int32_t> used_;
};

/// Hands out parts of an array of `T`. Not for several threads at once.
template <typename T>
class FirstFitAllocator : public FirstFitAllocatorBase {
 public:
  /// Makes an array of `size` elements. Parts have a multiple of `chunk_size`.
  Expected<void> allocate(int32_t size, int32_t chunk_size = 1) {
    if (chunk_size <= 0) { return Unexpected{GXF_ARGUMENT_INVALID}; }
    const auto made = FirstFitAllocatorBase::allocate(size / chunk_size);
    if (!made) { return made; }
    chunk_size_ = chunk_size;
    array_ = std::make_unique<T[]>(static_cast<size_t>(size));
    return Success;
  }
  /// A part with room for at least `size` elements, and how many it has.
  Expected<std::pair<T*, int32_t>> acquire(int32_t size) {
    if (size <= 0) { return Unexpected{GXF_ARGUMENT_INVALID}; }
    const int32_t chunks = (size - 1) / chunk_size_ + 1;
    const auto begin = FirstFitAllocatorBase::acquire(chunks);
    if (!begin) { return ForwardError(begin); }
    return std::make_pair(array_.get() + int64_t{begin.value()} * chunk_size_, chunks * chunk_size_);
  }
  /// Gives a part back.
  Expected<void> release(const T* part) {
    const std::ptrdiff_t offset = part - array_.get();
    if (array_ == nullptr || offset < 0 || offset % chunk_size_ != 0 ||
        offset / chunk_size_ >= FirstFitAllocatorBase::size()) {
      return Unexpected{GXF_ARGUMENT_INVALID};
    }
    return FirstFitAllocatorBase::release(static_cast<int32_t>(offset / chunk_size_));
  }

 private:
  int32_t chunk_size_ = 1;
  std::unique_ptr<T[]> array_;
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_GEMS_SUBALLOCATORS_FIRST_FIT_ALLOCATOR_HPP_
