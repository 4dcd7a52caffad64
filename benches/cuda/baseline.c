/* The same work as that of the benchmarks of CUDA, by hand-written calls of the driver. Needs no toolkit:
 *
 *   cc -O2 -DPTX='"runtime/device/kernels/numbers.ptx"' benches/cuda/baseline.c -ldl -o baseline
 *
 * The first argument says what to do, the others are numbers; prints a line `RESULT` with figures. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The kernels of gxe. */
__asm__(".section .rodata\n"
        ".global kernels\n"
        "kernels:\n"
        ".incbin \"" PTX "\"\n"
        ".byte 0\n"
        ".previous\n");
extern const char kernels[];

typedef uint64_t address;
typedef void *object;

struct pool_properties {
  int type, handles;
  int location, device;
  void *security;
  size_t max_size;
  unsigned char reserved[56];
};

/* The functions of the driver, as its documentation has them. */
#define FUNCTIONS(F) \
  F(cuInit, (unsigned flags)) \
  F(cuDeviceGet, (int *device, int number)) \
  F(cuDevicePrimaryCtxRetain, (object * context, int device)) \
  F(cuCtxSetCurrent, (object context)) \
  F(cuStreamCreateWithPriority, (object * stream, unsigned flags, int priority)) \
  F(cuStreamDestroy_v2, (object stream)) \
  F(cuStreamSynchronize, (object stream)) \
  F(cuMemAlloc_v2, (address * memory, size_t size)) \
  F(cuMemHostAlloc, (void **memory, size_t size, unsigned flags)) \
  F(cuMemPoolCreate, (object * pool, const struct pool_properties *properties)) \
  F(cuMemPoolSetAttribute, (object pool, int attribute, void *value)) \
  F(cuMemAllocFromPoolAsync, (address * memory, size_t size, object pool, object stream)) \
  F(cuMemFreeAsync, (address memory, object stream)) \
  F(cuMemsetD8Async, (address memory, unsigned char byte, size_t size, object stream)) \
  F(cuMemcpyDtoDAsync_v2, (address to, address from, size_t size, object stream)) \
  F(cuMemcpyHtoDAsync_v2, (address to, const void *from, size_t size, object stream)) \
  F(cuMemcpyDtoHAsync_v2, (void *to, address from, size_t size, object stream)) \
  F(cuEventCreate, (object * event, unsigned flags)) \
  F(cuEventQuery, (object event)) \
  F(cuEventRecord, (object event, object stream)) \
  F(cuEventSynchronize, (object event)) \
  F(cuEventElapsedTime, (float *milliseconds, object start, object end)) \
  F(cuModuleLoadDataEx, (object * module, const void *image, unsigned count, void *options, void **values)) \
  F(cuModuleGetFunction, (object * function, object module, const char *name)) \
  F(cuLaunchKernel, (object function, unsigned blocks, unsigned blocks_y, unsigned blocks_z, unsigned threads, \
                     unsigned threads_y, unsigned threads_z, unsigned shared, object stream, void **arguments, \
                     void **extra)) \
  F(cuStreamBeginCapture_v2, (object stream, int mode)) \
  F(cuStreamEndCapture, (object stream, object *graph)) \
  F(cuGraphInstantiateWithFlags, (object * executable, object graph, unsigned long long flags)) \
  F(cuGraphLaunch, (object executable, object stream))

#define DECLARE(name, parameters) static int(*name) parameters;
FUNCTIONS(DECLARE)

static void die(const char *what, const char *why) {
  fprintf(stderr, "baseline: %s: %s\n", what, why);
  exit(1);
}

