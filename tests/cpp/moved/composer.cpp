// Messages that are composed of parts, taken apart, stamped, cloned, merged, forwarded and kept, as
// extensions around several receivers do it.
#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gxf/core/entity.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/expected_macro.hpp"
#include "gxf/core/handle.hpp"
#include "gxf/core/parameter.hpp"
#include "gxf/multimedia/camera.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/parameter_parser_std.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/timestamp.hpp"
#include "gxf/std/transmitter.hpp"

namespace message {

namespace gxf = nvidia::gxf;

constexpr char kSequence[] = "sequence_number";
constexpr char kTimestampName[] = "timestamp";

// A part of a message with memory of its own.
struct Detection {
  Detection() = default;
  Detection(const Detection&) = delete;
  Detection& operator=(const Detection&) = delete;
  ~Detection() { alive_count()--; }
  static std::atomic<int>& alive_count() {
    static std::atomic<int> count{0};
    return count;
  }
  std::string label;
  std::vector<std::array<float, 4>> boxes;
  std::shared_ptr<int> counter = (alive_count()++, std::make_shared<int>(0));
};

// A message in parts.
struct DetectionParts {
  gxf::Entity message;
  gxf::Handle<Detection> detection;
  gxf::Handle<gxf::Tensor> scores;
  gxf::Handle<int64_t> sequence_number;
  gxf::Handle<gxf::Timestamp> timestamp;
};

gxf::Expected<DetectionParts> CreateDetection(gxf_context_t context, size_t count,
                                              gxf::Handle<gxf::Allocator> allocator) {
  DetectionParts parts;
  return gxf::Entity::New(context)
      .assign_to(parts.message)
      .and_then([&]() { return parts.message.add<Detection>("detection"); })
      .assign_to(parts.detection)
      .and_then([&]() { return parts.message.add<gxf::Tensor>("scores"); })
      .assign_to(parts.scores)
      .and_then([&]() { return parts.message.add<int64_t>(kSequence); })
      .assign_to(parts.sequence_number)
      .and_then([&]() { return parts.message.add<gxf::Timestamp>(kTimestampName); })
      .assign_to(parts.timestamp)
      .and_then([&]() {
        return parts.scores->reshape<float>(gxf::Shape{static_cast<int32_t>(count)},
                                            gxf::MemoryStorageType::kSystem, allocator);
      })
      .substitute(parts);
}

gxf::Expected<DetectionParts> GetDetection(gxf::Entity message) {
  DetectionParts parts;
  parts.message = message;
  return parts.message.get<Detection>("detection")
      .log_error("there is no detection in message %05zu", message.eid())
      .assign_to(parts.detection)
      .and_then([&]() { return parts.message.get<gxf::Tensor>("scores"); })
      .assign_to(parts.scores)
      .and_then([&]() { return parts.message.get<int64_t>(kSequence); })
      .assign_to(parts.sequence_number)
      .and_then([&]() { return parts.message.get<gxf::Timestamp>(kTimestampName); })
      .assign_to(parts.timestamp)
      .substitute(parts);
}

class Detector : public gxf::Codelet {
 public:
  gxf_result_t registerInterface(gxf::Registrar* registrar) override {
    gxf::Expected<void> result;
    result &= registrar->parameter(output_, "output", "Output", "");
    result &= registrar->parameter(allocator_, "allocator", "Allocator", "");
    result &= registrar->parameter(label_, "label", "Label", "", std::string("none"));
    return gxf::ToResultCode(result);
  }
  gxf_result_t tick() override {
    auto parts = CreateDetection(context(), 2, allocator_);
    if (!parts) { return gxf::ToResultCode(parts); }
    parts->detection->label = label_;
    parts->detection->boxes.assign(2, {0.0f, 0.0f, 1.0f, 1.0f});
    *parts->sequence_number = getExecutionCount();
    parts->timestamp->acqtime = 1000 * getExecutionCount();
    gxf::Expected<float*> scores = parts->scores->data<float>();
    if (!scores) { return scores.error(); }
    std::fill_n(*scores, parts->scores->element_count(), 0.5f);
    return gxf::ToResultCode(output_->publish(parts->message));
  }

