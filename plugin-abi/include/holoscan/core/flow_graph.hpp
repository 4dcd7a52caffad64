/// The graph of a fragment's operators, to look at.
#ifndef HOLOSCAN_CORE_FLOW_GRAPH_HPP_
#define HOLOSCAN_CORE_FLOW_GRAPH_HPP_

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "holoscan/core/operator.hpp"

namespace holoscan {

/// The operators of a fragment and the flows between them.
class OperatorFlowGraph {
 public:
  using Node = std::shared_ptr<Operator>;

  explicit OperatorFlowGraph(const std::vector<Node>& operators) : operators_(operators) {}

  std::vector<Node> get_nodes() const { return operators_; }
  /// An operator by its name; null if there is none.
  Node find_node(const std::string& name) const {
    for (const Node& node : operators_) {
      if (node->name() == name) { return node; }
    }
    return nullptr;
  }
  bool is_empty() const { return operators_.empty(); }
  /// The operators behind one, each once.
  std::vector<Node> get_next_nodes(const Node& node) const {
    std::vector<Node> next;
    for (const auto& flow : node->next_flows()) { AddOnce(next, flow->next_operator); }
    return next;
  }
  /// The operators before one, each once.
  std::vector<Node> get_previous_nodes(const Node& node) const {
    std::vector<Node> previous;
    for (const Node& other : operators_) {
      for (const auto& flow : other->next_flows()) {
        if (flow->next_operator == node) { AddOnce(previous, other); }
      }
    }
    return previous;
  }
  bool is_root(const Node& node) const { return get_previous_nodes(node).empty(); }
  bool is_leaf(const Node& node) const { return node->next_flows().empty(); }
  std::vector<Node> get_root_nodes() const {
    std::vector<Node> roots;
    std::copy_if(operators_.begin(), operators_.end(), std::back_inserter(roots),
                 [this](const Node& node) { return is_root(node); });
    return roots;
  }

 private:
  static void AddOnce(std::vector<Node>& nodes, const Node& node) {
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) { nodes.push_back(node); }
  }

  const std::vector<Node>& operators_;
};

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_FLOW_GRAPH_HPP_
