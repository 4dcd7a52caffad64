//! The input line for a dynamic parameter and its new value.

use gxf_runtime::graph::escape::one_line;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::Value;

/// An input line; starts with a parameter and its current value.
pub struct Prompt {
    /// `entity/component/key=value` of each dynamic parameter.
    choices: Vec<String>,
    chosen: usize,
    text: String,
}

/// The effect of a key.
pub enum Typed {
    /// The input continues.
    On,
    /// Nothing changes.
    Cancelled,
    /// This parameter gets this value.
    Done { parameter: String, value: String },
}

impl Prompt {
    /// An input line from the answer to `parameters`; `None` if there are no dynamic parameters.
    pub fn new(answer: &Value) -> Option<Self> {
        let parameters = answer["parameters"].as_array().map_or(&[][..], Vec::as_slice);
        let choices: Vec<String> = parameters
            .iter()
            .map(|known| {
                let value = known["value"].as_str().unwrap_or_default();
                format!("{}={value}", known["parameter"].as_str().unwrap_or_default())
            })
            .collect();
        let text = choices.first()?.clone();
        Some(Self { choices, chosen: 0, text })
    }

    /// The text to show.
    pub fn line(&self) -> String {
        let others = if self.choices.len() > 1 { "  Tab next parameter" } else { "" };
        format!("set {}▏  Enter set{others}  Esc cancel", one_line(&self.text))
    }

    /// Takes a key.
    pub fn take(&mut self, key: KeyEvent) -> Typed {
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                return Typed::Cancelled;
            }
            KeyCode::Esc => return Typed::Cancelled,
            KeyCode::Enter => {
                return match self.text.split_once('=') {
                    Some((parameter, value)) => Typed::Done {
                        parameter: parameter.trim().to_owned(),
                        value: value.trim().to_owned(),
                    },
                    None => Typed::On,
                };
            }
            KeyCode::Tab | KeyCode::BackTab => {
                let step = if key.code == KeyCode::Tab { 1 } else { self.choices.len() - 1 };
                self.chosen = (self.chosen + step) % self.choices.len();
                self.text.clone_from(&self.choices[self.chosen]);
            }
            KeyCode::Backspace => _ = self.text.pop(),
            KeyCode::Char(typed) => self.text.push(typed),
            _ => {}
        }
        Typed::On
    }
}
