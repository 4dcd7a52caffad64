/* Single values: every type set and read, and what is refused. */
#include "parts.h"

static gxf_context_t context;
static gxf_uid_t cid;

int main(void) {
  use_parts();
  context = new_context_with_parts();
  gxf_uid_t eid = new_entity(context, "entity", GXF_ENTITY_CREATE_PROGRAM_BIT);
  cid = new_component(context, eid, "test::Values", "values");
  gxf_uid_t clock = new_component(context, eid, "nvidia::gxf::ManualClock", "clock");
  gxf_uid_t ticker = new_component(context, eid, "test::Ticker", "ticker");

  /* Types that can be set and read. */
  int64_t int64 = 0;
  uint64_t uint64 = 0;
  int32_t int32 = 0;
  uint32_t uint32 = 0;
  uint16_t uint16 = 0;
  int16_t int16 = 0;
  int8_t int8 = 0;
  uint8_t uint8 = 0;
  double float64 = 0;
  float float32 = 0;
  bool flag = false;
  const char* text = NULL;
  EXPECT(GXF_PARAMETER_NOT_INITIALIZED, GxfParameterGetInt64(context, cid, "int64", &int64));
  OK(GxfParameterSetInt64(context, cid, "int64", INT64_MIN));
  OK(GxfParameterGetInt64(context, cid, "int64", &int64));
  CHECK(int64 == INT64_MIN);
  OK(GxfParameterSetUInt64(context, cid, "uint64", UINT64_MAX));
  OK(GxfParameterGetUInt64(context, cid, "uint64", &uint64));
  CHECK(uint64 == UINT64_MAX);
  OK(GxfParameterSetInt32(context, cid, "int32", INT32_MIN));
  OK(GxfParameterGetInt32(context, cid, "int32", &int32));
  CHECK(int32 == INT32_MIN);
  OK(GxfParameterSetUInt32(context, cid, "uint32", UINT32_MAX));
  OK(GxfParameterGetUInt32(context, cid, "uint32", &uint32));
  CHECK(uint32 == UINT32_MAX);
  OK(GxfParameterSetUInt16(context, cid, "uint16", UINT16_MAX));
  OK(GxfParameterGetUInt16(context, cid, "uint16", &uint16));
  CHECK(uint16 == UINT16_MAX);
  OK(GxfParameterSetFloat64(context, cid, "float64", 0.1));
  OK(GxfParameterGetFloat64(context, cid, "float64", &float64));
  CHECK(float64 == 0.1);
  OK(GxfParameterSetFloat32(context, cid, "float32", 0.1f));
  OK(GxfParameterGetFloat32(context, cid, "float32", &float32));
  CHECK(float32 == 0.1f);
  OK(GxfParameterSetBool(context, cid, "bool", true));
  OK(GxfParameterGetBool(context, cid, "bool", &flag));
  CHECK(flag);
  OK(GxfParameterSetStr(context, cid, "string", "a text"));
  OK(GxfParameterGetStr(context, cid, "string", &text));
  CHECK_TEXT("a text", text);
  OK(GxfParameterSetPath(context, cid, "file", "/a/path"));
  OK(GxfParameterGetPath(context, cid, "file", &text));
  CHECK_TEXT("/a/path", text);
  /* Those without a function to read them. */
  OK(GxfParameterSetInt8(context, cid, "int8", -128));
  OK(GxfParameterSetInt16(context, cid, "int16", INT16_MIN));
  OK(GxfParameterSetUInt8(context, cid, "uint8", 255));
  OK(GxfParameterGetInt8(context, cid, "int8", &int8));
  CHECK(int8 == INT8_MIN);
  OK(GxfParameterGetInt16(context, cid, "int16", &int16));
  CHECK(int16 == INT16_MIN);
  OK(GxfParameterGetUInt8(context, cid, "uint8", &uint8));
  CHECK(uint8 == UINT8_MAX);

  /* A text stays where it is until it changes. */
  const char* first = NULL;
  const char* second = NULL;
  OK(GxfParameterGetStr(context, cid, "string", &first));
  OK(GxfParameterGetStr(context, cid, "string", &second));
  CHECK(first == second);

  /* Handles. */
  gxf_uid_t target = 0;
  EXPECT(GXF_PARAMETER_NOT_INITIALIZED, GxfParameterGetHandle(context, cid, "clock", &target));
  OK(GxfParameterSetHandle(context, cid, "clock", clock));
  OK(GxfParameterGetHandle(context, cid, "clock", &target));
  CHECK(target == clock);
  EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterSetHandle(context, cid, "clock", ticker));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfParameterSetHandle(context, cid, "clock", NOBODY));
  OK(GxfParameterGetHandle(context, cid, "clock", &target));
  CHECK(target == clock);
  OK(GxfParameterSetHandle(context, cid, "clock", kUnspecifiedUid));
  EXPECT(GXF_PARAMETER_NOT_INITIALIZED, GxfParameterGetHandle(context, cid, "clock", &target));
  EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterSetHandle(context, cid, "int64", clock));

  /* Another type than that of the parameter, both ways. */
  EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterSetInt32(context, cid, "int64", 1));
  EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterSetInt64(context, cid, "int32", 1));
  EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterSetUInt64(context, cid, "int64", 1));
  EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterSetFloat64(context, cid, "float32", 1));
  EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterSetStr(context, cid, "file", "x"));
  EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterSetPath(context, cid, "string", "x"));
  EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterSetBool(context, cid, "int8", true));
  EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterSetInt64(context, cid, "int64s", 1));
  EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterGetInt32(context, cid, "int64", &int32));
  EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterGetUInt64(context, cid, "int64", &uint64));
  EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterGetFloat32(context, cid, "float64", &float32));
  EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterGetStr(context, cid, "file", &text));
  EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterGetPath(context, cid, "string", &text));
  EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterGetHandle(context, cid, "string", &target));

  /* Limits and defaults. */
  OK(GxfParameterGetInt32(context, cid, "percent", &int32));
  CHECK(int32 == 50);
  OK(GxfParameterGetStr(context, cid, "label", &text));
  CHECK_TEXT("none", text);
  OK(GxfParameterSetInt32(context, cid, "percent", 100));
  /* As in GXF, the limits that an extension in C or C++ declares are for readers. */
  OK(GxfParameterSetInt32(context, cid, "percent", 101));
  OK(GxfParameterSetInt32(context, cid, "percent", 100));
  OK(GxfParameterGetInt32(context, cid, "percent", &int32));
  CHECK(int32 == 100);

  /* A key nobody knows is kept with the type of its first value. */
  EXPECT(GXF_PARAMETER_NOT_FOUND, GxfParameterGetInt64(context, cid, "extra", &int64));
  OK(GxfParameterSetInt64(context, cid, "extra", 5));
  OK(GxfParameterGetInt64(context, cid, "extra", &int64));
  CHECK(int64 == 5);
  OK(GxfParameterSetInt64(context, cid, "extra", 6));
  EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterSetStr(context, cid, "extra", "x"));
  EXPECT(GXF_PARAMETER_INVALID_TYPE, GxfParameterGetFloat64(context, cid, "extra", &float64));

  /* The name is a parameter as well. */
  OK(GxfParameterGetStr(context, cid, kInternalNameParameterKey, &text));
  CHECK_TEXT("values", text);
  EXPECT(GXF_PARAMETER_CAN_NOT_MODIFY_CONSTANT,
         GxfParameterSetStr(context, cid, kInternalNameParameterKey, "other"));

  /* Pointers and ids. */
  EXPECT(GXF_ARGUMENT_NULL, GxfParameterSetInt64(context, cid, NULL, 1));
  EXPECT(GXF_ARGUMENT_NULL, GxfParameterSetStr(context, cid, "string", NULL));
  EXPECT(GXF_ARGUMENT_NULL, GxfParameterSetPath(context, cid, "file", NULL));
  EXPECT(GXF_ARGUMENT_INVALID, GxfParameterSetStr(context, cid, "string", "\xff"));
  EXPECT(GXF_ARGUMENT_NULL, GxfParameterGetInt64(context, cid, NULL, &int64));
  EXPECT(GXF_ARGUMENT_NULL, GxfParameterGetInt64(context, cid, "int64", NULL));
  EXPECT(GXF_ARGUMENT_NULL, GxfParameterGetStr(context, cid, "string", NULL));
  EXPECT(GXF_ARGUMENT_NULL, GxfParameterGetHandle(context, cid, "clock", NULL));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfParameterSetInt64(context, NOBODY, "int64", 1));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfParameterGetInt64(context, eid, "int64", &int64));

  /* While the entity is active, values change and handles do not. */
  OK(GxfParameterSetHandle(context, cid, "clock", clock));
  OK(GxfEntityActivate(context, eid));
  OK(GxfParameterSetInt32(context, cid, "percent", 7));
  EXPECT(GXF_PARAMETER_CAN_NOT_MODIFY_CONSTANT,
         GxfParameterSetHandle(context, cid, "clock", clock));
  OK(GxfEntityDeactivate(context, eid));
  OK(GxfParameterGetInt32(context, cid, "percent", &int32));
  CHECK(int32 == 7);

  OK(GxfContextDestroy(context));
  EXPECT(GXF_CONTEXT_INVALID, GxfParameterGetInt32(context, cid, "percent", &int32));
  return done();
}
