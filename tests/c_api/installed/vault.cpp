// A program that makes its graph by hand, takes messages out of it, and holds a codelet back, while
// the graph runs in other threads.
#include <future>

#include "check.h"
#include "graph.hpp"
#include "gxf/core/handle.hpp"
#include "gxf/std/clock.hpp"
#include "gxf/std/scheduling_terms.hpp"
#include "gxf/std/vault.hpp"

using nvidia::gxf::AsynchronousEventState;
using nvidia::gxf::AsynchronousSchedulingTerm;
using nvidia::gxf::Clock;
using nvidia::gxf::Handle;
using nvidia::gxf::Vault;

int main() {
  gxf_context_t context = new_context();
  OK(GxfLoadExtension(context, "gxf/sample/libgxf_sample.so"));
  const auto tx = NewEntity(context, "tx");
  const auto out = NewComponent(context, tx, "nvidia::gxf::DoubleBufferTransmitter", "out");
  const auto ping = NewComponent(context, tx, "nvidia::gxf::PingTx", "ping");
  const auto event = NewComponent(context, tx, "nvidia::gxf::AsynchronousSchedulingTerm", "event");
  const auto room =
      NewComponent(context, tx, "nvidia::gxf::DownstreamReceptiveSchedulingTerm", "room");
  OK(GxfParameterSetHandle(context, ping, "signal", out));
  OK(GxfParameterSetHandle(context, room, "transmitter", out));
  OK(GxfParameterSetUInt64(context, room, "min_size", 1));

  const auto rx = NewEntity(context, "rx");
  const auto in = NewComponent(context, rx, "nvidia::gxf::DoubleBufferReceiver", "in");
  const auto vault = NewComponent(context, rx, "nvidia::gxf::Vault", "vault");
  const auto message =
      NewComponent(context, rx, "nvidia::gxf::MessageAvailableSchedulingTerm", "message");
  OK(GxfParameterSetHandle(context, vault, "source", in));
  OK(GxfParameterSetUInt64(context, vault, "max_waiting_count", 100));
  OK(GxfParameterSetBool(context, vault, "drop_waiting", false));
  OK(GxfParameterSetHandle(context, message, "receiver", in));
  OK(GxfParameterSetUInt64(context, message, "min_size", 1));

  const auto connection =
      NewComponent(context, NewEntity(context, nullptr), "nvidia::gxf::Connection", nullptr);
  OK(GxfParameterSetHandle(context, connection, "source", out));
  OK(GxfParameterSetHandle(context, connection, "target", in));

  const auto system = NewEntity(context, "system");
  const auto clock = NewComponent(context, system, "nvidia::gxf::RealtimeClock", "clock");
  const auto scheduler = NewComponent(context, system, "nvidia::gxf::EventBasedScheduler", "all");
  OK(GxfParameterSetHandle(context, scheduler, "clock", clock));
  OK(GxfParameterSetInt64(context, scheduler, "worker_thread_number", 2));
  OK(GxfParameterSetBool(context, scheduler, "stop_on_deadlock", false));

  OK(GxfGraphActivate(context));
  OK(GxfGraphRunAsync(context));
  {
    auto term = Handle<AsynchronousSchedulingTerm>::Create(context, event).value();
    auto store = Handle<Vault>::Create(context, vault).value();
    auto stored = store->storeBlocking(3);
    CHECK(stored.size() == 3);
    const gxf_tid_t timestamp = tid_of(context, "nvidia::gxf::Timestamp");
    for (const gxf_uid_t eid : stored) {
      OK(GxfComponentFind(context, eid, timestamp, nullptr, nullptr, nullptr));
    }
    store->free(stored);
    term->setEventState(AsynchronousEventState::EVENT_WAITING);
    term->setEventState(AsynchronousEventState::EVENT_DONE);
    stored = store->storeBlocking(1);
    CHECK(stored.size() == 1);
    store->free(stored);
    CHECK(Handle<Clock>::Create(context, clock).value()->timestamp() > 0);
  }
  auto ended = std::async(std::launch::async, [=] { return GxfGraphWait(context); });
  OK(GxfGraphInterrupt(context));
  OK(ended.get());
  OK(GxfGraphWait(context));
  OK(GxfGraphDeactivate(context));
  OK(GxfContextDestroy(context));
  return done();
}
