/// A small `YAML::Node` for machines without yaml-cpp: values, their conversions, and the functions
/// that read and write them. It behaves as yaml-cpp 0.7 does.
#ifndef GXF_SDK_YAML_NODE_HPP_
#define GXF_SDK_YAML_NODE_HPP_

#include "gxf/sdk/requirements.hpp"

#if !__has_include_next(<yaml-cpp/yaml.h>)
#define GXF_OWN_YAML_NODE 1

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace YAML {

class Node;

/// A place in a text. Lines and columns count from 0; nodes that a program makes have none.
struct Mark {
  static Mark null_mark() { return {-1, -1, -1}; }
  bool is_null() const { return pos == -1; }

  int pos = 0;
  int line = 0;
  int column = 0;
};

/// An error in YAML.
struct Exception : std::runtime_error {
  Exception(const Mark& place, const std::string& text)
      : std::runtime_error(place.is_null() ? text
                                           : "line " + std::to_string(place.line + 1) + ", column " +
                                                 std::to_string(place.column + 1) + ": " + text),
        mark(place), msg(text) {}
  Mark mark;
  std::string msg;
};
struct ParserException : Exception {
  using Exception::Exception;
};
struct RepresentationException : Exception {
  using Exception::Exception;
};
struct BadConversion : RepresentationException {
  explicit BadConversion(const Mark& place, const std::string& text = "bad conversion")
      : RepresentationException(place, text) {}
};
template <typename T>
struct TypedBadConversion : BadConversion {
  using BadConversion::BadConversion;
};
/// A subscript of a scalar.
struct BadSubscript : RepresentationException {
  BadSubscript(const Mark& place, const std::string& key)
      : RepresentationException(place, "a scalar has no key `" + key + "`") {}
};
struct BadPushback : RepresentationException {
  BadPushback() : RepresentationException(Mark::null_mark(), "push_back needs a sequence") {}
};
struct BadInsert : RepresentationException {
  BadInsert() : RepresentationException(Mark::null_mark(), "force_insert needs a mapping") {}
};
struct BadFile : Exception {
  explicit BadFile(const std::string& filename)
      : Exception(Mark::null_mark(), "bad file: " + filename) {}
};
/// The use of a value that is missing.
struct InvalidNode : RepresentationException {
  explicit InvalidNode(const std::string& key)
      : RepresentationException(Mark::null_mark(), key.empty() ? "there is no such value"
                                                               : "there is no key `" + key + "`") {}
};

/// From a node to a value of type `T` (`decode`, false when it does not fit) and back (`encode`).
template <typename T, typename = void>
struct convert;

struct NodeType {
  enum value { Undefined, Null, Scalar, Sequence, Map };
};
/// Lists and mappings in lines (the default) or in brackets.
struct EmitterStyle {
  enum value { Default, Block, Flow };
};

namespace detail {

/// How an emitter writes a scalar.
enum class ScalarStyle { kPlainIfPossible, kSingleQuoted, kDoubleQuoted, kLiteral };

struct Data;

/// A node. Several refer to the same data after an assignment from one to the other.
struct Ref {
  std::shared_ptr<Data> data;
};

struct Data {
  explicit Data(NodeType::value kind) : type(kind) {}

  NodeType::value Type() {
    const bool is_map = type == NodeType::Map;
    for (size_t i = is_map ? 1 : 0; is_tentative && i < children.size(); i += is_map ? 2 : 1) {
      is_tentative = !children[i]->data->IsDefined();
    }
    return is_tentative ? NodeType::Undefined : type;
  }
  bool IsDefined() { return Type() != NodeType::Undefined; }
  /// Number of elements or of pairs, without those that were only asked for.
  size_t Size() {
    size_t size = 0;
    if (Type() == NodeType::Sequence) {
      while (size < children.size() && children[size]->data->IsDefined()) { size++; }
    } else if (Type() == NodeType::Map) {
      for (size_t i = 0; i + 1 < children.size(); i += 2) {
        size += children[i + 1]->data->IsDefined() ? 1 : 0;
      }
    }
    return size;
  }

  NodeType::value type;
  /// A mapping or sequence that exists only because somebody asked for a value in it: it counts once
  /// that value is assigned.
  bool is_tentative = false;
  EmitterStyle::value style = EmitterStyle::Default;
  ScalarStyle quotes = ScalarStyle::kPlainIfPossible;
  std::string scalar;
  std::string tag;
  std::string comment;
  Mark mark = Mark::null_mark();
  /// Elements of a sequence, or keys and values of a map in turn.
  std::vector<std::shared_ptr<Ref>> children;
};

inline std::shared_ptr<Ref> NewRef(NodeType::value type) {
  return std::make_shared<Ref>(Ref{std::make_shared<Data>(type)});
}

struct IteratorValue;

template <typename Key>
constexpr bool kIsText = std::is_convertible_v<const Key&, std::string_view>;

}  // namespace detail

/// A value of YAML. Copies share the value, as those of yaml-cpp do.
class Node {
 public:
  class iterator;
  using const_iterator = iterator;

  Node() = default;
  explicit Node(NodeType::value type) : ref_(detail::NewRef(type)) {}
  template <typename T, std::enable_if_t<!std::is_same_v<std::decay_t<T>, Node> &&
                                             !std::is_base_of_v<Node, std::decay_t<T>>,
                                         int> = 0>
  explicit Node(const T& value) {
    Assign(value);
  }
  /// For what builds nodes.
  explicit Node(std::shared_ptr<detail::Ref> ref) : ref_(std::move(ref)) {}
  Node(const Node&) = default;

  template <typename T, std::enable_if_t<!std::is_base_of_v<Node, std::decay_t<T>>, int> = 0>
  Node& operator=(const T& value) {
    Assign(value);
    return *this;
  }
  /// Puts another node in the place of this one, in what it belongs to as well.
  Node& operator=(const Node& other) {
    if (is(other)) { return *this; }
    const auto theirs = other.Existing();
    if (IsZombie()) { throw InvalidNode(missing_); }
    if (ref_ != nullptr) { ref_->data = theirs->data; }
    ref_ = theirs;
    return *this;
  }
  /// Lets this node be another one, without a change to what it belonged to.
  void reset(const Node& other) {
    ref_ = other.ref_;
    is_missing_ = other.is_missing_;
    missing_ = other.missing_;
  }
  void reset() { reset(Node()); }
  /// Whether both are the same value, so that a change to one changes the other.
  bool is(const Node& other) const {
    return ref_ != nullptr && other.ref_ != nullptr && ref_->data == other.ref_->data;
  }

  NodeType::value Type() const { return IsNothing() ? NodeType::Null : ref_->data->Type(); }
  bool IsDefined() const { return !IsZombie() && Type() != NodeType::Undefined; }
  bool IsNull() const { return Type() == NodeType::Null; }
  bool IsScalar() const { return Type() == NodeType::Scalar; }
  bool IsSequence() const { return Type() == NodeType::Sequence; }
  bool IsMap() const { return Type() == NodeType::Map; }
  explicit operator bool() const { return IsDefined(); }
  bool operator!() const { return !IsDefined(); }

  EmitterStyle::value Style() const {
    return IsNothing() ? EmitterStyle::Default : ref_->data->style;
  }
  void SetStyle(EmitterStyle::value style) { Existing()->data->style = style; }

  const std::string& Scalar() const { return IsNothing() ? Empty() : ref_->data->scalar; }
  /// The tag: `?` for a plain value that was read without one, `!` for a text in quotes.
  const std::string& Tag() const { return IsNothing() ? Empty() : ref_->data->tag; }
  void SetTag(const std::string& tag) { Existing()->data->tag = tag; }
  /// Where the value stood in the text that was read.
  YAML::Mark Mark() const { return IsNothing() ? YAML::Mark::null_mark() : ref_->data->mark; }
  size_t size() const { return IsNothing() ? 0 : ref_->data->Size(); }

  template <typename T>
  T as() const;
  template <typename T, typename S>
  T as(const S& fallback) const;

  /// An element of a sequence or the value of a key; undefined when there is none.
  template <typename Key>
  const Node operator[](const Key& key) const {
    if (!IsNothing()) {
      detail::Data& data = *ref_->data;
      if (data.type == NodeType::Scalar) { throw BadSubscript(data.mark, KeyText(key)); }
      if (const auto found = Find(data, key)) { return Node(found); }
    }
    return Zombie(KeyText(key));
  }
  /// As above. A value that is missing comes into being when it is assigned.
  template <typename Key>
  Node operator[](const Key& key) {
    detail::Data& data = *Existing()->data;
    if (data.type == NodeType::Scalar) { throw BadSubscript(data.mark, KeyText(key)); }
    if (const auto found = Find(data, key)) { return Node(found); }
    if constexpr (std::is_integral_v<Key> && !std::is_same_v<Key, bool>) {
      if (data.type != NodeType::Map && static_cast<size_t>(key) == data.Size()) {
        data.children.resize(data.Size());
        data.is_tentative |= data.type == NodeType::Undefined;
        data.type = NodeType::Sequence;
        data.children.push_back(detail::NewRef(NodeType::Undefined));
        return Node(data.children.back());
      }
    }
    ToMap(data);
    data.children.push_back(Node(key).Existing());
    data.children.push_back(detail::NewRef(NodeType::Undefined));
    return Node(data.children.back());
  }

  void push_back(const Node& element) {
    detail::Data& data = *Existing()->data;
    const auto type = data.Type();
    if (type == NodeType::Scalar || type == NodeType::Map) { throw BadPushback(); }
    data.children.resize(data.Size());
    data.type = NodeType::Sequence;
    data.is_tentative = false;
    data.children.push_back(element.Existing());
  }
  template <typename T>
  void push_back(const T& element) {
    push_back(Node(element));
  }

  /// Adds a key to a mapping, which may have it already.
  template <typename Key, typename Value>
  void force_insert(const Key& key, const Value& value) {
    detail::Data& data = *Existing()->data;
    if (data.type == NodeType::Scalar) { throw BadInsert(); }
    ToMap(data);
    data.is_tentative = false;
    data.children.push_back(Node(key).Existing());
    data.children.push_back(Node(value).Existing());
  }

  /// Removes a key of a mapping or an element of a sequence; false when there is none.
  template <typename Key>
  bool remove(const Key& key) {
    if (IsNothing()) { return false; }
    detail::Data& data = *ref_->data;
    const auto found = Find(data, key);
    if (found == nullptr) { return false; }
    const auto at = std::find(data.children.begin(), data.children.end(), found);
    data.children.erase(data.type == NodeType::Map ? at - 1 : at, at + 1);
    return true;
  }

  iterator begin() const;
  iterator end() const;

  /// The node itself, for what reads and writes nodes. Null for one that was never assigned.
  const std::shared_ptr<detail::Ref>& ref() const { return ref_; }

 private:
  friend struct detail::IteratorValue;

  static const std::string& Empty() {
    static const std::string empty;
    return empty;
  }
  static Node Zombie(std::string key) {
    Node node;
    node.is_missing_ = true;
    node.missing_ = std::move(key);
    return node;
  }
  /// Whether it is what a constant mapping answers for a key that it has not.
  bool IsZombie() const { return is_missing_; }
  /// Whether nothing was assigned yet; throws for a value that is missing.
  bool IsNothing() const {
    if (IsZombie()) { throw InvalidNode(missing_); }
    return ref_ == nullptr;
  }
  const std::shared_ptr<detail::Ref>& Existing() const {
    if (IsNothing()) { ref_ = detail::NewRef(NodeType::Null); }
    return ref_;
  }

  template <typename Key>
  static std::string KeyText(const Key& key);
  template <typename Key>
  static bool IsKey(const std::shared_ptr<detail::Ref>& node, const Key& key) {
    if constexpr (std::is_base_of_v<Node, Key>) {
      return key.is(Node(node));
    } else if constexpr (detail::kIsText<Key>) {
      return node->data->type == NodeType::Scalar && node->data->scalar == std::string_view(key);
    } else {
      Key found{};
      return convert<Key>::decode(Node(node), found) && found == key;
    }
  }
  template <typename Key>
  static std::shared_ptr<detail::Ref> Find(detail::Data& data, const Key& key) {
    if (data.type == NodeType::Map) {
      for (size_t i = 0; i + 1 < data.children.size(); i += 2) {
        if (IsKey(data.children[i], key)) { return data.children[i + 1]; }
      }
    } else if constexpr (std::is_integral_v<Key> && !std::is_same_v<Key, bool>) {
      const auto index = static_cast<size_t>(key);
      if (data.type == NodeType::Sequence && index < data.children.size()) {
        return data.children[index];
      }
    }
    return nullptr;
  }
  /// Makes a mapping of what is none: of a sequence, one from indices to elements.
  static void ToMap(detail::Data& data) {
    if (data.type == NodeType::Map) { return; }
    data.is_tentative |= data.type == NodeType::Undefined;
    std::vector<std::shared_ptr<detail::Ref>> pairs;
    for (size_t i = 0; i < data.Size(); i++) {
      pairs.push_back(Node(i).Existing());
      pairs.push_back(data.children[i]);
    }
    data.children = std::move(pairs);
    data.type = NodeType::Map;
  }

  template <typename T>
  void Assign(const T& value) {
    if constexpr (std::is_convertible_v<const T&, std::string>) {
      detail::Data& data = *Existing()->data;
      const auto mark = data.mark;
      data = detail::Data(NodeType::Scalar);
      data.mark = mark;
      data.scalar = std::string(value);
    } else {
      *Existing()->data = *convert<T>::encode(value).Existing()->data;
    }
  }

  mutable std::shared_ptr<detail::Ref> ref_;
  bool is_missing_ = false;
  std::string missing_;
};

inline bool operator==(const Node& a, const Node& b) {
  return a.is(b);
}

namespace detail {

/// What an iterator refers to: an element, or key and value.
struct IteratorValue : Node, std::pair<Node, Node> {
  explicit IteratorValue(std::shared_ptr<Ref> element) : Node(std::move(element)) {}
  IteratorValue(std::shared_ptr<Ref> key, std::shared_ptr<Ref> value)
      : Node(Node::Zombie("")),
        std::pair<Node, Node>(Node(std::move(key)), Node(std::move(value))) {}
};

/// Writes values as text.
class Writer {
 public:
  /// The value in lines of its own, but for what is in flow style. `step` is by how much what is in
  /// something stands further right.
  static std::string Lines(const Node& node, size_t step = 2) {
    if (node.ref() == nullptr) { return node.IsDefined() ? "~" : ""; }
    return Writer(*node.ref(), step).Lines(*node.ref(), 0);
  }
  /// The value in flow style.
  static std::string Text(const Node& node) {
    if (node.ref() == nullptr) { return node.IsDefined() ? "~" : ""; }
    return Writer(*node.ref()).Text(*node.ref());
  }

 private:
  explicit Writer(const Ref& ref, size_t step = 2) : step_(step) { Count(ref); }

  /// Finds the lists and mappings that occur more than once: they get an anchor.
  void Count(const Ref& ref) {
    Data& data = *ref.data;
    if (data.children.empty() || ++uses_[&data] > 1) { return; }
    for (const auto& child : data.children) { Count(*child); }
  }
  /// `&1 ` or `*1`, and whether that is all of the value.
  bool IsRepeated(const Data& data, std::string& text) {
    const auto uses = uses_.find(&data);
    if (uses == uses_.end() || uses->second < 2) { return false; }
    const auto [anchor, is_first] = anchors_.emplace(&data, anchors_.size() + 1);
    text += (is_first ? "&" : "*") + std::to_string(anchor->second);
    return !is_first;
  }
  /// Anchor and tag, with a space behind each.
  static std::string Tag(const Data& data) {
    constexpr std::string_view kCore = "tag:yaml.org,2002:";
    const std::string& tag = data.tag;
    if (tag.empty() || tag == "?" || tag == "!") { return ""; }
    if (tag.compare(0, kCore.size(), kCore) == 0) { return "!!" + tag.substr(kCore.size()) + " "; }
    return (tag[0] == '!' ? tag : "!<" + tag + ">") + " ";
  }

  /// Whether a child is to be written: what was only asked for is not.
  static bool IsWritten(Data& data, size_t child) {
    return data.type == NodeType::Map ? data.children[child | 1]->data->IsDefined()
                                      : child < data.Size();
  }

  std::string Text(const Ref& ref) {
    Data& data = *ref.data;
    std::string text;
    if (IsRepeated(data, text)) { return text; }
    if (!text.empty()) { text += ' '; }
    text += Tag(data);
    switch (data.Type()) {
      case NodeType::Undefined:
        return "";
      case NodeType::Null:
        return text + "~";
      case NodeType::Scalar:
        return text + Quoted(data.scalar, data.quotes);
      case NodeType::Sequence:
      case NodeType::Map:
        break;
    }
    const bool is_map = data.type == NodeType::Map;
    text += is_map ? '{' : '[';
    const char* separator = "";
    for (size_t i = 0; i < data.children.size(); i++) {
      if (!IsWritten(data, i)) { continue; }
      const bool is_value = is_map && i % 2 == 1;
      text += (is_value ? ": " : separator) + Text(*data.children[i]);
      separator = ", ";
    }
    return text + (is_map ? '}' : ']');
  }

  static bool HasLines(Data& data) {
    return data.Size() > 0 && data.style != EmitterStyle::Flow;
  }
  static std::string NewLine(size_t column) { return "\n" + std::string(column, ' '); }

  /// `indent` is where the value begins.
  std::string Lines(const Ref& ref, size_t indent) {
    Data& data = *ref.data;
    if (!HasLines(data)) {
      return IsLiteral(data) ? Tag(data) + Literal(data.scalar, indent) : Text(ref);
    }
    std::string text;
    if (IsRepeated(data, text)) { return text; }
    text += (text.empty() ? "" : " ") + Tag(data);
    if (!text.empty()) {
      text.pop_back();
      text += NewLine(indent);
    }
    const bool is_map = data.type == NodeType::Map;
    bool is_first = true;
    for (size_t i = 0; i < data.children.size(); i++) {
      if (!IsWritten(data, i)) { continue; }
      if (!is_first) { text += NewLine(indent); }
      is_first = false;
      if (is_map) {
        const Ref& key = *data.children[i++];
        text += !key.data->children.empty() ? "? " + Lines(key, indent + 2) + NewLine(indent) + ":"
                                    : Text(key) + ":";
      } else {
        text += '-';
      }
      const Ref& child = *data.children[i];
      const bool below = HasLines(*child.data) &&
                         (is_map || child.data->type == NodeType::Sequence) && !IsKnown(*child.data);
      std::string inner = Lines(child, indent + step_);
      const bool has_properties = inner[0] == '&' || inner[0] == '!';
      // What follows a dash begins in the column of its other lines.
      text += below && !has_properties ? NewLine(indent + step_)
                                       : std::string(is_map ? 1 : step_ - 1, ' ');
      text += inner;
      if (!child.data->comment.empty()) { text += "  # " + child.data->comment; }
    }
    return text;
  }
  bool IsKnown(const Data& data) const { return anchors_.count(&data) != 0; }

  /// Whether a text that stands without quotes is read as the same text.
  static bool IsPlain(const std::string& text) {
    if (text.empty() || text.find_first_of(",[]{}:#\"'\n\t\\&*!|>%@`") != std::string::npos ||
        text.front() == ' ' || text.back() == ' ') {
      return false;
    }
    if (text == "~" || text == "null" || text == "Null" || text == "NULL" || text == "---" ||
        text == "...") {
      return false;
    }
    const bool may_begin = (text[0] != '-' && text[0] != '?') || (text.size() > 1 && text[1] != ' ');
    return may_begin && std::none_of(text.begin(), text.end(), [](char letter) {
             return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
           });
  }
  static std::string Quoted(const std::string& text, ScalarStyle style) {
    const bool is_one_line = text.find('\n') == std::string::npos;
    if (style == ScalarStyle::kPlainIfPossible && IsPlain(text)) { return text; }
    std::string quoted;
    if (style == ScalarStyle::kSingleQuoted && is_one_line) {
      for (const char letter : text) { quoted += letter == '\'' ? "''" : std::string(1, letter); }
      return "'" + quoted + "'";
    }
    for (const char letter : text) {
      const auto code = static_cast<unsigned char>(letter);
      if (letter == '"' || letter == '\\') {
        quoted += {'\\', letter};
      } else if (letter == '\n') {
        quoted += "\\n";
      } else if (letter == '\t') {
        quoted += "\\t";
      } else if (code < ' ' || code == 0x7f) {
        constexpr std::string_view kDigits = "0123456789abcdef";
        quoted += {'\\', 'x', kDigits[code >> 4], kDigits[code & 15]};
      } else {
        quoted += letter;
      }
    }
    return "\"" + quoted + "\"";
  }
  /// Whether a text can and shall be written in lines as they are.
  static bool IsLiteral(const Data& data) {
    const std::string& text = data.scalar;
    return data.quotes == ScalarStyle::kLiteral && !text.empty() && text[0] != ' ' &&
           text[0] != '\n' && (text.size() < 2 || text.substr(text.size() - 2) != "\n\n");
  }
  static std::string Literal(const std::string& text, size_t indent) {
    std::string lines = text.back() == '\n' ? "|" : "|-";
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      lines += line.empty() ? "\n" : NewLine(std::max<size_t>(indent, 2)) + line;
    }
    return lines;
  }

  size_t step_;
  std::map<const Data*, int> uses_;
  std::map<const Data*, size_t> anchors_;
};

/// A copy of a node that shares nothing with it.
inline std::shared_ptr<Ref> CopyOf(const std::shared_ptr<Ref>& ref,
                                   std::map<const Data*, std::shared_ptr<Ref>>& known) {
  auto& copy = known[ref->data.get()];
  if (copy == nullptr) {
    copy = std::make_shared<Ref>(Ref{std::make_shared<Data>(*ref->data)});
    const auto own = copy;
    for (auto& child : own->data->children) { child = CopyOf(child, known); }
    return own;
  }
  return copy;
}

}  // namespace detail

