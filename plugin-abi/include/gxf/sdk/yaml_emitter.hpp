/// Writes YAML value by value, for machines without yaml-cpp.
#ifndef GXF_SDK_YAML_EMITTER_HPP_
#define GXF_SDK_YAML_EMITTER_HPP_

#include "gxf/sdk/yaml_node.hpp"

#ifdef GXF_OWN_YAML_NODE

#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace YAML {

/// Instructions for an emitter other than values.
enum EMITTER_MANIP {
  Auto,
  BeginDoc,
  EndDoc,
  BeginSeq,
  EndSeq,
  Flow,
  Block,
  BeginMap,
  EndMap,
  Key,
  Value,
  Newline,
  DoubleQuoted,
  SingleQuoted,
  Literal,
};
/// A comment behind the value before it. Within lists and mappings in brackets there is none.
struct Comment {
  explicit Comment(std::string text) : content(std::move(text)) {}
  std::string content;
};
/// The tag of the next value: `LocalTag("x")` is `!x`.
struct LocalTag {
  explicit LocalTag(std::string text) : content(std::move(text)) {}
  std::string content;
};
/// A value that is none.
struct _Null {};
inline constexpr _Null Null;

template <>
struct convert<_Null> {
  static Node encode(const _Null&) { return Node(); }
  static bool decode(const Node& node, _Null&) { return node.IsNull(); }
};

/// Writes values one after the other.
class Emitter {
 public:
  Emitter& operator<<(EMITTER_MANIP what) {
    if (what == BeginSeq || what == BeginMap) {
      Node node(what == BeginSeq ? NodeType::Sequence : NodeType::Map);
      node.SetStyle(style_);
      style_ = EmitterStyle::Default;
      if (!tag_.empty()) { node.SetTag(std::exchange(tag_, "")); }
      open_.push_back({node, {}});
    } else if (what == EndSeq || what == EndMap) {
      const auto type = what == EndSeq ? NodeType::Sequence : NodeType::Map;
      if (open_.empty() || open_.back().node.Type() != type || !open_.back().key.empty()) {
        return Fail("the end of something else");
      }
      const Node node = open_.back().node;
      open_.pop_back();
      Put(node);
    } else if (what == Flow || what == Block) {
      style_ = what == Flow ? EmitterStyle::Flow : EmitterStyle::Block;
    } else if (what == DoubleQuoted) {
      quotes_ = detail::ScalarStyle::kDoubleQuoted;
    } else if (what == SingleQuoted) {
      quotes_ = detail::ScalarStyle::kSingleQuoted;
    } else if (what == Literal) {
      quotes_ = detail::ScalarStyle::kLiteral;
    } else if (what == BeginDoc) {
      text_ += text_.empty() ? "---\n" : "\n---\n";
    }
    return *this;
  }
  Emitter& operator<<(const Comment& comment) {
    if (open_.empty()) {
      text_ += (text_.empty() ? "# " : "\n# ") + comment.content;
    } else if (last_.ref() != nullptr) {
      last_.ref()->data->comment = comment.content;
    }
    return *this;
  }
  Emitter& operator<<(const LocalTag& tag) {
    tag_ = "!" + tag.content;
    return *this;
  }
  Emitter& operator<<(_Null) { return Put(Node(NodeType::Null)); }
  template <typename T>
  Emitter& operator<<(const T& value) {
    constexpr auto kPlain = detail::ScalarStyle::kPlainIfPossible;
    const auto quotes = std::exchange(quotes_, kPlain);
    const auto style = std::exchange(style_, EmitterStyle::Default);
    Node node = Own(value);
    // A node has its own way of being written, unless it leaves that open.
    if (node.IsScalar()) {
      if (quotes != kPlain) { node.ref()->data->quotes = quotes; }
    } else if (!node.IsNull() && node.Style() == EmitterStyle::Default) {
      node.SetStyle(style);
    }
    if (!tag_.empty()) { node.SetTag(std::exchange(tag_, "")); }
    return Put(node);
  }

  /// Sets by how many columns, 2 or more, the next values stand further right than what they are in.
  bool SetIndent(size_t columns) {
    if (columns < 2) { return false; }
    indent_ = columns;
    return true;
  }

  /// What was written; nothing as long as a list or mapping is open.
  const char* c_str() const { return text_.c_str(); }
  size_t size() const { return text_.size(); }
  bool good() const { return error_.empty(); }
  const std::string& GetLastError() const { return error_; }

 private:
  struct Open {
    Node node;
    /// The key whose value comes next.
    std::vector<Node> key;
  };

  static Node Own(const Node& node) { return Clone(node); }
  template <typename T>
  static Node Own(const T& value) {
    return Node(value);
  }
  Emitter& Fail(const char* error) {
    if (error_.empty()) { error_ = error; }
    return *this;
  }
  Emitter& Put(const Node& node) {
    if (!good()) { return *this; }
    last_.reset(node);
    if (open_.empty()) {
      text_ += (text_.empty() || text_.back() == '\n' ? "" : "\n") +
               detail::Writer::Lines(node, indent_);
    } else if (open_.back().node.IsSequence()) {
      open_.back().node.push_back(node);
    } else if (open_.back().key.empty()) {
      open_.back().key.push_back(node);
    } else {
      open_.back().node.force_insert(open_.back().key.front(), node);
      open_.back().key.clear();
    }
    return *this;
  }

  std::vector<Open> open_;
  Node last_;
  EmitterStyle::value style_ = EmitterStyle::Default;
  detail::ScalarStyle quotes_ = detail::ScalarStyle::kPlainIfPossible;
  size_t indent_ = 2;
  std::string tag_;
  std::string text_;
  std::string error_;
};

/// Writes a value to a stream.
inline std::ostream& operator<<(std::ostream& out, const Node& node) {
  return out << Dump(node);
}

}  // namespace YAML

#endif  // GXF_OWN_YAML_NODE

#endif  // GXF_SDK_YAML_EMITTER_HPP_
