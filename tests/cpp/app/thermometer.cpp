// A program that composes its graph: codelets of its own, with queues and terms made for them.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "gxf/app/application.hpp"
#include "gxf/std/unbounded_allocator.hpp"

// GXF has a namespace `gxf` of its own beside `nvidia::gxf`.
namespace nvidia {
namespace thermometer {

class Sensor : public gxf::Codelet {
 public:
  gxf_result_t registerInterface(gxf::Registrar* registrar) override {
    gxf::Expected<void> result;
    result &= registrar->parameter(out_, "out", "Output", "Where measurements go");
    result &= registrar->parameter(pool_, "pool", "Pool", "Memory");
    result &= registrar->parameter(steps_, "steps", "Steps", "What is added in turn",
                                   std::vector<int64_t>{1});
    return gxf::ToResultCode(result);
  }
  gxf_result_t tick() override {
    auto message = gxf::Entity::New(context());
    if (!message) { return message.error(); }
    auto value = message->add<int64_t>("value");
    if (!value) { return value.error(); }
    const std::vector<int64_t> steps = steps_.get();
    sum_ += steps[count_++ % steps.size()];
    **value = sum_;
    return gxf::ToResultCode(out_->publish(message.value()));
  }

 private:
  gxf::Parameter<gxf::Handle<gxf::Transmitter>> out_;
  gxf::Parameter<gxf::Handle<gxf::Allocator>> pool_;
  gxf::Parameter<std::vector<int64_t>> steps_;
  int64_t sum_ = 20;
  size_t count_ = 0;
};

class Logger : public gxf::Codelet {
 public:
  gxf_result_t registerInterface(gxf::Registrar* registrar) override {
    gxf::Expected<void> result;
    result &= registrar->parameter(in_, "in", "Inputs", "Where measurements come from");
    result &= registrar->parameter(spare_, "spare", "Spare", "Needed by nobody",
                                   gxf::Registrar::NoDefaultParameter(),
                                   GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(unit_, "unit", "Unit", "Behind each value");
    return gxf::ToResultCode(result);
  }
  gxf_result_t tick() override {
    for (const auto& in : in_.get()) {
      const auto message = in->receive();
      if (!message) { return message.error(); }
      std::printf("%s: %ld %s\n", in->name(), static_cast<long>(**message->get<int64_t>("value")),
                  unit_.get().c_str());
    }
    return GXF_SUCCESS;
  }

 private:
  gxf::Parameter<std::vector<gxf::Handle<gxf::Receiver>>> in_;
  gxf::Parameter<gxf::Handle<gxf::Receiver>> spare_;
  gxf::Parameter<std::string> unit_;
};

// A term of the program: ready three times.
class Thrice : public gxf::SchedulingTerm {
 public:
  gxf_result_t check_abi(int64_t, gxf::SchedulingConditionType* type, int64_t*) const override {
    *type = count_ < 3 ? gxf::SchedulingConditionType::READY : gxf::SchedulingConditionType::NEVER;
    return GXF_SUCCESS;
  }
  gxf_result_t onExecute_abi(int64_t) override { return ++count_, GXF_SUCCESS; }

