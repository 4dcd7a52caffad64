/// What runs the operators of a fragment.
#ifndef HOLOSCAN_CORE_EXECUTOR_HPP_
#define HOLOSCAN_CORE_EXECUTOR_HPP_

#include "gxf/core/gxf.h"

namespace holoscan {

/// What runs the operators of a fragment.
class Executor {
 public:
  /// The context in GXF's C API, of the latest run; null before the first.
  gxf_context_t context() const { return context_; }
  void context(gxf_context_t context) { context_ = context; }

 private:
  gxf_context_t context_ = nullptr;
};

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_EXECUTOR_HPP_
