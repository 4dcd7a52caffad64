//! The macros of the crate `gxf`, which re-exports them.
//!
//! - `component.rs`: `#[derive(Component)]`, from fields to parameters;
//! - `parameter_enum.rs`: `#[derive(ParameterEnum)]`, enumerations by name in YAML;
//! - `factory/`: `gxf_ext_factory!`, from a list of types to the exported descriptor.
#![forbid(unsafe_code)]

mod component;
mod factory;
mod parameter_enum;

use proc_macro::TokenStream;

/// Makes every `Parameter<T>` field of a struct a parameter of its component type.
///
/// The doc comments of the struct and its fields become the descriptions that tools show. A field
/// takes these attributes, all optional: `#[parameter(key = "name", headline = "Title", unit =
/// "ms", default = 10, minimum = 1, maximum = 100, step = 1, carries = Tensor, dynamic)]`.
/// `carries` declares the payload types that go through the receivers or transmitters of the
/// parameter: a type, the full name of a type of another extension, or a list such as `[Tensor,
/// "my::Pose"]`. A struct with `#[component(lifecycle)]` implements `Lifecycle` itself; one with
/// `#[component(carries = Tensor)]`, a queue, declares what goes through itself.
#[proc_macro_derive(Component, attributes(parameter, component))]
pub fn derive_component(input: TokenStream) -> TokenStream {
    component::derive(syn::parse_macro_input!(input))
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Makes an enumeration without fields a parameter type. YAML uses the names of its variants.
#[proc_macro_derive(ParameterEnum)]
pub fn derive_parameter_enum(input: TokenStream) -> TokenStream {
    parameter_enum::derive(&syn::parse_macro_input!(input))
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Describes an extension and exports the symbol that the host looks for, like GXF's
/// `GXF_EXT_FACTORY_*` macros.
///
/// ```ignore
/// gxf_ext_factory! {
///     id: 0xd8629d822909316d, 0xa9ee7410c8c1a7b6;
///     name: "test";
///     version: "1.0.0";
///     description: "A small example";        // optional, as are author, license,
///                                            // display_name, category, brief
///     components: [
///         HelloWorld: Codelet {
///             id: 0xd39d70014cab3ecf, 0xb397c9d200cf9e8d;
///             name: "sample::test::HelloWorld";
///         },
///         Blur: Codelet {
///             id: 0x3b92f65a17e04cd8, 0x91c0e4d7a6532fb9;
///             name: "sample::test::Blur";
///             capturable: true;              // its tick may be recorded into a CUDA graph
///             in_place: true;                // it changes the memory of its input
///             publishes_into: true;          // it can publish into memory that it is given
///         },
///         Turnstile: SchedulingTerm {
///             id: 0x0123456789abcdef, 0x0123456789abcdef;
///             name: "sample::test::Turnstile";
///             announces: true;               // it notifies its entity, no polling needed
///         },
///     ];
///     payloads: [
///         Reading { id: 0x1123456789abcdef, 0x0123456789abcdef; name: "sample::test::Reading"; },
///     ];
/// }
/// ```
///
/// After the colon come the traits of `gxf::implement` that the type implements, joined by `+`. The
/// first one is its base type in GXF, unless `base: 0x…, 0x…;` names another. A payload without
/// `id` is a type of the crate `gxf`, which already has an id. `gxe uuid` makes ids.
#[proc_macro]
pub fn gxf_ext_factory(input: TokenStream) -> TokenStream {
    factory::expand(&syn::parse_macro_input!(input))
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}
