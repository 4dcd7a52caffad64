/// Memory that keeps its value between acts and runs.
#ifndef NVIDIA_GXF_STD_VARIABLE_HPP_
#define NVIDIA_GXF_STD_VARIABLE_HPP_

#include <cstdint>
#include <cstring>
#include <utility>

#include "gxf/std/allocator.hpp"
#include "gxf/std/memory_buffer.hpp"

namespace gxe {

/// An allocator of one block, in which each user finds what the last one left. Not part of GXF.
class Variable : public nvidia::gxf::Allocator {
 public:
  ~Variable() override = default;

  /// Uses this memory, of the size of the block, from now on, with the value in it: until it gets
  /// other memory or is destroyed. Fails while somebody uses the block.
  virtual nvidia::gxf::Expected<void> bind(void* memory, uint64_t size) = 0;
  /// Copies the value into a buffer of the size of the block. Fails while somebody uses that.
  virtual nvidia::gxf::Expected<void> read(void* buffer, uint64_t size) = 0;
};

}  // namespace gxe

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

class VariableProxy : public AllocatorProxy<gxe::Variable> {
 public:
  Expected<void> Connect() {
    const auto connected = AllocatorProxy<gxe::Variable>::Connect();
    if (!connected) { return connected; }
    return variable_.Connect(context(), cid(), GXE_TID_VARIABLE_MEMORY);
  }
  Expected<void> bind(void* memory, uint64_t size) override {
    MemoryBuffer buffer;
    const auto wrapped = buffer.wrapMemory(memory, size, MemoryStorageType::kSystem,
                                           [](void*) -> Expected<void> { return Success; });
    if (!wrapped) { return wrapped; }
    const GxeResultCode code =
        variable_.table().bind(variable_.object(), detail::MemoryAccess::Take(buffer));
    return ExpectedOrCode(ToGxf(code));
  }
  Expected<void> read(void* buffer, uint64_t size) override {
    if (size != block_size()) { return Unexpected{GXF_ARGUMENT_INVALID}; }
    const auto storage = RemoteParameter<int32_t>(*this, "storage_type").value_or(int32_t{2});
    const auto block = allocate(size, static_cast<MemoryStorageType>(storage));
    if (!block) { return ForwardError(block); }
    std::memcpy(buffer, block.value(), size);
    return free(block.value());
  }

 private:
  Link<GxeVariableMemoryVtable> variable_;
};
template <>
struct Proxy<gxe::Variable> : ProxyOf<VariableProxy> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_VARIABLE_HPP_
