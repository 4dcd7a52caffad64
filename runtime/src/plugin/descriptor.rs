//! From an extension's descriptors to the registry's entries.
//!
//! Tables of an older ABI minor version are shorter than ours: whatever is read here is first
//! copied to a full-size table whose missing functions are absent. The copies live as long as the
//! process, like the libraries.

use crate::error::{Error, Result};
use crate::extension::registry::{ExtensionInfo, TypeInfo};
use crate::graph::{Number, ParameterSpec, ParameterValue};
use crate::message::pool::PayloadType;
use crate::plugin::value;
use gxf_plugin_abi as abi;
use gxf_plugin_abi::{
    CStr, ComponentEnvironment, ExtensionDescriptor, ExtensionFactory, PARAMETER_MAX_RANK,
    ParameterDescriptor, ParameterType, ResultCode, Tid, tids,
};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

/// How to make and destroy an instance of a type, and what it implements.
#[derive(Clone, Debug)]
pub(crate) struct Construction {
    pub size: usize,
    pub alignment: usize,
    pub create:
        Option<unsafe extern "C" fn(*mut c_void, *const ComponentEnvironment) -> *mut c_void>,
    pub destroy: Option<unsafe extern "C" fn(*mut c_void)>,
    pub interfaces: Vec<Interface>,
}

/// One interface of a type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interface {
    pub id: Tid,
    pub offset: isize,
    pub vtable: NonNull<c_void>,
}

// SAFETY: function tables are constant data that lives as long as the process.
unsafe impl Send for Interface {}
// SAFETY: as above.
unsafe impl Sync for Interface {}

impl Construction {
    pub fn interface(&self, id: Tid) -> Option<&Interface> {
        self.interfaces.iter().find(|interface| interface.id == id)
    }
}

impl Construction {
    /// For a type without instances.
    pub fn none() -> Self {
        Self { size: 0, alignment: 1, create: None, destroy: None, interfaces: Vec::new() }
    }

    /// For a payload type that no extension describes. An entity may have one as a component, too.
    pub fn of_payload(payload: &PayloadType) -> Self {
        let PayloadType { size, alignment, create, destroy, .. } = *payload;
        Self { size, alignment, create: Some(create), destroy, interfaces: Vec::new() }
    }

    /// What the message pool needs to know about a payload type.
    pub fn payload(&self, tid: Tid) -> Option<PayloadType> {
        let Self { size, alignment, create, destroy, .. } = *self;
        create.map(|create| PayloadType { tid, size, alignment, create, destroy })
    }
}

/// What the message pool needs to know about a payload type of our own.
pub(crate) const fn payload_of<T: gxf::Payload + Default>() -> PayloadType {
    unsafe extern "C" fn create<T: Default>(
        storage: *mut c_void,
        _environment: *const ComponentEnvironment,
    ) -> *mut c_void {
        // SAFETY: the pool provides room for a `T`.
        unsafe { storage.cast::<T>().write(T::default()) };
        storage
    }
    unsafe extern "C" fn destroy<T>(object: *mut c_void) {
        // SAFETY: made by `create`, destroyed once.
        unsafe { object.cast::<T>().drop_in_place() };
    }
    PayloadType {
        tid: T::TID,
        size: size_of::<T>(),
        alignment: align_of::<T>(),
        create: create::<T>,
        destroy: if std::mem::needs_drop::<T>() { Some(destroy::<T>) } else { None },
    }
}

/// The types of an extension that is part of this program.
pub(crate) fn read_built_in(
    descriptor: &'static ExtensionDescriptor,
) -> Result<(ExtensionInfo, Vec<TypeInfo>)> {
    read_once(&OpenLibrary { descriptor }, Path::new(""))
}

/// What was read before, by the address of the descriptor.
static KNOWN: Mutex<BTreeMap<usize, (ExtensionInfo, Vec<TypeInfo>)>> = Mutex::new(BTreeMap::new());

