//! The ABI boundary, seen from outside: small C extensions, right and wrong ones, and files that
//! are none, loaded and run by the real `gxe`.
//!
//! `abi/extension.c` is compiled in many variants. `abi/plugin_abi_1_0.h` is the header of ABI 1.0,
//! which must work for as long as the host says it has ABI 1.x.

#[path = "abi/lab.rs"]
mod lab;

use gxf_plugin_abi::{ABI_MAJOR, ABI_MINOR};
use lab::{CURRENT, FROZEN_1_0, Lab};

/// Exit statuses.
const LOAD: i32 = 3;
const RUN: i32 = 5;

/// What the codelet of `abi/extension.c` logs.
const TICKS: [&str; 2] = [
    "abi::Worker in worker: tick 1, first 1, second 2",
    "abi::Worker in worker: tick 2, first 1, second 2",
];

/// All that is said when one entry of the manifest is refused; `cause` may be empty.
fn refusal(line: usize, entry: &str, error: &str, cause: &str) -> String {
    let marks = "^".repeat(entry.len());
    let help = if cause.is_empty() { "" } else { &format!("  |\n  = help: cause: {cause}\n") };
    format!(
        "error{error}\n --> manifest.yaml:{line}:3\n  |\n{line} | - {entry}\n  |   {marks}\n{help}\n\
         error: cannot load the manifest 'manifest.yaml': 1 error\n"
    )
}

/// Compiles a variant and expects that the host refuses it with this error and cause.
#[track_caller]
fn refused(lab: &Lab, places: &[(&str, &str)], error: &str, cause: &str) {
    lab.extension("lab.so", places);
    lab.run(&["lab.so"]).failed(LOAD, &refusal(2, "lab.so", error, cause));
}

/// As [`refused`], for what is wrong with the one type of the extension.
#[track_caller]
fn type_refused(lab: &Lab, places: &[(&str, &str)], code: &str, cause: &str) {
    let error = format!("[{code}]: `DIR/lab.so`: number 1 of its types is not acceptable");
    refused(lab, places, &error, cause);
}

#[test]
fn current_extension_runs() {
    let lab = Lab::new();
    lab.extension("lab.so", &[]);
    assert_eq!(lab.run(&["lab.so"]).succeeded("src/host/"), TICKS);
}

#[test]
fn extension_of_abi_1_0_runs() {
    let lab = Lab::new();
    lab.extension_for(FROZEN_1_0, "lab.so", &[]);
    assert_eq!(lab.run(&["lab.so"]).succeeded("src/host/"), TICKS);
}

#[test]
fn extension_of_every_earlier_minor_runs() {
    let lab = Lab::new();
    for minor in 0..ABI_MINOR {
        lab.extension("lab.so", &[("MINOR", &minor.to_string())]);
        assert_eq!(lab.run(&["lab.so"]).succeeded("src/host/"), TICKS, "1.{minor}");
    }
}

#[test]
fn c_example_counts_with_both_headers() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let app = format!("{root}/apps/c_counter/c_counter.yaml");
    let source = format!("{root}/extensions/c_counter/counter.c");
    for header in [CURRENT, FROZEN_1_0] {
        let lab = Lab::new();
        std::fs::create_dir(lab.path.join("gxf")).unwrap();
        std::fs::copy(header, lab.path.join("gxf/plugin_abi.h")).unwrap();
        let arguments = ["-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", "-I.", &source];
        lab.compile("CC", "cc", &[&arguments[..], &["-o", "libc_counter.so"]].concat());
        lab.write("manifest.yaml", "extensions: [libc_counter.so]\n");
        let ended = lab.gxe(&["--app", &app, "--manifest", "manifest.yaml"]);
        assert_eq!(ended.succeeded("counter.c"), ["received 100 numbers, their sum is 5050"]);
    }
}

