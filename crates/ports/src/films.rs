//! The external film database.

use async_trait::async_trait;
use domain_catalogue::{FilmEpisode, FilmTitle, FoundTitle, TitleId};

/// Failure of a request to the film database.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilmFault {
    /// Error status of the response.
    #[error("HTTP error! status: {status}")]
    Status {
        status: u16,
        /// `Retry-After`, in seconds.
        retry_after: Option<u32>,
    },
    /// Timeout.
    #[error("no answer in time")]
    TimedOut,
    /// Connection failure.
    #[error("not reachable")]
    Unreachable,
    /// Malformed response.
    #[error("unreadable answer")]
    Unreadable,
}

/// Queries the film database.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait FilmDatabase: Send + Sync {
    /// Title with this id; `None` where it does not exist.
    async fn title(&self, id: &TitleId) -> Result<Option<FilmTitle>, FilmFault>;

    /// Episodes of a season of a series; `None` where the series does not exist, empty where the season has
    /// none.
    async fn episodes(&self, id: &TitleId, season: i32) -> Result<Option<Vec<FilmEpisode>>, FilmFault>;

    /// Films with these words in their title, of the year if given.
    async fn search(&self, title: &str, year: Option<i32>) -> Result<Vec<FoundTitle>, FilmFault>;
}
