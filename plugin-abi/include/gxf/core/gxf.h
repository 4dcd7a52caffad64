/*
 * The C API of the runtime, binary compatible with GXF 4.1 to 5.x.
 *
 * A program creates a context, loads extensions and a graph into it, runs the graph and destroys
 * the context. All functions may be called from any thread. Each of them returns GXF_SUCCESS or an
 * error code; no input makes them crash. In particular:
 *
 * - GXF_CONTEXT_INVALID: the context is null, was destroyed or never was one.
 * - GXF_ARGUMENT_NULL: a mandatory pointer is null. GXF_NULL_POINTER: so is one inside a structure.
 * - GXF_ARGUMENT_INVALID: a text is not UTF-8.
 * - GXF_ENTITY_NOT_FOUND, GXF_ENTITY_COMPONENT_NOT_FOUND: the id is stale or never existed.
 *
 * - GXF_FAILURE: an error without a code of its own; the log has the details.
 *
 * These are not repeated below. An error leaves the results unchanged, unless stated otherwise.
 *
 * Ownership. Functions read their arguments during the call and do not keep them, except for the
 * extension of GxfLoadExtensionFromPointer and the file of GxfRedirectLog. The context owns
 * entities, components and groups. It also owns the texts that it returns, which stay valid until
 * the object they describe is changed or destroyed; texts about types and extensions stay valid for
 * ever. The caller owns arrays. A function that fills an array reads its capacity, in elements,
 * from the same variable in which it returns the number of elements. If there is too little room,
 * it fails, writes nothing into the array, and returns the required number.
 *
 * From inside the graph. While the graph calls a component (initialize, start, tick, stop,
 * deinitialize, the functions of terms, queues and so on), the component may call every function
 * that would not wait for itself. The others fail immediately; their descriptions below say so. A
 * component that is still being created (constructor, registerInterface) cannot be found yet.
 */
#ifndef NVIDIA_GXF_CORE_GXF_H_
#define NVIDIA_GXF_CORE_GXF_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
/* GXF's header includes this too, and programs rely on it. */
#include <fstream>

/* Value of an argument that C++ callers may leave out. */
#define GXF_DEFAULT_ARGUMENT(VALUE) = VALUE
#define GXF_INLINE inline
extern "C" {
#else
#define GXF_DEFAULT_ARGUMENT(VALUE)
#define GXF_INLINE static inline
#endif

/* An extension finds the functions that take a context in the program that loads it, so that it links
   without them, with -Wl,--no-undefined too. A program refers to those that create contexts. */
#define GXF_API __attribute__((weak))

/* ---- Ids and constants ------------------------------------------------------------------- */

/* Id of an entity, a component, a group or a message. */
typedef int64_t gxf_uid_t;

/* No object. */
#define kNullUid 0L
/* A deliberately unspecified handle. */
#define kUnspecifiedUid -1L

/* A context; the same pointer that extensions get. */
typedef void* gxf_context_t;

/* No context. */
#ifdef __cplusplus
#define kNullContext nullptr
#else
#define kNullContext NULL
#endif

/* GXF version of this API, with which extensions are built. */
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

/* The parameter that holds every component's name. */
#define kInternalNameParameterKey "__name"
/* The initial group of every entity. */
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

/* The id that means "none". */
GXF_INLINE gxf_tid_t GxfTidNull(void) {
  gxf_tid_t tid;
  tid.hash1 = 0;
  tid.hash2 = 0;
  return tid;
}

/* 1 for the id that means "none", otherwise 0. */
GXF_INLINE uint32_t GxfTidIsNull(gxf_tid_t tid) {
  return (tid.hash1 == 0 && tid.hash2 == 0) ? 1 : 0;
}

/* ---- Enumerations ------------------------------------------------------------------------ */

/* Result of a call. */
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

/* Execution status of an entity. */
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

/* Latest verdict of an entity's controller. */
typedef enum {
  GXF_BEHAVIOR_INIT = 0,
  GXF_BEHAVIOR_SUCCESS = 1,
  GXF_BEHAVIOR_RUNNING = 2,
  GXF_BEHAVIOR_FAILURE = 3,
  GXF_BEHAVIOR_UNKNOWN = 4
} entity_state_t;

/* Reason to check an entity again. */
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
  /* May have no value. */
  GXF_PARAMETER_FLAGS_OPTIONAL = 1,
  /* May change while the graph runs. */
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

/* Least important severity that is logged. */
typedef enum {
  GXF_SEVERITY_NONE = 0,
  GXF_SEVERITY_ERROR = 1,
  GXF_SEVERITY_WARNING = 2,
  GXF_SEVERITY_INFO = 3,
  GXF_SEVERITY_DEBUG = 4,
  GXF_SEVERITY_VERBOSE = 5
} gxf_severity_t;

/* ---- Descriptions ------------------------------------------------------------------------ */

/* Result of GxfRuntimeInfo. */
typedef struct {
  /* kGxfCoreVersion of the library. */
  const char* version;
  /* In: capacity of `extensions`. Out: number of loaded extensions. */
  uint64_t num_extensions;
  /* The caller's array. */
  gxf_tid_t* extensions;
} gxf_runtime_info;

/* Result of GxfExtensionInfo. */
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
  /* In: capacity of `components`. Out: number of types of the extension. */
  uint64_t num_components;
  /* The caller's array. */
  gxf_tid_t* components;
} gxf_extension_info_t;

