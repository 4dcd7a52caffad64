/// Moved to gxf/core.
#ifndef NVIDIA_GXF_STD_PARAMETER_PARSER_STD_HPP_
#define NVIDIA_GXF_STD_PARAMETER_PARSER_STD_HPP_

#include "gxf/core/parameter_parser_std.hpp"

#endif  // NVIDIA_GXF_STD_PARAMETER_PARSER_STD_HPP_
