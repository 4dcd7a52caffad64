//! `McapReplayer`.

use gxe_columns::bad_data;
use gxe_mcap_format::{Messages, Recorded};
use gxe_mcap_messages::message_of;
use gxf::prelude::*;
use gxf::serialization::with_log_time;
use gxf::{EntitySerializer, SharedCodelet};
use std::collections::BTreeSet;
use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Replays an MCAP file that `gxe::mcap::McapRecorder` wrote, at the times of the recording. It is
/// its own scheduling term: between two messages no thread waits, and with a ManualClock a replay
/// takes no time. A message's acquisition time is its log time. A file of a killed recorder is
/// replayed up to its last complete message.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct McapReplayer {
    /// Transmitters for the messages.
    transmitters: Parameter<Vec<Handle<Transmitter>>>,
    /// Topics of the transmitters [default: their names]. Messages of other topics are left out.
    topics: Parameter<Option<Vec<String>>>,
    /// File to read.
    path: Parameter<PathBuf>,
    /// Serializer for messages with other payloads than numbers and tensors.
    entity_serializer: Parameter<Option<Handle<EntitySerializer>>>,
    /// Keeps the times; otherwise publishes as fast as the graph takes the messages.
    #[parameter(default = true)]
    realtime: Parameter<bool>,
    /// Stands in for the source that was recorded: publishes at the recorded times of the
    /// scheduler's clock, and messages of the same time on several topics in one tick. On a
    /// ManualClock, a graph whose sources are replaced by replayers in entities of the same names
    /// repeats its run, tick by tick, if a source's acquisition times are those of its ticks.
    #[parameter(default = false)]
    repeat: Parameter<bool>,
    run: Mutex<Option<Run>>,
    /// The file, which no recorder empties before this component reads it.
    kept: Mutex<Option<File>>,
    /// When the next message is due, in nanoseconds of the scheduler's clock.
    due: AtomicI64,
}

struct Run {
    messages: Messages,
    path: PathBuf,
    topics: Vec<String>,
    next: Option<Recorded>,
    /// Log time of the first message, and when it was published.
    begin: Option<(u64, i64)>,
    left_out: BTreeSet<String>,
    /// Whether a pause was left out.
    has_leapt: bool,
    is_over: bool,
}

/// Longest pause between two messages that a replay keeps, in nanoseconds: a day. A longer one
/// comes from damage, and the graph would seem to hang.
const LONGEST_PAUSE: i64 = 24 * 3600 * 1_000_000_000;

impl McapReplayer {
    fn run(&self) -> MutexGuard<'_, Option<Run>> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Run {
    /// Reads the next message that has a transmitter.
    fn advance(&mut self) -> Result<()> {
        self.next = loop {
            let next = self.messages.next().map_err(|error| {
                bad_data(format!("`{}` cannot be read: {error}", self.path.display()))
            });
            match next? {
                Some(message) if !self.topics.contains(&message.topic) => {
                    self.left_out.insert(message.topic);
                }
                other => break other,
            }
        };
        self.is_over = self.next.is_none();
        Ok(())
    }
}

impl Lifecycle for McapReplayer {
    fn check_parameters(&self) -> Result<()> {
        let (given, needed) = (self.topics.as_ref().map(Vec::len), self.transmitters.len());
        match given {
            Some(given) if given != needed => Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!("there are {needed} `transmitters` and {given} `topics`"),
            )),
            _ => Ok(()),
        }
    }

    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        // The start says why it cannot be opened, if it still cannot then.
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) =
            gxe_mcap_format::open(&self.path).ok();
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        drop(self.kept.lock().unwrap_or_else(PoisonError::into_inner).take());
        Ok(())
    }
}

