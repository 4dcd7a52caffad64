//! Measures of a schedule as YAML, for `-k`.

use gxf_stm::schedule::CyclePlan;
use gxf_stm::time::show_time;
use gxf_stm_compile::{Compiled, Effort};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The text of the file.
pub fn text(compiled: &Compiled) -> String {
    let schedule = &compiled.schedule;
    let mut text = format!(
        "Graph: {}\nIdentifier: {}\nHyperepochs:\n",
        quoted(&schedule.graph),
        schedule.identifier
    );
    for (plan, efforts) in schedule.hyperepochs.iter().zip(&compiled.searches) {
        // Writing to a `String` does not fail.
        _ = writeln!(text, "- {}:\n    Cycles:", quoted(&plan.name));
        for (cycle, effort) in plan.cycles.iter().zip(efforts) {
            describe(&mut text, cycle, effort, plan.period);
        }
    }
    text
}

fn describe(text: &mut String, cycle: &CyclePlan, effort: &Effort, period: Option<u64>) {
    let executions = || cycle.lanes.iter().flat_map(|lane| &lane.executions);
    let (makespan, bound) = (show_time(cycle.makespan), show_time(cycle.lower_bound));
    _ = writeln!(text, "    - Makespan: {makespan}\n      LowerBound: {bound}");
    let mut row = |key: &str, value: String| _ = writeln!(text, "      {key}: {value}");
    row("GapPercent", format!("{:.2}", gap_percent(cycle)));
    row("Optimal", (cycle.makespan == cycle.lower_bound).to_string());
    row("Proof", cycle.proof.is_some().to_string());
    row("KeepsDeadlines", cycle.keeps_deadlines.to_string());
    row("Executions", executions().count().to_string());
    row("Joined", executions().filter(|one| one.fused).count().to_string());
    row("Fences", executions().map(|one| one.after.len()).sum::<usize>().to_string());
    row("SearchSeconds", format!("{:.3}", effort.time.as_secs_f64()));
    row("Rounds", effort.rounds.to_string());
    row("Decisions", effort.nodes.to_string());
    let mut busy: BTreeMap<&str, u64> = BTreeMap::new();
    for lane in &cycle.lanes {
        for execution in &lane.executions {
            let length = execution.end - execution.start;
            let held = execution.holds.iter().map(String::as_str).chain([lane.engine.as_str()]);
            held.for_each(|name| *busy.entry(name).or_default() += length);
        }
    }
    let whole = period.unwrap_or(cycle.makespan).max(1);
    let percent = |time: u64| time as f64 / whole as f64 * 100.0;
    let uses: Vec<String> = busy
        .iter()
        .map(|(name, time)| format!("{}: {:.1}", quoted(name), percent(*time)))
        .collect();
    row("BusyPercent", format!("{{{}}}", uses.join(", ")));
}

/// How far the makespan lies above the lower bound.
pub fn gap_percent(cycle: &CyclePlan) -> f64 {
    match cycle.lower_bound {
        0 => 0.0,
        bound => (cycle.makespan as f64 / bound as f64 - 1.0) * 100.0,
    }
}

/// A name as a YAML text.
fn quoted(name: &str) -> String {
    use gxf_runtime::graph::yaml::{Kind, Node, emit};
    emit(&Node::made(Kind::Scalar { value: name.into(), plain: true }))
}
