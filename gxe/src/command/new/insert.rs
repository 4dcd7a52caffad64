//! Adds a codelet to the list of types that `gxe new extension` wrote.

use super::Compiled;
use super::templates::Values;

/// The name of the extension with this manifest: that of its last library.
pub fn crate_name(manifest: &str) -> Option<String> {
    let mut libraries = manifest.lines().rev().filter_map(|line| line.trim().strip_prefix("- lib"));
    libraries.next()?.strip_suffix(".so").map(str::to_owned)
}

/// The list with the codelet added, if it has the places for it.
pub fn codelet(language: Compiled, list: &str, values: &Values) -> Option<String> {
    let (declaration, before, entry, after) = match language {
        Compiled::Rust => (
            "mod @name@;\n",
            "mod ",
            "        @Name@: Codelet {\n            id: @codelet_id@;\n            \
             name: \"@crate@::@Name@\";\n        },\n",
            "components: [",
        ),
        Compiled::C => (
            "extern const GxeComponentType @name@;\n",
            "extern const GxeComponentType ",
            "    &@name@,\n",
            "static const GxeComponentType *const types[] = {",
        ),
        Compiled::Cpp => (
            "#include \"@name@.hpp\"\n",
            "#include \"",
            "GXF_EXT_FACTORY_ADD(@codelet_id@, @crate@::@Name@,\n                    \
             nvidia::gxf::Codelet, @crate@::@Name@::kDescription);\n",
            "// The codelets. Never change their ids.",
        ),
    };
    let entry = match language {
        // A full path saves a `use`.
        Compiled::Rust => entry.replacen("@Name@", "@name@::@Name@", 1),
        Compiled::C | Compiled::Cpp => entry.to_owned(),
    };
    let mut text = String::with_capacity(list.len() + 256);
    let (mut declared, mut entered) = (false, false);
    for line in list.split_inclusive('\n') {
        if !declared && line.starts_with(before) {
            text.push_str(&values.fill(declaration));
            declared = true;
        }
        text.push_str(line);
        if !entered && line.trim() == after {
            text.push_str(&values.fill(&entry));
            entered = true;
        }
    }
    (declared && entered).then_some(text)
}