/* Result of GxfComponentInfo: a type. */
typedef struct {
  gxf_tid_t cid;
  /* Full name of the base type; empty for none. */
  const char* base_name;
  /* 1 if the type has no instances. */
  int is_abstract;
  const char* type_name;
  const char* display_name;
  const char* brief;
  const char* description;
  /* In: capacity of `parameters`. Out: number of parameters. */
  uint64_t num_parameters;
  /* The caller's array; receives the keys. */
  const char** parameters;
} gxf_component_info_t;

/* Result of GxfGetParameterInfo: a parameter of a type. */
typedef struct {
  const char* key;
  const char* headline;
  const char* description;
  gxf_parameter_flags_t flags;
  gxf_parameter_type_t type;
  /* Required type of a handle; null for other parameters. */
  gxf_tid_t handle_tid;
  /* The default of a parameter of rank 0: the address of a value of its type, for texts and paths
     the text itself. Null for none. */
  const void* default_value;
  /* Limits and step of a number: addresses of values of its type. Null for none. */
  const void* numeric_min;
  const void* numeric_max;
  const void* numeric_step;
  /* Unit, or what else depends on the platform; null if unspecified. */
  const char* platform_information;
  /* 0 for one value, 1 for a list, 2 for a list of lists, ... */
  int32_t rank;
  /* Length of each dimension, -1 for any length. */
  int32_t shape[8];
} gxf_parameter_info_t;

/* ---- Texts ------------------------------------------------------------------------------- */

/* Name of a result code, such as "GXF_SUCCESS"; "N/A" for an unknown number. */
const char* GxfResultStr(gxf_result_t result);
/* What the latest function of this API that failed on the calling thread would log: the name of its
   code, then text for people, with places in files; "" if none failed. Valid until the thread calls
   this function again. Not part of GXF. */
const char* GxfLatestErrorText(void);
/* Name of a status, such as "GXF_ENTITY_STATUS_IDLE"; "N/A" for an unknown number. */
const char* GxfEntityStatusStr(gxf_entity_status_t status);
/* Name of an event, such as "GXF_EVENT_EXTERNAL"; "N/A" for an unknown number. */
const char* GxfEventStr(gxf_event_t event);
/* Name of a parameter type, such as "GXF_PARAMETER_TYPE_BOOL"; "N/A" for an unknown number. */
const char* GxfParameterTypeStr(gxf_parameter_type_t param_type);
/* Name of a flag, such as "GXF_PARAMETER_FLAGS_NONE"; "N/A" for an unknown number. */
const char* GxfParameterFlagTypeStr(gxf_parameter_flags_t_ flag_type);
/* Whether the code is GXF_SUCCESS. */
bool isSuccessful(gxf_result_t result);

/* ---- Contexts ---------------------------------------------------------------------------- */

/* Creates a context with the standard extension and no entities. The caller owns it and must
   destroy it with GxfContextDestroy. */
gxf_result_t GxfContextCreate(gxf_context_t* context);
/* Creates a context that shares its extensions and types with others: all of them have what one of
   them loads. It has its own entities and graph. `shared` comes from GxfGetSharedContext;
   GXF_CONTEXT_INVALID for anything else. */
gxf_result_t GxfContextCreateShared(gxf_context_t shared, gxf_context_t* context);
/* The part of the context that it shares with those from GxfContextCreateShared. Valid as long as
   one of them exists; must not be destroyed. It is not a context itself. */
GXF_API gxf_result_t GxfGetSharedContext(gxf_context_t context, gxf_context_t* shared);
/* Ends the run, if any, and deactivates and destroys everything. Returns the code of the
   deactivation; the context is destroyed in any case. GXF_CONTEXT_INVALID for a context that was
   not created by this API: it belongs to the program that made it. From inside its graph:
   GXF_INVALID_EXECUTION_SEQUENCE, and the context stays. */
gxf_result_t GxfContextDestroy(gxf_context_t context);

/* ---- Extensions and types ---------------------------------------------------------------- */

/* Loads an extension that is part of the program. `extension_ptr` is the address of its
   GxeExtensionDescriptor, see gxf/plugin_abi.h; extensions made with the C++ headers return it
   from GxfExtensionFactory. It must stay valid as long as the process.
   GXF_FACTORY_INCOMPATIBLE for any other readable address. */
GXF_API gxf_result_t GxfLoadExtensionFromPointer(gxf_context_t context, void* extension_ptr);
/* Registers a type by name, so that programs can refer to types that are not loaded. It has no
   instances. An empty or null `base_name` means none. GXF_FACTORY_DUPLICATE_TID: the id or the name
   is taken. GXF_FACTORY_UNKNOWN_CLASS_NAME: no such base. */
