//! Kernels: names and sizes come from the PTX, the code from the twins.

use std::ffi::{CStr, c_char, c_void};

/// `struct gxe_twin` of `kernel.h`.
#[repr(C)]
struct RawTwin {
    name: *const c_char,
    run: unsafe extern "C" fn(*const c_void),
    args_size: u64,
    writes: u32,
    reads: u32,
    next: *const RawTwin,
}

unsafe extern "C" {
    static gxe_twins: *const RawTwin;
}

/// A kernel's twin.
#[derive(Clone, Copy)]
pub struct Twin {
    pub name: &'static str,
    run: unsafe extern "C" fn(*const c_void),
    pub args_size: usize,
    /// The first words of its structure: pointers to what it writes, then to what it reads.
    pub writes: usize,
    pub reads: usize,
}

impl Twin {
    /// The twin of this name.
    pub fn find(name: &str) -> Option<Self> {
        // SAFETY: constructors filled the list of constants before any function here runs.
        unsafe {
            let mut next = gxe_twins.as_ref();
            while let Some(twin) = next {
                let own = CStr::from_ptr(twin.name).to_str().unwrap_or_default();
                if own == name {
                    return Some(Self {
                        name: own,
                        run: twin.run,
                        args_size: twin.args_size as usize,
                        writes: twin.writes as usize,
                        reads: twin.reads as usize,
                    });
                }
                next = twin.next.as_ref();
            }
        }
        None
    }

    /// Runs it on arguments whose pointers the CPU can follow.
    pub fn run(&self, args: &[u64]) {
        // SAFETY: the structure is as large as the twin's, see `find`.
        unsafe { (self.run)(args.as_ptr().cast()) };
    }
}

/// The kernels of a PTX text, with the sizes of their parameters.
pub fn kernels(ptx: &str) -> Vec<(String, usize)> {
    let mut kernels = Vec::new();
    for entry in ptx.split(".entry ").skip(1) {
        let Some((name, rest)) = entry.split_once('(') else { continue };
        let parameters = rest.split(')').next().unwrap_or_default();
        let sizes = parameters.split(".param ").skip(1).filter_map(|parameter| {
            let (_, size) = parameter.split_once('[')?;
            size.split(']').next()?.parse::<usize>().ok()
        });
        kernels.push((name.trim().to_owned(), sizes.sum()));
    }
    kernels
}
