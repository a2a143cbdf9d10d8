//! Shows with seasons and episodes, channels with guides, sports with links.

use domain_catalogue::{Content, Episode, RadioStation, Sport, TvChannel, TvGuide, TvShow};
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
};

async fn category(client: &Client<'_>, category_type: &str) -> Value {
    let category = json!({"description": "Una", "englishDescription": "One", "type": category_type});
    client.create("categories", &category).await["id"].clone()
}

/// The ID of a new show.
pub async fn show(client: &Client<'_>) -> Value {
    let mut show = serde_json::to_value(TvShow::sample()).unwrap();
    show["categoryId"] = category(client, "TV_SHOW").await;
    client.create("tv-shows", &show).await["tvShow"]["id"].clone()
}

/// An episode without its show, as the nested route accepts it.
pub fn episode(season: i64, number: i64) -> Value {
    let mut episode = serde_json::to_value(Episode::sample()).unwrap();
    episode.as_object_mut().unwrap().remove("tvShowId");
    episode["seasonNumber"] = json!(season);
    episode["episodeNumber"] = json!(number);
    episode["title"] = json!(format!("Episode {season}x{number}"));
    episode
}

on_both! {
    async fn the_first_episode_creates_its_season_and_seasons_count_their_episodes(app: &TestApp) {
        let client = app.manager().await;
        let show = show(&client).await;
        let episodes = format!("/api/tv-shows/{show}/episodes");
        let mut ids = Vec::new();
        for (season, number) in [(1, 1), (1, 2), (2, 1)] {
            let answer = client.post(&episodes).json(&episode(season, number)).send().await;
            assert_eq!(answer.status, 201, "{}", answer.text());
            ids.push(answer.json()["id"].clone());
        }
        let counts = async || {
            let seasons = client.get(&format!("/api/tv-shows/{show}/seasons?_sort=seasonNumber")).send().await.json();
            let rows = seasons["content"].as_array().unwrap().clone();
            rows.iter().map(|row| row["episodeCount"].as_i64().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(counts().await, [2, 1]);
        let moved = client.patch(&format!("/api/episodes/{}", ids[1])).json(&json!({"seasonNumber": 3})).send().await;
        assert_eq!(moved.status, 200, "{}", moved.text());
        assert_eq!(counts().await, [1, 1, 1]);
        assert_eq!(client.delete(&format!("{episodes}/{}", ids[2])).send().await.status, 204);
        assert_eq!(counts().await, [1, 0, 1]);
    }

    async fn a_second_episode_with_the_same_number_is_refused_with_the_first_one(app: &TestApp) {
        let client = app.manager().await;
        let show = show(&client).await;
        let episodes = format!("/api/tv-shows/{show}/episodes");
        let first = client.post(&episodes).json(&episode(1, 1)).send().await.json();
        let second = client.post(&episodes).json(&episode(1, 2)).send().await.json();
        let again = client.post(&episodes).json(&episode(1, 1)).send().await;
        assert_eq!((again.status, again.code().as_str()), (409, "CONFLICT"));
        assert!(again.json()["message"].as_str().unwrap().contains("Episode 1x1"), "{}", again.text());
        assert_eq!(again.json()["arguments"]["id"], first["id"]);
        let one = format!("{episodes}/{}", second["id"]);
        let onto = client.put(&one).json(&episode(1, 1)).send().await;
        assert_eq!(onto.status, 409, "{}", onto.text());
        assert_eq!(client.get(&format!("/api/episodes/{}", second["id"])).send().await.json(), second);
    }

    async fn several_episodes_are_added_together_or_not_at_all(app: &TestApp) {
        let client = app.manager().await;
        let show = show(&client).await;
        let batch = format!("/api/tv-shows/{show}/episodes/batch");
        let send = async |episodes: Vec<Value>| client.post(&batch).json(&json!({"episodes": episodes})).send().await;
        let two = send(vec![episode(1, 1), episode(1, 2)]).await;
        assert_eq!((two.status, two.json()), (201, json!({"created": 2})));
        let conflict = send(vec![episode(1, 3), episode(1, 2)]).await;
        assert_eq!((conflict.status, conflict.code().as_str()), (409, "CONFLICT"));
        let mut short = episode(1, 4);
        short["title"] = json!("x");
        assert_eq!(
            send(vec![episode(1, 3), short]).await.field_codes(),
            [("episodes[1].title".to_owned(), "TOO_SHORT".to_owned())]
        );
        let twice = send(vec![episode(1, 3), episode(1, 3)]).await.field_codes();
        assert_eq!(twice, [("episodes[1].episodeNumber".to_owned(), "DUPLICATE".to_owned())]);
        assert_eq!(send(vec![]).await.field_codes()[0].1, "TOO_FEW");
        let mut elsewhere = episode(1, 3);
        elsewhere["tvShowId"] = json!(999);
        let body = json!({"episodes": [{"title": "x"}, elsewhere], "seasson": 1});
        let mut all = client.post(&batch).json(&body).send().await.field_codes();
        all.retain(|(_, code)| code.starts_with("UNKNOWN"));
        all.sort();
        let expected = [("episodes[1].tvShowId", "UNKNOWN_REFERENCE"), ("seasson", "UNKNOWN_FIELD")];
        assert_eq!(all, expected.map(|(field, code)| (field.to_owned(), code.to_owned())), "all at once, with their paths");
        assert_eq!(client.count("episodes").await, 2, "refused episodes are not stored");
    }

    async fn several_episodes_sent_twice_with_one_key_are_added_once(app: &TestApp) {
        let client = app.manager().await;
        let show = show(&client).await;
        let send = async |key: &str, episodes: Vec<Value>| {
            let batch = format!("/api/tv-shows/{show}/episodes/batch");
            client.post(&batch).header("Idempotency-Key", key).json(&json!({"episodes": episodes})).send().await
        };
        let two = vec![episode(1, 1), episode(1, 2)];
        let first = send("k1", two.clone()).await;
        assert_eq!((first.status, first.header("idempotency-replayed")), (201, None));
        let again = send("k1", two.clone()).await;
        assert_eq!((again.status, again.json()), (201, first.json()));
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        let other = send("k1", vec![episode(1, 3)]).await;
        assert_eq!((other.status, other.code().as_str()), (409, "IDEMPOTENCY_MISMATCH"));
        assert_eq!(send("k2", two).await.status, 409, "the episodes exist already");
        let refused = send("k3", vec![episode(1, 4), episode(1, 1)]).await;
        assert_eq!(refused.status, 409);
        assert_eq!(send("k3", vec![episode(1, 4)]).await.status, 201, "a refused request stores no key");
        assert_eq!(client.count("episodes").await, 3);
        assert_eq!(client.delete(&format!("/api/tv-shows/{show}")).send().await.status, 204);
        let again = send("k1", vec![episode(1, 1), episode(1, 2)]).await;
        assert_eq!((again.status, again.json()), (201, first.json()), "although the show was deleted");
        assert_eq!(send("k4", vec![episode(1, 5)]).await.status, 404);
    }

    async fn an_episode_is_reached_through_its_own_show_only(app: &TestApp) {
        let client = app.manager().await;
        let (mine, other) = (show(&client).await, show(&client).await);
        let episode_of_mine = client.post(&format!("/api/tv-shows/{mine}/episodes")).json(&episode(1, 1)).send().await;
        let id = episode_of_mine.json()["id"].clone();
        let there = format!("/api/tv-shows/{other}/episodes/{id}");
        for requested in [
            client.put(&there).json(&episode(1, 1)),
            client.patch(&format!("{there}/status")).json(&json!({"active": false})),
            client.delete(&there),
            client.get("/api/tv-shows/987654/episodes"),
            client.post("/api/tv-shows/987654/episodes").json(&episode(1, 1)),
        ] {
            assert_eq!(requested.send().await.status, 404);
        }
        let stolen = json!({"tvShowId": other});
        let mut body = episode(1, 1);
        body["tvShowId"] = stolen["tvShowId"].clone();
        let answer = client.post(&format!("/api/tv-shows/{mine}/episodes")).json(&body).send().await;
        assert_eq!(answer.field_codes()[0].0, "tvShowId");
        assert_eq!(client.get(&format!("/api/episodes/{id}")).send().await.json(), episode_of_mine.json());
    }

    async fn a_show_is_deleted_with_its_seasons_and_episodes_and_a_season_with_episodes_is_not(app: &TestApp) {
        let client = app.manager().await;
        let (other_show, show) = (show(&client).await, show(&client).await);
        client.post(&format!("/api/tv-shows/{show}/episodes")).json(&episode(1, 1)).send().await;
        let season = client.get(&format!("/api/tv-shows/{show}/seasons")).send().await.json()["content"][0]["id"].clone();
        let season = format!("/api/seasons/{season}");
        for (field, other) in [("seasonNumber", json!(5)), ("tvShowId", other_show)] {
            let mut change = json!({});
            change[field] = other;
            let kept = client.patch(&season).json(&change).send().await;
            assert_eq!(kept.field_codes(), [(field.to_owned(), "FIXED_WHILE_USED".to_owned())]);
        }
        assert_eq!(client.patch(&season).json(&json!({"title": "Uno"})).send().await.status, 200);
        let kept = client.delete(&season).send().await;
        assert_eq!((kept.status, &kept.json()["arguments"]), (409, &json!({"episodes": 1})));
        assert_eq!(client.delete(&format!("/api/tv-shows/{show}")).send().await.status, 204);
        assert_eq!((client.count("seasons").await, client.count("episodes").await), (0, 0));
        let found = client.get("/api/episodes?search=Episode").send().await.json();
        assert_eq!(found["totalElements"], 0, "the search does not find them either");
    }

    async fn missing_parts_of_seasons_and_episodes_equal_the_totals_of_lists(app: &TestApp) {
        let client = app.manager().await;
        for _ in 0..2 {
            let show = show(&client).await;
            let episodes = format!("/api/tv-shows/{show}/episodes");
            let mut lacking = episode(1, 2);
            lacking["englishSynopsis"] = Value::Null;
            for episode in [episode(1, 1), lacking] {
                assert_eq!(client.post(&episodes).json(&episode).send().await.status, 201);
            }
        }
        let counts = client.get("/api/completeness").send().await.json();
        // The first episode of a season creates the season without further fields.
        for (kind, total, part, count) in [
            ("episodes", 4, "ENGLISH_SYNOPSIS", 2),
            ("episodes", 4, "LINKS", 0),
            ("seasons", 2, "SPANISH_SYNOPSIS", 2),
        ] {
            let of = counts.as_array().unwrap().iter().find(|one| one["kind"] == kind).unwrap();
            let missing = of["missing"].as_array().unwrap().iter().find(|one| one["part"] == part).unwrap();
            assert_eq!((&of["total"], &missing["count"]), (&json!(total), &json!(count)), "{kind} {part}");
            let list = client.get(&format!("/api/{kind}?missing={part}")).send().await.json();
            assert_eq!(list["totalElements"], count, "{kind} {part}");
            for row in list["content"].as_array().unwrap() {
                assert_eq!(row["tvShowTitle"], TvShow::sample().title.as_str());
            }
        }
    }

    async fn shows_without_an_episode_and_stations_without_a_logo_are_counted_and_listed(app: &TestApp) {
        let client = app.manager().await;
        let with = show(&client).await;
        let mut other = serde_json::to_value(TvShow::sample()).unwrap();
        (other["title"], other["categoryId"]) = (json!("Otra serie"), category(&client, "TV_SHOW").await);
        let without = client.create("tv-shows", &other).await["tvShow"]["id"].clone();
        let added = client.post(&format!("/api/tv-shows/{with}/episodes")).json(&episode(1, 1)).send().await;
        assert_eq!(added.status, 201, "{}", added.text());
        let mut station = serde_json::to_value(RadioStation::sample()).unwrap();
        client.create("radio-stations", &station).await;
        (station["code"], station["stationLogo"]) = (json!("OTHER"), Value::Null);
        let silent = client.create("radio-stations", &station).await["id"].clone();
        let counts = client.get("/api/completeness").send().await.json();
        for (kind, part, id) in [("tv-shows", "EPISODES", &without), ("radio-stations", "LOGO", &silent)] {
            let of = counts.as_array().unwrap().iter().find(|one| one["kind"] == kind).unwrap();
            let missing = of["missing"].as_array().unwrap().iter().find(|one| one["part"] == part).unwrap();
            assert_eq!((&of["total"], &missing["count"]), (&json!(2), &json!(1)), "{kind}");
            let list = client.get(&format!("/api/{kind}?missing={part}")).send().await.json();
            assert_eq!((&list["totalElements"], &list["content"][0]["id"]), (&json!(1), id), "{kind}");
        }
    }

    async fn one_operation_changes_the_addresses_of_a_season(app: &TestApp) {
        let client = app.manager().await;
        let show = show(&client).await;
        let mut ids = Vec::new();
        for (season, number) in [(1, 1), (1, 2), (2, 1)] {
            let added = client.post(&format!("/api/tv-shows/{show}/episodes")).json(&episode(season, number)).send().await;
            ids.push(added.json()["id"].clone());
        }
        let url = async |id: &Value| {
            client.get(&format!("/api/episodes/{id}")).send().await.json()["links"][0]["url"].as_str().unwrap().to_owned()
        };
        let former = url(&ids[0]).await;
        let host = former.split('/').nth(2).unwrap().to_owned();
        let request = json!({
            "resource": "episodes",
            "filter": {"tvShowId": show, "seasonNumber": 1},
            "expectedCount": 2,
            "action": {"type": "REPLACE", "fields": ["links"], "find": host, "replacement": "cdn2.example.com"},
        });
        let begun = client.post("/api/operations").json(&request).send().await;
        assert_eq!(begun.status, 202, "{}", begun.text());
        app.run_operations().await;
        let changed = former.replace(&host, "cdn2.example.com");
        assert_eq!((url(&ids[0]).await, url(&ids[1]).await), (changed.clone(), changed));
        assert_eq!(url(&ids[2]).await, former);
    }

    async fn categories_and_guides_in_use_are_not_deleted_and_their_uses_are_counted(app: &TestApp) {
        let client = app.manager().await;
        let (channels, shows) = (category(&client, "TV_CHANNEL").await, category(&client, "TV_CHANNEL").await);
        let guide = client.create("tv-guides", &serde_json::to_value(TvGuide::sample()).unwrap()).await["id"].clone();
        let mut channel = serde_json::to_value(TvChannel::sample()).unwrap();
        channel["categories"] = json!([channels, shows]);
        channel["tvGuideId"] = guide.clone();
        let channel = client.create("tv-channels", &channel).await;
        for path in [format!("/api/categories/{shows}"), format!("/api/tv-guides/{guide}")] {
            let answer = client.delete(&path).send().await;
            assert_eq!((answer.status, answer.code().as_str()), (409, "IN_USE"), "{path}");
            assert_eq!(answer.json()["arguments"], json!({"tv-channels": 1}));
            assert!(answer.json()["message"].as_str().unwrap().contains("1 canal de TV"), "{}", answer.text());
        }
        let one = format!("/api/tv-channels/{}", channel["id"]);
        let less = client.patch(&one).json(&json!({"categories": [channels], "tvGuideId": null})).send().await;
        assert_eq!(less.status, 200, "{}", less.text());
        for path in [format!("/api/categories/{shows}"), format!("/api/tv-guides/{guide}")] {
            assert_eq!(client.delete(&path).send().await.status, 204, "{path}: nothing uses it any more");
        }
    }

    async fn channels_may_share_a_number_and_are_found_by_it(app: &TestApp) {
        let client = app.manager().await;
        let mut channel = serde_json::to_value(TvChannel::sample()).unwrap();
        channel["categories"] = json!([category(&client, "TV_CHANNEL").await]);
        channel["tvGuideId"] = Value::Null;
        for number in [7, 7, 8] {
            channel["channelNumber"] = json!(number);
            client.create("tv-channels", &channel).await;
        }
        let total = async |filter: &str| {
            client.get(&format!("/api/tv-channels?{filter}")).send().await.json()["totalElements"].as_i64().unwrap()
        };
        assert_eq!((total("duplicated=true").await, total("duplicated=false").await), (2, 1));
        assert_eq!(total("duplicated=true&active=false").await, 0);
        assert_eq!(total("duplicated=true&search=siete").await, 2);
        assert_eq!((total("channelNumber=7").await, total("channelNumber=8").await), (2, 1));
        assert_eq!((total("channelNumber=0").await, total("channelNumber=").await), (0, 3));
        assert_eq!(total("channelNumber=7&duplicated=true&search=siete&_sort=-title").await, 2);
        let own = format!("categoryId={}", channel["categories"][0]);
        assert_eq!((total(&own).await, total("categoryId=999").await), (3, 0));
        assert_eq!(total(&format!("{own}&channelNumber=7&search=siete&_sort=-title")).await, 2);
        assert_eq!((total("missing=GUIDE").await, total("missing=LOGO").await), (3, 0));
        assert_eq!((total("tvGuideId=1").await, total("tvGuideId=1&missing=GUIDE").await), (0, 0));
        let url = channel["url"].as_str().unwrap();
        assert_eq!((total(&format!("url={url}")).await, total("url=https://other.example/a").await), (3, 0));
        let nonsense = client.get("/api/tv-channels?channelNumber=siete").send().await;
        assert_eq!(nonsense.field_codes(), [("channelNumber".to_owned(), "WRONG_TYPE".to_owned())]);
    }

    async fn the_links_of_a_sport_are_changed_one_by_one(app: &TestApp) {
        let client = app.manager().await;
        let mut sport = serde_json::to_value(Sport::sample()).unwrap();
        sport["categoryId"] = category(&client, "SPORTS").await;
        let sport = client.create("sports", &sport).await["sport"]["id"].clone();
        let links = format!("/api/sports/{sport}/links");
        let link = json!({"quality": "HD", "url": "https://cdn.example.com/2.m3u8", "audioLanguages": ["spanish"]});
        let added = client.post(&links).json(&link).send().await;
        assert_eq!((added.status, &added.json()["audioLanguages"]), (201, &json!(["SPANISH"])));
        let one = format!("{links}/{}", added.json()["id"].as_str().unwrap());
        let off = client.patch(&format!("{one}/status")).json(&json!({"active": false})).send().await;
        assert_eq!((off.status, &off.json()["active"]), (200, &json!(false)));
        // The event was changed since it was read.
        let late = client.put(&one).header("if-match", added.header("etag").unwrap());
        let late = late.json(&json!({"quality": "4K", "url": "https://cdn.example.com/4.m3u8", "audioLanguages": ["ENGLISH"]})).send().await;
        assert_eq!((late.status, late.code().as_str()), (412, "VERSION_CONFLICT"));
        assert_eq!(client.delete(&one).header("if-match", added.header("etag").unwrap()).send().await.status, 412);
        assert_eq!(client.get(&links).send().await.header("etag"), off.header("etag"));
        let replaced = client.put(&one).json(&json!({"quality": "SD", "url": "https://cdn.example.com/3.m3u8", "audioLanguages": ["ENGLISH"]})).send().await;
        assert_eq!((replaced.json()["quality"].as_str(), &replaced.json()["id"]), (Some("SD"), &added.json()["id"]));
        assert_eq!(client.delete(&one).send().await.status, 204);
        assert_eq!(client.delete(&one).send().await.status, 404);
        let rest = client.get(&links).send().await.json();
        let last = format!("{links}/{}", rest[0]["id"].as_str().unwrap());
        assert_eq!(client.delete(&last).send().await.field_codes()[0].1, "TOO_FEW", "the last link stays");
    }

    async fn violations_of_a_sports_link_have_the_path_of_the_link(app: &TestApp) {
        let client = app.manager().await;
        let mut sport = serde_json::to_value(Sport::sample()).unwrap();
        sport["categoryId"] = category(&client, "SPORTS").await;
        let sport = client.create("sports", &sport).await["sport"].clone();
        let links = format!("/api/sports/{}/links", sport["id"]);
        let first = &sport["links"][0];
        let one = format!("{links}/{}", first["id"].as_str().unwrap());
        let broken = json!({"quality": "8K"});
        for answer in [client.post(&links).json(&broken).send().await, client.put(&one).json(&broken).send().await] {
            let found = answer.field_codes();
            assert!(found.contains(&("quality".to_owned(), "UNKNOWN_VALUE".to_owned())), "{found:?}");
            assert!(found.iter().all(|(field, _)| !field.starts_with("links")), "{found:?}");
        }
        let twice = client.post(&links).json(first).send().await;
        assert_eq!(twice.field_codes(), [("id".to_owned(), "DUPLICATE".to_owned())]);
        let no_object = client.post(&links).json(&json!([])).send().await;
        assert_eq!(no_object.field_codes()[0].0, "");
        let missing = client.delete(&format!("{links}/abc")).send().await;
        assert_eq!((missing.status, &missing.json()["arguments"]["id"]), (404, &json!("abc")), "{}", missing.text());
    }

    async fn base_urls_are_unset_set_and_checked(app: &TestApp) {
        let client = app.manager().await;
        for (path, key) in [
            ("/api/channels-base-url", "channelsBaseUrl"),
            ("/api/radio-stations-base-url", "radioStationsBaseUrl"),
        ] {
            assert_eq!(client.get(path).send().await.json(), json!({key: null, "baseUrl": null}));
            let url = "https://live.example.com/";
            let set = client.put(path).json(&json!({"baseUrl": url})).send().await;
            assert_eq!((set.status, set.json()), (200, json!({key: url, "baseUrl": url})));
            assert_eq!(client.put(path).json(&json!({"baseUrl": "nonsense"})).send().await.field_codes()[0].0, "baseUrl");
            assert_eq!(client.put(path).json(&json!({})).send().await.field_codes()[0].1, "REQUIRED");
            assert_eq!(client.get(path).send().await.json()["baseUrl"], url);
            for nothing in [json!(""), Value::Null, json!("  ")] {
                client.put(path).json(&json!({"baseUrl": url})).send().await;
                let cleared = client.put(path).json(&json!({"baseUrl": nothing})).send().await;
                assert_eq!((cleared.status, cleared.json()), (200, json!({key: null, "baseUrl": null})));
                assert_eq!(client.get(path).send().await.json(), json!({key: null, "baseUrl": null}));
            }
        }
    }
}

#[actix_web::test]
async fn series_episodes_and_seasons_are_looked_up() {
    let app = TestApp::new().await;
    let client = app.manager().await;
    let filled = client.get("/api/lookup/titles/tt0903747?as=tv-show").send().await.json();
    assert_eq!(
        (&filled["draft"]["title"], &filled["unmatchedGenres"]),
        (&json!("Breaking Bad"), &json!(["Film-Noir"]))
    );
    let film = client.get("/api/lookup/titles/tt0133093?as=tv-show").send().await;
    assert_eq!((film.status, film.code().as_str()), (422, "WRONG_TITLE_TYPE"));
    assert!(film.json()["message"].as_str().unwrap().contains("corresponde a una serie de TV"));
    let season = client.get("/api/lookup/titles/tt0903747/episodes?season=2").send().await.json();
    assert_eq!(season["episodes"].as_array().unwrap().len(), 2);
    assert_eq!(season["episodes"][1]["episodeNumber"], 2);
    for (path, status) in [
        ("/api/lookup/titles/tt0133093/episodes?season=1", 404),
        ("/api/lookup/titles/tt0903747/episodes?season=0", 422),
        ("/api/lookup/titles/nonsense/episodes?season=x", 422),
    ] {
        assert_eq!(client.get(path).send().await.status, status, "{path}");
    }
}
