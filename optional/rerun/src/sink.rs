//! `RerunSink`.

use crate::shown::{Refusal, show};
use gxe_mcap_format::schema;
use gxe_mcap_messages::receivers::{check_topics, receive_all, topics_of};
use gxe_mcap_messages::{Foreign, parts_of};
use gxf::SharedCodelet;
use gxf::prelude::*;
use rerun::{MemoryLimit, RecordingStream, RecordingStreamBuilder, ServerOptions, TimeCell};
use std::collections::HashSet;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Shows messages in the Rerun viewer, which connects to `rerun+http://ADDRESS/proxy`, or writes
/// them to a file for it. Numbers and tensors of up to 16 elements are plotted; pictures, picture
/// files and texts are images and lines of a log; other tensors are tensors. Payloads that Rerun
/// cannot show are left out, which a warning says once for each path. The graph waits for no
/// viewer. It is its own scheduling term: it ticks when any receiver has a message.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct RerunSink {
    /// Receivers for the messages, of any kind.
    receivers: Parameter<Vec<Handle<Receiver>>>,
    /// First parts of the paths in Rerun, one for each receiver [default: their names].
    topics: Parameter<Option<Vec<String>>>,
    /// Address and port to listen on for viewers. Whoever reaches it sees the messages: there is
    /// neither a token nor encryption, so the default is this host alone. Unused with `path`.
    #[parameter(default = "127.0.0.1:9876")]
    address: Parameter<String>,
    /// Bytes that are kept for viewers that connect later; beyond them the oldest messages go.
    #[parameter(default = 268_435_456)]
    memory: Parameter<u64>,
    /// A file (`.rrd`) that is written instead.
    path: Parameter<Option<PathBuf>>,
    run: Mutex<Option<Run>>,
}

/// Smallest `memory`: one large picture.
const LEAST_MEMORY: u64 = 1 << 20;

/// How long the end of a run waits until everything is sent or written.
const PATIENCE: Duration = Duration::from_secs(5);

struct Run {
    stream: RecordingStream,
    topics: Vec<String>,
    /// Paths of payloads that were left out.
    left_out: HashSet<String>,
}

impl RerunSink {
    fn run(&self) -> MutexGuard<'_, Option<Run>> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn socket_address(&self) -> Result<SocketAddr> {
        let address = self.address.parse().ok();
        address.filter(|address: &SocketAddr| address.port() != 0).ok_or_else(|| {
            Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!(
                    "`address` is `{}`, which is no address with a port, such as 127.0.0.1:9876",
                    *self.address
                ),
            )
        })
    }

    fn stream(&self) -> Result<RecordingStream> {
        // Rerun's own environment variables do not switch the component off.
        let builder = RecordingStreamBuilder::new("gxe").enabled(true);
        if let Some(path) = &*self.path {
            return builder.save(path).map_err(|error| {
                Error::failure(format!("`{}` cannot be written: {error}", path.display()))
            });
        }
        let address = self.socket_address()?;
        let refused =
            |error: &dyn std::fmt::Display| format!("cannot listen on {address}: {error}");
        // Rerun would only log that it cannot.
        TcpListener::bind(address).map_err(|error| Error::failure(refused(&error)))?;
        let options = ServerOptions {
            memory_limit: MemoryLimit::from_bytes(*self.memory),
            ..ServerOptions::default()
        };
        let stream = builder
            .serve_grpc_opts(address.ip().to_string(), address.port(), options)
            .map_err(|error| Error::failure(refused(&error)))?;
        gxf::info!("Rerun connects to rerun+http://{address}/proxy");
        Ok(stream)
    }
}

impl Lifecycle for RerunSink {
    fn check_parameters(&self) -> Result<()> {
        let wrong = |text| Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text));
        if self.path.is_none() {
            self.socket_address()?;
        }
        if *self.memory < LEAST_MEMORY {
            return wrong(format!(
                "`memory` is {}, but must be at least {LEAST_MEMORY}",
                *self.memory
            ));
        }
        check_topics(&self.receivers, self.topics.as_deref())
    }
}

impl SharedCodelet for RerunSink {
    fn start(&self, context: &TickContext) -> Result<()> {
        let topics = topics_of(&self.receivers, self.topics.as_deref(), context);
        let topics = topics.iter().map(|name| name.trim_matches('/').to_owned()).collect();
        *self.run() = Some(Run { stream: self.stream()?, topics, left_out: HashSet::new() });
        Ok(())
    }

    fn tick(&self, context: &TickContext) -> Result<()> {
        let mut run = self.run();
        let run = run.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        receive_all(&self.receivers, context, |topic, message, time| {
            run.show(context, topic, &message, time)
        })
    }

    fn stop(&self, _context: &TickContext) -> Result<()> {
        let Some(run) = self.run().take() else { return Ok(()) };
        run.stream.flush_with_timeout(PATIENCE).map_err(|error| {
            Error::failure(format!("not everything reached Rerun or its file: {error}"))
        })
    }
}

gxe_mcap_messages::ticks_on_messages!(RerunSink);

impl Run {
    fn show(
        &mut self,
        context: &TickContext,
        topic: usize,
        message: &Message,
        time: i64,
    ) -> Result<()> {
        let (parts, foreign) = parts_of(message, time.cast_unsigned())?;
        if let Some(Foreign { name, tid }) = foreign {
            let path = schema::path(&self.topics[topic], &name);
            self.leave_out(path, &context.type_name(tid));
        }
        self.stream.set_time("time", TimeCell::from_duration_nanos(time));
        for (payload, part) in parts {
            let path = schema::path(&self.topics[topic], &payload);
            match show(&self.stream, &path, &part) {
                Ok(()) => {}
                Err(Refusal::Unknown) => self.leave_out(path, part.kind.payload_type),
                Err(Refusal::Damaged) => {
                    return Err(Error::failure(format!("`{path}` contradicts itself")));
                }
                Err(Refusal::Rerun(error)) => {
                    return Err(Error::failure(format!("`{path}` cannot be shown: {error}")));
                }
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, path: String, type_name: &str) {
        if !self.left_out.contains(&path) {
            gxf::warning!("Rerun cannot show `{path}` ({type_name})");
            self.left_out.insert(path);
        }
    }
}
