//! Exports the C API, the host table and `_exit`, and nothing else, to the extensions the program
//! loads.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for symbols in
        ["Gxf*", "isSuccessful", "GxeGetHostTable", "GxeAnnounceStandIn", "_exit", "_Exit"]
    {
        println!("cargo:rustc-link-arg-bins=-Wl,--export-dynamic-symbol={symbols}");
    }
}
