/* The life of a graph: loaded, activated, run, interrupted, deactivated; and calls out of order. */
#include "parts.h"

static const char scheduler[] =
    "name: scheduler\n"
    "components:\n"
    "- {name: clock, type: nvidia::gxf::ManualClock}\n"
    "- name: greedy\n"
    "  type: nvidia::gxf::GreedyScheduler\n"
    "  parameters: {clock: clock}\n";

static const char counted[] =
    "name: worker\n"
    "components:\n"
    "- {name: ticker, type: test::Ticker}\n"
    "- name: count\n"
    "  type: nvidia::gxf::CountSchedulingTerm\n"
    "  parameters: {count: 3}\n";

static const char endless[] =
    "name: worker\n"
    "components:\n"
    "- {name: ticker, type: test::Ticker}\n";

static gxf_context_t loaded(const char* worker) {
  gxf_context_t context = new_context_with_parts();
  OK(GxfGraphParseString(context, scheduler, NULL, 0));
  OK(GxfGraphParseString(context, worker, NULL, 0));
  initialized = deinitialized = started = ticked = stopped = 0;
  return context;
}

static gxf_context_t running;
static gxf_uid_t running_entity;
static gxf_entity_status_t seen_status;

static void look_and_interrupt(const GxeTickInfo* info) {
  running = info->environment->context;
  running_entity = info->environment->eid;
  OK(GxfEntityGetStatus(running, running_entity, &seen_status));
  OK(GxfEntityEventNotify(running, running_entity));
  OK(GxfEntityNotifyEventType(running, running_entity, GXF_EVENT_STATE_UPDATE));
  EXPECT(GXF_INVALID_ENUM, GxfEntityNotifyEventType(running, running_entity, (gxf_event_t)6));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityEventNotify(running, NOBODY));
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphActivate(running));
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphRunAsync(running));
  OK(GxfGraphInterrupt(running));
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphInterrupt(running));
}

int main(void) {
  use_parts();

  /* From beginning to end. */
  gxf_context_t context = loaded(counted);
  gxf_uid_t worker = 0;
  OK(GxfEntityFind(context, "worker", &worker));
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphRunAsync(context));
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphRun(context));
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphInterrupt(context));
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfEntityEventNotify(context, worker));
  OK(GxfGraphWait(context));
  OK(GxfGraphDeactivate(context));
  CHECK(initialized == 0);
  OK(GxfGraphActivate(context));
  CHECK(initialized == 1 && started == 0);
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphActivate(context));
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphInterrupt(context));
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfEntityEventNotify(context, worker));
  OK(GxfGraphRunAsync(context));
  OK(GxfGraphWait(context));
  OK(GxfGraphWait(context));
  CHECK(started == 1 && ticked == 3 && stopped == 1);
  OK(GxfGraphDeactivate(context));
  CHECK(deinitialized == 1);
  OK(GxfGraphDeactivate(context));
  /* And again. */
  OK(GxfGraphActivate(context));
  OK(GxfGraphRun(context));
  CHECK(ticked == 6);
  OK(GxfGraphDeactivate(context));
  OK(GxfContextDestroy(context));

  /* Interrupted from within; other calls do not fit a graph that runs. */
  context = loaded(endless);
  on_tick = look_and_interrupt;
  OK(GxfGraphActivate(context));
  OK(GxfGraphRun(context));
  CHECK(running == context && ticked == 1);
  CHECK(seen_status == GXF_ENTITY_STATUS_TICKING);
  OK(GxfGraphDeactivate(context));
  CHECK(stopped == 1 && deinitialized == 1);
  on_tick = NULL;
  OK(GxfContextDestroy(context));

  /* Destroyed while it runs. */
  context = loaded(endless);
  OK(GxfGraphActivate(context));
  OK(GxfGraphRunAsync(context));
  OK(GxfContextDestroy(context));
  CHECK(initialized == 1 && deinitialized == 1 && started == stopped);

  /* What fails is undone, and its code is the result. */
  context = loaded(counted);
  initialize_code = GxeResultCode_OUT_OF_MEMORY;
  EXPECT(GXF_OUT_OF_MEMORY, GxfGraphActivate(context));
  initialize_code = GxeResultCode_SUCCESS;
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphRunAsync(context));
  tick_code = GxeResultCode_CONTRACT_MESSAGE_NOT_AVAILABLE;
  OK(GxfGraphActivate(context));
  OK(GxfGraphRunAsync(context));
  EXPECT(GXF_CONTRACT_MESSAGE_NOT_AVAILABLE, GxfGraphWait(context));
  /* The graph is down by then. */
  OK(GxfGraphWait(context));
  OK(GxfGraphDeactivate(context));
  OK(GxfGraphActivate(context));
  EXPECT(GXF_CONTRACT_MESSAGE_NOT_AVAILABLE, GxfGraphRun(context));
  tick_code = GxeResultCode_SUCCESS;
  OK(GxfGraphActivate(context));
  deinitialize_code = GxeResultCode_INVALID_DATA_FORMAT;
  EXPECT(GXF_INVALID_DATA_FORMAT, GxfGraphDeactivate(context));
  deinitialize_code = GxeResultCode_SUCCESS;
  OK(GxfContextDestroy(context));

  /* A mandatory parameter is missing. */
  context = new_context_with_parts();
  OK(GxfGraphParseString(context,
                         "name: e\n"
                         "components: [{type: nvidia::gxf::PeriodicSchedulingTerm}]\n",
                         NULL, 0));
  EXPECT(GXF_PARAMETER_MANDATORY_NOT_SET, GxfGraphActivate(context));
  OK(GxfContextDestroy(context));

  /* Epochs, of which each executes what is ready once; the first one starts it. */
  context = new_context_with_parts();
  OK(GxfGraphParseString(context,
                         "components:\n"
                         "- {name: clock, type: nvidia::gxf::ManualClock}\n"
                         "- {type: nvidia::gxf::EpochScheduler, parameters: {clock: clock}}\n",
                         NULL, 0));
  OK(GxfGraphParseString(context, counted, NULL, 0));
  started = ticked = 0;
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphRunEpoch(context, 0.0f));
  OK(GxfGraphActivate(context));
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphRunEpoch(context, 0.0f));
  OK(GxfGraphRunAsync(context));
  for (int epoch = 1; epoch <= 4; epoch++) {
    OK(GxfGraphRunEpoch(context, epoch % 2 == 0 ? -1.0f : 0.0f));
    CHECK(started == 1 && ticked == epoch - 1);
  }
  OK(GxfGraphRunEpoch(context, 1e30f));
  OK(GxfGraphInterrupt(context));
  OK(GxfGraphWait(context));
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE, GxfGraphRunEpoch(context, 1.0f));
  OK(GxfGraphDeactivate(context));
  OK(GxfContextDestroy(context));

  /* A graph with nothing in it goes through all stages. */
  context = new_context();
  OK(GxfGraphActivate(context));
  OK(GxfGraphRun(context));
  OK(GxfGraphDeactivate(context));
  OK(GxfContextDestroy(context));
  return done();
}
