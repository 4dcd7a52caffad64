/* Groups of entities and the resources they share. */
#include "parts.h"

int main(void) {
  use_parts();
  gxf_context_t context = new_context_with_parts();
  gxf_uid_t worker = new_entity(context, "worker", GXF_ENTITY_CREATE_PROGRAM_BIT);
  gxf_uid_t provider = new_entity(context, "provider", GXF_ENTITY_CREATE_PROGRAM_BIT);
  gxf_uid_t pool = new_component(context, provider, "nvidia::gxf::ThreadPool", "pool");
  gxf_uid_t device = new_component(context, provider, "nvidia::gxf::GPUDevice", "device");
  new_component(context, provider, "nvidia::gxf::ManualClock", "no_resource");

  /* At first everybody is in the default group. */
  gxf_uid_t gid = 0, other = 0, found = 0;
  const char* text = NULL;
  OK(GxfEntityGroupId(context, worker, &gid));
  OK(GxfEntityGroupId(context, provider, &other));
  CHECK(gid == 1 && other == 1);
  OK(GxfEntityGroupName(context, worker, &text));
  CHECK_TEXT(kDefaultEntityGroupName, text);
  EXPECT(GXF_FAILURE, GxfUpdateEntityGroup(context, gid, worker));

  gxf_uid_t cids[2] = {0};
  uint64_t count = 1;
  EXPECT(GXF_RESULT_ARRAY_TOO_SMALL, GxfEntityGroupFindResources(context, worker, &count, cids));
  CHECK(count == 2);
  OK(GxfEntityGroupFindResources(context, worker, &count, cids));
  CHECK(count == 2 && cids[0] == pool && cids[1] == device);
  OK(GxfEntityResourceGetHandle(context, worker, "nvidia::gxf::ThreadPool", NULL, &found));
  CHECK(found == pool);
  OK(GxfEntityResourceGetHandle(context, worker, "nvidia::gxf::GPUDevice", "device", &found));
  CHECK(found == device);
  EXPECT(GXF_RESOURCE_NOT_FOUND,
         GxfEntityResourceGetHandle(context, worker, "nvidia::gxf::GPUDevice", "pool", &found));
  /* The very type counts, not a base of it. */
  EXPECT(GXF_RESOURCE_NOT_FOUND,
         GxfEntityResourceGetHandle(context, worker, "nvidia::gxf::ResourceBase", "", &found));
  EXPECT(GXF_FACTORY_UNKNOWN_CLASS_NAME,
         GxfEntityResourceGetHandle(context, worker, "no::Type", "", &found));

  /* A group of its own. */
  EXPECT(GXF_ARGUMENT_NULL, GxfCreateEntityGroup(context, NULL, &gid));
  EXPECT(GXF_ARGUMENT_NULL, GxfCreateEntityGroup(context, "g", NULL));
  EXPECT(GXF_ARGUMENT_INVALID, GxfCreateEntityGroup(context, "", &gid));
  EXPECT(GXF_ARGUMENT_INVALID, GxfCreateEntityGroup(context, kDefaultEntityGroupName, &gid));
  OK(GxfCreateEntityGroup(context, "g", &gid));
  EXPECT(GXF_ARGUMENT_INVALID, GxfCreateEntityGroup(context, "g", &other));
  OK(GxfUpdateEntityGroup(context, gid, worker));
  EXPECT(GXF_FAILURE, GxfUpdateEntityGroup(context, gid, worker));
  OK(GxfEntityGroupId(context, worker, &other));
  CHECK(other == gid);
  OK(GxfEntityGroupName(context, worker, &text));
  CHECK_TEXT("g", text);
  EXPECT(GXF_RESOURCE_NOT_FOUND,
         GxfEntityResourceGetHandle(context, worker, "nvidia::gxf::ThreadPool", NULL, &found));
  OK(GxfUpdateEntityGroup(context, gid, provider));
  OK(GxfEntityResourceGetHandle(context, worker, "nvidia::gxf::ThreadPool", NULL, &found));
  CHECK(found == pool);
  OK(GxfUpdateEntityGroup(context, 1, worker));
  OK(GxfEntityGroupFindResources(context, worker, &count, cids));
  CHECK(count == 0);

  EXPECT(GXF_ENTITY_GROUP_NOT_FOUND, GxfUpdateEntityGroup(context, NOBODY, worker));
  EXPECT(GXF_ENTITY_GROUP_NOT_FOUND, GxfUpdateEntityGroup(context, worker, worker));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfUpdateEntityGroup(context, gid, NOBODY));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityGroupId(context, NOBODY, &gid));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityGroupName(context, NOBODY, &text));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityGroupFindResources(context, NOBODY, &count, cids));
  EXPECT(GXF_ENTITY_NOT_FOUND,
         GxfEntityResourceGetHandle(context, NOBODY, "nvidia::gxf::ThreadPool", "", &found));
  EXPECT(GXF_ARGUMENT_NULL, GxfEntityGroupId(context, worker, NULL));
  EXPECT(GXF_ARGUMENT_NULL, GxfEntityGroupName(context, worker, NULL));
  EXPECT(GXF_ARGUMENT_NULL, GxfEntityGroupFindResources(context, worker, NULL, cids));
  EXPECT(GXF_ARGUMENT_NULL, GxfEntityResourceGetHandle(context, worker, NULL, "", &found));
  EXPECT(GXF_ARGUMENT_NULL,
         GxfEntityResourceGetHandle(context, worker, "nvidia::gxf::ThreadPool", "", NULL));

  /* From an app file. */
  OK(GxfGraphParseString(context,
                         "name: a\n"
                         "components:\n"
                         "- {name: pool, type: nvidia::gxf::ThreadPool}\n"
                         "---\n"
                         "name: b\n"
                         "components: []\n"
                         "---\n"
                         "EntityGroups:\n"
                         "- {name: h, target: [a, b]}\n"
                         "- {name: g, target: [worker]}\n",
                         NULL, 0));
  gxf_uid_t a = 0, b = 0;
  OK(GxfEntityFind(context, "a", &a));
  OK(GxfEntityFind(context, "b", &b));
  OK(GxfEntityGroupName(context, b, &text));
  CHECK_TEXT("h", text);
  OK(GxfEntityResourceGetHandle(context, b, "nvidia::gxf::ThreadPool", "pool", &found));
  OK(GxfComponentEntity(context, found, &found));
  CHECK(found == a);
  OK(GxfEntityGroupName(context, worker, &text));
  CHECK_TEXT("g", text);
  EXPECT(GXF_ENTITY_NOT_FOUND,
         GxfGraphParseString(context, "EntityGroups: [{name: h, target: [nobody]}]", NULL, 0));
  OK(GxfContextDestroy(context));
  return done();
}
