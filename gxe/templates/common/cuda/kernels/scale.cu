// The kernel of `Scale`. `make kernels` compiles it to scale.ptx, which the driver compiles for the GPU
// when the graph runs; nobody who builds or runs the extension needs a compiler for GPUs.

#ifndef __NVCC__
// What clang lacks without CUDA's headers.
#define __global__ __attribute__((global))
struct Index {
  int x;
};
#define blockIdx (Index{__nvvm_read_ptx_sreg_ctaid_x()})
#define blockDim (Index{__nvvm_read_ptx_sreg_ntid_x()})
#define gridDim (Index{__nvvm_read_ptx_sreg_nctaid_x()})
#define threadIdx (Index{__nvvm_read_ptx_sreg_tid_x()})
#endif

// As `ScaleArguments` of src/scale.@extension@.
struct ScaleArguments {
  float *to;
  const float *from;
  unsigned long long count;
  float factor;
};

extern "C" __global__ void scale(ScaleArguments a) {
  unsigned long long first = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
  for (unsigned long long i = first; i < a.count; i += step) a.to[i] = a.from[i] * a.factor;
}
