//! Tells Copper's macros where to put their index of log texts.

fn main() {
    cu29_build::setup();
}
