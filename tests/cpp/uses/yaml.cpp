// YAML as parameter parsers and programs use it: yaml-cpp where it is installed, the stand-in of the
// headers elsewhere. Both must say the same.
#include <complex>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "common/yaml_parser.hpp"

namespace {

int failures = 0;

void Same(int line, const std::string& found, const std::string& wanted) {
  if (found == wanted) { return; }
  failures++;
  std::printf("line %d: found\n%s\n--- wanted\n%s\n", line, found.c_str(), wanted.c_str());
}
#define SAME(FOUND, WANTED) Same(__LINE__, FOUND, WANTED)

std::string Again(const char* text) {
  return YAML::Dump(YAML::Load(text));
}

/// Kind, tag and value of a node and of all in it.
std::string Shape(const YAML::Node& node) {
  const std::string tag = node.Tag().size() > 1 ? "<" + node.Tag() + ">" : "";
  if (node.IsNull()) { return tag + "~"; }
  if (node.IsScalar()) { return tag + "'" + node.Scalar() + "'"; }
  std::string text;
  for (const auto& child : node) {
    text += text.empty() ? "" : ", ";
    text += node.IsMap() ? Shape(child.first) + ": " + Shape(child.second) : Shape(child);
  }
  return tag + (node.IsMap() ? "{" + text + "}" : "[" + text + "]");
}
std::string Documents(const std::string& text) {
  std::string all;
  for (const YAML::Node& document : YAML::LoadAll(text)) {
    all += (all.empty() ? "" : " | ") + Shape(document);
  }
  return all;
}

/// A key that is only asked for comes into being when it gets a value.
void AsksForMissingKeys() {
  YAML::Node node = YAML::Load("a: 1");
  YAML::Node inner = node["inner"];
  SAME(node["b"] ? "there" : "missing", "missing");
  SAME(!node["b"]["c"][0] ? "missing" : "there", "missing");
  SAME(!inner ? "missing" : "there", "missing");
  SAME(std::to_string(node.size()) + YAML::Dump(node), "1a: 1");
  SAME(std::to_string(node["b"].as<int>(5)), "5");
  int pairs = 0;
  for (const auto& pair : node) { pairs += pair.first.IsScalar() ? 1 : 0; }
  SAME(std::to_string(pairs), "1");
  try {
    SAME(std::to_string(node["b"].as<int>()), "an exception");
  } catch (const YAML::BadConversion&) {}
  inner["x"]["y"] = 2;
  SAME(YAML::Dump(node), "a: 1\ninner:\n  x:\n    y: 2");
  node["list"][0] = "first";
  node["list"][1] = "second";
  SAME(Shape(node["list"]), "['first', 'second']");

  const YAML::Node constant = YAML::Load("a: 1");
  SAME(constant["b"] ? "there" : "missing", "missing");
  SAME(constant["b"].IsDefined() ? "there" : "missing", "missing");
  try {
    SAME(std::to_string(constant["b"].as<int>()), "an exception");
  } catch (const YAML::InvalidNode&) {}
  try {
    SAME(node["a"]["b"].as<std::string>(), "an exception");
  } catch (const YAML::BadSubscript&) {}

  // Handles are the value; an assignment puts another one in its place, for all.
  YAML::Node first = YAML::Load("{x: 1}");
  YAML::Node second = first;
  second["x"] = 2;
  SAME(first["x"].as<std::string>() + (first.is(second) ? " same" : " other"), "2 same");
  YAML::Node copy = YAML::Clone(first);
  copy["x"] = 3;
  first["z"] = copy["x"];
  SAME(Shape(first), "{'x': '2', 'z': '3'}");
  SAME(first.remove("x") && !first.remove("x") ? Shape(first) : "?", "{'z': '3'}");
}

void ReadsWholeFiles() {
  SAME(Documents("%YAML 1.2\n---\na: 1\n...\n# end\n---\n- b\n--- |\n c\n"),
       "{'a': '1'} | ['b'] | 'c\n'");
  SAME(Documents("\xEF\xBB\xBF" "a: 1\r\nb: [x,\r\n  y] # c\r\n"), "{'a': '1', 'b': ['x', 'y']}");
  SAME(Documents("a: &x {k: 1}\nb: *x\n*x : &y\n  k: v\nc: *y"),
       "{'a': {'k': '1'}, 'b': {'k': '1'}, {'k': '1'}: {'k': 'v'}, 'c': {'k': 'v'}}");
  SAME(Documents("%TAG !e! tag:e,1:\n---\n- !e!x 1\n- !!str\n- !own {a: 1}\n- !<tag:z> ~"),
       "[<tag:e,1:x>'1', <tag:yaml.org,2002:str>'', <!own>{'a': '1'}, <tag:z>'~']");
  SAME(Documents("a: |\n  x\n    y\n\nb: >\n  x\n  y\n\n  z\n    more\n  w\nc: |2-\n    x\nd: >+\n\n"),
       "{'a': 'x\n  y\n', 'b': 'x y\nz\n  more\nw\n', 'c': '  x', 'd': '\n'}");
  SAME(Documents("a: x\n  y\n\n  z\nb: \"x\n  y \\\n  z\"\nc: 'it''s\n  two'\nd: \"\\x41\\u00e9\\t\""),
       "{'a': 'x y\nz', 'b': 'x y z', 'c': 'it's two', 'd': 'A\xC3\xA9\t'}");
  SAME(Documents("? [1, 2]\n: x\n? - y\n: - - z\n  - {p: q}: r\n? only"),
       "{['1', '2']: 'x', ['y']: [['z'], {{'p': 'q'}: 'r'}], 'only': ~}");
  SAME(Documents("{a, b: , \"c\":d, ? e : f, g: [h: i, j]}\n"),
       "{'a': ~, 'b': ~, 'c': 'd', 'e': 'f', 'g': [{'h': 'i'}, 'j']}");
  SAME(Documents("a:\n- 1\n-\n  b: 2\n  c: !t\n  - 3\nd: -1\ne: a:b#c # d\nf: ~\n"),
       "{'a': ['1', {'b': '2', 'c': <!t>['3']}], 'd': '-1', 'e': 'a:b#c', 'f': ~}");
  const YAML::Node node = YAML::Load("a: 1\nb: \"2\"\nc:\n  d: .5\n");
  SAME(node["a"].Tag() + node["b"].Tag(), "?!");
  SAME(std::to_string(node["c"]["d"].Mark().line) + ":" + std::to_string(node["c"]["d"].Mark().column),
       "3:5");
  SAME(Shape(YAML::Load("")), "~");

  const std::pair<const char*, const char*> wrong[] = {
      {"a: b: c", "line 1, column 4: a mapping cannot begin in the line of its key"},
      {"a: 1\nb: - x", "line 2, column 4: a list cannot begin in the line of its key"},
      {"a: x\n b: y", "line 2, column 3: a mapping cannot begin within a text"},
      {"a:\n  - 1\n - 2", "line 3, column 2: unexpected text; is the indentation right?"},
      {"a:\n\tb: 1", "line 2, column 1: lines are indented with spaces, not with tabs"},
      {"a: [1, 2", "line 1, column 4: `[` has no `]`"},
      {"a: 'x' y", "line 1, column 8: unexpected text behind a value"},
      {"a: 1\nb: \"x\\q\"", "line 2, column 6: the escape `\\q` is unknown"},
      {"a: \"x", "line 1, column 4: a quote is not closed"},
      {"a: @x", "line 1, column 4: a text cannot begin with `@`; it needs quotes"},
      {"a: *x", "line 1, column 4: no anchor `&x` stands before the alias"},
  };
  for (const auto& [text, message] : wrong) {
    try {
      YAML::Load(text);
      SAME(text, "an exception");
    } catch (const YAML::ParserException& exception) {
#ifdef GXF_OWN_YAML_NODE
      SAME(exception.what(), message);
#endif
      SAME(exception.mark.is_null() ? message : "", "");
    }
  }
}

void Writes() {
  YAML::Emitter out;
  out << YAML::BeginSeq << YAML::DoubleQuoted << "x" << YAML::SingleQuoted << "y" << YAML::Comment("c")
      << YAML::Literal << "a\nb\n" << YAML::LocalTag("t") << "z" << YAML::Flow
      << std::vector<int>{1, 2} << YAML::EndSeq;
  SAME(Shape(YAML::Load(out.c_str())), "['x', 'y', 'a\nb\n', <!t>'z', ['1', '2']]");
  SAME(std::to_string(std::string(out.c_str()).find("# c") != std::string::npos), "1");
  // What stands twice is written once, and no number becomes a text.
  const YAML::Node shared = YAML::Load("a: &x\n  k: [1]\nb: *x\nc: '- x'\nd: \"~\"\ne: \"\\e\"\n");
  SAME(Shape(YAML::Load(YAML::Dump(shared))), Shape(shared));
  SAME(std::to_string(YAML::Load("[.inf, -.Inf, 0x1F, 017, +5, 1e3]")[1].as<double>() < 0), "1");
}

}  // namespace

