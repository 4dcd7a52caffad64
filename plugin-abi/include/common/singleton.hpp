/// One object of a type in the whole library.
#ifndef NVIDIA_COMMON_SINGLETON_HPP_
#define NVIDIA_COMMON_SINGLETON_HPP_

#include "gxf/sdk/requirements.hpp"

namespace nvidia {

/// Holds the one object of type `T`, which is made at its first use.
template <typename T>
class Singleton {
 public:
  Singleton(const Singleton&) = delete;
  Singleton& operator=(const Singleton&) = delete;

  static T& Get() {
    static T object;
    return object;
  }

 private:
  Singleton() = default;
};

}  // namespace nvidia

#endif  // NVIDIA_COMMON_SINGLETON_HPP_
