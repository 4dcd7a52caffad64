//! `gxf_ext_factory!`: `input.rs` parses the input, this file generates the code.

mod input;

pub use input::Extension;
use input::{EXTENSION_TEXTS, Id, TypeEntry};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use std::collections::HashMap;
use syn::{Ident, Result};

/// Interfaces of a trait of `gxf::implement`; some traits bring the interface of another.
fn interfaces_of(name: &Ident) -> Vec<Ident> {
    let with = match name.to_string().as_str() {
        "Receiver" | "Transmitter" => "Queue",
        "Scheduler" => "System",
        _ => return vec![name.clone()],
    };
    vec![Ident::new(with, name.span()), name.clone()]
}

/// Name of the constant in `gxf::abi::tids`.
fn tid_constant(name: &Ident) -> Ident {
    let mut constant = String::new();
    for (index, letter) in name.to_string().char_indices() {
        if letter.is_uppercase() && index > 0 {
            constant.push('_');
        }
        constant.extend(letter.to_uppercase());
    }
    Ident::new(&constant, name.span())
}

/// The exported symbol, the types it returns, and the implementations that the SDK needs.
pub fn expand(extension: &Extension) -> Result<TokenStream> {
    check_ids(extension)?;
    let types: Vec<_> = extension
        .components
        .iter()
        .map(component)
        .chain(extension.payloads.iter().map(payload))
        .collect::<Result<_>>()?;
    let targets =
        extension.components.iter().filter(|entry| !is_codelet(entry) || is_shared_codelet(entry));
    let targets = targets.map(target);
    let payload_impls = extension.payloads.iter().map(payload_impl);
    let id = extension.id.tokens();
    let texts: Vec<_> = EXTENSION_TEXTS.iter().map(|key| extension.texts.c_text(key)).collect();
    let fields: Vec<_> =
        EXTENSION_TEXTS.iter().map(|key| Ident::new(key, Span::call_site())).collect();
    let (attribute, symbol) = match &extension.built_in {
        Some(name) => (quote!(), name.clone()),
        None => (quote!(#[unsafe(no_mangle)]), Ident::new("GXF_EXT_FACTORY", Span::call_site())),
    };
    let built_in = extension.built_in.as_ref().map(|name| built_in_types(extension, name));
    Ok(quote! {
        #(#payload_impls)*
        #(#targets)*
        #built_in

        /// Description of this extension; the host reads it before it calls any code.
        #attribute
        pub static #symbol: ::gxf::abi::ExtensionDescriptor = {
            unsafe extern "C" fn create_factory(
                host: *const ::gxf::abi::HostTable,
                factory: *mut ::gxf::abi::ExtensionFactory,
            ) -> ::gxf::ResultCode {
                // SAFETY: the host passes its table and a valid place for the result.
                unsafe {
                    ::gxf::support::create_factory(host, factory, || ::std::vec![#(#types),*])
                }
            }
            ::gxf::abi::ExtensionDescriptor {
                magic: ::gxf::abi::ABI_MAGIC,
                size: ::core::mem::size_of::<::gxf::abi::ExtensionDescriptor>(),
                abi_major: ::gxf::abi::ABI_MAJOR,
                abi_minor: ::gxf::abi::ABI_MINOR,
                id: #id,
                #(#fields: #texts,)*
                build_info: ::gxf::support::BUILD_INFO.as_ptr(),
                create_factory: ::core::option::Option::Some(create_factory),
                rust_layout_version: ::gxf::abi::LAYOUT_VERSION.as_ptr(),
                rust_data_layout: ::core::ptr::from_ref(::gxf::abi::data_layout()).cast(),
                rust_table_layout: ::core::ptr::from_ref(::gxf::abi::table_layout()).cast(),
                reserved: [0; 8],
            }
        };
    })
}

/// The ids of a built-in extension's components, for code that knows their Rust types. Codelets are
/// left out: they belong to the thread that executes them.
fn built_in_types(extension: &Extension, symbol: &Ident) -> TokenStream {
    let shared = || extension.components.iter().filter(|entry| !is_codelet(entry));
    let impls = shared().map(|entry| {
        let (rust_type, id) = (&entry.rust_type, entry.tid());
        quote! {
            impl ::gxf::support::BuiltIn for #rust_type {
                const TID: ::gxf::Tid = #id;
            }
        }
    });
    let pairs = shared().map(|entry| {
        let rust_type = &entry.rust_type;
        quote! {
            (
                <#rust_type as ::gxf::support::BuiltIn>::TID,
                ::core::any::TypeId::of::<#rust_type>(),
            )
        }
    });
    let list = Ident::new(&format!("{symbol}_TYPES"), symbol.span());
    quote! {
        #(#impls)*

        /// Id and Rust type of every component of the extension that is not a codelet.
        static #list: &[(::gxf::Tid, ::core::any::TypeId)] = &[#(#pairs),*];
    }
}

fn check_ids(extension: &Extension) -> Result<()> {
    let mut seen = HashMap::new();
    for entry in extension.components.iter().chain(&extension.payloads) {
        let name = entry.texts.required("name", Span::call_site())?.value();
        let Some(id) = &entry.id else { continue };
        if let Some(other) = seen.insert(id.value()?, name) {
            return Err(syn::Error::new(id.first.span(), format!("`{other}` has the same id")));
        }
    }
    Ok(())
}

fn is_codelet(entry: &TypeEntry) -> bool {
    entry.interfaces.iter().any(|interface| interface == "Codelet")
}

/// A codelet with further interfaces, which other components may call while it ticks.
fn is_shared_codelet(entry: &TypeEntry) -> bool {
    is_codelet(entry) && entry.interfaces.len() > 1
}

fn texts_of(entry: &TypeEntry, base: &TokenStream) -> Result<TokenStream> {
    let id = entry.tid();
    let name = format!("{}\0", entry.texts.required("name", Span::call_site())?.value());
    let [display_name, brief, description] =
        ["display_name", "brief", "description"].map(|key| entry.texts.optional(key));
    let flags = &entry.flags;
    Ok(quote! {
        ::gxf::support::TypeTexts {
            tid: #id,
            base: #base,
            name: ::gxf::support::c_literal(#name),
            display_name: #display_name,
            brief: #brief,
            description: #description,
            flags: 0 #(| ::gxf::abi::#flags)*,
        }
    })
}

fn component(entry: &TypeEntry) -> Result<TokenStream> {
    let rust_type = &entry.rust_type;
    let Some(first) = entry.interfaces.first() else {
        return Err(syn::Error::new_spanned(
            rust_type,
            "a component needs a base, as in `PingTx: Codelet { … }`",
        ));
    };
    if entry.id.is_none() {
        return Err(syn::Error::new_spanned(rust_type, "`id: 0x…, 0x…;` is missing"));
    }
    let first = tid_constant(first);
    let base = entry.base.as_ref().map_or(quote!(::gxf::abi::tids::#first), Id::tokens);
    let texts = texts_of(entry, &base)?;
    let tables = if is_shared_codelet(entry) {
        quote! {
            ::gxf::support::interface(
                ::gxf::abi::tids::COMPONENT,
                &::gxf::support::ComponentTable::<#rust_type>::TABLE,
            ),
            ::gxf::support::interface(
                ::gxf::abi::tids::CODELET,
                &::gxf::support::SharedCodeletTable::<#rust_type>::TABLE,
            ),
        }
    } else if is_codelet(entry) {
        quote! {
            ::gxf::support::interface(
                ::gxf::abi::tids::COMPONENT,
                &::gxf::support::CodeletTable::<#rust_type>::COMPONENT,
            ),
            ::gxf::support::interface(
                ::gxf::abi::tids::CODELET,
                &::gxf::support::CodeletTable::<#rust_type>::CODELET,
            ),
        }
    } else {
        quote! {
            ::gxf::support::interface(
                ::gxf::abi::tids::COMPONENT,
                &::gxf::support::ComponentTable::<#rust_type>::TABLE,
            ),
        }
    };
    let others = entry.interfaces.iter().flat_map(interfaces_of);
    let others = others.filter(|name| name != "Codelet" && name != "Component").map(|name| {
        let id = tid_constant(&name);
        quote! {
            ::gxf::support::interface(
                ::gxf::abi::tids::#id,
                &::gxf::vtables::#name::<#rust_type>::TABLE,
            ),
        }
    });
    Ok(quote! {
        ::gxf::support::component_type::<#rust_type>(#texts, ::std::vec![#tables #(#others)*])
    })
}

fn payload(entry: &TypeEntry) -> Result<TokenStream> {
    let rust_type = &entry.rust_type;
    if let Some(base) = entry.interfaces.first() {
        return Err(syn::Error::new(base.span(), "a payload has no base"));
    }
    let texts = texts_of(entry, &quote!(::gxf::Tid::NULL))?;
    Ok(quote!(::gxf::support::payload_type::<#rust_type>(#texts)))
}

fn payload_impl(entry: &TypeEntry) -> TokenStream {
    let rust_type = &entry.rust_type;
    let Some(id) = entry.id.as_ref().map(Id::tokens) else { return TokenStream::new() };
    quote! {
        // SAFETY: this library registers the id for exactly this type.
        unsafe impl ::gxf::Payload for #rust_type {
            const TID: ::gxf::Tid = #id;
        }
    }
}

/// Lets handles refer to a component type of this extension.
fn target(entry: &TypeEntry) -> TokenStream {
    let (rust_type, id) = (&entry.rust_type, entry.tid());
    quote! {
        // SAFETY: the host checks the type id, which means exactly this type.
        unsafe impl ::gxf::HandleTarget for #rust_type {
            const TID: ::gxf::Tid = #id;
            type Stored = ::gxf::support::ComponentPointer<#rust_type>;
            fn resolve(
                context: *mut ::gxf::abi::Context,
                cid: ::gxf::Uid,
            ) -> ::gxf::Result<(Self::Stored, *mut ::core::ffi::c_void)> {
                ::gxf::support::resolve_component(
                    context, cid, <Self as ::gxf::HandleTarget>::TID,
                )
            }
            fn get(stored: &Self::Stored) -> &Self {
                stored.get()
            }
        }
    }
}
