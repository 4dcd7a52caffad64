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
use std::ffi::c_void;
use std::path::Path;
use std::ptr::NonNull;

/// How to make and destroy an instance of a type, and what it implements.
#[derive(Debug)]
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

    /// What the message pool needs to know about a payload type.
    pub fn payload(&self, tid: Tid) -> Option<PayloadType> {
        let Self { size, alignment, create, destroy, .. } = *self;
        create.map(|create| PayloadType { tid, size, alignment, create, destroy })
    }
}

/// What the message pool needs to know about a payload type of our own.
pub(crate) const fn payload_of<T: gxf::Payload + Copy>() -> PayloadType {
    /// All-zero bytes are a value of every payload type the host has.
    unsafe extern "C" fn create<T>(
        storage: *mut c_void,
        _environment: *const ComponentEnvironment,
    ) -> *mut c_void {
        // SAFETY: the pool provides room for a `T`.
        unsafe { storage.cast::<T>().write_bytes(0, 1) };
        storage
    }
    PayloadType {
        tid: T::TID,
        size: size_of::<T>(),
        alignment: align_of::<T>(),
        create: create::<T>,
        destroy: None,
    }
}

/// The types of an extension that is part of this program.
pub(crate) fn read_built_in(
    descriptor: &'static ExtensionDescriptor,
) -> Result<(ExtensionInfo, Vec<TypeInfo>)> {
    // SAFETY: a reference to a descriptor that the factory macro made.
    unsafe { read_extension(descriptor, Path::new("")) }
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
    let descriptor = symbol.map_err(|_| OpenError::NoSymbol)?.into_raw().cast_const();
    // Never closed, see `extension/loader.rs`.
    std::mem::forget(library);
    Ok(OpenLibrary { descriptor: descriptor.cast() })
}

/// The types of an opened library.
pub(crate) fn read_library(
    library: OpenLibrary,
    path: &Path,
) -> Result<(ExtensionInfo, Vec<TypeInfo>)> {
    // SAFETY: the address of the exported descriptor in a library that stays open.
    unsafe { read_extension(library.descriptor, path) }
}

/// Most types one extension may have, as in GXF.
const MOST_TYPES: usize = 1024;
/// Most parameters one type may have, as in GXF.
const MOST_PARAMETERS: usize = 1024;

/// # Safety
/// `text` must be null or a C string that stays valid.
unsafe fn text(text: CStr) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Copies a table that states its size in its first field; what the writer did not know is zero.
///
/// # Safety
/// `table` must point to a readable table of the size it states, and all-zero bytes must be valid
/// for the fields behind what ABI 1.0 had.
unsafe fn copy_sized<T>(table: *const c_void) -> Option<NonNull<T>> {
    // SAFETY: the caller's promise; the size is the first field.
    let stated = unsafe { table.cast::<usize>().read() };
    if stated < size_of::<usize>() || stated > 1 << 16 {
        return None;
    }
    let copy: &mut std::mem::MaybeUninit<T> = Box::leak(Box::new(std::mem::MaybeUninit::zeroed()));
    // SAFETY: both ranges are valid for the smaller of the two sizes.
    unsafe {
        copy.as_mut_ptr()
            .cast::<u8>()
            .copy_from_nonoverlapping(table.cast(), stated.min(size_of::<T>()));
    }
    NonNull::new(copy.as_mut_ptr())
}

macro_rules! interface_tables {
    ($($id:ident: $table:ident,)*) => {
        /// The functions of ABI 1.0 are mandatory, so a table must be at least that long; this is
        /// its length in this version, where every table still has the length of 1.0.
        fn smallest_table(id: Tid) -> Option<usize> {
            match id {
                $(tids::$id => Some(size_of::<abi::$table>()),)*
                _ => None,
            }
        }

        /// A full-size copy of an interface's table; unknown interfaces stay as they are.
        ///
        /// # Safety
        /// `vtable` must be a table for the interface `id`.
        unsafe fn adopt_table(id: Tid, vtable: *const c_void) -> Option<NonNull<c_void>> {
            match id {
                // SAFETY: the caller's promise.
                $(tids::$id => unsafe { copy_sized::<abi::$table>(vtable) }.map(NonNull::cast),)*
                _ => NonNull::new(vtable.cast_mut()),
            }
        }
    };
}

