/* The C interface between the gxe host and its extensions. Types and constants only.
 *
 * Generated from the Rust crate gxf-plugin-abi; after a change there, make it again with
 * `UPDATE_HEADER=1 cargo test -p gxf-plugin-abi`. C11 and C++17.
 *
 * A map, in the order in which a library comes to life:
 *
 *   1. GxeExtensionDescriptor: the constant GXF_EXT_FACTORY, the one symbol an extension exports.
 *      The host reads it before it runs any code of the library.
 *   2. GxeHostTable: what an extension may ask of the host; its `create_factory` receives it.
 *   3. GxeComponentType, GxeParameterDescriptor: the component and payload types the factory
 *      answers with.
 *   4. Gxe...Vtable: one interface each, found by the id of the GXF base type it stands for. An
 *      extension implements them for its own components and calls them on those of others.
 *
 * Rules of the border:
 *
 *   - Every table begins with its own size and only ever grows at its end; a reader looks at a
 *     field only if it lies within the size the writer stated. Set `size` with sizeof, and zero
 *     what you do not use, as designated initialisers do.
 *   - A function pointer may be null only where its comment says what null means.
 *   - A function that fails returns a code other than 0 and may leave a text with
 *     GxeHostTable.report_error on the same thread before it returns.
 *   - No C++ exception crosses: catch it and return an error.
 *   - Whoever takes a GxeMessage pointer as the argument `message` of `push` or `publish_as_is`
 *     takes over one reference, whatever the outcome.
 *
 * A name in capitals in a comment, such as `ARGUMENT_INVALID`, stands for GxeResultCode_... or for
 * the value of that name of the type the comment is about.
 */

#ifndef GXF_PLUGIN_ABI_H
#define GXF_PLUGIN_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A context: one graph and everything it owns. Opaque to extensions.
typedef struct GxeContext GxeContext;

/// A message: a reference-counted bag of payload components. Opaque to extensions.
typedef struct GxeMessage GxeMessage;

/// First field of every descriptor: `GXE_EXT\0` read as a little-endian number.
#define GXE_ABI_MAGIC UINT64_C(0x005458455f455847)

/// Changes when old extensions can no longer be used. Host and extension must agree.
#define GXE_ABI_MAJOR 1

/// Grows when tables get longer. The extension's must not be newer than the host's.
#define GXE_ABI_MINOR 3

/// The type cannot be created, only derived from.
#define GXE_TYPE_ABSTRACT 1

/// A scheduling term that notifies its entity whenever its answer may have changed by itself. The
/// engine polls terms that do not say so.
#define GXE_TYPE_TERM_ANNOUNCES 2

/// Largest number of planes a video frame may have.
#define GXE_MAX_COLOR_PLANES 4

/// Bytes of a plane's name, with the zero byte at its end.
#define GXE_COLOR_SPACE_SIZE 32

/// The parameter may stay without a value (GXF's `GXF_PARAMETER_FLAGS_OPTIONAL`).
#define GXE_PARAMETER_OPTIONAL 1

/// The parameter is meant to change while the graph runs (GXF's `GXF_PARAMETER_FLAGS_DYNAMIC`).
#define GXE_PARAMETER_DYNAMIC 2

/// The highest rank of a parameter.
#define GXE_PARAMETER_MAX_RANK 8

/// Largest number of dimensions a tensor may have.
#define GXE_MAX_RANK 8

/// The memory must not be written to: somebody else looks at it, or the system forbids it.
#define GXE_MEMORY_READ_ONLY 1

/// Host memory that takes the place of device memory: it was read from a recording that says the
/// payload lies on a device, where there is none. Recorded again, the payload says so too.
#define GXE_MEMORY_RECORDED_ON_DEVICE 2

/// A 128-bit id of a type or an extension; both halves 0 means "none".
typedef struct {
  /// Upper half.
  uint64_t hash1;
  /// Lower half.
  uint64_t hash2;
} GxeTid;

/// What a call across the border returned: `0` is success, everything else a GXF result code.
///
/// A number and not an enumeration, because a foreign library may return any.
typedef int32_t GxeResultCode;
/// The call succeeded.
#define GxeResultCode_SUCCESS 0
/// A failure without a more precise code.
#define GxeResultCode_FAILURE 1
/// The interface has no such function here.
#define GxeResultCode_NOT_IMPLEMENTED 2
/// A file could not be opened.
#define GxeResultCode_FILE_NOT_FOUND 3
/// A number is not a value of its enumeration.
#define GxeResultCode_INVALID_ENUM 4
/// A pointer inside a structure was null.
#define GxeResultCode_NULL_POINTER 5
/// A value was read before it was written.
#define GxeResultCode_UNINITIALIZED_VALUE 6
/// A mandatory argument was null.
#define GxeResultCode_ARGUMENT_NULL 7
/// An argument lies outside its range.
#define GxeResultCode_ARGUMENT_OUT_OF_RANGE 8
/// An argument is not acceptable.
#define GxeResultCode_ARGUMENT_INVALID 9
/// An allocation failed.
#define GxeResultCode_OUT_OF_MEMORY 10
/// The memory storage type is not supported.
#define GxeResultCode_MEMORY_INVALID_STORAGE_MODE 11
/// The context handle is not valid.
#define GxeResultCode_CONTEXT_INVALID 12
/// No extension has this id.
#define GxeResultCode_EXTENSION_NOT_FOUND 13
/// The extension library is missing.
#define GxeResultCode_EXTENSION_FILE_NOT_FOUND 14
/// The library exports no extension factory.
#define GxeResultCode_EXTENSION_NO_FACTORY 15
/// The factory offers more component types than allowed.
#define GxeResultCode_FACTORY_TOO_MANY_COMPONENTS 16
/// A component type id is already taken.
#define GxeResultCode_FACTORY_DUPLICATE_TID 17
/// No component type has this id.
#define GxeResultCode_FACTORY_UNKNOWN_TID 18
/// The component type is abstract and cannot be created.
#define GxeResultCode_FACTORY_ABSTRACT_CLASS 19
/// No component type has this name.
#define GxeResultCode_FACTORY_UNKNOWN_CLASS_NAME 20
/// The extension's description is not acceptable.
#define GxeResultCode_FACTORY_INVALID_INFO 21
/// The extension was built for another ABI.
#define GxeResultCode_FACTORY_INCOMPATIBLE 22
/// No entity has this id or name.
#define GxeResultCode_ENTITY_NOT_FOUND 23
/// An entity name is too long.
#define GxeResultCode_ENTITY_NAME_EXCEEDS_LIMIT 24
/// No component has this id, name or type in the entity.
#define GxeResultCode_ENTITY_COMPONENT_NOT_FOUND 25
/// A component name is too long.
#define GxeResultCode_ENTITY_COMPONENT_NAME_EXCEEDS_LIMIT 26
/// Components cannot be added to an initialised entity.
#define GxeResultCode_ENTITY_CAN_NOT_ADD_COMPONENT_AFTER_INITIALIZATION 27
/// Components cannot be removed from an initialised entity.
#define GxeResultCode_ENTITY_CAN_NOT_REMOVE_COMPONENT_AFTER_INITIALIZATION 28
/// The entity holds as many components as it may.
#define GxeResultCode_ENTITY_MAX_COMPONENTS_LIMIT_EXCEEDED 29
/// The component has no parameter of this name.
#define GxeResultCode_PARAMETER_NOT_FOUND 30
/// A parameter of this name is already there.
#define GxeResultCode_PARAMETER_ALREADY_REGISTERED 31
/// The parameter has another type.
#define GxeResultCode_PARAMETER_INVALID_TYPE 32
/// The value lies outside the parameter's range.
#define GxeResultCode_PARAMETER_OUT_OF_RANGE 33
/// The parameter has no value yet.
#define GxeResultCode_PARAMETER_NOT_INITIALIZED 34
/// The parameter cannot change at this time.
#define GxeResultCode_PARAMETER_CAN_NOT_MODIFY_CONSTANT 35
/// The text cannot be read as the parameter's type.
#define GxeResultCode_PARAMETER_PARSER_ERROR 36
/// The parameter is not a number.
#define GxeResultCode_PARAMETER_NOT_NUMERIC 37
/// A mandatory parameter has no value.
#define GxeResultCode_PARAMETER_MANDATORY_NOT_SET 38
/// Calls came in an order the contract forbids.
#define GxeResultCode_CONTRACT_INVALID_SEQUENCE 39
/// A parameter the contract needs is missing.
#define GxeResultCode_CONTRACT_PARAMETER_NOT_SET 40
/// No message is available in the receiver.
#define GxeResultCode_CONTRACT_MESSAGE_NOT_AVAILABLE 41
/// The object is in a life cycle stage that does not allow the call.
#define GxeResultCode_INVALID_LIFECYCLE_STAGE 42
/// The graph is in a state that does not allow the call.
#define GxeResultCode_INVALID_EXECUTION_SEQUENCE 43
/// A reference count fell below zero.
#define GxeResultCode_REF_COUNT_NEGATIVE 44
/// The caller's array is too small.
#define GxeResultCode_RESULT_ARRAY_TOO_SMALL 45
/// Data is not in the expected format.
#define GxeResultCode_INVALID_DATA_FORMAT 46
/// A fixed capacity is exhausted.
#define GxeResultCode_EXCEEDING_PREALLOCATED_SIZE 47
/// The caller's structure has too little room.
#define GxeResultCode_QUERY_NOT_ENOUGH_CAPACITY 48
/// The query does not apply to the object.
#define GxeResultCode_QUERY_NOT_APPLICABLE 49
/// The query found nothing.
#define GxeResultCode_QUERY_NOT_FOUND 50
/// The work is still going on (a running behaviour).
#define GxeResultCode_NOT_FINISHED 51
/// An HTTP GET failed.
#define GxeResultCode_HTTP_GET_FAILURE 52
/// An HTTP POST failed.
#define GxeResultCode_HTTP_POST_FAILURE 53
/// No entity group has this id.
#define GxeResultCode_ENTITY_GROUP_NOT_FOUND 54
/// A resource is not initialised.
#define GxeResultCode_RESOURCE_NOT_INITIALIZED 55
/// No resource of this type is in the group.
#define GxeResultCode_RESOURCE_NOT_FOUND 56
/// A connection broke.
#define GxeResultCode_CONNECTION_BROKEN 57
/// All attempts to connect failed.
#define GxeResultCode_CONNECTION_ATTEMPTS_EXCEEDED 58
/// The IPC connection failed.
#define GxeResultCode_IPC_CONNECTION_FAILURE 59
/// The IPC call failed.
#define GxeResultCode_IPC_CALL_FAILURE 60
/// No IPC service has this name.
#define GxeResultCode_IPC_SERVICE_NOT_FOUND 61

