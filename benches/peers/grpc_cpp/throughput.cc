// Messages a second between two processes over one client-streaming call of gRPC's C++ library, with
// blocking `Write` and `Read` as in its example route_guide. Unlike there, messages may wait for
// those that follow: three times as many then go a second. Arguments: host and port, the size and
// the number of messages.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <grpcpp/grpcpp.h>

#include "throughput.grpc.pb.h"

namespace {

using Clock = std::chrono::steady_clock;

/// Counts the messages of a call, and prints how many came a second.
class Counts final : public bench::Stream::Service {
    grpc::Status Count(grpc::ServerContext *, grpc::ServerReader<bench::Blob> *messages, bench::Done *) override
    {
        bench::Blob blob;
        // The first one only starts the watch.
        messages->Read(&blob);
        auto began = Clock::now();
        long count = 0;
        while (messages->Read(&blob))
            count++;
        std::chrono::duration<double> seconds = Clock::now() - began;
        std::printf("RESULT %.0f\n", count / seconds.count());
        return grpc::Status::OK;
    }
};

bool send_all(const std::string &address, size_t size, long count)
{
    auto channel = grpc::CreateChannel(address, grpc::InsecureChannelCredentials());
    auto stub = bench::Stream::NewStub(channel);
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    bench::Done done;
    auto messages = stub->Count(&context, &done);
    bench::Blob blob;
    blob.set_data(std::string(size, '\0'));
    auto may_wait = grpc::WriteOptions().set_buffer_hint();
    for (long i = 0; i < count; i++)
        if (!messages->Write(blob, may_wait))
            return false;
    messages->WritesDone();
    return messages->Finish().ok();
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    std::string address = argv[1];
    size_t size = std::strtoul(argv[2], nullptr, 10);
    long count = std::strtol(argv[3], nullptr, 10);
    // Before gRPC has threads.
    pid_t sender = fork();
    if (sender == 0)
        return send_all(address, size, count) ? 0 : 1;
    Counts counts;
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials());
    builder.RegisterService(&counts);
    std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
    if (!server)
        return 1;
    int status = 0;
    waitpid(sender, &status, 0);
    server->Shutdown();
    return status == 0 ? 0 : 1;
}