GXF_API gxf_result_t GxfRegisterComponent(gxf_context_t context, gxf_tid_t tid, const char* name,
                                          const char* base_name);
/* Adds a registered type to the list of an extension. GXF_FACTORY_UNKNOWN_TID,
   GXF_EXTENSION_NOT_FOUND. */
GXF_API gxf_result_t GxfRegisterComponentInExtension(gxf_context_t context, gxf_tid_t component_tid,
                                                     gxf_tid_t extension_tid);

/* ---- Entities ---------------------------------------------------------------------------- */

/* Checks and initialises the components of an entity and passes it to the scheduler. Entities of
   the program are activated with the graph. Does nothing for a message.
   GXF_INVALID_LIFECYCLE_STAGE: it is active, or the call comes from inside it.
   GXF_PARAMETER_MANDATORY_NOT_SET; the code of a component that fails to initialise. */
GXF_API gxf_result_t GxfEntityActivate(gxf_context_t context, gxf_uid_t eid);
/* Stops an entity, after a tick that may be running, and deinitialises its components. Returns the
   first error of a component. GXF_INVALID_LIFECYCLE_STAGE: it is not active, or the call comes
   from inside it. */
GXF_API gxf_result_t GxfEntityDeactivate(gxf_context_t context, gxf_uid_t eid);
/* Removes an entity, deactivating it first if it is active. GXF_ARGUMENT_INVALID while its
   reference count is not 0. From inside it: GXF_INVALID_LIFECYCLE_STAGE. */
GXF_API gxf_result_t GxfEntityDestroy(gxf_context_t context, gxf_uid_t eid);
/* Finds an entity by its full name, which in a subgraph starts with the names of the outer ones.
   GXF_ENTITY_NOT_FOUND. */
GXF_API gxf_result_t GxfEntityFind(gxf_context_t context, const char* name, gxf_uid_t* eid);
/* All entities, in the order of their creation, without messages.
   GXF_RESULT_ARRAY_TOO_SMALL. */
GXF_API gxf_result_t GxfEntityFindAll(gxf_context_t context, uint64_t* num_entities,
                                      gxf_uid_t* entities);
/* Adds a user. New entities have 0. */
GXF_API gxf_result_t GxfEntityRefCountInc(gxf_context_t context, gxf_uid_t eid);
/* Removes a user. Removing the last one destroys the entity unless it belongs to the program.
   GXF_REF_COUNT_NEGATIVE: the count is 0. */
GXF_API gxf_result_t GxfEntityRefCountDec(gxf_context_t context, gxf_uid_t eid);
/* Number of users. For a message, this includes queues that hold it. */
GXF_API gxf_result_t GxfEntityGetRefCount(gxf_context_t context, gxf_uid_t eid, int64_t* count);
/* Execution status of an entity. */
GXF_API gxf_result_t GxfEntityGetStatus(gxf_context_t context, gxf_uid_t eid,
                                        gxf_entity_status_t* entity_status);
/* Name of an entity; "__entity_" and the id if it was given none; "" for a message. */
GXF_API gxf_result_t GxfEntityGetName(gxf_context_t context, gxf_uid_t eid,
                                      const char** entity_name);
/* Latest verdict of the entity's controller; GXF_BEHAVIOR_UNKNOWN without one. */
GXF_API gxf_result_t GxfEntityGetState(gxf_context_t context, gxf_uid_t eid,
                                       entity_state_t* entity_state);
/* GxfEntityNotifyEventType with GXF_EVENT_EXTERNAL. */
GXF_API gxf_result_t GxfEntityEventNotify(gxf_context_t context, gxf_uid_t eid);
/* Makes the scheduler check an entity again. Does nothing while the graph is being activated or
   deactivated. GXF_INVALID_EXECUTION_SEQUENCE: the graph does not run. GXF_INVALID_ENUM. */
GXF_API gxf_result_t GxfEntityNotifyEventType(gxf_context_t context, gxf_uid_t eid,
                                              gxf_event_t event);
/* A pointer that means the entity in GxfComponentAddAndGetPtr and GxfComponentFindAndGetPtr. It
   must not be dereferenced, nor used after the entity is destroyed. */
GXF_API gxf_result_t GxfEntityGetItemPtr(gxf_context_t context, gxf_uid_t eid, void** ptr);

/* ---- Components -------------------------------------------------------------------------- */

/* Id of the type with this full name. GXF_FACTORY_UNKNOWN_CLASS_NAME. */
GXF_API gxf_result_t GxfComponentTypeId(gxf_context_t context, const char* name, gxf_tid_t* tid);
/* Full name of a type. GXF_FACTORY_UNKNOWN_TID. */
GXF_API gxf_result_t GxfComponentTypeName(gxf_context_t context, gxf_tid_t tid, const char** name);
/* Full name of the type of a component. */
GXF_API gxf_result_t GxfComponentTypeNameFromUID(gxf_context_t context, gxf_uid_t cid,
                                                 const char** name);
