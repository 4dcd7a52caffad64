//! `gxf_ext_factory!`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use std::collections::HashMap;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, LitBool, LitInt, LitStr, Path, Result, Token, braced, bracketed};

/// A 128-bit id, written as two halves.
struct Id {
    first: LitInt,
    second: LitInt,
}

impl Parse for Id {
    fn parse(input: ParseStream) -> Result<Self> {
        let first: LitInt = input.parse()?;
        input.parse::<Token![,]>()?;
        let second: LitInt = input.parse()?;
        let id = Self { first, second };
        if id.value()? == (0, 0) {
            return Err(syn::Error::new(id.first.span(), "the id 0 means \"none\""));
        }
        Ok(id)
    }
}

impl Id {
    fn value(&self) -> Result<(u64, u64)> {
        Ok((self.first.base10_parse()?, self.second.base10_parse()?))
    }

    fn tokens(&self) -> TokenStream {
        let (first, second) = (&self.first, &self.second);
        quote!(::gxf::Tid::new(#first, #second))
    }
}

/// `key: "text";` pairs, each at most once.
#[derive(Default)]
struct Texts(HashMap<String, LitStr>);

impl Texts {
    fn insert(&mut self, key: &Ident, text: LitStr) -> Result<()> {
        if text.value().contains('\0') {
            return Err(syn::Error::new(text.span(), "a zero byte cannot stand in a text"));
        }
        match self.0.insert(key.to_string(), text) {
            Some(_) => Err(syn::Error::new(key.span(), format!("`{key}` stands here twice"))),
            None => Ok(()),
        }
    }

    fn required(&self, key: &str, place: Span) -> Result<&LitStr> {
        let text = self.0.get(key).filter(|text| !text.value().is_empty());
        text.ok_or_else(|| syn::Error::new(place, format!("`{key}: \"…\";` is missing")))
    }

    fn optional(&self, key: &str) -> String {
        self.0.get(key).map(LitStr::value).unwrap_or_default()
    }

    /// A C text, null when absent.
    fn c_text(&self, key: &str) -> TokenStream {
        match self.0.get(key) {
            Some(text) => c_text(&text.value()),
            None => quote!(::core::ptr::null()),
        }
    }
}

fn c_text(text: &str) -> TokenStream {
    let text = format!("{text}\0");
    quote!(::gxf::support::c_literal(#text).as_ptr())
}

/// One entry of `components` or `payloads`.
struct TypeEntry {
    rust_type: Path,
    interfaces: Vec<Ident>,
    /// Absent for a payload that has its id already.
    id: Option<Id>,
    /// Id of the base type when it is not the first interface.
    base: Option<Id>,
    texts: Texts,
    announces: bool,
}

const TYPE_TEXTS: [&str; 4] = ["name", "display_name", "brief", "description"];

impl Parse for TypeEntry {
    fn parse(input: ParseStream) -> Result<Self> {
        let rust_type: Path = input.parse()?;
        let mut interfaces = Vec::new();
        if input.parse::<Option<Token![:]>>()?.is_some() {
            let list = Punctuated::<Ident, Token![+]>::parse_separated_nonempty(input)?;
            interfaces = list.into_iter().collect();
        }
        let body;
        let brace = braced!(body in input);
        let (mut id, mut base) = (None, None);
        let (mut texts, mut announces) = (Texts::default(), false);
        while !body.is_empty() {
            let key: Ident = body.parse()?;
            body.parse::<Token![:]>()?;
            match key.to_string().as_str() {
                "id" => id = Some(body.parse()?),
                "base" => base = Some(body.parse()?),
                "announces" => announces = body.parse::<LitBool>()?.value,
                word if TYPE_TEXTS.contains(&word) => texts.insert(&key, body.parse()?)?,
                _ => {
                    return Err(syn::Error::new(
                        key.span(),
                        "expected one of `id`, `base`, `name`, `display_name`, `brief`, \
                         `description`, `announces`",
                    ));
                }
            }
            if !body.is_empty() {
                body.parse::<Token![;]>()?;
            }
        }
        let place = brace.span.join();
        texts.required("name", place)?;
        Ok(Self { rust_type, interfaces, id, base, texts, announces })
    }
}

/// The whole description.
pub struct Extension {
    /// Name of a static to define instead of the exported symbol: for the host's own types.
    built_in: Option<Ident>,
    id: Id,
    texts: Texts,
    components: Vec<TypeEntry>,
    payloads: Vec<TypeEntry>,
}

const EXTENSION_TEXTS: [&str; 8] =
    ["name", "version", "description", "author", "license", "display_name", "category", "brief"];

impl Parse for Extension {
    fn parse(input: ParseStream) -> Result<Self> {
        let (mut id, mut texts, mut built_in) = (None, Texts::default(), None);
        let (mut components, mut payloads) = (Vec::new(), Vec::new());
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            input.parse::<Token![:]>()?;
            match key.to_string().as_str() {
                "id" => id = Some(input.parse()?),
                "built_in" => built_in = Some(input.parse()?),
                "components" => components = list(input)?,
                "payloads" => payloads = list(input)?,
                word if EXTENSION_TEXTS.contains(&word) => texts.insert(&key, input.parse()?)?,
                _ => {
                    return Err(syn::Error::new(
                        key.span(),
                        format!(
                            "expected one of `id`, `components`, `payloads`, `{}`",
                            EXTENSION_TEXTS.join("`, `")
                        ),
                    ));
                }
            }
            // The last entry, and lists in brackets, need no semicolon.
            if !input.is_empty() && !matches!(key.to_string().as_str(), "components" | "payloads") {
                input.parse::<Token![;]>()?;
            } else {
                input.parse::<Option<Token![;]>>()?;
            }
        }
        let place = Span::call_site();
        let id = id.ok_or_else(|| syn::Error::new(place, "`id: 0x…, 0x…;` is missing"))?;
        texts.required("name", place)?;
        texts.required("version", place)?;
        Ok(Self { built_in, id, texts, components, payloads })
    }
}

impl TypeEntry {
    /// The type id.
    fn tid(&self) -> TokenStream {
        let rust_type = &self.rust_type;
        match &self.id {
            Some(id) => id.tokens(),
            None => quote!(<#rust_type as ::gxf::Payload>::TID),
        }
    }
}

fn list(input: ParseStream) -> Result<Vec<TypeEntry>> {
    let content;
    bracketed!(content in input);
    Ok(Punctuated::<TypeEntry, Token![,]>::parse_terminated(&content)?.into_iter().collect())
}

/// Traits of `gxf::implement` whose interfaces come with another one.
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
    Ok(quote! {
        #(#payload_impls)*
        #(#targets)*

        /// What this extension is; the host reads it before it calls anything.
        #attribute
        pub static #symbol: ::gxf::abi::ExtensionDescriptor = {
            unsafe extern "C" fn create_factory(
                host: *const ::gxf::abi::HostTable,
                factory: *mut ::gxf::abi::ExtensionFactory,
            ) -> ::gxf::ResultCode {
                // SAFETY: the host passes its table and room for the result.
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

/// A codelet with further interfaces, which others may call while it ticks.
fn is_shared_codelet(entry: &TypeEntry) -> bool {
    is_codelet(entry) && entry.interfaces.len() > 1
}

fn texts_of(entry: &TypeEntry, base: &TokenStream) -> Result<TokenStream> {
    let id = entry.tid();
    let name = format!("{}\0", entry.texts.required("name", Span::call_site())?.value());
    let [display_name, brief, description] =
        ["display_name", "brief", "description"].map(|key| entry.texts.optional(key));
    let flags = if entry.announces { quote!(::gxf::abi::TYPE_TERM_ANNOUNCES) } else { quote!(0) };
    Ok(quote! {
        ::gxf::support::TypeTexts {
            tid: #id,
            base: #base,
            name: ::gxf::support::c_literal(#name),
            display_name: #display_name,
            brief: #brief,
            description: #description,
            flags: #flags,
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
        // SAFETY: the id is registered for exactly this type by this library.
        unsafe impl ::gxf::Payload for #rust_type {
            const TID: ::gxf::Tid = #id;
        }
    }
}

/// Lets handles lead to a component type of this extension.
fn target(entry: &TypeEntry) -> TokenStream {
    let (rust_type, id) = (&entry.rust_type, entry.tid());
    quote! {
        // SAFETY: the host checks the type id, which stands for exactly this type.
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
