//! Fetches playlists (M3U) and guides (XMLTV) and reads them as streams.

pub mod fetch;
mod files;
pub mod guide;
mod guides;
pub mod playlist;

pub use files::HttpPlaylists;
pub use guide::XmltvFormat;
pub use guides::HttpGuides;
pub use playlist::M3uWriter;
