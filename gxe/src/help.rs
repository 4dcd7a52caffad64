//! The texts of `gxe --help` and `gxe --version` other than the flags.

use crate::exit_status::ExitStatus;
use clap::builder::StyledStr;
use clap::builder::styling::{AnsiColor, Styles};
use gxf_plugin_abi::{ABI_MAJOR, ABI_MINOR};
use std::fmt::Write;
use std::sync::LazyLock;

/// The text after the name in `gxe --version`.
pub static VERSION: LazyLock<String> = LazyLock::new(|| {
    format!("{} (extension ABI {ABI_MAJOR}.{ABI_MINOR})", env!("CARGO_PKG_VERSION"))
});

/// What `gxe` does.
pub const ABOUT: &str = "\
gxe runs compute graphs: it loads the extension libraries listed in a manifest, builds the entities
described in YAML app files, and runs their scheduler to completion.";

/// The usage line.
pub const USAGE: &str = "gxe APP… [--manifest FILE[,FILE…]] [OPTIONS]\n       gxe COMMAND …";

/// The order of the parts.
pub const TEMPLATE: &str = "{about}

{usage-heading} {usage}

{before-help}{all-args}{after-help}
";

/// Colours of the help text and of errors.
pub const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default())
    .error(AnsiColor::Red.on_default().bold())
    .valid(AnsiColor::Green.on_default())
    .invalid(AnsiColor::Yellow.on_default());

const EXAMPLES: &[(&str, &str)] = &[
    ("gxe ping.yaml", "run an app with the manifest that stands next to it"),
    ("gxe --app ping.yaml --manifest manifest.yaml", "the same, as GXF's gxe is called"),
    (
        "gxe --app ping.yaml,fast.yaml --manifest std.yaml,sample.yaml",
        "add a parameter file, load extensions from two manifests",
    ),
    (
        "gxe --app ping.yaml --manifest manifest.yaml --param tx/signal/capacity=4",
        "override a parameter for this run",
    ),
    ("gxe check ping.yaml", "find mistakes in the graph without running it"),
];

const ENVIRONMENT: &[(&str, &str)] = &[
    ("GXF_LOG_LEVEL", "log level if --severity is not given"),
    ("GXE_EXTENSION_PATH", "additional directories for --extension-path, separated by colons"),
    ("LD_LIBRARY_PATH", "searched last for extension libraries"),
    ("GXE_SDK", "where gxe is installed, or its sources, for manifests, headers and crates"),
    ("GXE_PYTHON", "Python interpreter, or libpython, for codelets in Python"),
    ("GXE_TOKEN_FILE", "file with the secret that servers and links of other hosts ask for"),
    ("GXE_TLS_DIRECTORY", "folder with certificates for servers and links"),
    ("GXE_INSECURE", "1 lets other hosts in without a token or certificates"),
    ("NO_COLOR", "disables colours unless --color is given"),
    ("TZ", "time zone of log timestamps"),
];

/// Usage examples.
pub fn examples() -> StyledStr {
    let literal = STYLES.get_literal();
    let mut text = heading("Examples");
    for (command, purpose) in EXAMPLES {
        _ = write!(text, "\n  {literal}{command}{literal:#}\n      {purpose}");
    }
    text.into()
}

/// Exit status, environment and the note on spellings.
pub fn after() -> StyledStr {
    let literal = STYLES.get_literal();
    let mut text = heading("Exit status");
    for status in ExitStatus::ALL {
        _ = write!(text, "\n  {literal}{:>3}{literal:#}  {}", status as u8, status.text());
    }
    _ = write!(text, "\n\n{}", heading("Environment"));
    for (name, purpose) in ENVIRONMENT {
        _ = write!(text, "\n  {literal}{name:<18}{literal:#}  {purpose}");
    }
    text.push_str(
        "\n\nGXF's spellings are accepted, too: -app x, -app=x, --log_file_path x, -run=false.",
    );
    text.into()
}

fn heading(text: &str) -> String {
    let style = STYLES.get_header();
    format!("{style}{text}:{style:#}")
}
