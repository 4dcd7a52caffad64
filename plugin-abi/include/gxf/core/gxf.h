/*
 * The C API of the runtime, binary compatible with GXF 4.1 to 5.x.
 *
 * A program creates a context, loads extensions and a graph into it, runs the graph and destroys
 * the context. All functions may be called from any thread. Each of them returns GXF_SUCCESS or
 * says what was wrong; no input makes them crash. In particular:
 *
 * - GXF_CONTEXT_INVALID: the context is null, was destroyed or never was one.
 * - GXF_ARGUMENT_NULL: a mandatory pointer is null. GXF_NULL_POINTER: one inside a structure is.
 * - GXF_ARGUMENT_INVALID: a text is not UTF-8.
 * - GXF_ENTITY_NOT_FOUND, GXF_ENTITY_COMPONENT_NOT_FOUND: the id is stale or never existed.
 *
 * - GXF_FAILURE: something went wrong that has no code of its own; the log says what.
 *
 * These are not repeated below. An error leaves the results as they were, unless it says otherwise.
 *
 * Ownership. What a program hands in is read during the call and not kept, but for the extension
 * of GxfLoadExtensionFromPointer and the file of GxfRedirectLog. Entities, components and groups
 * belong to the context. Texts handed out belong to it as well, and stay valid until the object
 * they describe is gone or changed; those about types and extensions stay for ever. Arrays are the
 * caller's. Functions that fill one take its capacity, in elements, in the same variable in which
 * they leave the number of elements. When there is too little room they fail, write nothing into
 * the array, and leave the number that is needed.
 *
 * From inside the graph. A component may call every function while the graph calls it (initialize,
 * start, tick, stop, deinitialize, the functions of terms, queues and so on), but for what would
 * wait for itself: those functions are refused at once, and say so below. A component that is still
 * being made (its constructor, registerInterface) cannot be found yet.
 */
#ifndef NVIDIA_GXF_CORE_GXF_H_
#define NVIDIA_GXF_CORE_GXF_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
/* Programs written against GXF's header get this without including it. */
#include <fstream>