class Node::iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = detail::IteratorValue;
  using difference_type = std::ptrdiff_t;
  using pointer = std::unique_ptr<value_type>;
  using reference = value_type;

  iterator() = default;
  /// At the first child from this one on that has a value.
  iterator(std::shared_ptr<detail::Data> data, size_t index) : data_(std::move(data)), index_(index) {
    Skip();
  }
  value_type operator*() const {
    const auto& children = data_->children;
    return IsMap() ? value_type(children[index_], children[index_ + 1])
                   : value_type(children[index_]);
  }
  pointer operator->() const { return std::make_unique<value_type>(**this); }
  iterator& operator++() {
    index_ += IsMap() ? 2 : 1;
    Skip();
    return *this;
  }
  iterator operator++(int) {
    auto before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const iterator& a, const iterator& b) { return a.index_ == b.index_; }
  friend bool operator!=(const iterator& a, const iterator& b) { return a.index_ != b.index_; }

 private:
  bool IsMap() const { return data_->type == NodeType::Map; }
  void Skip() {
    while (IsMap() && index_ < data_->children.size() &&
           !data_->children[index_ + 1]->data->IsDefined()) {
      index_ += 2;
    }
  }

  std::shared_ptr<detail::Data> data_;
  size_t index_ = 0;
};

