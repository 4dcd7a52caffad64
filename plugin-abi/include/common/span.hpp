/// A view of consecutive elements that it does not own.
#ifndef NVIDIA_COMMON_SPAN_HPP_
#define NVIDIA_COMMON_SPAN_HPP_

#include <cstddef>
#include <type_traits>

#include "common/expected.hpp"
#include "common/iterator.hpp"
#include "common/type_utils.hpp"

namespace nvidia {

namespace detail {

template <typename U>
using EnableIfContiguous_t = EnableIf_t<HasData_v<U> && HasSize_v<U>>;

}  // namespace detail

/// `size()` elements from `data()` on. Access is checked.
template <typename T>
class Span {
 public:
  using element_type = T;
  using value_type = RemoveCV_t<element_type>;
  using size_type = size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;
  using iterator = RandomAccessIterator<const Span, element_type>;
  using reverse_iterator = ReverseIterator<iterator>;

  /// Why there is no element.
  enum struct Error {
    kArgumentOutOfRange = 0,
    kContainerEmpty = 1,
  };
  template <typename U>
  using Expected = nvidia::Expected<U, Error>;

  constexpr Span() = default;
  constexpr Span(T* data, size_t size) : data_(data), size_(size) {}
  template <size_t N>
  constexpr Span(T (&array)[N]) : data_(array), size_(N) {}
  template <typename U, typename = detail::EnableIfContiguous_t<U>>
  constexpr Span(U& container) : data_(container.data()), size_(container.size()) {}

  constexpr operator Span<const T>() const { return {data_, size_}; }

  constexpr iterator begin() const { return {*this, 0}; }
  constexpr iterator end() const { return {*this, size_}; }
  constexpr reverse_iterator rbegin() const { return reverse_iterator{end()}; }
  constexpr reverse_iterator rend() const { return reverse_iterator{begin()}; }

  constexpr Expected<T&> operator[](size_t index) const { return at(index); }
  constexpr Expected<T&> at(size_t index) const {
    if (index >= size_) { return Unexpected<Error>{Error::kArgumentOutOfRange}; }
    return data_[index];
  }
  constexpr Expected<T&> front() const {
    if (size_ == 0) { return Unexpected<Error>{Error::kContainerEmpty}; }
    return data_[0];
  }
  constexpr Expected<T&> back() const {
    if (size_ == 0) { return Unexpected<Error>{Error::kContainerEmpty}; }
    return data_[size_ - 1];
  }

  constexpr T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr size_t size_bytes() const { return size_ * sizeof(T); }
  constexpr bool empty() const { return size_ == 0; }

  /// `count` elements from `offset` on.
  constexpr Expected<Span> subspan(size_t offset, size_t count) const {
    if (offset > size_ || count > size_ - offset) {
      return Unexpected<Error>{Error::kArgumentOutOfRange};
    }
    return Span{data_ + offset, count};
  }
  constexpr Expected<Span> subspan(size_t offset) const {
    if (offset > size_) { return Unexpected<Error>{Error::kArgumentOutOfRange}; }
    return Span{data_ + offset, size_ - offset};
  }
  constexpr Expected<Span> first(size_t count) const { return subspan(0, count); }
  constexpr Expected<Span> last(size_t count) const {
    if (count > size_) { return Unexpected<Error>{Error::kArgumentOutOfRange}; }
    return subspan(size_ - count, count);
  }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

template <typename T, typename U,
          EnableIf_t<IsSame_v<RemoveCV_t<T>, RemoveCV_t<U>>, int> = 0>
constexpr bool operator==(const Span<T>& a, const Span<U>& b) {
  if (a.size() != b.size()) { return false; }
  for (size_t i = 0; i < a.size(); i++) {
    if (!(a.data()[i] == b.data()[i])) { return false; }
  }
  return true;
}
template <typename T, typename U,
          EnableIf_t<IsSame_v<RemoveCV_t<T>, RemoveCV_t<U>>, int> = 0>
constexpr bool operator!=(const Span<T>& a, const Span<U>& b) {
  return !(a == b);
}

}  // namespace nvidia

#endif  // NVIDIA_COMMON_SPAN_HPP_
