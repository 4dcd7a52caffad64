/* An extension that is part of the program. Its types:
 *
 *   test::Ticker   a codelet that counts its calls, and may be told to fail;
 *   test::Values   a component with a parameter of every type and rank;
 *   test::Point    a payload of two numbers.
 */
#ifndef PARTS_H
#define PARTS_H

#include <stdatomic.h>

#include "check.h"

#define TEST_ID(NUMBER) {UINT64_C(0x636f6e666f726d21), NUMBER}

/* Calls and points, whichever thread they are of. */
static atomic_int initialized, deinitialized, started, ticked, stopped, points;
/* What these stages return. */
static GxeResultCode initialize_code, tick_code, deinitialize_code;
/* Called on every tick if it is there. */
static void (*on_tick)(const GxeTickInfo* info);
/* Called in every stage if it is there. */
static void (*on_stage)(const char* stage, const GxeComponentEnvironment* environment);

static void tell(const char* stage, const GxeComponentEnvironment* environment) {
  if (on_stage != NULL) {
    on_stage(stage, environment);
  }
}

static void* in_storage(void* storage, const GxeComponentEnvironment* environment) {
  (void)environment;
  return storage;
}

static void* ticker_create(void* storage, const GxeComponentEnvironment* environment) {
  tell("create", environment);
  return storage;
}

static GxeResultCode ignore_parameter(void* object, const GxeComponentEnvironment* environment,
                                      size_t index, const GxeValue* value) {
  (void)object, (void)environment, (void)index, (void)value;
  return GxeResultCode_SUCCESS;
}

static GxeResultCode ticker_initialize(void* object, const GxeComponentEnvironment* environment) {
  (void)object;
  initialized++;
  tell("initialize", environment);
  return initialize_code;
}

static GxeResultCode ticker_deinitialize(void* object,
                                         const GxeComponentEnvironment* environment) {
  (void)object;
  deinitialized++;
  tell("deinitialize", environment);
  return deinitialize_code;
}

static GxeResultCode ticker_start(void* object, const GxeTickInfo* info) {
  (void)object;
  started++;
  tell("start", info->environment);
  return GxeResultCode_SUCCESS;
}

static GxeResultCode ticker_tick(void* object, const GxeTickInfo* info) {
  (void)object;
  ticked++;
  tell("tick", info->environment);
  if (on_tick != NULL) {
    on_tick(info);
  }
  return tick_code;
}

static GxeResultCode ticker_stop(void* object, const GxeTickInfo* info) {
  (void)object;
  stopped++;
  tell("stop", info->environment);
  return GxeResultCode_SUCCESS;
}

static const GxeComponentVtable ticker_component = {
    .size = sizeof(GxeComponentVtable),
    .initialize = ticker_initialize,
    .deinitialize = ticker_deinitialize,
};
static const GxeCodeletVtable ticker_codelet = {
    .size = sizeof(GxeCodeletVtable),
    .start = ticker_start,
    .tick = ticker_tick,
    .stop = ticker_stop,
};
static const GxeInterfaceEntry ticker_interfaces[] = {
    {.id = GXE_TID_COMPONENT, .vtable = &ticker_component},
    {.id = GXE_TID_CODELET, .vtable = &ticker_codelet},
};
static const GxeComponentType ticker_type = {
    .size = sizeof(GxeComponentType),
    .tid = TEST_ID(2),
    .base_tid = GXE_TID_CODELET,
    .type_name = "test::Ticker",
    .display_name = "Ticker",
    .brief = "Counts",
    .description = "Counts its calls",
    .instance_size = 1,
    .instance_alignment = 1,
    .create = ticker_create,
    .interfaces = ticker_interfaces,
    .interface_count = 2,
};

#define PLAIN(KEY, TYPE, RANK)                                                     \
  {.size = sizeof(GxeParameterDescriptor), .key = KEY, .element_type = TYPE,       \
   .rank = RANK, .flags = GXE_PARAMETER_OPTIONAL,                                  \
   .shape = {-1, -1, -1, -1, -1, -1, -1, -1}}

static const int32_t percent_default = 50, percent_min = 0, percent_max = 100, percent_step = 5;
static const GxeValue percent_values[] = {
    {GxeParameterType_INT32, 0, 1, &percent_default},
    {GxeParameterType_INT32, 0, 1, &percent_min},
    {GxeParameterType_INT32, 0, 1, &percent_max},
    {GxeParameterType_INT32, 0, 1, &percent_step},
};
static const GxeText label_default_text = {(const uint8_t*)"none", 4};
static const GxeValue label_default = {GxeParameterType_STRING, 0, 1, &label_default_text};

