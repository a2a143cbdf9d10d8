//! Lists as spreadsheets.

use std::io::Cursor;

use calamine::{Data, Reader, Xlsx};
use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::{Answer, Client},
};

async fn file(client: &Client<'_>, query: &str) -> Answer {
    let answer = client.get(&format!("/api/movies/spreadsheet?{query}")).send().await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.text());
    answer
}

/// Three films, two of them of 1950.
async fn films(manager: &Client<'_>) -> Vec<Value> {
    let film = manager.film().await;
    let mut stored = Vec::new();
    for (title, year) in [("=Suma", 1950), ("Ñandú; \"el ave\"", 1951), ("Ancla", 1950)] {
        let mut film = film.clone();
        (film["title"], film["year"], film["reference"]) = (json!(title), json!(year), Value::Null);
        film["rating"] = json!(8.7);
        stored.push(manager.create("movies", &film).await);
    }
    stored
}

on_both! {
    async fn a_list_is_exported_as_csv_as_it_is_filtered_and_sorted(app: &TestApp) {
        let manager = app.manager().await;
        let stored = films(&manager).await;
        let columns = "columns=id,title,year,rating,active,categoryId.name,links";
        let answer = file(&manager, &format!("{columns}&year=1950&_sort=title&language=es")).await;
        assert_eq!(answer.header("content-type"), Some("text/csv; charset=utf-8"));
        assert_eq!(answer.header("content-disposition"), Some("attachment; filename=\"movies.csv\""));
        let text = answer.text();
        let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
        assert!(text.starts_with('\u{feff}'));
        let heading = "\"ID\";\"Título\";\"Año\";\"Puntuación\";\"Activa\";\"Categoría\";\"link1_url\";\"link1_quality\"";
        assert!(lines[0].starts_with(heading), "{}", lines[0]);
        assert_eq!(lines.len(), 3);
        let category = manager.get(&format!("/api/categories/{}", stored[0]["categoryId"])).send().await.json();
        let name = category["description"].as_str().unwrap();
        let url = stored[0]["links"][0]["url"].as_str().unwrap();
        let begins = |line: &str, film: &Value, title: &str| {
            let expected = format!("\"{}\";\"{title}\";\"1950\";\"8,7\";\"Sí\";\"{name}\";\"{url}\"", film["id"]);
            assert!(line.starts_with(&expected), "{line} is not {expected}");
        };
        // A text that looks like a formula.
        begins(lines[1], &stored[2], "Ancla");
        begins(lines[2], &stored[0], "'=Suma");
        let english = file(&manager, "columns=title,rating,active&search=el+ave&language=en").await.text();
        let expected = "\u{feff}\"Title\",\"Rating\",\"Active\"\r\n\"Ñandú; \"\"el ave\"\"\",\"8.7\",\"Yes\"\r\n";
        assert_eq!(english, expected);
        // Without matches: only the heading.
        let template = file(&manager, "search=no+existe&language=en").await.text();
        assert_eq!(template.lines().count(), 1);
        assert!(template.contains("\"Category (ID)\",\"Category\"") && template.contains("\"link2_url\""), "{template}");
    }

    async fn a_list_is_exported_for_excel_with_types(app: &TestApp) {
        let manager = app.manager().await;
        let stored = films(&manager).await;
        let answer = file(&manager, "format=xlsx&columns=title,year,rating,active,createdDate&_sort=-id&language=es").await;
        assert_eq!(answer.header("content-disposition"), Some("attachment; filename=\"movies.xlsx\""));
        let mut workbook: Xlsx<_> = calamine::open_workbook_from_rs(Cursor::new(answer.body.clone())).unwrap();
        let range = workbook.worksheet_range("Sheet1").unwrap();
        let rows: Vec<&[Data]> = range.rows().collect();
        assert_eq!(rows.len(), stored.len() + 1);
        assert_eq!(rows[0][0], Data::String("Título".into()));
        assert_eq!(rows[3][..4], [Data::String("=Suma".into()), Data::Float(1950.0), Data::Float(8.7), Data::Bool(true)]);
        assert!(matches!(rows[3][4], Data::DateTime(_)), "{:?}", rows[3][4]);
    }

    async fn an_export_is_recorded_and_unknown_parameters_are_refused(app: &TestApp) {
        let manager = app.manager().await;
        films(&manager).await;
        for (query, field) in [
            ("format=pdf", "format"),
            ("columns=title,plot", "columns"),
            ("columns=,", "columns"),
            ("_size=10", "_size"),
            ("_sort=plot", "_sort"),
            ("nothing=1", "nothing"),
        ] {
            let refused = manager.get(&format!("/api/movies/spreadsheet?{query}")).send().await;
            assert_eq!((refused.status, &refused.json()["errors"][0]["field"]), (422, &json!(field)), "{query}: {}", refused.text());
        }
        file(&manager, "format=xlsx&year=1950").await;
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let log = admin.get("/api/audit?action=EXPORTED").send().await.json();
        assert_eq!(log["totalElements"], 1, "{log}");
        let entry = &log["content"][0];
        assert_eq!((&entry["resource"], &entry["actor"]), (&json!("movies"), &json!("contentManager")));
        assert_eq!(entry["after"], json!({"format": "xlsx", "rows": 2, "year": "1950"}));
        let agent = app.sign_in_as(RoleCode::Agent).await;
        assert_eq!(agent.get("/api/movies/spreadsheet").send().await.status, 403);
        let columns = manager.get("/api/tv-channels/spreadsheet/columns").send().await.json();
        let keys: Vec<&str> = columns.as_array().unwrap().iter().map(|column| column["key"].as_str().unwrap()).collect();
        assert_eq!(keys[..2], ["id", "channelNumber"]);
        assert!(keys.contains(&"categories.name") && !keys.contains(&"link1_url"), "{keys:?}");
    }
}
