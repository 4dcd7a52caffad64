/* The C interface between the gxe host and its extensions. Types and constants only.
 *
 * Generated from the Rust crate gxf-plugin-abi; after a change there, make it again with
 * `UPDATE_HEADER=1 cargo test -p gxf-plugin-abi`. C11 and C++17.
 *
 * A map, in the order in which a library comes to life:
 *
 *   1. GxeExtensionDescriptor: the constant GXF_EXT_FACTORY, the one symbol an extension exports.
 *      The host reads it before it runs any code of the library.
 *   2. GxeHostTable: the functions that the host offers to extensions; `create_factory` receives it.
 *   3. GxeComponentType, GxeParameterDescriptor: the component and payload types that the factory
 *      returns.
 *   4. Gxe...Vtable: one interface each; the id of its GXF base type finds it. An extension
 *      implements interfaces for its own components and calls them on others.
 *
 * Rules of the ABI boundary:
 *
 *   - Every table starts with its own size. A reader uses a field only if it lies within the size
 *     that the writer declared. Set `size` with sizeof, and zero what you do not use, as designated
 *     initialisers do.
 *   - A function pointer may be null only where its comment says what null means.
 *   - A function that fails returns a code other than 0. Before returning it may store a text with
 *     GxeHostTable.report_error on the same thread.
 *   - No C++ exception crosses the boundary: catch it and return an error.
 *   - `push` and `publish_as_is` consume one reference to their argument `message`, whatever they
 *     return.
 *
 * A name in capitals in a comment, such as `ARGUMENT_INVALID`, means GxeResultCode_... or a value of
 * the type that the comment describes.
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

/// A message: a reference-counted set of payload components. Opaque to extensions.
typedef struct GxeMessage GxeMessage;

/// The right to wake an entity once. Counted: each holder owns a reference. Opaque to extensions.
/// Since ABI 1.4.
typedef struct GxeWakeToken GxeWakeToken;

/// Bits of GxeMemoryBuffer.flags that hold the number of the device.
#define GXE_MEMORY_DEVICE_SHIFT 24

/// First field of every descriptor: `GXE_EXT\0` as a little-endian number.
#define GXE_ABI_MAGIC UINT64_C(0x005458455f455847)

/// Changes when old extensions stop working. Host and extension must have the same.
#define GXE_ABI_MAJOR 1

/// Grows when there are new tables. An extension loads if its number is not larger than the host's.
#define GXE_ABI_MINOR 14

/// The type cannot be created, only derived from.
#define GXE_TYPE_ABSTRACT 1

/// The scheduling term notifies its entity whenever its answer may have changed. The engine polls
/// terms without this flag.
#define GXE_TYPE_TERM_ANNOUNCES 2

/// A component type that messages carry as well. As for a payload, `environment` is then null for
/// `create`, and the instance gets no parameters and no calls.
#define GXE_TYPE_PAYLOAD 4

/// The codelet's tick only enqueues work on its CUDA stream, the same work each time, so that it can
/// be recorded into a CUDA graph and replayed. It uses streams, and what messages say of them, by
/// means of gxe alone. Since ABI 1.4.
#define GXE_TYPE_CAPTURABLE 8

/// The codelet changes the memory of its input in place and publishes it. Since ABI 1.4.
#define GXE_TYPE_IN_PLACE 16

/// The codelet can publish into a register: memory that it is given, instead of memory that it
/// allocates. Since ABI 1.4.
#define GXE_TYPE_PUBLISHES_INTO 32

/// Largest number of planes a video frame may have.
#define GXE_MAX_COLOR_PLANES 4

/// Size of a plane's name in bytes, including its zero byte.
#define GXE_COLOR_SPACE_SIZE 32

/// The parameter may have no value (GXF's `GXF_PARAMETER_FLAGS_OPTIONAL`).
#define GXE_PARAMETER_OPTIONAL 1

/// The parameter may change while the graph runs (GXF's `GXF_PARAMETER_FLAGS_DYNAMIC`).
#define GXE_PARAMETER_DYNAMIC 2

/// The highest rank of a parameter.
#define GXE_PARAMETER_MAX_RANK 8

/// Highest number of dimensions of a tensor.
#define GXE_MAX_RANK 8

/// The memory must not be written: it has other readers, or the system forbids it.
#define GXE_MEMORY_READ_ONLY 1

/// Host memory in place of device memory: the payload comes from a recording that places it on a
/// device, and this machine has none. A recorder writes the original placement again.
#define GXE_MEMORY_RECORDED_ON_DEVICE 2

/// The entity has not ticked yet.
#define GXE_BEHAVIOR_INIT 0

/// The entity has succeeded.
#define GXE_BEHAVIOR_SUCCESS 1

/// The entity is still running.
#define GXE_BEHAVIOR_RUNNING 2

/// The entity has failed.
#define GXE_BEHAVIOR_FAILURE 3

/// The entity has no controller.
#define GXE_BEHAVIOR_UNKNOWN 4

/// The entity goes on while it is running, and ends otherwise.
#define GXE_EXECUTION_SUCCESS 0

/// The entity ticks again.
#define GXE_EXECUTION_FAILURE_REPEAT 1

/// The entity is stopped.
#define GXE_EXECUTION_FAILURE_DEACTIVATE 2

/// The whole graph ends.
#define GXE_EXECUTION_FAILURE 3

/// A 128-bit id of a type or an extension; both halves 0 means "none".
typedef struct {
  /// Upper half.
  uint64_t hash1;
  /// Lower half.
  uint64_t hash2;
} GxeTid;

/// Result of a call across the ABI boundary: `0` is success, anything else is a GXF result code.
///
/// This is a number and not an enumeration because a foreign library may return any value.
typedef int32_t GxeResultCode;
/// The call succeeded.
#define GxeResultCode_SUCCESS 0
/// A failure without a more precise code.
#define GxeResultCode_FAILURE 1
/// This component does not implement the function.
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
/// An argument is outside its range.
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
/// The value is outside the parameter's range.
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
/// The object's life cycle stage does not allow the call.
#define GxeResultCode_INVALID_LIFECYCLE_STAGE 42
/// The graph's state does not allow the call.
#define GxeResultCode_INVALID_EXECUTION_SEQUENCE 43
/// A reference count fell below zero.
#define GxeResultCode_REF_COUNT_NEGATIVE 44
/// The caller's array is too small.
#define GxeResultCode_RESULT_ARRAY_TOO_SMALL 45
/// Data is not in the expected format.
#define GxeResultCode_INVALID_DATA_FORMAT 46
/// A fixed capacity is exhausted.
#define GxeResultCode_EXCEEDING_PREALLOCATED_SIZE 47
/// The caller's structure is too small.
#define GxeResultCode_QUERY_NOT_ENOUGH_CAPACITY 48
/// The query does not apply to the object.
#define GxeResultCode_QUERY_NOT_APPLICABLE 49
/// The query found nothing.
#define GxeResultCode_QUERY_NOT_FOUND 50
/// The work is not finished (a running behaviour).
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

/// The element type of a parameter. The numbers are GXF's `gxf_parameter_type_t`; those from 64 on
/// are gxe's.
typedef uint32_t GxeParameterType;
/// Any other type: the component receives the YAML text of the value and parses it itself.
#define GxeParameterType_CUSTOM 0
/// Id of another component; the descriptor's `handle_tid` is the required type.
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
/// - rank 1: `data` points to `count` consecutive elements;
/// - rank 2 and more: `data` points to `count` values of the next lower rank, so rows may differ in
///   length.
///
/// The element for each GxeParameterType: the integer or float it names; a byte 0 or 1 for `BOOL`;
/// GxeText for `STRING`, `FILE` and `CUSTOM` (YAML text); a component's GxeUid for
/// `HANDLE`; a GxeTid for `TID`; two floats for the complex types. The memory belongs to the
/// caller and is valid during the call.
typedef struct {
  /// Type of the elements.
  GxeParameterType element_type;
  /// Number of dimensions.
  uint32_t rank;
  /// Number of elements, or of values of the next lower rank.
  size_t count;
  /// The elements, or the values of the next lower rank.
  const void *data;
} GxeValue;

/// Text that ends with a zero byte; null only where the field allows it.
typedef const char *GxeCStr;

/// Description of one parameter of a component type.
typedef struct {
  /// sizeof(GxeParameterDescriptor) when the extension was compiled.
  size_t size;
  /// Name in YAML.
  GxeCStr key;
  /// Short title; null for none.
  GxeCStr headline;
  /// Full description; null for none.
  GxeCStr description;
  /// Physical unit such as `ms` or `byte`; null for none.
  GxeCStr unit;
  /// Any of GXE_PARAMETER_OPTIONAL, GXE_PARAMETER_DYNAMIC.
  uint32_t flags;
  /// Type of the elements.
  GxeParameterType element_type;
  /// 0 for one element, 1 for a list, 2 for a list of lists, …
  uint32_t rank;
  /// Length of each dimension; -1 for any length. Only the first `rank` entries are used.
  int32_t shape[GXE_PARAMETER_MAX_RANK];
  /// Required type of a handle; null for other parameters.
  GxeTid handle_tid;
  /// Default value; null for none.
  const GxeValue *default_value;
  /// Smallest allowed number; null for no limit.
  const GxeValue *minimum;
  /// Largest allowed number; null for no limit.
  const GxeValue *maximum;
  /// Step between allowed numbers, for editors; null for none.
  const GxeValue *step;
  /// The only allowed texts (an enumeration by name); null for any text.
  const GxeCStr *choices;
  /// Number of entries in `choices`.
  size_t choice_count;
} GxeParameterDescriptor;

/// When a message was acquired and when it was published, in nanoseconds of the graph's clock.
/// Same layout as GXF's `nvidia::gxf::Timestamp`.
typedef struct {
  /// Publication time; 0 if the sender leaves it to the graph.
  int64_t pubtime;
  /// Acquisition time of the data, for example the exposure of an image.
  int64_t acqtime;
} GxeTimestamp;

/// Marks the end of a stream: no more messages follow. Same layout as GXF's
/// `nvidia::gxf::EndOfStream`.
typedef struct {
  /// Id of the stream; -1 for all streams.
  int64_t stream_id;
} GxeEndOfStream;

/// Whether an entity may run (GXF's `SchedulingConditionType`).
typedef int32_t GxeConditionType;
/// Never runs again.
#define GxeConditionType_NEVER 0
/// Can run now.
#define GxeConditionType_READY 1
/// Waits, for an unknown time.
#define GxeConditionType_WAIT 2
/// Can run from the target time on.
#define GxeConditionType_WAIT_TIME 3
/// Waits for an event from outside the graph.
#define GxeConditionType_WAIT_EVENT 4

/// A scheduling term's answer.
typedef struct {
  /// Whether the entity can run.
  GxeConditionType condition_type;
  /// Nanoseconds of the scheduler's clock. For `WAIT_TIME`, the time to wait for; otherwise the
  /// time of the last change.
  int64_t target;
} GxeCondition;

/// The reason to check an entity again (GXF's `gxf_event_t`).
typedef uint32_t GxeEvent;
/// The sending and receiving components define the meaning.
#define GxeEvent_CUSTOM 0
/// An event outside the graph.
#define GxeEvent_EXTERNAL 1
/// An allocator got memory back.
#define GxeEvent_MEMORY_FREE 2
/// A message arrived, or a codelet took one.
#define GxeEvent_MESSAGE_SYNC 3
/// A target time changed.
#define GxeEvent_TIME_UPDATE 4
/// A scheduling term changed its state.
#define GxeEvent_STATE_UPDATE 5

/// State of an asynchronous event (GXF's GxeAsynchronousEventState).
typedef int32_t GxeAsynchronousEventState;
/// The first tick is pending.
#define GxeAsynchronousEventState_READY 0
/// No request yet.
#define GxeAsynchronousEventState_WAIT 1
/// Requested; waits for the event.
#define GxeAsynchronousEventState_EVENT_WAITING 2
/// The event occurred; the entity can run.
#define GxeAsynchronousEventState_EVENT_DONE 3
/// The entity never runs again.
#define GxeAsynchronousEventState_EVENT_NEVER 4

/// State of a link, see GxeLinkVtable. Since ABI 1.5.
typedef int32_t GxeLinkState;
/// It was never connected yet.
#define GxeLinkState_OPENING 0
/// It brings or takes messages, at least after an interruption.
#define GxeLinkState_OPEN 1
/// It never brings or takes a message again.
#define GxeLinkState_ENDED 2

/// What went over a link, see GxeLinkVtable. Since ABI 1.5.
typedef struct {
  /// Messages sent, or received.
  uint64_t messages;
  /// Their bytes on the wire; 0 if they are handed over within the process.
  uint64_t bytes;
  /// Messages that wait: to be sent or acknowledged, or to be taken.
  uint64_t queued;
  /// Messages that the transmitter may send before it hears from the receiver again.
  uint64_t credits;
  /// Latest round trip in nanoseconds; 0 if there was none.
  uint64_t round_trip;
  /// Connections after the first one.
  uint64_t reconnects;
  /// Messages that were lost: by the queue's policy, or with the peer.
  uint64_t dropped;
} GxeLinkStatistics;

/// What an end of a link has counted, see GxeCountedLinkVtable. While nothing is on its way,
/// both ends have the same numbers. Since ABI 1.10.
typedef struct {
  /// Identifies the transmitter's run, and with it the link; 0 before the first connection.
  uint64_t run;
  /// Messages that the transmitter sent, or that arrived.
  uint64_t messages;
  /// A number that grows with the room that the receiver made known, or of which the transmitter
  /// has heard.
  uint64_t room;
} GxeLinkCounts;

/// A controller's verdict on a tick (GXF's `gxf_controller_status_t`).
typedef struct {
  /// 0 init, 1 success, 2 running, 3 failure, 4 unknown.
  int32_t behavior;
  /// 0 success; 1 failure, repeat; 2 failure, deactivate the entity; 3 failure.
  int32_t execution;
} GxeControllerStatus;

/// The latest verdict of an entity's controller.
typedef struct {
  /// As in GxeControllerStatus; 0 before the first tick, 4 for an entity without a controller.
  int32_t behavior;
  /// Padding, 0.
  uint32_t reserved;
  /// Number of verdicts so far, not counting "running".
  uint64_t verdicts;
} GxeEntityState;

/// Kind of memory (GXF's `MemoryStorageType`).
typedef int32_t GxeStorageType;
/// Pinned host memory, which a device can access.
#define GxeStorageType_HOST 0
/// Device memory.
#define GxeStorageType_DEVICE 1
/// Ordinary system memory.
#define GxeStorageType_SYSTEM 2
/// Memory that CUDA moves between host and device as it is used. Since ABI 1.6.
#define GxeStorageType_CUDA_MANAGED 3

/// An allocator's counters. All 0 if it does not count. Since ABI 1.2.
typedef struct {
  /// Bytes in use.
  uint64_t used_bytes;
  /// Highest number of bytes in use at once.
  uint64_t peak_bytes;
  /// Number of allocations so far.
  uint64_t allocation_count;
} GxeAllocatorStatistics;

/// Id of an entity, a component, a group or a message; 0 means "none".
typedef int64_t GxeUid;

/// A component's own ids. The host owns this structure and keeps it at the same address for the
/// whole life of the component.
typedef struct {
  /// The host's sizeof(GxeComponentEnvironment).
  size_t size;
  /// The graph.
  GxeContext *context;
  /// The component's entity.
  GxeUid eid;
  /// The component's id.
  GxeUid cid;
} GxeComponentEnvironment;

/// Information about a codelet's start, tick or stop. Valid during the call.
typedef struct {
  /// The host's sizeof(GxeTickInfo).
  size_t size;
  /// The codelet's environment.
  const GxeComponentEnvironment *environment;
  /// Time of this execution in nanoseconds of the scheduler's clock.
  int64_t timestamp;
  /// Time of the previous execution; equal to `timestamp` the first time.
  int64_t previous_timestamp;
  /// Number of this tick, counting from 1; 0 during start, and during stop if no tick came
  /// before.
  int64_t count;
} GxeTickInfo;

/// A reference to a component through one of its interfaces.
typedef struct {
  /// First argument of every function in the table.
  void *object;
  /// The interface's function table.
  const void *vtable;
  /// Keeps the component's memory alive. Release it with `component_release`.
  void *owner;
} GxeInterfaceRef;

/// One payload component of a message.
typedef struct {
  /// Type of the payload.
  GxeTid tid;
  /// Name; valid as long as the message.
  GxeText name;
  /// The payload; valid as long as the message.
  void *data;
  /// Size in bytes, as its type declares.
  size_t size;
  /// Alignment in bytes, as its type declares.
  size_t alignment;
} GxePayloadRef;

/// A function to be called any number of times, from any thread.
typedef struct {
  /// First argument of both functions.
  void *user;
  /// The function; null to call nothing.
  void (*call)(void *user);
  /// Called once, after the last call; may be null.
  void (*release)(void *user);
} GxeCallback;

/// Receives ids one at a time.
typedef struct {
  /// First argument of `add`.
  void *user;
  /// Called for each id.
  void (*add)(void *user, GxeUid uid);
} GxeUidSink;

/// Receives text, possibly in several pieces.
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

/// The host's functions: GXF's C API in the form of a table. A process has one table, at a fixed
/// address.
///
/// All functions may be called from any thread. Pointers to results must not be null unless the
/// function says so. Returned texts are valid as long as the object they describe.
typedef struct {
  /// The host's sizeof(GxeHostTable).
  size_t size;
  /// The host's GXE_ABI_MAJOR.
  uint32_t abi_major;
  /// The host's GXE_ABI_MINOR.
  uint32_t abi_minor;
  /// Stores a text for the error that the caller is about to return on this thread.
  void (*report_error)(GxeText text);
  /// Text of the last failed host call on this thread; empty if there is none.
  GxeText (*last_error)(void);
  /// Writes a log line. `severity` is 0 for panic, 1 error, 2 warning, 3 info, 4 debug, 5
  /// verbose. `file` and `module` may be null.
  void (*log)(int32_t severity, GxeCStr module, GxeCStr file, uint32_t line, GxeText text);
  /// Highest severity number that the log writes. Callers can skip formatting beyond it.
  int32_t (*log_severity)(void);
  /// Adds a reference to the context, so its memory outlives the component.
  void (*context_retain)(GxeContext *context);
  /// Releases a reference from `context_retain`.
  void (*context_release)(GxeContext *context);
  /// Creates an entity. If `name` is empty, the host chooses one. `ARGUMENT_INVALID` if the name
  /// is in use.
  GxeResultCode (*entity_create)(GxeContext *context, GxeText name, GxeUid *eid);
  /// Finds an entity by name.
  GxeResultCode (*entity_find)(GxeContext *context, GxeText name, GxeUid *eid);
  /// Name of an entity.
  GxeResultCode (*entity_name)(GxeContext *context, GxeUid eid, GxeText *name);
  /// Checks and initialises the entity's components and passes the entity to the scheduler.
  GxeResultCode (*entity_activate)(GxeContext *context, GxeUid eid);
  /// Stops the entity and deinitialises its components.
  GxeResultCode (*entity_deactivate)(GxeContext *context, GxeUid eid);
  /// Removes the entity, deactivating it first if it is active.
  GxeResultCode (*entity_destroy)(GxeContext *context, GxeUid eid);
  /// Makes the scheduler check the entity again.
  GxeResultCode (*entity_notify)(GxeContext *context, GxeUid eid, GxeEvent event);
  /// Executes an entity once at time `now`, in nanoseconds of the scheduler's clock. For
  /// schedulers in extensions.
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
  /// Finds a component of an entity, starting at position `*offset`, and sets `*offset` to its
  /// position. A null `tid` matches every type, a `name` without data every name. `offset` may be
  /// null.
  GxeResultCode (*component_find)(GxeContext *context,
                                  GxeUid eid,
                                  GxeTid tid,
                                  GxeText name,
                                  int32_t *offset,
                                  GxeUid *cid);
  /// All components of an entity, in the order in which they were added.
  GxeResultCode (*component_find_all)(GxeContext *context, GxeUid eid, GxeUidSink sink);
  /// Type of a component.
  GxeResultCode (*component_type)(GxeContext *context, GxeUid cid, GxeTid *tid);
  /// Name of a component.
  GxeResultCode (*component_name)(GxeContext *context, GxeUid cid, GxeText *name);
  /// Entity of a component.
  GxeResultCode (*component_entity)(GxeContext *context, GxeUid cid, GxeUid *eid);
  /// Address of a component of type `tid` or of a type derived from it. The result's `vtable` is
  /// null. Release its `owner` with `component_release`.
  GxeResultCode (*component_pointer)(GxeContext *context,
                                     GxeUid cid,
                                     GxeTid tid,
                                     GxeInterfaceRef *result);
  /// A component's interface `id`. Release the result's `owner` with `component_release`.
  GxeResultCode (*component_interface)(GxeContext *context,
                                       GxeUid cid,
                                       GxeTid id,
                                       GxeInterfaceRef *result);
  /// Adds a reference to an `owner`.
  void (*component_retain)(void *owner);
  /// Releases a reference to an `owner`.
  void (*component_release)(void *owner);
  /// Id of the type with this full name.
  GxeResultCode (*type_id)(GxeContext *context, GxeText name, GxeTid *tid);
  /// Full name of a type.
  GxeResultCode (*type_name)(GxeContext *context, GxeTid tid, GxeText *name);
  /// Whether `base` is `derived` or one of its bases.
  GxeResultCode (*type_is_base)(GxeContext *context, GxeTid derived, GxeTid base, bool *result);
  /// Sets a parameter. A null `value` removes the current value.
  GxeResultCode (*parameter_set)(GxeContext *context,
                                 GxeUid cid,
                                 GxeText key,
                                 const GxeValue *value);
  /// Passes the value of a parameter to `sink`. `PARAMETER_NOT_INITIALIZED` if it has none.
  GxeResultCode (*parameter_get)(GxeContext *context, GxeUid cid, GxeText key, GxeValueSink sink);
  /// Creates an empty message with one reference.
  GxeResultCode (*message_new)(GxeContext *context, GxeMessage **message);
  /// Adds a reference.
  void (*message_retain)(GxeMessage *message);
  /// Releases a reference; releasing the last one destroys the payloads.
  void (*message_release)(GxeMessage *message);
  /// Number of references.
  uint32_t (*message_reference_count)(GxeMessage *message);
  /// Id of the message in GXF's C API.
  GxeUid (*message_id)(GxeMessage *message);
  /// The message with this id, with an added reference. `ENTITY_NOT_FOUND` for a stale id.
  GxeResultCode (*message_from_id)(GxeContext *context, GxeUid eid, GxeMessage **message);
  /// Adds a payload of type `tid`. The caller must hold the only reference.
  GxeResultCode (*message_add)(GxeMessage *message,
                               GxeTid tid,
                               GxeText name,
                               GxePayloadRef *payload);
  /// Finds a payload, starting at position `start`. A null `tid` matches every type, a `name`
  /// without data every name.
  GxeResultCode (*message_find)(GxeMessage *message,
                                GxeTid tid,
                                GxeText name,
                                size_t start,
                                GxePayloadRef *payload);
  /// Number of payloads.
  size_t (*message_count)(GxeMessage *message);
  /// The payload at a position, in the order in which they were added.
  GxeResultCode (*message_at)(GxeMessage *message, size_t index, GxePayloadRef *payload);
  /// Removes the payload at a position. The caller must hold the only reference.
  GxeResultCode (*message_remove)(GxeMessage *message, size_t index);
  /// Sets the payload `timestamp` to this acquisition time and publication time 0. Consumes the
  /// caller's reference to `message`. Returns the same message if that was the only reference;
  /// otherwise a new message that shares the other payloads.
  GxeResultCode (*message_stamp)(GxeMessage *message,
                                 int64_t acquisition_time,
                                 GxeMessage **stamped);
  /// Lists the receivers that a transmitter is connected to. Routes are known before any
  /// component is initialised.
  GxeResultCode (*transmitter_receivers)(GxeContext *context, GxeUid cid, GxeUidSink sink);
  /// Asks the running graph to stop, like `GxfGraphInterrupt`.
  GxeResultCode (*graph_interrupt)(GxeContext *context);
  /// Version of the host, for log lines and reports. Since ABI 1.1.
  GxeCStr (*host_version)(void);
  /// Latest verdict of the entity's controller. Since ABI 1.1.
  GxeResultCode (*entity_state)(GxeContext *context, GxeUid eid, GxeEntityState *state);
  /// Execution status of the entity, GXF's `gxf_entity_status_t`. Since ABI 1.1.
  GxeResultCode (*entity_status)(GxeContext *context, GxeUid eid, int32_t *status);
  /// Makes the scheduler check `observer` again after each verdict on `eid` other than "running",
  /// until the graph is deactivated. Both must be active and have codelets. Since ABI 1.1.
  GxeResultCode (*entity_observe)(GxeContext *context, GxeUid eid, GxeUid observer);
  /// Fills an empty message with the payloads of another one. The two share the payloads; the
  /// timestamp is copied. The caller must hold the only reference to `message`. Since ABI 1.2.
  GxeResultCode (*message_share)(GxeMessage *message, GxeMessage *source);
  /// Makes a token that wakes an entity, with one reference. All references together wake it
  /// once; a part of the program that may be the one to do so gets a reference of its own. The
  /// token does not keep the graph alive: once the entity is inactive or its context is gone,
  /// using it does nothing. Since ABI 1.4.
  GxeResultCode (*wake_token_new)(GxeContext *context, GxeUid eid, GxeWakeToken **token);
  /// Adds a reference. Since ABI 1.4.
  void (*wake_token_retain)(GxeWakeToken *token);
  /// Makes the scheduler check the entity again, unless another reference already did, and
  /// releases a reference. Does not block: may be called where the caller must return soon, such
  /// as a callback of a driver. Since ABI 1.4.
  void (*wake_token_use)(GxeWakeToken *token);
  /// Releases a reference without waking the entity. Since ABI 1.4.
  void (*wake_token_release)(GxeWakeToken *token);
  /// Ends the graph with an error of the component `cid`, for work that fails outside the
  /// component's calls. Running ticks finish first. In a graph that does not run yet, the next
  /// run ends with the error. The host copies `text`, which may be empty.
  /// `INVALID_EXECUTION_SEQUENCE` if the graph is not active. Since ABI 1.4.
  GxeResultCode (*entity_fail)(GxeContext *context, GxeUid cid, GxeResultCode code, GxeText text);
  /// A table of further host functions, which lives as long as the process; null if the host does
  /// not have it. Since ABI 1.4.
  const void *(*host_interface)(GxeTid id);
} GxeHostTable;

/// One interface of a component type.
typedef struct {
  /// Type id of the GXF base that the interface represents.
  GxeTid id;
  /// Bytes to add to the object's address before passing it to the table's functions.
  ptrdiff_t offset;
  /// The function table, which starts with its size.
  const void *vtable;
} GxeInterfaceEntry;

/// One component type, or one payload type (a type that messages carry).
typedef struct {
  /// sizeof(GxeComponentType) when the extension was compiled.
  size_t size;
  /// Id of the type.
  GxeTid tid;
  /// Id of the base type; null for none. A type that does not derive from Component is a payload.
  GxeTid base_tid;
  /// Full name such as `nvidia::gxf::PingTx`; mandatory.
  GxeCStr type_name;
  /// Name for tools to show; may be null.
  GxeCStr display_name;
  /// One-line summary for tools to show; may be null.
  GxeCStr brief;
  /// Full description; may be null.
  GxeCStr description;
  /// Any of GXE_TYPE_ABSTRACT, GXE_TYPE_TERM_ANNOUNCES, GXE_TYPE_PAYLOAD; for a codelet also
  /// GXE_TYPE_CAPTURABLE, GXE_TYPE_IN_PLACE, GXE_TYPE_PUBLISHES_INTO.
  uint32_t flags;
  /// Must be zero.
  uint32_t reserved;
  /// Size of the memory that the host passes to `create`, in bytes.
  size_t instance_size;
  /// Alignment of that memory in bytes: a power of two, at most 4096.
  size_t instance_alignment;
  /// Constructs an instance and returns its address: `storage` or any other, null on failure.
  /// `environment` is null in a message. Null for abstract types.
  void *(*create)(void *storage, const GxeComponentEnvironment *environment);
  /// Destroys an object that `create` returned; null if there is nothing to destroy.
  void (*destroy)(void *object);
  /// The parameters. Other calls refer to a parameter by its index in this array.
  const GxeParameterDescriptor *parameters;
  /// Number of parameters.
  size_t parameter_count;
  /// The interfaces the type implements.
  const GxeInterfaceEntry *interfaces;
  /// Number of interfaces.
  size_t interface_count;
} GxeComponentType;

/// An extension's component types. The extension owns the memory, which stays valid while the
/// library is loaded.
typedef struct {
  /// The host's sizeof(GxeExtensionFactory).
  size_t size;
  /// Array of pointers to types. A base must precede the types derived from it.
  const GxeComponentType *const *types;
  /// Number of entries in `types`.
  size_t type_count;
} GxeExtensionFactory;

/// The constant that an extension exports as `GXF_EXT_FACTORY`.
///
/// It is plain data, so the host can check it before it runs any code of the library.
typedef struct {
  /// GXE_ABI_MAGIC.
  uint64_t magic;
  /// sizeof(GxeExtensionDescriptor) when the extension was compiled.
  size_t size;
  /// GXE_ABI_MAJOR when the extension was compiled.
  uint32_t abi_major;
  /// GXE_ABI_MINOR when the extension was compiled.
  uint32_t abi_minor;
  /// The extension's own 128-bit id.
  GxeTid id;
  /// Name; mandatory.
  GxeCStr name;
  /// Version, `major.minor.patch`; mandatory.
  GxeCStr version;
  /// Purpose of the extension; may be null.
  GxeCStr description;
  /// Author; may be null.
  GxeCStr author;
  /// Licence; may be null.
  GxeCStr license;
  /// Name for tools to show; may be null.
  GxeCStr display_name;
  /// Category for tools to show; may be null.
  GxeCStr category;
  /// One-line summary for tools to show; may be null.
  GxeCStr brief;
  /// Language and compiler of the extension; may be null.
  GxeCStr build_info;
  /// Fills `factory`. The host calls it once, after it accepts the library.
  GxeResultCode (*create_factory)(const GxeHostTable *host, GxeExtensionFactory *factory);
  /// Rust extensions: version of the crate `abi_stable` that made both layouts. Null in other
  /// languages.
  GxeCStr rust_layout_version;
  /// Rust extensions: `abi_stable` layout of the data types, which never change.
  const void *rust_data_layout;
  /// Rust extensions: `abi_stable` layout of this minor version's tables.
  const void *rust_table_layout;
  /// Must be zero.
  size_t reserved[8];
} GxeExtensionDescriptor;

/// `gxe::Trace`: records what an extension does outside its calls. A table of the host. Since ABI
/// 1.4.
typedef struct {
  /// The host's sizeof(GxeTraceTable).
  size_t size;
  /// Whether a trace of this graph is being recorded. Costs one load.
  bool (*is_on)(GxeContext *context);
  /// The trace's time: nanoseconds of `CLOCK_MONOTONIC`.
  int64_t (*now)(void);
  /// Records a span of time. The trace shows the tracks of a `group`, which names the feature,
  /// side by side. Spans of one track must not overlap, except that one contains the other. Does
  /// nothing if no trace is being recorded. `group`, `track` and `name` are copied; use few
  /// different ones, because a trace has limited room for them.
  void (*span)(GxeContext *context,
               GxeText group,
               GxeText track,
               GxeText name,
               int64_t begin,
               int64_t end);
} GxeTraceTable;

/// `gxe::TraceLinks`: records what goes over links to other graphs and processes, so that traces of
/// several processes become one. A table of the host. Since ABI 1.8.
typedef struct {
  /// The host's sizeof(GxeTraceLinkTable).
  size_t size;
  /// Records now that message `sequence` left, or has arrived. Both ends of a link give it the
  /// same number `link`, which no other link has. `track` names the end and is copied. Does
  /// nothing if no trace is being recorded.
  void (*passed)(GxeContext *context,
                 GxeText track,
                 uint64_t link,
                 uint64_t sequence,
                 bool has_arrived);
  /// Records that `CLOCK_MONOTONIC` of the other end is ahead of this one by `offset`
  /// nanoseconds, give or take `error`. Does nothing if no trace is being recorded.
  void (*clock)(GxeContext *context, GxeText track, uint64_t link, int64_t offset, uint64_t error);
} GxeTraceLinkTable;

/// `gxe::Devices`: which device an entity uses. A table of the host. Since ABI 1.6.
typedef struct {
  /// The host's sizeof(GxeDeviceTable).
  size_t size;
  /// Number of the CUDA device of an entity: that of the first GPUDevice in its group. -1 if the
  /// group has none.
  int32_t (*device_of)(GxeContext *context, GxeUid eid);
} GxeDeviceTable;

/// `gxe::PendingWork`: work outside the graph that changes what entities can do, and that no entity
/// waits for by itself, such as a device that is about to give memory back. While there is some, an
/// idle graph is not in a deadlock. A table of the host. Since ABI 1.7.
typedef struct {
  /// The host's sizeof(GxePendingWorkTable).
  size_t size;
  /// Work begins that matters to the graph of `context`, or, if that is null, to the graph that the
  /// calling thread executes. Null if there is no such graph, or it does not run.
  void *(*begin)(GxeContext *context);
  /// The work of a `begin` is over, and its effects are visible. Does not block; from any thread,
  /// once.
  void (*end)(void *work);
} GxePendingWorkTable;

/// `nvidia::gxf::Component`: functions common to all components.
typedef struct {
  /// The implementor's sizeof(GxeComponentVtable).
  size_t size;
  /// Stores the value of the parameter at `index`; a null `value` removes it. Called before
  /// `initialize` and, for a codelet, between two ticks. Null: the type has no parameters.
  GxeResultCode (*set_parameter)(void *object,
                                 const GxeComponentEnvironment *environment,
                                 size_t index,
                                 const GxeValue *value);
  /// Drops the parameter values that refer to other components, because those may refer back. The
  /// component is no longer part of a graph, but callers with a handle to it may still call it.
  /// Null: nothing to do.
  void (*clear_parameters)(void *object);
  /// Initialises the component. All parameters are set. Null: nothing to do.
  GxeResultCode (*initialize)(void *object, const GxeComponentEnvironment *environment);
  /// Undoes `initialize`. Null: nothing to do.
  GxeResultCode (*deinitialize)(void *object, const GxeComponentEnvironment *environment);
  /// Checks that the parameter values, which are all set, fit together; the error says what does
  /// not. Must change nothing. Called before any component of the graph is initialised, and by
  /// tools that never run the graph. Null: every combination is valid. Since ABI 1.3.
  GxeResultCode (*check_parameters)(void *object, const GxeComponentEnvironment *environment);
} GxeComponentVtable;

/// `nvidia::gxf::Codelet`: a component that does work.
typedef struct {
  /// The implementor's sizeof(GxeCodeletVtable).
  size_t size;
  /// Acquires what the ticks need. Null: nothing to do.
  GxeResultCode (*start)(void *object, const GxeTickInfo *info);
  /// Does one unit of work.
  GxeResultCode (*tick)(void *object, const GxeTickInfo *info);
  /// Releases what `start` acquired. Null: nothing to do.
  GxeResultCode (*stop)(void *object, const GxeTickInfo *info);
} GxeCodeletVtable;

/// `nvidia::gxf::Queue`: functions common to receivers and transmitters.
typedef struct {
  /// The implementor's sizeof(GxeQueueVtable).
  size_t size;
  /// Adds a message to the back stage. Consumes one reference to `message`.
  GxeResultCode (*push)(void *object, GxeMessage *message);
  /// Takes the oldest message from the main stage. The caller owns the reference.
  GxeResultCode (*pop)(void *object, GxeMessage **message);
  /// The message at a position of the main stage, with an added reference.
  GxeResultCode (*peek)(void *object, int32_t index, GxeMessage **message);
  /// Capacity of each stage, in messages.
  size_t (*capacity)(void *object);
  /// Messages in the main stage.
  size_t (*message_count)(void *object);
  /// Messages in the back stage.
  size_t (*back_count)(void *object);
  /// Moves the back stage to the main stage.
  GxeResultCode (*sync)(void *object);
} GxeQueueVtable;

/// `nvidia::gxf::Receiver`: receives messages. The component also has a Queue interface.
typedef struct {
  /// The implementor's sizeof(GxeReceiverVtable).
  size_t size;
  /// Takes the oldest message from the main stage. The caller owns the reference.
  /// `CONTRACT_MESSAGE_NOT_AVAILABLE` if there is none.
  GxeResultCode (*receive)(void *object, GxeMessage **message);
  /// The message at a position of the back stage, with an added reference.
  GxeResultCode (*peek_back)(void *object, int32_t index, GxeMessage **message);
  /// Reads from a network, before `sync`. Null: no network.
  GxeResultCode (*sync_io)(void *object);
  /// Blocks until a message arrives. Null: not supported.
  GxeResultCode (*wait)(void *object);
} GxeReceiverVtable;

/// `nvidia::gxf::Transmitter`: publishes messages. The component also has a Queue interface.
typedef struct {
  /// The implementor's sizeof(GxeTransmitterVtable).
  size_t size;
  /// Adds a message to the back stage. Consumes one reference to `message`.
  GxeResultCode (*publish_as_is)(void *object, GxeMessage *message);
  /// Writes to a network, after `sync`. Null: no network.
  GxeResultCode (*sync_io)(void *object);
} GxeTransmitterVtable;

/// `nvidia::gxf::SchedulingTerm`: decides when an entity can run.
typedef struct {
  /// The implementor's sizeof(GxeSchedulingTermVtable).
  size_t size;
  /// The condition at time `now`.
  GxeResultCode (*check)(void *object, int64_t now, GxeCondition *condition);
  /// Notes that the entity ticked at time `now`.
  GxeResultCode (*on_execute)(void *object, int64_t now);
  /// Called before each `check`. Null: nothing to do.
  GxeResultCode (*update_state)(void *object, int64_t now);
  /// Lists the receivers, transmitters and allocators whose events change the answer. Null: none.
  void (*watched)(void *object, GxeUidSink sink);
} GxeSchedulingTermVtable;

/// `nvidia::gxf::SchedulingTermCombiner`: combines several terms into one.
typedef struct {
  /// The implementor's sizeof(GxeSchedulingTermCombinerVtable).
  size_t size;
  /// The combined condition at time `now`.
  GxeResultCode (*check)(void *object, int64_t now, GxeCondition *condition);
  /// The terms that the combiner owns; the entity no longer checks them itself.
  void (*terms)(void *object, GxeUidSink sink);
} GxeSchedulingTermCombinerVtable;

/// `nvidia::gxf::BooleanSchedulingTerm`: a switch for other components.
typedef struct {
  /// The implementor's sizeof(GxeBooleanSchedulingTermVtable).
  size_t size;
  /// Lets the entity run (`true`), or ends it (`false`).
  GxeResultCode (*set_tick_enabled)(void *object, bool enabled);
  /// Whether the entity may run.
  bool (*is_tick_enabled)(void *object);
} GxeBooleanSchedulingTermVtable;

/// `nvidia::gxf::AsynchronousSchedulingTerm`: a state that other components set.
typedef struct {
  /// The implementor's sizeof(GxeAsynchronousSchedulingTermVtable).
  size_t size;
  /// Sets the state; `EVENT_DONE` and `EVENT_NEVER` wake the entity.
  GxeResultCode (*set_event_state)(void *object, GxeAsynchronousEventState state);
  /// The current state.
  GxeAsynchronousEventState (*event_state)(void *object);
} GxeAsynchronousSchedulingTermVtable;

/// `nvidia::gxf::TargetTimeSchedulingTerm`: a target time that other components set.
typedef struct {
  /// The implementor's sizeof(GxeTargetTimeSchedulingTermVtable).
  size_t size;
  /// Sets the time of the next execution, in nanoseconds of the term's clock.
  GxeResultCode (*set_next_target_time)(void *object, int64_t target);
} GxeTargetTimeSchedulingTermVtable;

/// `nvidia::gxf::BTSchedulingTerm`: functions for a node's parent in a behaviour tree.
typedef struct {
  /// The implementor's sizeof(GxeBtSchedulingTermVtable).
  size_t size;
  /// Sets the condition that the term answers: `READY` arms the node, `NEVER` ends it, anything
  /// else counts as `WAIT`. Cancels `wait_until` and `wait_for`.
  GxeResultCode (*set_condition)(void *object, GxeConditionType condition);
  /// Delays the node's next tick until `target` nanoseconds of the scheduler's clock.
  GxeResultCode (*wait_until)(void *object, int64_t target);
  /// Delays the node's next tick until the number of verdicts on the entity `eid` differs from
  /// `verdicts` (see GxeEntityState). After several calls in one tick, any of them
  /// suffices.
  GxeResultCode (*wait_for)(void *object, GxeUid eid, uint64_t verdicts);
} GxeBtSchedulingTermVtable;

/// `nvidia::gxf::Allocator`: allocates one kind of memory.
typedef struct {
  /// The implementor's sizeof(GxeAllocatorVtable).
  size_t size;
  /// Whether `size` bytes could be allocated now.
  bool (*is_available)(void *object, uint64_t size);
  /// Allocates `size` bytes.
  GxeResultCode (*allocate)(void *object,
                            uint64_t size,
                            GxeStorageType storage,
                            uint8_t **pointer);
  /// Frees memory; callable from any thread.
  GxeResultCode (*free)(void *object, uint8_t *pointer);
  /// Size of a block in bytes; 1 for allocators without blocks.
  uint64_t (*block_size)(void *object);
  /// Counters. Null: the allocator does not count. Since ABI 1.2.
  GxeAllocatorStatistics (*statistics)(void *object);
} GxeAllocatorVtable;

/// `nvidia::gxf::Clock`: the graph's source of time.
typedef struct {
  /// The implementor's sizeof(GxeClockVtable).
  size_t size;
  /// Time in nanoseconds.
  int64_t (*timestamp)(void *object);
  /// Blocks for `duration` nanoseconds of this clock.
  GxeResultCode (*sleep_for)(void *object, int64_t duration);
  /// Blocks until `target` nanoseconds of this clock.
  GxeResultCode (*sleep_until)(void *object, int64_t target);
  /// Nanoseconds of real time until `target`, so that a scheduler can wait for events in the
  /// meantime. Negative if the clock cannot know and only `sleep_until` works. Null: always
  /// negative.
  int64_t (*real_time_until)(void *object, int64_t target);
} GxeClockVtable;

/// `nvidia::gxf::RealtimeClock`: functions beyond those of a clock.
typedef struct {
  /// The implementor's sizeof(GxeRealtimeClockVtable).
  size_t size;
  /// Changes the speed of the clock, without a jump. `ARGUMENT_INVALID` unless positive and
  /// finite.
  GxeResultCode (*set_time_scale)(void *object, double scale);
} GxeRealtimeClockVtable;

/// `nvidia::gxf::SyntheticClock`: a clock that other components or programs move.
typedef struct {
  /// The implementor's sizeof(GxeSyntheticClockVtable).
  size_t size;
  /// Moves the clock to a time in nanoseconds and wakes the sleepers that are due.
  /// `ARGUMENT_INVALID` for a time in the past.
  GxeResultCode (*advance_to)(void *object, int64_t target);
  /// Moves the clock by a number of nanoseconds. `ARGUMENT_INVALID` for a negative one.
  GxeResultCode (*advance_by)(void *object, int64_t duration);
} GxeSyntheticClockVtable;

/// `nvidia::gxf::Vault`: passes messages from the graph to the program that runs it.
typedef struct {
  /// The implementor's sizeof(GxeVaultVtable).
  size_t size;
  /// Number of waiting messages.
  size_t (*waiting_count)(void *object);
  /// Takes the oldest waiting message. The caller owns the reference. Waits up to `timeout`
  /// nanoseconds of real time for one: 0 does not wait, a negative value waits for ever.
  /// `CONTRACT_MESSAGE_NOT_AVAILABLE` if none arrived or the graph ended.
  GxeResultCode (*take)(void *object, int64_t timeout, GxeMessage **message);
  /// Replaces the callback, which is called on the thread of each tick that brought messages,
  /// after it. Null: the vault has no callbacks. Since ABI 1.4.
  GxeResultCode (*set_callback)(void *object, GxeCallback callback);
} GxeVaultVtable;

/// `nvidia::gxf::Metric`: a measured value with limits.
typedef struct {
  /// The implementor's sizeof(GxeMetricVtable).
  size_t size;
  /// Adds a sample.
  GxeResultCode (*record)(void *object, double sample);
  /// Aggregate of the samples; `UNINITIALIZED_VALUE` before the first one.
  GxeResultCode (*aggregated_value)(void *object, double *value);
  /// Whether the aggregate is within the limits; `UNINITIALIZED_VALUE` before the first sample.
  GxeResultCode (*evaluate_success)(void *object, bool *success);
  /// Discards all samples.
  GxeResultCode (*reset)(void *object);
} GxeMetricVtable;

/// `nvidia::gxf::Router`: moves messages between entities.
typedef struct {
  /// The implementor's sizeof(GxeRouterVtable).
  size_t size;
  /// Adds the routes that an entity declares. Called before any component is initialised.
  GxeResultCode (*add_routes)(void *object, GxeUid eid);
  /// Removes an entity's routes.
  GxeResultCode (*remove_routes)(void *object, GxeUid eid);
  /// Called before an entity ticks.
  GxeResultCode (*sync_inbox)(void *object, GxeUid eid);
  /// Called after an entity ticked.
  GxeResultCode (*sync_outbox)(void *object, GxeUid eid);
} GxeRouterVtable;

/// `nvidia::gxf::NetworkContext`: links to other processes.
typedef struct {
  /// The implementor's sizeof(GxeNetworkContextVtable).
  size_t size;
  /// Prepares the network. Called before any route is added.
  GxeResultCode (*initialize_network)(void *object);
  /// Opens the links of an entity.
  GxeResultCode (*add_routes)(void *object, GxeUid eid);
  /// Closes the links of an entity.
  GxeResultCode (*remove_routes)(void *object, GxeUid eid);
} GxeNetworkContextVtable;

/// `nvidia::gxf::System`: runs alongside the entities.
typedef struct {
  /// The implementor's sizeof(GxeSystemVtable).
  size_t size;
  /// Called when an entity becomes active.
  GxeResultCode (*schedule)(void *object, GxeUid eid);
  /// Called before an entity is deactivated.
  GxeResultCode (*unschedule)(void *object, GxeUid eid);
  /// Starts running and returns.
  GxeResultCode (*run_async)(void *object);
  /// Asks the system to stop.
  GxeResultCode (*stop)(void *object);
  /// Blocks until the system has stopped.
  GxeResultCode (*wait)(void *object);
  /// Called when something happens to an entity.
  GxeResultCode (*event_notify)(void *object, GxeUid eid, GxeEvent event);
} GxeSystemVtable;

/// `nvidia::gxf::Scheduler`: a system that executes entities with GxeHostTable.entity_execute.
typedef struct {
  /// The implementor's sizeof(GxeSchedulerVtable).
  size_t size;
  /// Called once after activation, before `run_async`. Null: nothing to do.
  GxeResultCode (*prepare)(void *object);
} GxeSchedulerVtable;

/// `nvidia::gxf::Controller`: decides what the result of a tick means.
typedef struct {
  /// The implementor's sizeof(GxeControllerVtable).
  size_t size;
  /// Judges the tick of an entity.
  GxeControllerStatus (*control)(void *object, GxeUid eid, GxeResultCode code);
} GxeControllerVtable;

/// `nvidia::gxf::Monitor`: observes every execution.
typedef struct {
  /// The implementor's sizeof(GxeMonitorVtable).
  size_t size;
  /// Called after an entity was executed at `timestamp`: started, found not ready, or ticked.
  GxeResultCode (*on_execute)(void *object, GxeUid eid, int64_t timestamp, GxeResultCode code);
} GxeMonitorVtable;

/// `nvidia::gxf::Endpoint`: a stream of bytes.
typedef struct {
  /// The implementor's sizeof(GxeEndpointVtable).
  size_t size;
  /// Whether writing is possible.
  bool (*is_write_available)(void *object);
  /// Whether reading is possible.
  bool (*is_read_available)(void *object);
  /// Writes up to `size` bytes.
  GxeResultCode (*write)(void *object, const uint8_t *data, size_t size, size_t *written);
  /// Reads up to `size` bytes.
  GxeResultCode (*read)(void *object, uint8_t *data, size_t size, size_t *read);
  /// Writes memory of any storage type without copying it. Null: not supported.
  GxeResultCode (*write_pointer)(void *object,
                                 const uint8_t *data,
                                 size_t size,
                                 GxeStorageType storage);
} GxeEndpointVtable;

/// `nvidia::gxf::File`: functions beyond reading and writing. Since ABI 1.2.
typedef struct {
  /// The implementor's sizeof(GxeFileVtable).
  size_t size;
  /// Opens a file with a mode of C's `fopen`. A text without data means the value of the
  /// component's parameter. `INVALID_LIFECYCLE_STAGE` if a file is already open.
  GxeResultCode (*open)(void *object, GxeText path, GxeText mode);
  /// Closes the file. `INVALID_LIFECYCLE_STAGE` if none is open.
  GxeResultCode (*close)(void *object);
  /// Passes buffered writes to the operating system.
  GxeResultCode (*flush)(void *object);
  /// Moves the position by `offset` bytes from the start (`whence` 0), the position (1) or the
  /// end (2), and clears the end-of-file state.
  GxeResultCode (*seek)(void *object, int64_t offset, int32_t whence);
  /// The position in bytes from the start.
  GxeResultCode (*tell)(void *object, uint64_t *position);
  /// Clears the end-of-file and error states.
  GxeResultCode (*clear)(void *object);
  /// Whether a file is open.
  bool (*is_open)(void *object);
  /// Whether a read reached the end of the file.
  bool (*is_at_end)(void *object);
  /// Whether an operation failed since the file was opened.
  bool (*has_failed)(void *object);
} GxeFileVtable;

/// How to release and share a piece of memory: one constant table for each kind of owner.
///
/// All functions may be called from any thread, even after the end of the graph that allocated the
/// memory.
typedef struct {
  /// The implementor's sizeof(GxeMemoryOwnerVtable).
  size_t size;
  /// Ends one ownership; the last one frees the memory. `words` points to the buffer's three
  /// words; `pointer` and `size` are the buffer's. The buffer must not be used afterwards. On
  /// failure the memory leaks, which deserves a log line.
  GxeResultCode (*release)(void *const *words, uint8_t *pointer, uint64_t size);
  /// Adds an owner: from now on a copy of the buffer owns the memory, too, whichever part of it
  /// the copy's `pointer` and `size` cover. Null: the memory has one owner; to share it, move the
  /// buffer into an owner that supports sharing.
  void (*retain)(void *const *words);
  /// Number of ownerships. Null if and only if `retain` is null.
  uint32_t (*owner_count)(void *const *words);
} GxeMemoryOwnerVtable;

/// A piece of memory and the means to release it. All zero: no memory.
///
/// The holder of the structure owns the memory. Move the structure; copy it only as
/// GxeMemoryOwnerVtable.retain allows. GxeMemoryOwnerVtable.release ends the ownership.
typedef struct {
  /// First byte; null if `size` is 0 and there is no memory.
  uint8_t *pointer;
  /// Size in bytes.
  uint64_t size;
  /// Kind of memory.
  GxeStorageType storage_type;
  /// Any of GXE_MEMORY_READ_ONLY, GXE_MEMORY_RECORDED_ON_DEVICE.
  uint32_t flags;
  /// How to release the memory. Null: never; the memory lives for ever.
  const GxeMemoryOwnerVtable *owner;
  /// Data for the functions of `owner`. For memory from an allocator: the allocator's object, its
  /// GxeAllocatorVtable, and the `owner` of its GxeInterfaceRef, which keeps it
  /// alive.
  void *words[3];
} GxeMemoryBuffer;

/// `nvidia::gxf::SerializationBuffer`: functions beyond reading and writing. Since ABI 1.2.
typedef struct {
  /// The implementor's sizeof(GxeSerializationBufferVtable).
  size_t size;
  /// Allocates new memory from the component's allocator; the buffer is then empty.
  GxeResultCode (*resize)(void *object, uint64_t size, GxeStorageType storage);
  /// Takes ownership of memory; the buffer is then empty.
  GxeResultCode (*wrap)(void *object, GxeMemoryBuffer memory);
  /// Discards what was written.
  GxeResultCode (*reset)(void *object);
  /// Address of the first byte, valid until `resize` or `wrap`; null if the buffer has no memory.
  const uint8_t *(*data)(void *object);
  /// Size of the memory in bytes.
  uint64_t (*capacity)(void *object);
  /// Number of bytes written.
  uint64_t (*written)(void *object);
  /// Kind of memory.
  GxeStorageType (*storage_type)(void *object);
} GxeSerializationBufferVtable;

/// An endpoint for a serializer, valid during the call.
typedef struct {
  /// First argument of the table's functions.
  void *object;
  /// The endpoint's functions.
  const GxeEndpointVtable *vtable;
} GxeEndpointRef;

/// `nvidia::gxf::ComponentSerializer`: converts payloads to bytes and back.
typedef struct {
  /// The implementor's sizeof(GxeComponentSerializerVtable).
  size_t size;
  /// Whether the serializer supports payloads of this type.
  bool (*is_supported)(void *object, GxeTid tid);
  /// Writes the payload at `data`.
  GxeResultCode (*serialize)(void *object,
                             GxeTid tid,
                             void *data,
                             GxeEndpointRef endpoint,
                             uint64_t *size);
  /// Reads into the payload at `data`, which is already constructed.
  GxeResultCode (*deserialize)(void *object, GxeTid tid, void *data, GxeEndpointRef endpoint);
} GxeComponentSerializerVtable;

/// `nvidia::gxf::EntitySerializer`: converts messages to bytes and back.
typedef struct {
  /// The implementor's sizeof(GxeEntitySerializerVtable).
  size_t size;
  /// Writes a message; does not consume a reference.
  GxeResultCode (*serialize)(void *object,
                             GxeMessage *message,
                             GxeEndpointRef endpoint,
                             uint64_t *size);
  /// Reads into an empty message; does not consume a reference.
  GxeResultCode (*deserialize)(void *object, GxeMessage *message, GxeEndpointRef endpoint);
} GxeEntitySerializerVtable;

/// A service that an GxeIpcServerVtable offers.
typedef struct {
  /// First argument of `handle`.
  void *user;
  /// Answers a request for `resource` (and, for an action, its `payload`) on `answer`.
  GxeResultCode (*handle)(void *user, GxeText resource, GxeText payload, GxeTextSink answer);
} GxeIpcService;

/// `nvidia::gxf::IPCServer`: offers services to other processes.
typedef struct {
  /// The implementor's sizeof(GxeIpcServerVtable).
  size_t size;
  /// Offers a service. `is_action`: the service takes a payload and changes something.
  GxeResultCode (*register_service)(void *object,
                                    GxeText name,
                                    bool is_action,
                                    GxeIpcService service);
} GxeIpcServerVtable;

/// `nvidia::gxf::IPCClient`: calls services of other processes.
typedef struct {
  /// The implementor's sizeof(GxeIpcClientVtable).
  size_t size;
  /// Queries a service for a resource.
  GxeResultCode (*query)(void *object, GxeText service, GxeText resource, GxeTextSink answer);
  /// Sends a payload to a service.
  GxeResultCode (*action)(void *object,
                          GxeText service,
                          GxeText resource,
                          GxeText payload,
                          GxeTextSink answer);
  /// Asks whether a service answers. Null: not supported. Since ABI 1.4.
  GxeResultCode (*ping)(void *object, GxeText service, GxeTextSink answer);
  /// Sends the following requests to another address. Null: not supported. Since ABI 1.4.
  GxeResultCode (*change_address)(void *object, GxeText ip, uint32_t port);
} GxeIpcClientVtable;

/// `gxe::Completion`: something that will be done at a time the graph does not decide, such as work
/// on a device or a network transfer. Any component type may implement it. Since ABI 1.4.
typedef struct {
  /// The implementor's sizeof(GxeCompletionVtable).
  size_t size;
  /// Whether it is done. An error means that it is done and failed.
  GxeResultCode (*poll)(void *object, bool *done);
  /// Takes a reference to a token and uses it once when the work is done or has failed: from any
  /// thread, before this function returns if the work is done already. If that time never comes,
  /// the implementor releases the reference instead. On an error, too, the reference is consumed.
  GxeResultCode (*notify)(void *object, GxeWakeToken *token);
} GxeCompletionVtable;

/// `gxe::Link`: a receiver or transmitter whose other end is in another graph, process or host.
/// While it opens, its entity does not tick; while it is open, terms that wait for it are awaited,
/// so the graph is not in a deadlock. Since ABI 1.5.
typedef struct {
  /// The implementor's sizeof(GxeLinkVtable).
  size_t size;
  /// The state. The implementor notifies the entity of every change.
  GxeLinkState (*state)(void *object);
  /// Messages that a transmitter could send now, and the receiver at the other end has room for.
  /// The implementor notifies the entity when it grows from 0. Of no meaning for a receiver.
  uint64_t (*room)(void *object);
  /// Sends a message that a transmitter of this entity published; consumes the reference. Does not
  /// block: what cannot be sent now waits, within the transmitter's capacity and by its policy.
  /// `NOT_IMPLEMENTED` for a receiver.
  GxeResultCode (*send)(void *object, GxeMessage *message);
  /// The entity has ended regularly: it publishes or takes nothing more. What was published is
  /// still sent, then the link ends. Does not block.
  GxeResultCode (*finish)(void *object);
  /// What went over the link so far.
  GxeResultCode (*statistics)(void *object, GxeLinkStatistics *statistics);
  /// The other end for people: its name and address, as far as they are known.
  GxeResultCode (*peer)(void *object, GxeTextSink answer);
} GxeLinkVtable;

/// `gxe::CountedLink`: a link that says what it has sent or taken, so that others can see whether
/// anything is on its way. Since ABI 1.10.
typedef struct {
  /// The implementor's sizeof(GxeCountedLinkVtable).
  size_t size;
  /// What this end has counted. What it counts as arrived, the entity has been notified of.
  GxeResultCode (*counts)(void *object, GxeLinkCounts *counts);
} GxeCountedLinkVtable;

/// `gxe::DeviceQueue`: a queue of a device's work, such as the streams of a pool. Under the actor
/// scheduler, entities that submit to it share a thread of the device's kind. Any component type may
/// implement it. Since ABI 1.11.
typedef struct {
  /// The implementor's sizeof(GxeDeviceQueueVtable).
  size_t size;
  /// The kind of the device in lower case, such as `cuda`. Always the same, also before
  /// `initialize`.
  GxeResultCode (*device)(void *object, GxeTextSink answer);
  /// Called once by each thread that submits to it in a run, before anything else there.
  GxeResultCode (*begin_thread)(void *object);
} GxeDeviceQueueVtable;

/// `gxe::EndOfInputs`: a component that hears when nothing more comes to its entity. Under schedulers
/// that know it: the actor scheduler does. Any component type may implement it. Since ABI 1.11.
typedef struct {
  /// The implementor's sizeof(GxeEndOfInputsVtable).
  size_t size;
  /// The receivers of the entity get no more messages; those that they have stay there. Called once
  /// in a run, between two executions. Terms are asked again afterwards.
  GxeResultCode (*inputs_ended)(void *object);
} GxeEndOfInputsVtable;

/// `gxe::VariableMemory`: an allocator of one block, which keeps its value between acts and runs.
/// Since ABI 1.11.
typedef struct {
  /// The implementor's sizeof(GxeVariableMemoryVtable).
  size_t size;
  /// Uses this memory from now on, with the value in it; consumes the reference.
  GxeResultCode (*bind)(void *object, GxeMemoryBuffer memory);
} GxeVariableMemoryVtable;

/// `gxe::EventLoop`: a network context whose event loop a thread of the scheduler runs while it has
/// nothing else to do, so that what arrives need not wake two threads. The scheduler finds the
/// context's own thread in the loop, or calls `wait` and `work` in turns between `enter` and
/// `leave`, all on one thread. Since ABI 1.11.
typedef struct {
  /// The implementor's sizeof(GxeEventLoopVtable).
  size_t size;
  /// Takes the loop over from the context's own thread. Does not block. False if that thread is
  /// in it, or is needed: it goes on.
  bool (*enter)(void *object);
  /// Sleeps until there is work, until `wake` is called, or for so many nanoseconds; without
  /// limit if the number is negative. May return early.
  GxeResultCode (*wait)(void *object, int64_t nanoseconds);
  /// Does what there is to do, without blocking. Returns whether the loop can stay with this
  /// thread.
  bool (*work)(void *object);
  /// Gives the loop back.
  GxeResultCode (*leave)(void *object);
  /// Makes the current call of `wait` return, or the next one; from any thread.
  GxeResultCode (*wake)(void *object);
} GxeEventLoopVtable;

/// A payload type that goes through a port. Since ABI 1.4.
typedef struct {
  /// Key of the parameter, a handle, whose queues are the port. Null: the component itself, a
  /// queue.
  GxeCStr parameter;
  /// Id of the payload type; null if `type_name` identifies it.
  GxeTid tid;
  /// Full name of the payload type; may be null if there is an id.
  GxeCStr type_name;
} GxePortType;

/// `gxe::PortTypes`: which payloads go through the ports of a type. Data without functions. Since
/// ABI 1.4.
typedef struct {
  /// The implementor's sizeof(GxePortTypes).
  size_t size;
  /// An entry for each port and payload type.
  const GxePortType *ports;
  /// Number of entries.
  size_t port_count;
} GxePortTypes;

/// Type of a tensor's elements (`nvidia::gxf::PrimitiveType`, with its numbers).
typedef int32_t GxePrimitiveType;
/// A private agreement between sender and receiver; the tensor states the size.
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
/// The upper half of a binary32. Not a GXF type, so its number is far from GXF's.
#define GxePrimitiveType_BFLOAT16 256

/// Dimensions of a tensor (`nvidia::gxf::Shape`).
typedef struct {
  /// Number of dimensions, up to GXE_MAX_RANK.
  uint32_t rank;
  /// Length of each dimension, outermost first; 1 beyond the rank.
  int32_t dimensions[GXE_MAX_RANK];
} GxeShape;

/// An array of up to eight dimensions (`nvidia::gxf::Tensor`). All zero: no elements.
typedef struct {
  /// Type of the elements.
  GxePrimitiveType element_type;
  /// Rank and lengths.
  GxeShape shape;
  /// 0, or 1 plus the storage type in the recording, for a tensor that was read from a recording
  /// and lies elsewhere because this machine has no such memory. A recorder writes that type
  /// again.
  uint32_t recorded_storage;
  /// Size of an element in bytes.
  uint64_t bytes_per_element;
  /// Distance between neighbouring elements of a dimension in bytes; 0 beyond the rank.
  uint64_t strides[GXE_MAX_RANK];
  /// The elements. `pointer` refers to the first one.
  GxeMemoryBuffer memory;
} GxeTensor;

/// One clock's time in a GxeMultiSourceTimestamp.
typedef struct {
  /// The time.
  GxeTimestamp timestamp;
  /// The clock: 0 the machine's counter (TSC), 1 NTP, 2 PTP.
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

/// Pixel format of a frame (`nvidia::gxf::VideoFormat`, with its numbers).
///
/// `ER`: full value range. `709`: ITU-R BT.709 instead of BT.601. A `D` after an underscore or a
/// digit: depth. Names with underscores have one plane for each channel.
typedef int64_t GxeVideoFormat;
/// A private agreement between sender and receiver.
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
/// 8 bits each, in the order of the name; so are the six formats that follow.
#define GxeVideoFormat_BGRA 10
/// 8 bits each, in the order of the name.
#define GxeVideoFormat_ARGB 11
/// 8 bits each, in the order of the name.
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
/// Raw data of a sensor with a Bayer filter of this order.
#define GxeVideoFormat_RAW16_RGGB 43
/// As `RAW16_RGGB`, in another order.
#define GxeVideoFormat_RAW16_BGGR 44
/// As `RAW16_RGGB`, in another order.
#define GxeVideoFormat_RAW16_GRBG 45
/// As `RAW16_RGGB`, in another order.
#define GxeVideoFormat_RAW16_GBRG 46

/// Order of a frame's rows in memory (`nvidia::gxf::SurfaceLayout`).
typedef int32_t GxeSurfaceLayout;
/// Not specified.
#define GxeSurfaceLayout_INVALID 0
/// Rows, a stride apart.
#define GxeSurfaceLayout_PITCH_LINEAR 1
/// Blocks, in a layout that only a device understands.
#define GxeSurfaceLayout_BLOCK_LINEAR 2

/// One plane of a video frame (`nvidia::gxf::ColorPlane`).
typedef struct {
  /// Content of the plane, such as `Y` or `RGBA`: UTF-8 with a zero byte at the end.
  char color_space[GXE_COLOR_SPACE_SIZE];
  /// Size of the plane in bytes.
  uint64_t size;
  /// Distance between rows in bytes.
  uint32_t stride;
  /// Distance from the frame's first byte to the plane's first byte, in bytes.
  uint32_t offset;
  /// Pixels in a row.
  uint32_t width;
  /// Rows.
  uint32_t height;
  /// Size of a pixel in bytes.
  uint8_t bytes_per_pixel;
  /// Padding, 0.
  uint8_t reserved[7];
} GxeColorPlane;

/// Description of a video frame (`nvidia::gxf::VideoBufferInfo`).
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
  /// Description of the frame.
  GxeVideoBufferInfo info;
  /// The planes.
  GxeMemoryBuffer memory;
} GxeVideoBuffer;

/// Format of an audio sample (`nvidia::gxf::AudioFormat`).
typedef int32_t GxeAudioFormat;
/// A private agreement between sender and receiver.
#define GxeAudioFormat_CUSTOM 0
/// 16 bits, signed, little endian.
#define GxeAudioFormat_S16LE 1
/// A binary32, little endian.
#define GxeAudioFormat_F32LE 2

/// Order of samples from several channels (`nvidia::gxf::AudioLayout`).
typedef int32_t GxeAudioLayout;
/// A private agreement between sender and receiver.
#define GxeAudioLayout_CUSTOM 0
/// One sample of each channel in turn.
#define GxeAudioLayout_INTERLEAVED 1
/// All samples of a channel, then all of the next.
#define GxeAudioLayout_NON_INTERLEAVED 2

/// Description of a piece of audio (`nvidia::gxf::AudioBufferInfo`).
typedef struct {
  /// Number of channels.
  uint32_t channels;
  /// Number of samples for each channel.
  uint32_t samples;
  /// Sampling rate in Hz.
  uint32_t sampling_rate;
  /// Size of a sample in bytes.
  uint32_t bytes_per_sample;
  /// Format of a sample.
  GxeAudioFormat audio_format;
  /// Order of the samples.
  GxeAudioLayout audio_layout;
} GxeAudioBufferInfo;

/// A piece of audio (`nvidia::gxf::AudioBuffer`). All zero: no audio.
typedef struct {
  /// Description of the audio.
  GxeAudioBufferInfo info;
  /// The samples.
  GxeMemoryBuffer memory;
} GxeAudioBuffer;

/// Model of the lens distortion (`nvidia::gxf::DistortionType`).
typedef int32_t GxeDistortionType;
/// No distortion.
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
  /// Point where the optical axis meets the image, in pixels.
  float principal_point[2];
  /// Skew of the axes.
  float skew_value;
  /// Model of the lens distortion.
  GxeDistortionType distortion_type;
  /// Coefficients of the distortion.
  float distortion_coefficients[8];
} GxeCameraModel;

/// A position and orientation in space. Same layout as `nvidia::gxf::Pose3D`.
typedef struct {
  /// Rotation matrix, row by row.
  float rotation[9];
  /// Translation, in a unit that sender and receiver agree on.
  float translation[3];
} GxePose3D;

/// A point in the work of a stream, which the device reaches some time (`gxe::CudaFence`). All zero:
/// a point that is reached.
///
/// The holder owns one reference to `owner`.
typedef struct {
  /// The driver's event, recorded at that point.
  void *event;
  /// The driver's stream that it was recorded on.
  void *stream;
  /// Number of the device.
  int32_t device;
  /// Since ABI 1.12: the number of a piece of work that may be held back, and with it the event. Before
  /// the event is used, GxeDeviceChainTable.let_go must have been called with it. 0 for none.
  uint32_t reserved;
  /// Grows with each fence of a stream.
  uint64_t sequence;
  /// Keeps the event alive.
  void *owner;
  /// Adds a reference to `owner`. From any thread.
  void (*retain)(void *owner);
  /// Releases a reference to `owner`. From any thread, but not from a host function of the driver.
  void (*release)(void *owner);
} GxeCudaFence;

/// The stream that the data of a message is written on (`nvidia::gxf::CudaStreamId`).
typedef struct {
  /// Id of the component, a CudaStream; 0 for none.
  GxeUid stream_cid;
} GxeCudaStreamId;

/// An event that a message carries (`nvidia::gxf::CudaEvent`). All zero: none.
typedef struct {
  /// The driver's event.
  void *event;
  /// Number of the device; -1 if unknown.
  int32_t device;
  /// Must be zero.
  uint32_t reserved;
  /// Frees the event; `call` and `release` are called once, in this order. All zero: nobody does.
  GxeCallback free;
} GxeCudaEvent;

/// Memory on a device that becomes valid some time (`nvidia::gxf::CudaBuffer`). All zero: unset.
typedef struct {
  /// The memory.
  GxeMemoryBuffer memory;
  /// When it is valid.
  GxeCudaFence fence;
  /// The stream that writes it, a CudaStream; 0 for none.
  GxeUid stream_cid;
  /// 0 unset, 1 somebody waits for it, 2 the data is available.
  uint32_t state;
  /// Must be zero.
  uint32_t reserved;
} GxeCudaBuffer;

/// Receives the uses of a piece of memory.
typedef struct {
  /// First argument of `add`.
  void *user;
  /// Called for each use; the fence is valid during the call and stays with its owner.
  void (*add)(void *user, const GxeCudaFence *fence, bool is_write);
} GxeCudaUseSink;

/// How to release memory that streams use: a GxeMemoryOwnerVtable with more functions behind it.
/// Its `base.size` is the size of this structure, and `id` is `DEVICE_MEMORY_OWNER`.
///
/// Releasing the last ownership does not wait: the memory returns to its allocator once the device
/// has reached all the uses that were noted.
typedef struct {
  /// The functions of every owner.
  GxeMemoryOwnerVtable base;
  /// `DEVICE_MEMORY_OWNER`.
  GxeTid id;
  /// Notes that work up to `fence` uses the memory. Takes the fence over. Whoever enqueues work
  /// that writes must have made its stream wait for all uses, one that reads for the last write.
  void (*note_use)(void *const *words, GxeCudaFence fence, bool is_write);
  /// Lists the uses that the device may not have reached.
  void (*uses)(void *const *words, GxeCudaUseSink sink);
} GxeDeviceMemoryOwnerVtable;

/// `nvidia::gxf::CudaStream`: a stream of a device.
typedef struct {
  /// The implementor's sizeof(GxeCudaStreamVtable).
  size_t size;
  /// The driver's stream, which lives as long as the component; null while its pool is not active.
  void *(*stream)(void *object);
  /// Number of the device; -1 if there is no stream.
  int32_t (*device)(void *object);
  /// Blocks until the device has done all work of the stream.
  GxeResultCode (*synchronize)(void *object);
  /// Records `event`, an event of the driver, unless that is null, and calls back once the device
  /// has reached this point, from a thread that may use CUDA.
  GxeResultCode (*record)(void *object, void *event, GxeCallback callback);
  /// Blocks until all callbacks of `record` are done.
  GxeResultCode (*reset_events)(void *object);
} GxeCudaStreamVtable;

/// `nvidia::gxf::CudaStreamPool`: streams for codelets. The component also has an Allocator
/// interface.
typedef struct {
  /// The implementor's sizeof(GxeCudaStreamPoolVtable).
  size_t size;
  /// Takes a stream from the pool: the id of a CudaStream. `EXCEEDING_PREALLOCATED_SIZE` beyond
  /// the pool's limit.
  GxeResultCode (*allocate_stream)(void *object, GxeUid *cid);
  /// Gives a stream back. Its work goes on; the next user's work comes after it.
  GxeResultCode (*release_stream)(void *object, GxeUid cid);
} GxeCudaStreamPoolVtable;

/// `nvidia::gxf::CudaAllocator`: memory in the order of a stream. The component also has an
/// Allocator interface. Types of any base may implement it.
typedef struct {
  /// The implementor's sizeof(GxeCudaAllocatorVtable).
  size_t size;
  /// Allocates `size` bytes for work that is enqueued on `stream`, a stream of the driver, from
  /// now on.
  GxeResultCode (*allocate_async)(void *object,
                                  uint64_t size,
                                  GxeStorageType storage,
                                  void *stream,
                                  uint8_t **pointer);
  /// Frees memory after the work that is enqueued on `stream` so far. Callable from any thread.
  GxeResultCode (*free_async)(void *object, uint8_t *pointer, void *stream);
  /// Bytes that the allocator holds of this kind of memory, in use or not.
  uint64_t (*pool_size)(void *object, GxeStorageType storage);
  /// Number of the device.
  int32_t (*device)(void *object);
} GxeCudaAllocatorVtable;

/// The StreamSync that orders the work on the data of a message (`nvidia::gxf::StreamSyncId`). Since
/// ABI 1.7.
typedef struct {
  /// Id of the component, a StreamSync; 0 for none.
  GxeUid stream_sync_cid;
} GxeStreamSyncId;

/// `nvidia::gxf::StreamSync`: orders the work of one stream after that of another, on the devices.
/// Since ABI 1.7.
typedef struct {
  /// The implementor's sizeof(GxeStreamSyncVtable).
  size_t size;
  /// Marks the end of the work that is on `stream`, one of the driver's, so far.
  GxeResultCode (*signal)(void *object, void *stream);
  /// Makes the following work of `stream`, one of the driver's, wait for the last mark.
  /// `INVALID_EXECUTION_SEQUENCE` before the first.
  GxeResultCode (*wait)(void *object, void *stream);
} GxeStreamSyncVtable;

/// `gxe::Cuda`: memory and fences of devices, for extensions that are not written in Rust. A table of
/// the host. Since ABI 1.7. Streams are named by their component, a CudaStream.
typedef struct {
  /// The host's sizeof(GxeCudaTable).
  size_t size;
  /// Allocates memory of an allocator for work on a stream. It knows its uses, and returns in the
  /// order of the work when its last owner is released. If `*stream` is 0, the stream comes from
  /// `pool`, a CudaStreamPool, and returns with the memory; `*stream` becomes its id. Since ABI 1.13,
  /// both may be 0: any stream may use the memory at once, and it returns behind all noted uses.
  GxeResultCode (*allocate)(GxeContext *context,
                            GxeUid allocator,
                            uint64_t size,
                            GxeStorageType storage,
                            GxeUid pool,
                            GxeUid *stream,
                            GxeMemoryBuffer *memory);
  /// Takes the stream of a pool from memory of `allocate`. The caller gives it back to the pool.
  /// `FAILURE` if the memory has none.
  GxeResultCode (*take_stream)(const GxeMemoryBuffer *memory);
  /// Marks this point in the work of a stream.
  GxeResultCode (*record)(GxeContext *context, GxeUid stream, GxeCudaFence *fence);
  /// Makes the following work of a stream wait, on the device, for a point.
  GxeResultCode (*wait)(GxeContext *context, GxeUid stream, const GxeCudaFence *fence);
  /// Whether the device has reached a point.
  GxeResultCode (*is_done)(const GxeCudaFence *fence, bool *done);
  /// Calls back once the device has reached a point, or has failed: at once if it has, otherwise
  /// from a thread that may use CUDA.
  GxeResultCode (*when_done)(const GxeCudaFence *fence, GxeCallback callback);
  /// Makes the following work of a stream wait for the uses of memory that it must come after: for
  /// reading the last write, for writing all. Memory that does not know its uses has none.
  GxeResultCode (*before_use)(GxeContext *context,
                              GxeUid stream,
                              const GxeMemoryBuffer *memory,
                              bool is_write);
  /// Tells memory that the work of a stream up to a point uses it. The caller keeps memory that does
  /// not know its uses alive.
  GxeResultCode (*after_use)(const GxeMemoryBuffer *memory,
                             const GxeCudaFence *fence,
                             bool is_write);
} GxeCudaTable;

/// A piece of work that a device has done. Since ABI 1.9.
typedef struct {
  /// Tells the streams of a device apart.
  uint64_t stream;
  /// Number of the device.
  int32_t device;
  /// Must be zero.
  uint32_t reserved;
  /// When the device began: nanoseconds of `CLOCK_MONOTONIC`.
  int64_t begin;
  /// When it had done the work.
  int64_t end;
  /// Waits for other streams that the device came to since the last work of the stream.
  uint64_t waits;
  /// Bytes copied to the device.
  uint64_t to_device;
  /// Bytes copied to the host.
  uint64_t to_host;
  /// Bytes copied within or between devices.
  uint64_t between;
} GxeDeviceWork;

/// `gxe::DeviceWork`: what graphs want to know about the work of devices. A table of the host. Since
/// ABI 1.9.
typedef struct {
  /// The host's sizeof(GxeDeviceWorkTable).
  size_t size;
  /// The calling thread begins to enqueue a piece of work. Null if the graph that it executes
  /// neither has statistics nor records a trace.
  void *(*begin)(void);
  /// A device has done the work of a `begin`. Null for `work` if nothing is known about it. From any
  /// thread, once.
  void (*end)(void *watch, const GxeDeviceWork *work);
  /// Whether the graph that the calling thread executes wants each piece of work to be done before
  /// the call that enqueues it returns, so that an error appears there.
  bool (*is_synchronous)(void);
} GxeDeviceWorkTable;

/// `gxe::DeviceTicks`: how far entities run ahead of devices. A table of the host. Since ABI 1.14.
typedef struct {
  /// The host's sizeof(GxeDeviceTickTable).
  size_t size;
  /// The calling thread's tick has enqueued work on a stream of the driver, up to the fence. Once as
  /// many ticks of an entity as the host allows have work that the device has not done, the entity
  /// does not tick.
  void (*enqueued)(void *stream, const GxeCudaFence *fence);
} GxeDeviceTickTable;

/// `gxe::DeviceGraphs`: work that becomes CUDA graphs. A table of the host. Since ABI 1.10.
typedef struct {
  /// The host's sizeof(GxeDeviceGraphTable).
  size_t size;
  /// Whether the piece of work that the calling thread begins may be launched as a CUDA graph: the
  /// run asks for graphs, and the codelet that the thread ticks is GXE_TYPE_CAPTURABLE.
  bool (*is_wanted)(void);
  /// The calling thread launched a piece of work as a CUDA graph of so many operations. `is_new`:
  /// the graph was captured for it.
  void (*launched)(uint64_t operations, bool is_new);
  /// The calling thread enqueued a piece of work operation by operation. `reason` says why, and
  /// that this will not change; empty: a graph may follow.
  void (*ordinary)(GxeText reason);
} GxeDeviceGraphTable;

/// The operations of a piece of work, as a value that any thread may use. Since ABI 1.12.
typedef struct {
  /// First argument of the functions.
  void *user;
  /// Number of operations.
  uint64_t operations;
  /// Enqueues the operations on a stream, whose device's context is current. Calls nothing of the
  /// host but to report an error.
  GxeResultCode (*enqueue)(void *user, void *stream);
  /// Whether another piece with the same function does the same.
  bool (*equals)(void *user, void *other);
  /// Called once, after all other calls.
  void (*release)(void *user);
} GxeCudaPiece;

/// `gxe::DeviceChains`: pieces of work of several entities on one stream that become one launch. A
/// piece may be held back beyond its tick if all messages of its entity go to entities whose codelets
/// are GXE_TYPE_CAPTURABLE. A table of the host. Since ABI 1.12.
typedef struct {
  /// The host's sizeof(GxeDeviceChainTable).
  size_t size;
  /// Launches a piece of work that the calling thread's tick made, behind what is held back of its
  /// stream, or holds it back, too: `number` is then not 0. `held` is called once when a piece that
  /// was held back is with the driver, in its device's context and before anybody hears of it; it
  /// uses none of this table's functions. It is released soon afterwards, and must not be called or kept if
  /// the piece was not held back: the caller still has it then. Its function is null if the piece
  /// cannot be held back. `is_foreign`: the stream may end at any time after the call.
  GxeResultCode (*launch)(void *stream,
                          int32_t device,
                          bool is_foreign,
                          GxeCudaPiece piece,
                          GxeCallback held,
                          uint32_t *number);
  /// Launches what is held back of a stream, if this piece is among it; 0 stands for any piece.
  /// `reason` says why that could not wait.
  GxeResultCode (*let_go)(void *stream, uint32_t number, GxeText reason);
  /// Calls back soon after a piece that is held back was launched. False if it is not held back: the
  /// caller still has the callback then.
  bool (*after)(void *stream, uint32_t number, GxeCallback callback);
  /// Launches all that is held back.
  void (*let_all_go)(GxeText reason);
} GxeDeviceChainTable;

/// Memory that a kernel uses. Since ABI 1.11.
typedef struct {
  /// The memory. Nobody else may use this value during the call.
  GxeMemoryBuffer *memory;
  /// Whether the kernel writes it, and perhaps reads it.
  bool is_write;
} GxeKernelUse;

/// A kernel and its arguments. Since ABI 1.11.
typedef struct {
  /// PTX text, which the driver compiles when a device needs it first. It must stay in place until
  /// the process ends, as must `name`.
  GxeText ptx;
  /// The kernel's name in the text. It has one parameter.
  GxeText name;
  /// Blocks in each dimension; if one is 0, nothing is launched.
  uint32_t blocks[3];
  /// Threads of a block in each dimension.
  uint32_t threads[3];
  /// Memory that the threads of a block share, beside what the kernel itself declares.
  uint32_t shared_bytes;
  /// Must be zero.
  uint32_t reserved;
  /// The kernel's parameter. All its bytes must have values.
  const void *arguments;
  /// Bytes of the parameter.
  size_t arguments_size;
  /// The memory that the kernel uses, each piece once.
  const GxeKernelUse *uses;
  /// Number of `uses`.
  size_t use_count;
} GxeKernelLaunch;

/// `gxe::CudaKernels`: kernels for extensions that are not written in Rust. A table of the host. Since
/// ABI 1.11.
typedef struct {
  /// The host's sizeof(GxeKernelTable).
  size_t size;
  /// Enqueues a kernel on a stream, a CudaStream, after the uses of its memory that it must come
  /// after, and tells the memory of it. The device has not executed the kernel when this returns,
  /// unless memory is used that does not know its uses. `fence` gets the point behind the kernel.
  GxeResultCode (*launch)(GxeContext *context,
                          GxeUid stream,
                          const GxeKernelLaunch *launch,
                          GxeCudaFence *fence);
} GxeKernelTable;

// Type ids of GXF's base types, which are also the ids of the interfaces, and ids of gxe's own tables.
// Each is an initialiser of a GxeTid: `static const GxeTid id = GXE_TID_CODELET;`.

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
/// `gxe::Completion`
#define GXE_TID_COMPLETION \
  { UINT64_C(0xc785edaf88314425), UINT64_C(0xa08c40c72ac1966b) }
/// `gxe::PortTypes`; an interface without functions
#define GXE_TID_PORT_TYPES \
  { UINT64_C(0x5f225ecaa6b64816), UINT64_C(0xbcebe7995d1f3262) }
/// `gxe::Link`
#define GXE_TID_LINK \
  { UINT64_C(0x228c564c0ee4647c), UINT64_C(0x548cbf8d32f6694d) }
/// `gxe::CountedLink`
#define GXE_TID_COUNTED_LINK \
  { UINT64_C(0x076984f9a5c64c31), UINT64_C(0x92f797ea7b12368b) }
/// `gxe::DeviceQueue`
#define GXE_TID_DEVICE_QUEUE \
  { UINT64_C(0x6c9a1be5f3724d08), UINT64_C(0x97e2c05d4ab81f63) }
/// `gxe::EndOfInputs`
#define GXE_TID_END_OF_INPUTS \
  { UINT64_C(0x3d0f9b62e8a14c75), UINT64_C(0x8fb6a45c17d2e093) }
/// `gxe::VariableMemory`
#define GXE_TID_VARIABLE_MEMORY \
  { UINT64_C(0xe4570f8c92bd4a16), UINT64_C(0xb3186cd7f0a95e24) }
/// `gxe::EventLoop`
#define GXE_TID_EVENT_LOOP \
  { UINT64_C(0x5c1de3b0a9f24e67), UINT64_C(0x8d02b6f47a91c35e) }
/// `nvidia::gxf::CudaStream`
#define GXE_TID_CUDA_STREAM \
  { UINT64_C(0x5683d692788411eb), UINT64_C(0x9338c3be62d576be) }
/// `nvidia::gxf::CudaStreamPool`
#define GXE_TID_CUDA_STREAM_POOL \
  { UINT64_C(0x6733bf8bba5e4fae), UINT64_C(0xb596af2d1269d0e7) }
/// `nvidia::gxf::CudaAllocator`
#define GXE_TID_CUDA_ALLOCATOR \
  { UINT64_C(0x04f22de65f1d11ef), UINT64_C(0x9c8a373b588897af) }
/// `nvidia::gxf::CudaStreamId`
#define GXE_TID_CUDA_STREAM_ID \
  { UINT64_C(0x7982aeac37f141be), UINT64_C(0xade86f00b4b5d47c) }
/// `nvidia::gxf::CudaEvent`
#define GXE_TID_CUDA_EVENT \
  { UINT64_C(0xf5388d5ca70947e7), UINT64_C(0x86c4171779bc64f3) }
/// `nvidia::gxf::CudaBuffer`
#define GXE_TID_CUDA_BUFFER \
  { UINT64_C(0x3b1098305f1e11ef), UINT64_C(0x8393c336b6b55546) }
/// `gxe::CudaFence`
#define GXE_TID_CUDA_FENCE \
  { UINT64_C(0xb2f17c4e0d934a68), UINT64_C(0x87e15a30c96bd4f2) }
/// `nvidia::gxf::StreamSync`
#define GXE_TID_STREAM_SYNC \
  { UINT64_C(0x0011bee75d5343ee), UINT64_C(0xaafa61485a436bc4) }
/// `nvidia::gxf::StreamSyncId`
#define GXE_TID_STREAM_SYNC_ID \
  { UINT64_C(0x65bda2a27cfd4dfe), UINT64_C(0xa80a53ad72f5c2a7) }
/// `gxe::Cuda`; a table of the host
#define GXE_TID_CUDA \
  { UINT64_C(0x93d7c05b1e6f4a28), UINT64_C(0xb41d6fe2078ac953) }
/// `gxe::PendingWork`; a table of the host
#define GXE_TID_PENDING_WORK \
  { UINT64_C(0x5a2e90d7c1f64b38), UINT64_C(0xa6d30b7f94e812c5) }
/// `gxe::Devices`; a table of the host
#define GXE_TID_DEVICES \
  { UINT64_C(0x4c81be0f52d746a3), UINT64_C(0x91f3a8d60e27bc54) }
/// `gxe::Trace`; a table of the host
#define GXE_TID_TRACE \
  { UINT64_C(0x74378de561a14162), UINT64_C(0x91cffaf5e4002ca7) }
/// `gxe::TraceLinks`; a table of the host
#define GXE_TID_TRACE_LINKS \
  { UINT64_C(0x1f83c5ab02d7496e), UINT64_C(0xa4e6902bd13c587f) }
/// `gxe::DeviceWork`; a table of the host
#define GXE_TID_DEVICE_WORK \
  { UINT64_C(0xd27a3e9405bc4f81), UINT64_C(0x8c6f10be7493d52a) }
/// `gxe::DeviceTicks`; a table of the host
#define GXE_TID_DEVICE_TICKS \
  { UINT64_C(0x6e19c5d28ab3407f), UINT64_C(0x83f05d9ec7216ab4) }
/// `gxe::DeviceGraphs`; a table of the host
#define GXE_TID_DEVICE_GRAPHS \
  { UINT64_C(0x3be8d5107fa94c62), UINT64_C(0xb07c92e6f1d8354a) }
/// `gxe::DeviceChains`; a table of the host
#define GXE_TID_DEVICE_CHAINS \
  { UINT64_C(0xa6f10c7d83e24b59), UINT64_C(0x96d2e5b04f8a713c) }
/// `gxe::CudaKernels`; a table of the host
#define GXE_TID_CUDA_KERNELS \
  { UINT64_C(0x5d0e74b92ac8416f), UINT64_C(0x8e37b1d506f4c29a) }

/// The one symbol an extension exports, defined in one of its source files. It stays visible with
/// -fvisibility=hidden.
__attribute__((visibility("default"))) extern const GxeExtensionDescriptor GXF_EXT_FACTORY;

#ifdef __cplusplus
} // extern "C"
#endif

#endif // GXF_PLUGIN_ABI_H
