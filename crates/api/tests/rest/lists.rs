//! Parameters and responses of lists.

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::{Client, category},
};

/// Five films: B, A, C, Á, "b" of different years.
async fn five_films(ana: &Client<'_>) {
    let film = ana.film().await;
    for (title, year) in [("Bruma", 2001), ("Arena", 2002), ("Cielo", 2003), ("Ámbar", 2004), ("bruma", 2005)]
    {
        let mut film = film.clone();
        film["title"] = json!(title);
        film["year"] = json!(year);
        film["active"] = json!(year % 2 == 0);
        ana.create("movies", &film).await;
    }
}

async fn titles(ana: &Client<'_>, query: &str) -> Vec<String> {
    let answer = ana.get(&format!("/api/movies?{query}")).send().await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.text());
    let json = answer.json();
    json["content"].as_array().unwrap().iter().map(|row| row["title"].as_str().unwrap().to_owned()).collect()
}

on_both! {
    async fn a_page_has_its_number_and_the_totals(app: &TestApp) {
        let ana = app.manager().await;
        five_films(&ana).await;
        let page = ana.get("/api/movies?_page=1&_size=2&_sort=year").send().await.json();
        let names: Vec<&String> = page.as_object().unwrap().keys().collect();
        assert_eq!(names, ["content", "page", "size", "totalElements", "totalPages"]);
        assert_eq!((&page["page"], &page["size"]), (&json!(1), &json!(2)));
        assert_eq!((&page["totalPages"], &page["totalElements"]), (&json!(3), &json!(5)));
        let row = &page["content"][0];
        assert_eq!(row["title"], "Cielo");
        assert_eq!(row["category"]["description"], "Acción");
        assert_eq!(row["category"]["id"], row["categoryId"]);
        for detail in ["links", "spanishSynopsis", "englishSynopsis"] {
            assert!(row.get(detail).is_none(), "{detail} is only in the single item");
        }
        assert_eq!((&row["active"], &row["genres"]), (&json!(false), &json!(["ACTION", "SCI_FI"])));
    }

    async fn an_order_is_read_in_every_spelling_of_plus(app: &TestApp) {
        let ana = app.manager().await;
        five_films(&ana).await;
        let ascending = ["Ámbar", "Arena", "Bruma", "bruma", "Cielo"];
        for sort in ["title", "+title", "%20title", "%2Btitle", " title".replace(' ', "%20").as_str()] {
            assert_eq!(titles(&ana, &format!("_sort={sort}")).await, ascending, "{sort}");
        }
        let descending = ["Cielo", "bruma", "Bruma", "Arena", "Ámbar"];
        assert_eq!(titles(&ana, "_sort=-title").await, descending);
        let both = ["Arena", "Ámbar", "Bruma", "Cielo", "bruma"];
        assert_eq!(titles(&ana, "_sort=-active,+year").await, both);
    }

    async fn searches_and_filters_combine(app: &TestApp) {
        let ana = app.manager().await;
        five_films(&ana).await;
        for (query, expected) in [
            ("search=AMBAR", vec!["Ámbar"]),
            ("search=%C3%A1mbar&active=true", vec!["Ámbar"]),
            ("search=bru&_sort=-year", vec!["bruma", "Bruma"]),
            ("search=ru&_sort=year", vec!["Bruma", "bruma"]),
            ("search=ciencia%20ficcion&active=true&_sort=year", vec!["Arena", "Ámbar"]),
            ("search=science%20FICTION&active=true&_sort=year", vec!["Arena", "Ámbar"]),
            ("search=2003", vec!["Cielo"]),
            ("active=false&_sort=year", vec!["Bruma", "Cielo", "bruma"]),
            ("categoryId=99", vec![]),
            ("year=2003", vec!["Cielo"]),
            ("year=2003&active=true", vec![]),
            ("genre=SCI_FI&_sort=year", vec!["Bruma", "Arena", "Cielo", "Ámbar", "bruma"]),
            ("genre=SCI_FI&active=true&_sort=-year", vec!["Ámbar", "Arena"]),
            ("genre=WAR", vec![]),
            ("classification=R&year=2001", vec!["Bruma"]),
            ("classification=G", vec![]),
            ("missing=COVER", vec![]),
            ("imdbId=tt0133093&search=cielo", vec!["Cielo"]),
            ("imdbId=tt133093&search=cielo", vec!["Cielo"]),
            ("imdbId=tt0000001", vec![]),
            ("search=%25", vec![]),
            ("search=_", vec![]),
            ("search=%00&active=&_size=1&_sort=year", vec!["Bruma"]),
        ] {
            assert_eq!(titles(&ana, query).await, expected, "{query}");
        }
    }

    async fn a_page_past_the_end_is_empty_and_the_totals_are_correct(app: &TestApp) {
        let ana = app.manager().await;
        five_films(&ana).await;
        for page in ["1", "51", "1000000", "4503599627370495", "9223372036854775807", "18446744073709551615"] {
            for more in ["", "&search=brum", "&active=true", "&_sort=-views"] {
                let answer = ana.get(&format!("/api/movies?_page={page}{more}")).send().await;
                assert_eq!((answer.status, answer.json()["content"].clone()), (200, json!([])), "{page}{more}");
                assert!(answer.json()["totalElements"].as_u64().unwrap() > 0);
            }
        }
    }
}

