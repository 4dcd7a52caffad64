// A program in C++ that is no extension: it embeds the runtime and uses the classes of the headers.
#include <cstdio>

#include "gxf/core/gxf.h"
#include "gxf/std/clock.hpp"
#include "gxf/std/timestamp.hpp"

using namespace nvidia::gxf;

#define NEEDED(condition)                                     \
  if (!(condition)) {                                         \
    std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
    return 1;                                                 \
  }

int main() {
  gxf_context_t context;
  NEEDED(GxfContextCreate(&context) == GXF_SUCCESS);

  // A component of the runtime through a handle.
  const char* graph =
      "name: system\ncomponents:\n"
      "- {name: clock, type: nvidia::gxf::ManualClock, parameters: {initial_timestamp: 7}}\n"
      "- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}\n";
  NEEDED(GxfGraphParseString(context, graph) == GXF_SUCCESS);
  NEEDED(GxfGraphActivate(context) == GXF_SUCCESS);
  gxf_uid_t system;
  NEEDED(GxfEntityFind(context, "system", &system) == GXF_SUCCESS);
  {
    auto entity = Entity::Shared(context, system);
    NEEDED(entity);
    auto clock = entity->get<Clock>("clock");
    NEEDED(clock);
    NEEDED(clock.value()->timestamp() == 7);

    // A message with a payload that other languages read too.
    auto message = Entity::New(context);
    NEEDED(message);
    auto times = message->add<MultiSourceTimestamp>("times");
    NEEDED(times);
    NEEDED(times.value()->empty());
    NEEDED(times.value()->push_back({Timestamp{3, 4}, TimeDomainID::PTP}));
    auto found = message->get<MultiSourceTimestamp>("times");
    NEEDED(found);
    NEEDED(getTimestamp(*found.value(), TimeDomainID::PTP).value().acqtime == 4);
    NEEDED(!getTimestamp(*found.value(), TimeDomainID::NTP));
  }
  NEEDED(GxfGraphDeactivate(context) == GXF_SUCCESS);
  NEEDED(GxfContextDestroy(context) == GXF_SUCCESS);
  std::puts("the clock began at 7");
  return 0;
}
