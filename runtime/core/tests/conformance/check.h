/* What every file of the suite needs: checks that count what is wrong, and an extension that is
 * part of the program. A file has one function `main` that ends with `return done();`. */
#ifndef CHECK_H
#define CHECK_H

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gxf/core/gxf.h"
#include "gxf/plugin_abi.h"

static int wrong;

/* The call returns this code. */
#define EXPECT(CODE, CALL)                                                                    \
  do {                                                                                        \
    gxf_result_t got_ = (CALL);                                                               \
    if (got_ != (CODE)) {                                                                     \
      fprintf(stderr, "%s:%d: %s: %s, not %s\n", __FILE__, __LINE__, #CALL,                   \
              GxfResultStr(got_), GxfResultStr(CODE));                                        \
      wrong++;                                                                                \
    }                                                                                         \
  } while (0)

#define OK(CALL) EXPECT(GXF_SUCCESS, CALL)

/* The condition holds. */
#define CHECK(CONDITION)                                                       \
  do {                                                                         \
    if (!(CONDITION)) {                                                        \
      fprintf(stderr, "%s:%d: not %s\n", __FILE__, __LINE__, #CONDITION);      \
      wrong++;                                                                 \
    }                                                                          \
  } while (0)

/* The text is this one. */
#define CHECK_TEXT(EXPECTED, TEXT)                                                             \
  do {                                                                                         \
    const char* text_ = (TEXT);                                                                \
    if (text_ == NULL || strcmp(text_, (EXPECTED)) != 0) {                                     \
      fprintf(stderr, "%s:%d: %s: `%s`, not `%s`\n", __FILE__, __LINE__, #TEXT,                \
              text_ == NULL ? "(null)" : text_, (EXPECTED));                                   \
      wrong++;                                                                                 \
    }                                                                                          \
  } while (0)

static inline int done(void) {
  if (wrong > 0) {
    fprintf(stderr, "%d checks failed\n", wrong);
  }
  return wrong > 0 ? 1 : 0;
}

/* Ids that no object has. */
#define NOBODY 987654
#define NO_MESSAGE ((INT64_C(1) << 62) | (INT64_C(77777) << 10))

static inline gxf_context_t new_context(void) {
  gxf_context_t context = NULL;
  OK(GxfContextCreate(&context));
  return context;
}

static inline gxf_uid_t new_entity(gxf_context_t context, const char* name, uint32_t flags) {
  GxfEntityCreateInfo info = {name, flags};
  gxf_uid_t eid = kNullUid;
  OK(GxfCreateEntity(context, &info, &eid));
  return eid;
}

static inline gxf_tid_t tid_of(gxf_context_t context, const char* type) {
  gxf_tid_t tid = GxfTidNull();
  OK(GxfComponentTypeId(context, type, &tid));
  return tid;
}

static inline gxf_uid_t new_component(gxf_context_t context, gxf_uid_t eid, const char* type,
                                      const char* name) {
  gxf_uid_t cid = kNullUid;
  OK(GxfComponentAdd(context, eid, tid_of(context, type), name, &cid));
  return cid;
}

#endif