#[actix_web::test]
async fn an_unknown_parameter_of_a_list_is_refused_with_the_known_ones() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    for (query, field, code, named) in [
        ("_sort=synopsis", "_sort", "UNKNOWN_SORT_FIELD", "title, year, views, active"),
        ("_sort=title_key", "_sort", "UNKNOWN_SORT_FIELD", "title"),
        ("_sort=title%3Bdrop%20table", "_sort", "UNKNOWN_SORT_FIELD", "title"),
        ("_sort=title,title", "_sort", "UNKNOWN_SORT_FIELD", "title"),
        ("_sort=-", "_sort", "UNKNOWN_SORT_FIELD", "title"),
        ("genre=OPERA", "genre", "UNKNOWN_VALUE", "DRAMA"),
        ("missing=TITLE", "missing", "UNKNOWN_VALUE", "COVER"),
        ("country=Chile", "country", "UNKNOWN_FILTER", "categoryId, active"),
        ("page=1", "page", "UNKNOWN_FILTER", "categoryId, active"),
        ("active=yes", "active", "UNKNOWN_VALUE", "true, false"),
        ("categoryId=one", "categoryId", "WRONG_TYPE", "integer"),
        ("_page=-1", "_page", "TOO_SMALL", "0"),
        ("_page=one", "_page", "WRONG_TYPE", "integer"),
        ("_page=18446744073709551616", "_page", "TOO_LARGE", ""),
        ("_size=0", "_size", "TOO_SMALL", "1"),
        ("_size=1001", "_size", "TOO_LARGE", "1000"),
    ] {
        for language in ["es", "en"] {
            let answer =
                ana.get(&format!("/api/movies?{query}")).header("accept-language", language).send().await;
            assert_eq!(answer.field_codes(), vec![(field.to_owned(), code.to_owned())], "{query}");
            let message = answer.json()["message"].as_str().unwrap().to_owned();
            assert!(message.contains(named) && message.contains(field), "{query}: {message}");
        }
    }
    let long = ana.get(&format!("/api/movies?search={}", "x".repeat(201))).send().await;
    assert_eq!(long.field_codes(), vec![("search".to_owned(), "TOO_LONG".to_owned())]);
    let several = ana.get("/api/movies?_size=0&_sort=x&y=1").send().await;
    assert_eq!(several.field_codes().len(), 3, "all violations at once");
    let types = ana.get("/api/categories?type=MOVIES").send().await;
    assert!(types.json()["message"].as_str().unwrap().contains("TV_SHOW"), "{}", types.text());
}

#[actix_web::test]
async fn a_whole_list_is_a_thousand_rows_at_most() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    ana.create("categories", &category()).await;
    let page: Value = ana.get("/api/categories?_size=1000&type=MOVIE").send().await.json();
    assert_eq!((&page["size"], &page["totalElements"]), (&json!(1000), &json!(1)));
    assert!(page["content"][0].get("category").is_none(), "a category has none itself");
}

#[actix_web::test]
async fn unusual_queries_are_not_internal_errors() {
    let app = TestApp::new().await;
    let ana = app.sign_in_as(RoleCode::Admin).await;
    for query in [
        "search=%FF%FE",
        "search=%",
        "&&&",
        "=",
        "_page",
        "_sort=%00",
        "search=%F0%9F%98%80",
        "search=a&search=b",
    ] {
        let answer = ana.get(&format!("/api/movies?{query}")).send().await;
        assert!(answer.status < 500, "{query}: {}", answer.text());
    }
    let codes = async |path: String| ana.get(&path).send().await.field_codes();
    for (path, field) in [("movies?imdbId=a%00", "imdbId"), ("visits?username=%00", "username")] {
        let expected = [(field.to_owned(), "CONTROL_CHARACTERS".to_owned())];
        assert_eq!(codes(format!("/api/{path}")).await, expected, "{path}");
    }
    // A repeated value counts once; a thousand different values of a field are refused.
    let genres = format!("{}WAR", "WAR,".repeat(1100));
    assert_eq!(ana.get(&format!("/api/movies?genre={genres}")).send().await.status, 200);
    let years = "year=1999&".repeat(1100);
    assert_eq!(ana.get(&format!("/api/movies?{years}")).send().await.status, 200);
    let years = (1000..2100).fold(String::new(), |all, year| all + &format!("year={year}&"));
    assert_eq!(codes(format!("/api/movies?{years}")).await, [("year".to_owned(), "TOO_MANY".to_owned())]);
}
