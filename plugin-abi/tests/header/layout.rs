//! A C source file that compiles only if the header has the memory layout of the Rust sources.

use gxf_plugin_abi as abi;
use gxf_plugin_abi::tids;
use std::fmt::Write;
use std::mem::{align_of, offset_of, size_of};

/// A struct in Rust: name, size, alignment, and offsets of some fields.
pub struct Layout {
    pub name: &'static str,
    pub size: usize,
    alignment: usize,
    fields: Vec<(&'static str, usize)>,
}

macro_rules! layouts {
    ($($name:ident: $($field:ident)*;)*) => {
        /// The layouts of all structs.
        pub fn layouts() -> Vec<Layout> {
            vec![$(Layout {
                name: stringify!($name),
                size: size_of::<abi::$name>(),
                alignment: align_of::<abi::$name>(),
                fields: vec![$((stringify!($field), offset_of!(abi::$name, $field)),)*],
            },)*]
        }
    };
}

layouts! {
    Tid: hash1 hash2;
    ResultCode:;
    ParameterType:;
    Text: data length;
    Value: element_type rank count data;
    ParameterDescriptor: size key unit flags element_type rank shape handle_tid default_value
        minimum choices choice_count;
    Timestamp: pubtime acqtime;
    EndOfStream: stream_id;
    ConditionType:;
    Condition: condition_type target;
    Event:;
    AsynchronousEventState:;
    ControllerStatus: behavior execution;
    EntityState: behavior reserved verdicts;
    StorageType:;
    ComponentEnvironment: size context eid cid;
    TickInfo: size environment timestamp previous_timestamp count;
    InterfaceRef: object vtable owner;
    PayloadRef: tid name data size alignment;
    Callback: user call release;
    UidSink: user add;
    TextSink: user write;
    ValueSink: user accept;
    ExtensionDescriptor: magic size abi_major abi_minor id name build_info create_factory
        rust_layout_version rust_table_layout reserved;
    ExtensionFactory: size types type_count;
    ComponentType: size tid base_tid type_name flags reserved instance_size create destroy
        parameters interfaces interface_count;
    InterfaceEntry: id offset vtable;
    HostTable: size abi_major abi_minor report_error log context_retain entity_create
        entity_execute component_add component_release type_id parameter_set parameter_get
        message_new message_find message_stamp transmitter_receivers graph_interrupt host_version
        entity_state entity_status entity_observe message_share wake_token_new wake_token_retain
        wake_token_use wake_token_release entity_fail host_interface;
    TraceTable: size is_on now span;
    TraceLinkTable: size passed clock;
    ComponentVtable: size set_parameter clear_parameters initialize deinitialize check_parameters;
    CodeletVtable: size start tick stop;
    QueueVtable: size push pop peek capacity message_count back_count sync;
    ReceiverVtable: size receive peek_back sync_io wait;
    TransmitterVtable: size publish_as_is sync_io;
    SchedulingTermVtable: size check on_execute update_state watched;
    SchedulingTermCombinerVtable: size check terms;
    BooleanSchedulingTermVtable: size set_tick_enabled is_tick_enabled;
    AsynchronousSchedulingTermVtable: size set_event_state event_state;
    TargetTimeSchedulingTermVtable: size set_next_target_time;
    BtSchedulingTermVtable: size set_condition wait_until wait_for;
    AllocatorVtable: size is_available allocate free block_size statistics;
    AllocatorStatistics: used_bytes peak_bytes allocation_count;
    ClockVtable: size timestamp sleep_for sleep_until real_time_until;
    RealtimeClockVtable: size set_time_scale;
    SyntheticClockVtable: size advance_to advance_by;
    VaultVtable: size waiting_count take set_callback;
    MetricVtable: size record aggregated_value evaluate_success reset;
    RouterVtable: size add_routes remove_routes sync_inbox sync_outbox;
    NetworkContextVtable: size initialize_network add_routes remove_routes;
    SystemVtable: size schedule unschedule run_async stop wait event_notify;
    SchedulerVtable: size prepare;
    ControllerVtable: size control;
    MonitorVtable: size on_execute;
    EndpointVtable: size is_write_available is_read_available write read write_pointer;
    FileVtable: size open close flush seek tell clear is_open is_at_end has_failed;
    SerializationBufferVtable: size resize wrap reset data capacity written storage_type;
    EndpointRef: object vtable;
    ComponentSerializerVtable: size is_supported serialize deserialize;
    EntitySerializerVtable: size serialize deserialize;
    IpcService: user handle;
    IpcServerVtable: size register_service;
    IpcClientVtable: size query action ping change_address;
    CompletionVtable: size poll notify;
    LinkState:;
    LinkStatistics: messages bytes queued credits round_trip reconnects dropped;
    LinkCounts: run messages room;
    CountedLinkVtable: size counts;
    DeviceQueueVtable: size device begin_thread;
    EndOfInputsVtable: size inputs_ended;
    VariableMemoryVtable: size bind;
    EventLoopVtable: size enter wait work leave wake;
    LinkVtable: size state room send finish statistics peer;
    DeviceTable: size device_of;
    PendingWorkTable: size begin end;
    StreamSyncId: stream_sync_cid;
    StreamSyncVtable: size signal wait;
    CudaTable: size allocate take_stream record wait is_done when_done before_use after_use;
    DeviceWorkTable: size begin end is_synchronous;
    DeviceTickTable: size enqueued;
    DeviceGraphTable: size is_wanted launched ordinary;
    DeviceChainTable: size launch let_go after let_all_go;
    CudaPiece: user operations enqueue equals release;
    KernelTable: size launch;
    KernelLaunch: ptx name blocks threads shared_bytes reserved arguments arguments_size uses use_count;
    KernelUse: memory is_write;
    DeviceWork: stream device reserved begin end waits to_device to_host between;
    CudaFence: event stream device reserved sequence owner retain release;
    CudaStreamId: stream_cid;
    CudaEvent: event device reserved free;
    CudaBuffer: memory fence stream_cid state reserved;
    CudaUseSink: user add;
    DeviceMemoryOwnerVtable: base id note_use uses;
    CudaStreamVtable: size stream device synchronize record reset_events;
    CudaStreamPoolVtable: size allocate_stream release_stream;
    CudaAllocatorVtable: size allocate_async free_async pool_size device;
    PortTypes: size ports port_count;
    PortType: parameter tid type_name;
    MemoryOwnerVtable: size release retain owner_count;
    MemoryBuffer: pointer size storage_type flags owner words;
    PrimitiveType:;
    Shape: rank dimensions;
    Tensor: element_type shape recorded_storage bytes_per_element strides memory;
    SourceTimestamp: timestamp time_domain reserved;
    MultiSourceTimestamp: count entries;
    VideoFormat:;
    SurfaceLayout:;
    ColorPlane: color_space size stride offset width height bytes_per_pixel reserved;
    VideoBufferInfo: width height color_format plane_count surface_layout color_planes;
    VideoBuffer: info memory;
    AudioFormat:;
    AudioLayout:;
    AudioBufferInfo: channels samples sampling_rate bytes_per_sample audio_format audio_layout;
    AudioBuffer: info memory;
    DistortionType:;
    CameraModel: dimensions focal_length principal_point skew_value distortion_type
        distortion_coefficients;
    Pose3D: rotation translation;
}

/// A translation unit in the common subset of C11 and C++17 that includes only the header.
pub fn assertions() -> String {
    let mut text = "\
#include \"gxf/plugin_abi.h\"

#ifdef __cplusplus
#define ASSERT(condition) static_assert(condition, #condition)
#define ALIGNMENT alignof
#else
#define ASSERT(condition) _Static_assert(condition, #condition)
#define ALIGNMENT _Alignof
#endif

"
    .to_owned();
    // Writing to a `String` does not fail, here and below.
    for Layout { name, size, alignment, fields } in layouts() {
        let _ = writeln!(text, "ASSERT(sizeof(Gxe{name}) == {size});");
        let _ = writeln!(text, "ASSERT(ALIGNMENT(Gxe{name}) == {alignment});");
        for (field, offset) in fields {
            let _ = writeln!(text, "ASSERT(offsetof(Gxe{name}, {field}) == {offset});");
        }
    }
    for (name, value) in [
        ("GXE_ABI_MAGIC", abi::ABI_MAGIC),
        ("GXE_ABI_MAJOR", abi::ABI_MAJOR.into()),
        ("GXE_ABI_MINOR", abi::ABI_MINOR.into()),
        ("GXE_TYPE_ABSTRACT", abi::TYPE_ABSTRACT.into()),
        ("GXE_TYPE_PUBLISHES_INTO", abi::TYPE_PUBLISHES_INTO.into()),
        ("GXE_PARAMETER_DYNAMIC", abi::PARAMETER_DYNAMIC.into()),
        ("GxeParameterType_TID", abi::ParameterType::TID.0.into()),
        ("GxeEvent_STATE_UPDATE", abi::Event::STATE_UPDATE.0.into()),
        ("GxePrimitiveType_FLOAT16", abi::PrimitiveType::FLOAT16.0 as u64),
        ("GXE_MAX_RANK", abi::MAX_RANK as u64),
    ] {
        let _ = writeln!(text, "ASSERT({name} == UINT64_C({value}));");
    }
    for code in abi::ResultCode::ALL {
        let name = code.name().replacen("GXF_", "GxeResultCode_", 1);
        let _ = writeln!(text, "ASSERT({name} == {});", code.0);
    }
    // C programs need the ids in static initialisers. Every id must work, and be used.
    for (name, ..) in tids::ALL {
        let _ = writeln!(text, "extern const GxeTid id_{name};");
        let _ = writeln!(text, "const GxeTid id_{name} = GXE_TID_{name};");
    }
    text
}
