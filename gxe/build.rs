//! Exports the C API and the host table, and nothing else, to the extensions the program loads.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for symbols in ["Gxf*", "isSuccessful", "GxeGetHostTable", "GxeAnnounceStandIn"] {
        println!("cargo:rustc-link-arg-bins=-Wl,--export-dynamic-symbol={symbols}");
    }
}
