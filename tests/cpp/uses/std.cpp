// Uses of the headers of `gxf/std/` as extensions write them. It is compiled, not run.
#include "gxf/std/allocator.hpp"
#include "gxf/std/async_buffer_receiver.hpp"
#include "gxf/std/async_buffer_transmitter.hpp"
#include "gxf/std/block_memory_pool.hpp"
#include "gxf/std/broadcast.hpp"
#include "gxf/std/clock.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/complex.hpp"
#include "gxf/std/component_allocator.hpp"
#include "gxf/std/component_factory.hpp"
#include "gxf/std/connection.hpp"
#include "gxf/std/controller.hpp"
#include "gxf/std/cpu_thread.hpp"
#include "gxf/std/default_extension.hpp"
#include "gxf/std/double_buffer_receiver.hpp"
#include "gxf/std/double_buffer_transmitter.hpp"
#include "gxf/std/eos.hpp"
#include "gxf/std/epoch_scheduler.hpp"
#include "gxf/std/event_based_scheduler.hpp"
#include "gxf/std/extension.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/forward.hpp"
#include "gxf/std/gather.hpp"
#include "gxf/std/greedy_scheduler.hpp"
#include "gxf/std/ipc_client.hpp"
#include "gxf/std/ipc_server.hpp"
#include "gxf/std/job_statistics.hpp"
#include "gxf/std/memory_buffer.hpp"
#include "gxf/std/message_router.hpp"
#include "gxf/std/metric.hpp"
#include "gxf/std/monitor.hpp"
#include "gxf/std/multi_thread_scheduler.hpp"
#include "gxf/std/network_context.hpp"
#include "gxf/std/network_router.hpp"
#include "gxf/std/new_component_allocator.hpp"
#include "gxf/std/queue.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/resources.hpp"
#include "gxf/std/router.hpp"
#include "gxf/std/router_group.hpp"
#include "gxf/std/scheduler.hpp"
#include "gxf/std/scheduling_condition.hpp"
#include "gxf/std/scheduling_term.hpp"
#include "gxf/std/scheduling_term_combiner.hpp"
#include "gxf/std/scheduling_terms.hpp"
#include "gxf/std/subgraph.hpp"
#include "gxf/std/synchronization.hpp"
#include "gxf/std/synthetic_clock.hpp"
#include "gxf/std/system.hpp"
#include "gxf/std/system_group.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/tensor_copier.hpp"
#include "gxf/std/timed_throttler.hpp"
#include "gxf/std/timestamp.hpp"
#include "gxf/std/topic.hpp"
#include "gxf/std/transmitter.hpp"
#include "gxf/std/unbounded_allocator.hpp"
#include "gxf/std/vault.hpp"
#include "gxf/sample/multi_ping_rx.hpp"
#include "gxf/sample/ping_batch_rx.hpp"
#include "gxf/sample/ping_rx.hpp"
#include "gxf/sample/ping_tx.hpp"

