/* Entities: created, found, counted, destroyed. */
#include "parts.h"

int main(void) {
  use_parts();
  gxf_context_t context = new_context_with_parts();
  gxf_uid_t eid = 0;
  GxfEntityCreateInfo info = {"one", 0};

  EXPECT(GXF_ARGUMENT_NULL, GxfCreateEntity(context, NULL, &eid));
  EXPECT(GXF_ARGUMENT_NULL, GxfCreateEntity(context, &info, NULL));
  OK(GxfCreateEntity(context, &info, &eid));
  CHECK(eid != kNullUid);
  gxf_uid_t again = 7;
  EXPECT(GXF_ARGUMENT_INVALID, GxfCreateEntity(context, &info, &again));
  CHECK(again == 7);
  info.entity_name = "__kept";
  EXPECT(GXF_ARGUMENT_INVALID, GxfCreateEntity(context, &info, &again));
  info.entity_name = "\xff";
  EXPECT(GXF_ARGUMENT_INVALID, GxfCreateEntity(context, &info, &again));
  info.entity_name = "flags";
  info.flags = 8;
  EXPECT(GXF_ARGUMENT_INVALID, GxfCreateEntity(context, &info, &again));
  info.flags = 0;

  /* Names up to the limit. */
  static char name[kMaxEntityNameSize + 1];
  memset(name, 'n', kMaxEntityNameSize);
  info.entity_name = name;
  EXPECT(GXF_ENTITY_NAME_EXCEEDS_LIMIT, GxfCreateEntity(context, &info, &again));
  name[kMaxEntityNameSize - 1] = '\0';
  OK(GxfCreateEntity(context, &info, &again));
  const char* text = NULL;
  OK(GxfEntityGetName(context, again, &text));
  CHECK_TEXT(name, text);
  OK(GxfEntityDestroy(context, again));

  /* Found by name. */
  gxf_uid_t found = 0;
  OK(GxfEntityFind(context, "one", &found));
  CHECK(found == eid);
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityFind(context, "two", &found));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityFind(context, "", &found));
  EXPECT(GXF_ARGUMENT_NULL, GxfEntityFind(context, NULL, &found));
  EXPECT(GXF_ARGUMENT_NULL, GxfEntityFind(context, "one", NULL));
  OK(GxfEntityGetName(context, eid, &text));
  CHECK_TEXT("one", text);
  const char* same = NULL;
  OK(GxfEntityGetName(context, eid, &same));
  CHECK(same == text);
  EXPECT(GXF_ARGUMENT_NULL, GxfEntityGetName(context, eid, NULL));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityGetName(context, NOBODY, &text));

  /* One of the program without a name gets one. */
  gxf_uid_t unnamed = 0;
  OK(GxfEntityCreate(context, &unnamed));
  char expected[64];
  snprintf(expected, sizeof expected, "__entity_%" PRId64, unnamed);
  OK(GxfEntityGetName(context, unnamed, &text));
  CHECK_TEXT(expected, text);

  /* All of them, with the room that is needed. */
  gxf_uid_t all[8] = {0};
  uint64_t count = 0;
  EXPECT(GXF_ARGUMENT_NULL, GxfEntityFindAll(context, NULL, all));
  EXPECT(GXF_RESULT_ARRAY_TOO_SMALL, GxfEntityFindAll(context, &count, NULL));
  CHECK(count == 2);
  count = 1;
  EXPECT(GXF_RESULT_ARRAY_TOO_SMALL, GxfEntityFindAll(context, &count, all));
  CHECK(count == 2 && all[0] == 0);
  EXPECT(GXF_ARGUMENT_NULL, GxfEntityFindAll(context, &count, NULL));
  count = 8;
  OK(GxfEntityFindAll(context, &count, all));
  CHECK(count == 2 && all[0] == eid && all[1] == unnamed);

  /* Users are counted from 0. */
  int64_t users = -1;
  OK(GxfEntityGetRefCount(context, eid, &users));
  CHECK(users == 0);
  EXPECT(GXF_ARGUMENT_NULL, GxfEntityGetRefCount(context, eid, NULL));
  EXPECT(GXF_REF_COUNT_NEGATIVE, GxfEntityRefCountDec(context, eid));
  OK(GxfEntityRefCountInc(context, eid));
  OK(GxfEntityRefCountInc(context, eid));
  OK(GxfEntityGetRefCount(context, eid, &users));
  CHECK(users == 2);
  EXPECT(GXF_ARGUMENT_INVALID, GxfEntityDestroy(context, eid));
  OK(GxfEntityRefCountDec(context, eid));
  bool valid = false;
  OK(GxfEntityIsValid(context, eid, &valid));
  CHECK(valid);
  /* The last user takes it away. */
  OK(GxfEntityRefCountDec(context, eid));
  OK(GxfEntityIsValid(context, eid, &valid));
  CHECK(!valid);
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityRefCountInc(context, eid));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityRefCountDec(context, eid));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityGetRefCount(context, eid, &users));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityDestroy(context, eid));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityFind(context, "one", &found));
  EXPECT(GXF_ARGUMENT_NULL, GxfEntityIsValid(context, eid, NULL));

  /* One of the program stays when its last user goes. */
  OK(GxfEntityRefCountInc(context, unnamed));
  OK(GxfEntityRefCountDec(context, unnamed));
  OK(GxfEntityIsValid(context, unnamed, &valid));
  CHECK(valid);
  OK(GxfEntityDestroy(context, unnamed));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityDestroy(context, unnamed));

  /* A new entity never has the id of one that is gone. */
  gxf_uid_t other = new_entity(context, "other", 0);
  CHECK(other != eid && other != unnamed);
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityGetName(context, eid, &text));

  /* Activated on its own. */
  gxf_entity_status_t status = GXF_ENTITY_MAX;
  entity_state_t state = GXF_BEHAVIOR_INIT;
  OK(GxfEntityGetStatus(context, other, &status));
  CHECK(status == GXF_ENTITY_STATUS_NOT_STARTED);
  OK(GxfEntityGetState(context, other, &state));
  CHECK(state == GXF_BEHAVIOR_UNKNOWN);
  EXPECT(GXF_ARGUMENT_NULL, GxfEntityGetStatus(context, other, NULL));
  EXPECT(GXF_ARGUMENT_NULL, GxfEntityGetState(context, other, NULL));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityGetStatus(context, NOBODY, &status));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityGetState(context, NOBODY, &state));
  new_component(context, other, "test::Ticker", "ticker");
  OK(GxfEntityActivate(context, other));
  CHECK(initialized == 1);
  EXPECT(GXF_INVALID_LIFECYCLE_STAGE, GxfEntityActivate(context, other));
  OK(GxfEntityDeactivate(context, other));
  CHECK(deinitialized == 1);
  EXPECT(GXF_INVALID_LIFECYCLE_STAGE, GxfEntityDeactivate(context, other));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityActivate(context, NOBODY));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityDeactivate(context, NOBODY));
  initialize_code = GxeResultCode_OUT_OF_MEMORY;
  EXPECT(GXF_OUT_OF_MEMORY, GxfEntityActivate(context, other));
  initialize_code = GxeResultCode_SUCCESS;

  /* What is not of the program is not activated with the graph. */
  int before = initialized;
  OK(GxfGraphActivate(context));
  OK(GxfGraphDeactivate(context));
  CHECK(initialized == before);

  /* Destroyed while it is active. */
  OK(GxfEntityActivate(context, other));
  before = deinitialized;
  OK(GxfEntityDestroy(context, other));
  CHECK(deinitialized == before + 1);

  /* Pointers that stand for entities. */
  void* item = NULL;
  gxf_uid_t made = 0;
  info.entity_name = "made";
  EXPECT(GXF_ARGUMENT_NULL, GxfCreateEntityAndGetItem(context, &info, &made, NULL));
  EXPECT(GXF_ARGUMENT_NULL, GxfCreateEntityAndGetItem(context, &info, NULL, &item));
  OK(GxfCreateEntityAndGetItem(context, &info, &made, &item));
  void* same_item = NULL;
  OK(GxfEntityGetItemPtr(context, made, &same_item));
  CHECK(item != NULL && item == same_item);
  EXPECT(GXF_ARGUMENT_NULL, GxfEntityGetItemPtr(context, made, NULL));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityGetItemPtr(context, NOBODY, &item));

  OK(GxfContextDestroy(context));
  return done();
}
