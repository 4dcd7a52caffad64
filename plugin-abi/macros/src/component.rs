//! `#[derive(Component)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Attribute, Data, DeriveInput, Expr, Fields, GenericArgument, Lit, Meta, PathArguments, Result,
    Type,
};

pub fn derive(input: DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(syn::Error::new_spanned(&input.ident, "only a struct can be a component"));
    };
    if !input.generics.params.is_empty() {
        return Err(syn::Error::new_spanned(
            &input.generics,
            "a component type has one id, so it cannot be generic",
        ));
    }
    let mut descriptions = Vec::new();
    let mut fields = Vec::new();
    if let Fields::Named(named) = &data.fields {
        for field in &named.named {
            let Some(value) = parameter_type(&field.ty) else {
                if let Some(attribute) = parameter_attribute(&field.attrs) {
                    return Err(syn::Error::new_spanned(
                        attribute,
                        "only a field of type `Parameter<…>` takes this attribute",
                    ));
                }
                continue;
            };
            let name = field.ident.as_ref().expect("a named field has a name");
            descriptions.push(describe(&unraw(name), value, &field.attrs)?);
            fields.push(name);
        }
    }
    let ComponentAttributes { lifecycle, carries } = component_attributes(&input.attrs)?;
    let lifecycle = if lifecycle {
        quote!()
    } else {
        let name = &input.ident;
        quote!(impl ::gxf::Lifecycle for #name {})
    };
    let carries = (!carries.is_empty()).then(|| {
        quote! {
            fn carries() -> ::std::vec::Vec<::gxf::Carried> {
                ::std::vec![#(#carries),*]
            }
        }
    });
    let name = &input.ident;
    let description = doc_text(&input.attrs);
    let indices = 0..fields.len();
    Ok(quote! {
        impl ::gxf::Component for #name {
            const DESCRIPTION: &'static str = #description;
            fn parameters() -> ::std::vec::Vec<::gxf::ParameterDescription> {
                ::std::vec![#(#descriptions),*]
            }
            #carries
            fn parameter(&self, index: usize) -> ::core::option::Option<&dyn ::gxf::ParameterSlot> {
                match index {
                    #(#indices => ::core::option::Option::Some(&self.#fields),)*
                    _ => ::core::option::Option::None,
                }
            }
        }
        #lifecycle
    })
}

fn unraw(name: &syn::Ident) -> String {
    let name = name.to_string();
    name.strip_prefix("r#").map(str::to_owned).unwrap_or(name)
}

/// `T` of `Parameter<T>`.
fn parameter_type(field: &Type) -> Option<&Type> {
    inner_type(field, "Parameter")
}

fn inner_type<'a>(outer: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Path(path) = outer else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(inner) if last.ident == name => Some(inner),
        _ => None,
    }
}

fn parameter_attribute(attributes: &[Attribute]) -> Option<&Attribute> {
    attributes.iter().find(|attribute| attribute.path().is_ident("parameter"))
}

/// Generates the call that describes one parameter.
fn describe(name: &str, value: &Type, attributes: &[Attribute]) -> Result<TokenStream> {
    let mut key = name.to_owned();
    let mut calls = Vec::new();
    let description = doc_text(attributes);
    calls.push(quote!(.description(#description)));
    if let Some(attribute) = parameter_attribute(attributes) {
        attribute.parse_nested_meta(|meta| {
            let word = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            match word.as_str() {
                "dynamic" => calls.push(quote!(.dynamic())),
                "carries" => {
                    let types = carried(&meta.value()?.parse::<Expr>()?)?;
                    calls.push(quote!(.carries(&[#(#types),*])));
                }
                "key" => key = meta.value()?.parse::<syn::LitStr>()?.value(),
                "headline" => {
                    let text = meta.value()?.parse::<syn::LitStr>()?;
                    calls.push(quote!(.headline(#text)));
                }
                "unit" => {
                    let text = meta.value()?.parse::<syn::LitStr>()?;
                    calls.push(quote!(.unit(#text)));
                }
                "default" => {
                    let given = meta.value()?.parse::<Expr>()?;
                    calls.push(typed(value, &given, &quote!(default_value)));
                }
                "minimum" | "maximum" | "step" => {
                    let given = meta.value()?.parse::<Expr>()?;
                    let method = meta.path.get_ident().expect("matched above");
                    calls.push(typed(value, &given, &quote!(#method)));
                }
                _ => {
                    return Err(meta.error(
                        "expected one of `key`, `headline`, `unit`, `default`, `minimum`, \
                         `maximum`, `step`, `carries`, `dynamic`",
                    ));
                }
            }
            Ok(())
        })?;
    }
    Ok(quote!(::gxf::ParameterDescription::new::<#value>(#key) #(#calls)*))
}

/// `.method(&(value converted to the parameter's type))`; texts may be literals.
fn typed(value: &Type, given: &Expr, method: &TokenStream) -> TokenStream {
    let value = inner_type(value, "Option").unwrap_or(value);
    let is_text = matches!(given, Expr::Lit(literal) if matches!(literal.lit, Lit::Str(_)));
    if is_text {
        quote!(.#method::<#value>(&<#value as ::core::convert::From<&str>>::from(#given)))
    } else {
        quote!(.#method::<#value>(&{ let value: #value = #given; value }))
    }
}

/// The payload types of `carries`: a type, the full name of one, or a list of both.
fn carried(given: &Expr) -> Result<Vec<TokenStream>> {
    match given {
        Expr::Array(list) => {
            let types = list.elems.iter().map(carried).collect::<Result<Vec<_>>>()?;
            Ok(types.into_iter().flatten().collect())
        }
        Expr::Lit(literal) if matches!(literal.lit, Lit::Str(_)) => {
            Ok(vec![quote!(::gxf::Carried::named(#literal))])
        }
        Expr::Path(path) => Ok(vec![quote!(::gxf::Carried::of::<#path>())]),
        other => Err(syn::Error::new_spanned(
            other,
            "expected a payload type, the name of one as a text, or a list of them",
        )),
    }
}

/// What `#[component(…)]` says.
#[derive(Default)]
struct ComponentAttributes {
    /// The type implements `Lifecycle` itself.
    lifecycle: bool,
    carries: Vec<TokenStream>,
}

fn component_attributes(attributes: &[Attribute]) -> Result<ComponentAttributes> {
    let mut found = ComponentAttributes::default();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("component")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("lifecycle") {
                found.lifecycle = true;
                Ok(())
            } else if meta.path.is_ident("carries") {
                found.carries.extend(carried(&meta.value()?.parse::<Expr>()?)?);
                Ok(())
            } else {
                Err(meta.error("expected `lifecycle` or `carries`"))
            }
        })?;
    }
    Ok(found)
}

/// The doc comment as one text, with the lines of each paragraph joined.
pub fn doc_text(attributes: &[Attribute]) -> String {
    let mut text = String::new();
    for attribute in attributes {
        let Meta::NameValue(pair) = &attribute.meta else { continue };
        let Expr::Lit(literal) = &pair.value else { continue };
        let Lit::Str(line) = &literal.lit else { continue };
        if !pair.path.is_ident("doc") {
            continue;
        }
        let line = line.value();
        let line = line.trim();
        if line.is_empty() {
            text.push('\n');
        } else {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push(' ');
            }
            text.push_str(line);
        }
    }
    text.trim().to_owned()
}
