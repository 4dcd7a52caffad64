//! The state of a run, and how to draw it.

use super::columns;
use super::entity::Entity;
use super::prompt::Prompt;
use gxf_runtime::GraphStage;
use gxf_runtime::graph::escape::one_line;
use ratatui::Frame;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, TableState};
use serde::Deserialize;
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

/// Width of the explanation of the most important keys.
const LONG_KEYS: usize = 88;

/// What `?` shows.
const HELP: &[(&str, &str)] = &[
    ("q, Ctrl-C", "quit; the graph goes on"),
    ("s", "stop the graph"),
    ("p", "pause, or resume"),
    ("n", "tick the next entity during a pause"),
    ("c", "change a dynamic parameter"),
    ("t", "begin a trace, or write it to a file"),
    ("o", "order by the next column: ticks/s, ticks, median, p99, entity"),
    ("/", "show only entities whose name or state contains a text"),
    ("↑ ↓", "scroll"),
    ("Esc", "close this, or show all entities again"),
];

/// What the entities are ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Order {
    #[default]
    Rate,
    Ticks,
    Median,
    Longest,
    Name,
}

impl Order {
    const ALL: [Self; 5] = [Self::Rate, Self::Ticks, Self::Median, Self::Longest, Self::Name];

    fn next(self) -> Self {
        let place = Self::ALL.iter().position(|order| *order == self).unwrap_or(0);
        Self::ALL[(place + 1) % Self::ALL.len()]
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Rate => "ticks/s",
            Self::Ticks => "ticks",
            Self::Median => "median",
            Self::Longest => "p99",
            Self::Name => "entity",
        }
    }

    /// Largest first; names in alphabetic order.
    fn compare(self, one: &Entity, other: &Entity) -> Ordering {
        let of = |entity: &Entity| match self {
            Self::Rate => entity.rate.unwrap_or(0.0),
            Self::Ticks => entity.ticks as f64,
            Self::Median => entity.times.map_or(0.0, |(median, _)| median as f64),
            Self::Longest => entity.times.map_or(0.0, |(_, p99)| p99 as f64),
            Self::Name => 0.0,
        };
        of(other).total_cmp(&of(one)).then_with(|| one.name.cmp(&other.name))
    }
}

/// See the head of this file.
#[derive(Default)]
pub struct View {
    /// The latest answer to `status`, until it is shown.
    status: Value,
    process: u64,
    /// `None` if this version does not know it.
    stage: Option<GraphStage>,
    entities: Vec<Entity>,
    /// Actors of each job that are not gone, of all that it has; empty under other schedulers.
    jobs: String,
    /// How busy each device is; empty without statistics of one.
    devices: String,
    /// Nanoseconds that each device was busy before the latest update.
    busy_before: BTreeMap<i64, u64>,
    /// Ticks of each entity at the latest update, and its time.
    before: Option<(Instant, HashMap<String, u64>)>,
    message: String,
    /// How long the run has not answered, if that is worth a word.
    pub silence: Option<Duration>,
    /// An input line, shown instead of the keys.
    pub prompt: Option<Prompt>,
    table: TableState,
    order: Order,
    /// Only entities with this in their name or state are shown.
    filter: String,
    is_filtering: bool,
    shows_help: bool,
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
        let jobs = status["jobs"].as_array().into_iter().flatten().map(|job| {
            let values = &job["values"];
            format!("  {} {}/{}", text(&job["name"]), values["running"], values["actors"])
        });
        self.jobs = jobs.collect();
        self.take_devices(&statistics["statistics"]["cuda_streams"], now);
        self.sort();
        let ticks = self.entities.iter().map(|entity| (entity.name.clone(), entity.ticks));
        self.before = Some((now, ticks.collect()));
    }

    /// The share of the time since the latest update in which each device worked.
    fn take_devices(&mut self, streams: &Value, now: Instant) {
        let mut busy: BTreeMap<i64, u64> = BTreeMap::new();
        for stream in streams.as_array().into_iter().flatten() {
            let of_device = busy.entry(stream["device"].as_i64().unwrap_or(0)).or_default();
            *of_device += stream["busy_ns"].as_u64().unwrap_or(0);
        }
        let since = self.before.as_ref().map(|(then, _)| now.duration_since(*then));
        let shares = busy.iter().map(|(device, nanoseconds)| {
            let before = self.busy_before.get(device).copied().unwrap_or(0);
            let share = since.map_or(0.0, |since| {
                nanoseconds.saturating_sub(before) as f64 / since.as_nanos().max(1) as f64
            });
            // Streams of a device work at the same time.
            format!("  device {device} {:.0} % busy", share.min(1.0) * 100.0)
        });
        self.devices = shares.collect();
        self.busy_before = busy;
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
        let queues = entity["queues"].as_array().into_iter().flatten().map(queue);
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

    fn sort(&mut self) {
        self.entities.sort_by(|one, other| self.order.compare(one, other));
    }

    /// Orders the entities by the next of the columns.
    pub fn order_by_next(&mut self) {
        self.order = self.order.next();
        self.sort();
        self.say(format!("ordered by {}", self.order.text()));
    }

    /// Shows or hides the explanation of all keys.
    pub fn toggle_help(&mut self) {
        self.shows_help = !self.shows_help;
    }

    /// Closes the explanation, or shows all entities again.
    pub fn calm_down(&mut self) {
        if !std::mem::take(&mut self.shows_help) {
            self.filter.clear();
        }
    }

    /// Lets the user type a text that shown entities contain.
    pub fn begin_filter(&mut self) {
        self.is_filtering = true;
    }

    /// Whether keys go to that text.
    pub fn is_filtering(&self) -> bool {
        self.is_filtering
    }

    /// A key for that text.
    pub fn type_filter(&mut self, key: KeyCode) {
        match key {
            KeyCode::Enter => self.is_filtering = false,
            KeyCode::Esc => {
                self.is_filtering = false;
                self.filter.clear();
            }
            KeyCode::Backspace => _ = self.filter.pop(),
            KeyCode::Char(typed) => self.filter.push(typed),
            _ => {}
        }
    }

    fn shown(&self) -> Vec<&Entity> {
        let wanted = self.filter.to_lowercase();
        let has = |text: &str| text.to_lowercase().contains(&wanted);
        self.entities.iter().filter(|entity| has(&entity.name) || has(&entity.state)).collect()
    }

    /// Scrolls the list.
    pub fn scroll(&mut self, by: i16) {
        self.table.scroll_down_by(by.max(0).unsigned_abs());
        self.table.scroll_up_by(by.min(0).unsigned_abs());
    }

    /// The latest message, and that the run does not answer: the one does not hide the other.
    fn said(&self) -> String {
        let silence = self
            .silence
            .map(|silence| format!("the run has not answered for {} s", silence.as_secs()));
        let said = [silence.as_deref(), Some(self.message.as_str())].into_iter().flatten();
        said.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
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
        frame.render_widget(Line::raw(self.said()), said);
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let count = self.entities.len();
        let stage = self.stage.map(|stage| stage.to_string()).unwrap_or_default();
        let shown = self.shown();
        let count = match shown.len() {
            all if all == count => count.to_string(),
            some => format!("{some} of {count}"),
        };
        let title =
            format!("gxe {}  {stage}  {count} entities{}{}", self.process, self.jobs, self.devices);
        frame.render_widget(Line::styled(title, bold), head);
        let table = columns::table(&shown, body.width).row_highlight_style(bold);
        if self.shows_help {
            let lines = HELP.iter().map(|(key, text)| Line::raw(format!("  {key:<10} {text}")));
            frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()), body);
        } else {
            frame.render_stateful_widget(table, body, &mut self.table);
        }
        let pause = if self.is_paused() { "resume" } else { "pause" };
        let keys = match &self.prompt {
            Some(prompt) => prompt.line(),
            None if self.is_filtering => {
                format!("show {}▏  Enter keep  Esc show all", one_line(&self.filter))
            }
            None if usize::from(foot.width) < LONG_KEYS => {
                format!("q quit  s stop  p {pause}  n step  c set  t trace  ? help")
            }
            None => {
                format!(
                    "q quit  s stop the graph  p {pause}  c change a parameter  t trace  / filter  \
                     o order  ? help"
                )
            }
        };
        frame.render_widget(Line::raw(keys), foot);
    }
}

