/// The host's way into allocators.
#ifndef GXF_SDK_TABLES_ALLOCATOR_HPP_
#define GXF_SDK_TABLES_ALLOCATOR_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/std/allocator.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct AllocatorTable {
  static Allocator& Self(void* object) { return BaseOf<Allocator, T>(object); }
  static bool IsAvailable(void* object, uint64_t size) noexcept {
    return GuardValue(Self(object), "is_available_abi", false, [&] { return Self(object).is_available(size); });
  }
  static GxeResultCode Allocate(void* object, uint64_t size, GxeStorageType storage,
                                uint8_t** pointer) noexcept {
    return Guard(Self(object), "allocate_abi", [&] {
      void* memory = nullptr;
      const gxf_result_t code = Self(object).allocate_abi(size, storage, &memory);
      *pointer = static_cast<uint8_t*>(memory);
      return code;
    });
  }
  static GxeResultCode Free(void* object, uint8_t* pointer) noexcept {
    return Guard(Self(object), "free_abi", [&] { return ToResultCode(Self(object).free(pointer)); });
  }
  static uint64_t BlockSize(void* object) noexcept {
    return GuardValue<uint64_t>(Self(object), "block_size_abi", 1, [&] { return Self(object).block_size(); });
  }
  static constexpr GxeAllocatorVtable kTable = {
      sizeof(GxeAllocatorVtable), IsAvailable, Allocate, Free, BlockSize, nullptr};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_ALLOCATOR_HPP_
