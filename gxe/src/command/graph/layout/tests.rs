use super::place::place;
use super::*;
