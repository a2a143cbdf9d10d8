//! Reads playlists (M3U) and guides (XMLTV) as streams.

pub mod playlist;
