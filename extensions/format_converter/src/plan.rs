//! The list of steps for some parameters and a kind of input.

use crate::channels::{Channel, gray, reorder};
use crate::element::{Scale, convert};
use crate::format::{Element, Format, Pixels, Possible};
use crate::picture::{Scratch, Shape};
use crate::resize::{pixel_type, resize};
use crate::yuv;
use fast_image_resize::{ResizeAlg, Resizer};
use gxf::{Error, Result, ResultCode};

/// The wanted result.
#[derive(Clone, Debug)]
pub struct Wish {
    pub out: Format,
    pub scale: Scale,
    pub alpha: u8,
    /// Width and height.
    pub size: Option<(usize, usize)>,
    pub algorithm: ResizeAlg,
    /// For each channel of the result, the input channel; empty for no change.
    pub order: Vec<usize>,
}

/// One step.
#[derive(Clone, Debug)]
pub enum Step {
    Decode(Pixels),
    Resize,
    Gray { red: usize, blue: usize },
    Reorder(Vec<Channel>),
    Convert(Element),
    Encode { pixels: Pixels, red: usize, blue: usize },
}

/// The steps for one kind of input.
#[derive(Clone, Debug)]
pub struct Plan {
    wish: Wish,
    steps: Vec<Step>,
}

/// Kind of the picture while making a plan.
struct Draft {
    steps: Vec<Step>,
    element: Element,
    channels: usize,
    /// What the channels are, if that is known.
    pixels: Option<Pixels>,
}

impl Plan {
    /// The plan for input of `format` with this many channels; the error says what is not possible.
    pub fn new(wish: &Wish, format: Format, channels: usize) -> Possible<Self> {
        let pixels = match format {
            Format::Pixels(pixels) => Some(pixels),
            Format::Elements(_) => match channels {
                1 => Some(Pixels::Gray),
                3 => Some(Pixels::Rgb),
                4 => Some(Pixels::Rgba),
                _ => None,
            },
        };
        let mut draft = Draft { steps: Vec::new(), element: format.element(), channels, pixels };
        if format == wish.out && wish.size.is_none() && wish.order.is_empty() {
            return Ok(Self { wish: wish.clone(), steps: draft.steps });
        }
        if let Some(planar) = pixels.filter(|pixels| pixels.is_planar()) {
            draft.steps.push(Step::Decode(planar));
            (draft.pixels, draft.channels) = (Some(Pixels::Rgb), 3);
        }
        if wish.size.is_some() {
            // Other floats are resized as `f32`.
            if matches!(draft.element, Element::F16 | Element::F64) {
                draft.convert(Element::F32);
            }
            if pixel_type(draft.element, draft.channels).is_none() {
                return Err(format!(
                    "pictures of {} channels cannot be resized; those of up to 4 can",
                    draft.channels
                ));
            }
            draft.steps.push(Step::Resize);
        }
        draft.convert(wish.out.element());
        if let Format::Pixels(wanted) = wish.out {
            draft.color(wanted, wish.size)?;
        }
        draft.order(&wish.order)?;
        Ok(Self { wish: wish.clone(), steps: draft.steps })
    }

    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The range of floats.
    pub fn scale(&self) -> Scale {
        self.wish.scale
    }

    /// How pictures get another size.
    pub fn algorithm(&self) -> ResizeAlg {
        self.wish.algorithm
    }

    /// Opacity where the input has none.
    pub fn alpha(&self) -> u8 {
        self.wish.alpha
    }

    /// The shape of the result for a picture of this shape.
    pub fn result(&self, input: Shape) -> Result<Shape> {
        self.steps.iter().try_fold(input, |shape, step| self.after(step, shape))
    }

    /// Writes the result to `dst`, which has its size.
    pub fn run(
        &self,
        input: Shape,
        src: &[u8],
        dst: &mut [u8],
        scratch: &mut [Scratch; 2],
        resizer: &mut Resizer,
    ) -> Result<()> {
        let Some(last) = self.steps.len().checked_sub(1) else {
            dst.copy_from_slice(src);
            return Ok(());
        };
        let mut shape = input;
        let [mut next, mut before] = scratch.each_mut();
        for (index, step) in self.steps.iter().enumerate() {
            let to = self.after(step, shape)?;
            let src = if index == 0 { src } else { before.bytes(shape.size()?) };
            let dst = if index == last { &mut *dst } else { next.bytes_mut(to.size()?) };
            self.apply(step, (shape, to), src, dst, resizer)?;
            (next, before) = (before, next);
            shape = to;
        }
        Ok(())
    }

