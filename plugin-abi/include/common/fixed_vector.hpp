/// Vectors that do not grow by themselves.
#ifndef NVIDIA_COMMON_FIXED_VECTOR_HPP_
#define NVIDIA_COMMON_FIXED_VECTOR_HPP_

#include <sys/types.h>

#include <cstddef>
#include <utility>

#include "common/byte.hpp"
#include "common/expected.hpp"
#include "common/iterator.hpp"
#include "common/memory_utils.hpp"

namespace nvidia {

namespace detail {

/// The functions of vectors with a fixed capacity. `Derived` has `data()`, `size()`, `capacity()`
/// and `SetSize(size)`.
template <typename Derived, typename T>
class FixedVectorOperations {
 public:
  using value_type = T;
  using size_type = size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using pointer = T*;
  using const_pointer = const T*;
  using iterator = RandomAccessIterator<Derived, T>;
  using const_iterator = RandomAccessIterator<const Derived, const T>;
  using reverse_iterator = ReverseIterator<iterator>;
  using const_reverse_iterator = ReverseIterator<const_iterator>;

  /// Why something could not be done.
  enum struct Error {
    kOutOfMemory = 0,
    kArgumentOutOfRange = 1,
    kContainerEmpty = 2,
    kContainerFull = 3,
    kInvalidIterator = 4,
  };
  template <typename U>
  using Expected = nvidia::Expected<U, Error>;

  friend bool operator==(const Derived& a, const Derived& b) {
    if (a.size() != b.size()) { return false; }
    for (size_t i = 0; i < a.size(); i++) {
      if (!(a.data()[i] == b.data()[i])) { return false; }
    }
    return true;
  }
  friend bool operator!=(const Derived& a, const Derived& b) { return !(a == b); }

  iterator begin() { return {self(), 0}; }
  iterator end() { return {self(), self().size()}; }
  const_iterator begin() const { return {self(), 0}; }
  const_iterator end() const { return {self(), self().size()}; }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  reverse_iterator rbegin() { return reverse_iterator{end()}; }
  reverse_iterator rend() { return reverse_iterator{begin()}; }
  const_reverse_iterator rbegin() const { return const_reverse_iterator{end()}; }
  const_reverse_iterator rend() const { return const_reverse_iterator{begin()}; }
  const_reverse_iterator crbegin() const { return rbegin(); }
  const_reverse_iterator crend() const { return rend(); }

  Expected<T&> operator[](size_t index) { return at(index); }
  Expected<const T&> operator[](size_t index) const { return at(index); }
  Expected<T&> at(size_t index) {
    if (index >= self().size()) { return Fail(Error::kArgumentOutOfRange); }
    return self().data()[index];
  }
  Expected<const T&> at(size_t index) const {
    if (index >= self().size()) { return Fail(Error::kArgumentOutOfRange); }
    return self().data()[index];
  }
  Expected<T&> front() {
    if (empty()) { return Fail(Error::kContainerEmpty); }
    return self().data()[0];
  }
  Expected<const T&> front() const {
    if (empty()) { return Fail(Error::kContainerEmpty); }
    return self().data()[0];
  }
  Expected<T&> back() {
    if (empty()) { return Fail(Error::kContainerEmpty); }
    return self().data()[self().size() - 1];
  }
  Expected<const T&> back() const {
    if (empty()) { return Fail(Error::kContainerEmpty); }
    return self().data()[self().size() - 1];
  }

  bool empty() const { return self().size() == 0; }
  bool full() const { return self().size() == self().capacity(); }

  /// Constructs an element before the one at `index`.
  template <typename... Args>
  Expected<void> emplace(size_t index, Args&&... args) {
    if (index > self().size()) { return Fail(Error::kArgumentOutOfRange); }
    const auto added = emplace_back(std::forward<Args>(args)...);
    if (!added) { return added; }
    for (size_t i = self().size() - 1; i > index; i--) {
      using std::swap;
      swap(self().data()[i], self().data()[i - 1]);
    }
    return {};
  }
  template <typename... Args>
  Expected<void> emplace_back(Args&&... args) {
    if (full()) { return Fail(Error::kContainerFull); }
    const size_t size = self().size();
    InplaceConstruct<T>(BytePointer(self().data() + size), std::forward<Args>(args)...);
    self().SetSize(size + 1);
    return {};
  }
  Expected<void> insert(size_t index, const T& value) { return emplace(index, value); }
  Expected<void> insert(size_t index, T&& value) { return emplace(index, std::move(value)); }
  /// Copies the elements between two iterators before the one at `position`.
  template <typename TIterator>
  Expected<void> insert(iterator position, TIterator first, TIterator last) {
    const difference_type offset = position - begin();
    if (offset < 0 || static_cast<size_t>(offset) > self().size()) {
      return Fail(Error::kInvalidIterator);
    }
    size_t index = static_cast<size_t>(offset);
    for (; first != last; ++first, ++index) {
      const auto inserted = Insert(index, *first);
      if (!inserted) { return inserted; }
    }
    return {};
  }
  Expected<void> push_back(const T& value) { return emplace_back(value); }
  Expected<void> push_back(T&& value) { return emplace_back(std::move(value)); }

  Expected<void> erase(size_t index) {
    if (index >= self().size()) { return Fail(Error::kArgumentOutOfRange); }
    for (size_t i = index; i + 1 < self().size(); i++) {
      self().data()[i] = std::move(self().data()[i + 1]);
    }
    return pop_back();
  }
  Expected<void> pop_back() {
    if (empty()) { return Fail(Error::kContainerEmpty); }
    Shrink(self().size() - 1);
    return {};
  }
  /// Cuts elements off, or adds new ones.
  Expected<void> resize(size_t count) {
    if (count > self().capacity()) { return Fail(Error::kArgumentOutOfRange); }
    Shrink(count);
    while (self().size() < count) { emplace_back(); }
    return {};
  }
  Expected<void> resize(size_t count, const T& value) {
    if (count > self().capacity()) { return Fail(Error::kArgumentOutOfRange); }
    Shrink(count);
    while (self().size() < count) { emplace_back(value); }
    return {};
  }
  void clear() { Shrink(0); }

