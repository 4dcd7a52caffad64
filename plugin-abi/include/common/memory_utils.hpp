/// Objects in raw memory.
#ifndef NVIDIA_COMMON_MEMORY_UTILS_HPP_
#define NVIDIA_COMMON_MEMORY_UTILS_HPP_

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "common/byte.hpp"

namespace nvidia {

/// Memory as an object.
template <typename T>
T* ValuePointer(byte* pointer) {
  return reinterpret_cast<T*>(pointer);
}
template <typename T>
const T* ValuePointer(const byte* pointer) {
  return reinterpret_cast<const T*>(pointer);
}

/// An object as memory.
template <typename T>
byte* BytePointer(T* pointer) {
  return reinterpret_cast<byte*>(pointer);
}
template <typename T>
const byte* BytePointer(const T* pointer) {
  return reinterpret_cast<const byte*>(pointer);
}

/// Ends the life of the object at a place.
template <typename T>
void Destruct(byte* pointer) {
  ValuePointer<T>(pointer)->~T();
}

/// Constructs an object at a place; one without a constructor from its members.
template <typename T, typename... Args>
T& InplaceConstruct(byte* pointer, Args&&... args) {
  if constexpr (std::is_constructible_v<T, Args...>) {
    return *new (pointer) T(std::forward<Args>(args)...);
  } else {
    return *new (pointer) T{std::forward<Args>(args)...};
  }
}
template <typename T>
T& InplaceMoveConstruct(byte* pointer, T&& other) {
  return *new (pointer) T(std::move(other));
}
template <typename T>
T& InplaceCopyConstruct(byte* pointer, const T& other) {
  return *new (pointer) T(other);
}

/// Constructs `count` objects at a place from as many others.
template <typename T>
void ArrayMoveConstruct(byte* pointer, T* source, size_t count) {
  for (size_t i = 0; i < count; i++) {
    new (pointer + i * sizeof(T)) T(std::move(source[i]));
  }
}
template <typename T>
void ArrayCopyConstruct(byte* pointer, const T* source, size_t count) {
  for (size_t i = 0; i < count; i++) { new (pointer + i * sizeof(T)) T(source[i]); }
}

/// Memory for `count` objects that are not constructed; null when there is none.
template <typename T>
T* AllocateArray(size_t count) {
  if (count > static_cast<size_t>(-1) / sizeof(T)) { return nullptr; }
  return static_cast<T*>(
      ::operator new(count * sizeof(T), std::align_val_t{alignof(T)}, std::nothrow));
}
/// Frees memory from `AllocateArray`.
template <typename T>
void DeallocateArray(T* pointer) {
  ::operator delete(pointer, std::align_val_t{alignof(T)}, std::nothrow);
}

/// As `std::make_unique`, with null when there is no memory.
template <typename T, typename... Args>
std::unique_ptr<T> MakeUniqueNoThrow(Args&&... args) {
  return std::unique_ptr<T>(new (std::nothrow) T(std::forward<Args>(args)...));
}
/// As `std::make_shared`, with null when there is no memory.
template <typename T, typename... Args>
std::shared_ptr<T> MakeSharedNoThrow(Args&&... args) {
  return std::shared_ptr<T>(MakeUniqueNoThrow<T>(std::forward<Args>(args)...));
}

}  // namespace nvidia

#endif  // NVIDIA_COMMON_MEMORY_UTILS_HPP_
