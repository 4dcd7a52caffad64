/* A program in C that runs a graph. */
#include "gxf/core/gxf.h"

int main(int argc, char** argv) {
  gxf_context_t context;
  gxf_result_t code = GxfContextCreate(&context);
  if (code != GXF_SUCCESS || argc != 3) return 1;
  code = GxfLoadExtensionManifest(context, argv[1]);
  if (code == GXF_SUCCESS) code = GxfGraphLoadFile(context, argv[2], NULL, 0);
  if (code == GXF_SUCCESS) code = GxfGraphActivate(context);
  if (code == GXF_SUCCESS) code = GxfGraphRun(context);
  printf("%s\n", GxfResultStr(code));
  return GxfContextDestroy(context) == code ? (int)code : 1;
}