using iterator = Node::iterator;
using const_iterator = Node::const_iterator;

inline Node::iterator Node::begin() const {
  return IsDefined() && size() > 0 ? iterator(ref_->data, 0) : iterator();
}
inline Node::iterator Node::end() const {
  if (!IsDefined() || size() == 0) { return {}; }
  return {ref_->data, IsMap() ? ref_->data->children.size() : size()};
}

/// A value as text.
inline std::string Dump(const Node& node) {
  return detail::Writer::Lines(node);
}

/// A copy that shares nothing.
inline Node Clone(const Node& node) {
  std::map<const detail::Data*, std::shared_ptr<detail::Ref>> known;
  return node.ref() == nullptr ? Node() : Node(detail::CopyOf(node.ref(), known));
}

template <typename T>
T Node::as() const {
  if (Type() == NodeType::Undefined) { throw TypedBadConversion<T>(Mark(), "there is no such value"); }
  if constexpr (std::is_same_v<T, std::string>) {
    if (IsNull()) { return "null"; }
    if (!IsScalar()) {
      throw TypedBadConversion<T>(Mark(), "expected a text, found a list or a mapping");
    }
    return Scalar();
  } else if constexpr (std::is_default_constructible_v<T>) {
    T value{};
    if (!convert<T>::decode(*this, value)) {
      throw TypedBadConversion<T>(Mark(), "`" + detail::Writer::Text(*this) + "` does not fit the type");
    }
    return value;
  } else {
    return convert<T>::decode(*this);
  }
}
template <typename T, typename S>
T Node::as(const S& fallback) const {
  try {
    return IsDefined() ? as<T>() : static_cast<T>(fallback);
  } catch (const BadConversion&) { return static_cast<T>(fallback); }
}

