//! Sets the library name that programs linked against it look for.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libgxf_stm_runtime.so");
}