/// The element type of a parameter; the numbers are GXF's `gxf_parameter_type_t`, those from 64 on
/// are ours.
typedef uint32_t GxeParameterType;
/// Anything else: the component receives the YAML text of the value and reads it itself.
#define GxeParameterType_CUSTOM 0
/// Id of another component; `handle_tid` of the descriptor says of which type.
#define GxeParameterType_HANDLE 1
/// Text.
#define GxeParameterType_STRING 2
/// Signed 64-bit integer.
#define GxeParameterType_INT64 3
/// Unsigned 64-bit integer.
#define GxeParameterType_UINT64 4
/// 64-bit float.
#define GxeParameterType_FLOAT64 5
/// One byte, 0 or 1.
#define GxeParameterType_BOOL 6
/// Signed 32-bit integer.
#define GxeParameterType_INT32 7
/// Path of a file, as text.
#define GxeParameterType_FILE 8
/// Signed 8-bit integer.
#define GxeParameterType_INT8 9
/// Signed 16-bit integer.
#define GxeParameterType_INT16 10
/// Unsigned 8-bit integer.
#define GxeParameterType_UINT8 11
/// Unsigned 16-bit integer.
#define GxeParameterType_UINT16 12
/// Unsigned 32-bit integer.
#define GxeParameterType_UINT32 13
/// 32-bit float.
#define GxeParameterType_FLOAT32 14
/// Two 32-bit floats: real and imaginary part.
#define GxeParameterType_COMPLEX64 15
/// Two 64-bit floats: real and imaginary part.
#define GxeParameterType_COMPLEX128 16
/// A 128-bit type id.
#define GxeParameterType_TID 64

/// Text with a length; not terminated by a zero byte.
typedef struct {
  /// First byte (UTF-8); may be null when `length` is 0.
  const uint8_t *data;
  /// Number of bytes.
  size_t length;
} GxeText;

/// A parameter value.
///
/// - rank 0: `data` points to one element (`count` is 1);
/// - rank 1: `data` points to `count` elements in a row;
/// - rank 2 and more: `data` points to `count` values of the next lower rank, so rows may differ
///   in length.
///
/// The element for each GxeParameterType: the integer or float it names, a byte 0/1 for `BOOL`,
/// GxeText for `STRING`, `FILE` and `CUSTOM` (YAML text), a component's GxeUid for
/// `HANDLE`, a GxeTid for `TID`, two floats for the complex types. The memory belongs to whoever
/// passes the value and is valid for the duration of the call.
typedef struct {
  /// Type of the elements.
  GxeParameterType element_type;
  /// Number of dimensions.
  uint32_t rank;
  /// Number of elements or of values below.
  size_t count;
  /// The elements or the values below.
  const void *data;
} GxeValue;

/// Text that ends with a zero byte; null where the field says so.
typedef const char *GxeCStr;

/// What an extension says about one parameter of a component type.
typedef struct {
  /// sizeof(GxeParameterDescriptor) as the extension was compiled.
  size_t size;
  /// Name in YAML.
  GxeCStr key;
  /// Short title; null for none.
  GxeCStr headline;
  /// Full description; null for none.
  GxeCStr description;
  /// Physical unit such as `ms` or `byte`; null for none.
  GxeCStr unit;
  /// Set of GXE_PARAMETER_OPTIONAL, GXE_PARAMETER_DYNAMIC.
  uint32_t flags;
  /// Type of the elements.
  GxeParameterType element_type;
  /// 0 for one element, 1 for a list, 2 for a list of lists, …
  uint32_t rank;
  /// Length of each dimension; -1 for any length. Only the first `rank` entries count.
  int32_t shape[GXE_PARAMETER_MAX_RANK];
  /// Type a handle must have; null for other parameters.
  GxeTid handle_tid;
  /// Default value; null for none.
  const GxeValue *default_value;
  /// Smallest allowed number; null for no limit.
  const GxeValue *minimum;
  /// Largest allowed number; null for no limit.
  const GxeValue *maximum;
  /// Distance of allowed numbers, for editors; null for none.
  const GxeValue *step;
  /// The only texts allowed (an enumeration by name); null for any text.
  const GxeCStr *choices;
  /// Number of entries in `choices`.
  size_t choice_count;
} GxeParameterDescriptor;

/// When a message was acquired and when it was published, in nanoseconds of the graph's clock.
/// Same layout as GXF's `nvidia::gxf::Timestamp`.
typedef struct {
  /// Time of publication; 0 when the sender left it to the graph.
  int64_t pubtime;
  /// Time at which the data was acquired, for example the exposure of an image.
  int64_t acqtime;
} GxeTimestamp;

/// Says that no more messages of a stream will come. Same layout as GXF's
/// `nvidia::gxf::EndOfStream`.
typedef struct {
  /// Which stream; -1 for "all".
  int64_t stream_id;
} GxeEndOfStream;

/// Whether an entity may run (GXF's `SchedulingConditionType`).
typedef int32_t GxeConditionType;
/// Will never run again.
#define GxeConditionType_NEVER 0
/// May run now.
#define GxeConditionType_READY 1
/// May run at some later time that nobody can name.
#define GxeConditionType_WAIT 2
/// May run from the target time on.
#define GxeConditionType_WAIT_TIME 3
/// Will run after an event from outside that somebody has promised.
#define GxeConditionType_WAIT_EVENT 4

/// The answer of a scheduling term.
typedef struct {
  /// Whether the entity may run.
  GxeConditionType condition_type;
  /// Nanoseconds: for `WAIT_TIME` the time to wait for, otherwise the time of the last change.
  int64_t target;
} GxeCondition;

/// Why an entity is looked at again (GXF's `gxf_event_t`).
typedef uint32_t GxeEvent;
/// Meaning agreed between components.
#define GxeEvent_CUSTOM 0
/// Something happened outside the graph.
#define GxeEvent_EXTERNAL 1
/// Memory was given back to an allocator.
#define GxeEvent_MEMORY_FREE 2
/// A message arrived or was taken.
#define GxeEvent_MESSAGE_SYNC 3
/// A target time changed.
#define GxeEvent_TIME_UPDATE 4
/// A scheduling term changed its state.
#define GxeEvent_STATE_UPDATE 5

/// State of an asynchronous event (GXF's enumeration of the same name).
typedef int32_t GxeAsynchronousEventState;
/// First tick pending.
#define GxeAsynchronousEventState_READY 0
/// Nothing requested yet.
#define GxeAsynchronousEventState_WAIT 1
/// Requested; an event will come.
#define GxeAsynchronousEventState_EVENT_WAITING 2
/// The event came; the entity may run.
#define GxeAsynchronousEventState_EVENT_DONE 3
/// The entity does not want to run again.
#define GxeAsynchronousEventState_EVENT_NEVER 4

/// What a controller makes of a tick (GXF's `gxf_controller_status_t`).
typedef struct {
  /// 0 init, 1 success, 2 running, 3 failure, 4 unknown.
  int32_t behavior;
  /// 0 success, 1 failure that repeats, 2 failure that deactivates the entity, 3 failure.
  int32_t execution;
} GxeControllerStatus;

/// What an entity's controller said last.
typedef struct {
  /// As in GxeControllerStatus; 0 before the first tick, 4 for an entity without a controller.
  int32_t behavior;
  /// Padding, 0.
  uint32_t reserved;
  /// Number of verdicts so far other than "running".
  uint64_t verdicts;
} GxeEntityState;

/// Where memory lies (GXF's `MemoryStorageType`).
typedef int32_t GxeStorageType;
/// Pinned host memory, reachable by a device.
#define GxeStorageType_HOST 0
/// Device memory.
#define GxeStorageType_DEVICE 1
/// Ordinary memory of the operating system.
#define GxeStorageType_SYSTEM 2

/// What an allocator has handed out. All 0 when it does not count. Since ABI 1.2.
typedef struct {
  /// Bytes in use now.
  uint64_t used_bytes;
  /// Most bytes that were ever in use at once.
  uint64_t peak_bytes;
  /// Number of allocations so far.
  uint64_t allocation_count;
} GxeAllocatorStatistics;

/// Id of an entity, a component, a group or a message; 0 means "none".
typedef int64_t GxeUid;

/// What a component needs to know about itself. Owned by the host, at the same address for the
/// whole life of the component.
typedef struct {
  /// sizeof(GxeComponentEnvironment) of the host.
  size_t size;
  /// The graph.
  GxeContext *context;
  /// Entity the component belongs to.
  GxeUid eid;
  /// The component.
  GxeUid cid;
} GxeComponentEnvironment;

