//! Replacing one file puts another build of an extension into effect.

use gxe_tests::{Gxe, build};

#[test]
fn replacing_a_library_changes_what_an_app_does() {
    let app = "\
components:
- type: gxe::test::Speaker
- type: nvidia::gxf::CountSchedulingTerm
  parameters: {count: 1}
---
components:
- name: clock
  type: nvidia::gxf::ManualClock
- type: nvidia::gxf::GreedyScheduler
  parameters: {clock: clock}
";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("app.yaml"), app).unwrap();
    std::fs::write(folder.path().join("manifest.yaml"), "extensions: [libgxf_swap.so]\n").unwrap();
    let run = || {
        let gxe = Gxe::in_folder(folder.path()).args("--app app.yaml --manifest manifest.yaml");
        gxe.run().clean()
    };
    let put = |package| {
        // A new file in place of the old one, as an installer does it.
        let new = folder.path().join("new.so");
        std::fs::copy(build::library(package), &new).unwrap();
        std::fs::rename(new, folder.path().join("libgxf_swap.so")).unwrap();
    };

    put("gxf_swap_one");
    assert_eq!(run().count("I am the first build"), 1);
    put("gxf_swap_two");
    let second = run();
    assert_eq!(second.count("I am the first build"), 0);
    assert_eq!(second.count("I am the second build"), 1);
}
