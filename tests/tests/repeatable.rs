//! On a manual clock, a greedy run is identical every time: every call of every codelet, its time,
//! and the messages it takes.

use gxe_tests::Gxe;

/// The calls of all codelets of `repeatable.yaml`, one per line.
fn trace() -> String {
    let ended = Gxe::alone()
        .file("app.yaml", include_str!("repeatable.yaml"))
        .file("manifest.yaml", "extensions:\n- libgxf_actor.so\n")
        .args("--app app.yaml --manifest manifest.yaml")
        .run()
        .clean();
    ended.log().into_iter().filter(|line| line.starts_with("actor ")).fold(
        String::new(),
        |mut trace, line| {
            trace.push_str(line);
            trace.push('\n');
            trace
        },
    )
}

/// FNV-1a, 64 bits.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// A new number means a change that users see: the order in which entities run, the times of their
/// ticks, or where messages go.
const HASH: u64 = 0xc4a1_e974_2fc4_8ce8;

#[test]
fn a_run_on_a_manual_clock_is_the_same_every_time() {
    let first = trace();
    assert!(first.lines().count() > 200, "little happened:\n{first}");
    for _ in 0..10 {
        assert_eq!(trace(), first);
    }
    assert_eq!(format!("{:#018x}", hash(&first)), format!("{HASH:#018x}"), "\n{first}");
}
