/* Arrays of numbers. */
#include "kernel.h"

/* Pixels of up to four channels, all of this colour. */
struct gxe_set_f32_args {
  void *dst;
  u64 pixels;
  u32 channels, reserved;
  f32 value[4];
};
KERNEL(gxe_set_f32, 1, 0) {
  FOR_EACH(i, a.pixels * a.channels) AT(f32, dst)[i] = a.value[(u32)(i % a.channels) & 3];
}

/* Each channel times a factor. */
struct gxe_multiply_f32_args {
  void *dst;
  const void *src;
  u64 pixels;
  u32 channels, reserved;
  f32 factor[4];
};
KERNEL(gxe_multiply_f32, 1, 1) {
  FOR_EACH(i, a.pixels * a.channels)
  AT(f32, dst)[i] = AT(const f32, src)[i] * a.factor[(u32)(i % a.channels) & 3];
}

/* Sums of `parts` pieces, each from its start to its end. A second launch with one part adds up what
 * the first one left, so that the order of additions is always the same. */
struct gxe_sum_f32_args {
  void *dst;
  const void *src;
  u64 count, parts;
};
KERNEL(gxe_sum_f32, 1, 1) {
  u64 length = (a.count + a.parts - 1) / a.parts;
  FOR_EACH(part, a.parts) {
    f32 sum = 0.0f;
    for (u64 i = part * length; i < a.count && i < (part + 1) * length; i++)
      sum += AT(const f32, src)[i];
    AT(f32, dst)[part] = sum;
  }
}

/* The same for the products of two arrays. */
struct gxe_dot_f32_args {
  void *dst;
  const void *left, *right;
  u64 count, parts;
};
KERNEL(gxe_dot_f32, 1, 2) {
  u64 length = (a.count + a.parts - 1) / a.parts;
  FOR_EACH(part, a.parts) {
    f32 sum = 0.0f;
    for (u64 i = part * length; i < a.count && i < (part + 1) * length; i++)
      sum += AT(const f32, left)[i] * AT(const f32, right)[i];
    AT(f32, dst)[part] = sum;
  }
}

/* A picture of one channel, convolved with a small one; 0 beyond the edges. */
struct gxe_convolve_f32_args {
  void *dst;
  const void *src, *weights;
  u64 width, height;
  u32 weights_width, weights_height;
};
KERNEL(gxe_convolve_f32, 1, 2) {
  FOR_EACH(i, a.width * a.height) {
    u64 row = i / a.width, column = i % a.width;
    f32 sum = 0.0f;
    for (u32 y = 0; y < a.weights_height; y++) {
      for (u32 x = 0; x < a.weights_width; x++) {
        u64 from_row = row + y - a.weights_height / 2, from_column = column + x - a.weights_width / 2;
        if (from_row < a.height && from_column < a.width)
          sum += AT(const f32, src)[from_row * a.width + from_column] *
                 AT(const f32, weights)[y * a.weights_width + x];
      }
    }
    AT(f32, dst)[i] = sum;
  }
}
