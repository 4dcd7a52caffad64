//! The files to write, and the values of their `@placeholders@`.

use super::Compiled;

/// One file to write.
pub struct File {
    /// Path below the given folder.
    pub path: String,
    /// Its whole text.
    pub text: String,
}

/// The values of the templates' placeholders.
#[derive(Default)]
pub struct Values(Vec<(String, String)>);

impl Values {
    /// Sets the text for `@place@`.
    pub fn set(&mut self, place: &str, text: &str) {
        self.0.retain(|(known, _)| known != place);
        self.0.push((place.to_owned(), text.to_owned()));
    }

    /// A template with all placeholders replaced.
    pub fn fill(&self, template: &str) -> String {
        self.0.iter().fold(template.to_owned(), |text, (place, value)| {
            text.replace(&format!("@{place}@"), value)
        })
    }
}

/// A path and a template of the folder `templates`.
macro_rules! template {
    ($path:expr, $file:literal) => {
        ($path, include_str!(concat!("../../../templates/", $file)))
    };
}

const RUST: &[(&str, &str)] = &[
    // A folder with a `Cargo.toml` would be left out of the crate.
    template!("Cargo.toml", "rust/Cargo.toml.template"),
    template!("Makefile", "rust/Makefile"),
    template!("src/lib.rs", "rust/src/lib.rs"),
    template!("src/number_source.rs", "rust/src/number_source.rs"),
    template!("src/number_sink.rs", "rust/src/number_sink.rs"),
    template!("tests/apps.rs", "rust/tests/apps.rs"),
    template!(".gitignore", "rust/gitignore"),
];

/// What the test of an extension with a kernel does where there is no GPU.
const RUST_WITHOUT_GPU: &str = r#"        let reasons = ["there is no CUDA driver", "CUDA has no device"];
        if !ran && reasons.iter().any(|reason| log.contains(reason)) {
            eprintln!("skipped: {name} is not run, because there is no GPU (gxe inspect cuda)");
            continue;
        }
"#;

const RUST_CUDA: &[(&str, &str)] = &[
    template!("Cargo.toml", "rust/cuda/Cargo.toml.template"),
    template!("Makefile", "rust/cuda/Makefile"),
    template!("src/lib.rs", "rust/cuda/src/lib.rs"),
    template!("src/number_source.rs", "rust/cuda/src/number_source.rs"),
    template!("src/scale.rs", "rust/cuda/src/scale.rs"),
    template!("src/number_sink.rs", "rust/cuda/src/number_sink.rs"),
    template!("tests/apps.rs", "rust/tests/apps.rs"),
    template!(".gitignore", "rust/gitignore"),
];

const C: &[(&str, &str)] = &[
    template!("Makefile", "c/Makefile"),
    template!("src/extension.c", "c/src/extension.c"),
    template!("src/number_source.c", "c/src/number_source.c"),
    template!("src/number_sink.c", "c/src/number_sink.c"),
    template!(".gitignore", "c/gitignore"),
];

const CPP: &[(&str, &str)] = &[
    template!("CMakeLists.txt", "cpp/CMakeLists.txt"),
    template!("Makefile", "cpp/Makefile"),
    template!("src/extension.cpp", "cpp/src/extension.cpp"),
    template!("src/number_source.hpp", "cpp/src/number_source.hpp"),
    template!("src/number_sink.hpp", "cpp/src/number_sink.hpp"),
    template!("tests/run_app.cmake", "cpp/tests/run_app.cmake"),
    template!(".gitignore", "cpp/gitignore"),
];

/// As above.
const CPP_WITHOUT_GPU: &str = r#"  if(NOT CODE EQUAL 0 AND LOG MATCHES "there is no CUDA driver|CUDA has no device")
    message(STATUS "skipped: ${APP} is not run, because there is no GPU (gxe inspect cuda)")
    return()
  endif()
"#;

