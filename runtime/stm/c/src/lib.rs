//! STM's functions for C, declared in `gxf/stm/stm.h`, as `libgxf_stm_runtime.so`. A process has one
//! client and one schedule manager at most.
//!
//! The crate has one file, which imports `gxf-stm-processes`. Nothing imports it, since all that does
//! would export these functions, too.

#![expect(unsafe_code, reason = "exports functions of C, and calls functions of C programs")]

use gxf_stm::status::Status;
use gxf_stm_processes::client::{Client, Execution, Function, Outcome};
use gxf_stm_processes::manager::Manager;
use gxf_stm_processes::{Failure, default_socket};
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// A runnable: the function and what it is called with.
type CpuRunnable = extern "C" fn(*mut c_void);
/// A submitter: whether its work is done already.
type Submitter = extern "C" fn(*mut c_void) -> c_int;

/// What a function is registered for.
#[derive(Clone, Copy)]
enum Kind {
    /// A runnable that submits nothing.
    Cpu,
    /// A runnable that submits another one.
    Submitter,
}

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
/// Held while a thread connects, which takes as long as the master needs to start: others may ask for
/// the client meanwhile.
static CONNECTING: Mutex<()> = Mutex::new(());
static MANAGER: Mutex<Option<Manager>> = Mutex::new(None);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
        let _connecting = match CONNECTING.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                let text = "another thread of this process is calling stmClientInit";
                return Err(Failure::new(Status::InvalidState, text));
            }
        };
        if lock(&CLIENT).is_some() {
            let text = "this process is a client already";
            return Err(Failure::new(Status::InvalidState, text));
        }
        let socket = default_socket();
        let say = || eprintln!("the client `{name}` waits for a master at `{}`", socket.display());
        let client = Client::connect(name, &socket, &|| false, &say)?;
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

/// Registers a function of C, which may be null; `call` calls it with `user`.
///
/// # Safety
/// `id` is null or ends with a zero byte.
unsafe fn register<F: Copy + Send + Sync + 'static>(
    function: Option<F>,
    id: *const c_char,
    user: *mut c_void,
    kind: Kind,
    call: impl Fn(F, *mut c_void) -> Outcome + Send + Sync + 'static,
) -> Result<(), Failure> {
    let function =
        function.ok_or_else(|| Failure::new(Status::BadParameter, "the function is null"))?;
    // SAFETY: the caller's.
    let id = unsafe { text("the id of the runnable", id) }?;
    let client = this_client()?;
    let name = client.full_name(id)?;
    let refused = match (kind, client.works_of(name).is_empty()) {
        (Kind::Submitter, true) => "submits nothing: register it with stmRegisterCpuRunnable",
        (Kind::Cpu, false) => "submits work: register it with stmRegisterSubmitter",
        (Kind::Submitter, false) | (Kind::Cpu, true) => "",
    };
    if !refused.is_empty() {
        return Err(Failure::new(Status::NotFound, format!("`{name}` {refused}")));
    }
    let user = User(user);
    let function: Function = Box::new(move |execution: &Execution<'_>| {
        let text = |text: &str| CString::new(text).unwrap_or_default();
        CURRENT.set(Some(Current {
            names: [execution.runnable, execution.epoch, execution.engine].map(text),
            frame: execution.frame,
            frame_start: execution.frame_start,
        }));
        let User(user) = &user;
        let outcome = call(function, *user);
        CURRENT.set(None);
        outcome
    });
    client.register(name, function)
}

/// # Safety
/// `id` is null or ends with a zero byte. `function` may be called from any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stmRegisterCpuRunnable(
    function: Option<CpuRunnable>,
    id: *const c_char,
    user: *mut c_void,
) -> u32 {
    let call = |function: CpuRunnable, user| {
        function(user);
        Outcome::Done
    };
    // SAFETY: the caller's.
    run(|| unsafe { register(function, id, user, Kind::Cpu, call) })
}

/// # Safety
/// As [`stmRegisterCpuRunnable`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stmRegisterSubmitter(
    function: Option<Submitter>,
    id: *const c_char,
    user: *mut c_void,
) -> u32 {
    let call = |function: Submitter, user| match function(user) {
        0 => Outcome::Submitted,
        _ => Outcome::Done,
    };
    // SAFETY: the caller's.
    run(|| unsafe { register(function, id, user, Kind::Submitter, call) })
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

/// A roll-over callback: the schedules that starts and stops, and what it is called with.
type RollOverCallback = extern "C" fn(u16, u16, *mut c_void);

/// Sets what is called before a schedule starts in place of another one.
#[unsafe(no_mangle)]
pub extern "C" fn stmRegisterRollOverCallback(
    function: Option<RollOverCallback>,
    user: *mut c_void,
) -> u32 {
    run(|| {
        let null = || Failure::new(Status::BadParameter, "the function is null");
        let function = function.ok_or_else(null)?;
        let user = User(user);
        this_client()?.on_roll_over(Box::new(move |start, stop| {
            let User(user) = &user;
            function(start, stop, *user);
        }));
        Ok(())
    })
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
        let client = this_client()?;
        if client.is_executing() {
            let text = "the client still executes: call stmExitScheduler, and stmClientExit after \
                        stmEnterScheduler has returned";
            return Err(Failure::new(Status::InvalidState, text));
        }
        client.exit();
        *lock(&CLIENT) = None;
        Ok(())
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
        let name = unsafe { text("the name of the manager", name) }?;
        let mut manager = lock(&MANAGER);
        if manager.is_some() {
            let text = "this process is the schedule manager already";
            return Err(Failure::new(Status::InvalidState, text));
        }
        *manager = Some(Manager::connect(name, discriminator, &default_socket())?);
        Ok(())
    })
}

/// Asks the master for something.
fn ask(call: impl FnOnce(&mut Manager) -> Result<(), Failure>) -> u32 {
    run(|| match &mut *lock(&MANAGER) {
        Some(manager) => call(manager),
        None => {
            let text = "stmScheduleManagerInit was not called before";
            Err(Failure::new(Status::NotInitialized, text))
        }
    })
}

/// Starts a schedule.
#[unsafe(no_mangle)]
pub extern "C" fn stmStartSchedule(schedule: u16) -> u32 {
    ask(|manager| manager.start(schedule))
}

/// Stops a schedule.
#[unsafe(no_mangle)]
pub extern "C" fn stmStopSchedule(schedule: u16) -> u32 {
    ask(|manager| manager.stop(schedule))
}

/// Starts a schedule in place of another one.
#[unsafe(no_mangle)]
pub extern "C" fn stmRollOverSchedule(start: u16, stop: u16) -> u32 {
    ask(|manager| manager.roll_over(start, stop))
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
