/* Lists and lists of lists of every element type. */
#include "parts.h"

static gxf_context_t context;
static gxf_uid_t cid;

#define CASES(NAME, TYPE, ONE, TWO)                                                             \
  do {                                                                                          \
    TYPE in[] = {1, 2, 3}, out[3] = {0}, low[2] = {4, 5}, high[2] = {6, 7};                     \
    TYPE *rows[] = {low, high}, row0[2] = {0}, row1[2] = {0}, *places[] = {row0, row1};         \
    uint64_t length = 9, height = 9, width = 9;                                                 \
    EXPECT(GXF_PARAMETER_NOT_INITIALIZED,                                                       \
           GxfParameterGet1D##NAME##VectorInfo(context, cid, ONE, &length));                    \
    OK(GxfParameterSet1D##NAME##Vector(context, cid, ONE, in, 3));                              \
    OK(GxfParameterGet1D##NAME##VectorInfo(context, cid, ONE, &length));                        \
    CHECK(length == 3);                                                                         \
    length = 2;                                                                                 \
    EXPECT(GXF_QUERY_NOT_ENOUGH_CAPACITY,                                                       \
           GxfParameterGet1D##NAME##Vector(context, cid, ONE, out, &length));                   \
    CHECK(length == 3 && out[0] == 0);                                                          \
    EXPECT(GXF_ARGUMENT_NULL,                                                                   \
           GxfParameterGet1D##NAME##Vector(context, cid, ONE, NULL, &length));                  \
    OK(GxfParameterGet1D##NAME##Vector(context, cid, ONE, out, &length));                       \
    CHECK(out[0] == 1 && out[2] == 3);                                                          \
    EXPECT(GXF_ARGUMENT_NULL, GxfParameterSet1D##NAME##Vector(context, cid, ONE, NULL, 1));     \
    EXPECT(GXF_ARGUMENT_OUT_OF_RANGE,                                                           \
           GxfParameterSet1D##NAME##Vector(context, cid, ONE, in, UINT64_MAX));                 \
    EXPECT(GXF_ARGUMENT_NULL,                                                                   \
           GxfParameterGet1D##NAME##VectorInfo(context, cid, ONE, NULL));                       \
    EXPECT(GXF_ARGUMENT_NULL,                                                                   \
           GxfParameterGet1D##NAME##Vector(context, cid, ONE, out, NULL));                      \
    EXPECT(GXF_PARAMETER_NOT_FOUND,                                                             \
           GxfParameterGet1D##NAME##VectorInfo(context, cid, "nobody", &length));               \
    EXPECT(GXF_PARAMETER_INVALID_TYPE,                                                          \
           GxfParameterGet1D##NAME##VectorInfo(context, cid, "strings", &length));              \
    OK(GxfParameterSet1D##NAME##Vector(context, cid, ONE, NULL, 0));                            \
    OK(GxfParameterGet1D##NAME##Vector(context, cid, ONE, NULL, &length));                      \
    CHECK(length == 0);                                                                         \
    OK(GxfParameterSet2D##NAME##Vector(context, cid, TWO, rows, 2, 2));                         \
    OK(GxfParameterGet2D##NAME##VectorInfo(context, cid, TWO, &height, &width));                \
    CHECK(height == 2 && width == 2);                                                           \
    width = 1;                                                                                  \
    EXPECT(GXF_QUERY_NOT_ENOUGH_CAPACITY,                                                       \
           GxfParameterGet2D##NAME##Vector(context, cid, TWO, places, &height, &width));        \
    CHECK(height == 2 && width == 2 && row0[0] == 0);                                           \
    EXPECT(GXF_ARGUMENT_NULL,                                                                   \
           GxfParameterGet2D##NAME##Vector(context, cid, TWO, NULL, &height, &width));          \
    OK(GxfParameterGet2D##NAME##Vector(context, cid, TWO, places, &height, &width));            \
    CHECK(row0[0] == 4 && row0[1] == 5 && row1[0] == 6 && row1[1] == 7);                        \
    places[1] = NULL;                                                                           \
    EXPECT(GXF_ARGUMENT_NULL,                                                                   \
           GxfParameterGet2D##NAME##Vector(context, cid, TWO, places, &height, &width));        \
    rows[1] = NULL;                                                                             \
    EXPECT(GXF_ARGUMENT_NULL,                                                                   \
           GxfParameterSet2D##NAME##Vector(context, cid, TWO, rows, 2, 2));                     \
    EXPECT(GXF_ARGUMENT_NULL,                                                                   \
           GxfParameterSet2D##NAME##Vector(context, cid, TWO, NULL, 2, 2));                     \
    EXPECT(GXF_PARAMETER_INVALID_TYPE,                                                          \
           GxfParameterSet1D##NAME##Vector(context, cid, TWO, in, 3));                          \
    EXPECT(GXF_PARAMETER_INVALID_TYPE,                                                          \
           GxfParameterGet2D##NAME##VectorInfo(context, cid, ONE, &height, &width));            \
    EXPECT(GXF_ARGUMENT_NULL,                                                                   \
           GxfParameterGet2D##NAME##VectorInfo(context, cid, TWO, NULL, &width));               \
    EXPECT(GXF_ARGUMENT_NULL,                                                                   \
           GxfParameterGet2D##NAME##VectorInfo(context, cid, TWO, &height, NULL));              \
  } while (0)

int main(void) {
  use_parts();
  context = new_context_with_parts();
  gxf_uid_t eid = new_entity(context, "entity", 0);
  cid = new_component(context, eid, "test::Values", "values");
  CASES(Float64, double, "float64s", "float64ss");
  CASES(Int64, int64_t, "int64s", "int64ss");
  CASES(UInt64, uint64_t, "uint64s", "uint64ss");
  CASES(Int32, int32_t, "int32s", "int32ss");

  /* A list of a fixed length. */
  int32_t four[] = {1, 2, 3, 4};
  OK(GxfParameterSet1DInt32Vector(context, cid, "three", four, 3));
  EXPECT(GXF_PARAMETER_OUT_OF_RANGE,
         GxfParameterSet1DInt32Vector(context, cid, "three", four, 4));
  EXPECT(GXF_PARAMETER_OUT_OF_RANGE,
         GxfParameterSet1DInt32Vector(context, cid, "three", four, 2));

  /* Rows of different length. */
  uint64_t height = 0, width = 0;
  OK(GxfParameterSetFromYamlText(context, cid, "int32ss", "[[1, 2], [3]]", ""));
  EXPECT(GXF_INVALID_DATA_FORMAT,
         GxfParameterGet2DInt32VectorInfo(context, cid, "int32ss", &height, &width));

  /* Keys nobody knows. */
  OK(GxfParameterSet1DInt32Vector(context, cid, "extra", four, 4));
  OK(GxfParameterGet1DInt32VectorInfo(context, cid, "extra", &width));
  CHECK(width == 4);
  EXPECT(GXF_PARAMETER_INVALID_TYPE,
         GxfParameterGet1DInt64VectorInfo(context, cid, "extra", &width));

  /* Texts. */
  const char* texts[] = {"one", "three"};
  char first[6] = "", second[6] = "";
  char* places[] = {first, second};
  uint64_t count = 0, length = 0;
  EXPECT(GXF_PARAMETER_NOT_INITIALIZED,
         GxfParameterGet1DStrVector(context, cid, "strings", places, &count, &length));
  OK(GxfParameterSet1DStrVector(context, cid, "strings", texts, 2));
  EXPECT(GXF_QUERY_NOT_ENOUGH_CAPACITY,
         GxfParameterGet1DStrVector(context, cid, "strings", NULL, &count, &length));
  CHECK(count == 2 && length == 6);
  length = 5;
  EXPECT(GXF_QUERY_NOT_ENOUGH_CAPACITY,
         GxfParameterGet1DStrVector(context, cid, "strings", places, &count, &length));
  CHECK(length == 6 && first[0] == '\0');
  OK(GxfParameterGet1DStrVector(context, cid, "strings", places, &count, &length));
  CHECK_TEXT("one", first);
  CHECK_TEXT("three", second);
  EXPECT(GXF_ARGUMENT_NULL,
         GxfParameterGet1DStrVector(context, cid, "strings", NULL, &count, &length));
  EXPECT(GXF_ARGUMENT_NULL,
         GxfParameterGet1DStrVector(context, cid, "strings", places, NULL, &length));
  EXPECT(GXF_ARGUMENT_NULL,
         GxfParameterGet1DStrVector(context, cid, "strings", places, &count, NULL));
  EXPECT(GXF_PARAMETER_INVALID_TYPE,
         GxfParameterGet1DStrVector(context, cid, "int64s", places, &count, &length));
  texts[1] = NULL;
  EXPECT(GXF_ARGUMENT_NULL, GxfParameterSet1DStrVector(context, cid, "strings", texts, 2));
  EXPECT(GXF_ARGUMENT_NULL, GxfParameterSet1DStrVector(context, cid, "strings", NULL, 2));
  OK(GxfContextDestroy(context));
  return done();
}
