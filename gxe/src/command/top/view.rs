//! The state of a run, and how to draw it.

use super::columns;
use super::entity::Entity;
use super::prompt::Prompt;
use gxf_runtime::GraphStage;
use gxf_runtime::graph::escape::one_line;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::TableState;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::time::Instant;

/// Width of the explanation of all keys.
const LONG_KEYS: usize = 88;

/// See the head of this file.
#[derive(Default)]
pub struct View {
    /// The latest answer to `status`, until it is shown.
    status: Value,
    process: u64,
    /// `None` if this version does not know it.
    stage: Option<GraphStage>,
    entities: Vec<Entity>,
    /// Ticks of each entity at the latest update, and its time.
    before: Option<(Instant, HashMap<String, u64>)>,
    message: String,
    /// An input line, shown instead of the keys.
    pub prompt: Option<Prompt>,
    table: TableState,
}

impl View {
    /// Keeps the answer to `status` until the one to `statistics` arrives.
    pub fn take_status(&mut self, answer: Value) {
        self.status = answer;
    }

    /// Shows both answers.
    pub fn take_statistics(&mut self, statistics: &Value) {
        let answer = std::mem::take(&mut self.status);
        // Between two graphs of a watched run there are no statistics.
        if answer["ok"] != true {
            self.say(text(&answer["error"]));
            return;
        }
        let now = Instant::now();
        let status = &answer["status"];
        let measured = &statistics["statistics"]["entities"];
        let entities = status["entities"].as_array().map_or(&[][..], Vec::as_slice);
        self.process = answer["pid"].as_u64().unwrap_or(0);
        self.stage = GraphStage::deserialize(&status["state"]).ok();
        self.entities = entities.iter().map(|entity| self.entity(entity, now, measured)).collect();
        self.entities.sort_by(|one, other| {
            let rates = (other.rate.unwrap_or(0.0)).total_cmp(&one.rate.unwrap_or(0.0));
            rates.then_with(|| one.name.cmp(&other.name))
        });
        let ticks = self.entities.iter().map(|entity| (entity.name.clone(), entity.ticks));
        self.before = Some((now, ticks.collect()));
    }

    fn entity(&self, entity: &Value, now: Instant, measured: &Value) -> Entity {
        let (name, ticks) = (text(&entity["name"]), entity["ticks"].as_u64().unwrap_or(0));
        let rate = self.before.as_ref().and_then(|(then, before)| {
            let ticks = ticks.checked_sub(*before.get(&name)?)?;
            Some(ticks as f64 / now.duration_since(*then).as_secs_f64().max(1e-3))
        });
        let measured = measured.as_array().into_iter().flatten();
        let times = measured.into_iter().find(|known| known["name"] == *name).and_then(|known| {
            let times = &known["execution_ns"];
            Some((times["median"].as_u64()?, times["p99"].as_u64()?))
        });
        let queues = entity["queues"].as_array().into_iter().flatten().map(|queue| {
            format!("{} {}/{}", text(&queue["name"]), queue["messages"], queue["capacity"])
        });
        let inside = &entity["inside"];
        let waits = match entity["waits"].as_str() {
            Some(waits) => format!("waits {}", one_line(waits)),
            None if inside.is_object() => {
                format!("in {} of {}", text(&inside["function"]), text(&inside["codelet"]))
            }
            None => String::new(),
        };
        Entity {
            state: text(&entity["state"]),
            queues: queues.collect::<Vec<_>>().join("  "),
            name,
            ticks,
            rate,
            times,
            waits,
        }
    }

    /// Whether the graph is paused.
    pub fn is_paused(&self) -> bool {
        self.stage == Some(GraphStage::Paused)
    }

    /// Shows a message until the next one.
    pub fn say(&mut self, message: String) {
        self.message = one_line(&message);
    }

    /// Scrolls the list. Returns false: the user does not quit.
    pub fn scroll(&mut self, by: i16) {
        self.table.scroll_down_by(by.max(0).unsigned_abs());
        self.table.scroll_up_by(by.min(0).unsigned_abs());
    }

    /// Draws everything.
    pub fn draw(&mut self, frame: &mut Frame) {
        let [head, body, said, foot] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Min(1),
            Constraint::Length(1),
            Constraint::Length(1),
        ])
        .areas(frame.area());
        frame.render_widget(Line::raw(self.message.as_str()), said);
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let count = self.entities.len();
        let stage = self.stage.map(|stage| stage.to_string()).unwrap_or_default();
        let title = format!("gxe {}  {stage}  {count} entities", self.process);
        frame.render_widget(Line::styled(title, bold), head);
        let table = columns::table(&self.entities, body.width).row_highlight_style(bold);
        frame.render_stateful_widget(table, body, &mut self.table);
        let pause = if self.is_paused() { "resume" } else { "pause" };
        let keys = match &self.prompt {
            Some(prompt) => prompt.line(),
            None if usize::from(foot.width) < LONG_KEYS => {
                format!("q quit  s stop  p {pause}  n step  c set  t trace")
            }
            None => {
                format!(
                    "q quit  s stop the graph  p {pause}  n next tick  c change a parameter  t trace  \
                     ↑↓ scroll"
                )
            }
        };
        frame.render_widget(Line::raw(keys), foot);
    }
}

/// A text of an answer.
fn text(value: &Value) -> String {
    one_line(value.as_str().unwrap_or_default())
}
