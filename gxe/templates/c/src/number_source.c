/* NumberSource: publishes the next number on every tick, as an int64. */
#include <string.h>

#include "gxf/extension.h"

/* An instance. The host allocates it; see `instance_size` below. */
typedef struct {
  GxeInterfaceRef signal;
  int64_t first;
  int64_t count;
} NumberSource;

/* Constructs an instance, here with all bytes zero. */
static void *create(void *storage, const GxeComponentEnvironment *environment) {
  (void)environment;
  return memset(storage, 0, sizeof(NumberSource));
}

/* `index` is the position in the array of descriptors below. */
static GxeResultCode set_parameter(void *object, const GxeComponentEnvironment *environment,
                                   size_t index, const GxeValue *value) {
  const GxeTid transmitter = GXE_TID_TRANSMITTER;
  NumberSource *self = object;
  switch (index) {
    case 0:
      return gxe_read_handle(value, environment, transmitter, &self->signal);
    case 1:
      return gxe_read_int64(value, &self->first);
    default:
      return GxeResultCode_PARAMETER_NOT_FOUND;
  }
}

/* The last call before the host frees the instance. */
static void clear_parameters(void *object) {
  NumberSource *self = object;
  gxe_release_handle(&self->signal);
}

static GxeResultCode start(void *object, const GxeTickInfo *info) {
  NumberSource *self = object;
  (void)info;
  self->count = 0;
  return GxeResultCode_SUCCESS;
}

static GxeResultCode tick(void *object, const GxeTickInfo *info) {
  NumberSource *self = object;
  /* A new message has one reference, which we own. */
  const GxeTid number_type = GXE_TID_INT64;
  GxeMessage *message = NULL;
  GxeResultCode code = gxe_host->message_new(info->environment->context, &message);
  if (code != GxeResultCode_SUCCESS) {
    return code;
  }
  GxePayloadRef payload;
  code = gxe_host->message_add(message, number_type, gxe_text("number"), &payload);
  if (code != GxeResultCode_SUCCESS) {
    gxe_host->message_release(message);
    return code;
  }
  *(int64_t *)payload.data = (int64_t)((uint64_t)self->first + (uint64_t)self->count);
  self->count += 1;
  /* Consumes our reference and returns one to the stamped message, which may be the same. */
  GxeMessage *stamped = NULL;
  code = gxe_host->message_stamp(message, info->timestamp, &stamped);
  if (code != GxeResultCode_SUCCESS) {
    return code;
  }
  /* Calls the interface: a function of its table, with the object first. It consumes the message. */
  const GxeTransmitterVtable *transmitter = self->signal.vtable;
  return transmitter->publish_as_is(self->signal.object, stamped);
}

static const int64_t zero = 0;
static const GxeValue default_first = {GxeParameterType_INT64, 0, 1, &zero};

static const GxeParameterDescriptor parameters[] = {
    {
        .size = sizeof(GxeParameterDescriptor),
        .key = "signal",
        .description = "Transmitter that publishes the numbers.",
        .element_type = GxeParameterType_HANDLE,
        .handle_tid = GXE_TID_TRANSMITTER,
    },
    {
        .size = sizeof(GxeParameterDescriptor),
        .key = "first",
        .description = "First number.",
        .element_type = GxeParameterType_INT64,
        .default_value = &default_first,
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
};

/* What `signal` carries: `gxe check` finds a connection that does not fit. */
static const GxePortType ports[] = {{.parameter = "signal", .tid = GXE_TID_INT64}};
static const GxePortTypes port_types = {sizeof(GxePortTypes), ports, GXE_COUNT_OF(ports)};

static const GxeInterfaceEntry interfaces[] = {
    {.id = GXE_TID_COMPONENT, .vtable = &component},
    {.id = GXE_TID_CODELET, .vtable = &codelet},
    {.id = GXE_TID_PORT_TYPES, .vtable = &port_types},
};

const GxeComponentType number_source = {
    .size = sizeof(GxeComponentType),
    .tid = GXE_ID(@source_id@),
    .base_tid = GXE_TID_CODELET,
    .type_name = "@crate@::NumberSource",
    .description = "Publishes the next number on every tick, as an int64.",
    .instance_size = sizeof(NumberSource),
    .instance_alignment = _Alignof(NumberSource),
    .create = create,
    .parameters = parameters,
    .parameter_count = GXE_COUNT_OF(parameters),
    .interfaces = interfaces,
    .interface_count = GXE_COUNT_OF(interfaces),
};
