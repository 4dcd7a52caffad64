/* A client of `gxe stm master`, without a master: it says so. */

#include <gxf/stm/stm.h>
#include <stdio.h>

int main(void) {
  const stmErrorCode_t code = stmEnterScheduler();
  printf("%d: %s\n", (int)code, stmGetErrorText());
  return code == STM_ERROR_NOT_INITIALIZED ? 0 : 1;
}
