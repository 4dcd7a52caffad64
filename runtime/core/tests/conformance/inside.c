/* Calls from within a graph, out of every stage of a codelet and under every scheduler: what would
 * wait for itself is refused at once, everything else works. A call that hangs is a failure: the
 * alarm ends the program. */
#include "parts.h"

#include <pthread.h>
#include <unistd.h>

static const char* const schedulers[] = {
    "nvidia::gxf::GreedyScheduler, parameters: {clock: clock}",
    "nvidia::gxf::MultiThreadScheduler, parameters: {clock: clock}",
    "nvidia::gxf::MultiThreadScheduler, parameters: {clock: clock, worker_thread_number: 2}",
    "nvidia::gxf::EventBasedScheduler, parameters: {clock: clock, worker_thread_number: 2}",
};
enum { SCHEDULERS = sizeof schedulers / sizeof schedulers[0] };

static gxf_context_t loaded(int scheduler, const char* rest) {
  char text[1024];
  gxf_context_t context = new_context_with_parts();
  snprintf(text, sizeof text,
           "name: scheduler\n"
           "components:\n"
           "- {name: clock, type: nvidia::gxf::RealtimeClock}\n"
           "- {type: %s}\n"
           "---\n"
           "name: worker\n"
           "components:\n"
           "- {name: ticker, type: test::Ticker}\n"
           "- {name: values, type: test::Values}\n"
           "%s",
           schedulers[scheduler], rest);
  OK(GxfGraphParseString(context, text, NULL, 0));
  initialized = deinitialized = started = ticked = stopped = 0;
  return context;
}

static int is(const char* stage, const char* name) {
  return strcmp(stage, name) == 0;
}

/* Everything that cannot be done from within. */
static void refused(const char* stage, const GxeComponentEnvironment* environment) {
  gxf_context_t context = environment->context;
  gxf_uid_t worker = environment->eid;
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphActivate(context));
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphRunAsync(context));
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphRun(context));
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphDeactivate(context));
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfContextDestroy(context));
  if (is(stage, "start") || is(stage, "tick")) {
    EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphWait(context));
  } else if (!is(stage, "stop")) {
    /* There is no run to wait for. */
    OK(GxfGraphWait(context));
  }
  EXPECT(GXF_INVALID_LIFECYCLE_STAGE, GxfEntityActivate(context, worker));
  EXPECT(GXF_INVALID_LIFECYCLE_STAGE, GxfEntityDeactivate(context, worker));
  EXPECT(GXF_INVALID_LIFECYCLE_STAGE, GxfEntityDestroy(context, worker));
  bool valid = false;
  OK(GxfEntityIsValid(context, worker, &valid));
  CHECK(valid);
}

/* What can be done from within. */
static void allowed(const char* stage, const GxeComponentEnvironment* environment) {
  gxf_context_t context = environment->context;
  gxf_uid_t worker = environment->eid, values = 0, other = 0;
  OK(GxfComponentFind(context, worker, GxfTidNull(), "values", NULL, &values));
  OK(GxfParameterSetInt64(context, values, "int64", ticked));
  int64_t number = -1;
  OK(GxfParameterGetInt64(context, values, "int64", &number));
  CHECK(number == ticked);
  OK(GxfParameterSetFromYamlText(context, values, "int64s", "[1, 2]", ""));
  OK(GxfGraphSaveToFile(context, "saved.yaml"));
  if (is(stage, "tick")) {
    GxfEntityCreateInfo info = {NULL, GXF_ENTITY_CREATE_PROGRAM_BIT};
    OK(GxfCreateEntity(context, &info, &other));
    new_component(context, other, "test::Values", "others");
    OK(GxfEntityActivate(context, other));
    OK(GxfEntityDestroy(context, other));
    OK(GxfGraphInterrupt(context));
  }
}

static void everything(const char* stage, const GxeComponentEnvironment* environment) {
  refused(stage, environment);
  allowed(stage, environment);
}

