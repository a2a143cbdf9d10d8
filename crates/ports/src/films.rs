//! The external film database.

use async_trait::async_trait;
use domain_catalogue::{FilmEpisode, FilmTitle, FoundTitle, TitleId};

/// Why the film database gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilmFault {
    /// It answered with this HTTP status; where it said so, after how many seconds to retry.
    #[error("HTTP error! status: {status}")]
    Status {
        /// The HTTP status.
        status: u16,
        /// Seconds to wait.
        retry_after: Option<u32>,
    },
    /// No answer within the limit of time.
    #[error("no answer in time")]
    TimedOut,
    /// It can't be reached.
    #[error("not reachable")]
    Unreachable,
    /// It answered something that can't be read.
    #[error("unreadable answer")]
    Unreadable,
}

/// Queries the film database.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait FilmDatabase: Send + Sync {
    /// The title with this id; `None` where there is none.
    async fn title(&self, id: &TitleId) -> Result<Option<FilmTitle>, FilmFault>;

    /// The episodes of a season of a series; `None` where there is no such series. Empty where there are none.
    async fn episodes(&self, id: &TitleId, season: i32) -> Result<Option<Vec<FilmEpisode>>, FilmFault>;

    /// Films with these words in their title, of that year if any. Empty where there are none.
    async fn search(&self, title: &str, year: Option<i32>) -> Result<Vec<FoundTitle>, FilmFault>;
}
