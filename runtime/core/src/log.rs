//! The log of a program without one of its own: lines in GXF's form. Errors go to standard error
//! and the rest to standard output, or everything to a file that the program opened. A program with
//! its own log may let the C API control it, see [`program_log`].

use crate::boundary::{put, with_any_context};
use gxf_plugin_abi::ResultCode;
use gxf_runtime::graph::escape::entry;
use gxf_runtime::{Error, Result};
use parking_lot::Mutex;
use std::ffi::c_void;
use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Once, OnceLock};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Metadata, Subscriber, span};

/// `GXF_SEVERITY_INFO`
const INFO: i32 = 3;
/// GXF's names, by number.
const NAMES: [&str; 6] = ["NONE", "ERROR", "WARNING", "INFO", "DEBUG", "VERBOSE"];

static SEVERITY: AtomicI32 = AtomicI32::new(INFO);
/// Whether this module writes the log of this process.
static OURS: AtomicBool = AtomicBool::new(false);
/// Changes the severity of a program that writes its own log.
static PROGRAM: OnceLock<Box<dyn Fn(LevelFilter) + Send + Sync>> = OnceLock::new();
static FILE: Mutex<Option<File>> = Mutex::new(None);

/// A file of the C library, which the program keeps open.
struct File(*mut libc::FILE);

// SAFETY: the C library locks its files.
unsafe impl Send for File {}

struct Log;

/// Lets the C API control the log of a program that writes it itself. The program must apply the
/// severities it receives, and pass each line to [`write_redirected`] first. Only the first call
/// has an effect.
pub fn program_log(set_severity: impl Fn(LevelFilter) + Send + Sync + 'static) {
    _ = PROGRAM.set(Box::new(set_severity));
}

/// Writes a line to the file of `GxfRedirectLog`. Returns whether there is one.
///
/// A pipe that nobody reads must keep neither `GxfRedirectLog` nor other lines waiting, so the lock
/// is held only while there is room. Before each further attempt, `goes_on` decides whether to drop
/// the rest of the line instead.
pub fn write_redirected(line: &[u8], mut goes_on: impl FnMut() -> bool) -> bool {
    /// What a pipe with any room accepts without blocking.
    const PIECE: usize = 4096;
    /// How often a line without room tries again, in milliseconds.
    const PERIOD: i32 = 50;
    let mut pieces = line.chunks(PIECE);
    let Some(mut piece) = pieces.next() else { return FILE.lock().is_some() };
    loop {
        let descriptor = {
            let file = FILE.lock();
            let Some(File(file)) = &*file else { return false };
            // SAFETY: the program keeps the file open, as `GxfRedirectLog` requires.
            let descriptor = unsafe { libc::fileno(*file) };
            if has_room(descriptor, 0) {
                // SAFETY: as above; the piece is readable.
                unsafe {
                    libc::fwrite(piece.as_ptr().cast(), 1, piece.len(), *file);
                    libc::fflush(*file);
                }
                match pieces.next() {
                    Some(next) => piece = next,
                    None => return true,
                }
                continue;
            }
            descriptor
        };
        // Without the lock, the program may close the file meanwhile, which at worst ends the wait.
        if !has_room(descriptor, PERIOD) && !goes_on() {
            return true;
        }
    }
}

/// Whether a write would not block, after waiting for some milliseconds. Also true for files that
/// are only memory, and for those that are broken, which the write notices.
fn has_room(descriptor: i32, patience: i32) -> bool {
    let mut polled = libc::pollfd { fd: descriptor, events: libc::POLLOUT, revents: 0 };
    // SAFETY: one structure, which is valid.
    let ready = unsafe { libc::poll(&raw mut polled, 1, patience) };
    descriptor < 0 || ready != 0
}

/// Starts the log, unless the program has one.
pub fn start() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let wanted = std::env::var("GXF_LOG_LEVEL").unwrap_or_default();
        let known = NAMES.iter().position(|name| name.eq_ignore_ascii_case(wanted.trim()));
        let level = known.and_then(|level| i32::try_from(level).ok());
        SEVERITY.store(level.unwrap_or(INFO), Ordering::Relaxed);
        if tracing::subscriber::set_global_default(Log).is_ok() {
            OURS.store(true, Ordering::Relaxed);
            if level.is_none() && !wanted.is_empty() {
                tracing::warn!(
                    "GXF_LOG_LEVEL is `{wanted}`; it should be one of {}",
                    NAMES.join(", ")
                );
            }
        }
    });
}

fn changeable() -> Result<()> {
    if OURS.load(Ordering::Relaxed) || PROGRAM.get().is_some() {
        return Ok(());
    }
    let text = "the program writes its log itself";
    Err(Error::new(ResultCode::NOT_IMPLEMENTED, text))
}

