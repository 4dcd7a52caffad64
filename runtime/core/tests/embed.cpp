// A program in C++ that is no extension: it embeds the runtime and uses the classes of the headers.
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "common/fixed_map.hpp"
#include "common/unique_index_map.hpp"
#include "common/yaml_parser.hpp"
#include "gems/utils/storage_size.hpp"
#include "gxf/core/gxf.h"
#include "gxf/logger/gxf_logger.hpp"
#include "gxf/serialization/file_stream.hpp"
#include "gxf/std/broadcast.hpp"
#include "gxf/std/clock.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/default_extension.hpp"
#include "gxf/std/double_buffer_receiver.hpp"
#include "gxf/std/epoch_scheduler.hpp"
#include "gxf/std/greedy_scheduler.hpp"
#include "gxf/std/message_router.hpp"
#include "gxf/std/timestamp.hpp"
#include "gxf/std/vault.hpp"

using namespace nvidia::gxf;

#define NEEDED(condition)                                     \
  if (!(condition)) {                                         \
    std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
    return 1;                                                 \
  }

/// What needs no graph.
int Parts() {
  nvidia::FixedMap<std::string, int> map;
  NEEDED(map.insert("one", 1).error() == decltype(map)::Error::kContainerFull);
  NEEDED(map.reserve(2) && map.insert("one", 1) && map.insert_or_assign("one", 11));
  NEEDED(map.insert("one", 2).error() == decltype(map)::Error::kDuplicateKey);
  NEEDED(map.at("one").value() == 11 && map["two"] && map.full() && !map["three"]);

  nvidia::UniqueIndexMap<std::string> objects;
  NEEDED(objects.initialize(1));
  const auto first = objects.insert("first");
  NEEDED(first && !objects.insert("more") && objects.erase(first.value()));
  const auto second = objects.insert("second");
  NEEDED(second && second.value() != first.value() && !objects.valid(first.value()));
  NEEDED(*objects.try_get(second.value()).value() == "second");

  NEEDED(StorageSize::ParseStorageSizeString("1.5 kB", 1).value() == 1536);
  NEEDED(StorageSize::ParseStorageSizeString("7", 1).value() == 7);
  for (const char* wrong : {"", "-1", "MB", "1PB", "inf", "1e30"}) {
    NEEDED(!StorageSize::ParseStorageSizeString(wrong, 1));
  }

  const auto number = YAML::Load("1.5-2j").as<std::complex<double>>();
  NEEDED(number.real() == 1.5 && number.imag() == -2.0);

  const char text[] = "bytes";
  char read[sizeof(text)] = {};
  FileStream writer("", "stream.bin");
  NEEDED(!writer.write(text, sizeof(text)));
  NEEDED(writer.open() && writer.write(text, sizeof(text)) && writer.close());
  FileStream reader("stream.bin", "");
  NEEDED(reader.open() && reader.setReadOffset(2) && reader.read(read, 4).value() == 4);
  NEEDED(std::string(read) == "tes" && !reader.read(read, 1));
  NEEDED(!FileStream("nowhere/stream.bin", "").open());
  return 0;
}

/// A component of the program.
class Adder : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(start_, "start", "Start", "First number", 40));
  }
  gxf_result_t tick() override {
    sum = start_ + static_cast<int>(getExecutionCount());
    return GXF_SUCCESS;
  }

  int sum = 0;

 private:
  Parameter<int> start_;
};

/// Contexts that are handed an extension as an object, which ends before its types do.
int OwnTypes() {
  for (int round = 0; round < 3; round++) {
    gxf_context_t context;
    NEEDED(GxfContextCreate(&context) == GXF_SUCCESS);
    NEEDED(GxfSetSeverity(context, GXF_SEVERITY_WARNING) == GXF_SUCCESS);
    {
      DefaultExtension extension;
      NEEDED(GxfLoadExtensionFromPointer(context, &extension) == GXF_FACTORY_INVALID_INFO);
    }
    {
      DefaultExtension extension;
      NEEDED(extension.setInfo({7, 1}, "Program", "The program's own", "", "1.0.0", ""));
      NEEDED((extension.add<Adder, Codelet>({7, 2}, "Adds")));
      NEEDED(GxfLoadExtensionFromPointer(context, &extension) == GXF_SUCCESS);
      NEEDED(GxfLoadExtensionFromPointer(context, &extension) == GXF_FACTORY_DUPLICATE_TID);
    }
    NEEDED(GxfGraphParseString(context,
                               "name: own\ncomponents:\n- {name: adder, type: Adder}\n"
                               "- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 2}}\n"
                               "---\ncomponents:\n- {name: clock, type: nvidia::gxf::RealtimeClock}\n"
                               "- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}\n") ==
           GXF_SUCCESS);
    gxf_uid_t eid;
    gxf_uid_t cid;
    void* adder = nullptr;
    NEEDED(GxfEntityFind(context, "own", &eid) == GXF_SUCCESS);
    NEEDED(GxfComponentFind(context, eid, {7, 2}, nullptr, nullptr, &cid) == GXF_SUCCESS);
    NEEDED(GxfComponentPointer(context, cid, {7, 2}, &adder) == GXF_SUCCESS);
    NEEDED(GxfGraphActivate(context) == GXF_SUCCESS);
    NEEDED(GxfGraphRun(context) == GXF_SUCCESS);
    NEEDED(static_cast<Adder*>(adder)->sum == 42);
    NEEDED(GxfGraphDeactivate(context) == GXF_SUCCESS);
    NEEDED(GxfContextDestroy(context) == GXF_SUCCESS);
  }
  return 0;
}

