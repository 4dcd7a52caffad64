// Messages a second between two processes over libzmq, as its own example (perf/remote_thr.cpp and perf/local_thr.cpp)
// counts them: `cc -O2 throughput.c -lzmq`. Arguments: host and port, the size and the number of messages.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s: %s\n", what, zmq_strerror(zmq_errno()));
        exit(1);
    }
}

static void send_all(const char *endpoint, size_t size, long count)
{
    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_PUSH);
    char *bytes = calloc(1, size);
    require(socket && bytes && zmq_connect(socket, endpoint) == 0, "connect");
    for (long i = 0; i < count; i++)
        require(zmq_send(socket, bytes, size, 0) >= 0, "send");
    // Returns when everything is sent.
    zmq_close(socket);
    zmq_ctx_term(context);
    free(bytes);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    char endpoint[128];
    snprintf(endpoint, sizeof endpoint, "tcp://%s", argv[1]);
    size_t size = strtoul(argv[2], NULL, 10);
    long count = strtol(argv[3], NULL, 10);
    // Before libzmq has threads.
    pid_t sender = fork();
    if (sender == 0) {
        send_all(endpoint, size, count);
        return 0;
    }
    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_PULL);
    require(socket && zmq_bind(socket, endpoint) == 0, "bind");
    zmq_msg_t message;
    zmq_msg_init(&message);
    require(zmq_msg_recv(&message, socket, 0) >= 0, "receive");
    // The first one only starts the watch.
    double began = seconds();
    for (long i = 1; i < count; i++)
        require(zmq_msg_recv(&message, socket, 0) >= 0, "receive");
    printf("RESULT %.0f\n", (count - 1) / (seconds() - began));
    zmq_msg_close(&message);
    zmq_close(socket);
    zmq_ctx_term(context);
    waitpid(sender, NULL, 0);
    return 0;
}
