//! Explains why a file cannot be opened as a library.
//!
//! The system's loader maps a library before it inspects it, and a truncated file can end the
//! process, so the headers are checked first. If the system's loader fails, its text is completed:
//! which library is missing, or that it is an NVIDIA extension.

use gxf_app::error::{Error, Result};
use gxf_plugin_abi::{EXTENSION_SYMBOL, ResultCode};
use object::elf;
use object::read::elf::{ElfFile64, FileHeader, ProgramHeader, SectionHeader};
use object::{Endianness, Object, ObjectSymbol, ReadCache};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
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

/// Checks the headers of a library against its size. `file` has its content.
pub fn check(path: &Path, file: &Path) -> Result<()> {
    let cannot_read = |error: std::io::Error| {
        Error::new(
            ResultCode::EXTENSION_FILE_NOT_FOUND,
            format!("cannot read extension library `{}`", path.display()),
        )
        .caused_by(error)
    };
    let mut file = File::open(file).map_err(cannot_read)?;
    let size = file.metadata().map_err(cannot_read)?.len();
    // Linkers put the headers at the start; a few pages are enough.
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
        let other = match machine {
            elf::EM_X86_64 => "x86-64".to_owned(),
            elf::EM_AARCH64 => "64-bit Arm".to_owned(),
            elf::EM_ARM => "32-bit Arm".to_owned(),
            elf::EM_RISCV => "RISC-V".to_owned(),
            elf::Machine(number) => format!("machine type {number}"),
        };
        let what = format!("it is for {other}, and this is {}", MACHINE.1);
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
    // Opening a library does not need its section headers, but they are at its end: if they are
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

/// Explains why the system's loader or the look-up of the symbol failed.
pub fn explain(path: &Path, problem: &crate::descriptor::OpenError) -> Error {
    use crate::descriptor::OpenError;
    match problem {
        OpenError::Failed(code) => {
            let text = format!("`{}`: its `{NVIDIA_SYMBOL}` failed with {code}", path.display());
            Error::new(*code, text)
        }
        _ if is_nvidia(path) => Error::new(
            ResultCode::EXTENSION_NO_FACTORY,
            format!(
                "`{}` is an extension for NVIDIA's own runtime (it exports `{NVIDIA_SYMBOL}`, C++ \
                 ABI). gxe cannot load its binary: build its source against gxe's C++ headers, or \
                 ask its author for a gxe build",
                path.display()
            ),
        ),
        OpenError::NoSymbol => Error::new(
            ResultCode::EXTENSION_NO_FACTORY,
            format!(
                "`{}` is a shared library, but not a gxe extension: it exports no symbol \
                 `{EXTENSION_SYMBOL}`",
                path.display()
            ),
        ),
        OpenError::Refused(text) => {
            let error = match Refusal::read(text, path) {
                Refusal::Library(name) => format!(
                    "`{}` needs the library `{name}`, which is missing; install it or add its \
                     folder to LD_LIBRARY_PATH",
                    path.display()
                ),
                Refusal::Symbol(name) => format!(
                    "`{}` needs the symbol `{name}`, and {}; link it with the library that defines \
                     it",
                    path.display(),
                    match needed(path).as_slice() {
                        [] => "is linked with no library".to_owned(),
                        names =>
                            format!("no library it is linked with defines it: {}", names.join(", ")),
                    }
                ),
                Refusal::Version { version, library } => format!(
                    "`{}` needs `{version}` of `{library}`, and the one here does not have it; \
                     build the extension on this system or an older one",
                    path.display()
                ),
                Refusal::Other => format!("the system cannot open `{}`", path.display()),
            };
            Error::new(ResultCode::EXTENSION_FILE_NOT_FOUND, error).caused_by(text.clone())
        }
    }
}

/// What the system's loader is missing.
#[derive(Debug, PartialEq, Eq)]
enum Refusal<'text> {
    /// A library that the extension needs, directly or indirectly.
    Library(&'text str),
    /// A function or variable.
    Symbol(&'text str),
    /// A newer version of a library.
    Version { version: &'text str, library: &'text str },
    /// Something else.
    Other,
}

impl<'text> Refusal<'text> {
    /// Parses the loader's text about the library at `path`.
    fn read(text: &'text str, path: &Path) -> Self {
        if let Some((name, _)) = text.split_once(": cannot open shared object file: No such file")
            && Path::new(name) != path
        {
            return Self::Library(name);
        }
        if let Some((_, symbol)) = text.split_once(": undefined symbol: ") {
            return Self::Symbol(symbol.split(',').next().unwrap_or(symbol));
        }
        if let Some((library, rest)) = text.split_once(": version `")
            && let Some((version, _)) = rest.split_once("' not found")
        {
            return Self::Version { version, library };
        }
        Self::Other
    }
}

/// The libraries that a library depends on.
pub(super) fn needed(path: &Path) -> Vec<String> {
    let Ok(data) = std::fs::read(path) else { return Vec::new() };
    let Ok(file) = ElfFile64::<Endianness>::parse(&*data) else { return Vec::new() };
    let imports = file.import_libraries().into_iter().flatten().flatten();
    imports.map(|import| String::from_utf8_lossy(import.name()).into_owned()).collect()
}

/// Whether a constant or variable in a library is a type's name, which ends with a zero as those of
/// descriptions do. Reads only their sections: debug information is many times as large.
pub(super) fn mentions(path: &Path, type_name: &str) -> bool {
    let text = [type_name.as_bytes(), b"\0"].concat();
    let found = || -> Option<bool> {
        let file = File::open(path).ok()?;
        let size = file.metadata().ok()?.len();
        let cache = ReadCache::new(&file);
        let header = elf::FileHeader64::<Endianness>::parse(&cache).ok()?;
        let endian = header.endian().ok()?;
        for section in header.section_headers(endian, &cache).ok()? {
            let flags = section.sh_flags(endian);
            let is_data = section.sh_type(endian) == elf::SHT_PROGBITS
                && flags.contains(elf::SHF_ALLOC)
                && !flags.contains(elf::SHF_EXECINSTR);
            let Some((start, length)) = section.file_range(endian).filter(|_| is_data) else {
                continue;
            };
            if start.checked_add(length).is_none_or(|end| end > size) {
                return None;
            }
            let mut data = vec![0; usize::try_from(length).ok()?];
            file.read_exact_at(&mut data, start).ok()?;
            // Not as the end of a name with a namespace.
            let is_whole = |place: usize| place == 0 || data[place - 1] != b':';
            if memchr::memmem::find_iter(&data, &text).any(is_whole) {
                return Some(true);
            }
        }
        None
    };
    found().unwrap_or(false)
}

/// Whether a library exports the symbol of an extension. Reads only its symbols.
pub(super) fn is_extension(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let cache = ReadCache::new(file);
    let Ok(file) = ElfFile64::<Endianness, _>::parse(&cache) else { return false };
    let mut exported = file.dynamic_symbols().filter(ObjectSymbol::is_definition);
    exported.any(|symbol| symbol.name() == Ok(EXTENSION_SYMBOL))
}

/// Whether a library is an extension for NVIDIA's runtime.
fn is_nvidia(path: &Path) -> bool {
    let Ok(data) = std::fs::read(path) else { return false };
    let Ok(file) = ElfFile64::<Endianness>::parse(&*data) else { return false };
    let exports = |name| {
        let mut exported = file.dynamic_symbols().filter(ObjectSymbol::is_definition);
        exported.any(|symbol| symbol.name() == Ok(name))
    };
    // Extensions made with gxe's C++ headers have both.
    exports(NVIDIA_SYMBOL) && !exports(EXTENSION_SYMBOL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loaders_texts_are_understood() {
        let read = |text| Refusal::read(text, Path::new("/x/libx.so"));
        let missing = "libfoo.so.1: cannot open shared object file: No such file or directory";
        assert_eq!(read(missing), Refusal::Library("libfoo.so.1"));
        let own = "/x/libx.so: cannot open shared object file: No such file or directory";
        assert_eq!(read(own), Refusal::Other);
        assert_eq!(read("/x/libx.so: undefined symbol: cudaMalloc"), Refusal::Symbol("cudaMalloc"));
        let versioned = "/x/libx.so: undefined symbol: f, version LIB_2";
        assert_eq!(read(versioned), Refusal::Symbol("f"));
        let old = "/lib/libc.so.6: version `GLIBC_2.99' not found (required by /x/libx.so)";
        let expected = Refusal::Version { version: "GLIBC_2.99", library: "/lib/libc.so.6" };
        assert_eq!(read(old), expected);
    }
}
