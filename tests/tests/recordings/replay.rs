//! Order, number and times of replayed frames, and their cost.

use crate::recordings::same::is_recorded_as_it_is;
use crate::recordings::{MANIFEST, app, pictures, playback, recorded};
use gxe_tests::recording::{Files, index_records, picture};
use gxe_tests::{Gxe, SCHEDULER};
use std::os::unix::fs::FileExt;
use std::path::Path;

#[test]
fn an_index_in_any_order_is_followed() {
    let mut files = pictures(4);
    let mut expected = Files::default();
    let records: Vec<u8> = files.index.chunks(24).rev().flatten().copied().collect();
    files.index = records;
    for number in (0..4).rev() {
        expected.add(1_000_000 * u64::from(number), &[picture(4, 5, number)]);
    }
    let (ended, out) = recorded(playback(&files, ""));
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    assert!(out == expected, "{}", ended.stdout);
}

#[test]
fn records_that_cannot_have_frames_are_not_gone_through() {
    let sparse = |parameters: &str| {
        let gxe = playback(&pictures(3), parameters);
        let index = std::fs::File::options().write(true).open(gxe.folder().join("in.gxf_index"));
        index.unwrap().set_len(24 << 36).unwrap();
        gxe
    };
    let problem = "records in './in.gxf_index' cannot belong to frames in an entities file of";
    let (ended, out) = recorded(sparse(""));
    assert_eq!((ended.status, ended.count(problem)), (Some(0), 1), "{}", ended.stdout);
    assert_eq!(out, pictures(3));
    let ended = sparse(", ignore_corrupted_entities: false").run();
    assert_eq!(ended.status, Some(5));
    ended.complains(problem);
}

#[test]
fn an_empty_recording_ends_at_once() {
    is_recorded_as_it_is(&Files::default());
    let (ended, out) = recorded(playback(&Files::default(), ", repeat: true"));
    assert_eq!((ended.status, out), (Some(0), Files::default()));
}

#[test]
fn a_replay_can_be_counted_repeated_and_batched() {
    let times = |files: &Files| {
        let records = files.index.chunks(24);
        records
            .map(|record| u64::from_le_bytes(record[..8].try_into().unwrap()) / 1_000_000)
            .collect::<Vec<_>>()
    };
    let (_, out) = recorded(playback(&pictures(5), ", count: 3"));
    assert_eq!(times(&out), [0, 1, 2]);
    let (_, out) = recorded(playback(&pictures(3), ", count: 7, repeat: true"));
    assert_eq!(times(&out), [0, 1, 2, 3, 4, 5, 6]);
    let frame = pictures(1).entities.len();
    assert_eq!(out.entities[40..frame], out.entities[3 * frame + 40..4 * frame]);
    let (_, out) = recorded(playback(&pictures(5), ", batch_size: 2"));
    assert_eq!(out, pictures(5));
}

#[test]
fn frames_come_at_their_times() {
    // On a manual clock, the scheduler's time shows when the last frame came.
    for (parameters, milliseconds) in
        [("", 9), (", frame_rate: 100", 90), (", realtime: false", 0), (", frame_rate: 1000.0", 9)]
    {
        let late = format!("{SCHEDULER}    max_duration_ms: {}\n", milliseconds + 1);
        let gxe = Gxe::alone().file("app.yaml", &app(parameters, &late));
        pictures(10).write(&gxe.folder(), "in");
        let gxe = gxe.file("manifest.yaml", MANIFEST);
        let (ended, out) = recorded(gxe.args("--app app.yaml --manifest manifest.yaml"));
        assert_eq!(ended.status, Some(0), "{}", ended.stderr);
        assert_eq!(out, pictures(10), "{parameters} within {milliseconds} ms");
        if milliseconds == 0 {
            continue;
        }
        let early = format!("{SCHEDULER}    max_duration_ms: {}\n", milliseconds - 1);
        let gxe = Gxe::alone().file("app.yaml", &app(parameters, &early));
        pictures(10).write(&gxe.folder(), "in");
        let gxe = gxe.file("manifest.yaml", MANIFEST);
        let (_, out) = recorded(gxe.args("--app app.yaml --manifest manifest.yaml"));
        assert_eq!(out, pictures(9), "{parameters} not before {milliseconds} ms");
    }
}

#[test]
fn a_frame_behind_four_gigabytes_is_replayed() {
    let gxe = playback(&pictures(1), "");
    let folder = gxe.folder();
    let mut files = pictures(1);
    let offset = 5_u64 << 30;
    files.index[16..24].copy_from_slice(&offset.to_le_bytes());
    std::fs::write(folder.join("in.gxf_index"), &files.index).unwrap();
    let entities = std::fs::File::create(folder.join("in.gxf_entities")).unwrap();
    entities.write_all_at(&files.entities, offset).unwrap();
    let (ended, out) = recorded(gxe);
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    assert_eq!(out, pictures(1));
}

/// Counts the allocations of libraries; `gxe` itself has its own allocator.
const COUNTER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static unsigned long count;
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
#define COUNTED __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED)
void *malloc(size_t size) { COUNTED; return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { COUNTED; return __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { COUNTED; return __libc_realloc(old, size); }
int posix_memalign(void **place, size_t alignment, size_t size)
{ COUNTED; return (*place = __libc_memalign(alignment, size)) ? 0 : 12; }
__attribute__((destructor)) static void tell(void) { fprintf(stderr, "allocated %lu times\n", count); }
"#;

#[test]
fn a_frame_costs_the_extensions_no_allocation_once_warm() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("count.c"), folder.path().join("count.so"));
    std::fs::write(&source, COUNTER).unwrap();
    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source);
    assert!(compiler.status().expect("a C compiler").success());
    // Replayed from a pool, converted to floats from another pool, recorded.
    let counts = [50, 100].map(|frames| {
        let ended = Gxe::in_folder(&root)
            .args("--app apps/format_convert/format_convert.yaml")
            .args("--manifest manifests/format_convert.yaml")
            .args(&format!("--param recorder/recorder/directory={}", folder.path().display()))
            .args("--param replayer/replayer/repeat=true")
            .args(&format!("--param replayer/replayer/count={frames}"))
            .env("LD_PRELOAD", library.to_str().unwrap())
            .run()
            .with_status(0);
        assert_eq!(index_records(folder.path(), "converted"), frames);
        ended.stderr
    });
    assert!(counts[0].starts_with("allocated "), "{}", counts[0]);
    assert_eq!(counts[0], counts[1]);
}

#[test]
fn a_replay_starts_at_once_again() {
    // The frame that the first run does not come to is not what the second one waits for.
    let app = app(", frame_rate: 0.001", &format!("{SCHEDULER}    max_duration_ms: 10\n"));
    let gxe = Gxe::alone().file("app.yaml", &app).file("manifest.yaml", MANIFEST);
    let folder = gxe.folder();
    pictures(2).write(&folder, "in");
    let mut command = std::process::Command::new(gxe_tests::build::program("activations"));
    command.args(["manifest.yaml", "app.yaml", "2"]).current_dir(&folder);
    let ended = command.output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(Files::read(&folder, "out"), pictures(1));
}
