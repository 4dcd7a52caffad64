//! Clients of other processes and completions across languages; what types in C++ declare.

use super::{compiled, compilers, sources, with_extension};
use expect_test::expect_file;
use gxe_tests::{Ended, Gxe, SCHEDULER};

/// A run with the extension in C++ and the one in Rust.
fn prepared(compiler: &str, app: &str) -> Gxe {
    let manifest = "extensions:\n- libgxf_std.so\n- libgxf_outside.so\n- libextension.so\n";
    let options = ["-std=c++17"];
    with_extension(compiler, "outside.cpp", &format!("{app}{SCHEDULER}"), &options)
        .file("manifest.yaml", manifest)
}

fn said(ended: &Ended) -> Vec<String> {
    let log = ended.log();
    log.iter().filter_map(|text| text.strip_prefix("outside: ")).map(str::to_owned).collect()
}

/// A user of a client.
fn pair(client: &str, user: &str) -> String {
    format!(
        "name: a\ncomponents:\n- {{name: client, type: \"{client}\"}}\n\
         - {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 1}}}}\n\
         - {{type: \"{user}\", parameters: {{client: client}}}}\n"
    )
}

#[test]
fn clients_and_their_users_may_be_in_different_languages() {
    for compiler in compilers() {
        let run = |client: &str, user: &str| prepared(compiler, &pair(client, user)).run();
        let ended = run("gxe::test::EchoClient", "outside::User");
        assert_eq!(said(&ended), ["10.0.0.9:7 query s/r, pong of p"], "{compiler}");
        ended.with_status(0).complains(
            "client `client` does not change its address to nowhere:70000: \
             GXF_ARGUMENT_OUT_OF_RANGE",
        );

        let ended = run("outside::Client", "gxe::test::ClientUser").clean();
        assert_eq!(
            said(&ended),
            [
                "changed Ok(())",
                "changed Ok(())",
                "Ok(\"10.0.0.8:70000 query s/r\")",
                "Ok(\"\")",
                "Ok(\"pong of s\")",
            ],
            "{compiler}"
        );
        let ended = run("gxe::test::SilentClient", "gxe::test::ClientUser").clean();
        assert_eq!(said(&ended).last().unwrap(), "Err(\"GXF_NOT_IMPLEMENTED\")");
    }
}

/// An entity that waits for jobs.
fn waiting(prefixes: [&str; 2], job: &str) -> String {
    let [works, waits] = prefixes;
    format!(
        "name: a\ncomponents:\n- {{name: job, type: \"{works}Job\", parameters: {{{job}}}}}\n\
         - {{name: term, type: \"{waits}CompletionTerm\", parameters: {{completion: job}}}}\n\
         - {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 50}}}}\n\
         - {{type: \"{works}JobGiver\", parameters: {{job: job, jobs: 49}}}}\n"
    )
}

#[test]
fn completions_and_who_waits_for_them_may_be_in_different_languages() {
    const RUST: &str = "gxe::test::";
    const CPP: &str = "outside::";
    for compiler in compilers() {
        for prefixes in [[CPP, RUST], [RUST, CPP], [CPP, CPP]] {
            let ended = prepared(compiler, &waiting(prefixes, "")).run().clean();
            let mut expected: Vec<_> = (1..=50).map(|number| format!("tick {number}")).collect();
            expected.push("0 tokens unused".to_owned());
            assert_eq!(said(&ended), expected, "{compiler} {prefixes:?}");

            let app = waiting(prefixes, "fail_at: 3");
            let ended = prepared(compiler, &app).run().with_status(5);
            ended.complains(&format!("component `term` of type {}CompletionTerm", prefixes[1]));
            ended.complains("check of the scheduling term failed with GXF_OUT_OF_MEMORY");
        }
    }
}

/// `gxe inspect` of the extension.
fn inspect(compiler: &str, options: &[&str], target: &str) -> Ended {
    let options = [&["-fPIC", "-shared", "-std=c++17"], options].concat();
    let library = compiled(compiler, &sources().join("outside.cpp"), "extension.so", &options);
    let gxe = Gxe::alone();
    std::fs::copy(library, gxe.folder().join("libextension.so")).expect("a copy");
    gxe.args("inspect ./libextension.so").args(target).run()
}

#[test]
fn a_type_declares_what_it_carries_and_does() {
    for compiler in compilers() {
        let ended = inspect(compiler, &[], "outside::Filter").clean();
        let (_, filter) = ended.stdout.rsplit_once("outside::Filter: ").expect("the type");
        assert_eq!(
            filter,
            "nvidia::gxf::Codelet
  Declares what it exchanges
  id 95c2e7f04b8d4a16be63d10f5a78c429, from Outside
  capturable, in place
    input   handle of nvidia::gxf::Receiver     mandatory  carries outside::Pose
        Receiver of poses
    output  handle of nvidia::gxf::Transmitter  mandatory  carries nvidia::gxf::Tensor, \
             outside::Filter::Foreign
        Transmitter of images
",
            "{compiler}"
        );
        let shown = inspect(compiler, &[], "").clean().stdout;
        for line in ["  shown as    Outside the graph\n", "  category    Tests\n"] {
            assert!(shown.contains(line), "{shown}");
        }
        let ended = inspect(compiler, &[], "outside::Inbox").clean();
        assert!(ended.stdout.ends_with("  carries outside::Pose, int64_t\n"), "{}", ended.stdout);
        let ended = inspect(compiler, &["-DMISTAKEN"], "").with_status(3);
        ended.complains("port `nothing` is no parameter");
    }
}

/// A wrong type for a reader in C++, for a queue in C++, and from a source in C.
#[test]
fn ports_that_do_not_fit_are_found_in_cpp_and_c() {
    let manifest = "extensions:\n- libgxf_std.so\n- libgxf_sample.so\n- libc_counter.so\n\
                    - libextension.so\n";
    let app = std::fs::read_to_string(sources().join("wrong_wiring.yaml")).expect("the app");
    let gxe = Gxe::alone().file("app.yaml", &app).file("manifest.yaml", manifest);
    let options = ["-fPIC", "-shared", "-std=c++17"];
    let library = compiled("g++", &sources().join("outside.cpp"), "extension.so", &options);
    std::fs::copy(library, gxe.folder().join("libextension.so")).expect("a copy");
    let ended = gxe.args("check --app app.yaml --manifest manifest.yaml").run().with_status(4);
    expect_file!["../../cpp/wrong_wiring.expected"].assert_eq(&ended.stdout);
}
