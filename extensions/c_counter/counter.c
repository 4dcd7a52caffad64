/* A complete extension in plain C: two codelets that count and add up.
 *
 * Read it from the bottom to the top to follow the host: it finds the one exported symbol, calls
 * its factory, and from then on uses the tables that the factory returned. From the top to the
 * bottom it is in the order C wants:
 *
 *   1. ids            128 random bits for each type, and the ids of what we look up;
 *   2. helpers        text for the log, errors, handles;
 *   3. CounterSource  publishes int64 numbers;
 *   4. CounterSink    receives them and logs their sum;
 *   5. the factory    what the host calls and the symbol it looks for.
 *
 * Rules of the ABI that matter here (plugin_abi.h has all of them): every table starts with its own
 * size; a function that fails may report a text, then returns a code other than 0; `publish_as_is`
 * takes over the caller's reference to the message, even when it fails.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "gxf/plugin_abi.h"

/* --- 1. ids -------------------------------------------------------------------------------- */

/* Ours; made once with any source of random numbers and never changed. */
#define EXTENSION_ID {UINT64_C(0x6842cea98d9f49b2), UINT64_C(0xab3ec6e1c2ccf56b)}
#define SOURCE_ID {UINT64_C(0x440e71f6022b49f7), UINT64_C(0x8eeff0438c0fe401)}
#define SINK_ID {UINT64_C(0xea932b9219044493), UINT64_C(0xbee1bb7d1f6db4ff)}

/* GXF's id of the type int64. The ids of GXF's base types are in plugin_abi.h; each is also the id
 * of the type's interface. */
#define INT64_ID {UINT64_C(0xc611627b6393365f), UINT64_C(0xd2341f26bfa8d28f)}

static const GxeTid receiver_id = GXE_TID_RECEIVER;
static const GxeTid transmitter_id = GXE_TID_TRANSMITTER;
static const GxeTid int64_id = INT64_ID;

/* Severities of the log. */
enum { SEVERITY_INFO = 3, SEVERITY_DEBUG = 4 };

/* --- 2. helpers ---------------------------------------------------------------------------- */

/* The host's functions: one table for the whole process, remembered by the factory. */
static const GxeHostTable *host;

/* Text crosses with its length and without a zero byte at its end. */
static GxeText text(const char *string) {
  return (GxeText){.data = (const uint8_t *)string, .length = strlen(string)};
}

/* Writes a line to the host's log, as printf does. */
static void log_line(int32_t severity, uint32_t line, const char *format, ...) {
  char buffer[160];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  host->log(severity, "c_counter", __FILE__, line, text(buffer));
}

/* Returns a code and says why; the host shows the text beside the name of the component. */
static GxeResultCode failed(GxeResultCode code, const char *why) {
  host->report_error(text(why));
  return code;
}

/* Reads a parameter of type int64. */
static GxeResultCode read_int64(const GxeValue *value, int64_t *result) {
  if (value == NULL) {
    *result = 0;
    return GxeResultCode_SUCCESS;
  }
  if (value->element_type != GxeParameterType_INT64 || value->rank != 0) {
    return failed(GxeResultCode_PARAMETER_INVALID_TYPE, "expected one 64-bit integer");
  }
  *result = *(const int64_t *)value->data;
  return GxeResultCode_SUCCESS;
}

/* Releases a handle. Safe for an empty one. */
static void release_handle(GxeInterfaceRef *handle) {
  if (handle->owner != NULL) {
    host->component_release(handle->owner);
  }
  *handle = (GxeInterfaceRef){0};
}

/* Reads a parameter of type handle: the value is the id of a component, which we look up once and
 * keep together with the function table of the interface we want to call. */
