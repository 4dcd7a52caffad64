//! `gxe stm`: what a user reads about graphs and schedules. Each file of `tests/stm` says how it is
//! used, and has the complete output and the exit status beside it.

use std::path::Path;

#[test]
fn every_graph_is_explained_as_written_down() {
    gxe_tests::cases::run_all("stm", "gxe");
}

/// The names in brackets behind `error` and `warning`.
fn rules_in(text: &str) -> impl Iterator<Item = &str> {
    let starts = ["error[", "warning["];
    let found = text.lines().filter_map(move |line| {
        starts.iter().find_map(|start| line.strip_prefix(start)?.split(']').next())
    });
    found.filter(|rule| !rule.starts_with("GXF_"))
}

/// Each rule that the crate can report has a file that breaks it.
#[test]
fn every_rule_has_a_file_that_breaks_it() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = String::new();
    for entry in std::fs::read_dir(here.join("stm")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|kind| kind == "expected") {
            texts.push_str(&std::fs::read_to_string(path).expect("readable"));
        }
    }
    let broken: std::collections::BTreeSet<&str> = rules_in(&texts).collect();
    let known: std::collections::BTreeSet<&str> =
        gxf_stm::RULES.iter().map(|(name, _)| *name).collect();
    assert_eq!(broken, known);
}
