/// A small `YAML::Node` for machines without yaml-cpp. It reads what the host hands over for a
/// parameter: YAML in lines or in brackets, without anchors, tags and block scalars. It writes
/// what yaml-cpp would.
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
#include <fstream>
#include <list>
#include <map>
#include <memory>
#include <ostream>
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

/// An error in YAML.
struct Exception : std::runtime_error {
  explicit Exception(const std::string& text) : std::runtime_error(text), msg(text) {}
  std::string msg;
};
struct ParserException : Exception {
  using Exception::Exception;
};
struct RepresentationException : Exception {
  using Exception::Exception;
};
struct BadConversion : RepresentationException {
  using RepresentationException::RepresentationException;
};
template <typename T>
struct TypedBadConversion : BadConversion {
  using BadConversion::BadConversion;
};
struct BadFile : Exception {
  explicit BadFile(const std::string& filename) : Exception("bad file: " + filename) {}
};
struct InvalidNode : RepresentationException {
  using RepresentationException::RepresentationException;
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

struct Data {
  NodeType::value type = NodeType::Undefined;
  EmitterStyle::value style = EmitterStyle::Default;
  std::string scalar;
  /// Elements of a sequence, or keys and values of a map in turn.
  std::vector<std::shared_ptr<Data>> children;
};

class Reader;
struct IteratorValue;

}  // namespace detail

/// A value of YAML. Copies share the value, as those of yaml-cpp do.
class Node {
 public:
  class iterator;
  using const_iterator = iterator;

  Node() : data_(std::make_shared<detail::Data>()) { data_->type = NodeType::Null; }
  explicit Node(NodeType::value type) : Node() { data_->type = type; }
  template <typename T, std::enable_if_t<!std::is_same_v<std::decay_t<T>, Node> &&
                                             !std::is_base_of_v<Node, std::decay_t<T>>,
                                         int> = 0>
  explicit Node(const T& value) : Node() {
    Assign(value);
  }

  template <typename T, std::enable_if_t<!std::is_base_of_v<Node, std::decay_t<T>>, int> = 0>
  Node& operator=(const T& value) {
    Assign(value);
    return *this;
  }
  Node(const Node&) = default;
  /// Replaces the content of the value behind this node.
  Node& operator=(const Node& other) {
    *data_ = *other.data_;
    return *this;
  }

  NodeType::value Type() const { return data_->type; }
  bool IsDefined() const { return Type() != NodeType::Undefined; }
  bool IsNull() const { return Type() == NodeType::Null; }
  bool IsScalar() const { return Type() == NodeType::Scalar; }
  bool IsSequence() const { return Type() == NodeType::Sequence; }
  bool IsMap() const { return Type() == NodeType::Map; }
  explicit operator bool() const { return IsDefined(); }
  bool operator!() const { return !IsDefined(); }

  EmitterStyle::value Style() const { return data_->style; }
  void SetStyle(EmitterStyle::value style) { data_->style = style; }

  const std::string& Scalar() const { return data_->scalar; }
  const std::string& Tag() const {
    static const std::string none;
    return none;
  }
  size_t size() const {
    return IsMap() ? data_->children.size() / 2 : IsSequence() ? data_->children.size() : 0;
  }

  template <typename T>
  T as() const {
    if (!IsDefined()) { throw InvalidNode("there is no such value"); }
    if constexpr (std::is_same_v<T, std::string>) {
      if (IsNull()) { return "null"; }
      if (!IsScalar()) { throw TypedBadConversion<T>("expected a text, found a list or a mapping"); }
      return Scalar();
    } else if constexpr (std::is_default_constructible_v<T>) {
      T value{};
      if (!convert<T>::decode(*this, value)) {
        throw TypedBadConversion<T>("`" + Text() + "` does not fit the type");
      }
      return value;
    } else {
      return convert<T>::decode(*this);
    }
  }
  template <typename T, typename S>
  T as(const S& fallback) const {
    try {
      return IsDefined() ? as<T>() : static_cast<T>(fallback);
    } catch (const Exception&) { return static_cast<T>(fallback); }
  }

