//! The baseline of the benchmark, not a product: the throughput of this machine with the same rows, so that
//! `just bench` reports ratios. The calls of films with hand-written SQL on a copy of Cartelera's own
//! database file: no session, no permission, no rules, no other kind.
//!
//! Optimisations: totals from the counter table, statements prepared once, one connection per worker without
//! a thread in between, far pages read from the nearer end over narrow indexes, one writer at a time, WAL.
//! Writes are on the disk before the response (`synchronous=FULL`), as in Cartelera.
//!
//!     bench-floor DATABASE [PORT]

use std::{
    cell::OnceCell,
    collections::HashMap,
    fmt::Write,
    path::PathBuf,
    sync::{LazyLock, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use actix_web::{
    App, HttpResponse, HttpServer,
    error::ErrorInternalServerError,
    web::{Bytes, Path, Query, get, patch, post, put, resource},
};
use rusqlite::{Connection, OptionalExtension, Result, Row, ToSql, types::ValueRef};
use serde_json::{Value, json};

static FILE: OnceLock<PathBuf> = OnceLock::new();
static WRITER: Mutex<Option<Connection>> = Mutex::new(None);

thread_local! {
    static READER: OnceCell<Connection> = const { OnceCell::new() };
}

/// JSON type of a column.
#[derive(Clone, Copy)]
enum As {
    Itself,
    Flag,
    Json,
    Time,
}

/// A column, its encoded JSON name, and its type.
type Fields = LazyLock<Vec<(&'static str, String, As)>>;

static ROW: Fields = LazyLock::new(|| {
    fields(
        "id version views created_date updated_date title imdb_id year release_date duration_minutes rating actors \
         classification genres category_id cover_image_url background_image_url trailer_url reference active \
         adult_content mono_audio english_only kids_content",
    )
});
/// Columns omitted from the list.
static OMITTED_FROM_LIST: Fields = LazyLock::new(|| fields("spanish_synopsis english_synopsis links"));
/// Columns of the category in a list.
static CATEGORY: Fields = LazyLock::new(|| fields("id description english_description"));

fn fields(columns: &'static str) -> Vec<(&'static str, String, As)> {
    let shape = |column| match column {
        "genres" | "links" => As::Json,
        "created_date" | "updated_date" => As::Time,
        "active" | "adult_content" | "mono_audio" | "english_only" | "kids_content" => As::Flag,
        _ => As::Itself,
    };
    columns.split(' ').map(|column| (column, format!("\"{}\":", camel(column)), shape(column))).collect()
}

fn camel(column: &str) -> String {
    let mut parts = column.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| name + &part[..1].to_uppercase() + &part[1..])
}

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

fn names(prefix: &str, fields: &Fields) -> String {
    fields.iter().map(|(column, ..)| format!("{prefix}{column}")).collect::<Vec<_>>().join(", ")
}

/// Appends the columns of a row, from `first` on, as the inside of a JSON object.
fn append(json: &mut String, row: &Row, first: usize, fields: &Fields) -> Result<()> {
    for (index, (_, name, shape)) in fields.iter().enumerate() {
        json.push_str(if index == 0 { "" } else { "," });
        json.push_str(name);
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
    let sql =
        format!("SELECT {}, {} FROM movies WHERE id = ?1", names("", &ROW), names("", &OMITTED_FROM_LIST));
    let object = |row: &Row| {
        let mut json = String::with_capacity(2048);
        json.push('{');
        append(&mut json, row, 0, &ROW)?;
        json.push(',');
        append(&mut json, row, ROW.len(), &OMITTED_FROM_LIST)?;
        json.push('}');
        Ok(json)
    };
    connection.prepare_cached(&sql)?.query_row([id], object).optional()
}

/// A page of rows with the total.
fn page(connection: &Connection, parameters: &HashMap<String, String>) -> Result<(String, i64, i64, i64)> {
    let number = |name: &str, or| parameters.get(name).and_then(|text| text.parse().ok()).unwrap_or(or);
    let (size, page) = (number("_size", 10), number("_page", 0));
    let sort = parameters.get("_sort").map_or("id", String::as_str);
    let (column, descending) = match (sort.trim_start_matches(['-', '+', ' ']), sort.starts_with('-')) {
        ("title", descending) => ("title_key", descending),
        ("year", descending) => ("year", descending),
        ("views", descending) => ("views", descending),
        (_, descending) => ("id", descending),
    };
    let category: Option<i64> = parameters.get("categoryId").and_then(|text| text.parse().ok());
    let text = parameters.get("search").map(|text| text.to_lowercase().replace('ó', "o"));
    let phrase = text.as_ref().map(|text| format!("\"{text}\""));
    // Source of the rows: the search index, the index of the short search, or the category.
    let (source, id, condition, value): (&str, &str, &str, Option<&dyn ToSql>) = match (&text, &category) {
        (Some(text), _) if text.chars().count() < 3 => {
            ("movies", "id", "instr(search_text, ?1) > 0", Some(text))
        }
        (Some(_), _) => {
            ("movies_search", "rowid", "movies_search MATCH ?1", phrase.as_ref().map(|it| it as _))
        }
        (None, Some(category)) if column == "id" => ("movies", "id", "category_id = ?1", Some(category)),
        (None, Some(category)) => ("movies", "id", "+category_id = ?1", Some(category)),
        (None, None) => ("movies", "id", "?1 IS NULL", None),
    };
    let value = value.unwrap_or(&None::<i64>);
    let counted = match &text {
        Some(_) => format!("SELECT count(*) FROM {source} WHERE {condition}"),
        None => format!("SELECT coalesce(sum(total), 0) FROM movies_counts WHERE {condition}"),
    };
    let total: i64 = connection.prepare_cached(&counted)?.query_row([value], |row| row.get(0))?;
    // For many matches in another order, the first ones are found sooner along that order.
    let (source, id, condition, value): (_, _, _, &dyn ToSql) = match &text {
        Some(text) if id == "rowid" && column != "id" => ("movies", "id", "instr(search_text, ?1) > 0", text),
        _ => (source, id, condition, value),
    };
    let offset = (page * size).min(total);
    let length = size.min(total - offset);
    let from_end = offset > total / 2;
    let skipped = if from_end { total - offset - length } else { offset };
    let direction = if descending == from_end { "ASC" } else { "DESC" };
    let order = if column == "id" { id } else { column };
    let sql = format!(
        "SELECT {}, {} FROM (SELECT {id} AS id FROM {source} WHERE {condition} \
         ORDER BY {order} {direction}, {id} {direction} LIMIT ?2 OFFSET ?3) p \
         CROSS JOIN movies m ON m.id = p.id CROSS JOIN categories c ON c.id = m.category_id",
        names("m.", &ROW),
        names("c.", &CATEGORY)
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query((value, length, skipped))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let mut json = String::with_capacity(1024);
        json.push('{');
        append(&mut json, row, 0, &ROW)?;
        json.push_str(",\"category\":{");
        append(&mut json, row, ROW.len(), &CATEGORY)?;
        json.push_str("}}");
        found.push(json);
    }
    if from_end {
        found.reverse();
    }
    Ok((found.join(","), total, page, size))
}

async fn list(parameters: Query<HashMap<String, String>>) -> actix_web::Result<HttpResponse> {
    let (rows, total, page, size) = read(|connection| page(connection, &parameters))?;
    Ok(found(Some(format!(
        "{{\"content\":[{rows}],\"page\":{page},\"size\":{size},\"totalPages\":{},\"totalElements\":{total}}}",
        (total + size - 1) / size
    ))))
}

fn found(json: Option<String>) -> HttpResponse {
    let answer = |json| HttpResponse::Ok().content_type("application/json").body::<String>(json);
    json.map_or_else(|| HttpResponse::NotFound().finish(), answer)
}

async fn find(id: Path<i64>) -> actix_web::Result<HttpResponse> {
    read(|connection| item(connection, *id)).map(found)
}

/// Values of the request body, and of derived columns.
fn values(body: &[u8]) -> Vec<(&'static str, Value)> {
    let sent: Value = serde_json::from_slice(body).unwrap_or_default();
    let title = sent["title"].as_str().unwrap_or_default().to_lowercase();
    let year = &sent["year"];
    let mut values: Vec<_> = ROW[5..]
        .iter()
        .chain(OMITTED_FROM_LIST.iter())
        .map(|(column, ..)| {
            let value = &sent[camel(column)];
            (*column, if value.is_array() { Value::from(value.to_string()) } else { value.clone() })
        })
        .collect();
    values.extend([("title_key", json!(title)), ("natural_key", json!(format!("{title}\n{year}")))]);
    values.push(("search_text", json!(format!("{title}\n{year}"))));
    values
}

/// Executes a statement with these values and returns the written item: `id`, or the new one.
fn written(sql: &str, values: &[(&str, Value)], id: Option<i64>) -> actix_web::Result<HttpResponse> {
    let sql = sql.replace("NOW", "strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')");
    write(|connection| {
        let mut statement = connection.prepare_cached(&sql)?;
        for (index, (_, value)) in values.iter().enumerate() {
            match value {
                Value::Bool(flag) => statement.raw_bind_parameter(index + 1, flag)?,
                Value::Number(number) => statement.raw_bind_parameter(index + 1, number.as_f64())?,
                other => statement.raw_bind_parameter(index + 1, other.as_str())?,
            }
        }
        if let Some(id) = id {
            statement.raw_bind_parameter(values.len() + 1, id)?;
        }
        statement.raw_execute()?;
        item(connection, id.unwrap_or_else(|| connection.last_insert_rowid()))
    })
    .map(found)
}

async fn create(body: Bytes) -> actix_web::Result<HttpResponse> {
    let values = values(&body);
    let columns = values.iter().map(|(column, _)| *column).collect::<Vec<_>>().join(", ");
    let places = vec!["?"; values.len()].join(", ");
    let sql = format!(
        "INSERT INTO movies ({columns}, version, views, created_date, updated_date) VALUES ({places}, 1, 0, NOW, NOW)"
    );
    written(&sql, &values, None)
}

async fn replace(id: Path<i64>, body: Bytes) -> actix_web::Result<HttpResponse> {
    let values = values(&body);
    let sets = values.iter().map(|(column, _)| format!("{column} = ?")).collect::<Vec<_>>().join(", ");
    let sql = format!("UPDATE movies SET {sets}, updated_date = NOW, version = version + 1 WHERE id = ?");
    written(&sql, &values, Some(*id))
}

async fn toggle(id: Path<i64>, body: Bytes) -> actix_web::Result<HttpResponse> {
    let sent: Value = serde_json::from_slice(&body).unwrap_or_default();
    let sql = "UPDATE movies SET active = ?, updated_date = NOW, version = version + 1 WHERE id = ?";
    written(sql, &[("active", sent["active"].clone())], Some(*id))
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
            .service(resource("/api/movies/{id}").route(get().to(find)).route(put().to(replace)))
            .service(resource("/api/movies/{id}/status").route(patch().to(toggle)))
    })
    .bind(("127.0.0.1", port))?;
    println!("Baseline is listening on http://{}", server.addrs()[0]);
    server.run().await
}
