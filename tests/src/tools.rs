//! Programs that tests need besides Rust and a C compiler. scripts/bootstrap.sh installs them if it
//! can. A test without its program fails and says so, rather than pass without testing anything.

use std::process::Command;

/// Whether a program is installed. `GXE_TESTS_WITHOUT` lists programs that the tester does not
/// have, separated by commas: tests skip what needs them.
///
/// # Panics
/// If the program is missing and not listed.
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
