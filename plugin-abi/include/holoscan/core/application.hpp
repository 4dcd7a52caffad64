/// Applications.
#ifndef HOLOSCAN_CORE_APPLICATION_HPP_
#define HOLOSCAN_CORE_APPLICATION_HPP_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "holoscan/core/fragment.hpp"

namespace holoscan {

/// A program's graph of operators, or of fragments.
class Application : public Fragment {
 public:
  explicit Application(const std::vector<std::string>& argv = {}) : argv_(argv) {
    detail::ApplyLogLevelOfEnvironment();
    application(this);
  }

  /// What the application is for.
  const std::string& description() const { return description_; }
  Application& description(const std::string& description) {
    description_ = description;
    return *this;
  }
  const std::string& version() const { return version_; }
  Application& version(const std::string& version) {
    version_ = version;
    return *this;
  }
  using Fragment::application;

  /// Makes a fragment, for `add_fragment` or `add_flow`.
  template <typename FragmentT, typename... Args>
  std::shared_ptr<FragmentT> make_fragment(const std::string& name, Args&&... args) {
    static_assert(std::is_base_of_v<Fragment, FragmentT>, "not a fragment");
    auto fragment = std::make_shared<FragmentT>(std::forward<Args>(args)...);
    fragment->name(name);
    return fragment;
  }
  /// Adds a fragment. All run side by side in this process, each with its own scheduler.
  void add_fragment(const std::shared_ptr<Fragment>& fragment) {
    if (fragment == nullptr) { throw std::runtime_error("add_fragment: no fragment"); }
    for (const auto& known : fragments_) {
      if (known == fragment) { return; }
      if (known->name() == fragment->name()) {
        throw std::runtime_error("there are two fragments with the name `" + fragment->name() + "`");
      }
    }
    fragment->application(this);
    fragments_.push_back(fragment);
  }
  using Fragment::add_flow;
  /// Connects outputs of operators of one fragment to inputs of operators of another: pairs of
  /// `operator.port`, or `operator` with a single port.
  void add_flow(const std::shared_ptr<Fragment>& source, const std::shared_ptr<Fragment>& target,
                std::set<std::pair<std::string, std::string>> port_pairs) {
    add_fragment(source);
    add_fragment(target);
    if (port_pairs.empty()) { throw std::runtime_error("add_flow: say which ports to connect"); }
    if (source == target) { throw std::runtime_error("add_flow: this is a single fragment"); }
    for (const auto& [output, input] : port_pairs) {
      links_.push_back({source, output, target, input});
    }
  }

  /// The words of the command line, as the program gave them to the constructor.
  std::vector<std::string>& argv() { return argv_; }

  ~Application() override = default;

 protected:
  std::unique_ptr<nvidia::gxf::Application> Build(const gxf::OnFailure& fail) override {
    if (fragments_.empty()) { return Fragment::Build(fail); }
    if (!is_empty()) {
      throw std::runtime_error("an application has either operators or fragments");
    }
    auto graph = std::make_unique<nvidia::gxf::Application>();
    LoadExtensions(*graph);
    executor().context(graph->context());
    if (!links_.empty() &&
        !nvidia::gxf::ExtensionManager(graph->context()).load("libgxf_ucx.so")) {
      throw std::runtime_error("`libgxf_ucx.so`, which links fragments, cannot be loaded; the log says why");
    }
    std::map<const Fragment*, std::unique_ptr<gxf::GraphBuilder>> builders;
    for (const auto& fragment : fragments_) {
      if (fragment->config_file().empty()) { fragment->config_ = config_; }
      fragment->Compose();
      const auto segment = graph->createSegment<nvidia::gxf::Segment>(fragment->name().c_str());
      if (segment == nullptr) {
        throw std::runtime_error("the fragment `" + fragment->name() +
                                 "` cannot be made; the log says why");
      }
      const auto& tracker = fragment->tracker_ == nullptr ? tracker_ : fragment->tracker_;
      builders[fragment.get()] =
          std::make_unique<gxf::GraphBuilder>(*segment, fragment->flows_, tracker, fail);
    }
    nvidia::gxf::detail::FreePorts free_ports;
    for (const FragmentLink& link : links_) {
      const uint16_t number = free_ports.Next();
      if (number == 0) { throw std::runtime_error("this host has no free port for a link of fragments"); }
      const auto end = [&](Fragment& fragment, const std::string& port, bool is_input) {
        const auto [op, spec] = fragment.PortAt(port, is_input);
        builders.at(&fragment)->AddLink(*op, *spec, number);
      };
      end(*link.source, link.output, false);
      end(*link.target, link.input, true);
    }
    for (const auto& fragment : fragments_) { fragment->Fill(*builders.at(fragment.get())); }
    return graph;
  }

 private:
  /// A flow from one fragment to another.
  struct FragmentLink {
    std::shared_ptr<Fragment> source;
    std::string output;
    std::shared_ptr<Fragment> target;
    std::string input;
  };

  std::vector<std::shared_ptr<Fragment>> fragments_;
  std::vector<FragmentLink> links_;
  std::vector<std::string> argv_;
  std::string description_;
  std::string version_;
};

/// Makes an application.
template <typename AppT, typename... Args>
std::shared_ptr<AppT> make_application(Args&&... args) {
  static_assert(std::is_base_of_v<Application, AppT>, "not an application");
  return std::make_shared<AppT>(std::forward<Args>(args)...);
}

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_APPLICATION_HPP_
