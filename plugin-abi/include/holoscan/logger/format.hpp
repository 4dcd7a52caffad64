/// Texts with places for values, as in the library fmt: `{}`, `{1}`, `{:>8}`, `{:.3f}`, `{:#x}`.
///
/// Also the functions of fmt that Holoscan's programs use; those of the library itself where it is
/// installed.
#ifndef HOLOSCAN_LOGGER_FORMAT_HPP_
#define HOLOSCAN_LOGGER_FORMAT_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#ifndef FMT_HEADER_ONLY
#define FMT_HEADER_ONLY
#endif
#include <fmt/format.h>
#if defined(FMT_VERSION) && __has_include(<fmt/ranges.h>)
#include <fmt/ranges.h>
#endif

namespace holoscan {
namespace detail {

template <typename T, typename = void>
struct IsPrintable : std::false_type {};
template <typename T>
struct IsPrintable<
    T, std::void_t<decltype(std::declval<std::ostream&>() << std::declval<const T&>())>>
    : std::true_type {};
template <typename T, typename = void>
struct IsRange : std::false_type {};
template <typename T>
struct IsRange<T, std::void_t<decltype(std::declval<const T&>().begin()),
                              decltype(std::declval<const T&>().end())>> : std::true_type {};
template <typename T, typename = void>
struct IsTable : std::false_type {};
template <typename T>
struct IsTable<T, std::void_t<typename T::mapped_type>> : std::true_type {};
template <typename T>
struct IsPair : std::false_type {};
template <typename A, typename B>
struct IsPair<std::pair<A, B>> : std::true_type {};
template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <typename T>
constexpr bool kIsString = std::is_convertible_v<const T&, std::string_view>;

/// What follows the colon of a place: `[[fill]align][sign][#][0][width][.precision][type]`.
struct FormatSpec {
  explicit FormatSpec(std::string_view text) {
    constexpr std::string_view kAligns = "<>^";
    const auto has = [&](std::string_view letters) {
      return !text.empty() && letters.find(text.front()) != std::string_view::npos;
    };
    const auto take = [&] {
      const char letter = text.front();
      text.remove_prefix(1);
      return letter;
    };
    const auto number = [&](int otherwise) {
      if (!has("0123456789")) { return otherwise; }
      int value = 0;
      while (has("0123456789")) { value = std::min(value * 10 + (take() - '0'), 10000); }
      return value;
    };
    if (text.size() > 1 && kAligns.find(text[1]) != std::string_view::npos) {
      fill = take();
      align = take();
    } else if (has(kAligns)) {
      align = take();
    }
    if (has("+- ")) { sign = take(); }
    if (has("#")) { is_alternate = take() == '#'; }
    if (has("0")) { is_zero_filled = take() == '0'; }
    width = static_cast<size_t>(number(0));
    if (has(".")) {
      take();
      precision = number(-1);
    }
    if (!text.empty()) { type = text.front(); }
  }

