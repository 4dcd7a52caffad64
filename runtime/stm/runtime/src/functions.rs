//! STM's functions for C, declared in `gxf/stm/stm.h`. A process has one client and one schedule
//! manager at most.

#![expect(unsafe_code, reason = "exports functions of C, and calls functions of C programs")]

use crate::client::{Client, Execution, Function, lock};
use crate::message::{Reader, Request, send};
use crate::segment::Segment;
use crate::{Failure, client, default_socket};
use gxf_stm::status::Status;
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

/// A runnable: the function and what it is called with.
type CpuRunnable = extern "C" fn(*mut c_void);
/// A submitter: whether its work is done already.
type Submitter = extern "C" fn(*mut c_void) -> c_int;

/// What a runnable learns of its execution.
#[repr(C)]
pub struct RunnableInfo {
    runnable: *const c_char,
    epoch: *const c_char,
    resource: *const c_char,
    frame: u64,
    frame_start_ns: i64,
    now_ns: i64,
}

static CLIENT: Mutex<Option<Arc<Client>>> = Mutex::new(None);
static MANAGER: Mutex<Option<Manager>> = Mutex::new(None);

struct Manager {
    stream: UnixStream,
    answers: Reader,
    _memory: Segment,
}

/// What the thread executes.
struct Current {
    names: [CString; 3],
    frame: u64,
    frame_start: i64,
}

thread_local! {
    static CURRENT: RefCell<Option<Current>> = const { RefCell::new(None) };
    static LAST_ERROR: RefCell<CString> = RefCell::default();
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function of the API: its error becomes a number, its text that of `stmGetErrorText`.
fn run(call: impl FnOnce() -> Result<(), Failure>) -> u32 {
    let result = catch_unwind(AssertUnwindSafe(call))
        .unwrap_or_else(|_| Err(Failure::new(Status::Generic, "a bug in gxe: it panicked")));
    let (status, text) = match result {
        Ok(()) => (Status::Success, String::new()),
        Err(failure) => (failure.status, failure.text),
    };
    LAST_ERROR.set(CString::new(text.replace('\0', " ")).unwrap_or_default());
    status.code()
}

/// A text from C.
///
/// # Safety
/// It is null or ends with a zero byte.
unsafe fn text<'a>(what: &str, pointer: *const c_char) -> Result<&'a str, Failure> {
    if pointer.is_null() {
        return Err(Failure::new(Status::BadParameter, format!("{what} is null")));
    }
    // SAFETY: the caller's; it is not null.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| Failure::new(Status::BadParameter, format!("{what} is not UTF-8")))
}

fn this_client() -> Result<Arc<Client>, Failure> {
    lock(&CLIENT)
        .clone()
        .ok_or_else(|| Failure::new(Status::NotInitialized, "stmClientInit was not called before"))
}

/// # Safety
/// `name` is null or ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stmClientInit(name: *const c_char) -> u32 {
    run(|| {
        // SAFETY: the caller's.
        let name = unsafe { text("the name of the client", name) }?;
        if lock(&CLIENT).is_some() {
            let text = "this process is a client already";
            return Err(Failure::new(Status::InvalidState, text));
        }
        let client = Client::connect(name, &default_socket(), &|| false)?;
        *lock(&CLIENT) = Some(Arc::new(client));
        Ok(())
    })
}

/// What C hands over with a function.
struct User(*mut c_void);
// SAFETY: the header says that functions are called from other threads with this pointer.
unsafe impl Send for User {}
// SAFETY: as above; executions of one runnable never overlap.
unsafe impl Sync for User {}

/// Registers a function; `call` calls it and returns whether its work is done.
fn register(
    id: Result<&str, Failure>,
    call: impl Fn() -> bool + Send + Sync + 'static,
) -> Result<(), Failure> {
    let id = id?;
    let function: Function = Box::new(move |execution: &Execution<'_>| {
        let text = |text: &str| CString::new(text).unwrap_or_default();
        CURRENT.set(Some(Current {
            names: [execution.runnable, execution.epoch, execution.engine].map(text),
            frame: execution.frame,
            frame_start: execution.frame_start,
        }));
        let is_done = call();
        CURRENT.set(None);
        is_done
    });
    this_client()?.register(id, function)
}

/// # Safety
/// `id` is null or ends with a zero byte. `function` may be called from any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stmRegisterCpuRunnable(
    function: Option<CpuRunnable>,
    id: *const c_char,
    user: *mut c_void,
) -> u32 {
    run(|| {
        let Some(function) = function else {
            return Err(Failure::new(Status::BadParameter, "the function is null"));
        };
        let user = User(user);
        // SAFETY: the caller's.
        register(unsafe { text("the id of the runnable", id) }, move || {
            let User(user) = &user;
            function(*user);
            true
        })
    })
}

/// # Safety
/// As [`stmRegisterCpuRunnable`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stmRegisterSubmitter(
    function: Option<Submitter>,
    id: *const c_char,
    user: *mut c_void,
) -> u32 {
    run(|| {
        let Some(function) = function else {
            return Err(Failure::new(Status::BadParameter, "the function is null"));
        };
        let user = User(user);
        // SAFETY: the caller's.
        register(unsafe { text("the id of the submitter", id) }, move || {
            let User(user) = &user;
            function(*user) != 0
        })
    })
}

/// # Safety
/// `id` is null or ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stmSignalWorkDone(id: *const c_char) -> u32 {
    run(|| {
        // SAFETY: the caller's.
        let id = unsafe { text("the id of the submitter", id) }?;
        this_client()?.work_done(id)
    })
}

