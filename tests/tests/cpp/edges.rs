//! What happens before an extension's first call and after its last, options of compilers, and
//! yaml-cpp beside the stand-in.

use super::{compile, compiled, compilers, headers, sources};
use gxe_tests::{Ended, Gxe, SCHEDULER};
use std::path::Path;
use std::process::Command;

/// The factory of an extension whose codelet `Edge` ticks once.
const FACTORY: &str = "
GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0xed6e, 1, \"Edge\", \"Edges\", \"gxe\", \"1.0.0\", \"Apache-2.0\");
GXF_EXT_FACTORY_ADD(0xed6e, 2, Edge, nvidia::gxf::Codelet, \"Stands at the edge\");
GXF_EXT_FACTORY_END()
";

/// A codelet with this in its tick.
fn edge(before: &str, tick: &str) -> String {
    format!(
        "#include <stdexcept>\n#include \"gxf/std/codelet.hpp\"\n\
         #include \"gxf/std/extension_factory_helper.hpp\"\n{before}\n\
         class Edge : public nvidia::gxf::Codelet {{\n public:\n\
         gxf_result_t tick() override {{ {tick} }}\n}};\n{FACTORY}"
    )
}

/// A run of the codelet.
fn run(source: &str, options: &[&str]) -> Ended {
    run_with(source, options, "")
}

/// The same with more arguments of gxe.
fn run_with(source: &str, options: &[&str], arguments: &str) -> Ended {
    let gxe = Gxe::alone()
        .file("edge.cpp", source)
        .file("manifest.yaml", "extensions: [libedge.so]\n")
        .file(
            "app.yaml",
            &format!(
                "name: edge\ncomponents:\n- {{name: codelet, type: Edge}}\n\
                 - {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 1}}}}\n{SCHEDULER}"
            ),
        );
    let source = gxe.folder().join("edge.cpp");
    let options = [&["-std=c++17", "-Werror", "-fPIC", "-shared"], options].concat();
    let library = compiled("g++", &source, "edge.so", &options);
    std::fs::copy(library, gxe.folder().join("libedge.so")).expect("a copy");
    gxe.args("--app app.yaml --manifest manifest.yaml").args(arguments).run()
}

/// GXF ignores ranges, and ported apps have values outside.
#[test]
fn a_range_of_a_parameter_is_advice() {
    let register = "\
  gxf_result_t registerInterface(nvidia::gxf::Registrar* registrar) override {
    nvidia::gxf::ParameterInfo<int32_t> info{};
    info.key = \"level\";
    info.value_range = {{1, 10, 1}};
    return nvidia::gxf::ToResultCode(registrar->parameter(level_, info));
  }
  nvidia::gxf::Parameter<int32_t> level_;
";
    let source = edge("", "GXF_LOG_INFO(\"level %d\", level_.get()); return GXF_SUCCESS;")
        .replace(" public:\n", &format!(" public:\n{register}"));
    let ended = run_with(&source, &[], "--param edge/codelet/level=11").with_status(0);
    assert_eq!(ended.count("level 11"), 1, "{}", ended.stdout);
    ended.complains("`level`: `11` is out of range");
}

#[test]
fn an_exception_in_a_static_initialiser_is_told_with_the_library() {
    let before = "struct Early { Early() { throw std::runtime_error(\"out of cheese\"); } } early;";
    let ended = run(&edge(before, "return GXF_SUCCESS;"), &[]);
    assert_eq!(ended.signal, Some(6), "{}", ended.stderr);
    for text in ["out of cheese", "killed by SIGABRT while '/", "/libedge.so' was being loaded"] {
        assert!(ended.stderr.contains(text), "`{text}` is not in\n{}", ended.stderr);
    }
}

