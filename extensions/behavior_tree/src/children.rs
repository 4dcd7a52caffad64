//! Shared by all parents: arming children and reading how they ended.

use gxf::prelude::*;
use gxf::verdict;
use gxf::{BtSchedulingTerm, EntityState, Uid};

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
    /// Number of its verdicts that the parent has read.
    read: u64,
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
            children.push(Child { term: term.clone(), eid, armed_at: 0, read: 0 });
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
        child.read = child.armed_at;
        child.term.set_condition(ConditionType::READY)
    }

    /// Ends all children, even those that still run; the parent may arm each again.
    pub fn end_all(&self) -> Result<()> {
        self.0.iter().try_for_each(|child| child.term.set_condition(ConditionType::NEVER))
    }

    /// The status of an armed child; `own` waits for it while it runs. A failure is read even if
    /// the child's controller has repeated it in the meantime.
    pub fn outcome(
        &mut self,
        context: &TickContext,
        index: usize,
        own: &BtSchedulingTerm,
    ) -> Result<Outcome> {
        let child = &mut self.0[index];
        let state = context.entity_state(child.eid)?;
        if state.behavior == verdict::BEHAVIOR_UNKNOWN {
            own.set_condition(ConditionType::NEVER)?;
            return Err(Error::new(
                ResultCode::QUERY_NOT_FOUND,
                format!("the controller of child {index} does not know how the child stands"),
            ));
        }
        let (outcome, read) = read(state, child.armed_at, child.read);
        child.read = read;
        if outcome == Outcome::Running {
            self.wait(index, own)?;
        }
        Ok(outcome)
    }

    /// `own` waits for the first verdict on a child that the parent has not read, which may be
    /// there already.
    pub fn wait(&self, index: usize, own: &BtSchedulingTerm) -> Result<()> {
        let child = &self.0[index];
        own.wait_for(child.eid, child.read)
    }
}

/// The status of a child of which the parent has read some verdicts, and how many it has read now.
///
/// A child rests after any verdict but a failure that its controller repeats. So of several new
/// verdicts all but the last are such failures, and so is the last if the child runs again.
fn read(state: EntityState, armed_at: u64, read: u64) -> (Outcome, u64) {
    // A child that joined again counts from 0.
    let new = state.verdicts.saturating_sub(read);
    match state.behavior {
        verdict::BEHAVIOR_RUNNING if new > 0 => (Outcome::Failure, state.verdicts),
        _ if new > 1 => (Outcome::Failure, state.verdicts - 1),
        verdict::BEHAVIOR_SUCCESS if state.verdicts != armed_at => {
            (Outcome::Success, state.verdicts)
        }
        verdict::BEHAVIOR_FAILURE if state.verdicts != armed_at => {
            (Outcome::Failure, state.verdicts)
        }
        _ => (Outcome::Running, state.verdicts),
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

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Failure, Running, Success};

    /// What the parent reads of a child that it armed after 4 verdicts.
    fn read_of(behavior: i32, verdicts: u64, so_far: u64) -> (Outcome, u64) {
        read(EntityState { behavior, reserved: 0, verdicts }, 4, so_far)
    }

    #[test]
    fn a_verdict_from_before_the_arming_says_nothing() {
        for behavior in
            [verdict::BEHAVIOR_INIT, verdict::BEHAVIOR_SUCCESS, verdict::BEHAVIOR_FAILURE]
        {
            assert_eq!(read_of(behavior, 4, 4), (Running, 4));
        }
    }

    #[test]
    fn a_repeated_failure_is_read_before_what_came_of_it() {
        assert_eq!(read_of(verdict::BEHAVIOR_SUCCESS, 6, 4), (Failure, 5));
        assert_eq!(read_of(verdict::BEHAVIOR_SUCCESS, 6, 5), (Success, 6));
        assert_eq!(read_of(verdict::BEHAVIOR_SUCCESS, 6, 6), (Success, 6));
        assert_eq!(read_of(verdict::BEHAVIOR_RUNNING, 5, 4), (Failure, 5));
        assert_eq!(read_of(verdict::BEHAVIOR_RUNNING, 5, 5), (Running, 5));
        assert_eq!(read_of(verdict::BEHAVIOR_FAILURE, 5, 4), (Failure, 5));
    }
}
