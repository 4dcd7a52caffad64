/* Every function for parameters against every mistake they have in common, and what the other files
 * of the suite leave out of functions that come in two forms. */
#include "parts.h"

static gxf_context_t context;
/* A component with values, one without, one that is gone, and a payload. */
static gxf_uid_t full, empty, gone, payload;

/* A parameter of the function's type, one of another type, the value. */
#define SET(NAME, KEY, OTHER, ...)                                                                \
  do {                                                                                            \
    OK(GxfParameterSet##NAME(context, full, KEY, __VA_ARGS__));                                   \
    OK(GxfParameterSet##NAME(context, full, "unregistered " #NAME, __VA_ARGS__));                 \
    EXPECT(GXF_ARGUMENT_NULL, GxfParameterSet##NAME(context, full, NULL, __VA_ARGS__));           \
    EXPECT(GXF_ARGUMENT_INVALID, GxfParameterSet##NAME(context, full, "\xff", __VA_ARGS__));      \
    EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterSet##NAME(context, full, OTHER, __VA_ARGS__)); \
    EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,                                                        \
           GxfParameterSet##NAME(context, NOBODY, KEY, __VA_ARGS__));                             \
    EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,                                                        \
           GxfParameterSet##NAME(context, kNullUid, KEY, __VA_ARGS__));                           \
    EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,                                                        \
           GxfParameterSet##NAME(context, gone, KEY, __VA_ARGS__));                               \
    EXPECT(GXF_QUERY_NOT_APPLICABLE,                                                              \
           GxfParameterSet##NAME(context, payload, KEY, __VA_ARGS__));                            \
  } while (0)

#define GET(NAME, KEY, OTHER, ...)                                                                \
  do {                                                                                            \
    OK(GxfParameterGet##NAME(context, full, KEY, __VA_ARGS__));                                   \
    EXPECT(GXF_ARGUMENT_NULL, GxfParameterGet##NAME(context, full, NULL, __VA_ARGS__));           \
    EXPECT(GXF_ARGUMENT_INVALID, GxfParameterGet##NAME(context, full, "\xff", __VA_ARGS__));      \
    EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterGet##NAME(context, full, OTHER, __VA_ARGS__)); \
    EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterGet##NAME(context, empty, OTHER, __VA_ARGS__)); \
    EXPECT(GXF_PARAMETER_NOT_FOUND, GxfParameterGet##NAME(context, full, "nobody", __VA_ARGS__)); \
    EXPECT(GXF_PARAMETER_NOT_INITIALIZED,                                                         \
           GxfParameterGet##NAME(context, empty, KEY, __VA_ARGS__));                              \
    EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,                                                        \
           GxfParameterGet##NAME(context, NOBODY, KEY, __VA_ARGS__));                             \
    EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,                                                        \
           GxfParameterGet##NAME(context, kNullUid, KEY, __VA_ARGS__));                           \
    EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,                                                        \
           GxfParameterGet##NAME(context, gone, KEY, __VA_ARGS__));                               \
    EXPECT(GXF_QUERY_NOT_APPLICABLE,                                                              \
           GxfParameterGet##NAME(context, payload, KEY, __VA_ARGS__));                            \
  } while (0)

/* The same for a function that reads one value to one place. */
#define GET_ONE(NAME, KEY, OTHER, PLACE)                                                      \
  do {                                                                                        \
    GET(NAME, KEY, OTHER, PLACE);                                                             \
    EXPECT(GXF_ARGUMENT_NULL, GxfParameterGet##NAME(context, full, KEY, NULL));               \
  } while (0)

/* Lists and lists of lists of one element type, and what tells their size. */
#define LISTS(NAME, TYPE, ONE, TWO)                                            \
  do {                                                                         \
    TYPE row[] = {1, 2}, *rows[] = {row, row};                                 \
    uint64_t length = 2, height = 2, width = 2;                                \
    SET(1D##NAME##Vector, ONE, TWO, row, 2);                                   \
    SET(2D##NAME##Vector, TWO, ONE, rows, 2, 2);                               \
    GET_ONE(1D##NAME##VectorInfo, ONE, TWO, &length);                          \
    GET(2D##NAME##VectorInfo, TWO, ONE, &height, &width);                      \
    GET(1D##NAME##Vector, ONE, TWO, row, &length);                             \
    GET(2D##NAME##Vector, TWO, ONE, rows, &height, &width);                    \
    /* What is refused changes nothing. */                                     \
    CHECK(length == 2 && height == 2 && width == 2);                           \
    CHECK(row[0] == 1 && row[1] == 2);                                         \
  } while (0)

static void parameters(gxf_uid_t clock) {
  double float64 = 0;
  float float32 = 0;
  int64_t int64 = 0;
  uint64_t uint64 = 0;
  uint32_t uint32 = 0;
  uint16_t uint16 = 0;
  int32_t int32 = 0;
  bool flag = false;
  const char* text = NULL;
  gxf_uid_t uid = 0;
  SET(Int8, "int8", "uint8", 1);
  SET(Int16, "int16", "int8", 1);
  SET(Int32, "int32", "int16", 1);
  SET(Int64, "int64", "int32", 1);
  SET(UInt8, "uint8", "int8", 1);
  SET(UInt16, "uint16", "int16", 1);
  SET(UInt32, "uint32", "int32", 1);
  SET(UInt64, "uint64", "int64", 1);
  SET(Float32, "float32", "float64", 1);
  SET(Float64, "float64", "float32", 1);
  SET(Bool, "bool", "int8", true);
  SET(Str, "string", "file", "x");
  SET(Path, "file", "string", "x");
  SET(Handle, "clock", "clocks", clock);
  GET_ONE(Float64, "float64", "float32", &float64);
  GET_ONE(Float32, "float32", "float64", &float32);
  GET_ONE(Int64, "int64", "uint64", &int64);
  GET_ONE(UInt64, "uint64", "int64", &uint64);
  GET_ONE(UInt32, "uint32", "int32", &uint32);
  GET_ONE(UInt16, "uint16", "int16", &uint16);
  GET_ONE(Int32, "int32", "uint32", &int32);
  GET_ONE(Bool, "bool", "uint8", &flag);
  GET_ONE(Str, "string", "file", &text);
  GET_ONE(Path, "file", "string", &text);
  GET_ONE(Handle, "clock", "clocks", &uid);
  LISTS(Float64, double, "float64s", "float64ss");
  LISTS(Int64, int64_t, "int64s", "int64ss");
  LISTS(UInt64, uint64_t, "uint64s", "uint64ss");
  LISTS(Int32, int32_t, "int32s", "int32ss");
  const char* texts[] = {"one", "two"};
  char first[4], second[4], *buffers[] = {first, second};
  uint64_t count = 2, length = 4;
  SET(1DStrVector, "strings", "string", texts, 2);
  GET(1DStrVector, "strings", "int64s", buffers, &count, &length);
  CHECK_TEXT("two", second);
  EXPECT(GXF_PARAMETER_NOT_INITIALIZED,
         GxfParameterGetAsYamlText(context, empty, "strings", &text));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,
         GxfParameterGetAsYamlText(context, gone, "strings", &text));
  EXPECT(GXF_QUERY_NOT_APPLICABLE,
         GxfParameterGetAsYamlText(context, payload, "strings", &text));
  EXPECT(GXF_QUERY_NOT_APPLICABLE,
         GxfParameterSetFromYamlText(context, payload, "strings", "[a]", ""));
}

/* The forms that hand out or take a pointer fail as the others do, and write nothing then. */
static void pairs(gxf_uid_t eid) {
  const gxf_tid_t unknown = {1, 2};
  gxf_tid_t values = tid_of(context, "test::Values");
  gxf_tid_t abstract = tid_of(context, "nvidia::gxf::Codelet");
  char long_name[kMaxComponentNameSize + 1];
  memset(long_name, 'x', sizeof long_name - 1);
  long_name[sizeof long_name - 1] = '\0';
  gxf_uid_t cid = 77;
  void* item = NULL;
  void* pointer = &cid;
  OK(GxfEntityGetItemPtr(context, eid, &item));
  EXPECT(GXF_FACTORY_UNKNOWN_TID,
         GxfComponentAddAndGetPtr(context, item, unknown, "", &cid, &pointer));
  EXPECT(GXF_FACTORY_ABSTRACT_CLASS,
         GxfComponentAddAndGetPtr(context, item, abstract, "", &cid, &pointer));
  EXPECT(GXF_ENTITY_COMPONENT_NAME_EXCEEDS_LIMIT,
         GxfComponentAddAndGetPtr(context, item, values, long_name, &cid, &pointer));
  int32_t offset = 0;
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfComponentFindAndGetPtr(context, NOBODY, NULL, values, NULL,
                                                         &offset, &cid, &pointer));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,
         GxfComponentFindAndGetPtr(context, eid, item, values, "nobody", &offset, &cid, &pointer));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,
         GxfComponentFindAndGetPtr(context, eid, item, unknown, NULL, &offset, &cid, &pointer));
  offset = -1;
  EXPECT(GXF_ARGUMENT_OUT_OF_RANGE,
         GxfComponentFindAndGetPtr(context, eid, item, values, NULL, &offset, &cid, &pointer));
  offset = INT32_MAX;
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,
         GxfComponentFindAndGetPtr(context, eid, item, values, NULL, &offset, &cid, &pointer));
  CHECK(cid == 77 && pointer == &cid && offset == INT32_MAX);

  GxfEntityCreateInfo info = {"table", 0};
  gxf_uid_t other = 77;
  pointer = &cid;
  EXPECT(GXF_ARGUMENT_INVALID, GxfCreateEntityAndGetItem(context, &info, &other, &pointer));
  info.flags = 2;
  info.entity_name = "another";
  EXPECT(GXF_ARGUMENT_INVALID, GxfCreateEntityAndGetItem(context, &info, &other, &pointer));
  CHECK(other == 77 && pointer == &cid);

  gxf_parameter_info_t parameter;
  EXPECT(GXF_ARGUMENT_NULL, GxfParameterInfo(context, values, NULL, &parameter));
  EXPECT(GXF_ARGUMENT_NULL, GxfParameterInfo(context, values, "percent", NULL));
  EXPECT(GXF_FACTORY_UNKNOWN_TID, GxfParameterInfo(context, unknown, "percent", &parameter));
  EXPECT(GXF_PARAMETER_NOT_FOUND, GxfParameterInfo(context, values, "nobody", &parameter));
  EXPECT(GXF_FACTORY_UNKNOWN_TID, GxfComponentIsBase(context, values, unknown, &(bool){false}));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityNotifyEventType(context, NOBODY, GXF_EVENT_EXTERNAL));
  EXPECT(GXF_INVALID_EXECUTION_SEQUENCE,
         GxfEntityNotifyEventType(context, eid, GXF_EVENT_EXTERNAL));
}

/* What an entity holds at most. */
static void limits(void) {
  gxf_uid_t eid = new_entity(context, "crowded", 0);
  gxf_tid_t values = tid_of(context, "test::Values");
  gxf_uid_t last = 0;
  for (int i = 0; i < kMaxComponents; i++) {
    OK(GxfComponentAdd(context, eid, values, NULL, &last));
  }
  gxf_uid_t more = 77;
  EXPECT(GXF_ENTITY_MAX_COMPONENTS_LIMIT_EXCEEDED,
         GxfComponentAdd(context, eid, values, NULL, &more));
  CHECK(more == 77);
  OK(GxfComponentRemoveWithUID(context, last));
  OK(GxfComponentAdd(context, eid, values, NULL, &more));
  gxf_uid_t all[kMaxComponents];
  uint64_t count = kMaxComponents;
  OK(GxfComponentFindAll(context, eid, &count, all));
  CHECK(count == kMaxComponents && all[kMaxComponents - 1] == more);
}

static void mandatory(void) {
  gxf_uid_t eid = new_entity(context, "incomplete", 0);
  new_component(context, eid, "nvidia::gxf::PeriodicSchedulingTerm", "term");
  EXPECT(GXF_PARAMETER_MANDATORY_NOT_SET, GxfEntityActivate(context, eid));
  EXPECT(GXF_INVALID_LIFECYCLE_STAGE, GxfEntityDeactivate(context, eid));
}

int main(void) {
  use_parts();
  context = new_context_with_parts();
  gxf_uid_t eid = new_entity(context, "table", 0);
  full = new_component(context, eid, "test::Values", "full");
  empty = new_component(context, eid, "test::Values", "empty");
  gone = new_component(context, eid, "test::Values", "gone");
  gxf_uid_t clock = new_component(context, eid, "nvidia::gxf::ManualClock", "clock");
  OK(GxfComponentRemoveWithUID(context, gone));
  payload = new_component(context, new_entity(context, NULL, 0), "test::Point", "point");
  parameters(clock);
  pairs(eid);
  limits();
  mandatory();
  OK(GxfContextDestroy(context));
  return done();
}
