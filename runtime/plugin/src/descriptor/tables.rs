//! Function tables and texts of extensions.
//!
//! Tables of an older ABI minor version are shorter. Each table is first copied to a full-size one,
//! in which the missing functions are absent. The copies live as long as the process, like the
//! libraries.

#![expect(unsafe_code, reason = "calls and reads what an extension handed over")]

use gxf_plugin_abi as abi;
use gxf_plugin_abi::{CStr, Tid, tids};
use std::ffi::c_void;
use std::ptr::NonNull;

/// # Safety
/// `text` must be null or a C string that stays valid.
pub(super) unsafe fn text(text: CStr) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: `text` is null or a C string that stays valid.
    unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Checks the first field of a table: its size when its writer was compiled. `smallest` is the size
/// in ABI 1.0. A table with an impossible address or size does not come from the SDK or the header.
///
/// # Safety
/// `table` must be readable if it is not null and has a possible address.
pub(super) unsafe fn stated_size(
    table: *const c_void,
    smallest: usize,
) -> std::result::Result<usize, String> {
    if table.is_null() {
        return Err("is a null pointer".to_owned());
    }
    if !table.cast::<usize>().is_aligned() {
        return Err("has an address no structure can have".to_owned());
    }
    // SAFETY: `table` is readable if it is not null and has the address of a table; the size is the
    // first field.
    let stated = unsafe { table.cast::<usize>().read() };
    if stated < smallest {
        return Err(format!("states a size of {stated} bytes, and ABI 1.0 has {smallest}"));
    }
    if stated > 1 << 16 || !stated.is_multiple_of(align_of::<usize>()) {
        return Err(format!("states an impossible size of {stated} bytes"));
    }
    Ok(stated)
}

/// A full-size copy of a table; fields that the writer did not know are zero.
///
/// # Safety
/// `table` must point to `stated` readable bytes, and zero must be valid for the fields after those
/// of ABI 1.0.
pub(super) unsafe fn copy_sized<T>(table: *const c_void, stated: usize) -> NonNull<T> {
    let copy: &mut std::mem::MaybeUninit<T> = Box::leak(Box::new(std::mem::MaybeUninit::zeroed()));
    // SAFETY: both ranges are valid for the smaller of the two sizes.
    unsafe {
        copy.as_mut_ptr()
            .cast::<u8>()
            .copy_from_nonoverlapping(table.cast(), stated.min(size_of::<T>()));
    }
    NonNull::from(copy).cast()
}

macro_rules! interface_tables {
    ($($id:ident: $table:ident [$($mandatory:ident)*] [$($optional:ident)*]
        $(later [$($later:ident)*])?;)*) => {
        $(
            // Every function of a table must be in exactly one of the lists, the right one.
            const _: () = assert!(
                size_of::<abi::$table>()
                    == size_of::<usize>()
                        * (1 $(+ { _ = stringify!($mandatory); 1 })*
                            $(+ { _ = stringify!($optional); 1 })*
                            $($(+ { _ = stringify!($later); 1 })*)?)
            );
            const _: fn(&abi::$table) = |_table| {
                $(_ = _table.$mandatory as *const c_void;)*
                $(_ = _table.$optional.is_some();)*
                $($(_ = _table.$later.is_some();)*)?
            };
        )*

        /// Whether the host knows this interface.
        pub fn is_interface_with_functions(id: Tid) -> bool {
            matches!(id, $(tids::$id)|*)
        }

        /// A full-size copy of an interface's table. A table that the host does not know stays as
        /// it is.
        ///
        /// # Safety
        /// `vtable` must be null or the address of a table of the interface `id`.
        pub(super) unsafe fn adopt_table(
            id: Tid,
            vtable: *const c_void,
        ) -> std::result::Result<NonNull<c_void>, String> {
            match id {
                $(tids::$id => {
                    // Later ABI versions added functions at the end.
                    let grown = 0 $($(+ { _ = stringify!($later); size_of::<usize>() })*)?;
                    let smallest = size_of::<abi::$table>() - grown;
                    // SAFETY: `vtable` is null or the address of a table for the interface `id`.
                    let stated = unsafe { stated_size(vtable, smallest) }?;
                    $(
                        // SAFETY: the table has at least the functions of ABI 1.0.
                        let function = unsafe {
                            vtable
                                .byte_add(std::mem::offset_of!(abi::$table, $mandatory))
                                .cast::<*const c_void>()
                                .read()
                        };
                        if function.is_null() {
                            return Err(concat!("lacks `", stringify!($mandatory), "`").to_owned());
                        }
                    )*
                    // SAFETY: the functions after those of ABI 1.0 are optional, hence valid if
                    // zero.
                    Ok(unsafe { copy_sized::<abi::$table>(vtable, stated) }.cast())
                })*
                tids::PORT_TYPES => {
                    // SAFETY: every table starts with its size.
                    let stated = unsafe { stated_size(vtable, size_of::<abi::PortTypes>()) }?;
                    // SAFETY: the table is as long as it states, and has all fields.
                    Ok(unsafe { copy_sized::<abi::PortTypes>(vtable, stated) }.cast())
                }
                _ => {
                    // SAFETY: every table starts with its size.
                    unsafe { stated_size(vtable, size_of::<usize>()) }?;
                    NonNull::new(vtable.cast_mut()).ok_or_else(String::new)
                }
            }
        }
    };
}

