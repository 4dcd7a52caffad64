//! DLPack with a real NumPy: `dlpack.py` checks the tensors of `examples/dlpack.rs`.
//!
//! NumPy is taken from the system, or installed into a folder of the build; where neither works
//! (no Python, no network) the test says so and checks nothing.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A Python that has NumPy.
fn python_with_numpy() -> Result<PathBuf, String> {
    let has_numpy = |python: &Path| {
        let import = Command::new(python).args(["-c", "import numpy"]).output();
        import.is_ok_and(|output| output.status.success())
    };
    let system = PathBuf::from("python3");
    if has_numpy(&system) {
        return Ok(system);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("numpy");
    let python = folder.join("bin/python");
    if has_numpy(&python) {
        return Ok(python);
    }
    let run = |command: &mut Command| match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => Err(error.to_string()),
    };
    run(Command::new(&system).args(["-m", "venv"]).arg(&folder))?;
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "numpy"]))?;
    Ok(python)
}

#[test]
fn numpy_agrees() {
    let python = match python_with_numpy() {
        Ok(python) => python,
        Err(problem) => {
            eprintln!("SKIPPED: there is no NumPy, and it cannot be installed: {problem}");
            return;
        }
    };
    // Test programs stand in `target/PROFILE/deps`, examples beside it.
    let program = std::env::current_exe().expect("a test knows where it is");
    let profile = program.ancestors().nth(2).expect("a profile's folder");
    let library = profile.join("examples/libdlpack.so");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dlpack.py");
    let output = Command::new(python).arg(script).arg(&library).output().expect("Python starts");
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}: {said}{complained}", library.display());
    assert!(said.trim_end().ends_with("agrees"), "{said}");
}
