//! How errors that other components report name a component.

use gxf::ContextHandle;

/// A component by its type and place: "the CudaStreamPool `streams` of entity `camera`".
pub fn label(type_name: &str, context: &ContextHandle) -> String {
    let entity = context.entity_name(context.eid());
    match context.component_name(context.cid()).as_str() {
        "" => format!("the {type_name} of entity `{entity}`"),
        name => format!("the {type_name} `{name}` of entity `{entity}`"),
    }
}
