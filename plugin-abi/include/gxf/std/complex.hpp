/// Complex numbers as elements of tensors and as parameters.
#ifndef NVIDIA_GXF_STD_COMPLEX_HPP_
#define NVIDIA_GXF_STD_COMPLEX_HPP_

#include "gxf/sdk/requirements.hpp"

#include <complex>

#if __has_include(<cuda/std/complex>)
#include <cuda/std/complex>
#define GXF_HAS_CUDA_COMPLEX 1
#endif

namespace nvidia {
namespace gxf {

#ifdef GXF_HAS_CUDA_COMPLEX
using complex64 = cuda::std::complex<float>;
using complex128 = cuda::std::complex<double>;
#else
using complex64 = std::complex<float>;
using complex128 = std::complex<double>;
#endif

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_COMPLEX_HPP_
