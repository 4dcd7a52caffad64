/// Conversion of parameter values between their ABI form and C++ types.
#ifndef GXF_SDK_CODEC_HPP_
#define GXF_SDK_CODEC_HPP_

#include <array>
#include <complex>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/fixed_string.hpp"
#include "common/fixed_vector.hpp"
#include "gxf/core/filepath.hpp"
#include "gxf/core/handle.hpp"
#include "gxf/core/parameter_parser_std.hpp"
#include "gxf/core/parameter_wrapper.hpp"
#include "gxf/std/complex.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

/// Whose parameter is read.
struct ParameterPlace {
  gxf_context_t context;
  gxf_uid_t cid;
  const char* key;
};

/// A value in its ABI form, with the memory it points into.
class OwnedValue {
 public:
  GxeValue value{};

  /// Stores one plain element.
  template <typename U>
  void SetElement(GxeParameterType type, const U& element) {
    static_assert(std::is_trivially_copyable_v<U>);
    elements_.resize((sizeof(U) + sizeof(uint64_t) - 1) / sizeof(uint64_t));
    std::memcpy(elements_.data(), &element, sizeof(U));
    value = {type, 0, 1, elements_.data()};
  }
  void SetText(GxeParameterType type, std::string text) {
    text_ = std::move(text);
    abi_text_ = ToText(std::string_view{text_});
    value = {type, 0, 1, &abi_text_};
  }
  /// Puts values of one type and rank into a row.
  void SetList(GxeParameterType type, uint32_t rank, size_t element_size,
               std::vector<std::unique_ptr<OwnedValue>> items) {
    rows_ = std::move(items);
    if (rank > 1) {
      for (const auto& row : rows_) { row_values_.push_back(row->value); }
      value = {type, rank, rows_.size(), row_values_.data()};
      return;
    }
    elements_.resize((rows_.size() * element_size + sizeof(uint64_t) - 1) / sizeof(uint64_t) + 1);
    auto* bytes = reinterpret_cast<unsigned char*>(elements_.data());
    for (size_t i = 0; i < rows_.size(); i++) {
      std::memcpy(bytes + i * element_size, rows_[i]->value.data, element_size);
    }
    value = {type, rank, rows_.size(), elements_.data()};
  }

 private:
  std::vector<uint64_t> elements_;
  std::string text_;
  GxeText abi_text_{};
  std::vector<std::unique_ptr<OwnedValue>> rows_;
  std::vector<GxeValue> row_values_;
};

/// The ABI form of a type. In general this is YAML text, which the type's `ParameterParser` reads.
template <typename T, typename = void>
struct Codec {
  static constexpr GxeParameterType kType = GxeParameterType_CUSTOM;
  static constexpr uint32_t kRank = 0;
  static constexpr size_t kElementSize = sizeof(GxeText);
  static void Shape(int32_t*) {}
  static GxeTid HandleTid() { return {0, 0}; }

  static Expected<T> Read(const GxeValue& value, const ParameterPlace& place) {
    const auto* text = static_cast<const GxeText*>(value.data);
    try {
      const YAML::Node node = YAML::Load(std::string{FromText(*text)});
      return ParameterParser<T>::Parse(place.context, place.cid, place.key, node, std::string{});
    } catch (const std::exception& error) {
      Report(std::string{"parameter `"} + place.key + "`: " + error.what());
      return Unexpected{GXF_PARAMETER_PARSER_ERROR};
    }
  }
  /// False when the type has no YAML form; a default is then kept on this side alone.
  static bool Write(const T&, OwnedValue&) { return false; }
};

/// A type whose elements have the same form in the ABI.
template <typename T, GxeParameterType Type>
struct PlainCodec {
  static constexpr GxeParameterType kType = Type;
  static constexpr uint32_t kRank = 0;
  static constexpr size_t kElementSize = sizeof(T);
  static void Shape(int32_t*) {}
  static GxeTid HandleTid() { return {0, 0}; }
  static Expected<T> Read(const GxeValue& value, const ParameterPlace&) {
    T result;
    std::memcpy(static_cast<void*>(&result), value.data, sizeof(T));
    return result;
  }
  static bool Write(const T& element, OwnedValue& value) {
    value.SetElement(Type, element);
    return true;
  }
};

/// The ABI type of a number.
template <typename T>
constexpr GxeParameterType NumberType() {
  if constexpr (std::is_same_v<T, float>) {
    return GxeParameterType_FLOAT32;
  } else if constexpr (std::is_same_v<T, double>) {
    return GxeParameterType_FLOAT64;
  } else if constexpr (std::is_signed_v<T>) {
    return sizeof(T) == 1   ? GxeParameterType_INT8
           : sizeof(T) == 2 ? GxeParameterType_INT16
           : sizeof(T) == 4 ? GxeParameterType_INT32
                            : GxeParameterType_INT64;
  } else {
    return sizeof(T) == 1   ? GxeParameterType_UINT8
           : sizeof(T) == 2 ? GxeParameterType_UINT16
           : sizeof(T) == 4 ? GxeParameterType_UINT32
                            : GxeParameterType_UINT64;
  }
}

