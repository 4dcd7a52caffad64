/// Iterators over containers with `data()` and `size()`. Access is checked: `*it` is an `Expected`.
#ifndef NVIDIA_COMMON_ITERATOR_HPP_
#define NVIDIA_COMMON_ITERATOR_HPP_

#include <cstddef>
#include <iterator>

#include "common/expected.hpp"
#include "common/type_utils.hpp"

namespace nvidia {

namespace detail {

template <typename T, typename = void>
struct HasData : FalseType {};
template <typename T>
struct HasData<T, void_t<decltype(std::declval<T&>().data())>> : TrueType {};
template <typename T>
constexpr bool HasData_v = HasData<T>::value;

template <typename T, typename = void>
struct HasSize : FalseType {};
template <typename T>
struct HasSize<T, void_t<decltype(std::declval<T&>().size())>> : TrueType {};
template <typename T>
constexpr bool HasSize_v = HasSize<T>::value;

}  // namespace detail

/// Refers to an element of a container.
template <typename TContainer, typename TValue = typename TContainer::value_type>
class RandomAccessIterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = TValue;
  using difference_type = std::ptrdiff_t;
  using pointer = TValue*;
  using reference = TValue&;

  /// Why there is no element.
  enum struct Error {
    kArgumentOutOfRange = 0,
    kInvalidIterator = 1,
  };
  template <typename U>
  using Expected = nvidia::Expected<U, Error>;

  constexpr RandomAccessIterator() = default;
  constexpr RandomAccessIterator(TContainer& container, size_t position)
      : container_(&container), position_(static_cast<difference_type>(position)) {}

  constexpr Expected<TValue&> operator*() const { return At(position_); }
  constexpr Expected<TValue&> operator[](difference_type offset) const {
    return At(position_ + offset);
  }

  constexpr RandomAccessIterator& operator+=(difference_type offset) {
    position_ += offset;
    return *this;
  }
  constexpr RandomAccessIterator& operator-=(difference_type offset) { return *this += -offset; }
  constexpr RandomAccessIterator& operator++() { return *this += 1; }
  constexpr RandomAccessIterator& operator--() { return *this -= 1; }
  constexpr RandomAccessIterator operator++(int) {
    auto before = *this;
    ++*this;
    return before;
  }
  constexpr RandomAccessIterator operator--(int) {
    auto before = *this;
    --*this;
    return before;
  }
  friend constexpr RandomAccessIterator operator+(RandomAccessIterator it, difference_type offset) {
    return it += offset;
  }
  friend constexpr RandomAccessIterator operator+(difference_type offset, RandomAccessIterator it) {
    return it += offset;
  }
  friend constexpr RandomAccessIterator operator-(RandomAccessIterator it, difference_type offset) {
    return it -= offset;
  }
  friend constexpr difference_type operator-(const RandomAccessIterator& a,
                                             const RandomAccessIterator& b) {
    return a.position_ - b.position_;
  }
  friend constexpr bool operator==(const RandomAccessIterator& a, const RandomAccessIterator& b) {
    return a.container_ == b.container_ && a.position_ == b.position_;
  }
  friend constexpr bool operator!=(const RandomAccessIterator& a, const RandomAccessIterator& b) {
    return !(a == b);
  }
  friend constexpr bool operator<(const RandomAccessIterator& a, const RandomAccessIterator& b) {
    return a.position_ < b.position_;
  }
  friend constexpr bool operator>(const RandomAccessIterator& a, const RandomAccessIterator& b) {
    return b < a;
  }
  friend constexpr bool operator<=(const RandomAccessIterator& a, const RandomAccessIterator& b) {
    return !(b < a);
  }
  friend constexpr bool operator>=(const RandomAccessIterator& a, const RandomAccessIterator& b) {
    return !(a < b);
  }

  /// An iterator that may not change the elements.
  constexpr operator RandomAccessIterator<const TContainer, const TValue>() const {
    return container_ == nullptr
               ? RandomAccessIterator<const TContainer, const TValue>{}
               : RandomAccessIterator<const TContainer, const TValue>{
                     *container_, static_cast<size_t>(position_)};
  }

 private:
  constexpr Expected<TValue&> At(difference_type position) const {
    if (container_ == nullptr || container_->data() == nullptr) {
      return Unexpected<Error>{Error::kInvalidIterator};
    }
    if (position < 0 || position >= static_cast<difference_type>(container_->size())) {
      return Unexpected<Error>{Error::kArgumentOutOfRange};
    }
    return container_->data()[position];
  }

  TContainer* container_ = nullptr;
  difference_type position_ = 0;
};

/// As `RandomAccessIterator`, for elements that stay as they are.
template <typename TContainer>
using ConstRandomAccessIterator =
    RandomAccessIterator<const TContainer, const typename TContainer::value_type>;

/// Another iterator, backwards.
template <typename TIterator>
class ReverseIterator {
 public:
  using iterator_category = typename TIterator::iterator_category;
  using value_type = typename TIterator::value_type;
  using difference_type = typename TIterator::difference_type;
  using pointer = typename TIterator::pointer;
  using reference = typename TIterator::reference;

  constexpr ReverseIterator() = default;
  constexpr explicit ReverseIterator(TIterator base) : base_(base) {}

  constexpr TIterator base() const { return base_; }

  constexpr auto operator*() const { return base_[-1]; }
  constexpr auto operator[](difference_type offset) const { return base_[-offset - 1]; }

  constexpr ReverseIterator& operator+=(difference_type offset) {
    base_ -= offset;
    return *this;
  }
  constexpr ReverseIterator& operator-=(difference_type offset) { return *this += -offset; }
  constexpr ReverseIterator& operator++() { return *this += 1; }
  constexpr ReverseIterator& operator--() { return *this -= 1; }
  constexpr ReverseIterator operator++(int) {
    auto before = *this;
    ++*this;
    return before;
  }
  constexpr ReverseIterator operator--(int) {
    auto before = *this;
    --*this;
    return before;
  }
  friend constexpr ReverseIterator operator+(ReverseIterator it, difference_type offset) {
    return it += offset;
  }
  friend constexpr ReverseIterator operator-(ReverseIterator it, difference_type offset) {
    return it -= offset;
  }
  friend constexpr difference_type operator-(const ReverseIterator& a, const ReverseIterator& b) {
    return b.base_ - a.base_;
  }
  friend constexpr bool operator==(const ReverseIterator& a, const ReverseIterator& b) {
    return a.base_ == b.base_;
  }
  friend constexpr bool operator!=(const ReverseIterator& a, const ReverseIterator& b) {
    return !(a == b);
  }
  friend constexpr bool operator<(const ReverseIterator& a, const ReverseIterator& b) {
    return b.base_ < a.base_;
  }

 private:
  TIterator base_;
};

}  // namespace nvidia

#endif  // NVIDIA_COMMON_ITERATOR_HPP_
