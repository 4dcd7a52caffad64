//! The host table: what extensions may ask of us. Every function checks what can be checked, calls
//! the context, and turns errors into a code and a text on the caller's thread.

use crate::context::Inner;
use crate::error::{Error, Result};
use crate::message::by_id::HeldMessage;
use crate::message::pool;
use crate::plugin::{component, value};
use gxf_plugin_abi::{
    ABI_MAJOR, ABI_MINOR, CStr, Condition, Context, EntityState, Event, HostTable, InterfaceRef,
    Message, PayloadRef, ResultCode, Text, Tid, Uid, UidSink, Value, ValueSink,
};
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::sync::Arc;
use tracing::level_filters::LevelFilter;

static TABLE: HostTable = HostTable {
    size: size_of::<HostTable>(),
    abi_major: ABI_MAJOR,
    abi_minor: ABI_MINOR,
    report_error,
    last_error,
    log,
    log_severity,
    context_retain,
    context_release,
    entity_create,
    entity_find,
    entity_name,
    entity_activate,
    entity_deactivate,
    entity_destroy,
    entity_notify,
    entity_execute,
    component_add,
    component_find,
    component_find_all,
    component_type,
    component_name,
    component_entity,
    component_pointer,
    component_interface,
    component_retain,
    component_release,
    type_id,
    type_name,
    type_is_base,
    parameter_set,
    parameter_get,
    message_new,
    message_retain,
    message_release,
    message_reference_count,
    message_id,
    message_from_id,
    message_add,
    message_find,
    message_count,
    message_at,
    message_remove,
    message_stamp,
    transmitter_receivers,
    graph_interrupt,
    host_version,
    entity_state,
    entity_status,
    entity_observe,
    message_share,
};

/// What extensions, and programs that embed the runtime, may ask of it: the one table of the
/// process. The host's own copy of the SDK learns it here.
pub fn table() -> &'static HostTable {
    gxf::host::set_host(&TABLE);
    &TABLE
}

/// Text of the last failure on a thread.
#[derive(Default)]
struct LastError {
    /// Not asked for yet, and the call it was left in.
    fresh: Option<(u64, String)>,
    /// What `last_error` handed out last; the border's caller may still look at it.
    shown: String,
}

thread_local! {
    static LAST_ERROR: RefCell<LastError> = RefCell::default();
    /// Number of the call into an extension this thread is in.
    static CALL: Cell<u64> = const { Cell::new(0) };
}

/// A call into an extension begins: texts left before do not belong to it.
#[inline]
pub(crate) fn begin_call() {
    CALL.set(CALL.get() + 1);
}

fn leave(text: String) {
    LAST_ERROR.with_borrow_mut(|last| last.fresh = Some((CALL.get(), text)));
}

/// The text the extension left in the call that began last on this thread, if any.
pub(crate) fn take_reported() -> Option<String> {
    let left = LAST_ERROR.with_borrow_mut(|last| last.fresh.take());
    left.filter(|(call, text)| *call == CALL.get() && !text.is_empty()).map(|(_, text)| text)
}

fn finish(result: Result<()>) -> ResultCode {
    match result {
        Ok(()) => ResultCode::SUCCESS,
        Err(error) => {
            let error = gxf::Error::from(error);
            leave(error.message().to_owned());
            error.code()
        }
    }
}

fn null_pointer() -> Error {
    Error::new(ResultCode::ARGUMENT_NULL, "a mandatory pointer is null")
}

/// # Safety
/// `context` must be null or a context that is alive.
unsafe fn inner<'a>(context: *mut Context) -> Result<&'a Inner> {
    // SAFETY: a context's address is that of its `Inner`, see `Inner::raw`.
    unsafe { context.cast::<Inner>().as_ref() }
        .ok_or_else(|| Error::new(ResultCode::CONTEXT_INVALID, "the context is null"))
}

/// # Safety
/// `text` must be readable.
unsafe fn text<'a>(text: Text) -> Result<&'a str> {
    // SAFETY: the caller's promise.
    unsafe { gxf::text_to_str(text) }
        .ok_or_else(|| Error::new(ResultCode::ARGUMENT_INVALID, "a text is not UTF-8"))
}

/// # Safety
/// `place` must be null or writable.
unsafe fn put<T>(place: *mut T, value: T) -> Result<()> {
    if place.is_null() {
        return Err(null_pointer());
    }
    // SAFETY: the caller's promise.
    unsafe { place.write(value) };
    Ok(())
}

// Everything below is called by extensions, which promise what the border demands: contexts,
// messages and owners that are alive, readable texts, writable results.

unsafe extern "C" fn report_error(reported: Text) {
    // SAFETY: see above.
    leave(unsafe { text(reported) }.unwrap_or("(the error text is not UTF-8)").to_owned());
}