/* Value of an argument that C++ callers may leave out. */
#define GXF_DEFAULT_ARGUMENT(VALUE) = VALUE
#define GXF_INLINE inline
extern "C" {
#else
#define GXF_DEFAULT_ARGUMENT(VALUE)
#define GXF_INLINE static inline
#endif

/* ---- Ids and constants ------------------------------------------------------------------- */

/* Id of an entity, a component, a group or a message. */
typedef int64_t gxf_uid_t;

/* No object. */
#define kNullUid 0L
/* A handle that is left open on purpose. */
#define kUnspecifiedUid -1L

/* A context; the same pointer that extensions get. */
typedef void* gxf_context_t;

/* No context. */
#ifdef __cplusplus
#define kNullContext nullptr
#else
#define kNullContext NULL
#endif

/* Version of GXF whose API this is; extensions are built with it. */
#define kGxfCoreVersion "4.1.0"

/* Limits of GXF. Arrays of these sizes are large enough for programs that are written for it; the
   runtime itself has no limit on entities. */
#define kMaxExtensions 1024
#define kMaxEntities 1024
#define kMaxComponents 1024
#define kMaxParameters 1024
/* Bytes of a name with its final zero. */
#define kMaxEntityNameSize 2048
#define kMaxComponentNameSize 256

/* The parameter under which every component keeps its name. */
#define kInternalNameParameterKey "__name"
/* The group every entity is in at first. */
#define kDefaultEntityGroupName "default_entity_group"

/* A line of a switch that turns X into the text of Y. */
#define GXF_ENUM_TO_STR(X, Y) \
  case X:                     \
    return #Y;

/* 128-bit id of a type or an extension; both halves 0 for none. */
typedef struct {
  uint64_t hash1;
  uint64_t hash2;
} gxf_tid_t;

/* The id that stands for none. */
GXF_INLINE gxf_tid_t GxfTidNull(void) {
  gxf_tid_t tid;
  tid.hash1 = 0;
  tid.hash2 = 0;
  return tid;
}

/* 1 for the id that stands for none, otherwise 0. */
GXF_INLINE uint32_t GxfTidIsNull(gxf_tid_t tid) {
  return (tid.hash1 == 0 && tid.hash2 == 0) ? 1 : 0;
}

/* ---- Enumerations ------------------------------------------------------------------------ */

/* Outcome of a call. */
typedef enum {
  GXF_SUCCESS = 0,
  GXF_FAILURE = 1,
  GXF_NOT_IMPLEMENTED = 2,
  GXF_FILE_NOT_FOUND = 3,
  GXF_INVALID_ENUM = 4,
  GXF_NULL_POINTER = 5,
  GXF_UNINITIALIZED_VALUE = 6,
  GXF_ARGUMENT_NULL = 7,
  GXF_ARGUMENT_OUT_OF_RANGE = 8,
  GXF_ARGUMENT_INVALID = 9,
  GXF_OUT_OF_MEMORY = 10,
  GXF_MEMORY_INVALID_STORAGE_MODE = 11,
  GXF_CONTEXT_INVALID = 12,
  GXF_EXTENSION_NOT_FOUND = 13,
  GXF_EXTENSION_FILE_NOT_FOUND = 14,
  GXF_EXTENSION_NO_FACTORY = 15,
  GXF_FACTORY_TOO_MANY_COMPONENTS = 16,
  GXF_FACTORY_DUPLICATE_TID = 17,
  GXF_FACTORY_UNKNOWN_TID = 18,
  GXF_FACTORY_ABSTRACT_CLASS = 19,
  GXF_FACTORY_UNKNOWN_CLASS_NAME = 20,
  GXF_FACTORY_INVALID_INFO = 21,
  GXF_FACTORY_INCOMPATIBLE = 22,
  GXF_ENTITY_NOT_FOUND = 23,
  GXF_ENTITY_NAME_EXCEEDS_LIMIT = 24,
  GXF_ENTITY_COMPONENT_NOT_FOUND = 25,
  GXF_ENTITY_COMPONENT_NAME_EXCEEDS_LIMIT = 26,
  GXF_ENTITY_CAN_NOT_ADD_COMPONENT_AFTER_INITIALIZATION = 27,
  GXF_ENTITY_CAN_NOT_REMOVE_COMPONENT_AFTER_INITIALIZATION = 28,
  GXF_ENTITY_MAX_COMPONENTS_LIMIT_EXCEEDED = 29,
  GXF_PARAMETER_NOT_FOUND = 30,
  GXF_PARAMETER_ALREADY_REGISTERED = 31,
  GXF_PARAMETER_INVALID_TYPE = 32,
  GXF_PARAMETER_OUT_OF_RANGE = 33,
  GXF_PARAMETER_NOT_INITIALIZED = 34,
  GXF_PARAMETER_CAN_NOT_MODIFY_CONSTANT = 35,
  GXF_PARAMETER_PARSER_ERROR = 36,
  GXF_PARAMETER_NOT_NUMERIC = 37,
  GXF_PARAMETER_MANDATORY_NOT_SET = 38,
  GXF_CONTRACT_INVALID_SEQUENCE = 39,
  GXF_CONTRACT_PARAMETER_NOT_SET = 40,
  GXF_CONTRACT_MESSAGE_NOT_AVAILABLE = 41,
  GXF_INVALID_LIFECYCLE_STAGE = 42,
  GXF_INVALID_EXECUTION_SEQUENCE = 43,
  GXF_REF_COUNT_NEGATIVE = 44,
  GXF_RESULT_ARRAY_TOO_SMALL = 45,
  GXF_INVALID_DATA_FORMAT = 46,
  GXF_EXCEEDING_PREALLOCATED_SIZE = 47,
  GXF_QUERY_NOT_ENOUGH_CAPACITY = 48,
  GXF_QUERY_NOT_APPLICABLE = 49,
  GXF_QUERY_NOT_FOUND = 50,
  GXF_NOT_FINISHED = 51,
  GXF_HTTP_GET_FAILURE = 52,
  GXF_HTTP_POST_FAILURE = 53,
  GXF_ENTITY_GROUP_NOT_FOUND = 54,
  GXF_RESOURCE_NOT_INITIALIZED = 55,
  GXF_RESOURCE_NOT_FOUND = 56,
  GXF_CONNECTION_BROKEN = 57,
  GXF_CONNECTION_ATTEMPTS_EXCEEDED = 58,
  GXF_IPC_CONNECTION_FAILURE = 59,
  GXF_IPC_CALL_FAILURE = 60,
  GXF_IPC_SERVICE_NOT_FOUND = 61
} gxf_result_t;

/* Where the execution of an entity stands. */
typedef enum {
  GXF_ENTITY_STATUS_NOT_STARTED = 0,
  GXF_ENTITY_STATUS_START_PENDING = 1,
  GXF_ENTITY_STATUS_STARTED = 2,
  GXF_ENTITY_STATUS_TICK_PENDING = 3,
  GXF_ENTITY_STATUS_TICKING = 4,
  GXF_ENTITY_STATUS_IDLE = 5,
  GXF_ENTITY_STATUS_STOP_PENDING = 6,
  GXF_ENTITY_MAX = 7
} gxf_entity_status_t;

/* The spelling of GXF 2.x. */
#define GXF_ENTITY_STATUS_TIKCING GXF_ENTITY_STATUS_TICKING

/* What the controller of an entity said last. */
typedef enum {
  GXF_BEHAVIOR_INIT = 0,
  GXF_BEHAVIOR_SUCCESS = 1,
  GXF_BEHAVIOR_RUNNING = 2,
  GXF_BEHAVIOR_FAILURE = 3,
  GXF_BEHAVIOR_UNKNOWN = 4
} entity_state_t;

/* Why an entity is looked at again. */
typedef enum {
  GXF_EVENT_CUSTOM = 0,
  GXF_EVENT_EXTERNAL = 1,
  GXF_EVENT_MEMORY_FREE = 2,
  GXF_EVENT_MESSAGE_SYNC = 3,
  GXF_EVENT_TIME_UPDATE = 4,
  GXF_EVENT_STATE_UPDATE = 5
} gxf_event_t;

/* A set of the flags below. */
typedef uint32_t gxf_parameter_flags_t;

/* How a parameter is treated. Without a flag it is mandatory. */
typedef enum gxf_parameter_flags_t_ {
  GXF_PARAMETER_FLAGS_NONE = 0,
  /* May stay without a value. */
  GXF_PARAMETER_FLAGS_OPTIONAL = 1,
  /* Is meant to change while the graph runs. */
  GXF_PARAMETER_FLAGS_DYNAMIC = 2
} gxf_parameter_flags_t_;

/* Type of a parameter, or of its elements. */
typedef enum {
  GXF_PARAMETER_TYPE_CUSTOM = 0,
  GXF_PARAMETER_TYPE_HANDLE = 1,
  GXF_PARAMETER_TYPE_STRING = 2,
  GXF_PARAMETER_TYPE_INT64 = 3,
  GXF_PARAMETER_TYPE_UINT64 = 4,
  GXF_PARAMETER_TYPE_FLOAT64 = 5,
  GXF_PARAMETER_TYPE_BOOL = 6,
  GXF_PARAMETER_TYPE_INT32 = 7,
  GXF_PARAMETER_TYPE_FILE = 8,
  GXF_PARAMETER_TYPE_INT8 = 9,
  GXF_PARAMETER_TYPE_INT16 = 10,
  GXF_PARAMETER_TYPE_UINT8 = 11,
  GXF_PARAMETER_TYPE_UINT16 = 12,
  GXF_PARAMETER_TYPE_UINT32 = 13,
  GXF_PARAMETER_TYPE_FLOAT32 = 14,
  GXF_PARAMETER_TYPE_COMPLEX64 = 15,
  GXF_PARAMETER_TYPE_COMPLEX128 = 16
} gxf_parameter_type_t;

/* The least important kind of line that is still logged. */
typedef enum {
  GXF_SEVERITY_NONE = 0,
  GXF_SEVERITY_ERROR = 1,
  GXF_SEVERITY_WARNING = 2,
  GXF_SEVERITY_INFO = 3,
  GXF_SEVERITY_DEBUG = 4,
  GXF_SEVERITY_VERBOSE = 5
} gxf_severity_t;

/* ---- Descriptions ------------------------------------------------------------------------ */

/* What GxfRuntimeInfo tells. */
typedef struct {
  /* kGxfCoreVersion of the library. */
  const char* version;
  /* In: room in `extensions`. Out: number of loaded extensions. */
  uint64_t num_extensions;
  /* The caller's array. */
  gxf_tid_t* extensions;
} gxf_runtime_info;

/* What GxfExtensionInfo tells. */
typedef struct {
  gxf_tid_t id;
  const char* name;
  const char* description;
  const char* version;
  /* kGxfCoreVersion of the runtime. */
  const char* runtime_version;
  const char* license;
  const char* author;
  const char* display_name;
  const char* category;
  const char* brief;
  /* In: room in `components`. Out: number of types of the extension. */
  uint64_t num_components;
  /* The caller's array. */
  gxf_tid_t* components;
} gxf_extension_info_t;

/* What GxfComponentInfo tells about a type. */
typedef struct {
  gxf_tid_t cid;
  /* Full name of the base type; empty for none. */
  const char* base_name;
  /* 1 when there are no instances of the type. */
  int is_abstract;
  const char* type_name;
  const char* display_name;
  const char* brief;
  const char* description;
  /* In: room in `parameters`. Out: number of parameters. */
  uint64_t num_parameters;
  /* The caller's array; receives the keys. */
  const char** parameters;
} gxf_component_info_t;

/* What GxfGetParameterInfo tells about a parameter of a type. */
typedef struct {
  const char* key;
  const char* headline;
  const char* description;
  gxf_parameter_flags_t flags;
  gxf_parameter_type_t type;
  /* Type a handle must have; null for other parameters. */
  gxf_tid_t handle_tid;
  /* The default of a parameter of rank 0: the address of a value of its type, for texts and paths
     the text itself. Null for none. */
  const void* default_value;
  /* Limits and step of a number: addresses of values of its type. Null for none. */
  const void* numeric_min;
  const void* numeric_max;
  const void* numeric_step;
  /* Platforms the parameter is for; null when it does not say. */
  const char* platform_information;
  /* 0 for one value, 1 for a list, 2 for a list of lists, ... */
  int32_t rank;
  /* Length of each dimension, -1 for any length. */
  int32_t shape[8];
} gxf_parameter_info_t;

/* ---- Texts ------------------------------------------------------------------------------- */

/* Name of a result code, such as "GXF_SUCCESS"; "N/A" for a number that is none. */
const char* GxfResultStr(gxf_result_t result);
/* Name of a status, such as "GXF_ENTITY_STATUS_IDLE"; "N/A" for a number that is none. */
const char* GxfEntityStatusStr(gxf_entity_status_t status);
/* Name of an event, such as "GXF_EVENT_EXTERNAL"; "N/A" for a number that is none. */
const char* GxfEventStr(gxf_event_t event);
/* Name of a parameter type, such as "GXF_PARAMETER_TYPE_BOOL"; "N/A" for a number that is none. */
const char* GxfParameterTypeStr(gxf_parameter_type_t param_type);
/* Name of a flag, such as "GXF_PARAMETER_FLAGS_NONE"; "N/A" for a number that is none. */
const char* GxfParameterFlagTypeStr(gxf_parameter_flags_t_ flag_type);
/* Whether the code is GXF_SUCCESS. */
bool isSuccessful(gxf_result_t result);

/* ---- Contexts ---------------------------------------------------------------------------- */

/* Creates a context with the standard extension and no entities. It is the caller's, who ends it
   with GxfContextDestroy. */
gxf_result_t GxfContextCreate(gxf_context_t* context);
/* Creates a context that has the extensions and types of others: what one of them loads, all of
   them have. Entities and the graph are its own. `shared` comes from GxfGetSharedContext;
   GXF_CONTEXT_INVALID for anything else. */
gxf_result_t GxfContextCreateShared(gxf_context_t shared, gxf_context_t* context);
/* What the context shares with those made by GxfContextCreateShared. Valid as long as one of them
   exists, and not to be destroyed. It is not a context itself. */
gxf_result_t GxfGetSharedContext(gxf_context_t context, gxf_context_t* shared);
/* Ends the run if there is one, deactivates and destroys everything. The code is that of the
   deactivation; the context is gone in any case. GXF_CONTEXT_INVALID for a context that was not
   created by this API: it belongs to the program that made it. From inside its graph:
   GXF_INVALID_EXECUTION_SEQUENCE, and the context stays. */
gxf_result_t GxfContextDestroy(gxf_context_t context);

/* ---- Extensions and types ---------------------------------------------------------------- */

/* Loads an extension that is part of the program. `extension_ptr` is the address of its
   GxeExtensionDescriptor, see gxf/plugin_abi.h; extensions made with the C++ headers hand that out
   through GxfExtensionFactory. It must stay valid as long as the process.
   GXF_FACTORY_INCOMPATIBLE for anything else that can be read. */
gxf_result_t GxfLoadExtensionFromPointer(gxf_context_t context, void* extension_ptr);
/* Makes a type known by name, so that programs can speak of types nobody has loaded. There are no
   instances of it. An empty or null `base_name` means none.
   GXF_FACTORY_DUPLICATE_TID: id or name are taken. GXF_FACTORY_UNKNOWN_CLASS_NAME: no such base. */
gxf_result_t GxfRegisterComponent(gxf_context_t context, gxf_tid_t tid, const char* name,
                                  const char* base_name);
/* Lists a registered type among those of an extension. GXF_FACTORY_UNKNOWN_TID,
   GXF_EXTENSION_NOT_FOUND. */
gxf_result_t GxfRegisterComponentInExtension(gxf_context_t context, gxf_tid_t component_tid,
                                             gxf_tid_t extension_tid);

/* ---- Entities ---------------------------------------------------------------------------- */

/* Checks and initialises the components of an entity and hands it to the scheduler. Entities of the
   program are activated with the graph. Nothing happens for a message.
   GXF_INVALID_LIFECYCLE_STAGE: it is active, or this is called from inside of it.
   GXF_PARAMETER_MANDATORY_NOT_SET; the code of a component that fails to initialise. */
gxf_result_t GxfEntityActivate(gxf_context_t context, gxf_uid_t eid);
/* Stops an entity and deinitialises its components, after the tick it may be in. The code is the
   first error of a component. GXF_INVALID_LIFECYCLE_STAGE: it is not active, or this is called from
   inside of it. */
gxf_result_t GxfEntityDeactivate(gxf_context_t context, gxf_uid_t eid);
/* Deactivates an entity if need be and removes it. GXF_ARGUMENT_INVALID while its reference count
   is not 0. From inside of it: GXF_INVALID_LIFECYCLE_STAGE. */
gxf_result_t GxfEntityDestroy(gxf_context_t context, gxf_uid_t eid);
/* Finds an entity by its full name, which in a subgraph begins with the names of those around it.
   GXF_ENTITY_NOT_FOUND. */
gxf_result_t GxfEntityFind(gxf_context_t context, const char* name, gxf_uid_t* eid);
/* All entities, in the order of their creation; messages are not among them.
   GXF_RESULT_ARRAY_TOO_SMALL. */
gxf_result_t GxfEntityFindAll(gxf_context_t context, uint64_t* num_entities, gxf_uid_t* entities);
/* One user more. New entities have 0. */
gxf_result_t GxfEntityRefCountInc(gxf_context_t context, gxf_uid_t eid);
/* One user less. The last one destroys the entity unless it belongs to the program.
   GXF_REF_COUNT_NEGATIVE: the count is 0. */
gxf_result_t GxfEntityRefCountDec(gxf_context_t context, gxf_uid_t eid);
/* Number of users. For a message, queues that hold it count as well. */
gxf_result_t GxfEntityGetRefCount(gxf_context_t context, gxf_uid_t eid, int64_t* count);
/* Where the execution of an entity stands. */
gxf_result_t GxfEntityGetStatus(gxf_context_t context, gxf_uid_t eid,
                                gxf_entity_status_t* entity_status);
/* Name of an entity; one that was given none has "__entity_" and its id, a message "". */
gxf_result_t GxfEntityGetName(gxf_context_t context, gxf_uid_t eid, const char** entity_name);
/* What the entity's controller said last; GXF_BEHAVIOR_UNKNOWN without one. */
gxf_result_t GxfEntityGetState(gxf_context_t context, gxf_uid_t eid, entity_state_t* entity_state);
/* GxfEntityNotifyEventType with GXF_EVENT_EXTERNAL. */
gxf_result_t GxfEntityEventNotify(gxf_context_t context, gxf_uid_t eid);
/* Makes the scheduler look at an entity again. Nothing happens while the graph is being activated
   or deactivated. GXF_INVALID_EXECUTION_SEQUENCE: the graph does not run. GXF_INVALID_ENUM. */
gxf_result_t GxfEntityNotifyEventType(gxf_context_t context, gxf_uid_t eid, gxf_event_t event);
/* A pointer that stands for the entity in GxfComponentAddAndGetPtr and GxfComponentFindAndGetPtr.
   It must not be dereferenced, and not be used after the entity is gone. */
gxf_result_t GxfEntityGetItemPtr(gxf_context_t context, gxf_uid_t eid, void** ptr);

/* ---- Components -------------------------------------------------------------------------- */

/* Id of the type with this full name. GXF_FACTORY_UNKNOWN_CLASS_NAME. */
gxf_result_t GxfComponentTypeId(gxf_context_t context, const char* name, gxf_tid_t* tid);
/* Full name of a type. GXF_FACTORY_UNKNOWN_TID. */
gxf_result_t GxfComponentTypeName(gxf_context_t context, gxf_tid_t tid, const char** name);
/* Full name of the type of a component. */
gxf_result_t GxfComponentTypeNameFromUID(gxf_context_t context, gxf_uid_t cid, const char** name);
/* Name of a component; empty when it has none. */
gxf_result_t GxfComponentName(gxf_context_t context, gxf_uid_t cid, const char** name);
/* Entity of a component. */
gxf_result_t GxfComponentEntity(gxf_context_t context, gxf_uid_t cid, gxf_uid_t* eid);
/* Adds a component, or to a message a payload; it belongs to the entity. `name` and `cid` may be
   null.
   GXF_FACTORY_UNKNOWN_TID, GXF_FACTORY_ABSTRACT_CLASS, GXF_ENTITY_COMPONENT_NAME_EXCEEDS_LIMIT,
   GXF_ENTITY_CAN_NOT_ADD_COMPONENT_AFTER_INITIALIZATION; GXF_CONTRACT_INVALID_SEQUENCE: others
   hold the message as well. */
gxf_result_t GxfComponentAdd(gxf_context_t context, gxf_uid_t eid, gxf_tid_t tid, const char* name,
                             gxf_uid_t* cid);
/* As GxfComponentAdd and GxfComponentPointer for the entity that `item_ptr` stands for; `cid` may
   be null. GXF_ENTITY_NOT_FOUND: the pointer stands for none. */
gxf_result_t GxfComponentAddAndGetPtr(gxf_context_t context, void* item_ptr, gxf_tid_t tid,
                                      const char* name, gxf_uid_t* cid, void** comp_ptr);
/* Removes a component; its id and its address are of no use then.
   GXF_ENTITY_CAN_NOT_REMOVE_COMPONENT_AFTER_INITIALIZATION. */
gxf_result_t GxfComponentRemoveWithUID(gxf_context_t context, gxf_uid_t cid);
/* As GxfComponentRemoveWithUID for the first component of this very type; `name` may be null for
   any. */
gxf_result_t GxfComponentRemove(gxf_context_t context, gxf_uid_t eid, gxf_tid_t tid,
                                const char* name);
/* Makes a component of another entity known in this one under a name, so that GxfComponentFind and
   handles find it here. */
gxf_result_t GxfComponentAddToInterface(gxf_context_t context, gxf_uid_t eid, gxf_uid_t cid,
                                        const char* name);
/* Finds the first component from position `*offset` on, counted from 0, that is of type `tid` or
   derived from it, and leaves its position there. A null `tid` fits every type, a null `name` every
   name; `offset` and `cid` may be null. GXF_ENTITY_COMPONENT_NOT_FOUND: there is none.
   GXF_ARGUMENT_OUT_OF_RANGE: the offset is negative. */
gxf_result_t GxfComponentFind(gxf_context_t context, gxf_uid_t eid, gxf_tid_t tid, const char* name,
                              int32_t* offset, gxf_uid_t* cid);
/* As GxfComponentFind and GxfComponentPointer. A null `item_ptr` leaves the entity to `eid`. */
gxf_result_t GxfComponentFindAndGetPtr(gxf_context_t context, gxf_uid_t eid, void* item_ptr,
                                       gxf_tid_t tid, const char* name, int32_t* offset,
                                       gxf_uid_t* cid, void** ptr);
/* All components of an entity, in the order of their addition. GXF_RESULT_ARRAY_TOO_SMALL. */
gxf_result_t GxfComponentFindAll(gxf_context_t context, gxf_uid_t eid, uint64_t* num_cids,
                                 gxf_uid_t* cids);
/* Type of a component. */
gxf_result_t GxfComponentType(gxf_context_t context, gxf_uid_t cid, gxf_tid_t* tid);
/* Address of a component that is of type `tid` or derived from it; a null `tid` fits every type.
   Valid as long as the component; what stands there is the type's own affair.
   GXF_ENTITY_COMPONENT_NOT_FOUND: it is of another type. */
gxf_result_t GxfComponentPointer(gxf_context_t context, gxf_uid_t uid, gxf_tid_t tid,
                                 void** pointer);
/* Whether `base` is `derived` itself or one of its bases. GXF_FACTORY_UNKNOWN_TID. */
gxf_result_t GxfComponentIsBase(gxf_context_t context, gxf_tid_t derived, gxf_tid_t base,
                                bool* result);

/* ---- Parameters: set --------------------------------------------------------------------- */

/* Sets a parameter of the component `uid`. The value is copied: whoever reads the parameter finds
   it at once, the component between two ticks of its entity. A key its type does not have is kept
   as a dynamic optional parameter of the type of the first value.
   GXF_PARAMETER_INVALID_TYPE: the parameter has another type or rank. GXF_PARAMETER_OUT_OF_RANGE: a
   number is outside its limits, or a list has the wrong length.
   GXF_PARAMETER_CAN_NOT_MODIFY_CONSTANT: a handle while the entity is active, or the name.
   GXF_QUERY_NOT_APPLICABLE: a payload has no parameters. */
gxf_result_t GxfParameterSetInt8(gxf_context_t context, gxf_uid_t uid, const char* key,
                                 int8_t value);
gxf_result_t GxfParameterSetInt16(gxf_context_t context, gxf_uid_t uid, const char* key,
                                  int16_t value);
gxf_result_t GxfParameterSetInt32(gxf_context_t context, gxf_uid_t uid, const char* key,
                                  int32_t value);
gxf_result_t GxfParameterSetInt64(gxf_context_t context, gxf_uid_t uid, const char* key,
                                  int64_t value);
gxf_result_t GxfParameterSetUInt8(gxf_context_t context, gxf_uid_t uid, const char* key,
                                  uint8_t value);
gxf_result_t GxfParameterSetUInt16(gxf_context_t context, gxf_uid_t uid, const char* key,
                                   uint16_t value);
gxf_result_t GxfParameterSetUInt32(gxf_context_t context, gxf_uid_t uid, const char* key,
                                   uint32_t value);
gxf_result_t GxfParameterSetUInt64(gxf_context_t context, gxf_uid_t uid, const char* key,
                                   uint64_t value);
gxf_result_t GxfParameterSetFloat32(gxf_context_t context, gxf_uid_t uid, const char* key,
                                    float value);
gxf_result_t GxfParameterSetFloat64(gxf_context_t context, gxf_uid_t uid, const char* key,
                                    double value);
gxf_result_t GxfParameterSetBool(gxf_context_t context, gxf_uid_t uid, const char* key, bool value);
/* kInternalNameParameterKey gives a payload another name; the message must not have users besides
   the caller, else GXF_CONTRACT_INVALID_SEQUENCE. The name of a component stays what it is:
   GXF_PARAMETER_CAN_NOT_MODIFY_CONSTANT. */
gxf_result_t GxfParameterSetStr(gxf_context_t context, gxf_uid_t uid, const char* key,
                                const char* value);
/* For parameters of type GXF_PARAMETER_TYPE_FILE. */
gxf_result_t GxfParameterSetPath(gxf_context_t context, gxf_uid_t uid, const char* key,
                                 const char* value);
/* `cid` must be of the type the handle asks for, else GXF_PARAMETER_INVALID_TYPE; kNullUid and
   kUnspecifiedUid take the value away. */
gxf_result_t GxfParameterSetHandle(gxf_context_t context, gxf_uid_t uid, const char* key,
                                   gxf_uid_t cid);
gxf_result_t GxfParameterSet1DStrVector(gxf_context_t context, gxf_uid_t uid, const char* key,
                                        const char* value[], uint64_t length);
gxf_result_t GxfParameterSet1DFloat64Vector(gxf_context_t context, gxf_uid_t uid, const char* key,
                                            double* value, uint64_t length);
gxf_result_t GxfParameterSet1DInt64Vector(gxf_context_t context, gxf_uid_t uid, const char* key,
                                          int64_t* value, uint64_t length);
gxf_result_t GxfParameterSet1DUInt64Vector(gxf_context_t context, gxf_uid_t uid, const char* key,
                                           uint64_t* value, uint64_t length);
gxf_result_t GxfParameterSet1DInt32Vector(gxf_context_t context, gxf_uid_t uid, const char* key,
                                          int32_t* value, uint64_t length);
/* `value` holds `height` pointers to rows of `width` elements. */
gxf_result_t GxfParameterSet2DFloat64Vector(gxf_context_t context, gxf_uid_t uid, const char* key,
                                            double** value, uint64_t height, uint64_t width);
gxf_result_t GxfParameterSet2DInt64Vector(gxf_context_t context, gxf_uid_t uid, const char* key,
                                          int64_t** value, uint64_t height, uint64_t width);
gxf_result_t GxfParameterSet2DUInt64Vector(gxf_context_t context, gxf_uid_t uid, const char* key,
                                           uint64_t** value, uint64_t height, uint64_t width);
gxf_result_t GxfParameterSet2DInt32Vector(gxf_context_t context, gxf_uid_t uid, const char* key,
                                          int32_t** value, uint64_t height, uint64_t width);
/* Reads a value as an app file does. `yaml` is YAML text; handles are looked up with the prefix of
   a subgraph, which may be null or empty. Not part of GXF, whose functions for this take an object
   of the C++ library yaml-cpp. GXF_PARAMETER_PARSER_ERROR and the codes above. */
gxf_result_t GxfParameterSetFromYamlText(gxf_context_t context, gxf_uid_t uid, const char* key,
                                         const char* yaml, const char* prefix);
/* The library does not know yaml-cpp: always GXF_NOT_IMPLEMENTED. In C++ an overload for YAML::Node
   takes its place, see gxf_objects.hpp. */
gxf_result_t GxfParameterSetFromYamlNode(gxf_context_t context, gxf_uid_t uid, const char* key,
                                         void* yaml_node, const char* prefix);

/* ---- Parameters: get --------------------------------------------------------------------- */

/* Reads a parameter: the value that was set, or the default. GXF_PARAMETER_NOT_FOUND: no such key.
   GXF_PARAMETER_NOT_INITIALIZED: it has no value. GXF_PARAMETER_INVALID_TYPE: it has another type
   or rank. GXF_QUERY_NOT_APPLICABLE: a payload has no parameters. */
gxf_result_t GxfParameterGetFloat64(gxf_context_t context, gxf_uid_t uid, const char* key,
                                    double* value);
gxf_result_t GxfParameterGetFloat32(gxf_context_t context, gxf_uid_t uid, const char* key,
                                    float* value);
gxf_result_t GxfParameterGetInt64(gxf_context_t context, gxf_uid_t uid, const char* key,
                                  int64_t* value);
gxf_result_t GxfParameterGetUInt64(gxf_context_t context, gxf_uid_t uid, const char* key,
                                   uint64_t* value);
gxf_result_t GxfParameterGetUInt32(gxf_context_t context, gxf_uid_t uid, const char* key,
                                   uint32_t* value);
gxf_result_t GxfParameterGetUInt16(gxf_context_t context, gxf_uid_t uid, const char* key,
                                   uint16_t* value);
gxf_result_t GxfParameterGetInt32(gxf_context_t context, gxf_uid_t uid, const char* key,
                                  int32_t* value);
gxf_result_t GxfParameterGetBool(gxf_context_t context, gxf_uid_t uid, const char* key,
                                 bool* value);
/* The text is the context's; it stays valid until the parameter is read with another value. */
gxf_result_t GxfParameterGetStr(gxf_context_t context, gxf_uid_t uid, const char* key,
                                const char** value);
/* For parameters of type GXF_PARAMETER_TYPE_FILE. */
gxf_result_t GxfParameterGetPath(gxf_context_t context, gxf_uid_t uid, const char* key,
                                 const char** value);
gxf_result_t GxfParameterGetHandle(gxf_context_t context, gxf_uid_t uid, const char* key,
                                   gxf_uid_t* cid);
/* Length of a list. */
gxf_result_t GxfParameterGet1DFloat64VectorInfo(gxf_context_t context, gxf_uid_t uid,
                                                const char* key, uint64_t* length);
gxf_result_t GxfParameterGet1DInt64VectorInfo(gxf_context_t context, gxf_uid_t uid, const char* key,
                                              uint64_t* length);
gxf_result_t GxfParameterGet1DUInt64VectorInfo(gxf_context_t context, gxf_uid_t uid,
                                               const char* key, uint64_t* length);
gxf_result_t GxfParameterGet1DInt32VectorInfo(gxf_context_t context, gxf_uid_t uid, const char* key,
                                              uint64_t* length);
/* Number of rows and elements of a row. GXF_INVALID_DATA_FORMAT: the rows differ in length. */
gxf_result_t GxfParameterGet2DFloat64VectorInfo(gxf_context_t context, gxf_uid_t uid,
                                                const char* key, uint64_t* height, uint64_t* width);
gxf_result_t GxfParameterGet2DInt64VectorInfo(gxf_context_t context, gxf_uid_t uid, const char* key,
                                              uint64_t* height, uint64_t* width);
gxf_result_t GxfParameterGet2DUInt64VectorInfo(gxf_context_t context, gxf_uid_t uid,
                                               const char* key, uint64_t* height, uint64_t* width);
gxf_result_t GxfParameterGet2DInt32VectorInfo(gxf_context_t context, gxf_uid_t uid, const char* key,
                                              uint64_t* height, uint64_t* width);
/* Copies a list. `*length` is the room in `value`. GXF_QUERY_NOT_ENOUGH_CAPACITY. */
gxf_result_t GxfParameterGet1DFloat64Vector(gxf_context_t context, gxf_uid_t uid, const char* key,
                                            double* value, uint64_t* length);
gxf_result_t GxfParameterGet1DInt64Vector(gxf_context_t context, gxf_uid_t uid, const char* key,
                                          int64_t* value, uint64_t* length);
gxf_result_t GxfParameterGet1DUInt64Vector(gxf_context_t context, gxf_uid_t uid, const char* key,
                                           uint64_t* value, uint64_t* length);
gxf_result_t GxfParameterGet1DInt32Vector(gxf_context_t context, gxf_uid_t uid, const char* key,
                                          int32_t* value, uint64_t* length);
/* Copies rows. `*height` is the number of pointers in `value`, `*width` the room behind each of
   them. GXF_QUERY_NOT_ENOUGH_CAPACITY. */
gxf_result_t GxfParameterGet2DFloat64Vector(gxf_context_t context, gxf_uid_t uid, const char* key,
                                            double** value, uint64_t* height, uint64_t* width);
gxf_result_t GxfParameterGet2DInt64Vector(gxf_context_t context, gxf_uid_t uid, const char* key,
                                          int64_t** value, uint64_t* height, uint64_t* width);
gxf_result_t GxfParameterGet2DUInt64Vector(gxf_context_t context, gxf_uid_t uid, const char* key,
                                           uint64_t** value, uint64_t* height, uint64_t* width);
gxf_result_t GxfParameterGet2DInt32Vector(gxf_context_t context, gxf_uid_t uid, const char* key,
                                          int32_t** value, uint64_t* height, uint64_t* width);
/* Copies texts. `*count` is the number of buffers in `value`, `*min_length` the bytes in each of
   them; the bytes needed include the final zero. GXF_QUERY_NOT_ENOUGH_CAPACITY. */
gxf_result_t GxfParameterGet1DStrVector(gxf_context_t context, gxf_uid_t uid, const char* key,
                                        char* value[], uint64_t* count, uint64_t* min_length);
/* The value as YAML text that GxfParameterSetFromYamlText reads; valid until the next call for the
   same parameter. Not part of GXF. */
gxf_result_t GxfParameterGetAsYamlText(gxf_context_t context, gxf_uid_t uid, const char* key,
                                       const char** yaml);
/* As GxfParameterSetFromYamlNode: GXF_NOT_IMPLEMENTED but for an overload in C++. */
gxf_result_t GxfParameterGetAsYamlNode(gxf_context_t context, gxf_uid_t uid, const char* key,
                                       void* yaml_node);

/* ---- The graph --------------------------------------------------------------------------- */

/* Loads an app file, relative to the root path. Several files make one graph. Each override is
   "entity/component/parameter=value". The code is that of the first mistake; all of them are logged
   with their place. GXF_FAILURE: the file cannot be read or is not YAML. GXF_ARGUMENT_INVALID: an
   override has another form. */
gxf_result_t GxfGraphLoadFile(gxf_context_t context, const char* filename,
                              const char* parameters_override[] GXF_DEFAULT_ARGUMENT(nullptr),
                              const uint32_t num_overrides GXF_DEFAULT_ARGUMENT(0));
/* As GxfGraphLoadFile, with `entity_prefix` in front of the names of its entities and with the
   components it exports as interfaces of the entity `parent_eid`. `prerequisites` is a C++ map from
   names to handles, which the library does not know: GXF_NOT_IMPLEMENTED unless it is null. In C++
   an overload takes the map, see gxf_objects.hpp. */
gxf_result_t GxfGraphLoadFileExtended(gxf_context_t context, const char* filename,
                                      const char* entity_prefix,
                                      const char* parameters_override[]
                                          GXF_DEFAULT_ARGUMENT(nullptr),
                                      const uint32_t num_overrides GXF_DEFAULT_ARGUMENT(0),
                                      gxf_uid_t parent_eid GXF_DEFAULT_ARGUMENT(kNullUid),
                                      void* prerequisites GXF_DEFAULT_ARGUMENT(nullptr));
/* As GxfGraphLoadFileExtended; the file reaches the component `prerequisite_cids[i]` by the handle
   "prerequisites/" and `prerequisite_names[i]`. Not part of GXF.
   GXF_ENTITY_COMPONENT_NOT_FOUND: a prerequisite does not exist, and nothing is loaded. */
gxf_result_t GxfGraphLoadFileWithPrerequisites(
    gxf_context_t context, const char* filename, const char* entity_prefix,
    const char* parameters_override[], const uint32_t num_overrides, gxf_uid_t parent_eid,
    const char* const prerequisite_names[], const gxf_uid_t prerequisite_cids[],
    const uint32_t num_prerequisites);
/* Writes the graph as an app file that loads to the same graph. Subgraphs are written out.
   GXF_FILE_NOT_FOUND: the file cannot be written. GXF_INVALID_DATA_FORMAT: a handle leads to a
   component that no text can name. */
gxf_result_t GxfGraphSaveToFile(gxf_context_t context, const char* filename);
/* Sets the folder that app files and subgraphs are relative to; at first the working folder. */
gxf_result_t GxfGraphSetRootPath(gxf_context_t context, const char* path);
/* As GxfGraphLoadFile for the text of an app file. */
gxf_result_t GxfGraphParseString(gxf_context_t context, const char* text,
                                 const char* parameters_override[] GXF_DEFAULT_ARGUMENT(nullptr),
                                 const uint32_t num_overrides GXF_DEFAULT_ARGUMENT(0));
/* Checks and initialises all entities of the program and prepares the scheduler. After an error
   everything is deactivated again; the code is that of the first component that is incomplete or
   fails. GXF_INVALID_EXECUTION_SEQUENCE: the graph is active, or this is called from inside. */
gxf_result_t GxfGraphActivate(gxf_context_t context);
/* Ends the run if there is one, and deinitialises everything in reverse order. Nothing happens when
   the graph is not active. The code is the first error of a component. From inside the graph:
   GXF_INVALID_EXECUTION_SEQUENCE. */
gxf_result_t GxfGraphDeactivate(gxf_context_t context);
/* Begins to run the graph and returns. GXF_INVALID_EXECUTION_SEQUENCE: it is not activated, or runs
   already. */
gxf_result_t GxfGraphRunAsync(gxf_context_t context);
/* Asks the run to end and returns; running ticks are finished. Also from inside the graph, and from
   any thread. GXF_INVALID_EXECUTION_SEQUENCE: nothing runs. */
gxf_result_t GxfGraphInterrupt(gxf_context_t context);
/* Blocks until the run is over, and tells how it ended; GXF_SUCCESS when there is none. Several
   threads may wait for one run. After an error the graph is deactivated. From inside a graph that
   runs: GXF_INVALID_EXECUTION_SEQUENCE. */
gxf_result_t GxfGraphWait(gxf_context_t context);
/* GxfGraphRunAsync and GxfGraphWait. */
gxf_result_t GxfGraphRun(gxf_context_t context);

/* ---- Information ------------------------------------------------------------------------- */

/* The version and the loaded extensions. GXF_QUERY_NOT_ENOUGH_CAPACITY: the array has no room, the
   version is filled. */
gxf_result_t GxfRuntimeInfo(gxf_context_t context, gxf_runtime_info* info);
/* About a loaded extension. GXF_EXTENSION_NOT_FOUND, GXF_QUERY_NOT_ENOUGH_CAPACITY: the array has
   no room, all the rest is filled. */
gxf_result_t GxfExtensionInfo(gxf_context_t context, gxf_tid_t tid, gxf_extension_info_t* info);
/* About a type. GXF_FACTORY_UNKNOWN_TID, GXF_QUERY_NOT_ENOUGH_CAPACITY: the array has no room, all
   the rest is filled. */
gxf_result_t GxfComponentInfo(gxf_context_t context, gxf_tid_t tid, gxf_component_info_t* info);
/* About a parameter of the type `cid`. GXF_FACTORY_UNKNOWN_TID, GXF_PARAMETER_NOT_FOUND. */
gxf_result_t GxfGetParameterInfo(gxf_context_t context, gxf_tid_t cid, const char* key,
                                 gxf_parameter_info_t* info);
/* The same as GxfGetParameterInfo, under its other name. */
gxf_result_t GxfParameterInfo(gxf_context_t context, gxf_tid_t cid, const char* key,
                              gxf_parameter_info_t* info);

#ifdef __cplusplus
}  /* extern "C" */

inline bool operator==(const gxf_tid_t& lhs, const gxf_tid_t& rhs) {
  return lhs.hash1 == rhs.hash1 && lhs.hash2 == rhs.hash2;
}

inline bool operator!=(const gxf_tid_t& lhs, const gxf_tid_t& rhs) {
  return !(lhs == rhs);
}

inline bool operator<(const gxf_tid_t& lhs, const gxf_tid_t& rhs) {
  return lhs.hash1 < rhs.hash1 || (lhs.hash1 == rhs.hash1 && lhs.hash2 < rhs.hash2);
}
#endif

#include "gxf/core/gxf_ext.h"
#ifdef __cplusplus
#include "gxf/core/gxf_objects.hpp"
#endif

#endif  /* NVIDIA_GXF_CORE_GXF_H_ */
