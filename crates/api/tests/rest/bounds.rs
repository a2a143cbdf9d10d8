//! Each bound of each field of every kind, on both sides.

use serde_json::{Value, json};

use crate::{
    app::TestApp,
    client::{Client, category},
    problems::assert_problem,
};

/// A value for a field.
enum Try {
    /// Accepted.
    Good(Value),
    /// Refused in the field itself, with this code.
    Bad(Value, &'static str),
    /// Refused in another field, with this code.
    BadIn(Value, &'static str, &'static str),
}
use Try::{Bad, BadIn, Good};

fn letters(count: usize) -> Value {
    json!("ñ".repeat(count))
}

fn url(scheme: &str, length: usize) -> Value {
    let start = format!("{scheme}://e.com/");
    json!(format!("{start}{}", "x".repeat(length - start.len())))
}

/// A required text of `min` to `max` characters.
#[rustfmt::skip]
fn text(min: usize, max: usize) -> Vec<Try> {
    vec![
        Good(letters(min)), Good(letters(max)), Bad(letters(min - 1), "TOO_SHORT"), Bad(letters(max + 1), "TOO_LONG"),
        Bad(json!(""), "REQUIRED"), Bad(json!("  "), "REQUIRED"), Bad(json!(null), "REQUIRED"),
        Bad(json!(5), "WRONG_TYPE"), Bad(json!(["ab"]), "WRONG_TYPE"), Bad(json!("ab\u{0}c"), "CONTROL_CHARACTERS"),
        Bad(json!("ab\u{200b}c"), "CONTROL_CHARACTERS"), Bad(json!("ab\u{202e}c"), "CONTROL_CHARACTERS"),
        Bad(json!("ab\ncd"), "CONTROL_CHARACTERS"), Bad(json!("\u{feff}abc"), "CONTROL_CHARACTERS"),
    ]
}

/// An optional text of at most `max` characters.
#[rustfmt::skip]
fn note(max: usize) -> Vec<Try> {
    vec![
        Good(json!(null)), Good(json!("")), Good(letters(max)), Bad(letters(max + 1), "TOO_LONG"),
        Bad(json!(true), "WRONG_TYPE"), Bad(json!("a\u{0}b"), "CONTROL_CHARACTERS"),
    ]
}

#[rustfmt::skip]
fn flag() -> Vec<Try> {
    vec![
        Good(json!(true)), Good(json!(false)), Bad(json!("true"), "WRONG_TYPE"), Bad(json!(1), "WRONG_TYPE"),
        Bad(json!([]), "WRONG_TYPE"),
    ]
}

#[rustfmt::skip]
fn web_address() -> Vec<Try> {
    vec![
        Good(json!(null)), Good(json!("")), Good(url("http", 2048)), Good(json!("https://ejemplo.españa/ñ.jpg")),
        Bad(url("https", 2049), "TOO_LONG"), Bad(json!("javascript:alert(1)"), "INVALID_SCHEME"),
        Bad(json!("JAVASCRIPT:alert(1)"), "INVALID_SCHEME"), Bad(json!("javascript://e.com/%0Aalert(1)"), "INVALID_SCHEME"),
        Bad(json!("java\tscript:alert(1)"), "CONTROL_CHARACTERS"), Bad(json!("data:text/html,x"), "INVALID_SCHEME"),
        Bad(json!("file:///etc/passwd"), "INVALID_SCHEME"), Bad(json!("rtmp://e.com/x"), "INVALID_SCHEME"),
        Bad(json!("ｊavascript:alert(1)"), "INVALID_URL"), Bad(json!("//e.com/x"), "INVALID_URL"),
        Bad(json!("e.com"), "INVALID_URL"), Bad(json!("https://"), "INVALID_URL"), Bad(json!(5), "WRONG_TYPE"),
    ]
}

fn code(good: &[&str], bad: &[&str]) -> Vec<Try> {
    let good = good.iter().map(|code| Good(json!(code)));
    let bad = bad.iter().map(|code| Bad(json!(code), "UNKNOWN_VALUE"));
    good.chain(bad).chain([Bad(json!(null), "REQUIRED"), Bad(json!(1), "WRONG_TYPE")]).collect()
}

fn of_category() -> Vec<(&'static str, Vec<Try>)> {
    let types = ["MOVIE", "TV_SHOW", "DOCUMENTARY", "SPORTS", "MUSIC", "TV_CHANNEL"];
    vec![
        ("/description", text(2, 100)),
        ("/englishDescription", text(2, 100)),
        ("/type", code(&types, &["movie", "FILM", "МOVIE", "MOVIE\u{0}"])),
        ("/active", flag()),
        ("/colour", vec![Bad(json!("red"), "UNKNOWN_FIELD")]),
    ]
}

#[rustfmt::skip]
fn of_movie() -> Vec<(&'static str, Vec<Try>)> {
    let classes = ["G", "PG", "PG_13", "PG-13", "R", "NC_17", "NC-17", "NR", "XXX"];
    let genres = [
        "ACTION", "ADVENTURE", "ANIMATION", "BIOGRAPHY", "COMEDY", "CRIME", "DOCUMENTARY", "DRAMA", "FAMILY", "FANTASY",
        "HISTORY", "HORROR", "MUSICAL", "MUSIC", "MYSTERY", "ROMANCE", "SCI_FI", "THRILLER", "TV_MOVIE", "WAR", "WESTERN",
    ];
    let mut synopsis = note(10_000);
    synopsis.push(Good(json!("Una línea\ny otra\r\n\tcon sangría")));
    let mut fields = vec![
        ("/title", text(2, 200)),
        ("/imdbId", vec![
            Good(json!(null)), Good(json!("")), Good(json!("tt1")), Good(json!("tt1234567890")),
            Bad(json!("tt"), "INVALID_FORMAT"), Bad(json!("tt12345678901"), "INVALID_FORMAT"),
            Bad(json!("0133093"), "INVALID_FORMAT"), Bad(json!("TT0133093"), "INVALID_FORMAT"),
            Bad(json!("tt０１３３０９３"), "INVALID_FORMAT"), Bad(json!(133_093), "WRONG_TYPE"),
        ]),
        // The clock is at 2026.
        ("/year", vec![
            Good(json!(1900)), Good(json!(2031)), Bad(json!(1899), "TOO_SMALL"), Bad(json!(2032), "TOO_LARGE"),
            Bad(json!(-5), "TOO_SMALL"), Bad(json!(99_999_999_999_i64), "TOO_LARGE"), Bad(json!("1999"), "WRONG_TYPE"),
            Bad(json!(1999.5), "WRONG_TYPE"), Bad(json!(null), "REQUIRED"),
        ]),
        ("/releaseDate", vec![
            Good(json!(null)), Good(json!("2024-02-29")), Bad(json!("2023-02-29"), "INVALID_DATE"),
            Bad(json!("2024-2-9"), "INVALID_DATE"), Bad(json!("29/02/2024"), "INVALID_DATE"),
            Bad(json!("2024-02-29T00:00:00Z"), "INVALID_DATE"), Bad(json!(20_240_229), "WRONG_TYPE"),
        ]),
        ("/durationMinutes", vec![
            Good(json!(1)), Good(json!(i32::MAX)), Bad(json!(0), "TOO_SMALL"), Bad(json!(-1), "TOO_SMALL"),
            Bad(json!(2_147_483_648_i64), "TOO_LARGE"), Bad(json!(90.5), "WRONG_TYPE"), Bad(json!(null), "REQUIRED"),
        ]),
        ("/rating", vec![
            Good(json!(null)), Good(json!(0)), Good(json!(0.1)), Good(json!(10)), Good(json!(8.7)),
            Bad(json!(-0.1), "TOO_SMALL"), Bad(json!(10.1), "TOO_LARGE"), Bad(json!(8.75), "TOO_PRECISE"),
            Bad(json!("8"), "WRONG_TYPE"),
        ]),
        ("/actors", note(2_000)),
        ("/spanishSynopsis", synopsis),
        ("/englishSynopsis", note(10_000)),
        ("/classification", code(&classes, &["pg", "PG14", "TV_14", "ＰＧ"])),
        ("/genres", vec![
            Good(json!([])), Good(json!(genres)), Bad(json!(["DRAMA", "DRAMA"]), "DUPLICATE"),
            BadIn(json!(["DRAMA", "NOIR"]), "genres[1]", "UNKNOWN_VALUE"), BadIn(json!([null]), "genres[0]", "REQUIRED"),
            Bad(json!("DRAMA"), "WRONG_TYPE"),
        ]),
        ("/categoryId", vec![
            Bad(json!(0), "UNKNOWN_REFERENCE"), Bad(json!(999), "UNKNOWN_REFERENCE"), Bad(json!("1"), "WRONG_TYPE"),
            Bad(json!(null), "REQUIRED"), Bad(json!(u64::MAX), "TOO_LARGE"),
        ]),
        ("/reference", note(100)),
        ("/titel", vec![Bad(json!("x"), "UNKNOWN_FIELD")]),
    ];
    fields.extend(["/coverImageUrl", "/backgroundImageUrl", "/trailerUrl"].map(|field| (field, web_address())));
    fields.extend(["/active", "/adultContent", "/monoAudio", "/englishOnly", "/kidsContent"].map(|field| (field, flag())));
    fields
}

fn many_links(count: usize) -> Value {
    let link = |number: usize| json!({"id": format!("l{number}"), "quality": "HD", "url": "https://e.com/x", "audioLanguages": ["HINDI"]});
    (0..count).map(link).collect()
}

#[rustfmt::skip]
fn of_link() -> Vec<(&'static str, Vec<Try>)> {
    let schemes = ["http", "https", "rtmp", "rtmps", "rtsp", "rtp", "udp", "srt", "mms"];
    let mut streams: Vec<Try> = schemes.iter().map(|scheme| Good(url(scheme, 2048))).collect();
    streams.extend([
        Bad(url("https", 2049), "TOO_LONG"), Bad(json!("javascript:alert(1)"), "INVALID_SCHEME"),
        Bad(json!("ftp://e.com/x"), "INVALID_SCHEME"), Bad(json!("e.com/x"), "INVALID_URL"), Bad(json!(""), "REQUIRED"),
        Bad(json!(null), "REQUIRED"),
    ]);
    let duplicates = json!([many_links(1)[0], many_links(1)[0]]);
    vec![
        ("/links", vec![
            Good(many_links(1)), Good(many_links(200)), Bad(json!([]), "TOO_FEW"), Bad(many_links(201), "TOO_MANY"),
            Bad(duplicates, "DUPLICATE"), Bad(json!(null), "REQUIRED"), Bad(json!({}), "WRONG_TYPE"),
            BadIn(json!([5]), "links[0]", "WRONG_TYPE"), BadIn(json!([null]), "links[0]", "REQUIRED"),
        ]),
        ("/links/0/id", vec![
            Good(json!(null)), Good(json!("")), Good(json!("x")), Good(json!("x".repeat(64))),
            Bad(json!("x".repeat(65)), "TOO_LONG"), Bad(json!("a b"), "INVALID_FORMAT"), Bad(json!("ñ"), "INVALID_FORMAT"),
            Bad(json!(1), "WRONG_TYPE"),
        ]),
        ("/links/0/quality", code(&["SD", "HD", "FHD", "4K"], &["8K", "fhd", "UHD"])),
        ("/links/0/url", streams),
        ("/links/0/audioLanguages", vec![
            Good(json!(["spanish", "ENGLISH"])), Bad(json!([]), "TOO_FEW"), Bad(json!(["HINDI", "hindi"]), "DUPLICATE"),
            BadIn(json!(["KLINGON"]), "links[0].audioLanguages[0]", "UNKNOWN_VALUE"), Bad(json!(null), "REQUIRED"),
        ]),
        ("/links/0/subtitleLanguages", vec![
            Good(json!([])), Good(json!(["CATALAN"])), Bad(json!(["HINDI", "HINDI"]), "DUPLICATE"),
            BadIn(json!(["x"]), "links[0].subtitleLanguages[0]", "UNKNOWN_VALUE"),
        ]),
        ("/links/0/active", flag()),
        ("/links/0/createdDate", vec![
            Good(json!(null)), Good(json!("2026-01-02T03:04:05Z")), Bad(json!("yesterday"), "INVALID_DATE"),
            Bad(json!("2026-01-02"), "INVALID_DATE"), Bad(json!(5), "WRONG_TYPE"),
        ]),
        ("/links/0/bitrate", vec![Bad(json!(5), "UNKNOWN_FIELD")]),
    ]
}

fn put(item: &Value, pointer: &str, value: &Value) -> Value {
    let mut item = item.clone();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    item.pointer_mut(parent).unwrap()[name] = value.clone();
    item
}

/// `/links/0/url` as errors name it: `links[0].url`.
fn path(pointer: &str) -> String {
    let dotted = pointer[1..].replace('/', ".");
    dotted.replace(".0.", "[0].")
}

async fn hold(ana: &Client<'_>, kind: &str, sample: &Value, fields: Vec<(&str, Vec<Try>)>) {
    let stored = ana.create(kind, sample).await;
    let one = format!("/api/{kind}/{}", stored["id"]);
    let mut expected = ana.count(kind).await;
    for (pointer, tries) in fields {
        let own = path(pointer);
        for attempt in tries {
            let (value, field, code) = match &attempt {
                Good(value) => {
                    let answer =
                        ana.post(&format!("/api/{kind}")).json(&put(sample, pointer, value)).send().await;
                    assert_eq!(answer.status, 201, "{pointer} {value}: {}", answer.text());
                    expected += 1;
                    continue;
                }
                Bad(value, code) => (value, own.as_str(), code),
                BadIn(value, field, code) => (value, *field, code),
            };
            let item = put(sample, pointer, value);
            let broken = vec![(field.to_owned(), (*code).to_owned())];
            let mut messages = Vec::new();
            for language in ["es", "en"] {
                let requested = ana.post(&format!("/api/{kind}")).header("accept-language", language);
                let answer = requested.json(&item).send().await;
                assert_eq!(answer.field_codes(), broken, "{pointer} {value}");
                assert_problem(&answer, 422, "VALIDATION_FAILED", language);
                messages.push(answer.json()["errors"][0]["message"].clone());
            }
            assert_ne!(messages[0], messages[1], "{pointer} {value}");
            assert_eq!(ana.put(&one).json(&item).send().await.field_codes(), broken, "{pointer} {value}");
        }
    }
    assert_eq!(ana.count(kind).await, expected, "nothing of what was refused is stored");
    assert_eq!(ana.get(&one).send().await.json(), stored);
}

#[actix_web::test]
async fn every_bound_of_a_category_holds() {
    let app = TestApp::new().await;
    hold(&app.manager().await, "categories", &category(), of_category()).await;
}

#[actix_web::test]
async fn every_bound_of_a_film_holds() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    let film = ana.film().await;
    hold(&ana, "movies", &film, of_movie()).await;
}

#[actix_web::test]
async fn every_bound_of_a_link_holds() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    let film = ana.film().await;
    hold(&ana, "movies", &film, of_link()).await;
}

#[test]
fn every_field_has_bounds_here() {
    let document = api::document();
    for (name, prefix, tried) in
        [("Category", "/", of_category()), ("Movie", "/", of_movie()), ("Link", "/links/0/", of_link())]
    {
        for field in document["components"]["schemas"][name]["properties"].as_object().unwrap().keys() {
            // A link's two dates have one rule; a film's links have a table of their own.
            let elsewhere = ["links", "updatedDate"].contains(&field.as_str());
            let pointer = format!("{prefix}{field}");
            assert!(
                elsewhere || tried.iter().any(|(one, _)| *one == pointer),
                "{name}.{field} has no bounds here"
            );
        }
    }
}
