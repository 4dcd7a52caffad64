/// What operators receive and send with.
#ifndef HOLOSCAN_CORE_IO_CONTEXT_HPP_
#define HOLOSCAN_CORE_IO_CONTEXT_HPP_

#include <cxxabi.h>

#include <any>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "holoscan/core/expected.hpp"
#include "holoscan/core/gxf/entity.hpp"
#include "holoscan/core/gxf/operator_queues.hpp"
#include "holoscan/core/message.hpp"

namespace holoscan {

namespace detail {

/// What `emit(nullptr, …)` may be received as.
template <typename T>
struct IsPointer : std::is_pointer<T> {};
template <typename T>
struct IsPointer<std::shared_ptr<T>> : std::true_type {};

template <typename T>
struct IsVector : std::false_type {};
template <typename T, typename A>
struct IsVector<std::vector<T, A>> : std::true_type {};

/// The name of a type as programs write it.
inline std::string TypeName(const std::type_info& type) {
  int status = 0;
  char* name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string text = status == 0 ? name : type.name();
  std::free(name);
  return text;
}

inline TensorMap TensorsOf(const nvidia::gxf::Entity& message) {
  TensorMap tensors;
  const auto all = message.findAllHeap<nvidia::gxf::Tensor>();
  for (size_t i = 0; all && i < all->size(); i++) {
    const auto& tensor = (*all)[i].value();
    tensors[tensor.name()] = TensorOf(message, tensor);
  }
  return tensors;
}

inline unexpected<RuntimeError> Unreceived(ErrorCode code, const std::string& why) {
  return make_unexpected(RuntimeError(code, why));
}

/// The value that a message stands for.
template <typename T>
expected<T, RuntimeError> ValueIn(const nvidia::gxf::Entity& message, const std::string& where) {
  if constexpr (std::is_base_of_v<nvidia::gxf::Entity, T>) {
    return T(message);
  } else if constexpr (std::is_same_v<T, TensorMap>) {
    TensorMap tensors = TensorsOf(message);
    if (tensors.empty()) {
      return Unreceived(ErrorCode::kReceiveError, where + ": the message has no tensor");
    }
    return tensors;
  } else {
    const auto held = message.get<Message>();
    if (held) {
      const std::any& value = held.value()->value();
      if constexpr (std::is_same_v<T, std::any>) {
        return value;
      } else {
        if (const T* found = std::any_cast<T>(&value)) { return *found; }
        if constexpr (IsPointer<T>::value) {
          if (value.type() == typeid(std::nullptr_t)) { return T(nullptr); }
        }
        return Unreceived(ErrorCode::kReceiveError,
                          where + ": the message has a value of type " +
                              TypeName(value.type()) + ", not " +
                              TypeName(typeid(T)));
      }
    }
    if constexpr (std::is_same_v<T, std::shared_ptr<Tensor>>) {
      const TensorMap tensors = TensorsOf(message);
      if (tensors.size() == 1) { return tensors.begin()->second; }
    } else if constexpr (std::is_same_v<T, std::any>) {
      return std::any(gxf::Entity(message));
    } else if constexpr (std::is_arithmetic_v<T>) {
      // What codelets send that are no operators.
      const auto number = message.get<T>();
      if (number) { return *number.value(); }
    }
    return Unreceived(ErrorCode::kReceiveError,
                      where + ": the message has no value of type " +
                          TypeName(typeid(T)));
  }
}

}  // namespace detail

/// What an operator receives with, during one execution.
class InputContext {
 public:
  explicit InputContext(gxf::OperatorQueues& queues) : queues_(queues) {}