  char fill = ' ';
  char align = '\0';
  char sign = '\0';
  bool is_alternate = false;
  bool is_zero_filled = false;
  size_t width = 0;
  int precision = -1;
  char type = '\0';
};

/// A text as wide as its place.
inline std::string Padded(std::string text, const FormatSpec& spec, char usual) {
  if (text.size() >= spec.width) { return text; }
  const size_t missing = spec.width - text.size();
  const char align = spec.align == '\0' ? usual : spec.align;
  const size_t before = align == '>' ? missing : align == '^' ? missing / 2 : 0;
  return std::string(before, spec.fill) + text + std::string(missing - before, spec.fill);
}
/// Zeros between the sign of a number and its digits.
inline std::string PaddedNumber(std::string text, const FormatSpec& spec) {
  if (spec.is_zero_filled && spec.align == '\0' && text.size() < spec.width) {
    size_t at = text[0] == '-' || text[0] == '+' || text[0] == ' ' ? 1 : 0;
    if (text.size() > at + 1 && text[at] == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X' || text[at + 1] == 'b')) {
      at += 2;
    }
    text.insert(at, spec.width - text.size(), '0');
  }
  return Padded(std::move(text), spec, '>');
}
inline std::string IntegerText(bool is_negative, uint64_t magnitude, const FormatSpec& spec) {
  const char type = spec.type == '\0' ? 'd' : spec.type;
  const unsigned base = type == 'x' || type == 'X' ? 16 : type == 'b' || type == 'B' ? 2 : type == 'o' ? 8 : 10;
  std::string text;
  do {
    text += "0123456789abcdef"[magnitude % base];
    magnitude /= base;
  } while (magnitude > 0);
  if (spec.is_alternate && base != 10) { text += base == 16 ? "x0" : base == 2 ? "b0" : "0"; }
  if (is_negative) {
    text += '-';
  } else if (spec.sign == '+' || spec.sign == ' ') {
    text += spec.sign;
  }
  std::reverse(text.begin(), text.end());
  if (type == 'X') {
    std::transform(text.begin(), text.end(), text.begin(), [](char letter) {
      return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    });
  }
  return PaddedNumber(std::move(text), spec);
}
/// The shortest text that reads back as the same number, unless the place says how.
template <typename T>
std::string RealText(T value, const FormatSpec& spec) {
  const bool has_type = std::string_view("eEfFgGaA").find(spec.type) != std::string_view::npos;
  char text[512];
  std::string how = "%";
  if (spec.sign == '+' || spec.sign == ' ') { how += spec.sign; }
  if (spec.is_alternate) { how += '#'; }
  how += ".*";
  const char type = has_type && spec.type != '\0' ? spec.type : 'g';
  how += type;
  const double real = static_cast<double>(value);
  if (spec.precision >= 0 || (has_type && spec.type != '\0')) {
    std::snprintf(text, sizeof(text), how.c_str(), spec.precision >= 0 ? spec.precision : 6, real);
  } else {
    for (int digits = 1; digits <= 17; digits++) {
      std::snprintf(text, sizeof(text), how.c_str(), digits, real);
      if (static_cast<T>(std::strtod(text, nullptr)) == value) { break; }
    }
    // 1e+06 is 1000000 here: only long numbers have an exponent.
    if (std::string_view(text).find('e') != std::string_view::npos && real < 1e16 && real > -1e16 &&
        (real >= 1 || real <= -1)) {
      std::snprintf(text, sizeof(text), "%.0f", real);
    }
  }
  return PaddedNumber(text, spec);
}

template <typename T>
std::string Formatted(const T& value, std::string_view how);

/// A part of a list: texts have quotes there.
template <typename T>
std::string FormattedPart(const T& value, std::string_view how) {
  if constexpr (kIsString<T>) { return '"' + std::string(std::string_view(value)) + '"'; }
  return Formatted(value, how);
}

/// One value, by what follows the colon of its place.
template <typename T>
std::string Formatted(const T& value, std::string_view how) {
  const FormatSpec spec(how);
  if constexpr (kIsString<T>) {
    const std::string_view text = value;
    const size_t length = spec.precision >= 0 ? static_cast<size_t>(spec.precision) : text.size();
    return Padded(std::string(text.substr(0, length)), spec, '<');
  } else if constexpr (std::is_same_v<T, bool>) {
    if (spec.type == 'd') { return IntegerText(false, value ? 1 : 0, spec); }
    return Padded(value ? "true" : "false", spec, '<');
  } else if constexpr (std::is_same_v<T, char>) {
    if (spec.type != '\0' && spec.type != 'c') {
      return IntegerText(value < 0, static_cast<uint64_t>(std::abs(value)), spec);
    }
    return Padded(std::string(1, value), spec, '<');
  } else if constexpr (std::is_integral_v<T>) {
    if (std::string_view("eEfFgG").find(spec.type) != std::string_view::npos && spec.type != '\0') {
      return RealText(static_cast<double>(value), spec);
    }
    const auto bits = static_cast<uint64_t>(value);
    const bool is_negative = std::is_signed_v<T> && static_cast<int64_t>(value) < 0;
    return IntegerText(is_negative, is_negative ? 0 - bits : bits, spec);
  } else if constexpr (std::is_floating_point_v<T>) {
    return RealText(value, spec);
  } else if constexpr (IsPrintable<T>::value && !std::is_enum_v<T>) {
    return Padded((std::ostringstream() << value).str(), spec, '<');
  } else if constexpr (std::is_enum_v<T>) {
    return Formatted(static_cast<int64_t>(value), how);
  } else if constexpr (IsOptional<T>::value) {
    return value ? "optional(" + FormattedPart(*value, how) + ")" : "none";
  } else if constexpr (IsPair<T>::value) {
    return "(" + FormattedPart(value.first, how) + ", " + FormattedPart(value.second, how) + ")";
  } else {
    static_assert(IsRange<T>::value, "a value in a text needs an operator <<");
    std::string text;
    for (const auto& part : value) {
      text += text.empty() ? "" : ", ";
      if constexpr (IsTable<T>::value) {
        text += FormattedPart(part.first, "") + ": " + FormattedPart(part.second, how);
      } else {
        text += FormattedPart<std::decay_t<decltype(part)>>(part, how);
      }
    }
    return IsTable<T>::value ? "{" + text + "}" : "[" + text + "]";
  }
}

/// A value of any type, for the places of a text.
struct FormatValue {
  template <typename T>
  static FormatValue Of(const T& value) {
    const auto format = [](const void* at, std::string_view how) {
      return Formatted(*static_cast<const T*>(at), how);
    };
    const auto number = [](const void* at) -> int {
      if constexpr (std::is_integral_v<T>) { return static_cast<int>(*static_cast<const T*>(at)); }
      (void)at;
      return 0;
    };
    return {&value, format, number};
  }

