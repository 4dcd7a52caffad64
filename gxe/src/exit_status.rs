//! The exit statuses of `gxe`, with the text that `gxe --help` shows. Scripts rely on them.

use std::process::ExitCode;

/// How a run of `gxe` ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitStatus {
    /// Everything asked for was done.
    Success = 0,
    /// The command line or the environment is wrong.
    Usage = 2,
    /// A manifest, an extension library or an app file could not be loaded.
    Load = 3,
    /// The graph could not be activated.
    Graph = 4,
    /// The graph failed while it ran or was deactivated.
    Run = 5,
    /// SIGINT (Ctrl-C) stopped the run.
    Interrupted = 130,
    /// The reader of standard output went away.
    BrokenPipe = 141,
    /// SIGTERM stopped the run.
    Terminated = 143,
}

impl ExitStatus {
    /// All of them, in the order of the help text.
    pub const ALL: [Self; 8] = [
        Self::Success,
        Self::Usage,
        Self::Load,
        Self::Graph,
        Self::Run,
        Self::Interrupted,
        Self::BrokenPipe,
        Self::Terminated,
    ];

    /// What the number means, for the help text.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Usage => {
                "usage: invalid options or environment, or an output file that cannot be created"
            }
            Self::Load => "load: a manifest, extension or app file is missing or invalid",
            Self::Graph => {
                "graph: a mandatory parameter is missing, a component failed to initialise, or a check failed"
            }
            Self::Run => {
                "run: a component failed in start, tick, stop or deinitialize, or an output cannot be written"
            }
            Self::Interrupted => "interrupted by Ctrl-C (SIGINT), after an orderly shutdown",
            Self::BrokenPipe => "the reader of the output went away, as in `gxe … | head`",
            Self::Terminated => "terminated by SIGTERM, after an orderly shutdown",
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status as u8)
    }
}
