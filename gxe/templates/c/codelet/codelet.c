/* @Name@: counts its ticks and logs them. */
#include <inttypes.h>
#include <string.h>

#include "gxf/extension.h"

typedef struct {
  int64_t offset;
  int64_t count;
} @Name@;

static void *create(void *storage, const GxeComponentEnvironment *environment) {
  (void)environment;
  return memset(storage, 0, sizeof(@Name@));
}

static GxeResultCode set_parameter(void *object, const GxeComponentEnvironment *environment,
                                   size_t index, const GxeValue *value) {
  @Name@ *self = object;
  (void)environment;
  return index == 0 ? gxe_read_int64(value, &self->offset) : GxeResultCode_PARAMETER_NOT_FOUND;
}

static GxeResultCode start(void *object, const GxeTickInfo *info) {
  @Name@ *self = object;
  (void)info;
  self->count = self->offset;
  return GxeResultCode_SUCCESS;
}

static GxeResultCode tick(void *object, const GxeTickInfo *info) {
  @Name@ *self = object;
  (void)info;
  self->count = (int64_t)((uint64_t)self->count + 1);
  GXE_LOG_INFO("@Name@: tick %" PRId64, self->count);
  return GxeResultCode_SUCCESS;
}

static const int64_t zero = 0;
static const GxeValue default_offset = {GxeParameterType_INT64, 0, 1, &zero};

static const GxeParameterDescriptor parameters[] = {
    {
        .size = sizeof(GxeParameterDescriptor),
        .key = "offset",
        .description = "Ticks that were counted before the first one.",
        .element_type = GxeParameterType_INT64,
        .default_value = &default_offset,
    },
};

static const GxeComponentVtable component = {
    .size = sizeof(GxeComponentVtable),
    .set_parameter = set_parameter,
};

static const GxeCodeletVtable codelet = {
    .size = sizeof(GxeCodeletVtable),
    .start = start,
    .tick = tick,
};

static const GxeInterfaceEntry interfaces[] = {
    {.id = GXE_TID_COMPONENT, .vtable = &component},
    {.id = GXE_TID_CODELET, .vtable = &codelet},
};

const GxeComponentType @name@ = {
    .size = sizeof(GxeComponentType),
    .tid = GXE_ID(@codelet_id@),
    .base_tid = GXE_TID_CODELET,
    .type_name = "@crate@::@Name@",
    .description = "Logs how often it ticked.",
    .instance_size = sizeof(@Name@),
    .instance_alignment = _Alignof(@Name@),
    .create = create,
    .parameters = parameters,
    .parameter_count = GXE_COUNT_OF(parameters),
    .interfaces = interfaces,
    .interface_count = GXE_COUNT_OF(interfaces),
};
