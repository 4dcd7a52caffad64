/// Proxies for foreign allocators.
#ifndef GXF_SDK_PROXIES_ALLOCATOR_HPP_
#define GXF_SDK_PROXIES_ALLOCATOR_HPP_

#include "gxf/sdk/announce.hpp"
#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/std/allocator.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename Base>
class AllocatorProxy : public Base {
 public:
  AllocatorProxy() { this->announces_ = true; }
  Expected<void> Connect() {
    return allocator_.Connect(this->context(), this->cid(), GXE_TID_ALLOCATOR);
  }
  gxf_result_t is_available_abi(uint64_t size) override {
    return allocator_.table().is_available(allocator_.object(), size) ? GXF_SUCCESS : GXF_FAILURE;
  }
  gxf_result_t allocate_abi(uint64_t size, int32_t type, void** pointer) override {
    uint8_t* memory = nullptr;
    const GxeResultCode code =
        allocator_.table().allocate(allocator_.object(), size, type, &memory);
    *pointer = memory;
    return ToGxf(code);
  }
  using Base::free_abi;
  gxf_result_t free_abi(void* pointer) override {
    return ToGxf(allocator_.table().free(allocator_.object(), static_cast<uint8_t*>(pointer)));
  }
  uint64_t block_size_abi() const override {
    return allocator_.table().block_size(allocator_.object());
  }

 private:
  Link<GxeAllocatorVtable> allocator_;
};
template <>
struct Proxy<Allocator> : ProxyOf<AllocatorProxy<Allocator>> {};
inline const Announced<Allocator> kAllocatorAnnounced;

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_ALLOCATOR_HPP_
