//! Sets the folder where Copper's macros put their index of log texts.

fn main() {
    cu29_build::setup();
}
