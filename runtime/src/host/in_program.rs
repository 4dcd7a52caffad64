//! Extensions that are part of the program instead of a library.

#![expect(unsafe_code, reason = "the host table is called with the pointers of extensions")]

use crate::context::Context;
use gxf_app::error::{Error, Result};
use gxf_plugin::descriptor;
use gxf_plugin_abi::ResultCode;
use std::ffi::c_void;
use std::path::Path;

impl Context {
    /// Adds an extension that is part of the program: its descriptor, or an object of the C++
    /// headers' `DefaultExtension`.
    ///
    /// # Errors
    /// `ARGUMENT_NULL`, `FACTORY_INCOMPATIBLE`, `FACTORY_DUPLICATE_TID`, `FACTORY_INVALID_INFO`, …
    ///
    /// # Safety
    /// The address must be readable. A descriptor there must stay valid as long as the process.
    pub unsafe fn load_extension_at(&self, extension: *const c_void) -> Result<()> {
        if extension.is_null() {
            let text = "the address of the extension is null";
            return Err(Error::new(ResultCode::ARGUMENT_NULL, text));
        }
        // The empty path means the runtime's own types.
        let path = Path::new("<program>");
        // SAFETY: the address is that of a descriptor that stays valid as long as the process, or
        // of such an object. Anything else that can be read is refused.
        let library = unsafe { descriptor::library_at(extension) };
        let (info, types) = descriptor::read_library(&library, path)?;
        self.inner().take_extension(path, info, types)
    }
}