 private:
  gxf::Parameter<gxf::Handle<gxf::Transmitter>> output_;
  gxf::Parameter<gxf::Handle<gxf::Allocator>> allocator_;
  gxf::Parameter<std::string> label_;
};

// Takes one message of each receiver and puts their parts into one.
class Composer : public gxf::Codelet {
 public:
  gxf_result_t registerInterface(gxf::Registrar* registrar) override {
    gxf::Expected<void> result;
    result &= registrar->parameter(inputs_, "inputs", "Inputs", "One message of each is taken");
    result &= registrar->parameter(output_, "output", "Output", "");
    return gxf::ToResultCode(result);
  }
  gxf_result_t start() override {
    if (inputs_.get().size() < 2) {
      GXF_LOG_ERROR("%zu inputs are too few", inputs_.get().size());
      return GXF_PARAMETER_OUT_OF_RANGE;
    }
    return GXF_SUCCESS;
  }
  gxf_result_t tick() override {
    gxf::Entity composed = UNWRAP_OR_RETURN(gxf::Entity::New(context()), "no message");
    int64_t latest = 0;
    for (const auto& input : inputs_.get()) {
      auto received = input->receive();
      if (!received) { return GXF_CONTRACT_MESSAGE_NOT_AVAILABLE; }
      const auto parts = UNWRAP_OR_RETURN(GetDetection(received.value()));
      auto detection = UNWRAP_OR_RETURN(composed.add<Detection>(input.name()));
      detection->label = parts.detection->label;
      std::swap(detection->boxes, parts.detection->boxes);
      // The tensor moves from one message to the other.
      auto scores = composed.add<gxf::Tensor>(input->name());
      RETURN_IF_ERROR(scores);
      *scores.value() = std::move(*parts.scores);
      if (parts.scores->size() != 0) { return GXF_FAILURE; }
      latest = std::max(latest, parts.timestamp->acqtime);
      auto number = composed.get<int64_t>(kSequence);
      if (!number) {
        number = composed.add<int64_t>(kSequence);
        *number.value() = 0;
      }
      *number.value() += *parts.sequence_number;
    }
    RETURN_IF_ERROR(output_->publish(composed, latest), nvidia::Severity::WARNING,
                    "message %ld is lost", composed.eid());
    return GXF_SUCCESS;
  }

