//! `OrSchedulingTermCombiner`.

use super::plain;
use gxf::prelude::*;
use gxf::{SchedulingTerm, implement};

/// Lets an entity tick when at least one of several terms does. It ends the entity as soon as one
/// of the terms does.
///
/// The terms leave the entity's own list, but still learn of every tick: a CountSchedulingTerm in
/// here counts, a PeriodicSchedulingTerm moves on. Unlike GXF, of several times the earliest
/// counts, and a time counts beside an awaited event.
#[derive(Component, Default)]
pub struct OrSchedulingTermCombiner {
    /// The terms to combine, components of the same entity.
    #[parameter(headline = "Scheduling terms")]
    terms: Parameter<Vec<Handle<SchedulingTerm>>>,
}

/// NEVER > READY > WAIT_TIME (the earliest) > WAIT_EVENT > WAIT.
fn either(one: Condition, other: Condition) -> Condition {
    fn strength(condition: ConditionType) -> u8 {
        match condition {
            ConditionType::WAIT => 0,
            ConditionType::WAIT_EVENT => 1,
            ConditionType::WAIT_TIME => 2,
            ConditionType::READY => 3,
            _ => 4,
        }
    }
    match strength(one.condition_type).cmp(&strength(other.condition_type)) {
        std::cmp::Ordering::Greater => one,
        std::cmp::Ordering::Less => other,
        std::cmp::Ordering::Equal if one.condition_type == ConditionType::WAIT_TIME => {
            plain(ConditionType::WAIT_TIME, one.target.min(other.target))
        }
        std::cmp::Ordering::Equal => plain(one.condition_type, one.target.max(other.target)),
    }
}

impl implement::SchedulingTermCombiner for OrSchedulingTermCombiner {
    fn check(&self, now: i64) -> Result<Condition> {
        let mut combined: Option<Condition> = None;
        for term in self.terms.iter() {
            term.update_state(now)?;
            let mut condition = term.check(now)?;
            if condition.condition_type == ConditionType::WAIT_TIME && condition.target <= now {
                condition.condition_type = ConditionType::READY;
            }
            combined = Some(combined.map_or(condition, |known| either(known, condition)));
        }
        Ok(combined.unwrap_or(plain(ConditionType::READY, 0)))
    }

    fn terms(&self, add: &mut dyn FnMut(gxf::Uid)) {
        for term in self.terms.iter() {
            add(term.cid());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_answer_counts() {
        let order = [
            ConditionType::WAIT,
            ConditionType::WAIT_EVENT,
            ConditionType::WAIT_TIME,
            ConditionType::READY,
            ConditionType::NEVER,
        ];
        for (weak, weaker) in order.iter().enumerate() {
            for stronger in &order[weak + 1..] {
                assert_eq!(either(plain(*weaker, 9), plain(*stronger, 1)), plain(*stronger, 1));
                assert_eq!(either(plain(*stronger, 1), plain(*weaker, 9)), plain(*stronger, 1));
            }
        }
    }

    #[test]
    fn the_earliest_time_counts() {
        let at = |target| plain(ConditionType::WAIT_TIME, target);
        assert_eq!(either(at(3), at(5)), at(3));
    }
}