template <typename T>
constexpr bool kIsNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool> &&
                           !std::is_same_v<T, long double> && !std::is_same_v<T, wchar_t> &&
                           !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>;

template <typename T>
struct Codec<T, std::enable_if_t<kIsNumber<T>>> : PlainCodec<T, NumberType<T>()> {};

template <>
struct Codec<bool> {
  static constexpr GxeParameterType kType = GxeParameterType_BOOL;
  static constexpr uint32_t kRank = 0;
  static constexpr size_t kElementSize = 1;
  static void Shape(int32_t*) {}
  static GxeTid HandleTid() { return {0, 0}; }
  static Expected<bool> Read(const GxeValue& value, const ParameterPlace&) {
    return *static_cast<const uint8_t*>(value.data) != 0;
  }
  static bool Write(bool element, OwnedValue& value) {
    value.SetElement(kType, static_cast<uint8_t>(element));
    return true;
  }
};

template <>
struct Codec<std::complex<float>>
    : PlainCodec<std::complex<float>, GxeParameterType_COMPLEX64> {};
template <>
struct Codec<std::complex<double>>
    : PlainCodec<std::complex<double>, GxeParameterType_COMPLEX128> {};
#ifdef GXF_HAS_CUDA_COMPLEX
template <>
struct Codec<complex64> : PlainCodec<complex64, GxeParameterType_COMPLEX64> {};
template <>
struct Codec<complex128> : PlainCodec<complex128, GxeParameterType_COMPLEX128> {};
#endif

/// Types that are made of a text.
template <typename T, GxeParameterType Type>
struct TextCodec {
  static constexpr GxeParameterType kType = Type;
  static constexpr uint32_t kRank = 0;
  static constexpr size_t kElementSize = sizeof(GxeText);
  static void Shape(int32_t*) {}
  static GxeTid HandleTid() { return {0, 0}; }
  static Expected<T> Read(const GxeValue& value, const ParameterPlace&) {
    return T(std::string{FromText(*static_cast<const GxeText*>(value.data))});
  }
  static bool Write(const T& text, OwnedValue& value) {
    value.SetText(Type, text);
    return true;
  }
};
template <>
struct Codec<std::string> : TextCodec<std::string, GxeParameterType_STRING> {};
template <>
struct Codec<FilePath> : TextCodec<FilePath, GxeParameterType_FILE> {};

template <size_t N>
struct Codec<FixedString<N>> {
  static constexpr GxeParameterType kType = GxeParameterType_STRING;
  static constexpr uint32_t kRank = 0;
  static constexpr size_t kElementSize = sizeof(GxeText);
  static void Shape(int32_t*) {}
  static GxeTid HandleTid() { return {0, 0}; }
  static Expected<FixedString<N>> Read(const GxeValue& value, const ParameterPlace& place) {
    const std::string_view text = FromText(*static_cast<const GxeText*>(value.data));
    FixedString<N> result;
    if (!result.copy(text.data() == nullptr ? "" : text.data(), text.size())) {
      Report(std::string{"parameter `"} + place.key + "`: the text has " +
             std::to_string(text.size()) + " bytes, and " + std::to_string(N) + " are allowed");
      return Unexpected{GXF_PARAMETER_PARSER_ERROR};
    }
    return result;
  }
  static bool Write(const FixedString<N>& text, OwnedValue& value) {
    value.SetText(kType, std::string(text.c_str(), text.size()));
    return true;
  }
};

template <typename S>
struct Codec<Handle<S>> {
  static constexpr GxeParameterType kType = GxeParameterType_HANDLE;
  static constexpr uint32_t kRank = 0;
  static constexpr size_t kElementSize = sizeof(GxeUid);
  static void Shape(int32_t*) {}
  /// For an unknown type, the host checks when the handle is set.
  static GxeTid HandleTid() {
    const GxeTid tid = FindType(TypenameAsString<S>());
    return tid.hash1 == 0 && tid.hash2 == 0 ? GxeTid GXE_TID_COMPONENT : tid;
  }
  static Expected<Handle<S>> Read(const GxeValue& value, const ParameterPlace& place) {
    const GxeUid cid = *static_cast<const GxeUid*>(value.data);
    if (cid == kUnspecifiedUid) { return Handle<S>::Unspecified(); }
    if (cid == kNullUid) { return Handle<S>::Null(); }
    return Handle<S>::Create(place.context, cid);
  }
  static bool Write(const Handle<S>&, OwnedValue&) { return false; }
};

/// The value at a position of a list.
inline GxeValue ElementAt(const GxeValue& list, size_t index, size_t element_size) {
  if (list.rank > 1) { return static_cast<const GxeValue*>(list.data)[index]; }
  return {list.element_type, 0, 1,
          static_cast<const unsigned char*>(list.data) + index * element_size};
}

