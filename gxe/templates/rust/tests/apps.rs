//! Checks and runs every app of `apps/` with the real gxe. A line `# expect: TEXT` in an app says
//! what its log must contain.

use std::path::Path;
use std::process::Command;

fn gxe(command: &str, app: &Path) -> (bool, String) {
    let program = std::env::var_os("GXE").unwrap_or_else(|| "gxe".into());
    // Cargo puts the library next to the test programs.
    let test = std::env::current_exe().expect("a test knows where it is");
    let output = Command::new(program)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args([command, "--manifest", "manifest.yaml", "--app"])
        .arg(app)
        .arg("--extension-path")
        .arg(test.parent().expect("a folder"))
        .output()
        .expect("gxe starts; GXE=/path/to/gxe names it");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    (output.status.success(), said)
}

#[test]
fn every_app_does_what_it_says() {
    let apps = Path::new(env!("CARGO_MANIFEST_DIR")).join("apps");
    for entry in std::fs::read_dir(apps).expect("the folder apps") {
        let app = entry.expect("an entry").path();
        let name = app.display();
        let (checked, said) = gxe("check", &app);
        assert!(checked, "{name}:\n{said}");
        let (ran, log) = gxe("run", &app);
@without_gpu@        assert!(ran, "{name}:\n{log}");
        let text = std::fs::read_to_string(&app).expect("readable");
        for line in text.lines() {
            let expected = line.strip_prefix("# expect: ").unwrap_or_default();
            assert!(log.contains(expected), "{name}: no `{expected}` in\n{log}");
        }
    }
}
