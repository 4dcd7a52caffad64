/* A graph from a file and from text, under every scheduler: looked at, run twice, interrupted from
 * another thread while several wait, saved and loaded again. Runs in a folder it may write to. */
#include "check.h"

#include <pthread.h>
#include <unistd.h>

static const char pings[] =
    "name: tx\n"
    "components:\n"
    "- name: signal\n"
    "  type: nvidia::gxf::DoubleBufferTransmitter\n"
    "- type: nvidia::gxf::PingTx\n"
    "  parameters: {signal: signal, clock: scheduler/clock}\n"
    "- name: count\n"
    "  type: nvidia::gxf::CountSchedulingTerm\n"
    "  parameters: {count: 10}\n"
    "- type: nvidia::gxf::DownstreamReceptiveSchedulingTerm\n"
    "  parameters: {transmitter: signal, min_size: 1}\n"
    "---\n"
    "name: rx\n"
    "components:\n"
    "- name: signal\n"
    "  type: nvidia::gxf::DoubleBufferReceiver\n"
    "- type: nvidia::gxf::MessageAvailableSchedulingTerm\n"
    "  parameters: {receiver: signal, min_size: 1}\n"
    "- type: nvidia::gxf::PingRx\n"
    "  parameters: {signal: signal}\n"
    "- name: steps\n"
    "  type: nvidia::gxf::test::StepCount\n"
    "  parameters: {expected_start_count: 1, expected_count: 10}\n"
    "---\n"
    "components:\n"
    "- type: nvidia::gxf::Connection\n"
    "  parameters: {source: tx/signal, target: rx/signal}\n";

static const char endless[] =
    "name: tx\n"
    "components:\n"
    "- type: nvidia::gxf::HelloWorld\n"
    "- type: nvidia::gxf::PeriodicSchedulingTerm\n"
    "  parameters: {recess_period: 100Hz}\n";

static const char* const schedulers[] = {
    "nvidia::gxf::GreedyScheduler",
    "nvidia::gxf::MultiThreadScheduler",
    "nvidia::gxf::EventBasedScheduler",
};
enum { SCHEDULERS = sizeof schedulers / sizeof schedulers[0] };

static void with_scheduler(char* text, size_t size, const char* entities, int scheduler) {
  snprintf(text, size,
           "%s---\n"
           "name: scheduler\n"
           "components:\n"
           "- {name: clock, type: nvidia::gxf::RealtimeClock}\n"
           "- {type: %s, parameters: {clock: clock}}\n",
           entities, schedulers[scheduler]);
}

static gxf_context_t with_extensions(void) {
  gxf_context_t context = new_context();
  const char* const libraries[] = {"gxf/std/libgxf_std.so", "gxf/sample/libgxf_sample.so",
                                   "gxf/test/libgxf_test.so"};
  const GxfLoadExtensionsInfo info = {libraries, 3, NULL, 0, NULL};
  OK(GxfLoadExtensions(context, &info));
  return context;
}

static void look(gxf_context_t context) {
  gxf_uid_t eids[kMaxEntities], tx = 0, cid = 0, entity = 0;
  uint64_t count = kMaxEntities;
  OK(GxfEntityFindAll(context, &count, eids));
  CHECK(count == 4);
  count = 2;
  EXPECT(GXF_RESULT_ARRAY_TOO_SMALL, GxfEntityFindAll(context, &count, eids));
  CHECK(count == 4);
  OK(GxfEntityFind(context, "tx", &tx));
  const gxf_tid_t term = tid_of(context, "nvidia::gxf::SchedulingTerm");
  const gxf_tid_t transmitter = tid_of(context, "nvidia::gxf::Transmitter");
  const char* name = NULL;
  /* One after the other, by their base. */
  int32_t offset = 0;
  OK(GxfComponentFind(context, tx, term, NULL, &offset, &cid));
  OK(GxfComponentName(context, cid, &name));
  CHECK(offset == 2);
  CHECK_TEXT("count", name);
  offset++;
  OK(GxfComponentFind(context, tx, term, NULL, &offset, &cid));
  CHECK(offset == 3);
  offset++;
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,
         GxfComponentFind(context, tx, term, NULL, &offset, &cid));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,
         GxfComponentFind(context, tx, transmitter, "count", NULL, &cid));
  OK(GxfComponentFind(context, tx, GxfTidNull(), "signal", NULL, &cid));
  OK(GxfComponentEntity(context, cid, &entity));
  CHECK(entity == tx);
  void *item = NULL, *found = NULL, *pointer = NULL;
  OK(GxfEntityGetItemPtr(context, tx, &item));
  OK(GxfComponentFindAndGetPtr(context, tx, item, transmitter, "signal", NULL, &cid, &found));
  OK(GxfComponentPointer(context, cid, transmitter, &pointer));
  CHECK(found == pointer);
}

