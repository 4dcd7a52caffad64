//! A CUDA driver without a GPU, for tests. Tests copy this library into a folder as `libcuda.so.1`;
//! it is never installed.
//!
//! It does what the driver's documentation allows and a GPU seldom shows: work is done as late as
//! possible or in random order, device memory ends a program that touches it from the CPU, new and
//! freed memory has no useful content, and work on the same memory that nothing orders ends the
//! program. Kernels run as their host twins, which a C compiler makes from the same source.
//!
//! A map:
//!
//! - `settings.rs`: what environment variables select;
//! - `world.rs`: all state, behind one lock, and the report at the end of the process;
//! - `clock.rs`: vector clocks, and the detection of races;
//! - `memory.rs`: memory of each kind;
//! - `queue.rs`: streams, events and the execution of work; `graph.rs`: its capture into graphs;
//! - `twin.rs`: kernels;
//! - `api/`: the exported functions, by the driver's names.
//!
//! It cannot show speed, overlap, the device's memory model, the compilation of PTX, or waits that the
//! driver hides.
#![expect(unsafe_code, reason = "exports the C functions of a driver")]

mod api;
mod clock;
mod graph;
mod memory;
mod queue;
mod settings;
mod twin;
mod world;
