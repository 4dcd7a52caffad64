/* Entities that carry data: payloads, users, and how one becomes an entity of the graph. */
#include "parts.h"

extern const GxeHostTable* GxeGetHostTable(void);

/* The functions that extensions have: where a result is wanted nowhere, nothing happens. */
static void ask_for_nothing(gxf_context_t context, gxf_tid_t tid) {
  const GxeHostTable* host = GxeGetHostTable();
  const GxeTid point = {tid.hash1, tid.hash2};
  const GxeText name = {NULL, 0};
  GxeMessage* message = NULL;
  GxePayloadRef payload;
  CHECK(host->message_new(context, NULL) == GxeResultCode_ARGUMENT_NULL);
  CHECK(host->last_error().length > 0);
  CHECK(host->message_new(context, &message) == GxeResultCode_SUCCESS);
  CHECK(host->message_add(message, point, name, NULL) == GxeResultCode_ARGUMENT_NULL);
  CHECK(host->message_count(message) == 0);
  CHECK(host->message_add(message, point, name, &payload) == GxeResultCode_SUCCESS);
  CHECK(host->message_find(message, point, name, 0, NULL) == GxeResultCode_ARGUMENT_NULL);
  CHECK(host->message_at(message, 0, NULL) == GxeResultCode_ARGUMENT_NULL);
  CHECK(host->message_stamp(message, 1, NULL) == GxeResultCode_ARGUMENT_NULL);
  CHECK(host->message_from_id(context, host->message_id(message), NULL) ==
        GxeResultCode_ARGUMENT_NULL);
  CHECK(host->message_count(message) == 1 && host->message_reference_count(message) == 1);
  host->message_release(message);
}

