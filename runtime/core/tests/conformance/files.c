/* App files: loaded with overrides and prefixes, saved, and loaded again. Runs in a folder it may
 * write to. */
#include "parts.h"

static void write_file(const char* name, const char* content) {
  FILE* file = fopen(name, "w");
  CHECK(file != NULL && fputs(content, file) >= 0);
  if (file != NULL) {
    fclose(file);
  }
}

static char* read_file(const char* name) {
  static char content[1 << 16];
  FILE* file = fopen(name, "r");
  CHECK(file != NULL);
  if (file == NULL) {
    return NULL;
  }
  content[fread(content, 1, sizeof content - 1, file)] = '\0';
  fclose(file);
  return strdup(content);
}

/* Every kind of value and of handle, and what makes texts difficult. */
static const char difficult[] =
    "name: values\n"
    "components:\n"
    "- name: all\n"
    "  type: test::Values\n"
    "  parameters:\n"
    "    int8: -1\n"
    "    int16: -2\n"
    "    int32: -3\n"
    "    int64: -9223372036854775808\n"
    "    uint8: 1\n"
    "    uint16: 2\n"
    "    uint32: 3\n"
    "    uint64: 18446744073709551615\n"
    "    float32: 0.1\n"
    "    float64: .inf\n"
    "    bool: on\n"
    "    string: \"null\"\n"
    "    file: 'a: path'\n"
    "    complex64: 1+2j\n"
    "    complex128: 1e-300-2j\n"
    "    custom: {a: [1, 'b c'], d: ~}\n"
    "    strings: ['', ' blanks ', \"new\\nline\", '# no comment', 'yes']\n"
    "    float64s: [1, 1e300, .nan]\n"
    "    int64s: []\n"
    "    uint64s: [0]\n"
    "    int32s: [1, 2, 3]\n"
    "    float64ss: [[0.5], []]\n"
    "    int64ss: [[1, 2], [3, 4]]\n"
    "    uint64ss: []\n"
    "    int32ss: [[-1]]\n"
    "    three: [1, 2, 3]\n"
    "    clock: clocks/first\n"
    "    clocks: [clocks/first, 'clocks/second one']\n"
    "    percent: 10\n"
    "    unknown: 5\n"
    "    unknown text: '5'\n"
    "    unknown list: [a, b]\n"
    "- type: test::Ticker\n"
    "---\n"
    "name: clocks\n"
    "components:\n"
    "- {name: first, type: nvidia::gxf::ManualClock}\n"
    "- {name: second one, type: nvidia::gxf::ManualClock}\n"
    "---\n"
    "components:\n"
    "- {name: in unnamed, type: nvidia::gxf::ManualClock}\n"
    "---\n"
    "name: empty\n"
    "components: []\n"
    "---\n"
    "name: 'true'\n"
    "components: [{type: nvidia::gxf::ThreadPool}]\n"
    "---\n"
    "EntityGroups: [{name: some group, target: [clocks, 'true']}]\n";

static const char inner[] =
    "name: deep\n"
    "components:\n"
    "- {name: clock, type: nvidia::gxf::ManualClock}\n"
    "- {name: user, type: test::Values, parameters: {clock: clock}}\n"
    "---\n"
    "interfaces: [{name: exported, target: deep/clock}]\n";

static const char outer[] =
    "name: sub\n"
    "components:\n"
    "- {name: subgraph, type: nvidia::gxf::Subgraph, parameters: {location: inner.yaml}}\n"
    "---\n"
    "name: user\n"
    "components:\n"
    "- {name: user, type: test::Values, parameters: {clock: sub/exported}}\n";

/* Saved, loaded into a new context and saved again: the same text. */
static void survives(gxf_context_t context, const char* name) {
  OK(GxfGraphSaveToFile(context, name));
  gxf_context_t again = new_context_with_parts();
  OK(GxfGraphLoadFile(again, name, NULL, 0));
  OK(GxfGraphSaveToFile(again, "again.yaml"));
  char* first = read_file(name);
  char* second = read_file("again.yaml");
  CHECK_TEXT(first, second);
  uint64_t before = 0, after = 0;
  EXPECT(GXF_RESULT_ARRAY_TOO_SMALL, GxfEntityFindAll(again, &after, NULL));
  EXPECT(GXF_RESULT_ARRAY_TOO_SMALL, GxfEntityFindAll(context, &before, NULL));
  CHECK(before >= after);
  free(first);
  free(second);
  OK(GxfGraphActivate(again));
  OK(GxfContextDestroy(again));
}

