//! From YAML text to a checked graph description.
