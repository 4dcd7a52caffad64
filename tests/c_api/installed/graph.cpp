#include "graph.hpp"

gxf_uid_t NewEntity(gxf_context_t context, const char* name) {
  gxf_uid_t eid = kNullUid;
  const GxfEntityCreateInfo info = {name, GXF_ENTITY_CREATE_PROGRAM_BIT};
  return GxfCreateEntity(context, &info, &eid) == GXF_SUCCESS ? eid : kNullUid;
}

gxf_uid_t NewComponent(gxf_context_t context, gxf_uid_t eid, const char* type, const char* name) {
  gxf_tid_t tid;
  gxf_uid_t cid = kNullUid;
  if (GxfComponentTypeId(context, type, &tid) != GXF_SUCCESS) { return kNullUid; }
  return GxfComponentAdd(context, eid, tid, name, &cid) == GXF_SUCCESS ? cid : kNullUid;
}