/// What a codelet is told at start, tick and stop. Valid during the call.
typedef struct {
  /// sizeof(GxeTickInfo) of the host.
  size_t size;
  /// The component.
  const GxeComponentEnvironment *environment;
  /// Time of this execution in nanoseconds of the scheduler's clock.
  int64_t timestamp;
  /// Time of the execution before; equal to `timestamp` at the first.
  int64_t previous_timestamp;
  /// Number of this tick, from 1; 0 during start and when stopped before a tick.
  int64_t count;
} GxeTickInfo;

/// A component seen through one of its interfaces.
typedef struct {
  /// First argument of each function of the table.
  void *object;
  /// The function table, of the type the interface id stands for.
  const void *vtable;
  /// Keeps the component's memory alive; give it back with `component_release`.
  void *owner;
} GxeInterfaceRef;

/// One payload component of a message.
typedef struct {
  /// Type of the payload.
  GxeTid tid;
  /// Its name; valid as long as the message.
  GxeText name;
  /// Its memory; valid as long as the message.
  void *data;
  /// Size in bytes as the payload's type states it.
  size_t size;
  /// Alignment in bytes as the payload's type states it.
  size_t alignment;
} GxePayloadRef;

/// Receives component ids one by one.
typedef struct {
  /// First argument of `add`.
  void *user;
  /// Called for each id.
  void (*add)(void *user, GxeUid uid);
} GxeUidSink;

/// Receives text in one or more pieces.
typedef struct {
  /// First argument of `write`.
  void *user;
  /// Called for each piece.
  void (*write)(void *user, GxeText text);
} GxeTextSink;

/// Receives a parameter value.
typedef struct {
  /// First argument of `accept`.
  void *user;
  /// Called once; the value is valid during the call.
  void (*accept)(void *user, const GxeValue *value);
} GxeValueSink;

/// The host's functions: GXF's C API in the form the border needs. There is one table in a
/// process, at a fixed address; it only grows at its end.
///
/// All functions may be called from any thread. Pointers to results must not be null unless said.
/// Texts that come back are valid as long as the object they describe.
typedef struct {
  /// sizeof(GxeHostTable) of the host.
  size_t size;
  /// GXE_ABI_MAJOR of the host.
  uint32_t abi_major;
  /// GXE_ABI_MINOR of the host.
  uint32_t abi_minor;
  /// Leaves a text for the error the caller is about to return on this thread.
  void (*report_error)(GxeText text);
  /// Text of the last failed host call on this thread; empty when there is none.
  GxeText (*last_error)(void);
  /// Writes a log line. `severity` 0 panic, 1 error, 2 warning, 3 info, 4 debug, 5 verbose;
  /// `file` and `module` may be null.
  void (*log)(int32_t severity, GxeCStr module, GxeCStr file, uint32_t line, GxeText text);
  /// Highest severity number that is written, so that callers can skip the formatting.
  int32_t (*log_severity)(void);
  /// Keeps the context's memory alive beyond the component that knows it.
  void (*context_retain)(GxeContext *context);
  /// Gives back what `context_retain` took.
  void (*context_release)(GxeContext *context);
  /// Creates an entity; empty `name`: the host makes one up. `ARGUMENT_INVALID` for a name that
  /// is in use.
  GxeResultCode (*entity_create)(GxeContext *context, GxeText name, GxeUid *eid);
  /// Finds an entity by name.
  GxeResultCode (*entity_find)(GxeContext *context, GxeText name, GxeUid *eid);
  /// Name of an entity.
  GxeResultCode (*entity_name)(GxeContext *context, GxeUid eid, GxeText *name);
  /// Checks and initialises the entity's components and hands it to the scheduler.
  GxeResultCode (*entity_activate)(GxeContext *context, GxeUid eid);
  /// Stops the entity and deinitialises its components.
  GxeResultCode (*entity_deactivate)(GxeContext *context, GxeUid eid);
  /// Deactivates the entity if need be and removes it.
  GxeResultCode (*entity_destroy)(GxeContext *context, GxeUid eid);
  /// Makes the scheduler look at the entity again.
  GxeResultCode (*entity_notify)(GxeContext *context, GxeUid eid, GxeEvent event);
  /// Executes an entity once at time `now`, for schedulers that live in extensions.
  GxeResultCode (*entity_execute)(GxeContext *context,
                                  GxeUid eid,
                                  int64_t now,
                                  GxeCondition *condition);
  /// Adds a component to an entity that is not active.
  GxeResultCode (*component_add)(GxeContext *context,
                                 GxeUid eid,
                                 GxeTid tid,
                                 GxeText name,
                                 GxeUid *cid);
  /// Finds a component of an entity from position `*offset` on and moves `*offset` to it. A null
  /// `tid` fits every type, a `name` without data every name; `offset` may be null.
  GxeResultCode (*component_find)(GxeContext *context,
                                  GxeUid eid,
                                  GxeTid tid,
                                  GxeText name,
                                  int32_t *offset,
                                  GxeUid *cid);
  /// All components of an entity, in the order of their addition.
  GxeResultCode (*component_find_all)(GxeContext *context, GxeUid eid, GxeUidSink sink);
  /// Type of a component.
  GxeResultCode (*component_type)(GxeContext *context, GxeUid cid, GxeTid *tid);
  /// Name of a component.
  GxeResultCode (*component_name)(GxeContext *context, GxeUid cid, GxeText *name);
  /// Entity of a component.
  GxeResultCode (*component_entity)(GxeContext *context, GxeUid cid, GxeUid *eid);
  /// Address of a component that is of type `tid` or derived from it. The result's `vtable` is
  /// null; give its `owner` back with `component_release`.
  GxeResultCode (*component_pointer)(GxeContext *context,
                                     GxeUid cid,
                                     GxeTid tid,
                                     GxeInterfaceRef *result);
  /// A component seen through the interface `id`; give the result's `owner` back with
  /// `component_release`.
  GxeResultCode (*component_interface)(GxeContext *context,
                                       GxeUid cid,
                                       GxeTid id,
                                       GxeInterfaceRef *result);
  /// One more user of an `owner`.
  void (*component_retain)(void *owner);
  /// One user less of an `owner`.
  void (*component_release)(void *owner);
  /// Id of the type with this full name.
  GxeResultCode (*type_id)(GxeContext *context, GxeText name, GxeTid *tid);
  /// Full name of a type.
  GxeResultCode (*type_name)(GxeContext *context, GxeTid tid, GxeText *name);
  /// Whether `base` is `derived` itself or one of its bases.
  GxeResultCode (*type_is_base)(GxeContext *context, GxeTid derived, GxeTid base, bool *result);
  /// Sets a parameter. A null `value` takes the value away.
  GxeResultCode (*parameter_set)(GxeContext *context,
                                 GxeUid cid,
                                 GxeText key,
                                 const GxeValue *value);
  /// Hands the value of a parameter to `sink`; `PARAMETER_NOT_INITIALIZED` when it has none.
  GxeResultCode (*parameter_get)(GxeContext *context, GxeUid cid, GxeText key, GxeValueSink sink);
  /// A new, empty message with one reference.
  GxeResultCode (*message_new)(GxeContext *context, GxeMessage **message);
  /// One reference more.
  void (*message_retain)(GxeMessage *message);
  /// One reference less; the last one destroys the payload.
  void (*message_release)(GxeMessage *message);
  /// Number of references, for "am I the only one?".
  uint32_t (*message_reference_count)(GxeMessage *message);
  /// Id of the message as GXF's C API shows it.
  GxeUid (*message_id)(GxeMessage *message);
  /// The message with this id, with one more reference; `ENTITY_NOT_FOUND` for a stale id.
  GxeResultCode (*message_from_id)(GxeContext *context, GxeUid eid, GxeMessage **message);
  /// Adds a payload of type `tid`. Only whoever holds the sole reference may do this.
  GxeResultCode (*message_add)(GxeMessage *message,
                               GxeTid tid,
                               GxeText name,
                               GxePayloadRef *payload);
  /// Finds a payload from position `start` on. A null `tid` fits every type, a `name` without
  /// data every name.
  GxeResultCode (*message_find)(GxeMessage *message,
                                GxeTid tid,
                                GxeText name,
                                size_t start,
                                GxePayloadRef *payload);
  /// Number of payloads.
  size_t (*message_count)(GxeMessage *message);
  /// The payload at a position, in the order of addition.
  GxeResultCode (*message_at)(GxeMessage *message, size_t index, GxePayloadRef *payload);
  /// Removes the payload at a position. Only whoever holds the sole reference may do this.
  GxeResultCode (*message_remove)(GxeMessage *message, size_t index);
  /// Gives a message the payload `timestamp` with this acquisition time and publication time 0,
  /// in place of the one it may have. Takes over the reference of `message`; the result is the
  /// same message, or, when others hold it too, one that shares its other payloads.
  GxeResultCode (*message_stamp)(GxeMessage *message,
                                 int64_t acquisition_time,
                                 GxeMessage **stamped);
  /// Names the receivers a transmitter is connected to. Routes are known before any component is
  /// initialised.
  GxeResultCode (*transmitter_receivers)(GxeContext *context, GxeUid cid, GxeUidSink sink);
  /// Asks the running graph to stop, as `GxfGraphInterrupt` does.
  GxeResultCode (*graph_interrupt)(GxeContext *context);
  /// Version of the host as text, for log lines and reports. Since ABI 1.1.
  GxeCStr (*host_version)(void);
  /// What the entity's controller said last. Since ABI 1.1.
  GxeResultCode (*entity_state)(GxeContext *context, GxeUid eid, GxeEntityState *state);
  /// Where the entity's execution stands, as GXF's `gxf_entity_status_t`. Since ABI 1.1.
  GxeResultCode (*entity_status)(GxeContext *context, GxeUid eid, int32_t *status);
  /// Lets the scheduler look at `observer` again after each verdict on `eid` other than
  /// "running", until the graph is deactivated. Both must be active and have codelets. Since ABI 1.1.
  GxeResultCode (*entity_observe)(GxeContext *context, GxeUid eid, GxeUid observer);
  /// Fills an empty message with the payloads of another one, which they share; the timestamp is
  /// copied. Only whoever holds the sole reference of `message` may do this. Since ABI 1.2.
  GxeResultCode (*message_share)(GxeMessage *message, GxeMessage *source);
} GxeHostTable;

