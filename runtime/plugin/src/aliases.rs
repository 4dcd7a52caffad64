//! Alternative names of types. Holoscan's conditions are GXF's scheduling terms with the same
//! parameters, and an app may use either name. `docs/conditions.md` documents this table.

use gxf_app::ParameterValue;

/// Holoscan's name of a type, then GXF's.
pub const ALIASES: &[(&str, &str)] = &[
    ("holoscan::AsynchronousCondition", "nvidia::gxf::AsynchronousSchedulingTerm"),
    ("holoscan::BooleanCondition", "nvidia::gxf::BooleanSchedulingTerm"),
    ("holoscan::CountCondition", "nvidia::gxf::CountSchedulingTerm"),
    ("holoscan::CudaBufferAvailableCondition", "nvidia::gxf::CudaBufferAvailableSchedulingTerm"),
    ("holoscan::CudaEventCondition", "nvidia::gxf::CudaEventSchedulingTerm"),
    ("holoscan::CudaStreamCondition", "nvidia::gxf::CudaStreamSchedulingTerm"),
    (
        "holoscan::DownstreamMessageAffordableCondition",
        "nvidia::gxf::DownstreamReceptiveSchedulingTerm",
    ),
    (
        "holoscan::ExpiringMessageAvailableCondition",
        "nvidia::gxf::ExpiringMessageAvailableSchedulingTerm",
    ),
    ("holoscan::MessageAvailableCondition", "nvidia::gxf::MessageAvailableSchedulingTerm"),
    (
        "holoscan::MultiMessageAffordableCondition",
        "nvidia::gxf::MultiMessageAvailableSchedulingTerm",
    ),
    (
        "holoscan::MultiMessageAffordableTimeOutCondition",
        "nvidia::holoscan::MultiMessageAvailableTimeoutSchedulingTerm",
    ),
    (
        "holoscan::MultiMessageAffordableTimeoutCondition",
        "nvidia::holoscan::MultiMessageAvailableTimeoutSchedulingTerm",
    ),
    (
        "holoscan::MultiMessageAvailableCondition",
        "nvidia::gxf::MultiMessageAvailableSchedulingTerm",
    ),
    (
        "holoscan::MultiMessageAvailableTimeOutCondition",
        "nvidia::holoscan::MultiMessageAvailableTimeoutSchedulingTerm",
    ),
    (
        "holoscan::MultiMessageAvailableTimeoutCondition",
        "nvidia::holoscan::MultiMessageAvailableTimeoutSchedulingTerm",
    ),
    ("holoscan::PeriodicCondition", "nvidia::gxf::PeriodicSchedulingTerm"),
];

/// The registered name of a type, if this is an alternative name.
pub fn registered_name(name: &str) -> Option<&'static str> {
    ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, registered)| *registered)
}

/// A value that a parameter has under another name of its type when the file gives none.
pub struct AliasDefault {
    /// The other name.
    pub alias: &'static str,
    /// The parameter.
    pub key: &'static str,
    /// Its value.
    pub value: ParameterValue,
}

/// What Holoscan's types have a default for, and GXF's have not.
pub const ALIAS_DEFAULTS: &[AliasDefault] = &[AliasDefault {
    alias: "holoscan::CountCondition",
    key: "count",
    value: ParameterValue::Int64(1),
}];
