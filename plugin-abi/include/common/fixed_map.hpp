/// Hash maps that do not grow by themselves.
#ifndef NVIDIA_COMMON_FIXED_MAP_HPP_
#define NVIDIA_COMMON_FIXED_MAP_HPP_

#include <cstddef>
#include <functional>
#include <new>
#include <unordered_map>
#include <utility>

#include "common/expected.hpp"

namespace nvidia {

/// Values by key, up to the number there was room reserved for.
template <typename TKey, typename TValue, typename THash = std::hash<TKey>>
class FixedMap {
 public:
  using key_type = TKey;
  using mapped_type = TValue;
  using size_type = size_t;

  /// Why something could not be done.
  enum struct Error {
    kOutOfMemory = 0,
    kInvalidKey = 1,
    kDuplicateKey = 2,
    kContainerFull = 3,
    kInvalidIterator = 4,
  };
  template <typename U>
  using Expected = nvidia::Expected<U, Error>;

  FixedMap() = default;
  FixedMap(const FixedMap&) = delete;
  FixedMap& operator=(const FixedMap&) = delete;
  FixedMap(FixedMap&&) = default;
  FixedMap& operator=(FixedMap&&) = default;

  size_t capacity() const { return capacity_; }
  size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  bool full() const { return size() >= capacity_; }

  /// Makes room for at least `capacity` values.
  Expected<void> reserve(size_t capacity) {
    if (capacity <= capacity_) { return {}; }
    try {
      values_.reserve(capacity);
    } catch (const std::bad_alloc&) { return Fail(Error::kOutOfMemory); }
    capacity_ = capacity;
    return {};
  }
  Expected<void> insert(const TKey& key, const TValue& value) { return emplace(key, value); }
  Expected<void> insert(const TKey& key, TValue&& value) {
    return emplace(key, std::move(value));
  }
  Expected<void> insert(const std::pair<const TKey, TValue>& entry) {
    return emplace(entry.first, entry.second);
  }
  /// A new value; `kDuplicateKey` when there is one.
  template <typename... Args>
  Expected<void> emplace(const TKey& key, Args&&... args) {
    if (contains(key)) { return Fail(Error::kDuplicateKey); }
    if (full()) { return Fail(Error::kContainerFull); }
    try {
      values_.try_emplace(key, std::forward<Args>(args)...);
    } catch (const std::bad_alloc&) { return Fail(Error::kOutOfMemory); }
    return {};
  }
  template <typename U>
  Expected<void> insert_or_assign(const TKey& key, U&& value) {
    return contains(key) ? update(key, std::forward<U>(value))
                         : emplace(key, std::forward<U>(value));
  }
  /// Replaces a value; `kInvalidKey` when there is none.
  template <typename U>
  Expected<void> update(const TKey& key, U&& value) {
    const auto found = values_.find(key);
    if (found == values_.end()) { return Fail(Error::kInvalidKey); }
    found->second = std::forward<U>(value);
    return {};
  }
  Expected<TValue&> at(const TKey& key) {
    const auto found = values_.find(key);
    if (found == values_.end()) { return Fail(Error::kInvalidKey); }
    return found->second;
  }
  Expected<const TValue&> at(const TKey& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) { return Fail(Error::kInvalidKey); }
    return found->second;
  }
  /// The value, a new one if there is none.
  Expected<TValue&> operator[](const TKey& key) {
    if (!contains(key)) {
      const auto added = emplace(key);
      if (!added) { return Fail(added.error()); }
    }
    return at(key);
  }
  bool contains(const TKey& key) const { return values_.count(key) != 0; }
  Expected<void> erase(const TKey& key) {
    if (values_.erase(key) == 0) { return Fail(Error::kInvalidKey); }
    return {};
  }
  void clear() { values_.clear(); }
  /// Replaces the values by copies of another map's.
  Expected<void> copy_from(const FixedMap& other) {
    if (this == &other) { return {}; }
    clear();
    const auto reserved = reserve(other.size());
    if (!reserved) { return reserved; }
    for (const auto& [key, value] : other.values_) {
      const auto added = emplace(key, value);
      if (!added) { return added; }
    }
    return {};
  }

 private:
  static Unexpected<Error> Fail(Error error) { return Unexpected<Error>{error}; }

  std::unordered_map<TKey, TValue, THash> values_;
  size_t capacity_ = 0;
};

}  // namespace nvidia

#endif  // NVIDIA_COMMON_FIXED_MAP_HPP_
