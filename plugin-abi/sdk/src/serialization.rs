//! Messages as bytes in the layout of GXF's `StdEntitySerializer`, as a basis for entity
//! serializers, and the time at which a message is recorded.
//!
//! An entity is a header of 40 bytes followed by its components. A component is a header of 32
//! bytes, its name, and the bytes of its payload from a component serializer. Numbers are little
//! endian.

use crate::{
    Allocator, ComponentSerializer, Endpoint, Error, Handle, MemoryBuffer, Message, PayloadInfo,
    Result, ResultCode, StorageType, Tid, Timestamp,
};

const ENTITY_HEADER_SIZE: usize = 40;
const COMPONENT_HEADER_SIZE: usize = 32;
/// Longest component name that is read, in bytes.
const NAME_LIMIT: usize = 1024;

/// Name of the payload with a message's recording time. The `timestamp` alone would not do, because
/// codelets may change it. No recording contains this name.
const LOG_TIME: &str = "gxe::log_time";
/// Publication time of the payload [`LOG_TIME`] if the message's `timestamp` was made from it.
const TIMESTAMP_MADE: i64 = 1;
/// The same for a message whose recorded `timestamp` has publication time 0, which publication
/// sets.
const NOT_PUBLISHED: i64 = 2;

/// Writes the payloads of a message that have a serializer and are `wanted`, and returns the number
/// of bytes.
pub fn write_entity(
    message: &Message,
    serializers: &[Handle<ComponentSerializer>],
    sequence_number: u64,
    wanted: impl Fn(&PayloadInfo) -> bool,
    endpoint: &Endpoint,
) -> Result<u64> {
    let serializer = |payload: &PayloadInfo| {
        let serializer = serializers.iter().find(|serializer| serializer.is_supported(payload.tid));
        serializer.filter(|_| wanted(payload))
    };
    let count = message.payloads().filter(|payload| serializer(payload).is_some()).count() as u64;
    let mut header = [0; ENTITY_HEADER_SIZE];
    header[12..20].copy_from_slice(&sequence_number.to_le_bytes());
    header[24..32].copy_from_slice(&count.to_le_bytes());
    endpoint.write_all(&header)?;
    let mut size = header.len() as u64;
    for (index, payload) in message.payloads().enumerate() {
        let Some(serializer) = serializer(&payload) else { continue };
        let mut header = [0; COMPONENT_HEADER_SIZE];
        header[8..16].copy_from_slice(&payload.tid.hash1.to_le_bytes());
        header[16..24].copy_from_slice(&payload.tid.hash2.to_le_bytes());
        header[24..32].copy_from_slice(&(payload.name.len() as u64).to_le_bytes());
        endpoint.write_all(&header)?;
        endpoint.write_all(payload.name.as_bytes())?;
        size += (header.len() + payload.name.len()) as u64;
        let place = message.at(index).ok_or(ResultCode::ENTITY_COMPONENT_NOT_FOUND)?;
        let recorded = as_recorded(message, &payload);
        let data = recorded
            .as_ref()
            .map_or(place.data, |stamp| core::ptr::from_ref(stamp).cast_mut().cast());
        size += serializer.serialize(payload.tid, data, endpoint.clone())?;
    }
    Ok(size)
}

/// Reads an entity into an empty message and returns its sequence number.
pub fn read_entity(
    message: &mut Message,
    serializers: &[Handle<ComponentSerializer>],
    endpoint: &Endpoint,
) -> Result<u64> {
    let mut header = [0; ENTITY_HEADER_SIZE];
    endpoint.read_exact(&mut header).map_err(|error| error.context("entity header"))?;
    let sequence_number = number(&header[12..20]);
    for component in 0..number(&header[24..32]) {
        let mut header = [0; COMPONENT_HEADER_SIZE];
        endpoint.read_exact(&mut header).map_err(|error| error.context("component header"))?;
        let tid = Tid::new(number(&header[8..16]), number(&header[16..24]));
        let length = number(&header[24..32]);
        let mut name = [0; NAME_LIMIT];
        let name = usize::try_from(length).ok().and_then(|length| name.get_mut(..length));
        let Some(name) = name else {
            return Err(invalid(format!("the name of a component has {length} bytes")));
        };
        endpoint.read_exact(name)?;
        let name = core::str::from_utf8(name)
            .map_err(|_| invalid("the name of a component is not UTF-8".to_owned()))?;
        let serializer = serializers.iter().find(|serializer| serializer.is_supported(tid));
        let serializer = serializer.ok_or_else(|| {
            invalid(format!(
                "no component serializer reads the type {tid} of component {component}"
            ))
        })?;
        let payload = message.add_untyped(tid, name)?;
        let read = serializer.deserialize(tid, payload.data, endpoint.clone());
        read.map_err(|error| error.context(format!("component {component}")))?;
    }
    Ok(sequence_number)
}