/// Whether lists of `T` are lists in the ABI.
template <typename T>
constexpr bool kHasForm = Codec<T>::kType != GxeParameterType_CUSTOM;

/// Lists of values of type `T` in a container of type `List`. `Length` is the required length, or
/// -1; `Append` adds an element to the container and returns false if it is full.
template <typename List, typename T, int32_t Length>
struct ListCodec {
  static constexpr GxeParameterType kType = Codec<T>::kType;
  static constexpr uint32_t kRank = Codec<T>::kRank + 1;
  static constexpr size_t kElementSize = Codec<T>::kElementSize;
  static void Shape(int32_t* shape) {
    shape[0] = Length;
    Codec<T>::Shape(shape + 1);
  }
  static GxeTid HandleTid() { return Codec<T>::HandleTid(); }

  template <typename F>
  static Expected<void> ForEach(const GxeValue& value, const ParameterPlace& place, F&& take) {
    for (size_t i = 0; i < value.count; i++) {
      auto element = Codec<T>::Read(ElementAt(value, i, kElementSize), place);
      if (!element) { return ForwardError(element); }
      if (!take(i, std::move(element.value()))) {
        Report(std::string{"parameter `"} + place.key + "`: the list has " +
               std::to_string(value.count) + " elements, which are too many");
        return Unexpected{GXF_PARAMETER_PARSER_ERROR};
      }
    }
    return Success;
  }
  template <typename Range>
  static bool WriteRange(const Range& range, OwnedValue& value) {
    std::vector<std::unique_ptr<OwnedValue>> items;
    for (const auto& element : range) {
      items.push_back(std::make_unique<OwnedValue>());
      if (!Codec<T>::Write(static_cast<const T&>(element), *items.back())) { return false; }
    }
    value.SetList(kType, kRank, kElementSize, std::move(items));
    return true;
  }
};

template <typename T>
struct Codec<std::vector<T>, std::enable_if_t<kHasForm<T>>>
    : ListCodec<std::vector<T>, T, -1> {
  using List = ListCodec<std::vector<T>, T, -1>;
  static Expected<std::vector<T>> Read(const GxeValue& value, const ParameterPlace& place) {
    std::vector<T> result;
    result.reserve(value.count);
    const auto read = List::ForEach(value, place, [&](size_t, T&& element) {
      result.push_back(std::move(element));
      return true;
    });
    if (!read) { return ForwardError(read); }
    return result;
  }
  static bool Write(const std::vector<T>& list, OwnedValue& value) {
    if constexpr (std::is_same_v<T, bool>) {
      std::vector<std::unique_ptr<OwnedValue>> items;
      for (const bool element : list) {
        items.push_back(std::make_unique<OwnedValue>());
        Codec<bool>::Write(element, *items.back());
      }
      value.SetList(List::kType, List::kRank, List::kElementSize, std::move(items));
      return true;
    } else {
      return List::WriteRange(list, value);
    }
  }
};

template <typename T, size_t N>
struct Codec<std::array<T, N>, std::enable_if_t<kHasForm<T>>>
    : ListCodec<std::array<T, N>, T, static_cast<int32_t>(N)> {
  using List = ListCodec<std::array<T, N>, T, static_cast<int32_t>(N)>;
  static Expected<std::array<T, N>> Read(const GxeValue& value, const ParameterPlace& place) {
    std::array<T, N> result{};
    if (value.count != N) { return Unexpected{GXF_PARAMETER_PARSER_ERROR}; }
    const auto read = List::ForEach(value, place, [&](size_t index, T&& element) {
      result[index] = std::move(element);
      return true;
    });
    if (!read) { return ForwardError(read); }
    return result;
  }
  static bool Write(const std::array<T, N>& list, OwnedValue& value) {
    return List::WriteRange(list, value);
  }
};

template <typename T, ssize_t N>
struct Codec<FixedVector<T, N>, std::enable_if_t<kHasForm<T>>>
    : ListCodec<FixedVector<T, N>, T, -1> {
  using List = ListCodec<FixedVector<T, N>, T, -1>;
  static Expected<FixedVector<T, N>> Read(const GxeValue& value, const ParameterPlace& place) {
    FixedVector<T, N> result;
    if constexpr (N == kFixedVectorHeap) {
      if (!result.reserve(value.count)) { return Unexpected{GXF_OUT_OF_MEMORY}; }
    }
    const auto read = List::ForEach(value, place, [&](size_t, T&& element) {
      return static_cast<bool>(result.push_back(std::move(element)));
    });
    if (!read) { return ForwardError(read); }
    return result;
  }
  static bool Write(const FixedVector<T, N>& list, OwnedValue& value) {
    std::vector<std::unique_ptr<OwnedValue>> items;
    for (size_t i = 0; i < list.size(); i++) {
      items.push_back(std::make_unique<OwnedValue>());
      if (!Codec<T>::Write(list.data()[i], *items.back())) { return false; }
    }
    value.SetList(List::kType, List::kRank, List::kElementSize, std::move(items));
    return true;
  }
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_CODEC_HPP_