#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace nvidia {
namespace gxf {
namespace uses {

gxf_result_t Tensors(gxf_context_t context, Handle<Allocator> pool, Entity& message) {
  auto tensor_result = message.add<Tensor>("tensor");
  if (!tensor_result) { return tensor_result.error(); }
  Handle<Tensor> tensor = tensor_result.value();
  RETURN_IF_ERROR(tensor->reshape<float>(Shape{2, 3, 4}, MemoryStorageType::kHost, pool));
  RETURN_IF_ERROR(tensor->reshape<uint8_t>({1080, 1920, 3}, MemoryStorageType::kSystem, pool));
  RETURN_IF_ERROR(tensor->reshape<uint8_t>(Shape({480, 640, 3}), MemoryStorageType::kHost, pool));
  const std::vector<int32_t> dimensions{1, 2};
  const std::array<int32_t, Shape::kMaxRank> eight{1, 2};
  const std::array<int32_t, 3> three{{1, 2, 3}};
  const Shape shapes[] = {Shape(), Shape(dimensions), Shape{dimensions}, Shape(eight, 2),
                          Shape(three), Shape{4}};
  if (shapes[1] != shapes[2] || !(shapes[0] == Shape{}) || !shapes[1].valid()) {
    return GXF_FAILURE;
  }
  const uint64_t bytes = tensor->shape().size() * tensor->bytes_per_element();
  if (bytes != tensor->size() || tensor->rank() != 3 || tensor->shape().rank() != 3) {
    return GXF_FAILURE;
  }
  const int32_t width = tensor->shape().dimension(1);
  RETURN_IF_ERROR(tensor->reshapeCustom(
      Shape{2, width}, PrimitiveType::kFloat32, PrimitiveTypeSize(PrimitiveType::kFloat32),
      Unexpected{GXF_UNINITIALIZED_VALUE}, MemoryStorageType::kHost, pool));
  RETURN_IF_ERROR(tensor->reshapeCustom(
      Shape{2, 3}, PrimitiveType::kUnsigned8, 1, ComputeTrivialStrides(Shape{2, 3}, 1),
      MemoryStorageType::kHost, pool));
  RETURN_IF_ERROR(tensor->reshapeCustom(Shape{2, 3}, PrimitiveType::kUnsigned8, 1,
                                        Tensor::stride_array_t{256, 1}, MemoryStorageType::kHost,
                                        pool, nullptr));
  const auto strides = ComputeRowStrides(Shape{2, 3}, 256, 1);
  const auto stepped = ComputeStrides(Shape{2, 3}, Tensor::stride_array_t{256, 1});
  auto data = tensor->data<float>();
  if (data) { data.value()[0] = stepped[0] == 0 ? 1.0f : 2.0f; }
  if (data) { std::memcpy(data.value(), tensor->pointer(), tensor->size()); }
  const Tensor& constant = *tensor;
  Expected<const float*> read = constant.data<float>();
  const byte* raw = constant.pointer();
  std::vector<float> memory(6);
  RETURN_IF_ERROR(tensor->wrapMemory(Shape{2, 3}, PrimitiveType::kFloat32, 4, strides,
                                     MemoryStorageType::kSystem, memory.data(),
                                     [](void*) { return Success; }));
  RETURN_IF_ERROR(tensor->wrapMemory(Shape{2, 3}, PrimitiveTypeTraits<float>::value,
                                     PrimitiveTypeTraits<float>::size,
                                     Unexpected{GXF_UNINITIALIZED_VALUE},
                                     MemoryStorageType::kSystem, memory.data(), nullptr, false));
  RETURN_IF_ERROR(tensor->permute({1, 0}));
  RETURN_IF_ERROR(tensor->noCopyReshape({6, 1}));
  RETURN_IF_ERROR(tensor->insertSingletonDim(0));
  const auto contiguous = tensor->isContiguous();
  const uint64_t all = tensor->bytes_size() + tensor->stride(0) + tensor->element_count();
  MemoryBuffer buffer = tensor->move_buffer();
  Tensor other;
  RETURN_IF_ERROR(other.wrapMemoryBuffer(Shape{6}, PrimitiveType::kFloat32, 4,
                                         Unexpected{GXF_UNINITIALIZED_VALUE}, std::move(buffer)));
  Tensor moved = std::move(other);
  *tensor = std::move(moved);

  // DLPack.
  Expected<DLManagedTensor*> exported = tensor->toDLPack();
  if (!exported) { return ToResultCode(exported); }
  const DLTensor& dl = exported.value()->dl_tensor;
  const auto shape = ShapeFromDLTensor(&dl);
  const auto dl_strides = StridesFromDLTensor(&dl);
  const auto storage = MemoryStorageTypeFromDLTensor(&dl);
  const auto type = PrimitiveTypeFromDLDataType(dl.dtype);
  const auto dtype = PrimitiveTypeToDLDataType(PrimitiveType::kFloat32);
  const auto lanes = PrimitiveTypeToDLDataType(PrimitiveType::kFloat32, 1);
  if (lanes && (lanes.value().code != kDLFloat || lanes.value().bits != 32)) { return GXF_FAILURE; }
  Tensor imported(exported.value());
  RETURN_IF_ERROR(imported.fromDLPack(exported.value()));
  auto managed = imported.toDLManagedTensorContext();
  if (managed) {
    std::shared_ptr<DLManagedTensorContext> shared = managed.value();
    Tensor by_context(shared);
    RETURN_IF_ERROR(by_context.fromDLPack(shared));
    if (shared->tensor.dl_tensor.ndim != 3 || shared->dl_shape.empty()) { return GXF_FAILURE; }
  }
  RETURN_IF_ERROR(imported.wrapDLPack(exported.value(), [](void*) { return Success; }));
  const DLDevice device = tensor->device().value();
  if (device.device_type != kDLCPU) { return GXF_FAILURE; }

  auto map = CreateTensorMap(
      context, pool,
      {{"input", MemoryStorageType::kHost, Shape{1, 2}, PrimitiveType::kFloat32, 4},
       {"output", MemoryStorageType::kHost, Shape{1, 2}, PrimitiveType::kInt32, sizeof(int32_t)}},
      false);
  return map && read && raw && contiguous && all > 0 && shape && dl_strides && storage && type && dtype
             ? GXF_SUCCESS
             : GXF_FAILURE;
}

gxf_result_t Memory(Handle<Allocator> allocator) {
  Expected<byte*> maybe = allocator->allocate(1024, MemoryStorageType::kHost);
  if (!maybe) { return maybe.error(); }
  byte* pointer = maybe.value();
  if (!allocator->is_available(512)) { return GXF_OUT_OF_MEMORY; }
  RETURN_IF_ERROR(allocator->free(pointer));
  RETURN_IF_ERROR(allocator->free(pointer, nullptr));
  MemoryBuffer buffer;
  RETURN_IF_ERROR(buffer.resize(allocator, 16, MemoryStorageType::kSystem));
  RETURN_IF_ERROR(buffer.freeBuffer());
  RETURN_IF_ERROR(buffer.wrapMemory(pointer, 16, MemoryStorageType::kSystem,
                                    MemoryBuffer::release_function_t{}));
  RETURN_IF_ERROR(buffer.wrapMemory(pointer, 16, MemoryStorageType::kSystem,
                                    [allocator](void* p) {
                                      return allocator->free(reinterpret_cast<byte*>(p));
                                    }));
  const char* stage = allocator->allocator_stage_str(AllocatorStage::kInitialized);
  return buffer.size() > 0 && buffer.pointer() && stage &&
                 buffer.storage_type() == MemoryStorageType::kSystem && allocator->block_size() > 0
             ? GXF_SUCCESS
             : GXF_FAILURE;
}

gxf_result_t Queues(Handle<Receiver> receiver, Handle<Transmitter> transmitter, Entity& message) {
  auto received = receiver->receive();
  if (!received) { return GXF_CONTRACT_MESSAGE_NOT_AVAILABLE; }
  auto peeked = receiver->peek();
  auto second = receiver->peek(1);
  auto back = receiver->peekBack();
  RETURN_IF_ERROR(receiver->sync());
  RETURN_IF_ERROR(receiver->sync_io());
  RETURN_IF_ERROR(receiver->wait());
  RETURN_IF_ERROR(receiver->push(message));
  RETURN_IF_ERROR(receiver->pop());
  RETURN_IF_ERROR(receiver->setTransmitter(transmitter));
  const size_t room = receiver->capacity() - receiver->size() - receiver->back_size();
  RETURN_IF_ERROR(transmitter->publish(message));
  RETURN_IF_ERROR(transmitter->publish(message, 7));
  RETURN_IF_ERROR(transmitter->publish(received.value()));
  RETURN_IF_ERROR(transmitter->sync());
  RETURN_IF_ERROR(transmitter->sync_io());
  RETURN_IF_ERROR(transmitter->pop());
  return peeked && second && back && room + transmitter->back_size() > 0 ? GXF_SUCCESS : GXF_FAILURE;
}

gxf_result_t Terms(Handle<PeriodicSchedulingTerm> periodic, Handle<TargetTimeSchedulingTerm> target,
                   Handle<DownstreamReceptiveSchedulingTerm> downstream,
                   Handle<MessageAvailableSchedulingTerm> available,
                   Handle<MultiMessageAvailableSchedulingTerm> multi,
                   Handle<BooleanSchedulingTerm> boolean, Handle<BTSchedulingTerm> tree,
                   Handle<AsynchronousSchedulingTerm> asynchronous, Handle<Receiver> receiver,
                   Handle<Transmitter> transmitter) {
  const int64_t period = periodic->recess_period_ns();
  const auto last = periodic->last_run_timestamp();
  RETURN_IF_ERROR(target->setNextTargetTime(period));
  RETURN_IF_ERROR(downstream->setTransmitter(transmitter));
  downstream->setReceivers(std::set<Handle<Receiver>>{receiver});
  RETURN_IF_ERROR(downstream->setReceiver(receiver));
  RETURN_IF_ERROR(downstream->setMinSize(1));
  if (downstream->transmitter() != transmitter) { return GXF_FAILURE; }
  RETURN_IF_ERROR(available->setReceiver(receiver));
  RETURN_IF_ERROR(available->setMinSize(1));
  RETURN_IF_ERROR(available->setFrontStageMaxSize(1));
  RETURN_IF_ERROR(multi->setMinSize(1));
  RETURN_IF_ERROR(multi->setMinSum(1));
  RETURN_IF_ERROR(multi->setSamplingMode(SamplingMode::kPerReceiver));
  RETURN_IF_ERROR(multi->addReceiver(receiver));
  RETURN_IF_ERROR(multi->addMinSize(1));
  RETURN_IF_ERROR(boolean->enable_tick());
  RETURN_IF_ERROR(boolean->disable_tick());
  RETURN_IF_ERROR(tree->set_condition(SchedulingConditionType::READY));
  asynchronous->setEventState(AsynchronousEventState::EVENT_WAITING);
  if (asynchronous->getEventState() == AsynchronousEventState::EVENT_NEVER) { return GXF_FAILURE; }
  const auto condition = boolean->check(0);
  RETURN_IF_ERROR(boolean->onExecute(0));
  const SchedulingCondition both =
      AndCombine(SchedulingCondition{SchedulingConditionType::READY, 1},
                 {SchedulingConditionType::WAIT_TIME, 2});
  GXF_LOG_INFO("%s", SchedulingConditionTypeStr(both.type));
  return last && condition && boolean->checkTickEnabled() ? GXF_SUCCESS : GXF_FAILURE;
}

gxf_result_t Rest(gxf_context_t context, Handle<Clock> clock, Handle<RealtimeClock> realtime,
                  Handle<SyntheticClock> synthetic, Handle<Metric> metric, Handle<Vault> vault,
                  Handle<Connection> connection, Handle<Topic> topic, Handle<ThreadPool> threads,
                  Handle<GPUDevice> device, Handle<CPUThread> thread, Handle<IPCServer> server,
                  Handle<IPCClient> client, Handle<System> system, Handle<Scheduler> scheduler,
                  Handle<SchedulingTermCombiner> combiner, Handle<NetworkContext> network,
                  Handle<Monitor> monitor, Handle<Router> router, const Entity& entity) {
  const double seconds = clock->time();
  RETURN_IF_ERROR(clock->sleepFor(clock->timestamp()));
  RETURN_IF_ERROR(clock->sleepUntil(7));
  RETURN_IF_ERROR(realtime->setTimeScale(2.0));
  RETURN_IF_ERROR(synthetic->advanceTo(7));
  RETURN_IF_ERROR(synthetic->advanceBy(7));
  RETURN_IF_ERROR(metric->record(seconds));
  RETURN_IF_ERROR(metric->setAggregationFunction([](double sample) { return sample; }));
  RETURN_IF_ERROR(metric->setMeanAggregationFunction());
  RETURN_IF_ERROR(metric->setRootMeanSquareAggregationFunction());
  RETURN_IF_ERROR(metric->setAbsMaxAggregationFunction());
  RETURN_IF_ERROR(metric->setMaxAggregationFunction());
  RETURN_IF_ERROR(metric->setMinAggregationFunction());
  RETURN_IF_ERROR(metric->setSumAggregationFunction());
  RETURN_IF_ERROR(metric->setFixedAggregationFunction());
  RETURN_IF_ERROR(metric->reset());
  const Expected<bool> success = metric->evaluateSuccess();
  const Expected<double> value = metric->getAggregatedValue();
  const Expected<double> lower = metric->getLowerThreshold();
  const Expected<double> upper = metric->getUpperThreshold();
  RETURN_IF_ERROR(vault->setCallback([] {}));
  std::vector<gxf_uid_t> entities = vault->storeBlocking(1);
  entities = vault->storeBlockingFor(1, 100);
  entities = vault->store(1);
  vault->free(entities);
  const Handle<Transmitter> source = connection->source();
  const Handle<Receiver> sink = connection->target();
  RETURN_IF_ERROR(connection->setReceiver(sink));
  RETURN_IF_ERROR(connection->setTransmitter(source));
  const std::string topic_name = topic->getTopicName();
  const size_t on_topic = topic->getTransmitters().size() + topic->getReceivers().size();
  const Expected<gxf_uid_t> added = threads->addThread(7);
  const auto one = threads->getThread(7);
  for (const auto& entry : threads->get()) {
    GXF_LOG_INFO("%ld %ld", entry.first, entry.second.uid);
  }
  const int64_t sum = threads->size() + threads->priority() + device->device_id() + thread->pinned();
  RETURN_IF_ERROR(server->registerService(
      IPCServer::Service{"name", IPCServer::kQuery,
                         {[](const std::string& resource) -> Expected<std::string> {
                            return resource;
                          },
                          nullptr}}));
  IPCServer::QueryHandler query = [](const std::string&) -> Expected<std::string> { return ""; };
  IPCServer::ActionHandler action = [](const std::string&, const std::string&) { return Success; };
  const IPCServer::Service service{"name", IPCServer::ServiceType::kAction, {query, action}};
  RETURN_IF_ERROR(server->registerService(service));
  const auto answer = client->query("service", "resource");
  RETURN_IF_ERROR(client->action("service", "resource", "data"));
  const auto ping = client->ping();
  client->changeAddress("localhost", 8000).ping("service");
  RETURN_IF_ERROR(system->schedule(entity));
  RETURN_IF_ERROR(system->unschedule(entity));
  RETURN_IF_ERROR(system->runAsync());
  RETURN_IF_ERROR(system->stop());
  RETURN_IF_ERROR(system->wait());
  RETURN_IF_ERROR(system->event_notify(entity.eid(), GXF_EVENT_EXTERNAL));
  SystemGroup group;
  RETURN_IF_ERROR(group.addSystem(scheduler));
  RETURN_IF_ERROR(group.removeSystem(system));
  const SchedulingCondition combined = combiner->combine({SchedulingConditionType::READY, 0},
                                                         {SchedulingConditionType::WAIT, 0});
  const auto list = combiner->getTermList();
  RETURN_IF_ERROR(network->init_context());
  RETURN_IF_ERROR(network->addRoutes(entity));
  RETURN_IF_ERROR(network->removeRoutes(entity));
  RETURN_IF_ERROR(monitor->onExecute(entity.eid(), 0, GXF_SUCCESS));
  RETURN_IF_ERROR(router->addRoutes(entity));
  RETURN_IF_ERROR(router->removeRoutes(entity));
  RETURN_IF_ERROR(router->syncInbox(entity));
  RETURN_IF_ERROR(router->syncOutbox(entity));
  RETURN_IF_ERROR(router->wait(entity));
  RETURN_IF_ERROR(router->setClock(clock));
  RETURN_IF_ERROR(router->addNetworkContext(network));
  RouterGroup routers;
  RETURN_IF_ERROR(routers.addRouter(router));
  RETURN_IF_ERROR(routers.removeRouter(router));
  NetworkRouter network_router;
  RETURN_IF_ERROR(network_router.addNetworkContext(network));
  EndOfStream end;
  end.stream_id(7);
  auto message = EndOfStream::createEoSMessage(context);
  auto numbered = EndOfStream::createEoSMessage(context, end.stream_id());
  Timestamp stamp{1, 2};
  stamp.pubtime = stamp.acqtime;
  MultiSourceTimestamp stamps;
  stamps.push_back({stamp, TimeDomainID::PTP});
  const auto found = getTimestamp(stamps, TimeDomainID::PTP);
  complex64 small{1.0f, 2.0f};
  complex128 large{1.0, 2.0};
  return success && value && lower && upper && added && one && answer && ping && message &&
                 numbered && found && sum > 0 && on_topic > topic_name.size() && !group.empty() &&
                 combined.type == SchedulingConditionType::READY && list.size() > 0 &&
                 small.real() < large.real()
             ? GXF_SUCCESS
             : GXF_FAILURE;
}

/// Overrides of everything there is, as the newest sources write them.
class EveryVirtual : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return Codelet::registerInterface(registrar);
  }
  gxf_result_t initialize() override { return Codelet::initialize(); }
  gxf_result_t deinitialize() override { return GXF_SUCCESS; }
  gxf_result_t start() override { return Codelet::start(); }
  gxf_result_t tick() override {
    GXF_LOG_INFO("%ld %f %f %ld %d", getExecutionTimestamp(), getExecutionTime(), getDeltaTime(),
                 getExecutionCount(), isFirstTick());
    return GXF_SUCCESS;
  }
  gxf_result_t stop() override { return Codelet::stop(); }
  ~EveryVirtual() override = default;
};