int main(void) {
  use_parts();
  write_file("difficult.yaml", difficult);
  write_file("inner.yaml", inner);
  write_file("outer.yaml", outer);
  write_file("broken.yaml", "name: [");

  gxf_context_t context = new_context_with_parts();
  OK(GxfGraphLoadFile(context, "difficult.yaml", NULL, 0));
  survives(context, "saved.yaml");
  gxf_uid_t eid = 0, cid = 0;
  OK(GxfEntityFind(context, "values", &eid));
  OK(GxfComponentFind(context, eid, GxfTidNull(), "all", NULL, &cid));

  /* Handles to components and entities without a name, made by the program. */
  gxf_uid_t unnamed = 0, target = 0;
  OK(GxfEntityCreate(context, &unnamed));
  target = new_component(context, unnamed, "nvidia::gxf::ManualClock", NULL);
  OK(GxfParameterSetHandle(context, cid, "clock", target));
  survives(context, "saved.yaml");
  /* A second component of the same name and type cannot be told from the first. */
  OK(GxfEntityFind(context, "clocks", &eid));
  target = new_component(context, eid, "nvidia::gxf::ManualClock", "first");
  OK(GxfParameterSetHandle(context, cid, "clock", target));
  EXPECT(GXF_INVALID_DATA_FORMAT, GxfGraphSaveToFile(context, "saved.yaml"));
  OK(GxfContextDestroy(context));

  /* Subgraphs are written out. */
  context = new_context_with_parts();
  OK(GxfGraphLoadFile(context, "outer.yaml", NULL, 0));
  survives(context, "flat.yaml");
  OK(GxfContextDestroy(context));

  /* What is saved runs as before. */
  EXPECT(GXF_ARGUMENT_NULL, GxfGraphSaveToFile(context = new_context_with_parts(), NULL));
  EXPECT(GXF_FILE_NOT_FOUND, GxfGraphSaveToFile(context, "no/such/folder.yaml"));
  OK(GxfGraphSaveToFile(context, "empty.yaml"));
  OK(GxfGraphLoadFile(context, "empty.yaml", NULL, 0));

  /* Overrides. */
  const char* overrides[] = {"values/all/percent=42", "values/all/string=x=y"};
  OK(GxfGraphLoadFile(context, "difficult.yaml", overrides, 2));
  OK(GxfEntityFind(context, "values", &eid));
  OK(GxfComponentFind(context, eid, GxfTidNull(), "all", NULL, &cid));
  int32_t percent = 0;
  const char* text = NULL;
  OK(GxfParameterGetInt32(context, cid, "percent", &percent));
  CHECK(percent == 42);
  OK(GxfParameterGetStr(context, cid, "string", &text));
  CHECK_TEXT("x=y", text);
  overrides[0] = "no path";
  EXPECT(GXF_ARGUMENT_INVALID, GxfGraphLoadFile(context, "empty.yaml", overrides, 1));
  overrides[0] = NULL;
  EXPECT(GXF_ARGUMENT_NULL, GxfGraphLoadFile(context, "empty.yaml", overrides, 1));
  EXPECT(GXF_ARGUMENT_NULL, GxfGraphLoadFile(context, "empty.yaml", NULL, 1));
  overrides[0] = "nobody/all/percent=1";
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfGraphLoadFile(context, "empty.yaml", overrides, 1));
  OK(GxfContextDestroy(context));

  /* Files that are wrong. */
  context = new_context_with_parts();
  EXPECT(GXF_FILE_NOT_FOUND, GxfGraphLoadFile(context, "missing.yaml", NULL, 0));
  EXPECT(GXF_FAILURE, GxfGraphLoadFile(context, "broken.yaml", NULL, 0));
  EXPECT(GXF_ARGUMENT_NULL, GxfGraphLoadFile(context, NULL, NULL, 0));
  EXPECT(GXF_FAILURE, GxfGraphParseString(context, "name: [", NULL, 0));
  EXPECT(GXF_ARGUMENT_NULL, GxfGraphParseString(context, NULL, NULL, 0));
  EXPECT(GXF_FACTORY_UNKNOWN_CLASS_NAME,
         GxfGraphParseString(context, "components: [{type: no::Type}]", NULL, 0));

  /* The root path. */
  EXPECT(GXF_ARGUMENT_NULL, GxfGraphSetRootPath(context, NULL));
  OK(GxfGraphSetRootPath(context, "/no/such/folder"));
  EXPECT(GXF_FILE_NOT_FOUND, GxfGraphLoadFile(context, "inner.yaml", NULL, 0));
  OK(GxfGraphSetRootPath(context, "."));

  /* With a prefix and a parent that exports. */
  gxf_uid_t parent = new_entity(context, "parent", GXF_ENTITY_CREATE_PROGRAM_BIT);
  OK(GxfGraphLoadFileExtended(context, "inner.yaml", "pre.", NULL, 0, parent, NULL));
  OK(GxfEntityFind(context, "pre.deep", &eid));
  OK(GxfComponentFind(context, eid, GxfTidNull(), "clock", NULL, &cid));
  OK(GxfComponentFind(context, parent, GxfTidNull(), "exported", NULL, &target));
  CHECK(target == cid);
  OK(GxfGraphLoadFileExtended(context, "inner.yaml", NULL, NULL, 0, kNullUid, NULL));
  OK(GxfEntityFind(context, "deep", &eid));
  EXPECT(GXF_NOT_IMPLEMENTED,
         GxfGraphLoadFileExtended(context, "inner.yaml", "", NULL, 0, kNullUid, &eid));

  /* With components that are handed in. */
  write_file("needs.yaml",
             "prerequisites: [clock]\n"
             "---\n"
             "name: needy\n"
             "components:\n"
             "- {name: user, type: test::Values, parameters: {clock: prerequisites/clock}}\n");
  const char* names[] = {"clock"};
  gxf_uid_t found = 0;
  OK(GxfGraphLoadFileWithPrerequisites(context, "needs.yaml", "one.", NULL, 0, parent, names, &cid,
                                       1));
  OK(GxfEntityFind(context, "one.needy", &eid));
  OK(GxfComponentFind(context, eid, GxfTidNull(), "user", NULL, &target));
  OK(GxfParameterGetHandle(context, target, "clock", &found));
  CHECK(found == cid);
  EXPECT(GXF_ENTITY_NOT_FOUND,
         GxfGraphLoadFileWithPrerequisites(context, "needs.yaml", "two.", NULL, 0, kNullUid, NULL,
                                           NULL, 0));
  gxf_uid_t nobody = NOBODY;
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,
         GxfGraphLoadFileWithPrerequisites(context, "needs.yaml", "three.", NULL, 0, kNullUid,
                                           names, &nobody, 1));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityFind(context, "three.needy", &eid));
  EXPECT(GXF_ARGUMENT_NULL,
         GxfGraphLoadFileWithPrerequisites(context, "needs.yaml", "four.", NULL, 0, kNullUid, NULL,
                                           &cid, 1));
  EXPECT(GXF_ARGUMENT_NULL,
         GxfGraphLoadFileWithPrerequisites(context, "needs.yaml", "four.", NULL, 0, kNullUid, names,
                                           NULL, 1));
  names[0] = NULL;
  EXPECT(GXF_ARGUMENT_NULL,
         GxfGraphLoadFileWithPrerequisites(context, "needs.yaml", "four.", NULL, 0, kNullUid, names,
                                           &cid, 1));
  EXPECT(GXF_ENTITY_NOT_FOUND,
         GxfGraphLoadFileExtended(context, "inner.yaml", "x.", NULL, 0, NOBODY, NULL));
  EXPECT(GXF_ARGUMENT_NULL,
         GxfGraphLoadFileExtended(context, NULL, "", NULL, 0, kNullUid, NULL));
  OK(GxfContextDestroy(context));
  return done();
}
