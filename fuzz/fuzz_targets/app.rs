//! Any text as an app file: it loads or yields errors, without a panic or endless work.
#![no_main]

use gxf_runtime::Context;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let context = Context::new();
    if let Err(error) = context.load_app_text("app.yaml", text, &[]) {
        let diagnostics = error.diagnostics().expect("an error in a file names places");
        assert!(diagnostics.has_errors());
        assert!(!diagnostics.render(false).is_empty());
    }
    let _ = context.take_warnings().render(true);
});
