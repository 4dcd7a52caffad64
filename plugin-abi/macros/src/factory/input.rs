//! The input of `gxf_ext_factory!`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use std::collections::HashMap;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, LitBool, LitInt, LitStr, Path, Result, Token, braced, bracketed};

/// A 128-bit id as two halves.
pub(super) struct Id {
    pub(super) first: LitInt,
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
    pub(super) fn value(&self) -> Result<(u64, u64)> {
        Ok((self.first.base10_parse()?, self.second.base10_parse()?))
    }

    pub(super) fn tokens(&self) -> TokenStream {
        let (first, second) = (&self.first, &self.second);
        quote!(::gxf::Tid::new(#first, #second))
    }
}

/// `key: "text";` pairs, each at most once.
#[derive(Default)]
pub(super) struct Texts(HashMap<String, LitStr>);

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

    pub(super) fn required(&self, key: &str, place: Span) -> Result<&LitStr> {
        let text = self.0.get(key).filter(|text| !text.value().is_empty());
        text.ok_or_else(|| syn::Error::new(place, format!("`{key}: \"…\";` is missing")))
    }

    pub(super) fn optional(&self, key: &str) -> String {
        self.0.get(key).map(LitStr::value).unwrap_or_default()
    }

    /// A C text, null when absent.
    pub(super) fn c_text(&self, key: &str) -> TokenStream {
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
pub(super) struct TypeEntry {
    pub(super) rust_type: Path,
    pub(super) interfaces: Vec<Ident>,
    /// Absent for a payload that already has an id.
    pub(super) id: Option<Id>,
    /// Id of the base type when it is not the first interface.
    pub(super) base: Option<Id>,
    pub(super) texts: Texts,
    /// Constants of the ABI.
    pub(super) flags: Vec<Ident>,
}

/// Boolean keys and their flags.
const FLAGS: [(&str, &str); 5] = [
    ("abstract_type", "TYPE_ABSTRACT"),
    ("announces", "TYPE_TERM_ANNOUNCES"),
    ("capturable", "TYPE_CAPTURABLE"),
    ("in_place", "TYPE_IN_PLACE"),
    ("publishes_into", "TYPE_PUBLISHES_INTO"),
];

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
        let (mut texts, mut flags) = (Texts::default(), Vec::new());
        while !body.is_empty() {
            let key: Ident = body.parse()?;
            body.parse::<Token![:]>()?;
            match key.to_string().as_str() {
                "id" => id = Some(body.parse()?),
                "base" => base = Some(body.parse()?),
                word if let Some((_, flag)) = FLAGS.iter().find(|(known, _)| *known == word) => {
                    let is_for_all = matches!(word, "abstract_type" | "announces");
                    if !is_for_all && !interfaces.iter().any(|name| name == "Codelet") {
                        let text = format!("only a codelet can be `{word}`");
                        return Err(syn::Error::new(key.span(), text));
                    }
                    if body.parse::<LitBool>()?.value {
                        flags.push(Ident::new(flag, key.span()));
                    }
                }
                word if TYPE_TEXTS.contains(&word) => texts.insert(&key, body.parse()?)?,
                _ => {
                    return Err(syn::Error::new(
                        key.span(),
                        "expected one of `id`, `base`, `name`, `display_name`, `brief`, \
                         `description`, `abstract_type`, `announces`, `capturable`, `in_place`, `publishes_into`",
                    ));
                }
            }
            if !body.is_empty() {
                body.parse::<Token![;]>()?;
            }
        }
        let place = brace.span.join();
        texts.required("name", place)?;
        Ok(Self { rust_type, interfaces, id, base, texts, flags })
    }
}

/// The whole input.
pub struct Extension {
    /// For the host's own types: name of a static to define instead of the exported symbol.
    pub(super) built_in: Option<Ident>,
    pub(super) id: Id,
    pub(super) texts: Texts,
    pub(super) components: Vec<TypeEntry>,
    pub(super) payloads: Vec<TypeEntry>,
}

pub(super) const EXTENSION_TEXTS: [&str; 8] =
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
            // The last entry and bracketed lists need no semicolon.
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
    pub(super) fn tid(&self) -> TokenStream {
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