unsafe extern "C" fn last_error() -> Text {
    LAST_ERROR.with_borrow_mut(|last| {
        last.shown = last.fresh.take().map(|(_, text)| text).unwrap_or_default();
        gxf::text_of(&last.shown)
    })
}

unsafe extern "C" fn log(severity: i32, module: CStr, file: CStr, line: u32, line_text: Text) {
    let c_text = |text: CStr| {
        if text.is_null() {
            return std::borrow::Cow::Borrowed("");
        }
        // SAFETY: see above.
        unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy()
    };
    let (module, file) = (c_text(module), c_text(file));
    let (module, file) = (&*module, &*file);
    // SAFETY: see above.
    let message = unsafe { text(line_text) }.unwrap_or("(the log text is not UTF-8)");
    macro_rules! event {
        ($level:ident) => {
            tracing::event!(
                tracing::Level::$level,
                gxf.module = module,
                gxf.file = file,
                gxf.line = line,
                "{message}"
            )
        };
    }
    match severity {
        ..=0 => tracing::error!(
            gxf.module = module,
            gxf.file = file,
            gxf.line = line,
            gxf.severity = 0u64,
            "{message}"
        ),
        1 => event!(ERROR),
        2 => event!(WARN),
        3 => event!(INFO),
        4 => event!(DEBUG),
        _ => event!(TRACE),
    }
}

unsafe extern "C" fn log_severity() -> i32 {
    match LevelFilter::current() {
        LevelFilter::OFF => -1,
        LevelFilter::ERROR => 1,
        LevelFilter::WARN => 2,
        LevelFilter::INFO => 3,
        LevelFilter::DEBUG => 4,
        _ => 5,
    }
}

unsafe extern "C" fn context_retain(context: *mut Context) {
    // SAFETY: see above; a context's address comes from an `Arc`.
    unsafe { Arc::increment_strong_count(context.cast_const().cast::<Inner>()) };
}

unsafe extern "C" fn context_release(context: *mut Context) {
    // SAFETY: see above.
    unsafe { Arc::decrement_strong_count(context.cast_const().cast::<Inner>()) };
}

unsafe extern "C" fn entity_create(context: *mut Context, name: Text, eid: *mut Uid) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe {
        let entity = inner(context)?.create_entity(text(name)?)?;
        put(eid, entity.eid())
    })())
}

unsafe extern "C" fn entity_find(context: *mut Context, name: Text, eid: *mut Uid) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe { put(eid, inner(context)?.find_entity(text(name)?)?.eid()) })())
}

unsafe extern "C" fn entity_name(context: *mut Context, eid: Uid, name: *mut Text) -> ResultCode {
    // SAFETY: see above; the name lives as long as the entity.
    finish((|| unsafe { put(name, gxf::text_of(inner(context)?.entity(eid)?.name())) })())
}

unsafe extern "C" fn entity_activate(context: *mut Context, eid: Uid) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe { inner(context)?.activate_entity(eid) })())
}

unsafe extern "C" fn entity_deactivate(context: *mut Context, eid: Uid) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe { inner(context)?.deactivate_entity(eid) })())
}

unsafe extern "C" fn entity_destroy(context: *mut Context, eid: Uid) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe { inner(context)?.remove_entity(eid) })())
}

unsafe extern "C" fn entity_notify(context: *mut Context, eid: Uid, event: Event) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe { inner(context)?.notify_entity(eid, event) })())
}

unsafe extern "C" fn entity_execute(
    context: *mut Context,
    eid: Uid,
    now: i64,
    condition: *mut Condition,
) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe { put(condition, inner(context)?.execute_entity(eid, now)?) })())
}

unsafe extern "C" fn component_add(
    context: *mut Context,
    eid: Uid,
    tid: Tid,
    name: Text,
    cid: *mut Uid,
) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe { put(cid, inner(context)?.add_component(eid, tid, text(name)?)?.cid()) })())
}

unsafe extern "C" fn component_find(
    context: *mut Context,
    eid: Uid,
    tid: Tid,
    name: Text,
    offset: *mut i32,
    cid: *mut Uid,
) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe {
        let tid = (!tid.is_null()).then_some(tid);
        let name = if name.data.is_null() { None } else { Some(text(name)?) };
        let start = offset
            .as_ref()
            .map_or(Ok(0), |start| usize::try_from(*start))
            .map_err(|_| Error::new(ResultCode::ARGUMENT_OUT_OF_RANGE, "the offset is negative"))?;
        let (position, found) = inner(context)?.find_component(eid, tid, name, start)?;
        if let Some(offset) = offset.as_mut() {
            *offset = i32::try_from(position).unwrap_or(i32::MAX);
        }
        put(cid, found)
    })())
}

