//! Queries the external film database (docs/spec/content.md#film-lookup), over a fixed address, without
//! redirects or a proxy, within 8 seconds and 1 MiB, and caches answers for an hour, 12 MiB at most.
//!
//! The response format is private to this crate; its interpretation belongs to the domain.

mod size;
mod wire;

use std::{pin::Pin, sync::Arc, time::Duration};

use async_trait::async_trait;
use domain_catalogue::{FilmEpisode, FilmTitle, FoundTitle, TitleId};
use moka::future::Cache;
use ports::{FilmDatabase, FilmFault};
use reqwest::{Client, StatusCode, header::CONTENT_TYPE, header::RETRY_AFTER, redirect::Policy};
use serde::de::DeserializeOwned;

/// Timeout of a request, or of a season with all its pages (docs/spec/content.md#film-lookup).
const LIMIT: Duration = Duration::from_secs(8);
/// Maximum size of a response, in bytes.
const LARGEST: usize = 1024 * 1024;
/// Page size of episodes: the maximum of the supplier, whose default is 20.
const PAGE_SIZE: usize = 50;
/// Maximum number of pages of a season: as many episodes as are created together.
const PAGES: usize = 10;
/// Size of the cache, in bytes.
const CACHE_BYTES: u64 = 12 * 1024 * 1024;
/// Lifetime of cached answers.
const FRESH: Duration = Duration::from_hours(1);

/// Cache key.
#[derive(PartialEq, Eq, Hash)]
enum Question {
    Title(String),
    Episodes(String, i32),
    Search(String, Option<i32>),
}

/// A cached answer, with one field set.
#[derive(Clone, Default)]
struct Answer {
    title: Option<Box<FilmTitle>>,
    episodes: Option<Vec<FilmEpisode>>,
    found: Vec<FoundTitle>,
}

type Fetching<'a> = Pin<Box<dyn Future<Output = Result<Answer, FilmFault>> + Send + 'a>>;

/// A client of the film database.
pub struct ImdbClient {
    client: Client,
    base: String,
    limit: Duration,
    answers: Cache<Question, Answer>,
}

impl ImdbClient {
    /// A client of the film database at `base`.
    pub fn new(base: &str) -> Result<Self, String> {
        Self::with_limit(base, LIMIT)
    }

    /// A client with another timeout, for tests.
    pub fn with_limit(base: &str, limit: Duration) -> Result<Self, String> {
        let client = Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .timeout(limit)
            .connect_timeout(limit.min(Duration::from_secs(4)))
            .user_agent("cartelera")
            .build()
            .map_err(|error| error.to_string())?;
        let answers = Cache::builder()
            .weigher(|question: &Question, answer: &Answer| {
                u32::try_from(size_of_entry(question, answer)).unwrap_or(u32::MAX)
            })
            .max_capacity(CACHE_BYTES)
            .time_to_live(FRESH)
            .build();
        Ok(Self { client, base: base.trim_end_matches('/').to_owned(), limit, answers })
    }

    /// Concurrent requests with the same key are sent once; failures are not cached.
    async fn cached(&self, question: Question, fetch: Fetching<'_>) -> Result<Answer, FilmFault> {
        let answer = self.answers.try_get_with(question, fetch).await;
        answer.map_err(|fault: Arc<FilmFault>| (*fault).clone())
    }

    async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, String)],
    ) -> Result<Option<T>, FilmFault> {
        let request = self.client.get(format!("{}{path}", self.base)).query(query);
        let mut response = request.send().await.map_err(|error| fault(&error))?;
        let status = response.status();
        if status == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        if status != StatusCode::OK {
            let retry_after =
                response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
            tracing::warn!(path, status = status.as_u16(), "film database refused the request");
            return Err(FilmFault::Status { status: status.as_u16(), retry_after });
        }
        let kind =
            response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !kind.contains("json") {
            return Err(FilmFault::Unreadable);
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| fault(&error))? {
            if body.len() + chunk.len() > LARGEST {
                return Err(FilmFault::Unreadable);
            }
            body.extend_from_slice(&chunk);
        }
        serde_json::from_slice(&body).map(Some).map_err(|error| {
            tracing::warn!(path, %error, "film database sent an unreadable response");
            FilmFault::Unreadable
        })
    }
}

/// Size of a cache entry, in bytes.
fn size_of_entry(question: &Question, answer: &Answer) -> usize {
    let (Question::Title(text) | Question::Episodes(text, _) | Question::Search(text, _)) = question;
    let Answer { title, episodes, found } = answer;
    size::ENTRY
        + text.len()
        + title.as_deref().map_or(0, size::of_title)
        + size::of_episodes(episodes.as_deref().unwrap_or_default())
        + size::of_found(found)
}

fn fault(error: &reqwest::Error) -> FilmFault {
    tracing::warn!(%error, "film database did not respond");
    if error.is_timeout() {
        FilmFault::TimedOut
    } else if error.is_decode() || error.is_body() {
        FilmFault::Unreadable
    } else {
        FilmFault::Unreachable
    }
}

#[async_trait]
impl FilmDatabase for ImdbClient {
    async fn title(&self, id: &TitleId) -> Result<Option<FilmTitle>, FilmFault> {
        let path = format!("/titles/{id}");
        let fetch = async {
            let title: Option<wire::Title> = self.get(&path, &[]).await?;
            let title = title.map(wire::Title::into_domain).transpose()?;
            Ok(Answer { title: title.map(Box::new), ..Answer::default() })
        };
        let answer = self.cached(Question::Title(id.to_string()), Box::pin(fetch)).await?;
        Ok(answer.title.map(|title| *title))
    }

    async fn episodes(&self, id: &TitleId, season: i32) -> Result<Option<Vec<FilmEpisode>>, FilmFault> {
        let path = format!("/titles/{id}/episodes");
        let pages = async {
            let mut all = Vec::new();
            let mut token: Option<String> = None;
            for _ in 0..PAGES {
                let mut query = vec![("season", season.to_string()), ("pageSize", PAGE_SIZE.to_string())];
                query.extend(token.map(|token| ("pageToken", token)));
                let Some(mut page) = self.get::<wire::Episodes>(&path, &query).await? else {
                    return Ok(None);
                };
                token = page.next_page_token.take().filter(|token| !token.is_empty());
                all.extend(page.into_domain());
                if token.is_none() {
                    return Ok(Some(all));
                }
            }
            tracing::warn!(path, episodes = all.len(), "film database lists more episodes than are read");
            Err(FilmFault::Unreadable)
        };
        let fetch = async {
            let episodes =
                tokio::time::timeout(self.limit, pages).await.unwrap_or(Err(FilmFault::TimedOut))?;
            Ok(Answer { episodes, ..Answer::default() })
        };
        Ok(self.cached(Question::Episodes(id.to_string(), season), Box::pin(fetch)).await?.episodes)
    }

    async fn search(&self, title: &str, year: Option<i32>) -> Result<Vec<FoundTitle>, FilmFault> {
        let mut query = vec![("s", title.to_owned()), ("type", "movie".to_owned())];
        query.extend(year.map(|year| ("y", year.to_string())));
        let fetch = async {
            let found: Option<wire::Found> = self.get("/search/", &query).await?;
            let found = found.map(wire::Found::into_domain).unwrap_or_default();
            Ok(Answer { found, ..Answer::default() })
        };
        Ok(self.cached(Question::Search(title.to_lowercase(), year), Box::pin(fetch)).await?.found)
    }
}
