// A client of services in other processes and a user of one, work outside the graph and a term that
// waits for it, each against its counterpart in Rust.
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gxf/std/codelet.hpp"
#include "gxf/std/completion.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/ipc_client.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/scheduling_term.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/transmitter.hpp"

namespace outside {

using nvidia::gxf::Codelet;
using nvidia::gxf::Expected;
using nvidia::gxf::Handle;
using nvidia::gxf::IPCClient;
using nvidia::gxf::Parameter;
using nvidia::gxf::Registrar;
using nvidia::gxf::Success;
using nvidia::gxf::ToResultCode;
using nvidia::gxf::Unexpected;

class Client : public IPCClient {
 public:
  Expected<std::string> query(const std::string& service, const std::string& resource) override {
    return address_ + " query " + service + "/" + resource;
  }
  Expected<void> action(const std::string&, const std::string&, const std::string&) override {
    return Success;
  }
  Expected<std::string> ping(const std::string& service) override {
    if (service != "s") { return Unexpected{GXF_QUERY_NOT_FOUND}; }
    return "pong of " + service;
  }
  IPCClient& changeAddress(const std::string& ip, const uint32_t port) override {
    address_ = ip + ":" + std::to_string(port);
    return *this;
  }

 private:
  std::string address_;
};

class User : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(client_, "client", "Client", "Client to ask"));
  }
  gxf_result_t tick() override {
    const auto answer = client_->changeAddress("10.0.0.9", 7).query("s", "r");
    const auto ping = client_->ping("p");
    if (!answer) { return answer.error(); }
    if (!ping) { return ping.error(); }
    GXF_LOG_INFO("outside: %s, %s", answer->c_str(), ping->c_str());
    client_->changeAddress("nowhere", 70000);
    return GXF_SUCCESS;
  }

 private:
  Parameter<Handle<IPCClient>> client_;
};

/// Jobs that a thread finishes one by one, but only once somebody waits for them.
class Job : public gxe::Completion {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(fail_at_, "fail_at", "Fail at",
                                             "Number of the job that fails", int64_t{-1}));
  }
  gxf_result_t initialize() override {
    thread_ = std::thread([this] { Work(); });
    return GXF_SUCCESS;
  }
  gxf_result_t deinitialize() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_over_ = true;
      GXF_LOG_INFO("outside: %zu tokens unused", tokens_.size());
      tokens_.clear();
    }
    changed_.notify_all();
    thread_.join();
    return GXF_SUCCESS;
  }
  void Begin() {
    const std::lock_guard<std::mutex> lock(mutex_);
    begun_++;
  }
  Expected<bool> poll() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (begun_ == done_ && done_ == fail_at_.get()) { return Unexpected{GXF_OUT_OF_MEMORY}; }
    return begun_ == done_;
  }
  Expected<void> notify(gxe::WakeToken token) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (begun_ == done_) {
      token.wake();
      return Success;
    }
    tokens_.push_back(token.copy());
    tokens_.push_back(std::move(token));
    changed_.notify_all();
    return Success;
  }

 private:
  void Work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return is_over_ || !tokens_.empty(); });
      if (is_over_) { return; }
      done_ = begun_;
      for (gxe::WakeToken& token : tokens_) { token.wake(); }
      tokens_.clear();
    }
  }

  Parameter<int64_t> fail_at_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<gxe::WakeToken> tokens_;
  int64_t begun_ = 0;
  int64_t done_ = 0;
  bool is_over_ = false;
};

/// Begins a job in each tick but the last one.
class JobGiver : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(job_, "job", "Job", "The job");
    result &= registrar->parameter(jobs_, "jobs", "Jobs", "Ticks that begin a job");
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    GXF_LOG_INFO("outside: tick %ld", getExecutionCount());
    if (getExecutionCount() <= jobs_.get()) { job_->Begin(); }
    return GXF_SUCCESS;
  }

 private:
  Parameter<Handle<Job>> job_;
  Parameter<int64_t> jobs_;
};

/// Waits for a completion.
class CompletionTerm : public nvidia::gxf::SchedulingTerm {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(completion_, "completion", "Completion", "The work"));
  }
  gxf_result_t check_abi(int64_t, nvidia::gxf::SchedulingConditionType* type,
                         int64_t*) const override {
    const auto done = completion_->poll();
    if (!done) { return done.error(); }
    if (done.value()) {
      *type = nvidia::gxf::SchedulingConditionType::READY;
      return GXF_SUCCESS;
    }
    *type = nvidia::gxf::SchedulingConditionType::WAIT_EVENT;
    auto token = gxe::WakeToken::Of(context(), eid());
    if (!token) { return token.error(); }
    return ToResultCode(completion_->notify(std::move(token.value())));
  }
  gxf_result_t onExecute_abi(int64_t) override { return GXF_SUCCESS; }

 private:
  Parameter<Handle<gxe::Completion>> completion_;
};

