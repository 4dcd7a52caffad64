//! Tasks as a compute graph of STM.

use super::rates::Tasks;
use gxf_stm::time::show_time;
use std::fmt::Write;

/// The text of the graph. Names are letters, digits and `_`.
pub fn text(tasks: &Tasks, cpus: usize) -> String {
    let cpus: Vec<String> = (0..cpus).map(|cpu| format!("CPU{cpu}")).collect();
    let mut text = format!(
        "# The compute graph of an app, with execution times as measured: gxe schedule wrote it.\n\
         Version: 2.0.0\napp:\n  Resources: {{CPU: [{}]}}\n  Hyperepochs:\n  - hyper:\n",
        cpus.join(", ")
    );
    // Writing to a `String` does not fail.
    if let Some(period) = tasks.period {
        _ = writeln!(text, "      Period: {}", show_time(period));
    }
    text += "      Epochs:\n";
    for (period, epoch) in &tasks.epochs {
        let period =
            period.map_or(String::new(), |period| format!("Period: {}, ", show_time(period)));
        _ = writeln!(text, "      - {}: {{{period}Frames: {}}}", epoch.name, epoch.frames);
    }
    text += "  Clients:\n  - app:\n      Epochs:\n";
    for (period, epoch) in &tasks.epochs {
        _ = writeln!(text, "      - hyper.{}:\n          Runnables:", epoch.name);
        for task in tasks.tasks.iter().filter(|task| task.period == *period) {
            let after: Vec<String> =
                task.after.iter().map(|other| format!("app.{}", tasks.tasks[*other].id)).collect();
            let after = match &after[..] {
                [] => String::new(),
                some => format!(", Dependencies: [{}]", some.join(", ")),
            };
            _ = writeln!(
                text,
                "          - {}: {{WCET: {}, Resources: [CPU]{after}}}",
                task.id,
                show_time(task.wcet)
            );
        }
    }
    text
}
