// What a program uses to make a graph without a file.
#ifndef GRAPH_HPP
#define GRAPH_HPP

#include "gxf/core/gxf.h"

// An entity of the program; nullptr for one without a name.
gxf_uid_t NewEntity(gxf_context_t context, const char* name);

// A component of a type; kNullUid when there is no such type.
gxf_uid_t NewComponent(gxf_context_t context, gxf_uid_t eid, const char* type, const char* name);

#endif