/// Functions of devices that this library does not drive.
macro_rules! not_supported {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(
            /// Refused: submit through [`stmRegisterSubmitter`].
            #[unsafe(no_mangle)]
            pub extern "C" fn $name($($argument: $type),*) -> u32 {
                $(let _ = $argument;)*
                run(|| {
                    let text = concat!(
                        stringify!($name),
                        " is not supported: register the submitter with stmRegisterSubmitter, and \
                         call stmSignalWorkDone when the device is done"
                    );
                    Err(Failure::new(Status::NotSupported, text))
                })
            }
        )*
    };
}

not_supported! {
    stmRegisterCudaSubmitter(function: *const c_void, id: *const c_char, user: *mut c_void);
    stmRegisterCuDlaSubmitter(function: *const c_void, id: *const c_char, user: *mut c_void);
    stmRegisterVpuSubmitter(function: *const c_void, id: *const c_char, user: *mut c_void);
    stmRegisterCudaResource(name: *const c_char, stream: *mut c_void);
    stmRegisterVpuResource(name: *const c_char, stream: *mut c_void);
    stmRegisterDlaResource(name: *const c_char, handle: *mut c_void);
}

/// Executes the runnables until the end.
#[unsafe(no_mangle)]
pub extern "C" fn stmEnterScheduler() -> u32 {
    run(|| {
        let client = this_client()?;
        if IS_INSIDE.replace(true) {
            let text = "stmEnterScheduler is being called already";
            return Err(Failure::new(Status::InvalidState, text));
        }
        let end = client.enter();
        IS_INSIDE.set(false);
        end
    })
}

/// Ends [`stmEnterScheduler`].
#[unsafe(no_mangle)]
pub extern "C" fn stmExitScheduler() -> u32 {
    run(|| {
        this_client()?.exit();
        Ok(())
    })
}

/// Ends the client.
#[unsafe(no_mangle)]
pub extern "C" fn stmClientExit() -> u32 {
    run(|| {
        let client = lock(&CLIENT).take();
        client.map(|client| client.exit()).ok_or_else(|| {
            Failure::new(Status::NotInitialized, "stmClientInit was not called before")
        })
    })
}

/// # Safety
/// `info` is null or points to a structure that the caller owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stmGetRuntimeInfo(info: *mut RunnableInfo) -> u32 {
    run(|| {
        if info.is_null() {
            return Err(Failure::new(Status::BadParameter, "the structure is null"));
        }
        CURRENT.with_borrow(|current| {
            let Some(Current { names: [runnable, epoch, resource], frame, frame_start }) = current
            else {
                let text = "stmGetRuntimeInfo is called outside a runnable";
                return Err(Failure::new(Status::InvalidState, text));
            };
            let found = RunnableInfo {
                runnable: runnable.as_ptr(),
                epoch: epoch.as_ptr(),
                resource: resource.as_ptr(),
                frame: *frame,
                frame_start_ns: *frame_start,
                now_ns: Client::now(),
            };
            // SAFETY: the caller's; it is not null.
            unsafe { info.write(found) };
            Ok(())
        })
    })
}

/// The text of the thread's last error.
#[unsafe(no_mangle)]
pub extern "C" fn stmGetErrorText() -> *const c_char {
    LAST_ERROR.with_borrow(|text| text.as_ptr())
}

/// # Safety
/// `name` is null or ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stmScheduleManagerInit(name: *const c_char) -> u32 {
    // SAFETY: the caller's.
    unsafe { stmScheduleManagerInitWithDiscriminator(name, 0) }
}

/// # Safety
/// `name` is null or ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stmScheduleManagerInitWithDiscriminator(
    name: *const c_char,
    discriminator: i32,
) -> u32 {
    run(|| {
        // SAFETY: the caller's.
        let name = unsafe { text("the name of the manager", name) }?.to_owned();
        let mut manager = lock(&MANAGER);
        if manager.is_some() {
            let text = "this process is the schedule manager already";
            return Err(Failure::new(Status::InvalidState, text));
        }
        let request = Request::Manager { name, discriminator };
        let (stream, memory, _, answers) = client::connect(&default_socket(), &request, &|| false)?;
        *manager = Some(Manager { stream, answers, _memory: memory });
        Ok(())
    })
}

fn ask(request: &Request) -> u32 {
    run(|| {
        let mut manager = lock(&MANAGER);
        let Some(manager) = &mut *manager else {
            let text = "stmScheduleManagerInit was not called before";
            return Err(Failure::new(Status::NotInitialized, text));
        };
        send(&manager.stream, request)
            .map_err(|_| Failure::new(Status::Connection, "the master is gone"))?;
        client::answer(&mut manager.answers)
    })
}

/// Starts a schedule.
#[unsafe(no_mangle)]
pub extern "C" fn stmStartSchedule(schedule: u16) -> u32 {
    ask(&Request::Start { schedule })
}

/// Stops a schedule.
#[unsafe(no_mangle)]
pub extern "C" fn stmStopSchedule(schedule: u16) -> u32 {
    ask(&Request::Stop { schedule })
}

/// Starts a schedule in place of another one.
#[unsafe(no_mangle)]
pub extern "C" fn stmRollOverSchedule(start: u16, stop: u16) -> u32 {
    ask(&Request::RollOver { start, stop })
}

/// Ends the schedule manager. The schedule that runs goes on.
#[unsafe(no_mangle)]
pub extern "C" fn stmScheduleManagerExit() -> u32 {
    run(|| {
        let manager = lock(&MANAGER).take();
        manager.map(drop).ok_or_else(|| {
            Failure::new(Status::NotInitialized, "stmScheduleManagerInit was not called before")
        })
    })
}
