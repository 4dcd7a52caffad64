//! The master's side of a connection: reads requests and hands them on.

use crate::message::{Answer, Reader, Request, send};
use crate::segment::Segment;
use gxf_stm::status::Status;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

/// Time-out for a peer to read an answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Most connections of a master's life at a time.
const MOST: usize = 300;

/// What reaches the master from outside.
pub enum Event {
    /// A peer has connected.
    Joined { peer: usize, stream: UnixStream },
    /// It asks for something.
    Asked { peer: usize, request: Request },
    /// Its connection is over.
    Gone { peer: usize },
    /// A hyperepoch at this place has changed over.
    RolledOver,
    /// A hyperepoch is over.
    Over,
    /// A frame takes too long.
    TimedOut(String),
}

/// Accepts connections, each on a thread, until the events are no longer taken.
pub fn accept(
    listener: &UnixListener,
    segment: &Arc<Segment>,
    schedules: &Arc<Answer>,
    events: &Sender<Event>,
) {
    let open = Arc::new(());
    for (peer, stream) in listener.incoming().enumerate() {
        let Ok(stream) = stream else {
            std::thread::sleep(Duration::from_millis(10));
            continue;
        };
        if Arc::strong_count(&open) > MOST {
            continue;
        }
        let (segment, schedules) = (segment.clone(), schedules.clone());
        let (thread_events, guard) = (events.clone(), open.clone());
        let serve = move || {
            let _guard = guard;
            // A peer that went away is noticed by the reader.
            let _ = serve(peer, stream, &segment, &schedules, &thread_events);
            let _ = thread_events.send(Event::Gone { peer });
        };
        let spawned = std::thread::Builder::new().name("stm-peer".to_owned()).spawn(serve);
        if spawned.is_err() {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn serve(
    peer: usize,
    stream: UnixStream,
    segment: &Segment,
    schedules: &Answer,
    events: &Sender<Event>,
) -> std::io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut requests = Reader::of_requests(stream.try_clone()?);
    segment.send(&stream)?;
    send(&stream, schedules)?;
    let _ = events.send(Event::Joined { peer, stream });
    while let Some(request) = requests.next() {
        if events.send(Event::Asked { peer, request }).is_err() {
            break;
        }
    }
    Ok(())
}

/// Answers a request.
pub fn answer(stream: &UnixStream, result: Result<(), (Status, String)>) {
    let (status, text) = result.err().unwrap_or((Status::Success, String::new()));
    // A peer that went away needs none.
    let _ = send(stream, &Answer::Done { status: status.code(), text });
}
