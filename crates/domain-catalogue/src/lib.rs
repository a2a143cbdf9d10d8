//! The content of the catalogue: the kinds, their fields and their rules (docs/spec/content.md).
//!
//! Each kind is one struct: request body, rules, JSON schema and domain value. The server's fields
//! (id, version, views, dates) are in [`Stored`]. To add a kind, follow
//! docs/adding-a-content-type.md. No I/O, no async, no SQL and no HTTP may enter.

mod base_url;
mod category;
mod category_type;
mod classification;
mod concert;
mod content;
mod documentary;
mod duplicate;
mod episode;
mod film;
mod film_series;
mod genres;
mod link;
mod listing;
mod media;
mod movie;
mod public_view;
mod radio_station;
mod rules;
mod season;
mod sheet;
mod sport;
mod stream;
mod trash;
mod tv_channel;
mod tv_guide;
mod tv_show;
mod url;

pub use base_url::{BaseUrl, BaseUrlOf};
pub use category::Category;
pub use category_type::CategoryType;
pub use classification::{DocumentaryClassification, MovieClassification, ShowClassification};
pub use concert::Concert;
pub use content::{Content, Reference, Stored};
pub use documentary::Documentary;
pub use domain_kernel::WebUrl;
pub use domain_kernel::{Kind, for_each_kind};
pub use duplicate::{DuplicateReason, duplicate_reasons, merged_content, together};
pub use episode::Episode;
pub use film::{FilmTitle, FoundTitle, MoviePrefill, TitleId, TitleUse, prefill_movie};
pub use film_series::{
    EpisodePrefill, FilmEpisode, SeasonPreview, ShowPrefill, prefill_episode, prefill_show, preview_season,
};
pub use genres::{ConcertGenre, DocumentaryGenre, MovieGenre, RadioGenre, ShowGenre, SportGenre};
pub use link::{Language, Link, LinkQuality, MOST_LINKS};
pub use media::MediaFields;
pub use movie::Movie;
pub use public_view::{to_address, to_public_view};
pub use radio_station::RadioStation;
pub use season::Season;
pub use sheet::{
    ColumnNames, MatchedHeading, NaturalKey, OtherHeading, RowContext, RowDraft, SheetColumn, SheetContext,
    has_links, import_columns, links_in_headings, match_headings, names_in_row, read_row, sheet_columns,
};
pub use sport::Sport;
pub use stream::{
    ChannelStream, ChannelStreams, Failover, MOST_STREAMS, StreamHeader, StreamOrigin, stream_for_players,
};
pub use trash::{TRASH_DAYS, TrashEntry};
pub use tv_channel::{TvChannel, UrlType};
pub use tv_guide::TvGuide;
pub use tv_show::{ShowStatus, TvShow};
pub use url::StreamUrl;
