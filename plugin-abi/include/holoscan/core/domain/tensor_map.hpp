/// Maps of tensors. They are declared with the tensor.
#ifndef HOLOSCAN_CORE_DOMAIN_TENSOR_MAP_HPP_
#define HOLOSCAN_CORE_DOMAIN_TENSOR_MAP_HPP_

#include "holoscan/core/domain/tensor.hpp"

#endif  // HOLOSCAN_CORE_DOMAIN_TENSOR_MAP_HPP_
