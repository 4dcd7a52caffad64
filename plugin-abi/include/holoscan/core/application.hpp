/// Applications.
#ifndef HOLOSCAN_CORE_APPLICATION_HPP_
#define HOLOSCAN_CORE_APPLICATION_HPP_

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "holoscan/core/fragment.hpp"

namespace holoscan {

/// A program's graph of operators.
class Application : public Fragment {
 public:
  explicit Application(const std::vector<std::string>& argv = {}) : argv_(argv) {}

  /// The words of the command line, as the program gave them to the constructor.
  std::vector<std::string>& argv() { return argv_; }

 private:
  std::vector<std::string> argv_;
};

/// Makes an application.
template <typename AppT, typename... Args>
std::shared_ptr<AppT> make_application(Args&&... args) {
  static_assert(std::is_base_of_v<Application, AppT>, "not an application");
  return std::make_shared<AppT>(std::forward<Args>(args)...);
}

/// Sets the least important lines that are logged.
inline void set_log_level(LogLevel level) { nvidia::SetSeverity(detail::SeverityOf(level)); }

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_APPLICATION_HPP_
