/* A library that does one thing it must not do. EVIL in the environment says where and what:
 * "tick crash" crashes in tick, "lie parameter_count" states a wrong count. Without it everything is
 * right. `place` and `lie` below list what there is; src/evil/libraries.rs tries them all. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#include "gxf/plugin_abi.h"

static const GxeHostTable *host;

/* --- what it does ---------------------------------------------------------------------------- */

static bool is(const char *text, const char *word) {
  size_t length = strlen(word);
  return text != NULL && strncmp(text, word, length) == 0 && (text[length] == ' ' || !text[length]);
}

static void use_stack(volatile char *above) {
  volatile char here[4096];
  here[0] = above != NULL ? above[0] : 0;
  use_stack(here);
}

static void *aborts(void *unused) {
  (void)unused;
  abort();
}

/* GXF's C API, as far as this library uses it; the program that loads it has it. */
typedef struct {
  const char *const *extensions;
  uint32_t extension_count;
  const char *const *manifests;
  uint32_t manifest_count;
  const char *base;
} Libraries;

/* Loads a library within a context of its own. */
static int32_t load(const char *library) {
  int32_t (*create)(void **) = (int32_t(*)(void **))dlsym(RTLD_DEFAULT, "GxfContextCreate");
  int32_t (*destroy)(void *) = (int32_t(*)(void *))dlsym(RTLD_DEFAULT, "GxfContextDestroy");
  int32_t (*extensions)(void *, const Libraries *) =
      (int32_t(*)(void *, const Libraries *))dlsym(RTLD_DEFAULT, "GxfLoadExtensions");
  if (create == NULL || destroy == NULL || extensions == NULL) {
    fprintf(stderr, "evil: the program has no C API\n");
    return 1;
  }
  void *context = NULL;
  int32_t code = create(&context);
  if (code == 0) {
    Libraries libraries = {.extensions = &library, .extension_count = 1};
    code = extensions(context, &libraries);
    destroy(context);
  }
  fprintf(stderr, "evil: loading '%s' answered %d\n", library, code);
  return code;
}

/* The constructor runs before the library knows the host. */
static void report(GxeText text) {
  if (host != NULL) { host->report_error(text); }
}

static GxeResultCode do_evil(const char *deed) {
  if (is(deed, "crash")) {
    *(volatile int *)8 = 1;
  } else if (is(deed, "abort")) {
    abort();
  } else if (is(deed, "divide")) {
    raise(SIGFPE);
  } else if (is(deed, "exit")) {
    exit(0);
  } else if (is(deed, "exit7")) {
    exit(7);
  } else if (is(deed, "hang")) {
    (void)!write(2, "hanging now\n", 12);
    for (;;) {
      pause();
    }
  } else if (is(deed, "overflow")) {
    use_stack(NULL);
  } else if (is(deed, "throw")) {
    static struct _Unwind_Exception exception;
    _Unwind_RaiseException(&exception);
    /* Nobody catches it. C++ ends the process then. */
    abort();
  } else if (is(deed, "thread")) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, aborts, NULL) == 0) {
      pthread_join(thread, NULL);
    }
  } else if (is(deed, "close_all")) {
    for (int descriptor = 3; descriptor < 1024; descriptor++) {
      close(descriptor);
    }
  } else if (is(deed, "close_output")) {
    close(1);
    close(2);
  } else if (is(deed, "load_itself")) {
    Dl_info info;
    return dladdr((void *)do_evil, &info) != 0 ? load(info.dli_fname) : 1;
  } else if (is(deed, "load_other")) {
    return load(getenv("EVIL_OTHER"));
  } else if (is(deed, "fail")) {
    return GxeResultCode_FAILURE;
  } else if (is(deed, "fail_strangely")) {
    return -12345;
  } else if (is(deed, "fail_rudely")) {
    static const uint8_t text[] = "\x1b[31mred\x1b[0m\r\n\xff\xfe\x9b";
    report((GxeText){text, sizeof text});
    return GxeResultCode_FAILURE;
  } else if (is(deed, "fail_at_length")) {
    size_t length = (size_t)8 << 20;
    uint8_t *text = malloc(length);
    if (text != NULL) {
      memset(text, 'x', length);
      report((GxeText){text, length});
      free(text);
    }
    return GxeResultCode_FAILURE;
  }
  return GxeResultCode_SUCCESS;
}