/// How CMake makes a header of the text of the kernels.
const CPP_KERNELS: &str = r#"# The PTX as a text in C++; `make kernels` makes it of the kernels.
set(PTX kernels/scale.ptx)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PTX})
file(READ ${PTX} SCALE_PTX)
configure_file(kernels/scale_ptx.hpp.in scale_ptx.hpp @ONLY)
target_include_directories(@crate@ PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
"#;

const CPP_CUDA: &[(&str, &str)] = &[
    template!("CMakeLists.txt", "cpp/CMakeLists.txt"),
    template!("Makefile", "cpp/cuda/Makefile"),
    template!("src/extension.cpp", "cpp/cuda/src/extension.cpp"),
    template!("src/number_source.hpp", "cpp/cuda/src/number_source.hpp"),
    template!("src/scale.hpp", "cpp/cuda/src/scale.hpp"),
    template!("src/number_sink.hpp", "cpp/cuda/src/number_sink.hpp"),
    template!("kernels/scale_ptx.hpp.in", "cpp/cuda/scale_ptx.hpp.in"),
    template!("tests/run_app.cmake", "cpp/tests/run_app.cmake"),
    template!(".gitignore", "cpp/gitignore"),
];

const OF_CUDA_EXTENSIONS: &[(&str, &str)] = &[
    template!("kernels/scale.cu", "common/cuda/kernels/scale.cu"),
    template!("kernels/scale.ptx", "common/cuda/kernels/scale.ptx"),
    template!("apps/scale.yaml", "common/cuda/apps/scale.yaml"),
    template!("manifest.yaml", "common/cuda/manifest.yaml"),
    template!("README.md", "common/cuda/README.md"),
];

const OF_EXTENSIONS: &[(&str, &str)] = &[
    template!("apps/numbers.yaml", "common/numbers.yaml"),
    template!("manifest.yaml", "common/manifest.yaml"),
    template!("README.md", "common/README.md"),
];

const OF_APPS: &[(&str, &str)] = &[
    template!("@crate@.yaml", "common/numbers.yaml"),
    template!("manifest.yaml", "common/manifest.yaml"),
    template!("Makefile", "app/Makefile"),
    template!("README.md", "app/README.md"),
];

const RUST_CODELET: &[(&str, &str)] = &[
    template!("src/@name@.rs", "rust/codelet/codelet.rs"),
    template!("apps/@name@.yaml", "common/codelet.yaml"),
];

const C_CODELET: &[(&str, &str)] = &[
    template!("src/@name@.c", "c/codelet/codelet.c"),
    template!("apps/@name@.yaml", "common/codelet.yaml"),
];

const CPP_CODELET: &[(&str, &str)] = &[
    template!("src/@name@.hpp", "cpp/codelet/codelet.hpp"),
    template!("apps/@name@.yaml", "common/codelet.yaml"),
];

const PYTHON_CODELET: &[(&str, &str)] = &[
    template!("@name@.py", "python/codelet.py"),
    template!("@name@.yaml", "python/codelet.yaml"),
    template!("@name@_manifest.yaml", "python/manifest.yaml"),
];

/// The files of a codelet in Python.
pub fn python_codelet(values: &Values) -> Vec<File> {
    filled(PYTHON_CODELET.iter(), values)
}

/// The file that lists the types of an extension.
pub fn list_of_types(language: Compiled) -> &'static str {
    match language {
        Compiled::Rust => "src/lib.rs",
        Compiled::C => "src/extension.c",
        Compiled::Cpp => "src/extension.cpp",
    }
}

/// The files of an extension.
pub fn extension(language: Compiled, values: &Values) -> Vec<File> {
    let source = match language {
        Compiled::Rust => RUST,
        Compiled::C => C,
        Compiled::Cpp => CPP,
    };
    filled(source.iter().chain(OF_EXTENSIONS), &with_folder(language, values))
}

/// The files of an extension with a kernel for GPUs; `None` if there are none in this language.
pub fn cuda_extension(language: Compiled, values: &Values) -> Option<Vec<File>> {
    let mut own = with_folder(language, values);
    let source = match language {
        Compiled::Rust => {
            own.set("without_gpu", RUST_WITHOUT_GPU);
            own.set("extension", "rs");
            own.set("stream_pool", "");
            own.set("stream_parameter", "");
            RUST_CUDA
        }
        Compiled::Cpp => {
            own.set("without_gpu", CPP_WITHOUT_GPU);
            own.set("extension", "hpp");
            own.set("stream_pool", "- name: streams\n  type: nvidia::gxf::CudaStreamPool\n");
            own.set("stream_parameter", "    streams: streams\n");
            own.set("kernels", &values.fill(CPP_KERNELS));
            CPP_CUDA
        }
        Compiled::C => return None,
    };
    Some(filled(source.iter().chain(OF_CUDA_EXTENSIONS), &own))
}

/// The values, with the folder of the sources.
fn with_folder(language: Compiled, values: &Values) -> Values {
    let mut values = Values(values.0.clone());
    values.set("without_gpu", "");
    values.set("kernels", "");
    values.set("source", list_of_types(language).split('/').next().unwrap_or_default());
    values
}

/// The files of an app; its extension is in a folder of its own.
pub fn app(language: Compiled, values: &Values) -> Vec<File> {
    let mut values = Values(values.0.clone());
    values.set(
        "libraries",
        match language {
            Compiled::Rust => "$(or $(CARGO_TARGET_DIR),extension/target)/debug",
            Compiled::C | Compiled::Cpp => "extension/build",
        },
    );
    let mut files = filled(OF_APPS.iter(), &values);
    files.extend(
        extension(language, &values)
            .into_iter()
            .map(|file| File { path: format!("extension/{}", file.path), ..file }),
    );
    files
}

/// The files of one more codelet.
pub fn codelet(language: Compiled, values: &Values) -> Vec<File> {
    match language {
        Compiled::Rust => filled(RUST_CODELET.iter(), values),
        Compiled::C => filled(C_CODELET.iter(), values),
        Compiled::Cpp => filled(CPP_CODELET.iter(), values),
    }
}

fn filled<'a>(
    templates: impl Iterator<Item = &'a (&'a str, &'a str)>,
    values: &Values,
) -> Vec<File> {
    let fill =
        |(path, text): &(&str, &str)| File { path: values.fill(path), text: values.fill(text) };
    templates.map(fill).collect()
}