/* Name of a component; empty if it has none. */
GXF_API gxf_result_t GxfComponentName(gxf_context_t context, gxf_uid_t cid, const char** name);
/* Entity of a component. */
GXF_API gxf_result_t GxfComponentEntity(gxf_context_t context, gxf_uid_t cid, gxf_uid_t* eid);
/* Adds a component, or, to a message, a payload; the entity owns it. `name` and `cid` may be null.
   GXF_FACTORY_UNKNOWN_TID, GXF_FACTORY_ABSTRACT_CLASS, GXF_ENTITY_COMPONENT_NAME_EXCEEDS_LIMIT,
   GXF_ENTITY_CAN_NOT_ADD_COMPONENT_AFTER_INITIALIZATION; GXF_CONTRACT_INVALID_SEQUENCE: the
   message has other holders. */
GXF_API gxf_result_t GxfComponentAdd(gxf_context_t context, gxf_uid_t eid, gxf_tid_t tid,
                                     const char* name, gxf_uid_t* cid);
/* Like GxfComponentAdd and GxfComponentPointer for the entity of `item_ptr`; `cid` may be null.
   GXF_ENTITY_NOT_FOUND: the pointer means no entity. */
GXF_API gxf_result_t GxfComponentAddAndGetPtr(gxf_context_t context, void* item_ptr, gxf_tid_t tid,
                                              const char* name, gxf_uid_t* cid, void** comp_ptr);
/* Removes a component, whose id and address become invalid.
   GXF_ENTITY_CAN_NOT_REMOVE_COMPONENT_AFTER_INITIALIZATION. */
GXF_API gxf_result_t GxfComponentRemoveWithUID(gxf_context_t context, gxf_uid_t cid);
/* Like GxfComponentRemoveWithUID for the first component of exactly this type; a null `name`
   matches every name. */
GXF_API gxf_result_t GxfComponentRemove(gxf_context_t context, gxf_uid_t eid, gxf_tid_t tid,
                                        const char* name);
/* Makes a component of another entity available in this one under a name, for GxfComponentFind and
   handles. */
GXF_API gxf_result_t GxfComponentAddToInterface(gxf_context_t context, gxf_uid_t eid, gxf_uid_t cid,
                                                const char* name);
/* Finds the first component from position `*offset` on, counted from 0, that is of type `tid` or
   derived from it, and returns its position there. A null `tid` matches every type, a null `name`
   every name; `offset` and `cid` may be null. GXF_ENTITY_COMPONENT_NOT_FOUND: there is none.
   GXF_ARGUMENT_OUT_OF_RANGE: the offset is negative. */
GXF_API gxf_result_t GxfComponentFind(gxf_context_t context, gxf_uid_t eid, gxf_tid_t tid,
                                      const char* name, int32_t* offset, gxf_uid_t* cid);
/* Like GxfComponentFind and GxfComponentPointer. If `item_ptr` is null, `eid` is the entity. */
GXF_API gxf_result_t GxfComponentFindAndGetPtr(gxf_context_t context, gxf_uid_t eid, void* item_ptr,
                                               gxf_tid_t tid, const char* name, int32_t* offset,
                                               gxf_uid_t* cid, void** ptr);
/* All components of an entity, in the order in which they were added.
   GXF_RESULT_ARRAY_TOO_SMALL. */
GXF_API gxf_result_t GxfComponentFindAll(gxf_context_t context, gxf_uid_t eid, uint64_t* num_cids,
                                         gxf_uid_t* cids);
/* Type of a component. */
GXF_API gxf_result_t GxfComponentType(gxf_context_t context, gxf_uid_t cid, gxf_tid_t* tid);
/* Address of a component that is of type `tid` or derived from it; a null `tid` matches every type.
   Valid as long as the component; its type defines what is at that address.
   GXF_ENTITY_COMPONENT_NOT_FOUND: it is of another type. */
GXF_API gxf_result_t GxfComponentPointer(gxf_context_t context, gxf_uid_t uid, gxf_tid_t tid,
                                         void** pointer);
/* Whether `base` is `derived` or one of its bases. GXF_FACTORY_UNKNOWN_TID. */
GXF_API gxf_result_t GxfComponentIsBase(gxf_context_t context, gxf_tid_t derived, gxf_tid_t base,
                                        bool* result);

/* Lets a gxe::Variable use memory of the program, with the value in it, until it gets other memory or
   is destroyed. While the graph is active, the memory is the graph's. Before an activation and between
   runs; not part of GXF. GXF_ENTITY_COMPONENT_NOT_FOUND: the component is no gxe::Variable.
   GXF_ARGUMENT_INVALID: the variable has another size. GXF_INVALID_LIFECYCLE_STAGE: it is in use. */
GXF_API gxf_result_t GxfVariableBind(gxf_context_t context, gxf_uid_t cid, void* memory,
                                     uint64_t size);
/* Copies the value of a gxe::Variable, whose size is that of the buffer; not part of GXF. Errors as
   above; GXF_INVALID_LIFECYCLE_STAGE also before the first activation. */
GXF_API gxf_result_t GxfVariableRead(gxf_context_t context, gxf_uid_t cid, void* buffer,
                                     uint64_t size);

