//! How errors name a component that others report about.

use gxf::{ContextHandle, Error, ResultCode};

/// A component by its type and place: "the CudaStreamPool `streams` of entity `camera`".
#[must_use]
pub fn label(type_name: &str, context: &ContextHandle) -> String {
    let entity = context.entity_name(context.eid());
    match context.component_name(context.cid()).as_str() {
        "" => format!("the {type_name} of entity `{entity}`"),
        name => format!("the {type_name} `{name}` of entity `{entity}`"),
    }
}

/// Names the pool that has too little memory.
#[must_use]
pub fn with_label(error: Error, type_name: &str, context: &ContextHandle) -> Error {
    match error.code() {
        ResultCode::OUT_OF_MEMORY => error.context(label(type_name, context)),
        _ => error,
    }
}
