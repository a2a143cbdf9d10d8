//! Fetching, compressing and parsing of playlists.

use async_trait::async_trait;
use domain_live::{
    entry::Entry,
    fetch::FetchFault,
    playlist::{Limits, PlaylistFault, Summary},
};

/// A fetched playlist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchedPlaylist {
    /// HTTP 304.
    NotModified,
    /// The playlist, compressed.
    Whole { list: Vec<u8>, etag: Option<String> },
}

/// Reason why no playlist was fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaylistFetchFault {
    /// Failure of the source.
    Fault(FetchFault),
    /// Error status of the source.
    Status(u16),
    /// The playlist is too large.
    Refused(PlaylistFault),
}

/// Compresses a playlist while it is received.
pub trait PlaylistPacker: Send {
    /// Compresses the next bytes.
    fn feed(&mut self, bytes: &[u8]) -> Result<(), PlaylistFault>;

    /// The compressed playlist.
    fn finish(self: Box<Self>) -> Vec<u8>;
}

/// A playlist being parsed. Blocks its thread.
pub trait OpenPlaylist: Send {
    /// The next entries; `None` after the last.
    fn next(&mut self) -> Result<Option<Vec<Entry>>, PlaylistFault>;

    /// Summary of the playlist, after its end was read.
    fn summary(&mut self) -> Summary;
}

/// Fetches, compresses and parses playlists.
#[async_trait]
pub trait PlaylistFiles: Send + Sync {
    /// Limits of a playlist.
    fn limits(&self) -> Limits;

    /// Fetches a playlist, with a conditional request if `etag` is given.
    async fn fetch(&self, url: &str, etag: Option<&str>) -> Result<FetchedPlaylist, PlaylistFetchFault>;

    /// Compresses an uploaded playlist.
    fn packer(&self) -> Box<dyn PlaylistPacker>;

    /// Parses a compressed playlist from its beginning.
    fn open<'a>(&self, list: &'a [u8]) -> Box<dyn OpenPlaylist + 'a>;
}
