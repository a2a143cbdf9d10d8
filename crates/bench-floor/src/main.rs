//! A measuring stick, not a product: what this machine can do with the same rows, so that `just bench` speaks in
//! ratios. The calls of films with hand-written SQL on a copy of Cartelera's own SQLite file: no session, no
//! permission, no rules, no other kind. Nobody should run it for anything else.
//!
//! What makes it fast: totals out of the kept counts, statements prepared once, a connection for each worker and no
//! thread in between, far pages walked from the nearer end over narrow indexes, one writer at a time, WAL. What is
//! written is on the disk before it is answered (`synchronous=FULL`), as Cartelera has it.
//!
//!     bench-floor DATABASE [PORT]

use std::{
    cell::OnceCell,
    collections::HashMap,
    fmt::Write,
    path::PathBuf,
    sync::{Mutex, OnceLock, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use actix_web::{
    App, HttpResponse, HttpServer,
    error::ErrorInternalServerError,
    web::{Bytes, Path, Query, get, patch, post, resource},
};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, types::ValueRef};
use serde_json::{Value, json};

static FILE: OnceLock<PathBuf> = OnceLock::new();
static WRITER: Mutex<Option<Connection>> = Mutex::new(None);

thread_local! {
    static READER: OnceCell<Connection> = const { OnceCell::new() };
}

/// How a column becomes JSON.
#[derive(Clone, Copy, PartialEq)]
enum As {
    Itself,
    Flag,
    Json,
    Time,
}

const COLUMNS: [(&str, &str, As); 24] = [
    ("id", "id", As::Itself),
    ("version", "version", As::Itself),
    ("views", "views", As::Itself),
    ("createdDate", "created_date", As::Time),
    ("updatedDate", "updated_date", As::Time),
    ("title", "title", As::Itself),
    ("imdbId", "imdb_id", As::Itself),
    ("year", "year", As::Itself),
    ("releaseDate", "release_date", As::Itself),
    ("durationMinutes", "duration_minutes", As::Itself),
    ("rating", "rating", As::Itself),
    ("actors", "actors", As::Itself),
    ("classification", "classification", As::Itself),
    ("genres", "genres", As::Json),
    ("categoryId", "category_id", As::Itself),
    ("coverImageUrl", "cover_image_url", As::Itself),
    ("backgroundImageUrl", "background_image_url", As::Itself),
    ("trailerUrl", "trailer_url", As::Itself),
    ("reference", "reference", As::Itself),
    ("active", "active", As::Flag),
    ("adultContent", "adult_content", As::Flag),
    ("monoAudio", "mono_audio", As::Flag),
    ("englishOnly", "english_only", As::Flag),
    ("kidsContent", "kids_content", As::Flag),
];
/// What only the single item carries.
const DETAILS: [(&str, &str, As); 3] = [
    ("spanishSynopsis", "spanish_synopsis", As::Itself),
    ("englishSynopsis", "english_synopsis", As::Itself),
    ("links", "links", As::Json),
];
/// What a list shows of the category.
const CATEGORY: [(&str, &str, As); 3] = [
    ("id", "id", As::Itself),
    ("description", "description", As::Itself),
    ("englishDescription", "english_description", As::Itself),
];

type Result<T> = rusqlite::Result<T>;

fn open() -> Result<Connection> {
    let connection = Connection::open(FILE.get().expect("set at the start"))?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.set_prepared_statement_cache_capacity(128);
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = 1; \
         PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000;",
    )?;
    Ok(connection)
}

fn read<T>(work: impl FnOnce(&Connection) -> Result<T>) -> actix_web::Result<T> {
    READER
        .with(|reader| work(reader.get_or_init(|| open().expect("the database opens"))))
        .map_err(ErrorInternalServerError)
}

fn write<T>(work: impl FnOnce(&Connection) -> Result<T>) -> actix_web::Result<T> {
    let mut writer = WRITER.lock().unwrap_or_else(PoisonError::into_inner);
    let writer = writer.get_or_insert_with(|| open().expect("the database opens"));
    work(writer).map_err(ErrorInternalServerError)
}

fn names(prefix: &str, columns: &[(&str, &str, As)]) -> String {
    columns.iter().map(|(_, column, _)| format!("{prefix}{column}")).collect::<Vec<_>>().join(", ")
}