class MockReceiver : public Receiver {
 public:
  gxf_result_t pop_abi(gxf_uid_t*) override { return GXF_SUCCESS; }
  gxf_result_t push_abi(gxf_uid_t) override { return GXF_SUCCESS; }
  gxf_result_t peek_abi(gxf_uid_t*, int32_t) override { return GXF_SUCCESS; }
  size_t capacity_abi() override { return 1; }
  size_t size_abi() override { return 0; }
  gxf_result_t receive_abi(gxf_uid_t*) override { return GXF_SUCCESS; }
  size_t back_size_abi() override { return 0; }
  gxf_result_t peek_back_abi(gxf_uid_t*, int32_t) override { return GXF_SUCCESS; }
  gxf_result_t sync_abi() override { return GXF_SUCCESS; }
  gxf_result_t sync_io_abi() override { return GXF_SUCCESS; }
  gxf_result_t wait_abi() override { return GXF_SUCCESS; }
};
class MockTransmitter : public Transmitter {
 public:
  gxf_result_t pop_abi(gxf_uid_t*) override { return GXF_SUCCESS; }
  gxf_result_t push_abi(gxf_uid_t) override { return GXF_SUCCESS; }
  gxf_result_t peek_abi(gxf_uid_t*, int32_t) override { return GXF_SUCCESS; }
  size_t capacity_abi() override { return 1; }
  size_t size_abi() override { return 0; }
  gxf_result_t publish_abi(gxf_uid_t) override { return GXF_SUCCESS; }
  size_t back_size_abi() override { return 0; }
  gxf_result_t sync_abi() override { return GXF_SUCCESS; }
  gxf_result_t sync_io_abi() override { return GXF_SUCCESS; }
  gxf_result_t pop_io_abi(gxf_uid_t*) override { return GXF_SUCCESS; }
};
struct MockAllocator : public Allocator {
  gxf_result_t is_available_abi(uint64_t) override { return GXF_SUCCESS; }
  gxf_result_t allocate_abi(uint64_t, int32_t, void**) override { return GXF_SUCCESS; }
  gxf_result_t free_abi(void*) override { return GXF_SUCCESS; }
  uint64_t block_size_abi() const override { return 1; }
};
class MockRouter : public Router {
 public:
  Expected<void> addRoutes(const Entity&) override { return Success; }
  Expected<void> removeRoutes(const Entity&) override { return Success; }
  Expected<void> syncInbox(const Entity&) override { return Success; }
  Expected<void> syncOutbox(const Entity&) override { return Success; }
  Expected<void> wait(const Entity&) override { return Success; }
  Expected<void> setClock(Handle<Clock>) override { return Success; }
  Expected<void> addNetworkContext(Handle<NetworkContext>) override { return Success; }
};
class MockContext : public NetworkContext {
 public:
  gxf_result_t init_context() override { return GXF_SUCCESS; }
  Expected<void> addRoutes(const Entity&) override { return Success; }
  Expected<void> removeRoutes(const Entity&) override { return Success; }
};
class MockCombiner : public SchedulingTermCombiner {
 public:
  SchedulingCondition combine(SchedulingCondition a, SchedulingCondition) override { return a; }
  FixedVector<Handle<SchedulingTerm>, kMaxComponents> getTermList() const override { return {}; }
};
class MockServer : public IPCServer {
 public:
  Expected<void> registerService(const Service& service) override {
    return service.type == kQuery ? Success : Unexpected{GXF_FAILURE};
  }
};
class MockClient : public IPCClient {
 public:
  Expected<std::string> query(const std::string&, const std::string& resource) override {
    return resource;
  }
  Expected<void> action(const std::string&, const std::string&, const std::string&) override {
    return Success;
  }
  Expected<std::string> ping(const std::string& service = "ping") override { return service; }
  IPCClient& changeAddress(const std::string&, const uint32_t) override { return *this; }
};
class MockController : public Controller {
 public:
  gxf_controller_status_t control(gxf_uid_t, Expected<void>) override {
    gxf_controller_status_t status;
    status.behavior_status = GXF_BEHAVIOR_SUCCESS;
    status.exec_status = GXF_EXECUTE_SUCCESS;
    return status;
  }
};
class MockMonitor : public Monitor {
 public:
  gxf_result_t on_execute_abi(gxf_uid_t, uint64_t, gxf_result_t) override { return GXF_SUCCESS; }
};
class MockResource : public ResourceBase {};
/// A base of its own.
class Interface : public Component {
 public:
  virtual Expected<int> ask(int) = 0;
};
class Answer : public Interface {
 public:
  Expected<int> ask(int number) override { return number; }
};
struct Payload {
  int number;
};

}  // namespace uses
}  // namespace gxf
}  // namespace nvidia