int main(void) {
  use_parts();
  gxf_context_t context = new_context_with_parts();
  const gxf_tid_t null = GxfTidNull();
  gxf_tid_t point = tid_of(context, "test::Point");
  gxf_tid_t timestamp = tid_of(context, "nvidia::gxf::Timestamp");
  gxf_tid_t ticker = tid_of(context, "test::Ticker");
  ask_for_nothing(context, point);

  /* A message has no name and no flags. */
  void* item = NULL;
  gxf_uid_t message = 0;
  GxfEntityCreateInfo info = {NULL, 0};
  OK(GxfCreateEntityAndGetItem(context, &info, &message, &item));
  OK(GxfEntityRefCountInc(context, message));
  const char* text = NULL;
  OK(GxfEntityGetName(context, message, &text));
  CHECK_TEXT("", text);

  gxf_uid_t one = 0, two = 0;
  void* pointer = NULL;
  OK(GxfComponentAddAndGetPtr(context, item, point, "one", &one, &pointer));
  CHECK(points == 1 && ((Point*)pointer)->x == 1);
  ((Point*)pointer)->x = 10;
  OK(GxfComponentAdd(context, message, timestamp, "timestamp", &two));
  CHECK(one != two && one != message);
  EXPECT(GXF_FACTORY_UNKNOWN_TID, GxfComponentAdd(context, message, null, "x", NULL));

  /* Its payloads are found like components. */
  gxf_uid_t found = 0;
  int32_t offset = 0;
  OK(GxfComponentFind(context, message, null, NULL, &offset, &found));
  CHECK(found == one && offset == 0);
  offset = 1;
  OK(GxfComponentFind(context, message, null, NULL, &offset, &found));
  CHECK(found == two && offset == 1);
  OK(GxfComponentFindAndGetPtr(context, message, NULL, point, "one", NULL, &found, &pointer));
  CHECK(found == one && ((Point*)pointer)->x == 10);
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,
         GxfComponentFind(context, message, point, "two", NULL, &found));
  OK(GxfComponentName(context, one, &text));
  CHECK_TEXT("one", text);
  OK(GxfComponentTypeNameFromUID(context, one, &text));
  CHECK_TEXT("test::Point", text);
  OK(GxfComponentEntity(context, two, &found));
  CHECK(found == message);
  OK(GxfComponentPointer(context, one, null, &pointer));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfComponentPointer(context, one, timestamp, &pointer));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfComponentPointer(context, message, point, &pointer));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfComponentPointer(context, one + 5, null, &pointer));
  gxf_uid_t all[2];
  uint64_t count = 1;
  EXPECT(GXF_RESULT_ARRAY_TOO_SMALL, GxfComponentFindAll(context, message, &count, all));
  OK(GxfComponentFindAll(context, message, &count, all));
  CHECK(count == 2 && all[0] == one && all[1] == two);
  int64_t number = 0;
  EXPECT(GXF_QUERY_NOT_APPLICABLE, GxfParameterGetInt64(context, one, "x", &number));
  EXPECT(GXF_QUERY_NOT_APPLICABLE, GxfParameterSetInt64(context, one, "x", 1));
  /* Its name is a parameter all the same, and can be changed. */
  OK(GxfParameterSetStr(context, two, kInternalNameParameterKey, "a longer name for the time"));
  OK(GxfParameterGetStr(context, two, kInternalNameParameterKey, &text));
  CHECK_TEXT("a longer name for the time", text);
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,
         GxfComponentFind(context, message, timestamp, "timestamp", NULL, &found));
  OK(GxfComponentFind(context, message, timestamp, "a longer name for the time", NULL, &found));
  CHECK(found == two);
  OK(GxfEntityRefCountInc(context, message));
  EXPECT(GXF_CONTRACT_INVALID_SEQUENCE,
         GxfParameterSetStr(context, two, kInternalNameParameterKey, "timestamp"));
  OK(GxfEntityRefCountDec(context, message));
  OK(GxfComponentRemove(context, message, timestamp, NULL));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfComponentType(context, two, &point));
  OK(GxfEntityActivate(context, message));
  OK(GxfEntityDeactivate(context, message));

  /* The last user destroys the payloads; the ids lead nowhere then. */
  int64_t users = 0;
  OK(GxfEntityGetRefCount(context, message, &users));
  CHECK(users == 1);
  EXPECT(GXF_ARGUMENT_INVALID, GxfEntityDestroy(context, message));
  OK(GxfEntityRefCountDec(context, message));
  CHECK(points == 0);
  bool valid = true;
  OK(GxfEntityIsValid(context, message, &valid));
  CHECK(!valid);
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityRefCountDec(context, message));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfComponentAdd(context, message, point, "x", NULL));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfComponentPointer(context, one, null, &pointer));
  EXPECT(GXF_ENTITY_NOT_FOUND,
         GxfComponentAddAndGetPtr(context, item, point, "x", NULL, &pointer));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityGetRefCount(context, NO_MESSAGE, &users));

  /* A text stays where it is, whatever comes and goes meanwhile. */
  message = new_entity(context, NULL, 0);
  OK(GxfComponentAdd(context, message, point, "a payload with a name", &one));
  const char* kept = NULL;
  OK(GxfComponentName(context, one, &kept));
  for (int i = 0; i < 2000; i++) {
    char name[32];
    snprintf(name, sizeof name, "passing_%d", i);
    gxf_uid_t passing = new_entity(context, name, 0);
    OK(GxfEntityGetName(context, passing, &text));
    CHECK_TEXT(name, text);
    OK(GxfEntityDestroy(context, passing));
  }
  CHECK_TEXT("a payload with a name", kept);
  OK(GxfComponentName(context, one, &text));
  CHECK(text == kept);
  OK(GxfEntityDestroy(context, message));

  /* One without users can be destroyed. */
  message = new_entity(context, NULL, 0);
  EXPECT(GXF_REF_COUNT_NEGATIVE, GxfEntityRefCountDec(context, message));
  OK(GxfComponentAdd(context, message, point, "p", NULL));
  OK(GxfEntityDestroy(context, message));
  CHECK(points == 0);

  /* A message that gets a component is an entity of the graph from then on. */
  message = new_entity(context, NULL, 0);
  OK(GxfEntityRefCountInc(context, message));
  gxf_uid_t codelet = 0;
  OK(GxfComponentAdd(context, message, ticker, "codelet", &codelet));
  OK(GxfComponentAdd(context, message, point, "data", &one));
  OK(GxfComponentFind(context, message, ticker, NULL, NULL, &found));
  CHECK(found == codelet);
  OK(GxfComponentFind(context, message, null, "data", NULL, &found));
  CHECK(found == one);
  count = 2;
  OK(GxfComponentFindAll(context, message, &count, all));
  CHECK(count == 2 && all[0] == codelet && all[1] == one);
  OK(GxfEntityActivate(context, message));
  CHECK(initialized == 1);
  OK(GxfEntityGetRefCount(context, message, &users));
  CHECK(users == 1);
  OK(GxfEntityRefCountInc(context, message));
  OK(GxfEntityRefCountDec(context, message));
  CHECK(deinitialized == 0);
  OK(GxfEntityRefCountDec(context, message));
  CHECK(deinitialized == 1 && points == 0);
  OK(GxfEntityIsValid(context, message, &valid));
  CHECK(!valid);
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfComponentName(context, codelet, &text));

  /* And an entity that gets a payload is a message as well. */
  gxf_uid_t entity = new_entity(context, "entity", GXF_ENTITY_CREATE_PROGRAM_BIT);
  OK(GxfComponentAdd(context, entity, ticker, "codelet", &codelet));
  OK(GxfEntityGetItemPtr(context, entity, &item));
  OK(GxfComponentAddAndGetPtr(context, item, point, "data", &one, &pointer));
  offset = 0;
  OK(GxfComponentFindAndGetPtr(context, entity, NULL, point, NULL, &offset, &found, &pointer));
  CHECK(found == one && points == 1);
  OK(GxfEntityDestroy(context, entity));
  CHECK(points == 0);

  /* What a context leaves behind is destroyed with it. */
  entity = new_entity(context, "left", 0);
  OK(GxfComponentAdd(context, entity, point, "data", NULL));
  CHECK(points == 1);
  OK(GxfContextDestroy(context));
  CHECK(points == 0);
  return done();
}