int main() {
  AsksForMissingKeys();
  ReadsWholeFiles();
  Writes();
  // Text that the host hands over for a list or mapping given to a text parameter.
  const YAML::Node states = YAML::Load("- a: st\n  b: ee\n- a: u\n  b:\n    - 1\n    - 2\n- ~\n- [x, y]");
  SAME(states[0]["a"].as<std::string>(), "st");
  SAME(states[1]["b"][1].as<std::string>(), "2");
  SAME(states[2].IsNull() ? "null" : "", "null");
  SAME(states[3][1].as<std::string>(), "y");
  SAME(std::to_string(states.size()), "4");

  const YAML::Node map =
      YAML::Load("# first\none: 1  # a comment\n\"two: three\": 'it''s'\nlist:\n- 1\n- b: 2\n  c: 3\nnone:\nurl: http://x#y");
  SAME(map["one"].as<std::string>(), "1");
  SAME(map["two: three"].as<std::string>(), "it's");
  SAME(map["list"][1]["c"].as<std::string>(), "3");
  SAME(map["none"].IsNull() ? "null" : "", "null");
  SAME(map["url"].as<std::string>(), "http://x#y");
  int keys = 0;
  for (const auto& entry : map) { keys += entry.first.as<std::string>().empty() ? 0 : 1; }
  SAME(std::to_string(keys), "5");
  for (const char* wrong : {"[1, 2", "a: b\n c: d", "{a: b"}) {
    try {
      YAML::Load(wrong);
      SAME(wrong, "an exception");
    } catch (const YAML::Exception&) {}
  }

  // Written as it was read.
  for (const char* text : {"- a: st\n  b: ee\n- c", "a: 1\nb:\n  - 1\n  - 2\nc:\n  d: e", "[1, 2]",
                           "{a: 1, b: [2, 3]}", "a: [1, 2]", "-\n  - 1\n  - 2\n- 3", "text", "~"}) {
    SAME(Again(text), text);
  }
  std::ostringstream stream;
  stream << YAML::Load("- 1\n- 2");
  SAME(stream.str(), "- 1\n- 2");
  YAML::Node made;
  made["k"] = 1;
  made["l"].push_back("x");
  SAME(YAML::Dump(made), "k: 1\nl:\n  - x");
  made["l"].SetStyle(YAML::EmitterStyle::Flow);
  SAME(YAML::Dump(made), "k: 1\nl: [x]");
  SAME(YAML::Dump(YAML::Node(std::vector<int>{1, 2})), "- 1\n- 2");

  YAML::Emitter out;
  out << YAML::BeginMap << YAML::Key << "name" << YAML::Value << "camera" << YAML::Key << "sizes"
      << YAML::Value << YAML::Flow << YAML::BeginSeq << 640 << 480 << YAML::EndSeq << YAML::Key
      << "parts" << YAML::Value << YAML::BeginSeq << "a" << 1.5 << true << YAML::Null
      << YAML::EndSeq << YAML::EndMap;
  SAME(out.good() ? "good" : out.GetLastError(), "good");
  SAME(out.c_str(), "name: camera\nsizes: [640, 480]\nparts:\n  - a\n  - 1.5\n  - true\n  - ~");
  YAML::Emitter wrong;
  wrong << YAML::BeginSeq << YAML::EndMap;
  SAME(wrong.good() ? "good" : "bad", "bad");
  YAML::Emitter node;
  node << YAML::Load("[1, 2]");
  SAME(node.c_str(), "[1, 2]");
  // A node that leaves open how it is written follows the emitter; another one does not.
  YAML::Emitter open;
  open << YAML::BeginSeq << YAML::Flow << YAML::Node(std::vector<int>{1, 2}) << YAML::Flow
       << YAML::Load("- 3") << YAML::DoubleQuoted << YAML::Node("x") << YAML::Node("y") << YAML::EndSeq;
  SAME(open.c_str(), "- [1, 2]\n-\n  - 3\n- \"x\"\n- y");
  YAML::Emitter wide;
  SAME(wide.SetIndent(1) || !wide.SetIndent(4) ? "?" : "set", "set");
  wide << YAML::Load("a:\n  b: 1\n  c:\n    - 2\n    - d: 3\n      e: 4");
  SAME(wide.c_str(), "a:\n    b: 1\n    c:\n        -   2\n        -   d: 3\n            e: 4");
  SAME(std::string(1, YAML::Load("x").as<char>()) + YAML::Load("7").as<char>(), "x7");
  SAME(YAML::Dump(YAML::Node('x')), "x");
  SAME(std::to_string(YAML::Load("12").as<char>('?')), std::to_string('?'));
  YAML::Emitter number;
  number << std::complex<double>(1.0, -2.0);
  SAME(number.c_str(), "1-2j");

  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