/* ---- Parameters: set --------------------------------------------------------------------- */

/* Sets a parameter of the component `uid` to a copy of the value. Readers of the parameter see it
   immediately, the component between two ticks of its entity. A key that the type does not declare
   becomes a dynamic optional parameter with the type of its first value.
   GXF_PARAMETER_INVALID_TYPE: the parameter has another type or rank. GXF_PARAMETER_OUT_OF_RANGE: a
   number is outside its limits, or a list has the wrong length.
   GXF_PARAMETER_CAN_NOT_MODIFY_CONSTANT: a handle while the entity is active, or the name.
   GXF_QUERY_NOT_APPLICABLE: a payload has no parameters. */
GXF_API gxf_result_t GxfParameterSetInt8(gxf_context_t context, gxf_uid_t uid, const char* key,
                                         int8_t value);
GXF_API gxf_result_t GxfParameterSetInt16(gxf_context_t context, gxf_uid_t uid, const char* key,
                                          int16_t value);
GXF_API gxf_result_t GxfParameterSetInt32(gxf_context_t context, gxf_uid_t uid, const char* key,
                                          int32_t value);
GXF_API gxf_result_t GxfParameterSetInt64(gxf_context_t context, gxf_uid_t uid, const char* key,
                                          int64_t value);
GXF_API gxf_result_t GxfParameterSetUInt8(gxf_context_t context, gxf_uid_t uid, const char* key,
                                          uint8_t value);
GXF_API gxf_result_t GxfParameterSetUInt16(gxf_context_t context, gxf_uid_t uid, const char* key,
                                           uint16_t value);
GXF_API gxf_result_t GxfParameterSetUInt32(gxf_context_t context, gxf_uid_t uid, const char* key,
                                           uint32_t value);
GXF_API gxf_result_t GxfParameterSetUInt64(gxf_context_t context, gxf_uid_t uid, const char* key,
                                           uint64_t value);
GXF_API gxf_result_t GxfParameterSetFloat32(gxf_context_t context, gxf_uid_t uid, const char* key,
                                            float value);
GXF_API gxf_result_t GxfParameterSetFloat64(gxf_context_t context, gxf_uid_t uid, const char* key,
                                            double value);
GXF_API gxf_result_t GxfParameterSetBool(gxf_context_t context, gxf_uid_t uid, const char* key,
                                         bool value);
/* kInternalNameParameterKey renames a payload; if the message has other users than the caller,
   GXF_CONTRACT_INVALID_SEQUENCE. The name of a component cannot change:
   GXF_PARAMETER_CAN_NOT_MODIFY_CONSTANT. */
GXF_API gxf_result_t GxfParameterSetStr(gxf_context_t context, gxf_uid_t uid, const char* key,
                                        const char* value);
/* For parameters of type GXF_PARAMETER_TYPE_FILE. */
GXF_API gxf_result_t GxfParameterSetPath(gxf_context_t context, gxf_uid_t uid, const char* key,
                                         const char* value);
/* `cid` must be of the handle's type, otherwise GXF_PARAMETER_INVALID_TYPE; kNullUid and
   kUnspecifiedUid remove the value. */
GXF_API gxf_result_t GxfParameterSetHandle(gxf_context_t context, gxf_uid_t uid, const char* key,
                                           gxf_uid_t cid);
GXF_API gxf_result_t GxfParameterSet1DStrVector(gxf_context_t context, gxf_uid_t uid,
                                                const char* key, const char* value[],
                                                uint64_t length);
GXF_API gxf_result_t GxfParameterSet1DFloat64Vector(gxf_context_t context, gxf_uid_t uid,
                                                    const char* key, double* value,
                                                    uint64_t length);
GXF_API gxf_result_t GxfParameterSet1DInt64Vector(gxf_context_t context, gxf_uid_t uid,
                                                  const char* key, int64_t* value, uint64_t length);
GXF_API gxf_result_t GxfParameterSet1DUInt64Vector(gxf_context_t context, gxf_uid_t uid,
                                                   const char* key, uint64_t* value,
                                                   uint64_t length);
GXF_API gxf_result_t GxfParameterSet1DInt32Vector(gxf_context_t context, gxf_uid_t uid,
                                                  const char* key, int32_t* value, uint64_t length);
/* `value` holds `height` pointers to rows of `width` elements. */
GXF_API gxf_result_t GxfParameterSet2DFloat64Vector(gxf_context_t context, gxf_uid_t uid,
                                                    const char* key, double** value,
                                                    uint64_t height, uint64_t width);
GXF_API gxf_result_t GxfParameterSet2DInt64Vector(gxf_context_t context, gxf_uid_t uid,
                                                  const char* key, int64_t** value, uint64_t height,
                                                  uint64_t width);
GXF_API gxf_result_t GxfParameterSet2DUInt64Vector(gxf_context_t context, gxf_uid_t uid,
                                                   const char* key, uint64_t** value,
                                                   uint64_t height, uint64_t width);
GXF_API gxf_result_t GxfParameterSet2DInt32Vector(gxf_context_t context, gxf_uid_t uid,
                                                  const char* key, int32_t** value, uint64_t height,
                                                  uint64_t width);
