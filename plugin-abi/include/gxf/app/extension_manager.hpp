/// Loads extension libraries for a program.
#ifndef NVIDIA_GXF_APP_EXTENSION_MANAGER_HPP_
#define NVIDIA_GXF_APP_EXTENSION_MANAGER_HPP_

#include <string>

#include "gxf/app/graph_entity.hpp"
#include "gxf/core/gxf.h"

namespace nvidia {
namespace gxf {

/// Loads extensions into a context. Those that it has already are skipped.
class ExtensionManager {
 public:
  explicit ExtensionManager(gxf_context_t context = kNullContext) : context_(context) {}

  /// Loads one library.
  Expected<void> load(const char* filename) {
    GxfLoadExtensionsInfo info{};
    info.extension_filenames = &filename;
    info.extension_filenames_count = 1;
    return Load(filename, info);
  }
  /// Loads the libraries that a manifest lists, each from the folder of the program's manifest, the
  /// working folder or the library path.
  Expected<void> loadManifest(const char* filename) {
    GxfLoadExtensionsInfo info{};
    info.manifest_filenames = &filename;
    info.manifest_filenames_count = 1;
    return Load(filename, info);
  }
  /// Does nothing: a library that was loaded stays until the process ends, because objects that it
  /// made may still be in use.
  Expected<void> unloadAll() { return Success; }

 private:
  Expected<void> Load(const char* filename, const GxfLoadExtensionsInfo& info) {
    if (filename == nullptr) { return Unexpected{GXF_ARGUMENT_NULL}; }
    const gxf_result_t code = GxfLoadExtensions(context_, &info);
    if (code == GXF_SUCCESS) { return Success; }
    return detail::Failed(code, "cannot load `" + std::string{filename} + "`");
  }

  gxf_context_t context_;
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_APP_EXTENSION_MANAGER_HPP_
