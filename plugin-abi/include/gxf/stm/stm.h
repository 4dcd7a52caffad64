/**
 * STM's functions for programs whose runnables a static schedule executes: clients of
 * `gxe stm master`, and its schedule manager. For C and C++; link with libgxf_stm_runtime.so.
 *
 * A client registers its runnables under the ids of the schedules, and enters the scheduler, which
 * calls them from worker threads, in the order of the schedule. Executions of one runnable never
 * overlap; those on different CPUs do.
 *
 * The master's socket is that of the environment variable GXE_STM_MASTER, or gxe-stm.sock in
 * XDG_RUNTIME_DIR.
 */
#ifndef GXF_STM_STM_H_
#define GXF_STM_STM_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a function answers; the numbers are STM's. */
typedef enum {
  STM_SUCCESS = 0,                      /**< success */
  STM_ERROR_NOT_INITIALIZED = 1,        /**< not initialized */
  STM_ERROR_BAD_PARAMETER = 2,          /**< bad parameter */
  STM_ERROR_NOT_SUPPORTED = 3,          /**< not supported */
  STM_ERROR_TIMEOUT = 4,                /**< time-out */
  STM_ERROR_NOT_FOUND = 5,              /**< not found */
  STM_ERROR_INVALID_STATE = 6,          /**< invalid state */
  STM_ERROR_GENERIC = 7,                /**< generic error */
  STM_ERROR_BAD_VALUE = 8,              /**< bad value */
  STM_ERROR_NVSCISYNC = 9,              /**< NvSciSync */
  STM_ERROR_SYNC = 10,                  /**< synchronization */
  STM_ERROR_NVSCISYNC_TIMEOUT = 11,     /**< time-out of NvSciSync */
  STM_ERROR_CUDA = 12,                  /**< CUDA */
  STM_ERROR_INSUFFICIENT_MEMORY = 13,   /**< insufficient memory */
  STM_ERROR_NVMEDIA_DLA = 14,           /**< NvMedia DLA */
  STM_ERROR_CUDLA = 15,                 /**< cuDLA */
  STM_ERROR_PVA = 16,                   /**< PVA */
  STM_ERROR_MESSAGE_QUEUE_FULL = 17,    /**< message queue full */
  STM_ERROR_CONNECTION = 18,            /**< connection */
  STM_ERROR_UNKNOWN_CLOCK = 19,         /**< unknown clock */
  STM_ERROR_TIMESTAMP_FAILED = 20,      /**< no time stamp */
  STM_ERROR_UNKNOWN_STATE = 21,         /**< unknown state */
  STM_ERROR_BAD_STATE_TRANSITION = 22,  /**< bad state transition */
  STM_ERROR_SCHEDULE_ID_INVALID = 23,   /**< schedule id invalid */
} stmErrorCode_t;

/** What a runnable learns of its execution. The texts are valid until it returns. */
typedef struct {
  const char* runnable;   /**< `client.runnable` */
  const char* epoch;      /**< its epoch */
  const char* resource;   /**< the engine that executes it */
  uint64_t frame;         /**< the frame of the epoch, from the start of the schedule */
  int64_t frameStartNs;   /**< when the frame started, by CLOCK_MONOTONIC */
  int64_t nowNs;          /**< the time of the call, by CLOCK_MONOTONIC */
} stmRunnableInfo_t;

/** Executes a runnable. */
typedef void (*stmCpuRunnable_t)(void* user);
/** Executes a submitter. Zero if its work is not done, which stmSignalWorkDone then says. */
typedef int (*stmSubmitter_t)(void* user);
/** Called before the schedule `start` follows the schedule `stop`. */
typedef void (*stmRollOverCallback_t)(uint16_t start, uint16_t stop, void* user);

/**
 * Connects to the master as the client with this name. Blocks until the master answers.
 * STM_ERROR_NOT_FOUND without such a client; STM_ERROR_INVALID_STATE if it is there already, or if
 * this process is a client or another thread of it calls this function.
 */
stmErrorCode_t stmClientInit(const char* name);

/**
 * Registers a runnable by its id in the schedules, with or without the client's.
 * STM_ERROR_NOT_FOUND without such a runnable; STM_ERROR_BAD_PARAMETER if it is registered.
 */
