//! GXF's result codes, which every function at the ABI boundary returns.
//!
//! The numbers are those of GXF 4.1 to 5.x. An unknown number from an extension is passed on
//! unchanged and shown as a number.

use abi_stable::StableAbi;

/// Result of a call across the ABI boundary: `0` is success, anything else is a GXF result code.
///
/// This is a number and not an enumeration because a foreign library may return any value.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, StableAbi)]
pub struct ResultCode(pub i32);

macro_rules! result_codes {
    ($($(#[doc = $doc:literal])* $name:ident = $number:literal,)*) => {
        impl ResultCode {
            $($(#[doc = $doc])* pub const $name: ResultCode = ResultCode($number);)*

            /// All codes with a name, in numeric order.
            pub const ALL: &'static [ResultCode] = &[$(ResultCode::$name),*];

            /// C name of the code, as GXF's `GxfResultStr` prints it; `"N/A"` for a number without
            /// a name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self.0 {
                    $($number => concat!("GXF_", stringify!($name)),)*
                    _ => "N/A",
                }
            }

            /// Meaning of the code in one sentence; empty for a number without a name.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self.0 {
                    $($number => concat!($($doc),*).trim_ascii(),)*
                    _ => "",
                }
            }
        }
    };
}

result_codes! {
    /// The call succeeded.
    SUCCESS = 0,
    /// A failure without a more precise code.
    FAILURE = 1,
    /// This component does not implement the function.
    NOT_IMPLEMENTED = 2,
    /// A file could not be opened.
    FILE_NOT_FOUND = 3,
    /// A number is not a value of its enumeration.
    INVALID_ENUM = 4,
    /// A pointer inside a structure was null.
    NULL_POINTER = 5,
    /// A value was read before it was written.
    UNINITIALIZED_VALUE = 6,
    /// A mandatory argument was null.
    ARGUMENT_NULL = 7,
    /// An argument is outside its range.
    ARGUMENT_OUT_OF_RANGE = 8,
    /// An argument is not acceptable.
    ARGUMENT_INVALID = 9,
    /// An allocation failed.
    OUT_OF_MEMORY = 10,
    /// The memory storage type is not supported.
    MEMORY_INVALID_STORAGE_MODE = 11,
    /// The context handle is not valid.
    CONTEXT_INVALID = 12,
    /// No extension has this id.
    EXTENSION_NOT_FOUND = 13,
    /// The extension library is missing.
    EXTENSION_FILE_NOT_FOUND = 14,
    /// The library exports no extension factory.
    EXTENSION_NO_FACTORY = 15,
    /// The factory offers more component types than allowed.
    FACTORY_TOO_MANY_COMPONENTS = 16,
    /// A component type id is already taken.
    FACTORY_DUPLICATE_TID = 17,
    /// No component type has this id.
    FACTORY_UNKNOWN_TID = 18,
    /// The component type is abstract and cannot be created.
    FACTORY_ABSTRACT_CLASS = 19,
    /// No component type has this name.
    FACTORY_UNKNOWN_CLASS_NAME = 20,
    /// The extension's description is not acceptable.
    FACTORY_INVALID_INFO = 21,
    /// The extension was built for another ABI.
    FACTORY_INCOMPATIBLE = 22,
    /// No entity has this id or name.
    ENTITY_NOT_FOUND = 23,
    /// An entity name is too long.
    ENTITY_NAME_EXCEEDS_LIMIT = 24,
    /// No component has this id, name or type in the entity.
    ENTITY_COMPONENT_NOT_FOUND = 25,
    /// A component name is too long.
    ENTITY_COMPONENT_NAME_EXCEEDS_LIMIT = 26,
    /// Components cannot be added to an initialised entity.
    ENTITY_CAN_NOT_ADD_COMPONENT_AFTER_INITIALIZATION = 27,
    /// Components cannot be removed from an initialised entity.
    ENTITY_CAN_NOT_REMOVE_COMPONENT_AFTER_INITIALIZATION = 28,
    /// The entity holds as many components as it may.
    ENTITY_MAX_COMPONENTS_LIMIT_EXCEEDED = 29,
    /// The component has no parameter of this name.
    PARAMETER_NOT_FOUND = 30,
    /// A parameter of this name is already there.
    PARAMETER_ALREADY_REGISTERED = 31,
    /// The parameter has another type.
    PARAMETER_INVALID_TYPE = 32,
    /// The value is outside the parameter's range.
    PARAMETER_OUT_OF_RANGE = 33,
    /// The parameter has no value yet.
    PARAMETER_NOT_INITIALIZED = 34,
    /// The parameter cannot change at this time.
    PARAMETER_CAN_NOT_MODIFY_CONSTANT = 35,
    /// The text cannot be read as the parameter's type.
    PARAMETER_PARSER_ERROR = 36,
    /// The parameter is not a number.
    PARAMETER_NOT_NUMERIC = 37,
    /// A mandatory parameter has no value.
    PARAMETER_MANDATORY_NOT_SET = 38,
    /// Calls came in an order the contract forbids.
    CONTRACT_INVALID_SEQUENCE = 39,
    /// A parameter the contract needs is missing.
    CONTRACT_PARAMETER_NOT_SET = 40,
    /// No message is available in the receiver.
    CONTRACT_MESSAGE_NOT_AVAILABLE = 41,
    /// The object's life cycle stage does not allow the call.
    INVALID_LIFECYCLE_STAGE = 42,
    /// The graph's state does not allow the call.
    INVALID_EXECUTION_SEQUENCE = 43,
    /// A reference count fell below zero.
    REF_COUNT_NEGATIVE = 44,
    /// The caller's array is too small.
    RESULT_ARRAY_TOO_SMALL = 45,
    /// Data is not in the expected format.
    INVALID_DATA_FORMAT = 46,
    /// A fixed capacity is exhausted.
    EXCEEDING_PREALLOCATED_SIZE = 47,
    /// The caller's structure is too small.
    QUERY_NOT_ENOUGH_CAPACITY = 48,
    /// The query does not apply to the object.
    QUERY_NOT_APPLICABLE = 49,
    /// The query found nothing.
    QUERY_NOT_FOUND = 50,
    /// The work is not finished (a running behaviour).
    NOT_FINISHED = 51,
    /// An HTTP GET failed.
    HTTP_GET_FAILURE = 52,
    /// An HTTP POST failed.
    HTTP_POST_FAILURE = 53,
    /// No entity group has this id.
    ENTITY_GROUP_NOT_FOUND = 54,
    /// A resource is not initialised.
    RESOURCE_NOT_INITIALIZED = 55,
    /// No resource of this type is in the group.
    RESOURCE_NOT_FOUND = 56,
    /// A connection broke.
    CONNECTION_BROKEN = 57,
    /// All attempts to connect failed.
    CONNECTION_ATTEMPTS_EXCEEDED = 58,
    /// The IPC connection failed.
    IPC_CONNECTION_FAILURE = 59,
    /// The IPC call failed.
    IPC_CALL_FAILURE = 60,
    /// No IPC service has this name.
    IPC_SERVICE_NOT_FOUND = 61,
}

impl ResultCode {
    /// Whether the call succeeded.
    #[must_use]
    pub const fn is_success(self) -> bool {
        self.0 == 0
    }
}

impl core::fmt::Display for ResultCode {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.name() {
            "N/A" => write!(formatter, "result code {}", self.0),
            name => formatter.write_str(name),
        }
    }
}

impl core::fmt::Debug for ResultCode {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "{self}")
    }
}
