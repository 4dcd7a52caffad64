/// Names of types as text, the same from every compiler.
#ifndef NVIDIA_COMMON_TYPE_NAME_HPP_
#define NVIDIA_COMMON_TYPE_NAME_HPP_

#include "gxf/sdk/requirements.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace nvidia {

// Compilers omit the scope of the function when they spell a type, so the function is in a scope
// that contains no types.
namespace helper {

/// A function name that contains the type's.
template <typename T>
constexpr std::string_view Decorated() {
  return __PRETTY_FUNCTION__;
}

/// The type as this compiler spells it.
template <typename T>
constexpr std::string_view Spelled() {
  constexpr std::string_view decorated = Decorated<T>();
  constexpr size_t begin = decorated.find("= ") + 2;
  // GCC names the return type behind the type, Clang nothing.
  constexpr size_t semicolon = decorated.find("; ", begin);
  constexpr size_t end =
      semicolon == std::string_view::npos ? decorated.rfind(']') : semicolon;
  return decorated.substr(begin, end - begin);
}

inline bool IsNamePart(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_';
}

/// From Clang's spelling to GCC's, which is the one type names are registered under.
inline std::string Normalized(std::string_view spelled) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"unsigned long long", "long long unsigned int"},
      {"unsigned long", "long unsigned int"},
      {"unsigned short", "short unsigned int"},
      {"long long", "long long int"},
      {"long", "long int"},
      {"short", "short int"},
      {"std::basic_string<char>", "std::__cxx11::basic_string<char>"},
  };
  std::string result;
  for (size_t i = 0; i < spelled.size();) {
    const bool word_begins = i == 0 || (!IsNamePart(spelled[i - 1]) && spelled[i - 1] != ':');
    bool replaced = false;
    for (const auto& [from, to] : kWords) {
      const size_t end = i + from.size();
      if (!word_begins || spelled.compare(i, from.size(), from) != 0) { continue; }
      if (end < spelled.size() && IsNamePart(spelled[end])) { continue; }
      // GCC's own spelling ends in "int" or "double" already.
      const std::string_view rest = spelled.substr(end);
      if (rest.substr(0, 4) == " int" || rest.substr(0, 9) == " unsigned" ||
          rest.substr(0, 7) == " double" || rest.substr(0, 5) == " long") {
        continue;
      }
      result += to;
      i = end;
      replaced = true;
      break;
    }
    if (replaced) { continue; }
    if (spelled[i] == ' ' && i + 1 < spelled.size() &&
        (spelled[i + 1] == '*' || spelled[i + 1] == '&')) {
      i++;
      continue;
    }
    result += spelled[i++];
  }
  return result;
}

#ifdef __clang__
template <typename T>
const char* Name() {
  static const std::string name = Normalized(Spelled<T>());
  return name.c_str();
}
#else
template <typename T, size_t... Index>
constexpr auto Terminated(std::index_sequence<Index...>) {
  struct Text {
    char letters[sizeof...(Index) + 1];
  };
  return Text{{Spelled<T>()[Index]..., '\0'}};
}
template <typename T>
struct NameOf {
  static constexpr auto kText = Terminated<T>(std::make_index_sequence<Spelled<T>().size()>{});
};
template <typename T>
constexpr const char* Name() {
  return NameOf<T>::kText.letters;
}
#endif

}  // namespace helper

/// The name of a type as GCC spells it: `int`, `long unsigned int`, `nvidia::gxf::Tensor`,
/// `std::vector<float>`, `std::__cxx11::basic_string<char>`.
template <typename T>
const char* TypenameAsString() {
  return helper::Name<T>();
}

}  // namespace nvidia

#endif  // NVIDIA_COMMON_TYPE_NAME_HPP_
