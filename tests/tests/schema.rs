//! `gxe schema`: a real validator accepts every app that `gxe` loads, and finds the mistakes of
//! `tests/errors` that are visible without the rest of the graph.

use expect_test::expect_file;
use gxe_tests::{Gxe, manifest_of_all};
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn schema() -> serde_json::Value {
    let gxe = Gxe::alone().file("manifest.yaml", &manifest_of_all());
    let ended = gxe.args("schema --manifest manifest.yaml").run().clean();
    serde_json::from_str(&ended.stdout).expect("the schema is JSON")
}

/// The documents of a file as an editor sees them.
fn documents(text: &str) -> Result<Vec<serde_json::Value>, String> {
    serde_saphyr::from_multiple(text).map_err(|error| error.to_string())
}

/// The findings for a text: one line each, with the path.
fn findings(validator: &jsonschema::Validator, text: &str) -> Vec<String> {
    let documents = match documents(text) {
        Ok(documents) => documents,
        Err(_) => return vec!["not YAML".to_owned()],
    };
    let mut found = Vec::new();
    for (index, document) in documents.iter().enumerate() {
        for error in validator.iter_errors(document) {
            let mut message = error.to_string();
            if error.instance_path().as_str().ends_with("/type") {
                let end = message.find(" is not valid under ").unwrap_or(message.len());
                message.replace_range(end.., " is no known type");
            }
            let short: String = message.chars().take(160).collect();
            found.push(format!("document {index} {}: {short}", error.instance_path()));
        }
    }
    found
}

/// The YAML files below a folder, in order.
fn yaml_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(yaml_files(&path));
        } else if path.extension().is_some_and(|kind| kind == "yaml") {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn apps_that_load_are_valid() {
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = yaml_files(&here.join("../apps"));
    files.extend(yaml_files(&here.join("seeds")));
    // Its extension has a Makefile and may not be built.
    files.retain(|path| {
        !path.ends_with("c_counter.yaml") && !path.to_string_lossy().ends_with("manifest.yaml")
    });
    assert!(files.len() > 20, "{files:?}");
    for path in files {
        let text = std::fs::read_to_string(&path).expect("readable");
        assert_eq!(findings(&validator, &text), Vec::<String>::new(), "{}", path.display());
    }
}

#[test]
fn a_document_of_an_app_may_be_its_manifest() {
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    let app = "extensions:\n- libgxf_std.so\n---\nname: a\n";
    assert_eq!(findings(&validator, app), Vec::<String>::new());
    assert_eq!(findings(&validator, "extensions: {}").len(), 1);
}

#[test]
fn mistakes_are_found_where_they_are() {
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("errors");
    let mut all = String::new();
    for path in yaml_files(&folder) {
        let name = path.strip_prefix(&folder).expect("below").display().to_string();
        let bytes = std::fs::read(&path).expect("readable");
        let found = findings(&validator, &String::from_utf8_lossy(&bytes));
        match found.as_slice() {
            [] => writeln!(all, "{name}: valid").unwrap(),
            _ => {
                writeln!(all, "{name}:").unwrap();
                found.iter().take(8).for_each(|line| writeln!(all, "  {line}").unwrap());
                if found.len() > 8 {
                    writeln!(all, "  and {} more", found.len() - 8).unwrap();
                }
            }
        }
    }
    expect_file!["../tools/schema/errors.expected"].assert_eq(&all);
}

#[test]
fn forms_that_only_yaml_has_are_valid() {
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    let with = |key: &str, value: &str| {
        let text = format!(
            "components:\n- type: nvidia::gxf::{}\n  parameters:\n    {key}: {value}\n",
            if key == "capacity" { "DoubleBufferReceiver" } else { "GreedyScheduler" }
        );
        findings(&validator, &text)
    };
    for (key, value) in [
        ("capacity", "0x10"),
        ("capacity", "\"8\""),
        ("stop_on_deadlock", "yes"),
        ("clock", "entity/clock"),
        ("clock", "<Unspecified>"),
    ] {
        assert_eq!(with(key, value), Vec::<String>::new(), "{key}: {value}");
    }
    for (key, value) in [
        ("capacity", "0"),
        ("capacity", "-1"),
        ("capacity", "1.5"),
        ("capacity", "many"),
        ("stop_on_deadlock", "maybe"),
        ("clock", "entity/"),
        ("clok", "clock"),
    ] {
        assert_eq!(with(key, value).len(), 1, "{key}: {value}");
    }
}

#[test]
fn documentation_and_defaults_are_in_it() {
    let schema = schema();
    let receiver = &schema["definitions"]["nvidia::gxf::DoubleBufferReceiver"];
    let capacity = &receiver["properties"]["capacity"];
    assert_eq!(capacity["description"], "Messages each of the two stages holds.");
    assert_eq!((&capacity["default"], &capacity["minimum"]), (&1.into(), &1.into()));
    let ping = &schema["definitions"]["nvidia::gxf::PingTx"]["properties"];
    assert_eq!(
        ping["signal"]["description"],
        "Transmitter for the messages.\nA component of type nvidia::gxf::Transmitter.\n\
         Mandatory."
    );
    assert_eq!(
        ping["trigger_interrupt_after_ms"]["description"].as_str().unwrap().lines().last(),
        Some("Unit: ms.")
    );
}