/// The fill of a queue and, if it leads to another process, where to and how well.
fn queue(queue: &Value) -> String {
    let mut shown = format!("{} {}/{}", text(&queue["name"]), queue["messages"], queue["capacity"]);
    let link = &queue["link"];
    if !link.is_object() {
        return shown;
    }
    let receives = link["receives"] == true;
    let way = if receives { "from" } else { "to" };
    shown += &format!(" {way} {}", text(&link["peer"]));
    if !receives {
        shown += &format!(", {} credits", link["credits"]);
    }
    if let Some(time @ 1..) = link["round_trip_ns"].as_u64() {
        shown += &format!(", round trip {}", columns::duration(time));
    }
    for (key, what) in [("reconnects", "reconnects"), ("dropped", "lost")] {
        if let Some(count @ 1..) = link[key].as_u64() {
            shown += &format!(", {count} {what}");
        }
    }
    shown
}

/// A text of an answer.
fn text(value: &Value) -> String {
    one_line(value.as_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{View, queue};
    use serde_json::json;
    use std::time::Duration;

    #[test]
    fn silence_hides_no_message() {
        let mut view = View::default();
        view.say("ordered by ticks".to_owned());
        view.silence = Some(Duration::from_millis(3_200));
        assert_eq!(view.said(), "the run has not answered for 3 s; ordered by ticks");
        view.silence = None;
        assert_eq!(view.said(), "ordered by ticks");
    }

    #[test]
    fn queues_say_where_they_lead() {
        let local = json!({"name": "in", "messages": 1, "capacity": 2, "link": null});
        assert_eq!(queue(&local), "in 1/2");
        let mut remote = json!({"name": "out", "messages": 0, "capacity": 1, "link": {
            "peer": "`rx/signal` at 10.0.0.2:13337", "receives": false, "credits": 4,
            "round_trip_ns": 250_000, "reconnects": 2, "dropped": 0,
        }});
        let text = "out 0/1 to `rx/signal` at 10.0.0.2:13337, 4 credits, round trip 250.0 µs, 2 \
                    reconnects";
        assert_eq!(queue(&remote), text);
        remote["link"]["receives"] = json!(true);
        remote["link"]["dropped"] = json!(7);
        let text = "out 0/1 from `rx/signal` at 10.0.0.2:13337, round trip 250.0 µs, 2 reconnects, 7 \
                    lost";
        assert_eq!(queue(&remote), text);
    }
}