 private:
  int count_ = 0;
};

struct Thermometer : gxf::Application {
  void compose() override {
    auto sensor = makeEntity<Sensor>("sensor", makeTerm<Thrice>("thrice"),
                                     gxf::Arg("steps", std::vector<int64_t>{1, 10}),
                                     gxf::Arg("pool", makeResource<gxf::UnboundedAllocator>("pool")));
    auto logger = makeEntity<Logger>("logger", gxf::Arg("unit", "K"));
    logger->configReceiver("in_0", 2, 2, 1);
    connect(sensor, logger, gxf::PortPair{"out", "in_0"});
    auto group = makeEntityGroup("both");
    group->add({sensor, logger});
    setScheduler(scheduler, "scheduler", gxf::Arg("stop_on_deadlock", true));
  }
  gxf::SchedulerType scheduler = gxf::SchedulerType::kGreedy;
};

struct Forever : gxf::Application {
  void compose() override {
    setClock<gxf::ManualClock>("manual");
    auto sensor = makeEntity<Sensor>(
        "sensor", makeTerm<gxf::PeriodicSchedulingTerm>("period", gxf::Arg("recess_period", "1ms")),
        gxf::Arg("pool", makeResource<gxf::UnboundedAllocator>("pool")));
    // In place of the queues that were made for them.
    const bool replaced = !sensor->addTransmitter<gxf::DoubleBufferTransmitter>("out").is_null();
    auto logger = makeEntity<Logger>("logger", gxf::Arg("unit", "K"));
    logger->addReceiver("in");
    connect(sensor, logger, std::vector<gxf::PortPair>{{"out", "in_0"}, {"out", "in_1"}});
    std::printf("%d transmitter, %zu receivers, replaced: %d, the logger is %s\n",
                static_cast<int>(sensor->findAll<gxf::Transmitter>().size()),
                logger->findAll<gxf::Receiver>().size(), replaced,
                getEntity("logger") == logger ? "known" : "unknown");
    std::printf("no term: %d\n", logger->try_get<gxf::CountSchedulingTerm>().error());
    setScheduler(gxf::SchedulerType::kGreedy);
  }
};

struct Half : gxf::Segment {
  void compose() override {
    auto sensor = makeEntity<Sensor>("sensor", makeTerm<gxf::CountSchedulingTerm>("n", gxf::Arg("count", 2)),
                                     gxf::Arg("pool", makeResource<gxf::UnboundedAllocator>("pool")));
    auto logger = makeEntity<Logger>("logger", gxf::Arg("unit", name()));
    connect(sensor, logger);
  }
};
struct Halves : gxf::Application {
  void compose() override {
    auto left = createSegment<Half>("left");
    createSegment<Half>("right");
    std::printf("the left half has a sensor: %d\n", left->getEntity("sensor") != nullptr);
    if (createSegment<Half>("left") == nullptr) { std::printf("left only once\n"); }
  }
};

// Segments that end when they are interrupted. The codelet of the second takes as long to initialise as
// the program wants.
std::atomic<bool> is_initializing{false};
std::atomic<bool> may_go_on{false};
struct Idle : gxf::Codelet {
  gxf_result_t tick() override { return GXF_SUCCESS; }
};
struct Slow : Idle {
  gxf_result_t initialize() override {
    is_initializing = true;
    while (!may_go_on) { std::this_thread::yield(); }
    return GXF_SUCCESS;
  }
};
struct Endless : gxf::Segment {
  void compose() override {
    const auto period = makeTerm<gxf::PeriodicSchedulingTerm>("period", gxf::Arg("recess_period", "1ms"));
    if (std::string{name()} == "second") {
      makeEntity<Slow>("entity", period);
    } else {
      makeEntity<Idle>("entity", period);
    }
  }
};
struct ThreeEndless : gxf::Application {
  void compose() override {
    for (const char* name : {"first", "second", "third"}) { createSegment<Endless>(name); }
  }
};
int InterruptWhileItStarts() {
  // A wait that does not return ends here.
  alarm(60);
  auto app = gxf::create_app<ThreeEndless>();
  const bool before = bool{app->interrupt()};
  bool started = false;
  std::thread starter([&] { started = bool{app->runAsync()}; });
  while (!is_initializing) { std::this_thread::yield(); }
  const bool during = bool{app->interrupt()};
  may_go_on = true;
  starter.join();
  const bool ended = bool{app->wait()};
  std::printf("interrupted: before %d, during %d; started %d, ended %d, afterwards %d\n", before, during,
              started, ended, bool{app->interrupt()});
  return 0;
}

struct Sending : gxf::Segment {
  void compose() override {
    makeEntity<Sensor>("sensor", makeTerm<gxf::CountSchedulingTerm>("n", gxf::Arg("count", 3)),
                       gxf::Arg("pool", makeResource<gxf::UnboundedAllocator>("pool")));
  }
};
struct Receiving : gxf::Segment {
  void compose() override { makeEntity<Logger>("logger", gxf::Arg("unit", name())); }
};
struct Linked : gxf::Application {
  void compose() override {
    loadExtensionManifest(manifest);
    auto sending = createSegment<Sending>("sending");
    auto receiving = createSegment<Receiving>("receiving");
    connect(sending, receiving, {{port, "logger.in_0"}});
  }
  const char* manifest = "";
  std::string port = "sensor.out";
};

struct Wrong : gxf::Application {
  void compose() override {
    auto sensor = makeEntity<Sensor>("sensor", makeTerm<Thrice>("thrice"), gxf::Arg("speed", 1));
    auto other = makeEntity<Logger>("logger", gxf::Arg("unit", "K"));
    connect(sensor, other);
    connect(other, other, gxf::PortPair{"exit", "in_0"});
  }
};

// Owners of entities are counted, and an entity of nobody ends.
struct Keeper : gxf::Component {
  gxf_result_t registerInterface(gxf::Registrar* registrar) override {
    gxf::ParameterInfo<int64_t> info;
    info.key = "pause";
    info.headline = info.description = "Pause";
    info.platform_information = "ms";
    return gxf::ToResultCode(registrar->parameter(pause, info));
  }
  gxf_result_t initialize() override {
    self = entity();
    return GXF_SUCCESS;
  }
  gxf::Entity self;
  gxf::Entity other;
  gxf::Parameter<int64_t> pause;
};
int Owners() {
  gxf_context_t context = kNullContext;
  if (GxfContextCreate(&context) != GXF_SUCCESS) { return 1; }
  const auto users = [&](gxf_uid_t eid) {
    int64_t count = -1;
    return GxfEntityGetRefCount(context, eid, &count) == GXF_SUCCESS ? static_cast<int>(count) : -1;
  };
  const auto make = [&](const char* name, GxfEntityCreateFlags flags) {
    const GxfEntityCreateInfo info{name, flags};
    gxf_uid_t eid = kNullUid;
    return GxfCreateEntity(context, &info, &eid) == GXF_SUCCESS ? eid : kNullUid;
  };
  const gxf_uid_t eid = make("shared", 0);
  {
    auto first = gxf::Entity::Shared(context, eid).value();
    const gxf::Entity second = first;
    auto third = first.clone();
    const gxf::Entity moved = std::move(first);
    std::printf("owners: %d, destroyed: %d\n", users(eid),
                GxfEntityDestroy(context, eid) == GXF_SUCCESS);
  }
  std::printf("afterwards: %d\n", users(eid));
  for (const gxf_uid_t id : {gxf_uid_t{0}, gxf_uid_t{-1}, gxf_uid_t{4711}}) {
    const auto shared = gxf::Entity::Shared(context, id);
    const auto owned = gxf::Entity::Own(context, id);
    if (shared || owned || shared.error() != GXF_ENTITY_NOT_FOUND ||
        owned.error() != GXF_ENTITY_NOT_FOUND) {
      std::printf("there is an entity %ld\n", static_cast<long>(id));
    }
  }

  gxf_uid_t message = kNullUid;
  {
    auto entity = gxf::Entity::New(context).value();
    message = entity.eid();
    auto pool = entity.add<gxf::UnboundedAllocator>("pool");
    const gxf::Entity copy = entity;
    // Payloads and components are in the same entity.
    const bool both = pool && entity.add<int64_t>("number") && entity.eid() == message &&
                      copy.get<int64_t>("number") && entity.remove<int64_t>("number") &&
                      copy.get<gxf::Allocator>("pool");
    const auto allocate = [&] {
      auto memory = pool.value()->allocate(8, gxf::MemoryStorageType::kSystem);
      return memory && pool.value()->free(memory.value());
    };
    const bool before = allocate();
    const bool activated = bool{entity.activate()};
    const bool during = allocate();
    const bool deactivated = bool{entity.deactivate()};
    std::printf("message with a pool: both %d, activated %d%d, allocates %d%d%d\n", both, activated,
                deactivated, before, during, allocate());
  }
  uint64_t left = 0;
  const gxf_result_t none = GxfEntityFindAll(context, &left, nullptr);
  std::printf("afterwards: %d, entities: %d\n", users(message), none == GXF_SUCCESS ? 0 : 1);

  // An unnamed entity with a component is in a group by the id that it was created with.
  gxf_uid_t group = kNullUid;
  gxf_uid_t found = kNullUid;
  const char* name = "";
  const gxf_uid_t unnamed = make(nullptr, 0);
  const auto pool = gxf::detail::TidOfClass<gxf::UnboundedAllocator>(context);
  const bool grouped = GxfCreateEntityGroup(context, "group", &group) == GXF_SUCCESS && pool &&
                       GxfComponentAdd(context, unnamed, *pool, "pool", nullptr) == GXF_SUCCESS &&
                       GxfUpdateEntityGroup(context, group, unnamed) == GXF_SUCCESS &&
                       GxfEntityGroupId(context, unnamed, &found) == GXF_SUCCESS && found == group &&
                       GxfEntityGroupName(context, unnamed, &name) == GXF_SUCCESS;
  // A program gives components to a message by its id.
  auto by_id = gxf::Entity::Shared(context, unnamed).value();
  std::printf("grouped: %d %s, activated: %d\n", grouped, name,
              by_id.activate() && by_id.get<gxf::Allocator>()->get()->allocate(8, gxf::MemoryStorageType::kSystem));

  // Components may own entities, their own too; the end of the graph does not wait for them.
  const auto tid = gxf::detail::TidOfClass<Keeper>(context);
  gxf::Handle<Keeper> keepers[2];
  for (auto& keeper : keepers) {
    const gxf_uid_t place = make(&keeper == keepers ? "one" : "two", GXF_ENTITY_CREATE_PROGRAM_BIT);
    gxf_uid_t cid = kNullUid;
    if (!tid || GxfComponentAdd(context, place, tid.value(), "keeper", &cid) != GXF_SUCCESS) {
      return 1;
    }
    keeper = gxf::Handle<Keeper>::Create(context, cid).value();
  }
  gxf_parameter_info_t info{};
  if (GxfParameterInfo(context, tid.value(), "pause", &info) == GXF_SUCCESS) {
    std::printf("in %s\n", info.platform_information);
  }
  for (const auto& keeper : keepers) { (void)keeper->pause.set(1); }
  keepers[0]->other = gxf::Entity::Shared(context, keepers[1]->eid()).value();
  keepers[1]->other = gxf::Entity::Shared(context, keepers[0]->eid()).value();
  if (GxfGraphActivate(context) != GXF_SUCCESS || GxfGraphDeactivate(context) != GXF_SUCCESS) {
    return 1;
  }
  std::printf("owners of each other: %d %d\n", users(keepers[0]->eid()), users(keepers[1]->eid()));
  for (auto& keeper : keepers) { keeper = gxf::Handle<Keeper>::Null(); }
  return GxfContextDestroy(context) == GXF_SUCCESS ? 0 : 1;
}

int Main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "linked") {
    auto app = gxf::create_app<Linked>();
    app->manifest = argv[2];
    if (argc > 3) { app->port = argv[3]; }
    return app->run() ? 0 : 1;
  }
  if (mode == "distributed") {
    auto app = gxf::create_app<Linked>();
    app->manifest = argv[2];
    return app->setConfig(argv[3]) && app->run() ? 0 : 1;
  }
  if (mode == "setters") {
    auto app = gxf::create_app<Linked>();
    app->manifest = argv[2];
    const auto port = static_cast<uint32_t>(std::stoul(argv[3]));
    if (!app->setDriver("driver", gxf::Arg("port", port))) { return 1; }
    if (!app->setWorker("worker", gxf::Arg("port", port + 1), gxf::Arg("driver_ip", "localhost"),
                        gxf::Arg("driver_port", port))) {
      return 1;
    }
    return app->run() ? 0 : 1;
  }
  if (mode == "owners") { return Owners(); }
  if (mode == "interrupted") { return InterruptWhileItStarts(); }
  if (mode == "wrong") { return gxf::create_app<Wrong>()->run() ? 0 : 1; }
  if (mode == "forever") {
    auto app = gxf::create_app<Forever>();
    if (!app->runAsync()) { return 1; }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return app->interrupt() && app->wait() ? 0 : 1;
  }
  if (mode == "halves") {
    auto app = gxf::create_app<Halves>();
    if (argc > 2 && !app->setConfig(argc - 1, argv + 1)) { return 1; }
    return app->run() ? 0 : 1;
  }
  for (auto type : {gxf::SchedulerType::kGreedy, gxf::SchedulerType::kMultiThread,
                    gxf::SchedulerType::kEventBased}) {
    auto app = gxf::create_app<Thermometer>();
    app->scheduler = type;
    if (mode == "save") { return app->saveToFile(argv[2]) ? 0 : 1; }
    if (!app->run()) { return 1; }
  }
  std::printf("done\n");
  return 0;
}

}  // namespace thermometer
}  // namespace nvidia

int main(int argc, char** argv) { return nvidia::thermometer::Main(argc, argv); }
