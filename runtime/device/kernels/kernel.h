/* What kernels are written with.
 *
 * One source makes both: the PTX of a kernel (clang for NVPTX) and its host twin (any C compiler),
 * which tests run in its place. A kernel takes one structure by value, whose first fields are the
 * pointers to what it writes, then those to what it reads. Its work is a loop over FOR_EACH, which is
 * split among the threads on a device and runs from 0 to the end on the host. Nothing is contracted
 * to fused operations, so both give the same bits. */

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int i32;
typedef long long i64;
typedef unsigned long long u64;
typedef _Float16 f16;
typedef float f32;
typedef double f64;

/* Four elements side by side, which a thread reads or writes at once. */
#define FOUR_OF(T, bytes) typedef T T##x4 __attribute__((vector_size(bytes), may_alias))
FOUR_OF(u8, 4);
FOUR_OF(u16, 8);
FOUR_OF(u32, 16);
FOUR_OF(f16, 8);
FOUR_OF(f32, 16);
FOUR_OF(f64, 32);
typedef u32 word __attribute__((may_alias));

/* What a stand-in for the driver needs to know of a kernel. */
struct gxe_twin {
  const char *name;
  void (*run)(const void *args);
  u64 args_size;
  u32 writes, reads;
  struct gxe_twin *next;
};
extern struct gxe_twin *gxe_twins;

#ifdef __NVPTX__
#define KERNEL(name, writes, reads)                                                                \
  __attribute__((nvptx_kernel)) void name(struct name##_args a)
#define GLOBAL __attribute__((address_space(1)))
#define FOR_EACH(i, end)                                                                           \
  for (u64 i = (u64)__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +               \
               __nvvm_read_ptx_sreg_tid_x();                                                       \
       i < (end);                                                                                  \
       i += (u64)__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x())
#else
#define KERNEL(name, write_count, read_count)                                                      \
  static void name(struct name##_args a);                                                          \
  static void name##_run(const void *args) { name(*(const struct name##_args *)args); }            \
  static struct gxe_twin name##_twin = {#name, name##_run, sizeof(struct name##_args),             \
                                        write_count, read_count, 0};                               \
  __attribute__((constructor)) static void name##_add(void) {                                      \
    name##_twin.next = gxe_twins;                                                                  \
    gxe_twins = &name##_twin;                                                                      \
  }                                                                                                \
  static void name(struct name##_args a)
#define GLOBAL
#define FOR_EACH(i, end) for (u64 i = 0; i < (end); i++)
#endif

/* A pointer of the arguments, as one to the device's memory. */
#define AT(type, field) ((GLOBAL type *)(a.field))

/* Whether addresses suit four elements of every type. */
#define IS_ALIGNED(one, other) ((((u64)(one) | (u64)(other)) & (sizeof(f64x4) - 1)) == 0)

/* Stores three words of each step of a loop, which follow each other from step to step. Neighbouring
 * threads with steps before `end` exchange them to write side by side: apart, each store would touch three
 * times the memory. (Loads go through a cache, and gain nothing.) Of 96 words, thread t writes those at
 * t, t + 32 and t + 64, and gets in round r the one of them that is word r of a step. */
struct words {
  u32 w[3];
};
#ifdef __NVPTX__
static inline u32 of_thread(u32 value, u32 thread) {
  return (u32)__nvvm_shfl_sync_idx_i32(~0u, (int)value, (int)(thread & 31), 31);
}
#endif
static inline void store_words(GLOBAL word *all, struct words words, u64 step, u64 end) {
#ifdef __NVPTX__
  if ((step | 31) < end) {
    u32 lane = (u32)step & 31, rest = lane % 3;
    /* 11 times 3 is 1, modulo 32. */
    u32 zero = of_thread(words.w[0], 11 * lane), one = of_thread(words.w[1], 11 * (lane - 1)),
        two = of_thread(words.w[2], 11 * (lane - 2));
    GLOBAL word *to = all + 3 * (step - lane) + lane;
    to[0] = rest == 0 ? zero : rest == 1 ? one : two;
    to[32] = rest == 0 ? two : rest == 1 ? zero : one;
    to[64] = rest == 0 ? one : rest == 1 ? two : zero;
    return;
  }
#endif
  (void)end;
  for (u32 k = 0; k < 3; k++) all[3 * step + k] = words.w[k];
}
/* Stores three bytes of each step of a loop, which follow each other from step to step from a word on. */
static inline void store_bytes(GLOBAL u8 *all, u32 three, u64 step, u64 end) {
#ifdef __NVPTX__
  if ((step | 31) < end) {
    u32 lane = (u32)step & 31, place = lane & 3;
    u32 next = of_thread(three, lane + 1);
    u32 value = three >> 8 * place | next << (24 - 8 * place);
    if (place < 3) ((GLOBAL word *)all)[step / 4 * 3 + place] = value;
    return;
  }
#endif
  (void)end;
  for (u32 k = 0; k < 3; k++) all[3 * step + k] = (u8)(three >> 8 * k);
}
