//! The option `SO_RCVLOWAT`, which the standard library, mio and rustix lack.

#![expect(unsafe_code, reason = "calls setsockopt")]

use std::os::fd::{AsFd, AsRawFd};

/// Has a TCP socket be readable only when so many bytes have come, or its end. The system lowers what
/// would not fit its buffer, and says anew whether the socket is readable. A socket that refuses is
/// readable too often, which does no harm.
pub fn set_receive_low_water_mark(socket: impl AsFd, bytes: u64) {
    let mark = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX);
    // SAFETY: the descriptor is open, and the option is an integer that is alive during the call.
    unsafe {
        libc::setsockopt(
            socket.as_fd().as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_RCVLOWAT,
            (&raw const mark).cast(),
            size_of_val(&mark) as libc::socklen_t,
        );
    }
}
