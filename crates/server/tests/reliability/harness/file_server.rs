//! A local server of one file to fetch.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Setting that allows the binary to fetch from this machine.
pub const FETCHES_FROM_HERE: [(&str, &str); 1] = [("CARTELERA_FETCH_ALLOW", "127.0.0.0/8")];

/// Answers every request with its file, and counts the requests.
pub struct FileServer {
    url: String,
    file: Arc<Mutex<String>>,
    requests: Arc<AtomicUsize>,
}

impl FileServer {
    /// A server on a free port.
    pub fn start(file: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/file", listener.local_addr().unwrap());
        let (file, requests) = (Arc::new(Mutex::new(file)), Arc::new(AtomicUsize::new(0)));
        let (served, counted) = (file.clone(), requests.clone());
        thread::spawn(move || {
            for connection in listener.incoming() {
                let Ok(mut connection) = connection else { continue };
                let lines = BufReader::new(&connection).lines().map_while(Result::ok);
                if lines.take_while(|line| !line.is_empty()).count() == 0 {
                    continue;
                }
                counted.fetch_add(1, Ordering::SeqCst);
                let file = served.lock().unwrap().clone();
                let length = file.len();
                // A client that has disconnected gets no response.
                drop(write!(
                    connection,
                    "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{file}"
                ));
            }
        });
        Self { url, file, requests }
    }

    /// URL of the file.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Replaces the file.
    pub fn replace(&self, file: String) {
        *self.file.lock().unwrap() = file;
    }

    /// Number of answered requests.
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}