fn filter(severity: i32) -> LevelFilter {
    match severity {
        0 => LevelFilter::OFF,
        1 => LevelFilter::ERROR,
        2 => LevelFilter::WARN,
        INFO => LevelFilter::INFO,
        4 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= filter(SEVERITY.load(Ordering::Relaxed))
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(filter(SEVERITY.load(Ordering::Relaxed)))
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let metadata = event.metadata();
        let name = match *metadata.level() {
            Level::ERROR if fields.panic => "PANIC",
            Level::ERROR => "ERROR",
            Level::WARN => "WARN ",
            Level::INFO => "INFO ",
            Level::DEBUG => "DEBUG",
            Level::TRACE => "VERB ",
        };
        if fields.place.is_empty() {
            fields.place = match (metadata.file(), metadata.line()) {
                (Some(file), Some(line)) => format!("{file}@{line}"),
                _ => metadata.target().to_owned(),
            };
        }
        let line = format!("{} {name} {}: {}\n", now(), fields.place, entry(&fields.message));
        write(&line, *metadata.level() == Level::ERROR);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// A line that cannot be written is dropped: there is nowhere left to report it.
fn write(line: &str, is_error: bool) {
    let line = line.as_bytes();
    if write_redirected(line, || true) {
        return;
    }
    _ = if is_error {
        std::io::stderr().write_all(line)
    } else {
        std::io::stdout().write_all(line)
    };
}

/// Date and local time to milliseconds.
fn now() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.unwrap_or_default();
    let seconds = libc::time_t::try_from(now.as_secs()).unwrap_or_default();
    let mut parts = std::mem::MaybeUninit::<libc::tm>::zeroed();
    // SAFETY: both pointers are valid, and all-zero parts are valid too.
    let parts = unsafe {
        libc::localtime_r(&raw const seconds, parts.as_mut_ptr());
        parts.assume_init()
    };
    format!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}",
        parts.tm_year + 1900,
        parts.tm_mon + 1,
        parts.tm_mday,
        parts.tm_hour,
        parts.tm_min,
        parts.tm_sec,
        now.subsec_millis()
    )
}

/// The content of an event. Lines of extensions carry their source location.
#[derive(Default)]
struct Fields {
    message: String,
    place: String,
    panic: bool,
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a `String` does not fail.
        _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name if name.starts_with("gxf.") => Ok(()),
            name => write!(self.message, " {name}={value:?}"),
        };
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "gxf.file" if !value.is_empty() => self.place = value.to_owned(),
            "gxf.module" if self.place.is_empty() => self.place = value.to_owned(),
            "gxf.file" | "gxf.module" => {}
            _ => self.record_debug(field, &value),
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "gxf.line" if self.place.contains('.') => _ = write!(self.place, "@{value}"),
            "gxf.line" => {}
            "gxf.severity" => self.panic = value == 0,
            _ => self.record_debug(field, &value),
        }
    }
}

/// Sets the severity of the log, 0 (nothing) to 5 (everything).
///
/// # Errors
/// `INVALID_ENUM` for another number; `NOT_IMPLEMENTED` if the program writes its log itself.
pub fn set_severity(severity: i32) -> Result<()> {
    if !(0..6).contains(&severity) {
        let text = format!("{severity} is not a severity");
        return Err(Error::new(ResultCode::INVALID_ENUM, text));
    }
    changeable()?;
    if let Some(set_severity) = PROGRAM.get() {
        set_severity(filter(severity));
        return Ok(());
    }
    SEVERITY.store(severity, Ordering::Relaxed);
    tracing::callsite::rebuild_interest_cache();
    Ok(())
}

#[unsafe(no_mangle)]
extern "C" fn GxfSetSeverity(context: *mut c_void, severity: i32) -> ResultCode {
    with_any_context(context, || set_severity(severity))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn GxfGetSeverity(context: *mut c_void, severity: *mut i32) -> ResultCode {
    with_any_context(context, || {
        let current = match LevelFilter::current() {
            LevelFilter::OFF => 0,
            LevelFilter::ERROR => 1,
            LevelFilter::WARN => 2,
            LevelFilter::INFO => INFO,
            LevelFilter::DEBUG => 4,
            _ => 5,
        };
        // SAFETY: `severity` is null or writable, as the header says.
        unsafe { put(severity, current) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn GxfRedirectLog(context: *mut c_void, file: *mut libc::FILE) -> ResultCode {
    with_any_context(context, || {
        changeable()?;
        *FILE.lock() = (!file.is_null()).then_some(File(file));
        Ok(())
    })
}