/// One interface of a component type.
typedef struct {
  /// Type id of the GXF base the interface stands for.
  GxeTid id;
  /// Bytes to add to the object's address before it is passed to the table's functions.
  ptrdiff_t offset;
  /// The function table; begins with its size.
  const void *vtable;
} GxeInterfaceEntry;

/// One component type, or one payload type (a type that messages carry).
typedef struct {
  /// sizeof(GxeComponentType) as the extension was compiled.
  size_t size;
  /// Id of the type.
  GxeTid tid;
  /// Id of its base type, null for none. A type that is not derived from Component is a payload.
  GxeTid base_tid;
  /// Full name such as `nvidia::gxf::PingTx`; mandatory.
  GxeCStr type_name;
  /// Name shown in tools; may be null.
  GxeCStr display_name;
  /// One line shown in tools; may be null.
  GxeCStr brief;
  /// Full description; may be null.
  GxeCStr description;
  /// Set of GXE_TYPE_ABSTRACT, GXE_TYPE_TERM_ANNOUNCES.
  uint32_t flags;
  /// Zero.
  uint32_t reserved;
  /// Bytes the host provides to `create`.
  size_t instance_size;
  /// Alignment of that memory: a power of two, at most 4096.
  size_t instance_alignment;
  /// Constructs an instance in `storage`. `environment` is null for a payload. Null result:
  /// failure. The result is the object's address, `storage` or any other. Null for abstract
  /// types.
  void *(*create)(void *storage, const GxeComponentEnvironment *environment);
  /// Destroys what `create` returned; null when there is nothing to do.
  void (*destroy)(void *object);
  /// The parameters; an index into this array names a parameter from then on.
  const GxeParameterDescriptor *parameters;
  /// Number of parameters.
  size_t parameter_count;
  /// The interfaces the type implements.
  const GxeInterfaceEntry *interfaces;
  /// Number of interfaces.
  size_t interface_count;
} GxeComponentType;

/// The component types of an extension. The memory belongs to the extension and stays valid as
/// long as the library is loaded.
typedef struct {
  /// sizeof(GxeExtensionFactory) of the host.
  size_t size;
  /// Array of pointers to the types; a base must stand before the types derived from it.
  const GxeComponentType *const *types;
  /// Number of entries in `types`.
  size_t type_count;
} GxeExtensionFactory;

/// The constant an extension exports under the name `GXF_EXT_FACTORY`.
///
/// It is plain data, so the host can judge it before it calls into the library.
typedef struct {
  /// GXE_ABI_MAGIC.
  uint64_t magic;
  /// sizeof(GxeExtensionDescriptor) as the extension was compiled.
  size_t size;
  /// GXE_ABI_MAJOR as the extension was compiled.
  uint32_t abi_major;
  /// GXE_ABI_MINOR as the extension was compiled.
  uint32_t abi_minor;
  /// The extension's own 128-bit id.
  GxeTid id;
  /// Name; mandatory.
  GxeCStr name;
  /// Version, `major.minor.patch`; mandatory.
  GxeCStr version;
  /// What the extension is for; may be null.
  GxeCStr description;
  /// Who wrote it; may be null.
  GxeCStr author;
  /// Its licence; may be null.
  GxeCStr license;
  /// Name shown in tools; may be null.
  GxeCStr display_name;
  /// Category shown in tools; may be null.
  GxeCStr category;
  /// One line shown in tools; may be null.
  GxeCStr brief;
  /// Language and compiler the extension was built with; may be null.
  GxeCStr build_info;
  /// Called once after the library was accepted; fills `factory`.
  GxeResultCode (*create_factory)(const GxeHostTable *host, GxeExtensionFactory *factory);
  /// Rust extensions: version of the crate `abi_stable` the two layouts were made with. Null in
  /// other languages.
  GxeCStr rust_layout_version;
  /// Rust extensions: `abi_stable` layout of the data types that never change.
  const void *rust_data_layout;
  /// Rust extensions: `abi_stable` layout of the tables of this minor version.
  const void *rust_table_layout;
  /// Zero.
  size_t reserved[8];
} GxeExtensionDescriptor;

/// `nvidia::gxf::Component`: what every component has.
typedef struct {
  /// sizeof(GxeComponentVtable) of the implementor.
  size_t size;
  /// Stores the value of the parameter at `index`; a null `value` takes it away. Called before
  /// `initialize` and, for a codelet, between two ticks. Null: the type has no parameters.
  GxeResultCode (*set_parameter)(void *object,
                                 const GxeComponentEnvironment *environment,
                                 size_t index,
                                 const GxeValue *value);
  /// Drops the parameter values that lead to other components, which may lead back here. The
  /// component is part of no graph any more, but whoever has a handle to it may still call it.
  /// Null: nothing to do.
  void (*clear_parameters)(void *object);
  /// Light initialisation; all parameters are set. Null: nothing to do.
  GxeResultCode (*initialize)(void *object, const GxeComponentEnvironment *environment);
  /// Undoes `initialize`. Null: nothing to do.
  GxeResultCode (*deinitialize)(void *object, const GxeComponentEnvironment *environment);
  /// Whether the values of the parameters, which are all set, are possible together; an error says
  /// what is not. Called before any component of the graph is initialised, and by tools that do
  /// not run the graph; changes nothing. Null: they are. Since ABI 1.3.
  GxeResultCode (*check_parameters)(void *object, const GxeComponentEnvironment *environment);
} GxeComponentVtable;

/// `nvidia::gxf::Codelet`: a piece of work.
typedef struct {
  /// sizeof(GxeCodeletVtable) of the implementor.
  size_t size;
  /// Acquires what ticks need. Null: nothing to do.
  GxeResultCode (*start)(void *object, const GxeTickInfo *info);
  /// Works once.
  GxeResultCode (*tick)(void *object, const GxeTickInfo *info);
  /// Releases what `start` acquired. Null: nothing to do.
  GxeResultCode (*stop)(void *object, const GxeTickInfo *info);
} GxeCodeletVtable;

/// `nvidia::gxf::Queue`: the part receivers and transmitters share.
typedef struct {
  /// sizeof(GxeQueueVtable) of the implementor.
  size_t size;
  /// Adds a message to the back stage; takes over one reference of `message`.
  GxeResultCode (*push)(void *object, GxeMessage *message);
  /// Takes the oldest message of the main stage; the caller owns the reference.
  GxeResultCode (*pop)(void *object, GxeMessage **message);
  /// The message at a position of the main stage, with a reference of its own.
  GxeResultCode (*peek)(void *object, int32_t index, GxeMessage **message);
  /// Room of each stage, in messages.
  size_t (*capacity)(void *object);
  /// Messages in the main stage.
  size_t (*message_count)(void *object);
  /// Messages in the back stage.
  size_t (*back_count)(void *object);
  /// Moves the back stage to the main stage.
  GxeResultCode (*sync)(void *object);
} GxeQueueVtable;

/// `nvidia::gxf::Receiver`: where messages arrive. The component has a Queue interface as well.
typedef struct {
  /// sizeof(GxeReceiverVtable) of the implementor.
  size_t size;
  /// Takes the oldest message of the main stage; the caller owns the reference.
  /// `CONTRACT_MESSAGE_NOT_AVAILABLE` when there is none.
  GxeResultCode (*receive)(void *object, GxeMessage **message);
  /// The message at a position of the back stage, with a reference of its own.
  GxeResultCode (*peek_back)(void *object, int32_t index, GxeMessage **message);
  /// Input from a network before `sync`. Null: none.
  GxeResultCode (*sync_io)(void *object);
  /// Blocks until a message arrived. Null: not supported.
  GxeResultCode (*wait)(void *object);
} GxeReceiverVtable;

/// `nvidia::gxf::Transmitter`: where messages leave. The component has a Queue interface as well.
typedef struct {
  /// sizeof(GxeTransmitterVtable) of the implementor.
  size_t size;
  /// Puts a message into the back stage; takes over one reference of `message`.
  GxeResultCode (*publish_as_is)(void *object, GxeMessage *message);
  /// Output to a network after `sync`. Null: none.
  GxeResultCode (*sync_io)(void *object);
} GxeTransmitterVtable;

/// `nvidia::gxf::SchedulingTerm`: when an entity may run.
typedef struct {
  /// sizeof(GxeSchedulingTermVtable) of the implementor.
  size_t size;
  /// The condition at time `now`.
  GxeResultCode (*check)(void *object, int64_t now, GxeCondition *condition);
  /// The entity was ticked at time `now`.
  GxeResultCode (*on_execute)(void *object, int64_t now);
  /// Called before each `check`. Null: nothing to do.
  GxeResultCode (*update_state)(void *object, int64_t now);
  /// Names the receivers, transmitters and allocators whose events change the answer. Null: none.
  void (*watched)(void *object, GxeUidSink sink);
} GxeSchedulingTermVtable;

/// `nvidia::gxf::SchedulingTermCombiner`: several terms seen as one.
typedef struct {
  /// sizeof(GxeSchedulingTermCombinerVtable) of the implementor.
  size_t size;
  /// The combined condition at time `now`.
  GxeResultCode (*check)(void *object, int64_t now, GxeCondition *condition);
  /// The terms the combiner owns; they leave the entity's own list.
  void (*terms)(void *object, GxeUidSink sink);
} GxeSchedulingTermCombinerVtable;

