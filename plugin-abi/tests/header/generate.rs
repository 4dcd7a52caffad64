//! Generates the C header from the Rust sources.
//!
//! `cbindgen` reads the types and constants. It cannot read the two lists that macros make; those
//! come from [`ResultCode::ALL`] and [`tids::ALL`]. Finally, the comments get C's names.

use gxf_plugin_abi::{ABI_MAGIC, EXTENSION_SYMBOL, ResultCode, tids};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The files of the ABI crate, in the order of their types in the header.
const SOURCES: [&str; 12] = [
    "lib",
    "tid",
    "result",
    "parameter",
    "data",
    "extension",
    "host",
    "interface",
    "tensor",
    "multimedia",
    "cuda",
    "verdict",
];

/// Opaque types.
const OPAQUE: [&str; 3] = ["Context", "Message", "WakeToken"];

const TOP: &str = "\
/* The C interface between the gxe host and its extensions. Types and constants only.
 *
 * Generated from the Rust crate gxf-plugin-abi; after a change there, make it again with
 * `UPDATE_HEADER=1 cargo test -p gxf-plugin-abi`. C11 and C++17.
 *
 * A map, in the order in which a library comes to life:
 *
 *   1. GxeExtensionDescriptor: the constant GXF_EXT_FACTORY, the one symbol an extension exports.
 *      The host reads it before it runs any code of the library.
 *   2. GxeHostTable: the functions that the host offers to extensions; `create_factory` receives it.
 *   3. GxeComponentType, GxeParameterDescriptor: the component and payload types that the factory
 *      returns.
 *   4. Gxe...Vtable: one interface each; the id of its GXF base type finds it. An extension
 *      implements interfaces for its own components and calls them on others.
 *
 * Rules of the ABI boundary:
 *
 *   - Every table starts with its own size. A reader uses a field only if it lies within the size
 *     that the writer declared. Set `size` with sizeof, and zero what you do not use, as designated
 *     initialisers do.
 *   - A function pointer may be null only where its comment says what null means.
 *   - A function that fails returns a code other than 0. Before returning it may store a text with
 *     GxeHostTable.report_error on the same thread.
 *   - No C++ exception crosses the boundary: catch it and return an error.
 *   - `push` and `publish_as_is` consume one reference to their argument `message`, whatever they
 *     return.
 *
 * A name in capitals in a comment, such as `ARGUMENT_INVALID`, means GxeResultCode_... or a value of
 * the type that the comment describes.
 */

#ifndef GXF_PLUGIN_ABI_H
#define GXF_PLUGIN_ABI_H";

const BEGIN: &str = "
#ifdef __cplusplus
extern \"C\" {
#endif

/// A context: one graph and everything it owns. Opaque to extensions.
typedef struct GxeContext GxeContext;

/// A message: a reference-counted set of payload components. Opaque to extensions.
typedef struct GxeMessage GxeMessage;

/// The right to wake an entity once. Counted: each holder owns a reference. Opaque to extensions.
/// Since ABI 1.4.
typedef struct GxeWakeToken GxeWakeToken;";

fn files() -> [PathBuf; SOURCES.len()] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    SOURCES.map(|name| folder.join(name).with_extension("rs"))
}

/// The names of the types in the header, without the prefix.
pub fn types() -> Vec<String> {
    let mut names: Vec<String> =
        files().iter().flat_map(|file| public(file, "pub struct ")).collect();
    names.retain(|name| !OPAQUE.contains(&name.as_str()));
    names
}

/// The text of `include/gxf/plugin_abi.h`.
pub fn header() -> String {
    let files = files();
    let mut config = cbindgen::Config {
        language: cbindgen::Language::C,
        style: cbindgen::Style::Type,
        header: Some(TOP.to_owned()),
        no_includes: true,
        sys_includes: ["stdbool.h", "stddef.h", "stdint.h"].map(str::to_owned).to_vec(),
        after_includes: Some(BEGIN.to_owned()),
        trailer: Some(ids_and_symbol()),
        usize_is_size_t: true,
        // Room for the indent and the semicolon.
        line_length: 97,
        documentation_style: cbindgen::DocumentationStyle::Cxx,
        ..cbindgen::Config::default()
    };
    config.export.prefix = Some("Gxe".to_owned());
    config.export.renaming_overrides_prefixing = true;
    config.export.include = types();
    config.export.exclude = OPAQUE.map(str::to_owned).to_vec();
    for file in &files {
        for name in public(file, "pub const ") {
            config.export.rename.insert(name.clone(), format!("GXE_{name}"));
        }
    }
    let sources = files
        .iter()
        .fold(cbindgen::Builder::new().with_config(config), |builder, file| builder.with_src(file));
    let mut generated = Vec::new();
    sources.generate().expect("cbindgen understands the sources").write(&mut generated);
    let generated = String::from_utf8(generated).expect("cbindgen writes UTF-8");
    let magic = (
        format!("GXE_ABI_MAGIC {ABI_MAGIC}\n"),
        format!("GXE_ABI_MAGIC UINT64_C(0x{ABI_MAGIC:016x})\n"),
    );
    let generated = replaced(&generated, &magic.0, &magic.1);
    let generated = replaced(&generated, RESULT_CODE, &result_codes());
    in_the_words_of_c(&generated)
}