    /// The shape after a step.
    pub fn after(&self, step: &Step, shape: Shape) -> Result<Shape> {
        let Shape { width, height, .. } = shape;
        Ok(match step {
            Step::Decode(pixels) => {
                if width % 2 != 0 || height % 3 != 0 || height / 3 * 2 % 2 != 0 {
                    return Err(Error::new(
                        ResultCode::INVALID_DATA_FORMAT,
                        format!(
                            "a {} picture has an even width and one and a half times an even \
                             height in rows, not {width} × {height}",
                            pixels.name()
                        ),
                    ));
                }
                Shape { height: height / 3 * 2, channels: 3, ..shape }
            }
            Step::Resize => {
                let (width, height) = self.wish.size.unwrap_or((width, height));
                Shape { width, height, ..shape }
            }
            Step::Gray { .. } => Shape { channels: 1, ..shape },
            Step::Reorder(order) => Shape { channels: order.len(), ..shape },
            Step::Convert(element) => Shape { element: *element, ..shape },
            Step::Encode { pixels, .. } => {
                even(*pixels, (width, height))
                    .map_err(|text| Error::new(ResultCode::INVALID_DATA_FORMAT, text))?;
                Shape { height: height + height / 2, channels: 1, ..shape }
            }
        })
    }

    fn apply(
        &self,
        step: &Step,
        (from, to): (Shape, Shape),
        src: &[u8],
        dst: &mut [u8],
        resizer: &mut Resizer,
    ) -> Result<()> {
        match step {
            Step::Decode(pixels) => yuv::decode(*pixels, to.width, to.height, src, dst),
            Step::Resize => resize(resizer, self.wish.algorithm, from, to, src, dst)?,
            Step::Gray { red, blue } => gray(from.channels, *red, *blue, src, dst),
            // Only pictures of bytes get alpha.
            Step::Reorder(order) => reorder(from, order, &[self.wish.alpha], src, dst),
            Step::Convert(element) => convert(from.element, *element, self.wish.scale, src, dst)?,
            Step::Encode { pixels, red, blue } => {
                let colors = (from.channels, *red, *blue);
                yuv::encode(*pixels, (from.width, from.height), colors, src, dst);
            }
        }
        Ok(())
    }
}

impl Draft {
    fn convert(&mut self, element: Element) {
        if self.element != element {
            self.steps.push(Step::Convert(element));
            self.element = element;
        }
    }

    /// Changes the colours of the picture, which has bytes by now.
    fn color(&mut self, wanted: Pixels, size: Option<(usize, usize)>) -> Possible<()> {
        let Some(have) = self.pixels else {
            return Err(format!(
                "a picture of {} channels cannot become {}: only 1, 3 or 4 channels have colours",
                self.channels,
                wanted.name()
            ));
        };
        if have == wanted {
            return Ok(());
        }
        if wanted.is_planar() {
            if let Some(size) = size {
                even(wanted, size)?;
            }
            if have == Pixels::Gray {
                self.reorder(vec![Channel::Of(0); 3]);
            }
            let (red, blue) = places(have);
            self.steps.push(Step::Encode { pixels: wanted, red, blue });
            self.channels = 1;
        } else if wanted == Pixels::Gray {
            let (red, blue) = places(have);
            self.steps.push(Step::Gray { red, blue });
            self.channels = 1;
        } else {
            self.reorder(order(have, wanted));
        }
        self.pixels = Some(wanted);
        Ok(())
    }

    fn order(&mut self, order: &[usize]) -> Possible<()> {
        if order.is_empty() {
            return Ok(());
        }
        if self.pixels.is_some_and(Pixels::is_planar) {
            return Err("`out_channel_order` is for pictures without planes".to_owned());
        }
        if order.len() != self.channels || order.iter().any(|channel| *channel >= self.channels) {
            return Err(format!(
                "`out_channel_order` {order:?} does not fit {} channels: it names one of 0 to {} \
                 for each",
                self.channels,
                self.channels - 1
            ));
        }
        self.reorder(order.iter().copied().map(Channel::Of).collect());
        Ok(())
    }

    fn reorder(&mut self, order: Vec<Channel>) {
        self.channels = order.len();
        self.steps.push(Step::Reorder(order));
    }
}

/// Checks the size of a picture whose colours have half of it.
pub fn even(pixels: Pixels, (width, height): (usize, usize)) -> Possible<()> {
    if width % 2 == 0 && height % 2 == 0 {
        return Ok(());
    }
    Err(format!("a {} picture has an even width and height, not {width} × {height}", pixels.name()))
}

/// Indices of red and blue; green is always between them.
fn places(pixels: Pixels) -> (usize, usize) {
    if matches!(pixels, Pixels::Bgr | Pixels::Bgra) { (2, 0) } else { (0, 2) }
}

/// The channels that turn one order of colours into another.
fn order(have: Pixels, wanted: Pixels) -> Vec<Channel> {
    let (red, blue) = places(have);
    let mut order = match (have, places(wanted)) {
        (Pixels::Gray, _) => vec![Channel::Of(0); 3],
        (_, (0, _)) => vec![Channel::Of(red), Channel::Of(1), Channel::Of(blue)],
        _ => vec![Channel::Of(blue), Channel::Of(1), Channel::Of(red)],
    };
    if wanted.channels() == 4 {
        order.push(if have.channels() == 4 { Channel::Of(3) } else { Channel::Alpha });
    }
    order
}
