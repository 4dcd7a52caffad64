/* Helpers for extensions in C. gxf/plugin_abi.h has the rules of the ABI.
 *
 * One source file of the extension defines `const GxeHostTable *gxe_host;`, and its factory stores
 * the host's table there. `gxe new extension NAME --lang c` writes both. */
#ifndef GXF_EXTENSION_H
#define GXF_EXTENSION_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "gxf/plugin_abi.h"

/* A type id as `gxe uuid` prints it. */
#define GXE_ID(first, second) {UINT64_C(first), UINT64_C(second)}

/* GXF's id of the type int64. */
#define GXE_TID_INT64 GXE_ID(0xc611627b6393365f, 0xd2341f26bfa8d28f)

#define GXE_COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* Write a line to the host's log, like printf. */
#define GXE_LOG_ERROR(...) gxe_log(1, __FILE__, __LINE__, __VA_ARGS__)
#define GXE_LOG_WARNING(...) gxe_log(2, __FILE__, __LINE__, __VA_ARGS__)
#define GXE_LOG_INFO(...) gxe_log(3, __FILE__, __LINE__, __VA_ARGS__)
#define GXE_LOG_DEBUG(...) gxe_log(4, __FILE__, __LINE__, __VA_ARGS__)

/* The host's functions: one table for the whole process. */
extern const GxeHostTable *gxe_host;

/* Text as the ABI passes it: with a length, and without a zero byte at the end. */
static inline GxeText gxe_text(const char *string) {
  return (GxeText){.data = (const uint8_t *)string, .length = strlen(string)};
}

/* Writes a line of up to 255 characters to the host's log. */
static inline void gxe_log(int32_t severity, const char *file, uint32_t line, const char *format,
                           ...) {
  char buffer[256];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  gxe_host->log(severity, "", file, line, gxe_text(buffer));
}

/* Returns a code and reports why; the host shows the text with the component's name. */
static inline GxeResultCode gxe_failed(GxeResultCode code, const char *why) {
  gxe_host->report_error(gxe_text(why));
  return code;
}

/* Reads a parameter of type int64; 0 if it has no value. */
static inline GxeResultCode gxe_read_int64(const GxeValue *value, int64_t *result) {
  if (value == NULL) {
    *result = 0;
    return GxeResultCode_SUCCESS;
  }
  if (value->element_type != GxeParameterType_INT64 || value->rank != 0) {
    return gxe_failed(GxeResultCode_PARAMETER_INVALID_TYPE, "expected one 64-bit integer");
  }
  *result = *(const int64_t *)value->data;
  return GxeResultCode_SUCCESS;
}

/* Releases a handle. Does nothing for an empty one. */
static inline void gxe_release_handle(GxeInterfaceRef *handle) {
  if (handle->owner != NULL) {
    gxe_host->component_release(handle->owner);
  }
  *handle = (GxeInterfaceRef){0};
}

/* Reads a parameter of type handle. Releases the previous handle. */
static inline GxeResultCode gxe_read_handle(const GxeValue *value,
                                            const GxeComponentEnvironment *environment,
                                            GxeTid interface_id, GxeInterfaceRef *result) {
  gxe_release_handle(result);
  if (value == NULL) {
    return GxeResultCode_SUCCESS;
  }
  if (value->element_type != GxeParameterType_HANDLE || value->rank != 0) {
    return gxe_failed(GxeResultCode_PARAMETER_INVALID_TYPE, "expected one handle");
  }
  GxeUid cid = *(const GxeUid *)value->data;
  return gxe_host->component_interface(environment->context, cid, interface_id, result);
}

#endif
