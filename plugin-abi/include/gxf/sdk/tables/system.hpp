/// The host's way into systems, routers, controllers, monitors, metrics, vaults and services.
#ifndef GXF_SDK_TABLES_SYSTEM_HPP_
#define GXF_SDK_TABLES_SYSTEM_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/std/controller.hpp"
#include "gxf/std/ipc_client.hpp"
#include "gxf/std/ipc_server.hpp"
#include "gxf/std/metric.hpp"
#include "gxf/std/monitor.hpp"
#include "gxf/std/network_context.hpp"
#include "gxf/std/resources.hpp"
#include "gxf/std/router.hpp"
#include "gxf/std/scheduler.hpp"
#include "gxf/std/system.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct SystemTable {
  static System& Self(void* object) { return *static_cast<T*>(object); }
  static GxeResultCode Schedule(void* object, GxeUid eid) noexcept {
    return Guard("schedule_abi", [&] { return Self(object).schedule_abi(eid); });
  }
  static GxeResultCode Unschedule(void* object, GxeUid eid) noexcept {
    return Guard("unschedule_abi", [&] { return Self(object).unschedule_abi(eid); });
  }
  static GxeResultCode RunAsync(void* object) noexcept {
    return Guard("runAsync_abi", [&] { return Self(object).runAsync_abi(); });
  }
  static GxeResultCode Stop(void* object) noexcept {
    return Guard("stop_abi", [&] { return Self(object).stop_abi(); });
  }
  static GxeResultCode Wait(void* object) noexcept {
    return Guard("wait_abi", [&] { return Self(object).wait_abi(); });
  }
  static GxeResultCode EventNotify(void* object, GxeUid eid, GxeEvent event) noexcept {
    return Guard("event_notify_abi", [&] {
      return Self(object).event_notify_abi(eid, static_cast<gxf_event_t>(event));
    });
  }
  static constexpr GxeSystemVtable kTable = {
      sizeof(GxeSystemVtable), Schedule, Unschedule, RunAsync, Stop, Wait, EventNotify};
};

template <typename T>
struct SchedulerTable {
  static GxeResultCode Prepare(void* object) noexcept {
    return Guard("prepare_abi", [&] {
      Scheduler& self = *static_cast<T*>(object);
      return self.prepare_abi(detail::SchedulerAccess::Executor(self));
    });
  }
  static constexpr GxeSchedulerVtable kTable = {sizeof(GxeSchedulerVtable), Prepare};
};

/// Calls a function with the entity an id stands for.
template <typename T, typename F>
GxeResultCode WithEntity(const char* stage, void* object, GxeUid eid, F&& function) noexcept {
  return Guard(stage, [&] {
    T& self = *static_cast<T*>(object);
    return ToResultCode(function(self, detail::EntityAccess::OfGraph(self.context(), eid)));
  });
}

template <typename T>
struct RouterTable {
  static GxeResultCode AddRoutes(void* object, GxeUid eid) noexcept {
    return WithEntity<T>("addRoutes", object, eid,
                         [](T& self, const Entity& entity) { return self.addRoutes(entity); });
  }
  static GxeResultCode RemoveRoutes(void* object, GxeUid eid) noexcept {
    return WithEntity<T>("removeRoutes", object, eid,
                         [](T& self, const Entity& entity) { return self.removeRoutes(entity); });
  }
  static GxeResultCode SyncInbox(void* object, GxeUid eid) noexcept {
    return WithEntity<T>("syncInbox", object, eid,
                         [](T& self, const Entity& entity) { return self.syncInbox(entity); });
  }
  static GxeResultCode SyncOutbox(void* object, GxeUid eid) noexcept {
    return WithEntity<T>("syncOutbox", object, eid,
                         [](T& self, const Entity& entity) { return self.syncOutbox(entity); });
  }
  static constexpr GxeRouterVtable kTable = {sizeof(GxeRouterVtable), AddRoutes, RemoveRoutes,
                                             SyncInbox, SyncOutbox};
};

template <typename T>
struct NetworkContextTable {
  static GxeResultCode InitializeNetwork(void* object) noexcept {
    return Guard("init_context", [&] { return static_cast<T*>(object)->init_context(); });
  }
  static constexpr GxeNetworkContextVtable kTable = {
      sizeof(GxeNetworkContextVtable), InitializeNetwork, RouterTable<T>::AddRoutes,
      RouterTable<T>::RemoveRoutes};
};