#[test]
fn destructors_log_after_the_run() {
    let before = "\
struct Late {
  const char* who;
  ~Late() { GXF_LOG_INFO(\"%s says goodbye\", who); GXF_LOG_ERROR(\"%s has an error\", who); }
};
Late of_library{\"library\"};
thread_local Late of_thread{\"thread\"};
";
    let tick = "GXF_LOG_INFO(\"%s\", of_thread.who); return GXF_SUCCESS;";
    let ended = run(&edge(before, tick), &[]);
    assert_eq!((ended.status, ended.signal), (Some(0), None), "{}", ended.stderr);
    assert_eq!(ended.count("library says goodbye"), 1, "{}", ended.stdout);
    assert_eq!(ended.count("thread says goodbye"), 1, "{}", ended.stdout);
    for who in ["library", "thread"] {
        assert!(ended.stderr.contains(&format!("{who} has an error")), "{}", ended.stderr);
    }
}

#[test]
fn destructors_call_the_host() {
    // Names, and errors that are never read.
    let before = "\
gxf_context_t known = nullptr;
struct Late {
  ~Late() {
    const auto none = nvidia::gxf::Entity::Shared(known, 12345);
    if (none && none->name() == nullptr) { GXF_LOG_INFO(\"no name\"); }
    const char* name = nullptr;
    GXF_LOG_INFO(\"code %d\", static_cast<int>(GxfEntityGetName(known, 12345, &name)));
  }
};
thread_local Late of_thread;
";
    let tick = "known = context(); (void)&of_thread; return GXF_SUCCESS;";
    let ended = run(&edge(before, tick), &[]);
    assert_eq!((ended.status, ended.signal), (Some(0), None), "{}", ended.stderr);
    assert_eq!(ended.count("code "), 1, "{}", ended.stdout);
}

#[test]
fn a_byte_that_is_not_utf8_loses_no_text() {
    let tick =
        "GXF_LOG_INFO(\"caf\\xe9 is open\"); throw std::runtime_error(\"no caf\\xe9 here\");";
    let ended = run(&edge("", tick), &[]);
    assert_eq!(ended.count("caf\u{fffd} is open"), 1, "{}", ended.stdout);
    ended.complains("no caf\u{fffd} here");
}

#[test]
fn a_parameter_that_is_registered_twice_is_named() {
    let before = "\
class Twice : public nvidia::gxf::Codelet {
 public:
  gxf_result_t registerInterface(nvidia::gxf::Registrar* registrar) override {
    nvidia::gxf::Expected<void> result;
    result &= registrar->parameter(one_, \"speed\");
    result &= registrar->parameter(two_, \"speed\");
    return nvidia::gxf::ToResultCode(result);
  }
  gxf_result_t tick() override { return GXF_SUCCESS; }
 private:
  nvidia::gxf::Parameter<int> one_;
  nvidia::gxf::Parameter<int> two_;
};
";
    let source = edge(before, "return GXF_SUCCESS;").replace(
        "GXF_EXT_FACTORY_END()",
        "GXF_EXT_FACTORY_ADD(0xed6e, 3, Twice, nvidia::gxf::Codelet, \"\")\nGXF_EXT_FACTORY_END()",
    );
    let ended = run(&source, &[]);
    assert_ne!(ended.status, Some(0));
    ended.complains(
        "Twice::registerInterface() failed with GXF_PARAMETER_ALREADY_REGISTERED: parameter `speed` \
         is registered twice",
    );
}

#[test]
fn a_parameter_that_is_parsed_in_a_tick_has_its_value_at_once() {
    let source = format!(
        "#include \"gxf/std/codelet.hpp\"\n#include \"gxf/std/extension_factory_helper.hpp\"\n{}{FACTORY}",
        "\
class Edge : public nvidia::gxf::Codelet {
 public:
  gxf_result_t registerInterface(nvidia::gxf::Registrar* registrar) override {
    return nvidia::gxf::ToResultCode(
        registrar->parameter(speed_, \"speed\", \"\", \"\", 5, GXF_PARAMETER_FLAGS_DYNAMIC));
  }
  gxf_result_t tick() override {
    const int before = speed_.get();
    if (!speed_.set(11) || !parseParameter(\"speed\", YAML::Load(\"77\"))) { return GXF_FAILURE; }
    GXF_LOG_INFO(\"speed was %d and is %d, %d\", before, speed_.get(),
                 getParameter<int>(\"speed\").value_or(0));
    const auto refused = parseParameter(\"speed\", YAML::Load(\"[1]\"));
    GXF_LOG_INFO(\"refused %d, speed %d\", !refused, speed_.get());
    GXF_LOG_INFO(\"wrong type: %s\", GxfResultStr(getParameter<double>(\"speed\").error()));
    return GXF_SUCCESS;
  }
 private:
  nvidia::gxf::Parameter<int> speed_;
};
"
    );
    let ended = run(&source, &[]).clean();
    for text in [
        "speed was 5 and is 77, 77",
        "refused 1, speed 77",
        "wrong type: GXF_PARAMETER_INVALID_TYPE",
    ] {
        assert_eq!(ended.count(text), 1, "{text}: {}", ended.stdout);
    }
}

#[test]
fn an_extension_links_without_undefined_symbols() {
    let tick = "\
gxf_uid_t found = kNullUid;
int64_t count = 0;
gxf_entity_status_t status;
GxfEntityRefCountInc(context(), eid());
GxfEntityRefCountDec(context(), eid());
GxfEntityGetRefCount(context(), eid(), &count);
GxfEntityGetStatus(context(), eid(), &status);
GxfParameterSetHandle(context(), cid(), \"any\", cid());
GxfParameterGetHandle(context(), cid(), \"any\", &found);
GXF_LOG_INFO(\"found itself: %s\", found == cid() ? \"yes\" : \"no\");
return GXF_SUCCESS;";
    let ended = run(&edge("", tick), &["-Wl,--no-undefined"]).clean();
    assert_eq!(ended.count("found itself: yes"), 1, "{}", ended.stdout);
}

/// A code that GXF does not name is told as its number.
#[test]
fn an_unknown_code_of_register_interface_is_told() {
    let before = "\
struct Odd : nvidia::gxf::Codelet {
  gxf_result_t registerInterface(nvidia::gxf::Registrar*) override {
    return static_cast<gxf_result_t>(777);
  }
  gxf_result_t tick() override { return GXF_SUCCESS; }
};
";
    let source = edge(before, "return GXF_SUCCESS;").replace(
        "GXF_EXT_FACTORY_END()",
        "GXF_EXT_FACTORY_ADD(0xed6e, 3, Odd, nvidia::gxf::Codelet, \"\")\nGXF_EXT_FACTORY_END()",
    );
    let ended = run(&source, &[]);
    assert_ne!(ended.status, Some(0));
    ended.complains("Odd::registerInterface() failed with result code 777");
}

/// The first error of a compiler.
fn first_error(compiler: &str, option: &str, header: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let unit = folder.path().join("unit.cpp");
    std::fs::write(&unit, format!("#include \"{header}\"\n")).expect("a file");
    let mut command = Command::new(compiler);
    command.args([option, "-fsyntax-only", "-Wfatal-errors", "-I"]).arg(headers()).arg(&unit);
    let output = command.output().expect("the compiler starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    said.lines().find(|line| line.contains("error")).unwrap_or_default().to_owned()
}

#[test]
fn a_compiler_is_told_in_one_line_what_the_headers_need() {
    for compiler in compilers() {
        for header in ["gxf/std/codelet.hpp", "gxf/std/tensor.hpp", "common/expected.hpp"] {
            for (option, text) in [
                ("-std=c++14", "need C++17"),
                ("-fno-exceptions", "without -fno-exceptions"),
                ("-fno-rtti", "without -fno-rtti"),
            ] {
                let said = first_error(compiler, option, header);
                assert!(said.contains(text), "{compiler} {option} {header}: {said}");
            }
        }
        // The C API alone needs none of it.
        assert_eq!(first_error(compiler, "-std=c++11", "gxf/core/gxf.h"), "");
    }
}

#[test]
fn the_stand_in_for_yaml_cpp_says_what_yaml_cpp_says() {
    let source = sources().join("uses/yaml.cpp");
    let succeeds = |program: &Path, libraries: &str| {
        let output = Command::new(program).env("LD_LIBRARY_PATH", libraries).output();
        let output = output.expect("the program starts");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{}: {said}", program.display());
    };
    succeeds(&compiled("g++", &source, "yaml", &["-std=c++17"]), "");
    // Debian's libyaml-cpp-dev, in the system or unpacked to the folder that GXE_YAML_CPP names.
    let root = std::env::var("GXE_YAML_CPP").unwrap_or_default();
    let include = format!("{root}/usr/include");
    if !Path::new(&include).join("yaml-cpp/yaml.h").exists() {
        eprintln!(
            "skipped: yaml-cpp is not installed (libyaml-cpp-dev), and GXE_YAML_CPP names none"
        );
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let libraries = format!("{root}/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    let program = folder.path().join("yaml");
    let (program_text, source_text) = (program.to_str().unwrap(), source.to_str().unwrap());
    let paths = ["-isystem", &include, "-L", &libraries];
    let rest = ["-std=c++17", source_text, "-o", program_text, "-lyaml-cpp"];
    compile("g++", &[&paths[..], &rest].concat());
    succeeds(&program, &libraries);
}