static const GxeParameterDescriptor values_parameters[] = {
    PLAIN("int8", GxeParameterType_INT8, 0),
    PLAIN("int16", GxeParameterType_INT16, 0),
    PLAIN("int32", GxeParameterType_INT32, 0),
    PLAIN("int64", GxeParameterType_INT64, 0),
    PLAIN("uint8", GxeParameterType_UINT8, 0),
    PLAIN("uint16", GxeParameterType_UINT16, 0),
    PLAIN("uint32", GxeParameterType_UINT32, 0),
    PLAIN("uint64", GxeParameterType_UINT64, 0),
    PLAIN("float32", GxeParameterType_FLOAT32, 0),
    PLAIN("float64", GxeParameterType_FLOAT64, 0),
    PLAIN("bool", GxeParameterType_BOOL, 0),
    PLAIN("string", GxeParameterType_STRING, 0),
    PLAIN("file", GxeParameterType_FILE, 0),
    PLAIN("complex64", GxeParameterType_COMPLEX64, 0),
    PLAIN("complex128", GxeParameterType_COMPLEX128, 0),
    PLAIN("custom", GxeParameterType_CUSTOM, 0),
    PLAIN("strings", GxeParameterType_STRING, 1),
    PLAIN("float64s", GxeParameterType_FLOAT64, 1),
    PLAIN("int64s", GxeParameterType_INT64, 1),
    PLAIN("uint64s", GxeParameterType_UINT64, 1),
    PLAIN("int32s", GxeParameterType_INT32, 1),
    PLAIN("float64ss", GxeParameterType_FLOAT64, 2),
    PLAIN("int64ss", GxeParameterType_INT64, 2),
    PLAIN("uint64ss", GxeParameterType_UINT64, 2),
    PLAIN("int32ss", GxeParameterType_INT32, 2),
    {.size = sizeof(GxeParameterDescriptor), .key = "three", .element_type = GxeParameterType_INT32,
     .rank = 1, .flags = GXE_PARAMETER_OPTIONAL, .shape = {3}},
    {.size = sizeof(GxeParameterDescriptor), .key = "clock",
     .element_type = GxeParameterType_HANDLE, .handle_tid = GXE_TID_CLOCK,
     .flags = GXE_PARAMETER_OPTIONAL},
    {.size = sizeof(GxeParameterDescriptor), .key = "clocks",
     .element_type = GxeParameterType_HANDLE, .rank = 1, .handle_tid = GXE_TID_CLOCK,
     .flags = GXE_PARAMETER_OPTIONAL, .shape = {-1}},
    {.size = sizeof(GxeParameterDescriptor), .key = "percent", .headline = "Percent",
     .description = "A share", .element_type = GxeParameterType_INT32,
     .flags = GXE_PARAMETER_DYNAMIC, .default_value = &percent_values[0],
     .minimum = &percent_values[1], .maximum = &percent_values[2], .step = &percent_values[3]},
    {.size = sizeof(GxeParameterDescriptor), .key = "label",
     .element_type = GxeParameterType_STRING, .default_value = &label_default},
};

static const GxeComponentVtable values_component = {
    .size = sizeof(GxeComponentVtable),
    .set_parameter = ignore_parameter,
};
static const GxeInterfaceEntry values_interfaces[] = {
    {.id = GXE_TID_COMPONENT, .vtable = &values_component},
};
static const GxeComponentType values_type = {
    .size = sizeof(GxeComponentType),
    .tid = TEST_ID(3),
    .base_tid = GXE_TID_COMPONENT,
    .type_name = "test::Values",
    .instance_size = 1,
    .instance_alignment = 1,
    .create = in_storage,
    .parameters = values_parameters,
    .parameter_count = sizeof values_parameters / sizeof values_parameters[0],
    .interfaces = values_interfaces,
    .interface_count = 1,
};

typedef struct {
  double x;
  double y;
} Point;

static void* create_point(void* storage, const GxeComponentEnvironment* environment) {
  Point* point = storage;
  (void)environment;
  point->x = 1;
  point->y = 2;
  points++;
  return storage;
}

static void destroy_point(void* object) {
  (void)object;
  points--;
}

static const GxeComponentType point_type = {
    .size = sizeof(GxeComponentType),
    .tid = TEST_ID(4),
    .type_name = "test::Point",
    .instance_size = sizeof(Point),
    .instance_alignment = _Alignof(Point),
    .create = create_point,
    .destroy = destroy_point,
};

static const GxeComponentType* const parts_types[] = {&ticker_type, &values_type, &point_type};

static GxeResultCode parts_factory(const GxeHostTable* table, GxeExtensionFactory* factory) {
  (void)table;
  factory->types = parts_types;
  factory->type_count = 3;
  return GxeResultCode_SUCCESS;
}

static const GxeExtensionDescriptor parts = {
    .magic = GXE_ABI_MAGIC,
    .size = sizeof(GxeExtensionDescriptor),
    .abi_major = GXE_ABI_MAJOR,
    .abi_minor = GXE_ABI_MINOR,
    .id = TEST_ID(1),
    .name = "Parts",
    .version = "1.2.3",
    .description = "For tests",
    .author = "nobody",
    .license = "none",
    .display_name = "Parts for tests",
    .category = "Test",
    .brief = "Parts",
    .create_factory = parts_factory,
};

/* A context that knows these types. */
static inline gxf_context_t new_context_with_parts(void) {
  gxf_context_t context = new_context();
  OK(GxfLoadExtensionFromPointer(context, (void*)(uintptr_t)&parts));
  return context;
}

/* What a C++ compiler would also take for an unused thing is used here. */
static inline void use_parts(void) {
  (void)points, (void)initialized, (void)deinitialized, (void)started, (void)stopped;
  (void)initialize_code, (void)deinitialize_code, (void)on_tick, (void)on_stage, (void)tick_code;
}

#endif