/* Called in each place: does the deed if this is where. */
static GxeResultCode place(const char *name) {
  const char *evil = getenv("EVIL");
  return is(evil, name) ? do_evil(evil + strlen(name) + 1) : GxeResultCode_SUCCESS;
}

static bool lies(const char *about) {
  const char *evil = getenv("EVIL");
  return is(evil, "lie") && is(evil + 4, about);
}

/* --- what every component has ------------------------------------------------------------------ */

static void *create(void *storage, const GxeComponentEnvironment *environment) {
  (void)environment;
  return place("create") == GxeResultCode_SUCCESS ? storage : NULL;
}

static void destroy(void *object) {
  (void)object;
  (void)place("destroy");
}

static GxeResultCode set_parameter(void *object, const GxeComponentEnvironment *environment,
                                   size_t index, const GxeValue *value) {
  (void)object, (void)environment, (void)index, (void)value;
  return place("set_parameter");
}

static GxeResultCode check_parameters(void *object, const GxeComponentEnvironment *environment) {
  (void)object, (void)environment;
  return place("check_parameters");
}

static void clear_parameters(void *object) {
  (void)object;
  (void)place("clear_parameters");
}

static GxeResultCode initialize(void *object, const GxeComponentEnvironment *environment) {
  (void)object, (void)environment;
  return place("initialize");
}

static GxeResultCode deinitialize(void *object, const GxeComponentEnvironment *environment) {
  (void)object, (void)environment;
  return place("deinitialize");
}

static GxeComponentVtable component = {
    .size = sizeof(GxeComponentVtable),
    .set_parameter = set_parameter,
    .clear_parameters = clear_parameters,
    .initialize = initialize,
    .deinitialize = deinitialize,
    .check_parameters = check_parameters,
};

/* --- a codelet --------------------------------------------------------------------------------- */

static GxeResultCode start(void *object, const GxeTickInfo *info) {
  (void)object, (void)info;
  return place("start");
}

static GxeResultCode tick(void *object, const GxeTickInfo *info) {
  (void)object, (void)info;
  return place("tick");
}

static GxeResultCode stop(void *object, const GxeTickInfo *info) {
  (void)object, (void)info;
  return place("stop");
}

static GxeCodeletVtable codelet = {
    .size = sizeof(GxeCodeletVtable), .start = start, .tick = tick, .stop = stop};

/* --- a scheduling term, READY three times ------------------------------------------------------- */

static int executions;

static GxeResultCode update_state(void *object, int64_t now) {
  (void)object, (void)now;
  return place("update_state");
}

static GxeResultCode check(void *object, int64_t now, GxeCondition *condition) {
  (void)object;
  condition->condition_type =
      executions < 3 ? GxeConditionType_READY : GxeConditionType_NEVER;
  condition->target = now;
  if (lies("condition")) {
    condition->condition_type = 77;
  }
  if (lies("target")) {
    condition->condition_type = executions < 3 ? GxeConditionType_WAIT_TIME : GxeConditionType_NEVER;
    condition->target = INT64_MIN;
  }
  return place("check");
}

static GxeResultCode on_execute(void *object, int64_t now) {
  (void)object, (void)now;
  executions++;
  return place("on_execute");
}

static void watched(void *object, GxeUidSink sink) {
  (void)object;
  if (lies("watched")) {
    for (GxeUid uid = -3; uid < 1000; uid++) {
      sink.add(sink.user, uid * 0x100000001);
    }
  }
  (void)place("watched");
}

