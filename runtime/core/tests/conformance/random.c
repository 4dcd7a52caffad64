/* Random calls with random arguments, from two threads on the same contexts, which come and go: ids
 * that are stale, of another kind or of another context, names and keys that fit and those that do
 * not, stages in any order. Whatever the codes are, nothing crashes, hangs or panics. */
#include "parts.h"

#include <pthread.h>
#include <unistd.h>

enum { CONTEXTS = 3, THREADS = 2, CALLS = 3000, LIFE = 150, IDS = 64 };
#define COUNT(ARRAY) (sizeof(ARRAY) / sizeof(ARRAY)[0])

static const char* const types[] = {
    "test::Ticker", "test::Values", "test::Point", "no::Type", "nvidia::gxf::Codelet",
    "nvidia::gxf::DoubleBufferReceiver", "nvidia::gxf::DoubleBufferTransmitter",
    "nvidia::gxf::Connection", "nvidia::gxf::Topic", "nvidia::gxf::CountSchedulingTerm",
    "nvidia::gxf::MessageAvailableSchedulingTerm", "nvidia::gxf::AsynchronousSchedulingTerm",
    "nvidia::gxf::GreedyScheduler", "nvidia::gxf::MultiThreadScheduler",
    "nvidia::gxf::RealtimeClock", "nvidia::gxf::ManualClock", "nvidia::gxf::BlockMemoryPool",
    "nvidia::gxf::ThreadPool", "nvidia::gxf::CPUThread", "nvidia::gxf::Subgraph",
    "nvidia::gxf::Timestamp", "nvidia::gxf::Tensor"};
static const char* const keys[] = {
    NULL, "", "no key", "__name", "clock", "clocks", "capacity", "receiver", "source", "target",
    "count", "min_size", "int8", "int64", "strings", "float64s", "float64ss", "string", "label",
    "percent", "three", "custom", "block_size", "num_blocks", "storage_type", "location"};
static const char* const names[] = {NULL, "", "a", "b", "__x", "a/b", "a.b", "\xff", "\xc3\xbc"};
static const char* const yaml[] = {NULL, "", "1", "[1, 2, 3]", "{a: [b]}", "\"", "a/b", "- : ["};
static const char graph[] =
    "name: a\n"
    "components: [{name: b, type: test::Ticker},\n"
    "             {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 3}}]\n"
    "---\n"
    "name: scheduler\n"
    "components: [{name: clock, type: nvidia::gxf::RealtimeClock},\n"
    "             {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}]\n";

static _Atomic(gxf_context_t) contexts[CONTEXTS];
/* Ids of whatever was made; threads take each other's. */
static _Atomic gxf_uid_t ids[IDS];

/* One thread's source of chance. */
typedef struct {
  uint32_t state;
} Chance;

static uint32_t below(Chance* chance, size_t end) {
  chance->state = chance->state * 1664525U + 1013904223U;
  return (chance->state >> 8) % (uint32_t)end;
}

#define ONE_OF(ARRAY) ((ARRAY)[below(chance, COUNT(ARRAY))])

static gxf_uid_t any_id(Chance* chance) {
  const gxf_uid_t odd[] = {kNullUid, kUnspecifiedUid, NOBODY, NO_MESSAGE, INT64_MIN, INT64_MAX};
  return below(chance, 4) == 0 ? ONE_OF(odd) : ids[below(chance, IDS)];
}

static void keep(Chance* chance, gxf_result_t code, gxf_uid_t id) {
  if (code == GXF_SUCCESS) {
    ids[below(chance, IDS)] = id;
  }
}

static void entities(Chance* chance, gxf_context_t context, gxf_uid_t id) {
  gxf_uid_t made = kNullUid;
  int64_t count = 0;
  uint64_t length = below(chance, 9);
  gxf_uid_t all[8];
  const char* text = NULL;
  gxf_entity_status_t status;
  entity_state_t state;
  bool valid = false;
  GxfEntityCreateInfo info = {ONE_OF(names), below(chance, 3)};
  switch (below(chance, 18)) {
    case 0: case 1: case 2: keep(chance, GxfCreateEntity(context, &info, &made), made); break;
    case 3: (void)GxfEntityDestroy(context, id); break;
    case 4: (void)GxfEntityActivate(context, id); break;
    case 5: (void)GxfEntityDeactivate(context, id); break;
    case 6: (void)GxfEntityRefCountInc(context, id); break;
    case 7: (void)GxfEntityRefCountDec(context, id); break;
    case 8: (void)GxfEntityGetRefCount(context, id, &count); break;
    case 9: keep(chance, GxfEntityFind(context, ONE_OF(names), &made), made); break;
    case 10: (void)GxfEntityFindAll(context, &length, all); break;
    case 11: (void)GxfEntityGetName(context, id, &text); break;
    case 12: (void)GxfEntityGetStatus(context, id, &status); break;
    case 13: (void)GxfEntityGetState(context, id, &state); break;
    case 14: (void)GxfEntityIsValid(context, id, &valid); break;
    case 15: keep(chance, GxfCreateEntityGroup(context, ONE_OF(names), &made), made); break;
    case 16: (void)GxfUpdateEntityGroup(context, id, any_id(chance)); break;
    default: (void)GxfEntityGroupFindResources(context, id, &length, all);
  }
}

