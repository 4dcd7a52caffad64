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
/* What a stand-in for the driver needs to know of a kernel. */
struct gxe_twin {
  const char *name;
  void (*run)(const void *args);
  u64 args_size;
  u32 writes, reads;
  struct gxe_twin *next;
};
extern struct gxe_twin *gxe_twins;
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
