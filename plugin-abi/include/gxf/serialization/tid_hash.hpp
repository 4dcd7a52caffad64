/// Type ids as keys of tables.
#ifndef NVIDIA_GXF_SERIALIZATION_TID_HASH_HPP_
#define NVIDIA_GXF_SERIALIZATION_TID_HASH_HPP_

#include <cstddef>
#include <functional>

#include "gxf/core/gxf.h"

namespace nvidia {
namespace gxf {

/// Hash of a type id.
struct TidHash {
  size_t operator()(const gxf_tid_t& tid) const {
    return std::hash<uint64_t>{}(tid.hash1) ^ (std::hash<uint64_t>{}(tid.hash2) << 1);
  }
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_SERIALIZATION_TID_HASH_HPP_
