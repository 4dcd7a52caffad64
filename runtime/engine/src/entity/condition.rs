//! Combination of the conditions of an entity's terms.

use gxf_plugin_abi::{Condition, ConditionType, ResultCode};

/// Without terms: always ready.
pub const READY: Condition = Condition { condition_type: ConditionType::READY, target: 0 };

/// A condition that an extension returned.
///
/// # Errors
/// Its type is none.
pub fn checked(condition: Condition) -> gxf::Result<Condition> {
    match condition.condition_type {
        ConditionType::NEVER
        | ConditionType::READY
        | ConditionType::WAIT
        | ConditionType::WAIT_TIME
        | ConditionType::WAIT_EVENT => Ok(condition),
        ConditionType(other) => Err(gxf::Error::new(
            ResultCode::FAILURE,
            format!(
                "the answer is the condition {other}, and conditions are 0 (NEVER), 1 (READY), 2 \
                 (WAIT), 3 (WAIT_TIME) and 4 (WAIT_EVENT)"
            ),
        )),
    }
}

/// NEVER > WAIT_EVENT > WAIT > WAIT_TIME > READY, as in GXF. Of two equal ones, the later target
/// wins. Not inlined: most entities are ready, and then there is nothing to combine.
#[inline(never)]
pub fn combine(one: Condition, other: Condition) -> Condition {
    match strength(one.condition_type).cmp(&strength(other.condition_type)) {
        std::cmp::Ordering::Greater => one,
        std::cmp::Ordering::Less => other,
        std::cmp::Ordering::Equal => Condition { target: one.target.max(other.target), ..one },
    }
}

/// Whether an entity with this condition may tick at time `now`.
pub fn is_ready(condition: Condition, now: i64) -> bool {
    match condition.condition_type {
        ConditionType::READY => true,
        ConditionType::WAIT_TIME => condition.target <= now,
        _ => false,
    }
}

fn strength(condition: ConditionType) -> u8 {
    match condition {
        ConditionType::READY => 0,
        ConditionType::WAIT_TIME => 1,
        ConditionType::WAIT => 2,
        ConditionType::WAIT_EVENT => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stronger_conditions_win() {
        let order = [
            ConditionType::READY,
            ConditionType::WAIT_TIME,
            ConditionType::WAIT,
            ConditionType::WAIT_EVENT,
            ConditionType::NEVER,
        ];
        for (weak, weaker_type) in order.iter().enumerate() {
            for stronger_type in &order[weak + 1..] {
                let weaker = Condition { condition_type: *weaker_type, target: 9 };
                let stronger = Condition { condition_type: *stronger_type, target: 1 };
                assert_eq!(combine(weaker, stronger), stronger);
                assert_eq!(combine(stronger, weaker), stronger);
            }
        }
    }

    #[test]
    fn equal_conditions_keep_the_later_target() {
        let at = |target| Condition { condition_type: ConditionType::WAIT_TIME, target };
        assert_eq!(combine(at(3), at(5)), at(5));
        assert_eq!(combine(at(5), at(3)), at(5));
    }
}
