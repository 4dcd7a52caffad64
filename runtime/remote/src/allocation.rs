//! Which segments a driver gives to workers that ask for some before they load them.
//!
//! A worker that names segments gets those. One that names none asks again and again until the driver
//! knows: segments are given out once all of them have a place, one for each of these workers, in the
//! order in which they came. Workers that are left over wait until the segments are started, and are
//! sent home. Workers that register without asking, as GXF's do, keep what they have.

use crate::protocol::{Allocation, AllocationRequest};
use gxf::{Error, Result};
use std::time::{Duration, Instant};

/// A worker that waits and has not asked for this long is gone. They ask several times a second.
const PATIENCE: Duration = Duration::from_secs(10);

/// Most workers that ask.
const LIMIT: usize = 10_000;

struct Applicant {
    request: AllocationRequest,
    last_heard: Instant,
    /// What it named, or was given; empty while it waits.
    segments: Vec<String>,
    /// Whether it has heard of that. One that is gone never does.
    is_told: bool,
}

/// The workers that ask for a segment, in the order in which they came.
#[derive(Default)]
pub struct Applicants {
    known: Vec<Applicant>,
}

impl Applicants {
    /// Whether a worker asks for the first time.
    pub fn is_new(&self, request: &AllocationRequest) -> bool {
        self.known.iter().all(|known| known.request.id != request.id)
    }

    /// Answers a worker. `missing` are the segments that no worker has registered, in the order in which
    /// they are given out.
    ///
    /// # Errors
    /// Too many workers ask.
    pub fn answer(
        &mut self,
        request: AllocationRequest,
        missing: &[String],
        is_started: bool,
        now: Instant,
    ) -> Result<Allocation> {
        let id = request.id.clone();
        self.known.retain(|known| {
            let age = now.saturating_duration_since(known.last_heard);
            let mut segments = known.segments.iter();
            let stays = match known.is_told {
                true => segments.any(|segment| missing.contains(segment)),
                false => age < PATIENCE,
            };
            stays || known.request.id == id
        });
        let place = self.known.iter().position(|known| known.request.id == id);
        let place = place.unwrap_or(self.known.len());
        if place >= LIMIT {
            return Err(Error::failure("too many workers ask for a segment"));
        }
        if place == self.known.len() {
            let segments = request.segments.clone();
            self.known.push(Applicant { request, last_heard: now, segments, is_told: false });
        }
        self.known[place].last_heard = now;
        if self.known[place].segments.is_empty() {
            if is_started {
                self.known.remove(place);
                return Ok(Allocation::Leave);
            }
            self.give(missing);
        }
        let segments = self.known[place].segments.clone();
        self.known[place].is_told = !segments.is_empty();
        Ok(if segments.is_empty() { Allocation::Wait } else { Allocation::Run { segments } })
    }

    /// Gives every segment that nobody has to a worker, if there are enough of them.
    fn give(&mut self, missing: &[String]) {
        let free = missing.iter().filter(|segment| self.holder(segment).is_none());
        let free: Vec<String> = free.cloned().collect();
        let waiting = self.known.iter_mut().filter(|known| known.segments.is_empty());
        let waiting: Vec<&mut Applicant> = waiting.collect();
        if waiting.len() < free.len() {
            return;
        }
        for (applicant, segment) in waiting.into_iter().zip(free) {
            tracing::info!("Worker {} gets the segment {segment}", applicant.request.worker);
            applicant.segments = vec![segment];
        }
    }

    /// The worker that has a segment and has not registered it yet.
    pub fn holder(&self, segment: &str) -> Option<&str> {
        let mut known = self.known.iter();
        let holder = known.find(|known| known.segments.iter().any(|one| one == segment));
        holder.map(|holder| holder.request.worker.as_str())
    }

    /// How many workers wait for a segment.
    pub fn waiting(&self) -> usize {
        self.known.iter().filter(|known| known.segments.is_empty()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(id: &str) -> AllocationRequest {
        AllocationRequest { id: id.to_owned(), worker: format!("host:{id}"), segments: Vec::new() }
    }

    fn run(segment: &str) -> Allocation {
        Allocation::Run { segments: vec![segment.to_owned()] }
    }

    #[test]
    fn segments_are_given_out_once_all_have_a_place() {
        let now = Instant::now();
        let missing = ["b".to_owned(), "a".to_owned()];
        let mut applicants = Applicants::default();
        let mut ask =
            |id, missing: &[String]| applicants.answer(request(id), missing, false, now).unwrap();
        assert_eq!(ask("1", &missing), Allocation::Wait);
        assert_eq!(ask("1", &missing), Allocation::Wait);
        assert_eq!(ask("2", &missing), run("a"));
        assert_eq!(ask("1", &missing), run("b"));
        // Who has not registered yet keeps its segment, and another one gets none.
        assert_eq!(ask("3", &missing[..1]), Allocation::Wait);
        assert_eq!(ask("1", &missing[..1]), run("b"));
    }

    #[test]
    fn segments_that_others_name_are_theirs() {
        let now = Instant::now();
        let mut applicants = Applicants::default();
        let missing = ["a".to_owned(), "b".to_owned()];
        let answer = applicants.answer(request("1"), &missing, false, now);
        assert_eq!(answer.unwrap(), Allocation::Wait);
        let named = AllocationRequest { segments: vec!["a".to_owned()], ..request("2") };
        assert_eq!(applicants.answer(named, &missing, false, now).unwrap(), run("a"));
        let answer = applicants.answer(request("1"), &missing, false, now);
        assert_eq!(answer.unwrap(), run("b"));
        assert_eq!(applicants.holder("a"), Some("host:2"));
        assert_eq!(applicants.holder("b"), Some("host:1"));
    }

    #[test]
    fn workers_that_are_left_over_go_home() {
        let now = Instant::now();
        let mut applicants = Applicants::default();
        assert_eq!(applicants.answer(request("1"), &[], false, now).unwrap(), Allocation::Wait);
        assert_eq!(applicants.waiting(), 1);
        assert_eq!(applicants.answer(request("1"), &[], true, now).unwrap(), Allocation::Leave);
        assert_eq!(applicants.waiting(), 0);
    }

    #[test]
    fn workers_that_are_gone_get_nothing() {
        let now = Instant::now();
        let missing = ["a".to_owned(), "b".to_owned()];
        let mut applicants = Applicants::default();
        let mut ask = |id, now| applicants.answer(request(id), &missing, false, now).unwrap();
        assert_eq!(ask("1", now), Allocation::Wait);
        assert_eq!(ask("2", now + PATIENCE), Allocation::Wait);
        assert_eq!(ask("3", now + PATIENCE), run("b"));
        assert_eq!(ask("2", now + PATIENCE), run("a"));
    }

    #[test]
    fn what_a_worker_never_heard_of_goes_to_another_one() {
        let now = Instant::now();
        let missing = ["a".to_owned(), "b".to_owned()];
        let mut applicants = Applicants::default();
        let mut ask = |id, missing: &[String], now| {
            applicants.answer(request(id), missing, false, now).unwrap()
        };
        assert_eq!(ask("gone", &missing, now), Allocation::Wait);
        assert_eq!(ask("1", &missing, now), run("b"));
        assert_eq!(ask("2", &missing[..1], now), Allocation::Wait);
        assert_eq!(ask("2", &missing[..1], now + PATIENCE), run("a"));
    }
}