  /// The value of the next message of an input; an error without one. As a vector: the values of an
  /// input for several messages. As `gxf::Entity`: the message itself; as `TensorMap`: its tensors.
  template <typename T>
  expected<T, RuntimeError> receive(const char* name = nullptr) {
    gxf::InputQueues& input = queues_.Input(name);
    const std::string where = "input `" + std::string(name == nullptr ? "" : name) +
                              "` of operator `" + queues_.name + "`";
    if constexpr (detail::IsVector<T>::value) {
      if (input.is_multiple || input.size > 1) { return All<T>(input, where); }
    }
    for (const auto& receiver : input.receivers) {
      if (const auto message = queues_.Take(input, receiver)) {
        return detail::ValueIn<T>(*message, where);
      }
    }
    return detail::Unreceived(ErrorCode::kReceiveError, where + ": there is no message");
  }
  template <typename T>
  expected<T, RuntimeError> receive(const std::string& name) {
    return receive<T>(name.c_str());
  }
  /// Whether an input has no messages.
  bool empty(const char* name = nullptr) {
    for (const auto& receiver : queues_.Input(name).receivers) {
      if (receiver->size() > 0) { return false; }
    }
    return true;
  }
  /// Acquisition time of the latest message that this execution received at an input.
  std::optional<int64_t> get_acquisition_timestamp(const char* name = nullptr) {
    const auto& times = queues_.Input(name).times;
    return times.empty() ? std::nullopt : times.back();
  }
  std::vector<std::optional<int64_t>> get_acquisition_timestamps(const char* name = nullptr) {
    return queues_.Input(name).times;
  }
  /// After `receive`: the stream for work on the messages of an input. It is that of the messages;
  /// else one of the operator's `CudaStreamPool`, unless `allocate` is false; else the default
  /// stream. The messages that this execution sends name it.
  cudaStream_t receive_cuda_stream(const char* name = nullptr, bool allocate = true,
                                   bool sync_to_default = false) {
    // The default stream here is the legacy one, which waits for blocking streams by itself.
    (void)sync_to_default;
    return queues_.StreamOf(queues_.Input(name), allocate);
  }
  /// After `receive`: the streams of the messages of an input.
  std::vector<std::optional<cudaStream_t>> receive_cuda_streams(const char* name = nullptr) {
    std::vector<std::optional<cudaStream_t>> streams;
    for (const gxf_uid_t cid : queues_.Input(name).streams) {
      streams.push_back(cid == kNullUid ? std::nullopt
                                        : std::optional<cudaStream_t>(queues_.RawOf(cid)));
    }
    return streams;
  }

 private:
  template <typename T>
  expected<T, RuntimeError> All(gxf::InputQueues& input, const std::string& where) {
    T values;
    for (const auto& receiver : input.receivers) {
      for (size_t i = 0; i < input.size; i++) {
        const auto message = queues_.Take(input, receiver);
        if (!message) { break; }
        auto value = detail::ValueIn<typename T::value_type>(*message, where);
        if (!value) { return make_unexpected(value.error()); }
        values.push_back(std::move(value.value()));
      }
    }
    return values;
  }

  gxf::OperatorQueues& queues_;
};

/// What an operator sends with, during one execution.
class OutputContext {
 public:
  explicit OutputContext(gxf::OperatorQueues& queues) : queues_(queues) {}

  /// Sends a value: a message as it is, tensors as payloads of a message, anything else as a
  /// `Message`. The acquisition time, in nanoseconds, is that of the execution unless stated.
  template <typename T>
  void emit(T&& data, const char* name = nullptr, int64_t acq_timestamp = -1) {
    Send(std::forward<T>(data), name, acq_timestamp);
  }
  template <typename T>
  void emit(T&& data, const std::string& name, int64_t acq_timestamp = -1) {
    Send(std::forward<T>(data), name.c_str(), acq_timestamp);
  }
  /// For `emit<int>(number, "out")`, where the type is stated.
  template <typename T>
  void emit(const T& data, const char* name = nullptr, int64_t acq_timestamp = -1) {
    Send(data, name, acq_timestamp);
  }
  template <typename T>
  void emit(const T& data, const std::string& name, int64_t acq_timestamp = -1) {
    Send(data, name.c_str(), acq_timestamp);
  }
  /// Names the stream of an output's messages, in place of what `receive_cuda_stream` returned.
  void set_cuda_stream(cudaStream_t stream, const char* name = nullptr) {
    queues_.Choose(stream, queues_.Output(name));
  }

 private:
  template <typename T>
  void Send(T&& data, const char* name, int64_t acq_timestamp) {
    using Value = std::decay_t<T>;
    const std::string& output = queues_.Output(name);
    // An output that leads nowhere.
    if (!queues_.Leads(output)) { return; }
    if constexpr (std::is_base_of_v<nvidia::gxf::Entity, Value>) {
      nvidia::gxf::Entity message = data;
      queues_.Emit(output, message, acq_timestamp);
    } else {
      gxf::Entity message(queues_.New(output));
      if constexpr (std::is_same_v<Value, TensorMap>) {
        for (const auto& [key, tensor] : data) { message.add(tensor, key.c_str()); }
      } else if constexpr (std::is_same_v<Value, std::shared_ptr<Tensor>>) {
        message.add(data, "");
      } else {
        const auto added = static_cast<nvidia::gxf::Entity&>(message).add<Message>("");
        if (!added) { queues_.Refuse(output, added.error()); }
        if constexpr (std::is_same_v<Value, std::nullptr_t>) {
          *added.value() = Message(std::any(nullptr));
        } else if constexpr (std::is_same_v<Value, std::any>) {
          *added.value() = Message(std::forward<T>(data));
        } else if constexpr (std::is_convertible_v<Value, const char*>) {
          *added.value() = Message(std::any(std::string(data)));
        } else {
          *added.value() = Message(std::any(Value(std::forward<T>(data))));
        }
      }
      queues_.Emit(output, message, acq_timestamp);
    }
  }

  gxf::OperatorQueues& queues_;
};

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_IO_CONTEXT_HPP_
