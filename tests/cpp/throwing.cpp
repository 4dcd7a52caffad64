// Components that throw in whichever of their functions the file names.
#include <cstdlib>
#include <deque>
#include <stdexcept>
#include <string>

#include "gxf/serialization/component_serializer.hpp"
#include "gxf/serialization/entity_serializer.hpp"
#include "gxf/std/allocator.hpp"
#include "gxf/std/clock.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/controller.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/monitor.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/scheduler.hpp"
#include "gxf/std/scheduling_term_combiner.hpp"
#include "gxf/std/scheduling_terms.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/transmitter.hpp"

namespace throwing {

using namespace nvidia::gxf;  // NOLINT
using nvidia::FixedVector;

// A base that throws where it is told to.
template <typename Base>
class Throws : public Base {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(throw_in_, "throw_in", "Function", "Where it throws."));
  }
  gxf_result_t initialize() override { return Maybe("initialize", Base::initialize()); }
  gxf_result_t deinitialize() override { return Maybe("deinitialize", Base::deinitialize()); }

 protected:
  template <typename T>
  T Maybe(const char* function, T result) const {
    if (throw_in_.get() != function) { return result; }
    if (throw_in_.get().size() % 2 == 0) { throw std::runtime_error("out of cheese"); }
    throw 7;
  }

  Parameter<std::string> throw_in_;
};

template <typename Base>
class Line : public Throws<Base> {
 public:
  gxf_result_t pop_abi(gxf_uid_t* uid) override {
    if (main_.empty()) { return this->Maybe("pop_abi", GXF_FAILURE); }
    *uid = main_.front();
    main_.pop_front();
    return this->Maybe("pop_abi", GXF_SUCCESS);
  }
  gxf_result_t push_abi(gxf_uid_t other) override {
    const gxf_result_t code = this->Maybe("push_abi", GXF_SUCCESS);
    back_.push_back(other);
    GxfEntityRefCountInc(this->context(), other);
    return code;
  }
  gxf_result_t peek_abi(gxf_uid_t*, int32_t) override { return GXF_FAILURE; }
  size_t capacity_abi() override { return this->Maybe("capacity_abi", size_t{4}); }
  size_t size_abi() override { return this->Maybe("size_abi", main_.size()); }
  size_t back_size_abi() override { return this->Maybe("back_size_abi", back_.size()); }
  gxf_result_t sync_abi() override {
    main_.insert(main_.end(), back_.begin(), back_.end());
    back_.clear();
    return this->Maybe("sync_abi", GXF_SUCCESS);
  }

 private:
  std::deque<gxf_uid_t> main_;
  std::deque<gxf_uid_t> back_;
};
class In : public Line<Receiver> {
 public:
  gxf_result_t receive_abi(gxf_uid_t* uid) override {
    return Maybe("receive_abi", pop_abi(uid));
  }
  gxf_result_t peek_back_abi(gxf_uid_t*, int32_t) override { return GXF_FAILURE; }
};
class Out : public Line<Transmitter> {
 public:
  gxf_result_t publish_abi(gxf_uid_t uid) override { return Maybe("publish_abi", push_abi(uid)); }
};

class Memory : public Throws<Allocator> {
 public:
  gxf_result_t is_available_abi(uint64_t) override {
    return Maybe("is_available_abi", GXF_SUCCESS);
  }
  gxf_result_t allocate_abi(uint64_t size, int32_t, void** pointer) override {
    *pointer = Maybe("allocate_abi", size) == 0 ? nullptr : ::operator new(size);
    return GXF_SUCCESS;
  }
  using Allocator::free_abi;
  gxf_result_t free_abi(void* pointer) override {
    ::operator delete(pointer);
    return Maybe("free_abi", GXF_SUCCESS);
  }
};

