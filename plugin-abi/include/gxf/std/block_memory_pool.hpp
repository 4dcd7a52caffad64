/// Memory in blocks of one size.
#ifndef NVIDIA_GXF_STD_BLOCK_MEMORY_POOL_HPP_
#define NVIDIA_GXF_STD_BLOCK_MEMORY_POOL_HPP_

#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "gxf/core/registrar.hpp"
#include "gxf/std/allocator.hpp"

namespace nvidia {
namespace gxf {

/// A number of blocks that are allocated together.
class BlockMemoryPool : public Allocator {
 public:
  BlockMemoryPool() = default;

  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(storage_type_, "storage_type", "Storage type",
                                   "0 host, 1 device, 2 system.", 0);
    result &= registrar->parameter(block_size_, "block_size", "Block size", "Bytes of a block.");
    result &= registrar->parameter(num_blocks_, "num_blocks", "Number of blocks",
                                   "How many blocks there are.");
    return ToResultCode(result);
  }
  gxf_result_t initialize() override {
    if (storage_type() == MemoryStorageType::kDevice) { return GXF_MEMORY_INVALID_STORAGE_MODE; }
    if (block_size_.get() == 0 || num_blocks_.get() > SIZE_MAX / block_size_.get()) {
      return GXF_PARAMETER_OUT_OF_RANGE;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    memory_.reset(static_cast<byte*>(std::malloc(block_size_.get() * num_blocks_.get())));
    if (memory_ == nullptr && num_blocks_.get() > 0) { return GXF_OUT_OF_MEMORY; }
    free_.clear();
    for (uint64_t i = num_blocks_.get(); i > 0; i--) { free_.push_back(i - 1); }
    return GXF_SUCCESS;
  }
  gxf_result_t is_available_abi(uint64_t size) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return size <= block_size_.get() * free_.size() ? GXF_SUCCESS : GXF_FAILURE;
  }
  gxf_result_t allocate_abi(uint64_t size, int32_t type, void** pointer) override {
    if (pointer == nullptr) { return GXF_ARGUMENT_NULL; }
    if (type != storage_type_.get() || size > block_size_.get()) { return GXF_ARGUMENT_INVALID; }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (free_.empty()) { return GXF_EXCEEDING_PREALLOCATED_SIZE; }
    *pointer = memory_.get() + free_.back() * block_size_.get();
    free_.pop_back();
    return GXF_SUCCESS;
  }
  using Allocator::free_abi;
  gxf_result_t free_abi(void* pointer) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto* begin = memory_.get();
    const auto* block = static_cast<byte*>(pointer);
    if (block < begin || block >= begin + block_size_.get() * num_blocks_.get()) {
      return GXF_ARGUMENT_OUT_OF_RANGE;
    }
    const auto offset = static_cast<uint64_t>(block - begin);
    if (offset % block_size_.get() != 0) { return GXF_ARGUMENT_INVALID; }
    free_.push_back(offset / block_size_.get());
    return GXF_SUCCESS;
  }
  gxf_result_t deinitialize() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    memory_.reset();
    free_.clear();
    return GXF_SUCCESS;
  }
  uint64_t block_size_abi() const override { return block_size_.get(); }
  virtual MemoryStorageType storage_type() const {
    return static_cast<MemoryStorageType>(storage_type_.get());
  }
  virtual uint64_t num_blocks() const { return num_blocks_.get(); }

 private:
  struct Free {
    void operator()(byte* memory) const { std::free(memory); }
  };

  Parameter<int32_t> storage_type_;
  Parameter<uint64_t> block_size_;
  Parameter<uint64_t> num_blocks_;
  mutable std::mutex mutex_;
  std::unique_ptr<byte, Free> memory_;
  std::vector<uint64_t> free_;
};

namespace sdk __attribute__((visibility("hidden"))) {

class BlockMemoryPoolProxy : public AllocatorProxy<BlockMemoryPool> {
 public:
  MemoryStorageType storage_type() const override {
    return static_cast<MemoryStorageType>(
        RemoteParameter<int32_t>(*this, "storage_type").value_or(int32_t{0}));
  }
  uint64_t num_blocks() const override {
    return RemoteParameter<uint64_t>(*this, "num_blocks").value_or(uint64_t{0});
  }
};
template <>
struct Proxy<BlockMemoryPool> : ProxyOf<BlockMemoryPoolProxy> {};

}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_BLOCK_MEMORY_POOL_HPP_