/* Parses a value like one in an app file. `yaml` is YAML text; handles are looked up with the
   prefix of a subgraph, which may be null or empty. Not part of GXF, whose functions for this take
   an object of the C++ library yaml-cpp. GXF_PARAMETER_PARSER_ERROR and the codes above. */
GXF_API gxf_result_t GxfParameterSetFromYamlText(gxf_context_t context, gxf_uid_t uid,
                                                 const char* key, const char* yaml,
                                                 const char* prefix);
/* The library does not use yaml-cpp: always GXF_NOT_IMPLEMENTED. In C++ an overload for YAML::Node
   replaces it, see gxf_objects.hpp. */
GXF_API gxf_result_t GxfParameterSetFromYamlNode(gxf_context_t context, gxf_uid_t uid,
                                                 const char* key, void* yaml_node,
                                                 const char* prefix);

/* ---- Parameters: get --------------------------------------------------------------------- */

/* Reads a parameter: its current value, or the default. GXF_PARAMETER_NOT_FOUND: no such key.
   GXF_PARAMETER_NOT_INITIALIZED: it has no value. GXF_PARAMETER_INVALID_TYPE: it has another type
   or rank. GXF_QUERY_NOT_APPLICABLE: a payload has no parameters. */
GXF_API gxf_result_t GxfParameterGetFloat64(gxf_context_t context, gxf_uid_t uid, const char* key,
                                            double* value);
GXF_API gxf_result_t GxfParameterGetFloat32(gxf_context_t context, gxf_uid_t uid, const char* key,
                                            float* value);
GXF_API gxf_result_t GxfParameterGetInt8(gxf_context_t context, gxf_uid_t uid, const char* key,
                                         int8_t* value);
GXF_API gxf_result_t GxfParameterGetInt16(gxf_context_t context, gxf_uid_t uid, const char* key,
                                          int16_t* value);
GXF_API gxf_result_t GxfParameterGetUInt8(gxf_context_t context, gxf_uid_t uid, const char* key,
                                          uint8_t* value);
GXF_API gxf_result_t GxfParameterGetInt64(gxf_context_t context, gxf_uid_t uid, const char* key,
                                          int64_t* value);
GXF_API gxf_result_t GxfParameterGetUInt64(gxf_context_t context, gxf_uid_t uid, const char* key,
                                           uint64_t* value);
GXF_API gxf_result_t GxfParameterGetUInt32(gxf_context_t context, gxf_uid_t uid, const char* key,
                                           uint32_t* value);
GXF_API gxf_result_t GxfParameterGetUInt16(gxf_context_t context, gxf_uid_t uid, const char* key,
                                           uint16_t* value);
GXF_API gxf_result_t GxfParameterGetInt32(gxf_context_t context, gxf_uid_t uid, const char* key,
                                          int32_t* value);
GXF_API gxf_result_t GxfParameterGetBool(gxf_context_t context, gxf_uid_t uid, const char* key,
                                         bool* value);
/* The context owns the text, which stays valid until the parameter is read with another value. */
GXF_API gxf_result_t GxfParameterGetStr(gxf_context_t context, gxf_uid_t uid, const char* key,
                                        const char** value);
/* For parameters of type GXF_PARAMETER_TYPE_FILE. */
GXF_API gxf_result_t GxfParameterGetPath(gxf_context_t context, gxf_uid_t uid, const char* key,
                                         const char** value);
GXF_API gxf_result_t GxfParameterGetHandle(gxf_context_t context, gxf_uid_t uid, const char* key,
                                           gxf_uid_t* cid);
/* Length of a list. */
GXF_API gxf_result_t GxfParameterGet1DFloat64VectorInfo(gxf_context_t context, gxf_uid_t uid,
                                                        const char* key, uint64_t* length);
GXF_API gxf_result_t GxfParameterGet1DInt64VectorInfo(gxf_context_t context, gxf_uid_t uid,
                                                      const char* key, uint64_t* length);
GXF_API gxf_result_t GxfParameterGet1DUInt64VectorInfo(gxf_context_t context, gxf_uid_t uid,
                                                       const char* key, uint64_t* length);
GXF_API gxf_result_t GxfParameterGet1DInt32VectorInfo(gxf_context_t context, gxf_uid_t uid,
                                                      const char* key, uint64_t* length);
/* Number of rows and elements of a row. GXF_INVALID_DATA_FORMAT: the rows differ in length. */
GXF_API gxf_result_t GxfParameterGet2DFloat64VectorInfo(gxf_context_t context, gxf_uid_t uid,
                                                        const char* key, uint64_t* height,
                                                        uint64_t* width);
GXF_API gxf_result_t GxfParameterGet2DInt64VectorInfo(gxf_context_t context, gxf_uid_t uid,
                                                      const char* key, uint64_t* height,
                                                      uint64_t* width);
GXF_API gxf_result_t GxfParameterGet2DUInt64VectorInfo(gxf_context_t context, gxf_uid_t uid,
                                                       const char* key, uint64_t* height,
                                                       uint64_t* width);