class Term : public Throws<SchedulingTerm> {
 public:
  gxf_result_t check_abi(int64_t timestamp, SchedulingConditionType* type,
                         int64_t* target) const override {
    *type = SchedulingConditionType::READY;
    *target = timestamp;
    return Maybe("check_abi", GXF_SUCCESS);
  }
  gxf_result_t onExecute_abi(int64_t) override { return Maybe("onExecute_abi", GXF_SUCCESS); }
  gxf_result_t update_state_abi(int64_t) override {
    if (throw_in_.get() == "nothing, but fails") { return GXF_FAILURE; }
    return Maybe("update_state_abi", GXF_SUCCESS);
  }
};
class Both : public Throws<SchedulingTermCombiner> {
 public:
  SchedulingCondition combine(SchedulingCondition a, SchedulingCondition) override {
    return Maybe("combine", a);
  }
  FixedVector<Handle<SchedulingTerm>, kMaxComponents> getTermList() const override {
    FixedVector<Handle<SchedulingTerm>, kMaxComponents> list;
    for (const auto& term : terms_.get()) { list.push_back(term); }
    return list;
  }
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(ExpectedOrCode(Throws::registerInterface(registrar)) &
                        registrar->parameter(terms_, "terms", "Terms", ""));
  }

 private:
  Parameter<std::vector<Handle<SchedulingTerm>>> terms_;
};

class Time : public Throws<Clock> {
 public:
  double time() const override { return 0.0; }
  int64_t timestamp() const override { return Maybe("timestamp", now_); }
  Expected<void> sleepFor(int64_t duration) override {
    now_ += duration;
    return Maybe("sleepFor", Success);
  }
  Expected<void> sleepUntil(int64_t target) override {
    now_ = std::max(now_, target);
    return Maybe("sleepUntil", Success);
  }

 private:
  int64_t now_ = 0;
};

class Chief : public Throws<Controller> {
 public:
  gxf_controller_status_t control(gxf_uid_t, Expected<void> code) override {
    return Maybe("control", code ? gxf_controller_status_t(GXF_BEHAVIOR_RUNNING, GXF_EXECUTE_SUCCESS)
                                 : gxf_controller_status_t(GXF_BEHAVIOR_FAILURE,
                                                           GXF_EXECUTE_FAILURE));
  }
};
class Watcher : public Throws<Monitor> {
 public:
  gxf_result_t on_execute_abi(gxf_uid_t, uint64_t, gxf_result_t) override {
    return Maybe("on_execute_abi", GXF_SUCCESS);
  }
};

class Numbers : public Throws<ComponentSerializer> {
 public:
  gxf_result_t initialize() override {
    const auto set =
        setSerializer<int64_t>([this](void* number, Endpoint* endpoint) {
          return Maybe("serialize", endpoint->writeTrivialType(static_cast<int64_t*>(number)));
        }) &
        setDeserializer<int64_t>([this](void* number, Endpoint* endpoint) {
          return Maybe("deserialize", Expected<void>(endpoint->readTrivialType(
                                          static_cast<int64_t*>(number))));
        });
    return ToResultCode(set);
  }
};
class Whole : public Throws<EntitySerializer> {
 public:
  gxf_result_t serialize_entity_abi(gxf_uid_t, Endpoint* endpoint, uint64_t* size) override {
    const char letters[] = "ok";
    *size = endpoint->write(letters, sizeof(letters)).value_or(0);
    return Maybe("serialize_entity_abi", GXF_SUCCESS);
  }
  Expected<Entity> deserialize_entity_header_abi(Endpoint*) override { return Entity::New(context()); }
  gxf_result_t deserialize_entity_abi(gxf_uid_t, Endpoint*) override { return GXF_SUCCESS; }
};

// Runs one entity once, on a thread of the caller.
class Once : public Throws<Scheduler> {
 public:
  gxf_result_t prepare_abi(EntityExecutor* executor) override {
    executor_ = executor;
    return Maybe("prepare_abi", GXF_SUCCESS);
  }
  gxf_result_t schedule_abi(gxf_uid_t eid) override {
    entities_.push_back(eid);
    return Maybe("schedule_abi", GXF_SUCCESS);
  }
  gxf_result_t unschedule_abi(gxf_uid_t) override { return Maybe("unschedule_abi", GXF_SUCCESS); }
  gxf_result_t runAsync_abi() override { return Maybe("runAsync_abi", GXF_SUCCESS); }
  gxf_result_t stop_abi() override { return Maybe("stop_abi", GXF_SUCCESS); }
  gxf_result_t wait_abi() override {
    for (const gxf_uid_t eid : entities_) {
      const auto condition = executor_->executeEntity(eid, 1);
      if (!condition) { return condition.error(); }
    }
    return Maybe("wait_abi", GXF_SUCCESS);
  }
  gxf_result_t event_notify_abi(gxf_uid_t, gxf_event_t) override { return GXF_SUCCESS; }

