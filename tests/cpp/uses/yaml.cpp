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

}  // namespace

int main() {
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
  YAML::Emitter number;
  number << std::complex<double>(1.0, -2.0);
  SAME(number.c_str(), "1-2j");

  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
