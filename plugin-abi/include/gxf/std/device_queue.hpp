/// Queues of a device's work, whose users have a thread of the device's kind.
#ifndef NVIDIA_GXF_STD_DEVICE_QUEUE_HPP_
#define NVIDIA_GXF_STD_DEVICE_QUEUE_HPP_

#include <string>

#include "gxf/core/component.hpp"

namespace gxe {

/// A queue of a device's work. Under the actor scheduler, entities that submit to it share a thread of
/// the device's kind. A component class has it as a second base. Not part of GXF.
class DeviceQueue {
 public:
  virtual ~DeviceQueue() = default;

  /// The kind of the device in lower case, such as "cuda". Always the same, also before `initialize`.
  virtual std::string device() const = 0;
  /// Called once by each thread that submits to it in a run, before anything else there.
  virtual nvidia::gxf::Expected<void> begin_thread() { return nvidia::gxf::Success; }
};

}  // namespace gxe

#include "gxf/sdk/tables/device_queue.hpp"

#endif  // NVIDIA_GXF_STD_DEVICE_QUEUE_HPP_