/// `nvidia::gxf::BooleanSchedulingTerm`: what others may do with it.
typedef struct {
  /// sizeof(GxeBooleanSchedulingTermVtable) of the implementor.
  size_t size;
  /// Lets the entity run (`true`) or ends it (`false`).
  GxeResultCode (*set_tick_enabled)(void *object, bool enabled);
  /// Whether the entity may run.
  bool (*is_tick_enabled)(void *object);
} GxeBooleanSchedulingTermVtable;

/// `nvidia::gxf::AsynchronousSchedulingTerm`: what others may do with it.
typedef struct {
  /// sizeof(GxeAsynchronousSchedulingTermVtable) of the implementor.
  size_t size;
  /// Changes the state; `EVENT_DONE` and `EVENT_NEVER` wake the entity.
  GxeResultCode (*set_event_state)(void *object, GxeAsynchronousEventState state);
  /// The state.
  GxeAsynchronousEventState (*event_state)(void *object);
} GxeAsynchronousSchedulingTermVtable;

/// `nvidia::gxf::TargetTimeSchedulingTerm`: what others may do with it.
typedef struct {
  /// sizeof(GxeTargetTimeSchedulingTermVtable) of the implementor.
  size_t size;
  /// Sets the time of the next execution in nanoseconds of the term's clock.
  GxeResultCode (*set_next_target_time)(void *object, int64_t target);
} GxeTargetTimeSchedulingTermVtable;

/// `nvidia::gxf::BTSchedulingTerm`: what the parent in a behaviour tree may do with it.
typedef struct {
  /// sizeof(GxeBtSchedulingTermVtable) of the implementor.
  size_t size;
  /// Sets the condition the term answers with: `READY` arms the node, `NEVER` ends it, anything
  /// else reads as `WAIT`. Takes back what `wait_until` and `wait_for` asked for.
  GxeResultCode (*set_condition)(void *object, GxeConditionType condition);
  /// The node ticks again at `target` nanoseconds of the scheduler's clock, not before.
  GxeResultCode (*wait_until)(void *object, int64_t target);
  /// The node ticks again when the entity `eid` has another number of verdicts than `verdicts`
  /// (see GxeEntityState), not before. Several calls in one tick: any of them.
  GxeResultCode (*wait_for)(void *object, GxeUid eid, uint64_t verdicts);
} GxeBtSchedulingTermVtable;

/// `nvidia::gxf::Allocator`: memory of one kind.
typedef struct {
  /// sizeof(GxeAllocatorVtable) of the implementor.
  size_t size;
  /// Whether `size` bytes could be allocated now.
  bool (*is_available)(void *object, uint64_t size);
  /// Allocates `size` bytes.
  GxeResultCode (*allocate)(void *object,
                            uint64_t size,
                            GxeStorageType storage,
                            uint8_t **pointer);
  /// Gives memory back, from any thread.
  GxeResultCode (*free)(void *object, uint8_t *pointer);
  /// Bytes of a block; 1 for allocators without blocks.
  uint64_t (*block_size)(void *object);
  /// What was handed out so far. Null: the allocator does not count. Since ABI 1.2.
  GxeAllocatorStatistics (*statistics)(void *object);
} GxeAllocatorVtable;

/// `nvidia::gxf::Clock`: the only source of time.
typedef struct {
  /// sizeof(GxeClockVtable) of the implementor.
  size_t size;
  /// Time in nanoseconds.
  int64_t (*timestamp)(void *object);
  /// Blocks for `duration` nanoseconds of this clock.
  GxeResultCode (*sleep_for)(void *object, int64_t duration);
  /// Blocks until `target` nanoseconds of this clock.
  GxeResultCode (*sleep_until)(void *object, int64_t target);
  /// Nanoseconds of real time until `target`, so that a scheduler may wait for events meanwhile;
  /// negative when only `sleep_until` can tell. Null: always negative.
  int64_t (*real_time_until)(void *object, int64_t target);
} GxeClockVtable;

/// `nvidia::gxf::RealtimeClock`: what others may do with it besides reading the time.
typedef struct {
  /// sizeof(GxeRealtimeClockVtable) of the implementor.
  size_t size;
  /// Changes how fast time passes, without a jump. `ARGUMENT_INVALID` unless above 0 and finite.
  GxeResultCode (*set_time_scale)(void *object, double scale);
} GxeRealtimeClockVtable;

/// `nvidia::gxf::SyntheticClock`: a clock that somebody else moves.
typedef struct {
  /// sizeof(GxeSyntheticClockVtable) of the implementor.
  size_t size;
  /// Moves the clock to a time in nanoseconds and wakes sleepers whose time has come.
  /// `ARGUMENT_INVALID` for a time in the past.
  GxeResultCode (*advance_to)(void *object, int64_t target);
  /// Moves the clock by a number of nanoseconds. `ARGUMENT_INVALID` for a negative one.
  GxeResultCode (*advance_by)(void *object, int64_t duration);
} GxeSyntheticClockVtable;

/// `nvidia::gxf::Vault`: messages on their way from the graph to the program around it.
typedef struct {
  /// sizeof(GxeVaultVtable) of the implementor.
  size_t size;
  /// Messages that wait to be taken.
  size_t (*waiting_count)(void *object);
  /// Takes the oldest waiting message; the caller owns the reference. Waits for one up to
  /// `timeout` nanoseconds of real time: 0 not at all, negative for ever.
  /// `CONTRACT_MESSAGE_NOT_AVAILABLE` when none came, or when the graph ended meanwhile.
  GxeResultCode (*take)(void *object, int64_t timeout, GxeMessage **message);
} GxeVaultVtable;

/// `nvidia::gxf::Metric`: a measured number with limits.
typedef struct {
  /// sizeof(GxeMetricVtable) of the implementor.
  size_t size;
  /// Adds a sample.
  GxeResultCode (*record)(void *object, double sample);
  /// What the samples add up to; `UNINITIALIZED_VALUE` before the first one.
  GxeResultCode (*aggregated_value)(void *object, double *value);
  /// Whether the aggregated value lies within the limits; `UNINITIALIZED_VALUE` before the first
  /// sample.
  GxeResultCode (*evaluate_success)(void *object, bool *success);
  /// Forgets all samples.
  GxeResultCode (*reset)(void *object);
} GxeMetricVtable;

/// `nvidia::gxf::Router`: carries messages between entities.
typedef struct {
  /// sizeof(GxeRouterVtable) of the implementor.
  size_t size;
  /// Learns the routes an entity declares; called before any component is initialised.
  GxeResultCode (*add_routes)(void *object, GxeUid eid);
  /// Forgets them.
  GxeResultCode (*remove_routes)(void *object, GxeUid eid);
  /// Before the tick of an entity.
  GxeResultCode (*sync_inbox)(void *object, GxeUid eid);
  /// After the tick of an entity.
  GxeResultCode (*sync_outbox)(void *object, GxeUid eid);
} GxeRouterVtable;

/// `nvidia::gxf::NetworkContext`: links to other processes.
typedef struct {
  /// sizeof(GxeNetworkContextVtable) of the implementor.
  size_t size;
  /// Prepares the network before any route is added.
  GxeResultCode (*initialize_network)(void *object);
  /// Opens the links of an entity.
  GxeResultCode (*add_routes)(void *object, GxeUid eid);
  /// Closes them.
  GxeResultCode (*remove_routes)(void *object, GxeUid eid);
} GxeNetworkContextVtable;

/// `nvidia::gxf::System`: something that runs beside or above the entities.
typedef struct {
  /// sizeof(GxeSystemVtable) of the implementor.
  size_t size;
  /// An entity became active.
  GxeResultCode (*schedule)(void *object, GxeUid eid);
  /// An entity is about to be deactivated.
  GxeResultCode (*unschedule)(void *object, GxeUid eid);
  /// Begins to run and returns.
  GxeResultCode (*run_async)(void *object);
  /// Asks for the end.
  GxeResultCode (*stop)(void *object);
  /// Blocks until the end.
  GxeResultCode (*wait)(void *object);
  /// Something happened to an entity.
  GxeResultCode (*event_notify)(void *object, GxeUid eid, GxeEvent event);
} GxeSystemVtable;

/// `nvidia::gxf::Scheduler`: a system that executes entities with GxeHostTable.entity_execute.
typedef struct {
  /// sizeof(GxeSchedulerVtable) of the implementor.
  size_t size;
  /// Called once after activation, before `run_async`. Null: nothing to do.
  GxeResultCode (*prepare)(void *object);
} GxeSchedulerVtable;

/// `nvidia::gxf::Controller`: decides what the result of a tick means.
typedef struct {
  /// sizeof(GxeControllerVtable) of the implementor.
  size_t size;
  /// Judges the tick of an entity.
  GxeControllerStatus (*control)(void *object, GxeUid eid, GxeResultCode code);
} GxeControllerVtable;

/// `nvidia::gxf::Monitor`: is told about every execution.
typedef struct {
  /// sizeof(GxeMonitorVtable) of the implementor.
  size_t size;
  /// An entity was executed (started, found not ready, or ticked) at `timestamp`.
  GxeResultCode (*on_execute)(void *object, GxeUid eid, int64_t timestamp, GxeResultCode code);
} GxeMonitorVtable;

/// `nvidia::gxf::Endpoint`: a stream of bytes.
typedef struct {
  /// sizeof(GxeEndpointVtable) of the implementor.
  size_t size;
  /// Whether writing is possible.
  bool (*is_write_available)(void *object);
  /// Whether reading is possible.
  bool (*is_read_available)(void *object);
  /// Writes up to `size` bytes.
  GxeResultCode (*write)(void *object, const uint8_t *data, size_t size, size_t *written);
  /// Reads up to `size` bytes.
  GxeResultCode (*read)(void *object, uint8_t *data, size_t size, size_t *read);
  /// Writes memory of any storage type without a copy. Null: not supported.
  GxeResultCode (*write_pointer)(void *object,
                                 const uint8_t *data,
                                 size_t size,
                                 GxeStorageType storage);
} GxeEndpointVtable;

