/// Moved to gxf/core.
#ifndef NVIDIA_GXF_STD_PARAMETER_PARSER_HPP_
#define NVIDIA_GXF_STD_PARAMETER_PARSER_HPP_

#include "gxf/core/parameter_parser.hpp"

#endif  // NVIDIA_GXF_STD_PARAMETER_PARSER_HPP_
