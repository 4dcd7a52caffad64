/// Resources that the entities of a group share.
#ifndef NVIDIA_GXF_STD_RESOURCES_HPP_
#define NVIDIA_GXF_STD_RESOURCES_HPP_

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "gxf/core/component.hpp"
#include "gxf/core/parameter.hpp"
#include "gxf/core/registrar.hpp"
#include "gxf/core/resource.hpp"

namespace nvidia {
namespace gxf {

/// The base of resources.
class ResourceBase : public Component {};

/// Threads for the entities of a group.
class ThreadPool : public ResourceBase {
 public:
  /// A thread, by its id.
  struct Thread {
    gxf_uid_t uid;
  };

  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(initial_size_, "initial_size", "Initial ThreadPool Size",
                                   "Threads at the beginning.", int64_t{0});
    result &= registrar->parameter(priority_, "priority", "Thread Priorities",
                                   "Priority of the threads.", int64_t{0});
    return ToResultCode(result);
  }
  gxf_result_t initialize() override { return GXF_SUCCESS; }

  /// A thread of its own for the entity or component with this id.
  Expected<gxf_uid_t> addThread(gxf_uid_t uid, gxf_uid_t cpu_thread_cid = kUnspecifiedUid) {
    (void)cpu_thread_cid;
    const std::lock_guard<std::mutex> lock(mutex_);
    threads_[uid] = Thread{uid};
    return uid;
  }
  Expected<gxf_uid_t> addThread(gxf_uid_t uid, const std::vector<uint32_t>& pin_cores) {
    (void)pin_cores;
    return addThread(uid);
  }
  const Expected<Thread> getThread(gxf_uid_t uid) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = threads_.find(uid);
    if (found == threads_.end()) { return Unexpected{GXF_QUERY_NOT_FOUND}; }
    return found->second;
  }
  const std::map<gxf_uid_t, Thread>& get() const { return threads_; }
  int64_t size() const { return static_cast<int64_t>(threads_.size()); }
  virtual int64_t priority() const { return priority_.get(); }

 private:
  Parameter<int64_t> initial_size_;
  Parameter<int64_t> priority_;
  mutable std::mutex mutex_;
  std::map<gxf_uid_t, Thread> threads_;
};

/// A device, by its number.
class GPUDevice : public ResourceBase {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(dev_id_, "dev_id", "Device Id",
                                             "Number of the device.", 0));
  }
  virtual int32_t device_id() const { return dev_id_.get(); }

 private:
  Parameter<int32_t> dev_id_;
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/resources.hpp"

#endif  // NVIDIA_GXF_STD_RESOURCES_HPP_
