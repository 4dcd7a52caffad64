//! The interpreter: that of the process, else that of the machine.
//!
//! Without one in the process, the program `python3` is asked where its library is. The first of
//! these counts: `$GXE_PYTHON`, `$VIRTUAL_ENV/bin/python3`, `python3` in `$PATH`.

#![expect(unsafe_code, reason = "reads the table that the Python module publishes")]

use crate::library::Library;
use gxf::host::{check, host};
use gxf::{Error, Result, ResultCode};
use gxf_python_bridge::{Bridge, CAPSULE, VERSION};
use parking_lot::Mutex;
use std::path::PathBuf;
use std::process::{Command, Stdio};

static BRIDGE: Mutex<Option<&'static Bridge>> = Mutex::new(None);

/// Prints the version, the program and that behind it, the possible places of the library, an empty
/// line, and `sys.path`.
const QUESTION: &str = "\
import os, sys, sysconfig
get = sysconfig.get_config_var
print(sys.version.split()[0])
print(sys.executable or '')
print(getattr(sys, '_base_executable', sys.executable) or '')
names = [name for name in (get('INSTSONAME'), get('LDLIBRARY')) if name and '.so' in name]
names.append('libpython%d.%d.so.1.0' % sys.version_info[:2])
folders = [get('LIBDIR'), os.path.join(sys.base_prefix, 'lib'), get('LIBPL')]
print('\\n'.join(os.path.join(folder, name) for folder in folders if folder for name in names))
print('\\n'.join(names))
print()
print('\\n'.join(path for path in sys.path if path))";

/// What a Python program said about itself.
struct Answer {
    /// The program, for messages.
    program: PathBuf,
    version: String,
    /// The program and that behind it, as Python names them: a virtual environment has one of its own.
    executables: [String; 2],
    libraries: Vec<PathBuf>,
    paths: Vec<String>,
}

fn failed(text: String) -> Error {
    Error::new(ResultCode::FAILURE, text)
}

/// The table of the Python module; the first call starts the interpreter if there is none.
pub fn bridge() -> Result<&'static Bridge> {
    let mut known = BRIDGE.lock();
    if let Some(bridge) = *known {
        return Ok(bridge);
    }
    let (library, statements) = match Library::of_process().filter(Library::is_initialized) {
        Some(library) => (library, String::new()),
        None => {
            let answer = ask()?;
            let library = open(&answer)?;
            library.initialize();
            (library, statements(&answer))
        }
    };
    let found = library.import(&statements, CAPSULE).map_err(|exception| {
        failed(format!(
            "codelets in Python need the package `gxe` in the Python that executes them: \
             {exception}; install it with `pip install gxe`, or name another Python with GXE_PYTHON"
        ))
    })?;
    // SAFETY: the capsule of this name holds a table that lives as long as the process.
    let bridge: &'static Bridge = unsafe { &*found.cast() };
    if bridge.version != VERSION {
        return Err(failed(format!(
            "the Python package `gxe` is of another version than this gxe (bridge {} instead of \
             {VERSION})",
            bridge.version
        )));
    }
    // SAFETY: the host's table lives as long as the process.
    check(unsafe { (bridge.attach)(host()) })?;
    *known = Some(bridge);
    Ok(bridge)
}

/// The program to ask, and how it was chosen.
fn program() -> (PathBuf, &'static str) {
    let of = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(program) = of("GXE_PYTHON") {
        return (program, "GXE_PYTHON");
    }
    match of("VIRTUAL_ENV") {
        Some(folder) => (folder.join("bin/python3"), "VIRTUAL_ENV"),
        None => (PathBuf::from("python3"), "PATH"),
    }
}

fn ask() -> Result<Answer> {
    let (program, means) = program();
    let advice = "set GXE_PYTHON to the Python program to use";
    let asked = Command::new(&program).args(["-c", QUESTION]).stdin(Stdio::null()).output();
    let output = asked.map_err(|error| {
        failed(format!(
            "codelets in Python need Python, and `{}` (from {means}) cannot be started: {error}; \
             {advice}",
            program.display()
        ))
    })?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = text.lines().map(str::to_owned);
    match (output.status.success(), lines.next(), lines.next(), lines.next()) {
        (true, Some(version), Some(executable), Some(base)) => {
            let executables = [executable, base];
            let libraries = lines.by_ref().take_while(|line| !line.is_empty());
            let libraries = libraries.map(PathBuf::from).collect();
            Ok(Answer { program, version, executables, libraries, paths: lines.collect() })
        }
        _ => Err(failed(format!(
            "`{}` (from {means}) does not say where its library is: {}; {advice}",
            program.display(),
            String::from_utf8_lossy(&output.stderr).trim()
        ))),
    }
}

fn open(answer: &Answer) -> Result<Library> {
    let mut problem = "it has no shared library".to_owned();
    for path in &answer.libraries {
        // A bare name is looked for by the dynamic linker.
        if path.is_absolute() && !path.is_file() {
            continue;
        }
        match Library::open(path) {
            Ok(library) => return Ok(library),
            Err(text) => problem = text,
        }
    }
    let Answer { program, version, .. } = answer;
    let release: String = version.splitn(3, '.').take(2).collect::<Vec<_>>().join(".");
    Err(failed(format!(
        "Python {version} (`{}`) has no shared library that can be opened: {problem}; install \
         libpython{release}, or name another Python with GXE_PYTHON",
        program.display()
    )))
}

/// Makes the interpreter that of the asked program, which processes of codelets are started by: its name, and
/// what it looks through, a virtual environment's packages above all.
fn statements(answer: &Answer) -> String {
    use std::fmt::Write as _;
    // Written as numbers, so that no character has a meaning.
    let literal = |text: &str| {
        let bytes: Vec<String> = text.bytes().map(|byte| byte.to_string()).collect();
        format!("bytes([{}]).decode('utf-8', 'surrogateescape')", bytes.join(", "))
    };
    let mut text = "import sys, site\n".to_owned();
    for (name, path) in ["executable", "_base_executable"].iter().zip(&answer.executables) {
        _ = writeln!(text, "sys.{name} = {} or sys.{name}", literal(path));
    }
    for path in &answer.paths {
        _ = writeln!(text, "_p = {}", literal(path));
        text.push_str("if _p not in sys.path: site.addsitedir(_p)\n");
        text.push_str("if _p not in sys.path: sys.path.append(_p)\n");
    }
    text
}