/// `nvidia::gxf::File`: what others may do with it besides reading and writing. Since ABI 1.2.
typedef struct {
  /// sizeof(GxeFileVtable) of the implementor.
  size_t size;
  /// Opens a file with a mode of C's `fopen`; a text without data stands for what the component's
  /// parameter says. `INVALID_LIFECYCLE_STAGE` when one is open already.
  GxeResultCode (*open)(void *object, GxeText path, GxeText mode);
  /// Closes it. `INVALID_LIFECYCLE_STAGE` when none is open.
  GxeResultCode (*close)(void *object);
  /// Hands collected writes to the operating system.
  GxeResultCode (*flush)(void *object);
  /// Moves the position by `offset` bytes from the begin (`whence` 0), the position (1) or the
  /// end (2), and forgets that the end was reached.
  GxeResultCode (*seek)(void *object, int64_t offset, int32_t whence);
  /// The position in bytes from the begin.
  GxeResultCode (*tell)(void *object, uint64_t *position);
  /// Forgets that the end was reached and that something failed.
  GxeResultCode (*clear)(void *object);
  /// Whether a file is open.
  bool (*is_open)(void *object);
  /// Whether a read reached the end.
  bool (*is_at_end)(void *object);
  /// Whether something failed since the file was opened.
  bool (*has_failed)(void *object);
} GxeFileVtable;

/// How a piece of memory is given back and shared; one constant table a kind of owner.
///
/// All functions may be called from any thread, also after the graph the memory comes from has
/// ended.
typedef struct {
  /// sizeof(GxeMemoryOwnerVtable) of the implementor.
  size_t size;
  /// Ends one ownership, the last one gives the memory back. `words` leads to the three words of
  /// the buffer, `pointer` and `size` are the buffer's. Nobody uses the buffer afterwards. A
  /// failure is worth a log line; the memory is lost then.
  GxeResultCode (*release)(void *const *words, uint8_t *pointer, uint64_t size);
  /// Adds an ownership: from then on a copy of the buffer owns the memory as well, whatever part
  /// of it its `pointer` and `size` show. Null: the memory has one owner; to share it, put the
  /// buffer into an owner that can.
  void (*retain)(void *const *words);
  /// Number of ownerships. Null exactly where `retain` is null.
  uint32_t (*owner_count)(void *const *words);
} GxeMemoryOwnerVtable;

/// A piece of memory and the way to give it back. All zero: no memory.
///
/// Whoever holds the structure owns the memory: it is moved, never copied, except as
/// GxeMemoryOwnerVtable.retain says, and ends with GxeMemoryOwnerVtable.release.
typedef struct {
  /// First byte; null when `size` is 0 and there is no memory.
  uint8_t *pointer;
  /// Bytes from `pointer` on.
  uint64_t size;
  /// Where the memory lies.
  GxeStorageType storage_type;
  /// Set of GXE_MEMORY_READ_ONLY and GXE_MEMORY_RECORDED_ON_DEVICE.
  uint32_t flags;
  /// How the memory is given back. Null: not at all, it outlives everybody.
  const GxeMemoryOwnerVtable *owner;
  /// What the functions of `owner` need to know. For memory of an allocator: the allocator's
  /// object, its GxeAllocatorVtable, and the `owner` of its GxeInterfaceRef,
  /// which keeps it alive.
  void *words[3];
} GxeMemoryBuffer;

/// `nvidia::gxf::SerializationBuffer`: what others may do with it besides reading and writing.
/// Since ABI 1.2.
typedef struct {
  /// sizeof(GxeSerializationBufferVtable) of the implementor.
  size_t size;
  /// New memory of the component's allocator; the buffer is empty then.
  GxeResultCode (*resize)(void *object, uint64_t size, GxeStorageType storage);
  /// Takes over memory; the buffer is empty then.
  GxeResultCode (*wrap)(void *object, GxeMemoryBuffer memory);
  /// Forgets what was written.
  GxeResultCode (*reset)(void *object);
  /// Address of the first byte, valid until `resize` or `wrap`; null for none.
  const uint8_t *(*data)(void *object);
  /// Bytes there is room for.
  uint64_t (*capacity)(void *object);
  /// Bytes that were written since the buffer was empty.
  uint64_t (*written)(void *object);
  /// Where the memory lies.
  GxeStorageType (*storage_type)(void *object);
} GxeSerializationBufferVtable;

/// An endpoint handed to a serializer, valid during the call.
typedef struct {
  /// First argument of the table's functions.
  void *object;
  /// The endpoint's functions.
  const GxeEndpointVtable *vtable;
} GxeEndpointRef;

/// `nvidia::gxf::ComponentSerializer`: payloads to bytes and back.
typedef struct {
  /// sizeof(GxeComponentSerializerVtable) of the implementor.
  size_t size;
  /// Whether payloads of this type are supported.
  bool (*is_supported)(void *object, GxeTid tid);
  /// Writes the payload at `data`.
  GxeResultCode (*serialize)(void *object,
                             GxeTid tid,
                             void *data,
                             GxeEndpointRef endpoint,
                             uint64_t *size);
  /// Reads into the payload at `data`, which is constructed already.
  GxeResultCode (*deserialize)(void *object, GxeTid tid, void *data, GxeEndpointRef endpoint);
} GxeComponentSerializerVtable;

/// `nvidia::gxf::EntitySerializer`: messages to bytes and back.
typedef struct {
  /// sizeof(GxeEntitySerializerVtable) of the implementor.
  size_t size;
  /// Writes a message; does not take over a reference.
  GxeResultCode (*serialize)(void *object,
                             GxeMessage *message,
                             GxeEndpointRef endpoint,
                             uint64_t *size);
  /// Reads into an empty message; does not take over a reference.
  GxeResultCode (*deserialize)(void *object, GxeMessage *message, GxeEndpointRef endpoint);
} GxeEntitySerializerVtable;

/// A service an GxeIpcServerVtable offers on behalf of somebody.
typedef struct {
  /// First argument of `handle`.
  void *user;
  /// Answers a request for `resource` (and, for an action, its `payload`) on `answer`.
  GxeResultCode (*handle)(void *user, GxeText resource, GxeText payload, GxeTextSink answer);
} GxeIpcService;

/// `nvidia::gxf::IPCServer`: offers services to other processes.
typedef struct {
  /// sizeof(GxeIpcServerVtable) of the implementor.
  size_t size;
  /// Offers a service. `is_action`: it takes a payload and changes something.
  GxeResultCode (*register_service)(void *object,
                                    GxeText name,
                                    bool is_action,
                                    GxeIpcService service);
} GxeIpcServerVtable;

/// `nvidia::gxf::IPCClient`: calls services of other processes.
typedef struct {
  /// sizeof(GxeIpcClientVtable) of the implementor.
  size_t size;
  /// Asks a service for a resource.
  GxeResultCode (*query)(void *object, GxeText service, GxeText resource, GxeTextSink answer);
  /// Sends a payload to a service.
  GxeResultCode (*action)(void *object,
                          GxeText service,
                          GxeText resource,
                          GxeText payload,
                          GxeTextSink answer);
} GxeIpcClientVtable;

/// Type of a tensor's elements (`nvidia::gxf::PrimitiveType`, with its numbers).
typedef int32_t GxePrimitiveType;
/// Known to sender and receiver alone; the tensor states its size.
#define GxePrimitiveType_CUSTOM 0
/// 8 bits, signed.
#define GxePrimitiveType_INT8 1
/// 8 bits, unsigned.
#define GxePrimitiveType_UNSIGNED8 2
/// 16 bits, signed.
#define GxePrimitiveType_INT16 3
/// 16 bits, unsigned.
#define GxePrimitiveType_UNSIGNED16 4
/// 32 bits, signed.
#define GxePrimitiveType_INT32 5
/// 32 bits, unsigned.
#define GxePrimitiveType_UNSIGNED32 6
/// 64 bits, signed.
#define GxePrimitiveType_INT64 7
/// 64 bits, unsigned.
#define GxePrimitiveType_UNSIGNED64 8
/// IEEE 754 binary32.
#define GxePrimitiveType_FLOAT32 9
/// IEEE 754 binary64.
#define GxePrimitiveType_FLOAT64 10
/// Two binary32: real part, imaginary part.
#define GxePrimitiveType_COMPLEX64 11
/// Two binary64: real part, imaginary part.
#define GxePrimitiveType_COMPLEX128 12
/// IEEE 754 binary16.
#define GxePrimitiveType_FLOAT16 13
/// The upper half of a binary32. Not a type of GXF, hence a number far from GXF's.
#define GxePrimitiveType_BFLOAT16 256

/// Dimensions of a tensor (`nvidia::gxf::Shape`).
typedef struct {
  /// Number of dimensions, up to GXE_MAX_RANK.
  uint32_t rank;
  /// Length of each dimension, the outermost first; 1 beyond the rank.
  int32_t dimensions[GXE_MAX_RANK];
} GxeShape;

/// An array of up to eight dimensions (`nvidia::gxf::Tensor`). All zero: no elements.
typedef struct {
  /// Type of the elements.
  GxePrimitiveType element_type;
  /// Rank and lengths.
  GxeShape shape;
  /// 0, or 1 plus the storage type a recording states, when the tensor was read from one and lies
  /// elsewhere because there is no such memory here. Whoever records it again states that type.
  uint32_t recorded_storage;
  /// Size of an element in bytes.
  uint64_t bytes_per_element;
  /// Bytes from an element to the next one of the same dimension; 0 beyond the rank.
  uint64_t strides[GXE_MAX_RANK];
  /// The elements. `pointer` leads to the first one.
  GxeMemoryBuffer memory;
} GxeTensor;

