//! Programs that tests need beside Rust and a C compiler. scripts/bootstrap.sh installs them where it
//! can; a test that misses one fails and says so, rather than pass without having looked.

use std::process::Command;

/// Whether a program is there. `GXE_TESTS_WITHOUT` lists those a tester does not have, separated by
/// commas: tests leave out what needs them.
///
/// # Panics
/// When the program is missing and not listed.
#[must_use]
#[track_caller]
pub fn have(program: &str) -> bool {
    if Command::new(program).arg("--version").output().is_ok() {
        return true;
    }
    let without = std::env::var("GXE_TESTS_WITHOUT").unwrap_or_default();
    assert!(
        without.split(',').any(|name| name.trim() == program),
        "`{program}` is missing: scripts/bootstrap.sh installs it on Debian and Ubuntu; \
         GXE_TESTS_WITHOUT={program} leaves out what needs it"
    );
    false
}
