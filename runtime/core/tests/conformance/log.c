/* The log: how much of it, and where to. Runs in a folder it may write to. */
#include <pthread.h>

#include "parts.h"

static int lines_with(const char* file_name, const char* text) {
  char line[1024];
  int found = 0;
  FILE* file = fopen(file_name, "r");
  CHECK(file != NULL);
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    found += strstr(line, text) != NULL ? 1 : 0;
  }
  if (file != NULL) {
    fclose(file);
  }
  return found;
}

static void* has_no_error_text(void* unused) {
  (void)unused;
  return GxfLatestErrorText()[0] == '\0' ? (void*)"" : NULL;
}

int main(void) {
  use_parts();
  gxf_context_t context = new_context_with_parts();
  gxf_severity_t severity = GXF_SEVERITY_NONE;
  OK(GxfGetSeverity(context, &severity));
  CHECK(severity == GXF_SEVERITY_INFO);
  EXPECT(GXF_ARGUMENT_NULL, GxfGetSeverity(context, NULL));
  EXPECT(GXF_INVALID_ENUM, GxfSetSeverity(context, (gxf_severity_t)6));
  EXPECT(GXF_INVALID_ENUM, GxfSetSeverity(context, (gxf_severity_t)-1));
  for (int level = GXF_SEVERITY_NONE; level <= GXF_SEVERITY_VERBOSE; level++) {
    OK(GxfSetSeverity(context, (gxf_severity_t)level));
    OK(GxfGetSeverity(context, &severity));
    CHECK((int)severity == level);
  }

  FILE* file = fopen("log.txt", "w");
  CHECK(file != NULL);
  OK(GxfRedirectLog(context, file));
  OK(GxfSetSeverity(context, GXF_SEVERITY_ERROR));
  EXPECT(GXF_FILE_NOT_FOUND, GxfGraphLoadFile(context, "missing_one.yaml", NULL, 0));
  CHECK(lines_with("log.txt", "ERROR") > 0);
  CHECK(lines_with("log.txt", "missing_one.yaml") > 0);
  OK(GxfSetSeverity(context, GXF_SEVERITY_NONE));
  EXPECT(GXF_FILE_NOT_FOUND, GxfGraphLoadFile(context, "missing_two.yaml", NULL, 0));
  CHECK(lines_with("log.txt", "missing_two.yaml") == 0);
  /* What a function refuses is explained at the level "debug". */
  gxf_uid_t eid;
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityFind(context, "nobody_one", &eid));
  CHECK(lines_with("log.txt", "nobody_one") == 0);
  OK(GxfSetSeverity(context, GXF_SEVERITY_DEBUG));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityFind(context, "nobody_two", &eid));
  CHECK(lines_with("log.txt", "nobody_two") == 1);
  OK(GxfRedirectLog(context, NULL));
  EXPECT(GXF_ENTITY_NOT_FOUND, GxfEntityFind(context, "nobody_three", &eid));
  CHECK(lines_with("log.txt", "nobody_three") == 0);
  fclose(file);

  /* Programs that show a dialog instead of a log ask for the text. A success does not change it. */
  CHECK(strstr(GxfLatestErrorText(), "nobody_three") != NULL);
  OK(GxfGetSeverity(context, &severity));
  const char* text = GxfLatestErrorText();
  CHECK(strstr(text, "nobody_three") != NULL);
  OK(GxfSetSeverity(context, GXF_SEVERITY_NONE));
  EXPECT(GXF_FACTORY_UNKNOWN_CLASS_NAME,
         GxfGraphParseString(context, "components:\n- type: nvidia::gxf::Nobody\n", NULL, 0));
  text = GxfLatestErrorText();
  CHECK(strstr(text, "nvidia::gxf::Nobody") != NULL && strstr(text, "<text>:2:9") != NULL);
  /* Each thread has its own. */
  pthread_t thread;
  void* is_empty = NULL;
  CHECK(pthread_create(&thread, NULL, has_no_error_text, NULL) == 0);
  CHECK(pthread_join(thread, &is_empty) == 0 && is_empty != NULL);
  OK(GxfContextDestroy(context));
  return done();
}