impl McapReplayer {
    /// Publishes a message, and returns the position of its topic.
    fn publish(&self, run: &Run, recorded: &Recorded, context: &TickContext) -> Result<usize> {
        let place = run.topics.iter().position(|topic| *topic == recorded.topic);
        let place = place.ok_or(ResultCode::ARGUMENT_INVALID)?;
        let transmitter = self.transmitters.get().get(place).ok_or(ResultCode::ARGUMENT_INVALID)?;
        let message = message_of(recorded, context, self.entity_serializer.as_ref())?;
        let time = recorded.time.cast_signed();
        let message = with_log_time(message, time)?;
        if message.timestamp().is_some() {
            transmitter.publish_as_is(message)?;
        } else {
            transmitter.publish(message, time)?;
        }
        Ok(place)
    }
}

impl SharedCodelet for McapReplayer {
    fn start(&self, context: &TickContext) -> Result<()> {
        let topics = match self.topics.as_deref() {
            Some(topics) => topics.iter().map(|name| name.trim_matches('/').to_owned()).collect(),
            None => {
                let all = self.transmitters.iter();
                all.map(|transmitter| context.component_name(transmitter.cid())).collect()
            }
        };
        let path = self.path.get().clone();
        let messages = Messages::open(&path).map_err(|error| {
            Error::from(error).context(format!("`{}` cannot be opened", path.display()))
        })?;
        let left_out = BTreeSet::new();
        let mut run = Run {
            messages,
            path,
            topics,
            next: None,
            begin: None,
            left_out,
            has_leapt: false,
            is_over: false,
        };
        run.advance()?;
        let first = run.next.as_ref().filter(|_| *self.repeat);
        let due = first.map_or(i64::MIN, |first| first.time.cast_signed());
        self.due.store(due, Ordering::Relaxed);
        *self.run() = Some(run);
        Ok(())
    }

    fn tick(&self, context: &TickContext) -> Result<()> {
        let mut run = self.run();
        let run = run.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let Some(mut recorded) = run.next.take() else { return Ok(()) };
        loop {
            let place = self.publish(run, &recorded, context)?;
            run.advance()?;
            // The topics of one tick stand in the order of the recorder's receivers.
            let next = run.next.take_if(|next| {
                *self.repeat
                    && next.time == recorded.time
                    && run.topics[place + 1..].contains(&next.topic)
            });
            match next {
                Some(next) => recorded = next,
                None => break,
            }
        }
        let now = if *self.repeat { recorded.time.cast_signed() } else { context.now() };
        let (first, begin) = *run.begin.get_or_insert((recorded.time, now));
        if let Some(next) = &run.next
            && (*self.realtime || *self.repeat)
        {
            let pause = next.time.wrapping_sub(recorded.time).cast_signed();
            // Messages of several topics may go back in time by a little.
            let due = if (-LONGEST_PAUSE..=LONGEST_PAUSE).contains(&pause) {
                begin.saturating_add(next.time.wrapping_sub(first).cast_signed())
            } else {
                if !std::mem::replace(&mut run.has_leapt, true) {
                    gxf::warning!(
                        "`{}`: its time goes from {} ns to {} ns; such pauses, of more than a day, \
                         are left out",
                        run.path.display(),
                        recorded.time,
                        next.time
                    );
                }
                // What follows is due after this message, as in the recording.
                run.begin = Some((next.time, context.now()));
                context.now()
            };
            self.due.store(due, Ordering::Relaxed);
        }
        Ok(())
    }

    fn stop(&self, _context: &TickContext) -> Result<()> {
        // The next start does not wait for what was due in this run.
        self.due.store(i64::MIN, Ordering::Relaxed);
        let Some(run) = self.run().take() else { return Ok(()) };
        if run.messages.is_cut {
            gxf::warning!("the recording was not finished; it ends after its last whole message");
        }
        for topic in run.left_out {
            gxf::info!("the topic `{topic}` has no transmitter and was left out");
        }
        Ok(())
    }
}

impl implement::SchedulingTerm for McapReplayer {
    fn check(&self, now: i64) -> Result<Condition> {
        let due = self.due.load(Ordering::Relaxed);
        let is_over = self.run().as_ref().is_some_and(|run| run.is_over);
        let condition_type = match () {
            () if is_over => ConditionType::NEVER,
            () if now >= due => ConditionType::READY,
            () => ConditionType::WAIT_TIME,
        };
        Ok(Condition { condition_type, target: due })
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }
}
