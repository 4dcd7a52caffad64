/// Which of the host's interfaces a type has.
#ifndef GXF_SDK_INTERFACES_HPP_
#define GXF_SDK_INTERFACES_HPP_

#include <type_traits>
#include <vector>

#include "gxf/sdk/tables/component.hpp"
#include "gxf/sdk/tables/queue.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

/// Adds the table of an interface if `T` is derived from the class that stands for it.
template <typename T, typename Base, template <typename> class Table>
void AddInterface(std::vector<GxeInterfaceEntry>& interfaces, GxeTid id) {
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
  return interfaces;
}

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_INTERFACES_HPP_