/// Reads an extension the first time it is met in this process. Its descriptors live as long as
/// the process, so reading them again for every context would cost memory each time.
fn read_once(library: &OpenLibrary, path: &Path) -> Result<(ExtensionInfo, Vec<TypeInfo>)> {
    let mut known = KNOWN.lock();
    match known.entry(library.descriptor.addr()) {
        Entry::Occupied(entry) => Ok(entry.get().clone()),
        Entry::Vacant(entry) => {
            // SAFETY: the address of an exported descriptor in a library that stays open.
            let read = unsafe { read_extension(library.descriptor, path) }?;
            Ok(entry.insert(read).clone())
        }
    }
}

/// Why a library could not be opened.
#[derive(Debug)]
pub(crate) enum OpenError {
    /// The system's loader refused, with this text.
    Refused(String),
    /// There is no descriptor in it.
    NoSymbol,
}

/// A library that stays open for the life of the process, and its descriptor.
pub(crate) struct OpenLibrary {
    descriptor: *const ExtensionDescriptor,
}

/// Opens a library and finds its descriptor.
pub(crate) fn open_library(path: &Path) -> std::result::Result<OpenLibrary, OpenError> {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    // SAFETY: the library's initialisers run; whoever lists a library in a manifest wants that.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    let library = library.map_err(|error| {
        use std::error::Error as _;
        let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        OpenError::Refused(text)
    })?;
    // SAFETY: the symbol's address is taken; what it points to is judged by `read_extension`.
    let symbol =
        unsafe { library.get::<*const ExtensionDescriptor>(abi::EXTENSION_SYMBOL.as_bytes()) };
    let descriptor: *const ExtensionDescriptor =
        symbol.map_err(|_| OpenError::NoSymbol)?.into_raw().cast_const().cast();
    // Never closed, see `extension/loader.rs`.
    std::mem::forget(library);
    // A symbol may have the address 0, and the look-up also finds the symbol of a library that this
    // one depends on.
    if descriptor.is_null() || !lies_in(descriptor.cast(), path) {
        return Err(OpenError::NoSymbol);
    }
    Ok(OpenLibrary { descriptor })
}

/// Whether an address belongs to the library opened from this path.
fn lies_in(address: *const c_void, path: &Path) -> bool {
    let Some(file) = file_of(address) else { return false };
    match (std::fs::canonicalize(&file), std::fs::canonicalize(path)) {
        (Ok(one), Ok(other)) => one == other,
        _ => file == path,
    }
}

/// The program or library this code is part of, as the loader calls it.
pub(crate) fn own_file() -> Option<PathBuf> {
    file_of(own_file as *const c_void)
}