static GxeSchedulingTermVtable term = {
    .size = sizeof(GxeSchedulingTermVtable),
    .check = check,
    .on_execute = on_execute,
    .update_state = update_state,
    .watched = watched,
};

/* --- a receiver that is always empty ------------------------------------------------------------- */

static GxeResultCode push(void *object, GxeMessage *message) {
  (void)object;
  host->message_release(message);
  return place("push");
}

static GxeResultCode none(void *object, GxeMessage **message) {
  (void)object;
  if (lies("message")) {
    *message = NULL;
    return GxeResultCode_SUCCESS;
  }
  return GxeResultCode_CONTRACT_MESSAGE_NOT_AVAILABLE;
}

static GxeResultCode none_at(void *object, int32_t index, GxeMessage **message) {
  (void)index;
  return none(object, message);
}

static size_t count(void *object) {
  (void)object;
  return lies("count") ? SIZE_MAX : lies("message") ? 3 : 0;
}

static size_t capacity(void *object) {
  (void)object;
  return lies("capacity") ? SIZE_MAX : lies("no_capacity") ? 0 : 1;
}

static GxeResultCode synchronize(void *object) {
  (void)object;
  return place("sync");
}

static GxeQueueVtable queue = {
    .size = sizeof(GxeQueueVtable),
    .push = push,
    .pop = none,
    .peek = none_at,
    .capacity = capacity,
    .message_count = count,
    .back_count = count,
    .sync = synchronize,
};

static GxeReceiverVtable receiver = {
    .size = sizeof(GxeReceiverVtable), .receive = none, .peek_back = none_at};

/* --- a clock that stands still ------------------------------------------------------------------- */

static int64_t timestamp(void *object) {
  static int64_t time;
  (void)object;
  (void)place("timestamp");
  return lies("past") ? time-- : lies("future") ? INT64_MAX : lies("jumps") ? (time += INT64_MAX / 3) : 0;
}

static GxeResultCode sleep_until(void *object, int64_t target) {
  (void)object, (void)target;
  usleep(1000);
  return place("sleep_until");
}

static GxeClockVtable clock_vtable = {
    .size = sizeof(GxeClockVtable),
    .timestamp = timestamp,
    .sleep_for = sleep_until,
    .sleep_until = sleep_until,
};

/* --- an allocator that has nothing ----------------------------------------------------------------- */

static bool is_available(void *object, uint64_t size) {
  (void)object, (void)size;
  (void)place("is_available");
  return lies("memory");
}

static GxeResultCode allocate(void *object, uint64_t size, GxeStorageType storage, uint8_t **pointer) {
  (void)object, (void)size, (void)storage;
  *pointer = NULL;
  return lies("memory") ? GxeResultCode_SUCCESS : GxeResultCode_OUT_OF_MEMORY;
}

static GxeResultCode give_back(void *object, uint8_t *pointer) {
  (void)object, (void)pointer;
  return GxeResultCode_FAILURE;
}

static uint64_t block_size(void *object) {
  (void)object;
  return lies("block_size") ? 0 : 1;
}

static GxeAllocatorVtable allocator = {
    .size = sizeof(GxeAllocatorVtable),
    .is_available = is_available,
    .allocate = allocate,
    .free = give_back,
    .block_size = block_size,
};

/* --- the types -------------------------------------------------------------------------------------- */

static GxeInterfaceEntry codelet_interfaces[] = {
    {.id = GXE_TID_COMPONENT, .vtable = &component}, {.id = GXE_TID_CODELET, .vtable = &codelet}};
static GxeInterfaceEntry term_interfaces[] = {{.id = GXE_TID_COMPONENT, .vtable = &component},
                                              {.id = GXE_TID_SCHEDULING_TERM, .vtable = &term}};
static GxeInterfaceEntry receiver_interfaces[] = {{.id = GXE_TID_COMPONENT, .vtable = &component},
                                                  {.id = GXE_TID_QUEUE, .vtable = &queue},
                                                  {.id = GXE_TID_RECEIVER, .vtable = &receiver}};