static GxeResultCode read_handle(const GxeValue *value, const GxeComponentEnvironment *environment,
                                 GxeTid interface_id, GxeInterfaceRef *result) {
  release_handle(result);
  if (value == NULL) {
    return GxeResultCode_SUCCESS;
  }
  if (value->element_type != GxeParameterType_HANDLE || value->rank != 0) {
    return failed(GxeResultCode_PARAMETER_INVALID_TYPE, "expected one handle");
  }
  GxeUid cid = *(const GxeUid *)value->data;
  return host->component_interface(environment->context, cid, interface_id, result);
}

/* --- 3. CounterSource ---------------------------------------------------------------------- */

/* An instance. The host provides the memory; see `instance_size` below. */
typedef struct {
  GxeInterfaceRef transmitter;
  int64_t start;
  int64_t step;
  int64_t next;
} CounterSource;

/* The host may set a parameter before `start` and between two ticks. `index` is the position in
 * the array of descriptors below. */
static GxeResultCode source_set_parameter(void *object, const GxeComponentEnvironment *environment,
                                          size_t index, const GxeValue *value) {
  CounterSource *self = object;
  switch (index) {
    case 0:
      return read_handle(value, environment, transmitter_id, &self->transmitter);
    case 1:
      return read_int64(value, &self->start);
    case 2:
      return read_int64(value, &self->step);
    default:
      return GxeResultCode_PARAMETER_NOT_FOUND;
  }
}

/* The last call before the instance goes. */
static void source_clear_parameters(void *object) {
  CounterSource *self = object;
  release_handle(&self->transmitter);
}

static GxeResultCode source_start(void *object, const GxeTickInfo *info) {
  CounterSource *self = object;
  (void)info;
  self->next = self->start;
  return GxeResultCode_SUCCESS;
}

static GxeResultCode source_tick(void *object, const GxeTickInfo *info) {
  CounterSource *self = object;

  /* A new message comes with one reference, which is ours. */
  GxeMessage *message = NULL;
  GxeResultCode code = host->message_new(info->environment->context, &message);
  if (code != GxeResultCode_SUCCESS) {
    return code;
  }
  GxePayloadRef payload;
  code = host->message_add(message, int64_id, text("count"), &payload);
  if (code != GxeResultCode_SUCCESS) {
    host->message_release(message);
    return code;
  }
  *(int64_t *)payload.data = self->next;

  /* Takes our reference and hands one out for the stamped message, maybe the same one. */
  GxeMessage *stamped = NULL;
  code = host->message_stamp(message, info->timestamp, &stamped);
  if (code != GxeResultCode_SUCCESS) {
    return code;
  }

  /* A call through an interface: the table's function, the object first. */
  const GxeTransmitterVtable *transmitter = self->transmitter.vtable;
  code = transmitter->publish_as_is(self->transmitter.object, stamped);
  if (code != GxeResultCode_SUCCESS) {
    return code;
  }
  log_line(SEVERITY_DEBUG, __LINE__, "published %" PRId64, self->next);
  /* Unsigned, because a signed overflow is undefined in C and a counter may well wrap. */
  self->next = (int64_t)((uint64_t)self->next + (uint64_t)self->step);
  return GxeResultCode_SUCCESS;
}

static const int64_t zero = 0;
static const int64_t one = 1;
static const GxeValue default_start = {GxeParameterType_INT64, 0, 1, &zero};
static const GxeValue default_step = {GxeParameterType_INT64, 0, 1, &one};

static const GxeParameterDescriptor source_parameters[] = {
    {
        .size = sizeof(GxeParameterDescriptor),
        .key = "transmitter",
        .headline = "Transmitter",
        .description = "Transmitter the numbers leave through.",
        .element_type = GxeParameterType_HANDLE,
        .handle_tid = GXE_TID_TRANSMITTER,
    },
    {
        .size = sizeof(GxeParameterDescriptor),
        .key = "start",
        .headline = "Start",
        .description = "First number.",
        .element_type = GxeParameterType_INT64,
        .default_value = &default_start,
    },
    {
        .size = sizeof(GxeParameterDescriptor),
        .key = "step",
        .headline = "Step",
        .description = "Distance from one number to the next.",
        .element_type = GxeParameterType_INT64,
        .default_value = &default_step,
    },
};

