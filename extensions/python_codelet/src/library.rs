//! The functions of Python's library that opening it takes, found by name.

#![expect(unsafe_code, reason = "Python's library is opened at run time and called by its C ABI")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::transmute_copy;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Python's library, whose functions may be called from any thread that the comments allow.
pub struct Library {
    is_initialized: unsafe extern "C" fn() -> c_int,
    initialize: unsafe extern "C" fn(c_int),
    save_thread: unsafe extern "C" fn() -> *mut c_void,
    ensure: unsafe extern "C" fn() -> c_int,
    release: unsafe extern "C" fn(c_int),
    run: unsafe extern "C" fn(*const c_char) -> c_int,
    import_capsule: unsafe extern "C" fn(*const c_char, c_int) -> *mut c_void,
    fetch: unsafe extern "C" fn(*mut *mut c_void, *mut *mut c_void, *mut *mut c_void),
    text_of: unsafe extern "C" fn(*mut c_void) -> *mut c_void,
    utf8: unsafe extern "C" fn(*mut c_void, *mut isize) -> *const c_char,
    clear: unsafe extern "C" fn(),
}

/// A function of an opened library.
///
/// # Safety
/// `F` must be the type of the function with this name.
unsafe fn function<F: Copy>(library: *mut c_void, name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: the library is open, and the name ends with a zero byte.
    let address = unsafe { libc::dlsym(library, name.as_ptr()) };
    // SAFETY: `F` is a function pointer of this size, as the caller promises and the line above
    // checks.
    (!address.is_null()).then(|| unsafe { transmute_copy(&address) })
}

impl Library {
    /// Python's library, if the process has it already.
    pub fn of_process() -> Option<Self> {
        Self::functions(libc::RTLD_DEFAULT)
    }

    /// Opens the library at a path. Its symbols become visible, because Python's own extension
    /// modules expect them.
    pub fn open(path: &Path) -> Result<Self, String> {
        let name = CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
        // SAFETY: the name ends with a zero byte. The library's initialisers are Python's.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        if library.is_null() {
            // SAFETY: after a failure there is a text, valid until the next call on this thread.
            let text = unsafe { CStr::from_ptr(libc::dlerror()) };
            return Err(text.to_string_lossy().into_owned());
        }
        Self::functions(library).ok_or_else(|| "it lacks functions of Python's C API".to_owned())
    }

    fn functions(library: *mut c_void) -> Option<Self> {
        // SAFETY: these are the types of Python's stable ABI; `PyRun_SimpleString` and
        // `PyUnicode_AsUTF8AndSize` are older than it.
        unsafe {
            Some(Self {
                is_initialized: function(library, c"Py_IsInitialized")?,
                initialize: function(library, c"Py_InitializeEx")?,
                save_thread: function(library, c"PyEval_SaveThread")?,
                ensure: function(library, c"PyGILState_Ensure")?,
                release: function(library, c"PyGILState_Release")?,
                run: function(library, c"PyRun_SimpleString")?,
                import_capsule: function(library, c"PyCapsule_Import")?,
                fetch: function(library, c"PyErr_Fetch")?,
                text_of: function(library, c"PyObject_Str")?,
                utf8: function(library, c"PyUnicode_AsUTF8AndSize")?,
                clear: function(library, c"PyErr_Clear")?,
            })
        }
    }

    /// Whether an interpreter runs.
    pub fn is_initialized(&self) -> bool {
        // SAFETY: may be called at any time.
        unsafe { (self.is_initialized)() != 0 }
    }

    /// Starts the interpreter and leaves it to all threads. It handles no signals.
    pub fn initialize(&self) {
        // SAFETY: no interpreter runs, and one thread at a time gets here.
        unsafe {
            (self.initialize)(0);
            (self.save_thread)();
        }
    }

    /// Runs statements, then imports the module of a capsule and returns the capsule's pointer, or
    /// the text of the exception.
    pub fn import(&self, statements: &str, capsule: &CStr) -> Result<*mut c_void, String> {
        let statements = CString::new(statements).map_err(|error| error.to_string())?;
        // SAFETY: an interpreter runs, and its lock is held in between.
        unsafe {
            let state = (self.ensure)();
            (self.run)(statements.as_ptr());
            let found = (self.import_capsule)(capsule.as_ptr(), 0);
            let result = if found.is_null() { Err(self.exception()) } else { Ok(found) };
            (self.release)(state);
            result
        }
    }

    /// The text of the pending exception.
    ///
    /// # Safety
    /// The interpreter's lock is held.
    unsafe fn exception(&self) -> String {
        let unknown = || "an unknown exception".to_owned();
        let (mut kind, mut value, mut trace) =
            (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the lock is held. The references are kept: this happens once, and costs less than
        // the functions to release them.
        unsafe {
            (self.fetch)(&raw mut kind, &raw mut value, &raw mut trace);
            let value = if value.is_null() { kind } else { value };
            if value.is_null() {
                return unknown();
            }
            let text = (self.text_of)(value);
            let bytes = if text.is_null() {
                std::ptr::null()
            } else {
                (self.utf8)(text, std::ptr::null_mut())
            };
            (self.clear)();
            if bytes.is_null() {
                return unknown();
            }
            CStr::from_ptr(bytes).to_string_lossy().into_owned()
        }
    }
}
