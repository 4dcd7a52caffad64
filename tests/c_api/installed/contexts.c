/* Many contexts at once, each in a thread of its own: some share their types, some are interrupted,
 * and each runs its graph twice. */
#include "check.h"

#include <pthread.h>
#include <unistd.h>

static const char graph[] =
    "name: tx\n"
    "components:\n"
    "- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}\n"
    "- {type: nvidia::gxf::PingTx, parameters: {signal: out}}\n"
    "- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 200}}\n"
    "- type: nvidia::gxf::DownstreamReceptiveSchedulingTerm\n"
    "  parameters: {transmitter: out, min_size: 1}\n"
    "---\n"
    "name: rx\n"
    "components:\n"
    "- {name: in, type: nvidia::gxf::DoubleBufferReceiver}\n"
    "- type: nvidia::gxf::MessageAvailableSchedulingTerm\n"
    "  parameters: {receiver: in, min_size: 1}\n"
    "- type: nvidia::gxf::test::PingPollRx\n"
    "  parameters: {signal: in, expected_counter: 200}\n"
    "---\n"
    "components:\n"
    "- {type: nvidia::gxf::Connection, parameters: {source: tx/out, target: rx/in}}\n"
    "---\n"
    "name: scheduler\n"
    "components:\n"
    "- {name: clock, type: nvidia::gxf::ManualClock}\n"
    "- type: nvidia::gxf::MultiThreadScheduler\n"
    "  parameters: {clock: clock, worker_thread_number: 2}\n";

enum { THREADS = 6, LIVES = 6 };
static gxf_context_t shared;

static gxf_context_t with_extensions(void) {
  gxf_context_t context = new_context();
  const char* const libraries[] = {"libgxf_sample.so", "libgxf_test.so"};
  const GxfLoadExtensionsInfo info = {libraries, 2, NULL, 0, NULL};
  OK(GxfLoadExtensions(context, &info));
  return context;
}

static void* live(void* number) {
  for (int life = 0; life < LIVES; life++) {
    gxf_context_t context = NULL;
    if ((uintptr_t)number % 2 == 0) {
      OK(GxfContextCreateShared(shared, &context));
    } else {
      context = with_extensions();
    }
    OK(GxfGraphParseString(context, graph, NULL, 0));
    gxf_uid_t rx = 0;
    OK(GxfEntityFind(context, "rx", &rx));
    for (int times = 0; times < 2; times++) {
      gxf_entity_status_t status;
      OK(GxfGraphActivate(context));
      OK(GxfGraphRunAsync(context));
      OK(GxfEntityGetStatus(context, rx, &status));
      if (life % 3 == 2) {
        /* The run may be over, and whether all messages came nobody knows. */
        (void)GxfGraphInterrupt(context);
        OK(GxfGraphWait(context));
        (void)GxfGraphDeactivate(context);
      } else {
        OK(GxfGraphWait(context));
        OK(GxfGraphDeactivate(context));
      }
    }
    OK(GxfContextDestroy(context));
  }
  return NULL;
}

int main(void) {
  alarm(60);
  gxf_context_t first = with_extensions();
  OK(GxfGetSharedContext(first, &shared));
  pthread_t threads[THREADS];
  for (uintptr_t number = 0; number < THREADS; number++) {
    CHECK(pthread_create(&threads[number], NULL, live, (void*)number) == 0);
  }
  for (int number = 0; number < THREADS; number++) {
    CHECK(pthread_join(threads[number], NULL) == 0);
  }
  OK(GxfContextDestroy(first));
  return done();
}