/// Columns of a row, from the `first` on, as the inside of a JSON object.
fn append(json: &mut String, row: &Row, first: usize, columns: &[(&str, &str, As)]) -> Result<()> {
    for (index, (name, _, shape)) in columns.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let _ = write!(json, "{comma}\"{name}\":");
        let _ = match (row.get_ref(first + index)?, shape) {
            (ValueRef::Integer(number), As::Flag) => write!(json, "{}", number != 0),
            (ValueRef::Integer(number), _) => write!(json, "{number}"),
            (ValueRef::Real(number), _) => write!(json, "{number}"),
            (ValueRef::Text(text), As::Json) => write!(json, "{}", std::str::from_utf8(text)?),
            (ValueRef::Text(text), As::Time) => {
                write!(json, "\"{}Z\"", std::str::from_utf8(text)?.trim_end_matches("+00:00"))
            }
            (ValueRef::Text(text), _) => write!(json, "{}", Value::from(std::str::from_utf8(text)?)),
            _ => write!(json, "null"),
        };
    }
    Ok(())
}

fn item(connection: &Connection, id: i64) -> Result<Option<String>> {
    let sql = format!("SELECT {}, {} FROM movies WHERE id = ?1", names("", &COLUMNS), names("", &DETAILS));
    let object = |row: &Row| {
        let mut json = String::with_capacity(2048);
        json.push('{');
        append(&mut json, row, 0, &COLUMNS)?;
        json.push(',');
        append(&mut json, row, COLUMNS.len(), &DETAILS)?;
        json.push('}');
        Ok(json)
    };
    connection.prepare_cached(&sql)?.query_row([id], object).optional()
}

/// Rows and their number.
fn page(connection: &Connection, asked: &HashMap<String, String>) -> Result<(String, u64, u64, u64)> {
    let number = |name: &str, otherwise| asked.get(name).and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let (size, page) = (number("_size", 10), number("_page", 0));
    let sort = asked.get("_sort").map_or("id", String::as_str);
    let (column, descending) = match (sort.trim_start_matches(['-', '+', ' ']), sort.starts_with('-')) {
        ("title", descending) => ("title_key", descending),
        ("year", descending) => ("year", descending),
        ("views", descending) => ("views", descending),
        (_, descending) => ("id", descending),
    };
    let category: Option<i64> = asked.get("categoryId").and_then(|text| text.parse().ok());
    let text = asked.get("search").map(|text| text.to_lowercase().replace('ó', "o"));
    let phrase = text.as_ref().map(|text| format!("\"{text}\""));
    // What is looked for, and where: in the search index, along the narrow index of its text, or by the category.
    let (source, id, condition, value): (&str, &str, &str, Option<&dyn ToSql>) = match (&text, &category) {
        (Some(text), _) if text.chars().count() >= 3 => {
            ("movies_search", "rowid", "movies_search MATCH ?1", phrase.as_ref().map(|phrase| phrase as _))
        }
        (Some(text), _) => ("movies", "id", "instr(search_text, ?1) > 0", Some(text)),
        (None, Some(category)) if column == "id" => ("movies", "id", "category_id = ?1", Some(category)),
        (None, Some(category)) => ("movies", "id", "+category_id = ?1", Some(category)),
        (None, None) => ("movies", "id", "?1 IS NULL", None),
    };
    let value = value.unwrap_or(&None::<i64>);
    let counted = match &text {
        Some(_) => format!("SELECT count(*) FROM {source} WHERE {condition}"),
        None => format!("SELECT coalesce(sum(total), 0) FROM movies_counts WHERE {condition}"),
    };
    let total: u64 = connection.prepare_cached(&counted)?.query_row([value], |row| row.get(0))?;
    let offset = (page * size).min(total);
    let taken = size.min(total - offset);
    let from_end = offset > total / 2;
    let skipped = if from_end { total - offset - taken } else { offset };
    let direction = if descending == from_end { "ASC" } else { "DESC" };
    let order = if column == "id" { id } else { column };
    let sql = format!(
        "SELECT {}, {} FROM (SELECT {id} AS id FROM {source} WHERE {condition} \
         ORDER BY {order} {direction}, {id} {direction} LIMIT ?2 OFFSET ?3) p \
         CROSS JOIN movies m ON m.id = p.id CROSS JOIN categories c ON c.id = m.category_id",
        names("m.", &COLUMNS),
        names("c.", &CATEGORY)
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query((value, taken, skipped))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let mut json = String::with_capacity(1024);
        json.push('{');
        append(&mut json, row, 0, &COLUMNS)?;
        json.push_str(",\"category\":{");
        append(&mut json, row, COLUMNS.len(), &CATEGORY)?;
        json.push_str("}}");
        found.push(json);
    }
    if from_end {
        found.reverse();
    }
    Ok((found.join(","), total, page, size))
}

async fn list(asked: Query<HashMap<String, String>>) -> actix_web::Result<HttpResponse> {
    let (rows, total, page, size) = read(|connection| page(connection, &asked))?;
    let pages = total.div_ceil(size);
    Ok(answer(format!(
        "{{\"content\":[{rows}],\"page\":{page},\"size\":{size},\"totalPages\":{pages},\"totalElements\":{total}}}"
    )))
}

