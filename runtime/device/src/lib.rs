//! CUDA devices, for extensions and for the engine's allocators. All `unsafe` code for CUDA is here.
//!
//! Nothing links to CUDA. [`driver()`] opens the driver's library when something first asks for a
//! device, and says what is missing where there is none; until then no CUDA code runs.
//!
//! A map:
//!
//! - `driver.rs`: opens the driver; `api.rs`: its functions; `error.rs`: its errors, with remedies; `label.rs`:
//!   names of components in errors;
//! - [`Device`] (`device.rs`): a device and its primary context; `queue.rs`: the driver's streams;
//!   `events.rs`: its events, used again;
//! - [`Fence`] (`fence.rs`): a point in the work of a stream; `payload.rs`: what messages carry beside
//!   it: [`StreamId`], [`StreamSyncId`], [`Event`]; [`Buffer`] (`cuda_buffer.rs`): memory that becomes
//!   valid some time;
//! - [`Stream`] (`stream.rs`): a queue of work; [`Streams`] (`streams.rs`): those that a codelet works
//!   with; [`LentStream`] (`lent.rs`): one from a pool;
//! - [`GreenContext`] (`green_context.rs`): some of a device's multiprocessors;
//! - [`Work`] (`work.rs`): enqueues copies and kernels, and orders them after other streams' work on
//!   the same memory;
//! - `operation.rs`: kernels and copies, as values; `batch.rs`: those of a piece of work that may become a
//!   CUDA graph; `graph_table.rs`: whether the host wants that; `piece.rs`: as the host gets them, by
//!   `chain_table.rs`; [`chain`] (`chain.rs`): what the host does with the pieces of several codelets, by
//!   `graph.rs`; `held.rs`: how many it holds back;
//! - [`DeviceAllocator`] (`buffer.rs`): memory that knows which streams use it and goes home in stream
//!   order; `region.rs`: memory straight from the driver; [`Staging`] and [`Arrivals`] (`staging.rs`): from
//!   device memory to the host, and back; `free_regions.rs`: host memory that waits for its next use;
//!   [`MemoryPool`] (`pool.rs`): the driver's stream-ordered pools with a limit; [`HostPool`]
//!   (`host_pool.rs`, `ranges.rs`): the same for host memory; [`pool_sizes`] (`pool_sizes.rs`): the parameters of both;
//! - `watch.rs`: whether a graph wants to know how long work takes, and `--cuda-sync`; `measure.rs`
//!   measures it, with the times of `device_clock.rs`; `tick_table.rs`: ticks whose work is not done, which
//!   the host bounds;
//! - [`when_done`] and [`poll_until_done`] (`completion.rs`): actions once a device has reached a fence;
//! - [`Kernel`] (`module.rs`, `grid.rs`): a kernel from PTX text; [`kernels`] (`kernels.rs`): those of `kernels/`,
//!   each with what it reads and writes; [`AxisTable`] (`resize.rs`): pictures of another size.
//!
//! A library that contains this crate has its own copy of its state; libraries share the primary
//! contexts, and what crosses between them is in the ABI's form.
//!
//! May import: the SDK (`gxf`) and the ABI. Nothing of the engine.
#![expect(unsafe_code, reason = "calls CUDA's driver")]

mod api;
mod batch;
mod buffer;
mod chain_table;
mod completion;
mod cuda_buffer;
mod device;
mod device_clock;
mod driver;
mod error;
mod events;
mod fence;
mod free_regions;
mod graph;
mod graph_table;
mod green_context;
mod grid;
mod held;
mod host_pool;
mod label;
mod lent;
mod measure;
mod module;
mod operation;
mod payload;
mod piece;
mod pool;
mod pool_sizes;
mod queue;
mod ranges;
mod region;
mod resize;
mod staging;
mod stream;
mod streams;
mod tick_table;
mod watch;
mod work;

pub mod chain;
pub mod kernels;

pub use buffer::DeviceAllocator;
pub use completion::{Action, poll_until_done, settle, when_done};
pub use cuda_buffer::{Buffer, BufferState};
pub use device::Device;
pub use driver::{Driver, driver};
pub use fence::{Fence, Point};
pub use green_context::GreenContext;
pub use grid::Grid;
pub use host_pool::HostPool;
pub use label::{label, with_label};
pub use lent::LentStream;
pub use module::Kernel;
pub use payload::{Event, StreamId, StreamSyncId};
pub use piece::Piece;
pub use pool::MemoryPool;
pub use pool_sizes::{INITIAL_POOL_SIZE, pool_sizes, size_or_zero_parameter, size_parameter};
pub use region::{DeviceRegion, PinnedRegion};
pub use resize::{AxisTable, Weights};
pub use staging::{Arrival, Arrivals, Staging};
pub use stream::Stream;
pub use streams::{Streams, add_fence, may_be_worked_on, remove_fences, set_fence, wait_for_data};
pub use work::{Rows, Use, Work, require_device};
