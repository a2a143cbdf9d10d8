//! Clients, requests and responses.

use std::net::SocketAddr;

use actix_web::{
    cookie::Cookie,
    http::{Method, header::HeaderMap},
    test::TestRequest,
};
use domain_catalogue::{Category, Content, Movie};
use serde_json::{Value, json};

use crate::app::{PASSWORD, TestApp};

/// A client.
#[derive(Clone)]
pub struct Client<'a> {
    app: &'a TestApp,
    pub cookie: Option<(String, String)>,
    key: Option<String>,
}

impl<'a> Client<'a> {
    pub fn new(app: &'a TestApp, cookie: Option<(String, String)>) -> Self {
        Self { app, cookie, key: None }
    }

    /// An integrator with a key.
    pub fn with_key(app: &'a TestApp, key: &str) -> Self {
        Self { app, cookie: None, key: Some(key.to_owned()) }
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder<'a> {
        let mut request = TestRequest::with_uri(path)
            .method(method)
            .peer_addr(SocketAddr::from(([192, 0, 2, 1], 5000)))
            .insert_header(("host", "cartelera.example"));
        if let Some((name, value)) = &self.cookie {
            request = request.cookie(Cookie::new(name.clone(), value.clone()));
        }
        if let Some(key) = &self.key {
            request = request.insert_header(("authorization", format!("Bearer {key}")));
        }
        RequestBuilder { app: self.app, request }
    }

    pub fn get(&self, path: &str) -> RequestBuilder<'a> {
        self.request(Method::GET, path)
    }

    pub fn post(&self, path: &str) -> RequestBuilder<'a> {
        self.request(Method::POST, path)
    }

    pub fn put(&self, path: &str) -> RequestBuilder<'a> {
        self.request(Method::PUT, path)
    }

    pub fn patch(&self, path: &str) -> RequestBuilder<'a> {
        self.request(Method::PATCH, path)
    }

    pub fn delete(&self, path: &str) -> RequestBuilder<'a> {
        self.request(Method::DELETE, path)
    }

    /// Creates an item; returns it as stored.
    pub async fn create(&self, kind: &str, item: &Value) -> Value {
        let answer = self.post(&format!("/api/{kind}")).json(item).send().await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.json()
    }

    /// Registers a user; returns it as stored.
    pub async fn register(&self, username: &str, role: &str) -> Value {
        self.create("users", &new_user(username, role)).await
    }

    /// The total of a kind's list.
    pub async fn count(&self, kind: &str) -> u64 {
        self.get(&format!("/api/{kind}")).send().await.json()["totalElements"].as_u64().unwrap()
    }

    /// A valid film with an existing category.
    pub async fn film(&self) -> Value {
        let category = self.create("categories", &category()).await;
        let mut film = serde_json::to_value(Movie::sample()).unwrap();
        film["categoryId"] = category["id"].clone();
        film
    }
}

/// A valid category.
pub fn category() -> Value {
    serde_json::to_value(Category::sample()).unwrap()
}

/// A valid user.
pub fn new_user(username: &str, role: &str) -> Value {
    json!({
        "username": username, "fullName": format!("Persona {username}"), "email": "persona@example.com",
        "phoneNumber": "+34 600 000 000", "address": "Calle 1", "comment": null, "password": PASSWORD,
        "roleCode": role,
    })
}

/// A request before it is sent.
pub struct RequestBuilder<'a> {
    app: &'a TestApp,
    request: TestRequest,
}

impl RequestBuilder<'_> {
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.request = self.request.insert_header((name, value));
        self
    }

    pub fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string())
    }

    pub fn body(mut self, kind: &str, body: impl Into<actix_web::web::Bytes>) -> Self {
        self.request = self.request.insert_header(("content-type", kind)).set_payload(body);
        self
    }

    pub fn cookie(mut self, cookie: Cookie<'static>) -> Self {
        self.request = self.request.cookie(cookie);
        self
    }

    pub fn at_address(mut self, address: [u8; 4]) -> Self {
        self.request = self.request.peer_addr(SocketAddr::from((address, 5000)));
        self
    }

    pub async fn send(self) -> Answer {
        (self.app.handle)(self.request).await
    }
}

/// The response to a request.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Answer {
    pub async fn read(answer: actix_web::HttpResponse) -> Self {
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        // A stream of events has no end.
        if headers.get("content-type").is_some_and(|media| media == "text/event-stream") {
            return Self { status, headers, body: Vec::new() };
        }
        let body = actix_web::body::to_bytes(answer.into_body()).await;
        let body = body.map_err(|_| "the body failed").unwrap().to_vec();
        Self { status, headers, body }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{} {}", self.status, self.text()))
    }

    /// The session's cookie that it sets.
    pub fn cookie(&self) -> Option<Cookie<'static>> {
        self.cookies().find(|cookie| !cookie.name().ends_with("-device"))
    }

    /// The device's cookie that it sets.
    pub fn device_cookie(&self) -> Option<Cookie<'static>> {
        self.cookies().find(|cookie| cookie.name().ends_with("-device"))
    }

    fn cookies(&self) -> impl Iterator<Item = Cookie<'static>> {
        let values = self.headers.get_all("set-cookie").filter_map(|value| value.to_str().ok());
        values.filter_map(|value| Cookie::parse_encoded(value.to_owned()).ok())
    }

    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }

    /// Fields and messages of the violations.
    pub fn field_messages(&self) -> Vec<(String, String)> {
        let json = self.json();
        assert_eq!(self.status, 422, "{json}");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let errors = json["errors"].as_array().unwrap().iter();
        errors.map(|one| (text(&one["field"]), text(&one["message"]))).collect()
    }

    /// Fields and codes of the violations.
    pub fn field_codes(&self) -> Vec<(String, String)> {
        let json = self.json();
        assert_eq!(self.status, 422, "{json}");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        json["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (text(&one["field"]), text(&one["code"])))
            .collect()
    }
}
