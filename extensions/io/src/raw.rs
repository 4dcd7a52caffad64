//! `RawSource`.

use crate::source::{Disconnect, Parser, Source, source};
use gxf::prelude::*;

/// Publishes bytes as they come, in a tensor `bytes` of `uint8`. It is its own scheduling term, and
/// ends at the end of the input.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct RawSource {
    /// Where the bytes come from: a path, `-` for standard input, `tcp://HOST:PORT`,
    /// `tcp-listen://HOST:PORT` or `udp://HOST:PORT`.
    address: Parameter<String>,
    /// Transmitter for the bytes.
    #[parameter(carries = Tensor)]
    output: Parameter<Handle<Transmitter>>,
    /// Maximum number of bytes in a message.
    #[parameter(default = 65536, minimum = 1, maximum = 1073741824, unit = "bytes")]
    bytes: Parameter<u64>,
    /// What to do after a peer has gone.
    #[parameter(default = Disconnect::end)]
    on_disconnect: Parameter<Disconnect>,
    source: Source<RawParser>,
}

impl RawSource {
    fn parser(&self) -> Result<RawParser> {
        Ok(RawParser { limit: *self.bytes as usize, bytes: Vec::new() })
    }
}

source!(RawSource);

/// Bytes for the next message.
pub struct RawParser {
    limit: usize,
    bytes: Vec<u8>,
}

impl Parser for RawParser {
    const HAS_LINES: bool = false;

    fn parse(&mut self, bytes: &[u8], _at_end: bool) -> Result<usize> {
        let used = bytes.len().min(self.limit - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..used]);
        Ok(used)
    }

    fn has_some(&self) -> bool {
        !self.bytes.is_empty()
    }

    fn is_full(&self) -> bool {
        self.bytes.len() >= self.limit
    }

    fn fill(&mut self, message: &mut Message) -> Result<()> {
        let bytes = std::mem::take(&mut self.bytes);
        let length = i32::try_from(bytes.len()).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        message.add("bytes", Tensor::from_vec(&[length], bytes)?).map(|_| ())
    }
}
