//! Says why a file is not a library that can be opened here.
//!
//! The system's loader maps a library before it looks into it, and a cut-off file can end the
//! process; so the headers are checked first. When the system's loader refuses, its text is
//! completed: which library is missing, or that it is an NVIDIA extension.

use crate::error::{Error, Result};
use gxf_plugin_abi::{EXTENSION_SYMBOL, ResultCode};
use object::elf;
use object::read::elf::{ElfFile64, FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSymbol};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Symbol of NVIDIA's C++ extensions.
const NVIDIA_SYMBOL: &str = "GxfExtensionFactory";

#[cfg(target_arch = "x86_64")]
const MACHINE: (elf::Machine, &str) = (elf::EM_X86_64, "x86-64");
#[cfg(target_arch = "aarch64")]
const MACHINE: (elf::Machine, &str) = (elf::EM_AARCH64, "64-bit Arm");

fn unusable(path: &Path, what: &str) -> Error {
    Error::new(
        ResultCode::EXTENSION_NO_FACTORY,
        format!("`{}` is not an extension library: {what}", path.display()),
    )
}

/// Checks the headers of a library against its size.
pub(crate) fn check(path: &Path) -> Result<()> {
    let cannot_read = |error: std::io::Error| {
        Error::new(
            ResultCode::EXTENSION_FILE_NOT_FOUND,
            format!("cannot read extension library `{}`", path.display()),
        )
        .caused_by(error)
    };
    let mut file = File::open(path).map_err(cannot_read)?;
    let size = file.metadata().map_err(cannot_read)?.len();
    // The headers stand at the beginning in every library linkers make; a few pages are enough.
    let mut start = Vec::new();
    (&mut file).take(1 << 16).read_to_end(&mut start).map_err(cannot_read)?;
    if start.is_empty() {
        return Err(unusable(path, "the file is empty"));
    }
    if !start.starts_with(&elf::ELFMAG) {
        return Err(unusable(path, "it is not an ELF file"));
    }
    let broken = || unusable(path, "its ELF header is damaged or cut off");
    if start.get(4).is_some_and(|class| *class != elf::ELFCLASS64.0) {
        return Err(unusable(path, "it is not a 64-bit library"));
    }
    let header = elf::FileHeader64::<Endianness>::parse(&*start).map_err(|_| broken())?;
    let endian = header.endian().map_err(|_| broken())?;
    let machine = header.e_machine(endian);
    if machine != MACHINE.0 {
        let what = format!("it is for machine type {}, and this is {}", machine.0, MACHINE.1);
        return Err(unusable(path, &what));
    }
    if header.e_type(endian) != elf::ET_DYN {
        return Err(unusable(path, "it is an ELF file, but not a shared library"));
    }
    let segments = header.program_headers(endian, &*start).map_err(|_| broken())?;
    let complete = |segment: &elf::ProgramHeader64<Endianness>| {
        let end = segment.p_offset(endian).checked_add(segment.p_filesz(endian));
        end.is_some_and(|end| end <= size)
    };
    // Section headers are not needed to open a library, but they stand at its end: where they are
    // missing, the rest may be damaged too.
    let sections = u64::from(header.e_shnum(endian)) * u64::from(header.e_shentsize(endian));
    let sections_end = header.e_shoff(endian).checked_add(sections);
    if segments.is_empty()
        || !segments.iter().all(complete)
        || sections_end.is_none_or(|end| end > size)
    {
        return Err(unusable(path, "the file is cut off"));
    }
    Ok(())
}

/// Why the system's loader or the look-up of the symbol failed.
pub(crate) fn explain(path: &Path, problem: &crate::plugin::descriptor::OpenError) -> Error {
    use crate::plugin::descriptor::OpenError;
    if is_nvidia(path) {
        return Error::new(
            ResultCode::EXTENSION_NO_FACTORY,
            format!(
                "`{}` is an extension for NVIDIA's own runtime (it exports `{NVIDIA_SYMBOL}`, C++ \
                 ABI). gxe cannot load its binary: build its source against gxe's C++ headers, or \
                 ask its author for a gxe build",
                path.display()
            ),
        );
    }
    match problem {
        OpenError::NoSymbol => Error::new(
            ResultCode::EXTENSION_NO_FACTORY,
            format!(
                "`{}` is a shared library, but not a gxe extension: it exports no symbol \
                 `{EXTENSION_SYMBOL}`",
                path.display()
            ),
        ),
        OpenError::Refused(text) => {
            let error = match missing_library(text, path) {
                Some(name) => format!(
                    "`{}` needs the library `{name}`, which is not there; install it or add its \
                     folder to LD_LIBRARY_PATH",
                    path.display()
                ),
                None => format!("the system cannot open `{}`", path.display()),
            };
            Error::new(ResultCode::EXTENSION_FILE_NOT_FOUND, error).caused_by(text.clone())
        }
    }
}

/// The library the system's loader did not find, by its text: one the library needs, or one that
/// such a library needs.
fn missing_library<'text>(text: &'text str, path: &Path) -> Option<&'text str> {
    let (name, _) = text.split_once(": cannot open shared object file: No such file")?;
    (Path::new(name) != path).then_some(name)
}

/// Whether a library is an extension for NVIDIA's runtime.
fn is_nvidia(path: &Path) -> bool {
    let Ok(data) = std::fs::read(path) else { return false };
    let Ok(file) = ElfFile64::<Endianness>::parse(&*data) else { return false };
    let mut exported = file.dynamic_symbols().filter(ObjectSymbol::is_definition);
    exported.any(|symbol| symbol.name() == Ok(NVIDIA_SYMBOL))
}
