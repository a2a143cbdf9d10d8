//! Asks the external film database (docs/spec/content.md#film-lookup), over a fixed address, without
//! redirects or a proxy, within 8 seconds and 1 MiB, and caches answers for an hour, 12 MiB at most.
//!
//! What its answers look like is private to this crate; what they mean is the domain's to say.

mod size;
mod wire;

use std::{hash::Hash, time::Duration};

use async_trait::async_trait;
use domain_catalogue::{FilmEpisode, FilmTitle, FoundTitle, TitleId};
use moka::future::Cache;
use ports::{FilmDatabase, FilmFault};
use reqwest::{Client, StatusCode, header::CONTENT_TYPE, header::RETRY_AFTER, redirect::Policy};
use serde::de::DeserializeOwned;

/// How long to wait for an answer, a season with all its pages (docs/spec/content.md#film-lookup).
const LIMIT: Duration = Duration::from_secs(8);
/// The largest answer that is read.
const LARGEST: usize = 1024 * 1024;
/// Episodes of a page: the most that the supplier gives, 20 where no number is sent.
const PAGE_SIZE: usize = 50;
/// Pages of a season that are read: as many episodes as are created together.
const PAGES: usize = 10;
/// The size of each of the three caches, in bytes.
const CACHE_BYTES: u64 = 4 * 1024 * 1024;
/// How long answers are good.
const FRESH: Duration = Duration::from_hours(1);

type Found = Option<FilmTitle>;

/// A client of the film database.
pub struct ImdbClient {
    client: Client,
    base: String,
    limit: Duration,
    titles: Cache<String, Found>,
    seasons: Cache<(String, i32), Option<Vec<FilmEpisode>>>,
    searches: Cache<(String, Option<i32>), Vec<FoundTitle>>,
}

impl ImdbClient {
    /// A client of the film database at `base`.
    pub fn new(base: &str) -> Result<Self, String> {
        Self::with_limit(base, LIMIT)
    }

    /// The same with another limit of time, for tests that do not want to wait.
    pub fn with_limit(base: &str, limit: Duration) -> Result<Self, String> {
        let client = Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .timeout(limit)
            .connect_timeout(limit.min(Duration::from_secs(4)))
            .user_agent("cartelera")
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Self {
            client,
            base: base.trim_end_matches('/').to_owned(),
            limit,
            titles: cache(|id: &String, title: &Found| id.len() + title.as_ref().map_or(0, size::of_title)),
            seasons: cache(|(id, _): &(String, i32), episodes: &Option<Vec<FilmEpisode>>| {
                id.len() + size::of_episodes(episodes.as_deref().unwrap_or_default())
            }),
            searches: cache(|(title, _): &(String, Option<i32>), found: &Vec<FoundTitle>| {
                title.len() + size::of_found(found)
            }),
        })
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

/// A cache of at most [`CACHE_BYTES`].
fn cache<K, V>(size: impl Fn(&K, &V) -> usize + Send + Sync + 'static) -> Cache<K, V>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    Cache::builder()
        .weigher(move |key, value| {
            u32::try_from(size(key, value).saturating_add(size::ENTRY)).unwrap_or(u32::MAX)
        })
        .max_capacity(CACHE_BYTES)
        .time_to_live(FRESH)
        .build()
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
        // Many who ask for one title at once make one request; failures are not remembered.
        let path = format!("/titles/{id}");
        let ask = async {
            let title: Option<wire::Title> = self.get(&path, &[]).await?;
            title.map(wire::Title::into_domain).transpose()
        };
        self.titles.try_get_with(id.to_string(), ask).await.map_err(|fault| (*fault).clone())
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
        let ask = async { tokio::time::timeout(self.limit, pages).await.unwrap_or(Err(FilmFault::TimedOut)) };
        let key = (id.to_string(), season);
        self.seasons.try_get_with(key, ask).await.map_err(|fault: std::sync::Arc<FilmFault>| (*fault).clone())
    }

    async fn search(&self, title: &str, year: Option<i32>) -> Result<Vec<FoundTitle>, FilmFault> {
        let mut query = vec![("s", title.to_owned()), ("type", "movie".to_owned())];
        query.extend(year.map(|year| ("y", year.to_string())));
        let ask = async {
            let found: Option<wire::Found> = self.get("/search/", &query).await?;
            Ok(found.map(wire::Found::into_domain).unwrap_or_default())
        };
        let key = (title.to_lowercase(), year);
        self.searches
            .try_get_with(key, ask)
            .await
            .map_err(|fault: std::sync::Arc<FilmFault>| (*fault).clone())
    }
}
