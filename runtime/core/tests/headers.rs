//! The headers of the C API: C and C++ compilers accept each alone and twice, and they declare what
//! the library exports.

mod support;

use std::collections::BTreeSet;
use std::process::Command;
use support::{Lab, ended_well, include, library_folder};

const HEADERS: [&str; 3] = ["gxf/core/gxf.h", "gxf/core/gxf_ext.h", "gxf/core/gxf_objects.hpp"];
const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

#[track_caller]
fn accepted(lab: &Lab, variable: &str, compiler: &str, standard: &str, file: &str) {
    let include = include();
    let include = include.to_str().expect("a path in UTF-8");
    let rest = [standard, "-fsyntax-only", "-I", include, file];
    lab.compile(variable, compiler, &[&WARNINGS[..], &rest].concat());
}

#[test]
fn c_takes_each_header_alone_and_twice() {
    let lab = Lab::new();
    for header in HEADERS.iter().filter(|header| header.ends_with(".h")) {
        let one = format!("#include \"{header}\"\n");
        for standard in ["-std=c11", "-std=c17"] {
            for content in [one.clone(), one.repeat(2)] {
                lab.write("one.c", content + "int main(void) { return 0; }\n");
                accepted(&lab, "CC", "cc", standard, "one.c");
            }
        }
    }
}

#[test]
fn cpp_takes_each_header_alone_and_twice() {
    let lab = Lab::new();
    for header in HEADERS {
        let one = format!("#include \"{header}\"\n");
        for standard in ["-std=c++17", "-std=c++20"] {
            for content in [one.clone(), one.repeat(2)] {
                lab.write("one.cpp", content + "int main() { return 0; }\n");
                accepted(&lab, "CXX", "c++", standard, "one.cpp");
            }
        }
    }
}

/// Features of C++ only: default arguments, comparisons of type ids.
#[test]
fn cpp_has_more() {
    let lab = Lab::new();
    lab.write(
        "more.cpp",
        "#include \"gxf/core/gxf.h\"\n\
         gxf_result_t load(gxf_context_t context) {\n\
         \x20 GxfGraphLoadFileExtended(context, \"a\", \"b\");\n\
         \x20 GxfGraphParseString(context, \"a\");\n\
         \x20 return GxfGraphLoadFile(context, \"a\");\n\
         }\n\
         bool less(gxf_tid_t a, gxf_tid_t b) { return a < b || a == b || a != b; }\n\
         gxf_context_t none = kNullContext;\n",
    );
    accepted(&lab, "CXX", "c++", "-std=c++17", "more.cpp");
}

/// A stand-in for yaml-cpp with the parts that the overloads use.
const YAML_CPP: &str = "\
#include <string>
namespace YAML {
class Node { public: std::string text; };
Node Load(const std::string& input) { Node node; node.text = input; return node; }
std::string Dump(const Node& node) { return node.text; }
}
";

#[test]
fn yaml_nodes_of_cpp_programs_become_text() {
    let lab = Lab::new();
    lab.write(
        "node.cpp",
        format!(
            "#include \"gxf/core/gxf.h\"\n{YAML_CPP}\
             int main() {{\n\
             \x20 gxf_context_t context;\n\
             \x20 gxf_uid_t eid, cid;\n\
             \x20 gxf_tid_t tid;\n\
             \x20 GxfContextCreate(&context);\n\
             \x20 GxfEntityCreate(context, &eid);\n\
             \x20 GxfComponentTypeId(context, \"nvidia::gxf::ManualClock\", &tid);\n\
             \x20 GxfComponentAdd(context, eid, tid, \"clock\", &cid);\n\
             \x20 YAML::Node in, out;\n\
             \x20 in.text = \"5\";\n\
             \x20 const char* key = \"initial_timestamp\";\n\
             \x20 if (GxfParameterSetFromYamlNode(context, cid, key, &in, \"\") != GXF_SUCCESS) return 1;\n\
             \x20 if (GxfParameterGetAsYamlNode(context, cid, key, &out) != GXF_SUCCESS) return 2;\n\
             \x20 if (out.text != \"5\") return 3;\n\
             \x20 in.text = \"many\";\n\
             \x20 if (GxfParameterSetFromYamlNode(context, cid, key, &in, \"\") !=\n\
             \x20     GXF_PARAMETER_PARSER_ERROR) return 4;\n\
             \x20 return GxfContextDestroy(context) == GXF_SUCCESS ? 0 : 5;\n\
             }}\n"
        ),
    );
    let folder = library_folder();
    let folder = folder.to_str().expect("a path in UTF-8");
    let path = include();
    let rest = [
        "-std=c++17",
        "-I",
        path.to_str().expect("a path in UTF-8"),
        "node.cpp",
        "-o",
        "node",
        "-L",
        folder,
        "-lgxf_core",
        &format!("-Wl,-rpath,{folder}"),
    ];
    lab.compile("CXX", "c++", &[&WARNINGS[..], &rest].concat());
    // Cargo's path may contain folders with an older library.
    let output = Command::new(lab.path().join("node")).env_remove("LD_LIBRARY_PATH").output();
    ended_well(&output.expect("the program starts"));
}

/// The names of all functions that the headers declare, except those they define themselves.
fn declared() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for header in HEADERS.iter().filter(|header| header.ends_with(".h")) {
        let text = std::fs::read_to_string(include().join(header)).expect("a header");
        let mut comment = false;
        for line in text.lines() {
            comment |= line.trim_start().starts_with("/*");
            let code = !comment && !line.starts_with(' ') && !line.starts_with("GXF_INLINE");
            comment &= !line.trim_end().ends_with("*/");
            let other = ["#", "inline", "typedef"].iter().any(|word| line.starts_with(word));
            if !code || other {
                continue;
            }
            if let Some((before, _)) = line.split_once('(') {
                found.extend(before.split_whitespace().last().map(str::to_owned));
            }
        }
    }
    found
}

#[test]
fn library_exports_what_the_headers_declare() {
    let output = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(library_folder().join("libgxf_core.so"))
        .output();
    let listed = ended_well(&output.expect("nm of binutils is needed"));
    let exported = listed.lines().filter_map(|line| line.split_whitespace().last());
    let exported: BTreeSet<String> = exported.map(str::to_owned).collect();
    let mut declared = declared();
    // GXF's 126, two each for YAML text and variables, those for prerequisites, epochs and error
    // texts, and three for small integers, which GXF only sets.
    assert_eq!(declared.len(), 136);
    // What `gxf/sdk/host.hpp` and `gxf/sdk/announce.hpp` declare.
    declared.extend(["GxeGetHostTable", "GxeAnnounceStandIn"].map(str::to_owned));
    assert_eq!(exported, declared);
}

/// The conformance suite covers every function.
#[test]
fn suite_calls_every_function() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance");
    let files = std::fs::read_dir(folder).expect("the folder of the suite");
    let text: String = files
        .filter_map(|file| std::fs::read_to_string(file.ok()?.path()).ok())
        .collect::<String>()
        // There, the lists of texts join two names.
        .replace("##NAME##", "*");
    let missing: Vec<String> = declared()
        .into_iter()
        .filter(|name| {
            let pattern = ["Float64", "UInt64", "Int64", "Int32"].iter().find_map(|kind| {
                let start = name.find(kind)?;
                Some(format!("{}*{}", &name[..start], &name[start + kind.len()..]))
            });
            !text.contains(name) && !pattern.is_some_and(|pattern| text.contains(&pattern))
        })
        .collect();
    assert_eq!(missing, Vec::<String>::new());
}