// Each with and without a semicolon, inside extern "C" as many write it.
extern "C" {
GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0x1, 0x2, "Uses", "Uses of everything", "Author", "0.0.1", "LICENSE");
GXF_EXT_FACTORY_SET_DISPLAY_INFO("Uses", "Tests", "Uses")
GXF_EXT_FACTORY_ADD(0x1, 0x3, nvidia::gxf::uses::EveryVirtual, nvidia::gxf::Codelet, "A codelet")
GXF_EXT_FACTORY_ADD(0x1, 0x4, nvidia::gxf::uses::MockReceiver, nvidia::gxf::Receiver, "");
GXF_EXT_FACTORY_ADD(0x1, 0x5, nvidia::gxf::uses::MockTransmitter, nvidia::gxf::Transmitter, "");
GXF_EXT_FACTORY_ADD(0x1, 0x6, nvidia::gxf::uses::MockAllocator, nvidia::gxf::Allocator, "");
GXF_EXT_FACTORY_ADD_LITE(0x1, 0x7, nvidia::gxf::uses::MockContext, nvidia::gxf::NetworkContext);
GXF_EXT_FACTORY_ADD_LITE(0x1, 0x8, nvidia::gxf::uses::MockCombiner,
                         nvidia::gxf::SchedulingTermCombiner)