/// Epochs that two threads run, and the callback of a vault.
int Epochs() {
  gxf_context_t context;
  NEEDED(GxfContextCreate(&context) == GXF_SUCCESS);
  NEEDED(GxfGraphParseString(
             context,
             "name: queue\ncomponents:\n- {name: in, type: nvidia::gxf::DoubleBufferReceiver, "
             "parameters: {capacity: 9}}\n"
             "- {name: vault, type: nvidia::gxf::Vault, parameters: {source: in, "
             "max_waiting_count: 9, drop_waiting: false, enable_callback: true}}\n"
             "---\nname: system\ncomponents:\n- {name: clock, type: nvidia::gxf::RealtimeClock}\n"
             "- {name: epochs, type: nvidia::gxf::EpochScheduler, parameters: {clock: clock}}\n") ==
         GXF_SUCCESS);
  gxf_uid_t queue;
  gxf_uid_t system;
  NEEDED(GxfEntityFind(context, "queue", &queue) == GXF_SUCCESS);
  NEEDED(GxfEntityFind(context, "system", &system) == GXF_SUCCESS);
  std::atomic<int> calls{0};
  const auto guest = std::make_shared<int>(0);
  {
    auto scheduler = Entity::Shared(context, system)->get<EpochScheduler>("epochs");
    auto vault = Entity::Shared(context, queue)->get<Vault>("vault");
    auto in = Entity::Shared(context, queue)->get<Receiver>("in");
    NEEDED(scheduler && vault && in);
    NEEDED(scheduler.value()->runEpoch(0).error() == GXF_INVALID_EXECUTION_SEQUENCE);
    NEEDED(vault.value()->setCallback([] { throw 1; }) == GXF_SUCCESS);
    NEEDED(vault.value()->setCallback([&calls, guest] { calls++; }) == GXF_SUCCESS);
    NEEDED(guest.use_count() == 2);
    NEEDED(GxfGraphActivate(context) == GXF_SUCCESS);
    NEEDED(GxfGraphRunAsync(context) == GXF_SUCCESS);
    for (const float budget : {0.0f, -1.0f, std::nanf(""), 5.0f}) {
      NEEDED(in.value()->push(Entity::New(context).value()) && in.value()->sync());
      const int before = calls;
      std::thread other([&] { scheduler.value()->runEpoch(-1); });
      const auto ended = scheduler.value()->runEpoch(budget);
      other.join();
      NEEDED(ended && calls == before + 1);
    }
    NEEDED(vault.value()->store(9).size() == 4);
    NEEDED(vault.value()->setCallback(nullptr) == GXF_SUCCESS && guest.use_count() == 1);
    NEEDED(GxfGraphInterrupt(context) == GXF_SUCCESS);
    NEEDED(GxfGraphWait(context) == GXF_SUCCESS);
    NEEDED(GxfGraphRunEpoch(context, 1.0f) == GXF_INVALID_EXECUTION_SEQUENCE);
  }
  NEEDED(GxfGraphDeactivate(context) == GXF_SUCCESS);
  NEEDED(GxfContextDestroy(context) == GXF_SUCCESS);
  return 0;
}