  /// An element of a sequence or the value of a key; undefined when there is none.
  template <typename Key>
  const Node operator[](const Key& key) const {
    if constexpr (std::is_integral_v<Key>) {
      if (IsSequence()) {
        const auto index = static_cast<size_t>(key);
        return index < size() ? Node(data_->children[index]) : Undefined();
      }
      return Find(std::to_string(key));
    } else {
      return Find(key);
    }
  }
  /// As above; the value of a new key of a mapping is made.
  template <typename Key>
  Node operator[](const Key& key) {
    const Node found = std::as_const(*this)[key];
    if (found.IsDefined()) { return found; }
    if constexpr (!std::is_integral_v<Key>) {
      if (IsNull() || IsMap()) {
        data_->type = NodeType::Map;
        data_->children.push_back(Node(std::string(key)).data_);
        data_->children.push_back(Node().data_);
        return Node(data_->children.back());
      }
    }
    return found;
  }

  void push_back(const Node& element) {
    if (!IsSequence()) {
      data_->type = NodeType::Sequence;
      data_->children.clear();
    }
    data_->children.push_back(element.data_);
  }
  template <typename T>
  void push_back(const T& element) {
    push_back(Node(element));
  }

  /// Adds a key to a mapping.
  void Append(const Node& key, const Node& value) {
    data_->children.push_back(key.data_);
    data_->children.push_back(value.data_);
  }

  /// Removes a key of a mapping; false when there is none.
  template <typename Key>
  bool remove(const Key& key) {
    const std::string text = Node(key).Scalar();
    for (size_t i = 0; IsMap() && i + 1 < data_->children.size(); i += 2) {
      if (data_->children[i]->scalar != text) { continue; }
      const auto begin = data_->children.begin() + static_cast<std::ptrdiff_t>(i);
      data_->children.erase(begin, begin + 2);
      return true;
    }
    return false;
  }

  iterator begin() const;
  iterator end() const;

  /// The value in flow style.
  std::string Text() const {
    switch (Type()) {
      case NodeType::Undefined:
        return "";
      case NodeType::Null:
        return "~";
      case NodeType::Scalar:
        return Quoted(Scalar());
      case NodeType::Sequence: {
        std::string text = "[";
        for (size_t i = 0; i < data_->children.size(); i++) {
          text += (i == 0 ? "" : ", ") + Node(data_->children[i]).Text();
        }
        return text + "]";
      }
      case NodeType::Map: {
        std::string text = "{";
        for (size_t i = 0; i + 1 < data_->children.size(); i += 2) {
          text += (i == 0 ? "" : ", ") + Node(data_->children[i]).Text() + ": " +
                  Node(data_->children[i + 1]).Text();
        }
        return text + "}";
      }
    }
    return "";
  }

  /// The value in lines of its own, but for what is in flow style. `indent` is where it begins.
  std::string Lines(size_t indent = 0) const {
    if (!HasLines()) { return Text(); }
    const auto new_line = [](size_t column) { return "\n" + std::string(column, ' '); };
    std::string text;
    for (size_t i = 0; i < data_->children.size(); i++) {
      if (i > 0) { text += new_line(indent); }
      text += IsMap() ? Node(data_->children[i++]).Text() + ":" : "-";
      const Node child(data_->children[i]);
      const bool below = child.HasLines() && (IsMap() || child.IsSequence());
      text += (below ? new_line(indent + 2) : " ") + child.Lines(indent + 2);
    }
    return text;
  }

 private:
  friend class detail::Reader;
  friend struct detail::IteratorValue;

  bool HasLines() const {
    return (IsMap() || IsSequence()) && size() > 0 && Style() != EmitterStyle::Flow;
  }

  explicit Node(std::shared_ptr<detail::Data> data) : data_(std::move(data)) {}

  static Node Undefined() {
    Node node;
    node.data_->type = NodeType::Undefined;
    return node;
  }
  const Node Find(std::string_view key) const {
    if (IsMap()) {
      for (size_t i = 0; i + 1 < data_->children.size(); i += 2) {
        if (data_->children[i]->scalar == key) { return Node(data_->children[i + 1]); }
      }
    }
    return Undefined();
  }
  template <typename T>
  void Assign(const T& value) {
    if constexpr (std::is_convertible_v<const T&, std::string>) {
      data_->type = NodeType::Scalar;
      data_->scalar = std::string(value);
      data_->children.clear();
    } else {
      *this = convert<T>::encode(value);
    }
  }
  static std::string Quoted(const std::string& text) {
    if (!text.empty() && text.find_first_of(",[]{}:#\"'\n\t\\&*!|>%@`") == std::string::npos &&
        text.front() != ' ' && text.back() != ' ' && text != "~" && text != "null") {
      return text;
    }
    std::string quoted = "\"";
    for (const char letter : text) {
      if (letter == '"' || letter == '\\') { quoted += '\\'; }
      quoted += letter == '\n' ? std::string("\\n") : std::string(1, letter);
    }
    return quoted + "\"";
  }

