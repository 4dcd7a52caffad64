/// All classes.
#ifndef HOLOSCAN_CORE_FORWARD_DEF_HPP_
#define HOLOSCAN_CORE_FORWARD_DEF_HPP_

#include "holoscan/holoscan.hpp"

#endif  // HOLOSCAN_CORE_FORWARD_DEF_HPP_
