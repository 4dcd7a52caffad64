//! The host table for C++ programs that embed the runtime. Extensions receive it when they are
//! loaded; a program must ask for it.

use gxf_plugin_abi::HostTable;

/// The table of this process (declared in `gxf/sdk/host.hpp`), valid as long as the process.
#[unsafe(no_mangle)]
extern "C" fn GxeGetHostTable() -> *const HostTable {
    gxf_runtime::host_table()
}