 private:
  gxf::Parameter<std::vector<gxf::Handle<gxf::Receiver>>> inputs_;
  gxf::Parameter<gxf::Handle<gxf::Transmitter>> output_;
};

// Takes a message apart again: one output for each part, by its name.
class Decomposer : public gxf::Codelet {
 public:
  gxf_result_t registerInterface(gxf::Registrar* registrar) override {
    gxf::Expected<void> result;
    result &= registrar->parameter(input_, "input");
    result &= registrar->parameter(outputs_, "outputs", "Outputs");
    result &= registrar->parameter(keep_, "keep", "Keep", "Messages to keep a while", size_t{3});
    return gxf::ToResultCode(result);
  }
  gxf_result_t tick() override {
    // Looks before it takes.
    if (input_->size() == 0 || !input_->peek()) { return GXF_FAILURE; }
    auto message = input_->receive();
    if (!message) { return gxf::ToResultCode(message); }
    const gxf::Timestamp stamp = *message->get<gxf::Timestamp>(kTimestampName).value();
    if (stamp.pubtime == 0 && getExecutionTimestamp() != 0) {
      GXF_LOG_DEBUG("message was published with the time 0");
    }
    auto detections = message->findAll<Detection>();
    if (!detections || detections->size() != outputs_.get().size()) { return GXF_FAILURE; }
    for (size_t i = 0; i < detections->size(); i++) {
      auto detection = detections->at(i);
      if (!detection) { return GXF_FAILURE; }
      auto scores = message->get<gxf::Tensor>(detection.value().name());
      if (!scores || scores.value()->size() != 8) { return GXF_ENTITY_COMPONENT_NOT_FOUND; }
      auto part = gxf::Entity::New(context());
      if (!part) { return gxf::ToResultCode(part); }
      auto text = part->add<std::string>("label");
      auto sum = part->add<float>("sum");
      auto tensor = part->add<gxf::Tensor>();
      if (!text || !sum || !tensor) { return GXF_OUT_OF_MEMORY; }
      *text.value() = detection.value()->label + "/" + std::to_string(stamp.acqtime);
      *sum.value() = scores.value()->data<float>().value()[0] * 2;
      // A view of the other message's memory, which this one keeps alive.
      const gxf::Entity owner = message.value();
      const auto wrapped = tensor.value()->wrapMemory(
          scores.value()->shape(), scores.value()->element_type(),
          scores.value()->bytes_per_element(),
          gxf::ComputeTrivialStrides(scores.value()->shape(), 4), scores.value()->storage_type(),
          scores.value()->pointer(), [owner](void*) { return gxf::Success; });
      if (!wrapped) { return gxf::ToResultCode(wrapped); }
      const auto sent = outputs_.get()[i]->publish(part.value(), stamp.acqtime);
      if (!sent) { return gxf::ToResultCode(sent); }
    }
    kept_.push_back(std::move(message.value()));
    if (kept_.size() > keep_) { kept_.pop_front(); }
    return GXF_SUCCESS;
  }
  gxf_result_t stop() override {
    GXF_LOG_INFO("kept %zu messages, newest %s", kept_.size(),
                 kept_.empty() || !kept_.back().get<Detection>() ? "empty" : "whole");
    kept_.clear();
    return GXF_SUCCESS;
  }

 private:
  gxf::Parameter<gxf::Handle<gxf::Receiver>> input_;
  gxf::Parameter<std::vector<gxf::Handle<gxf::Transmitter>>> outputs_;
  gxf::Parameter<size_t> keep_;
  std::deque<gxf::Entity> kept_;
};

// Changes what arrives and sends the same message on.
class Stamper : public gxf::Codelet {
 public:
  gxf_result_t registerInterface(gxf::Registrar* registrar) override {
    gxf::Expected<void> result;
    result &= registrar->parameter(input_, "input", "Input", "");
    result &= registrar->parameter(output_, "output", "Output", "");
    return gxf::ToResultCode(result);
  }
  gxf_result_t tick() override {
    return gxf::ToResultCode(
        input_->receive()
            .map([this](gxf::Entity message) -> gxf::Expected<gxf::Entity> {
              const gxf::Entity copy = message;
              auto pose = message.add<gxf::Pose3D>("pose");
              if (!pose) { return gxf::ForwardError(pose); }
              pose.value()->rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1};
              pose.value()->translation = {0, 0, static_cast<float>(getExecutionCount())};
              auto clone = message.clone();
              if (!clone || clone->eid() != message.eid()) { return gxf::Unexpected{GXF_FAILURE}; }
              auto again = copy.get<gxf::Pose3D>();
              if (!again || again.value() != pose.value()) { return gxf::Unexpected{GXF_FAILURE}; }
              auto removed = clone->remove<float>("sum");
              if (!removed || message.get<float>("sum")) { return gxf::Unexpected{GXF_FAILURE}; }
              return message;
            })
            .map([this](gxf::Entity message) { return output_->publish(message); })
            .log_error("%s could not stamp", name()));
  }

 private:
  gxf::Parameter<gxf::Handle<gxf::Receiver>> input_;
  gxf::Parameter<gxf::Handle<gxf::Transmitter>> output_;
};

