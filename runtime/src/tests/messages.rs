//! Messages through the SDK's `Message`, as in an extension. Miri runs these.

#![expect(unsafe_code, reason = "tests make components and messages by their addresses")]

use gxf::Payload;
use gxf_plugin::id::MESSAGE_BIT;
use gxf_plugin::message::payload_type::{PayloadType, register_payload_type};
use gxf_plugin::message::pool::{from_id, new_message, stamp};
use gxf_plugin_abi::{ResultCode, Tid, Timestamp};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts its drops, and needs more alignment than the cell's buffer has.
#[repr(align(128))]
#[derive(Default)]
struct Tracked(Option<Arc<AtomicUsize>>);

// SAFETY: registered by these tests alone.
unsafe impl Payload for Tracked {
    const TID: Tid = Tid::new(0x7e57, 1);
}

impl Drop for Tracked {
    fn drop(&mut self) {
        if let Some(drops) = &self.0 {
            drops.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Larger than a cell's buffer.
struct Large([u8; 3000]);

impl Default for Large {
    fn default() -> Self {
        Self([0; 3000])
    }
}

// SAFETY: registered by these tests alone.
unsafe impl Payload for Large {
    const TID: Tid = Tid::new(0x7e57, 2);
}

/// Once per process, because under Miri a context takes longer than all these tests' work.
fn register_payloads() {
    crate::host::table();
    drop(crate::context::Context::new());
    for tracked in [
        gxf::support::payload_type::<Tracked>(texts(Tracked::TID)),
        gxf::support::payload_type::<Large>(texts(Large::TID)),
    ] {
        let known = PayloadType {
            tid: tracked.tid,
            size: tracked.instance_size,
            alignment: tracked.instance_alignment,
            create: tracked.create.unwrap(),
            destroy: tracked.destroy,
        };
        assert_eq!(register_payload_type(known), Ok(()));
        let larger = PayloadType { size: known.size + 8, ..known };
        assert_eq!(register_payload_type(larger), Err(known.layout()));
    }
}

fn message() -> gxf::Message {
    static REGISTERED: std::sync::Once = std::sync::Once::new();
    REGISTERED.call_once(register_payloads);
    // SAFETY: a new message with one reference.
    unsafe { gxf::Message::from_raw(new_message().unwrap()) }
}

fn texts(tid: Tid) -> gxf::support::TypeTexts {
    gxf::support::TypeTexts {
        tid,
        base: Tid::NULL,
        name: c"test",
        display_name: "",
        brief: "",
        description: "",
        flags: 0,
    }
}

#[test]
fn payloads_are_found_by_type_and_name() {
    let mut message = message();
    message.add("one", 1i32).unwrap();
    message.add("two", 2i32).unwrap();
    message.add("two", 2.5f64).unwrap();
    assert_eq!(*message.get::<i32>("two").unwrap(), 2);
    assert_eq!(*message.get::<i32>("").unwrap(), 1);
    assert_eq!(*message.get::<f64>("two").unwrap(), 2.5);
    assert_eq!(message.find_all::<i32>().copied().collect::<Vec<_>>(), [1, 2]);
    *message.get_mut::<i32>("one").unwrap() = 10;
    message.remove(1).unwrap();
    assert_eq!(message.payloads().map(|p| p.name.to_owned()).collect::<Vec<_>>(), ["one", "two"]);
    let error = message.get::<u8>("three").unwrap_err();
    assert_eq!(error.code(), ResultCode::ENTITY_COMPONENT_NOT_FOUND);
    assert!(error.to_string().ends_with("it carries `one`, `two`"), "{error}");
}

#[test]
fn the_last_reference_destroys_the_payload_once() {
    let drops = Arc::new(AtomicUsize::new(0));
    let mut message = message();
    let tracked = message.add("t", Tracked(Some(drops.clone()))).unwrap();
    assert_eq!(std::ptr::from_ref(tracked).addr() % 128, 0);
    message.add("large", Large([7; 3000])).unwrap();
    let other = message.clone();
    drop(message);
    assert_eq!(other.get::<Large>("large").unwrap().0[2999], 7);
    assert_eq!(drops.load(Ordering::Relaxed), 0);
    drop(other);
    assert_eq!(drops.load(Ordering::Relaxed), 1);
}

#[test]
fn a_shared_message_is_not_changed() {
    let mut one = message();
    one.add("n", 1i64).unwrap();
    let two = one.clone();
    let code = |result: gxf::Result<()>| result.unwrap_err().code();
    let refused = ResultCode::CONTRACT_INVALID_SEQUENCE;
    assert_eq!(code(one.add("m", 2i64).map(drop)), refused);
    assert_eq!(code(one.get_mut::<i64>("n").map(drop)), refused);
    assert_eq!(code(one.remove(0)), refused);
    drop(two);
    one.add("m", 2i64).unwrap();
}

/// Stamping a message with other holders returns a new one that shares the other payloads and keeps
/// them alive.
#[test]
fn stamping_a_shared_message_leaves_it_alone() {
    let drops = Arc::new(AtomicUsize::new(0));
    let mut first = message();
    first.add("t", Tracked(Some(drops.clone()))).unwrap();
    let stamped = |message: gxf::Message, time| {
        // SAFETY: the reference is consumed, and the returned one is used.
        unsafe { gxf::Message::from_raw(stamp(message.into_raw().as_ptr(), time).unwrap()) }
    };
    let first = stamped(first, 1);
    let second = stamped(first.clone(), 2);
    let third = stamped(second.clone(), 3);
    let time = |message: &gxf::Message| message.timestamp().unwrap().acqtime;
    assert_eq!([time(&first), time(&second), time(&third)], [1, 2, 3]);
    let mut third = third;
    let refused = third.get_mut::<Tracked>("t").map(drop).unwrap_err();
    assert_eq!(refused.code(), ResultCode::CONTRACT_INVALID_SEQUENCE);
    assert_eq!(third.len(), 2);
    let again = stamped(third, 4);
    drop((first, second));
    assert!(again.get::<Tracked>("t").unwrap().0.is_some());
    assert_eq!(drops.load(Ordering::Relaxed), 0);
    drop(again);
    assert_eq!(drops.load(Ordering::Relaxed), 1);
}

#[test]
fn payloads_can_be_shared() {
    let drops = Arc::new(AtomicUsize::new(0));
    let mut source = message();
    source.add("t", Tracked(Some(drops.clone()))).unwrap();
    source.add("timestamp", Timestamp { pubtime: 1, acqtime: 2 }).unwrap();
    source.add("n", 7i32).unwrap();
    let mut other = message();
    other.share_payloads(&source).unwrap();
    let names: Vec<_> = other.payloads().map(|p| p.name.to_owned()).collect();
    assert_eq!(names, ["t", "timestamp", "n"]);
    other.remove(1).unwrap();
    assert_eq!(source.timestamp(), Some(Timestamp { pubtime: 1, acqtime: 2 }));
    assert!(other.get_mut::<i32>("n").is_err());
    let again = other.share_payloads(&source).unwrap_err();
    assert_eq!(again.code(), ResultCode::CONTRACT_INVALID_SEQUENCE);
    drop(source);
    *other.get_mut::<i32>("n").unwrap() = 8;
    assert_eq!(drops.load(Ordering::Relaxed), 0);
    drop(other);
    assert_eq!(drops.load(Ordering::Relaxed), 1);
}

#[test]
fn a_message_without_shared_payloads_lets_go_of_their_source() {
    let drops = Arc::new(AtomicUsize::new(0));
    let mut source = message();
    source.add("t", Tracked(Some(drops.clone()))).unwrap();
    source.add("timestamp", Timestamp { pubtime: 1, acqtime: 2 }).unwrap();
    source.add("n", 7i32).unwrap();
    let mut other = message();
    other.share_payloads(&source).unwrap();
    drop(source);
    other.add("own", 9i32).unwrap();
    other.remove(0).unwrap();
    assert_eq!(drops.load(Ordering::Relaxed), 0);
    let names: Vec<_> = other.payloads().map(|p| p.name.to_owned()).collect();
    assert_eq!(names, ["timestamp", "n", "own"]);
    other.remove(1).unwrap();
    assert_eq!(drops.load(Ordering::Relaxed), 1);
    assert_eq!(other.timestamp(), Some(Timestamp { pubtime: 1, acqtime: 2 }));
    assert_eq!(*other.get::<i32>("own").unwrap(), 9);
}

#[test]
fn a_stale_id_finds_nothing() {
    let message = message();
    let id = message.eid();
    assert!(id & MESSAGE_BIT != 0);
    let found = from_id(id).unwrap();
    // SAFETY: `from_id` hands out a reference.
    drop(unsafe { gxf::Message::from_raw(found) });
    drop(message);
    assert!(from_id(id).is_none());
    for id in [0, 1, -1, i64::MIN, i64::MAX, MESSAGE_BIT, MESSAGE_BIT | (1 << 37)] {
        assert!(from_id(id).is_none_or(|found| {
            // SAFETY: `from_id` hands out a reference.
            drop(unsafe { gxf::Message::from_raw(found) });
            true
        }));
    }
}

/// Messages created, shared and dropped on several threads: every payload is destroyed once.
#[test]
fn messages_travel_between_threads() {
    let drops = Arc::new(AtomicUsize::new(0));
    let rounds = if cfg!(miri) { 20 } else { 2000 };
    message();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let (sender, receiver) = std::sync::mpsc::channel::<gxf::Message>();
            let drops = &drops;
            scope.spawn(move || {
                for _ in 0..rounds {
                    let mut message = message();
                    message.add("t", Tracked(Some(drops.clone()))).unwrap();
                    message.add("n", 5u8).unwrap();
                    sender.send(message.clone()).unwrap();
                }
            });
            scope.spawn(move || {
                for message in receiver {
                    assert_eq!(*message.get::<u8>("n").unwrap(), 5);
                }
            });
        }
    });
    assert_eq!(drops.load(Ordering::Relaxed), 2 * rounds);
}
