// What compilers of C++ find beside the C functions: those that know the types. Written for tests, as the
// header with the C functions.
#pragma once
#include "cuda_runtime_api.h"

template <typename T>
cudaError_t cudaMalloc(T** pointer, size_t size) {
  return cudaMalloc(reinterpret_cast<void**>(pointer), size);
}
template <typename T>
cudaError_t cudaLaunchKernel(T* kernel, dim3 blocks, dim3 threads, void** arguments, size_t shared,
                             cudaStream_t stream) {
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), blocks, threads, arguments, shared, stream);
}
