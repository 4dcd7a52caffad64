/*
 * The part of the C API that GXF keeps in a header of its own: loading, creating with options,
 * groups, the log. What stands at the head of gxf.h holds here as well.
 */
#ifndef NVIDIA_GXF_CORE_GXF_EXT_H_
#define NVIDIA_GXF_CORE_GXF_EXT_H_

#include "gxf/core/gxf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Extensions -------------------------------------------------------------------------- */

/* What GxfLoadExtensions loads: first the libraries, then what the manifests list. */
typedef struct {
  /* Paths of extension libraries. */
  const char* const* extension_filenames;
  uint32_t extension_filenames_count;
  /* Paths of manifests. */
  const char* const* manifest_filenames;
  uint32_t manifest_filenames_count;
  /* Folder that libraries are looked for in first; null for none. */
  const char* base_directory;
} GxfLoadExtensionsInfo;

/* Loads extensions. One that is loaded already is left as it is.
   GXF_EXTENSION_FILE_NOT_FOUND, GXF_EXTENSION_NO_FACTORY, GXF_FACTORY_INCOMPATIBLE,
   GXF_FACTORY_DUPLICATE_TID, GXF_FACTORY_INVALID_INFO; GXF_FILE_NOT_FOUND, GXF_FAILURE and
   GXF_INVALID_DATA_FORMAT for a manifest. */
gxf_result_t GxfLoadExtensions(gxf_context_t context, const GxfLoadExtensionsInfo* info);
/* Registers the types that metadata files describe, as GxfRegisterComponent does. Such a file is a
   YAML map whose key `components` lists entries with `typename`, `type_id` and `base_typename`.
   GXF_FILE_NOT_FOUND: a file is missing. GXF_FAILURE: an entry is incomplete. */
gxf_result_t GxfLoadExtensionMetadataFiles(gxf_context_t context, const char* const* filenames,
                                           uint32_t count);

/* ---- Entities ---------------------------------------------------------------------------- */

/* A set of GxfEntityCreateFlagBits. */
typedef uint32_t GxfFlags;
typedef GxfFlags GxfEntityCreateFlags;

typedef enum {
  /* The entity belongs to the graph and is activated and deactivated with it. */
  GXF_ENTITY_CREATE_PROGRAM_BIT = 1
} GxfEntityCreateFlagBits;

typedef struct {
  /* Null or empty for none. */
  const char* entity_name;
  GxfEntityCreateFlags flags;
} GxfEntityCreateInfo;

/* Creates an entity, which belongs to the context. Without name and flags it is a message: payloads
   make it one that can be published, components an entity like any other. Its reference count is 0;
   it lasts until GxfEntityDestroy, or until GxfEntityRefCountDec took the last user away.
   GXF_ARGUMENT_INVALID: the name is in use or begins with two underscores.
   GXF_ENTITY_NAME_EXCEEDS_LIMIT. */
gxf_result_t GxfCreateEntity(gxf_context_t context, const GxfEntityCreateInfo* info,
                             gxf_uid_t* eid);
/* GxfCreateEntity and GxfEntityGetItemPtr. */
gxf_result_t GxfCreateEntityAndGetItem(gxf_context_t context, const GxfEntityCreateInfo* info,
                                       gxf_uid_t* eid, void** item_ptr);
/* Whether there is an entity or a message with this id. */
gxf_result_t GxfEntityIsValid(gxf_context_t context, gxf_uid_t eid, bool* valid);

/* ---- Groups and resources ---------------------------------------------------------------- */

/* Creates a group without members; it lasts as long as the context. GXF_ARGUMENT_INVALID: the name
   is in use. */
gxf_result_t GxfCreateEntityGroup(gxf_context_t context, const char* name, gxf_uid_t* gid);
/* Moves an entity to a group. GXF_ENTITY_GROUP_NOT_FOUND; GXF_FAILURE: it is in that group. */
gxf_result_t GxfUpdateEntityGroup(gxf_context_t context, gxf_uid_t gid, gxf_uid_t eid);
/* All resources of the group of an entity. GXF_RESULT_ARRAY_TOO_SMALL. */
gxf_result_t GxfEntityGroupFindResources(gxf_context_t context, gxf_uid_t eid,
                                         uint64_t* num_resource_cids, gxf_uid_t* resource_cids);
/* Group of an entity. */
gxf_result_t GxfEntityGroupId(gxf_context_t context, gxf_uid_t eid, gxf_uid_t* gid);
/* Name of the group of an entity. */
gxf_result_t GxfEntityGroupName(gxf_context_t context, gxf_uid_t eid, const char** name);
/* The first resource of exactly this type in the group of an entity; `resource_key` is its name,
   null or empty for any. GXF_RESOURCE_NOT_FOUND, GXF_FACTORY_UNKNOWN_CLASS_NAME. */
gxf_result_t GxfEntityResourceGetHandle(gxf_context_t context, gxf_uid_t eid, const char* type,
                                        const char* resource_key, gxf_uid_t* resource_cid);

/* ---- The log ----------------------------------------------------------------------------- */

/* Sets how much is logged in this process, whatever the context: here and below, any pointer but
   null will do. At first it is what the environment variable GXF_LOG_LEVEL names, else
   GXF_SEVERITY_INFO. GXF_INVALID_ENUM; GXF_NOT_IMPLEMENTED: the program writes its log itself and
   does not let it be changed. */
gxf_result_t GxfSetSeverity(gxf_context_t context, gxf_severity_t severity);
/* How much is logged. */
gxf_result_t GxfGetSeverity(gxf_context_t context, gxf_severity_t* severity);
/* Sends the log of this process to a file that stays open until it is sent elsewhere; null for
   standard output, with errors on standard error. GXF_NOT_IMPLEMENTED as above. */
gxf_result_t GxfRedirectLog(gxf_context_t context, FILE* fp);

/* ---- Functions of older versions of GXF -------------------------------------------------- */

/* GxfCreateEntity for an entity of the program without a name. Of GXF before 4.1. */
GXF_INLINE gxf_result_t GxfEntityCreate(gxf_context_t context, gxf_uid_t* eid) {
  GxfEntityCreateInfo info;
  info.entity_name = NULL;
  info.flags = GXF_ENTITY_CREATE_PROGRAM_BIT;
  return GxfCreateEntity(context, &info, eid);
}

/* GxfLoadExtensions for one library. Of GXF before 4.1. */
GXF_INLINE gxf_result_t GxfLoadExtension(gxf_context_t context, const char* filename) {
  GxfLoadExtensionsInfo info;
  info.extension_filenames = &filename;
  info.extension_filenames_count = 1;
  info.manifest_filenames = NULL;
  info.manifest_filenames_count = 0;
  info.base_directory = NULL;
  return GxfLoadExtensions(context, &info);
}

/* GxfLoadExtensions for one manifest. Of GXF before 4.1. */
GXF_INLINE gxf_result_t GxfLoadExtensionManifest(gxf_context_t context,
                                                 const char* manifest_filename) {
  GxfLoadExtensionsInfo info;
  info.extension_filenames = NULL;
  info.extension_filenames_count = 0;
  info.manifest_filenames = &manifest_filename;
  info.manifest_filenames_count = 1;
  info.base_directory = NULL;
  return GxfLoadExtensions(context, &info);
}

#ifdef __cplusplus
}  /* extern "C" */
#endif

#endif  /* NVIDIA_GXF_CORE_GXF_EXT_H_ */