GXF_EXT_FACTORY_ADD_LITE(0x1, 0x9, nvidia::gxf::uses::MockServer, nvidia::gxf::IPCServer)
GXF_EXT_FACTORY_ADD_LITE(0x1, 0xa, nvidia::gxf::uses::MockClient, nvidia::gxf::IPCClient)
GXF_EXT_FACTORY_ADD_LITE(0x1, 0xb, nvidia::gxf::uses::MockController, nvidia::gxf::Controller)
GXF_EXT_FACTORY_ADD_LITE(0x1, 0xc, nvidia::gxf::uses::MockMonitor, nvidia::gxf::Monitor)
GXF_EXT_FACTORY_ADD_LITE(0x1, 0xd, nvidia::gxf::uses::MockResource, nvidia::gxf::ResourceBase)
GXF_EXT_FACTORY_ADD_VERBOSE(0x1, 0xe, nvidia::gxf::uses::Interface, nvidia::gxf::Component,
                            "Interface", "An interface", "An interface of this extension");
GXF_EXT_FACTORY_ADD(0x1, 0xf, nvidia::gxf::uses::Answer, nvidia::gxf::uses::Interface, "Answers");
GXF_EXT_FACTORY_ADD_0(0x1, 0x10, nvidia::gxf::uses::Payload, "A payload");
GXF_EXT_FACTORY_ADD_0_LITE(0x1, 0x11, std::vector<float>)
GXF_EXT_FACTORY_ADD_0_VERBOSE(kNullUid, 0x12, std::string, "Text", "Text", "Text");
GXF_EXT_FACTORY_ADD_LITE(0x1, 0x13, nvidia::gxf::uses::MockRouter, nvidia::gxf::Router)
GXF_EXT_FACTORY_END();
}
