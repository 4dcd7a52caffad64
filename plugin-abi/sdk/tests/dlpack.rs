//! DLPack with real NumPy and PyTorch: `dlpack_numpy.py` and `dlpack_torch.py` check the tensors of
//! `examples/dlpack.rs`.
//!
//! NumPy comes from the system, or is installed into a build folder. PyTorch is too large to
//! install: it comes from `python3`, or from the Python that `GXE_TORCH_PYTHON` names. If there is
//! none, the test says so and checks nothing.

use std::path::{Path, PathBuf};
use std::process::Command;

fn has(python: &Path, module: &str) -> bool {
    let import = Command::new(python).args(["-c", &format!("import {module}")]).output();
    import.is_ok_and(|output| output.status.success())
}

/// A Python that has NumPy.
fn python_with_numpy() -> Result<PathBuf, String> {
    let system = PathBuf::from("python3");
    if has(&system, "numpy") {
        return Ok(system);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("numpy");
    let python = folder.join("bin/python");
    if has(&python, "numpy") {
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

/// Runs a script with the example's library.
fn agrees(python: &Path, script: &str) {
    // Test programs are in `target/PROFILE/deps`, examples next to that folder.
    let program = std::env::current_exe().expect("a test knows where it is");
    let profile = program.ancestors().nth(2).expect("a profile's folder");
    let library = profile.join("examples/libdlpack.so");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(script);
    let mut command = Command::new(python);
    let output = command.arg("-B").arg(script).arg(&library).output().expect("Python starts");
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}: {said}{complained}", library.display());
    assert!(said.trim_end().ends_with("agrees"), "{said}");
}

#[test]
fn numpy_agrees() {
    match python_with_numpy() {
        Ok(python) => agrees(&python, "dlpack_numpy.py"),
        Err(problem) => {
            eprintln!("SKIPPED: there is no NumPy, and it cannot be installed: {problem}");
        }
    }
}

#[test]
fn pytorch_agrees() {
    let python = std::env::var_os("GXE_TORCH_PYTHON").unwrap_or_else(|| "python3".into());
    let python = Path::new(&python);
    if has(python, "torch") {
        agrees(python, "dlpack_torch.py");
    } else {
        eprintln!("SKIPPED: {} has no PyTorch", python.display());
    }
}
