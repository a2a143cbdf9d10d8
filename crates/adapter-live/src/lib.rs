//! Fetches playlists (M3U) and guides (XMLTV), reads them as streams, and probes links.

pub mod fetch;
mod files;
pub mod guide;
mod guides;
pub mod playlist;
pub mod probe;

pub use files::HttpPlaylists;
pub use guide::XmltvFormat;
pub use guides::HttpGuides;
pub use playlist::M3uWriter;
