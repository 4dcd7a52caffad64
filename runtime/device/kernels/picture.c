/* Pictures: element types, channels, planes of brightness and colour. Each kernel does what the step
 * of the same name does in extensions/format_converter, to the bit. */
#include "kernel.h"

/* As Rust's `as`: saturating, 0 for NaN. */
static inline u8 to_u8(f32 v) { return !(v > 0.0f) ? 0 : v >= 255.0f ? 255 : (u8)v; }
static inline u16 to_u16(f32 v) { return !(v > 0.0f) ? 0 : v >= 65535.0f ? 65535 : (u16)v; }

static inline f32 clamped(f32 v, f32 largest) {
  return v < 0.0f ? 0.0f : v > largest ? largest : v;
}

struct convert_args {
  void *dst;
  const void *src;
  u64 count;
  f32 factor, minimum, largest;
};

#define INT_TO_FLOAT(S, D)                                                                         \
  struct gxe_convert_##S##_##D##_args {                                                            \
    struct convert_args c;                                                                         \
  };                                                                                               \
  KERNEL(gxe_convert_##S##_##D, 1, 1) {                                                            \
    FOR_EACH(i, a.c.count)                                                                         \
    AT(D, c.dst)[i] = (D)((f32)AT(const S, c.src)[i] * a.c.factor + a.c.minimum);                  \
  }
#define FLOAT_TO_INT(S, D)                                                                         \
  struct gxe_convert_##S##_##D##_args {                                                            \
    struct convert_args c;                                                                         \
  };                                                                                               \
  KERNEL(gxe_convert_##S##_##D, 1, 1) {                                                            \
    FOR_EACH(i, a.c.count) {                                                                       \
      f32 v = ((f32)AT(const S, c.src)[i] - a.c.minimum) * a.c.factor;                             \
      AT(D, c.dst)[i] = to_##D(clamped(v, a.c.largest) + 0.5f);                                    \
    }                                                                                              \
  }
#define INT_TO_INT(S, D)                                                                           \
  struct gxe_convert_##S##_##D##_args {                                                            \
    struct convert_args c;                                                                         \
  };                                                                                               \
  KERNEL(gxe_convert_##S##_##D, 1, 1) {                                                            \
    FOR_EACH(i, a.c.count)                                                                         \
    AT(D, c.dst)[i] = to_##D((f32)AT(const S, c.src)[i] * a.c.factor + 0.5f);                      \
  }
#define FLOAT_TO_FLOAT(S, D)                                                                       \
  struct gxe_convert_##S##_##D##_args {                                                            \
    struct convert_args c;                                                                         \
  };                                                                                               \
  KERNEL(gxe_convert_##S##_##D, 1, 1) {                                                            \
    FOR_EACH(i, a.c.count) AT(D, c.dst)[i] = (D)(f64)AT(const S, c.src)[i];                        \
  }

INT_TO_FLOAT(u8, f16)
INT_TO_FLOAT(u8, f32)
INT_TO_FLOAT(u8, f64)
INT_TO_FLOAT(u16, f16)
INT_TO_FLOAT(u16, f32)
INT_TO_FLOAT(u16, f64)
FLOAT_TO_INT(f16, u8)
FLOAT_TO_INT(f32, u8)
FLOAT_TO_INT(f64, u8)
FLOAT_TO_INT(f16, u16)
FLOAT_TO_INT(f32, u16)
FLOAT_TO_INT(f64, u16)
INT_TO_INT(u8, u16)
INT_TO_INT(u16, u8)
FLOAT_TO_FLOAT(f16, f32)
FLOAT_TO_FLOAT(f16, f64)
FLOAT_TO_FLOAT(f32, f16)
FLOAT_TO_FLOAT(f32, f64)
FLOAT_TO_FLOAT(f64, f16)
FLOAT_TO_FLOAT(f64, f32)

/* Channels in another order: `order` has the number of an input channel, or 255 for alpha. Bytes,
 * except that each channel has `size` of them. */
struct gxe_reorder_args {
  void *dst;
  const void *src;
  u64 pixels;
  u32 size, from, to;
  u8 order[8];
  u8 alpha[8];
};
KERNEL(gxe_reorder, 1, 1) {
  FOR_EACH(i, a.pixels * a.to) {
    u64 pixel = i / a.to;
    u32 channel = a.order[(u32)(i % a.to) & 7];
    for (u32 byte = 0; byte < a.size; byte++) {
      u8 value = channel == 255 ? a.alpha[byte & 7]
                                : AT(const u8, src)[(pixel * a.from + channel) * a.size + byte];
      AT(u8, dst)[i * a.size + byte] = value;
    }
  }
}

/* Brightness (BT.601). */
struct gxe_gray_args {
  void *dst;
  const void *src;
  u64 pixels;
  u32 channels, red, blue, reserved;
};
KERNEL(gxe_gray, 1, 1) {
  FOR_EACH(i, a.pixels) {
    GLOBAL const u8 *p = AT(const u8, src) + i * a.channels;
    u32 sum = (77 * p[a.red] + 150 * p[1] + 29 * p[a.blue] + 128) >> 8;
    AT(u8, dst)[i] = sum > 255 ? 255 : (u8)sum;
  }
}

static inline u8 byte_of(i32 value) {
  value >>= 8;
  return value < 0 ? 0 : value > 255 ? 255 : (u8)value;
}