template <typename T>
struct ControllerTable {
  static GxeControllerStatus Control(void* object, GxeUid eid, GxeResultCode code) noexcept {
    gxf_controller_status_t status(GXF_BEHAVIOR_UNKNOWN, GXF_EXECUTE_FAILURE);
    Guard("control", [&] {
      status = static_cast<T*>(object)->control(eid, ExpectedOrCode(ToGxf(code)));
      return GXF_SUCCESS;
    });
    return {static_cast<int32_t>(status.behavior_status), static_cast<int32_t>(status.exec_status)};
  }
  static constexpr GxeControllerVtable kTable = {sizeof(GxeControllerVtable), Control};
};

template <typename T>
struct MonitorTable {
  static GxeResultCode OnExecute(void* object, GxeUid eid, int64_t timestamp,
                                 GxeResultCode code) noexcept {
    return Guard("on_execute_abi", [&] {
      return static_cast<T*>(object)->on_execute_abi(eid, static_cast<uint64_t>(timestamp),
                                                     ToGxf(code));
    });
  }
  static constexpr GxeMonitorVtable kTable = {sizeof(GxeMonitorVtable), OnExecute};
};

template <typename T>
struct MetricTable {
  static Metric& Self(void* object) { return *static_cast<T*>(object); }
  static GxeResultCode Record(void* object, double sample) noexcept {
    return Guard("record", [&] { return ToResultCode(Self(object).record(sample)); });
  }
  static GxeResultCode AggregatedValue(void* object, double* value) noexcept {
    return Guard("getAggregatedValue", [&] {
      return ToResultCode(Self(object).getAggregatedValue().assign_to(*value));
    });
  }
  static GxeResultCode EvaluateSuccess(void* object, bool* success) noexcept {
    return Guard("evaluateSuccess", [&] {
      return ToResultCode(Self(object).evaluateSuccess().assign_to(*success));
    });
  }
  static GxeResultCode Reset(void* object) noexcept {
    return Guard("reset", [&] { return ToResultCode(Self(object).reset()); });
  }
  static constexpr GxeMetricVtable kTable = {sizeof(GxeMetricVtable), Record, AggregatedValue,
                                             EvaluateSuccess, Reset};
};

template <typename T>
struct IpcServerTable {
  static GxeResultCode RegisterService(void* object, GxeText name, bool is_action,
                                       GxeIpcService service) noexcept {
    return Guard("registerService", [&] {
      IPCServer::Service ours;
      ours.name = std::string(FromText(name));
      ours.type = is_action ? IPCServer::kAction : IPCServer::kQuery;
      const auto ask = [service](std::string_view resource, std::string_view data) {
        std::string answer;
        const GxeTextSink sink = {&answer, [](void* user, GxeText text) {
                                    static_cast<std::string*>(user)->append(FromText(text));
                                  }};
        const GxeResultCode code =
            service.handle(service.user, ToText(resource), ToText(data), sink);
        return ExpectedOrCode(ToGxf(code), std::move(answer));
      };
      ours.handler.query = [ask](const std::string& resource) { return ask(resource, ""); };
      ours.handler.action = [ask](const std::string& resource, const std::string& data) {
        return Expected<void>(ask(resource, data));
      };
      return ToResultCode(static_cast<T*>(object)->registerService(ours));
    });
  }
  static constexpr GxeIpcServerVtable kTable = {sizeof(GxeIpcServerVtable), RegisterService};
};

template <typename T>
struct IpcClientTable {
  static GxeResultCode Query(void* object, GxeText service, GxeText resource,
                             GxeTextSink answer) noexcept {
    return Guard("query", [&]() -> gxf_result_t {
      const auto text = static_cast<T*>(object)->query(std::string(FromText(service)),
                                                       std::string(FromText(resource)));
      if (!text) { return text.error(); }
      answer.write(answer.user, ToText(std::string_view{text.value()}));
      return GXF_SUCCESS;
    });
  }
  static GxeResultCode Action(void* object, GxeText service, GxeText resource, GxeText payload,
                              GxeTextSink) noexcept {
    return Guard("action", [&] {
      return ToResultCode(static_cast<T*>(object)->action(std::string(FromText(service)),
                                                          std::string(FromText(resource)),
                                                          std::string(FromText(payload))));
    });
  }
  static constexpr GxeIpcClientVtable kTable = {sizeof(GxeIpcClientVtable), Query, Action};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_SYSTEM_HPP_
