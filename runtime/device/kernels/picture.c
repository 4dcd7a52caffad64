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

/* Each element of type S becomes one of type D, as `value` says of `from`. */
#define CONVERT(S, D, value)                                                                       \
  struct gxe_convert_##S##_##D##_args {                                                            \
    struct convert_args c;                                                                         \
  };                                                                                               \
  static inline D S##_as_##D(S from, const struct convert_args *c) {                               \
    (void)c;                                                                                       \
    return value;                                                                                  \
  }                                                                                                \
  KERNEL(gxe_convert_##S##_##D, 1, 1) {                                                            \
    u64 fours = IS_ALIGNED(a.c.dst, a.c.src) ? a.c.count / 4 : 0;                                  \
    FOR_EACH(i, fours) {                                                                           \
      S##x4 from = AT(const S##x4, c.src)[i];                                                      \
      D##x4 to;                                                                                    \
      for (int k = 0; k < 4; k++) to[k] = S##_as_##D(from[k], &a.c);                               \
      AT(D##x4, c.dst)[i] = to;                                                                    \
    }                                                                                              \
    FOR_EACH(rest, a.c.count - 4 * fours) {                                                        \
      u64 i = 4 * fours + rest;                                                                    \
      AT(D, c.dst)[i] = S##_as_##D(AT(const S, c.src)[i], &a.c);                                   \
    }                                                                                              \
  }
#define INT_TO_FLOAT(S, D) CONVERT(S, D, (D)((f32)from * c->factor + c->minimum))
#define FLOAT_TO_INT(S, D)                                                                         \
  CONVERT(S, D, to_##D(clamped(((f32)from - c->minimum) * c->factor, c->largest) + 0.5f))
#define INT_TO_INT(S, D) CONVERT(S, D, to_##D((f32)from * c->factor + 0.5f))
#define FLOAT_TO_FLOAT(S, D) CONVERT(S, D, (D)(f64)from)

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
/* Four pixels of up to four bytes each, from `from` words. */
struct pixels {
  u32 p[4];
};
static inline struct pixels load_pixels(GLOBAL const word *w, u32 from) {
  switch (from) {
  case 1: return (struct pixels){{w[0] & 255, w[0] >> 8 & 255, w[0] >> 16 & 255, w[0] >> 24}};
  case 2: return (struct pixels){{w[0] & 65535, w[0] >> 16, w[1] & 65535, w[1] >> 16}};
  case 3:
    return (struct pixels){{w[0], w[0] >> 24 | w[1] << 8, w[1] >> 16 | w[2] << 16, w[2] >> 8}};
  default: {
    u32x4 four = *(GLOBAL const u32x4 *)w;
    return (struct pixels){{four[0], four[1], four[2], four[3]}};
  }
  }
}
/* Four pixels of three bytes. */
static inline struct words packed(const u32 *p) {
  return (struct words){{p[0] | p[1] << 24, p[1] >> 8 | p[2] << 16, p[2] >> 16 | p[3] << 8}};
}
KERNEL(gxe_reorder, 1, 1) {
  u64 fours = 0;
  if (a.size == 1 && a.from <= 4 && a.to <= 4 && IS_ALIGNED(a.dst, a.src)) {
    fours = a.pixels / 4;
    u32 shift[4], mask[4], constant = 0;
    for (u32 c = 0; c < 4; c++) {
      u32 is_read = c < a.to && a.order[c] != 255;
      shift[c] = is_read ? 8 * (a.order[c] & 3) : 0;
      mask[c] = is_read ? 255u << 8 * c : 0;
      if (c < a.to && !is_read) constant |= (u32)a.alpha[0] << 8 * c;
    }
    FOR_EACH(i, fours) {
      struct pixels from = load_pixels(AT(const word, src) + i * a.from, a.from), to;
      for (u32 k = 0; k < 4; k++) {
        u32 pixel = constant;
        for (u32 c = 0; c < 4; c++) pixel |= from.p[k] >> shift[c] << 8 * c & mask[c];
        to.p[k] = pixel;
      }
      GLOBAL word *dst = AT(word, dst) + i * a.to;
      u32 *p = to.p;
      switch (a.to) {
      case 1: dst[0] = p[0] | p[1] << 8 | p[2] << 16 | p[3] << 24; break;
      case 2:
        dst[0] = p[0] | p[1] << 16;
        dst[1] = p[2] | p[3] << 16;
        break;
      case 3: store_words(AT(word, dst), packed(p), i, fours); break;
      default: *(GLOBAL u32x4 *)dst = (u32x4){p[0], p[1], p[2], p[3]};
      }
    }
  }
  FOR_EACH(rest, (a.pixels - 4 * fours) * a.to) {
    u64 i = 4 * fours * a.to + rest, pixel = i / a.to;
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
/* What the colours `u` and `v` add to red, green and blue of a pixel, in 256ths. */
struct colors {
  i32 red, green, blue;
};
static inline struct colors colors_of(u32 u_byte, u32 v_byte) {
  i32 u = (i32)u_byte - 128, v = (i32)v_byte - 128;
  return (struct colors){409 * v, -100 * u - 208 * v, 516 * u};
}
static inline u32 rgb_of(u32 luma, struct colors of) {
  i32 base = 298 * ((i32)luma - 16) + 128;
  return byte_of(base + of.red) | (u32)byte_of(base + of.green) << 8 | (u32)byte_of(base + of.blue) << 16;
}
static inline struct words rgb_of_four(u32 luma, struct colors left, struct colors right) {
  u32 p[4] = {rgb_of(luma & 255, left), rgb_of(luma >> 8 & 255, left), rgb_of(luma >> 16 & 255, right),
              rgb_of(luma >> 24, right)};
  return packed(p);
}
KERNEL(gxe_decode_yuv, 1, 1) {
  u64 half = a.width / 2, plane = half * (a.height / 2);
  GLOBAL const u8 *luma = AT(const u8, src);
  GLOBAL const u8 *chroma = luma + a.width * a.height;
  /* Neighbouring threads have neighbouring pixels of a row. */
  if (a.width % 128 == 0 && IS_ALIGNED(a.dst, a.src)) {
    /* Each step does 4 x 2 pixels. */
    u64 quarter = a.width / 4, steps = quarter * (a.height / 2);
    FOR_EACH(i, steps) {
      u64 upper = i + i / quarter * quarter, lower = upper + quarter;
      u32 upper_luma = ((GLOBAL const word *)luma)[upper], lower_luma = ((GLOBAL const word *)luma)[lower];
      struct colors left, right;
      if (a.interleaved) {
        u32 both = ((GLOBAL const word *)chroma)[i];
        left = colors_of(both & 255, both >> 8 & 255);
        right = colors_of(both >> 16 & 255, both >> 24);
      } else {
        left = colors_of(chroma[2 * i], chroma[plane + 2 * i]);
        right = colors_of(chroma[2 * i + 1], chroma[plane + 2 * i + 1]);
      }
      store_words(AT(word, dst), rgb_of_four(upper_luma, left, right), upper, ~(u64)0);
      store_words(AT(word, dst), rgb_of_four(lower_luma, left, right), lower, ~(u64)0);
    }
    return;
  }
  FOR_EACH(i, a.width * a.height) {
    u64 row = i / a.width, column = i % a.width;
    u64 block = row / 2 * half + column / 2;
    u32 u = a.interleaved ? chroma[2 * block] : chroma[block];
    u32 v = a.interleaved ? chroma[2 * block + 1] : chroma[plane + block];
    u32 pixel = rgb_of(luma[i], colors_of(u, v));
    GLOBAL u8 *rgb = AT(u8, dst) + 3 * i;
    rgb[0] = (u8)pixel;
    rgb[1] = (u8)(pixel >> 8);
    rgb[2] = (u8)(pixel >> 16);
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

static inline u8 shifted_u8(i32 sum, u32 shift) {
  sum >>= shift;
  return sum < 0 ? 0 : sum > 255 ? 255 : (u8)sum;
}
static inline u16 shifted_u16(i64 sum, u32 shift) {
  sum >>= shift;
  return sum < 0 ? 0 : sum > 65535 ? 65535 : (u16)sum;
}

#define RESIZE(T, WEIGHT, SUM, START, RESULT)                                                      \
  struct gxe_resize_##T##_args {                                                                   \
    struct gxe_resize_args r;                                                                      \
  };                                                                                               \
  KERNEL(gxe_resize_##T, 1, 3) {                                                                   \
    struct gxe_resize_args r = a.r;                                                                \
    GLOBAL const T *all = AT(const T, r.src);                                                      \
    GLOBAL const u32 *bounds = AT(const u32, r.bounds);                                            \
    u64 is_aligned = IS_ALIGNED(r.dst, r.src), fours = is_aligned && r.inner % 4 == 0;             \
    if (is_aligned && sizeof(T) == 1 && r.inner == 3) {                                            \
      /* Each step makes a pixel. */                                                               \
      u64 steps = r.outer * r.to;                                                                  \
      FOR_EACH(i, steps) {                                                                         \
        u64 outer = i / r.to, line = i % r.to;                                                     \
        u32 start = bounds[2 * line], size = bounds[2 * line + 1];                                 \
        GLOBAL const T *src = all + (outer * r.from + start) * 3;                                  \
        GLOBAL const WEIGHT *weights = AT(const WEIGHT, r.weights) + line * r.window;              \
        SUM red = START, green = START, blue = START;                                              \
        for (u32 n = 0; n < size; n++, src += 3) {                                                 \
          SUM weight = (SUM)weights[n];                                                            \
          red += (SUM)src[0] * weight;                                                             \
          green += (SUM)src[1] * weight;                                                           \
          blue += (SUM)src[2] * weight;                                                            \
        }                                                                                          \
        u32 three = (u32)RESULT(red) | (u32)RESULT(green) << 8 | (u32)RESULT(blue) << 16;          \
        store_bytes((GLOBAL u8 *)r.dst, three, i, steps);                                          \
      }                                                                                            \
      return;                                                                                      \
    }                                                                                              \
    u64 inner = fours ? r.inner / 4 : r.inner;                                                     \
    FOR_EACH(i, r.outer *r.to *inner) {                                                            \
      u64 element = i % inner, line = i / inner % r.to, outer = i / inner / r.to;                  \
      u32 start = bounds[2 * line], size = bounds[2 * line + 1];                                   \
      u64 first = (outer * r.from + start) * inner + element;                                      \
      GLOBAL const WEIGHT *weights = AT(const WEIGHT, r.weights) + line * r.window;                \
      if (fours) {                                                                                 \
        SUM sums[4] = {START, START, START, START};                                                \
        for (u32 n = 0; n < size; n++) {                                                           \
          T##x4 from = ((GLOBAL const T##x4 *)all)[first + n * inner];                             \
          for (u32 k = 0; k < 4; k++) sums[k] += (SUM)from[k] * (SUM)weights[n];                   \
        }                                                                                          \
        AT(T##x4, r.dst)[i] = (T##x4){RESULT(sums[0]), RESULT(sums[1]), RESULT(sums[2]), RESULT(sums[3])}; \
        continue;                                                                                  \
      }                                                                                            \
      SUM sum = START;                                                                             \
      for (u32 n = 0; n < size; n++) sum += (SUM)all[first + n * inner] * (SUM)weights[n];         \
      AT(T, r.dst)[i] = RESULT(sum);                                                               \
    }                                                                                              \
  }

#define RESULT_u8(sum) shifted_u8(sum, a.r.shift)
#define RESULT_u16(sum) shifted_u16(sum, a.r.shift)
#define RESULT_f32(sum) (f32)(sum)
RESIZE(u8, i32, i32, 1 << (a.r.shift - 1), RESULT_u8)
RESIZE(u16, i32, i64, (i64)1 << (a.r.shift - 1), RESULT_u16)
RESIZE(f32, f64, f64, 0.0, RESULT_f32)
