//! The conformance suite of the C API. Each file in `conformance/` is a C program that links
//! against the built `libgxf_core.so`, like a user's program.

mod support;

use support::Lab;

macro_rules! suite {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            let lab = Lab::new();
            lab.conformance(stringify!($name)).succeeds(&lab.arguments(stringify!($name)));
        }
    )*};
}

suite! {
    components
    contexts
    entities
    extensions
    files
    graph
    groups
    info
    inside
    log
    messages
    names
    parameters
    random
    table
    threads
    vectors
    yaml
}

/// The list above has every file of the suite.
#[test]
fn every_file_runs() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance");
    let files = std::fs::read_dir(folder).expect("the folder of the suite");
    let mut found: Vec<String> = files
        .filter_map(|file| file.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".c").map(str::to_owned))
        .collect();
    found.sort();
    let here = include_str!("conformance.rs");
    let listed = here.split("\nsuite! {").nth(1).and_then(|rest| rest.split('}').next());
    let listed: Vec<&str> = listed.unwrap_or_default().split_whitespace().collect();
    assert_eq!(found, listed);
}
