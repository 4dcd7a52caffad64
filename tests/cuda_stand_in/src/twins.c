#include "kernel.h"

/* The kernels' constructors fill the list. */
struct gxe_twin *gxe_twins;

/* The kernel of `gxe new extension --cuda`, whose source is CUDA C. */
struct scale_args {
  void *to;
  const void *from;
  u64 count;
  f32 factor;
};
KERNEL(scale, 1, 1) {
  FOR_EACH(i, a.count) AT(f32, to)[i] = AT(const f32, from)[i] * a.factor;
}
