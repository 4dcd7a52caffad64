//! Extensions built with a sanitizer find its functions in the program that loads them.

fn main() {
    println!("cargo::rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    if flags.contains("sanitizer") {
        println!("cargo::rustc-link-arg=-rdynamic");
    }
}