#[test]
fn other_versions_are_refused_with_both_numbers() {
    let lab = Lab::new();
    let host = format!("this gxe has ABI {ABI_MAJOR}.{ABI_MINOR}");
    let newer = "use a newer gxe, or build the extension against this one's SDK";
    let said = |version: String, advice| {
        let what = format!("`DIR/lab.so` was built for gxe ABI {version}, and {host}; {advice}");
        format!("[GXF_FACTORY_INCOMPATIBLE]: {what}")
    };
    let next = said(format!("{}.{ABI_MINOR}", ABI_MAJOR + 1), newer);
    refused(&lab, &[("MAJOR", "GXE_ABI_MAJOR + 1")], &next, "");
    let next = said(format!("{ABI_MAJOR}.{}", ABI_MINOR + 1), newer);
    refused(&lab, &[("MINOR", "GXE_ABI_MINOR + 1")], &next, "");
    let before = said("0.7".to_owned(), "rebuild the extension against this gxe's SDK");
    refused(&lab, &[("MAJOR", "0"), ("MINOR", "7")], &before, "");
    // An old header does not help when the versions do not agree.
    lab.extension_for(FROZEN_1_0, "lab.so", &[("MAJOR", "GXE_ABI_MAJOR + 1")]);
    let old = said(format!("{}.0", ABI_MAJOR + 1), newer);
    lab.run(&["lab.so"]).failed(LOAD, &refusal(2, "lab.so", &old, ""));
}

#[test]
fn descriptor_is_judged_before_any_code_runs() {
    let lab = Lab::new();
    let crash = ("FACTORY_BEGINS", "__builtin_trap()");
    let foreign = "[GXF_FACTORY_INCOMPATIBLE]: `DIR/lab.so` exports `GXF_EXT_FACTORY`, but it is not \
                   a gxe extension descriptor";
    refused(&lab, &[crash, ("MAGIC", "0x7f")], foreign, "");
    let small = format!(
        "the descriptor states a size of 64 bytes, and ABI {ABI_MAJOR}.{ABI_MINOR} has 208"
    );
    let cases = [
        ("SIZE", "64", &*small),
        ("NAME", "NULL", "the extension states no name"),
        ("NAME", "\"\"", "the extension states no name"),
        ("VERSION", "NULL", "the extension states no version"),
        ("FACTORY", "NULL", "the extension has no factory function"),
    ];
    for (place, text, problem) in cases {
        let error = format!("[GXF_FACTORY_INVALID_INFO]: `DIR/lab.so`: {problem}");
        refused(&lab, &[crash, (place, text)], &error, "");
    }
}

#[test]
fn failing_factory_is_quoted() {
    let lab = Lab::new();
    let with_text = "return failed(GxeResultCode_OUT_OF_MEMORY, \"no room\")";
    let error = "[GXF_OUT_OF_MEMORY]: `DIR/lab.so`: the extension's factory failed";
    refused(&lab, &[("FACTORY_BEGINS", with_text)], error, "no room");
    let error = ": `DIR/lab.so`: the extension's factory failed";
    refused(&lab, &[("FACTORY_BEGINS", "return -7")], error, "result code -7");
}

#[test]
fn impossible_lists_of_types_are_refused() {
    let lab = Lab::new();
    let error = "[GXF_FACTORY_INVALID_INFO]: `DIR/lab.so`: the factory returns no types";
    refused(&lab, &[("TYPES", "NULL")], error, "");
    let error = "[GXF_FACTORY_TOO_MANY_COMPONENTS]: `DIR/lab.so`: 5000 types, and 1024 are allowed";
    refused(&lab, &[("TYPE_COUNT", "5000")], error, "");
    let error = "[GXF_FACTORY_INVALID_INFO]: `DIR/lab.so`: number 2 of its types is not acceptable";
    refused(&lab, &[("MORE_TYPES", ", NULL")], error, "its description is a null pointer");
}

#[test]
fn impossible_types_are_refused() {
    let lab = Lab::new();
    let cases = [
        ("TYPE_SIZE", "24", "its description states a size of 24 bytes, and ABI 1.0 has 144"),
        ("TYPE_SIZE", "1u << 31", "its description states an impossible size of 2147483648 bytes"),
        ("TYPE_NAME", "NULL", "it has no name"),
        ("CREATE", "NULL", "`abi::Worker`: it is not abstract and has no function to create it"),
        (
            "ALIGNMENT",
            "24",
            "`abi::Worker`: an instance of 16 bytes with alignment 24 is not possible",
        ),
    ];
    for (place, text, cause) in cases {
        type_refused(&lab, &[(place, text)], "GXF_FACTORY_INVALID_INFO", cause);
    }
}

