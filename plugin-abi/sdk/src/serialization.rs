//! Messages as bytes in the layouts of GXF's entity serializers, as a basis for such, and the time at
//! which a message is recorded.
//!
//! An entity is a header followed by its components. A component is a header, its name, and the
//! bytes of its payload from a component serializer. Numbers are little endian.

use crate::{
    Allocator, AnyPayload, AnyPayloadMut, ComponentSerializer, Endpoint, Error, Handle,
    MemoryBuffer, Message, PayloadInfo, Result, ResultCode, StorageType, Tid, Timestamp,
};

use crate::abi::tids;
use crate::text::text_bytes;
use core::ptr::{self, NonNull};

/// Longest component name that is read, in bytes.
const NAME_LIMIT: usize = 1024;
/// Bytes of a name in the header of a component of [`Layout::Ucx`], with at least one zero.
const UCX_NAME_SIZE: usize = 256;
/// The largest header of a component.
const COMPONENT_HEADER_SIZE: usize = 24 + UCX_NAME_SIZE;

/// A layout of entities.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Layout {
    /// `StdEntitySerializer`: the entity's header has 40 bytes, a component's 32.
    #[default]
    Std,
    /// `UcxEntitySerializer`: the entity's header has 24 bytes, a component's 280, which contain
    /// the name as well.
    Ucx,
}

impl Layout {
    /// Size of an entity's header, and where its sequence number and component count are.
    fn entity_fields(self) -> (usize, usize, usize) {
        match self {
            Self::Std => (40, 12, 24),
            Self::Ucx => (24, 8, 16),
        }
    }

    /// Fills in the header of an entity, which is zeroed but for these fields.
    fn fill_entity_header(self, header: &mut [u8], sequence_number: u64, count: u64) {
        let (_, number, components) = self.entity_fields();
        header[number..number + 8].copy_from_slice(&sequence_number.to_le_bytes());
        header[components..components + 8].copy_from_slice(&count.to_le_bytes());
    }

    fn component_header_size(self) -> usize {
        match self {
            Self::Std => 32,
            Self::Ucx => COMPONENT_HEADER_SIZE,
        }
    }

    /// Fills in the header of a component, which is zeroed.
    fn fill_component_header(self, header: &mut [u8], tid: Tid, name: &[u8]) -> Result<()> {
        header[8..16].copy_from_slice(&tid.hash1.to_le_bytes());
        header[16..24].copy_from_slice(&tid.hash2.to_le_bytes());
        match self {
            Self::Std => header[24..32].copy_from_slice(&(name.len() as u64).to_le_bytes()),
            Self::Ucx if name.len() < UCX_NAME_SIZE => {
                header[24..24 + name.len()].copy_from_slice(name);
            }
            Self::Ucx => {
                return Err(invalid(format!("the name of a component has {} bytes", name.len())));
            }
        }
        Ok(())
    }

    /// The type of a component, and the length of its name.
    fn parse_component_header(self, header: &[u8]) -> (Tid, u64) {
        let tid = Tid::new(number(&header[8..16]), number(&header[16..24]));
        let name = &header[24..];
        let length = match self {
            Self::Std => number(&name[..8]),
            Self::Ucx => name.iter().position(|byte| *byte == 0).unwrap_or(UCX_NAME_SIZE) as u64,
        };
        (tid, length)
    }

    fn read_component_header(self, endpoint: &Endpoint) -> Result<(Tid, u64)> {
        let mut header = [0; COMPONENT_HEADER_SIZE];
        let header = &mut header[..self.component_header_size()];
        endpoint.read_exact(header).map_err(|error| error.context("component header"))?;
        Ok(self.parse_component_header(header))
    }
}

/// Headers and names on their way to an endpoint, which get there together.
struct Head {
    bytes: [u8; 40 + 24 + 2 * UCX_NAME_SIZE],
    filled: usize,
    /// Bytes that went to the endpoint.
    written: u64,
}

impl Head {
    fn new() -> Self {
        Self { bytes: [0; _], filled: 0, written: 0 }
    }

    fn push(&mut self, bytes: &[u8]) {
        let end = self.filled + bytes.len();
        self.bytes[self.filled..end].copy_from_slice(bytes);
        self.filled = end;
    }

    fn push_zeros(&mut self, count: usize) -> &mut [u8] {
        let begin = self.filled;
        self.filled += count;
        let zeros = &mut self.bytes[begin..self.filled];
        zeros.fill(0);
        zeros
    }

