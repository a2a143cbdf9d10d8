//! What staff set for the streaming app (panel.md section 2 "Settings", decisions.md "Settings"): its settings, background
//! images and alert messages, with their defaults and bounds.
//!
//! How they are kept and who may change them does not belong here.
