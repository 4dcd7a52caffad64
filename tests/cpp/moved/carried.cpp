// Messages that carry components, as GXF's own test codelets do: there, everything in a message is a
// component of an entity. A frame of this kind has no base but Component.
#include <cstdint>
#include <string>
#include <vector>

#include "gxf/core/gxf.h"
#include "gxf/std/codelet.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/transmitter.hpp"

namespace nvidia {
namespace gxf {
namespace carried {

// How long each stage of a frame took.
class Frame : public Component {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(limit_, "limit", "Limit", "Most stages.", 8));
  }
  void begin(int64_t number) { number_ = number; }
  bool addStage(int64_t duration) {
    if (static_cast<int>(stages_.size()) == limit_.get()) { return false; }
    stages_.push_back(duration);
    return true;
  }
  int64_t number() const { return number_; }
  const std::vector<int64_t>& stages() const { return stages_; }

 private:
  Parameter<int> limit_;
  int64_t number_ = -1;
  std::vector<int64_t> stages_;
};

// One that is derived from another one.
class NamedFrame : public Frame {
 public:
  std::string title;
};

class Source : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(out_, "out"));
  }
  gxf_result_t tick() override {
    auto message = Entity::New(context());
    if (!message) { return message.error(); }
    auto number = message->add<int64_t>("number");
    auto frame = message->add<Frame>("LATENCY");
    auto named = message->add<NamedFrame>();
    if (!number || !frame || !named) { return GXF_FAILURE; }
    *number.value() = getExecutionCount();
    frame.value()->begin(getExecutionCount());
    named.value()->begin(-getExecutionCount());
    named.value()->title = "second";
    // It is there at once, and knows where.
    auto found = message->get<Frame>();
    if (!found || found.value() != frame.value() || !message->get<Frame>("LATENCY") ||
        message->get<Frame>("latency")) {
      GXF_LOG_ERROR("the frame is not in its message");
      return GXF_FAILURE;
    }
    const Component& component = *frame.value();
    if (component.context() != context() || component.eid() != message->eid() ||
        component.cid() != frame->cid() || std::string(component.name()) != "LATENCY" ||
        std::string(component.type_name()) != "nvidia::gxf::carried::Frame" ||
        component.entity().eid() != message->eid()) {
      GXF_LOG_ERROR("the frame does not know where it is");
      return GXF_FAILURE;
    }
    auto untyped = UntypedHandle::Create(context(), frame->cid());
    auto again = Handle<Frame>::Create(context(), frame->cid());
    if (!untyped || std::string(untyped->name()) != "LATENCY" || !again ||
        again.value().get() != frame.value().get()) {
      return GXF_FAILURE;
    }
    // Copies are users of the entity, as in GXF.
    {
      const Entity second = message.value();
      const std::vector<Entity> more(2, second);
      int64_t users = 0;
      if (GxfEntityGetRefCount(context(), second.eid(), &users) != GXF_SUCCESS || users != 4) {
        GXF_LOG_ERROR("four entities, %d users", static_cast<int>(users));
        return GXF_FAILURE;
      }
    }
    const auto all = message->findAll<8>();
    if (!all || all->size() != 3) { return GXF_FAILURE; }
    return ToResultCode(out_->publish(message.value()));
  }

 private:
  Parameter<Handle<Transmitter>> out_;
};

// Belongs into no message.
class Sleeper : public Codelet {
 public:
  gxf_result_t tick() override { return GXF_SUCCESS; }
};

// Adds its own stage, and passes the message on.
class Stage : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(in_, "in");
    result &= registrar->parameter(out_, "out");
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    auto message = in_->receive();
    if (!message) { return message.error(); }
    auto frame = message->get<Frame>("LATENCY");
    if (!frame) { return frame.error(); }
    if (!frame.value()->addStage(10 * getExecutionCount())) { return GXF_FAILURE; }
    // A component that the engine calls makes an entity of the message, and is found as well.
    auto inner = message->add<Sleeper>("inner");
    if (!inner || !message->get<Sleeper>("inner") || message->get<Sleeper>("outer")) {
      GXF_LOG_ERROR("a codelet in a message is lost");
      return GXF_FAILURE;
    }
    return ToResultCode(out_->publish(message.value()));
  }

 private:
  Parameter<Handle<Receiver>> in_;
  Parameter<Handle<Transmitter>> out_;
};

