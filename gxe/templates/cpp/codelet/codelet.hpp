#pragma once

#include <cinttypes>
#include <cstdint>

#include "gxf/std/codelet.hpp"

namespace @crate@ {

class @Name@ : public nvidia::gxf::Codelet {
 public:
  // What `gxe inspect` shows.
  static constexpr const char* kDescription = "Counts its ticks and logs them.";

  gxf_result_t registerInterface(nvidia::gxf::Registrar* registrar) override {
    nvidia::gxf::Expected<void> result;
    result &= registrar->parameter(offset_, "offset", "Offset",
                                   "Ticks that were counted before the first one.", int64_t{0});
    return nvidia::gxf::ToResultCode(result);
  }

  gxf_result_t start() override {
    count_ = offset_;
    return GXF_SUCCESS;
  }

  gxf_result_t tick() override {
    count_ += 1;
    GXF_LOG_INFO("@Name@: tick %" PRId64, count_);
    return GXF_SUCCESS;
  }

 private:
  nvidia::gxf::Parameter<int64_t> offset_;
  int64_t count_ = 0;
};

}  // namespace @crate@
