/// Text of a bounded length inside the object.
#ifndef NVIDIA_COMMON_FIXED_STRING_HPP_
#define NVIDIA_COMMON_FIXED_STRING_HPP_

#include <cstddef>
#include <cstring>
#include <functional>
#include <string_view>

#include "common/expected.hpp"

namespace nvidia {

/// At most `N` characters, followed by a zero byte.
template <size_t N>
class FixedString {
 public:
  using value_type = char;
  using size_type = size_t;
  using const_iterator = const char*;

  /// Why a text could not be taken.
  enum struct Error {
    kArgumentNull = 0,
    kExceedingPreallocatedSize = 1,
  };
  template <typename U>
  using Expected = nvidia::Expected<U, Error>;

  /// For tables with such texts as keys.
  struct Hash {
    size_t operator()(const FixedString& text) const {
      return std::hash<std::string_view>{}(text.View());
    }
  };

  constexpr FixedString() = default;
  template <size_t M>
  constexpr FixedString(const char (&text)[M]) {
    static_assert(M <= N + 1, "the text is longer than the FixedString");
    Take(text, Length(text, M));
  }
  template <size_t M>
  constexpr FixedString(const FixedString<M>& other) {
    static_assert(M <= N, "the other FixedString may be longer");
    Take(other.c_str(), other.size());
  }
  template <size_t M>
  constexpr FixedString& operator=(const char (&text)[M]) {
    return *this = FixedString(text);
  }

  constexpr size_t size() const { return size_; }
  constexpr size_t length() const { return size_; }
  constexpr size_t max_size() const { return N; }
  constexpr size_t capacity() const { return N; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr bool full() const { return size_ == N; }

  constexpr const char (&data() const)[N + 1] { return data_; }
  constexpr const char (&c_str() const)[N + 1] { return data_; }

  constexpr const_iterator begin() const { return data_; }
  constexpr const_iterator end() const { return data_ + size_; }
  constexpr const_iterator cbegin() const { return begin(); }
  constexpr const_iterator cend() const { return end(); }

  constexpr void clear() {
    size_ = 0;
    data_[0] = '\0';
  }

  /// Adds characters at the end; without enough room, the text is unchanged.
  constexpr Expected<void> append(const char* text, size_t size) {
    if (text == nullptr) { return Unexpected<Error>{Error::kArgumentNull}; }
    if (size > N - size_) { return Unexpected<Error>{Error::kExceedingPreallocatedSize}; }
    for (size_t i = 0; i < size; i++) { data_[size_ + i] = text[i]; }
    size_ += size;
    data_[size_] = '\0';
    return {};
  }
  constexpr Expected<void> append(char character) { return append(&character, 1); }
  template <size_t M>
  constexpr Expected<void> append(const char (&text)[M]) {
    return append(text, Length(text, M));
  }
  template <size_t M>
  constexpr Expected<void> append(const FixedString<M>& other) {
    return append(other.c_str(), other.size());
  }

  /// Replaces the text; without enough room, it is unchanged.
  constexpr Expected<void> copy(const char* text, size_t size) {
    if (text == nullptr) { return Unexpected<Error>{Error::kArgumentNull}; }
    if (size > N) { return Unexpected<Error>{Error::kExceedingPreallocatedSize}; }
    clear();
    return append(text, size);
  }
  template <size_t M>
  constexpr Expected<void> copy(const char (&text)[M]) {
    return copy(text, Length(text, M));
  }
  template <size_t M>
  constexpr Expected<void> copy(const FixedString<M>& other) {
    return copy(other.c_str(), other.size());
  }

  /// Below 0, 0 or above 0 as this text comes before the other, equals it or comes after it.
  constexpr int compare(std::string_view other) const { return View().compare(other); }
  template <size_t M>
  constexpr int compare(const FixedString<M>& other) const {
    return View().compare(std::string_view(other.c_str(), other.size()));
  }

 private:
  static constexpr size_t Length(const char* text, size_t most) {
    size_t length = 0;
    while (length < most && text[length] != '\0') { length++; }
    return length;
  }
  constexpr void Take(const char* text, size_t size) {
    for (size_t i = 0; i < size; i++) { data_[i] = text[i]; }
    size_ = size;
  }
  constexpr std::string_view View() const { return {data_, size_}; }

  char data_[N + 1] = {};
  size_t size_ = 0;
};

#define GXF_FIXED_STRING_COMPARISON(SYMBOL)                                             \
  template <size_t N, size_t M>                                                         \
  constexpr bool operator SYMBOL(const FixedString<N>& a, const FixedString<M>& b) {    \
    return a.compare(b) SYMBOL 0;                                                       \
  }                                                                                     \
  template <size_t N>                                                                   \
  constexpr bool operator SYMBOL(const FixedString<N>& a, const char* b) {              \
    return a.compare(std::string_view(b)) SYMBOL 0;                                     \
  }                                                                                     \
  template <size_t N>                                                                   \
  constexpr bool operator SYMBOL(const char* a, const FixedString<N>& b) {              \
    return 0 SYMBOL b.compare(std::string_view(a));                                     \
  }
GXF_FIXED_STRING_COMPARISON(==)
GXF_FIXED_STRING_COMPARISON(!=)
GXF_FIXED_STRING_COMPARISON(<)
GXF_FIXED_STRING_COMPARISON(<=)
GXF_FIXED_STRING_COMPARISON(>)
GXF_FIXED_STRING_COMPARISON(>=)
#undef GXF_FIXED_STRING_COMPARISON

}  // namespace nvidia

#endif  // NVIDIA_COMMON_FIXED_STRING_HPP_
