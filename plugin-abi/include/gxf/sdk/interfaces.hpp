/// Which of the host's interfaces a type has.
#ifndef GXF_SDK_INTERFACES_HPP_
#define GXF_SDK_INTERFACES_HPP_

#include <type_traits>
#include <vector>

#include "gxf/sdk/tables/component.hpp"

namespace gxe {
class Completion;
class DeviceQueue;
}  // namespace gxe

namespace nvidia {
namespace gxf {

// A class that derives from one of these includes its header, which includes its table.
class Queue;
class Receiver;
class Transmitter;
class SchedulingTerm;
class SchedulingTermCombiner;
class BooleanSchedulingTerm;
class AsynchronousSchedulingTerm;
class TargetTimeSchedulingTerm;
class BTSchedulingTerm;
struct Allocator;
class Clock;
class RealtimeClock;
class SyntheticClock;
class Metric;
class Router;
class NetworkContext;
class System;
class Scheduler;
class Controller;
class Monitor;
class Endpoint;
class File;
class SerializationBuffer;
class ComponentSerializer;
class EntitySerializer;
class IPCServer;
class IPCClient;

namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct QueueTable;
template <typename T>
struct ReceiverTable;
template <typename T>
struct TransmitterTable;
template <typename T>
struct SchedulingTermTable;
template <typename T>
struct SchedulingTermCombinerTable;
template <typename T>
struct BooleanSchedulingTermTable;
template <typename T>
struct AsynchronousSchedulingTermTable;
template <typename T>
struct TargetTimeSchedulingTermTable;
template <typename T>
struct BtSchedulingTermTable;
template <typename T>
struct AllocatorTable;
template <typename T>
struct ClockTable;
template <typename T>
struct RealtimeClockTable;
template <typename T>
struct SyntheticClockTable;
template <typename T>
struct MetricTable;
template <typename T>
struct RouterTable;
template <typename T>
struct NetworkContextTable;
template <typename T>
struct SystemTable;
template <typename T>
struct SchedulerTable;
template <typename T>
struct ControllerTable;
template <typename T>
struct MonitorTable;
template <typename T>
struct EndpointTable;
template <typename T>
struct FileTable;
template <typename T>
struct SerializationBufferTable;
template <typename T>
struct ComponentSerializerTable;
template <typename T>
struct EntitySerializerTable;
template <typename T>
struct IpcServerTable;
template <typename T>
struct IpcClientTable;
template <typename T>
struct CompletionTable;
template <typename T>
struct DeviceQueueTable;

// Adds the table of an interface if `T` derives from the interface's class; asks nothing of a class
// that is only declared. Not a function: each type would have one for every interface.
#define GXE_ADD_INTERFACE(Base, Table, id)                           \
  if constexpr (std::is_base_of_v<Base, T>) {                        \
    interfaces.push_back(GxeInterfaceEntry{id, 0, &Table<T>::kTable}); \
  }

/// The interfaces of a component type.
template <typename T>
std::vector<GxeInterfaceEntry> InterfacesOf() {
  std::vector<GxeInterfaceEntry> interfaces;
  interfaces.push_back(GxeInterfaceEntry{kCppObjectTid, 0, &kCppObjectTable});
  GXE_ADD_INTERFACE(Component, ComponentTable, GXE_TID_COMPONENT)
  GXE_ADD_INTERFACE(Codelet, CodeletTable, GXE_TID_CODELET)
  GXE_ADD_INTERFACE(Queue, QueueTable, GXE_TID_QUEUE)
  GXE_ADD_INTERFACE(Receiver, ReceiverTable, GXE_TID_RECEIVER)
  GXE_ADD_INTERFACE(Transmitter, TransmitterTable, GXE_TID_TRANSMITTER)
  GXE_ADD_INTERFACE(SchedulingTerm, SchedulingTermTable, GXE_TID_SCHEDULING_TERM)
  GXE_ADD_INTERFACE(SchedulingTermCombiner, SchedulingTermCombinerTable, GXE_TID_SCHEDULING_TERM_COMBINER)
  GXE_ADD_INTERFACE(BooleanSchedulingTerm, BooleanSchedulingTermTable, GXE_TID_BOOLEAN_SCHEDULING_TERM)
  GXE_ADD_INTERFACE(AsynchronousSchedulingTerm, AsynchronousSchedulingTermTable, GXE_TID_ASYNCHRONOUS_SCHEDULING_TERM)
  GXE_ADD_INTERFACE(TargetTimeSchedulingTerm, TargetTimeSchedulingTermTable, GXE_TID_TARGET_TIME_SCHEDULING_TERM)
  GXE_ADD_INTERFACE(BTSchedulingTerm, BtSchedulingTermTable, GXE_TID_BT_SCHEDULING_TERM)
  GXE_ADD_INTERFACE(Allocator, AllocatorTable, GXE_TID_ALLOCATOR)
  GXE_ADD_INTERFACE(Clock, ClockTable, GXE_TID_CLOCK)
  GXE_ADD_INTERFACE(RealtimeClock, RealtimeClockTable, GXE_TID_REALTIME_CLOCK)
  GXE_ADD_INTERFACE(SyntheticClock, SyntheticClockTable, GXE_TID_SYNTHETIC_CLOCK)
  GXE_ADD_INTERFACE(Metric, MetricTable, GXE_TID_METRIC)
  GXE_ADD_INTERFACE(Router, RouterTable, GXE_TID_ROUTER)
  GXE_ADD_INTERFACE(NetworkContext, NetworkContextTable, GXE_TID_NETWORK_CONTEXT)
  GXE_ADD_INTERFACE(System, SystemTable, GXE_TID_SYSTEM)
  GXE_ADD_INTERFACE(Scheduler, SchedulerTable, GXE_TID_SCHEDULER)
  GXE_ADD_INTERFACE(Controller, ControllerTable, GXE_TID_CONTROLLER)
  GXE_ADD_INTERFACE(Monitor, MonitorTable, GXE_TID_MONITOR)
  GXE_ADD_INTERFACE(Endpoint, EndpointTable, GXE_TID_ENDPOINT)
  GXE_ADD_INTERFACE(File, FileTable, GXE_TID_FILE)
  GXE_ADD_INTERFACE(SerializationBuffer, SerializationBufferTable, GXE_TID_SERIALIZATION_BUFFER)
  GXE_ADD_INTERFACE(ComponentSerializer, ComponentSerializerTable, GXE_TID_COMPONENT_SERIALIZER)
  GXE_ADD_INTERFACE(EntitySerializer, EntitySerializerTable, GXE_TID_ENTITY_SERIALIZER)
  GXE_ADD_INTERFACE(IPCServer, IpcServerTable, GXE_TID_IPC_SERVER)
  GXE_ADD_INTERFACE(IPCClient, IpcClientTable, GXE_TID_IPC_CLIENT)
  GXE_ADD_INTERFACE(gxe::Completion, CompletionTable, GXE_TID_COMPLETION)
  GXE_ADD_INTERFACE(gxe::DeviceQueue, DeviceQueueTable, GXE_TID_DEVICE_QUEUE)
  return interfaces;
}

#undef GXE_ADD_INTERFACE

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_INTERFACES_HPP_