static void components(Chance* chance, gxf_context_t context, gxf_uid_t id) {
  gxf_tid_t tid = GxfTidNull();
  gxf_uid_t found = kNullUid;
  int32_t offset = (int32_t)below(chance, 5) - 1;
  uint64_t length = below(chance, 9);
  gxf_uid_t all[8];
  void* pointer = NULL;
  const char* text = NULL;
  (void)GxfComponentTypeId(context, ONE_OF(types), &tid);
  switch (below(chance, 12)) {
    case 0: case 1: case 2: case 3:
      keep(chance, GxfComponentAdd(context, id, tid, ONE_OF(names), &found), found);
      break;
    case 4: (void)GxfComponentRemoveWithUID(context, id); break;
    case 5: (void)GxfComponentRemove(context, id, tid, ONE_OF(names)); break;
    case 6:
      keep(chance, GxfComponentFind(context, id, tid, ONE_OF(names), &offset, &found), found);
      break;
    case 7: (void)GxfComponentFindAll(context, id, &length, all); break;
    case 8: (void)GxfComponentPointer(context, id, tid, &pointer); break;
    case 9: (void)GxfComponentName(context, id, &text); break;
    case 10: (void)GxfComponentAddToInterface(context, id, any_id(chance), ONE_OF(names)); break;
    default:
      if (GxfEntityGetItemPtr(context, id, &pointer) == GXF_SUCCESS) {
        (void)GxfComponentAddAndGetPtr(context, pointer, tid, ONE_OF(names), &found, &pointer);
      }
  }
}

static void parameters(Chance* chance, gxf_context_t context, gxf_uid_t id) {
  double row[] = {0.5, -1, 1e300}, *rows[] = {row, row};
  const char *texts[] = {"x", "", "long"}, *text = NULL;
  char first[4], second[4], *buffers[] = {first, second};
  int64_t number = (int64_t)below(chance, 200) - 20;
  uint64_t height = below(chance, 3), width = below(chance, 4), room = sizeof first;
  gxf_uid_t cid = kNullUid;
  const char* key = ONE_OF(keys);
  switch (below(chance, 14)) {
    case 0: (void)GxfParameterSetInt64(context, id, key, number); break;
    case 1: (void)GxfParameterSetUInt64(context, id, key, (uint64_t)number); break;
    case 2: (void)GxfParameterSetInt32(context, id, key, (int32_t)number); break;
    case 3: (void)GxfParameterSetStr(context, id, key, ONE_OF(names)); break;
    case 4: (void)GxfParameterSetHandle(context, id, key, any_id(chance)); break;
    case 5: (void)GxfParameterSet1DFloat64Vector(context, id, key, row, width); break;
    case 6: (void)GxfParameterSet2DFloat64Vector(context, id, key, rows, height, width); break;
    case 7: (void)GxfParameterSet1DStrVector(context, id, key, texts, width); break;
    case 8: (void)GxfParameterSetFromYamlText(context, id, key, ONE_OF(yaml), ONE_OF(names)); break;
    case 9: (void)GxfParameterGetAsYamlText(context, id, key, &text); break;
    case 10: (void)GxfParameterGetHandle(context, id, key, &cid); break;
    case 11: (void)GxfParameterGet1DFloat64Vector(context, id, key, row, &width); break;
    case 12: (void)GxfParameterGet2DFloat64Vector(context, id, key, rows, &height, &width); break;
    default: (void)GxfParameterGet1DStrVector(context, id, key, buffers, &height, &room);
  }
}

static void stages(Chance* chance, gxf_context_t context, gxf_uid_t id) {
  switch (below(chance, 10)) {
    case 0: case 1: (void)GxfGraphActivate(context); break;
    case 2: case 3: (void)GxfGraphRunAsync(context); break;
    case 4: (void)GxfGraphInterrupt(context); break;
    case 5:
      /* A graph may go on for ever. */
      (void)GxfGraphInterrupt(context);
      (void)GxfGraphDeactivate(context);
      break;
    case 6: (void)GxfGraphParseString(context, graph, NULL, 0); break;
    case 7: (void)GxfGraphParseString(context, ONE_OF(yaml), NULL, 0); break;
    case 8: (void)GxfEntityNotifyEventType(context, id, (gxf_event_t)below(chance, 8)); break;
    default: (void)GxfGraphSaveToFile(context, "random.yaml");
  }
}

static void* call(void* seed) {
  Chance own = {(uint32_t)(uintptr_t)seed}, *chance = &own;
  for (int number = 1; number <= CALLS; number++) {
    if (number % LIFE == 0) {
      (void)GxfContextDestroy(atomic_exchange(&contexts[below(chance, CONTEXTS)],
                                              new_context_with_parts()));
    }
    gxf_context_t context = contexts[below(chance, CONTEXTS)];
    const gxf_uid_t id = any_id(chance);
    switch (below(chance, 5)) {
      case 0: entities(chance, context, id); break;
      case 1: case 2: components(chance, context, id); break;
      case 3: parameters(chance, context, id); break;
      default: stages(chance, context, id);
    }
  }
  return NULL;
}

int main(void) {
  use_parts();
  alarm(100);
  for (int number = 0; number < CONTEXTS; number++) {
    contexts[number] = new_context_with_parts();
  }
  FILE* log = tmpfile();
  OK(GxfRedirectLog(contexts[0], log));
  pthread_t threads[THREADS];
  for (uintptr_t number = 0; number < THREADS; number++) {
    CHECK(pthread_create(&threads[number], NULL, call, (void*)(number + 1)) == 0);
  }
  for (int number = 0; number < THREADS; number++) {
    CHECK(pthread_join(threads[number], NULL) == 0);
  }
  OK(GxfRedirectLog(contexts[0], NULL));
  for (int number = 0; number < CONTEXTS; number++) {
    OK(GxfContextDestroy(contexts[number]));
  }
  char line[4096];
  rewind(log);
  while (fgets(line, sizeof line, log) != NULL) {
    if (strstr(line, "panicked") != NULL) { fputs(line, stderr); }
    CHECK(strstr(line, "panicked") == NULL);
  }
  fclose(log);
  return done();
}
