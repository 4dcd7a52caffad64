//! `scripts/gpu.sh bench` on the stand-in for the driver: that everything is measured, not how fast it is.

use gxe_tests::build::{library, program};
use serde_json::Value;
use std::process::Command;

/// The rows of the table in the benchmarks' description: what is measured, and its target.
fn described() -> Vec<(String, String)> {
    let text = include_str!("../../benches/README.md");
    let section = text.split("\n## ").find(|section| section.starts_with("On a GPU\n"));
    let rows = section.into_iter().flat_map(str::lines).filter(|line| line.starts_with("| "));
    let cells = rows.map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
    cells.skip(1).map(|cells| (cells[1].to_owned(), cells[2].to_owned())).collect()
}

#[test]
fn each_row_of_the_table_has_a_program_and_a_baseline_or_a_reason() {
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let folder = tempfile::tempdir().expect("a folder");
    let [baseline, report] = ["baseline", "bench.json"].map(|name| folder.path().join(name));
    let mut compiler = Command::new("cc");
    compiler.current_dir(sources).args(["-Wall", "-Wextra", "-Werror"]);
    compiler.arg("-DPTX=\"runtime/device/kernels/numbers.ptx\"");
    compiler.args(["benches/cuda/baseline.c", "-ldl", "-o"]).arg(&baseline);
    match compiler.status() {
        Ok(status) => assert!(status.success(), "{compiler:?}"),
        Err(error) => {
            eprintln!("skipped: the baseline of the benchmarks needs `cc`: {error}");
            return;
        }
    }
    std::fs::copy(library("cuda_stand_in"), folder.path().join("libcuda.so.1")).expect("a copy");
    let bench = program("cuda");
    let mut command = Command::new(&bench);
    command.arg(bench.parent().expect("a folder")).args([&baseline, &report]).arg("--stand-in");
    command.env("LD_LIBRARY_PATH", folder.path());
    let ended = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{said}\n{}", String::from_utf8_lossy(&ended.stderr));
    assert!(said.starts_with("on the stand-in: no measurement"), "{said}");

    let report = std::fs::read_to_string(report).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!((&report["stand_in"], &report["repetitions"]), (&true.into(), &1.into()));
    let rows = report["rows"].as_array().expect("rows");
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let measured: Vec<_> =
        rows.iter().map(|row| (text(row, "what"), text(row, "target"))).collect();
    assert_eq!(measured, described(), "benches/README.md has the rows of the table");
    for row in rows {
        let lines =
            said.lines().filter(|line| line.starts_with(&format!("| {} |", text(row, "what"))));
        let [line] = lines.collect::<Vec<_>>()[..] else { panic!("{row} {said}") };
        assert!(line.contains(&text(row, "target")), "{line}");
        if row["not_measured"].is_string() {
            assert!(line.contains("| not measured |"), "{line}");
            continue;
        }
        for half in ["product", "baseline"] {
            let figures = row[half].as_array().map_or(&[][..], Vec::as_slice);
            assert!(matches!(figures, [figure] if figure.is_f64()), "{row}");
        }
        assert!(row["met"].is_null(), "figures of the stand-in mean nothing: {row}");
    }
}
