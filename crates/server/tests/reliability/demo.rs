//! The demo catalogue is loaded into an empty catalogue, and reverts no change by staff.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;

use crate::harness::{Client, Server, TestDb, on_both_databases};

on_both_databases! {
    async fn the_demo_catalogue_is_loaded_once_and_reverts_nothing(db: &TestDb) {
        let server = Server::start_with_demo(db);
        let admin = Client::sign_in(&server.url, "admin").await;
        let (_, loaded) = admin.get(&server.url, "/movies?_size=2").await;
        let total = loaded["totalElements"].as_u64().unwrap();
        assert!(total > 200, "{loaded}");
        let path = |place: usize| format!("/movies/{}", loaded["content"][place]["id"]);
        let longer = json!({"durationMinutes": 999});
        let (status, edited) =
            admin.send(&server.url, Method::PATCH, &path(0), None, Some(&longer)).await.unwrap();
        assert_eq!(status, 200, "{edited}");
        let (status, answer) = admin.send(&server.url, Method::DELETE, &path(1), None, None).await.unwrap();
        assert_eq!(status, 204, "{answer}");
        server.stop(Duration::from_secs(30));

        let server = Server::start_with_demo(db);
        let (_, film) = admin.get(&server.url, &path(0)).await;
        assert_eq!((&film["durationMinutes"], &film["version"]), (&json!(999), &edited["version"]), "{film}");
        let (_, movies) = admin.get(&server.url, "/movies?_size=1").await;
        assert_eq!(movies["totalElements"], total - 1, "deleted items stay deleted");
        server.stop(Duration::from_secs(30));
    }

    async fn the_demo_catalogue_is_not_loaded_with_content_in_the_trash_only(db: &TestDb) {
        let server = Server::start(db);
        let admin = Client::sign_in(&server.url, "admin").await;
        let category = json!({"description": "Cine", "englishDescription": "Cinema", "type": "MOVIE"});
        let added = admin.post(&server.url, "/categories", &category).await;
        let path = format!("/categories/{}", added["id"]);
        let (status, answer) = admin.send(&server.url, Method::DELETE, &path, None, None).await.unwrap();
        assert_eq!(status, 204, "{answer}");
        server.stop(Duration::from_secs(30));

        let server = Server::start_with_demo(db);
        let (_, categories) = admin.get(&server.url, "/categories?_size=1").await;
        assert_eq!(categories["totalElements"], 0, "{categories}");
        server.stop(Duration::from_secs(30));
    }
}
