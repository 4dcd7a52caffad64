/// Parsers of the standard containers; the border carries those itself.
#ifndef NVIDIA_GXF_CORE_PARAMETER_PARSER_STD_HPP_
#define NVIDIA_GXF_CORE_PARAMETER_PARSER_STD_HPP_

#include <array>
#include <complex>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/fixed_string.hpp"
#include "common/fixed_vector.hpp"
#include "gxf/core/filepath.hpp"
#include "gxf/core/parameter_parser.hpp"
#include "gxf/core/parameter_wrapper.hpp"

#endif  // NVIDIA_GXF_CORE_PARAMETER_PARSER_STD_HPP_
