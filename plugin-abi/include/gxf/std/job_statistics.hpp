/// Times of entities and codelets.
#ifndef NVIDIA_GXF_STD_JOB_STATISTICS_HPP_
#define NVIDIA_GXF_STD_JOB_STATISTICS_HPP_

#include "gxf/sdk/proxies/proxy.hpp"

namespace nvidia {
namespace gxf {

/// A component of the host, which writes its report by itself; a handle to one names it.
class JobStatistics : public Component {};

namespace sdk __attribute__((visibility("hidden"))) {
class JobStatisticsProxy : public JobStatistics {
 public:
  Expected<void> Connect() { return Success; }
};
template <>
struct Proxy<JobStatistics> : ProxyOf<JobStatisticsProxy> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_JOB_STATISTICS_HPP_