struct Pose {
  double angle = 0;
};

/// Declares what it exchanges.
class Filter : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(input_, "input", "Input", "Receiver of poses");
    result &= registrar->carries<Pose>("input");
    result &= registrar->parameter(output_, "output", "Output", "Transmitter of images");
    result &= registrar->carries<nvidia::gxf::Tensor, Foreign>("output");
    return ToResultCode(result);
  }
  gxf_result_t tick() override { return GXF_SUCCESS; }

 private:
  struct Foreign {};
  Parameter<Handle<nvidia::gxf::Receiver>> input_;
  Parameter<Handle<nvidia::gxf::Transmitter>> output_;
};

/// A queue that declares what goes through itself.
class Inbox : public nvidia::gxf::Receiver {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->carries<Pose, int64_t>());
  }
  gxf_result_t pop_abi(gxf_uid_t*) override { return GXF_FAILURE; }
  gxf_result_t push_abi(gxf_uid_t) override { return GXF_FAILURE; }
  gxf_result_t peek_abi(gxf_uid_t*, int32_t) override { return GXF_FAILURE; }
  size_t capacity_abi() override { return 0; }
  size_t size_abi() override { return 0; }
  gxf_result_t receive_abi(gxf_uid_t*) override { return GXF_FAILURE; }
  size_t back_size_abi() override { return 0; }
  gxf_result_t peek_back_abi(gxf_uid_t*, int32_t) override { return GXF_FAILURE; }
  gxf_result_t sync_abi() override { return GXF_SUCCESS; }
};

/// Names a port that it does not have.
class Mistaken : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->carries<Pose>("nothing"));
  }
  gxf_result_t tick() override { return GXF_SUCCESS; }
};

}  // namespace outside

GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0x5d9c1b7e2f804a36, 0x8e2f6ab03d57c194, "Outside", "Work outside the graph",
                         "gxe", "1.0.0", "Apache-2.0");
GXF_EXT_FACTORY_SET_DISPLAY_INFO("Outside the graph", "Tests", "In short");
GXF_EXT_FACTORY_ADD(0x2b68f0d91c7e4a53, 0x9f4e07c5ba1d8362, outside::Client, nvidia::gxf::IPCClient,
                    "Answers with what it was asked");
GXF_EXT_FACTORY_ADD(0xe1470c5a9d3b4f28, 0xa7b3d86e204f91c5, outside::User, nvidia::gxf::Codelet,
                    "Asks a client");
GXF_EXT_FACTORY_ADD(0x8f3b5ad1e7624c09, 0xb1c84e02f79d6a53, outside::Job, gxe::Completion,
                    "Jobs that a thread finishes");
GXF_EXT_FACTORY_ADD(0x46e0c9b27d5f4a18, 0x8a95d30f1cb7e264, outside::JobGiver, nvidia::gxf::Codelet,
                    "Begins jobs");
GXF_EXT_FACTORY_ADD(0xc5127fa80e9b4d36, 0x93de6a4bf8205c17, outside::CompletionTerm,
                    nvidia::gxf::SchedulingTerm, "Waits for a completion");
GXF_EXT_FACTORY_ADD_0(0x70ab5d1e3c9f4862, 0x84f2e6c0b79d1a35, outside::Pose, "A payload");
GXF_EXT_FACTORY_ADD(0x95c2e7f04b8d4a16, 0xbe63d10f5a78c429, outside::Filter, nvidia::gxf::Codelet,
                    "Declares what it exchanges");
GXE_EXT_FACTORY_SET_FLAGS(outside::Filter, GXE_TYPE_CAPTURABLE | GXE_TYPE_IN_PLACE);
GXF_EXT_FACTORY_ADD(0x3c60e9a7d15b4f82, 0xbd48f2710ce69a35, outside::Inbox, nvidia::gxf::Receiver,
                    "Declares what goes through itself");
#ifdef MISTAKEN
GXF_EXT_FACTORY_ADD(0xd81f4a6b0c2e4973, 0x9a05c3e7f6d2b814, outside::Mistaken,
                    nvidia::gxf::Codelet, "Names a port that it does not have");
#endif
GXF_EXT_FACTORY_END()
