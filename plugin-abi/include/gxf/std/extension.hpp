/// Description of an extension and its types.
#ifndef NVIDIA_GXF_STD_EXTENSION_HPP_
#define NVIDIA_GXF_STD_EXTENSION_HPP_

#include <cstddef>

#include "gxf/std/component_factory.hpp"

namespace nvidia {
namespace gxf {

/// A factory with a description.
class Extension : public ComponentFactory {
 public:
  Extension(const Extension&) = delete;
  Extension(Extension&&) = delete;
  Extension& operator=(const Extension&) = delete;
  Extension& operator=(Extension&&) = delete;

  virtual gxf_result_t setInfo_abi(gxf_tid_t tid, const char* name, const char* desc,
                                   const char* author, const char* version,
                                   const char* license) = 0;
  virtual gxf_result_t setDisplayInfo_abi(const char* display_name, const char* category,
                                          const char* brief) = 0;
  virtual gxf_result_t checkInfo_abi() = 0;
  virtual gxf_result_t getInfo_abi(gxf_extension_info_t* info) = 0;
  virtual gxf_result_t registerComponents_abi(gxf_context_t context) = 0;
  virtual gxf_result_t hasComponent_abi(const gxf_tid_t& tid) = 0;
  virtual gxf_result_t getComponentTypes_abi(gxf_tid_t* pointer, size_t* size) = 0;
  virtual gxf_result_t getComponentInfo_abi(const gxf_tid_t tid, gxf_component_info_t* info) = 0;
  virtual gxf_result_t getParameterInfo_abi(gxf_context_t context, const gxf_tid_t cid,
                                            const char* key, gxf_parameter_info_t* info) = 0;

  Expected<void> setInfo(gxf_tid_t tid, const char* name, const char* desc, const char* author,
                         const char* version, const char* license) {
    return ExpectedOrCode(setInfo_abi(tid, name, desc, author, version, license));
  }
  Expected<void> setDisplayInfo(const char* display_name, const char* category,
                                const char* brief) {
    return ExpectedOrCode(setDisplayInfo_abi(display_name, category, brief));
  }
  Expected<void> checkInfo() { return ExpectedOrCode(checkInfo_abi()); }
  Expected<void> getInfo(gxf_extension_info_t* info) { return ExpectedOrCode(getInfo_abi(info)); }
  Expected<void> registerComponents(gxf_context_t context) {
    return ExpectedOrCode(registerComponents_abi(context));
  }
  Expected<void> hasComponent(const gxf_tid_t& tid) {
    return ExpectedOrCode(hasComponent_abi(tid));
  }
  Expected<void> getComponentTypes(gxf_tid_t* pointer, size_t* size) {
    return ExpectedOrCode(getComponentTypes_abi(pointer, size));
  }
  Expected<void> getComponentInfo(const gxf_tid_t tid, gxf_component_info_t* info) {
    return ExpectedOrCode(getComponentInfo_abi(tid, info));
  }
  Expected<void> getParameterInfo(gxf_context_t context, const gxf_tid_t cid, const char* key,
                                  gxf_parameter_info_t* info) {
    return ExpectedOrCode(getParameterInfo_abi(context, cid, key, info));
  }

 protected:
  Extension() = default;
  explicit Extension(const detail::FactoryMark& mark) : ComponentFactory(mark) {}
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_EXTENSION_HPP_