fn answer(json: String) -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(json)
}

fn found(json: Option<String>) -> HttpResponse {
    json.map_or_else(|| HttpResponse::NotFound().finish(), answer)
}

async fn find(id: Path<i64>) -> actix_web::Result<HttpResponse> {
    Ok(found(read(|connection| item(connection, *id))?))
}

/// The values of what was sent, and of the columns that follow from them.
fn values(body: &[u8]) -> Vec<(&'static str, Value)> {
    let sent: Value = serde_json::from_slice(body).unwrap_or_default();
    let title = sent["title"].as_str().unwrap_or_default().to_lowercase();
    let year = &sent["year"];
    let mut values: Vec<_> = COLUMNS[5..]
        .iter()
        .chain(&DETAILS)
        .map(|(name, column, shape)| {
            let value = if *shape == As::Json { Value::from(sent[name].to_string()) } else { sent[name].clone() };
            (*column, value)
        })
        .collect();
    values.push(("title_key", json!(title)));
    values.push(("natural_key", json!(format!("{title}\n{year}"))));
    values.push(("search_text", json!(format!("{title}\n{year}"))));
    values.push(("updated_date", json!(now())));
    values
}

/// The time as the file has it; the calendar is the database's business here.
fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let sql = "SELECT strftime('%Y-%m-%dT%H:%M:%S+00:00', ?1, 'unixepoch')";
    let asked = read(|connection| connection.prepare_cached(sql)?.query_row([since.as_secs()], |row| row.get(0)));
    asked.unwrap_or_default()
}

fn run(connection: &Connection, sql: &str, values: &[(&str, Value)], id: i64) -> Result<usize> {
    let mut statement = connection.prepare_cached(sql)?;
    for (index, (_, value)) in values.iter().enumerate() {
        match value {
            Value::Bool(flag) => statement.raw_bind_parameter(index + 1, flag)?,
            Value::Number(number) if number.is_i64() => statement.raw_bind_parameter(index + 1, number.as_i64())?,
            Value::Number(number) => statement.raw_bind_parameter(index + 1, number.as_f64())?,
            Value::String(text) => statement.raw_bind_parameter(index + 1, text)?,
            _ => statement.raw_bind_parameter(index + 1, None::<i64>)?,
        }
    }
    if id > 0 {
        statement.raw_bind_parameter(values.len() + 1, id)?;
    }
    statement.raw_execute()
}

async fn create(body: Bytes) -> actix_web::Result<HttpResponse> {
    let mut values = values(&body);
    values.extend([("version", json!(1)), ("views", json!(0)), ("created_date", json!(now()))]);
    let columns = values.iter().map(|(column, _)| *column).collect::<Vec<_>>().join(", ");
    let places = vec!["?"; values.len()].join(", ");
    let sql = format!("INSERT INTO movies ({columns}) VALUES ({places})");
    let json = write(|connection| {
        run(connection, &sql, &values, 0)?;
        item(connection, connection.last_insert_rowid())
    })?;
    Ok(found(json))
}

async fn replace(id: Path<i64>, body: Bytes) -> actix_web::Result<HttpResponse> {
    let values = values(&body);
    let sets = values.iter().map(|(column, _)| format!("{column} = ?")).collect::<Vec<_>>().join(", ");
    let sql = format!("UPDATE movies SET {sets}, version = version + 1 WHERE id = ?");
    let json = write(|connection| {
        run(connection, &sql, &values, *id)?;
        item(connection, *id)
    })?;
    Ok(found(json))
}

async fn toggle(id: Path<i64>, body: Bytes) -> actix_web::Result<HttpResponse> {
    let sent: Value = serde_json::from_slice(&body).unwrap_or_default();
    let values = [("active", sent["active"].clone()), ("updated_date", json!(now()))];
    let sql = "UPDATE movies SET active = ?, updated_date = ?, version = version + 1 WHERE id = ?";
    let json = write(|connection| {
        run(connection, sql, &values, *id)?;
        item(connection, *id)
    })?;
    Ok(found(json))
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or_else(|| std::io::Error::other("bench-floor DATABASE [PORT]"))?;
    let port = arguments.next().and_then(|port| port.parse().ok()).unwrap_or(0);
    let _ = FILE.set(file.into());
    let server = HttpServer::new(|| {
        App::new()
            .service(resource("/api/movies").route(get().to(list)).route(post().to(create)))
            .service(resource("/api/movies/{id}").route(get().to(find)).route(actix_web::web::put().to(replace)))
            .service(resource("/api/movies/{id}/status").route(patch().to(toggle)))
    })
    .bind(("127.0.0.1", port))?;
    println!("The measuring stick is at http://{}", server.addrs()[0]);
    server.run().await
}
