/// The common part of the standard receiver and transmitter.
#ifndef GXF_SDK_DOUBLE_BUFFER_QUEUE_HPP_
#define GXF_SDK_DOUBLE_BUFFER_QUEUE_HPP_

#include <cstdint>
#include <memory>
#include <utility>

#include "gems/staging_queue/staging_queue.hpp"
#include "gxf/core/registrar.hpp"
#include "gxf/sdk/proxies/proxy.hpp"

namespace nvidia {
namespace gxf {
namespace detail {

/// A `Receiver` or `Transmitter` whose messages wait in a back stage until the graph moves them on.
template <typename Base>
class DoubleBufferQueue : public Base {
 public:
  using queue_t = ::gxf::staging_queue::StagingQueue<Entity>;

  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(capacity_, "capacity", "Capacity", "Messages in each stage.",
                                   uint64_t{1});
    result &= registrar->parameter(policy_, "policy", "Policy",
                                   "When a stage is full: 0 the oldest message goes, 1 the new one "
                                   "is rejected, 2 it is a fault.",
                                   uint64_t{2});
    return ToResultCode(result);
  }
  gxf_result_t initialize() override {
    if (capacity_.get() == 0) { return GXF_PARAMETER_OUT_OF_RANGE; }
    if (policy_.get() > 2) { return GXF_ARGUMENT_OUT_OF_RANGE; }
    queue_ = std::make_unique<queue_t>(
        capacity_.get(), static_cast<::gxf::staging_queue::OverflowBehavior>(policy_.get()),
        Entity{});
    return GXF_SUCCESS;
  }
  gxf_result_t deinitialize() override {
    queue_.reset();
    return GXF_SUCCESS;
  }

  gxf_result_t pop_abi(gxf_uid_t* uid) override {
    if (uid == nullptr) { return GXF_ARGUMENT_NULL; }
    if (queue_ == nullptr) { return GXF_FAILURE; }
    const Entity entity = queue_->pop();
    if (entity.is_null()) { return GXF_FAILURE; }
    // The reference becomes the caller's.
    GxeMessage* message = EntityAccess::Message(entity);
    if (message != nullptr) { sdk::Host().message_retain(message); }
    *uid = entity.eid();
    return GXF_SUCCESS;
  }
  gxf_result_t push_abi(gxf_uid_t other) override {
    if (queue_ == nullptr) { return GXF_FAILURE; }
    auto entity = Entity::Shared(this->context(), other);
    if (!entity) { return entity.error(); }
    if (!queue_->push(std::move(entity.value()))) {
      return policy_.get() == 2 ? GXF_EXCEEDING_PREALLOCATED_SIZE : GXF_SUCCESS;
    }
    return GXF_SUCCESS;
  }
  gxf_result_t peek_abi(gxf_uid_t* uid, int32_t index) override {
    return queue_ == nullptr ? GXF_FAILURE : Show(queue_->peek(Position(index)), uid);
  }
  size_t capacity_abi() override { return queue_ == nullptr ? 0 : queue_->capacity(); }
  size_t size_abi() override { return queue_ == nullptr ? 0 : queue_->size(); }
  size_t back_size_abi() override { return queue_ == nullptr ? 0 : queue_->back_size(); }
  gxf_result_t sync_abi() override {
    if (queue_ == nullptr) { return GXF_FAILURE; }
    return queue_->sync() || policy_.get() != 2 ? GXF_SUCCESS : GXF_EXCEEDING_PREALLOCATED_SIZE;
  }

  Parameter<uint64_t> capacity_;
  Parameter<uint64_t> policy_;

 protected:
  static size_t Position(int32_t index) {
    return index < 0 ? SIZE_MAX : static_cast<size_t>(index);
  }
  static gxf_result_t Show(const Entity& entity, gxf_uid_t* uid) {
    if (uid == nullptr) { return GXF_ARGUMENT_NULL; }
    if (entity.is_null()) { return GXF_FAILURE; }
    *uid = entity.eid();
    return GXF_SUCCESS;
  }

  std::unique_ptr<queue_t> queue_;
};

}  // namespace detail

namespace sdk __attribute__((visibility("hidden"))) {

/// A proxy for one of the host's queues, which knows its parameters.
template <typename Base>
class DoubleBufferProxy : public Base {
 public:
  Expected<void> Connect() {
    const auto connected = Base::Connect();
    if (!connected) { return connected; }
    Take(this->capacity_, "capacity");
    Take(this->policy_, "policy");
    return Success;
  }

 private:
  void Take(Parameter<uint64_t>& parameter, const char* key) {
    const auto value = RemoteParameter<uint64_t>(*this, key);
    if (value) { parameter.setWithoutPropagate(value.value()); }
  }
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_DOUBLE_BUFFER_QUEUE_HPP_
