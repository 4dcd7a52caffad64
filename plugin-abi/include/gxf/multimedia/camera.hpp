/// Cameras and places in space.
#ifndef NVIDIA_GXF_MULTIMEDIA_CAMERA_HPP_
#define NVIDIA_GXF_MULTIMEDIA_CAMERA_HPP_

#include "gxf/sdk/requirements.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace nvidia {
namespace gxf {

/// Two numbers.
template <class T>
struct Vector2 {
  T x;
  T y;
};
using Vector2u = Vector2<uint32_t>;
using Vector2f = Vector2<float>;
using Vector2d = Vector2<double>;

/// How a lens distorts.
enum class DistortionType {
  Perspective = 0,
  Brown = 1,
  Polynomial = 2,
  FisheyeEquidistant = 3,
  FisheyeEquisolid = 4,
  FisheyeOrthoGraphic = 5,
  FisheyeStereographic = 6,
};

/// An array that goes where an array of C went, as in GXF before 4.1.
template <typename T, size_t N>
struct Coefficients : std::array<T, N> {
  constexpr operator T*() { return this->data(); }
  constexpr operator const T*() const { return this->data(); }
  /// Templates, to be better than what the pointer offers and than braces.
  template <typename I, std::enable_if_t<std::is_integral_v<I>, int> = 0>
  constexpr T& operator[](I index) {
    return this->data()[index];
  }
  template <typename I, std::enable_if_t<std::is_integral_v<I>, int> = 0>
  constexpr const T& operator[](I index) const {
    return this->data()[index];
  }
  template <typename A, std::enable_if_t<std::is_same_v<A, std::array<T, N>>, int> = 0>
  constexpr Coefficients& operator=(const A& other) {
    static_cast<A&>(*this) = other;
    return *this;
  }
};

/// How a camera maps the world onto its image.
template <typename T>
struct CameraModelBase {
  static constexpr int kMaxDistortionCoefficients = 8;

  /// Width and height of the image in pixels.
  Vector2u dimensions;
  /// In pixels.
  Vector2<T> focal_length;
  /// Where the optical axis meets the image, in pixels.
  Vector2<T> principal_point;
  T skew_value;
  DistortionType distortion_type;
  Coefficients<T, kMaxDistortionCoefficients> distortion_coefficients;
};
using CameraModel = CameraModelBase<float>;

/// A place in space.
template <typename T>
struct Pose3DBase {
  /// Rotation matrix, row after row.
  std::array<T, 9> rotation;
  std::array<T, 3> translation;
};
using Pose3D = Pose3DBase<float>;

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_MULTIMEDIA_CAMERA_HPP_
