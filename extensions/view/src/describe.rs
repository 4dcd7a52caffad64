//! What a payload has, in a line.

use gxe_columns::{Column, Content};
use gxf::multimedia::color_space;
use gxf::{AudioBuffer, ComponentContext, EndOfStream, Message, PayloadInfo, Tensor, VideoBuffer};

/// Elements of a tensor that are shown one by one.
const SHOWN: usize = 8;

/// A description of a payload; `None` for those that say something about the message itself.
pub fn describe(
    context: &ComponentContext,
    message: &Message,
    payload: &PayloadInfo<'_>,
) -> Option<String> {
    if payload.tid == <EndOfStream as gxf::Payload>::TID {
        return Some("end of the stream".to_owned());
    }
    if payload.tid == <gxf::Timestamp as gxf::Payload>::TID {
        return None;
    }
    if let Some(number) = gxe_columns::scalar_of(message, payload) {
        return Some(number_text(number));
    }
    if payload.tid == <Tensor as gxf::Payload>::TID {
        return message.try_get::<Tensor>(payload.name).map(describe_tensor);
    }
    if payload.tid == <VideoBuffer as gxf::Payload>::TID {
        let frame = message.try_get::<VideoBuffer>(payload.name)?;
        let planes: Vec<_> = frame.planes().iter().map(color_space).collect();
        let info = frame.info();
        return Some(format!(
            "video frame of {} x {}, planes {}",
            info.width,
            info.height,
            planes.join(" ")
        ));
    }
    if payload.tid == <AudioBuffer as gxf::Payload>::TID {
        let sound = message.try_get::<AudioBuffer>(payload.name)?;
        let info = sound.info();
        return Some(format!(
            "sound of {} channels, {} samples each, {} Hz",
            info.channels, info.samples, info.sampling_rate
        ));
    }
    Some(format!("{}, {} bytes", context.type_name(payload.tid), payload.size))
}

fn describe_tensor(tensor: &Tensor) -> String {
    let content = Content::of_tensor(tensor);
    if let Some(Content::Texts(text)) = content {
        let first: String = text.lines().next().unwrap_or_default().chars().take(60).collect();
        let count = text.lines().count();
        return match count {
            1 => format!("{first:?}"),
            _ => format!("{count} texts, the first is {first:?}"),
        };
    }
    let numbers = content.map(|content| Column { name: "", content }.to_numbers(0));
    let Some(Ok(numbers)) = numbers else { return tensor.to_string() };
    if numbers.len() <= SHOWN {
        let texts: Vec<_> = numbers.iter().map(|number| number_text(*number)).collect();
        return format!("{tensor}: {}", texts.join(" "));
    }
    let known = || numbers.iter().copied().filter(|number| !number.is_nan());
    let count = known().count();
    let missing = match numbers.len() - count {
        0 => String::new(),
        missing => format!(", {missing} missing"),
    };
    format!(
        "{tensor}, from {} to {}, mean {}{missing}",
        number_text(known().fold(f64::NAN, f64::min)),
        number_text(known().fold(f64::NAN, f64::max)),
        number_text(known().sum::<f64>() / count as f64),
    )
}

/// A number in up to six significant digits; `-` if it is missing.
pub fn number_text(number: f64) -> String {
    if number.is_nan() {
        return "-".to_owned();
    }
    let magnitude = number.abs();
    if magnitude != 0.0 && !(1e-4..1e15).contains(&magnitude) {
        return format!("{number:.5e}");
    }
    let digits = if magnitude < 1.0 { 6.0 } else { 5.0 - magnitude.log10().floor() };
    let text = format!("{:.*}", digits.max(0.0) as usize, number + 0.0);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::number_text;

    #[test]
    fn numbers_are_short() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (0.1 + 0.2, "0.3"),
            (1234.5678, "1234.57"),
            (1_793_610_000.0, "1793610000"),
            (-2.5, "-2.5"),
            (1e20, "1.00000e20"),
            (1e-7, "1.00000e-7"),
            (f64::NAN, "-"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(number_text(number), text);
        }
    }
}
