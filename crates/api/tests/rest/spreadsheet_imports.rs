//! Imports of spreadsheets: an exported file changes nothing, rows add and change items, and
//! unreadable or ambiguous values are refused with row, column and reason.

use domain_catalogue::Kind;
use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::{Answer, Client},
    every_kind::{another, draft},
    series::{episode, show},
};

async fn upload(client: &Client<'_>, kind: &str, file: impl Into<actix_web::web::Bytes>) -> Answer {
    let path = format!("/api/{kind}/spreadsheet-imports?fileName=datos.csv");
    client.post(&path).body("application/octet-stream", file).send().await
}

async fn uploaded(client: &Client<'_>, kind: &str, file: impl Into<actix_web::web::Bytes>) -> Value {
    let answer = upload(client, kind, file).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json()
}

fn keys(uploaded: &Value) -> Vec<Value> {
    uploaded["columns"].as_array().unwrap().iter().map(|column| column["key"].clone()).collect()
}

/// The operation after its end.
async fn run(app: &TestApp, client: &Client<'_>, kind: &str, uploaded: &Value, dry_run: bool) -> Value {
    let path = format!("/api/{kind}/spreadsheet-imports/{}/run", uploaded["id"]);
    let body = json!({"columns": keys(uploaded), "dryRun": dry_run});
    let begun = client.post(&path).json(&body).send().await;
    assert_eq!(begun.status, 202, "{}", begun.text());
    ended(app, client, begun.json()).await
}

async fn ended(app: &TestApp, client: &Client<'_>, begun: Value) -> Value {
    app.run_operations().await;
    client.get(&format!("/api/operations/{}", begun["id"])).send().await.json()
}

async fn undone(app: &TestApp, client: &Client<'_>, operation: &Value) -> Value {
    let begun = client.post(&format!("/api/operations/{}/undo", operation["id"])).send().await;
    assert_eq!(begun.status, 202, "{}", begun.text());
    ended(app, client, begun.json()).await
}

/// Added, changed, unchanged, refused, conflicts, missing.
fn counts(operation: &Value) -> [i64; 6] {
    assert_eq!(operation["state"], "FINISHED", "{operation}");
    ["created", "changed", "unchanged", "refused", "conflicts", "missing"]
        .map(|name| operation["counts"][name].as_i64().unwrap())
}

/// `row column: code` of each problem.
async fn problems(client: &Client<'_>, operation: &Value) -> Vec<String> {
    let path = format!("/api/operations/{}/rows?verdict=REFUSED", operation["id"]);
    let rows = client.get(&path).send().await.json();
    let mut found = Vec::new();
    for row in rows.as_array().unwrap() {
        for problem in row["problems"].as_array().unwrap() {
            let column = problem["column"].as_str().unwrap_or("-");
            found.push(format!("{} {column}: {}", row["sheetRow"], problem["code"].as_str().unwrap()));
            assert!(!problem["message"].as_str().unwrap().contains('_'), "{problem}");
        }
    }
    found
}

/// A CSV file of rows with their cells.
fn csv(rows: &[&[&str]]) -> String {
    let quoted = |cell: &&str| format!("\"{}\"", cell.replace('"', "\"\""));
    let line = |row: &&[&str]| row.iter().map(quoted).collect::<Vec<_>>().join(";") + "\r\n";
    rows.iter().map(line).collect()
}

async fn movie_category(client: &Client<'_>) -> Value {
    let category = json!({"description": "Cine mudo", "englishDescription": "Silent film", "type": "MOVIE"});
    client.create("categories", &category).await["id"].clone()
}

