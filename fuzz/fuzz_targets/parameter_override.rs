//! Any text as an argument of `--param`: a name and a value, or an error. The value is then set on
//! a component.
#![no_main]

use gxf_runtime::Context;
use gxf_runtime::graph::parse_override;

const APP: &str = "
name: a
components:
- name: b
  type: nvidia::gxf::MultiMessageAvailableSchedulingTerm
- name: c
  type: nvidia::gxf::PeriodicSchedulingTerm
- name: d
  type: nvidia::gxf::GreedyScheduler
";

libfuzzer_sys::fuzz_target!(|text: &str| {
    // The text itself, and as a value of parameters of several types.
    let _ = parse_override(text, 1).map_err(|problem| problem.to_string());
    for key in ["b/min_sizes", "b/receivers", "b/sampling_mode", "c/recess_period", "d/clock"] {
        if let Ok(value) = parse_override(&format!("a/{key}={text}"), 1) {
            let context = Context::new();
            if let Err(error) = context.load_app_text("app.yaml", APP, &[value]) {
                assert!(!error.diagnostics().expect("a place").render(false).is_empty());
            }
        }
    }
});
