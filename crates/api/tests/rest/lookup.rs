//! Filling forms with values of the film database.

use domain_kernel::RoleCode;
use serde_json::json;

use crate::app::TestApp;

#[actix_web::test]
async fn a_film_fills_the_form_with_the_known_values() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    for path in
        ["/api/lookup/titles/tt0133093?as=movie", "/api/lookup/titles/0133093", "/api/lookup/titles/133093"]
    {
        let answer = ana.get(path).send().await;
        let expected = json!({
            "draft": {
                "imdbId": "tt0133093", "title": "The Matrix", "year": 1999, "durationMinutes": 136,
                "genres": ["ACTION", "SCI_FI"],
            },
            "unmatchedGenres": ["Film-Noir"],
        });
        assert_eq!((answer.status, answer.json()), (200, expected), "{path}");
    }
}

#[actix_web::test]
async fn errors_have_the_texts_of_the_specification() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    for (path, status, code, message) in [
        ("titles/tt0000001", 404, "NOT_FOUND", "Película no encontrada en IMDB"),
        (
            "titles/tt0903747",
            422,
            "WRONG_TITLE_TYPE",
            "El ID de IMDB proporcionado no corresponde a una película.",
        ),
        ("titles/tt0000503", 502, "UPSTREAM_FAILED", "Error al buscar en IMDB"),
        ("titles/tt0000408", 502, "UPSTREAM_FAILED", "Error al buscar en IMDB"),
        ("search?title=zzzz", 404, "NOT_FOUND", "No se encontraron películas"),
        ("search?title=broken", 502, "UPSTREAM_FAILED", "Error al buscar en IMDB"),
    ] {
        let spanish = ana.get(&format!("/api/lookup/{path}")).send().await;
        assert_eq!((spanish.status, spanish.code()), (status, code.to_owned()), "{path}");
        assert!(
            spanish.json()["message"].as_str().unwrap().starts_with(message),
            "{path}: {}",
            spanish.text()
        );
        let english = ana.get(&format!("/api/lookup/{path}")).header("accept-language", "en").send().await;
        assert_ne!(english.json()["message"], spanish.json()["message"], "{path}");
        assert_eq!(english.status, status);
    }
}

#[actix_web::test]
async fn invalid_lookups_are_refused() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    for (path, field, code) in [
        ("titles/abc", "ttid", "INVALID_FORMAT"),
        ("titles/tt12345678901", "ttid", "INVALID_FORMAT"),
        ("titles/tt0133093?as=game", "as", "UNKNOWN_VALUE"),
        ("search", "title", "REQUIRED"),
        ("search?title=%20", "title", "REQUIRED"),
        ("search?title=matrix&year=x", "year", "WRONG_TYPE"),
    ] {
        let answer = ana.get(&format!("/api/lookup/{path}")).send().await;
        assert_eq!(answer.field_codes(), vec![(field.to_owned(), code.to_owned())], "{path}");
    }
}

#[actix_web::test]
async fn a_search_returns_its_results() {
    let app = TestApp::new().await;
    let answer = app.manager().await.get("/api/lookup/search?title=matrix&year=1999").send().await;
    let found = json!({"imdbId": "tt0133093", "title": "The Matrix", "year": "1999", "posterUrl": null});
    assert_eq!(answer.json(), json!({"results": [found]}));
    let agent = app.sign_in_as(RoleCode::Agent).await;
    assert_eq!(agent.get("/api/lookup/search?title=matrix").send().await.status, 403);
}
