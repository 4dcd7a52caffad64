//! `OwnTensorSerializer`: a custom layout for a type that has a standard one.

use gxf::prelude::*;
use gxf::{AnyPayload, AnyPayloadMut, Endpoint, PayloadSerializer, Tid};

/// Writes tensors of bytes as their number, in one byte, and the bytes.
#[derive(Component, Default)]
pub struct OwnTensorSerializer;

impl PayloadSerializer for OwnTensorSerializer {
    fn supports(&self, tid: Tid) -> bool {
        tid == Tensor::TID
    }

    fn write(&self, payload: AnyPayload<'_>, endpoint: &Endpoint) -> Result<u64> {
        let tensor = payload.get::<Tensor>().ok_or(ResultCode::ARGUMENT_INVALID)?;
        let bytes = tensor.data::<u8>()?;
        let size = u8::try_from(bytes.len()).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        endpoint.write_all(&[size])?;
        endpoint.write_all(bytes)?;
        Ok(1 + u64::from(size))
    }

    fn read(&self, mut payload: AnyPayloadMut<'_>, endpoint: &Endpoint) -> Result<()> {
        let place = payload.get::<Tensor>().ok_or(ResultCode::ARGUMENT_INVALID)?;
        let mut size = [0];
        endpoint.read_exact(&mut size)?;
        let mut bytes = vec![0; size[0].into()];
        endpoint.read_exact(&mut bytes)?;
        *place = Tensor::from_vec(&[size[0].into()], bytes)?;
        Ok(())
    }
}
