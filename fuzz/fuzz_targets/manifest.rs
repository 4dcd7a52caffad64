//! Any text as a manifest: a list of paths, or errors.
#![no_main]

use gxf_runtime::extension::manifest_entries;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Err(problems) = manifest_entries("manifest.yaml", text) {
        assert!(problems.has_errors());
        assert!(!problems.render(false).is_empty());
    }
});