 private:
  EntityExecutor* executor_ = nullptr;
  std::vector<gxf_uid_t> entities_;
};

class Sender : public Throws<Codelet> {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(ExpectedOrCode(Throws::registerInterface(registrar)) &
                        registrar->parameter(out_, "out", "Out", "") &
                        registrar->parameter(pool_, "pool", "Pool", ""));
  }
  gxf_result_t start() override { return Maybe("start", GXF_SUCCESS); }
  gxf_result_t tick() override {
    if (throw_in_.get() == "nothing, but fails") {
      Tensor tensor;
      return ToResultCode(tensor.reshape<float>({3, 0}, MemoryStorageType::kSystem, pool_));
    }
    auto message = Entity::New(context());
    *message->add<int64_t>("number").value() = 7;
    auto memory = pool_->allocate(8, MemoryStorageType::kSystem);
    if (!memory || !pool_->is_available(8) || !pool_->free(memory.value())) { return GXF_FAILURE; }
    const auto sent = out_->publish(message.value());
    return sent ? Maybe("tick", GXF_SUCCESS) : sent.error();
  }
  gxf_result_t stop() override { return Maybe("stop", GXF_SUCCESS); }

 private:
  Parameter<Handle<Transmitter>> out_;
  Parameter<Handle<Allocator>> pool_;
};

}  // namespace throwing

GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0x6a6b6c6d6e6f7001, 0x7172737475767701, "Throwing", "Throws", "gxe", "1.0",
                         "Apache-2.0")
if (std::getenv("FACTORY_THROWS") != nullptr) { throw std::string{"no paper"}; }
GXF_EXT_FACTORY_ADD_LITE(0x6a6b6c6d6e6f7001, 0x7172737475767702, throwing::In, nvidia::gxf::Receiver)
if (std::getenv("FACTORY_REPEATS") != nullptr) {
  GXF_EXT_FACTORY_ADD_LITE(0x6a6b6c6d6e6f7001, 0x7172737475767702, throwing::Time,
                           nvidia::gxf::Clock)
}
GXF_EXT_FACTORY_ADD_LITE(0x6a6b6c6d6e6f7001, 0x7172737475767703, throwing::Out,
                         nvidia::gxf::Transmitter)
GXF_EXT_FACTORY_ADD_LITE(0x6a6b6c6d6e6f7001, 0x7172737475767704, throwing::Memory,
                         nvidia::gxf::Allocator)
GXF_EXT_FACTORY_ADD_LITE(0x6a6b6c6d6e6f7001, 0x7172737475767705, throwing::Term,
                         nvidia::gxf::SchedulingTerm)
GXF_EXT_FACTORY_ADD_LITE(0x6a6b6c6d6e6f7001, 0x7172737475767706, throwing::Both,
                         nvidia::gxf::SchedulingTermCombiner)
GXF_EXT_FACTORY_ADD_LITE(0x6a6b6c6d6e6f7001, 0x7172737475767707, throwing::Time, nvidia::gxf::Clock)
GXF_EXT_FACTORY_ADD_LITE(0x6a6b6c6d6e6f7001, 0x7172737475767708, throwing::Chief,
                         nvidia::gxf::Controller)
GXF_EXT_FACTORY_ADD_LITE(0x6a6b6c6d6e6f7001, 0x7172737475767709, throwing::Watcher,
                         nvidia::gxf::Monitor)
GXF_EXT_FACTORY_ADD_LITE(0x6a6b6c6d6e6f7001, 0x717273747576770a, throwing::Numbers,
                         nvidia::gxf::ComponentSerializer)
GXF_EXT_FACTORY_ADD_LITE(0x6a6b6c6d6e6f7001, 0x717273747576770b, throwing::Whole,
                         nvidia::gxf::EntitySerializer)
GXF_EXT_FACTORY_ADD_LITE(0x6a6b6c6d6e6f7001, 0x717273747576770c, throwing::Once,
                         nvidia::gxf::Scheduler)
GXF_EXT_FACTORY_ADD_LITE(0x6a6b6c6d6e6f7001, 0x717273747576770d, throwing::Sender,
                         nvidia::gxf::Codelet)
GXF_EXT_FACTORY_END()