  std::shared_ptr<detail::Data> data_;
};

namespace detail {

/// What an iterator refers to: an element, or key and value.
struct IteratorValue : Node, std::pair<Node, Node> {
  explicit IteratorValue(std::shared_ptr<Data> element) : Node(std::move(element)) {}
  IteratorValue(std::shared_ptr<Data> key, std::shared_ptr<Data> value)
      : Node(NodeType::Undefined), std::pair<Node, Node>(Node(std::move(key)), Node(std::move(value))) {}
  static IteratorValue At(const Node& node, size_t index) {
    return node.IsMap() ? IteratorValue(node.data_->children[2 * index],
                                        node.data_->children[2 * index + 1])
                        : IteratorValue(node.data_->children[index]);
  }
};

}  // namespace detail

class Node::iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = detail::IteratorValue;
  using difference_type = std::ptrdiff_t;
  using pointer = std::unique_ptr<value_type>;
  using reference = value_type;

  iterator(const Node& node, size_t index) : node_(&node), index_(index) {}
  value_type operator*() const { return value_type::At(*node_, index_); }
  pointer operator->() const { return std::make_unique<value_type>(**this); }
  iterator& operator++() {
    index_++;
    return *this;
  }
  iterator operator++(int) {
    auto before = *this;
    index_++;
    return before;
  }
  friend bool operator==(const iterator& a, const iterator& b) { return a.index_ == b.index_; }
  friend bool operator!=(const iterator& a, const iterator& b) { return a.index_ != b.index_; }

 private:
  const Node* node_;
  size_t index_;
};

using iterator = Node::iterator;
using const_iterator = Node::const_iterator;

inline Node::iterator Node::begin() const {
  return {*this, 0};
}
inline Node::iterator Node::end() const {
  return {*this, size()};
}

