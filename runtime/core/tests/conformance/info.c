/* What the runtime says about itself, extensions, types and parameters. */
#include "parts.h"

int main(void) {
  use_parts();
  gxf_context_t context = new_context_with_parts();
  const gxf_tid_t null = GxfTidNull();

  /* The runtime. */
  gxf_runtime_info runtime = {NULL, 0, NULL};
  EXPECT(GXF_ARGUMENT_NULL, GxfRuntimeInfo(context, NULL));
  EXPECT(GXF_QUERY_NOT_ENOUGH_CAPACITY, GxfRuntimeInfo(context, &runtime));
  CHECK(runtime.num_extensions == 2);
  CHECK_TEXT(kGxfCoreVersion, runtime.version);
  EXPECT(GXF_ARGUMENT_NULL, GxfRuntimeInfo(context, &runtime));
  gxf_tid_t extensions[2];
  runtime.extensions = extensions;
  OK(GxfRuntimeInfo(context, &runtime));
  CHECK(extensions[0].hash1 == 0x8ec2d5d6b5df48bf && extensions[1].hash2 == 1);

  /* An extension. */
  gxf_extension_info_t extension = {.num_components = 2};
  EXPECT(GXF_ARGUMENT_NULL, GxfExtensionInfo(context, extensions[1], NULL));
  EXPECT(GXF_EXTENSION_NOT_FOUND, GxfExtensionInfo(context, null, &extension));
  EXPECT(GXF_QUERY_NOT_ENOUGH_CAPACITY, GxfExtensionInfo(context, extensions[1], &extension));
  CHECK(extension.num_components == 3);
  CHECK_TEXT("Parts", extension.name);
  gxf_tid_t types[3];
  extension.components = types;
  OK(GxfExtensionInfo(context, extensions[1], &extension));
  CHECK(extension.id.hash2 == 1 && types[0].hash2 == 2 && types[2].hash2 == 4);
  CHECK_TEXT("For tests", extension.description);
  CHECK_TEXT("1.2.3", extension.version);
  CHECK_TEXT(kGxfCoreVersion, extension.runtime_version);
  CHECK_TEXT("none", extension.license);
  CHECK_TEXT("nobody", extension.author);
  CHECK_TEXT("Parts for tests", extension.display_name);
  CHECK_TEXT("Test", extension.category);
  CHECK_TEXT("Parts", extension.brief);

  /* A type. */
  gxf_component_info_t type = {.num_parameters = 0};
  EXPECT(GXF_ARGUMENT_NULL, GxfComponentInfo(context, types[0], NULL));
  EXPECT(GXF_FACTORY_UNKNOWN_TID, GxfComponentInfo(context, null, &type));
  OK(GxfComponentInfo(context, types[0], &type));
  CHECK(type.cid.hash2 == 2 && type.is_abstract == 0 && type.num_parameters == 0);
  CHECK_TEXT("nvidia::gxf::Codelet", type.base_name);
  CHECK_TEXT("test::Ticker", type.type_name);
  CHECK_TEXT("Ticker", type.display_name);
  CHECK_TEXT("Counts", type.brief);
  CHECK_TEXT("Counts its calls", type.description);
  OK(GxfComponentInfo(context, tid_of(context, "nvidia::gxf::Component"), &type));
  CHECK(type.is_abstract == 1);
  CHECK_TEXT("", type.base_name);
  EXPECT(GXF_QUERY_NOT_ENOUGH_CAPACITY, GxfComponentInfo(context, types[1], &type));
  CHECK(type.num_parameters == sizeof values_parameters / sizeof values_parameters[0]);
  const char* keys[64];
  type.parameters = keys;
  OK(GxfComponentInfo(context, types[1], &type));
  CHECK_TEXT("int8", keys[0]);
  CHECK_TEXT("label", keys[type.num_parameters - 1]);

  /* A parameter. */
  gxf_parameter_info_t parameter;
  EXPECT(GXF_ARGUMENT_NULL, GxfGetParameterInfo(context, types[1], NULL, &parameter));
  EXPECT(GXF_ARGUMENT_NULL, GxfGetParameterInfo(context, types[1], "percent", NULL));
  EXPECT(GXF_FACTORY_UNKNOWN_TID, GxfGetParameterInfo(context, null, "percent", &parameter));
  EXPECT(GXF_PARAMETER_NOT_FOUND, GxfGetParameterInfo(context, types[1], "nobody", &parameter));
  OK(GxfGetParameterInfo(context, types[1], "percent", &parameter));
  CHECK_TEXT("percent", parameter.key);
  CHECK_TEXT("Percent", parameter.headline);
  CHECK_TEXT("A share", parameter.description);
  CHECK(parameter.type == GXF_PARAMETER_TYPE_INT32);
  CHECK(parameter.flags == GXF_PARAMETER_FLAGS_DYNAMIC);
  CHECK(*(const int32_t*)parameter.default_value == 50);
  CHECK(*(const int32_t*)parameter.numeric_min == 0);
  CHECK(*(const int32_t*)parameter.numeric_max == 100);
  CHECK(*(const int32_t*)parameter.numeric_step == 5);
  CHECK(parameter.rank == 0 && parameter.platform_information == NULL);
  CHECK(GxfTidIsNull(parameter.handle_tid));
  OK(GxfParameterInfo(context, types[1], "label", &parameter));
  CHECK_TEXT("none", (const char*)parameter.default_value);
  CHECK(parameter.type == GXF_PARAMETER_TYPE_STRING && parameter.numeric_min == NULL);
  OK(GxfParameterInfo(context, types[1], "clocks", &parameter));
  CHECK(parameter.type == GXF_PARAMETER_TYPE_HANDLE && parameter.rank == 1);
  CHECK(parameter.shape[0] == -1 && parameter.shape[1] == 1);
  CHECK(parameter.flags == GXF_PARAMETER_FLAGS_OPTIONAL && parameter.default_value == NULL);
  gxf_tid_t clock = tid_of(context, "nvidia::gxf::Clock");
  CHECK(parameter.handle_tid.hash1 == clock.hash1 && parameter.handle_tid.hash2 == clock.hash2);
  OK(GxfParameterInfo(context, types[1], "three", &parameter));
  CHECK(parameter.rank == 1 && parameter.shape[0] == 3);
  OK(GxfParameterInfo(context, tid_of(context, "nvidia::gxf::RealtimeClock"),
                      "initial_time_scale", &parameter));
  CHECK(*(const double*)parameter.default_value == 1.0);

  /* These texts outlive the context. */
  OK(GxfContextDestroy(context));
  CHECK_TEXT("Parts", extension.name);
  return done();
}