static const GxeComponentVtable source_component = {
    .size = sizeof(GxeComponentVtable),
    .set_parameter = source_set_parameter,
    .clear_parameters = source_clear_parameters,
};

static const GxeCodeletVtable source_codelet = {
    .size = sizeof(GxeCodeletVtable),
    .start = source_start,
    .tick = source_tick,
};

#ifdef GXE_TID_PORT_TYPES
/* What goes through the parameter's queue, so that `gxe check` finds a wrong connection. Since ABI
 * 1.4; this file also compiles with older headers. */
static const GxePortType source_ports[] = {{.parameter = "transmitter", .tid = INT64_ID}};
static const GxePortTypes source_port_types = {sizeof(GxePortTypes), source_ports, 1};
#endif

static const GxeInterfaceEntry source_interfaces[] = {
    {.id = GXE_TID_COMPONENT, .vtable = &source_component},
    {.id = GXE_TID_CODELET, .vtable = &source_codelet},
#ifdef GXE_TID_PORT_TYPES
    {.id = GXE_TID_PORT_TYPES, .vtable = &source_port_types},
#endif
};

/* --- 4. CounterSink ------------------------------------------------------------------------ */

typedef struct {
  GxeInterfaceRef receiver;
  uint64_t count;
  int64_t sum;
} CounterSink;

static GxeResultCode sink_set_parameter(void *object, const GxeComponentEnvironment *environment,
                                        size_t index, const GxeValue *value) {
  CounterSink *self = object;
  if (index != 0) {
    return GxeResultCode_PARAMETER_NOT_FOUND;
  }
  return read_handle(value, environment, receiver_id, &self->receiver);
}

static void sink_clear_parameters(void *object) {
  CounterSink *self = object;
  release_handle(&self->receiver);
}

static GxeResultCode sink_start(void *object, const GxeTickInfo *info) {
  CounterSink *self = object;
  (void)info;
  self->count = 0;
  self->sum = 0;
  return GxeResultCode_SUCCESS;
}

static GxeResultCode sink_tick(void *object, const GxeTickInfo *info) {
  CounterSink *self = object;
  (void)info;

  GxeMessage *message = NULL;
  const GxeReceiverVtable *receiver = self->receiver.vtable;
  GxeResultCode code = receiver->receive(self->receiver.object, &message);
  if (code != GxeResultCode_SUCCESS) {
    return code;
  }
  /* The first payload of type int64, whatever its name: a text without data fits every name. */
  GxePayloadRef payload;
  code = host->message_find(message, int64_id, (GxeText){0}, 0, &payload);
  if (code == GxeResultCode_SUCCESS) {
    self->count += 1;
    self->sum = (int64_t)((uint64_t)self->sum + (uint64_t) * (const int64_t *)payload.data);
  } else {
    (void)failed(code, "the message carries no int64");
  }
  /* What we received is ours, so we give it back; the payload is gone after this. */
  host->message_release(message);
  return code;
}

static GxeResultCode sink_stop(void *object, const GxeTickInfo *info) {
  CounterSink *self = object;
  (void)info;
  log_line(SEVERITY_INFO, __LINE__, "received %" PRIu64 " numbers, their sum is %" PRId64,
           self->count, self->sum);
  return GxeResultCode_SUCCESS;
}

static const GxeParameterDescriptor sink_parameters[] = {
    {
        .size = sizeof(GxeParameterDescriptor),
        .key = "receiver",
        .headline = "Receiver",
        .description = "Receiver the numbers arrive at.",
        .element_type = GxeParameterType_HANDLE,
        .handle_tid = GXE_TID_RECEIVER,
    },
};

