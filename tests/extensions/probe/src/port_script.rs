//! A codelet that does with its transmitter what a script says, and logs what comes of it.

use gxf::prelude::*;
use std::fmt::Write;

/// Each tick follows the next line of `script`, again and again.
#[derive(Component, Default)]
pub struct PortScript {
    /// Receiver that one message is taken from in each tick.
    receiver: Parameter<Handle<Receiver>>,
    /// The transmitter.
    transmitter: Parameter<Handle<Transmitter>>,
    /// What a tick does, one word after the other: `forward` publishes what it received, `publish` and
    /// `push` a new number, `share` one that it keeps, `elsewhere` one from another thread; `peek`,
    /// `pop`, `counts` and `sync` ask the transmitter; `fail` ends the tick with an error.
    script: Parameter<Vec<String>>,
    name: String,
    next: i32,
    kept: Vec<Message>,
}

impl PortScript {
    fn number(&mut self, context: &TickContext) -> Result<Message> {
        let mut message = context.new_message()?;
        message.add("number", self.next)?;
        self.next += 1;
        Ok(message)
    }

    fn follow(
        &mut self,
        word: &str,
        received: &mut Option<Message>,
        context: &TickContext,
    ) -> Result<String> {
        let number_of = |message: &Message| {
            message.find_all::<i32>().next().map_or("?".to_owned(), ToString::to_string)
        };
        let now = context.now();
        let transmitter = self.transmitter.get().clone();
        let done = match word {
            "forward" => match received.take() {
                Some(message) => transmitter.publish(message, now),
                None => return Ok("nothing".into()),
            },
            "publish" => transmitter.publish(self.number(context)?, now),
            "push" => transmitter.push(self.number(context)?),
            "share" => {
                let message = self.number(context)?;
                self.kept.push(message.clone());
                transmitter.publish(message, now)
            }
            "elsewhere" => {
                let message = self.number(context)?;
                let thread = std::thread::spawn(move || transmitter.publish(message, now));
                thread.join().unwrap_or_else(|_| Err(Error::failure("the thread panicked")))
            }
            "peek" => return transmitter.peek(0).map(|message| number_of(&message)),
            "pop" => return transmitter.pop().map(|message| number_of(&message)),
            "counts" => {
                let (main, back) = (transmitter.message_count(), transmitter.back_count());
                return Ok(format!("{main}+{back}"));
            }
            "sync" => transmitter.sync(),
            word => return Err(Error::failure(format!("no word `{word}`"))),
        };
        done.map(|()| "done".into())
    }
}

impl Codelet for PortScript {
    fn initialize(&mut self, context: &ComponentContext) -> Result<()> {
        self.name = context.name();
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let mut received = self.receiver.try_receive()?;
        let place = usize::try_from(context.count() - 1).unwrap_or(0) % self.script.len();
        let line = self.script[place].clone();
        let mut details = String::new();
        for word in line.split_whitespace().filter(|word| *word != "fail") {
            let outcome = self.follow(word, &mut received, context);
            let outcome = outcome.unwrap_or_else(|error| error.code().to_string());
            _ = write!(details, " {word}={outcome}");
        }
        gxf::info!("probe {} tick{details}", self.name);
        if line.split_whitespace().any(|word| word == "fail") {
            return Err(Error::failure("the script says so"));
        }
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.kept.clear();
        Ok(())
    }
}
