/*
 * The part of the C API that GXF has in a separate header: loading, creation with options, groups,
 * the log. The rules at the top of gxf.h apply here too.
 */
#ifndef NVIDIA_GXF_CORE_GXF_EXT_H_
#define NVIDIA_GXF_CORE_GXF_EXT_H_

#include "gxf/core/gxf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Extensions -------------------------------------------------------------------------- */

/* Argument of GxfLoadExtensions: first the libraries, then the manifests. */
typedef struct {
  /* Paths of extension libraries. */
  const char* const* extension_filenames;
  uint32_t extension_filenames_count;
  /* Paths of manifests. */
  const char* const* manifest_filenames;
  uint32_t manifest_filenames_count;
  /* Folder to search for libraries first; null for none. */
  const char* base_directory;
} GxfLoadExtensionsInfo;

/* Loads extensions. Skips those that are already loaded.
   GXF_EXTENSION_FILE_NOT_FOUND, GXF_EXTENSION_NO_FACTORY, GXF_FACTORY_INCOMPATIBLE,
   GXF_FACTORY_DUPLICATE_TID, GXF_FACTORY_INVALID_INFO; GXF_FILE_NOT_FOUND, GXF_FAILURE and
   GXF_INVALID_DATA_FORMAT for a manifest. */
GXF_API gxf_result_t GxfLoadExtensions(gxf_context_t context, const GxfLoadExtensionsInfo* info);
/* Registers the types in metadata files, like GxfRegisterComponent. Such a file is a
   YAML map whose key `components` lists entries with `typename`, `type_id` and `base_typename`.
   GXF_FILE_NOT_FOUND: a file is missing. GXF_FAILURE: an entry is incomplete. */
GXF_API gxf_result_t GxfLoadExtensionMetadataFiles(gxf_context_t context,
                                                   const char* const* filenames, uint32_t count);

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

/* Creates an entity, which the context owns. Without a name and flags it is a message: payloads
   make it one that can be published, components make it an ordinary entity. Its reference count is
   0; it lives until GxfEntityDestroy, or until GxfEntityRefCountDec removes the last user.
   GXF_ARGUMENT_INVALID: the name is in use or starts with two underscores.
   GXF_ENTITY_NAME_EXCEEDS_LIMIT. */
GXF_API gxf_result_t GxfCreateEntity(gxf_context_t context, const GxfEntityCreateInfo* info,
                                     gxf_uid_t* eid);
/* GxfCreateEntity and GxfEntityGetItemPtr. */
GXF_API gxf_result_t GxfCreateEntityAndGetItem(gxf_context_t context,
                                               const GxfEntityCreateInfo* info, gxf_uid_t* eid,
                                               void** item_ptr);
/* Whether an entity or a message with this id exists. */
GXF_API gxf_result_t GxfEntityIsValid(gxf_context_t context, gxf_uid_t eid, bool* valid);

/* ---- Groups and resources ---------------------------------------------------------------- */

/* Creates an empty group, which lives as long as the context. GXF_ARGUMENT_INVALID: the name
   is in use. */
GXF_API gxf_result_t GxfCreateEntityGroup(gxf_context_t context, const char* name, gxf_uid_t* gid);
/* Moves an entity to a group. GXF_ENTITY_GROUP_NOT_FOUND; GXF_FAILURE: it is already in that group.
   */
GXF_API gxf_result_t GxfUpdateEntityGroup(gxf_context_t context, gxf_uid_t gid, gxf_uid_t eid);
/* All resources of the group of an entity. GXF_RESULT_ARRAY_TOO_SMALL. */
GXF_API gxf_result_t GxfEntityGroupFindResources(gxf_context_t context, gxf_uid_t eid,
                                                 uint64_t* num_resource_cids,
                                                 gxf_uid_t* resource_cids);
/* Group of an entity. */
GXF_API gxf_result_t GxfEntityGroupId(gxf_context_t context, gxf_uid_t eid, gxf_uid_t* gid);
/* Name of the group of an entity. */
GXF_API gxf_result_t GxfEntityGroupName(gxf_context_t context, gxf_uid_t eid, const char** name);
/* The first resource of exactly this type in the group of an entity; `resource_key` is its name,
   null or empty for any. GXF_RESOURCE_NOT_FOUND, GXF_FACTORY_UNKNOWN_CLASS_NAME. */
GXF_API gxf_result_t GxfEntityResourceGetHandle(gxf_context_t context, gxf_uid_t eid,
                                                const char* type, const char* resource_key,
                                                gxf_uid_t* resource_cid);

/* ---- The log ----------------------------------------------------------------------------- */

/* Sets the severity of this process's log. The context does not matter: here and below, any pointer
   but null works. Initially it is the value of the environment variable GXF_LOG_LEVEL, or else
   GXF_SEVERITY_INFO. GXF_INVALID_ENUM; GXF_NOT_IMPLEMENTED: the program writes its log itself and
   does not let it be changed. */
GXF_API gxf_result_t GxfSetSeverity(gxf_context_t context, gxf_severity_t severity);
/* The current severity. */
GXF_API gxf_result_t GxfGetSeverity(gxf_context_t context, gxf_severity_t* severity);
/* Sends the log of this process to a file, which must stay open until the next call; null means
   standard output, with errors on standard error. GXF_NOT_IMPLEMENTED as above. */
GXF_API gxf_result_t GxfRedirectLog(gxf_context_t context, FILE* fp);

/* ---- Functions of older versions of GXF -------------------------------------------------- */

/* GxfCreateEntity for an entity of the program without a name. From GXF before 4.1. */
GXF_INLINE gxf_result_t GxfEntityCreate(gxf_context_t context, gxf_uid_t* eid) {
  GxfEntityCreateInfo info;
  info.entity_name = NULL;
  info.flags = GXF_ENTITY_CREATE_PROGRAM_BIT;
  return GxfCreateEntity(context, &info, eid);
}

/* GxfLoadExtensions for one library. From GXF before 4.1. */
GXF_INLINE gxf_result_t GxfLoadExtension(gxf_context_t context, const char* filename) {
  GxfLoadExtensionsInfo info;
  info.extension_filenames = &filename;
  info.extension_filenames_count = 1;
  info.manifest_filenames = NULL;
  info.manifest_filenames_count = 0;
  info.base_directory = NULL;
  return GxfLoadExtensions(context, &info);
}

/* GxfLoadExtensions for one manifest. From GXF before 4.1. */
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