/* Another graph is none of this one's business. */
static void run_another(const GxeTickInfo* info) {
  on_tick = NULL;
  gxf_context_t other = loaded(0, "- {type: nvidia::gxf::CountSchedulingTerm,"
                                  " parameters: {count: 2}}\n");
  OK(GxfGraphActivate(other));
  OK(GxfGraphRun(other));
  OK(GxfGraphWait(other));
  gxf_uid_t same_number = info->environment->eid;
  OK(GxfEntityDeactivate(other, same_number));
  OK(GxfGraphDeactivate(other));
  OK(GxfContextDestroy(other));
  OK(GxfGraphInterrupt(info->environment->context));
}

static pthread_t helper;
static gxf_result_t helper_code;

static void* wait_for_the_end(void* context) {
  helper_code = GxfGraphWait(context);
  return NULL;
}

static void* take_down(void* context) {
  helper_code = GxfGraphDeactivate(context);
  return NULL;
}

static void* destroy(void* context) {
  helper_code = GxfContextDestroy(context);
  return NULL;
}

static void* set_a_parameter(void* context) {
  gxf_uid_t worker = 0, values = 0;
  OK(GxfEntityFind(context, "worker", &worker));
  OK(GxfComponentFind(context, worker, GxfTidNull(), "values", NULL, &values));
  helper_code = GxfParameterSetInt64(context, values, "int64", 7);
  return NULL;
}

static void* (*helper_work)(void* context);

static void begin_helper(const GxeTickInfo* info) {
  if (ticked == 1) {
    CHECK(pthread_create(&helper, NULL, helper_work, info->environment->context) == 0);
  }
  if (ticked == 3) {
    GxfGraphInterrupt(info->environment->context);
  }
}

static void fail_with_helper(const GxeTickInfo* info) {
  if (ticked == 1) {
    CHECK(pthread_create(&helper, NULL, helper_work, info->environment->context) == 0);
  }
  tick_code = ticked == 3 ? GxeResultCode_OUT_OF_MEMORY : GxeResultCode_SUCCESS;
}

static bool joined;

static void join_in_deinitialize(const char* stage, const GxeComponentEnvironment* environment) {
  (void)environment;
  /* It may be the helper that learns of the end first and takes the graph down. */
  if (is(stage, "deinitialize") && !pthread_equal(helper, pthread_self())) {
    CHECK(pthread_join(helper, NULL) == 0);
    joined = true;
  }
}

static void help_and_join(const GxeTickInfo* info) {
  CHECK(pthread_create(&helper, NULL, set_a_parameter, info->environment->context) == 0);
  CHECK(pthread_join(helper, NULL) == 0);
  GxfGraphInterrupt(info->environment->context);
}

/* Lets another entity join, while others want this one to leave. */
static pthread_t remover;
static void* remove_worker(void* context) {
  gxf_uid_t worker = 0;
  OK(GxfEntityFind(context, "worker", &worker));
  OK(GxfEntityDeactivate(context, worker));
  return NULL;
}

static void join_while_leaving(const GxeTickInfo* info) {
  gxf_context_t context = info->environment->context;
  on_tick = NULL;
  CHECK(pthread_create(&remover, NULL, remove_worker, context) == 0);
  gxf_entity_status_t status = GXF_ENTITY_STATUS_TICKING;
  /* The entity that leaves has no status any more. */
  while (status == GXF_ENTITY_STATUS_TICKING) {
    OK(GxfEntityGetStatus(context, info->environment->eid, &status));
  }
  gxf_uid_t other = new_entity(context, "other", GXF_ENTITY_CREATE_PROGRAM_BIT);
  new_component(context, other, "test::Values", "others");
  OK(GxfEntityActivate(context, other));
}

