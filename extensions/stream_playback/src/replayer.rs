//! `VideoStreamReplayer`.

use crate::pace::{Pace, Schedule};
use crate::progress::Progress;
use gxf::prelude::*;
use gxf::{EntitySerializer, SharedCodelet};
use gxf_message_recording::{Playback, Step, Wanted};
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lowest rate in frames per second: one a day. With a lower one the graph would seem to hang.
const SLOWEST: f32 = 1.0 / 86_400.0;
/// Warns of this many impossible log times; the others are only counted.
const TOLD: u64 = 5;

/// Publishes the frames of a recording at the times of their recording. It is its own scheduling
/// term: between two frames no thread waits, and with a ManualClock a replay takes no time.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct VideoStreamReplayer {
    /// Transmitter for the messages.
    transmitter: Parameter<Handle<Transmitter>>,
    /// Serializer that reads the recording's entities.
    entity_serializer: Parameter<Handle<EntitySerializer>>,
    /// Term of the same entity, switched off at the end of the recording.
    boolean_scheduling_term: Parameter<Handle<BooleanSchedulingTerm>>,
    /// Directory of the recording, relative to the working directory.
    directory: Parameter<PathBuf>,
    /// Name of the recording, without `.gxf_index` and `.gxf_entities` [default: the name of this
    /// component].
    basename: Parameter<Option<String>>,
    /// Frames published on every tick, each in a message of its own.
    #[parameter(default = 1, minimum = 1)]
    batch_size: Parameter<u64>,
    /// Skips damaged frames with a warning instead of failing.
    #[parameter(default = true)]
    ignore_corrupted_entities: Parameter<bool>,
    /// Frames per second; 0 for the times of the recording.
    #[parameter(default = 0.0, minimum = 0.0, unit = "Hz")]
    frame_rate: Parameter<f32>,
    /// Keeps the times; otherwise publishes as fast as the graph takes the frames.
    #[parameter(default = true)]
    realtime: Parameter<bool>,
    /// Starts again at the end.
    #[parameter(default = false)]
    repeat: Parameter<bool>,
    /// Ends after this many frames; 0 for all.
    #[parameter(default = 0)]
    count: Parameter<u64>,
    run: Mutex<Option<Run>>,
    /// When the next frame is due, in nanoseconds of the scheduler's clock.
    due: AtomicI64,
}

/// The state of one run.
struct Run {
    playback: Playback,
    progress: Progress,
    /// Starts with the first tick.
    schedule: Option<Schedule>,
    /// Frames whose log time was impossible.
    implausible: u64,
}

impl VideoStreamReplayer {
    fn run(&self) -> MutexGuard<'_, Option<Run>> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pace(&self) -> Pace {
        match *self.frame_rate {
            _ if !*self.realtime => Pace::Unlimited,
            rate if rate > 0.0 => Pace::Rate(f64::from(rate)),
            _ => Pace::LogTime,
        }
    }

    /// Sets the time of the next tick.
    fn plan(&self, run: &mut Run, now: i64) {
        let Some(log_time) = run.playback.next_log_time() else { return };
        let schedule = run.schedule.get_or_insert_with(|| Schedule::new(self.pace(), now));
        let number = run.playback.frames();
        let (due, plausible) = schedule.due(number, log_time);
        run.implausible += u64::from(!plausible);
        if !plausible && run.implausible <= TOLD {
            gxf::warning!("ignoring the impossible log time {log_time} of frame {number}");
        }
        self.due.store(due, Ordering::Relaxed);
    }
}

impl Lifecycle for VideoStreamReplayer {
    fn check_parameters(&self) -> Result<()> {
        let rate = *self.frame_rate;
        if rate != 0.0 && !(SLOWEST..=f32::MAX).contains(&rate) {
            return Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!(
                    "`frame_rate` is a number of frames a second, at least one a day, or 0, not {rate}"
                ),
            ));
        }
        if *self.batch_size == 0 {
            return Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                "`batch_size` is at least 1",
            ));
        }
        Ok(())
    }
}

impl SharedCodelet for VideoStreamReplayer {
    fn start(&self, context: &TickContext) -> Result<()> {
        let own_name = context.name();
        let basename = self.basename.as_deref().unwrap_or(&own_name);
        let wanted = Wanted {
            count: Some(*self.count).filter(|count| *count > 0),
            repeat: *self.repeat,
            ignore_damage: *self.ignore_corrupted_entities,
        };
        let playback = Playback::open(context, &self.directory, basename, wanted)?;
        let progress = Progress::new(playback.total());
        self.due.store(i64::MIN, Ordering::Relaxed);
        *self.run() = Some(Run { playback, progress, schedule: None, implausible: 0 });
        Ok(())
    }

    fn tick(&self, context: &TickContext) -> Result<()> {
        let mut run = self.run();
        let run = run.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let now = context.now();
        if run.schedule.is_none() {
            self.plan(run, now);
        }
        for _ in 0..*self.batch_size {
            match run.playback.step(context, &self.entity_serializer)? {
                Step::Frame(message) => self.transmitter.publish_as_is(message)?,
                Step::Later | Step::End => break,
            }
            run.progress.set(run.playback.frames(), run.playback.bytes());
            self.plan(run, now);
        }
        // Checked here, to avoid one more tick without a frame.
        if run.playback.is_at_end() {
            run.playback.finish()?;
            if run.implausible > TOLD {
                gxf::warning!("ignored {} impossible log times", run.implausible);
            }
            gxf::info!("Reach end of file or playback count reaches to the limit. Stop ticking.");
            gxf::debug!("{} frames replayed", run.playback.frames());
            self.boolean_scheduling_term.set_tick_enabled(false)?;
        }
        Ok(())
    }

    fn stop(&self, _context: &TickContext) -> Result<()> {
        // The next start does not wait for what was due in this run.
        self.due.store(i64::MIN, Ordering::Relaxed);
        *self.run() = None;
        Ok(())
    }
}

impl implement::SchedulingTerm for VideoStreamReplayer {
    fn check(&self, now: i64) -> Result<Condition> {
        let due = self.due.load(Ordering::Relaxed);
        let condition_type =
            if now >= due { ConditionType::READY } else { ConditionType::WAIT_TIME };
        Ok(Condition { condition_type, target: due })
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }
}