stmErrorCode_t stmRegisterCpuRunnable(stmCpuRunnable_t function, const char* id, void* user);

/**
 * Registers a runnable that submits another one (`Submits`). Its worker goes on when it returns;
 * those that depend on the work wait until it is done. Not a function of STM.
 */
stmErrorCode_t stmRegisterSubmitter(stmSubmitter_t function, const char* id, void* user);

/**
 * The work that a submitter submitted is done. From any thread. Not a function of STM.
 * STM_ERROR_INVALID_STATE if nothing is submitted.
 */
stmErrorCode_t stmSignalWorkDone(const char* submitter);

/** Devices are not driven here: these answer STM_ERROR_NOT_SUPPORTED. See stmRegisterSubmitter. */
stmErrorCode_t stmRegisterCudaSubmitter(const void* function, const char* id, void* user);
stmErrorCode_t stmRegisterCuDlaSubmitter(const void* function, const char* id, void* user);
stmErrorCode_t stmRegisterVpuSubmitter(const void* function, const char* id, void* user);
stmErrorCode_t stmRegisterCudaResource(const char* name, void* stream);
stmErrorCode_t stmRegisterVpuResource(const char* name, void* stream);
stmErrorCode_t stmRegisterDlaResource(const char* name, void* handle);

/**
 * Registers what is called before a schedule starts in place of another one (stmRollOverSchedule),
 * by the thread that is in stmEnterScheduler. The schedule that runs goes on until the callbacks of
 * all clients have returned. STM has such callbacks, too; the name of its function is not public.
 */
stmErrorCode_t stmRegisterRollOverCallback(stmRollOverCallback_t function, void* user);

/**
 * Executes the runnables until stmExitScheduler, or until the master ends.
 * STM_ERROR_NOT_FOUND if one is not registered; STM_ERROR_CONNECTION if the master, or another
 * client, died; STM_ERROR_GENERIC if another client failed; STM_ERROR_TIMEOUT if a frame took
 * longer than the master allows.
 */
stmErrorCode_t stmEnterScheduler(void);

/** Ends stmEnterScheduler; executions that have begun end first. From any thread. */
stmErrorCode_t stmExitScheduler(void);

/** Ends the client. STM_ERROR_INVALID_STATE before stmEnterScheduler has returned. */
stmErrorCode_t stmClientExit(void);

/** Describes the execution of the runnable that calls it. STM_ERROR_INVALID_STATE elsewhere. */
stmErrorCode_t stmGetRuntimeInfo(stmRunnableInfo_t* info);

/** The text of the calling thread's last error; empty after a success. Not a function of STM. */
const char* stmGetErrorText(void);

/**
 * Connects to the master as its schedule manager, of which there is one at a time.
 * STM_ERROR_NOT_FOUND if the master expects none of this name.
 */
stmErrorCode_t stmScheduleManagerInit(const char* name);
/** The same; the discriminator tells managers of one name apart, and is not used here. */
stmErrorCode_t stmScheduleManagerInitWithDiscriminator(const char* name, int32_t discriminator);

/**
 * Starts a schedule. STM_ERROR_BAD_STATE_TRANSITION if one runs;
 * STM_ERROR_SCHEDULE_ID_INVALID if there is none with this id; STM_ERROR_INVALID_STATE before all
 * clients have entered the scheduler.
 */
stmErrorCode_t stmStartSchedule(uint16_t schedule);

/**
 * Stops the schedule that runs: frames that have begun end, and then everything is idle.
 * STM_ERROR_BAD_STATE_TRANSITION if it does not run.
 */
stmErrorCode_t stmStopSchedule(uint16_t schedule);

/**
 * Starts a schedule in place of the one that runs: each hyperepoch changes behind its cycle.
 * STM_ERROR_BAD_STATE_TRANSITION if `stop` does not run; STM_ERROR_BAD_PARAMETER if the hyperepochs
 * own other resources; STM_ERROR_TIMEOUT if a client is not ready in the longest time of a frame.
 */
stmErrorCode_t stmRollOverSchedule(uint16_t start, uint16_t stop);

/** Ends the schedule manager. The schedule that runs goes on. */
stmErrorCode_t stmScheduleManagerExit(void);

#ifdef __cplusplus
}
#endif

#endif  /* GXF_STM_STM_H_ */
