//! Generates the three forms of an interface from its description.

macro_rules! interfaces {
    ($($(#[$doc:meta])* $name:ident $(: $base:ident)?, $vtable:ident, $tid:ident {
        $($(#[$mdoc:meta])* $kind:ident $method:ident($($arg:ident: $type:ty),*) $(-> $ret:ty)?;)*
    })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone)]
            pub struct $name {
                object: *mut c_void,
                vtable: &'static abi::$vtable,
                $(#[doc = concat!("The ", stringify!($base), " part.")] base: $base,)?
            }

            // SAFETY: vtable functions may be called from any thread; see `gxf-plugin-abi`.
            unsafe impl Send for $name {}
            // SAFETY: as above.
            unsafe impl Sync for $name {}

            impl $name {
                $(
                    interfaces!(@caller $kind [$($mdoc)*] $method($($arg: $type),*) $(-> $ret)?);
                )*
            }

            interfaces!(@target $name $(: $base)?, $vtable, $tid);
        )*

        /// The traits; `implement` re-exports them.
        pub mod traits {
            use super::*;
            use crate::implement::Lifecycle;
            $(
                $(#[$doc])*
                pub trait $name: $($base +)? Lifecycle + Sync {
                    $(interfaces!(@method $kind [$($mdoc)*] $method($($arg: $type),*) $(-> $ret)?);)*
                }
            )*
        }

        /// The function tables of implementors; the factory macro refers to them.
        pub mod vtables {
            use super::*;
            $(
                #[doc = concat!("Function table of [`traits::", stringify!($name), "`].")]
                pub struct $name<T>(core::marker::PhantomData<T>);

                impl<T: traits::$name> $name<T> {
                    /// The table of `T`.
                    pub const TABLE: abi::$vtable = abi::$vtable {
                        size: size_of::<abi::$vtable>(),
                        $($method: interfaces!(@entry $kind $method),)*
                    };
                    $(interfaces!(@shim $name $kind $method($($arg: $type),*) $(-> $ret)?);)*
                }
            )*
        }
    };

    // --- methods of a handle ---
    (@caller call [$($doc:meta)*] $method:ident($($arg:ident: $type:ty),*)) => {
        $(#[$doc])*
        #[inline]
        pub fn $method(&self, $($arg: $type),*) -> Result<()> {
            // SAFETY: `HandleTarget::resolve` paired object and table and keeps both alive.
            check(unsafe { self.vtable.$method.unwinding()(self.object, $(Pass::give($arg)),*) })
        }
    };
    (@caller maybe [$($doc:meta)*] $method:ident($($arg:ident: $type:ty),*)) => {
        $(#[$doc])*
        #[inline]
        pub fn $method(&self, $($arg: $type),*) -> Result<()> {
            match self.vtable.$method {
                // SAFETY: `HandleTarget::resolve` paired object and table and keeps both alive.
                Some(function) => check(unsafe { function.unwinding()(self.object, $(Pass::give($arg)),*) }),
                None => Ok(()),
            }
        }
    };
    (@caller out [$($doc:meta)*] $method:ident($($arg:ident: $type:ty),*) -> $ret:ty) => {
        $(#[$doc])*
        #[inline]
        pub fn $method(&self, $($arg: $type),*) -> Result<$ret> {
            let mut out = MaybeUninit::<<$ret as Pass>::Abi>::uninit();
            // SAFETY: `HandleTarget::resolve` paired object and table and keeps both alive.
            check(unsafe {
                self.vtable.$method.unwinding()(self.object, $(Pass::give($arg),)* out.as_mut_ptr())
            })?;
            // SAFETY: the function succeeded, so it wrote the result.
            unsafe { <$ret as Pass>::take(out.assume_init()) }
        }
    };
    (@caller value [$($doc:meta)*] $method:ident($($arg:ident: $type:ty),*) -> $ret:ty) => {
        $(#[$doc])*
        #[inline]
        #[must_use]
        pub fn $method(&self, $($arg: $type),*) -> $ret {
            // SAFETY: `HandleTarget::resolve` paired object and table and keeps both alive.
            unsafe { (self.vtable.$method)(self.object, $(Pass::give($arg)),*) }
        }
    };
    (@caller maybe_value [$($doc:meta)*] $method:ident($($arg:ident: $type:ty),*) -> $ret:ty) => {
        $(#[$doc])*
        #[inline]
        #[must_use]
        pub fn $method(&self, $($arg: $type),*) -> Option<$ret> {
            // SAFETY: `HandleTarget::resolve` paired object and table and keeps both alive.
            self.vtable.$method.map(|f| unsafe { f(self.object, $(Pass::give($arg)),*) })
        }
    };
    (@caller optional_value [$($doc:meta)*] $method:ident() -> $ret:ty) => {
        $(#[$doc])*
        #[must_use]
        pub fn $method(&self) -> $ret {
            // SAFETY: `HandleTarget::resolve` paired object and table and keeps both alive.
            self.vtable.$method.map(|f| unsafe { f(self.object) }).unwrap_or_default()
        }
    };
    (@caller sink [$($doc:meta)*] $method:ident()) => {
        $(#[$doc])*
        pub fn $method(&self, add: &mut dyn FnMut(Uid)) {
            // SAFETY: `HandleTarget::resolve` paired object and table and keeps both alive.
            with_sink(|sink| unsafe { self.vtable.$method.unwinding()(self.object, sink) }, add);
        }
    };
    (@caller maybe_sink [$($doc:meta)*] $method:ident()) => {
        $(#[$doc])*
        pub fn $method(&self, add: &mut dyn FnMut(Uid)) {
            if let Some(function) = self.vtable.$method {
                // SAFETY: `HandleTarget::resolve` paired object and table and keeps both alive.
                with_sink(|sink| unsafe { function.unwinding()(self.object, sink) }, add);
            }
        }
    };

    (@caller optional [$($doc:meta)*] $method:ident($($arg:ident: $type:ty),*)) => {
        $(#[$doc])*
        pub fn $method(&self, $($arg: $type),*) -> Result<()> {
            let function = self.vtable.$method.ok_or(ResultCode::NOT_IMPLEMENTED)?;
            // SAFETY: `HandleTarget::resolve` paired object and table and keeps both alive.
            check(unsafe { function.unwinding()(self.object, $(Pass::give($arg)),*) })
        }
    };
    (@caller text [$($doc:meta)*] $method:ident($($arg:ident: $type:ty),*)) => {
        $(#[$doc])*
        pub fn $method(&self, $($arg: $type),*) -> Result<String> {
            // SAFETY: `HandleTarget::resolve` paired object and table and keeps both alive.
            with_text_sink(|sink| unsafe {
                self.vtable.$method.unwinding()(self.object, $(Pass::give($arg),)* sink)
            })
        }
    };
    (@caller maybe_text [$($doc:meta)*] $method:ident($($arg:ident: $type:ty),*)) => {
        $(#[$doc])*
        pub fn $method(&self, $($arg: $type),*) -> Result<String> {
            let function = self.vtable.$method.ok_or(ResultCode::NOT_IMPLEMENTED)?;
            // SAFETY: `HandleTarget::resolve` paired object and table and keeps both alive.
            with_text_sink(|sink| unsafe {
                function.unwinding()(self.object, $(Pass::give($arg),)* sink)
            })
        }
    };

    // --- methods of an implementor ---
    (@method call [$($doc:meta)*] $method:ident($($arg:ident: $type:ty),*)) => {
        $(#[$doc])* fn $method(&self, $($arg: $type),*) -> Result<()>;
    };
    (@method maybe [$($doc:meta)*] $method:ident($($arg:ident: $type:ty),*)) => {
        $(#[$doc])* fn $method(&self, $($arg: $type),*) -> Result<()> { $(let _ = $arg;)* Ok(()) }
    };
    (@method out [$($doc:meta)*] $method:ident($($arg:ident: $type:ty),*) -> $ret:ty) => {
        $(#[$doc])* fn $method(&self, $($arg: $type),*) -> Result<$ret>;
    };
    (@method value [$($doc:meta)*] $method:ident($($arg:ident: $type:ty),*) -> $ret:ty) => {
        $(#[$doc])* fn $method(&self, $($arg: $type),*) -> $ret;
    };
    (@method maybe_value [$($doc:meta)*] $method:ident($($arg:ident: $type:ty),*) -> $ret:ty) => {
        $(#[$doc])* fn $method(&self, $($arg: $type),*) -> $ret;
    };
    (@method optional_value [$($doc:meta)*] $method:ident() -> $ret:ty) => {
        $(#[$doc])* fn $method(&self) -> $ret { <$ret>::default() }
    };
    (@method sink [$($doc:meta)*] $method:ident()) => {
        $(#[$doc])* fn $method(&self, add: &mut dyn FnMut(Uid));
    };
    (@method maybe_sink [$($doc:meta)*] $method:ident()) => {
        $(#[$doc])* fn $method(&self, add: &mut dyn FnMut(Uid)) { let _ = add; }
    };

    (@method optional [$($doc:meta)*] $method:ident($($arg:ident: $type:ty),*)) => {
        $(#[$doc])*
        fn $method(&self, $($arg: $type),*) -> Result<()> {
            $(let _ = $arg;)*
            Err(ResultCode::NOT_IMPLEMENTED.into())
        }
    };
    (@method text [$($doc:meta)*] $method:ident($($arg:ident: $type:ty),*)) => {
        $(#[$doc])* fn $method(&self, $($arg: $type),*) -> Result<String>;
    };
    (@method maybe_text [$($doc:meta)*] $method:ident($($arg:ident: $type:ty),*)) => {
        $(#[$doc])*
        fn $method(&self, $($arg: $type),*) -> Result<String> {
            $(let _ = $arg;)*
            Err(ResultCode::NOT_IMPLEMENTED.into())
        }
    };

    // --- entries of the table ---
    (@entry maybe $method:ident) => { Some(Self::$method) };
    (@entry maybe_value $method:ident) => { Some(Self::$method) };
    (@entry optional_value $method:ident) => { Some(Self::$method) };
    (@entry maybe_sink $method:ident) => { Some(Self::$method) };
    (@entry optional $method:ident) => { Some(Self::$method) };
    (@entry maybe_text $method:ident) => { Some(Self::$method) };
    (@entry $kind:ident $method:ident) => { Self::$method };

    // --- calls from the table to the implementor ---
    (@shim $name:ident maybe $($rest:tt)*) => { interfaces!(@shim $name call $($rest)*); };
    (@shim $name:ident call $method:ident($($arg:ident: $type:ty),*)) => {
        unsafe extern "C" fn $method(
            object: *mut c_void, $($arg: <$type as Pass>::Abi),*
        ) -> ResultCode {
            guard(|| {
                // SAFETY: callers pass an object that was registered with this table, hence a live
                // `T`.
                let this = unsafe { &*object.cast::<T>() };
                // SAFETY: each argument has the form that the ABI defines, and is taken once.
                traits::$name::$method(this, $(unsafe { Pass::take($arg) }?),*)
            })
        }
    };
    (@shim $name:ident out $method:ident($($arg:ident: $type:ty),*) -> $ret:ty) => {
        unsafe extern "C" fn $method(
            object: *mut c_void, $($arg: <$type as Pass>::Abi,)* out: *mut <$ret as Pass>::Abi,
        ) -> ResultCode {
            guard(|| {
                // SAFETY: callers pass an object that was registered with this table, hence a live
                // `T`.
                let this = unsafe { &*object.cast::<T>() };
                // SAFETY: each argument has the form that the ABI defines, and is taken once.
                let result = traits::$name::$method(this, $(unsafe { Pass::take($arg) }?),*)?;
                // SAFETY: callers pass a valid place for the result.
                unsafe { out.write(Pass::give(result)) };
                Ok(())
            })
        }
    };
    (@shim $name:ident optional $($rest:tt)*) => { interfaces!(@shim $name call $($rest)*); };
    (@shim $name:ident maybe_text $($rest:tt)*) => { interfaces!(@shim $name text $($rest)*); };
    (@shim $name:ident text $method:ident($($arg:ident: $type:ty),*)) => {
        unsafe extern "C" fn $method(
            object: *mut c_void, $($arg: <$type as Pass>::Abi,)* answer: abi::TextSink,
        ) -> ResultCode {
            guard(|| {
                // SAFETY: callers pass an object that was registered with this table, hence a live
                // `T`.
                let this = unsafe { &*object.cast::<T>() };
                // SAFETY: each argument has the form that the ABI defines, and is taken once.
                let text = traits::$name::$method(this, $(unsafe { Pass::take($arg) }?),*)?;
                // SAFETY: the sink is valid during this call.
                unsafe { (answer.write)(answer.user, crate::text_of(&text)) };
                Ok(())
            })
        }
    };
    (@shim $name:ident maybe_value $($rest:tt)*) => { interfaces!(@shim $name value $($rest)*); };
    (@shim $name:ident optional_value $($rest:tt)*) => { interfaces!(@shim $name value $($rest)*); };
    (@shim $name:ident value $method:ident($($arg:ident: $type:ty),*) -> $ret:ty) => {
        unsafe extern "C" fn $method(
            object: *mut c_void, $($arg: <$type as Pass>::Abi),*
        ) -> $ret {
            crate::support::guard_value(|| {
                // SAFETY: callers pass an object that was registered with this table, hence a live
                // `T`.
                let this = unsafe { &*object.cast::<T>() };
                // SAFETY: each argument has the form that the ABI defines, and is taken once.
                Ok(traits::$name::$method(this, $(unsafe { Pass::take($arg) }?),*))
            })
        }
    };
    (@shim $name:ident maybe_sink $($rest:tt)*) => { interfaces!(@shim $name sink $($rest)*); };
    (@shim $name:ident sink $method:ident()) => {
        unsafe extern "C" fn $method(object: *mut c_void, sink: abi::UidSink) {
            guard(|| {
                // SAFETY: callers pass an object that was registered with this table, hence a live
                // `T`.
                let this = unsafe { &*object.cast::<T>() };
                // SAFETY: the sink is valid during this call.
                traits::$name::$method(this, &mut |uid| unsafe { (sink.add)(sink.user, uid) });
                Ok(())
            });
        }
    };

    // --- resolution of a handle ---
    (@target $name:ident, $vtable:ident, $tid:ident) => {
        impl $name {
            /// Builds a reference from raw pointers.
            ///
            /// # Safety
            #[doc = concat!("`vtable` must be a `", stringify!($vtable), "` that takes `object`;")]
            /// both must be valid while the result is used.
            #[must_use]
            pub unsafe fn from_raw(object: *mut c_void, vtable: *const c_void) -> Self {
                // SAFETY: `vtable` is such a table and valid while the result is used, as required.
                Self { object, vtable: unsafe { &*vtable.cast() } }
            }
        }

        // SAFETY: the host returns the requested interface, and the owner keeps the component
        // alive.
        unsafe impl HandleTarget for $name {
            const TID: Tid = tids::$tid;
            type Stored = Self;
            fn resolve(context: *mut abi::Context, cid: Uid) -> Result<(Self, *mut c_void)> {
                let found = lookup(host().component_interface, context, cid, Self::TID)?;
                // SAFETY: the host found the interface in the component.
                Ok((unsafe { Self::from_raw(found.object, found.vtable) }, found.owner))
            }
            fn get(stored: &Self) -> &Self { stored }
        }
    };
    (@target $name:ident : $base:ident, $vtable:ident, $tid:ident) => {
        impl $name {
            /// Builds a reference from raw pointers.
            ///
            /// # Safety
            #[doc = concat!("`vtable` must be a `", stringify!($vtable), "` that takes `object`;")]
            /// both must be valid while the result is used, and `base` must be of the same
            /// component.
            #[must_use]
            pub unsafe fn from_raw(
                object: *mut c_void, vtable: *const c_void, base: $base,
            ) -> Self {
                // SAFETY: `vtable` is such a table and valid while the result is used, as required.
                Self { object, vtable: unsafe { &*vtable.cast() }, base }
            }
        }

        impl core::ops::Deref for $name {
            type Target = $base;
            #[inline]
            fn deref(&self) -> &$base { &self.base }
        }

        // SAFETY: the host returns the requested interfaces, and the owner keeps the component
        // alive.
        unsafe impl HandleTarget for $name {
            const TID: Tid = tids::$tid;
            type Stored = Self;
            fn resolve(context: *mut abi::Context, cid: Uid) -> Result<(Self, *mut c_void)> {
                let found = lookup(host().component_interface, context, cid, Self::TID)?;
                let base = $base::resolve(context, cid);
                match base {
                    Ok((base, base_owner)) => {
                        // SAFETY: one token keeps the component alive; this releases the second
                        // one.
                        unsafe { (host().component_release)(base_owner) };
                        // SAFETY: the host found both interfaces in the component.
                        let this = unsafe { Self::from_raw(found.object, found.vtable, base) };
                        Ok((this, found.owner))
                    }
                    Err(error) => {
                        // SAFETY: this releases the token of the first look-up.
                        unsafe { (host().component_release)(found.owner) };
                        Err(error)
                    }
                }
            }
            fn get(stored: &Self) -> &Self { stored }
        }
    };
}
