//! What parents have in common: arming children and seeing how they ended.

use gxf::prelude::*;
use gxf::{BtSchedulingTerm, Uid};

/// How a node stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It has not ended since it was armed.
    Running,
    /// It succeeded.
    Success,
    /// It failed.
    Failure,
}

/// Behaviours as a controller states them.
pub mod behavior {
    /// The node has succeeded.
    pub const SUCCESS: i32 = 1;
    /// The node is still running.
    pub const RUNNING: i32 = 2;
    /// The node has failed.
    pub const FAILURE: i32 = 3;
    /// Nobody can say.
    pub const UNKNOWN: i32 = 4;
}

/// The children of a node, in the order of the parameter.
#[derive(Default)]
pub struct Children(Vec<Child>);

struct Child {
    term: Handle<BtSchedulingTerm>,
    eid: Uid,
    /// Verdicts on the child when it was armed.
    armed_at: u64,
}

impl Children {
    /// Finds the children at the start of the parent.
    pub fn find(context: &TickContext, terms: &[Handle<BtSchedulingTerm>]) -> Result<Self> {
        check_controller(context, context.eid(), "the entity")?;
        let mut children = Vec::new();
        for term in terms {
            let eid = context.entity_of(term.cid())?;
            check_controller(context, eid, "the entity of a child")?;
            context.observe(eid)?;
            children.push(Child { term: term.clone(), eid, armed_at: 0 });
        }
        Ok(Self(children))
    }

    /// Number of children.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Lets a child run.
    pub fn arm(&mut self, context: &TickContext, index: usize) -> Result<()> {
        let child = &mut self.0[index];
        child.armed_at = context.entity_state(child.eid)?.verdicts;
        child.term.set_condition(ConditionType::READY)
    }

    /// Ends all children, also those that still run; each may be armed again.
    pub fn end_all(&self) -> Result<()> {
        self.0.iter().try_for_each(|child| child.term.set_condition(ConditionType::NEVER))
    }

    /// How a child that was armed stands; while it runs, `own` waits for it.
    pub fn outcome(
        &self,
        context: &TickContext,
        index: usize,
        own: &BtSchedulingTerm,
    ) -> Result<Outcome> {
        let child = &self.0[index];
        let state = context.entity_state(child.eid)?;
        if state.behavior == behavior::UNKNOWN {
            own.set_condition(ConditionType::NEVER)?;
            return Err(Error::new(
                ResultCode::QUERY_NOT_FOUND,
                format!("the controller of child {index} does not know how the child stands"),
            ));
        }
        let ended = state.verdicts != child.armed_at;
        match state.behavior {
            behavior::SUCCESS if ended => Ok(Outcome::Success),
            behavior::FAILURE if ended => Ok(Outcome::Failure),
            _ => {
                own.wait_for(child.eid, state.verdicts)?;
                Ok(Outcome::Running)
            }
        }
    }
}

fn check_controller(context: &TickContext, eid: Uid, what: &str) -> Result<()> {
    if context.entity_state(eid)?.behavior != behavior::UNKNOWN {
        return Ok(());
    }
    Err(Error::new(
        ResultCode::QUERY_NOT_FOUND,
        format!(
            "{what} has no controller, so nobody can say how it ended; add an \
             EntityCountFailureRepeatController"
        ),
    ))
}

/// What a tick returns for a node that runs or has ended.
pub fn answer(outcome: Outcome) -> Result<()> {
    match outcome {
        Outcome::Success => Ok(()),
        Outcome::Running => Err(Error::new(ResultCode::NOT_FINISHED, "the node is still running")),
        Outcome::Failure => Err(Error::failure("the node has failed")),
    }
}