#[test]
fn impossible_parameters_are_refused() {
    let lab = Lab::new();
    type_refused(
        &lab,
        &[("SECOND_KEY", "\"first\"")],
        "GXF_PARAMETER_ALREADY_REGISTERED",
        "`abi::Worker`: two parameters are called `first`",
    );
    let description = "the description of parameter 1";
    let cases = [
        ("SECOND_KEY", "NULL", "one of its parameters has no key".to_owned()),
        ("PARAMETERS", "NULL", format!("{description} is a null pointer")),
        (
            "PARAMETERS",
            "(const void *)((const char *)parameters + 1)",
            format!("{description} has an address no structure can have"),
        ),
        (
            "PARAMETER_SIZE",
            "20",
            format!("{description} states a size of 20 bytes, and ABI 1.0 has 152"),
        ),
        ("PARAMETER_SIZE", "156", format!("{description} states an impossible size of 156 bytes")),
        (
            "MORE_OF_PARAMETER",
            ".choice_count = 3,",
            "parameter `first` declares 3 choices but has no list of them".to_owned(),
        ),
        (
            "MORE_OF_PARAMETER",
            ".rank = 9,",
            "parameter `first` has rank 9; the highest is 8".to_owned(),
        ),
        (
            "MORE_OF_PARAMETER",
            ".rank = 1,",
            "parameter `first` and its default have different types".to_owned(),
        ),
        (
            "MORE_OF_PARAMETER",
            ".minimum = &value_text,",
            "parameter `first` and its minimum have different types".to_owned(),
        ),
    ];
    for (place, text, problem) in cases {
        let cause = format!("`abi::Worker`: {problem}");
        type_refused(&lab, &[(place, text)], "GXF_FACTORY_INVALID_INFO", &cause);
    }
}

#[test]
fn impossible_function_tables_are_refused() {
    let lab = Lab::new();
    let table = "`abi::Worker`: the function table of its interface `nvidia::gxf::Codelet`";
    let cases = [
        (
            "INTERFACES",
            "NULL",
            "`abi::Worker`: its list of interfaces is a null pointer".to_owned(),
        ),
        ("CODELET", "NULL", format!("{table} is a null pointer")),
        (
            "CODELET_SIZE",
            "sizeof(GxeCodeletVtable) - 8",
            format!("{table} states a size of 24 bytes, and ABI 1.0 has 32"),
        ),
        ("TICK", "NULL", format!("{table} lacks `tick`")),
    ];
    for (place, text, cause) in cases {
        type_refused(&lab, &[(place, text)], "GXF_FACTORY_INVALID_INFO", &cause);
    }
}

/// What a tick of `abi/extension.c` does to wake its entity, to fail, and to be seen in a trace.
#[test]
fn work_outside_the_graph_is_announced_in_c() {
    let lab = Lab::new();
    let wake = "GxeWakeToken *token = NULL; \
                code = host->wake_token_new(environment->context, environment->eid, &token); \
                if (code != GxeResultCode_SUCCESS) return code; \
                host->wake_token_retain(token); \
                host->wake_token_use(token); \
                host->wake_token_release(token)";
    let trace = "static const GxeTid id = GXE_TID_TRACE; \
                 const GxeTraceTable *trace = host->host_interface(id); \
                 const int64_t now = trace->now(); \
                 if (trace->is_on(environment->context)) \
                   trace->span(environment->context, text(\"lab\"), text(\"bench\"), \
                               text(\"measured\"), now, now + 5000); \
                 static const GxeTid links_id = GXE_TID_TRACE_LINKS; \
                 const GxeTraceLinkTable *links = host->host_interface(links_id); \
                 links->clock(environment->context, text(\"cable\"), 7, -3, 2000); \
                 links->passed(environment->context, text(\"cable\"), 7, 1, false); \
                 links->passed(environment->context, text(\"cable\"), 7, 1, true)";
    lab.extension("lab.so", &[("TICK_GOES_ON", &format!("{wake}; {trace}"))]);
    assert_eq!(lab.run(&["lab.so"]).succeeded("src/host/"), TICKS);
    let arguments = ["--app", "app.yaml", "--manifest", "manifest.yaml", "--trace", "trace.json"];
    assert_eq!(lab.gxe(&arguments).succeeded("src/host/"), TICKS);
    let trace = std::fs::read_to_string(lab.path.join("trace.json")).unwrap();
    assert_eq!(trace.matches("\"name\":\"measured\",\"cat\":\"span\"").count(), 2, "{trace}");
    assert_eq!(trace.matches("\"dur\":5.000").count(), 2, "{trace}");
    let passed = "\"args\":{\"link\":\"0000000000000007\",\"sequence\":1,\"direction\":";
    assert_eq!(trace.matches(passed).count(), 4, "{trace}");
    let clock = "\"link\":\"0000000000000007\",\"time_ns\":";
    assert_eq!(trace.matches(clock).count(), 2, "{trace}");
    assert!(trace.contains("\"offset_ns\":-3,\"error_ns\":2000}"), "{trace}");

    let fail = "host->entity_fail(environment->context, environment->cid, \
                GxeResultCode_OUT_OF_MEMORY, text(\"the camera is gone\"))";
    lab.extension("lab.so", &[("TICK_GOES_ON", fail)]);
    lab.run(&["lab.so"]).failed(
        RUN,
        "error: the graph failed\n  because: entity `worker`, component `codelet` of type \
         abi::Worker (extension Lab): asynchronous work failed with GXF_OUT_OF_MEMORY\n    \
         because: the camera is gone\nnote: the component that failed\n --> app.yaml:4:9\n  |\n4 \
         |   type: abi::Worker\n  |         ^^^^^^^^^^^\n",
    );
}