static GxeInterfaceEntry clock_interfaces[] = {{.id = GXE_TID_COMPONENT, .vtable = &component},
                                               {.id = GXE_TID_CLOCK, .vtable = &clock_vtable}};
static GxeInterfaceEntry allocator_interfaces[] = {{.id = GXE_TID_COMPONENT, .vtable = &component},
                                                   {.id = GXE_TID_ALLOCATOR, .vtable = &allocator}};

static int64_t number = 1;
static GxeValue default_number = {GxeParameterType_INT64, 0, 1, &number};
static GxeCStr choices[] = {"a", "b"};
static GxeText default_text = {(const uint8_t *)"a", 1};
static GxeValue default_choice = {GxeParameterType_STRING, 0, 1, &default_text};

static GxeParameterDescriptor parameters[] = {
    {
        .size = sizeof(GxeParameterDescriptor),
        .key = "number",
        .element_type = GxeParameterType_INT64,
        .default_value = &default_number,
    },
    {
        .size = sizeof(GxeParameterDescriptor),
        .key = "choice",
        .element_type = GxeParameterType_STRING,
        .default_value = &default_choice,
        .choices = choices,
        .choice_count = 2,
    },
};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])
#define TYPE(low, what, base, entries)                                                   \
  {                                                                                      \
    .size = sizeof(GxeComponentType), .tid = {UINT64_C(0xe711e711e711e711), low},        \
    .base_tid = base, .type_name = what, .instance_size = 64, .instance_alignment = 8,   \
    .create = create, .destroy = destroy, .parameters = parameters,                      \
    .parameter_count = COUNT_OF(parameters), .interfaces = entries,                      \
    .interface_count = COUNT_OF(entries),                                                \
  }

static GxeComponentType types[] = {
    TYPE(1, "evil::Codelet", GXE_TID_CODELET, codelet_interfaces),
    TYPE(2, "evil::Term", GXE_TID_SCHEDULING_TERM, term_interfaces),
    TYPE(3, "evil::Receiver", GXE_TID_RECEIVER, receiver_interfaces),
    TYPE(4, "evil::Clock", GXE_TID_CLOCK, clock_interfaces),
    TYPE(5, "evil::Allocator", GXE_TID_ALLOCATOR, allocator_interfaces),
};
static const GxeComponentType *type_list[COUNT_OF(types)];

