//! Compiles the host twins of the kernels.

fn main() {
    let folder = "../../runtime/device/kernels";
    println!("cargo::rerun-if-changed={folder}");
    println!("cargo::rerun-if-changed=src/twins.c");
    cc::Build::new()
        .include(folder)
        .file("src/twins.c")
        .files(["picture", "numbers"].map(|name| format!("{folder}/{name}.c")))
        .flag("-ffp-contract=off")
        .opt_level(2)
        .warnings(false)
        // The kernels register themselves, so that nothing refers to their objects.
        .link_lib_modifier("+whole-archive")
        .compile("gxe_twins");
}
