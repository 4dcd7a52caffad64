/* NumberSink: receives an int64 on every tick and adds them up. */
#include <inttypes.h>
#include <string.h>

#include "gxf/extension.h"

typedef struct {
  GxeInterfaceRef signal;
  uint64_t count;
  int64_t sum;
} NumberSink;

static void *create(void *storage, const GxeComponentEnvironment *environment) {
  (void)environment;
  return memset(storage, 0, sizeof(NumberSink));
}

static GxeResultCode set_parameter(void *object, const GxeComponentEnvironment *environment,
                                   size_t index, const GxeValue *value) {
  const GxeTid receiver = GXE_TID_RECEIVER;
  NumberSink *self = object;
  if (index != 0) {
    return GxeResultCode_PARAMETER_NOT_FOUND;
  }
  return gxe_read_handle(value, environment, receiver, &self->signal);
}

static void clear_parameters(void *object) {
  NumberSink *self = object;
  gxe_release_handle(&self->signal);
}

static GxeResultCode start(void *object, const GxeTickInfo *info) {
  NumberSink *self = object;
  (void)info;
  self->count = 0;
  self->sum = 0;
  return GxeResultCode_SUCCESS;
}

static GxeResultCode tick(void *object, const GxeTickInfo *info) {
  NumberSink *self = object;
  (void)info;
  const GxeTid number_type = GXE_TID_INT64;
  GxeMessage *message = NULL;
  const GxeReceiverVtable *receiver = self->signal.vtable;
  GxeResultCode code = receiver->receive(self->signal.object, &message);
  if (code != GxeResultCode_SUCCESS) {
    return code;
  }
  GxePayloadRef payload;
  code = gxe_host->message_find(message, number_type, gxe_text("number"), 0, &payload);
  if (code == GxeResultCode_SUCCESS) {
    self->count += 1;
    self->sum = (int64_t)((uint64_t)self->sum + (uint64_t) * (const int64_t *)payload.data);
  } else {
    (void)gxe_failed(code, "the message carries no int64 called `number`");
  }
  /* We own the message we received, so we release it. After this its payload is gone. */
  gxe_host->message_release(message);
  return code;
}

static GxeResultCode stop(void *object, const GxeTickInfo *info) {
  NumberSink *self = object;
  (void)info;
  GXE_LOG_INFO("received %" PRIu64 " numbers, their sum is %" PRId64, self->count, self->sum);
  return GxeResultCode_SUCCESS;
}

static const GxeParameterDescriptor parameters[] = {
    {
        .size = sizeof(GxeParameterDescriptor),
        .key = "signal",
        .description = "Receiver that the numbers arrive in.",
        .element_type = GxeParameterType_HANDLE,
        .handle_tid = GXE_TID_RECEIVER,
    },
};

static const GxeComponentVtable component = {
    .size = sizeof(GxeComponentVtable),
    .set_parameter = set_parameter,
    .clear_parameters = clear_parameters,
};

static const GxeCodeletVtable codelet = {
    .size = sizeof(GxeCodeletVtable),
    .start = start,
    .tick = tick,
    .stop = stop,
};

/* What `signal` carries: `gxe check` finds a connection that does not fit. */
static const GxePortType ports[] = {{.parameter = "signal", .tid = GXE_TID_INT64}};
static const GxePortTypes port_types = {sizeof(GxePortTypes), ports, GXE_COUNT_OF(ports)};

static const GxeInterfaceEntry interfaces[] = {
    {.id = GXE_TID_COMPONENT, .vtable = &component},
    {.id = GXE_TID_CODELET, .vtable = &codelet},
    {.id = GXE_TID_PORT_TYPES, .vtable = &port_types},
};

const GxeComponentType number_sink = {
    .size = sizeof(GxeComponentType),
    .tid = GXE_ID(@sink_id@),
    .base_tid = GXE_TID_CODELET,
    .type_name = "@crate@::NumberSink",
    .description = "Receives an int64 on every tick; logs their number and sum at stop.",
    .instance_size = sizeof(NumberSink),
    .instance_alignment = _Alignof(NumberSink),
    .create = create,
    .parameters = parameters,
    .parameter_count = GXE_COUNT_OF(parameters),
    .interfaces = interfaces,
    .interface_count = GXE_COUNT_OF(interfaces),
};
