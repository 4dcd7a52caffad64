//! What lists of ports have to be.

use gxf::HandleTarget;
use gxf::prelude::*;

fn refused(text: String) -> Result<()> {
    Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text))
}

/// A list that has a port: a codelet without one would never act, or always.
pub fn some<T: HandleTarget>(parameter: &str, port: &str, ports: &[Handle<T>]) -> Result<()> {
    match ports {
        [] => refused(format!("`{parameter}` has at least one {port}")),
        _ => Ok(()),
    }
}

/// A list in which no port is twice, and none of those that another parameter has: each element asks for
/// messages of its own, and terms promise those of a port once.
pub fn different<T: HandleTarget>(
    parameter: &str,
    port: &str,
    ports: &[Handle<T>],
    others: (&str, &[Handle<T>]),
) -> Result<()> {
    for (index, handle) in ports.iter().enumerate() {
        let same = |list: &[Handle<T>]| list.iter().position(|one| one.cid() == handle.cid());
        if let Some(first) = same(&ports[..index]) {
            return refused(format!(
                "`{parameter}` has the same {port} twice, as elements {first} and {index}"
            ));
        }
        if let Some(other) = same(others.1) {
            return refused(format!(
                "`{parameter}` has a {port} of `{}`: element {index} is element {other} there",
                others.0
            ));
        }
    }
    Ok(())
}

/// What most lists of receivers have to be: not empty, and all different.
pub fn inputs(inputs: &[Handle<Receiver>]) -> Result<()> {
    some("inputs", "receiver", inputs)?;
    different("inputs", "receiver", inputs, ("", &[]))
}
