//! The common rule of terms with several receivers: whether there are enough messages.

use gxf::prelude::*;

/// How the messages of several receivers count.
#[derive(ParameterEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SamplingMode {
    /// All receivers together must hold enough.
    SumOfAll,
    /// Each receiver must hold enough.
    PerReceiver,
}

/// The required number of messages.
pub(super) enum Enough<'a> {
    /// In all receivers together.
    Sum(u64),
    /// In each receiver, in order.
    Each(&'a [u64]),
}

impl Enough<'_> {
    /// Whether receivers that hold `counts` messages, in both stages together, hold enough.
    pub fn met(&self, mut counts: impl Iterator<Item = u64>) -> bool {
        match self {
            Self::Sum(wanted) => counts.sum::<u64>() >= *wanted,
            Self::Each(wanted) => {
                wanted.iter().zip(&mut counts).all(|(wanted, count)| count >= *wanted)
            }
        }
    }
}

/// Number of messages in both stages of a receiver.
pub(super) fn count(receiver: &Receiver) -> u64 {
    (receiver.message_count() + receiver.back_count()) as u64
}

/// Checks that there is a number for each receiver in mode PerReceiver.
pub(super) fn check_sizes(receivers: usize, sizes: Option<usize>) -> Result<()> {
    let sizes = sizes.unwrap_or(0);
    if receivers == sizes {
        return Ok(());
    }
    Err(Error::new(
        ResultCode::PARAMETER_OUT_OF_RANGE,
        format!(
            "`min_sizes` is a list of {sizes} for {receivers} receivers; mode PerReceiver needs one \
             each"
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_may_come_from_one_receiver() {
        assert!(Enough::Sum(3).met([3, 0].into_iter()));
        assert!(!Enough::Sum(3).met([1, 1].into_iter()));
    }

    #[test]
    fn each_receiver_needs_its_own() {
        assert!(Enough::Each(&[1, 2]).met([1, 2].into_iter()));
        assert!(!Enough::Each(&[1, 2]).met([9, 1].into_iter()));
    }

    #[test]
    fn numbers_and_receivers_must_match() {
        assert!(check_sizes(2, Some(2)).is_ok());
        assert!(check_sizes(2, Some(1)).is_err());
        assert!(check_sizes(1, None).is_err());
    }
}
