/* A program in C that runs a graph: embed manifest.yaml app.yaml */
#include "gxf/core/gxf.h"

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  const char *manifest = argv[1], *app = argv[2];
  gxf_context_t context;
  GxfContextCreate(&context);
  gxf_result_t code = GxfLoadExtensionManifest(context, manifest);
  if (code == GXF_SUCCESS) code = GxfGraphLoadFile(context, app, NULL, 0);
  if (code == GXF_SUCCESS) code = GxfGraphActivate(context);
  if (code == GXF_SUCCESS) code = GxfGraphRun(context);
  printf("%s\n", GxfResultStr(code));
  GxfContextDestroy(context);
  return (int)code;
}
