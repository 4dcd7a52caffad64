//! Schedules as text.

use super::{CyclePlan, Execution, Refutation, Schedule, VERSION};
use crate::deduce::Proof;
use crate::time::show_time;
use gxf_app::yaml::{Kind, Node, emit};
use std::fmt::{Display, Formatter, Result};

/// Longest line of a proof, in bytes.
const LINE: usize = 96;

/// The text of a schedule file.
impl Display for Schedule {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        writeln!(out, "# A static schedule: the order is fixed, the times are planned.")?;
        writeln!(
            out,
            "# Prove that it keeps its graph's constraints: gxe stm check -i GRAPH SCHEDULE"
        )?;
        writeln!(out, "Schedule: {VERSION}")?;
        writeln!(out, "Graph: {}", quoted(&self.graph))?;
        writeln!(out, "Identifier: {}", self.identifier)?;
        writeln!(out, "OneActiveRunnable: {}", self.one_active)?;
        writeln!(out, "Hyperepochs:")?;
        for hyperepoch in &self.hyperepochs {
            writeln!(out, "- {}:", quoted(&hyperepoch.name))?;
            if let Some(period) = hyperepoch.period {
                writeln!(out, "    Period: {}", show_time(period))?;
            }
            let resources = hyperepoch.resources.iter().map(|name| quoted(name));
            writeln!(out, "    Resources: [{}]", resources.collect::<Vec<_>>().join(", "))?;
            writeln!(out, "    Epochs:")?;
            for epoch in &hyperepoch.epochs {
                let period = epoch
                    .period
                    .map_or(String::new(), |time| format!("Period: {}, ", show_time(time)));
                writeln!(
                    out,
                    "    - {}: {{{period}Frames: {}}}",
                    quoted(&epoch.name),
                    epoch.frames
                )?;
            }
            writeln!(out, "    Cycles:")?;
            for cycle in &hyperepoch.cycles {
                write_cycle(out, cycle)?;
            }
        }
        Ok(())
    }
}

/// The text of a refutation's file.
impl Display for Refutation {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        writeln!(
            out,
            "# Proof that a graph has no schedule; replay it: gxe stm check -i GRAPH FILE"
        )?;
        writeln!(out, "Refutation: {VERSION}")?;
        writeln!(out, "Graph: {}", quoted(&self.graph))?;
        writeln!(out, "Identifier: {}", self.identifier)?;
        writeln!(out, "OneActiveRunnable: {}", self.one_active)?;
        writeln!(out, "Hyperepoch: {}", quoted(&self.hyperepoch))?;
        writeln!(out, "Cycle: {}", self.cycle)?;
        write_proof(out, &self.proof, "")
    }
}

fn write_proof(out: &mut Formatter<'_>, proof: &Proof, indentation: &str) -> Result {
    writeln!(out, "{indentation}Proof:")?;
    let mut line = String::new();
    for word in proof.words() {
        if line.len() + word.len() >= LINE {
            writeln!(out, "{indentation}- {line}")?;
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    writeln!(out, "{indentation}- {line}")
}

fn write_cycle(out: &mut Formatter<'_>, cycle: &CyclePlan) -> Result {
    writeln!(out, "    - Makespan: {}", show_time(cycle.makespan))?;
    writeln!(out, "      LowerBound: {}", show_time(cycle.lower_bound))?;
    writeln!(out, "      KeepsDeadlines: {}", cycle.keeps_deadlines)?;
    if let Some(proof) = &cycle.proof {
        write_proof(out, proof, "      ")?;
    }
    if cycle.lanes.is_empty() {
        return writeln!(out, "      Lanes: []");
    }
    writeln!(out, "      Lanes:")?;
    for lane in &cycle.lanes {
        writeln!(out, "      - {}:", quoted(&lane.engine))?;
        for execution in &lane.executions {
            writeln!(out, "        - {}", Entry(execution))?;
        }
    }
    Ok(())
}

struct Entry<'a>(&'a Execution);

impl Display for Entry<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        let Self(execution) = self;
        write!(
            out,
            "{{Runnable: {}, Epoch: {}, Frame: {}",
            quoted(&execution.runnable),
            quoted(&execution.epoch),
            execution.frame
        )?;
        if let Some(release) = execution.release {
            write!(out, ", Release: {}", show_time(release))?;
        }
        write!(out, ", Start: {}, End: {}", show_time(execution.start), show_time(execution.end))?;
        for (key, names) in [("Holds", &execution.holds), ("After", &execution.after)] {
            if !names.is_empty() {
                let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
                write!(out, ", {key}: [{}]", names.join(", "))?;
            }
        }
        if let Some(work) = &execution.submits {
            write!(out, ", Submits: {}", quoted(work))?;
        }
        if execution.fused {
            write!(out, ", Fused: true")?;
        }
        write!(out, "}}")
    }
}

/// A name as YAML, in quotes where it needs them.
fn quoted(name: &str) -> String {
    let plain = !matches!(name, "~" | "null" | "Null" | "NULL");
    emit(&Node::made(Kind::Scalar { value: name.into(), plain }))
}
