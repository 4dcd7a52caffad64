//! "Did you mean …?"

use strsim::damerau_levenshtein;

/// The candidate that the user most likely meant, if any is close enough.
///
/// Ignores letter case. The last piece of a name such as `nvidia::gxf::PingTx` also finds it. The
/// time grows with the number of candidates, so a caller with thousands of misses and candidates
/// should ask only for errors that are shown.
#[must_use]
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Typing errors do not occur in names of this length, and comparing takes quadratic time and
    // memory.
    const LONGEST: usize = 128;
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    let whole = wanted.to_lowercase();
    let piece = last_piece(&whole);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.into_iter().filter(|candidate| candidate.len() <= LONGEST) {
        let lower = candidate.to_lowercase();
        // A common beginning says nothing about the rest.
        let (own, other) = without_common_namespace(&whole, &lower);
        let by_whole = distance(own, other);
        // A match of the last piece counts a little less than a match of the whole name.
        let by_piece = (lower.contains("::"))
            .then(|| distance(piece, last_piece(&lower)).map(|distance| distance + 1))
            .flatten();
        let Some(distance) = by_whole.into_iter().chain(by_piece).min() else { continue };
        if best.is_none_or(|(smallest, _)| distance < smallest) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Number of typing errors between two names; `None` if they are too different.
fn distance(wanted: &str, candidate: &str) -> Option<usize> {
    if wanted == candidate {
        return Some(0);
    }
    let allowed = wanted.chars().count().max(candidate.chars().count()) / 3;
    if wanted.len().abs_diff(candidate.len()) > allowed * 4 {
        return None;
    }
    let distance = damerau_levenshtein(wanted, candidate);
    (distance <= allowed).then_some(distance)
}

/// Two names without the `::` pieces that are equal in both.
fn without_common_namespace<'a>(mut one: &'a str, mut other: &'a str) -> (&'a str, &'a str) {
    while let (Some((first, one_rest)), Some((second, other_rest))) =
        (one.split_once("::"), other.split_once("::"))
    {
        if first != second {
            break;
        }
        (one, other) = (one_rest, other_rest);
    }
    (one, other)
}

/// End of an error text that names the nearest candidate; empty if none is near.
pub fn did_you_mean<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let near = nearest(wanted, candidates);
    near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

fn last_piece(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_what_was_meant() {
        let types = ["nvidia::gxf::PingTx", "nvidia::gxf::PingRx", "nvidia::gxf::Clock"];
        assert_eq!(nearest("PingTX", types), Some("nvidia::gxf::PingTx"));
        assert_eq!(nearest("nvidia::gfx::PingTx", types), Some("nvidia::gxf::PingTx"));
        assert_eq!(nearest("gxf::PingRx", types), Some("nvidia::gxf::PingRx"));
        assert_eq!(nearest("Broadcast", types), None);
        assert_eq!(nearest("nvidia::gxf::Vault", types), None);
        assert_eq!(nearest("capcity", ["capacity", "policy"]), Some("capacity"));
        assert_eq!(nearest("paramters", ["parameters"]), Some("parameters"));
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest("", ["y"]), None);
    }
}