/// One clock's time in a GxeMultiSourceTimestamp.
typedef struct {
  /// The time.
  GxeTimestamp timestamp;
  /// Which clock: 0 the machine's counter (TSC), 1 NTP, 2 PTP.
  uint8_t time_domain;
  /// Padding, 0.
  uint8_t reserved[7];
} GxeSourceTimestamp;

/// The same moment on several clocks (`nvidia::gxf::MultiSourceTimestamp`).
typedef struct {
  /// Number of entries, up to 3.
  uint64_t count;
  /// The entries.
  GxeSourceTimestamp entries[3];
} GxeMultiSourceTimestamp;

/// Arrangement of a frame's pixels (`nvidia::gxf::VideoFormat`, with its numbers).
///
/// `ER`: full value range. `709`: ITU-R BT.709 instead of BT.601. A `D` after an underscore or
/// digit: depth. Names with underscores have a plane a channel.
typedef int64_t GxeVideoFormat;
/// Known to sender and receiver alone.
#define GxeVideoFormat_CUSTOM 0
/// Planes Y, U, V; U and V at half width and height.
#define GxeVideoFormat_YUV420 1
/// As `YUV420`, full range.
#define GxeVideoFormat_YUV420_ER 2
/// As `YUV420`, BT.709.
#define GxeVideoFormat_YUV420_709 3
/// As `YUV420`, BT.709, full range.
#define GxeVideoFormat_YUV420_709_ER 4
/// Planes Y and interleaved UV; UV at half width and height.
#define GxeVideoFormat_NV12 5
/// As `NV12`, full range.
#define GxeVideoFormat_NV12_ER 6
/// As `NV12`, BT.709.
#define GxeVideoFormat_NV12_709 7
/// As `NV12`, BT.709, full range.
#define GxeVideoFormat_NV12_709_ER 8
/// 8 bits each of red, green, blue, alpha.
#define GxeVideoFormat_RGBA 9
/// 8 bits each, in the order of the name, as for the six formats that follow.
#define GxeVideoFormat_BGRA 10
/// As the name says.
#define GxeVideoFormat_ARGB 11
/// As the name says.
#define GxeVideoFormat_ABGR 12
/// The fourth byte has no meaning.
#define GxeVideoFormat_RGBX 13
/// The fourth byte has no meaning.
#define GxeVideoFormat_BGRX 14
/// The first byte has no meaning.
#define GxeVideoFormat_XRGB 15
/// The first byte has no meaning.
#define GxeVideoFormat_XBGR 16
/// 8 bits each of red, green, blue.
#define GxeVideoFormat_RGB 17
/// 8 bits each of blue, green, red.
#define GxeVideoFormat_BGR 18
/// Planes of 8 bits.
#define GxeVideoFormat_R8_G8_B8 19
/// Planes of 8 bits.
#define GxeVideoFormat_B8_G8_R8 20
/// 8 bits of brightness.
#define GxeVideoFormat_GRAY 21
/// 16 bits of brightness.
#define GxeVideoFormat_GRAY16 22
/// 32 bits of brightness.
#define GxeVideoFormat_GRAY32 23
/// A binary32 of brightness.
#define GxeVideoFormat_GRAY32F 24
/// 16 bits each of red, green, blue.
#define GxeVideoFormat_RGB16 25
/// 16 bits each of blue, green, red.
#define GxeVideoFormat_BGR16 26
/// 32 bits each of red, green, blue.
#define GxeVideoFormat_RGB32 27
/// 32 bits each of blue, green, red.
#define GxeVideoFormat_BGR32 28
/// Planes of 16 bits.
#define GxeVideoFormat_R16_G16_B16 29
/// Planes of 16 bits.
#define GxeVideoFormat_B16_G16_R16 30
/// Planes of 32 bits.
#define GxeVideoFormat_R32_G32_B32 31
/// Planes of 32 bits.
#define GxeVideoFormat_B32_G32_R32 32
/// Planes Y and interleaved UV, both at full size.
#define GxeVideoFormat_NV24 33
/// As `NV24`, full range.
#define GxeVideoFormat_NV24_ER 34
/// Planes of 8 bits, and one of depth.
#define GxeVideoFormat_R8_G8_B8_D8 35
/// Planes of 16 bits, and one of depth.
#define GxeVideoFormat_R16_G16_B16_D16 36
/// Planes of 32 bits, and one of depth.
#define GxeVideoFormat_R32_G32_B32_D32 37
/// 8 bits each of red, green, blue, depth.
#define GxeVideoFormat_RGBD8 38
/// 16 bits each of red, green, blue, depth.
#define GxeVideoFormat_RGBD16 39
/// 32 bits each of red, green, blue, depth.
#define GxeVideoFormat_RGBD32 40
/// A binary32 of depth.
#define GxeVideoFormat_D32F 41
/// A binary64 of depth.
#define GxeVideoFormat_D64F 42
/// What a sensor with a Bayer filter of this order delivers.
#define GxeVideoFormat_RAW16_RGGB 43
/// As `RAW16_RGGB`, in another order.
#define GxeVideoFormat_RAW16_BGGR 44
/// As `RAW16_RGGB`, in another order.
#define GxeVideoFormat_RAW16_GRBG 45
/// As `RAW16_RGGB`, in another order.
#define GxeVideoFormat_RAW16_GBRG 46

/// Order of a frame's rows in memory (`nvidia::gxf::SurfaceLayout`).
typedef int32_t GxeSurfaceLayout;
/// None stated.
#define GxeSurfaceLayout_INVALID 0
/// Row after row, a stride apart.
#define GxeSurfaceLayout_PITCH_LINEAR 1
/// In blocks only a device understands.
#define GxeSurfaceLayout_BLOCK_LINEAR 2

/// One plane of a video frame (`nvidia::gxf::ColorPlane`).
typedef struct {
  /// Name of what the plane holds, such as `Y` or `RGBA`, UTF-8 with a zero byte at its end.
  char color_space[GXE_COLOR_SPACE_SIZE];
  /// Bytes of the whole plane.
  uint64_t size;
  /// Bytes from a row to the next.
  uint32_t stride;
  /// Bytes from the frame's first byte to the plane's first byte.
  uint32_t offset;
  /// Pixels in a row.
  uint32_t width;
  /// Rows.
  uint32_t height;
  /// Bytes of a pixel.
  uint8_t bytes_per_pixel;
  /// Padding, 0.
  uint8_t reserved[7];
} GxeColorPlane;

/// What a video frame looks like (`nvidia::gxf::VideoBufferInfo`).
typedef struct {
  /// Pixels in a row.
  uint32_t width;
  /// Rows.
  uint32_t height;
  /// Arrangement of the pixels.
  GxeVideoFormat color_format;
  /// Number of planes.
  uint32_t plane_count;
  /// Order of the rows.
  GxeSurfaceLayout surface_layout;
  /// The planes; all zero beyond `plane_count`.
  GxeColorPlane color_planes[GXE_MAX_COLOR_PLANES];
} GxeVideoBufferInfo;

/// A video frame (`nvidia::gxf::VideoBuffer`). All zero: no frame.
typedef struct {
  /// What it looks like.
  GxeVideoBufferInfo info;
  /// The planes.
  GxeMemoryBuffer memory;
} GxeVideoBuffer;

/// What a sample of sound is (`nvidia::gxf::AudioFormat`).
typedef int32_t GxeAudioFormat;
/// Known to sender and receiver alone.
#define GxeAudioFormat_CUSTOM 0
/// 16 bits, signed, little endian.
#define GxeAudioFormat_S16LE 1
/// A binary32, little endian.
#define GxeAudioFormat_F32LE 2

/// Order of the samples of several channels (`nvidia::gxf::AudioLayout`).
typedef int32_t GxeAudioLayout;
/// Known to sender and receiver alone.
#define GxeAudioLayout_CUSTOM 0
/// One sample of each channel in turn.
#define GxeAudioLayout_INTERLEAVED 1
/// All samples of a channel, then all of the next.
#define GxeAudioLayout_NON_INTERLEAVED 2

/// What a piece of sound looks like (`nvidia::gxf::AudioBufferInfo`).
typedef struct {
  /// Number of channels.
  uint32_t channels;
  /// Samples of each channel.
  uint32_t samples;
  /// Samples of each channel in a second.
  uint32_t sampling_rate;
  /// Bytes of a sample.
  uint32_t bytes_per_sample;
  /// What a sample is.
  GxeAudioFormat audio_format;
  /// Order of the samples.
  GxeAudioLayout audio_layout;
} GxeAudioBufferInfo;

/// A piece of sound (`nvidia::gxf::AudioBuffer`). All zero: no sound.
typedef struct {
  /// What it looks like.
  GxeAudioBufferInfo info;
  /// The samples.
  GxeMemoryBuffer memory;
} GxeAudioBuffer;

/// How a lens distorts (`nvidia::gxf::DistortionType`).
typedef int32_t GxeDistortionType;
/// Not at all.
#define GxeDistortionType_PERSPECTIVE 0
/// Brown: three radial, two tangential coefficients.
#define GxeDistortionType_BROWN 1
/// Polynomial: six radial, two tangential coefficients.
#define GxeDistortionType_POLYNOMIAL 2
/// Fisheye, equidistant.
#define GxeDistortionType_FISHEYE_EQUIDISTANT 3
/// Fisheye, equisolid angle.
#define GxeDistortionType_FISHEYE_EQUISOLID 4
/// Fisheye, orthographic.
#define GxeDistortionType_FISHEYE_ORTHOGRAPHIC 5
/// Fisheye, stereographic.
#define GxeDistortionType_FISHEYE_STEREOGRAPHIC 6

