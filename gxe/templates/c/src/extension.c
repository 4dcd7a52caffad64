/* The types of this extension. gxe reads the list below from the library. */
#include "gxf/extension.h"

const GxeHostTable *gxe_host;

extern const GxeComponentType number_source;
extern const GxeComponentType number_sink;

static const GxeComponentType *const types[] = {
    &number_source,
    &number_sink,
};

static GxeResultCode create_factory(const GxeHostTable *table, GxeExtensionFactory *factory) {
  if (table == NULL || factory == NULL) {
    return GxeResultCode_ARGUMENT_NULL;
  }
  gxe_host = table;
  factory->types = types;
  factory->type_count = GXE_COUNT_OF(types);
  return GxeResultCode_SUCCESS;
}

/* The only symbol the library exports. The host reads it before it calls any code, and refuses a
 * library that was made for another version of the ABI. */
const GxeExtensionDescriptor GXF_EXT_FACTORY = {
    .magic = GXE_ABI_MAGIC,
    .size = sizeof(GxeExtensionDescriptor),
    .abi_major = GXE_ABI_MAJOR,
    .abi_minor = GXE_ABI_MINOR,
    .id = GXE_ID(@extension_id@),
    .name = "@Crate@Extension",
    .version = "0.1.0",
    .description = "Codelets that count and add up",
    .build_info = "C11",
    .create_factory = create_factory,
};
