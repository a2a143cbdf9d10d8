//! Fetches playlists (M3U) and guides (XMLTV) and reads them as streams.

pub mod fetch;
pub mod guide;
pub mod playlist;
