/// yaml-cpp where it is installed; otherwise the part of its interface that parameter parsers use.
#pragma GCC system_header
#if __has_include_next(<yaml-cpp/yaml.h>)
#include_next <yaml-cpp/yaml.h>
#else
#include "gxf/sdk/yaml_emitter.hpp"
#include "gxf/sdk/yaml_node.hpp"
#include "gxf/sdk/yaml_reader.hpp"
#endif
