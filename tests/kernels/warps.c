/* The kernels of pictures as a device runs them, in warps whose threads exchange values, beside their
 * host twins: both must write the same bytes. Each thread of a warp is one of the system. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32, BLOCKS = 3 };
static _Thread_local unsigned lane, block;
static int exchanged[LANES];
static pthread_barrier_t together;

static unsigned __nvvm_read_ptx_sreg_ctaid_x(void) { return block; }
static unsigned __nvvm_read_ptx_sreg_ntid_x(void) { return LANES; }
static unsigned __nvvm_read_ptx_sreg_tid_x(void) { return lane; }
static unsigned __nvvm_read_ptx_sreg_nctaid_x(void) { return BLOCKS; }
static int __nvvm_shfl_sync_idx_i32(unsigned mask, int value, int from, int last) {
  (void)mask, (void)last;
  exchanged[lane] = value;
  pthread_barrier_wait(&together);
  int got = exchanged[from];
  pthread_barrier_wait(&together);
  return got;
}
#define __NVPTX__
#include "picture.c"
#undef __NVPTX__

/* The kernels' constructors fill the list. */
struct gxe_twin *gxe_twins;

static void (*kernel)(const void *args);
static const void *arguments;

static void *run_lane(void *number) {
  lane = (unsigned)(size_t)number;
  for (block = 0; block < BLOCKS; block++) {
    kernel(arguments);
    pthread_barrier_wait(&together);
  }
  return 0;
}

#define CALL(name)                                                                                 \
  static void call_##name(const void *args) { name(*(const struct name##_args *)args); }
CALL(gxe_reorder)
CALL(gxe_decode_yuv)
CALL(gxe_resize_u8)
CALL(gxe_resize_u16)
CALL(gxe_convert_u8_f32)
CALL(gxe_convert_f32_u8)

enum { SIZE = 1 << 16 };
static _Alignas(64) u8 source[SIZE], found[SIZE], expected[SIZE];
static int failures;

static void compare(const char *name, void (*device)(const void *), void *args, void **dst, const char *what) {
  struct gxe_twin *twin = gxe_twins;
  while (twin && strcmp(twin->name, name)) twin = twin->next;
  if (!twin) exit(2);
  memset(found, 0xa5, SIZE);
  memset(expected, 0xa5, SIZE);
  *dst = expected;
  twin->run(args);
  *dst = found;
  kernel = device, arguments = args;
  pthread_t threads[LANES];
  for (size_t i = 0; i < LANES; i++) pthread_create(&threads[i], 0, run_lane, (void *)i);
  for (size_t i = 0; i < LANES; i++) pthread_join(threads[i], 0);
  int is_same = !memcmp(found, expected, SIZE), is_written = 0;
  for (int i = 0; i < SIZE; i++) is_written |= expected[i] != 0xa5;
  printf("%s %s: %s\n", name, what, !is_written ? "nothing is written" : is_same ? "same" : "differs");
  failures += !is_same || !is_written;
}
#define COMPARE(name, args, field, what) compare(#name, call_##name, &args, (void **)&args.field, what)

int main(void) {
  pthread_barrier_init(&together, 0, LANES);
  for (int i = 0; i < SIZE; i++) source[i] = (u8)(rand() >> 7);
  static const u32 pixels[] = {4 * 96, 4 * 97 + 3, 130};
  for (int n = 0; n < 3; n++) {
    char what[64];
    for (u32 from = 1; from <= 4; from++) {
      for (u32 to = 1; to <= 4; to++) {
        struct gxe_reorder_args a = {0, source, pixels[n], 1, from, to, {0}, {9}};
        for (u32 c = 0; c < to; c++) a.order[c] = c < from ? (u8)(from - 1 - c) : 255;
        snprintf(what, sizeof what, "of %u pixels, %u to %u channels", pixels[n], from, to);
        COMPARE(gxe_reorder, a, dst, what);
      }
    }
    u32 width = n == 0 ? 128 : n == 1 ? 256 : 130, height = 4;
    snprintf(what, sizeof what, "of %u columns", width);
    for (u32 interleaved = 0; interleaved < 2; interleaved++) {
      struct gxe_decode_yuv_args a = {0, source, width, height, interleaved, 0};
      COMPARE(gxe_decode_yuv, a, dst, what);
    }
    struct gxe_convert_u8_f32_args up = {{0, source, 5 * pixels[n], 0.25f, -1.0f, 0.0f}};
    COMPARE(gxe_convert_u8_f32, up, c.dst, what);
    for (int i = 0; i < SIZE / 4; i++) ((f32 *)source)[i] = (f32)(rand() % 4000) / 10.0f - 50.0f;
    struct gxe_convert_f32_u8_args down = {{0, source, 5 * pixels[n], 0.9f, -2.0f, 255.0f}};
    COMPARE(gxe_convert_f32_u8, down, c.dst, what);
    for (int i = 0; i < SIZE; i++) source[i] = (u8)(rand() >> 7);
    /* Columns of some rows, then rows; each line is a sum of two or three. */
    u32 to = width / 2, bounds[2 * 128];
    i32 weights[3 * 128];
    for (u32 line = 0; line < to; line++) {
      bounds[2 * line] = 2 * line > width - 3 ? width - 3 : 2 * line;
      bounds[2 * line + 1] = 2 + line % 2;
      for (u32 k = 0; k < 3; k++) weights[3 * line + k] = 1 << (20 - k);
    }
    struct gxe_resize_args axis = {0, source, bounds, weights, 5, width, to, 3, 3, 21, 0};
    struct gxe_resize_u8_args columns = {axis};
    COMPARE(gxe_resize_u8, columns, r.dst, what);
    axis.outer = 1, axis.inner = 44;
    struct gxe_resize_u8_args rows = {axis};
    COMPARE(gxe_resize_u8, rows, r.dst, what);
    struct gxe_resize_u16_args wide = {axis};
    COMPARE(gxe_resize_u16, wide, r.dst, what);
  }
  return failures != 0;
}