/// The places of an extension that declares what its ports carry.
const PORTS: [(&str, &str); 2] =
    [("PORTS", "port_list"), ("MORE_INTERFACES", "{.id = GXE_TID_PORT_TYPES, .vtable = &ports}")];

#[test]
fn ports_and_flags_are_shown() {
    let lab = Lab::new();
    let flags = ("FLAGS", "GXE_TYPE_CAPTURABLE | GXE_TYPE_PUBLISHES_INTO");
    lab.extension("lab.so", &[&PORTS[..], &[flags]].concat());
    let ended = lab.gxe(&["inspect", "./lab.so", "abi::Worker"]);
    ended.shows("  capturable, publishes into a given register\n");
    ended.shows("  carries nvidia::gxf::Tensor, somebody::Pose\n");
    // Declarations change nothing of a run.
    assert_eq!(lab.run(&["lab.so"]).succeeded("src/host/"), TICKS);
}

#[test]
fn impossible_ports_and_flags_are_refused() {
    let lab = Lab::new();
    let cases = [
        ("PORT_PARAMETER", "\"third\"", "its port `third` is no parameter"),
        ("PORT_PARAMETER", "\"first\"", "its port `first` is a parameter that is no handle"),
        ("PORT_PARAMETER", "NULL", "it declares that it carries messages, and is no queue"),
        ("PORT_NAME", "NULL", "a type of its ports has no id and no name"),
        ("PORTS", "NULL", "it declares 2 types of its ports but has no list of them"),
        ("PORT_COUNT", "5000", "it declares 5000 types of its ports but has no list of them"),
    ];
    for (place, text, problem) in cases {
        let mut places = PORTS.to_vec();
        places.retain(|(known, _)| *known != place);
        places.push((place, text));
        let cause = format!("`abi::Worker`: {problem}");
        type_refused(&lab, &places, "GXF_FACTORY_INVALID_INFO", &cause);
    }
    let places = [
        ("FLAGS", "GXE_TYPE_IN_PLACE"),
        ("BASE_ID", "GXE_TID_COMPONENT"),
        ("CODELET_ID", "ID(77)"),
    ];
    let cause = "`abi::Worker`: it has flags of codelets, and is none";
    type_refused(&lab, &places, "GXF_FACTORY_INVALID_INFO", cause);
}

