/// The common part of the tables of routers and network contexts.
#ifndef GXF_SDK_TABLES_ROUTES_HPP_
#define GXF_SDK_TABLES_ROUTES_HPP_

#include "gxf/core/entity.hpp"
#include "gxf/sdk/guard.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

/// The common part of routers and network contexts. `Base` is one of the two.
template <typename T, typename Base>
struct RoutesTable {
  using Function = Expected<void> (Base::*)(const Entity&);
  static Base& Self(void* object) { return BaseOf<Base, T>(object); }

  /// Calls a function with the entity of an id.
  static GxeResultCode Call(const char* stage, void* object, GxeUid eid,
                            Function function) noexcept {
    Base& self = Self(object);
    return Guard(self, stage, [&] {
      return ToResultCode((self.*function)(detail::EntityAccess::OfGraph(self.context(), eid)));
    });
  }
  static GxeResultCode AddRoutes(void* object, GxeUid eid) noexcept {
    return Call("addRoutes", object, eid, &Base::addRoutes);
  }
  static GxeResultCode RemoveRoutes(void* object, GxeUid eid) noexcept {
    return Call("removeRoutes", object, eid, &Base::removeRoutes);
  }
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_ROUTES_HPP_