/* Planes to RGB; width and height are even. `interleaved`: NV12, else YUV420. */
struct gxe_decode_yuv_args {
  void *dst;
  const void *src;
  u64 width, height;
  u32 interleaved, reserved;
};
KERNEL(gxe_decode_yuv, 1, 1) {
  FOR_EACH(i, a.width * a.height) {
    u64 row = i / a.width, column = i % a.width;
    u64 block = row / 2 * (a.width / 2) + column / 2;
    u64 plane = a.width / 2 * (a.height / 2);
    GLOBAL const u8 *luma = AT(const u8, src);
    GLOBAL const u8 *chroma = luma + a.width * a.height;
    i32 u = a.interleaved ? chroma[2 * block] : chroma[block];
    i32 v = a.interleaved ? chroma[2 * block + 1] : chroma[plane + block];
    u -= 128;
    v -= 128;
    i32 base = 298 * ((i32)luma[i] - 16) + 128;
    GLOBAL u8 *rgb = AT(u8, dst) + 3 * i;
    rgb[0] = byte_of(base + 409 * v);
    rgb[1] = byte_of(base - 100 * u - 208 * v);
    rgb[2] = byte_of(base + 516 * u);
  }
}

/* RGB to planes; each step does one block of 2 x 2 pixels. */
struct gxe_encode_yuv_args {
  void *dst;
  const void *src;
  u64 width, height;
  u32 channels, red, blue, interleaved;
};
static inline u8 luma_of(GLOBAL const u8 *p, u32 red, u32 blue) {
  return byte_of(66 * p[red] + 129 * p[1] + 25 * p[blue] + 128 + (16 << 8));
}
KERNEL(gxe_encode_yuv, 1, 1) {
  u64 half = a.width / 2, plane = half * (a.height / 2);
  FOR_EACH(block, plane) {
    u64 row = block / half * 2, column = block % half * 2;
    u64 first = row * a.width + column;
    GLOBAL const u8 *upper = AT(const u8, src) + first * a.channels;
    GLOBAL const u8 *lower = upper + a.width * a.channels;
    GLOBAL u8 *luma = AT(u8, dst) + first;
    luma[0] = luma_of(upper, a.red, a.blue);
    luma[1] = luma_of(upper + a.channels, a.red, a.blue);
    luma[a.width] = luma_of(lower, a.red, a.blue);
    luma[a.width + 1] = luma_of(lower + a.channels, a.red, a.blue);
#define MEAN(at) ((upper[at] + upper[(at) + a.channels] + lower[at] + lower[(at) + a.channels] + 2) >> 2)
    i32 red = MEAN(a.red), green = MEAN(1), blue = MEAN(a.blue);
    u8 u = byte_of(-38 * red - 74 * green + 112 * blue + 128 + (128 << 8));
    u8 v = byte_of(112 * red - 94 * green - 18 * blue + 128 + (128 << 8));
    GLOBAL u8 *chroma = AT(u8, dst) + a.width * a.height;
    chroma[a.interleaved ? 2 * block : block] = u;
    chroma[a.interleaved ? 2 * block + 1 : plane + block] = v;
  }
}

/* One axis of a resized picture: each line of the result is a sum of `size` lines from `start` on,
 * both in `bounds`, with the weights in `window` places. A line has `inner` elements next to each
 * other; the axis has `from` lines, and `to` of them result. Integers are shifted by `shift`. */
struct gxe_resize_args {
  void *dst;
  const void *src, *bounds, *weights;
  u64 outer, from, to, inner, window;
  u32 shift, reserved;
};

#define RESIZE(T, WEIGHT, SUM, START, RESULT)                                                      \
  struct gxe_resize_##T##_args {                                                                   \
    struct gxe_resize_args r;                                                                      \
  };                                                                                               \
  KERNEL(gxe_resize_##T, 1, 3) {                                                                   \
    FOR_EACH(i, a.r.outer *a.r.to *a.r.inner) {                                                    \
      u64 element = i % a.r.inner, line = i / a.r.inner % a.r.to, outer = i / a.r.inner / a.r.to;  \
      u32 start = AT(const u32, r.bounds)[2 * line], size = AT(const u32, r.bounds)[2 * line + 1]; \
      GLOBAL const T *src = AT(const T, r.src) + (outer * a.r.from + start) * a.r.inner + element; \
      GLOBAL const WEIGHT *weights = AT(const WEIGHT, r.weights) + line * a.r.window;              \
      SUM sum = START;                                                                             \
      for (u32 k = 0; k < size; k++) sum += (SUM)src[k * a.r.inner] * (SUM)weights[k];             \
      AT(T, r.dst)[i] = RESULT;                                                                    \
    }                                                                                              \
  }

static inline u8 shifted_u8(i32 sum, u32 shift) {
  sum >>= shift;
  return sum < 0 ? 0 : sum > 255 ? 255 : (u8)sum;
}
static inline u16 shifted_u16(i64 sum, u32 shift) {
  sum >>= shift;
  return sum < 0 ? 0 : sum > 65535 ? 65535 : (u16)sum;
}

RESIZE(u8, i32, i32, 1 << (a.r.shift - 1), shifted_u8(sum, a.r.shift))
RESIZE(u16, i32, i64, (i64)1 << (a.r.shift - 1), shifted_u16(sum, a.r.shift))
RESIZE(f32, f64, f64, 0.0, (f32)sum)