template <typename Key>
std::string Node::KeyText(const Key& key) {
  if constexpr (detail::kIsText<Key>) {
    return std::string(std::string_view(key));
  } else {
    return Dump(Node(key));
  }
}

template <>
struct convert<Node> {
  static Node encode(const Node& node) { return node; }
  static bool decode(const Node& node, Node& result) {
    result = node;
    return true;
  }
};

template <>
struct convert<std::string> {
  static Node encode(const std::string& text) { return Node(text); }
  static bool decode(const Node& node, std::string& text) {
    text = node.Scalar();
    return node.IsScalar();
  }
};

template <>
struct convert<bool> {
  static Node encode(bool value) { return Node(std::string(value ? "true" : "false")); }
  static bool decode(const Node& node, bool& value) {
    std::string word = node.Scalar();
    for (char& letter : word) {
      if (letter >= 'A' && letter <= 'Z') { letter = static_cast<char>(letter - 'A' + 'a'); }
    }
    value = word == "true" || word == "yes" || word == "on" || word == "y";
    return node.IsScalar() && (value || word == "false" || word == "no" || word == "off" || word == "n");
  }
};

/// A letter; `signed char` and `unsigned char` are numbers.
template <>
struct convert<char> {
  static Node encode(char letter) { return Node(std::string(1, letter)); }
  static bool decode(const Node& node, char& letter) {
    if (!node.IsScalar() || node.Scalar().size() != 1) { return false; }
    letter = node.Scalar()[0];
    return true;
  }
};