static GxeResultCode create_factory(const GxeHostTable *table, GxeExtensionFactory *factory) {
  host = table;
  for (size_t index = 0; index < COUNT_OF(types); index++) {
    type_list[index] = &types[index];
  }
  factory->types = type_list;
  factory->type_count = COUNT_OF(types);
  GxeComponentType *first = &types[0];
  if (lies("type_count")) factory->type_count = SIZE_MAX;
  if (lies("no_types")) factory->types = NULL;
  if (lies("null_type")) type_list[0] = NULL;
  if (lies("same_type")) type_list[1] = type_list[0];
  if (lies("type_size")) first->size = 3;
  if (lies("type_size_large")) first->size = SIZE_MAX;
  if (lies("type_id")) first->tid = (GxeTid){0, 0};
  if (lies("own_base")) first->base_tid = first->tid;
  if (lies("no_base")) first->base_tid = (GxeTid){1, 2};
  if (lies("type_name")) first->type_name = NULL;
  if (lies("type_name_empty")) first->type_name = "";
  if (lies("type_name_rude")) first->type_name = "evil::\x1b[31m\n\xff";
  if (lies("instance_size")) first->instance_size = SIZE_MAX;
  if (lies("instance_size_large")) first->instance_size = (size_t)1 << 46;
  if (lies("alignment")) first->instance_alignment = 3;
  if (lies("alignment_zero")) first->instance_alignment = 0;
  if (lies("alignment_large")) first->instance_alignment = (size_t)1 << 40;
  if (lies("no_create")) first->create = NULL;
  if (lies("parameter_count")) first->parameter_count = SIZE_MAX;
  if (lies("no_parameters")) first->parameters = NULL;
  if (lies("interface_count")) first->interface_count = SIZE_MAX;
  if (lies("no_interfaces")) first->interfaces = NULL;
  if (lies("interface_null")) codelet_interfaces[1].vtable = NULL;
  if (lies("interface_twice")) codelet_interfaces[1] = codelet_interfaces[0];
  if (lies("table_size")) codelet.size = 1;
  if (lies("table_size_large")) codelet.size = SIZE_MAX;
  if (lies("no_tick")) codelet.tick = NULL;
  if (lies("no_check")) term.check = NULL;
  if (lies("no_timestamp")) clock_vtable.timestamp = NULL;
  if (lies("key")) parameters[0].key = NULL;
  if (lies("key_empty")) parameters[0].key = "";
  if (lies("key_rude")) parameters[0].key = "\x1b[31m\n\xff";
  if (lies("key_twice")) parameters[1].key = "number";
  if (lies("parameter_size")) parameters[0].size = 1;
  if (lies("parameter_size_large")) parameters[0].size = SIZE_MAX;
  if (lies("element_type")) parameters[0].element_type = 999;
  if (lies("rank")) parameters[0].rank = 9;
  if (lies("rank_large")) parameters[0].rank = UINT32_MAX;
  if (lies("shape")) parameters[0].rank = 1, parameters[0].shape[0] = INT32_MIN;
  if (lies("default_type")) default_number.element_type = GxeParameterType_STRING;
  if (lies("default_rank")) default_number.rank = 5;
  if (lies("default_data")) default_number.data = NULL;
  if (lies("default_text")) default_text.length = SIZE_MAX;
  if (lies("default_text_null")) default_text.data = NULL;
  if (lies("default_not_a_choice")) default_text.data = (const uint8_t *)"z";
  if (lies("choice_count")) parameters[1].choice_count = SIZE_MAX;
  if (lies("no_choices")) parameters[1].choices = NULL;
  if (lies("null_choice")) choices[1] = NULL;
  if (lies("limits")) parameters[0].minimum = &default_choice;
  return place("factory");
}

const GxeExtensionDescriptor GXF_EXT_FACTORY = {
    .magic = GXE_ABI_MAGIC,
    .size = sizeof(GxeExtensionDescriptor),
    .abi_major = GXE_ABI_MAJOR,
    .abi_minor = GXE_ABI_MINOR,
    .id = {UINT64_C(0xe711e711e711e711), 0},
    .name = "EvilExtension",
    .version = "1.0.0",
    .description = "",
    .license = "",
    .build_info = "",
    .create_factory = create_factory,
};

__attribute__((constructor)) static void begin(void) {
  /* The loader has made the constant read-only by now. */
  GxeExtensionDescriptor *descriptor = (GxeExtensionDescriptor *)(uintptr_t)&GXF_EXT_FACTORY;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t first = (uintptr_t)descriptor / page * page;
  uintptr_t length = (uintptr_t)(descriptor + 1) - first;
  (void)mprotect((void *)first, length, PROT_READ | PROT_WRITE);
  if (lies("magic")) descriptor->magic = 1;
  if (lies("size")) descriptor->size = 0;
  if (lies("size_large")) descriptor->size = SIZE_MAX;
  if (lies("major")) descriptor->abi_major = UINT32_MAX;
  if (lies("minor")) descriptor->abi_minor = UINT32_MAX;
  if (lies("id")) descriptor->id = (GxeTid){0, 0};
  if (lies("name")) descriptor->name = NULL;
  if (lies("name_rude")) descriptor->name = "\x1b[31mred\n\xff";
  if (lies("version")) descriptor->version = NULL;
  if (lies("no_factory")) descriptor->create_factory = NULL;
  if (lies("layout")) descriptor->rust_layout_version = "0.0.0";
  (void)place("constructor");
}

__attribute__((destructor)) static void end(void) { (void)place("destructor"); }