GXF_API gxf_result_t GxfParameterGet2DInt32VectorInfo(gxf_context_t context, gxf_uid_t uid,
                                                      const char* key, uint64_t* height,
                                                      uint64_t* width);
/* Copies a list. `*length` is the capacity of `value`. GXF_QUERY_NOT_ENOUGH_CAPACITY. */
GXF_API gxf_result_t GxfParameterGet1DFloat64Vector(gxf_context_t context, gxf_uid_t uid,
                                                    const char* key, double* value,
                                                    uint64_t* length);
GXF_API gxf_result_t GxfParameterGet1DInt64Vector(gxf_context_t context, gxf_uid_t uid,
                                                  const char* key, int64_t* value,
                                                  uint64_t* length);
GXF_API gxf_result_t GxfParameterGet1DUInt64Vector(gxf_context_t context, gxf_uid_t uid,
                                                   const char* key, uint64_t* value,
                                                   uint64_t* length);
GXF_API gxf_result_t GxfParameterGet1DInt32Vector(gxf_context_t context, gxf_uid_t uid,
                                                  const char* key, int32_t* value,
                                                  uint64_t* length);
/* Copies rows. `*height` is the number of pointers in `value`, `*width` the capacity of each
   row. GXF_QUERY_NOT_ENOUGH_CAPACITY. */
GXF_API gxf_result_t GxfParameterGet2DFloat64Vector(gxf_context_t context, gxf_uid_t uid,
                                                    const char* key, double** value,
                                                    uint64_t* height, uint64_t* width);
GXF_API gxf_result_t GxfParameterGet2DInt64Vector(gxf_context_t context, gxf_uid_t uid,
                                                  const char* key, int64_t** value,
                                                  uint64_t* height, uint64_t* width);
GXF_API gxf_result_t GxfParameterGet2DUInt64Vector(gxf_context_t context, gxf_uid_t uid,
                                                   const char* key, uint64_t** value,
                                                   uint64_t* height, uint64_t* width);
GXF_API gxf_result_t GxfParameterGet2DInt32Vector(gxf_context_t context, gxf_uid_t uid,
                                                  const char* key, int32_t** value,
                                                  uint64_t* height, uint64_t* width);
/* Copies texts. `*count` is the number of buffers in `value`, `*min_length` the bytes in each of
   them; the bytes needed include the final zero. GXF_QUERY_NOT_ENOUGH_CAPACITY. */
GXF_API gxf_result_t GxfParameterGet1DStrVector(gxf_context_t context, gxf_uid_t uid,
                                                const char* key, char* value[], uint64_t* count,
                                                uint64_t* min_length);
/* The value as YAML text that GxfParameterSetFromYamlText reads; valid until the next call for the
   same parameter. Not part of GXF. */
GXF_API gxf_result_t GxfParameterGetAsYamlText(gxf_context_t context, gxf_uid_t uid,
                                               const char* key, const char** yaml);
/* Like GxfParameterSetFromYamlNode: GXF_NOT_IMPLEMENTED, except for an overload in C++. */
GXF_API gxf_result_t GxfParameterGetAsYamlNode(gxf_context_t context, gxf_uid_t uid,
                                               const char* key, void* yaml_node);

/* ---- The graph --------------------------------------------------------------------------- */

/* Loads an app file, relative to the root path. Several files form one graph. Each override is
   "entity/component/parameter=value". Returns the code of the first mistake, and logs all of them
   with their places. GXF_FILE_NOT_FOUND: there is no such file. GXF_FAILURE: the file cannot be read
   or is not YAML. GXF_ARGUMENT_INVALID: an override has another form. */
GXF_API gxf_result_t GxfGraphLoadFile(
    gxf_context_t context, const char* filename,
    const char* parameters_override[] GXF_DEFAULT_ARGUMENT(nullptr),
    const uint32_t num_overrides GXF_DEFAULT_ARGUMENT(0));
/* Like GxfGraphLoadFile, but prefixes the names of the entities with `entity_prefix`, and makes the
   exported components interfaces of the entity `parent_eid`. `prerequisites` is a C++ map from
   names to handles, which the library cannot read: GXF_NOT_IMPLEMENTED unless it is null. In C++ an
   overload takes the map, see gxf_objects.hpp. */
GXF_API gxf_result_t GxfGraphLoadFileExtended(
    gxf_context_t context, const char* filename, const char* entity_prefix,
    const char* parameters_override[] GXF_DEFAULT_ARGUMENT(nullptr),
    const uint32_t num_overrides GXF_DEFAULT_ARGUMENT(0),
    gxf_uid_t parent_eid GXF_DEFAULT_ARGUMENT(kNullUid),
    void* prerequisites GXF_DEFAULT_ARGUMENT(nullptr));
/* Like GxfGraphLoadFileExtended; the file refers to the component `prerequisite_cids[i]` with the
   handle "prerequisites/" and `prerequisite_names[i]`. Not part of GXF.
   GXF_ENTITY_COMPONENT_NOT_FOUND: a prerequisite does not exist, and nothing is loaded. */
