/// Resources: what operators use, such as allocators and clocks.
#ifndef HOLOSCAN_CORE_RESOURCE_HPP_
#define HOLOSCAN_CORE_RESOURCE_HPP_

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "gxf/std/allocator.hpp"
#include "gxf/std/clock.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/transmitter.hpp"
#include "holoscan/core/component_spec.hpp"
#include "holoscan/core/gxf/gxf_component.hpp"

namespace holoscan {

#define HOLOSCAN_RESOURCE_FORWARD_ARGS(class_name) \
  HOLOSCAN_FORWARD_ARGS_TO(class_name, ::holoscan::Resource)
#define HOLOSCAN_RESOURCE_FORWARD_ARGS_SUPER(class_name, super) \
  HOLOSCAN_FORWARD_ARGS_TO(class_name, super)

/// What an operator uses. A class of the program declares parameters in `setup`.
class Resource : public Component {
 public:
  Resource() = default;
  HOLOSCAN_FORWARD_ARGS_TO(Resource, Component)

  virtual void setup(ComponentSpec&) {}
  /// Gives the parameters the values of the arguments. An override calls this one.
  void initialize() override {
    if (spec_ != nullptr) { spec_->Apply(args_); }
  }
  std::shared_ptr<ComponentSpec> spec() const { return spec_; }
  void spec(const std::shared_ptr<ComponentSpec>& spec) { spec_ = spec; }

 private:
  std::shared_ptr<ComponentSpec> spec_;
};

/// Kinds of memory, by GXF's numbers.
enum class MemoryStorageType { kHost = 0, kDevice = 1, kSystem = 2, kCudaManaged = 3 };

/// Allocates memory.
class Allocator : public Resource, public gxf::GXFComponent {
 public:
  Allocator() = default;
  HOLOSCAN_FORWARD_ARGS_TO(Allocator, Resource)