// The mandatory and the optional functions of ABI 1.0, and those of later versions, which older
// extensions do not have.
interface_tables! {
    COMPONENT: ComponentVtable [] [set_parameter clear_parameters initialize deinitialize]
        later [check_parameters];
    CODELET: CodeletVtable [tick] [start stop];
    QUEUE: QueueVtable [push pop peek capacity message_count back_count sync] [];
    RECEIVER: ReceiverVtable [receive peek_back] [sync_io wait];
    TRANSMITTER: TransmitterVtable [publish_as_is] [sync_io];
    SCHEDULING_TERM: SchedulingTermVtable [check on_execute] [update_state watched];
    SCHEDULING_TERM_COMBINER: SchedulingTermCombinerVtable [check terms] [];
    BOOLEAN_SCHEDULING_TERM: BooleanSchedulingTermVtable [set_tick_enabled is_tick_enabled] [];
    ASYNCHRONOUS_SCHEDULING_TERM: AsynchronousSchedulingTermVtable
        [set_event_state event_state] [];
    TARGET_TIME_SCHEDULING_TERM: TargetTimeSchedulingTermVtable [set_next_target_time] [];
    BT_SCHEDULING_TERM: BtSchedulingTermVtable [set_condition wait_until wait_for] [];
    ALLOCATOR: AllocatorVtable [is_available allocate free block_size] [] later [statistics];
    CLOCK: ClockVtable [timestamp sleep_for sleep_until] [real_time_until];
    REALTIME_CLOCK: RealtimeClockVtable [set_time_scale] [];
    SYNTHETIC_CLOCK: SyntheticClockVtable [advance_to advance_by] [];
    VAULT: VaultVtable [waiting_count take] [] later [set_callback];
    METRIC: MetricVtable [record aggregated_value evaluate_success reset] [];
    ROUTER: RouterVtable [add_routes remove_routes sync_inbox sync_outbox] [];
    NETWORK_CONTEXT: NetworkContextVtable [initialize_network add_routes remove_routes] [];
    SYSTEM: SystemVtable [schedule unschedule run_async stop wait event_notify] [];
    SCHEDULER: SchedulerVtable [] [prepare];
    CONTROLLER: ControllerVtable [control] [];
    MONITOR: MonitorVtable [on_execute] [];
    ENDPOINT: EndpointVtable [is_write_available is_read_available write read] [write_pointer];
    FILE: FileVtable [open close flush seek tell clear is_open is_at_end has_failed] [];
    SERIALIZATION_BUFFER: SerializationBufferVtable
        [resize wrap reset data capacity written storage_type] [];
    COMPONENT_SERIALIZER: ComponentSerializerVtable [is_supported serialize deserialize] [];
    ENTITY_SERIALIZER: EntitySerializerVtable [serialize deserialize] [];
    IPC_SERVER: IpcServerVtable [register_service] [];
    IPC_CLIENT: IpcClientVtable [query action] [] later [ping change_address];
    COMPLETION: CompletionVtable [poll notify] [];
    LINK: LinkVtable [state room send finish statistics peer] [];
    COUNTED_LINK: CountedLinkVtable [counts] [];
    DEVICE_QUEUE: DeviceQueueVtable [device begin_thread] [];
    END_OF_INPUTS: EndOfInputsVtable [inputs_ended] [];
    VARIABLE_MEMORY: VariableMemoryVtable [bind] [];
    EVENT_LOOP: EventLoopVtable [enter wait work leave wake] [];
    CUDA_STREAM: CudaStreamVtable [stream device synchronize record reset_events] [];
    CUDA_STREAM_POOL: CudaStreamPoolVtable [allocate_stream release_stream] [];
    CUDA_ALLOCATOR: CudaAllocatorVtable [allocate_async free_async pool_size device] [];
}

/// Name of an interface for people: its GXF type, or its id.
pub fn interface_name(id: Tid) -> String {
    match tids::ALL.iter().find(|(_, known, _)| *known == id) {
        Some((_, _, type_name)) => (*type_name).to_owned(),
        None => format!("`{id}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gxf_plugin_abi::{IpcClientVtable, ResultCode, Text, TextSink};

    #[test]
    fn a_table_of_abi_1_3_lacks_the_functions_of_1_4() {
        unsafe extern "C" fn query(_: *mut c_void, _: Text, _: Text, _: TextSink) -> ResultCode {
            ResultCode::SUCCESS
        }
        unsafe extern "C" fn action(
            _: *mut c_void,
            _: Text,
            _: Text,
            _: Text,
            _: TextSink,
        ) -> ResultCode {
            ResultCode::SUCCESS
        }
        let full = IpcClientVtable {
            size: std::mem::offset_of!(IpcClientVtable, ping),
            query,
            action,
            ping: None,
            change_address: None,
        };
        // The bytes of a table of that time and no more.
        let words = full.size / size_of::<usize>();
        let mut short = vec![0usize; words];
        // SAFETY: both are at least as long as the table states.
        let adopted = unsafe {
            std::ptr::from_ref(&full)
                .cast::<usize>()
                .copy_to_nonoverlapping(short.as_mut_ptr(), words);
            adopt_table(tids::IPC_CLIENT, short.as_ptr().cast())
        };
        // SAFETY: the copy is of full size and is never freed.
        let adopted = unsafe { adopted.unwrap().cast::<IpcClientVtable>().as_ref() };
        assert!(adopted.ping.is_none() && adopted.change_address.is_none());
        assert_eq!(adopted.query as usize, full.query as usize);
        // Before 1.0 there were no shorter ones.
        short[0] = 16;
        // SAFETY: as above.
        let refused = unsafe { adopt_table(tids::IPC_CLIENT, short.as_ptr().cast()) };
        assert_eq!(refused.unwrap_err(), "states a size of 16 bytes, and ABI 1.0 has 24");
    }
}
