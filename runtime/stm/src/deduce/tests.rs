//! The rules against exhaustive search.

use super::*;

/// Numbers that look random, from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// The best end of all orders in which tasks can be started as early as possible, each with every
/// choice of resources; `None` if none keeps the latest ends.
fn exhaustive(problem: &Problem) -> Option<i64> {
    fn go(
        problem: &Problem,
        placed: &mut Vec<Option<i64>>,
        free: &mut Vec<i64>,
        best: &mut Option<i64>,
    ) {
        let mut is_done = true;
        for task in 0..problem.tasks.len() {
            if placed[task].is_some() {
                continue;
            }
            is_done = false;
            let before = problem.arcs.iter().filter(|arc| arc.1 == task);
            let Some(ends) = before.map(|arc| placed[arc.0]).collect::<Option<Vec<i64>>>() else {
                continue;
            };
            let ready = ends.into_iter().fold(problem.tasks[task].earliest, i64::max);
            for resource in problem.tasks[task].needs[0].clone() {
                let start = ready.max(free[resource]);
                let end = start + problem.tasks[task].length;
                if end > problem.tasks[task].latest_end {
                    continue;
                }
                let was = free[resource];
                (free[resource], placed[task]) = (end, Some(end));
                go(problem, placed, free, best);
                (free[resource], placed[task]) = (was, None);
            }
        }
        if is_done {
            let end = placed.iter().flatten().copied().max().unwrap_or(0);
            *best = Some(best.map_or(end, |best| best.min(end)));
        }
    }
    let mut best = None;
    go(problem, &mut vec![None; problem.tasks.len()], &mut vec![0; problem.resources], &mut best);
    best
}

fn random_problem(random: &mut Random) -> Problem {
    let resources = 1 + random.below(3) as usize;
    let count = 2 + random.below(4) as usize;
    let mut arcs = Vec::new();
    let mut tasks = Vec::new();
    for index in 0..count {
        let needs = if random.below(2) == 0 {
            (0..resources).collect()
        } else {
            vec![random.below(resources as u64) as usize]
        };
        let earliest = random.below(6) as i64;
        let length = 1 + random.below(6) as i64;
        let latest_end =
            if random.below(2) == 0 { NEVER } else { earliest + length + random.below(8) as i64 };
        tasks.push(Task { length, earliest, latest_end, needs: vec![needs] });
        if index > 0 && random.below(3) == 0 {
            arcs.push((random.below(index as u64) as usize, index));
        }
    }
    Problem::made(tasks, resources, arcs, Vec::new(), vec![None; resources], |_| false)
}

/// A complete search by decisions, as a compiler does it: the best end, and the proof.
fn by_proof(problem: &Problem, state: State, steps: &mut Vec<Step>) -> bool {
    let mut state = state;
    if state.deduce(problem).is_err() {
        steps.push(Step::Refuted);
        return true;
    }
    for (task, needs) in state.taken.iter().enumerate() {
        if let Some(need) = needs.iter().position(Option::is_none) {
            steps.push(Step::Take(task as u32, need as u32));
            return state.cases(problem, task, need).into_iter().all(|resource| {
                let mut case = state.clone();
                case.taken[task][need] = Some(resource);
                by_proof(problem, case, steps)
            });
        }
    }
    for one in 0..problem.tasks.len() {
        for other in one + 1..problem.tasks.len() {
            let is_open =
                !state.orders.iter().any(|order| *order == (one, other) || *order == (other, one));
            if is_open && state.share(one, other) {
                steps.push(Step::Order(one as u32, other as u32));
                return [(one, other), (other, one)].into_iter().all(|order| {
                    let mut case = state.clone();
                    case.orders.push(order);
                    by_proof(problem, case, steps)
                });
            }
        }
    }
    false
}

#[test]
fn rules_never_exclude_a_schedule_and_proofs_are_found_and_verified() {
    let mut random = Random(2026);
    let (mut infeasible, mut solved) = (0, 0);
    for round in 0..3_000 {
        let problem = random_problem(&mut random);
        let best = exhaustive(&problem);
        if let Some(best) = best {
            solved += 1;
            assert_eq!(State::new(&problem, best).deduce(&problem), Ok(()), "{round}: {problem:?}");
            assert!(!by_proof(&problem, State::new(&problem, best), &mut Vec::new()));
        } else {
            infeasible += 1;
        }
        let end = best.map_or(NEVER, |best| best - 1);
        let mut proof = Proof::default();
        assert!(by_proof(&problem, State::new(&problem, end), &mut proof.steps), "{round}");
        assert_eq!(proof.verify(&problem, end), Ok(()));
        let words = proof.words();
        assert_eq!(Proof::from_words(words.iter().map(String::as_str)), Some(proof.clone()));
        if let Some(best) = best {
            assert!(proof.verify(&problem, best).is_err());
        }
        _ = proof.steps.pop();
        assert_eq!(proof.verify(&problem, end), Err(ProofError::Incomplete));
    }
    assert!(infeasible > 300 && solved > 300, "{infeasible} {solved}");
}

#[test]
fn wrong_steps_are_refused() {
    let task =
        |needs: Vec<usize>| Task { length: 5, earliest: 0, latest_end: 100, needs: vec![needs] };
    let tasks = vec![task(vec![0]), task(vec![1]), task(vec![0, 1])];
    let problem = Problem::made(tasks, 2, Vec::new(), Vec::new(), vec![None; 2], |_| false);
    for (words, error) in [
        ("X", ProofError::NotRefuted(0)),
        ("O0:1 X X", ProofError::Wrong(0)),
        ("O0:9 X X", ProofError::Wrong(0)),
        ("T0:0 X", ProofError::Wrong(0)),
        ("T9:0 X", ProofError::Wrong(0)),
        ("", ProofError::Incomplete),
    ] {
        let proof = Proof::from_words(words.split_whitespace()).unwrap();
        assert_eq!(proof.verify(&problem, 100), Err(error), "{words}");
    }
    assert_eq!(Proof::from_words(["Y"]), None);
    assert_eq!(Proof::from_words(["O1"]), None);
    let proof = Proof::from_words(["X", "X"]).unwrap();
    assert_eq!(proof.verify(&problem, 3), Err(ProofError::TooLong));
}
