/* Everything the extensions say about themselves, asked with too little room first. */
#include "check.h"

static gxf_context_t context;
static uint64_t types, parameters;

static void look_at_parameter(gxf_tid_t tid, const char* key) {
  gxf_parameter_info_t info;
  memset(&info, 0xee, sizeof info);
  OK(GxfParameterInfo(context, tid, key, &info));
  CHECK_TEXT(key, info.key);
  CHECK(info.headline != NULL && info.description != NULL);
  CHECK(info.flags <= (GXF_PARAMETER_FLAGS_OPTIONAL | GXF_PARAMETER_FLAGS_DYNAMIC));
  CHECK(strcmp(GxfParameterTypeStr(info.type), "N/A") != 0);
  CHECK(info.rank >= 0 && info.rank <= 8);
  for (int32_t dimension = info.rank; dimension < 8; dimension++) {
    CHECK(info.shape[dimension] == 1);
  }
  const char* name = NULL;
  if (info.type == GXF_PARAMETER_TYPE_HANDLE) {
    OK(GxfComponentTypeName(context, info.handle_tid, &name));
  } else {
    CHECK(GxfTidIsNull(info.handle_tid));
  }
  parameters++;
}

static void look_at_type(gxf_tid_t tid) {
  const char* keys[kMaxParameters];
  gxf_component_info_t info = {0};
  info.num_parameters = kMaxParameters;
  info.parameters = keys;
  OK(GxfComponentInfo(context, tid, &info));
  CHECK(info.type_name != NULL && info.base_name != NULL && info.display_name != NULL);
  CHECK(info.brief != NULL && info.description != NULL);
  const gxf_tid_t same = tid_of(context, info.type_name);
  CHECK(same.hash1 == tid.hash1 && same.hash2 == tid.hash2);
  if (info.base_name[0] != '\0') {
    const gxf_tid_t base = tid_of(context, info.base_name);
    bool is_base = false;
    OK(GxfComponentIsBase(context, tid, base, &is_base));
    CHECK(is_base);
    OK(GxfComponentIsBase(context, base, tid, &is_base));
    CHECK(!is_base);
  }
  for (uint64_t index = 0; index < info.num_parameters; index++) {
    look_at_parameter(tid, keys[index]);
  }
  if (info.num_parameters > 0) {
    const uint64_t wanted = info.num_parameters--;
    EXPECT(GXF_QUERY_NOT_ENOUGH_CAPACITY, GxfComponentInfo(context, tid, &info));
    CHECK(info.num_parameters == wanted);
  }
  types++;
}

static void look_at_extension(gxf_tid_t tid) {
  gxf_extension_info_t info = {0};
  EXPECT(GXF_QUERY_NOT_ENOUGH_CAPACITY, GxfExtensionInfo(context, tid, &info));
  const uint64_t wanted = info.num_components;
  info.components = calloc(wanted, sizeof *info.components);
  OK(GxfExtensionInfo(context, tid, &info));
  CHECK(info.num_components == wanted);
  CHECK(info.name != NULL && info.version != NULL && info.license != NULL);
  CHECK_TEXT(kGxfCoreVersion, info.runtime_version);
  for (uint64_t index = 0; index < wanted; index++) {
    look_at_type(info.components[index]);
  }
  free(info.components);
}

int main(void) {
  context = new_context();
  const char* const libraries[] = {
      "libgxf_std.so",           "libgxf_behavior_tree.so", "libgxf_cuda.so", "libgxf_format_converter.so",
      "libgxf_multimedia.so",    "libgxf_sample.so",        "libgxf_serialization.so",
      "libgxf_stream_playback.so", "libgxf_test.so"};
  enum { COUNT = sizeof libraries / sizeof libraries[0] };
  const GxfLoadExtensionsInfo load = {libraries, COUNT, NULL, 0, NULL};
  OK(GxfLoadExtensions(context, &load));

  gxf_runtime_info info = {0};
  EXPECT(GXF_QUERY_NOT_ENOUGH_CAPACITY, GxfRuntimeInfo(context, &info));
  CHECK(info.num_extensions == COUNT);
  CHECK_TEXT(kGxfCoreVersion, info.version);
  gxf_tid_t extensions[COUNT];
  info.extensions = extensions;
  OK(GxfRuntimeInfo(context, &info));
  for (uint64_t index = 0; index < info.num_extensions; index++) {
    look_at_extension(extensions[index]);
  }
  CHECK(types > 100 && parameters > 300);
  OK(GxfContextDestroy(context));
  return done();
}
