//! The number of queues that CUDA's driver gives a process, which it reads from the environment.

#![expect(unsafe_code, reason = "the environment is changed while there is one thread")]

const VARIABLE: &str = "CUDA_DEVICE_MAX_CONNECTIONS";

/// Streams beyond the number of queues share one, and wait for each other's work there. The driver makes
/// eight unless told otherwise, and graphs have more streams; this is the most that it makes.
const QUEUES: &str = "32";

/// Asks for all queues, unless the user asks for a number. To be called first.
pub fn ask_for_all() {
    if std::env::var_os(VARIABLE).is_none() {
        // SAFETY: `main` calls this before there is another thread.
        unsafe { std::env::set_var(VARIABLE, QUEUES) };
    }
}
