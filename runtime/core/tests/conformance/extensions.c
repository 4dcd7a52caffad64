/* Extensions and types: libraries, manifests, parts of the program, metadata. Runs in a folder it
 * may write to; argv[1] is an extension library, argv[2] one of its types. */
#include "parts.h"

#include <libgen.h>

static void write_file(const char* name, const char* content) {
  FILE* file = fopen(name, "w");
  CHECK(file != NULL && fputs(content, file) >= 0);
  if (file != NULL) {
    fclose(file);
  }
}

int main(int argc, char** argv) {
  use_parts();
  if (argc < 3) {
    return 2;
  }
  gxf_tid_t tid;
  const char* library = argv[1];
  char name[4096], folder[4096], manifest[8192];
  snprintf(name, sizeof name, "%s", library);
  snprintf(folder, sizeof folder, "%s", library);
  const char* file_name = basename(name);
  const char* base = dirname(folder);

  /* A library by its path; again does no harm. */
  gxf_context_t context = new_context();
  EXPECT(GXF_FACTORY_UNKNOWN_CLASS_NAME, GxfComponentTypeId(context, argv[2], &tid));
  OK(GxfLoadExtension(context, library));
  OK(GxfComponentTypeId(context, argv[2], &tid));
  OK(GxfLoadExtension(context, library));
  OK(GxfContextDestroy(context));

  /* In a base directory, and through a manifest there. */
  context = new_context();
  GxfLoadExtensionsInfo info = {&file_name, 1, NULL, 0, base};
  OK(GxfLoadExtensions(context, &info));
  OK(GxfComponentTypeId(context, argv[2], &tid));
  OK(GxfContextDestroy(context));
  context = new_context();
  snprintf(manifest, sizeof manifest, "extensions:\n- gxf/std/libgxf_std.so\n- %s\n", file_name);
  write_file("manifest.yaml", manifest);
  const char* manifests[] = {"manifest.yaml"};
  info = (GxfLoadExtensionsInfo){NULL, 0, manifests, 1, base};
  OK(GxfLoadExtensions(context, &info));
  OK(GxfComponentTypeId(context, argv[2], &tid));
  OK(GxfLoadExtensionManifest(context, "manifest.yaml"));

  /* What cannot be loaded. */
  EXPECT(GXF_ARGUMENT_NULL, GxfLoadExtensions(context, NULL));
  info = (GxfLoadExtensionsInfo){NULL, 1, NULL, 0, NULL};
  EXPECT(GXF_NULL_POINTER, GxfLoadExtensions(context, &info));
  const char* nothing = NULL;
  info = (GxfLoadExtensionsInfo){NULL, 0, &nothing, 1, NULL};
  EXPECT(GXF_NULL_POINTER, GxfLoadExtensions(context, &info));
  info = (GxfLoadExtensionsInfo){NULL, 0, NULL, 0, NULL};
  OK(GxfLoadExtensions(context, &info));
  EXPECT(GXF_EXTENSION_FILE_NOT_FOUND, GxfLoadExtension(context, "libno_such.so"));
  EXPECT(GXF_EXTENSION_NO_FACTORY, GxfLoadExtension(context, "libc.so.6.copy"));
  EXPECT(GXF_FILE_NOT_FOUND, GxfLoadExtensionManifest(context, "missing.yaml"));
  write_file("wrong.yaml", "[1, 2]");
  EXPECT(GXF_INVALID_DATA_FORMAT, GxfLoadExtensionManifest(context, "wrong.yaml"));

  /* A part of the program. */
  OK(GxfLoadExtensionFromPointer(context, (void*)(uintptr_t)&parts));
  OK(GxfComponentTypeId(context, "test::Ticker", &tid));
  EXPECT(GXF_FACTORY_DUPLICATE_TID,
         GxfLoadExtensionFromPointer(context, (void*)(uintptr_t)&parts));
  EXPECT(GXF_ARGUMENT_NULL, GxfLoadExtensionFromPointer(context, NULL));
  uint64_t something[32] = {0};
  EXPECT(GXF_FACTORY_INCOMPATIBLE, GxfLoadExtensionFromPointer(context, something));
  EXPECT(GXF_FACTORY_INCOMPATIBLE, GxfLoadExtensionFromPointer(context, (char*)something + 1));

  /* Types nobody brings. */
  gxf_tid_t mine = {1, 2}, derived = {1, 3}, other = {1, 4};
  OK(GxfRegisterComponent(context, mine, "my::Type", "nvidia::gxf::Codelet"));
  OK(GxfRegisterComponent(context, derived, "my::Derived", "my::Type"));
  OK(GxfRegisterComponent(context, other, "my::Plain", NULL));
  OK(GxfComponentTypeId(context, "my::Type", &tid));
  CHECK(tid.hash1 == 1 && tid.hash2 == 2);
  bool is_base = false;
  OK(GxfComponentIsBase(context, derived, mine, &is_base));
  CHECK(is_base);
  OK(GxfComponentIsBase(context, derived, tid_of(context, "nvidia::gxf::Component"), &is_base));
  CHECK(is_base);
  gxf_uid_t eid = new_entity(context, "e", 0);
  EXPECT(GXF_FACTORY_ABSTRACT_CLASS, GxfComponentAdd(context, eid, mine, "x", NULL));
  EXPECT(GXF_FACTORY_ABSTRACT_CLASS, GxfComponentAdd(context, eid, other, "x", NULL));
  EXPECT(GXF_FACTORY_DUPLICATE_TID, GxfRegisterComponent(context, mine, "my::Other", ""));
  EXPECT(GXF_FACTORY_DUPLICATE_TID,
         GxfRegisterComponent(context, (gxf_tid_t){1, 9}, "my::Type", ""));
  EXPECT(GXF_FACTORY_UNKNOWN_CLASS_NAME,
         GxfRegisterComponent(context, (gxf_tid_t){1, 9}, "my::Other", "no::Type"));
  EXPECT(GXF_ARGUMENT_INVALID, GxfRegisterComponent(context, GxfTidNull(), "my::Other", ""));
  EXPECT(GXF_ARGUMENT_INVALID, GxfRegisterComponent(context, (gxf_tid_t){1, 9}, "", ""));
  EXPECT(GXF_ARGUMENT_NULL, GxfRegisterComponent(context, (gxf_tid_t){1, 9}, NULL, ""));

  gxf_tid_t extension = TEST_ID(1);
  OK(GxfRegisterComponentInExtension(context, mine, extension));
  OK(GxfRegisterComponentInExtension(context, mine, extension));
  EXPECT(GXF_FACTORY_UNKNOWN_TID,
         GxfRegisterComponentInExtension(context, (gxf_tid_t){7, 7}, extension));
  EXPECT(GXF_EXTENSION_NOT_FOUND, GxfRegisterComponentInExtension(context, mine, mine));
  gxf_tid_t types[8];
  gxf_extension_info_t about = {.num_components = 8, .components = types};
  OK(GxfExtensionInfo(context, extension, &about));
  CHECK(about.num_components == 4 && types[3].hash1 == 1 && types[3].hash2 == 2);

  /* Metadata. */
  write_file("metadata.yaml",
             "components:\n"
             "- typename: meta::One\n"
             "  type_id: 00000000000000aa00000000000000bb\n"
             "  base_typename: nvidia::gxf::Component\n"
             "- typename: meta::Two\n"
             "  type_id: 00000000000000aa00000000000000bc\n"
             "  base_typename: meta::One\n");
  const char* files[] = {"metadata.yaml"};
  OK(GxfLoadExtensionMetadataFiles(context, files, 1));
  OK(GxfComponentTypeId(context, "meta::Two", &tid));
  CHECK(tid.hash1 == 0xaa && tid.hash2 == 0xbc);
  EXPECT(GXF_FACTORY_DUPLICATE_TID, GxfLoadExtensionMetadataFiles(context, files, 1));
  OK(GxfLoadExtensionMetadataFiles(context, NULL, 0));
  EXPECT(GXF_ARGUMENT_NULL, GxfLoadExtensionMetadataFiles(context, NULL, 1));
  files[0] = NULL;
  EXPECT(GXF_ARGUMENT_NULL, GxfLoadExtensionMetadataFiles(context, files, 1));
  files[0] = "missing.yaml";
  EXPECT(GXF_FILE_NOT_FOUND, GxfLoadExtensionMetadataFiles(context, files, 1));
  files[0] = "metadata.yaml";
  write_file("metadata.yaml", "components: [{typename: meta::Three, type_id: '1234'}]");
  EXPECT(GXF_FAILURE, GxfLoadExtensionMetadataFiles(context, files, 1));
  write_file("metadata.yaml",
             "components: [{typename: meta::Three, type_id: '1234', base_typename: meta::One}]");
  EXPECT(GXF_FAILURE, GxfLoadExtensionMetadataFiles(context, files, 1));
  OK(GxfContextDestroy(context));
  return done();
}
