/// Complex numbers in YAML, as `1.5+2j`.
#ifndef NVIDIA_COMMON_YAML_PARSER_HPP_
#define NVIDIA_COMMON_YAML_PARSER_HPP_

#include <complex>
#include <cstdlib>
#include <sstream>
#include <string>

#include "gxf/sdk/yaml.hpp"

namespace YAML {

template <typename T>
struct convert<std::complex<T>> {
  static Node encode(const std::complex<T>& value) {
    std::ostringstream text;
    text.precision(17);
    text << value.real() << (value.imag() < 0 ? "" : "+") << value.imag() << "j";
    return Node(text.str());
  }
  static bool decode(const Node& node, std::complex<T>& value) {
    if (!node.IsScalar()) { return false; }
    const std::string text = node.as<std::string>();
    char* end = nullptr;
    const double first = std::strtod(text.c_str(), &end);
    if (end == text.c_str()) { return false; }
    double imaginary = 0.0;
    double real = first;
    if (*end == '+' || *end == '-') {
      const char* second = end;
      imaginary = std::strtod(second, &end);
      if (end == second || (*end != 'j' && *end != 'i')) { return false; }
      end++;
    } else if (*end == 'j' || *end == 'i') {
      real = 0.0;
      imaginary = first;
      end++;
    }
    if (*end != '\0') { return false; }
    value = {static_cast<T>(real), static_cast<T>(imaginary)};
    return true;
  }
};

template <typename T>
Emitter& operator<<(Emitter& out, const std::complex<T>& value) {
  return out << convert<std::complex<T>>::encode(value);
}

}  // namespace YAML

#endif  // NVIDIA_COMMON_YAML_PARSER_HPP_
