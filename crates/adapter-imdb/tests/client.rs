//! Responses of the film database: complete, sparse, and every failure.

use std::{sync::Once, time::Duration};

use adapter_imdb::ImdbClient;
use domain_catalogue::{FilmTitle, TitleId};
use futures_util::future::join_all;
use ports::{FilmDatabase, FilmFault};
use serde_json::{Value, json};
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{method, path, query_param, query_param_is_missing},
};

static TLS: Once = Once::new();

fn client(server: &MockServer) -> ImdbClient {
    TLS.call_once(|| rustls::crypto::ring::default_provider().install_default().expect("installed once"));
    ImdbClient::new(&server.uri()).unwrap()
}

fn id() -> TitleId {
    TitleId::parse("tt0133093").unwrap()
}

/// A film database with this response for every title.
async fn answering(response: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("GET")).and(path("/titles/tt0133093")).respond_with(response).mount(&server).await;
    server
}

async fn look_up(response: ResponseTemplate) -> Result<Option<FilmTitle>, FilmFault> {
    let server = answering(response).await;
    client(&server).title(&id()).await
}

fn raw(body: impl Into<Vec<u8>>, kind: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(body.into(), kind)
}

fn small() -> Value {
    json!({"type": "movie", "primaryTitle": "The Matrix"})
}

#[tokio::test]
async fn a_full_title_is_read_with_all_its_fields() {
    let body = json!({
        "id": "tt0133093", "type": "movie", "primaryTitle": "The Matrix", "originalTitle": "The Matrix",
        "primaryImage": {"url": "https://images.example.com/m@.jpg", "width": 10, "height": 20},
        "startYear": 1999, "runtimeSeconds": 8160, "genres": ["Action", "Sci-Fi"],
        "rating": {"aggregateRating": 8.7, "voteCount": 2_000_000},
        "plot": "A programmer wakes up.",
        "stars": [{"id": "nm1", "displayName": "Keanu Reeves"}, {"displayName": "Carrie-Anne Moss"}, {"id": "nm3"}],
        "creators": [{"displayName": "Lilly Wachowski"}],
        "totalSeasons": 2, "totalEpisodes": 20, "seasonNumber": 1, "episodeNumber": 3,
        "unheardOf": {"a": [1, 2, 3]},
    });
    let title = look_up(raw(body.to_string(), "application/json; charset=utf-8")).await.unwrap().unwrap();
    let expected = FilmTitle {
        kind: Some("movie".into()),
        title: Some("The Matrix".into()),
        start_year: Some(1999),
        runtime_seconds: Some(8160),
        genres: vec!["Action".into(), "Sci-Fi".into()],
        rating: Some(8.7),
        plot: Some("A programmer wakes up.".into()),
        stars: vec!["Keanu Reeves".into(), "Carrie-Anne Moss".into()],
        image: Some("https://images.example.com/m@.jpg".into()),
        creators: vec!["Lilly Wachowski".into()],
        total_seasons: Some(2),
        total_episodes: Some(20),
        season_number: Some(1),
        episode_number: Some(3),
    };
    assert_eq!(title, expected);
}

#[tokio::test]
async fn fields_that_are_missing_or_null_are_none() {
    let thin =
        FilmTitle { kind: Some("movie".into()), title: Some("The Matrix".into()), ..FilmTitle::default() };
    let nulls = json!({
        "type": "movie", "primaryTitle": "The Matrix", "startYear": null, "runtimeSeconds": null, "genres": null,
        "rating": null, "plot": null, "stars": null, "primaryImage": null,
    });
    for body in [small(), nulls] {
        assert_eq!(
            look_up(ResponseTemplate::new(200).set_body_json(&body)).await,
            Ok(Some(thin.clone())),
            "{body}"
        );
    }
}

#[tokio::test]
async fn no_such_title_is_none() {
    let answer = ResponseTemplate::new(404).set_body_json(json!({"code": 5, "message": "not found"}));
    assert_eq!(look_up(answer).await, Ok(None));
}