int main() {
  if (Parts() != 0 || OwnTypes() != 0 || Epochs() != 0) { return 1; }
  gxf_context_t context;
  NEEDED(GxfContextCreate(&context) == GXF_SUCCESS);

  // A component of the runtime through a handle.
  const char* graph =
      "name: system\ncomponents:\n"
      "- {name: clock, type: nvidia::gxf::ManualClock, parameters: {initial_timestamp: 7}}\n"
      "- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}\n"
      "---\nname: tee\ncomponents:\n"
      "- {name: in, type: nvidia::gxf::DoubleBufferReceiver}\n"
      "- {name: left, type: nvidia::gxf::DoubleBufferTransmitter}\n"
      "- {name: right, type: nvidia::gxf::DoubleBufferTransmitter}\n"
      "- {type: nvidia::gxf::Broadcast, parameters: {source: in}}\n";
  NEEDED(GxfGraphParseString(context, graph) == GXF_SUCCESS);
  NEEDED(GxfGraphActivate(context) == GXF_SUCCESS);
  gxf_uid_t system;
  NEEDED(GxfEntityFind(context, "system", &system) == GXF_SUCCESS);
  {
    auto entity = Entity::Shared(context, system);
    NEEDED(entity);
    auto clock = entity->get<Clock>("clock");
    NEEDED(clock);
    NEEDED(clock.value()->timestamp() == 7);
    NEEDED(entity->get<Scheduler>() && entity->get<GreedyScheduler>());
    NEEDED(!entity->get<EpochScheduler>());

    // The parameters of a component of the runtime.
    ParameterStorage storage(context);
    const auto cid = entity->get<Clock>("clock")->cid();
    NEEDED(storage.get<int64_t>(cid, "initial_timestamp").value() == 7);

    // A file that is handed a component.
    std::ofstream("needs.yaml") << "prerequisites: [time]\n---\nname: user\ncomponents:\n"
                                   "- {name: boss, type: nvidia::gxf::EpochScheduler, "
                                   "parameters: {clock: prerequisites/time}}\n";
    std::map<std::string, Handle<Component>> prerequisites{{"time", clock.value()}};
    NEEDED(GxfGraphLoadFileExtended(context, "needs.yaml", "sub.", nullptr, 0, kNullUid,
                                    &prerequisites) == GXF_SUCCESS);
    gxf_uid_t user, boss, handed_in;
    NEEDED(GxfEntityFind(context, "sub.user", &user) == GXF_SUCCESS);
    NEEDED(GxfComponentFind(context, user, GxfTidNull(), "boss", nullptr, &boss) == GXF_SUCCESS);
    NEEDED(GxfParameterGetHandle(context, boss, "clock", &handed_in) == GXF_SUCCESS);
    NEEDED(handed_in == cid);

    // Messages moved by hand.
    gxf_uid_t eid;
    NEEDED(GxfEntityFind(context, "tee", &eid) == GXF_SUCCESS);
    auto tee = Entity::Shared(context, eid);
    NEEDED(tee && tee->get<Broadcast>());
    auto in = tee->get<Receiver>("in");
    auto left = tee->get<Transmitter>("left");
    auto right = tee->get<Transmitter>("right");
    NEEDED(in && left && right);
    MessageRouter router;
    NEEDED(router.connect(left.value(), in.value()) && router.connect(right.value(), in.value()));
    NEEDED(router.getConnectedTransmitters(in.value())->size() == 2);
    NEEDED(router.disconnect(right.value(), in.value()) && !router.getRx(right.value()));
    NEEDED(router.getRx(left.value()).value() == in.value());
    auto sent = Entity::New(context);
    NEEDED(sent && left.value()->publish(sent.value()));
    NEEDED(router.syncOutbox(tee.value()) && router.syncInbox(tee.value()));
    NEEDED(in.value()->receive());

    // The address of a component of the runtime is an object of GXF's class.
    gxf_tid_t usual;
    void* address = nullptr;
    void* again = nullptr;
    NEEDED(GxfComponentTypeId(context, "nvidia::gxf::DoubleBufferReceiver", &usual) == GXF_SUCCESS);
    NEEDED(GxfComponentPointer(context, in->cid(), usual, &address) == GXF_SUCCESS);
    NEEDED(GxfComponentPointer(context, in->cid(), usual, &again) == GXF_SUCCESS);
    auto* queue = reinterpret_cast<Receiver*>(address);
    NEEDED(again == address && queue->cid() == in->cid() && queue->eid() == eid);
    NEEDED(queue->capacity() == 1 && queue->back_size() == 0 && queue->name() == std::string("in"));
    NEEDED(queue->push(Entity::New(context).value()) && queue->back_size() == 1);
    NEEDED(queue->sync() && queue->size() == 1 && in.value()->receive());

    // A message with a payload that other languages read too.
    auto message = Entity::New(context);
    NEEDED(message);
    auto times = message->add<MultiSourceTimestamp>("times");
    NEEDED(times);
    NEEDED(times.value()->empty());
    NEEDED(times.value()->push_back({Timestamp{3, 4}, TimeDomainID::PTP}));
    auto found = message->get<MultiSourceTimestamp>("times");
    NEEDED(found);
    NEEDED(getTimestamp(*found.value(), TimeDomainID::PTP).value().acqtime == 4);
    NEEDED(!getTimestamp(*found.value(), TimeDomainID::NTP));
  }
  NEEDED(GxfGraphDeactivate(context) == GXF_SUCCESS);
  NEEDED(GxfContextDestroy(context) == GXF_SUCCESS);
  std::puts("the clock began at 7");
  return 0;
}