template <typename T>
struct convert<T, std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, bool>>> {
  static Node encode(T value) {
    std::ostringstream text;
    text.precision(17);
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) { return Node(std::string(".nan")); }
      if (std::isinf(value)) { return Node(std::string(value > 0 ? ".inf" : "-.inf")); }
    }
    if constexpr (sizeof(T) == 1) {
      text << static_cast<int>(value);
    } else {
      text << value;
    }
    return Node(text.str());
  }
  static bool decode(const Node& node, T& value) {
    std::string_view text = node.Scalar();
    if (!node.IsScalar() || text.empty()) { return false; }
    if constexpr (std::is_floating_point_v<T>) {
      const std::string word(text);
      const std::string name = word.substr(word[0] == '+' || word[0] == '-' ? 1 : 0);
      if (name == ".inf" || name == ".Inf" || name == ".INF") {
        value = static_cast<T>(word[0] == '-' ? -HUGE_VAL : HUGE_VAL);
        return true;
      }
      if (name == ".nan" || name == ".NaN" || name == ".NAN") {
        value = static_cast<T>(NAN);
        return true;
      }
      char* end = nullptr;
      value = static_cast<T>(std::strtold(word.c_str(), &end));
      return *end == '\0';
    } else {
      const bool hexadecimal = text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
      if (hexadecimal) { text.remove_prefix(2); }
      if (text[0] == '+') { text.remove_prefix(1); }
      const bool octal = !hexadecimal && text.size() > 1 && text[0] == '0';
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value,
                                                hexadecimal ? 16 : octal ? 8 : 10);
      return error == std::errc() && end == text.data() + text.size();
    }
  }
};