    /// Writes what there is, and then the header and the name of a component.
    fn write_component(
        &mut self,
        layout: Layout,
        tid: Tid,
        name: &str,
        endpoint: &Endpoint,
    ) -> Result<()> {
        let header = self.push_zeros(layout.component_header_size());
        layout.fill_component_header(header, tid, name.as_bytes())?;
        if name.len() <= self.bytes.len() - self.filled {
            self.push(name.as_bytes());
            return self.write(endpoint);
        }
        self.write(endpoint)?;
        self.written += name.len() as u64;
        endpoint.write_all(name.as_bytes())
    }

    fn write(&mut self, endpoint: &Endpoint) -> Result<()> {
        endpoint.write_all(&self.bytes[..self.filled])?;
        self.written += self.filled as u64;
        self.filled = 0;
        Ok(())
    }
}

/// Name of the payload with a message's recording time. The `timestamp` alone would not do, because
/// codelets may change it. No recording contains this name.
const LOG_TIME: &str = "gxe::log_time";
/// Publication time of the payload [`LOG_TIME`] if the message's `timestamp` was made from it.
const TIMESTAMP_MADE: i64 = 1;
/// The same for a message whose recorded `timestamp` has publication time 0, which publication
/// sets.
const NOT_PUBLISHED: i64 = 2;

/// Most messages have no more payloads.
const FEW: usize = 8;

/// Whether a payload only says when the data of a message is valid, or on which stream it is written. That
/// means nothing to whoever reads what was written.
fn is_about_streams(tid: Tid) -> bool {
    [tids::CUDA_FENCE, tids::CUDA_STREAM_ID, tids::CUDA_EVENT, tids::STREAM_SYNC_ID].contains(&tid)
}

/// An entity that was written.
pub struct Written<'a> {
    /// Its size in bytes.
    pub size: u64,
    /// The first payload that was wanted and has no serializer, but for those about streams of devices.
    pub left_out: Option<PayloadInfo<'a>>,
}

/// Writes the payloads of a message that have a serializer and are `wanted`.
///
/// # Errors
/// Those of the endpoint and the serializers; `INVALID_DATA_FORMAT` for a name that does not fit.
pub fn write_entity<'a>(
    layout: Layout,
    message: &'a Message,
    serializers: &[Handle<ComponentSerializer>],
    sequence_number: u64,
    wanted: impl Fn(&PayloadInfo) -> bool,
    endpoint: &Endpoint,
) -> Result<Written<'a>> {
    // The number of components comes first.
    let (mut few, mut many) = ([const { None }; FEW], Vec::new());
    let parts: &mut [Option<_>] = match message.len() {
        length @ ..=FEW => &mut few[..length],
        length => {
            many.resize_with(length, || None);
            &mut many
        }
    };
    let mut left_out = None;
    for (index, part) in parts.iter_mut().enumerate() {
        let Some(payload) = message.payload(index).filter(|payload| wanted(payload)) else {
            continue;
        };
        match serializers.iter().find(|serializer| serializer.is_supported(payload.tid)) {
            Some(serializer) => *part = Some((payload, serializer)),
            None if is_about_streams(payload.tid) => {}
            None => left_out = left_out.or(Some(payload)),
        }
    }
    let mut head = Head::new();
    let count = parts.iter().flatten().count() as u64;
    let header = head.push_zeros(layout.entity_fields().0);
    layout.fill_entity_header(header, sequence_number, count);
    let mut size = 0;
    for (index, part) in parts.iter().enumerate() {
        let Some((payload, serializer)) = part else { continue };
        head.write_component(layout, payload.tid, payload.name, endpoint)?;
        let place = message.at(index).ok_or(ResultCode::ENTITY_COMPONENT_NOT_FOUND)?;
        let is_stamp = is_named(payload.tid, payload.name.as_bytes(), "timestamp");
        let recorded = if is_stamp { as_recorded(message) } else { None };
        let data =
            recorded.as_ref().map_or(place.data, |stamp| ptr::from_ref(stamp).cast_mut().cast());
        size += serializer.serialize(payload.tid, data, endpoint.clone())?;
    }
    // Of an entity without components.
    head.write(endpoint)?;
    Ok(Written { size: size + head.written, left_out })
}

