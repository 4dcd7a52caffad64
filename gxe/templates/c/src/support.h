/* Helpers for the codelets of this extension. gxf/plugin_abi.h has the rules of the ABI. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <stddef.h>
#include <stdint.h>

#include "gxf/plugin_abi.h"

/* A type id as `gxe uuid` prints it. */
#define ID(first, second) {UINT64_C(first), UINT64_C(second)}

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* The host's functions: one table for the whole process, which the factory stores. */
extern const GxeHostTable *host;

/* GXF's id of the type int64. */
extern const GxeTid int64_id;

/* Text as the ABI passes it: with a length, and without a zero byte at the end. */
GxeText text(const char *string);

/* Writes a line to the host's log, like printf. */
void log_info(const char *file, uint32_t line, const char *format, ...);

/* Returns a code and reports why; the host shows the text with the component's name. */
GxeResultCode failed(GxeResultCode code, const char *why);

/* Reads a parameter of type int64. */
GxeResultCode read_int64(const GxeValue *value, int64_t *result);

/* Reads a parameter of type handle. Releases the previous handle. */
GxeResultCode read_handle(const GxeValue *value, const GxeComponentEnvironment *environment,
                          GxeTid interface_id, GxeInterfaceRef *result);

/* Releases a handle. Does nothing for an empty one. */
void release_handle(GxeInterfaceRef *handle);

#endif