  const char* gxf_typename() const override { return "nvidia::gxf::Allocator"; }
  /// The engine does it.
  void initialize() override {}
  /// Whether memory of this size could be allocated now.
  bool is_available(uint64_t size) { return handle<nvidia::gxf::Allocator>()->is_available(size); }
  /// Memory, or null.
  nvidia::byte* allocate(uint64_t size, MemoryStorageType type) {
    const auto kind = static_cast<nvidia::gxf::MemoryStorageType>(type);
    return handle<nvidia::gxf::Allocator>()->allocate(size, kind).value_or(nullptr);
  }
  void free(nvidia::byte* pointer) {
    handle<nvidia::gxf::Allocator>()->free(pointer).log_error("memory could not be freed");
  }
  uint64_t block_size() { return handle<nvidia::gxf::Allocator>()->block_size(); }
  /// The engine's allocator, for functions of GXF.
  nvidia::gxf::Handle<nvidia::gxf::Allocator> gxf_handle() const {
    return handle<nvidia::gxf::Allocator>();
  }
};

/// Memory without a limit.
class UnboundedAllocator : public Allocator {
 public:
  UnboundedAllocator() = default;
  HOLOSCAN_FORWARD_ARGS_TO(UnboundedAllocator, Allocator)
  const char* gxf_typename() const override { return "nvidia::gxf::UnboundedAllocator"; }
};

/// Blocks of one size.
class BlockMemoryPool : public Allocator {
 public:
  BlockMemoryPool() = default;
  /// The kind of memory by its number.
  BlockMemoryPool(int32_t storage_type, uint64_t block_size, uint64_t num_blocks, int32_t dev_id = 0)
      : Allocator(Arg("storage_type", storage_type), Arg("block_size", block_size),
                  Arg("num_blocks", num_blocks), Arg("dev_id", dev_id)) {}
  HOLOSCAN_FORWARD_ARGS_TO(BlockMemoryPool, Allocator)
  const char* gxf_typename() const override { return "nvidia::gxf::BlockMemoryPool"; }
};

/// Memory of a GPU in the order of its streams.
class StreamOrderedAllocator : public Allocator {
 public:
  StreamOrderedAllocator() = default;
  HOLOSCAN_FORWARD_ARGS_TO(StreamOrderedAllocator, Allocator)
  const char* gxf_typename() const override { return "nvidia::gxf::StreamOrderedAllocator"; }
};

/// Memory of a GPU and of the host, in pools.
class RMMAllocator : public Allocator {
 public:
  RMMAllocator() = default;
  HOLOSCAN_FORWARD_ARGS_TO(RMMAllocator, Allocator)
  const char* gxf_typename() const override { return "nvidia::gxf::RMMAllocator"; }
};

/// Streams of a GPU.
class CudaStreamPool : public Allocator {
 public:
  CudaStreamPool() = default;
  CudaStreamPool(int32_t dev_id, uint32_t stream_flags, int32_t stream_priority,
                 uint32_t reserved_size, uint32_t max_size)
      : Allocator(Arg("dev_id", dev_id), Arg("stream_flags", stream_flags),
                  Arg("stream_priority", stream_priority), Arg("reserved_size", reserved_size),
                  Arg("max_size", max_size)) {}
  HOLOSCAN_FORWARD_ARGS_TO(CudaStreamPool, Allocator)
  const char* gxf_typename() const override { return "nvidia::gxf::CudaStreamPool"; }
};

/// Time.
class Clock : public Resource,
              public gxf::GXFComponent,
              public std::enable_shared_from_this<Clock> {
 public:
  Clock() = default;
  HOLOSCAN_FORWARD_ARGS_TO(Clock, Resource)

  const char* gxf_typename() const override { return "nvidia::gxf::Clock"; }
  /// The engine does it.
  void initialize() override {}
  /// Time in nanoseconds.
  int64_t timestamp() const { return handle<nvidia::gxf::Clock>()->timestamp(); }
  /// Time in seconds.
  double time() const { return handle<nvidia::gxf::Clock>()->time(); }
  /// Waits for a number of nanoseconds.
  void sleep_for(int64_t nanoseconds) {
    handle<nvidia::gxf::Clock>()->sleepFor(nanoseconds).log_error("the clock cannot wait");
  }
  template <typename Rep, typename Period>
  void sleep_for(std::chrono::duration<Rep, Period> duration) {
    sleep_for(std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
  }
  /// Waits until a time in nanoseconds.
  void sleep_until(int64_t target) {
    handle<nvidia::gxf::Clock>()->sleepUntil(target).log_error("the clock cannot wait");
  }
  /// The clock as the class that it is; null if it is another one.
  template <typename ClockT>
  std::shared_ptr<ClockT> cast_to() {
    return std::dynamic_pointer_cast<ClockT>(shared_from_this());
  }
};

/// Time of the machine.
class RealtimeClock : public Clock {
 public:
  RealtimeClock() = default;
  RealtimeClock(double initial_time_offset, double initial_time_scale = 1.0,
                bool use_time_since_epoch = false)
      : Clock(Arg("initial_time_offset", initial_time_offset),
              Arg("initial_time_scale", initial_time_scale),
              Arg("use_time_since_epoch", use_time_since_epoch)) {}
  HOLOSCAN_FORWARD_ARGS_TO(RealtimeClock, Clock)
  const char* gxf_typename() const override { return "nvidia::gxf::RealtimeClock"; }
  /// Changes how fast time passes, without a jump: 2.0 is twice as fast. Throws unless above 0.
  void set_time_scale(double time_scale) {
    const auto set = handle<nvidia::gxf::RealtimeClock>()->setTimeScale(time_scale);
    if (!set) {
      throw std::runtime_error("the time scale " + std::to_string(time_scale) +
                               " cannot be set: " + GxfResultStr(set.error()));
    }
  }
};

/// Time that only waiting moves.
class ManualClock : public Clock {
 public:
  ManualClock() = default;
  explicit ManualClock(int64_t initial_timestamp)
      : Clock(Arg("initial_timestamp", initial_timestamp)) {}
  HOLOSCAN_FORWARD_ARGS_TO(ManualClock, Clock)
  const char* gxf_typename() const override { return "nvidia::gxf::ManualClock"; }
};

/// The queue of an input, as conditions of the program see it.
class Receiver : public Resource {
 public:
  explicit Receiver(nvidia::gxf::Handle<nvidia::gxf::Receiver> queue) : queue_(queue) {}

  /// Messages that can be received in this execution.
  size_t size() const { return queue_->size(); }
  /// Messages that arrived since.
  size_t back_size() const { return queue_->back_size(); }
  size_t capacity() const { return queue_->capacity(); }
  nvidia::gxf::Handle<nvidia::gxf::Receiver> gxf_handle() const { return queue_; }

 private:
  nvidia::gxf::Handle<nvidia::gxf::Receiver> queue_;
};

/// The queue of an output.
class Transmitter : public Resource {
 public:
  explicit Transmitter(nvidia::gxf::Handle<nvidia::gxf::Transmitter> queue) : queue_(queue) {}

  size_t size() const { return queue_->size(); }
  size_t back_size() const { return queue_->back_size(); }
  size_t capacity() const { return queue_->capacity(); }
  nvidia::gxf::Handle<nvidia::gxf::Transmitter> gxf_handle() const { return queue_; }

 private:
  nvidia::gxf::Handle<nvidia::gxf::Transmitter> queue_;
};

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_RESOURCE_HPP_
