/// Objects by ids that are never used twice.
#ifndef NVIDIA_COMMON_UNIQUE_INDEX_MAP_HPP_
#define NVIDIA_COMMON_UNIQUE_INDEX_MAP_HPP_

#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <utility>

#include "common/expected.hpp"

namespace nvidia {

/// Keeps up to a fixed number of objects. An id stays unknown for ever once its object is erased.
template <typename T>
class UniqueIndexMap {
 public:
  using size_type = size_t;

  /// Why something could not be done.
  enum struct Error {
    kArgumentInvalid = 0,
    kOutOfMemory = 1,
    kContainerFull = 2,
    kNotFound = 3,
  };
  template <typename U>
  using Expected = nvidia::Expected<U, Error>;

  UniqueIndexMap() = default;
  UniqueIndexMap(const UniqueIndexMap&) = delete;
  UniqueIndexMap& operator=(const UniqueIndexMap&) = delete;
  UniqueIndexMap(UniqueIndexMap&&) = default;
  UniqueIndexMap& operator=(UniqueIndexMap&&) = default;

  /// Sets the number of objects there is room for, and forgets all objects.
  Expected<void> initialize(size_t capacity) {
    objects_.clear();
    capacity_ = capacity;
    return {};
  }
  /// The new object's id.
  Expected<uint64_t> insert(const T& object) { return emplace(object); }
  Expected<uint64_t> insert(T&& object) { return emplace(std::move(object)); }
  template <typename... Args>
  Expected<uint64_t> emplace(Args&&... args) {
    if (objects_.size() >= capacity_) { return Fail(Error::kContainerFull); }
    try {
      const uint64_t uid = next_++;
      objects_.try_emplace(uid, std::forward<Args>(args)...);
      return uid;
    } catch (const std::bad_alloc&) { return Fail(Error::kOutOfMemory); }
  }
  Expected<void> erase(uint64_t uid) {
    if (objects_.erase(uid) == 0) { return Fail(Error::kNotFound); }
    return {};
  }
  Expected<T*> try_get(uint64_t uid) {
    const auto found = objects_.find(uid);
    if (found == objects_.end()) { return Fail(Error::kNotFound); }
    return &found->second;
  }
  Expected<const T*> try_get(uint64_t uid) const {
    const auto found = objects_.find(uid);
    if (found == objects_.end()) { return Fail(Error::kNotFound); }
    return &found->second;
  }
  /// Id of the first object equal to this one.
  Expected<uint64_t> find(const T& object) const {
    for (const auto& [uid, known] : objects_) {
      if (known == object) { return uid; }
    }
    return Fail(Error::kNotFound);
  }
  bool valid(uint64_t uid) const { return objects_.count(uid) != 0; }
  size_t capacity() const { return capacity_; }
  size_t size() const { return objects_.size(); }

 private:
  static Unexpected<Error> Fail(Error error) { return Unexpected<Error>{error}; }

  std::map<uint64_t, T> objects_;
  size_t capacity_ = 0;
  uint64_t next_ = 1;
};

}  // namespace nvidia

#endif  // NVIDIA_COMMON_UNIQUE_INDEX_MAP_HPP_
