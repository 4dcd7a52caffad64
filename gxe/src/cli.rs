//! The whole command line.

use crate::arguments::Arguments;
use crate::command::Command;
use crate::help;
use clap::{Parser, Subcommand};

/// A command, or the flags of a run.
#[derive(Debug, Parser)]
#[command(
    name = "gxe",
    version = help::VERSION.as_str(),
    propagate_version = true,
    about = help::ABOUT,
    override_usage = help::USAGE,
    before_help = help::examples(),
    after_help = help::after(),
    help_template = help::TEMPLATE,
    styles = help::STYLES,
    max_term_width = 100,
    disable_help_flag = true,
    disable_version_flag = true,
    disable_help_subcommand = true,
    args_override_self = true,
    args_conflicts_with_subcommands = true,
    subcommand_help_heading = "Commands",
)]
pub struct CommandLine {
    /// The command to execute instead of a run.
    #[command(subcommand)]
    pub word: Option<Word>,
    /// The run.
    #[command(flatten)]
    pub arguments: Arguments,
}

/// The word after `gxe`.
#[derive(Debug, Subcommand)]
pub enum Word {
    /// Run a graph; same as `gxe` without a command
    #[command(override_usage = "gxe run APP… [--manifest FILE[,FILE…]] [OPTIONS]")]
    Run(Box<Arguments>),
    /// Run a graph and serve a live page of it
    #[command(override_usage = "gxe serve APP… [--manifest FILE[,FILE…]] [OPTIONS]")]
    Serve(Box<Arguments>),
    /// Anything else.
    #[command(flatten)]
    Command(Command),
}
