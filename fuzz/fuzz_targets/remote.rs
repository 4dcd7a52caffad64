//! Any text as a request to a driver or worker, and as the YAML of either.
#![no_main]

use gxf_remote::fuzzing::{
    allocation_request, component_params, connections, segments, worker_info,
};

libfuzzer_sys::fuzz_target!(|text: &str| {
    worker_info(text);
    allocation_request(text);
    component_params(text);
    connections(text);
    segments(text);
});
