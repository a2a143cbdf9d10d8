//! A measuring stick.
fn main() {}
