//! Likely duplicates over the API: counts, lists, previews and merges.

use domain_catalogue::Kind;
use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
    every_kind::{another, draft, item},
    series::{episode, show},
};

async fn read(client: &Client<'_>, path: &str) -> Value {
    let answer = client.get(path).send().await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.json()
}

/// Two items of a kind with the same title; the second has more fields.
async fn two_with_one_title(client: &Client<'_>, kind: Kind) -> (Value, Value) {
    let mut less = draft(client, kind).await;
    let more = less.clone();
    less["spanishSynopsis"] = json!(null);
    less["reference"] = json!("other");
    let (first, second) = (client.create(kind.path(), &less).await, client.create(kind.path(), &more).await);
    (item(kind, first), item(kind, second))
}

on_both! {
    async fn an_id_of_the_film_database_is_the_same_without_its_leading_zeros(app: &TestApp) {
        let manager = app.manager().await;
        for kind in [Kind::Movies, Kind::TvShows, Kind::Episodes] {
            let mut new = draft(&manager, kind).await;
            new["imdbId"] = json!("tt420238");
            let stored = item(kind, manager.create(kind.path(), &new).await);
            assert_eq!(stored["imdbId"], "tt0420238", "{kind:?}");
            if kind == Kind::Movies {
                (new["imdbId"], new["reference"]) = (json!("tt0420238"), json!("other"));
                manager.create("movies", &new).await;
            }
        }
        let page = read(&manager, "/api/movies/duplicates?reason=IMDB_ID").await;
        assert_eq!((&page["totalElements"], &page["content"][0]["total"]), (&json!(1), &json!(2)), "{page}");
        assert_eq!(page["content"][0]["value"], "tt0420238");
    }

    async fn two_items_of_each_compared_kind_are_listed_compared_and_merged(app: &TestApp) {
        let manager = app.manager().await;
        for kind in [Kind::Movies, Kind::Documentaries, Kind::Concerts, Kind::Sports] {
            let list = format!("/api/{}", kind.path());
            let (kept, merged) = two_with_one_title(&manager, kind).await;
            let counts = read(&manager, "/api/completeness/duplicates").await;
            let counted = |reason: &str| {
                let all = counts.as_array().unwrap();
                let of = |one: &&Value| one["kind"] == kind.path() && one["reason"] == reason;
                all.iter().find(of).unwrap()["count"].clone()
            };
            assert_eq!((counted("TITLE_AND_YEAR"), counted("ADDRESS")), (json!(1), json!(1)), "{kind:?}");
            let page = read(&manager, &format!("{list}/duplicates?reason=ADDRESS")).await;
            assert_eq!((&page["totalElements"], &page["content"][0]["total"]), (&json!(1), &json!(2)));
            let items = &page["content"][0]["items"];
            assert_eq!((&items[0]["id"], &items[1]["id"]), (&kept["id"], &merged["id"]));
            let group = &page["content"][0];
            let has_url = |link: &Value| link["url"] == group["value"];
            assert!(kept["links"].as_array().unwrap().iter().any(has_url) && group["year"].is_null(), "{page}");
            let page = read(&manager, &format!("{list}/duplicates?reason=TITLE_AND_YEAR")).await;
            let group = &page["content"][0];
            assert_eq!((&group["value"], &group["year"]), (&kept["title"], &kept["year"]));

            let filtered = read(&manager, &format!("{list}?duplicated=true")).await;
            assert_eq!(filtered["totalElements"], 2, "{kind:?}");

            let path = format!("{list}/{}/merge", kept["id"]);
            let preview = read(&manager, &format!("{path}?mergedId={}", merged["id"])).await;
            assert_eq!(preview["together"]["spanishSynopsis"], merged["spanishSynopsis"]);
            assert_eq!((&preview["together"]["reference"], &preview["together"]["links"]), (&kept["reference"], &kept["links"]));
            let body = json!({"version": 1, "mergedId": merged["id"], "mergedVersion": 1});
            let answer = manager.post(&path).json(&body).send().await;
            assert_eq!(answer.status, 200, "{}", answer.text());
            assert_eq!(answer.json()["spanishSynopsis"], merged["spanishSynopsis"]);
            assert_eq!(manager.get(&format!("{list}/{}", merged["id"])).send().await.status, 404);
            let history = read(&manager, &format!("{list}/{}/history", kept["id"])).await;
            assert_eq!(history["content"][0]["action"], "MERGED");
            let first = read(&manager, &format!("{list}/{}/history/1", kept["id"])).await;
            assert_eq!(first["content"]["spanishSynopsis"], json!(null));
            let page = read(&manager, &format!("{list}/duplicates?reason=ADDRESS")).await;
            assert_eq!(page["totalElements"], 0);
            let filtered = read(&manager, &format!("{list}?duplicated=true")).await;
            assert_eq!(filtered["totalElements"], 0, "{kind:?}");
            assert_eq!(manager.post(&path).json(&body).send().await.status, 404);
        }
    }

    async fn channels_and_stations_with_one_address_are_listed_and_merged(app: &TestApp) {
        let manager = app.manager().await;
        for kind in [Kind::TvChannels, Kind::RadioStations] {
            let list = format!("/api/{}", kind.path());
            let new = draft(&manager, kind).await;
            let first = manager.create(kind.path(), &new).await;
            let second = manager.create(kind.path(), &another(kind, &new, 1)).await;
            let page = read(&manager, &format!("{list}/duplicates?reason=ADDRESS")).await;
            let items = &page["content"][0]["items"];
            assert_eq!((&page["totalElements"], &items[0]["id"], &items[1]["id"]), (&json!(1), &first["id"], &second["id"]));
            let url = if kind == Kind::TvChannels { &first["url"] } else { &first["streamUrl"] };
            assert_eq!(&page["content"][0]["value"], url, "{page}");
            assert_eq!((&items[0]["links"], items[0]["coverImageUrl"].is_string()), (&json!(null), true), "{page}");
            let body = json!({"version": 1, "mergedId": second["id"], "mergedVersion": 1});
            let answer = manager.post(&format!("{list}/{}/merge", first["id"])).json(&body).send().await;
            assert_eq!(answer.status, 200, "{}", answer.text());
            assert_eq!(read(&manager, &format!("{list}/duplicates?reason=ADDRESS")).await["totalElements"], 0);
            assert_eq!(read(&manager, &format!("/api/trash?kind={}", kind.path())).await["totalElements"], 1);
        }
    }

    async fn episodes_of_two_shows_are_merged_and_the_other_one_is_restored(app: &TestApp) {
        let manager = app.manager().await;
        let mut less = draft(&manager, Kind::Episodes).await;
        let more = draft(&manager, Kind::Episodes).await;
        (less["rating"], less["imdbId"]) = (json!(null), json!(null));
        let mut link = less["links"][0].clone();
        (link["id"], link["url"]) = (json!(null), json!("https://cdn.example.com/spare.m3u8"));
        less["links"].as_array_mut().unwrap().push(link);
        let (kept, merged) = (manager.create("episodes", &less).await, manager.create("episodes", &more).await);
        let page = read(&manager, "/api/episodes/duplicates?reason=ADDRESS").await;
        assert_eq!((&page["totalElements"], &page["content"][0]["total"]), (&json!(1), &json!(2)), "{page}");

        let path = format!("/api/episodes/{}/merge", kept["id"]);
        let preview = read(&manager, &format!("{path}?mergedId={}", merged["id"])).await;
        let body = json!({"version": 1, "mergedId": merged["id"], "mergedVersion": 1});
        let answer = manager.post(&path).json(&body).send().await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let together = answer.json();
        for field in ["rating", "imdbId", "tvShowId", "links"] {
            assert_eq!(together[field], preview["together"][field], "{field}");
        }
        assert_eq!((&together["rating"], &together["imdbId"]), (&more["rating"], &more["imdbId"]));
        assert_eq!((&together["tvShowId"], together["links"].as_array().unwrap().len()), (&kept["tvShowId"], 2));
        let history = read(&manager, &format!("/api/episodes/{}/history", kept["id"])).await;
        assert_eq!(history["content"][0]["action"], "MERGED");
        let restored = manager.post(&format!("/api/episodes/{}/restore", merged["id"])).json(&json!({})).send().await;
        assert_eq!(restored.status, 200, "{}", restored.text());
    }

    async fn groups_are_a_file_and_episodes_name_their_show(app: &TestApp) {
        let manager = app.manager().await;
        let shows = [show(&manager).await, show(&manager).await];
        let mut ids = Vec::new();
        for (of, season, number) in [(&shows[0], 1, 4), (&shows[1], 2, 5)] {
            let mut new = episode(season, number);
            new["imdbId"] = json!("tt0420238");
            let answer = manager.post(&format!("/api/tv-shows/{of}/episodes")).json(&new).send().await;
            assert_eq!(answer.status, 201, "{}", answer.text());
            ids.push(answer.json()["id"].clone());
        }
        let title = read(&manager, &format!("/api/tv-shows/{}", shows[1])).await["title"].clone();
        let page = read(&manager, "/api/episodes/duplicates?reason=IMDB_ID").await;
        let second = &page["content"][0]["items"][1];
        let place = json!([second["showId"], second["showTitle"], second["seasonNumber"], second["episodeNumber"]]);
        assert_eq!(place, json!([shows[1], title, 2, 5]), "{page}");

        let file = async |query: &str| {
            let answer = manager.get(&format!("/api/spreadsheets/duplicates?language=en&{query}")).send().await;
            assert_eq!(answer.status, 200, "{query}: {}", answer.text());
            answer.text()
        };
        let text = file("kind=episodes&reason=IMDB_ID&columns=group,value,id,show,season,episode").await;
        let title = title.as_str().unwrap();
        let row = |id: &Value, season: i64, number: i64| {
            format!("\"1\",\"tt0420238\",\"{id}\",\"{title}\",\"{season}\",\"{number}\"\r\n")
        };
        let heading = "\u{feff}\"Group\",\"In common\",\"ID\",\"TV show\",\"Season\",\"Episode\"\r\n";
        assert_eq!(text, format!("{heading}{}{}", row(&ids[0], 1, 4), row(&ids[1], 2, 5)));
        let listed = read(&manager, "/api/episodes/duplicates?reason=ADDRESS").await;
        let url = listed["content"][0]["value"].as_str().unwrap();
        let text = file("kind=episodes&reason=ADDRESS&columns=value,commonYear,id").await;
        let rows: Vec<String> = ids.iter().map(|id| format!("\"{url}\",\"\",\"{id}\"\r\n")).collect();
        assert_eq!(text, format!("\u{feff}\"In common\",\"Year in common\",\"ID\"\r\n{}", rows.concat()));
        let text = file("kind=tv-shows&reason=TITLE_AND_YEAR&columns=value,commonYear,id").await;
        let listed = read(&manager, "/api/tv-shows/duplicates?reason=TITLE_AND_YEAR").await;
        let common = format!("\"{}\",\"{}\"", listed["content"][0]["value"].as_str().unwrap(), listed["content"][0]["year"]);
        assert_eq!(text.matches(&common).count(), 2, "{text}");

        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        let log = read(&boss, "/api/audit?action=EXPORTED&resource=duplicates").await;
        let after = json!({"format": "csv", "rows": 2, "kind": "tv-shows", "reason": "TITLE_AND_YEAR"});
        assert_eq!((&log["totalElements"], &log["content"][0]["after"]), (&json!(3), &after), "{log}");
        for (query, field) in [
            ("reason=IMDB_ID", "kind"), ("kind=movies", "reason"), ("kind=users&reason=IMDB_ID", "kind"),
            ("kind=seasons&reason=ADDRESS", "reason"), ("kind=movies&reason=IMDB_ID&search=a&nothing=1", "nothing"),
        ] {
            let refused = manager.get(&format!("/api/spreadsheets/duplicates?{query}")).send().await;
            assert_eq!((refused.status, &refused.json()["errors"][0]["field"]), (422, &json!(field)), "{query}");
        }
        let agent = app.sign_in_as(RoleCode::Agent).await;
        let path = "/api/spreadsheets/duplicates?kind=movies&reason=IMDB_ID";
        assert_eq!(agent.get(path).send().await.status, 403);
    }

    async fn a_merged_show_brings_its_seasons_and_episodes(app: &TestApp) {
        let manager = app.manager().await;
        let (kept, merged) = (show(&manager).await, show(&manager).await);
        for (of, number) in [(&kept, 1), (&merged, 1), (&merged, 2)] {
            let answer = manager.post(&format!("/api/tv-shows/{of}/episodes")).json(&episode(1, number)).send().await;
            assert_eq!(answer.status, 201, "{}", answer.text());
        }
        let page = read(&manager, "/api/tv-shows/duplicates?reason=TITLE_AND_YEAR").await;
        assert_eq!(page["totalElements"], 1, "{page}");
        let path = format!("/api/tv-shows/{kept}/merge");
        let body = json!({"version": 1, "mergedId": merged, "mergedVersion": 1});
        let answer = manager.post(&path).json(&body).send().await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let episodes = read(&manager, &format!("/api/tv-shows/{kept}/episodes")).await;
        assert_eq!(episodes["totalElements"], 2, "{episodes}");
        // The episode that both had goes to the trash, and comes back, with its show.
        let trash = read(&manager, "/api/trash?kind=tv-shows").await;
        assert_eq!((&trash["totalElements"], &trash["content"][0]["parts"]), (&json!(1), &json!(2)), "{trash}");
        let restored = manager.post(&format!("/api/tv-shows/{merged}/restore?duplicate=true")).json(&json!({})).send().await;
        assert_eq!(restored.status, 200, "{}", restored.text());
        assert_eq!(read(&manager, &format!("/api/tv-shows/{merged}/episodes")).await["totalElements"], 1);
    }

    async fn the_earlier_version_of_a_moved_episode_leads_back_to_its_show_once_that_is_restored(app: &TestApp) {
        let manager = app.manager().await;
        let (kept, merged) = (show(&manager).await, show(&manager).await);
        let episodes_of = |show: &Value| format!("/api/tv-shows/{show}/episodes");
        let added = manager.post(&episodes_of(&merged)).json(&episode(1, 2)).send().await;
        assert_eq!(added.status, 201, "{}", added.text());
        let path = format!("/api/episodes/{}", added.json()["id"]);
        let before = read(&manager, &path).await;
        let body = json!({"version": 1, "mergedId": merged, "mergedVersion": 1});
        let answer = manager.post(&format!("/api/tv-shows/{kept}/merge")).json(&body).send().await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let moved = read(&manager, &path).await;
        assert_eq!((&moved["tvShowId"], &moved["version"]), (&kept, &json!(2)));

        let earlier = read(&manager, &format!("{path}/history/1")).await;
        assert_eq!((&earlier["content"]["tvShowId"], &earlier["content"]["links"]), (&merged, &before["links"]));
        let put = async || manager.put(&path).header("if-match", "\"2\"").json(&earlier["content"]).send().await;
        // Its show is in the trash.
        assert_eq!(put().await.field_codes(), [("tvShowId".to_owned(), "UNKNOWN_REFERENCE".to_owned())]);
        assert_eq!(read(&manager, &path).await, moved);
        let restored = manager.post(&format!("/api/tv-shows/{merged}/restore?duplicate=true")).json(&json!({})).send().await;
        assert_eq!(restored.status, 200, "{}", restored.text());
        let back = put().await;
        assert_eq!(back.status, 200, "{}", back.text());
        let mut expected = before.clone();
        for server_field in ["version", "updatedDate"] {
            expected[server_field] = back.json()[server_field].clone();
        }
        assert_eq!((read(&manager, &path).await, &expected["version"]), (expected.clone(), &json!(3)));
        for (show, episodes) in [(&kept, 0), (&merged, 1)] {
            assert_eq!(read(&manager, &episodes_of(show)).await["totalElements"], episodes);
            let seasons = read(&manager, &format!("/api/tv-shows/{show}/seasons")).await;
            assert_eq!(seasons["content"][0]["episodeCount"], episodes, "{seasons}");
        }
    }

    async fn shows_with_an_episode_of_too_many_links_together_are_not_merged(app: &TestApp) {
        let manager = app.manager().await;
        let (kept, merged) = (show(&manager).await, show(&manager).await);
        let mut ids = Vec::new();
        for (of, from, to) in [(&kept, 0, 200), (&merged, 200, 201)] {
            let mut draft = episode(1, 1);
            let link = draft["links"][0].clone();
            let more = |number: usize| {
                let mut link = link.clone();
                (link["id"], link["url"]) = (json!(null), json!(format!("https://cdn.example.com/{number}.m3u8")));
                link
            };
            draft["links"] = (from..to).map(more).collect();
            let answer = manager.post(&format!("/api/tv-shows/{of}/episodes")).json(&draft).send().await;
            assert_eq!(answer.status, 201, "{}", answer.text());
            ids.push(answer.json()["id"].clone());
        }
        let body = json!({"version": 1, "mergedId": merged, "mergedVersion": 1});
        let answer = manager.post(&format!("/api/tv-shows/{kept}/merge")).json(&body).send().await;
        let error = answer.json()["errors"][0].clone();
        assert_eq!((answer.status, &error["field"], &error["code"]), (422, &json!("links"), &json!("TOO_MANY")));
        assert_eq!((&error["arguments"]["id"], &error["arguments"]["max"]), (&ids[0], &json!(200)), "{error}");
        assert_eq!(read(&manager, "/api/trash?kind=tv-shows").await["totalElements"], 0);
    }

    async fn outdated_versions_and_an_item_with_itself_are_not_merged(app: &TestApp) {
        let manager = app.manager().await;
        let (kept, merged) = two_with_one_title(&manager, Kind::Movies).await;
        let path = format!("/api/movies/{}/merge", kept["id"]);
        let patch = manager.patch(&format!("/api/movies/{}", merged["id"])).json(&json!({"active": false}));
        assert_eq!(patch.send().await.status, 200);
        let body = |version, id: &Value, merged_version| json!({"version": version, "mergedId": id, "mergedVersion": merged_version});
        let answer = manager.post(&path).json(&body(1, &merged["id"], 1)).send().await;
        assert_eq!((answer.status, &answer.json()["current"]["version"]), (412, &json!(2)));
        let answer = manager.post(&path).json(&body(3, &merged["id"], 2)).send().await;
        assert_eq!((answer.status, &answer.json()["current"]["id"]), (412, &kept["id"]));
        let answer = manager.post(&path).json(&body(1, &kept["id"], 1)).send().await;
        assert_eq!((answer.status, &answer.json()["errors"][0]["field"]), (422, &json!("mergedId")));
        assert_eq!(manager.get(&format!("{path}?mergedId=999")).send().await.status, 404);
        for query in ["", "?mergedId=x"] {
            let answer = manager.get(&format!("{path}{query}")).send().await;
            assert_eq!((answer.status, &answer.json()["errors"][0]["code"]), (422, &json!("REQUIRED")));
        }
        for (query, code) in [("", "REQUIRED"), ("?reason=IMDB", "UNKNOWN_VALUE"), ("?reason=ADDRESS&year=1", "UNKNOWN_FILTER")] {
            let answer = manager.get(&format!("/api/movies/duplicates{query}")).send().await;
            assert_eq!((answer.status, &answer.json()["errors"][0]["code"]), (422, &json!(code)), "{query}");
        }
        let concerts = manager.get("/api/concerts/duplicates?reason=IMDB_ID").send().await;
        assert_eq!(concerts.status, 422);
        let agent = app.sign_in_as(RoleCode::Agent).await;
        assert_eq!(agent.get("/api/completeness/duplicates").send().await.status, 403);
        assert_eq!(agent.post(&path).json(&body(1, &merged["id"], 2)).send().await.status, 403);
    }

    async fn an_invalid_result_of_a_merge_is_refused(app: &TestApp) {
        let manager = app.manager().await;
        let (mut less, merged) = two_with_one_title(&manager, Kind::Movies).await;
        let link = less["links"][0].clone();
        let more = |number: usize| {
            let mut link = link.clone();
            link["id"] = json!(format!("l{number}"));
            link["url"] = json!(format!("https://cdn.example.com/{number}.m3u8"));
            link
        };
        less["links"] = (0..200).map(more).collect();
        let path = format!("/api/movies/{}", less["id"]);
        let put = manager.put(&path).json(&less).send().await;
        assert_eq!(put.status, 200, "{}", put.text());
        let body = json!({"version": 2, "mergedId": merged["id"], "mergedVersion": 1});
        let answer = manager.post(&format!("{path}/merge")).json(&body).send().await;
        assert_eq!((answer.status, &answer.json()["errors"][0]["field"]), (422, &json!("links")), "{}", answer.text());
        assert_eq!(read(&manager, &path).await["version"], 2);
    }
}