static const GxeComponentVtable sink_component = {
    .size = sizeof(GxeComponentVtable),
    .set_parameter = sink_set_parameter,
    .clear_parameters = sink_clear_parameters,
};

static const GxeCodeletVtable sink_codelet = {
    .size = sizeof(GxeCodeletVtable),
    .start = sink_start,
    .tick = sink_tick,
    .stop = sink_stop,
};

#ifdef GXE_TID_PORT_TYPES
static const GxePortType sink_ports[] = {{.parameter = "receiver", .tid = INT64_ID}};
static const GxePortTypes sink_port_types = {sizeof(GxePortTypes), sink_ports, 1};
#endif

static const GxeInterfaceEntry sink_interfaces[] = {
    {.id = GXE_TID_COMPONENT, .vtable = &sink_component},
    {.id = GXE_TID_CODELET, .vtable = &sink_codelet},
#ifdef GXE_TID_PORT_TYPES
    {.id = GXE_TID_PORT_TYPES, .vtable = &sink_port_types},
#endif
};

/* --- 5. the factory ------------------------------------------------------------------------ */

/* Constructs an instance in memory of the host. Both types start as zeros; a type that cannot would
 * need its own function. */
static void *create_source(void *storage, const GxeComponentEnvironment *environment) {
  (void)environment;
  return memset(storage, 0, sizeof(CounterSource));
}

static void *create_sink(void *storage, const GxeComponentEnvironment *environment) {
  (void)environment;
  return memset(storage, 0, sizeof(CounterSink));
}

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static const GxeComponentType source_type = {
    .size = sizeof(GxeComponentType),
    .tid = SOURCE_ID,
    .base_tid = GXE_TID_CODELET,
    .type_name = "c_counter::CounterSource",
    .description = "Publishes the next number of a sequence on every tick, as an int64.",
    .instance_size = sizeof(CounterSource),
    .instance_alignment = _Alignof(CounterSource),
    .create = create_source,
    .parameters = source_parameters,
    .parameter_count = COUNT_OF(source_parameters),
    .interfaces = source_interfaces,
    .interface_count = COUNT_OF(source_interfaces),
};

static const GxeComponentType sink_type = {
    .size = sizeof(GxeComponentType),
    .tid = SINK_ID,
    .base_tid = GXE_TID_CODELET,
    .type_name = "c_counter::CounterSink",
    .description = "Receives an int64 on every tick; logs their number and sum at stop.",
    .instance_size = sizeof(CounterSink),
    .instance_alignment = _Alignof(CounterSink),
    .create = create_sink,
    .parameters = sink_parameters,
    .parameter_count = COUNT_OF(sink_parameters),
    .interfaces = sink_interfaces,
    .interface_count = COUNT_OF(sink_interfaces),
};

static const GxeComponentType *const types[] = {&source_type, &sink_type};

static GxeResultCode create_factory(const GxeHostTable *table, GxeExtensionFactory *factory) {
  if (table == NULL || factory == NULL) {
    return GxeResultCode_ARGUMENT_NULL;
  }
  host = table;
  factory->types = types;
  factory->type_count = COUNT_OF(types);
  return GxeResultCode_SUCCESS;
}

/* The only symbol the library exports: the Makefile hides all others, and plugin_abi.h declares it.
 * The host reads it before it calls any code, and refuses a library made for another version of the
 * ABI. */
const GxeExtensionDescriptor GXF_EXT_FACTORY = {
    .magic = GXE_ABI_MAGIC,
    .size = sizeof(GxeExtensionDescriptor),
    .abi_major = GXE_ABI_MAJOR,
    .abi_minor = GXE_ABI_MINOR,
    .id = EXTENSION_ID,
    .name = "CCounterExtension",
    .version = "1.0.0",
    .description = "Two codelets in C that count and add up",
    .license = "Apache-2.0",
    .build_info = "C11",
    .create_factory = create_factory,
};
