//! A signed-in client of the API.

use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

/// Password of all users in these tests.
pub const PASSWORD: &str = "Contrasena 1";

/// A session. It outlives its process, because sessions are stored in the database.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    cookie: String,
}

/// Reason for no readable response.
#[derive(Debug)]
pub struct NoAnswer(#[expect(dead_code, reason = "printed where a test fails")] pub String);

impl Client {
    pub async fn sign_in(url: &str, username: &str) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().no_proxy().timeout(Duration::from_mins(1)).build().unwrap();
        let body = json!({"username": username, "password": PASSWORD});
        let answer = http.post(format!("{url}/api/auth/login")).json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
        let cookie = answer.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
        Self { http, cookie }
    }

    /// One request. An error means that it is unknown whether it was executed.
    pub async fn send(
        &self,
        url: &str,
        method: Method,
        path: &str,
        key: Option<&str>,
        body: Option<&Value>,
    ) -> Result<(StatusCode, Value), NoAnswer> {
        let mut request =
            self.http.request(method, format!("{url}/api{path}")).header("cookie", &self.cookie);
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let failed = |error: reqwest::Error| NoAnswer(error.to_string());
        let answer = request.send().await.map_err(failed)?;
        let status = answer.status();
        // The status alone acknowledges a write.
        let text = answer.text().await.unwrap_or_default();
        Ok((status, serde_json::from_str(&text).unwrap_or(Value::Null)))
    }

    pub async fn get(&self, url: &str, path: &str) -> (StatusCode, Value) {
        self.send(url, Method::GET, path, None, None).await.unwrap()
    }

    /// Uploads a file, which must be accepted.
    pub async fn upload(&self, url: &str, path: &str, file: String) -> Value {
        let (status, answer) = self.send_file(url, path, file.into_bytes()).await;
        assert!(status.is_success(), "{path}: {status} {answer}");
        answer
    }

    /// Sends a file that may be refused.
    pub async fn send_file(&self, url: &str, path: &str, file: Vec<u8>) -> (StatusCode, Value) {
        self.send_file_in("es", url, path, file).await
    }

    /// The same with a refusal in this language.
    pub async fn send_file_in(
        &self,
        language: &str,
        url: &str,
        path: &str,
        file: Vec<u8>,
    ) -> (StatusCode, Value) {
        let request = self.http.post(format!("{url}/api{path}")).header("cookie", &self.cookie).body(file);
        let request = request.header("accept-language", language);
        // A debug build reads millions of cells.
        let answer = request.timeout(Duration::from_mins(5)).send().await.unwrap();
        (answer.status(), answer.json().await.unwrap())
    }

    /// A response whose body is read in parts.
    pub async fn open(&self, url: &str, path: &str, header: Option<(&str, &str)>) -> reqwest::Response {
        let mut request = self.http.get(format!("{url}/api{path}")).header("cookie", &self.cookie);
        if let Some((name, value)) = header {
            request = request.header(name, value);
        }
        request.send().await.unwrap()
    }

    /// A `PUT` with a version; returns the status.
    pub async fn put(
        &self,
        url: &str,
        path: &str,
        version: &Value,
        body: &Value,
    ) -> Result<StatusCode, NoAnswer> {
        let request = self.http.put(format!("{url}/api{path}")).header("cookie", &self.cookie);
        let answer = request.header("if-match", format!("\"{version}\"")).json(body).send().await;
        answer.map(|answer| answer.status()).map_err(|error| NoAnswer(error.to_string()))
    }

    /// A write that must succeed.
    pub async fn post(&self, url: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.send(url, Method::POST, path, None, Some(body)).await.unwrap();
        assert!(status.is_success(), "{path}: {status} {answer}");
        answer
    }
}
