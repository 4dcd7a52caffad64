//! GXF's C API as extensions meet it: `gxe` exports the functions, and an extension that leaves them
//! undefined gets those of the program that loads it.

#[path = "abi/lab.rs"]
mod lab;

use lab::Lab;

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

#[test]
fn extension_finds_the_functions_in_the_program() {
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
            "severity: GXF_NOT_IMPLEMENTED",
        ]
    );
}