class Sink : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(in_, "in"));
  }
  gxf_result_t tick() override {
    auto message = in_->receive();
    if (!message) { return message.error(); }
    auto frame = message->get<Frame>("LATENCY");
    auto named = message->get<NamedFrame>();
    auto number = message->get<int64_t>("number");
    if (!frame || !named || !number) { return GXF_FAILURE; }
    if (frame.value()->number() != *number.value() || named.value()->title != "second" ||
        named.value()->number() != -*number.value()) {
      return GXF_INVALID_DATA_FORMAT;
    }
    for (const int64_t stage : frame.value()->stages()) { sum_ += stage; }
    frames_++;
    return GXF_SUCCESS;
  }
  gxf_result_t stop() override {
    GXF_LOG_INFO("%s: %d frames, stages took %d", name(), static_cast<int>(frames_),
                 static_cast<int>(sum_));
    return GXF_SUCCESS;
  }

 private:
  Parameter<Handle<Receiver>> in_;
  int64_t frames_ = 0;
  int64_t sum_ = 0;
};

// Sets handles in initialize, of itself and of others.
class Director : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(actor_, "actor", "Actor", "", Handle<Frame>::Unspecified(),
                                   GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(understudy_, "understudy");
    return ToResultCode(result);
  }
  gxf_result_t initialize() override {
    const gxf_uid_t wanted = understudy_.get().cid();
    gxf_uid_t found = kNullUid;
    gxf_result_t code = GxfParameterSetHandle(context(), cid(), "actor", wanted);
    if (code == GXF_SUCCESS) { code = GxfParameterGetHandle(context(), cid(), "actor", &found); }
    if (code != GXF_SUCCESS) { return code; }
    if (found != wanted || !actor_.try_get() || actor_.try_get()->cid() != wanted) {
      return GXF_FAILURE;
    }
    actor_.try_get().value()->begin(42);
    return GXF_SUCCESS;
  }
  gxf_result_t tick() override {
    const gxf_uid_t wanted = understudy_.get().cid();
    const bool is_refused = GxfParameterSetHandle(context(), cid(), "actor", wanted) ==
                            GXF_PARAMETER_CAN_NOT_MODIFY_CONSTANT;
    GXF_LOG_INFO("actor says %d, later changes are refused: %s",
                 static_cast<int>(actor_.try_get().value()->number()), is_refused ? "yes" : "no");
    return GXF_SUCCESS;
  }

 private:
  Parameter<Handle<Frame>> actor_;
  Parameter<Handle<Frame>> understudy_;
};

// A text parameter that is given a list or mapping.
class Reader : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(states_, "states");
    result &= registrar->parameter(sizes_, "sizes");
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    const bool states = states_.get() == "- a: st\n  b: ee\n- a: u\n  list:\n    - 1\n    - \"x y\"";
    GXF_LOG_INFO("states in lines: %s, sizes in brackets: %s", states ? "yes" : states_.get().c_str(),
                 sizes_.get() == "[1, 2]" ? "yes" : sizes_.get().c_str());
    return GXF_SUCCESS;
  }

 private:
  Parameter<std::string> states_;
  Parameter<std::string> sizes_;
};

}  // namespace carried
}  // namespace gxf
}  // namespace nvidia

GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0x1c5b2a1099ef11f0, 0x8a3d0242ac120002, "CarriedExtension",
                         "Components in messages", "gxe", "1.0.0", "Apache-2.0");
GXF_EXT_FACTORY_ADD(0x1c5b2a1099ef11f0, 0x8a3d0242ac120003, nvidia::gxf::carried::Frame,
                    nvidia::gxf::Component, "How long each stage took");
GXF_EXT_FACTORY_ADD(0x1c5b2a1099ef11f0, 0x8a3d0242ac120004, nvidia::gxf::carried::NamedFrame,
                    nvidia::gxf::carried::Frame, "One with a title");
GXF_EXT_FACTORY_ADD(0x1c5b2a1099ef11f0, 0x8a3d0242ac120005, nvidia::gxf::carried::Source,
                    nvidia::gxf::Codelet, "Sends frames");
GXF_EXT_FACTORY_ADD(0x1c5b2a1099ef11f0, 0x8a3d0242ac120006, nvidia::gxf::carried::Stage,
                    nvidia::gxf::Codelet, "Adds its stage");
GXF_EXT_FACTORY_ADD(0x1c5b2a1099ef11f0, 0x8a3d0242ac120007, nvidia::gxf::carried::Sink,
                    nvidia::gxf::Codelet, "Counts frames");
GXF_EXT_FACTORY_ADD(0x1c5b2a1099ef11f0, 0x8a3d0242ac120008, nvidia::gxf::carried::Director,
                    nvidia::gxf::Codelet, "Sets handles");
GXF_EXT_FACTORY_ADD(0x1c5b2a1099ef11f0, 0x8a3d0242ac120009, nvidia::gxf::carried::Reader,
                    nvidia::gxf::Codelet, "Reads texts");
GXF_EXT_FACTORY_ADD(0x1c5b2a1099ef11f0, 0x8a3d0242ac12000a,
                    nvidia::gxf::carried::Sleeper, nvidia::gxf::Codelet, "Does nothing");
GXF_EXT_FACTORY_END()
