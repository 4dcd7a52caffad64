//! The host table for programs in C++ that embed the runtime: extensions are given theirs when they
//! are loaded, a program asks for it.

use gxf_plugin_abi::HostTable;

/// The table of this process (`gxf/sdk/host.hpp` declares it). It is valid as long as the process.
#[unsafe(no_mangle)]
extern "C" fn GxeGetHostTable() -> *const HostTable {
    gxf_runtime::host_table()
}