/// How payloads of a type with a fixed number of bytes are written and read.
pub struct FixedPayload {
    /// Number of bytes.
    pub size: usize,
    /// Writes a payload to so many bytes.
    pub write: fn(AnyPayload<'_>, &mut [u8]) -> Result<()>,
    /// Reads a payload from so many bytes.
    pub read: fn(AnyPayloadMut<'_>, &[u8]) -> Result<()>,
}

/// What the latest message on a link had in common with the next one, if that has the same payloads: its
/// bytes but those of the payloads.
#[derive(Default)]
pub struct Pattern {
    bytes: Vec<u8>,
    payloads: Vec<PatternPayload>,
}

/// A payload of a pattern.
struct PatternPayload {
    tid: Tid,
    /// Where its name begins among the bytes, and where the payload begins behind it.
    name: usize,
    data: usize,
    fixed: &'static FixedPayload,
}

impl Pattern {
    /// Appends a message with the same payloads; `false`, and `bytes` stay as they are, for others.
    fn append(
        &self,
        layout: Layout,
        message: &Message,
        sequence_number: u64,
        bytes: &mut Vec<u8>,
    ) -> Result<bool> {
        if self.payloads.is_empty() || self.payloads.len() != message.len() {
            return Ok(false);
        }
        let begin = bytes.len();
        bytes.extend_from_slice(&self.bytes);
        let own = &mut bytes[begin..];
        for (index, PatternPayload { tid, name, data, fixed }) in self.payloads.iter().enumerate() {
            let place = message.at(index).filter(|place| {
                // SAFETY: the name lives as long as the message.
                place.tid == *tid && unsafe { text_bytes(place.name) } == &self.bytes[*name..*data]
            });
            let Some(place) = place else {
                bytes.truncate(begin);
                return Ok(false);
            };
            let object = NonNull::new(place.data).ok_or(ResultCode::ARGUMENT_NULL)?;
            // SAFETY: it is a payload of the message.
            let payload = unsafe { AnyPayload::new(*tid, object) };
            (fixed.write)(payload, &mut own[*data..*data + fixed.size])?;
        }
        layout.fill_entity_header(own, sequence_number, self.payloads.len() as u64);
        Ok(true)
    }
}

/// Appends what [`write_entity`] writes to `bytes`, without calls of serializers and of an endpoint, if
/// `fixed` knows the type of every payload and [`parse_entity`] reads so many. Otherwise `bytes` stay as
/// they are, and the result is `false`. `pattern` is that of the message before, with the same layout
/// and `fixed`, and becomes that of this one.
///
/// # Errors
/// `INVALID_DATA_FORMAT` for a name that does not fit.
pub fn append_entity(
    layout: Layout,
    message: &Message,
    sequence_number: u64,
    fixed: impl Fn(Tid) -> Option<&'static FixedPayload>,
    pattern: &mut Pattern,
    bytes: &mut Vec<u8>,
) -> Result<bool> {
    if pattern.append(layout, message, sequence_number, bytes)? {
        return Ok(true);
    }
    let begin = bytes.len();
    pattern.payloads.clear();
    let appended =
        append_anew(layout, message, sequence_number, fixed, &mut pattern.payloads, bytes);
    match appended {
        Ok(Appended::AsItIs) => {
            pattern.bytes.clear();
            pattern.bytes.extend_from_slice(&bytes[begin..]);
        }
        Ok(Appended::No) | Err(_) => {
            pattern.payloads.clear();
            bytes.truncate(begin);
        }
        Ok(Appended::WithRecordedTime) => pattern.payloads.clear(),
    }
    appended.map(|appended| appended != Appended::No)
}

/// How a message was appended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Appended {
    AsItIs,
    /// With a timestamp that is not the message's own.
    WithRecordedTime,
    No,
}

/// Appends a message that does not follow a pattern, and notes its payloads.
fn append_anew(
    layout: Layout,
    message: &Message,
    sequence_number: u64,
    fixed: impl Fn(Tid) -> Option<&'static FixedPayload>,
    payloads: &mut Vec<PatternPayload>,
    bytes: &mut Vec<u8>,
) -> Result<Appended> {
    let begin = bytes.len();
    let (size, ..) = layout.entity_fields();
    bytes.resize(begin + size, 0);
    let mut has_log_time = false;
    let mut stamp = None;
    for place in (0..message.len()).map_while(|index| message.at(index)) {
        // SAFETY: the name lives as long as the message.
        let name = unsafe { text_bytes(place.name) };
        has_log_time |= is_named(place.tid, name, LOG_TIME);
        let fixed = fixed(place.tid).filter(|_| payloads.len() < FEW && name.len() <= NAME_LIMIT);
        let Some(fixed) = fixed else { return Ok(Appended::No) };
        let start = bytes.len();
        let end = start + layout.component_header_size() + name.len();
        bytes.resize(end + fixed.size, 0);
        let (header, rest) = bytes[start..].split_at_mut(layout.component_header_size());
        layout.fill_component_header(header, place.tid, name)?;
        let (name_place, bytes_of_payload) = rest.split_at_mut(name.len());
        name_place.copy_from_slice(name);
        let data = NonNull::new(place.data).ok_or(ResultCode::ARGUMENT_NULL)?;
        // SAFETY: it is a payload of the message.
        let payload = unsafe { AnyPayload::new(place.tid, data) };
        (fixed.write)(payload, bytes_of_payload)?;
        if is_named(place.tid, name, "timestamp") {
            stamp = Some((end, fixed));
        }
        let (name, data) = (end - name.len() - begin, end - begin);
        payloads.push(PatternPayload { tid: place.tid, name, data, fixed });
    }
    layout.fill_entity_header(
        &mut bytes[begin..begin + size],
        sequence_number,
        payloads.len() as u64,
    );
    // A message without a log time need not be searched for one.
    if !has_log_time {
        return Ok(Appended::AsItIs);
    }
    if let Some((place, fixed)) = stamp
        && let Some(recorded) = as_recorded(message)
    {
        let data = NonNull::from(&recorded).cast();
        // SAFETY: it is a timestamp.
        let payload = unsafe { AnyPayload::new(<Timestamp as crate::Payload>::TID, data) };
        (fixed.write)(payload, &mut bytes[place..place + fixed.size])?;
    }
    Ok(Appended::WithRecordedTime)
}

/// A component in memory.
type Part<'a> = (Tid, &'a str, &'static FixedPayload, &'a [u8]);

