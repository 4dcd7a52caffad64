//! Any bytes as the two files of a recording: readable frames or errors, and a rebuilt index that
//! matches.
#![no_main]

use gxf_recording::inspect::inspect;
use gxf_recording::repair::repair;
use gxf_recording::{FrameReader, Recording};
use std::io::Read;

libfuzzer_sys::fuzz_target!(|files: (u16, &[u8])| {
    let (split, bytes) = files;
    let (index, entities) = bytes.split_at(usize::from(split).min(bytes.len()));
    let recording = || Recording::new(index, entities).expect("memory can be read");
    let report = inspect(&recording(), &mut |_| {}).expect("memory can be read");
    let mut reader = FrameReader::new(recording());
    for number in 0..reader.recording().frames() {
        match reader.open_frame(number) {
            Ok(record) => {
                let mut frame = Vec::new();
                reader.read_to_end(&mut frame).expect("a checked frame can be read");
                assert_eq!(frame.len() as u64, record.data_size);
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                assert!(report.faults.count > 0, "a frame that cannot be read is reported");
            }
        }
    }
    let mut position = 0;
    for record in repair(&recording(), 1, &mut |_| {}).expect("memory can be read").records {
        assert!(record.data_offset >= position, "frames of a new index do not overlap");
        assert!(recording().check(&record).is_ok(), "frames of a new index can be read");
        position = record.data_offset + record.data_size;
    }
});
