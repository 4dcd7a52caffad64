//! What a component can be besides a codelet: one trait for each interface.
//!
//! The methods take `&self` because several threads may call them at once; mutable state needs
//! atomics or locks. `initialize` and `deinitialize` come from [`Lifecycle`].

use crate::{Carried, ComponentContext, ParameterDescription, ParameterSlot, Result, TickContext};

pub use crate::interface::traits::*;

/// A type with parameters; `#[derive(Component)]` implements it.
pub trait Component: Sized + Send + 'static {
    /// The doc comment of the struct.
    const DESCRIPTION: &'static str;
    /// The parameters, in the order of the fields.
    fn parameters() -> Vec<ParameterDescription>;
    /// The payload types that go through this component, a queue.
    #[must_use]
    fn carries() -> Vec<Carried> {
        Vec::new()
    }
    /// The field of a parameter.
    fn parameter(&self, index: usize) -> Option<&dyn ParameterSlot>;
}

/// Initialisation and deinitialisation of a component that is not a codelet.
///
/// `#[derive(Component)]` implements it with no-ops, unless the type has `#[component(lifecycle)]`
/// and implements it itself.
pub trait Lifecycle: Component {
    /// Checks that the parameter values, which are all set, fit together. The error names the
    /// parameter. gxe calls this before it initialises any component of the graph, so that it can
    /// report all mistakes at once, in `gxe check`, and after a dynamic parameter has changed in an
    /// active graph: an error then brings the former value back.
    fn check_parameters(&self) -> Result<()> {
        Ok(())
    }

    /// Runs before any other component calls this one. All parameters are set.
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        let _ = context;
        Ok(())
    }

    /// Undoes `initialize`.
    fn deinitialize(&self, context: &ComponentContext) -> Result<()> {
        let _ = context;
        Ok(())
    }
}

/// A codelet that other components call while it works, through its own interfaces or a handle to
/// its type. It therefore takes `&self`.
///
/// In [`crate::gxf_ext_factory!`] it is a type with `Codelet` and a further interface.
pub trait SharedCodelet: Lifecycle + Sync {
    /// See [`Codelet::start`].
    fn start(&self, context: &TickContext) -> Result<()> {
        let _ = context;
        Ok(())
    }

    /// See [`Codelet::tick`].
    fn tick(&self, context: &TickContext) -> Result<()>;

    /// See [`Codelet::stop`].
    fn stop(&self, context: &TickContext) -> Result<()> {
        let _ = context;
        Ok(())
    }
}

/// A component that does work when the scheduler calls it (GXF's `Codelet`).
pub trait Codelet: Component {
    /// Checks that the parameter values, which are all set, fit together. The error names the
    /// parameter. gxe calls this before it initialises any component of the graph, so that it can
    /// report all mistakes at once, in `gxe check`, and after a dynamic parameter has changed in an
    /// active graph: an error then brings the former value back.
    fn check_parameters(&self) -> Result<()> {
        Ok(())
    }

    /// Runs once, before `start`. All parameters are set.
    fn initialize(&mut self, context: &ComponentContext) -> Result<()> {
        let _ = context;
        Ok(())
    }

    /// Acquires what the ticks need. Runs before the first tick, and again after each stop.
    fn start(&mut self, context: &TickContext) -> Result<()> {
        let _ = context;
        Ok(())
    }

    /// Does one unit of work. An error ends the graph, unless the entity's controller decides
    /// otherwise, and discards what this tick published.
    fn tick(&mut self, context: &TickContext) -> Result<()>;

    /// Releases what `start` acquired.
    fn stop(&mut self, context: &TickContext) -> Result<()> {
        let _ = context;
        Ok(())
    }

    /// Undoes `initialize`. Runs once.
    fn deinitialize(&mut self, context: &ComponentContext) -> Result<()> {
        let _ = context;
        Ok(())
    }
}