namespace detail {

/// Containers that are sequences.
template <typename List>
struct ListConvert {
  using T = typename List::value_type;
  static Node encode(const List& list) {
    Node node(NodeType::Sequence);
    for (const auto& element : list) { node.push_back(Node(static_cast<const T&>(element))); }
    return node;
  }
  static bool decode(const Node& node, List& list) {
    if (!node.IsSequence()) { return false; }
    list.clear();
    for (size_t i = 0; i < node.size(); i++) { list.insert(list.end(), node[i].as<T>()); }
    return true;
  }
};

/// Containers that are mappings.
template <typename Table>
struct TableConvert {
  using Key = typename Table::key_type;
  using T = typename Table::mapped_type;
  static Node encode(const Table& table) {
    Node node(NodeType::Map);
    for (const auto& [key, value] : table) { node.force_insert(key, value); }
    return node;
  }
  static bool decode(const Node& node, Table& table) {
    if (!node.IsMap()) { return false; }
    table.clear();
    for (const auto& entry : node) {
      table[entry.first.template as<Key>()] = entry.second.template as<T>();
    }
    return true;
  }
};

}  // namespace detail

template <typename T, typename A>
struct convert<std::vector<T, A>> : detail::ListConvert<std::vector<T, A>> {};
template <typename T, typename A>
struct convert<std::list<T, A>> : detail::ListConvert<std::list<T, A>> {};
template <typename T, typename C, typename A>
struct convert<std::set<T, C, A>> : detail::ListConvert<std::set<T, C, A>> {};
template <typename K, typename T, typename C, typename A>
struct convert<std::map<K, T, C, A>> : detail::TableConvert<std::map<K, T, C, A>> {};
template <typename K, typename T, typename H, typename C, typename A>
struct convert<std::unordered_map<K, T, H, C, A>>
    : detail::TableConvert<std::unordered_map<K, T, H, C, A>> {};

template <typename T, size_t N>
struct convert<std::array<T, N>> {
  static Node encode(const std::array<T, N>& list) {
    Node node(NodeType::Sequence);
    for (const T& element : list) { node.push_back(Node(element)); }
    return node;
  }
  static bool decode(const Node& node, std::array<T, N>& list) {
    if (!node.IsSequence() || node.size() != N) { return false; }
    for (size_t i = 0; i < N; i++) { list[i] = node[i].template as<T>(); }
    return true;
  }
};

template <typename T, typename U>
struct convert<std::pair<T, U>> {
  static Node encode(const std::pair<T, U>& pair) {
    Node node(NodeType::Sequence);
    node.push_back(Node(pair.first));
    node.push_back(Node(pair.second));
    return node;
  }
  static bool decode(const Node& node, std::pair<T, U>& pair) {
    if (!node.IsSequence() || node.size() != 2) { return false; }
    pair.first = node[0].template as<T>();
    pair.second = node[1].template as<U>();
    return true;
  }
};

}  // namespace YAML

#endif  // !__has_include_next(<yaml-cpp/yaml.h>)

#endif  // GXF_SDK_YAML_NODE_HPP_