namespace detail {

/// Reads one document.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Node Read() {
    Skip();
    if (text_.substr(position_, 3) == "---") {
      position_ += 3;
      Skip();
    }
    const Node node = Lines(0, Column());
    Skip();
    if (position_ != text_.size()) { Fail("unexpected text behind the value"); }
    return node;
  }

 private:
  /// Deeper nesting is a mistake or an attack.
  static constexpr int kDeepest = 64;

  [[noreturn]] void Fail(const char* what) const {
    throw ParserException(std::string(what) + " at position " + std::to_string(position_));
  }
  bool IsAtEnd() const { return position_ >= text_.size(); }
  bool IsSpace(size_t position) const {
    return position >= text_.size() || std::string_view(" \t\r\n").find(text_[position]) !=
                                           std::string_view::npos;
  }
  /// Goes on to the next value, over line breaks and comments.
  void Skip() {
    while (!IsAtEnd()) {
      if (text_[position_] == '#' && (position_ == 0 || IsSpace(position_ - 1))) {
        position_ = std::min(text_.find('\n', position_), text_.size());
      } else if (IsSpace(position_)) {
        position_++;
      } else {
        break;
      }
    }
  }
  /// How far the position is from the beginning of its line.
  size_t Column() const {
    const size_t end = position_ == 0 ? std::string_view::npos : text_.rfind('\n', position_ - 1);
    return end == std::string_view::npos ? position_ : position_ - end - 1;
  }
  bool IsDash() const { return !IsAtEnd() && text_[position_] == '-' && IsSpace(position_ + 1); }
  /// The position of the colon of a key that begins here.
  size_t KeyEnd() {
    constexpr size_t kNone = std::string_view::npos;
    if (IsAtEnd() || text_[position_] == '[' || text_[position_] == '{') { return kNone; }
    const size_t begin = position_;
    size_t end = kNone;
    if (Take('"') || Take('\'')) {
      Quoted(text_[begin]);
      while (!IsAtEnd() && text_[position_] == ' ') { position_++; }
      if (!IsAtEnd() && text_[position_] == ':' && IsSpace(position_ + 1)) { end = position_; }
    } else {
      for (size_t i = begin; i < text_.size() && text_[i] != '\n'; i++) {
        if (text_[i] == '#' && i > begin && IsSpace(i - 1)) { break; }
        if (text_[i] == ':' && IsSpace(i + 1)) {
          end = i;
          break;
        }
      }
    }
    position_ = begin;
    return end;
  }

  /// A value whose lines begin in this column.
  Node Lines(int depth, size_t column) {
    if (depth > kDeepest) { Fail("too deep"); }
    Node node;
    if (IsDash()) {
      node.data_->type = NodeType::Sequence;
      while (IsDash() && Column() == column) {
        position_++;
        node.data_->children.push_back(Below(depth, column + 1).data_);
      }
      return node;
    }
    if (KeyEnd() == std::string_view::npos) { return Value(depth, "\n"); }
    node.data_->type = NodeType::Map;
    for (size_t end = KeyEnd(); end != std::string_view::npos && Column() == column;
         end = KeyEnd()) {
      Node key = Value(depth, ":");
      if (key.IsNull()) { key = Node(std::string("~")); }
      position_ = end + 1;
      node.data_->children.push_back(key.data_);
      // A list may begin in the column of its key.
      Skip();
      const bool is_list = IsDash() && Column() == column;
      node.data_->children.push_back(Below(depth, is_list ? column : column + 1).data_);
    }
    return node;
  }
  /// A value from this column on; none when the next one stands before it.
  Node Below(int depth, size_t column) {
    Skip();
    const bool is_missing = IsAtEnd() || Column() < column;
    const Node node = is_missing ? Node() : Lines(depth + 1, Column());
    Skip();
    return node;
  }
  bool Take(char letter) {
    Skip();
    if (position_ < text_.size() && text_[position_] == letter) {
      position_++;
      return true;
    }
    return false;
  }

  /// `ends`: characters that end a plain scalar here, besides `: ` unless it ends with its line.
  Node Value(int depth, std::string_view ends) {
    if (depth > kDeepest) { Fail("too deep"); }
    Node node;
    if (Take('|') || Take('>')) { Fail("block scalars need yaml-cpp"); }
    if (Take('[')) {
      node.data_->type = NodeType::Sequence;
      node.data_->style = EmitterStyle::Flow;
      while (!Take(']')) {
        node.data_->children.push_back(Value(depth + 1, ",]").data_);
        if (!Take(',')) {
          if (!Take(']')) { Fail("expected `,` or `]`"); }
          break;
        }
      }
      return node;
    }
    if (Take('{')) {
      node.data_->type = NodeType::Map;
      node.data_->style = EmitterStyle::Flow;
      while (!Take('}')) {
        Node key = Value(depth + 1, ",}");
        if (key.IsNull()) { key = Node(std::string("~")); }
        node.data_->children.push_back(key.data_);
        node.data_->children.push_back((Take(':') ? Value(depth + 1, ",}") : Node()).data_);
        if (!Take(',')) {
          if (!Take('}')) { Fail("expected `,` or `}`"); }
          break;
        }
      }
      return node;
    }
    if (Take('"')) { return Quoted('"'); }
    if (Take('\'')) { return Quoted('\''); }
    return Plain(ends);
  }

  Node Quoted(char quote) {
    std::string scalar;
    for (;;) {
      if (position_ >= text_.size()) { Fail("a quote is not closed"); }
      const char letter = text_[position_++];
      if (letter == quote) {
        if (quote == '\'' && position_ < text_.size() && text_[position_] == '\'') {
          scalar += '\'';
          position_++;
          continue;
        }
        break;
      }
      if (letter == '\\' && quote == '"' && position_ < text_.size()) {
        scalar += Escaped(text_[position_++]);
        continue;
      }
      scalar += letter;
    }
    return Node(scalar);
  }
  std::string Escaped(char letter) {
    switch (letter) {
      case 'n':
        return "\n";
      case 't':
        return "\t";
      case 'r':
        return "\r";
      case '0':
        return std::string(1, '\0');
      case 'e':
        return "\x1b";
      case 'x':
        return CodePoint(2);
      case 'u':
        return CodePoint(4);
      case 'U':
        return CodePoint(8);
      default:
        return std::string(1, letter);
    }
  }
  /// A code point of `digits` hexadecimal digits, in UTF-8.
  std::string CodePoint(size_t digits) {
    unsigned code = 0;
    const char* begin = text_.data() + position_;
    if (text_.size() - position_ < digits ||
        std::from_chars(begin, begin + digits, code, 16).ptr != begin + digits) {
      Fail("a wrong escape");
    }
    position_ += digits;
    std::string utf8;
    if (code < 0x80) {
      utf8 += static_cast<char>(code);
    } else if (code < 0x800) {
      utf8 += static_cast<char>(0xc0 | code >> 6);
      utf8 += static_cast<char>(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
      utf8 += static_cast<char>(0xe0 | code >> 12);
      utf8 += static_cast<char>(0x80 | (code >> 6 & 0x3f));
      utf8 += static_cast<char>(0x80 | (code & 0x3f));
    } else {
      utf8 += static_cast<char>(0xf0 | code >> 18);
      utf8 += static_cast<char>(0x80 | (code >> 12 & 0x3f));
      utf8 += static_cast<char>(0x80 | (code >> 6 & 0x3f));
      utf8 += static_cast<char>(0x80 | (code & 0x3f));
    }
    return utf8;
  }

  Node Plain(std::string_view ends) {
    const size_t begin = position_;
    const bool is_key = ends == ":";
    for (; position_ < text_.size(); position_++) {
      const char letter = text_[position_];
      if (letter == ':' && IsSpace(position_ + 1) && ends != "\n") { break; }
      if (letter == '#' && position_ > begin && IsSpace(position_ - 1)) { break; }
      if (!is_key && ends.find(letter) != std::string_view::npos) { break; }
    }
    std::string scalar(text_.substr(begin, position_ - begin));
    scalar.erase(scalar.find_last_not_of(" \n\t") + 1);
    Node node;
    if (scalar.empty() || scalar == "~" || scalar == "null" || scalar == "Null" ||
        scalar == "NULL") {
      return node;
    }
    return Node(scalar);
  }

  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace detail

/// Reads one value.
inline Node Load(const std::string& text) {
  return detail::Reader(text).Read();
}
/// Reads one value from a file.
inline Node LoadFile(const std::string& filename) {
  std::ifstream file(filename);
  if (!file) { throw BadFile(filename); }
  std::ostringstream text;
  text << file.rdbuf();
  return Load(text.str());
}
/// A value as text.
inline std::string Dump(const Node& node) {
  return node.Lines();
}

/// A copy that shares nothing.
inline Node Clone(const Node& node) {
  return Load(Dump(node));
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

template <typename T>
struct convert<T, std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, bool>>> {
  static Node encode(T value) {
    std::ostringstream text;
    text.precision(17);
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
      if (word == ".inf" || word == "+.inf") { return value = static_cast<T>(HUGE_VAL), true; }
      if (word == "-.inf") { return value = static_cast<T>(-HUGE_VAL), true; }
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
    for (const auto& [key, value] : table) { node[Dump(Node(key))] = Node(value); }
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
};
/// A value that is none.
struct _Null {};
inline constexpr _Null Null;

/// Writes values one after the other.
class Emitter {
 public:
  Emitter& operator<<(EMITTER_MANIP what) {
    if (what == BeginSeq || what == BeginMap) {
      Node node(what == BeginSeq ? NodeType::Sequence : NodeType::Map);
      node.SetStyle(style_);
      style_ = EmitterStyle::Default;
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
    }
    return *this;
  }
  Emitter& operator<<(_Null) { return Put(Node()); }
  template <typename T>
  Emitter& operator<<(const T& value) {
    if constexpr (std::is_base_of_v<Node, T>) {
      return Put(Clone(value));
    } else {
      return Put(Node(value));
    }
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

  Emitter& Fail(const char* error) {
    if (error_.empty()) { error_ = error; }
    return *this;
  }
  Emitter& Put(const Node& node) {
    if (!good()) { return *this; }
    if (open_.empty()) {
      text_ += (text_.empty() ? "" : "\n") + Dump(node);
    } else if (open_.back().node.IsSequence()) {
      open_.back().node.push_back(node);
    } else if (open_.back().key.empty()) {
      open_.back().key.push_back(node);
    } else {
      open_.back().node.Append(open_.back().key.front(), node);
      open_.back().key.clear();
    }
    return *this;
  }

  std::vector<Open> open_;
  EmitterStyle::value style_ = EmitterStyle::Default;
  std::string text_;
  std::string error_;
};

/// Writes a value to a stream.
inline std::ostream& operator<<(std::ostream& out, const Node& node) {
  return out << Dump(node);
}

}  // namespace YAML

#endif  // !__has_include_next(<yaml-cpp/yaml.h>)

#endif  // GXF_SDK_YAML_NODE_HPP_
