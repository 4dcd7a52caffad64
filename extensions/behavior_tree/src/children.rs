//! Shared by all parents: arming children and reading how they ended.

use gxf::prelude::*;
use gxf::verdict;
use gxf::{BtSchedulingTerm, Uid};

/// The status of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It has not ended since its parent armed it.
    Running,
    /// It succeeded.
    Success,
    /// It failed.
    Failure,
}

/// The children of a node, in the order of the parameter.
#[derive(Default)]
pub struct Children(Vec<Child>);

struct Child {
    term: Handle<BtSchedulingTerm>,
    eid: Uid,
    /// Number of the child's verdicts when its parent armed it.
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

    /// Ends all children, even those that still run; the parent may arm each again.
    pub fn end_all(&self) -> Result<()> {
        self.0.iter().try_for_each(|child| child.term.set_condition(ConditionType::NEVER))
    }

    /// The status of an armed child; `own` waits for it while it runs.
    pub fn outcome(
        &self,
        context: &TickContext,
        index: usize,
        own: &BtSchedulingTerm,
    ) -> Result<Outcome> {
        let child = &self.0[index];
        let state = context.entity_state(child.eid)?;
        if state.behavior == verdict::BEHAVIOR_UNKNOWN {
            own.set_condition(ConditionType::NEVER)?;
            return Err(Error::new(
                ResultCode::QUERY_NOT_FOUND,
                format!("the controller of child {index} does not know how the child stands"),
            ));
        }
        let ended = state.verdicts != child.armed_at;
        match state.behavior {
            verdict::BEHAVIOR_SUCCESS if ended => Ok(Outcome::Success),
            verdict::BEHAVIOR_FAILURE if ended => Ok(Outcome::Failure),
            _ => {
                own.wait_for(child.eid, state.verdicts)?;
                Ok(Outcome::Running)
            }
        }
    }
}

fn check_controller(context: &TickContext, eid: Uid, what: &str) -> Result<()> {
    if context.entity_state(eid)?.behavior != verdict::BEHAVIOR_UNKNOWN {
        return Ok(());
    }
    Err(Error::new(
        ResultCode::QUERY_NOT_FOUND,
        format!(
            "{what} has no controller, so its result is unknown; add an \
             EntityCountFailureRepeatController"
        ),
    ))
}

/// The result of a tick of a node that runs or has ended.
pub fn answer(outcome: Outcome) -> Result<()> {
    match outcome {
        Outcome::Success => Ok(()),
        Outcome::Running => Err(Error::new(ResultCode::NOT_FINISHED, "the node is still running")),
        Outcome::Failure => Err(Error::failure("the node has failed")),
    }
}
