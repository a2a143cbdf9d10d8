//! What there is to watch and hear: the kinds of content, the shape of each, and every rule on its fields
//! (catalogue.md sections 3 to 5).
//!
//! One kind is one struct, written once: request body, rules, JSON schema and domain value at once. What the
//! server adds (id, version, views, dates) is the envelope [`Stored`]. To add a kind, follow
//! docs/adding-a-content-type.md. No I/O, no async, no SQL and no HTTP may enter.

mod category;
mod classification;
mod content;
mod film;
mod genres;
mod kind;
mod link;
mod movie;
mod rules;
mod url;

pub use category::{Category, CategoryType};
pub use classification::MovieClassification;
pub use content::{Content, Reference, Stored};
pub use film::{FilmTitle, FoundTitle, MoviePrefill, TitleId, TitleUse, prefill_movie};
pub use genres::MovieGenre;
pub use kind::Kind;
pub use link::{Language, Link, LinkQuality};
pub use movie::Movie;
pub use url::{StreamUrl, WebUrl};
