/// Payloads to bytes and back.
#ifndef NVIDIA_GXF_SERIALIZATION_COMPONENT_SERIALIZER_HPP_
#define NVIDIA_GXF_SERIALIZATION_COMPONENT_SERIALIZER_HPP_

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>

#include "gxf/core/component.hpp"
#include "gxf/serialization/endpoint.hpp"
#include "gxf/serialization/tid_hash.hpp"

namespace nvidia {
namespace gxf {

namespace detail {

struct SerializerAccess;

/// The payload a component serializer is called for, when the host calls it with the payload itself
/// and not with an id.
struct CurrentPayload {
  gxf_tid_t tid = GxfTidNull();
  void* data = nullptr;
};

}  // namespace detail

/// Serializes payloads of the types it has functions for.
class ComponentSerializer : public Component {
 public:
  ~ComponentSerializer() override = default;

  virtual gxf_result_t is_supported_abi(gxf_tid_t tid) {
    return getSerializer(tid) && getDeserializer(tid) ? GXF_SUCCESS : GXF_FAILURE;
  }
  virtual gxf_result_t serialize_component_abi(gxf_uid_t cid, Endpoint* endpoint, uint64_t* size) {
    if (endpoint == nullptr || size == nullptr) { return GXF_ARGUMENT_NULL; }
    const auto payload = Find(cid);
    if (!payload) { return payload.error(); }
    const auto serializer = getSerializer(payload->tid);
    if (!serializer) { return serializer.error(); }
    return ToResultCode(serializer.value()(payload->data, endpoint).assign_to(*size));
  }
  virtual gxf_result_t deserialize_component_abi(gxf_uid_t cid, Endpoint* endpoint) {
    if (endpoint == nullptr) { return GXF_ARGUMENT_NULL; }
    const auto payload = Find(cid);
    if (!payload) { return payload.error(); }
    const auto deserializer = getDeserializer(payload->tid);
    if (!deserializer) { return deserializer.error(); }
    return ToResultCode(deserializer.value()(payload->data, endpoint));
  }

  bool isSupported(gxf_tid_t tid) { return is_supported_abi(tid) == GXF_SUCCESS; }
  /// Bytes that were written.
  Expected<size_t> serializeComponent(UntypedHandle component, Endpoint* endpoint) {
    uint64_t size = 0;
    const gxf_result_t code =
        WithPayload({component.tid(), component.get_ptr()}, [&](gxf_uid_t cid) {
          return serialize_component_abi(cid, endpoint, &size);
        });
    return ExpectedOrCode(code, static_cast<size_t>(size));
  }
  Expected<void> deserializeComponent(UntypedHandle component, Endpoint* endpoint) {
    return ExpectedOrCode(
        WithPayload({component.tid(), component.get_ptr()},
                    [&](gxf_uid_t cid) { return deserialize_component_abi(cid, endpoint); }));
  }

 protected:
  /// Writes the object at an address; returns the number of bytes.
  using Serializer = std::function<Expected<size_t>(void*, Endpoint*)>;
  /// Reads into the object at an address, which is constructed.
  using Deserializer = std::function<Expected<void>(void*, Endpoint*)>;

  Expected<Serializer> getSerializer(gxf_tid_t tid) const { return Get(serializers_, tid); }
  Expected<Deserializer> getDeserializer(gxf_tid_t tid) const { return Get(deserializers_, tid); }
  Expected<void> setSerializer(gxf_tid_t tid, Serializer serializer) {
    serializers_[tid] = std::move(serializer);
    return Success;
  }
  Expected<void> setDeserializer(gxf_tid_t tid, Deserializer deserializer) {
    deserializers_[tid] = std::move(deserializer);
    return Success;
  }
  Expected<void> clearSerializer(gxf_tid_t tid) {
    serializers_.erase(tid);
    return Success;
  }
  Expected<void> clearDeserializer(gxf_tid_t tid) {
    deserializers_.erase(tid);
    return Success;
  }

  template <typename T>
  Expected<Serializer> getSerializer() const {
    const auto tid = Tid<T>();
    return tid ? getSerializer(tid.value()) : Expected<Serializer>(ForwardError(tid));
  }
  template <typename T>
  Expected<Deserializer> getDeserializer() const {
    const auto tid = Tid<T>();
    return tid ? getDeserializer(tid.value()) : Expected<Deserializer>(ForwardError(tid));
  }
  template <typename T>
  Expected<void> setSerializer(Serializer serializer) {
    const auto tid = Tid<T>();
    return tid ? setSerializer(tid.value(), std::move(serializer)) : ForwardError(tid);
  }
  template <typename T>
  Expected<void> setDeserializer(Deserializer deserializer) {
    const auto tid = Tid<T>();
    return tid ? setDeserializer(tid.value(), std::move(deserializer)) : ForwardError(tid);
  }
  template <typename T>
  Expected<void> clearSerializer() {
    const auto tid = Tid<T>();
    return tid ? clearSerializer(tid.value()) : ForwardError(tid);
  }
  template <typename T>
  Expected<void> clearDeserializer() {
    const auto tid = Tid<T>();
    return tid ? clearDeserializer(tid.value()) : ForwardError(tid);
  }

 private:
  friend struct detail::SerializerAccess;

  template <typename T>
  Expected<gxf_tid_t> Tid() const {
    const auto tid = sdk::TidOf<T>(context());
    if (!tid) { return ForwardError(tid); }
    return sdk::ToGxf(tid.value());
  }
  template <typename F>
  static Expected<F> Get(const std::unordered_map<gxf_tid_t, F, TidHash>& functions,
                         gxf_tid_t tid) {
    const auto found = functions.find(tid);
    if (found == functions.end()) { return Unexpected{GXF_QUERY_NOT_FOUND}; }
    return found->second;
  }

  /// Id of the payload at hand, which none of a message's payloads has.
  static constexpr gxf_uid_t kCurrent = INT64_MAX;

  template <typename F>
  gxf_result_t WithPayload(detail::CurrentPayload payload, F&& function) {
    const auto before = std::exchange(current_, payload);
    const gxf_result_t code = function(kCurrent);
    current_ = before;
    return code;
  }
  Expected<detail::CurrentPayload> Find(gxf_uid_t cid) const {
    if (cid == kCurrent) { return current_; }
    const auto handle = UntypedHandle::Create(context(), cid);
    if (!handle) { return ForwardError(handle); }
    return detail::CurrentPayload{handle->tid(), handle->get_ptr()};
  }

  std::unordered_map<gxf_tid_t, Serializer, TidHash> serializers_;
  std::unordered_map<gxf_tid_t, Deserializer, TidHash> deserializers_;
  static inline thread_local detail::CurrentPayload current_;
};

namespace detail {

struct SerializerAccess {
  template <typename F>
  static gxf_result_t WithPayload(ComponentSerializer& serializer, CurrentPayload payload,
                                  F&& function) {
    return serializer.WithPayload(payload, std::forward<F>(function));
  }
  static Expected<CurrentPayload> Find(const ComponentSerializer& serializer, gxf_uid_t cid) {
    return serializer.Find(cid);
  }
};

}  // namespace detail

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/component_serializer.hpp"
#include "gxf/sdk/tables/component_serializer.hpp"

#endif  // NVIDIA_GXF_SERIALIZATION_COMPONENT_SERIALIZER_HPP_
