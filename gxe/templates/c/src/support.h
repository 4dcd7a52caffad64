/* What the codelets of this extension share. Rules of the border stand in gxf/plugin_abi.h. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <stddef.h>
#include <stdint.h>

#include "gxf/plugin_abi.h"

/* A type id as `gxe uuid` prints it. */
#define ID(first, second) {UINT64_C(first), UINT64_C(second)}

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* The host's functions: one table for the whole process, remembered by the factory. */
extern const GxeHostTable *host;

/* GXF's id of the type int64. */
extern const GxeTid int64_id;

/* Text crosses with its length and without a zero byte at its end. */
GxeText text(const char *string);

/* Writes a line to the host's log, as printf does. */
void log_info(const char *file, uint32_t line, const char *format, ...);

/* Returns a code and says why; the host shows the text beside the name of the component. */
GxeResultCode failed(GxeResultCode code, const char *why);

/* Reads a parameter of type int64. */
GxeResultCode read_int64(const GxeValue *value, int64_t *result);

/* Reads a parameter of type handle. Gives the handle before it back. */
GxeResultCode read_handle(const GxeValue *value, const GxeComponentEnvironment *environment,
                          GxeTid interface_id, GxeInterfaceRef *result);

/* Gives a handle back. Safe to call for one that leads nowhere. */
void release_handle(GxeInterfaceRef *handle);

#endif
