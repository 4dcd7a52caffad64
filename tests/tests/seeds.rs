//! Fragments of YAML from the documentation of GXF and Holoscan load and run as they are written
//! there; `tests/seeds` has them, completed with what surrounds a fragment.

use gxe_tests::{Gxe, MANIFEST};
use std::path::Path;

/// Each fragment with a text of the log and how often it comes when the fragment does its work.
const FRAGMENTS: [(&str, &str, usize); 11] = [
    ("asynchronous", "Message Received", 3),
    ("boolean", "Hello world", 3),
    ("combining", "Message Received", 100),
    ("count", "Hello world", 42),
    ("downstream_receptive", "Message Received", 5),
    ("greedy_scheduler", "Hello world", 4),
    ("holoscan_entity", "Message Received", 6),
    ("message_available", "Batch Received: 4 messages", 2),
    ("multi_message_available", "probe rx tick", 2),
    ("periodic", "Hello world", 3),
    ("target_time", "Message Received", 5),
];

#[test]
fn fragments_of_the_documentation_run_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    files.sort();
    assert_eq!(files, FRAGMENTS.map(|(name, ..)| name), "every file is listed here");
    for (name, text, count) in FRAGMENTS {
        let app = std::fs::read_to_string(folder.join(format!("{name}.yaml"))).unwrap();
        let gxe = Gxe::alone().file("app.yaml", &app).file("manifest.yaml", MANIFEST);
        let ended = gxe.args("--app app.yaml --manifest manifest.yaml").run().clean();
        assert_eq!(ended.count(text), count, "{name}: {}", ended.stdout);
    }
}