unsafe extern "C" fn component_find_all(
    context: *mut Context,
    eid: Uid,
    sink: UidSink,
) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe {
        for component in inner(context)?.entity(eid)?.components().iter() {
            (sink.add)(sink.user, component.cid());
        }
        Ok(())
    })())
}

unsafe extern "C" fn component_type(context: *mut Context, cid: Uid, tid: *mut Tid) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe { put(tid, inner(context)?.component(cid)?.type_info().tid) })())
}

unsafe extern "C" fn component_name(
    context: *mut Context,
    cid: Uid,
    name: *mut Text,
) -> ResultCode {
    // SAFETY: see above; the name lives as long as the component.
    finish((|| unsafe { put(name, gxf::text_of(inner(context)?.component(cid)?.name())) })())
}

unsafe extern "C" fn component_entity(
    context: *mut Context,
    cid: Uid,
    eid: *mut Uid,
) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe { put(eid, inner(context)?.component(cid)?.eid()) })())
}

unsafe extern "C" fn component_pointer(
    context: *mut Context,
    cid: Uid,
    tid: Tid,
    result: *mut InterfaceRef,
) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe {
        let component = inner(context)?.component(cid)?;
        if !component.is_a(tid) {
            return Err(inner(context)?.wrong_type(&component, tid));
        }
        put(result, component.pointer())
    })())
}

unsafe extern "C" fn component_interface(
    context: *mut Context,
    cid: Uid,
    id: Tid,
    result: *mut InterfaceRef,
) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe {
        let component = inner(context)?.component(cid)?;
        match component.interface_ref(id) {
            Some(reference) => put(result, reference),
            None => Err(inner(context)?.wrong_type(&component, id)),
        }
    })())
}

unsafe extern "C" fn component_retain(owner: *mut c_void) {
    // SAFETY: see above.
    unsafe { component::retain_owner(owner) };
}

unsafe extern "C" fn component_release(owner: *mut c_void) {
    // SAFETY: see above.
    unsafe { component::release_owner(owner) };
}

unsafe extern "C" fn type_id(context: *mut Context, name: Text, tid: *mut Tid) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe { put(tid, inner(context)?.type_by_name(text(name)?)?.tid) })())
}

unsafe extern "C" fn type_name(context: *mut Context, tid: Tid, name: *mut Text) -> ResultCode {
    // SAFETY: see above; the registry keeps the type as long as the context lives.
    finish((|| unsafe { put(name, gxf::text_of(&inner(context)?.type_by_id(tid)?.name)) })())
}

unsafe extern "C" fn type_is_base(
    context: *mut Context,
    derived: Tid,
    base: Tid,
    result: *mut bool,
) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe { put(result, inner(context)?.type_by_id(derived)?.is_a(base)) })())
}

unsafe extern "C" fn parameter_set(
    context: *mut Context,
    cid: Uid,
    key: Text,
    given: *const Value,
) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe {
        let given = match given.as_ref() {
            Some(given) => Some(
                value::from_border(given)
                    .map_err(|code| Error::new(code, "the parameter's value is not well-formed"))?,
            ),
            None => None,
        };
        inner(context)?.set_parameter(cid, text(key)?, given)
    })())
}

unsafe extern "C" fn parameter_get(
    context: *mut Context,
    cid: Uid,
    key: Text,
    sink: ValueSink,
) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe {
        let (spec, found) = inner(context)?.parameter(cid, text(key)?)?;
        value::with_border_value(spec.element, spec.rank, &found, |found| {
            (sink.accept)(sink.user, found);
        });
        Ok(())
    })())
}

unsafe extern "C" fn message_new(_context: *mut Context, message: *mut *mut Message) -> ResultCode {
    match pool::new_message() {
        Some(new) => {
            // SAFETY: see above.
            unsafe { message.write(new.as_ptr()) };
            ResultCode::SUCCESS
        }
        None => ResultCode::OUT_OF_MEMORY,
    }
}

unsafe extern "C" fn message_retain(message: *mut Message) {
    // SAFETY: see above.
    unsafe { pool::retain(message) };
}

unsafe extern "C" fn message_release(message: *mut Message) {
    // SAFETY: see above.
    unsafe { pool::release(message) };
}

unsafe extern "C" fn message_reference_count(message: *mut Message) -> u32 {
    // SAFETY: see above.
    unsafe { pool::reference_count(message) }
}

unsafe extern "C" fn message_id(message: *mut Message) -> Uid {
    // SAFETY: see above.
    unsafe { pool::id_of(message) }
}

unsafe extern "C" fn message_from_id(
    context: *mut Context,
    eid: Uid,
    message: *mut *mut Message,
) -> ResultCode {
    let found = pool::from_id(eid).or_else(|| {
        // SAFETY: see above.
        let inner = unsafe { inner(context) }.ok()?;
        inner.message_of_entity(eid).map(HeldMessage::into_raw)
    });
    finish(match found {
        // SAFETY: see above.
        Some(found) => unsafe { put(message, found.as_ptr()) },
        None => Err(Error::new(
            ResultCode::ENTITY_NOT_FOUND,
            format!("there is no message with id {eid}"),
        )),
    })
}

