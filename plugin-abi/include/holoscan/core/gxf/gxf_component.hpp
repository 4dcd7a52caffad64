/// Conditions, resources and schedulers that are components of the engine.
#ifndef HOLOSCAN_CORE_GXF_GXF_COMPONENT_HPP_
#define HOLOSCAN_CORE_GXF_GXF_COMPONENT_HPP_

#include <stdexcept>
#include <string>

#include "gxf/core/component.hpp"
#include "gxf/core/handle.hpp"
#include "holoscan/core/component.hpp"

namespace holoscan {
namespace gxf {

/// A component of the engine, which exists from the start of the application on.
class GXFComponent {
 public:
  virtual ~GXFComponent() = default;

  /// Full name of its type.
  virtual const char* gxf_typename() const = 0;
  gxf_context_t gxf_context() const { return context_; }
  gxf_uid_t gxf_eid() const { return eid_; }
  gxf_uid_t gxf_cid() const { return cid_; }
  const std::string& gxf_cname() const { return cname_; }
  /// Notes where it was made.
  void gxf_made(gxf_context_t context, gxf_uid_t eid, gxf_uid_t cid, const std::string& name) {
    context_ = context;
    eid_ = eid;
    cid_ = cid;
    cname_ = name;
  }

 protected:
  bool is_made() const { return cid_ != kNullUid; }
  /// The component by an interface of the engine. Throws before the application starts.
  template <typename T>
  nvidia::gxf::Handle<T> handle() const {
    const auto found = nvidia::gxf::Handle<T>::Create(context_, cid_);
    if (!is_made() || !found) {
      throw std::runtime_error(std::string(gxf_typename()) + " exists while the application runs");
    }
    return found.value();
  }

 private:
  gxf_context_t context_ = nullptr;
  gxf_uid_t eid_ = kNullUid;
  gxf_uid_t cid_ = kNullUid;
  std::string cname_;
};

}  // namespace gxf
}  // namespace holoscan

#endif  // HOLOSCAN_CORE_GXF_GXF_COMPONENT_HPP_
