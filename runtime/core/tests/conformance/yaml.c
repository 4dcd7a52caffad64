/* Values as YAML text, as they stand in an app file. */
#include "parts.h"

static gxf_context_t context;
static gxf_uid_t cid;

/* The text sets the parameter, and this is how it is read. */
static void both_ways(const char* key, const char* yaml, const char* expected) {
  const char* text = NULL;
  OK(GxfParameterSetFromYamlText(context, cid, key, yaml, ""));
  OK(GxfParameterGetAsYamlText(context, cid, key, &text));
  CHECK_TEXT(expected, text);
  char copy[256];
  snprintf(copy, sizeof copy, "%s", text == NULL ? "" : text);
  OK(GxfParameterSetFromYamlText(context, cid, key, copy, NULL));
  OK(GxfParameterGetAsYamlText(context, cid, key, &text));
  CHECK_TEXT(expected, text);
}

int main(void) {
  use_parts();
  context = new_context_with_parts();
  gxf_uid_t eid = new_entity(context, "entity", GXF_ENTITY_CREATE_PROGRAM_BIT);
  cid = new_component(context, eid, "test::Values", "values");
  gxf_uid_t clock = new_component(context, eid, "nvidia::gxf::ManualClock", "clock");
  gxf_uid_t inner = new_entity(context, "sub.inner", GXF_ENTITY_CREATE_PROGRAM_BIT);
  gxf_uid_t inner_clock = new_component(context, inner, "nvidia::gxf::ManualClock", "clock");

  both_ways("int8", "-5", "-5");
  both_ways("uint64", "0xff", "255");
  both_ways("float64", "2", "2.0");
  both_ways("float64", "-.inf", "-.inf");
  both_ways("float32", "0.1", "0.1");
  both_ways("bool", "yes", "true");
  both_ways("string", "some text", "\"some text\"");
  both_ways("string", "\"null\"", "\"null\"");
  both_ways("string", "\"two\\nlines\"", "\"two\\nlines\"");
  both_ways("file", "/a/b", "\"/a/b\"");
  both_ways("complex64", "1+2j", "1.0+2.0j");
  both_ways("complex128", "-1.5-2j", "-1.5-2.0j");
  both_ways("custom", "{a: [1, b]}", "{a: [1, b]}");
  both_ways("int32s", "[1, 2]", "[1, 2]");
  both_ways("int32ss", "[[1], [2, 3]]", "[[1], [2, 3]]");
  both_ways("strings", "[a, \"5\"]", "[\"a\", \"5\"]");
  both_ways("clock", "clock", "clock");
  both_ways("clock", "entity/clock", "clock");
  both_ways("clock", "sub.inner/clock", "sub.inner/clock");
  both_ways("clocks", "[clock, sub.inner/clock]", "[clock, sub.inner/clock]");
  both_ways("extra", "[1, 2]", "[1, 2]");
  both_ways("more", "1.0", "1.0");

  /* The prefix of a subgraph comes first. */
  gxf_uid_t target = 0;
  OK(GxfParameterSetFromYamlText(context, cid, "clock", "inner/clock", "sub."));
  OK(GxfParameterGetHandle(context, cid, "clock", &target));
  CHECK(target == inner_clock);
  OK(GxfParameterSetFromYamlText(context, cid, "clock", "entity/clock", "sub."));
  OK(GxfParameterGetHandle(context, cid, "clock", &target));
  CHECK(target == clock);
  OK(GxfParameterSetFromYamlText(context, cid, "clock", "<Unspecified>", ""));
  EXPECT(GXF_PARAMETER_NOT_INITIALIZED, GxfParameterGetHandle(context, cid, "clock", &target));

  EXPECT(GXF_PARAMETER_PARSER_ERROR,
         GxfParameterSetFromYamlText(context, cid, "int8", "many", ""));
  EXPECT(GXF_PARAMETER_PARSER_ERROR, GxfParameterSetFromYamlText(context, cid, "int8", "300", ""));
  EXPECT(GXF_PARAMETER_PARSER_ERROR, GxfParameterSetFromYamlText(context, cid, "int8", "[", ""));
  /* As in GXF, the limits that an extension in C or C++ declares are for readers. */
  OK(GxfParameterSetFromYamlText(context, cid, "percent", "101", ""));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfParameterSetFromYamlText(context, cid, "clock", "no/clock", ""));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,
         GxfParameterSetFromYamlText(context, cid, "clock", "values", ""));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,
         GxfParameterSetFromYamlText(context, NOBODY, "int8", "1", ""));
  EXPECT(GXF_ARGUMENT_NULL, GxfParameterSetFromYamlText(context, cid, NULL, "1", ""));
  EXPECT(GXF_ARGUMENT_NULL, GxfParameterSetFromYamlText(context, cid, "int8", NULL, ""));
  const char* text = NULL;
  EXPECT(GXF_PARAMETER_NOT_FOUND, GxfParameterGetAsYamlText(context, cid, "nobody", &text));
  EXPECT(GXF_PARAMETER_NOT_INITIALIZED, GxfParameterGetAsYamlText(context, cid, "int16", &text));
  EXPECT(GXF_ARGUMENT_NULL, GxfParameterGetAsYamlText(context, cid, "int8", NULL));

  /* Objects of yaml-cpp are unknown in C. */
  EXPECT(GXF_NOT_IMPLEMENTED, GxfParameterSetFromYamlNode(context, cid, "int8", &target, ""));
  EXPECT(GXF_NOT_IMPLEMENTED, GxfParameterGetAsYamlNode(context, cid, "int8", &target));
  OK(GxfContextDestroy(context));
  return done();
}