interface_tables! {
    COMPONENT: ComponentVtable,
    CODELET: CodeletVtable,
    QUEUE: QueueVtable,
    RECEIVER: ReceiverVtable,
    TRANSMITTER: TransmitterVtable,
    SCHEDULING_TERM: SchedulingTermVtable,
    SCHEDULING_TERM_COMBINER: SchedulingTermCombinerVtable,
    BOOLEAN_SCHEDULING_TERM: BooleanSchedulingTermVtable,
    ASYNCHRONOUS_SCHEDULING_TERM: AsynchronousSchedulingTermVtable,
    TARGET_TIME_SCHEDULING_TERM: TargetTimeSchedulingTermVtable,
    BT_SCHEDULING_TERM: BtSchedulingTermVtable,
    ALLOCATOR: AllocatorVtable,
    CLOCK: ClockVtable,
    REALTIME_CLOCK: RealtimeClockVtable,
    SYNTHETIC_CLOCK: SyntheticClockVtable,
    VAULT: VaultVtable,
    METRIC: MetricVtable,
    ROUTER: RouterVtable,
    NETWORK_CONTEXT: NetworkContextVtable,
    SYSTEM: SystemVtable,
    SCHEDULER: SchedulerVtable,
    CONTROLLER: ControllerVtable,
    MONITOR: MonitorVtable,
    ENDPOINT: EndpointVtable,
    COMPONENT_SERIALIZER: ComponentSerializerVtable,
    ENTITY_SERIALIZER: EntitySerializerVtable,
    IPC_SERVER: IpcServerVtable,
    IPC_CLIENT: IpcClientVtable,
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
    // SAFETY: magic, size and version stand at the same place in all versions.
    let (magic, size, major, minor) = unsafe {
        (
            (&raw const (*descriptor).magic).read(),
            (&raw const (*descriptor).size).read(),
            (&raw const (*descriptor).abi_major).read(),
            (&raw const (*descriptor).abi_minor).read(),
        )
    };
    if magic != abi::ABI_MAGIC {
        return Err(Error::new(
            ResultCode::FACTORY_INCOMPATIBLE,
            format!("{found} exports `GXF_EXT_FACTORY`, but it is not a gxe extension descriptor"),
        ));
    }
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
    if info.name.is_empty() || info.version.is_empty() || info.tid.is_null() {
        return Err(invalid(format!("{found}: the extension states no name, version or id")));
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
                Error::new(error.code(), format!("{found}: type {}", index + 1)).caused_by(error)
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
    if entry.is_null() {
        return Err(invalid("the description is a null pointer".to_owned()));
    }
    // SAFETY: the caller's promise.
    let entry = unsafe { copy_sized::<abi::ComponentType>(entry.cast()) }
        .ok_or_else(|| invalid("the description states an impossible size".to_owned()))?;
    // SAFETY: a complete copy; fields unknown to the writer are zero, which all of them allow.
    let entry = unsafe { entry.as_ref() };
    // SAFETY: texts of a valid description.
    let (name, display_name, brief, description) = unsafe {
        (
            text(entry.type_name),
            text(entry.display_name),
            text(entry.brief),
            text(entry.description),
        )
    };
    let problem = |what: String| invalid(format!("`{name}`: {what}"));
    if name.is_empty() || entry.tid.is_null() {
        return Err(problem("a type needs a name and an id".to_owned()));
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
    for _ in 0..entry.parameter_count {
        if next.is_null() {
            return Err(problem("its list of parameters is a null pointer".to_owned()));
        }
        // SAFETY: the array has one more element; its length is what the writer stated.
        let (parameter, stated) = unsafe {
            (copy_sized::<ParameterDescriptor>(next.cast()), next.cast::<usize>().read())
        };
        let parameter =
            parameter.ok_or_else(|| problem("a parameter states an impossible size".to_owned()))?;
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
        let complain = |what| problem(format!("the interface {}: {what}", interface.id));
        if interface.vtable.is_null() {
            return Err(complain("no function table"));
        }
        // SAFETY: the table begins with its size.
        let stated = unsafe { interface.vtable.cast::<usize>().read() };
        if smallest_table(interface.id).is_some_and(|smallest| stated < smallest) {
            return Err(complain("the function table is too short"));
        }
        // SAFETY: the type states that this is a table of that interface.
        let vtable = unsafe { adopt_table(interface.id, interface.vtable) }
            .ok_or_else(|| complain("the function table states an impossible size"))?;
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
        return Err("a parameter has no key".to_owned());
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
    // SAFETY: pointers of a valid descriptor.
    let (default, numbers) = unsafe {
        let read = |value: *const abi::Value| match value.as_ref() {
            Some(value) => value::from_border(value).map(Some),
            None => Ok(None),
        };
        let complain =
            |code: ResultCode| format!("parameter `{key}` has a value of a wrong form ({code})");
        let default = read(parameter.default_value).map_err(complain)?;
        let mut numbers = [None; 3];
        let limits = [parameter.minimum, parameter.maximum, parameter.step];
        for (place, limit) in numbers.iter_mut().zip(limits) {
            *place = read(limit).map_err(complain)?.as_ref().and_then(number);
        }
        (default, numbers)
    };
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
            minimum: numbers[0],
            maximum: numbers[1],
            step: numbers[2],
            choices: (0..parameter.choice_count)
                .map(|index| text(*parameter.choices.add(index)))
                .collect(),
            ..ParameterSpec::new(key, parameter.element_type, parameter.rank)
        })
    }
}

fn number(value: &ParameterValue) -> Option<Number> {
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
