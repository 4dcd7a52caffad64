/* Components: added, found, exported, removed. */
#include "parts.h"

int main(void) {
  use_parts();
  gxf_context_t context = new_context_with_parts();
  gxf_uid_t eid = new_entity(context, "entity", GXF_ENTITY_CREATE_PROGRAM_BIT);
  const gxf_tid_t null = GxfTidNull();

  /* Types. */
  gxf_tid_t clock, manual, codelet, ticker, values;
  OK(GxfComponentTypeId(context, "nvidia::gxf::Clock", &clock));
  OK(GxfComponentTypeId(context, "nvidia::gxf::ManualClock", &manual));
  OK(GxfComponentTypeId(context, "nvidia::gxf::Codelet", &codelet));
  OK(GxfComponentTypeId(context, "test::Ticker", &ticker));
  OK(GxfComponentTypeId(context, "test::Values", &values));
  CHECK(manual.hash1 == 0x52fa1f97eba8472a && manual.hash2 == 0xa8ca4cff1a2c440f);
  EXPECT(GXF_FACTORY_UNKNOWN_CLASS_NAME, GxfComponentTypeId(context, "no::Type", &clock));
  EXPECT(GXF_ARGUMENT_NULL, GxfComponentTypeId(context, NULL, &clock));
  EXPECT(GXF_ARGUMENT_NULL, GxfComponentTypeId(context, "test::Ticker", NULL));
  const char* text = NULL;
  OK(GxfComponentTypeName(context, manual, &text));
  CHECK_TEXT("nvidia::gxf::ManualClock", text);
  EXPECT(GXF_FACTORY_UNKNOWN_TID, GxfComponentTypeName(context, null, &text));
  EXPECT(GXF_ARGUMENT_NULL, GxfComponentTypeName(context, manual, NULL));
  bool base = false;
  OK(GxfComponentIsBase(context, manual, clock, &base));
  CHECK(base);
  OK(GxfComponentIsBase(context, manual, manual, &base));
  CHECK(base);
  OK(GxfComponentIsBase(context, clock, manual, &base));
  CHECK(!base);
  EXPECT(GXF_FACTORY_UNKNOWN_TID, GxfComponentIsBase(context, null, clock, &base));
  EXPECT(GXF_FACTORY_UNKNOWN_TID, GxfComponentIsBase(context, clock, null, &base));
  EXPECT(GXF_ARGUMENT_NULL, GxfComponentIsBase(context, manual, clock, NULL));

  /* Added. */
  gxf_uid_t first = 0, second = 0, third = 0;
  OK(GxfComponentAdd(context, eid, manual, "first", &first));
  OK(GxfComponentAdd(context, eid, ticker, NULL, &second));
  OK(GxfComponentAdd(context, eid, manual, "third", &third));
  OK(GxfComponentAdd(context, eid, values, "values", NULL));
  CHECK(first != second && second != third && first != 0);
  gxf_uid_t none = 0;
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfComponentAdd(context, NOBODY, manual, "x", &none));
  EXPECT(GXF_FACTORY_UNKNOWN_TID, GxfComponentAdd(context, eid, null, "x", &none));
  EXPECT(GXF_FACTORY_ABSTRACT_CLASS, GxfComponentAdd(context, eid, clock, "x", &none));
  EXPECT(GXF_ARGUMENT_INVALID, GxfComponentAdd(context, eid, manual, "\xff", &none));
  char name[kMaxComponentNameSize + 1];
  memset(name, 'c', kMaxComponentNameSize);
  name[kMaxComponentNameSize] = '\0';
  EXPECT(GXF_ENTITY_COMPONENT_NAME_EXCEEDS_LIMIT,
         GxfComponentAdd(context, eid, manual, name, &none));
  CHECK(none == 0);

  /* What they are. */
  gxf_tid_t tid;
  OK(GxfComponentType(context, first, &tid));
  CHECK(tid.hash1 == manual.hash1 && tid.hash2 == manual.hash2);
  OK(GxfComponentTypeNameFromUID(context, second, &text));
  CHECK_TEXT("test::Ticker", text);
  OK(GxfComponentName(context, first, &text));
  CHECK_TEXT("first", text);
  OK(GxfComponentName(context, second, &text));
  CHECK_TEXT("", text);
  OK(GxfComponentEntity(context, third, &none));
  CHECK(none == eid);
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfComponentType(context, NOBODY, &tid));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfComponentType(context, eid, &tid));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfComponentTypeNameFromUID(context, NOBODY, &text));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfComponentName(context, NOBODY, &text));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfComponentEntity(context, NOBODY, &none));
  EXPECT(GXF_ARGUMENT_NULL, GxfComponentType(context, first, NULL));
  EXPECT(GXF_ARGUMENT_NULL, GxfComponentTypeNameFromUID(context, first, NULL));
  EXPECT(GXF_ARGUMENT_NULL, GxfComponentName(context, first, NULL));
  EXPECT(GXF_ARGUMENT_NULL, GxfComponentEntity(context, first, NULL));

  /* Variables, whose memory may be the program's. */
  gxf_uid_t variable = 0;
  gxf_tid_t kept;
  OK(GxfComponentTypeId(context, "gxe::Variable", &kept));
  gxf_uid_t keeper = new_entity(context, "keeper", GXF_ENTITY_CREATE_PROGRAM_BIT);
  OK(GxfComponentAdd(context, keeper, kept, "variable", &variable));
  OK(GxfParameterSetUInt64(context, variable, "size", 8));
  uint8_t memory[8] = {1, 2, 3, 4, 5, 6, 7, 8}, value[8] = {0};
  EXPECT(GXF_INVALID_LIFECYCLE_STAGE, GxfVariableRead(context, variable, value, 8));
  EXPECT(GXF_ARGUMENT_INVALID, GxfVariableBind(context, variable, memory, 7));
  EXPECT(GXF_ARGUMENT_NULL, GxfVariableBind(context, variable, NULL, 8));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfVariableBind(context, first, memory, 8));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfVariableRead(context, NOBODY, value, 8));
  OK(GxfVariableBind(context, variable, memory, 8));
  memory[7] = 9;
  OK(GxfVariableRead(context, variable, value, 8));
  CHECK(memcmp(memory, value, 8) == 0);
  EXPECT(GXF_ARGUMENT_INVALID, GxfVariableRead(context, variable, value, 7));
  EXPECT(GXF_ARGUMENT_NULL, GxfVariableRead(context, variable, NULL, 8));

  /* Found by type, name and position. */
  gxf_uid_t found = 0;
  int32_t offset = 0;
  OK(GxfComponentFind(context, eid, clock, NULL, &offset, &found));
  CHECK(found == first && offset == 0);
  offset++;
  OK(GxfComponentFind(context, eid, clock, NULL, &offset, &found));
  CHECK(found == third && offset == 2);
  offset++;
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,
         GxfComponentFind(context, eid, clock, NULL, &offset, &found));
  OK(GxfComponentFind(context, eid, null, "third", NULL, &found));
  CHECK(found == third);
  OK(GxfComponentFind(context, eid, codelet, NULL, NULL, NULL));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND,
         GxfComponentFind(context, eid, codelet, "third", NULL, &found));
  offset = -1;
  EXPECT(GXF_ARGUMENT_OUT_OF_RANGE, GxfComponentFind(context, eid, null, NULL, &offset, &found));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfComponentFind(context, NOBODY, null, NULL, NULL, &found));

  uint64_t count = 3;
  gxf_uid_t all[4] = {0};
  EXPECT(GXF_RESULT_ARRAY_TOO_SMALL, GxfComponentFindAll(context, eid, &count, all));
  CHECK(count == 4);
  OK(GxfComponentFindAll(context, eid, &count, all));
  CHECK(all[0] == first && all[1] == second && all[2] == third);
  EXPECT(GXF_ARGUMENT_NULL, GxfComponentFindAll(context, eid, NULL, all));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfComponentFindAll(context, NOBODY, &count, all));

  /* Addresses. */
  void* pointer = NULL;
  void* same = NULL;
  OK(GxfComponentPointer(context, first, clock, &pointer));
  OK(GxfComponentPointer(context, first, null, &same));
  CHECK(pointer != NULL && pointer == same);
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfComponentPointer(context, first, codelet, &pointer));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfComponentPointer(context, NOBODY, null, &pointer));
  EXPECT(GXF_ARGUMENT_NULL, GxfComponentPointer(context, first, clock, NULL));

  /* By a pointer that stands for the entity. */
  void* item = NULL;
  OK(GxfEntityGetItemPtr(context, eid, &item));
  OK(GxfComponentFindAndGetPtr(context, kNullUid, item, clock, "third", NULL, &found, &pointer));
  CHECK(found == third && pointer != NULL && pointer != same);
  OK(GxfComponentFindAndGetPtr(context, eid, NULL, clock, NULL, NULL, NULL, &pointer));
  CHECK(pointer == same);
  EXPECT(GXF_ARGUMENT_NULL,
         GxfComponentFindAndGetPtr(context, eid, NULL, clock, NULL, NULL, &found, NULL));
  gxf_uid_t fifth = 0;
  OK(GxfComponentAddAndGetPtr(context, item, ticker, "fifth", &fifth, &pointer));
  OK(GxfComponentPointer(context, fifth, ticker, &same));
  CHECK(pointer == same);
  EXPECT(GXF_ARGUMENT_NULL,
         GxfComponentAddAndGetPtr(context, NULL, ticker, "x", &fifth, &pointer));
  EXPECT(GXF_ARGUMENT_NULL, GxfComponentAddAndGetPtr(context, item, ticker, "x", &none, NULL));
  int something = 0;
  EXPECT(GXF_ENTITY_NOT_FOUND,
         GxfComponentAddAndGetPtr(context, &something, ticker, "x", &none, &pointer));

  /* Exported to another entity; the type does not matter there, as in GXF. */
  gxf_uid_t outer = new_entity(context, "outer", GXF_ENTITY_CREATE_PROGRAM_BIT);
  OK(GxfComponentAddToInterface(context, outer, first, "alias"));
  OK(GxfComponentFind(context, outer, clock, "alias", NULL, &found));
  CHECK(found == first);
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfComponentAddToInterface(context, NOBODY, first, "x"));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfComponentAddToInterface(context, outer, NOBODY, "x"));
  EXPECT(GXF_ARGUMENT_NULL, GxfComponentAddToInterface(context, outer, first, NULL));

  /* Removed. */
  OK(GxfComponentRemoveWithUID(context, fifth));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfComponentRemoveWithUID(context, fifth));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfComponentName(context, fifth, &text));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfComponentRemove(context, eid, manual, "none"));
  OK(GxfComponentRemove(context, eid, manual, "third"));
  EXPECT(GXF_ENTITY_COMPONENT_NOT_FOUND, GxfComponentType(context, third, &tid));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfComponentRemove(context, NOBODY, manual, NULL));
  count = 4;
  OK(GxfComponentFindAll(context, eid, &count, all));
  CHECK(count == 3);

  /* An active entity keeps its components and gets no more. */
  OK(GxfEntityActivate(context, eid));
  EXPECT(GXF_ENTITY_CAN_NOT_ADD_COMPONENT_AFTER_INITIALIZATION,
         GxfComponentAdd(context, eid, manual, "late", &none));
  EXPECT(GXF_ENTITY_CAN_NOT_REMOVE_COMPONENT_AFTER_INITIALIZATION,
         GxfComponentRemoveWithUID(context, first));
  EXPECT(GXF_ENTITY_CAN_NOT_REMOVE_COMPONENT_AFTER_INITIALIZATION,
         GxfComponentRemove(context, eid, manual, NULL));
  OK(GxfEntityDeactivate(context, eid));
  OK(GxfComponentRemove(context, eid, manual, NULL));

  OK(GxfContextDestroy(context));
  return done();
}
