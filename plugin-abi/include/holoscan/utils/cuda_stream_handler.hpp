/// Streams of a GPU in operators that look for them in messages themselves.
#ifndef HOLOSCAN_UTILS_CUDA_STREAM_HANDLER_HPP_
#define HOLOSCAN_UTILS_CUDA_STREAM_HANDLER_HPP_

#include <memory>
#include <vector>

#include "gxf/cuda/cuda_stream.hpp"
#include "gxf/cuda/cuda_stream_id.hpp"
#include "gxf/cuda/cuda_stream_pool.hpp"
#include "holoscan/core/operator_spec.hpp"
#include "holoscan/core/parameter.hpp"
#include "holoscan/core/resource.hpp"

namespace holoscan {

/// Finds the stream for the work of an operator: the one that a message names, or one of a pool. New
/// operators call `InputContext::receive_cuda_stream`, which does the same.
class CudaStreamHandler {
 public:
  using Stream = nvidia::gxf::Handle<nvidia::gxf::CudaStream>;

  /// In `setup`: declares the parameter `cuda_stream_pool`.
  void define_params(OperatorSpec& spec, bool required = false) {
    spec.param(pool_, "cuda_stream_pool", "CUDA Stream Pool", "Where streams are taken from",
               required ? ParameterFlag::kNone : ParameterFlag::kOptional);
  }
  /// Chooses the stream that a message names, or one of the pool.
  gxf_result_t from_message(gxf_context_t context,
                            const nvidia::gxf::Expected<nvidia::gxf::Entity>& message) {
    if (!message) { return message.error(); }
    chosen_ = StreamOf(context, *message);
    return chosen_.is_null() ? Choose(context) : GXF_SUCCESS;
  }
  /// Chooses the stream of the pool, when the work of the messages' streams is done. Without a pool it
  /// is the default stream, which waits for others by itself.
  template <typename EntityT>
  gxf_result_t from_messages(gxf_context_t context, const std::vector<EntityT>& messages) {
    const gxf_result_t chosen = Choose(context);
    if (chosen != GXF_SUCCESS || chosen_.is_null()) { return chosen; }
    for (const auto& message : messages) {
      const Stream stream = StreamOf(context, message);
      if (stream.is_null() || stream.cid() == chosen_.cid()) { continue; }
      const auto waited = stream->syncStream();
      if (!waited) { return waited.error(); }
    }
    return GXF_SUCCESS;
  }
  /// Lets a message name the stream.
  gxf_result_t to_message(nvidia::gxf::Expected<nvidia::gxf::Entity>& message) {
    if (!message) { return message.error(); }
    return to_message(*message);
  }
  gxf_result_t to_message(nvidia::gxf::Entity& message) {
    if (chosen_.is_null()) { return GXF_SUCCESS; }
    auto id = message.get<nvidia::gxf::CudaStreamId>();
    if (!id) { id = message.add<nvidia::gxf::CudaStreamId>("cuda_stream_id_"); }
    if (!id) { return id.error(); }
    id.value()->stream_cid = chosen_.cid();
    return GXF_SUCCESS;
  }
  /// The stream; null for the default stream.
  Stream get_stream_handle(gxf_context_t context) {
    if (chosen_.is_null()) { (void)Choose(context); }
    return chosen_;
  }
  cudaStream_t get_cuda_stream(gxf_context_t context) {
    const Stream stream = get_stream_handle(context);
    return stream.is_null() ? nullptr : stream->stream().value_or(nullptr);
  }

  // The spelling of older versions.
  void defineParams(OperatorSpec& spec, bool required = false) { define_params(spec, required); }
  gxf_result_t fromMessage(gxf_context_t context,
                           const nvidia::gxf::Expected<nvidia::gxf::Entity>& message) {
    return from_message(context, message);
  }
  gxf_result_t fromMessages(gxf_context_t context,
                            const std::vector<nvidia::gxf::Entity>& messages) {
    return from_messages(context, messages);
  }
  gxf_result_t toMessage(nvidia::gxf::Expected<nvidia::gxf::Entity>& message) {
    return to_message(message);
  }
  Stream getStreamHandle(gxf_context_t context) { return get_stream_handle(context); }
  cudaStream_t getCudaStream(gxf_context_t context) { return get_cuda_stream(context); }

 private:
  static Stream StreamOf(gxf_context_t context, const nvidia::gxf::Entity& message) {
    const auto id = message.get<nvidia::gxf::CudaStreamId>();
    if (!id) { return Stream::Null(); }
    const auto stream = Stream::Create(context, id.value()->stream_cid);
    return stream ? stream.value() : Stream::Null();
  }
  /// Chooses the stream of the pool, always the same one; none without a pool.
  gxf_result_t Choose(gxf_context_t context) {
    if (pool_.has_value() && pool_.get() != nullptr &&
        (own_.is_null() || own_.context() != context)) {
      const auto pool =
          nvidia::gxf::Handle<nvidia::gxf::CudaStreamPool>::Create(context, pool_->gxf_cid());
      if (!pool) { return pool.error(); }
      const auto stream = pool.value()->allocateStream();
      if (!stream) { return stream.error(); }
      own_ = stream.value();
    }
    chosen_ = own_;
    return GXF_SUCCESS;
  }

  Parameter<std::shared_ptr<CudaStreamPool>> pool_;
  /// The stream of the pool.
  Stream own_ = Stream::Null();
  Stream chosen_ = Stream::Null();
};

}  // namespace holoscan

#endif  // HOLOSCAN_UTILS_CUDA_STREAM_HANDLER_HPP_