 protected:
  static Unexpected<Error> Fail(Error error) { return Unexpected<Error>{error}; }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
  const Derived& self() const { return static_cast<const Derived&>(*this); }

  template <typename U>
  Expected<void> Insert(size_t index, U&& value) {
    if constexpr (detail::IsExpected_v<U>) {
      if (!value) { return Fail(Error::kInvalidIterator); }
      return emplace(index, value.value());
    } else {
      return emplace(index, std::forward<U>(value));
    }
  }

  void Shrink(size_t count) {
    for (size_t size = self().size(); size > count;) {
      size--;
      self().data()[size].~T();
      self().SetSize(size);
    }
  }
};

}  // namespace detail

/// The elements of a vector whose memory belongs to a derived class.
template <typename T>
class FixedVectorBase : public detail::FixedVectorOperations<FixedVectorBase<T>, T> {
 public:
  virtual ~FixedVectorBase() = default;

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t capacity() const { return capacity_; }
  size_t size() const { return size_; }

 protected:
  FixedVectorBase() = default;
  FixedVectorBase(T* data, size_t capacity) : data_(data), capacity_(capacity) {}
  FixedVectorBase(const FixedVectorBase&) = delete;
  FixedVectorBase& operator=(const FixedVectorBase&) = delete;

  T* data_ = nullptr;
  size_t capacity_ = 0;
  size_t size_ = 0;

 private:
  friend class detail::FixedVectorOperations<FixedVectorBase, T>;
  void SetSize(size_t size) { size_ = size; }
};

/// Instead of a capacity: the elements are on the heap.
constexpr ssize_t kFixedVectorHeap = -1;

/// A vector with room for `N` elements inside the object.
template <typename T, ssize_t N = kFixedVectorHeap>
class FixedVector : public FixedVectorBase<T> {
 public:
  FixedVector() : FixedVectorBase<T>(ValuePointer<T>(memory_), static_cast<size_t>(N)) {}
  ~FixedVector() override { this->clear(); }
  FixedVector(const FixedVector& other) : FixedVector() { Copy(other); }
  FixedVector(FixedVector&& other) : FixedVector() { Move(other); }
  FixedVector& operator=(const FixedVector& other) {
    if (this != &other) {
      this->clear();
      Copy(other);
    }
    return *this;
  }
  FixedVector& operator=(FixedVector&& other) {
    if (this != &other) {
      this->clear();
      Move(other);
    }
    return *this;
  }

 private:
  void Copy(const FixedVector& other) {
    ArrayCopyConstruct<T>(memory_, other.data_, other.size_);
    this->size_ = other.size_;
  }
  void Move(FixedVector& other) {
    ArrayMoveConstruct<T>(memory_, other.data_, other.size_);
    this->size_ = other.size_;
    other.clear();
  }

  alignas(T) byte memory_[sizeof(T) * static_cast<size_t>(N)];
};

/// A vector on the heap. It has no room until `reserve` was called.
template <typename T>
class FixedVector<T, kFixedVectorHeap> : public FixedVectorBase<T> {
 public:
  using Base = FixedVectorBase<T>;
  using Error = typename Base::Error;
  template <typename U>
  using Expected = nvidia::Expected<U, Error>;

  FixedVector() = default;
  ~FixedVector() override { Free(); }
  FixedVector(const FixedVector&) = delete;
  FixedVector& operator=(const FixedVector&) = delete;
  FixedVector(FixedVector&& other) { Take(other); }
  FixedVector& operator=(FixedVector&& other) {
    if (this != &other) {
      Free();
      Take(other);
    }
    return *this;
  }

  /// Makes room for at least `capacity` elements.
  Expected<void> reserve(size_t capacity) {
    return capacity <= this->capacity_ ? Expected<void>{} : Reallocate(capacity);
  }
  /// Releases the unused capacity.
  Expected<void> shrink_to_fit() {
    return this->size_ == this->capacity_ ? Expected<void>{} : Reallocate(this->size_);
  }
  /// Replaces the elements by copies of another vector's.
  Expected<void> copy_from(const FixedVector& other) {
    if (this == &other) { return {}; }
    this->clear();
    const auto reserved = reserve(other.size_);
    if (!reserved) { return reserved; }
    ArrayCopyConstruct<T>(BytePointer(this->data_), other.data_, other.size_);
    this->size_ = other.size_;
    return {};
  }

 private:
  Expected<void> Reallocate(size_t capacity) {
    T* memory = nullptr;
    if (capacity != 0) {
      memory = AllocateArray<T>(capacity);
      if (memory == nullptr) { return Unexpected<Error>{Error::kOutOfMemory}; }
      ArrayMoveConstruct<T>(BytePointer(memory), this->data_, this->size_);
    }
    const size_t size = this->size_;
    Free();
    this->data_ = memory;
    this->capacity_ = capacity;
    this->size_ = size;
    return {};
  }
  void Free() {
    this->clear();
    DeallocateArray(this->data_);
    this->data_ = nullptr;
    this->capacity_ = 0;
  }
  void Take(FixedVector& other) {
    this->data_ = std::exchange(other.data_, nullptr);
    this->capacity_ = std::exchange(other.capacity_, 0);
    this->size_ = std::exchange(other.size_, 0);
  }
};

}  // namespace nvidia

#endif  // NVIDIA_COMMON_FIXED_VECTOR_HPP_
