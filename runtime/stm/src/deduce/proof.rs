//! Proofs: trees of cases, each leaf of which the rules refute.

use super::{Problem, State};
use std::fmt;

/// A node of a proof; children follow in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The rules find a contradiction.
    Refuted,
    /// Two cases: the first task before the second, then the second before the first.
    Order(u32, u32),
    /// A case for each resource that a need of a task may take; see [`State::cases`].
    Take(u32, u32),
}

/// That no schedule of a problem ends by a given time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// The nodes, each before its children.
    pub steps: Vec<Step>,
}

/// Why a proof proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofError {
    /// The rules find no contradiction at the leaf with this number.
    NotRefuted(usize),
    /// The step with this number names a task or need that does not exist, or leaves a case out.
    Wrong(usize),
    /// Cases are missing at its end.
    Incomplete,
    /// There are more steps than the tree has nodes.
    TooLong,
}

impl fmt::Display for ProofError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRefuted(step) => {
                write!(formatter, "no contradiction follows at step {step}")
            }
            Self::Wrong(step) => write!(formatter, "step {step} is no decision of this graph"),
            Self::Incomplete => write!(formatter, "cases are missing at its end"),
            Self::TooLong => write!(formatter, "it goes on behind its end"),
        }
    }
}

impl Proof {
    /// The proof of what the rules refute at once.
    #[must_use]
    pub fn immediate() -> Self {
        Self { steps: vec![Step::Refuted] }
    }

    /// Replays the tree: does it prove that nothing ends by `end`?
    ///
    /// # Errors
    /// The first step that does not follow.
    pub fn verify(&self, problem: &Problem, end: i64) -> Result<(), ProofError> {
        let mut open = vec![State::new(problem, end)];
        for (number, step) in self.steps.iter().enumerate() {
            let Some(mut state) = open.pop() else { return Err(ProofError::TooLong) };
            let is_refuted = state.deduce(problem).is_err();
            match step {
                Step::Refuted if is_refuted => {}
                Step::Refuted => return Err(ProofError::NotRefuted(number)),
                // A split of what is refuted already has nothing to prove, but has its children.
                Step::Order(one, other) => {
                    let (one, other) = (*one as usize, *other as usize);
                    let count = problem.tasks.len();
                    if one >= count || other >= count || one == other || !state.share(one, other) {
                        return Err(ProofError::Wrong(number));
                    }
                    let mut second = state.clone();
                    second.orders.push((other, one));
                    state.orders.push((one, other));
                    open.extend([second, state]);
                }
                Step::Take(task, need) => {
                    let (task, need) = (*task as usize, *need as usize);
                    let taken = state.taken.get(task).and_then(|needs| needs.get(need));
                    if taken != Some(&None) {
                        return Err(ProofError::Wrong(number));
                    }
                    for resource in state.cases(problem, task, need).into_iter().rev() {
                        let mut case = state.clone();
                        case.taken[task][need] = Some(resource);
                        open.push(case);
                    }
                }
            }
        }
        if open.is_empty() { Ok(()) } else { Err(ProofError::Incomplete) }
    }

    /// The tree as words: `X` for a refuted leaf, `O1:2` and `T1:0` for decisions.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let word = |step: &Step| match step {
            Step::Refuted => "X".to_owned(),
            Step::Order(one, other) => format!("O{one}:{other}"),
            Step::Take(task, need) => format!("T{task}:{need}"),
        };
        self.steps.iter().map(word).collect()
    }

    /// Reads words; `None` if one is none of the three.
    #[must_use]
    pub fn from_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let step = |word: &str| {
            if word == "X" {
                return Some(Step::Refuted);
            }
            let (kind, numbers) = word.split_at_checked(1)?;
            let (one, other) = numbers.split_once(':')?;
            let (one, other) = (one.parse().ok()?, other.parse().ok()?);
            match kind {
                "O" => Some(Step::Order(one, other)),
                "T" => Some(Step::Take(one, other)),
                _ => None,
            }
        };
        Some(Self { steps: words.into_iter().map(step).collect::<Option<_>>()? })
    }
}

impl State {
    /// Whether two tasks have taken the same resource, so that one of them is first.
    #[must_use]
    pub fn share(&self, one: usize, other: usize) -> bool {
        let mut taken = self.taken[one].iter().flatten();
        taken.any(|resource| self.taken[other].contains(&Some(*resource)))
    }
}