/// The program or library that has this address.
fn file_of(address: *const c_void) -> Option<PathBuf> {
    let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the result is written when the call succeeds.
    if unsafe { libc::dladdr(address, found.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: the call succeeded; the name belongs to the loader and stays valid.
    Some(PathBuf::from(unsafe { text(found.assume_init().dli_fname) }))
}

/// The extension whose descriptor has this address.
///
/// # Safety
/// The address must be readable, and be that of a descriptor that stays valid if it says so.
pub(crate) unsafe fn library_at(descriptor: *const ExtensionDescriptor) -> OpenLibrary {
    OpenLibrary { descriptor }
}

/// The types of an opened library.
pub(crate) fn read_library(
    library: OpenLibrary,
    path: &Path,
) -> Result<(ExtensionInfo, Vec<TypeInfo>)> {
    read_once(&library, path)
}

/// Most types one extension may have, as in GXF.
const MOST_TYPES: usize = 1024;
/// Most parameters one type may have, as in GXF.
const MOST_PARAMETERS: usize = 1024;
/// Most choices one parameter may have; a larger number is a mistake.
const MOST_CHOICES: usize = 1024;

/// # Safety
/// `text` must be null or a C string that stays valid.
unsafe fn text(text: CStr) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Checks the first field of a table: its size, as its writer was compiled. `smallest` is the size
/// of ABI 1.0. What has no possible address or size was not made from the SDK or the header.
///
/// # Safety
/// `table` must be readable if it is not null and has the address of a table.
unsafe fn stated_size(table: *const c_void, smallest: usize) -> std::result::Result<usize, String> {
    if table.is_null() {
        return Err("is a null pointer".to_owned());
    }
    if !table.cast::<usize>().is_aligned() {
        return Err("has an address no structure can have".to_owned());
    }
    // SAFETY: the caller's promise; the size is the first field.
    let stated = unsafe { table.cast::<usize>().read() };
    if stated < smallest {
        return Err(format!("states a size of {stated} bytes, and ABI 1.0 has {smallest}"));
    }
    if stated > 1 << 16 || !stated.is_multiple_of(align_of::<usize>()) {
        return Err(format!("states an impossible size of {stated} bytes"));
    }
    Ok(stated)
}

/// A full-size copy of a table; what the writer did not know is zero.
///
/// # Safety
/// `table` must point to `stated` readable bytes, and all-zero bytes must be valid for the fields
/// behind what ABI 1.0 had.
unsafe fn copy_sized<T>(table: *const c_void, stated: usize) -> NonNull<T> {
    let copy: &mut std::mem::MaybeUninit<T> = Box::leak(Box::new(std::mem::MaybeUninit::zeroed()));
    // SAFETY: both ranges are valid for the smaller of the two sizes.
    unsafe {
        copy.as_mut_ptr()
            .cast::<u8>()
            .copy_from_nonoverlapping(table.cast(), stated.min(size_of::<T>()));
    }
    NonNull::from(copy).cast()
}

macro_rules! interface_tables {
    ($($id:ident: $table:ident [$($mandatory:ident)*] [$($optional:ident)*]
        $(later [$($later:ident)*])?;)*) => {
        $(
            // Every function of a table must be in one of its lists, and in the right one.
            const _: () = assert!(
                size_of::<abi::$table>()
                    == size_of::<usize>()
                        * (1 $(+ { _ = stringify!($mandatory); 1 })*
                            $(+ { _ = stringify!($optional); 1 })*
                            $($(+ { _ = stringify!($later); 1 })*)?)
            );
            const _: fn(&abi::$table) = |_table| {
                $(_ = _table.$mandatory as *const c_void;)*
                $(_ = _table.$optional.is_some();)*
                $($(_ = _table.$later.is_some();)*)?
            };
        )*

        /// Whether the host knows the functions of this interface.
        pub(crate) fn is_interface_with_functions(id: Tid) -> bool {
            matches!(id, $(tids::$id)|*)
        }

        /// A full-size copy of an interface's table, if it is one; a table the host does not know
        /// stays as it is.
        ///
        /// # Safety
        /// `vtable` must be null or the address of a table for the interface `id`.
        unsafe fn adopt_table(
            id: Tid,
            vtable: *const c_void,
        ) -> std::result::Result<NonNull<c_void>, String> {
            match id {
                $(tids::$id => {
                    // Later versions of the table grew at its end.
                    let grown = 0 $($(+ { _ = stringify!($later); size_of::<usize>() })*)?;
                    let smallest = size_of::<abi::$table>() - grown;
                    // SAFETY: the caller's promise.
                    let stated = unsafe { stated_size(vtable, smallest) }?;
                    $(
                        // SAFETY: the table has at least the functions of 1.0.
                        let function = unsafe {
                            vtable
                                .byte_add(std::mem::offset_of!(abi::$table, $mandatory))
                                .cast::<*const c_void>()
                                .read()
                        };
                        if function.is_null() {
                            return Err(concat!("lacks `", stringify!($mandatory), "`").to_owned());
                        }
                    )*
                    // SAFETY: as above; the functions behind those of 1.0 are optional.
                    Ok(unsafe { copy_sized::<abi::$table>(vtable, stated) }.cast())
                })*
                _ => {
                    // SAFETY: every table begins with its size.
                    unsafe { stated_size(vtable, size_of::<usize>()) }?;
                    NonNull::new(vtable.cast_mut()).ok_or_else(String::new)
                }
            }
        }
    };
}

// The functions of ABI 1.0 that must be there, those that may be null, and those of later versions,
// which older extensions do not have.
interface_tables! {
    COMPONENT: ComponentVtable [] [set_parameter clear_parameters initialize deinitialize]
        later [check_parameters];
    CODELET: CodeletVtable [tick] [start stop];
    QUEUE: QueueVtable [push pop peek capacity message_count back_count sync] [];
    RECEIVER: ReceiverVtable [receive peek_back] [sync_io wait];
    TRANSMITTER: TransmitterVtable [publish_as_is] [sync_io];
    SCHEDULING_TERM: SchedulingTermVtable [check on_execute] [update_state watched];
    SCHEDULING_TERM_COMBINER: SchedulingTermCombinerVtable [check terms] [];
    BOOLEAN_SCHEDULING_TERM: BooleanSchedulingTermVtable [set_tick_enabled is_tick_enabled] [];
    ASYNCHRONOUS_SCHEDULING_TERM: AsynchronousSchedulingTermVtable
        [set_event_state event_state] [];
    TARGET_TIME_SCHEDULING_TERM: TargetTimeSchedulingTermVtable [set_next_target_time] [];
    BT_SCHEDULING_TERM: BtSchedulingTermVtable [set_condition wait_until wait_for] [];
    ALLOCATOR: AllocatorVtable [is_available allocate free block_size] [] later [statistics];
    CLOCK: ClockVtable [timestamp sleep_for sleep_until] [real_time_until];
    REALTIME_CLOCK: RealtimeClockVtable [set_time_scale] [];
    SYNTHETIC_CLOCK: SyntheticClockVtable [advance_to advance_by] [];
    VAULT: VaultVtable [waiting_count take] [];
    METRIC: MetricVtable [record aggregated_value evaluate_success reset] [];
    ROUTER: RouterVtable [add_routes remove_routes sync_inbox sync_outbox] [];
    NETWORK_CONTEXT: NetworkContextVtable [initialize_network add_routes remove_routes] [];
    SYSTEM: SystemVtable [schedule unschedule run_async stop wait event_notify] [];
    SCHEDULER: SchedulerVtable [] [prepare];
    CONTROLLER: ControllerVtable [control] [];
    MONITOR: MonitorVtable [on_execute] [];
    ENDPOINT: EndpointVtable [is_write_available is_read_available write read] [write_pointer];
    FILE: FileVtable [open close flush seek tell clear is_open is_at_end has_failed] [];
    SERIALIZATION_BUFFER: SerializationBufferVtable
        [resize wrap reset data capacity written storage_type] [];
    COMPONENT_SERIALIZER: ComponentSerializerVtable [is_supported serialize deserialize] [];
    ENTITY_SERIALIZER: EntitySerializerVtable [serialize deserialize] [];
    IPC_SERVER: IpcServerVtable [register_service] [];
    IPC_CLIENT: IpcClientVtable [query action] [];
}

/// Name of an interface for people: that of the GXF type it stands for, or its id.
pub(crate) fn interface_name(id: Tid) -> String {
    match tids::ALL.iter().find(|(_, known, _)| *known == id) {
        Some((_, _, type_name)) => (*type_name).to_owned(),
        None => format!("`{id}`"),
    }
}

fn invalid(message: String) -> Error {
    Error::new(ResultCode::FACTORY_INVALID_INFO, message)
}

/// Judges a descriptor and takes its types. `path` is empty for built-in ones.
///
/// # Safety
/// `descriptor` must point to a descriptor as the border describes it, in a library that stays
/// loaded. What it claims about its own memory cannot be checked.
pub(crate) unsafe fn read_extension(
    descriptor: *const ExtensionDescriptor,
    path: &Path,
) -> Result<(ExtensionInfo, Vec<TypeInfo>)> {
    let found = if path.as_os_str().is_empty() {
        "built-in extension".to_owned()
    } else {
        format!("`{}`", path.display())
    };
    // SAFETY: whatever has this symbol, be it a function, has some bytes there.
    let magic = unsafe { (&raw const (*descriptor).magic).read_unaligned() };
    if magic != abi::ABI_MAGIC || !descriptor.is_aligned() {
        return Err(Error::new(
            ResultCode::FACTORY_INCOMPATIBLE,
            format!("{found} exports `GXF_EXT_FACTORY`, but it is not a gxe extension descriptor"),
        ));
    }
    // SAFETY: size and version stand at the same place in all versions.
    let (size, major, minor) = unsafe {
        (
            (&raw const (*descriptor).size).read(),
            (&raw const (*descriptor).abi_major).read(),
            (&raw const (*descriptor).abi_minor).read(),
        )
    };
    if major != abi::ABI_MAJOR || minor > abi::ABI_MINOR {
        let advice = if (major, minor) > (abi::ABI_MAJOR, abi::ABI_MINOR) {
            "use a newer gxe, or build the extension against this one's SDK"
        } else {
            "build the extension again, against this gxe's SDK"
        };
        return Err(Error::new(
            ResultCode::FACTORY_INCOMPATIBLE,
            format!(
                "{found} was built for gxe ABI {major}.{minor}, and this gxe has ABI {}.{}; {advice}",
                abi::ABI_MAJOR,
                abi::ABI_MINOR
            ),
        ));
    }
    if size != size_of::<ExtensionDescriptor>() {
        return Err(invalid(format!(
            "{found}: the descriptor states a size of {size} bytes, and ABI {major}.{minor} has {}",
            size_of::<ExtensionDescriptor>()
        )));
    }
    // SAFETY: the version is one we know, so the whole structure is there.
    let descriptor = unsafe { &*descriptor };
    check_layout(descriptor, &found)?;
    // SAFETY: texts of a valid descriptor.
    let mut info = unsafe {
        ExtensionInfo {
            tid: descriptor.id,
            name: text(descriptor.name),
            version: text(descriptor.version),
            description: text(descriptor.description),
            author: text(descriptor.author),
            license: text(descriptor.license),
            display_name: text(descriptor.display_name),
            category: text(descriptor.category),
            brief: text(descriptor.brief),
            build_info: text(descriptor.build_info),
            abi_version: (major, minor),
            path: path.to_owned(),
            types: Vec::new(),
        }
    };
    let lacks = |what| Err(invalid(format!("{found}: the extension states no {what}")));
    if info.name.is_empty() {
        return lacks("name");
    }
    if info.version.is_empty() {
        return lacks("version");
    }
    if info.tid.is_null() {
        return lacks("id");
    }
    let create = descriptor
        .create_factory
        .ok_or_else(|| invalid(format!("{found}: the extension has no factory function")))?;
    let mut factory = ExtensionFactory {
        size: size_of::<ExtensionFactory>(),
        types: std::ptr::null(),
        type_count: 0,
    };
    let host: *const abi::HostTable = super::host::table();
    // SAFETY: the descriptor's function takes the host table and room for its result.
    gxf::host::check(unsafe { create(host, &raw mut factory) }).map_err(|error| {
        Error::new(error.code(), format!("{found}: the extension's factory failed"))
            .caused_by(error)
    })?;
    if factory.type_count > MOST_TYPES {
        return Err(Error::new(
            ResultCode::FACTORY_TOO_MANY_COMPONENTS,
            format!("{found}: {} types, and {MOST_TYPES} are allowed", factory.type_count),
        ));
    }
    if factory.types.is_null() && factory.type_count > 0 {
        return Err(invalid(format!("{found}: the factory hands out no types")));
    }
    let types = (0..factory.type_count)
        .map(|index| {
            // SAFETY: the factory stated this many entries.
            unsafe { read_type(*factory.types.add(index), &info.name) }.map_err(|error| {
                Error::new(
                    error.code(),
                    format!("{found}: number {} of its types is not acceptable", index + 1),
                )
                .caused_by(error)
            })
        })
        .collect::<Result<Vec<_>>>()?;
    info.types = types.iter().map(|known| known.tid).collect();
    Ok((info, types))
}

/// Compares the memory layout of everything shared, for extensions that state it (Rust ones).
fn check_layout(descriptor: &ExtensionDescriptor, found: &str) -> Result<()> {
    use abi_stable::abi_stability::abi_checking::check_layout_compatibility;
    use abi_stable::type_layout::TypeLayout;

    // SAFETY: texts of a valid descriptor.
    let version = unsafe { text(descriptor.rust_layout_version) };
    if version.is_empty() {
        return Ok(());
    }
    if version.as_bytes() != abi::LAYOUT_VERSION.to_bytes() {
        tracing::debug!("{found} describes its layout with {version}, which is not compared");
        return Ok(());
    }
    let compare = |ours: &'static TypeLayout, theirs: *const c_void| {
        // The same address: the very same layout, linked into this program.
        if std::ptr::eq(theirs.cast(), ours) || theirs.is_null() {
            return Ok(());
        }
        // SAFETY: the version agrees, so the pointer leads to a layout of this form.
        let theirs = unsafe { &*theirs.cast::<TypeLayout>() };
        check_layout_compatibility(ours, theirs).map_err(|error| {
            Error::new(
                ResultCode::FACTORY_INCOMPATIBLE,
                format!(
                    "{found}: the types it shares with gxe have another layout although the ABI \
                     version is the same; build it with the same version of the crate gxf"
                ),
            )
            .caused_by(error.to_string())
        })
    };
    compare(abi::data_layout(), descriptor.rust_data_layout)?;
    if descriptor.abi_minor == abi::ABI_MINOR {
        compare(abi::table_layout(), descriptor.rust_table_layout)?;
    }
    Ok(())
}

/// # Safety
/// `entry` must be null or point to a type's description.
unsafe fn read_type(entry: *const abi::ComponentType, extension: &str) -> Result<TypeInfo> {
    // SAFETY: the caller's promise. In this version the description has the length of 1.0.
    let stated = unsafe { stated_size(entry.cast(), size_of::<abi::ComponentType>()) }
        .map_err(|what| invalid(format!("its description {what}")))?;
    // SAFETY: a complete copy; fields unknown to the writer are zero, which all of them allow.
    let entry = unsafe { copy_sized::<abi::ComponentType>(entry.cast(), stated).as_ref() };
    // SAFETY: texts of a valid description.
    let (name, display_name, brief, description) = unsafe {
        (
            text(entry.type_name),
            text(entry.display_name),
            text(entry.brief),
            text(entry.description),
        )
    };
    if name.is_empty() {
        return Err(invalid("it has no name".to_owned()));
    }
    let problem = |what: String| invalid(format!("`{name}`: {what}"));
    if entry.tid.is_null() {
        return Err(problem("it has no id".to_owned()));
    }
    let is_abstract = entry.flags & abi::TYPE_ABSTRACT != 0;
    if !is_abstract && entry.create.is_none() {
        return Err(problem("it is not abstract and has no function to create it".to_owned()));
    }
    let alignment = entry.instance_alignment.max(1);
    if !alignment.is_power_of_two() || alignment > 4096 || entry.instance_size > 1 << 30 {
        return Err(problem(format!(
            "an instance of {} bytes with alignment {alignment} is not possible",
            entry.instance_size
        )));
    }
    if entry.parameter_count > MOST_PARAMETERS {
        return Err(problem(format!("{} parameters are too many", entry.parameter_count)));
    }
    let mut parameters: Vec<ParameterSpec> = Vec::with_capacity(entry.parameter_count);
    let mut next = entry.parameters.cast::<u8>();
    for number in 1..=entry.parameter_count {
        // SAFETY: the array has one more element; its length is what the writer stated. In this
        // version the description has the length of 1.0.
        let stated = unsafe { stated_size(next.cast(), size_of::<ParameterDescriptor>()) }
            .map_err(|what| problem(format!("the description of parameter {number} {what}")))?;
        // SAFETY: as long as it states.
        let parameter = unsafe { copy_sized::<ParameterDescriptor>(next.cast(), stated) };
        // SAFETY: a complete copy, see above.
        let parameter = unsafe { read_parameter(parameter.as_ref()) }.map_err(problem)?;
        if parameters.iter().any(|known| known.key == parameter.key) {
            return Err(Error::new(
                ResultCode::PARAMETER_ALREADY_REGISTERED,
                format!("`{name}`: two parameters are called `{}`", parameter.key),
            ));
        }
        parameters.push(parameter);
        // SAFETY: the array's elements are as long as the writer stated.
        next = unsafe { next.add(stated) };
    }
    let mut interfaces = Vec::with_capacity(entry.interface_count.min(64));
    for index in 0..entry.interface_count {
        if entry.interfaces.is_null() {
            return Err(problem("its list of interfaces is a null pointer".to_owned()));
        }
        // SAFETY: the array has this many elements.
        let interface = unsafe { &*entry.interfaces.add(index) };
        // SAFETY: the type states that this is a table of that interface.
        let vtable = unsafe { adopt_table(interface.id, interface.vtable) }.map_err(|what| {
            let name = interface_name(interface.id);
            problem(format!("the function table of its interface {name} {what}"))
        })?;
        interfaces.push(Interface { id: interface.id, offset: interface.offset, vtable });
    }
    Ok(TypeInfo {
        tid: entry.tid,
        base: entry.base_tid,
        name,
        display_name,
        brief,
        description,
        flags: entry.flags,
        extension: extension.to_owned(),
        parameters,
        lineage: Vec::new(),
        native: None,
        construction: Construction {
            size: entry.instance_size,
            alignment,
            create: entry.create.filter(|_| !is_abstract),
            destroy: entry.destroy,
            interfaces,
        },
    })
}

/// # Safety
/// The descriptor's pointers must be valid.
unsafe fn read_parameter(
    parameter: &ParameterDescriptor,
) -> std::result::Result<ParameterSpec, String> {
    // SAFETY: texts of a valid descriptor.
    let key = unsafe { text(parameter.key) };
    if key.is_empty() {
        return Err("one of its parameters has no key".to_owned());
    }
    let rank = parameter.rank as usize;
    if rank > PARAMETER_MAX_RANK {
        return Err(format!("parameter `{key}` has rank {rank}; the highest is 8"));
    }
    let known = parameter.element_type.0 <= ParameterType::COMPLEX128.0
        || parameter.element_type == ParameterType::TID;
    if !known {
        return Err(format!("parameter `{key}` has the unknown type {}", parameter.element_type.0));
    }
    if parameter.choice_count > MOST_CHOICES
        || (parameter.choices.is_null() && parameter.choice_count > 0)
    {
        return Err(format!(
            "parameter `{key}` states {} choices, which are not there",
            parameter.choice_count
        ));
    }
    let read = |value: *const abi::Value, rank: u32, what: &str| {
        // SAFETY: pointers of a valid descriptor.
        let Some(value) = (unsafe { value.as_ref() }) else { return Ok(None) };
        // Taken for another type, the bytes of a value would be another value.
        if value.element_type != parameter.element_type || value.rank != rank {
            return Err(format!("parameter `{key}` and its {what} have different types"));
        }
        // SAFETY: as above.
        let value = unsafe { value::from_border(value) };
        value.map(Some).map_err(|_| format!("parameter `{key}` has a {what} that cannot be read"))
    };
    let default = read(parameter.default_value, parameter.rank, "default")?;
    let limit = |value, what| Ok::<_, String>(read(value, 0, what)?.as_ref().and_then(number));
    let minimum = limit(parameter.minimum, "minimum")?;
    let maximum = limit(parameter.maximum, "maximum")?;
    let step = limit(parameter.step, "step")?;
    // SAFETY: texts of a valid descriptor.
    unsafe {
        Ok(ParameterSpec {
            headline: text(parameter.headline),
            description: text(parameter.description),
            unit: Some(text(parameter.unit)).filter(|unit| !unit.is_empty()),
            flags: parameter.flags,
            shape: parameter.shape,
            handle_tid: parameter.handle_tid,
            default,
            minimum,
            maximum,
            step,
            choices: (0..parameter.choice_count)
                .map(|index| text(*parameter.choices.add(index)))
                .collect(),
            ..ParameterSpec::new(key, parameter.element_type, parameter.rank)
        })
    }
}

/// A number as what limits are compared with.
pub(crate) fn number(value: &ParameterValue) -> Option<Number> {
    Some(match value {
        ParameterValue::Int8(value) => Number::Integer(i128::from(*value)),
        ParameterValue::Int16(value) => Number::Integer(i128::from(*value)),
        ParameterValue::Int32(value) => Number::Integer(i128::from(*value)),
        ParameterValue::Int64(value) => Number::Integer(i128::from(*value)),
        ParameterValue::UInt8(value) => Number::Integer(i128::from(*value)),
        ParameterValue::UInt16(value) => Number::Integer(i128::from(*value)),
        ParameterValue::UInt32(value) => Number::Integer(i128::from(*value)),
        ParameterValue::UInt64(value) => Number::Integer(i128::from(*value)),
        ParameterValue::Float32(value) => Number::Float(f64::from(*value)),
        ParameterValue::Float64(value) => Number::Float(*value),
        _ => return None,
    })
}