  const void* value;
  std::string (*format)(const void* value, std::string_view how);
  /// For a width or precision that is a value itself.
  int (*number)(const void* value);
};

inline std::string FormatAll(std::string_view text, const std::vector<FormatValue>& values) {
  std::string line;
  size_t next = 0;
  // The value of a place: the next one, or that of a number.
  const auto value_of = [&](std::string_view number) -> const FormatValue* {
    const size_t index = number.empty() ? next++ : std::strtoul(std::string(number).c_str(), nullptr, 10);
    return index < values.size() ? &values[index] : nullptr;
  };
  while (!text.empty()) {
    const char c = text.front();
    const bool is_double = text.size() > 1 && text[1] == c && (c == '{' || c == '}');
    size_t end = 1;
    for (int open = c == '{' && !is_double ? 1 : 0; open > 0 && end < text.size(); end++) {
      open += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
    }
    if (end == 1 || text[end - 1] != '}') {
      line += c;
      text.remove_prefix(is_double ? 2 : 1);
      continue;
    }
    const std::string_view place = text.substr(1, end - 2);
    const size_t colon = std::min(place.find(':'), place.size());
    const FormatValue* value = value_of(place.substr(0, colon));
    std::string how(place.substr(std::min(colon + 1, place.size())));
    for (size_t open; (open = how.find('{')) != std::string::npos;) {
      const size_t close = how.find('}', open);
      const FormatValue* inner = value_of(std::string_view(how).substr(open + 1, close - open - 1));
      how.replace(open, close - open + 1,
                  inner == nullptr ? "" : std::to_string(inner->number(inner->value)));
    }
    // A place without a value stays.
    line += value == nullptr ? std::string(text.substr(0, end)) : value->format(value->value, how);
    text.remove_prefix(end);
  }
  return line;
}

/// A text with its values.
template <typename... Values>
std::string Format(std::string_view text, const Values&... values) {
  return FormatAll(text, {FormatValue::Of(values)...});
}

}  // namespace detail
}  // namespace holoscan

#if !defined(FMT_VERSION)
namespace fmt {

/// The parts of a list, with a text between them.
template <typename Iterator>
struct join_view {
  Iterator first;
  Iterator last;
  std::string separator;

  friend std::ostream& operator<<(std::ostream& out, const join_view& view) {
    for (Iterator at = view.first; at != view.last; ++at) {
      if (at != view.first) { out << view.separator; }
      out << ::holoscan::detail::Formatted(*at, "");
    }
    return out;
  }
};

template <typename... Values>
std::string format(std::string_view text, const Values&... values) {
  return ::holoscan::detail::Format(text, values...);
}
template <typename Iterator, typename... Values>
Iterator format_to(Iterator out, std::string_view text, const Values&... values) {
  const std::string line = format(text, values...);
  return std::copy(line.begin(), line.end(), out);
}
template <typename... Values>
void print(std::FILE* file, std::string_view text, const Values&... values) {
  const std::string line = format(text, values...);
  std::fwrite(line.data(), 1, line.size(), file);
}
template <typename... Values>
void print(std::string_view text, const Values&... values) {
  print(stdout, text, values...);
}
template <typename... Values>
void println(std::string_view text, const Values&... values) {
  print(stdout, std::string(text) + "\n", values...);
}
template <typename Iterator>
join_view<Iterator> join(Iterator first, Iterator last, std::string_view separator) {
  return {first, last, std::string(separator)};
}
template <typename Range>
auto join(const Range& range, std::string_view separator) {
  return join(range.begin(), range.end(), separator);
}
template <typename T>
join_view<const T*> join(std::initializer_list<T> list, std::string_view separator) {
  return join(list.begin(), list.end(), separator);
}
template <typename T>
std::string to_string(const T& value) {
  return ::holoscan::detail::Formatted(value, "");
}
template <typename T>
const void* ptr(const T* pointer) {
  return pointer;
}
template <typename T>
const void* ptr(const std::shared_ptr<T>& pointer) {
  return pointer.get();
}
template <typename T, typename D>
const void* ptr(const std::unique_ptr<T, D>& pointer) {
  return pointer.get();
}

}  // namespace fmt
#endif

#endif  // HOLOSCAN_LOGGER_FORMAT_HPP_
