//! Any bytes as what a stranger sends over a link: frames, greetings and messages are read or
//! refused, and what is read comes back.
#![no_main]

use gxf_link_format::{FRAME_SIZE, Frame, Greeting, Hello, Refused, Welcome, walk};

libfuzzer_sys::fuzz_target!(|input: (u64, &[u8])| {
    let (body, bytes) = input;
    if let Some(header) = bytes.first_chunk::<FRAME_SIZE>()
        && let Ok(frame) = Frame::from_bytes(header)
    {
        assert_eq!(Frame::from_bytes(&frame.to_bytes()), Ok(frame));
    }
    if let Ok(hello) = Hello::from_bytes(bytes) {
        assert_eq!(Hello::from_bytes(&hello.to_bytes()).expect("our own greeting"), hello);
    }
    if let Ok(welcome) = Welcome::from_bytes(bytes) {
        assert_eq!(Welcome::from_bytes(&welcome.to_bytes()).expect("our own greeting"), welcome);
    }
    _ = Refused::from_bytes(bytes);
    _ = walk(bytes, body);
});
