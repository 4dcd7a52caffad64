/* A small extension that gxe/tests/abi.rs compiles in many variants: each `#ifndef` below is a place
 * where a test may put something else with -D. Without any, it is a correct extension with one
 * codelet, `abi::Worker`, that logs on every tick what it learns from the host.
 */
#include ABI_HEADER

#include <stdio.h>
#include <string.h>

/* --- the descriptor of the extension */
#ifndef MAGIC
#define MAGIC GXE_ABI_MAGIC
#endif
#ifndef SIZE
#define SIZE sizeof(GxeExtensionDescriptor)
#endif
#ifndef MAJOR
#define MAJOR GXE_ABI_MAJOR
#endif
#ifndef MINOR
#define MINOR GXE_ABI_MINOR
#endif
#ifndef EXTENSION_ID
#define EXTENSION_ID 1
#endif
#ifndef NAME
#define NAME "Lab"
#endif
#ifndef VERSION
#define VERSION "1.2.3"
#endif
#ifndef FACTORY
#define FACTORY create_factory
#endif

/* --- what the factory does */
#ifndef FACTORY_BEGINS
#define FACTORY_BEGINS
#endif
#ifndef TYPES
#define TYPES types
#endif
#ifndef TYPE_COUNT
#define TYPE_COUNT sizeof types / sizeof types[0]
#endif
#ifndef MORE_TYPES
#define MORE_TYPES
#endif

/* --- the description of the type */
#ifndef TYPE_SIZE
#define TYPE_SIZE sizeof(GxeComponentType)
#endif
#ifndef TYPE_ID
#define TYPE_ID 2
#endif
#ifndef TYPE_NAME
#define TYPE_NAME "abi::Worker"
#endif
#ifndef BASE_ID
#define BASE_ID GXE_TID_CODELET
#endif
#ifndef CREATE
#define CREATE create
#endif
#ifndef ALIGNMENT
#define ALIGNMENT _Alignof(Worker)
#endif
#ifndef PARAMETERS
#define PARAMETERS parameters
#endif
#ifndef PARAMETER_SIZE
#define PARAMETER_SIZE sizeof(GxeParameterDescriptor)
#endif
#ifndef MORE_OF_PARAMETER
#define MORE_OF_PARAMETER
#endif
#ifndef SECOND_KEY
#define SECOND_KEY "second"
#endif
#ifndef INTERFACES
#define INTERFACES interfaces
#endif
#ifndef CODELET_SIZE
#define CODELET_SIZE sizeof(GxeCodeletVtable)
#endif
#ifndef CODELET_ID
#define CODELET_ID GXE_TID_CODELET
#endif
#ifndef CODELET
#define CODELET &codelet
#endif
#ifndef TICK
#define TICK tick
#endif
#ifndef FLAGS
#define FLAGS 0
#endif
#ifndef MORE_INTERFACES
#define MORE_INTERFACES
#endif
#ifndef PORT_PARAMETER
#define PORT_PARAMETER "signal"
#endif
#ifndef PORT_COUNT
#define PORT_COUNT sizeof port_list / sizeof port_list[0]
#endif
#ifndef PORT_NAME
#define PORT_NAME "somebody::Pose"
#endif

/* --- what the codelet does */
#ifndef CREATE_BEGINS
#define CREATE_BEGINS
#endif
#ifndef START_BEGINS
#define START_BEGINS
#endif
#ifndef TICK_BEGINS
#define TICK_BEGINS
#endif
#ifndef TICK_GOES_ON
#define TICK_GOES_ON
#endif
#ifndef STOP_BEGINS
#define STOP_BEGINS
#endif

/* Ids whose upper half says that they belong to these tests. */
#define ID(number) {UINT64_C(0x6162692d74657374), number}

static const GxeHostTable *host;

static GxeText text(const char *string) {
  return (GxeText){.data = (const uint8_t *)string, .length = strlen(string)};
}

/* Leaves a text for an error and returns its code. */
static GxeResultCode failed(GxeResultCode code, const char *why) {
  host->report_error(text(why));
  return code;
}

typedef struct {
  int64_t first;
  int64_t second;
} Worker;

static void *create(void *storage, const GxeComponentEnvironment *environment) {
  CREATE_BEGINS;
  return storage;
}

static GxeResultCode set_parameter(void *object, const GxeComponentEnvironment *environment,
                                   size_t index, const GxeValue *value) {
  Worker *self = object;
  if (index < 2) {
    *(index == 0 ? &self->first : &self->second) = value == NULL ? 0 : *(const int64_t *)value->data;
  }
  return GxeResultCode_SUCCESS;
}

