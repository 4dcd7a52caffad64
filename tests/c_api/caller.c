/* A codelet that calls GXF's C API while `gxe` runs it. What a call answers it writes to the log. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gxf/core/gxf.h"
#include "gxf/plugin_abi.h"

static const GxeHostTable* host;
static FILE* file;

static GxeText text(const char* string) {
  return (GxeText){.data = (const uint8_t*)string, .length = strlen(string)};
}

static void line(int32_t severity, const char* what, gxf_result_t code) {
  char buffer[160];
  (void)snprintf(buffer, sizeof buffer, "%s: %s", what, GxfResultStr(code));
  host->log(severity, "caller", __FILE__, __LINE__, text(buffer));
}

#ifdef UNREAD
/* Redirects the log to a full pipe that nobody reads. */
static void redirect_to_nobody(gxf_context_t context) {
  int ends[2];
  if (pipe(ends) != 0) {
    return;
  }
  const int flags = fcntl(ends[1], F_GETFL);
  (void)fcntl(ends[1], F_SETFL, flags | O_NONBLOCK);
  while (write(ends[1], "x", 1) == 1) {
  }
  (void)fcntl(ends[1], F_SETFL, flags);
  (void)GxfRedirectLog(context, fdopen(ends[1], "w"));
  (void)fputs("the log is redirected\n", stderr);
}
#endif

static GxeResultCode tick(void* object, const GxeTickInfo* info) {
  gxf_context_t context = info->environment->context;
  gxf_severity_t severity = GXF_SEVERITY_NONE;
  gxf_tid_t tid;
  (void)object;
#ifdef UNREAD
  if (info->count == 1) {
    redirect_to_nobody(context);
  }
  line(GXF_SEVERITY_ERROR, "nobody reads this", GXF_SUCCESS);
  return GxeResultCode_SUCCESS;
#endif
  switch (info->count) {
    case 1:
      line(GXF_SEVERITY_DEBUG, "before: debug", GXF_SUCCESS);
      line(GXF_SEVERITY_INFO, "GxfSetSeverity", GxfSetSeverity(context, GXF_SEVERITY_DEBUG));
      line(GXF_SEVERITY_DEBUG, "after: debug", GXF_SUCCESS);
      line(GXF_SEVERITY_INFO, "GxfGetSeverity", GxfGetSeverity(context, &severity));
      line(GXF_SEVERITY_INFO, severity == GXF_SEVERITY_DEBUG ? "is debug" : "is not", GXF_SUCCESS);
      line(GXF_SEVERITY_INFO, "wrong", GxfSetSeverity(context, (gxf_severity_t)9));
      break;
    case 2:
      (void)GxfSetSeverity(context, GXF_SEVERITY_ERROR);
      line(GXF_SEVERITY_WARNING, "quiet: warning", GXF_SUCCESS);
      line(GXF_SEVERITY_ERROR, "quiet: error", GXF_SUCCESS);
      (void)GxfSetSeverity(context, GXF_SEVERITY_INFO);
      break;
    case 3:
      file = fopen("redirected.txt", "w");
      line(GXF_SEVERITY_INFO, "GxfRedirectLog", GxfRedirectLog(context, file));
      line(GXF_SEVERITY_ERROR, "redirected: error", GXF_SUCCESS);
      break;
    case 4:
      line(GXF_SEVERITY_INFO, "still redirected", GXF_SUCCESS);
      (void)GxfRedirectLog(context, NULL);
      (void)fclose(file);
      line(GXF_SEVERITY_INFO, "back", GXF_SUCCESS);
      break;
    case 5:
      line(GXF_SEVERITY_INFO, "unknown", GxfComponentTypeId(context, "nvidia::gxf::PingTx", &tid));
      line(GXF_SEVERITY_INFO, "GxfLoadExtensionManifest",
           GxfLoadExtensionManifest(context, "more.yaml"));
      line(GXF_SEVERITY_INFO, "known", GxfComponentTypeId(context, "nvidia::gxf::PingTx", &tid));
      break;
    default:
      line(GXF_SEVERITY_INFO, "GxfGraphWait", GxfGraphWait(context));
      line(GXF_SEVERITY_INFO, "GxfGraphRun", GxfGraphRun(context));
      line(GXF_SEVERITY_INFO, "GxfGraphDeactivate", GxfGraphDeactivate(context));
      line(GXF_SEVERITY_INFO, "GxfContextDestroy", GxfContextDestroy(context));
      line(GXF_SEVERITY_INFO, "GxfGraphInterrupt", GxfGraphInterrupt(context));
  }
  return GxeResultCode_SUCCESS;
}

static void* create(void* storage, const GxeComponentEnvironment* environment) {
  (void)environment;
  return storage;
}

static const GxeComponentVtable component = {.size = sizeof(GxeComponentVtable)};
static const GxeCodeletVtable codelet = {.size = sizeof(GxeCodeletVtable), .tick = tick};
static const GxeInterfaceEntry interfaces[] = {
    {.id = GXE_TID_COMPONENT, .vtable = &component},
    {.id = GXE_TID_CODELET, .vtable = &codelet},
};
static const GxeComponentType caller = {
    .size = sizeof(GxeComponentType),
    .tid = {UINT64_C(0x4f1f9f6d0c5b4f11), UINT64_C(0xa8e5a3bd2f0c6e02)},
    .base_tid = GXE_TID_CODELET,
    .type_name = "test::Caller",
    .instance_size = 1,
    .instance_alignment = 1,
    .create = create,
    .interfaces = interfaces,
    .interface_count = 2,
};
static const GxeComponentType* const types[] = {&caller};

static GxeResultCode create_factory(const GxeHostTable* table, GxeExtensionFactory* factory) {
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
    .id = {UINT64_C(0x4f1f9f6d0c5b4f11), UINT64_C(0xa8e5a3bd2f0c6e01)},
    .name = "Caller",
    .version = "1.0.0",
    .create_factory = create_factory,
};