#[test]
fn types_must_fit_together() {
    let lab = Lab::new();
    let cases = [
        (
            [("MORE_TYPES", ", &worker")],
            "DUPLICATE_TID",
            "types `abi::Worker` and `abi::Worker` of extension `Lab` have the same id \
             `6162692d746573740000000000000002`",
        ),
        (
            [("TYPE_NAME", "\"nvidia::gxf::GreedyScheduler\"")],
            "DUPLICATE_TID",
            "type `nvidia::gxf::GreedyScheduler` of extension `Lab` and type \
             `nvidia::gxf::GreedyScheduler` of extension `StandardExtension` have the same name \
             `nvidia::gxf::GreedyScheduler`",
        ),
        (
            [("BASE_ID", "ID(99)")],
            "UNKNOWN_TID",
            "type `abi::Worker` of extension `Lab` is derived from a type with id \
             6162692d746573740000000000000063, which no extension registered; load the extension that has it first",
        ),
        (
            [("CODELET_ID", "ID(77)")],
            "INVALID_INFO",
            "type `abi::Worker` of extension `Lab` is derived from `nvidia::gxf::Codelet`, but has \
             no function table for it",
        ),
    ];
    for (places, code, cause) in cases {
        let error = format!("[GXF_FACTORY_{code}]: `DIR/lab.so` cannot be used");
        refused(&lab, &places, &error, cause);
    }
}

#[test]
fn ids_are_taken_once() {
    let lab = Lab::new();
    let other = [("EXTENSION_ID", "7"), ("NAME", "\"Other\""), ("TYPE_NAME", "\"abi::Other\"")];
    lab.extension("lab.so", &[]).extension("other.so", &other);
    let error = "[GXF_FACTORY_DUPLICATE_TID]: `DIR/other.so` cannot be used";
    let cause = "type `abi::Other` of extension `Other` and type `abi::Worker` of extension `Lab` \
                 have the same id `6162692d746573740000000000000002`";
    lab.run(&["lab.so", "other.so"]).failed(LOAD, &refusal(3, "other.so", error, cause));
}

#[test]
fn library_listed_twice_is_loaded_once_and_its_copy_is_refused() {
    let lab = Lab::new();
    lab.extension("lab.so", &[]);
    std::os::unix::fs::symlink("lab.so", lab.path.join("link.so")).unwrap();
    assert_eq!(lab.run(&["lab.so", "./lab.so", "link.so"]).succeeded("src/host/"), TICKS);

    std::fs::copy(lab.path.join("lab.so"), lab.path.join("copy.so")).unwrap();
    let error = "[GXF_FACTORY_DUPLICATE_TID]: `DIR/copy.so` cannot be used";
    let cause = "extension `Lab` has the id 6162692d746573740000000000000001 of extension `Lab`, \
                 which is already loaded from DIR/lab.so";
    lab.run(&["lab.so", "copy.so"]).failed(LOAD, &refusal(3, "copy.so", error, cause));
}

#[test]
fn instance_that_cannot_be_created_is_shown_where_it_is_asked_for() {
    let lab = Lab::new();
    let said = |help: &str| {
        format!(
            "error[GXF_FAILURE]: an instance of `abi::Worker` could not be created\n --> app.yaml:4:9\n  \
             |\n4 |   type: abi::Worker\n  |         ^^^^^^^^^^^\n{help}\nerror: cannot load the app \
             'app.yaml': 1 error\n"
        )
    };
    lab.extension("lab.so", &[("CREATE_BEGINS", "return NULL")]);
    lab.run(&["lab.so"]).failed(LOAD, &said(""));
    let with_text = "return host->report_error(text(\"no device\")), NULL";
    lab.extension("lab.so", &[("CREATE_BEGINS", with_text)]);
    lab.run(&["lab.so"]).failed(LOAD, &said("  |\n  = help: cause: no device\n"));
}

#[test]
fn error_of_a_codelet_names_everything() {
    let lab = Lab::new();
    let said = |stage: &str, code: &str, cause: &str| {
        format!(
            "error: the graph failed\n  because: entity `worker`, component `codelet` of type \
             abi::Worker (extension Lab): {stage} failed with {code}\n{cause}\
             note: the component that failed\n --> app.yaml:4:9\n  |\n4 |   type: abi::Worker\n  \
             |         ^^^^^^^^^^^\n"
        )
    };
    let with_text = "return failed(GxeResultCode_OUT_OF_MEMORY, \"the camera is gone\")";
    for (place, stage) in
        [("START_BEGINS", "start"), ("TICK_BEGINS", "tick"), ("STOP_BEGINS", "stop")]
    {
        lab.extension("lab.so", &[(place, with_text)]);
        let because = "    because: the camera is gone\n";
        lab.run(&["lab.so"]).failed(RUN, &said(stage, "GXF_OUT_OF_MEMORY", because));
    }
    lab.extension("lab.so", &[("TICK_BEGINS", "return GxeResultCode_OUT_OF_MEMORY")]);
    lab.run(&["lab.so"]).failed(RUN, &said("tick", "GXF_OUT_OF_MEMORY", ""));
    lab.extension("lab.so", &[("TICK_BEGINS", "return 4711")]);
    lab.run(&["lab.so"]).failed(RUN, &said("tick", "result code 4711", ""));
}