/// How a camera maps the world onto its image. Same layout as `nvidia::gxf::CameraModel`.
typedef struct {
  /// Width and height of the image in pixels.
  uint32_t dimensions[2];
  /// Focal length in pixels, along x and y.
  float focal_length[2];
  /// Where the optical axis meets the image, in pixels.
  float principal_point[2];
  /// Skew of the axes.
  float skew_value;
  /// How the lens distorts.
  GxeDistortionType distortion_type;
  /// Coefficients of the distortion.
  float distortion_coefficients[8];
} GxeCameraModel;

/// A place in space. Same layout as `nvidia::gxf::Pose3D`.
typedef struct {
  /// Rotation matrix, row after row.
  float rotation[9];
  /// Translation, in the unit sender and receiver agreed on.
  float translation[3];
} GxePose3D;

// Type ids of GXF's base types, which are also the ids of the interfaces. Each is an initialiser of
// a GxeTid: `static const GxeTid id = GXE_TID_CODELET;`.

/// `nvidia::gxf::Component`
#define GXE_TID_COMPONENT \
  { UINT64_C(0x75bf23d5199843b7), UINT64_C(0xbaaf16853d783bd1) }
/// `nvidia::gxf::Codelet`
#define GXE_TID_CODELET \
  { UINT64_C(0x5c6166fa6eed41e7), UINT64_C(0xbbf0bd48cd6e1014) }
/// `nvidia::gxf::Queue`
#define GXE_TID_QUEUE \
  { UINT64_C(0x792151bf31384603), UINT64_C(0xa9125ca91828dea8) }
/// `nvidia::gxf::Receiver`
#define GXE_TID_RECEIVER \
  { UINT64_C(0xa47d2f62245f40fc), UINT64_C(0x90b75dc78ff2437e) }
/// `nvidia::gxf::Transmitter`
#define GXE_TID_TRANSMITTER \
  { UINT64_C(0xc30cc60f0db2409d), UINT64_C(0x92b6b2db92e02cce) }
/// `nvidia::gxf::SchedulingTerm`
#define GXE_TID_SCHEDULING_TERM \
  { UINT64_C(0x184d8e4e086c475a), UINT64_C(0x903a69d723f95d19) }
/// `nvidia::gxf::SchedulingTermCombiner`
#define GXE_TID_SCHEDULING_TERM_COMBINER \
  { UINT64_C(0x4c3f39b042ed11ef), UINT64_C(0xa7d5dbe22043a6f1) }
/// `nvidia::gxf::BooleanSchedulingTerm`
#define GXE_TID_BOOLEAN_SCHEDULING_TERM \
  { UINT64_C(0xe07a0dc439084df8), UINT64_C(0x81347ce38e60fbef) }
/// `nvidia::gxf::AsynchronousSchedulingTerm`
#define GXE_TID_ASYNCHRONOUS_SCHEDULING_TERM \
  { UINT64_C(0x56be1662ff634179), UINT64_C(0x92003fcd8dc38673) }
/// `nvidia::gxf::TargetTimeSchedulingTerm`
#define GXE_TID_TARGET_TIME_SCHEDULING_TERM \
  { UINT64_C(0xe4aaf5c32b104c9a), UINT64_C(0xc463ebf6084149bf) }
/// `nvidia::gxf::BTSchedulingTerm`
#define GXE_TID_BT_SCHEDULING_TERM \
  { UINT64_C(0x0161ca512fed4a8c), UINT64_C(0x8f2467cf1b5e330a) }
/// `nvidia::gxf::Allocator`
#define GXE_TID_ALLOCATOR \
  { UINT64_C(0x3cdd82d023264867), UINT64_C(0x8de2d565dbe28e03) }
/// `nvidia::gxf::Clock`
#define GXE_TID_CLOCK \
  { UINT64_C(0x779e61c2ae70441d), UINT64_C(0xa26c8ca64b39f8e7) }
/// `nvidia::gxf::Router`
#define GXE_TID_ROUTER \
  { UINT64_C(0x8b317aadf55c4c07), UINT64_C(0x85208f66db92a19e) }
/// `nvidia::gxf::NetworkContext`
#define GXE_TID_NETWORK_CONTEXT \
  { UINT64_C(0xd589ce20f3a74fc0), UINT64_C(0xaa4ed6f40f6c0eeb) }
/// `nvidia::gxf::System`
#define GXE_TID_SYSTEM \
  { UINT64_C(0xd1febca180df454e), UINT64_C(0xa3f2715f2b3c6e69) }
/// `nvidia::gxf::Scheduler`
#define GXE_TID_SCHEDULER \
  { UINT64_C(0xf0103b75d2e14d70), UINT64_C(0x9b133fe5b40209be) }
/// `nvidia::gxf::Controller`
#define GXE_TID_CONTROLLER \
  { UINT64_C(0xc8e804753c7943a4), UINT64_C(0x9083eaf294b0600d) }
/// `nvidia::gxf::Monitor`
#define GXE_TID_MONITOR \
  { UINT64_C(0x9ccf9421b35b8c79), UINT64_C(0xe1f097dc23bd38ea) }
/// `nvidia::gxf::ComponentSerializer`
#define GXE_TID_COMPONENT_SERIALIZER \
  { UINT64_C(0x8c76a82821771484), UINT64_C(0xf841d39c3fa47613) }
/// `nvidia::gxf::EntitySerializer`
#define GXE_TID_ENTITY_SERIALIZER \
  { UINT64_C(0xfd7892f70464e591), UINT64_C(0xdef388d77c8dde70) }
/// `nvidia::gxf::Endpoint`
#define GXE_TID_ENDPOINT \
  { UINT64_C(0x801449dd1657513f), UINT64_C(0xa3f8f648047583d0) }
/// `nvidia::gxf::IPCServer`
#define GXE_TID_IPC_SERVER \
  { UINT64_C(0x00e6f23d0bf64c1c), UINT64_C(0xada5630c711d3be1) }
/// `nvidia::gxf::IPCClient`
#define GXE_TID_IPC_CLIENT \
  { UINT64_C(0x6f3cf830762849a6), UINT64_C(0xb925f94171b019da) }
/// `nvidia::gxf::ResourceBase`; an interface without functions
#define GXE_TID_RESOURCE_BASE \
  { UINT64_C(0x76b9234d5eac4c65), UINT64_C(0xb1a10306d3f354e5) }
/// `nvidia::gxf::RealtimeClock`
#define GXE_TID_REALTIME_CLOCK \
  { UINT64_C(0x7b170b7bcf1a4f3f), UINT64_C(0x997cbfea25342381) }
/// `nvidia::gxf::SyntheticClock`
#define GXE_TID_SYNTHETIC_CLOCK \
  { UINT64_C(0x9a2bfd7b2d8479b4), UINT64_C(0xbc71f47eb53f28c8) }
/// `nvidia::gxf::Vault`
#define GXE_TID_VAULT \
  { UINT64_C(0x1108cb8d85e44303), UINT64_C(0xba02d27406ee9e65) }
/// `nvidia::gxf::Metric`
#define GXE_TID_METRIC \
  { UINT64_C(0xf7cef8035beb46f1), UINT64_C(0x186a05d3919842ac) }
/// `nvidia::gxf::File`
#define GXE_TID_FILE \
  { UINT64_C(0xc132f22c1ed16c0f), UINT64_C(0xed53c63bf9b28354) }
/// `nvidia::gxf::SerializationBuffer`
#define GXE_TID_SERIALIZATION_BUFFER \
  { UINT64_C(0xcb253dcecce62ff4), UINT64_C(0x84ef3cf1db6e24a3) }
/// `nvidia::gxf::EndOfStream`
#define GXE_TID_END_OF_STREAM \
  { UINT64_C(0x8c42f7bf70414626), UINT64_C(0x97929eb20ce33cce) }
/// `nvidia::gxf::Timestamp`
#define GXE_TID_TIMESTAMP \
  { UINT64_C(0xd1095b105c904bbc), UINT64_C(0xbc89601134cb4e03) }
/// `nvidia::gxf::Tensor`
#define GXE_TID_TENSOR \
  { UINT64_C(0x377501d69abf447c), UINT64_C(0xa6170114d4f33ab8) }
/// `nvidia::gxf::Shape`
#define GXE_TID_SHAPE \
  { UINT64_C(0x469cc839a6ab470b), UINT64_C(0x9d09b8bf978c13cd) }
/// `nvidia::gxf::MultiSourceTimestamp`
#define GXE_TID_MULTI_SOURCE_TIMESTAMP \
  { UINT64_C(0x872e77ecbde811ed), UINT64_C(0xafa10242ac120002) }
/// `nvidia::gxf::VideoBuffer`
#define GXE_TID_VIDEO_BUFFER \
  { UINT64_C(0x16ad58c8b463422c), UINT64_C(0xb09761a9acc5050e) }
/// `nvidia::gxf::AudioBuffer`
#define GXE_TID_AUDIO_BUFFER \
  { UINT64_C(0xa914cac65f19449d), UINT64_C(0x9ade8c5cdcebe7c3) }
/// `nvidia::gxf::CameraModel`
#define GXE_TID_CAMERA_MODEL \
  { UINT64_C(0xbac444bdf13b4927), UINT64_C(0x85c1db5e1947f890) }
/// `nvidia::gxf::Pose3D`
#define GXE_TID_POSE_3D \
  { UINT64_C(0xda8387d9d8ab425f), UINT64_C(0x909b814694f148ef) }

/// The one symbol an extension exports; an extension defines it in one of its source files.
/// Visible also with -fvisibility=hidden.
__attribute__((visibility("default"))) extern const GxeExtensionDescriptor GXF_EXT_FACTORY;

#ifdef __cplusplus
} // extern "C"
#endif

#endif // GXF_PLUGIN_ABI_H