/// Reads an entity in memory into an empty message, without calls of serializers and of an endpoint, if
/// `fixed` knows the types of all its components. Returns its sequence number. `None`, and the message
/// stays empty, for other types, and for bytes that [`read_entity`] refuses.
///
/// # Errors
/// Those of adding payloads to the message.
pub fn parse_entity(
    layout: Layout,
    message: &mut Message,
    fixed: impl Fn(Tid) -> Option<&'static FixedPayload>,
    bytes: &[u8],
) -> Result<Option<u64>> {
    let (size, sequence, components) = layout.entity_fields();
    let Some((header, mut rest)) = bytes.split_at_checked(size) else { return Ok(None) };
    let mut parts = [const { None }; FEW];
    let count = number(&header[components..components + 8]);
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let Some(parts) = parts.get_mut(..count) else { return Ok(None) };
    for part in &mut *parts {
        *part = parse_part(layout, &fixed, &mut rest);
        if part.is_none() {
            return Ok(None);
        }
    }
    if !rest.is_empty() {
        return Ok(None);
    }
    for (tid, name, fixed, data) in parts.iter().flatten() {
        let payload = message.add_untyped(*tid, name)?;
        let place = NonNull::new(payload.data).ok_or(ResultCode::ARGUMENT_NULL)?;
        // SAFETY: the message, which is borrowed exclusively, has just got a payload of this type.
        let payload = unsafe { AnyPayloadMut::new(*tid, place) };
        (fixed.read)(payload, data)?;
    }
    Ok(Some(number(&header[sequence..sequence + 8])))
}

fn parse_part<'a>(
    layout: Layout,
    fixed: &impl Fn(Tid) -> Option<&'static FixedPayload>,
    rest: &mut &'a [u8],
) -> Option<Part<'a>> {
    let (header, behind) = rest.split_at_checked(layout.component_header_size())?;
    let (tid, length) = layout.parse_component_header(header);
    let length = usize::try_from(length).ok().filter(|length| *length <= NAME_LIMIT)?;
    let (name, behind) = behind.split_at_checked(length)?;
    let fixed = fixed(tid)?;
    let (data, behind) = behind.split_at_checked(fixed.size)?;
    *rest = behind;
    Some((tid, core::str::from_utf8(name).ok()?, fixed, data))
}

/// Reads an entity into an empty message and returns its sequence number.
pub fn read_entity(
    layout: Layout,
    message: &mut Message,
    serializers: &[Handle<ComponentSerializer>],
    endpoint: &Endpoint,
) -> Result<u64> {
    let (size, sequence, components) = layout.entity_fields();
    let mut header = [0; 40];
    let header = &mut header[..size];
    endpoint.read_exact(header).map_err(|error| error.context("entity header"))?;
    let sequence_number = number(&header[sequence..sequence + 8]);
    for component in 0..number(&header[components..components + 8]) {
        let (tid, length) = layout.read_component_header(endpoint)?;
        let (mut short, mut long) = ([0; 64], Vec::new());
        let name = match usize::try_from(length) {
            Ok(length) if length <= short.len() => &mut short[..length],
            Ok(length @ ..=NAME_LIMIT) => {
                long.resize(length, 0);
                &mut long
            }
            _ => return Err(invalid(format!("the name of a component has {length} bytes"))),
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
            if matches!(stated, StorageType::DEVICE | StorageType::CUDA_MANAGED)
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

/// Whether a payload is the timestamp with this name.
fn is_named(tid: Tid, payload: &[u8], name: &str) -> bool {
    tid == <Timestamp as crate::Payload>::TID && payload == name.as_bytes()
}

/// The `timestamp` of a message as it was recorded, if publication changed it.
fn as_recorded(message: &Message) -> Option<Timestamp> {
    let log_time = message.try_get::<Timestamp>(LOG_TIME)?;
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