unsafe extern "C" fn message_add(
    message: *mut Message,
    tid: Tid,
    name: Text,
    payload: *mut PayloadRef,
) -> ResultCode {
    // SAFETY: see above.
    match unsafe { pool::add(message, tid, name) } {
        Ok(added) => {
            // SAFETY: see above.
            unsafe { payload.write(added) };
            ResultCode::SUCCESS
        }
        Err(code) => finish(Err(match code {
            ResultCode::FACTORY_UNKNOWN_TID => Error::new(
                code,
                format!(
                    "no loaded extension registers a payload type with id {tid}; list it under \
                     `payloads` of its extension"
                ),
            ),
            ResultCode::CONTRACT_INVALID_SEQUENCE => {
                Error::new(code, "a message that others hold as well cannot be changed")
            }
            code => Error::new(code, "the payload could not be added"),
        })),
    }
}

unsafe extern "C" fn message_share(message: *mut Message, source: *mut Message) -> ResultCode {
    // SAFETY: see above.
    finish(unsafe { pool::share(message, source) }.map_err(|code| {
        let text = match code {
            ResultCode::CONTRACT_INVALID_SEQUENCE => {
                "only an empty message that nobody else holds can share the payloads of another one"
            }
            _ => "the payloads could not be shared",
        };
        Error::new(code, text)
    }))
}

unsafe extern "C" fn message_find(
    message: *mut Message,
    tid: Tid,
    name: Text,
    start: usize,
    payload: *mut PayloadRef,
) -> ResultCode {
    // SAFETY: see above.
    match unsafe { pool::find(message, tid, name, start) } {
        Some(found) => {
            // SAFETY: see above.
            unsafe { payload.write(found) };
            ResultCode::SUCCESS
        }
        None => ResultCode::ENTITY_COMPONENT_NOT_FOUND,
    }
}

unsafe extern "C" fn message_count(message: *mut Message) -> usize {
    // SAFETY: see above.
    unsafe { pool::count(message) }
}

unsafe extern "C" fn message_at(
    message: *mut Message,
    index: usize,
    payload: *mut PayloadRef,
) -> ResultCode {
    // SAFETY: see above.
    match unsafe { pool::at(message, index) } {
        Some(found) => {
            // SAFETY: see above.
            unsafe { payload.write(found) };
            ResultCode::SUCCESS
        }
        None => ResultCode::ARGUMENT_OUT_OF_RANGE,
    }
}

unsafe extern "C" fn message_remove(message: *mut Message, index: usize) -> ResultCode {
    // SAFETY: see above.
    unsafe { pool::remove(message, index) }.err().unwrap_or(ResultCode::SUCCESS)
}

unsafe extern "C" fn message_stamp(
    message: *mut Message,
    acquisition_time: i64,
    stamped: *mut *mut Message,
) -> ResultCode {
    // SAFETY: see above.
    match unsafe { pool::stamp(message, acquisition_time) } {
        Ok(result) => {
            // SAFETY: see above.
            unsafe { stamped.write(result.as_ptr()) };
            ResultCode::SUCCESS
        }
        Err(code) => code,
    }
}

unsafe extern "C" fn transmitter_receivers(
    context: *mut Context,
    cid: Uid,
    sink: UidSink,
) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe {
        for receiver in inner(context)?.receivers_of(cid) {
            (sink.add)(sink.user, receiver);
        }
        Ok(())
    })())
}

unsafe extern "C" fn graph_interrupt(context: *mut Context) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe { inner(context)?.interrupt() })())
}

unsafe extern "C" fn host_version() -> CStr {
    const VERSION: &std::ffi::CStr = match std::ffi::CStr::from_bytes_with_nul(
        concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes(),
    ) {
        Ok(version) => version,
        Err(_) => c"",
    };
    VERSION.as_ptr()
}

unsafe extern "C" fn entity_state(
    context: *mut Context,
    eid: Uid,
    state: *mut EntityState,
) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe { put(state, inner(context)?.runner_of(eid)?.state()) })())
}

unsafe extern "C" fn entity_status(
    context: *mut Context,
    eid: Uid,
    status: *mut i32,
) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe { put(status, i32::from(inner(context)?.runner_of(eid)?.status())) })())
}

unsafe extern "C" fn entity_observe(context: *mut Context, eid: Uid, observer: Uid) -> ResultCode {
    // SAFETY: see above.
    finish((|| unsafe {
        let inner = inner(context)?;
        inner.runner_of(eid)?.observe(&inner.runner_of(observer)?);
        Ok(())
    })())
}