static GxeResultCode start(void *object, const GxeTickInfo *info) {
  START_BEGINS;
  return GxeResultCode_SUCCESS;
}

static GxeResultCode tick(void *object, const GxeTickInfo *info) {
  Worker *self = object;
  const GxeComponentEnvironment *environment = info->environment;
  TICK_BEGINS;
  GxeText entity = {0};
  GxeText type = {0};
  GxeTid tid = {0};
  GxeResultCode code = host->entity_name(environment->context, environment->eid, &entity);
  if (code == GxeResultCode_SUCCESS) {
    code = host->component_type(environment->context, environment->cid, &tid);
  }
  if (code == GxeResultCode_SUCCESS) {
    code = host->type_name(environment->context, tid, &type);
  }
  if (code != GxeResultCode_SUCCESS) {
    return code;
  }
  TICK_GOES_ON;
  char line[160];
  (void)snprintf(line, sizeof line, "%.*s in %.*s: tick %d, first %d, second %d",
                 (int)type.length, (const char *)type.data, (int)entity.length,
                 (const char *)entity.data, (int)info->count, (int)self->first,
                 (int)self->second);
  host->log(3, NULL, NULL, 0, text(line));
  return GxeResultCode_SUCCESS;
}

static GxeResultCode stop(void *object, const GxeTickInfo *info) {
  STOP_BEGINS;
  return GxeResultCode_SUCCESS;
}

static const int64_t one = 1;
static const GxeValue value_one = {GxeParameterType_INT64, 0, 1, &one};
static const GxeValue value_text = {GxeParameterType_STRING, 0, 1, &one};

static const GxeParameterDescriptor parameters[] = {
    {
        .size = PARAMETER_SIZE,
        .key = "first",
        .element_type = GxeParameterType_INT64,
        .default_value = &value_one,
        MORE_OF_PARAMETER
    },
    {
        .size = PARAMETER_SIZE,
        .key = SECOND_KEY,
        .element_type = GxeParameterType_INT64,
        .default_value = &value_one,
    },
#ifdef PORTS
    {
        .size = PARAMETER_SIZE,
        .key = "signal",
        .flags = GXE_PARAMETER_OPTIONAL,
        .element_type = GxeParameterType_HANDLE,
        .handle_tid = GXE_TID_TRANSMITTER,
    },
#endif
};

#ifdef PORTS
static const GxePortType port_list[] = {
    {.parameter = "signal", .tid = GXE_TID_TENSOR},
    {.parameter = PORT_PARAMETER, .type_name = PORT_NAME},
};

static const GxePortTypes ports = {
    .size = sizeof(GxePortTypes),
    .ports = PORTS,
    .port_count = PORT_COUNT,
};
#endif

static const GxeComponentVtable component = {
    .size = sizeof(GxeComponentVtable),
    .set_parameter = set_parameter,
};

static const GxeCodeletVtable codelet = {
    .size = CODELET_SIZE,
    .start = start,
    .tick = TICK,
    .stop = stop,
};

static const GxeInterfaceEntry interfaces[] = {
    {.id = GXE_TID_COMPONENT, .vtable = &component},
    {.id = CODELET_ID, .vtable = CODELET},
    MORE_INTERFACES
};

static const GxeComponentType worker = {
    .size = TYPE_SIZE,
    .tid = ID(TYPE_ID),
    .base_tid = BASE_ID,
    .type_name = TYPE_NAME,
    .flags = FLAGS,
    .instance_size = sizeof(Worker),
    .instance_alignment = ALIGNMENT,
    .create = CREATE,
    .parameters = PARAMETERS,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .interfaces = INTERFACES,
    .interface_count = sizeof interfaces / sizeof interfaces[0],
};

static const GxeComponentType *const types[] = {&worker MORE_TYPES};

static GxeResultCode create_factory(const GxeHostTable *table, GxeExtensionFactory *factory) {
  host = table;
  FACTORY_BEGINS;
  /* What a later host may not do: hand out a table that is older or shorter than ours. */
  if (host->abi_major != GXE_ABI_MAJOR || host->size < sizeof(GxeHostTable)) {
    return failed(GxeResultCode_FACTORY_INCOMPATIBLE, "the host's table is too old");
  }
  factory->types = TYPES;
  factory->type_count = TYPE_COUNT;
  return GxeResultCode_SUCCESS;
}

const GxeExtensionDescriptor GXF_EXT_FACTORY = {
    .magic = MAGIC,
    .size = SIZE,
    .abi_major = MAJOR,
    .abi_minor = MINOR,
    .id = ID(EXTENSION_ID),
    .name = NAME,
    .version = VERSION,
    .create_factory = FACTORY,
};