#define CALL(name, ...) \
  do { \
    int answer = name(__VA_ARGS__); \
    if (answer) { \
      fprintf(stderr, "baseline: %s: error %d\n", #name, answer); \
      exit(1); \
    } \
  } while (0)

enum { MOST_KERNELS = 16, NON_BLOCKING = 1, BLOCKING_SYNC = 1 };
enum { DISABLE_TIMING = 2, RELEASE_THRESHOLD = 4, THREAD_LOCAL = 1 };

/* The structure of the kernel gxe_convolve_f32. */
struct convolve {
  address dst, src, weights;
  uint64_t width, height;
  uint32_t weights_width, weights_height;
};

static object stream, function;
/* Rows, and columns, of a picture of `float32`, as in benches/stages/src/cuda.rs. */
static size_t side = 64;
static address picture, weights, results[MOST_KERNELS];

static size_t picture_size(void) { return side * side * 4; }

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

static void open_driver(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) die("libcuda.so.1", dlerror());
#define LOOK_UP(name, parameters) \
  if (!(*(void **)&name = dlsym(library, #name))) die(#name, "the driver does not have it");
  FUNCTIONS(LOOK_UP)
  int device;
  object context;
  CALL(cuInit, 0);
  CALL(cuDeviceGet, &device, 0);
  CALL(cuDevicePrimaryCtxRetain, &context, device);
  CALL(cuCtxSetCurrent, context);
  CALL(cuStreamCreateWithPriority, &stream, NON_BLOCKING, 0);
}

static address zeros(size_t size) {
  address memory;
  CALL(cuMemAlloc_v2, &memory, size);
  CALL(cuMemsetD8Async, memory, 0, size, stream);
  return memory;
}

static void load_kernel(unsigned width) {
  object module;
  CALL(cuModuleLoadDataEx, &module, kernels, 0, NULL, NULL);
  CALL(cuModuleGetFunction, &function, module, "gxe_convolve_f32");
  picture = zeros(picture_size());
  weights = zeros((size_t)width * 4);
  for (int i = 0; i < MOST_KERNELS; i++) results[i] = zeros(picture_size());
}

static void launch(unsigned width, int result) {
  struct convolve arguments = {results[result], picture, weights, side, side, width, 1};
  void *parameters[] = {&arguments};
  CALL(cuLaunchKernel, function, side * side / 256, 1, 1, 256, 1, 1, 0, stream, parameters, NULL);
}

static void launch_all(unsigned width, int count) {
  for (int i = 0; i < count; i++) launch(width, i);
}

static void fill(void) { CALL(cuMemsetD8Async, picture, 0, picture_size(), stream); }

static object event(unsigned flags) {
  object created;
  CALL(cuEventCreate, &created, flags);
  return created;
}

static int compare(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return (difference > 0) - (difference < 0);
}

static double median(double *values, int count) {
  qsort(values, count, sizeof *values, compare);
  return values[count / 2];
}

/* Nanoseconds that the device takes for a kernel. */
static double device_time(unsigned width) {
  enum { TIMES = 9 };
  object start = event(0), end = event(0);
  double values[TIMES];
  launch(width, 0);
  for (int i = 0; i < TIMES; i++) {
    float milliseconds;
    CALL(cuEventRecord, start, stream);
    launch(width, 0);
    CALL(cuEventRecord, end, stream);
    CALL(cuEventSynchronize, end);
    CALL(cuEventElapsedTime, &milliseconds, start, end);
    values[i] = milliseconds * 1e6;
  }
  return median(values, TIMES);
}

/* The number of weights with which a kernel takes so many nanoseconds. */
static void calibrate(double wanted) {
  enum { FIRST = 16, MOST = 1 << 22 };
  load_kernel(MOST);
  unsigned width = FIRST;
  double time = device_time(width);
  while (time < wanted && width < MOST) time = device_time(width *= 2);
  unsigned found = time > wanted ? width * (wanted / time) : width;
  if (!found) found = 1;
  printf("RESULT %u %.0f\n", found, device_time(found));
}

/* Creates and destroys streams. */
static void streams(long count) {
  double begin = now(CLOCK_MONOTONIC);
  for (long i = 0; i < count; i++) {
    object created;
    CALL(cuStreamCreateWithPriority, &created, NON_BLOCKING, 0);
    CALL(cuStreamDestroy_v2, created);
  }
  printf("RESULT %f\n", (now(CLOCK_MONOTONIC) - begin) / count);
}

/* Allocates and frees memory of a pool that keeps it. */
static void memory(long count) {
  struct pool_properties properties = {.type = 1, .location = 1};
  object pool;
  uint64_t threshold = UINT64_MAX;
  CALL(cuMemPoolCreate, &pool, &properties);
  CALL(cuMemPoolSetAttribute, pool, RELEASE_THRESHOLD, &threshold);
  double begin = 0;
  for (long i = -count / 10; i < count; i++) {
    address allocated;
    if (i == 0) begin = now(CLOCK_MONOTONIC);
    CALL(cuMemAllocFromPoolAsync, &allocated, 4096, pool, stream);
    CALL(cuMemFreeAsync, allocated, stream);
  }
  printf("RESULT %f\n", (now(CLOCK_MONOTONIC) - begin) / count);
}

/* Fills the picture and runs kernels, one by one or as a graph. */
static void chain(unsigned width, int count, long messages, int as_graph) {
  object executable = NULL;
  load_kernel(width);
  launch_all(width, count);
  CALL(cuStreamSynchronize, stream);
  if (as_graph) {
    object graph;
    CALL(cuStreamBeginCapture_v2, stream, THREAD_LOCAL);
    launch_all(width, count);
    CALL(cuStreamEndCapture, stream, &graph);
    CALL(cuGraphInstantiateWithFlags, &executable, graph, 0);
  }
  double begin = 0;
  for (long i = -messages / 10; i < messages; i++) {
    if (i == 0) {
      CALL(cuStreamSynchronize, stream);
      begin = now(CLOCK_MONOTONIC);
    }
    fill();
    if (executable)
      CALL(cuGraphLaunch, executable, stream);
    else
      launch_all(width, count);
  }
  CALL(cuStreamSynchronize, stream);
  printf("RESULT %f\n", (now(CLOCK_MONOTONIC) - begin) / messages);
}

/* From the launch of a kernel until the thread that waits for it, blocked or asking all the time, goes on,
 * and the device's part of that. */
static void wake(unsigned width, int count, int is_spinning) {
  enum { NOT_READY = 600 };
  object end = event(DISABLE_TIMING | BLOCKING_SYNC);
  double *values = malloc(count * sizeof *values);
  if (!values) die("malloc", "no memory");
  load_kernel(width);
  for (int i = 0; i < count; i++) {
    double begin = now(CLOCK_MONOTONIC);
    launch(width, 0);
    CALL(cuEventRecord, end, stream);
    int answer;
    if (is_spinning) {
      while ((answer = cuEventQuery(end)) == NOT_READY) continue;
      if (answer) die("cuEventQuery", "the device failed");
    } else
      CALL(cuEventSynchronize, end);
    values[i] = now(CLOCK_MONOTONIC) - begin;
  }
  printf("RESULT %f %f\n", median(values, count), device_time(width));
  free(values);
}

/* Processor time of a fill every 50 microseconds, with a wait for each. */
static void paced(long count) {
  object end = event(DISABLE_TIMING | BLOCKING_SYNC);
  struct timespec next;
  picture = zeros(picture_size());
  CALL(cuStreamSynchronize, stream);
  clock_gettime(CLOCK_MONOTONIC, &next);
  double begin = now(CLOCK_PROCESS_CPUTIME_ID);
  for (long i = 0; i < count; i++) {
    fill();
    CALL(cuEventRecord, end, stream);
    CALL(cuEventSynchronize, end);
    next.tv_nsec += 50000;
    if (next.tv_nsec >= 1000000000) {
      next.tv_nsec -= 1000000000;
      next.tv_sec++;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
  }
  printf("RESULT %f\n", (now(CLOCK_PROCESS_CPUTIME_ID) - begin) / count);
}

/* Copies from device memory to device memory. */
static void copies(size_t size, long count) {
  address from = zeros(size), to = zeros(size);
  CALL(cuMemcpyDtoDAsync_v2, to, from, size, stream);
  CALL(cuStreamSynchronize, stream);
  double begin = now(CLOCK_MONOTONIC);
  for (long i = 0; i < count; i++) CALL(cuMemcpyDtoDAsync_v2, to, from, size, stream);
  CALL(cuStreamSynchronize, stream);
  printf("RESULT %f\n", (now(CLOCK_MONOTONIC) - begin) / count);
}

static void *pinned(void) {
  void *memory;
  CALL(cuMemHostAlloc, &memory, picture_size(), 0);
  memset(memory, 0, picture_size());
  return memory;
}

/* Nanoseconds of a copy of a picture to the host, many in a row. */
static double copy_out(void *host, long count) {
  double begin = 0;
  for (long i = -count / 10; i < count; i++) {
    if (i == 0) {
      CALL(cuStreamSynchronize, stream);
      begin = now(CLOCK_MONOTONIC);
    }
    CALL(cuMemcpyDtoHAsync_v2, host, picture, picture_size(), stream);
  }
  CALL(cuStreamSynchronize, stream);
  return (now(CLOCK_MONOTONIC) - begin) / count;
}

/* A copy of a picture to the device, a kernel on it, and a copy to the host, each alone. */
static void stages(unsigned width, long count) {
  load_kernel(width);
  void *host = pinned();
  double times[2];
  for (int is_kernel = 0; is_kernel < 2; is_kernel++) {
    double begin = 0;
    for (long i = -count / 10; i < count; i++) {
      if (i == 0) {
        CALL(cuStreamSynchronize, stream);
        begin = now(CLOCK_MONOTONIC);
      }
      if (is_kernel)
        launch(width, 0);
      else
        CALL(cuMemcpyHtoDAsync_v2, picture, host, picture_size(), stream);
    }
    CALL(cuStreamSynchronize, stream);
    times[is_kernel] = (now(CLOCK_MONOTONIC) - begin) / count;
  }
  printf("RESULT %f %f %f\n", times[0], times[1], copy_out(host, count));
}

/* A copy of a picture to the host, and a write of one to a file in this folder, each alone. */
static void record(long count) {
  const char *name = "baseline.raw";
  void *host = pinned();
  picture = zeros(picture_size());
  double link = copy_out(host, count);
  int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  if (file < 0) die(name, "it cannot be created");
  double begin = now(CLOCK_MONOTONIC);
  for (long i = 0; i < count; i++)
    if (write(file, host, picture_size()) != (ssize_t)picture_size()) die(name, "it cannot be written");
  double written = (now(CLOCK_MONOTONIC) - begin) / count;
  close(file);
  unlink(name);
  printf("RESULT %f %f\n", link, written);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  long numbers[3] = {0};
  for (int i = 2; i < argc && i < 5; i++) numbers[i - 2] = strtol(argv[i], NULL, 10);
  open_driver();
  int is_chain = !strcmp(what, "chain"), is_graph = !strcmp(what, "graph");
  int is_wake = !strcmp(what, "wake"), is_spin = !strcmp(what, "spin");
  if (!strcmp(what, "calibrate"))
    calibrate(numbers[0]);
  else if (!strcmp(what, "streams"))
    streams(numbers[0]);
  else if (!strcmp(what, "memory"))
    memory(numbers[0]);
  else if ((is_chain || is_graph) && numbers[1] <= MOST_KERNELS)
    chain(numbers[0], numbers[1], numbers[2], is_graph);
  else if (is_wake || is_spin)
    wake(numbers[0], numbers[1], is_spin);
  else if (!strcmp(what, "paced"))
    paced(numbers[0]);
  else if (!strcmp(what, "copies"))
    copies(numbers[0], numbers[1]);
  else if (!strcmp(what, "stages") && numbers[1] > 0) {
    side = numbers[1];
    stages(numbers[0], numbers[2]);
  } else if (!strcmp(what, "record") && numbers[0] > 0) {
    side = numbers[0];
    record(numbers[1]);
  } else
    die(what, "not one of calibrate, streams, memory, chain, graph, wake, spin, paced, copies, stages, record");
  return 0;
}