#[tokio::test]
async fn other_statuses_are_reported_with_the_wait_where_one_is_named() {
    for status in [204, 302, 400, 401, 403, 418, 500] {
        let fault = FilmFault::Status { status, retry_after: None };
        assert_eq!(look_up(ResponseTemplate::new(status)).await, Err(fault));
    }
    let busy = ResponseTemplate::new(429).insert_header("retry-after", "7");
    assert_eq!(look_up(busy).await, Err(FilmFault::Status { status: 429, retry_after: Some(7) }));
    let page = ResponseTemplate::new(503)
        .insert_header("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT")
        .set_body_raw("<html>down</html>", "text/html");
    assert_eq!(look_up(page).await, Err(FilmFault::Status { status: 503, retry_after: None }));
}

#[tokio::test]
async fn invalid_responses_are_reported_as_unreadable() {
    let json = "application/json";
    let types = json!({"type": "movie", "primaryTitle": 5}).to_string();
    for (body, kind) in [
        (r#"{"type": "movie", "primaryTi"#, json),
        ("{}", json),
        (r#"{"plot": "a plot of nothing"}"#, json),
        ("[]", json),
        ("null", json),
        ("", json),
        (types.as_str(), json),
        ("<html>a page</html>", "text/html"),
        (r#"{"type": "movie", "primaryTitle": "x"}"#, "text/plain"),
    ] {
        assert_eq!(look_up(raw(body, kind)).await, Err(FilmFault::Unreadable), "{kind}: {body}");
    }
    let not_utf8 = b"{\"type\": \"movie\", \"primaryTitle\": \"\xff\xfe\"}".to_vec();
    assert_eq!(look_up(raw(not_utf8, json)).await, Err(FilmFault::Unreadable));
}

#[tokio::test]
async fn an_answer_of_more_than_a_mebibyte_is_not_read() {
    let of = |letters: usize| {
        json!({"type": "movie", "primaryTitle": "x", "plot": "p".repeat(letters)}).to_string()
    };
    assert!(look_up(raw(of(1024 * 1024 - 100), "application/json")).await.is_ok());
    assert_eq!(look_up(raw(of(1024 * 1024), "application/json")).await, Err(FilmFault::Unreadable));
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let server = answering(ResponseTemplate::new(302).insert_header("location", "/elsewhere")).await;
    Mock::given(path("/elsewhere"))
        .respond_with(ResponseTemplate::new(200).set_body_json(small()))
        .expect(0)
        .mount(&server)
        .await;
    let answer = client(&server).title(&id()).await;
    assert_eq!(answer, Err(FilmFault::Status { status: 302, retry_after: None }));
}

#[tokio::test]
async fn a_late_response_times_out() {
    let late = ResponseTemplate::new(200).set_body_json(small()).set_delay(Duration::from_mins(1));
    let server = answering(late).await;
    drop(client(&server));
    let impatient = ImdbClient::with_limit(&server.uri(), Duration::from_millis(100)).unwrap();
    assert_eq!(impatient.title(&id()).await, Err(FilmFault::TimedOut));
}

#[tokio::test]
async fn a_closed_port_is_unreachable() {
    let server = MockServer::builder().start().await;
    drop(client(&server));
    // Bound, so that no other process gets its port, and not listening.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = format!("http://{}", socket.local_addr().unwrap());
    let client = ImdbClient::new(&address).unwrap();
    assert_eq!(client.title(&id()).await, Err(FilmFault::Unreachable));
}

#[tokio::test]
async fn a_search_reads_films_by_title_and_year() {
    let server = MockServer::start().await;
    let found = json!({"Response": "True", "totalResults": "3", "Search": [
        {"Title": "The Matrix", "Year": "1999", "imdbID": "tt0133093", "Type": "movie", "Poster": "https://p.example.com/m.jpg"},
        {"Title": "The Matrix Revisited", "Year": "2001", "imdbID": "tt0295432", "Poster": "N/A"},
        {"Title": "No id", "Year": "1999", "Poster": "N/A"},
        {"imdbID": "tt0000001"},
    ]});
    Mock::given(path("/search/"))
        .and(query_param("s", "matrix & co"))
        .and(query_param("type", "movie"))
        .and(query_param("y", "1999"))
        .respond_with(ResponseTemplate::new(200).set_body_json(found))
        .expect(1)
        .mount(&server)
        .await;
    let found = client(&server).search("matrix & co", Some(1999)).await.unwrap();
    let seen: Vec<_> = found.iter().map(|one| (one.imdb_id.as_str(), one.poster_url.as_deref())).collect();
    assert_eq!(seen, vec![("tt0133093", Some("https://p.example.com/m.jpg")), ("tt0295432", None)]);
    assert_eq!((found[0].title.as_str(), found[0].year.as_deref()), ("The Matrix", Some("1999")));
}

#[tokio::test]
async fn a_search_without_a_year_names_none_and_one_that_finds_nothing_is_empty() {
    let none = json!({"Response": "False", "Error": "Movie not found!"});
    let many = json!({"Response": "False", "Error": "Too many results."});
    let no_list = json!({"Response": "True"});
    for (status, body) in [(200, none.clone()), (200, many), (200, no_list), (404, none)] {
        let server = MockServer::start().await;
        Mock::given(path("/search/"))
            .and(query_param_is_missing("y"))
            .respond_with(ResponseTemplate::new(status).set_body_json(&body))
            .expect(1)
            .mount(&server)
            .await;
        assert_eq!(client(&server).search("zzzz", None).await, Ok(vec![]), "{body}");
    }
}

#[tokio::test]
async fn a_failed_search_has_its_fault() {
    let server = MockServer::start().await;
    Mock::given(path("/search/")).respond_with(ResponseTemplate::new(500)).mount(&server).await;
    let fault = client(&server).search("matrix", None).await;
    assert_eq!(fault, Err(FilmFault::Status { status: 500, retry_after: None }));
}

#[tokio::test]
async fn an_answer_is_fetched_once() {
    for response in [ResponseTemplate::new(200).set_body_json(small()), ResponseTemplate::new(404)] {
        let server = MockServer::start().await;
        Mock::given(path("/titles/tt0133093")).respond_with(response).expect(1).mount(&server).await;
        let client = client(&server);
        let id = id();
        let at_once = join_all((0..8).map(|_| client.title(&id))).await;
        let later = client.title(&id).await;
        assert!(at_once.iter().all(|answer| *answer == later), "{at_once:?}");
        assert!(later.is_ok());
    }
}

#[tokio::test]
async fn a_search_is_sent_once_whatever_its_case() {
    let server = MockServer::start().await;
    Mock::given(path("/search/"))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!({"Response": "False"})))
        .expect(2)
        .mount(&server)
        .await;
    let client = client(&server);
    for (title, year) in [("matrix", None), ("Matrix", None), ("MATRIX", Some(1999)), ("matrix", Some(1999))]
    {
        client.search(title, year).await.unwrap();
    }
}

#[tokio::test]
async fn a_title_its_episodes_and_a_search_for_its_id_are_remembered_each_for_itself() {
    let server = MockServer::start().await;
    let episodes = json!({"episodes": [{"title": "One", "episodeNumber": 1}]});
    let found = json!({"Response": "True", "Search": [{"Title": "Two", "imdbID": "tt0295432"}]});
    for (at, body) in
        [("/titles/tt0133093", small()), ("/titles/tt0133093/episodes", episodes), ("/search/", found)]
    {
        let answer = ResponseTemplate::new(200).set_body_json(body);
        Mock::given(path(at)).respond_with(answer).expect(1).mount(&server).await;
    }
    let client = client(&server);
    for _ in 0..2 {
        assert_eq!(client.title(&id()).await.unwrap().unwrap().title.as_deref(), Some("The Matrix"));
        let episodes = client.episodes(&id(), 1).await.unwrap().unwrap();
        assert_eq!((episodes.len(), episodes[0].number), (1, Some(1)));
        let found = client.search("tt0133093", Some(1)).await.unwrap();
        assert_eq!((found.len(), found[0].imdb_id.as_str()), (1, "tt0295432"));
    }
}

#[tokio::test]
async fn failures_are_not_remembered() {
    let server = MockServer::start().await;
    Mock::given(path("/titles/tt0133093"))
        .respond_with(ResponseTemplate::new(500))
        .up_to_n_times(1)
        .with_priority(1)
        .mount(&server)
        .await;
    Mock::given(path("/titles/tt0133093"))
        .respond_with(ResponseTemplate::new(200).set_body_json(small()))
        .with_priority(2)
        .mount(&server)
        .await;
    let client = client(&server);
    assert!(client.title(&id()).await.is_err());
    assert!(client.title(&id()).await.unwrap().is_some());
}

#[tokio::test]
async fn a_season_is_read_page_by_page() {
    let server = MockServer::start().await;
    let season = |body: Value| ResponseTemplate::new(200).set_body_json(body);
    let first = json!({
        "episodes": [{
            "id": "tt1480055", "title": "Winter is Coming", "season": "1", "episodeNumber": 1,
            "runtimeSeconds": 3600, "plot": "It begins.", "rating": {"aggregateRating": 8.9},
            "primaryImage": {"url": "https://images.example.com/1.jpg"},
            "releaseDate": {"year": 2011, "month": 4, "day": 17},
        }],
        "nextPageToken": "more",
    });
    let second = json!({"episodes": [{"title": "The Kingsroad", "releaseDate": {"year": 2011}}]});
    let at =
        || Mock::given(method("GET")).and(path("/titles/tt0133093/episodes")).and(query_param("season", "1"));
    at().and(query_param_is_missing("pageToken")).respond_with(season(first)).expect(1).mount(&server).await;
    at().and(query_param("pageToken", "more")).respond_with(season(second)).expect(1).mount(&server).await;
    let client = client(&server);
    let episodes = client.episodes(&id(), 1).await.unwrap().unwrap();
    assert_eq!(episodes.len(), 2);
    assert_eq!(episodes[0].number, Some(1));
    assert_eq!(episodes[0].air_date, chrono::NaiveDate::from_ymd_opt(2011, 4, 17));
    assert_eq!(episodes[1].air_date, None, "a date without month and day is no date");
    assert_eq!(client.episodes(&id(), 1).await.unwrap().unwrap(), episodes, "requested once, remembered");
}

/// A film database with a season of this number of full pages, each sent after the delay.
async fn listing(pages: usize, delay: Duration) -> MockServer {
    let server = MockServer::start().await;
    for page in 0..pages {
        let episodes: Vec<Value> =
            (0..50).map(|place| json!({"title": "One", "episodeNumber": page * 50 + place + 1})).collect();
        let next = (page + 1 < pages).then(|| (page + 1).to_string());
        let body = json!({"episodes": episodes, "nextPageToken": next});
        let mock = Mock::given(path("/titles/tt0133093/episodes")).and(query_param("pageSize", "50"));
        let mock = if page == 0 {
            mock.and(query_param_is_missing("pageToken"))
        } else {
            mock.and(query_param("pageToken", page.to_string()))
        };
        mock.respond_with(ResponseTemplate::new(200).set_body_json(body).set_delay(delay))
            .mount(&server)
            .await;
    }
    server
}

#[tokio::test]
async fn a_season_is_read_whole_or_not_at_all() {
    let server = listing(7, Duration::ZERO).await;
    let episodes = client(&server).episodes(&id(), 1).await.unwrap().unwrap();
    assert_eq!((episodes.len(), episodes[349].number), (350, Some(350)));
    let server = listing(11, Duration::ZERO).await;
    assert_eq!(client(&server).episodes(&id(), 1).await, Err(FilmFault::Unreadable));
}

#[tokio::test]
async fn the_limit_of_time_is_that_of_a_season_with_all_its_pages() {
    let server = listing(10, Duration::from_millis(200)).await;
    drop(client(&server));
    let impatient = ImdbClient::with_limit(&server.uri(), Duration::from_secs(1)).unwrap();
    assert_eq!(impatient.episodes(&id(), 1).await, Err(FilmFault::TimedOut));
}

#[tokio::test]
async fn a_season_of_no_series_is_none() {
    let server = MockServer::start().await;
    assert_eq!(client(&server).episodes(&id(), 1).await, Ok(None));
}