/// The message's time in the index of a recording: the one it was read from, or the one it is about
/// to be written to. It is the acquisition time of the payload `gxe::log_time`, or else of
/// `timestamp`. The former exists because the recording itself may contain a `timestamp`. `None` if
/// there is neither.
#[must_use]
pub fn log_time(message: &Message) -> Option<i64> {
    let own = message.try_get::<Timestamp>(LOG_TIME).copied();
    own.or_else(|| message.timestamp()).map(|timestamp| timestamp.acqtime)
}

/// Sets the time at which a message was recorded; see [`log_time`].
pub fn with_log_time(message: Message, time: i64) -> Result<Message> {
    let (mut message, pubtime) = match message.timestamp() {
        None => (message.stamped(time)?, TIMESTAMP_MADE),
        Some(Timestamp { pubtime: 0, .. }) => (message, NOT_PUBLISHED),
        Some(_) => (message, 0),
    };
    message.add(LOG_TIME, Timestamp { pubtime, acqtime: time })?;
    Ok(message)
}

/// Copies the times of a message to one that was made from it.
pub fn copy_times(from: &Message, to: &mut Message) -> Result<()> {
    for name in ["timestamp", LOG_TIME] {
        if let Some(timestamp) = from.try_get::<Timestamp>(name) {
            to.add(name, *timestamp)?;
        }
    }
    Ok(())
}

/// Memory for a payload that lay in memory of type `stated` when it was recorded. If this machine
/// has no device memory, host memory replaces it: the log says so once, and the memory notes it in
/// [`MemoryBuffer::recorded_storage_type`]. A failed allocation is `OUT_OF_MEMORY`,
/// `EXCEEDING_PREALLOCATED_SIZE` or `MEMORY_INVALID_STORAGE_MODE`, never a sign of damage.
pub fn allocate_as_recorded(
    allocator: &Handle<Allocator>,
    size: u64,
    stated: StorageType,
) -> Result<MemoryBuffer> {
    match MemoryBuffer::allocate(allocator, size, stated) {
        Err(error)
            if stated == StorageType::DEVICE
                && error.code() == ResultCode::MEMORY_INVALID_STORAGE_MODE =>
        {
            static ONCE: std::sync::Once = std::sync::Once::new();
            ONCE.call_once(|| {
                crate::info!(
                    "payloads of a recording lie in device memory, which is not there; they are \
                     read to host memory"
                );
            });
            let mut memory = MemoryBuffer::allocate(allocator, size, StorageType::HOST)?;
            memory.set_recorded_on_device();
            Ok(memory)
        }
        // The recording may be intact: the allocator is at fault, not the request.
        Err(error) if error.code() == ResultCode::ARGUMENT_INVALID => {
            Err(Error::new(ResultCode::OUT_OF_MEMORY, error.message()))
        }
        allocated => allocated,
    }
}

/// Whether a payload comes from [`with_log_time`] and not from the recording. Such a payload is
/// left out when the message is recorded again.
#[must_use]
pub fn is_from_index(message: &Message, payload: &PayloadInfo) -> bool {
    if payload.tid != <Timestamp as crate::Payload>::TID {
        return false;
    }
    match payload.name {
        LOG_TIME => true,
        "timestamp" => message
            .try_get::<Timestamp>(LOG_TIME)
            .is_some_and(|log_time| log_time.pubtime == TIMESTAMP_MADE),
        _ => false,
    }
}

/// The `timestamp` of a message as it was recorded, if publication changed it.
fn as_recorded(message: &Message, payload: &PayloadInfo) -> Option<Timestamp> {
    let is_timestamp =
        payload.tid == <Timestamp as crate::Payload>::TID && payload.name == "timestamp";
    let log_time = message.try_get::<Timestamp>(LOG_TIME).filter(|_| is_timestamp)?;
    let stamp = message.timestamp()?;
    (log_time.pubtime == NOT_PUBLISHED).then_some(Timestamp { pubtime: 0, ..stamp })
}

fn number(bytes: &[u8]) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(bytes);
    u64::from_le_bytes(number)
}

fn invalid(text: String) -> Error {
    Error::new(ResultCode::INVALID_DATA_FORMAT, text)
}