/// Replaces a text that must occur once.
fn replaced(header: &str, from: &str, to: &str) -> String {
    assert_eq!(header.matches(from).count(), 1, "cbindgen writes `{from}` in another form");
    header.replace(from, to)
}

/// Names that follow a keyword at the start of a line of a source file.
fn public(file: &Path, keyword: &str) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("a source file of this crate");
    let names = text.lines().filter_map(|line| line.strip_prefix(keyword)).map(|rest| {
        rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>()
    });
    names.collect()
}

/// The type of the result codes in cbindgen's output.
const RESULT_CODE: &str = "typedef int32_t GxeResultCode;\n";

/// The type and its values, in the form that cbindgen uses for other lists.
fn result_codes() -> String {
    let mut text = RESULT_CODE.to_owned();
    for code in ResultCode::ALL {
        let name = code.name().strip_prefix("GXF_").expect("GXF's prefix");
        let description = code.description();
        // Writing to a `String` does not fail, here and below.
        let _ = write!(text, "/// {description}\n#define GxeResultCode_{name} {}\n", code.0);
    }
    text
}

/// The type ids, and the declaration of the symbol that an extension exports.
fn ids_and_symbol() -> String {
    let mut text = "\
// Type ids of GXF's base types, which are also the ids of the interfaces, and ids of gxe's own tables.
// Each is an initialiser of a GxeTid: `static const GxeTid id = GXE_TID_CODELET;`.

"
    .to_owned();
    for (name, id, type_name) in tids::ALL {
        let _ = write!(
            text,
            "/// {type_name}\n#define GXE_TID_{name} \\\n  {{ UINT64_C(0x{:016x}), \
             UINT64_C(0x{:016x}) }}\n",
            id.hash1, id.hash2
        );
    }
    let _ = write!(
        text,
        "
/// The one symbol an extension exports, defined in one of its source files. It stays visible with
/// -fvisibility=hidden.
__attribute__((visibility(\"default\"))) extern const GxeExtensionDescriptor {EXTENSION_SYMBOL};

#ifdef __cplusplus
}} // extern \"C\"
#endif

#endif // GXF_PLUGIN_ABI_H"
    );
    text
}

/// Replaces Rust's names of types and constants in comments by C's. Lines keep their length limit:
/// the prefix takes the room of the removed quotes.
fn in_the_words_of_c(header: &str) -> String {
    let names = names_of_c(header);
    let mut text = String::with_capacity(header.len());
    for line in header.lines() {
        match line.split_once("///") {
            Some((indent, comment)) if indent.trim().is_empty() => {
                let _ = writeln!(text, "{indent}///{}", translated(comment, &names));
            }
            _ => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

/// Maps names in Rust to names in C.
fn names_of_c(header: &str) -> BTreeMap<&str, &str> {
    header
        .lines()
        .filter_map(|line| {
            if let Some(rest) = line.strip_prefix("#define ") {
                let c = rest.split(' ').next()?;
                return Some((c.strip_prefix("GXE_")?, c));
            }
            let ends_type = line.starts_with("typedef") || line.starts_with('}');
            let c = line.strip_suffix(';').filter(|_| ends_type)?.rsplit([' ', '*']).next()?;
            Some((c.strip_prefix("Gxe")?, c))
        })
        .collect()
}

/// A comment with quoted names in C.
fn translated(comment: &str, names: &BTreeMap<&str, &str>) -> String {
    let comment = comment.replace("[`", "`").replace("`]", "`");
    let quoted = |(index, part): (usize, &str)| {
        if index % 2 == 0 {
            return part.to_owned();
        }
        let part = part.strip_prefix("crate::").unwrap_or(part);
        let size_of = part.strip_prefix("size_of::<").and_then(|part| part.strip_suffix(">()"));
        if let Some(name) = size_of {
            return format!("sizeof(Gxe{name})");
        }
        if let Some(name) = names.get(part) {
            return (*name).to_owned();
        }
        match part.split_once("::").and_then(|(of, field)| Some((names.get(of)?, field))) {
            Some((of, field)) => format!("{of}.{field}"),
            None => format!("`{part}`"),
        }
    };
    comment.split('`').enumerate().map(quoted).collect()
}
