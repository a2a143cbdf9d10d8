//! How other programs and Cartelera talk: the keys they call with, and the webhooks they are called by, with the events
//! they can ask for.
//!
//! Delivery, hashing and HTTP do not belong here; what a key may do is a word of the kernel (`KeyScope`).

mod key;
mod meter;

pub use key::{Key, KeyState, NewKey, reads_as_key};
pub use meter::Meter;
