//! What the `abi_stable` layout check of Rust extensions compares.

use crate::*;
use abi_stable::StableAbi;

/// All plain data types; these never change within an ABI major version.
#[repr(C)]
#[derive(StableAbi)]
pub struct DataLayout {
    tid: Tid,
    text: Text,
    value: Value,
    timestamp: Timestamp,
    condition: Condition,
    controller_status: ControllerStatus,
    entity_state: EntityState,
    end_of_stream: EndOfStream,
    storage_type: StorageType,
    event: Event,
    asynchronous_event_state: AsynchronousEventState,
    interface_ref: InterfaceRef,
    payload_ref: PayloadRef,
    endpoint_ref_object: *const EndpointRef,
    uid_sink: UidSink,
    text_sink: TextSink,
    value_sink: ValueSink,
    interface_entry: InterfaceEntry,
}

/// All tables of one ABI minor version. Compared only if host and extension have the same minor.
#[repr(C)]
#[derive(StableAbi)]
pub struct TableLayout {
    extension: ExtensionDescriptor,
    factory: ExtensionFactory,
    component_type: ComponentType,
    parameter: ParameterDescriptor,
    host: HostTable,
    environment: ComponentEnvironment,
    tick_info: TickInfo,
    component: ComponentVtable,
    codelet: CodeletVtable,
    queue: QueueVtable,
    receiver: ReceiverVtable,
    transmitter: TransmitterVtable,
    scheduling_term: SchedulingTermVtable,
    scheduling_term_combiner: SchedulingTermCombinerVtable,
    boolean_scheduling_term: BooleanSchedulingTermVtable,
    asynchronous_scheduling_term: AsynchronousSchedulingTermVtable,
    target_time_scheduling_term: TargetTimeSchedulingTermVtable,
    bt_scheduling_term: BtSchedulingTermVtable,
    allocator: AllocatorVtable,
    clock: ClockVtable,
    realtime_clock: RealtimeClockVtable,
    synthetic_clock: SyntheticClockVtable,
    vault: VaultVtable,
    metric: MetricVtable,
    router: RouterVtable,
    network_context: NetworkContextVtable,
    system: SystemVtable,
    scheduler: SchedulerVtable,
    controller: ControllerVtable,
    monitor: MonitorVtable,
    endpoint: EndpointVtable,
    file: FileVtable,
    serialization_buffer: SerializationBufferVtable,
    component_serializer: ComponentSerializerVtable,
    entity_serializer: EntitySerializerVtable,
    ipc_server: IpcServerVtable,
    ipc_client: IpcClientVtable,
    tensor: Tensor,
    multi_source_timestamp: MultiSourceTimestamp,
    video_buffer: VideoBuffer,
    audio_buffer: AudioBuffer,
    camera_model: CameraModel,
    pose_3d: Pose3D,
    completion: CompletionVtable,
    link: LinkVtable,
    link_state: LinkState,
    link_statistics: LinkStatistics,
    port_types: PortTypes,
    trace: TraceTable,
    trace_links: TraceLinkTable,
    devices: DeviceTable,
    cuda_fence: CudaFence,
    cuda_stream_id: CudaStreamId,
    cuda_event: CudaEvent,
    cuda_buffer: CudaBuffer,
    device_memory_owner: DeviceMemoryOwnerVtable,
    cuda_stream: CudaStreamVtable,
    cuda_stream_pool: CudaStreamPoolVtable,
    cuda_allocator: CudaAllocatorVtable,
    pending_work: PendingWorkTable,
    stream_sync_id: StreamSyncId,
    stream_sync: StreamSyncVtable,
    cuda: CudaTable,
    device_work: DeviceWorkTable,
    counted_link: CountedLinkVtable,
    event_loop: EventLoopVtable,
    link_counts: LinkCounts,
    device_ticks: DeviceTickTable,
    device_graphs: DeviceGraphTable,
    device_chains: DeviceChainTable,
    cuda_piece: CudaPiece,
    kernels: KernelTable,
    device_queue: DeviceQueueVtable,
    end_of_inputs: EndOfInputsVtable,
    variable_memory: VariableMemoryVtable,
}

/// The `abi_stable` version that made both layouts. The host does not read layouts of another one.
pub const LAYOUT_VERSION: &core::ffi::CStr = c"abi_stable 0.11";

/// Layout of [`DataLayout`] on this side.
#[must_use]
pub const fn data_layout() -> &'static abi_stable::type_layout::TypeLayout {
    <DataLayout as StableAbi>::LAYOUT
}

/// Layout of [`TableLayout`] on this side.
#[must_use]
pub const fn table_layout() -> &'static abi_stable::type_layout::TypeLayout {
    <TableLayout as StableAbi>::LAYOUT
}
