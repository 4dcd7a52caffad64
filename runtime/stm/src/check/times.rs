//! The plan, if every execution takes its worst case.

use super::{Checker, Part, Placed, Why, remark};
use crate::expand::Instance;
use crate::read::error;
use crate::time::show_time;
use rustc_hash::FxHashSet;

impl Checker<'_> {
    pub(super) fn times(&mut self, part: &Part<'_>) {
        self.windows(part);
        self.orders(part);
        self.waits(part);
        self.submissions(part);
        self.streams(part);
        let last = part.placed.iter().map(|placed| placed.execution.end).max().unwrap_or(0);
        if last != part.plan.makespan {
            let message = format!(
                "the last execution ends at {}, and the makespan is said to be {}",
                show_time(last),
                show_time(part.plan.makespan)
            );
            self.push(error("makespan", message), part.plan.place.as_ref());
        }
    }

    fn windows(&mut self, part: &Part<'_>) {
        let is_late = |(instance, placed): (&Instance, &Placed<'_>)| {
            instance.deadline.is_some_and(|deadline| placed.execution.end > deadline)
        };
        let keeps_all = !part.instances.iter().zip(&part.placed).any(is_late);
        if keeps_all && !part.plan.keeps_deadlines {
            let message = "every execution ends by its deadline, and `KeepsDeadlines` is false";
            self.push(error("deadline", message), part.plan.place.as_ref());
        }
        for (instance, placed) in part.instances.iter().zip(&part.placed) {
            let execution = placed.execution;
            let (id, at) = (execution.id(), execution.place.as_ref());
            let wcet = self.graph.runnables[instance.runnable].wcet;
            if execution.end < execution.start || execution.end - execution.start != wcet {
                let message = format!("`{id}` is not planned for its WCET of {}", show_time(wcet));
                self.push(error("times", message), at);
            }
            let clocked = instance.frame_start.map(|_| instance.release);
            let message = if execution.release != clocked {
                Some(match clocked {
                    Some(release) => format!("the clock releases `{id}` at {}", show_time(release)),
                    None => format!("the clock does not release `{id}`"),
                })
            } else if execution.start < instance.release {
                Some(format!(
                    "`{id}` starts at {}, before its release at {}",
                    show_time(execution.start),
                    show_time(instance.release)
                ))
            } else {
                None
            };
            if let Some(message) = message {
                let mut problem = error("times", message);
                if let Some(work) = self.graph.delayed_by(instance.runnable) {
                    let name = self.graph.runnable_name(work);
                    problem = problem.help(format!(
                        "its work, `{name}`, has a `StartTime`, and nobody can hold submitted work back"
                    ));
                }
                self.push(problem, at);
            }
            if let Some(latest) = instance.latest_end.filter(|latest| execution.end > *latest) {
                let message = format!(
                    "`{id}` ends at {}, after the end of its frame at {}",
                    show_time(execution.end),
                    show_time(latest)
                );
                self.push(error("times", message), at);
            }
            if let Some(deadline) = instance.deadline.filter(|deadline| execution.end > *deadline) {
                let message = format!(
                    "`{id}` ends at {}, after its deadline at {}",
                    show_time(execution.end),
                    show_time(deadline)
                );
                let problem = if part.plan.keeps_deadlines {
                    error("deadline", message)
                } else {
                    remark("deadline", message)
                };
                self.push(problem, at);
            }
        }
    }

    /// An execution waits for those that it names, whether its graph asks for that or not.
    fn waits(&mut self, part: &Part<'_>) {
        for (index, placed) in part.placed.iter().enumerate() {
            let execution = placed.execution;
            for other in &part.after[index] {
                let before = part.placed[*other].execution;
                let is_new = !part.instances[index].predecessors.contains(other);
                if is_new && before.end > execution.start {
                    let message = format!(
                        "`{}` starts at {}, before `{}`, which it waits for, ends at {}",
                        execution.id(),
                        show_time(execution.start),
                        before.id(),
                        show_time(before.end)
                    );
                    self.push(error("times", message), execution.place.as_ref());
                }
            }
        }
    }

    /// What has to end before something else starts does. Each resource is a time line that holds
    /// one execution at a time.
    fn orders(&mut self, part: &Part<'_>) {
        for &(first, second, why) in &part.orders {
            let (one, other) = (part.placed[first].execution, part.placed[second].execution);
            if one.end <= other.start {
                continue;
            }
            let message = match why {
                Why::Depends | Why::WorkDepends => format!(
                    "`{}` starts at {}, before `{}`, which {} depends on, ends at {}",
                    other.id(),
                    show_time(other.start),
                    one.id(),
                    if why == Why::Depends { "it" } else { "its work" },
                    show_time(one.end)
                ),
                Why::Share(resource) => format!(
                    "`{}` and `{}` overlap on `{}`",
                    one.id(),
                    other.id(),
                    self.graph.resource_name(resource)
                ),
                Why::OneActive => {
                    format!("`{}` and `{}` are active at once", one.id(), other.id())
                }
            };
            self.push(error("times", message), other.place.as_ref());
        }
    }

    /// Nobody can hold work back that is submitted, so its submitter starts late enough.
    fn submissions(&mut self, part: &Part<'_>) {
        let held_back = part.orders.iter().filter_map(|&(first, second, why)| {
            Some((part.held_back(first, second)?, second, why))
        });
        let mut orders: Vec<((usize, usize), usize, Why)> = held_back.collect();
        for (work, after) in part.after.iter().enumerate() {
            let Some((submitter, _)) = part.submitted[work] else { continue };
            // What work names, its submitter waits for, whatever stream it went through.
            let named = after.iter().filter(|other| **other != submitter);
            orders.extend(named.map(|other| ((*other, submitter), work, Why::Depends)));
        }
        let mut known: FxHashSet<(usize, usize)> = FxHashSet::default();
        for (pair, second, why) in orders {
            let (one, other) = (part.placed[pair.0].execution, part.placed[pair.1].execution);
            let is_said = part.instances[pair.1].predecessors.contains(&pair.0);
            if one.end <= other.start || is_said || !known.insert(pair) {
                continue;
            }
            let work = part.placed[second].execution;
            let why = match why {
                Why::Depends | Why::WorkDepends => format!("`{}` has to follow it", work.id()),
                why => format!("`{}` has to follow it, because {}", work.id(), self.reason(why)),
            };
            let message = format!(
                "`{}` starts at {} and submits `{}`, before `{}` ends at {}: {why}",
                other.id(),
                show_time(other.start),
                work.id(),
                one.id(),
                show_time(one.end)
            );
            let problem = error("times", message).help("submitted work cannot be held back");
            self.push(problem, other.place.as_ref());
        }
    }

    /// Work runs on the engine that its submitter's stream leads to.
    fn streams(&mut self, part: &Part<'_>) {
        for (index, instance) in part.instances.iter().enumerate() {
            let Some(submittee) = self.graph.runnables[instance.runnable].submits else { continue };
            let is_work =
                |other: &Instance| other.runnable == submittee && other.frame == instance.frame;
            // Instances of one frame lie together, so the search is short.
            let first =
                part.instances[..index].iter().rposition(|other| other.frame != instance.frame);
            let from = first.map_or(0, |first| first + 1);
            let Some(work) = part.instances[from..].iter().position(is_work) else { continue };
            let engine = part.placed[from + work].resources[0];
            for resource in &part.placed[index].resources {
                let leads_to = self.graph.resources[*resource].leads_to;
                if leads_to.is_some_and(|leads_to| leads_to != engine) {
                    let execution = part.placed[index].execution;
                    let message = format!(
                        "`{}` holds the stream `{}`, which does not lead to `{}`, where its work runs",
                        execution.id(),
                        self.graph.resource_name(*resource),
                        self.graph.resource_name(engine)
                    );
                    self.push(error("resources", message), execution.place.as_ref());
                }
            }
        }
    }
}
