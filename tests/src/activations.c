/* Activates, runs and deactivates a graph many times in one context: activations MANIFEST APP COUNT.
 * Prints the descriptors and the resident memory, in KiB, after the first tenth and at the end. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gxf/core/gxf.h"
#include "gxf/core/gxf_ext.h"

static void check(gxf_result_t code, const char* what, int round) {
  if (code == GXF_SUCCESS) { return; }
  fprintf(stderr, "%s in round %d: %s\n", what, round, GxfResultStr(code));
  exit(1);
}

static int descriptors(void) {
  int count = 0;
  DIR* const folder = opendir("/proc/self/fd");
  while (folder != NULL && readdir(folder) != NULL) { count++; }
  if (folder != NULL) { closedir(folder); }
  return count;
}

static long resident(void) {
  long pages = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1) { exit(1); }
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char** argv) {
  if (argc != 4) { return 2; }
  gxf_context_t context = NULL;
  check(GxfContextCreate(&context), "GxfContextCreate", 0);
  const char* const manifests[] = {argv[1]};
  GxfLoadExtensionsInfo info;
  memset(&info, 0, sizeof info);
  info.manifest_filenames = manifests;
  info.manifest_filenames_count = 1;
  check(GxfLoadExtensions(context, &info), "GxfLoadExtensions", 0);
  check(GxfGraphLoadFile(context, argv[2], NULL, 0), "GxfGraphLoadFile", 0);
  const int count = atoi(argv[3]);
  for (int round = 1; round <= count; round++) {
    check(GxfGraphActivate(context), "GxfGraphActivate", round);
    check(GxfGraphRun(context), "GxfGraphRun", round);
    check(GxfGraphDeactivate(context), "GxfGraphDeactivate", round);
    if (round == count / 10 || round == count) {
      printf("RESULT %d %ld\n", descriptors(), resident());
    }
  }
  check(GxfContextDestroy(context), "GxfContextDestroy", count);
  return 0;
}
