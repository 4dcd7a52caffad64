/// Which of the host's interfaces a type has.
#ifndef GXF_SDK_INTERFACES_HPP_
#define GXF_SDK_INTERFACES_HPP_

#include <type_traits>
#include <vector>

#include "gxf/sdk/tables/component.hpp"

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

/// Adds the table of an interface if `T` derives from the interface's class.
template <typename T, typename Base, template <typename> class Table>
void AddInterface(std::vector<GxeInterfaceEntry>& interfaces, GxeTid id) {
  // Asks nothing of a base that is only declared.
  if constexpr (std::is_base_of_v<Base, T>) {
    interfaces.push_back(GxeInterfaceEntry{id, 0, &Table<T>::kTable});
  }
}

/// The interfaces of a component type.
template <typename T>
std::vector<GxeInterfaceEntry> InterfacesOf() {
  std::vector<GxeInterfaceEntry> interfaces;
  interfaces.push_back(GxeInterfaceEntry{kCppObjectTid, 0, &kCppObjectTable});
  AddInterface<T, Component, ComponentTable>(interfaces, GXE_TID_COMPONENT);
  AddInterface<T, Codelet, CodeletTable>(interfaces, GXE_TID_CODELET);
  AddInterface<T, Queue, QueueTable>(interfaces, GXE_TID_QUEUE);
  AddInterface<T, Receiver, ReceiverTable>(interfaces, GXE_TID_RECEIVER);
  AddInterface<T, Transmitter, TransmitterTable>(interfaces, GXE_TID_TRANSMITTER);
  AddInterface<T, SchedulingTerm, SchedulingTermTable>(interfaces, GXE_TID_SCHEDULING_TERM);
  AddInterface<T, SchedulingTermCombiner, SchedulingTermCombinerTable>(interfaces, GXE_TID_SCHEDULING_TERM_COMBINER);
  AddInterface<T, BooleanSchedulingTerm, BooleanSchedulingTermTable>(interfaces, GXE_TID_BOOLEAN_SCHEDULING_TERM);
  AddInterface<T, AsynchronousSchedulingTerm, AsynchronousSchedulingTermTable>(interfaces, GXE_TID_ASYNCHRONOUS_SCHEDULING_TERM);
  AddInterface<T, TargetTimeSchedulingTerm, TargetTimeSchedulingTermTable>(interfaces, GXE_TID_TARGET_TIME_SCHEDULING_TERM);
  AddInterface<T, BTSchedulingTerm, BtSchedulingTermTable>(interfaces, GXE_TID_BT_SCHEDULING_TERM);
  AddInterface<T, Allocator, AllocatorTable>(interfaces, GXE_TID_ALLOCATOR);
  AddInterface<T, Clock, ClockTable>(interfaces, GXE_TID_CLOCK);
  AddInterface<T, RealtimeClock, RealtimeClockTable>(interfaces, GXE_TID_REALTIME_CLOCK);
  AddInterface<T, SyntheticClock, SyntheticClockTable>(interfaces, GXE_TID_SYNTHETIC_CLOCK);
  AddInterface<T, Metric, MetricTable>(interfaces, GXE_TID_METRIC);
  AddInterface<T, Router, RouterTable>(interfaces, GXE_TID_ROUTER);
  AddInterface<T, NetworkContext, NetworkContextTable>(interfaces, GXE_TID_NETWORK_CONTEXT);
  AddInterface<T, System, SystemTable>(interfaces, GXE_TID_SYSTEM);
  AddInterface<T, Scheduler, SchedulerTable>(interfaces, GXE_TID_SCHEDULER);
  AddInterface<T, Controller, ControllerTable>(interfaces, GXE_TID_CONTROLLER);
  AddInterface<T, Monitor, MonitorTable>(interfaces, GXE_TID_MONITOR);
  AddInterface<T, Endpoint, EndpointTable>(interfaces, GXE_TID_ENDPOINT);
  AddInterface<T, File, FileTable>(interfaces, GXE_TID_FILE);
  AddInterface<T, SerializationBuffer, SerializationBufferTable>(interfaces, GXE_TID_SERIALIZATION_BUFFER);
  AddInterface<T, ComponentSerializer, ComponentSerializerTable>(interfaces, GXE_TID_COMPONENT_SERIALIZER);
  AddInterface<T, EntitySerializer, EntitySerializerTable>(interfaces, GXE_TID_ENTITY_SERIALIZER);
  AddInterface<T, IPCServer, IpcServerTable>(interfaces, GXE_TID_IPC_SERVER);
  AddInterface<T, IPCClient, IpcClientTable>(interfaces, GXE_TID_IPC_CLIENT);
  return interfaces;
}

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_INTERFACES_HPP_
