//! `#[derive(ParameterEnum)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Fields, Result};

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(syn::Error::new_spanned(&input.ident, "only an enum has values with names"));
    };
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(syn::Error::new_spanned(variant, "a named value cannot have fields"));
        }
    }
    let name = &input.ident;
    let variants: Vec<_> = data.variants.iter().map(|variant| &variant.ident).collect();
    let names: Vec<_> = variants.iter().map(ToString::to_string).collect();
    Ok(quote! {
        impl ::gxf::ParameterEnum for #name {
            const NAMES: &'static [&'static str] = &[#(#names),*];
            fn from_name(name: &str) -> ::core::option::Option<Self> {
                match name {
                    #(#names => ::core::option::Option::Some(Self::#variants),)*
                    _ => ::core::option::Option::None,
                }
            }
            fn name(self) -> &'static str {
                match self {
                    #(Self::#variants => #names,)*
                }
            }
        }
    })
}
