//! Exports the C API, the host table and `_exit`, and nothing else, to the extensions the program
//! loads.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=GXE_EXPORT_ALL");
    if std::env::var_os("GXE_EXPORT_ALL").is_some() {
        // For zig's linker, which knows no other option.
        println!("cargo:rustc-link-arg-bins=-rdynamic");
        return;
    }
    for symbols in
        ["Gxf*", "isSuccessful", "GxeGetHostTable", "GxeAnnounceStandIn", "_exit", "_Exit"]
    {
        println!("cargo:rustc-link-arg-bins=-Wl,--export-dynamic-symbol={symbols}");
    }
}