static void run(gxf_context_t context) {
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphRun(context));
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphInterrupt(context));
  OK(GxfGraphWait(context));
  OK(GxfGraphDeactivate(context));
  for (int times = 0; times < 2; times++) {
    OK(GxfGraphActivate(context));
    EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphActivate(context));
    OK(GxfGraphRunAsync(context));
    OK(GxfGraphWait(context));
    OK(GxfGraphDeactivate(context));
  }
}

/* The counter checks at its end what it was told to expect. */
static void run_and_fail(gxf_context_t context) {
  gxf_uid_t rx = 0, steps = 0;
  OK(GxfEntityFind(context, "rx", &rx));
  OK(GxfComponentFind(context, rx, GxfTidNull(), "steps", NULL, &steps));
  OK(GxfParameterSetUInt64(context, steps, "expected_count", 11));
  OK(GxfGraphActivate(context));
  OK(GxfGraphRun(context));
  EXPECT(GXF_FAILURE, GxfGraphDeactivate(context));
  OK(GxfParameterSetUInt64(context, steps, "expected_count", 10));
}

static void* interrupt(void* context) {
  usleep(20000);
  OK(GxfGraphInterrupt(context));
  return NULL;
}

static void* wait_for_end(void* context) {
  OK(GxfGraphWait(context));
  return NULL;
}

static void end_from_outside(gxf_context_t context) {
  gxf_uid_t tx = 0;
  OK(GxfEntityFind(context, "tx", &tx));
  for (int times = 0; times < 2; times++) {
    OK(GxfGraphActivate(context));
    OK(GxfGraphRunAsync(context));
    EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphRunAsync(context));
    OK(GxfEntityEventNotify(context, tx));
    OK(GxfEntityNotifyEventType(context, tx, GXF_EVENT_STATE_UPDATE));
    pthread_t threads[3];
    CHECK(pthread_create(&threads[0], NULL, interrupt, context) == 0);
    CHECK(pthread_create(&threads[1], NULL, wait_for_end, context) == 0);
    CHECK(pthread_create(&threads[2], NULL, wait_for_end, context) == 0);
    OK(GxfGraphWait(context));
    for (int thread = 0; thread < 3; thread++) {
      CHECK(pthread_join(threads[thread], NULL) == 0);
    }
    OK(GxfGraphDeactivate(context));
    EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfEntityEventNotify(context, tx));
  }
}

int main(void) {
  alarm(60);
  for (int scheduler = 0; scheduler < SCHEDULERS; scheduler++) {
    char text[2048];
    with_scheduler(text, sizeof text, pings, scheduler);
    gxf_context_t context = with_extensions();
    OK(GxfGraphParseString(context, text, NULL, 0));
    look(context);
    run(context);
    run_and_fail(context);
    OK(GxfGraphSaveToFile(context, "saved.yaml"));
    OK(GxfContextDestroy(context));

    context = with_extensions();
    OK(GxfGraphLoadFile(context, "saved.yaml", NULL, 0));
    look(context);
    run(context);
    OK(GxfContextDestroy(context));

    with_scheduler(text, sizeof text, endless, scheduler);
    context = with_extensions();
    OK(GxfGraphParseString(context, text, NULL, 0));
    end_from_outside(context);
    OK(GxfContextDestroy(context));
    EXPECT(GXF_CONTEXT_INVALID, GxfGraphWait(context));
  }
  return done();
}
