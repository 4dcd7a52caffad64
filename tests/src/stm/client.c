/* A client of `gxe stm master`: client NAME RUNNABLE...
 *
 * Each execution prints `runnable frame`. Environment: SLEEP_AT=RUNNABLE:FRAME:MILLISECONDS makes one
 * take its time; EXIT_AT=RUNNABLE:FRAME leaves; FORK_AT=RUNNABLE:FRAME:SECONDS ends the process, whose
 * child lives on; ASK_AT=RUNNABLE:FRAME calls what is refused then; WORK=RUNNABLE submits work, which a
 * thread does in WORK_TIME (300) microseconds; ROLL_OVER_TIME is the time, in seconds, in which the client
 * gets ready for another schedule; ALSO=NAME becomes another client in a second thread. */
#include <gxf/stm/stm.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int matches(const char* variable, const stmRunnableInfo_t* info, int* rest) {
  const char* text = getenv(variable);
  char name[128];
  unsigned long frame;
  *rest = 0;
  return text && sscanf(text, "%127[^:]:%lu:%d", name, &frame, rest) >= 2 &&
         strcmp(name, info->runnable) == 0 && info->frame == frame;
}

static int check(stmErrorCode_t code, const char* what) {
  if (code != STM_SUCCESS) printf("%s: error %d: %s\n", what, code, stmGetErrorText());
  fflush(stdout);
  return code != STM_SUCCESS;
}

static void execute(void* user) {
  stmRunnableInfo_t info;
  int rest;
  (void)user;
  if (stmGetRuntimeInfo(&info) != STM_SUCCESS) abort();
  if (matches("SLEEP_AT", &info, &rest)) usleep(rest * 1000);
  dprintf(1, "%s %lu\n", info.runnable, (unsigned long)info.frame);
  if (matches("EXIT_AT", &info, &rest)) stmExitScheduler();
  if (matches("FORK_AT", &info, &rest)) {
    if (fork() == 0) sleep(rest);
    _exit(3);
  }
  if (matches("ASK_AT", &info, &rest)) {
    check(stmRegisterCpuRunnable(execute, info.runnable, NULL), "register inside");
    check(stmClientExit(), "exit inside");
  }
}

static void* work(void* user) {
  usleep(getenv("WORK_TIME") ? atoi(getenv("WORK_TIME")) : 300);
  dprintf(1, "%s done\n", (const char*)user);
  if (stmSignalWorkDone(user) != STM_SUCCESS) abort();
  return NULL;
}

static int submit(void* user) {
  pthread_t thread;
  execute(user);
  pthread_create(&thread, NULL, work, user);
  pthread_detach(thread);
  return 0;
}

static void roll_over(uint16_t start, uint16_t stop, void* user) {
  if (getenv("ROLL_OVER_TIME")) sleep(atoi(getenv("ROLL_OVER_TIME")));
  dprintf(1, "%s is ready for %d behind %d\n", (const char*)user, start, stop);
  if (stmRegisterRollOverCallback(roll_over, user) != STM_SUCCESS) abort();
}

static void* also(void* user) {
  usleep(200 * 1000);
  check(stmClientInit(user), "also");
  return NULL;
}

int main(int argc, char** argv) {
  int place;
  stmRunnableInfo_t info;
  const char* submitter = getenv("WORK");
  if (stmEnterScheduler() != STM_ERROR_NOT_INITIALIZED) abort();
  if (stmClientInit(NULL) != STM_ERROR_BAD_PARAMETER) abort();
  if (getenv("ALSO")) {
    pthread_t thread;
    pthread_create(&thread, NULL, also, getenv("ALSO"));
    pthread_detach(thread);
  }
  if (check(stmClientInit(argv[1]), "init")) return 1;
  if (stmGetRuntimeInfo(&info) != STM_ERROR_INVALID_STATE) abort();
  if (stmRegisterCudaSubmitter(NULL, "x", NULL) != STM_ERROR_NOT_SUPPORTED) abort();
  if (stmRegisterRollOverCallback(NULL, NULL) != STM_ERROR_BAD_PARAMETER) abort();
  if (check(stmRegisterRollOverCallback(roll_over, argv[1]), "roll over")) return 1;
  for (place = 2; place < argc; place++) {
    stmErrorCode_t code = submitter && strcmp(submitter, argv[place]) == 0
                              ? stmRegisterSubmitter(submit, argv[place], argv[place])
                              : stmRegisterCpuRunnable(execute, argv[place], NULL);
    if (check(code, "register")) return 1;
  }
  if (check(stmEnterScheduler(), "enter")) return 2;
  if (check(stmClientExit(), "exit")) return 1;
  puts("left");
  return 0;
}
