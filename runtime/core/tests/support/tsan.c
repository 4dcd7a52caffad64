/* Functions that code of a newer compiler calls and the ThreadSanitizer of an older one lacks; the
 * plain functions are watched as well. */
#include <string.h>

__attribute__((weak)) void* __tsan_memcpy(void* to, const void* from, size_t size) {
  return memcpy(to, from, size);
}

__attribute__((weak)) void* __tsan_memmove(void* to, const void* from, size_t size) {
  return memmove(to, from, size);
}

__attribute__((weak)) void* __tsan_memset(void* to, int byte, size_t size) {
  return memset(to, byte, size);
}