/// What is said of a file that is no library.
fn not_a_library(name: &str, why: &str) -> String {
    let error =
        format!("[GXF_EXTENSION_NO_FACTORY]: `DIR/{name}` is not an extension library: {why}");
    refusal(2, name, &error, "")
}

#[test]
fn files_that_are_no_libraries_are_refused() {
    let lab = Lab::new();
    lab.write("lab.so", "");
    lab.run(&["lab.so"]).failed(LOAD, &not_a_library("lab.so", "the file is empty"));
    lab.write("lab.so", "extensions: []\n");
    lab.run(&["lab.so"]).failed(LOAD, &not_a_library("lab.so", "it is not an ELF file"));

    lab.extension("lab.so", &[]);
    let library = std::fs::read(lab.path.join("lab.so")).unwrap();
    let changed = |place: usize, byte: u8, why: &str| {
        let mut bytes = library.clone();
        bytes[place] = byte;
        lab.write("changed.so", bytes);
        lab.run(&["changed.so"]).failed(LOAD, &not_a_library("changed.so", why));
    };
    // The fields of an ELF header: the word size and the machine (40: 32-bit Arm).
    changed(4, 1, "it is not a 64-bit library");
    let here = if cfg!(target_arch = "aarch64") { "64-bit Arm" } else { "x86-64" };
    changed(18, 40, &format!("it is for 32-bit Arm, and this is {here}"));

    lab.write("main.c", "int main(void) { return 0; }");
    lab.compile("CC", "cc", &["main.c", "-o", "fixed", "-no-pie"]);
    let why = "it is an ELF file, but not a shared library";
    lab.run(&["fixed"]).failed(LOAD, &not_a_library("fixed", why));
    lab.compile("CC", "cc", &["main.c", "-o", "program", "-pie", "-fPIE"]);
    let error = "[GXF_EXTENSION_FILE_NOT_FOUND]: the system cannot open `DIR/program`";
    let cause = "DIR/program: cannot dynamically load position-independent executable";
    lab.run(&["program"]).failed(LOAD, &refusal(2, "program", error, cause));
}

#[test]
fn cut_off_library_is_refused_at_every_length() {
    let lab = Lab::new();
    lab.extension("lab.so", &[]);
    let library = std::fs::read(lab.path.join("lab.so")).unwrap();
    let header = "its ELF header is damaged or cut off";
    let rest = "the file is cut off";
    let size = library.len();
    let cuts = [
        (1, "it is not an ELF file"),
        (4, header),
        (5, header),
        (16, header),
        (63, header),
        (64, header),
        (100, header),
        (1000, rest),
        (4096, rest),
        (size / 2, rest),
        (size / 4 * 3, rest),
        (size - 1, rest),
    ];
    for (length, why) in cuts {
        lab.write("cut.so", &library[..length]);
        lab.run(&["cut.so"]).failed(LOAD, &not_a_library("cut.so", why));
    }
}

#[test]
fn libraries_that_are_no_extensions_are_refused() {
    let lab = Lab::new();
    let without = "[GXF_EXTENSION_NO_FACTORY]: `DIR/lab.so` is a shared library, but not a gxe \
                   extension: it exports no symbol `GXF_EXT_FACTORY`";
    let other = "[GXF_FACTORY_INCOMPATIBLE]: `DIR/lab.so` exports `GXF_EXT_FACTORY`, but it is not a \
                 gxe extension descriptor";
    let cases: [(&str, &[&str], &str); 4] = [
        ("int nothing;", &[], without),
        ("int nothing;", &["-Wl,--defsym=GXF_EXT_FACTORY=0"], without),
        ("int GXF_EXT_FACTORY(void **result) { *result = 0; return 0; }", &[], other),
        ("char pad = 1; char GXF_EXT_FACTORY[99] = {1};", &[], other),
    ];
    for (code, arguments, error) in cases {
        lab.library("lab.so", code, arguments);
        lab.run(&["lab.so"]).failed(LOAD, &refusal(2, "lab.so", error, ""));
    }
}