GXF_API gxf_result_t GxfGraphLoadFileWithPrerequisites(
    gxf_context_t context, const char* filename, const char* entity_prefix,
    const char* parameters_override[], const uint32_t num_overrides, gxf_uid_t parent_eid,
    const char* const prerequisite_names[], const gxf_uid_t prerequisite_cids[],
    const uint32_t num_prerequisites);
/* Writes the graph as an app file that loads to the same graph. Subgraphs are expanded.
   GXF_FILE_NOT_FOUND: the file cannot be written. GXF_INVALID_DATA_FORMAT: a handle refers to a
   component that no text can name. */
GXF_API gxf_result_t GxfGraphSaveToFile(gxf_context_t context, const char* filename);
/* Sets the folder that app files and subgraphs are relative to; initially the working folder. */
GXF_API gxf_result_t GxfGraphSetRootPath(gxf_context_t context, const char* path);
/* Like GxfGraphLoadFile, for the text of an app file. */
GXF_API gxf_result_t GxfGraphParseString(
    gxf_context_t context, const char* text,
    const char* parameters_override[] GXF_DEFAULT_ARGUMENT(nullptr),
    const uint32_t num_overrides GXF_DEFAULT_ARGUMENT(0));
/* Checks and initialises all entities of the program and prepares the scheduler. After an error
   everything is deactivated again; the result is the code of the first component that is incomplete
   or fails. GXF_INVALID_EXECUTION_SEQUENCE: the graph is active, or the call comes from inside. */
GXF_API gxf_result_t GxfGraphActivate(gxf_context_t context);
/* Ends the run, if any, and deinitialises everything in reverse order. Does nothing if the graph is
   not active. Returns the first error of a component. From inside the graph:
   GXF_INVALID_EXECUTION_SEQUENCE. */
GXF_API gxf_result_t GxfGraphDeactivate(gxf_context_t context);
/* Starts the graph and returns. GXF_INVALID_EXECUTION_SEQUENCE: it is not activated, or already
   running. */
GXF_API gxf_result_t GxfGraphRunAsync(gxf_context_t context);
/* Asks the run to end and returns; running ticks finish first. Callable from inside the graph and
   from any thread. GXF_INVALID_EXECUTION_SEQUENCE: the graph does not run. */
GXF_API gxf_result_t GxfGraphInterrupt(gxf_context_t context);
/* Blocks until the run is over and returns its result; GXF_SUCCESS if there is none. Several
   threads may wait for one run. After an error the graph is deactivated. From inside a running
   graph: GXF_INVALID_EXECUTION_SEQUENCE. */
GXF_API gxf_result_t GxfGraphWait(gxf_context_t context);
/* GxfGraphRunAsync and GxfGraphWait. */
GXF_API gxf_result_t GxfGraphRun(gxf_context_t context);
/* Runs an epoch of a running graph whose scheduler is a nvidia::gxf::EpochScheduler: for `budget_ms`
   milliseconds of its clock, or until nothing is ready; with a budget that is not positive, every
   entity is executed once. From any thread, several of which take turns. Not part of GXF.
   GXF_INVALID_EXECUTION_SEQUENCE: no such graph runs, or this is called from inside. Else the code
   of the entity that failed, which ends the run. */
GXF_API gxf_result_t GxfGraphRunEpoch(gxf_context_t context, float budget_ms);

/* ---- Information ------------------------------------------------------------------------- */

/* The version and the loaded extensions. GXF_QUERY_NOT_ENOUGH_CAPACITY: the array is too small;
   only the version is filled. */
GXF_API gxf_result_t GxfRuntimeInfo(gxf_context_t context, gxf_runtime_info* info);
/* About a loaded extension. GXF_EXTENSION_NOT_FOUND, GXF_QUERY_NOT_ENOUGH_CAPACITY: the array is
   too small; everything else is filled. */
GXF_API gxf_result_t GxfExtensionInfo(gxf_context_t context, gxf_tid_t tid,
                                      gxf_extension_info_t* info);
/* About a type. GXF_FACTORY_UNKNOWN_TID, GXF_QUERY_NOT_ENOUGH_CAPACITY: the array is too small;
   everything else is filled. */
GXF_API gxf_result_t GxfComponentInfo(gxf_context_t context, gxf_tid_t tid,
                                      gxf_component_info_t* info);
/* About a parameter of the type `cid`. GXF_FACTORY_UNKNOWN_TID, GXF_PARAMETER_NOT_FOUND. */
GXF_API gxf_result_t GxfGetParameterInfo(gxf_context_t context, gxf_tid_t cid, const char* key,
                                         gxf_parameter_info_t* info);
/* Another name of GxfGetParameterInfo. */
GXF_API gxf_result_t GxfParameterInfo(gxf_context_t context, gxf_tid_t cid, const char* key,
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
#if defined(__cplusplus) && __cplusplus >= 201402L
#include "gxf/core/gxf_objects.hpp"
#endif

#endif  /* NVIDIA_GXF_CORE_GXF_H_ */
