//! Who staff and subscribers are, what each role may do, and when a person may sign in.
//!
//! Rules only: no passwords are hashed here and nobody is looked up. Other domains may not be named.

mod account;
mod roles;
mod throttle;

pub use account::{Account, Refusal, UserStatus, admits};
pub use roles::permissions_of;
pub use throttle::{Throttle, ThrottlePolicy};