on_both! {
    #[smoke]
    async fn importing_an_exported_file_changes_nothing(app: &TestApp) {
        let manager = app.manager().await;
        for kind in Kind::ALL.iter().copied() {
            let path = kind.path();
            let first = draft(&manager, kind).await;
            manager.create(path, &first).await;
            for number in 0..2 {
                let mut other = another(kind, &first, number + 5);
                for text in ["title", "description", "stationName"] {
                    if other[text].is_string() && number == 1 {
                        other[text] = json!("=Suma; \"de\", 'todo'");
                    }
                }
                if other["code"].is_string() {
                    other["code"] = json!(format!("X{number}"));
                }
                if other["imdbId"].is_string() {
                    other["imdbId"] = json!(format!("tt00000{number}7"));
                }
                manager.create(path, &other).await;
            }
            let all = format!("/api/{path}?_size=1000");
            let before = manager.get(&all).send().await.json();
            let total = before["totalElements"].as_i64().unwrap();
            for query in ["format=csv&language=es", "format=csv&language=en", "format=xlsx&language=es"] {
                let file = manager.get(&format!("/api/{path}/spreadsheet?{query}")).send().await;
                let found = uploaded(&manager, path, file.body.clone()).await;
                assert_eq!(found["rows"], total, "{path} {query}");
                for dry_run in [true, false] {
                    let operation = run(app, &manager, path, &found, dry_run).await;
                    let problems = problems(&manager, &operation).await;
                    assert_eq!(counts(&operation), [0, 0, total, 0, 0, 0], "{path} {query}: {problems:?}");
                }
            }
            assert_eq!(manager.get(&all).send().await.json(), before, "{path}");
        }
    }

    async fn rows_add_and_change_films_and_an_undo_reverses_both(app: &TestApp) {
        let manager = app.manager().await;
        let category = movie_category(&manager).await;
        let mut film = manager.film().await;
        (film["title"], film["year"], film["reference"]) = (json!("Metrópolis"), json!(1927), Value::Null);
        (film["imdbId"], film["categoryId"]) = (Value::Null, category.clone());
        let stored = manager.create("movies", &film).await;
        let file = csv(&[
            &["Título", "Año", "Duración (min)", "Categoría", "Clasificación", "Puntuación", "Contenido infantil", "Notas", "link1_url", "link1_quality", "link1_audio"],
            &["METRÓPOLIS", "1927", "153", "cine mudo", "G", "8,3", "sí", "nada", "https://a.example/1.m3u8", "HD", "Español"],
            &["Nosferatu", "1922", "94", "Silent film", "G", "", "no", "", "https://a.example/2.m3u8", "FHD", "Alemán, Inglés"],
        ]);
        let found = uploaded(&manager, "movies", file.clone()).await;
        assert_eq!((&found["language"], &found["rows"]), (&json!("es"), &json!(2)));
        assert_eq!(found["columns"][0]["samples"], json!(["METRÓPOLIS", "Nosferatu"]));
        assert_eq!((&found["columns"][3]["key"], &found["columns"][7]["key"]), (&json!("categoryId.name"), &Value::Null), "{found}");
        let one = format!("/api/movies/{}", stored["id"]);
        let preview = run(app, &manager, "movies", &found, true).await;
        assert_eq!(counts(&preview), [1, 1, 0, 0, 0, 0], "{:?}", problems(&manager, &preview).await);
        assert_eq!((manager.get(&one).send().await.json(), manager.count("movies").await), (stored.clone(), 1), "a preview changes nothing");

        let done = run(app, &manager, "movies", &found, false).await;
        assert_eq!((counts(&done), &done["import"]["fileName"]), ([1, 1, 0, 0, 0, 0], &json!("datos.csv")));
        let changed = manager.get(&one).send().await.json();
        assert_eq!((&changed["durationMinutes"], &changed["rating"], &changed["kidsContent"]), (&json!(153), &json!(8.3), &json!(true)));
        // Columns that are missing from the file stay unchanged.
        assert_eq!((&changed["coverImageUrl"], &changed["genres"]), (&stored["coverImageUrl"], &stored["genres"]));
        let rows = manager.get(&format!("/api/operations/{}/rows?verdict=CREATED", done["id"])).send().await.json();
        let new = manager.get(&format!("/api/movies/{}", rows[0]["itemId"])).send().await.json();
        assert_eq!((&new["title"], &new["categoryId"], &new["updatedBy"]), (&json!("Nosferatu"), &category, &json!("contentManager")));
        assert_eq!(new["links"][0]["audioLanguages"], json!(["GERMAN", "ENGLISH"]));
        let again = uploaded(&manager, "movies", file).await;
        assert_eq!(counts(&run(app, &manager, "movies", &again, false).await), [0, 0, 2, 0, 0, 0], "the same file again");

        let undo = undone(app, &manager, &done).await;
        assert_eq!(counts(&undo), [0, 2, 0, 0, 0, 0]);
        assert_eq!((manager.get(&one).send().await.json()["durationMinutes"].clone(), manager.count("movies").await), (stored["durationMinutes"].clone(), 1));
        assert_eq!(manager.get("/api/trash?kind=movies").send().await.json()["totalElements"], 1);
        let redo = undone(app, &manager, &undo).await;
        assert_eq!((counts(&redo), manager.count("movies").await), ([0, 2, 0, 0, 0, 0], 2), "the undo was undone");
        // An added film is edited by a user: an undo does not delete it.
        let file = csv(&[
            &["Título", "Año", "Duración (min)", "Categoría", "Clasificación", "link1_url", "link1_quality", "link1_audio"],
            &["Amanecer", "1927", "94", "Cine mudo", "G", "https://a.example/3.m3u8", "HD", "Inglés"],
        ]);
        let found = uploaded(&manager, "movies", file).await;
        let done = run(app, &manager, "movies", &found, false).await;
        let rows = manager.get(&format!("/api/operations/{}/rows", done["id"])).send().await.json();
        let path = format!("/api/movies/{}", rows[0]["itemId"]);
        assert_eq!(manager.patch(&path).json(&json!({"title": "Aurora"})).send().await.status, 200);
        let undo = undone(app, &manager, &done).await;
        assert_eq!(counts(&undo), [0, 0, 0, 1, 0, 0]);
        assert_eq!(manager.get(&path).send().await.status, 200);
    }

    async fn a_row_whose_key_is_completed_by_default_values_matches_the_existing_item(app: &TestApp) {
        let manager = app.manager().await;
        movie_category(&manager).await;
        let show = show(&manager).await;
        let sent = manager.post(&format!("/api/tv-shows/{show}/episodes")).json(&episode(1, 1)).send().await;
        assert_eq!(sent.status, 201, "{}", sent.text());
        let mut film = manager.film().await;
        (film["title"], film["year"], film["reference"]) = (json!("Dune"), json!(2021), json!("R1"));
        manager.create("movies", &film).await;
        let default = |key: &str, value: String| json!([{"key": key, "value": value}]);
        for (kind, file, defaults, expected) in [
            (
                "categories",
                csv(&[&["description", "englishDescription"], &["CINE MUDO", "Silents"], &["Terror", "Horror"]]),
                default("type", "MOVIE".into()),
                [1, 1, 0, 0, 0, 0],
            ),
            (
                "episodes",
                csv(&[&["seasonNumber", "episodeNumber", "title"], &["1", "1", "Otro título"]]),
                default("tvShowId", show.to_string()),
                [0, 1, 0, 0, 0, 0],
            ),
            // An empty cell does not clear the year.
            ("movies", csv(&[&["title", "year"], &["Dune", ""]]), default("year", "2021".into()), [0, 0, 1, 0, 0, 0]),
            // The film with the row's natural key exists, so the values for new rows do not apply.
            ("movies", csv(&[&["title", "year"], &["Dune", "2021"]]), default("reference", "R2".into()), [0, 0, 1, 0, 0, 0]),
        ] {
            let found = uploaded(&manager, kind, file).await;
            for dry_run in [true, false] {
                let path = format!("/api/{kind}/spreadsheet-imports/{}/run", found["id"]);
                let body = json!({"columns": keys(&found), "defaults": defaults, "dryRun": dry_run});
                let begun = manager.post(&path).json(&body).send().await;
                assert_eq!(begun.status, 202, "{}", begun.text());
                let done = ended(app, &manager, begun.json()).await;
                let problems = problems(&manager, &done).await;
                assert_eq!(counts(&done), expected, "{kind} {defaults} {dry_run}: {problems:?}");
            }
        }
    }

    async fn of_two_rows_with_the_same_key_the_first_is_imported(app: &TestApp) {
        let manager = app.manager().await;
        movie_category(&manager).await;
        let films = csv(&[
            &["Title", "Year", "Length (min)", "Category", "Classification", "IMDb", "link1_url", "link1_quality", "link1_audio"],
            &["Amélie", "2001", "122", "Silent film", "G", "tt0211915", "https://a.example/1.m3u8", "HD", "French"],
            &["Le fabuleux destin", "2001", "122", "Silent film", "G", "tt211915", "https://a.example/2.m3u8", "HD", "French"],
        ]);
        let mut found = uploaded(&manager, "movies", films).await;
        found["columns"][5]["key"] = json!("imdbId");
        for dry_run in [true, false] {
            let operation = run(app, &manager, "movies", &found, dry_run).await;
            assert_eq!((counts(&operation)[0], problems(&manager, &operation).await), (1, vec!["3 -: DUPLICATE_ROW".to_owned()]));
        }
        // The film is also found by its ID without leading zeros.
        let again = csv(&[&["Title", "Year", "IMDb"], &["Amélie Poulain", "2001", "tt211915"]]);
        let mut found = uploaded(&manager, "movies", again).await;
        found["columns"][2]["key"] = json!("imdbId");
        let operation = run(app, &manager, "movies", &found, true).await;
        assert_eq!(counts(&operation)[..2], [0, 1], "{:?}", problems(&manager, &operation).await);
        // Two episodes with the same number.
        let show = show(&manager).await;
        let mut ids = Vec::new();
        for number in [1, 2] {
            let mut episode = episode(1, number);
            (episode["tvShowId"], episode["imdbId"]) = (show.clone(), Value::Null);
            ids.push(manager.create("episodes", &episode).await["id"].to_string());
        }
        let numbers = csv(&[&["id", "episodeNumber"], &[&ids[0], "5"], &[&ids[1], "5"]]);
        let found = uploaded(&manager, "episodes", numbers).await;
        let operation = run(app, &manager, "episodes", &found, false).await;
        assert_eq!((counts(&operation)[0], counts(&operation)[1]), (0, 1), "{operation}");
        assert_eq!(manager.get(&format!("/api/episodes/{}", ids[0])).send().await.json()["episodeNumber"], 5);
    }

    async fn rows_with_one_imdb_id_match_one_film_across_slices(app: &TestApp) {
        let manager = app.manager().await;
        let category = movie_category(&manager).await;
        let mut film = manager.film().await;
        (film["title"], film["year"], film["reference"]) = (json!("Metrópolis"), json!(1927), Value::Null);
        (film["imdbId"], film["categoryId"]) = (Value::Null, category);
        manager.create("movies", &film).await;
        let head: &[&str] = &["ID", "Title", "Year", "Length (min)", "Category", "Classification", "imdbId", "link1_url", "link1_quality", "link1_audio"];
        let row = |title, year, imdb_id, url| ["", title, year, "122", "Silent film", "G", imdb_id, url, "HD", "French"];
        let first = [
            row("Amélie", "2001", "tt0211915", "https://a.example/1.m3u8"),
            // The existing film gets its IMDb ID.
            row("Metrópolis", "1927", "tt0017136", "https://a.example/2.m3u8"),
        ];
        let between = vec![["99999", "x", "", "", "", "", "", "", "", ""]; 300];
        let last = [
            row("Le fabuleux destin", "2001", "tt211915", "https://a.example/3.m3u8"),
            row("Metropolis restored", "1927", "tt17136", "https://a.example/4.m3u8"),
        ];
        for (between, number) in [(0, 4), (300, 304)].map(|(rows, number)| (&between[..rows], number)) {
            let rows = first.iter().chain(between).chain(&last).map(|row| &row[..]);
            let found = uploaded(&manager, "movies", csv(&std::iter::once(head).chain(rows).collect::<Vec<_>>())).await;
            let preview = run(app, &manager, "movies", &found, true).await;
            let missing = i64::try_from(between.len()).unwrap();
            let of_preview = problems(&manager, &preview).await;
            assert_eq!(counts(&preview), [1, 1, 0, 2, 0, missing], "{of_preview:?}");
            assert_eq!(of_preview, [format!("{number} -: DUPLICATE_ROW"), format!("{} -: DUPLICATE_ROW", number + 1)]);
            let path = format!("/api/operations/{}/rows?verdict=REFUSED", preview["id"]);
            let refused = manager.get(&path).header("accept-language", "en").send().await.json();
            for (row, first) in refused.as_array().unwrap().iter().zip(["2", "3"]) {
                let message = row["problems"][0]["message"].as_str().unwrap();
                assert!(message.contains(&format!("row {first}")), "{message}");
            }
            if missing > 0 {
                let done = run(app, &manager, "movies", &found, false).await;
                assert_eq!((counts(&done), problems(&manager, &done).await), (counts(&preview), of_preview));
            }
        }
    }

    async fn a_refused_row_is_not_in_the_history_of_its_item(app: &TestApp) {
        let manager = app.manager().await;
        let film = manager.film().await;
        let id = manager.create("movies", &film).await["id"].to_string();
        let year = film["year"].to_string();
        for title in ["One", "Two"] {
            let file = csv(&[&["ID", "Title", "Year"], &[&id, "Bad", "abc"], &[&id, title, &year]]);
            let found = uploaded(&manager, "movies", file).await;
            let done = run(app, &manager, "movies", &found, false).await;
            assert_eq!(counts(&done), [0, 1, 0, 1, 0, 0]);
            assert_eq!(problems(&manager, &done).await, ["2 Year: NOT_NUMERIC"]);
        }
        for version in 1..=3 {
            let answer = manager.get(&format!("/api/movies/{id}/history/{version}")).send().await;
            assert_eq!(answer.status, 200, "{version}: {}", answer.text());
        }
    }

    async fn a_preview_refuses_what_the_import_refuses(app: &TestApp) {
        let manager = app.manager().await;
        let category = movie_category(&manager).await;
        let mut film = manager.film().await;
        film["categoryId"] = category.clone();
        manager.create("movies", &film).await;
        let show = show(&manager).await;
        let mut episodes = Vec::new();
        for number in 1..=3 {
            let sent = manager.post(&format!("/api/tv-shows/{show}/episodes")).json(&episode(1, number)).send().await;
            episodes.push(sent.json()["id"].to_string());
        }
        let [first, second, third] = &episodes[..] else { panic!() };
        let category = category.to_string();
        let number = ["id", "episodeNumber"];
        for (kind, keys, rows, expected) in [
            (
                "categories",
                ["id", "type"],
                vec![[&category[..], "Nothing"], [&category, "SPORTS"]],
                vec!["2 B: UNKNOWN_VALUE", "3 B: FIXED_WHILE_USED"],
            ),
            ("episodes", number, vec![[first, "2"], [third, "7"], [second, "3"]], vec!["2 -: DUPLICATE"]),
        ] {
            let rows: Vec<&[&str]> = rows.iter().map(|row| &row[..]).collect();
            let found = uploaded(&manager, kind, csv(&[&[&["A", "B"][..]], &rows[..]].concat())).await;
            let mut answers = Vec::new();
            for dry_run in [true, false] {
                let path = format!("/api/{kind}/spreadsheet-imports/{}/run", found["id"]);
                let body = json!({"columns": keys, "dryRun": dry_run});
                let begun = manager.post(&path).json(&body).send().await;
                let done = ended(app, &manager, begun.json()).await;
                assert_eq!(problems(&manager, &done).await, expected, "{kind} {dry_run}");
                answers.push(counts(&done));
            }
            assert_eq!(answers[0], answers[1], "{kind}");
        }
    }

    async fn ambiguous_values_are_refused_and_can_be_corrected(app: &TestApp) {
        let manager = app.manager().await;
        let category = movie_category(&manager).await;
        movie_category(&manager).await;
        let other = json!({"description": "Sonoro", "englishDescription": "Sound film", "type": "MOVIE"});
        manager.create("categories", &other).await;
        let mut film = manager.film().await;
        film["categoryId"] = category;
        for reference in ["a", "b"] {
            (film["title"], film["year"], film["reference"]) = (json!("Doble"), json!(2000), json!(reference));
            film["imdbId"] = json!(format!("tt000000{}", reference.len()));
            manager.create("movies", &film).await;
        }
        let head: &[&str] = &["ID", "Title", "Year", "Length (min)", "Category", "Classification", "Release date", "link1_url", "link1_quality", "link1_audio"];
        let link = ["https://a.example/1.m3u8", "HD", "Spanish"];
        let row = |id, title, year, category, date| [id, title, year, "90", category, "G", date, link[0], link[1], link[2]];
        let bad = [
            row("", "One", "2001", "Sound film", "3/4/2001"),
            row("", "Two", "2001", "Silent film", "2001-04-03"),
            row("", "Three", "two", "Nothing", "ayer"),
            row("", "Doble", "2000", "Sound film", ""),
            row("", "Four", "2001", "Sound film", "23/4/2001"),
            row("", "four", "2001", "Sound film", ""),
            row("99999", "Five", "2001", "Sound film", ""),
            row("", "", "2001", "Sound film", ""),
        ];
        let rows: Vec<&[&str]> = std::iter::once(head).chain(bad.iter().map(|row| &row[..])).collect();
        let found = uploaded(&manager, "movies", csv(&rows)).await;
        assert_eq!(found["language"], "en", "{found}");
        for dry_run in [true, false] {
            let operation = run(app, &manager, "movies", &found, dry_run).await;
            assert_eq!(problems(&manager, &operation).await, [
                "2 Release date: AMBIGUOUS_DATE",
                "3 Category: AMBIGUOUS",
                "4 Year: NOT_NUMERIC",
                "4 Release date: INVALID_DATE",
                "4 Category: UNKNOWN_NAME",
                "5 -: AMBIGUOUS",
                "7 -: DUPLICATE_ROW",
                "9 Title: REQUIRED",
            ], "{dry_run}");
            assert_eq!(counts(&operation), [1, 0, 0, 6, 0, 1]);
            let path = format!("/api/operations/{}/failures?language=en", operation["id"]);
            let failures = manager.get(&path).send().await.text();
            let lines: Vec<&str> = failures.lines().collect();
            assert!(lines[0].ends_with("\"link1_audio\",\"Reason\""), "{}", lines[0]);
            assert!(lines[1].starts_with("\"\",\"One\",\"2001\",\"90\",\"Sound film\",\"G\",\"3/4/2001\""), "{}", lines[1]);
            assert!(lines[1].contains("\"Release date: Day and month"), "{}", lines[1]);
            assert_eq!(lines.len(), 8);
        }
        // The corrected file of the failures.
        let refused = manager.get("/api/operations").send().await.json()["content"][0]["id"].clone();
        let file = manager.get(&format!("/api/operations/{refused}/failures?language=en")).send().await.text();
        let corrected = file.replace("3/4/2001", "2001-04-03").replace("\"99999\",", "\"\",").replace("\"two\"", "\"2002\"")
            .replace("Nothing", "Sound film").replace("ayer", "").replace("Silent film", "Sound film");
        let found = uploaded(&manager, "movies", corrected).await;
        let operation = run(app, &manager, "movies", &found, false).await;
        assert_eq!(counts(&operation), [4, 1, 0, 2, 0, 0], "{:?}", problems(&manager, &operation).await);
    }

    async fn links_without_columns_stay_and_empty_columns_remove_a_link(app: &TestApp) {
        let manager = app.manager().await;
        let mut film = manager.film().await;
        let link = |number: u32| json!({"quality": "HD", "url": format!("https://a.example/{number}.m3u8"), "audioLanguages": ["SPANISH"]});
        film["links"] = json!([link(1), link(2), link(3)]);
        let stored = manager.create("movies", &film).await;
        let id = stored["id"].to_string();
        let links = async |file: String| {
            let found = uploaded(&manager, "movies", file).await;
            let operation = run(app, &manager, "movies", &found, false).await;
            assert_eq!(counts(&operation)[3], 0, "{:?}", problems(&manager, &operation).await);
            manager.get(&format!("/api/movies/{id}")).send().await.json()["links"].clone()
        };
        let renamed = links(csv(&[&["id", "link2_url"], &[&id, "https://b.example/2.m3u8"]])).await;
        assert_eq!(renamed[1]["url"], "https://b.example/2.m3u8");
        assert_eq!((&renamed[0], &renamed[2], &renamed[1]["id"]), (&stored["links"][0], &stored["links"][2], &stored["links"][1]["id"]));
        let removed = links(csv(&[&["id", "link1_url"], &[&id, ""]])).await;
        assert_eq!((removed.as_array().unwrap().len(), &removed[0]["id"]), (2, &stored["links"][1]["id"]));
        let kept = links(csv(&[&["id", "link1_active", "link2_quality"], &[&id, "", "4K"]])).await;
        assert_eq!((kept.as_array().unwrap().len(), &kept[1]["quality"]), (2, &json!("4K")));
    }

    async fn the_columns_that_a_user_chose_are_suggested_for_the_next_file(app: &TestApp) {
        let manager = app.manager().await;
        let file = "Nombre;Género;Título\nMetrópolis;x;y\n";
        let found = uploaded(&manager, "movies", file).await;
        assert_eq!(keys(&found)[2], "title");
        let path = format!("/api/movies/spreadsheet-imports/{}/run", found["id"]);
        let sent = async |columns: Value| manager.post(&path).json(&json!({"columns": columns, "dryRun": true})).send().await;
        for (columns, field, code) in [
            (json!(["title"]), "columns", "INVALID_FORMAT"),
            (json!([null, null, null]), "columns", "REQUIRED"),
            (json!(["title", "title", null]), "columns[1]", "DUPLICATE"),
            (json!(["views", null, null]), "columns[0]", "UNKNOWN_VALUE"),
        ] {
            let refused = sent(columns).await;
            let fault = &refused.json()["errors"][0];
            assert_eq!((refused.status, &fault["field"], &fault["code"]), (422, &json!(field), &json!(code)), "{}", refused.text());
        }
        assert_eq!(sent(json!(["title", null, null])).await.status, 202);
        assert_eq!(keys(&uploaded(&manager, "movies", file).await), [json!("title"), Value::Null, Value::Null]);
        let admin = app.sign_in_as(RoleCode::Admin).await;
        assert_eq!(keys(&uploaded(&admin, "movies", file).await)[2], "title", "other users have their own");
        // A file can only be imported by the user who uploaded it, and only for its kind.
        let own = uploaded(&admin, "movies", file).await;
        for (client, kind) in [(&manager, "movies"), (&admin, "concerts")] {
            let path = format!("/api/{kind}/spreadsheet-imports/{}/run", own["id"]);
            let refused = client.post(&path).json(&json!({"columns": ["title", null, null]})).send().await;
            assert_eq!(refused.status, 404, "{}", refused.text());
        }
    }

    async fn a_file_that_is_no_spreadsheet_is_refused_in_both_languages(app: &TestApp) {
        let (manager, admin) = (app.manager().await, app.sign_in_as(RoleCode::Admin).await);
        let wide = format!("{}\n{}\n", "a;".repeat(1200), "1;".repeat(1200));
        for (file, code) in [
            (Vec::new(), "EMPTY_SHEET"),
            (b"title;year\n".to_vec(), "EMPTY_SHEET"),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), "NOT_A_SPREADSHEET"),
            (b"PK\x03\x04 no workbook".to_vec(), "NOT_A_SPREADSHEET"),
            (b"<!doctype html><p>1;2</p>\n1;2\n".to_vec(), "NOT_A_SPREADSHEET"),
            (wide.into_bytes(), "TOO_MANY_COLUMNS"),
            (format!("title\n{}", "x\n".repeat(100_001)).into_bytes(), "TOO_MANY_ROWS"),
        ] {
            for (client, kind) in [(&manager, "movies"), (&admin, "users")] {
                let mut messages = Vec::new();
                for language in ["es", "en"] {
                    let path = format!("/api/{kind}/spreadsheet-imports");
                    let request = client.post(&path).header("accept-language", language);
                    let refused = request.body("application/octet-stream", file.clone()).send().await;
                    let fault = refused.json()["errors"][0].clone();
                    assert_eq!((refused.status, &fault["code"]), (422, &json!(code)), "{}", refused.text());
                    messages.push(fault["message"].as_str().unwrap().to_owned());
                }
                assert_ne!(messages[0], messages[1]);
            }
        }
        let large = vec![b'a'; 16 * 1024 * 1024 + 1];
        assert_eq!(upload(&manager, "movies", large.clone()).await.status, 413);
        assert_eq!(upload(&admin, "users", large).await.status, 413);
        // 200 columns are accepted; which of two headings is meant is left to the user.
        let many = format!("title;Título *;{}\nx;y;{}\n", "a;".repeat(198), "1;".repeat(198));
        let found = uploaded(&manager, "movies", many).await;
        assert_eq!((keys(&found).len(), &keys(&found)[..2]), (200, &[Value::Null, Value::Null][..]));
        assert_eq!(found["columns"][1], json!({"heading": "Título *", "samples": ["y"], "key": null, "fits": ["title"]}));
        let template = manager.get("/api/tv-channels/spreadsheet/template?language=en").send().await.text();
        assert!(template.contains("\"Categories\"") && !template.contains("(ID)"), "{template}");
        let agent = app.sign_in_as(RoleCode::Agent).await;
        assert_eq!(upload(&agent, "movies", "title\nx\n").await.status, 403);
    }
}