// Writes down what arrives, of every input that has something.
class Collector : public gxf::Codelet {
 public:
  gxf_result_t registerInterface(gxf::Registrar* registrar) override {
    return gxf::ToResultCode(registrar->parameter(inputs_, "inputs", "Inputs", ""));
  }
  gxf_result_t tick() override {
    for (auto receiver : inputs_.get()) {
      while (auto message = receiver->receive()) {
        std::ostringstream line;
        const auto all = message->findAllHeap();
        if (!all) { return gxf::ToResultCode(all); }
        for (size_t i = 0; i < all->size(); i++) {
          const gxf::UntypedHandle handle = all->at(i).value();
          const char* type = nullptr;
          if (GxfComponentTypeName(context(), handle.tid(), &type) != GXF_SUCCESS) {
            return GXF_FAILURE;
          }
          line << (i == 0 ? "" : ",") << handle.name() << ":" << type;
        }
        const auto text = message->get<std::string>();
        const auto tensor = message->get<gxf::Tensor>();
        if (!text || !tensor || tensor.value()->data<float>().value()[1] != 0.5f) {
          return GXF_FAILURE;
        }
        // The stamper took the sum out and put a pose in, for itself alone.
        const bool is_stamped = std::string(receiver.name()) == "stamped";
        if (message->get<float>("sum").has_value() == is_stamped ||
            message->get<gxf::Pose3D>("pose").has_value() != is_stamped) {
          GXF_LOG_ERROR("'%s' has the wrong parts: %s", receiver->name(), line.str().c_str());
          return GXF_INVALID_DATA_FORMAT;
        }
        labels_[*text.value()]++;
        if (is_stamped) { shape_ = line.str(); }
      }
    }
    return GXF_SUCCESS;
  }
  gxf_result_t stop() override {
    GXF_LOG_INFO("collected %zu labels, first %s, parts %s", labels_.size(),
                 labels_.empty() ? "none" : labels_.begin()->first.c_str(), shape_.c_str());
    return GXF_SUCCESS;
  }
  gxf_result_t deinitialize() override {
    labels_.clear();
    return GXF_SUCCESS;
  }

 private:
  gxf::Parameter<std::vector<gxf::Handle<gxf::Receiver>>> inputs_;
  std::map<std::string, int> labels_;
  std::string shape_;
};

}  // namespace message

extern "C" {

GXF_EXT_FACTORY_BEGIN()

GXF_EXT_FACTORY_SET_INFO(0x5cd1a9b1d2e34f01, 0x9e8f7a6b5c4d3e01, "MessageExtension",
                         "Messages in parts", "gxe", "0.0.1", "Apache-2.0");
GXF_EXT_FACTORY_ADD_0(0x5cd1a9b1d2e34f01, 0x9e8f7a6b5c4d3e02, message::Detection, "Boxes");
GXF_EXT_FACTORY_ADD_0(0x5cd1a9b1d2e34f01, 0x9e8f7a6b5c4d3e03, std::string, "A text");
GXF_EXT_FACTORY_ADD(0x5cd1a9b1d2e34f01, 0x9e8f7a6b5c4d3e04, message::Detector,
                    nvidia::gxf::Codelet, "Publishes boxes");
GXF_EXT_FACTORY_ADD(0x5cd1a9b1d2e34f01, 0x9e8f7a6b5c4d3e05, message::Composer,
                    nvidia::gxf::Codelet, "Composes");
GXF_EXT_FACTORY_ADD(0x5cd1a9b1d2e34f01, 0x9e8f7a6b5c4d3e06, message::Decomposer,
                    nvidia::gxf::Codelet, "Decomposes");
GXF_EXT_FACTORY_ADD(0x5cd1a9b1d2e34f01, 0x9e8f7a6b5c4d3e07, message::Stamper,
                    nvidia::gxf::Codelet, "Stamps");
GXF_EXT_FACTORY_ADD(0x5cd1a9b1d2e34f01, 0x9e8f7a6b5c4d3e08, message::Collector,
                    nvidia::gxf::Codelet, "Collects");

GXF_EXT_FACTORY_END()

}  // extern "C"
