//! What ran, for people.

/// What ran, for people; see [`Context::run_report`].
#[derive(Clone, Debug, Default)]
pub struct RunReport {
    /// The entities with codelets, in the order of activation; those of segments follow.
    pub entities: Vec<EntityReport>,
}

/// One entity of a [`RunReport`].
#[derive(Clone, Debug)]
pub struct EntityReport {
    /// Name of the entity.
    pub name: String,
    /// Number of successful ticks.
    pub ticks: u64,
    /// A word for the state of its execution.
    pub state: String,
}
