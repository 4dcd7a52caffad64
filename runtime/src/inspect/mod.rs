//! A loaded graph as data: [`describe`] shows it, `save.rs` writes it as a file again, `values.rs`
//! compares it with what its files say later, `plan.rs` plans its threads, `job_report.rs` writes what a
//! `JobStatistics` asks for, `services.rs` answers other processes, [`message`] describes a message.

pub mod describe;
mod job_report;
pub mod message;
pub(crate) mod plan;
mod save;
mod services;
mod values;

pub use describe::GraphDescription;
pub(crate) use values::values;
pub use values::{GraphValues, ParameterChange};
