//! What a component can be besides a codelet: one trait an interface.
//!
//! An implementor takes `&self`, because several threads may ask it at once; state that changes
//! lives in atomics or locks. `initialize` and `deinitialize` come from [`Lifecycle`].

use crate::{ComponentContext, ParameterDescription, ParameterSlot, Result, TickContext};

pub use crate::interface::traits::*;

/// A type with parameters; `#[derive(Component)]` implements it.
pub trait Component: Sized + Send + 'static {
    /// The text above the struct.
    const DESCRIPTION: &'static str;
    /// The parameters, in the order of the fields.
    fn parameters() -> Vec<ParameterDescription>;
    /// The field of a parameter.
    fn parameter(&self, index: usize) -> Option<&dyn ParameterSlot>;
}

/// Begin and end of a component that is not a codelet.
///
/// `#[derive(Component)]` implements it with nothing to do; a type marked
/// `#[component(lifecycle)]` implements it itself.
pub trait Lifecycle: Component {
    /// Whether the values of the parameters, which are all set, are possible together. Asked before
    /// any component of the graph is initialised, so that all mistakes are shown at once, and by
    /// `gxe check`; the error names the parameter.
    fn check_parameters(&self) -> Result<()> {
        Ok(())
    }

    /// All parameters are set; nobody has called the component yet.
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

/// A codelet that others call while it works, through interfaces of its own or a handle to its
/// type: it takes `&self`, like everything that is not a codelet.
///
/// In [`crate::gxf_ext_factory!`] it is a type with `Codelet` and a further interface.
pub trait SharedCodelet: Lifecycle + Sync {
    /// As [`Codelet::start`].
    fn start(&self, context: &TickContext) -> Result<()> {
        let _ = context;
        Ok(())
    }

    /// As [`Codelet::tick`].
    fn tick(&self, context: &TickContext) -> Result<()>;

    /// As [`Codelet::stop`].
    fn stop(&self, context: &TickContext) -> Result<()> {
        let _ = context;
        Ok(())
    }
}

/// A piece of work, called by the scheduler (GXF's `Codelet`).
pub trait Codelet: Component {
    /// Whether the values of the parameters, which are all set, are possible together. Asked before
    /// any component of the graph is initialised, so that all mistakes are shown at once, and by
    /// `gxe check`; the error names the parameter.
    fn check_parameters(&self) -> Result<()> {
        Ok(())
    }

    /// Light initialisation, once; all parameters are set.
    fn initialize(&mut self, context: &ComponentContext) -> Result<()> {
        let _ = context;
        Ok(())
    }

    /// Acquires what ticks need; before the first tick, and again after each stop.
    fn start(&mut self, context: &TickContext) -> Result<()> {
        let _ = context;
        Ok(())
    }

    /// Works once. An error ends the graph (or is judged by the entity's controller), and nothing
    /// that this tick published is sent.
    fn tick(&mut self, context: &TickContext) -> Result<()>;

    /// Releases what `start` acquired.
    fn stop(&mut self, context: &TickContext) -> Result<()> {
        let _ = context;
        Ok(())
    }

    /// Undoes `initialize`, once.
    fn deinitialize(&mut self, context: &ComponentContext) -> Result<()> {
        let _ = context;
        Ok(())
    }
}
