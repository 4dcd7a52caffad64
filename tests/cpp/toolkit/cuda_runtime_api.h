// What toolkit.cpp needs of the header of CUDA's runtime library: its names and numbers, over functions
// of the driver. Written for tests; NVIDIA's header takes its place where the toolkit is installed.
#pragma once
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorNotReady = 600 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
constexpr unsigned cudaEventDisableTiming = 2;

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

namespace driver {

template <typename... Arguments>
cudaError_t Call(const char* name, Arguments... arguments) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  auto* const function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
  return static_cast<cudaError_t>(function(arguments...));
}

inline uint64_t Address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

// Threads of the runtime library use the first device unless they ask for another one.
inline void BeReady() {
  static thread_local const cudaError_t ready = [] {
    void* context = nullptr;
    Call("cuDevicePrimaryCtxRetain", &context, 0);
    return Call("cuCtxPushCurrent_v2", context);
  }();
  static_cast<void>(ready);
}

}  // namespace driver

inline cudaError_t cudaSetDevice(int device) {
  driver::BeReady();
  return device == 0 ? cudaSuccess : cudaErrorInvalidValue;
}
inline cudaError_t cudaMalloc(void** pointer, size_t size) {
  driver::BeReady();
  return driver::Call("cuMemAlloc_v2", pointer, size);
}
inline cudaError_t cudaFree(void* pointer) {
  driver::BeReady();
  return driver::Call("cuMemFree_v2", driver::Address(pointer));
}
// There are no kernels of the runtime library here.
inline cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) {
  return cudaErrorInvalidValue;
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  driver::BeReady();
  return driver::Call("cuEventCreate", event, flags);
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  driver::BeReady();
  return driver::Call("cuEventDestroy_v2", event);
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  driver::BeReady();
  return driver::Call("cuEventRecord", event, stream);
}
inline cudaError_t cudaEventQuery(cudaEvent_t event) {
  driver::BeReady();
  return driver::Call("cuEventQuery", event);
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  driver::BeReady();
  return driver::Call("cuStreamWaitEvent", stream, event, flags);
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  driver::BeReady();
  return driver::Call("cuStreamSynchronize", stream);
}
inline cudaError_t cudaMemsetAsync(void* to, int byte, size_t size, cudaStream_t stream) {
  driver::BeReady();
  const auto value = static_cast<unsigned char>(byte);
  return driver::Call("cuMemsetD8Async", driver::Address(to), value, size, stream);
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind kind,
                                   cudaStream_t stream) {
  driver::BeReady();
  if (kind == cudaMemcpyDeviceToHost) {
    return driver::Call("cuMemcpyDtoHAsync_v2", to, driver::Address(from), size, stream);
  }
  return driver::Call("cuMemcpyHtoDAsync_v2", driver::Address(to), from, size, stream);
}
inline const char* cudaGetErrorName(cudaError_t error) {
  const char* name = nullptr;
  driver::Call("cuGetErrorName", static_cast<unsigned>(error), &name);
  return name == nullptr ? "unknown" : name;
}
inline const char* cudaGetErrorString(cudaError_t error) { return cudaGetErrorName(error); }
