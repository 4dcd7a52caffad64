/// Reads YAML 1.2 for machines without yaml-cpp: `YAML::Load` and its like.
///
/// Everything that yaml-cpp reads, but for texts in UTF-16 and UTF-32 and for values that contain
/// themselves. Errors name line and column.
#ifndef GXF_SDK_YAML_READER_HPP_
#define GXF_SDK_YAML_READER_HPP_

#include "gxf/sdk/yaml_node.hpp"

#ifdef GXF_OWN_YAML_NODE

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <istream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace YAML {
namespace detail {

/// Reads the documents of a text one after the other.
class Reader {
 public:
  explicit Reader(const std::string& text) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    const std::string_view start = std::string_view(text).substr(0, 2);
    if (start == "\xFF\xFE" || start == "\xFE\xFF") { Fail(0, "UTF-16 and UTF-32 are not supported"); }
    // Line breaks become `\n`.
    for (size_t i = text.compare(0, kMark.size(), kMark) == 0 ? kMark.size() : 0; i < text.size(); i++) {
      if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') { continue; }
      text_ += text[i] == '\r' ? '\n' : text[i];
      if (text_.back() == '\n') { lines_.push_back(text_.size()); }
    }
  }

  /// Reads the next document; false when there is none.
  bool Next(Node& document) {
    anchors_.clear();
    tags_ = {{"!", "!"}, {"!!", "tag:yaml.org,2002:"}};
    bool is_announced = false;
    for (;;) {
      Skip();
      if (pos_ >= text_.size()) {
        if (is_announced) { Fail(pos_, "expected `---` behind the directives"); }
        return false;
      }
      if (IsMarker("...")) {
        pos_ += 3;
        EndLine("`...`");
      } else if (text_[pos_] == '%' && Column() == 0) {
        Directive();
        is_announced = true;
      } else {
        break;
      }
    }
    if (IsMarker("---")) {
      pos_ += 3;
      Skip();
    } else if (is_announced) {
      Fail(pos_, "expected `---` behind the directives");
    }
    document = Node(IsEnd() ? New(NodeType::Null, pos_) : Block(0, -1, Place::kAnywhere));
    Skip();
    if (!IsEnd()) { Fail(pos_, "unexpected text behind the value"); }
    return true;
  }

 private:
  using RefPtr = std::shared_ptr<Ref>;

  /// Deeper nesting is a mistake or an attack.
  static constexpr int kDeepest = 256;
  /// A key without `?` is not longer.
  static constexpr size_t kLongestKey = 1024;
  static constexpr size_t kNone = std::string::npos;

  /// Where a value stands: after a key, a list may begin in the key's column, but neither it nor a
  /// mapping in the line of the key.
  enum class Place { kAnywhere, kBelowKey, kInLineOfKey };

  struct Properties {
    size_t begin = kNone;
    std::string anchor;
    std::string tag;
  };

  // Places.

  Mark MarkAt(size_t pos) const {
    const auto next = std::upper_bound(lines_.begin(), lines_.end(), pos);
    return {static_cast<int>(pos), static_cast<int>(next - lines_.begin() - 1),
            static_cast<int>(pos - *(next - 1))};
  }
  [[noreturn]] void Fail(size_t pos, const std::string& what) const {
    throw ParserException(MarkAt(pos), what);
  }
  /// How far the position is from the beginning of its line.
  std::ptrdiff_t Column(size_t pos) const { return MarkAt(pos).column; }
  std::ptrdiff_t Column() const { return Column(pos_); }
  RefPtr New(NodeType::value type, size_t pos) const {
    auto ref = NewRef(type);
    ref->data->mark = MarkAt(pos);
    if (type != NodeType::Null) { ref->data->tag = "?"; }
    return ref;
  }

  // Letters.

  char At(size_t pos) const { return pos < text_.size() ? text_[pos] : '\n'; }
  bool IsBlank(size_t pos) const { return At(pos) == ' ' || At(pos) == '\t'; }
  bool IsSpace(size_t pos) const { return IsBlank(pos) || At(pos) == '\n'; }
  static bool IsFlowSign(char letter) {
    return std::string_view(",[]{}").find(letter) != std::string_view::npos;
  }
  /// Whether this indicator stands here, and not the first letter of a text.
  bool IsSign(char sign, bool in_flow = false) const {
    return pos_ < text_.size() && text_[pos_] == sign &&
           (IsSpace(pos_ + 1) || (in_flow && IsFlowSign(At(pos_ + 1))));
  }
  bool IsMarker(std::string_view marker) const {
    return text_.compare(pos_, 3, marker) == 0 && IsSpace(pos_ + 3) && Column() == 0;
  }
  /// Whether the document ends here.
  bool IsEnd() const {
    return pos_ >= text_.size() || IsMarker("---") || IsMarker("...");
  }
  bool IsComment(size_t pos) const {
    return At(pos) == '#' && (pos == 0 || IsSpace(pos - 1));
  }
  void SkipBlanks() {
    while (IsBlank(pos_)) { pos_++; }
  }
  /// Goes on to the next value, over line breaks and comments; whether there was a line break.
  bool Skip(bool in_flow = false) {
    bool is_new_line = pos_ == 0;
    for (;;) {
      SkipBlanks();
      if (IsComment(pos_)) { pos_ = std::min(text_.find('\n', pos_), text_.size()); }
      if (pos_ >= text_.size() || text_[pos_] != '\n') { break; }
      pos_++;
      is_new_line = true;
    }
    if (is_new_line && !in_flow && pos_ < text_.size()) {
      const size_t begin = pos_ - static_cast<size_t>(Column());
      const size_t tab = text_.find('\t', begin);
      if (tab < pos_) { Fail(tab, "lines are indented with spaces, not with tabs"); }
    }
    return is_new_line;
  }
  /// Nothing may follow in this line.
  void EndLine(const char* what) {
    SkipBlanks();
    if (At(pos_) != '\n' && !IsComment(pos_)) {
      Fail(pos_, std::string("unexpected text behind ") + what);
    }
  }
  /// The letters up to the next space.
  std::string Word() {
    const size_t begin = pos_;
    while (!IsSpace(pos_)) { pos_++; }
    return text_.substr(begin, pos_ - begin);
  }

  // Directives, anchors, tags.

  void Directive() {
    const size_t begin = pos_;
    const std::string name = Word();
    SkipBlanks();
    if (name == "%YAML") {
      const std::string version = Word();
      if (version.compare(0, 2, "1.") != 0) { Fail(begin, "YAML `" + version + "` is not supported"); }
    } else if (name == "%TAG") {
      const std::string handle = Word();
      SkipBlanks();
      tags_[handle] = Word();
    } else {
      // Others are reserved, and to be ignored.
      pos_ = std::min(text_.find('\n', pos_), text_.size());
    }
    EndLine("a directive");
  }
  std::string Anchor() {
    const size_t begin = ++pos_;
    while (!IsSpace(pos_) && !IsFlowSign(text_[pos_])) { pos_++; }
    if (pos_ == begin) { Fail(begin - 1, "an anchor or alias needs a name"); }
    return text_.substr(begin, pos_ - begin);
  }
  std::string Tag(bool in_flow) {
    const size_t begin = pos_;
    if (At(pos_ + 1) == '<') {
      const size_t end = text_.find('>', pos_);
      if (end == kNone) { Fail(begin, "the tag has no `>`"); }
      pos_ = end + 1;
      return text_.substr(begin + 2, end - begin - 2);
    }
    while (!IsSpace(pos_) && !(in_flow && IsFlowSign(text_[pos_]))) { pos_++; }
    const std::string tag = text_.substr(begin, pos_ - begin);
    const size_t end = tag.find('!', 1);
    const std::string handle = end == kNone ? "!" : tag.substr(0, end + 1);
    const auto known = tags_.find(handle);
    if (known == tags_.end()) { Fail(begin, "the tag handle `" + handle + "` is not declared"); }
    return known->second + tag.substr(handle.size());
  }
  /// Reads anchor and tag, and the spaces behind them.
  Properties ReadProperties(bool in_flow) {
    Properties found;
    while (At(pos_) == '&' || At(pos_) == '!') {
      if (found.begin == kNone) { found.begin = pos_; }
      const bool is_tag = text_[pos_] == '!';
      std::string& property = is_tag ? found.tag : found.anchor;
      if (!property.empty()) { Fail(pos_, is_tag ? "a second tag" : "a second anchor"); }
      property = is_tag ? Tag(in_flow) : Anchor();
      SkipBlanks();
    }
    return found;
  }
  RefPtr With(const Properties& properties, RefPtr ref) {
    if (properties.begin == kNone) { return ref; }
    Data& data = *ref->data;
    data.mark = MarkAt(properties.begin);
    if (!properties.tag.empty()) {
      data.tag = properties.tag;
      // With a tag, nothing is an empty text.
      if (data.type == NodeType::Null) { data.type = NodeType::Scalar; }
    }
    if (!properties.anchor.empty()) { anchors_[properties.anchor] = ref; }
    return ref;
  }
  RefPtr Alias() {
    const size_t begin = pos_;
    const std::string name = Anchor();
    const auto known = anchors_.find(name);
    if (known == anchors_.end()) { Fail(begin, "no anchor `&" + name + "` stands before the alias"); }
    return known->second;
  }

  // Values in lines.

  /// The position of the colon of a key that begins here and ends in this line.
  size_t KeyEnd() const {
    const size_t end = std::min(std::min(text_.find('\n', pos_), text_.size()), pos_ + kLongestKey);
    size_t i = pos_;
    // Anchor and tag.
    while (i < end && (text_[i] == '&' || text_[i] == '!')) {
      while (i < end && !IsBlank(i)) { i++; }
      while (i < end && IsBlank(i)) { i++; }
    }
    const char first = At(i);
    if (first == '"' || first == '\'' || first == '[' || first == '{') {
      i = SkipValue(i, end);
      while (i < end && IsBlank(i)) { i++; }
      return i < end && text_[i] == ':' && IsSpace(i + 1) ? i : kNone;
    }
    for (; i < end; i++) {
      if (IsComment(i)) { break; }
      if (text_[i] == ':' && IsSpace(i + 1)) { return i; }
    }
    return kNone;
  }
  /// Behind the text in quotes or the value in brackets that begins here.
  size_t SkipValue(size_t i, size_t end) const {
    size_t open = 0;
    for (; i < end; i++) {
      const char letter = text_[i];
      if (letter == '"' || letter == '\'') {
        for (i++; i < end && text_[i] != letter; i++) {
          if (letter == '"' && text_[i] == '\\') { i++; }
        }
      } else if (letter == '[' || letter == '{') {
        open++;
      } else if (letter == ']' || letter == '}') {
        open--;
      }
      if (open == 0) { return i + 1; }
    }
    return end;
  }

  /// A value behind a key, `-`, or at the beginning. Its lines begin behind the column `indent`.
  RefPtr Block(int depth, std::ptrdiff_t indent, Place place) {
    if (depth > kDeepest) { Fail(pos_, "too deep"); }
    const size_t begin = pos_;
    Properties properties = ReadProperties(false);
    if (properties.begin != kNone) {
      if (At(pos_) == '\n' || IsComment(pos_)) {
        Skip();
        const bool is_list = place != Place::kAnywhere && IsSign('-') && Column() == indent;
        if (IsEnd() || (Column() <= indent && !is_list)) {
          return With(properties, New(NodeType::Null, begin));
        }
        place = Place::kBelowKey;
      } else if (KeyEnd() != kNone) {
        // They belong to the first key.
        pos_ = begin;
        properties = Properties();
      }
    }
    const char first = At(pos_);
    const bool is_list = IsSign('-');
    if (is_list || IsSign('?') || KeyEnd() != kNone) {
      if (place == Place::kInLineOfKey) {
        Fail(pos_, is_list ? "a list cannot begin in the line of its key"
                           : "a mapping cannot begin in the line of its key");
      }
      return With(properties, is_list ? List(depth, Column()) : Map(depth, Column()));
    }
    RefPtr value;
    if (first == '|' || first == '>') { return With(properties, BlockScalar(indent)); }
    if (first == '*') {
      if (properties.begin != kNone) { Fail(pos_, "an alias has neither anchor nor tag"); }
      value = Alias();
    } else if (first == '[' || first == '{') {
      value = With(properties, Flow(depth));
    } else if (first == '"' || first == '\'') {
      value = With(properties, Quoted());
    } else {
      return With(properties, Plain(indent, false, properties.tag.empty()));
    }
    EndLine("a value");
    return value;
  }

  /// What stands behind a key, `-` or `?` whose column is `indent`.
  RefPtr Inner(int depth, std::ptrdiff_t indent, Place place) {
    const size_t begin = pos_;
    const bool is_new_line = Skip();
    if (is_new_line && place == Place::kInLineOfKey) { place = Place::kBelowKey; }
    const bool is_list = place == Place::kBelowKey && IsSign('-') && Column() == indent;
    const bool is_missing = IsEnd() || (is_new_line && Column() <= indent && !is_list);
    auto value = is_missing ? New(NodeType::Null, begin) : Block(depth + 1, indent, place);
    Skip();
    if (!IsEnd() && Column() > indent) { Fail(pos_, "unexpected text; is the indentation right?"); }
    return value;
  }

  RefPtr List(int depth, std::ptrdiff_t column) {
    auto list = New(NodeType::Sequence, pos_);
    list->data->style = EmitterStyle::Block;
    while (!IsEnd() && IsSign('-') && Column() == column) {
      pos_++;
      list->data->children.push_back(Inner(depth, column, Place::kAnywhere));
    }
    return list;
  }

  RefPtr Map(int depth, std::ptrdiff_t column) {
    auto map = New(NodeType::Map, pos_);
    map->data->style = EmitterStyle::Block;
    auto& children = map->data->children;
    while (!IsEnd() && Column() == column) {
      if (IsSign('?')) {
        pos_++;
        children.push_back(Inner(depth, column, Place::kAnywhere));
        const bool has_value = !IsEnd() && Column() == column && IsSign(':');
        if (has_value) { pos_++; }
        children.push_back(has_value ? Inner(depth, column, Place::kBelowKey)
                                     : New(NodeType::Null, pos_));
        continue;
      }
      const size_t end = KeyEnd();
      if (end == kNone) { Fail(pos_, IsSign('-') ? "a `-` between keys" : "expected `key: value`"); }
      children.push_back(Key(depth, end));
      pos_ = end + 1;
      children.push_back(Inner(depth, column, Place::kInLineOfKey));
    }
    return map;
  }
  /// A key that ends at this colon.
  RefPtr Key(int depth, size_t end) {
    const Properties properties = ReadProperties(false);
    const char first = At(pos_);
    RefPtr key;
    if (first == '*') {
      key = Alias();
    } else if (first == '[' || first == '{') {
      key = With(properties, Flow(depth));
    } else if (first == '"' || first == '\'') {
      key = With(properties, Quoted());
    } else {
      CheckPlain(false);
      key = With(properties, Scalar(pos_, text_.substr(pos_, end - pos_), properties.tag.empty()));
      pos_ = end;
    }
    SkipBlanks();
    if (pos_ != end) { Fail(pos_, "unexpected text behind a key"); }
    return key;
  }

  /// `|` or `>` and the lines below.
  RefPtr BlockScalar(std::ptrdiff_t indent) {
    auto node = New(NodeType::Scalar, pos_);
    node->data->tag = "!";
    const bool is_folded = text_[pos_++] == '>';
    char chomp = ' ';
    size_t column = 0;
    for (; At(pos_) == '+' || At(pos_) == '-' || (At(pos_) >= '1' && At(pos_) <= '9'); pos_++) {
      if (At(pos_) == '+' || At(pos_) == '-') {
        chomp = At(pos_);
      } else {
        column = static_cast<size_t>(std::max<std::ptrdiff_t>(indent, 0) + (At(pos_) - '0'));
      }
    }
    EndLine("the sign of a block");
    pos_ = std::min(text_.find('\n', pos_) + 1, text_.size());
    if (pos_ == 0) { pos_ = text_.size(); }
    if (column == 0) {
      size_t first = text_.find_first_not_of(" \n", pos_);
      first = std::min(first, text_.size());
      column = static_cast<size_t>(std::max<std::ptrdiff_t>(Column(first), indent + 1));
    }

    std::string& scalar = node->data->scalar;
    size_t breaks = 0;
    bool was_indented = true;
    bool is_empty = true;
    while (pos_ < text_.size()) {
      size_t begin = pos_;
      while (begin - pos_ < column && At(begin) == ' ') { begin++; }
      const size_t end = std::min(text_.find('\n', pos_), text_.size());
      if (begin < end) {
        if (begin - pos_ < column || IsEnd()) { break; }
        const bool is_indented = IsBlank(begin);
        if (is_empty || !is_folded || was_indented || is_indented) {
          scalar.append(breaks, '\n');
        } else if (breaks == 1) {
          scalar += ' ';
        } else {
          scalar.append(breaks - 1, '\n');
        }
        scalar.append(text_, begin, end - begin);
        breaks = 0;
        was_indented = is_indented;
        is_empty = false;
      }
      if (end == text_.size()) {
        pos_ = end;
        break;
      }
      breaks++;
      pos_ = end + 1;
    }
    if (chomp == '+' || (chomp == ' ' && breaks > 0 && !is_empty)) {
      scalar.append(chomp == '+' ? breaks : 1, '\n');
    }
    // The line break ends the value for what comes next.
    if (pos_ > 0 && pos_ < text_.size()) { pos_--; }
    return node;
  }

  // Values in brackets, and texts.

  RefPtr FlowValue(int depth, bool may_have_key) {
    if (depth > kDeepest) { Fail(pos_, "too deep"); }
    const size_t begin = pos_;
    const Properties properties = ReadProperties(true);
    Skip(true);
    const char first = At(pos_);
    if (IsFlowSign(first) && first != '[' && first != '{') {
      return With(properties, New(NodeType::Null, begin));
    }
    if (may_have_key && IsSign(':', true)) { return With(properties, New(NodeType::Null, begin)); }
    if (first == '*') { return Alias(); }
    if (first == '[' || first == '{') { return With(properties, Flow(depth)); }
    if (first == '"' || first == '\'') { return With(properties, Quoted()); }
    return With(properties, Plain(-1, true, properties.tag.empty()));
  }
  /// The colon behind a key in brackets. Behind a text in quotes, the value may follow at once.
  bool TakeColon(char before) {
    Skip(true);
    const bool is_quoted = before == '"' || before == '\'' || before == ']' || before == '}';
    if (IsSign(':', true) || (is_quoted && At(pos_) == ':')) {
      pos_++;
      Skip(true);
      return true;
    }
    return false;
  }

  RefPtr Flow(int depth) {
    const size_t begin = pos_;
    const bool is_map = text_[pos_++] == '{';
    const char close = is_map ? '}' : ']';
    auto node = New(is_map ? NodeType::Map : NodeType::Sequence, begin);
    node->data->style = EmitterStyle::Flow;
    auto& children = node->data->children;
    for (;;) {
      Skip(true);
      if (IsEnd()) { Fail(begin, std::string("`") + text_[begin] + "` has no `" + close + "`"); }
      if (text_[pos_] == close) { break; }
      if (text_[pos_] == ',') { Fail(pos_, "a value is missing before `,`"); }
      const size_t at = pos_;
      const bool is_explicit = IsSign('?', true);
      if (is_explicit) {
        pos_++;
        Skip(true);
      }
      RefPtr key = FlowValue(depth + 1, true);
      const bool has_value = TakeColon(text_[pos_ - 1]);
      RefPtr value = has_value ? FlowValue(depth + 1, false) : New(NodeType::Null, pos_);
      if (is_map) {
        children.push_back(std::move(key));
        children.push_back(std::move(value));
      } else if (has_value || is_explicit) {
        auto pair = New(NodeType::Map, at);
        pair->data->style = EmitterStyle::Flow;
        pair->data->children = {std::move(key), std::move(value)};
        children.push_back(std::move(pair));
      } else {
        children.push_back(std::move(key));
      }
      Skip(true);
      if (At(pos_) == ',') {
        pos_++;
      } else if (At(pos_) != close || IsEnd()) {
        if (IsEnd()) { continue; }
        Fail(pos_, std::string("expected `,` or `") + close + "`");
      }
    }
    pos_++;
    return node;
  }

  /// A line break in a text over several lines becomes a space, and `n` empty lines `n` breaks.
  void Fold(std::string& scalar) {
    size_t breaks = 0;
    while (IsSpace(pos_) && pos_ < text_.size()) { breaks += text_[pos_++] == '\n' ? 1 : 0; }
    scalar.append(breaks == 1 ? " " : std::string(breaks - 1, '\n'));
  }

  RefPtr Quoted() {
    const size_t begin = pos_;
    const char quote = text_[pos_++];
    auto node = New(NodeType::Scalar, begin);
    node->data->tag = "!";
    std::string& scalar = node->data->scalar;
    for (;;) {
      if (IsEnd()) { Fail(begin, "a quote is not closed"); }
      const char letter = text_[pos_];
      if (letter == quote && quote == '\'' && At(pos_ + 1) == '\'') {
        scalar += '\'';
        pos_ += 2;
      } else if (letter == quote) {
        pos_++;
        return node;
      } else if (letter == '\\' && quote == '"') {
        Escaped(scalar);
      } else if (IsSpace(pos_)) {
        size_t end = pos_;
        while (IsBlank(end)) { end++; }
        if (end < text_.size() && text_[end] == '\n') {
          Fold(scalar);
        } else {
          scalar.append(text_, pos_, end - pos_);
          pos_ = end;
        }
      } else {
        scalar += letter;
        pos_++;
      }
    }
  }
  void Escaped(std::string& scalar) {
    constexpr std::string_view kLetters = "0abt\tnvfre \"/\\N_LP";
    static constexpr std::string_view kMeant[] = {
        std::string_view("\0", 1), "\a", "\b", "\t", "\t", "\n", "\v", "\f", "\r", "\x1b", " ", "\"",
        "/", "\\", "\xC2\x85", "\xC2\xA0", "\xE2\x80\xA8", "\xE2\x80\xA9"};
    const char letter = At(pos_ + 1);
    const size_t known = kLetters.find(letter);
    pos_ += 2;
    if (known != std::string_view::npos) {
      scalar += kMeant[known];
    } else if (letter == '\n') {
      // The text goes on in the next line.
      while (IsSpace(pos_) && pos_ < text_.size()) {
        if (text_[pos_++] == '\n') { scalar += '\n'; }
      }
    } else if (letter == 'x' || letter == 'u' || letter == 'U') {
      unsigned code = Hexadecimal(letter == 'x' ? 2 : letter == 'u' ? 4 : 8);
      const bool is_pair = code >= 0xd800 && code < 0xdc00 && text_.compare(pos_, 2, "\\u") == 0;
      if (is_pair) {
        pos_ += 2;
        code = 0x10000 + ((code - 0xd800) << 10) + ((Hexadecimal(4) - 0xdc00) & 0x3ff);
      }
      AppendUtf8(scalar, code);
    } else {
      Fail(pos_ - 2, std::string("the escape `\\") + letter + "` is unknown");
    }
  }
  unsigned Hexadecimal(size_t digits) {
    unsigned code = 0;
    const char* begin = text_.data() + std::min(pos_, text_.size());
    if (pos_ + digits > text_.size() ||
        std::from_chars(begin, begin + digits, code, 16).ptr != begin + digits || code > 0x10ffff) {
      Fail(pos_, "an escape with a wrong number");
    }
    pos_ += digits;
    return code;
  }
  static void AppendUtf8(std::string& text, unsigned code) {
    const auto follow = [&](unsigned shift) {
      text += static_cast<char>(0x80 | ((code >> shift) & 0x3f));
    };
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else if (code < 0x800) {
      text += static_cast<char>(0xc0 | code >> 6);
    } else if (code < 0x10000) {
      text += static_cast<char>(0xe0 | code >> 12);
    } else {
      text += static_cast<char>(0xf0 | code >> 18);
    }
    if (code >= 0x10000) { follow(12); }
    if (code >= 0x800) { follow(6); }
    if (code >= 0x80) { follow(0); }
  }

  /// A text without quotes: not everything can be its first letter.
  void CheckPlain(bool in_flow) const {
    const char first = At(pos_);
    const bool is_sign = std::string_view("-?:").find(first) != std::string_view::npos;
    const bool is_wrong =
        std::string_view(",[]{}#&*!|>'\"%@`").find(first) != std::string_view::npos ||
        (is_sign && (IsSpace(pos_ + 1) || (in_flow && IsFlowSign(At(pos_ + 1)))));
    // The colon of an empty key.
    if (is_wrong && !(first == ':' && !in_flow)) {
      Fail(pos_, std::string("a text cannot begin with `") + first + "`; it needs quotes");
    }
  }
  RefPtr Scalar(size_t begin, std::string text, bool may_be_null) const {
    text.erase(text.find_last_not_of(" \n\t") + 1);
    const bool is_null = text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
    auto node = New(is_null && may_be_null ? NodeType::Null : NodeType::Scalar, begin);
    if (node->data->type == NodeType::Scalar) { node->data->scalar = std::move(text); }
    return node;
  }
  /// `indent`: lines that go on begin behind this column.
  RefPtr Plain(std::ptrdiff_t indent, bool in_flow, bool may_be_null) {
    CheckPlain(in_flow);
    const size_t begin = pos_;
    std::string scalar;
    for (;;) {
      const size_t line = pos_;
      while (At(pos_) != '\n' && !IsComment(pos_)) {
        const char letter = text_[pos_];
        if (in_flow && IsFlowSign(letter)) { break; }
        if (letter == ':' && (IsSpace(pos_ + 1) || (in_flow && IsFlowSign(At(pos_ + 1))))) {
          if (!in_flow) { Fail(pos_, "a mapping cannot begin within a text"); }
          break;
        }
        pos_++;
      }
      size_t end = pos_;
      while (end > line && IsBlank(end - 1)) { end--; }
      scalar.append(text_, line, end - line);
      if (At(pos_) != '\n' || pos_ >= text_.size()) { break; }
      // Whether the next line with text goes on.
      const size_t stop = pos_;
      std::string fold;
      Fold(fold);
      const bool is_more = pos_ < text_.size() && text_[pos_] != '#' && !IsEnd() &&
                           (in_flow ? !IsFlowSign(text_[pos_]) && !IsSign(':', true)
                                    : Column() > indent);
      if (!is_more) {
        pos_ = stop;
        break;
      }
      scalar += fold;
    }
    return Scalar(begin, std::move(scalar), may_be_null);
  }

  std::string text_;
  /// Where lines begin.
  std::vector<size_t> lines_ = {0};
  size_t pos_ = 0;
  std::map<std::string, RefPtr> anchors_;
  std::map<std::string, std::string> tags_;
};

inline std::string TextOf(std::istream& stream) {
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}
inline std::string TextOfFile(const std::string& filename) {
  std::ifstream file(filename, std::ios::binary);
  if (!file) { throw BadFile(filename); }
  return TextOf(file);
}

}  // namespace detail

/// Reads the first document of a text.
inline Node Load(const std::string& text) {
  Node document;
  detail::Reader(text).Next(document);
  return document;
}
inline Node Load(const char* text) {
  return Load(std::string(text));
}
inline Node Load(std::istream& stream) {
  return Load(detail::TextOf(stream));
}
/// Reads the first document of a file.
inline Node LoadFile(const std::string& filename) {
  return Load(detail::TextOfFile(filename));
}

/// Reads all documents of a text.
inline std::vector<Node> LoadAll(const std::string& text) {
  std::vector<Node> documents;
  detail::Reader reader(text);
  for (;;) {
    Node document;
    if (!reader.Next(document)) { return documents; }
    documents.push_back(document);
  }
}
inline std::vector<Node> LoadAll(const char* text) {
  return LoadAll(std::string(text));
}
inline std::vector<Node> LoadAll(std::istream& stream) {
  return LoadAll(detail::TextOf(stream));
}
/// Reads all documents of a file.
inline std::vector<Node> LoadAllFromFile(const std::string& filename) {
  return LoadAll(detail::TextOfFile(filename));
}

}  // namespace YAML

#endif  // GXF_OWN_YAML_NODE

#endif  // GXF_SDK_YAML_READER_HPP_
