/* Several contexts, and several threads in one. */
#include "parts.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 50 };

static gxf_context_t common;

/* A context of its own, with a graph that runs. */
static void* own_context(void* unused) {
  for (int round = 0; round < 5; round++) {
    gxf_context_t context = new_context();
    OK(GxfGraphParseString(context,
                           "name: e\n"
                           "components:\n"
                           "- {name: rx, type: nvidia::gxf::DoubleBufferReceiver}\n"
                           "- {name: tx, type: nvidia::gxf::DoubleBufferTransmitter}\n"
                           "- {name: f, type: nvidia::gxf::Forward,"
                           " parameters: {in: rx, out: tx}}\n"
                           "- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 0}}\n"
                           "---\n"
                           "components:\n"
                           "- {name: clock, type: nvidia::gxf::ManualClock}\n"
                           "- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}\n",
                           NULL, 0));
    OK(GxfGraphActivate(context));
    OK(GxfGraphRun(context));
    OK(GxfGraphDeactivate(context));
    OK(GxfContextDestroy(context));
  }
  return unused;
}

/* Objects that come and go in a context all threads know. */
static void* common_context(void* number) {
  char name[32];
  gxf_tid_t values = tid_of(common, "test::Values");
  gxf_tid_t point = tid_of(common, "test::Point");
  for (int round = 0; round < ROUNDS; round++) {
    snprintf(name, sizeof name, "entity_%d_%d", *(int*)number, round);
    gxf_uid_t eid = new_entity(common, name, 0);
    gxf_uid_t cid = 0;
    OK(GxfComponentAdd(common, eid, values, "values", &cid));
    OK(GxfParameterSetInt64(common, cid, "int64", round));
    int64_t read = -1;
    OK(GxfParameterGetInt64(common, cid, "int64", &read));
    CHECK(read == round);
    const char* text = NULL;
    OK(GxfEntityGetName(common, eid, &text));
    CHECK_TEXT(name, text);
    gxf_uid_t message = new_entity(common, NULL, 0);
    OK(GxfEntityRefCountInc(common, message));
    OK(GxfComponentAdd(common, message, point, "p", NULL));
    OK(GxfEntityRefCountDec(common, message));
    OK(GxfEntityDestroy(common, eid));
  }
  return NULL;
}

/* Calls into a context that is destroyed meanwhile: each succeeds or says why not. */
static void* doomed_context(void* context) {
  uint64_t count = 0;
  gxf_result_t code = GXF_SUCCESS;
  while (code != GXF_CONTEXT_INVALID) {
    code = GxfEntityFindAll(context, &count, NULL);
    CHECK(code == GXF_SUCCESS || code == GXF_RESULT_ARRAY_TOO_SMALL ||
          code == GXF_CONTEXT_INVALID || code == GXF_ARGUMENT_NULL);
  }
  return NULL;
}

int main(void) {
  use_parts();
  pthread_t threads[THREADS];
  int numbers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    CHECK(pthread_create(&threads[i], NULL, own_context, NULL) == 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
  }
  common = new_context_with_parts();
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    CHECK(pthread_create(&threads[i], NULL, common_context, &numbers[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
  }
  for (int i = 0; i < THREADS; i++) {
    CHECK(pthread_create(&threads[i], NULL, doomed_context, common) == 0);
  }
  OK(GxfContextDestroy(common));
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
  }
  return done();
}
