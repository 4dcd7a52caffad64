//! The component `gxe::PythonSerializer`.

#![expect(unsafe_code, reason = "calls the functions of the Python module's table")]

use crate::interpreter::bridge;
use gxf::abi::ResultCode as Code;
use gxf::prelude::*;
use gxf::{AnyPayload, AnyPayloadMut, Endpoint, Payload, PayloadSerializer, Tid, host};
use gxf_python_bridge::PyData;
use std::ffi::c_void;

/// Carries Python objects over links to other processes: pickled, with the number of bytes before
/// them. Whoever can send to such a link can have any code executed, as with every pickle.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct PythonSerializer {}

impl Lifecycle for PythonSerializer {}

/// Adds bytes to the vector that `user` points to.
unsafe extern "C" fn append(user: *mut c_void, bytes: *const u8, size: usize) -> Code {
    // SAFETY: `write` passes its vector, and the module bytes that are valid during the call.
    unsafe {
        let bytes = std::slice::from_raw_parts(bytes, size);
        (*user.cast::<Vec<u8>>()).extend_from_slice(bytes);
    }
    Code::SUCCESS
}

/// A size that a peer states is believed for this many bytes before any of them has arrived.
const AT_ONCE: usize = 1 << 16;

impl PayloadSerializer for PythonSerializer {
    fn supports(&self, tid: Tid) -> bool {
        tid == PyData::TID
    }

    fn write(&self, payload: AnyPayload<'_>, endpoint: &Endpoint) -> Result<u64> {
        let data = payload.get::<PyData>().ok_or(ResultCode::ARGUMENT_INVALID)?;
        let bridge = bridge()?;
        let mut bytes = Vec::new();
        // SAFETY: the payload owns a reference to its object, and `append` is given its vector.
        host::check(unsafe {
            (bridge.pickle)(data.object(), append, (&raw mut bytes).cast::<c_void>())
        })?;
        let size = bytes.len() as u64;
        endpoint.write_all(&size.to_le_bytes())?;
        endpoint.write_all(&bytes)?;
        Ok(size + 8)
    }

    fn read(&self, mut payload: AnyPayloadMut<'_>, endpoint: &Endpoint) -> Result<()> {
        let data = payload.get::<PyData>().ok_or(ResultCode::ARGUMENT_INVALID)?;
        let mut size = [0; 8];
        endpoint.read_exact(&mut size)?;
        let too_large = |_| Error::new(ResultCode::INVALID_DATA_FORMAT, "the object is too large");
        let size = usize::try_from(u64::from_le_bytes(size)).map_err(too_large)?;
        let mut bytes = Vec::new();
        while bytes.len() < size {
            let begin = bytes.len();
            bytes.resize(size.min(begin + begin.max(AT_ONCE)), 0);
            endpoint.read_exact(&mut bytes[begin..])?;
        }
        let bridge = bridge()?;
        // SAFETY: the bytes live until the call returns, and the payload is borrowed exclusively.
        host::check(unsafe { (bridge.unpickle)(bytes.as_ptr(), bytes.len(), data) })
    }
}
