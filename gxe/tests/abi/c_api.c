/* A codelet that asks the host through GXF's C API, as extensions in C++ do: the functions are
 * undefined in this library and found in the program that loads it. */
#include "gxf/core/gxf.h"
#include "gxf/plugin_abi.h"

#include <stdio.h>
#include <string.h>

static const GxeHostTable *host;

static void say(const char *line) {
  host->log(3, NULL, "c_api.c", 1, (GxeText){(const uint8_t *)line, strlen(line)});
}

static void *create(void *storage, const GxeComponentEnvironment *environment) {
  (void)environment;
  return storage;
}

/* Finds the clock of another entity and writes what the C API knows of it. */
static GxeResultCode tick(void *object, const GxeTickInfo *info) {
  (void)object;
  gxf_context_t context = info->environment->context;
  gxf_uid_t eid = kNullUid, cid = kNullUid;
  gxf_tid_t clock;
  const char *name = NULL;
  const char *type = NULL;
  int64_t timestamp = 0;
  gxf_result_t code = GxfEntityFind(context, "scheduler", &eid);
  code = code != GXF_SUCCESS ? code : GxfComponentTypeId(context, "nvidia::gxf::Clock", &clock);
  code = code != GXF_SUCCESS ? code : GxfComponentFind(context, eid, clock, NULL, NULL, &cid);
  code = code != GXF_SUCCESS ? code : GxfComponentName(context, cid, &name);
  code = code != GXF_SUCCESS ? code : GxfComponentTypeNameFromUID(context, cid, &type);
  code = code != GXF_SUCCESS ? code
                             : GxfParameterGetInt64(context, cid, "initial_timestamp", &timestamp);
  if (code != GXF_SUCCESS) {
    return (GxeResultCode)code;
  }
  char line[160];
  (void)snprintf(line, sizeof line, "%s is a %s that began at %d", name, type, (int)timestamp);
  say(line);
#ifndef EMBEDDED
  /* Under gxe, context and log belong to the program. */
  (void)snprintf(line, sizeof line, "destroy: %s", GxfResultStr(GxfContextDestroy(context)));
  say(line);
  (void)snprintf(line, sizeof line, "severity: %s",
                 GxfResultStr(GxfSetSeverity(context, GXF_SEVERITY_INFO)));
  say(line);
#endif
  return (GxeResultCode)GxfGraphInterrupt(context);
}

static const GxeCodeletVtable codelet = {.size = sizeof(GxeCodeletVtable), .tick = tick};
static const GxeInterfaceEntry interfaces[] = {{.id = GXE_TID_CODELET, .vtable = &codelet}};
static const GxeComponentType asker = {
    .size = sizeof(GxeComponentType),
    .tid = {UINT64_C(0x6162692d74657374), 100},
    .base_tid = GXE_TID_CODELET,
    .type_name = "abi::Asker",
    .instance_size = 1,
    .instance_alignment = 1,
    .create = create,
    .interfaces = interfaces,
    .interface_count = 1,
};
static const GxeComponentType *const types[] = {&asker};

static GxeResultCode create_factory(const GxeHostTable *table, GxeExtensionFactory *factory) {
  host = table;
  factory->types = types;
  factory->type_count = 1;
  return GxeResultCode_SUCCESS;
}

const GxeExtensionDescriptor GXF_EXT_FACTORY = {
    .magic = GXE_ABI_MAGIC,
    .size = sizeof(GxeExtensionDescriptor),
    .abi_major = GXE_ABI_MAJOR,
    .abi_minor = GXE_ABI_MINOR,
    .id = {UINT64_C(0x6162692d74657374), 99},
    .name = "Asker",
    .version = "1.0.0",
    .create_factory = create_factory,
};