#[test]
fn what_a_library_lacks_is_named() {
    let lab = Lab::new();
    let use_it = "int helper(void); int use(void) { return helper(); }";

    lab.library("lab.so", use_it, &["-Wl,--as-needed"]);
    let undefined = "[GXF_EXTENSION_FILE_NOT_FOUND]: `DIR/lab.so` needs the symbol `helper`, and is \
                     linked with no library; link it with the library that defines it";
    let cause = "DIR/lab.so: undefined symbol: helper";
    lab.run(&["lab.so"]).failed(LOAD, &refusal(2, "lab.so", undefined, cause));

    // A library that is there, but too old, as the system's C library may be.
    let helper = "int helper(void) { return 1; }";
    lab.write("versions", "NEW { global: *; };");
    let with_versions = ["-Wl,--version-script=versions"];
    lab.library("libhelper.so", helper, &with_versions);
    lab.library("lab.so", use_it, &["-L.", "-lhelper", "-Wl,-rpath,$ORIGIN"]);
    lab.write("versions", "OLD { global: *; };");
    lab.library("libhelper.so", helper, &with_versions);
    let cause = "DIR/libhelper.so: version `NEW' not found (required by DIR/lab.so)";
    let too_old = "[GXF_EXTENSION_FILE_NOT_FOUND]: `DIR/lab.so` needs `NEW` of `DIR/libhelper.so`, \
                   and the one here does not have it; build the extension on this system or an \
                   older one";
    lab.run(&["lab.so"]).failed(LOAD, &refusal(2, "lab.so", too_old, cause));

    std::fs::remove_file(lab.path.join("libhelper.so")).unwrap();
    let missing = "[GXF_EXTENSION_FILE_NOT_FOUND]: `DIR/lab.so` needs the library `libhelper.so`, \
                   which is missing; install it or add its folder to LD_LIBRARY_PATH";
    let cause = "libhelper.so: cannot open shared object file: No such file or directory";
    lab.run(&["lab.so"]).failed(LOAD, &refusal(2, "lab.so", missing, cause));
}

#[test]
fn nvidia_extension_is_recognised() {
    let lab = Lab::new();
    let code =
        "extern \"C\" int GxfExtensionFactory(void** result) { *result = new int; return 0; }";
    lab.write("nvidia.cpp", code);
    let error = "[GXF_EXTENSION_NO_FACTORY]: `DIR/libgxf_camera.so` is an extension for NVIDIA's own \
                 runtime (it exports `GxfExtensionFactory`, C++ ABI). gxe cannot load its binary: \
                 build its source against gxe's C++ headers, or ask its author for a gxe build";
    let expected = refusal(2, "libgxf_camera.so", error, "");
    let arguments = ["-shared", "-fPIC", "nvidia.cpp", "-o", "libgxf_camera.so"];
    lab.compile("CXX", "c++", &arguments);
    lab.run(&["libgxf_camera.so"]).failed(LOAD, &expected);
    // It is recognised too when NVIDIA's libraries, which it needs, are not there.
    lab.library("libgxf_core.so", "int GxfContextCreate(void) { return 0; }", &[]);
    let needs = ["-Wl,--no-as-needed", "-L.", "-lgxf_core"];
    lab.compile("CXX", "c++", &[&arguments[..], &needs].concat());
    std::fs::remove_file(lab.path.join("libgxf_core.so")).unwrap();
    lab.run(&["libgxf_camera.so"]).failed(LOAD, &expected);
}

