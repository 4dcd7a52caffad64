#include "support.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const GxeHostTable *host;

const GxeTid int64_id = ID(0xc611627b6393365f, 0xd2341f26bfa8d28f);

GxeText text(const char *string) {
  return (GxeText){.data = (const uint8_t *)string, .length = strlen(string)};
}

void log_info(const char *file, uint32_t line, const char *format, ...) {
  enum { SEVERITY_INFO = 3 };
  char buffer[256];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  host->log(SEVERITY_INFO, "@crate@", file, line, text(buffer));
}

GxeResultCode failed(GxeResultCode code, const char *why) {
  host->report_error(text(why));
  return code;
}

GxeResultCode read_int64(const GxeValue *value, int64_t *result) {
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

void release_handle(GxeInterfaceRef *handle) {
  if (handle->owner != NULL) {
    host->component_release(handle->owner);
  }
  *handle = (GxeInterfaceRef){0};
}

GxeResultCode read_handle(const GxeValue *value, const GxeComponentEnvironment *environment,
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
