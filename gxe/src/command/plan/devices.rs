//! The devices that the payloads of a plan are on.

use gxf_plan::{Plan, kind_of_memory};
use gxf_plugin_abi::ResultCode;
use gxf_runtime::Context;
use gxf_runtime::graph::{Diagnostic, Diagnostics, ParameterValue};

const DEVICE: &str = "device";

/// Gives device memory the number of its device, so that registers on different ones share none.
/// A graph that has only been loaded does not say it, and neither does an old plan. Returns what is
/// wrong with the numbers that are there.
pub fn name(context: &Context, plan: &mut Plan) -> Diagnostics {
    let mut findings = Diagnostics::new();
    for register in &mut plan.registers {
        if kind_of_memory(&register.memory) != DEVICE {
            continue;
        }
        let right = match number(context, &register.producer).filter(|number| *number > 0) {
            Some(number) => format!("{DEVICE}:{number}"),
            None => DEVICE.to_owned(),
        };
        if register.memory == DEVICE {
            register.memory = right;
        } else if register.is_given && register.memory != right {
            let text = format!(
                "the payloads of register `{}` are in {} memory, but `{}` fills {right} memory",
                register.name, register.memory, register.producer
            );
            let problem = Diagnostic::error(ResultCode::INVALID_DATA_FORMAT, text)
                .found_by("memory")
                .label(format!("must be `{right}`"))
                .help("it follows from the GPUDevice in the group of the entity");
            let place = register.places.memory.as_ref().or(register.places.whole.as_ref());
            findings.push(match place {
                Some(place) => problem.at(place.clone()),
                None => problem,
            });
        }
    }
    findings
}

/// The number of an entity's device; `None` if its group has no GPUDevice.
fn number(context: &Context, entity: &str) -> Option<i32> {
    let eid = context.find_entity(entity).ok()?;
    let device = context.find_resource(eid, "nvidia::gxf::GPUDevice", "").ok()?;
    match context.parameter(device, "dev_id") {
        Ok(ParameterValue::Int32(number)) => Some(number),
        _ => None,
    }
}
