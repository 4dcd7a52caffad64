//! Numbers, texts and rows in messages: what the stock components exchange.
//!
//! Only standard payloads are used, so that components in C++, C and Python read and write them:
//!
//! | what | payload |
//! |---|---|
//! | a number | a primitive, such as `double` or `int32_t`; components here publish `double` |
//! | a column of numbers | a tensor of rank 1 and any real element type; components here publish `float64` |
//! | a column of texts | a tensor of rank 1 and type `int8` (C's `char`): UTF-8, each text followed by a newline |
//! | bytes | a tensor of rank 1 and type `uint8` |
//! | rows | a message whose columns have the same length, each named after its column |
//! | a missing number | NaN |
//! | the end of a stream | the payload `end_of_stream` beside the last rows, or alone |
//!
//! A map:
//!
//! - `column.rs`: [`Column`], one column of a message, and its conversions;
//! - `rows.rs`: [`Rows`], the columns of a message and the choice of some of its rows;
//! - `block.rs`: [`Block`], columns in the making.
//!
//! Extensions import it; it imports the SDK only.
#![forbid(unsafe_code)]

mod block;
mod column;
mod rows;

pub use block::{Block, Values, texts_tensor};
pub use column::{Column, Content, Reader, scalar_of};
pub use rows::Rows;

use gxf::{
    EndOfStream, Error, Message, Payload, Receiver, Result, ResultCode, TickContext, Timestamp,
};

/// Name of the payload that ends a stream.
pub const END_OF_STREAM: &str = "end_of_stream";

/// Whether a message is the last one of its stream.
#[must_use]
pub fn is_last(message: &Message) -> bool {
    message.try_get::<EndOfStream>("").is_some()
}

/// Whether a message only says that its stream ends: no message to count, sum up or number.
#[must_use]
pub fn is_only_end(message: &Message) -> bool {
    is_last(message)
        && message.payloads().all(|payload| {
            payload.tid == <EndOfStream as Payload>::TID
                || payload.tid == <Timestamp as Payload>::TID
        })
}

/// Acquisition time of a message, or now if it has none.
#[must_use]
pub fn acquisition(message: &Message, context: &TickContext) -> i64 {
    message.timestamp().map_or(context.now(), |timestamp| timestamp.acqtime)
}

/// Whether a receiver has a message, or gets one when the execution begins.
#[must_use]
pub fn has_message(receiver: &Receiver) -> bool {
    receiver.message_count() + receiver.back_count() > 0
}

/// Marks a message as the last one of its stream.
pub fn mark_last(message: &mut Message) -> Result<()> {
    message.add(END_OF_STREAM, EndOfStream::default()).map(|_| ())
}

/// A message that only says that its stream ends.
pub fn end_message(context: &TickContext) -> Result<Message> {
    let mut message = context.new_message()?;
    mark_last(&mut message)?;
    Ok(message)
}

/// An error about the data of a message.
pub fn bad_data(text: impl Into<String>) -> Error {
    Error::new(ResultCode::INVALID_DATA_FORMAT, text)
}
