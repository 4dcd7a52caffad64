// A program that gives a variable of a graph its own memory, and reads what codelets made of it. Words:
// the manifest, the app, and how often the codelet adds one to each byte.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gxf/core/gxf.h"
#include "gxf/core/gxf_ext.h"
#include "gxf/core/handle.hpp"
#include "gxf/std/variable.hpp"

namespace {

#define NEEDED(condition)                                                  \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "line %d: %s is false\n", __LINE__, #condition); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (false)

bool all(const std::vector<uint8_t>& bytes, uint8_t value) {
  return std::all_of(bytes.begin(), bytes.end(), [=](uint8_t byte) { return byte == value; });
}

}  // namespace

int main(int, char** words) {
  gxf_context_t context = nullptr;
  NEEDED(GxfContextCreate(&context) == GXF_SUCCESS);
  const char* manifest = words[1];
  const GxfLoadExtensionsInfo extensions{nullptr, 0, &manifest, 1, ""};
  NEEDED(GxfLoadExtensions(context, &extensions) == GXF_SUCCESS);
  NEEDED(GxfGraphLoadFile(context, words[2], nullptr, 0) == GXF_SUCCESS);
  const auto ticks = static_cast<uint8_t>(std::atoi(words[3]));
  gxf_uid_t eid = kNullUid, cid = kNullUid, reader = kNullUid;
  NEEDED(GxfEntityFind(context, "model", &eid) == GXF_SUCCESS);
  NEEDED(GxfComponentFind(context, eid, GxfTidNull(), "weights", nullptr, &cid) == GXF_SUCCESS);
  NEEDED(GxfEntityFind(context, "reader", &eid) == GXF_SUCCESS);
  NEEDED(GxfComponentFind(context, eid, GxfTidNull(), "check", nullptr, &reader) == GXF_SUCCESS);

  const auto variable = nvidia::gxf::Handle<gxe::Variable>::Create(context, cid);
  NEEDED(variable);
  std::vector<uint8_t> memory(1000, 100), value(1000), more(999);
  NEEDED(!variable.value()->bind(more.data(), more.size()));
  NEEDED(variable.value()->bind(memory.data(), memory.size()));
  NEEDED(GxfParameterSetFromYamlText(context, reader, "changes", "100", "") == GXF_SUCCESS);
  NEEDED(GxfGraphActivate(context) == GXF_SUCCESS);
  NEEDED(GxfGraphRun(context) == GXF_SUCCESS);
  NEEDED(all(memory, 100 + ticks));
  NEEDED(variable.value()->read(value.data(), value.size()));
  NEEDED(value == memory);
  NEEDED(!variable.value()->read(more.data(), more.size()));
  NEEDED(GxfGraphDeactivate(context) == GXF_SUCCESS);

  // The same by functions of C.
  std::fill(memory.begin(), memory.end(), uint8_t{50});
  NEEDED(GxfParameterSetFromYamlText(context, reader, "changes", "50", "") == GXF_SUCCESS);
  NEEDED(GxfVariableBind(context, cid, memory.data(), memory.size()) == GXF_SUCCESS);
  NEEDED(GxfGraphActivate(context) == GXF_SUCCESS);
  NEEDED(GxfGraphRun(context) == GXF_SUCCESS);
  NEEDED(GxfVariableRead(context, cid, value.data(), value.size()) == GXF_SUCCESS);
  NEEDED(all(value, 50 + ticks) && value == memory);
  NEEDED(GxfContextDestroy(context) == GXF_SUCCESS);
  return 0;
}