#[test]
fn missing_library_is_shown_with_all_places() {
    let lab = Lab::new();
    lab.write("manifest.yaml", "extensions:\n  - gxf/lab/lab.so\n  - nowhere.so\n");
    std::fs::create_dir_all(lab.path.join("libs/nowhere.so")).unwrap();
    lab.gxe(&["--app", "app.yaml", "--manifest", "manifest.yaml", "--extension-path", "libs"])
        .failed(
        LOAD,
        "error[GXF_EXTENSION_FILE_NOT_FOUND]: cannot find extension library `gxf/lab/lab.so`; looked for gxf/lab/lab.so, libs/gxf/lab/lab.so, libs/lab.so, EXE/gxf/lab/lab.so, EXE/lab.so
 --> manifest.yaml:2:5
  |
2 |   - gxf/lab/lab.so
  |     ^^^^^^^^^^^^^^
  |
  = help: a relative path starts at the manifest; name more folders with --extension-path or \
         GXE_EXTENSION_PATH

error[GXF_EXTENSION_FILE_NOT_FOUND]: cannot find extension library `nowhere.so`; looked for \
         nowhere.so, libs/nowhere.so (not a file), EXE/nowhere.so
 --> manifest.yaml:3:5
  |
3 |   - nowhere.so
  |     ^^^^^^^^^^
  |
  = help: a relative path starts at the manifest; name more folders with --extension-path or \
         GXE_EXTENSION_PATH

error: cannot load the manifest 'manifest.yaml': 2 errors
",
    );
}

#[test]
fn library_is_found_beside_the_manifest_and_by_its_name() {
    let lab = Lab::new();
    std::fs::create_dir_all(lab.path.join("libs/deep")).unwrap();
    lab.extension("libs/deep/lab.so", &[]);
    lab.write("libs/manifest.yaml", "extensions:\n- deep/lab.so\n");
    assert_eq!(
        lab.gxe(&["--app", "app.yaml", "--manifest", "libs/manifest.yaml"]).succeeded("src/host/"),
        TICKS
    );

    lab.write("manifest.yaml", "extensions:\n- gxf/lab/lab.so\n");
    let by_name =
        ["--app", "app.yaml", "--manifest", "manifest.yaml", "--extension-path", "libs/deep"];
    assert_eq!(lab.gxe(&by_name).succeeded("src/host/"), TICKS);
    lab.write("manifest.yaml", format!("extensions: [{}/libs/deep/lab.so]\n", lab.path.display()));
    assert_eq!(
        lab.gxe(&["--app", "app.yaml", "--manifest", "manifest.yaml"]).succeeded("src/host/"),
        TICKS
    );
}

#[test]
fn standard_extension_is_built_in_whatever_lies_there() {
    let lab = Lab::new();
    lab.extension("lab.so", &[]);
    let libraries = ["gxf/std/libgxf_std.so", "lab.so"];
    assert_eq!(lab.run(&libraries).succeeded("src/host/"), TICKS);
    std::fs::create_dir_all(lab.path.join("gxf/std")).unwrap();
    lab.write("gxf/std/libgxf_std.so", "NVIDIA's, for another runtime");
    assert_eq!(lab.run(&libraries).succeeded("src/host/"), TICKS);
}

/// GXF's C API as extensions use it: they leave its functions undefined and get those of the
/// program that loads them.
#[test]
fn extension_finds_the_c_api_in_the_program() {
    const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/abi/c_api.c");
    const INCLUDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plugin-abi/include");
    /// A clock that began at a time of its own, and no term: the codelet itself ends the run.
    const APP: &str = "\
name: asker
components:
- type: abi::Asker
---
name: scheduler
components:
- name: clock
  type: nvidia::gxf::ManualClock
  parameters:
    initial_timestamp: 42
- type: nvidia::gxf::GreedyScheduler
  parameters:
    clock: clock
";
    let lab = Lab::new();
    let arguments = ["-std=gnu11", "-shared", "-fPIC", "-fvisibility=hidden", "-I", INCLUDE];
    lab.compile("CC", "cc", &[&arguments[..], &[SOURCE, "-o", "asker.so"]].concat());
    lab.write("manifest.yaml", "extensions: [asker.so]\n");
    lab.write("asker.yaml", APP);
    let ended = lab.gxe(&["--app", "asker.yaml", "--manifest", "manifest.yaml"]);
    assert_eq!(
        ended.succeeded("c_api.c"),
        [
            "clock is a nvidia::gxf::ManualClock that began at 42",
            "destroy: GXF_CONTEXT_INVALID",
            "severity: GXF_SUCCESS",
        ]
    );
}