static void one(int scheduler) {
  gxf_context_t context = loaded(scheduler, "");
  on_stage = everything;
  OK(GxfGraphActivate(context));
  OK(GxfGraphRun(context));
  CHECK(started == 1 && ticked == 1);
  OK(GxfGraphDeactivate(context));
  CHECK(initialized == 1 && deinitialized == 1 && stopped == 1);
  on_stage = NULL;
  OK(GxfContextDestroy(context));

  context = loaded(scheduler, "");
  on_tick = run_another;
  OK(GxfGraphActivate(context));
  OK(GxfGraphRun(context));
  OK(GxfContextDestroy(context));

  /* Several threads wait for one run; each learns of its end. */
  helper_work = wait_for_the_end;
  context = loaded(scheduler, "");
  on_tick = begin_helper;
  OK(GxfGraphActivate(context));
  OK(GxfGraphRun(context));
  CHECK(pthread_join(helper, NULL) == 0);
  CHECK(helper_code == GXF_SUCCESS);
  OK(GxfContextDestroy(context));

  /* One of them is joined by what the other one does at the end. */
  context = loaded(scheduler, "");
  on_tick = fail_with_helper;
  on_stage = join_in_deinitialize;
  OK(GxfGraphActivate(context));
  joined = false;
  EXPECT(GXF_OUT_OF_MEMORY, GxfGraphRun(context));
  if (!joined) {
    CHECK(pthread_join(helper, NULL) == 0);
  }
  CHECK(helper_code == GXF_OUT_OF_MEMORY || helper_code == GXF_SUCCESS);
  tick_code = GxeResultCode_SUCCESS;
  on_stage = NULL;
  OK(GxfContextDestroy(context));

  /* Others take the graph down while this thread waits for its end. */
  on_tick = begin_helper;
  helper_work = take_down;
  context = loaded(scheduler, "");
  OK(GxfGraphActivate(context));
  OK(GxfGraphRun(context));
  CHECK(pthread_join(helper, NULL) == 0);
  CHECK(helper_code == GXF_SUCCESS);
  OK(GxfContextDestroy(context));
  helper_work = destroy;
  context = loaded(scheduler, "");
  OK(GxfGraphActivate(context));
  OK(GxfGraphRun(context));
  CHECK(pthread_join(helper, NULL) == 0);
  CHECK(helper_code == GXF_SUCCESS);
  EXPECT(GXF_CONTEXT_INVALID, GxfGraphWait(context));

  /* A tick waits for somebody who sets a parameter of its entity. */
  on_tick = help_and_join;
  context = loaded(scheduler, "");
  OK(GxfGraphActivate(context));
  OK(GxfGraphRun(context));
  CHECK(helper_code == GXF_SUCCESS);
  OK(GxfContextDestroy(context));

  on_tick = join_while_leaving;
  context = loaded(scheduler, "");
  OK(GxfGraphActivate(context));
  OK(GxfGraphRun(context));
  CHECK(pthread_join(remover, NULL) == 0);
  CHECK(started == 1 && stopped == 1 && deinitialized == 1);
  on_tick = NULL;
  OK(GxfContextDestroy(context));
}

static void activate_entity(const char* stage, const GxeComponentEnvironment* environment) {
  if (is(stage, "create")) {
    OK(GxfEntityActivate(environment->context, environment->eid));
  }
}

/* An entity becomes active while a component is being made for it, which comes too late. */
static void too_late(void) {
  gxf_context_t context = new_context_with_parts();
  gxf_uid_t eid = new_entity(context, "early", GXF_ENTITY_CREATE_PROGRAM_BIT), cid = kNullUid;
  new_component(context, eid, "test::Values", "values");
  initialized = deinitialized = 0;
  on_stage = activate_entity;
  EXPECT(GXF_ENTITY_CAN_NOT_ADD_COMPONENT_AFTER_INITIALIZATION,
         GxfComponentAdd(context, eid, tid_of(context, "test::Ticker"), "late", &cid));
  on_stage = NULL;
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,
         GxfComponentFind(context, eid, GxfTidNull(), "late", NULL, &cid));
  OK(GxfEntityDeactivate(context, eid));
  CHECK(initialized == 0 && deinitialized == 0);
  new_component(context, eid, "test::Ticker", "late");
  OK(GxfContextDestroy(context));
}

int main(void) {
  use_parts();
  alarm(60);
  too_late();
  for (int scheduler = 0; scheduler < SCHEDULERS; scheduler++) {
    one(scheduler);
  }
  return done();
}
