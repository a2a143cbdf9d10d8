//! Invalid and large files: each gets its verdict in both languages, and the server needs little
//! memory for them.

use std::{fmt::Write as _, io::Write as _, time::Duration};

use flate2::{Compression, Crc, write::DeflateEncoder};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    bulk_operations::{ended, until_running},
    harness::{Client, Server, TestDb, nightly},
    imports::recognised,
};

const UPLOADS: &str = "/users/spreadsheet-imports";
/// Maximum memory of the server above that when idle.
const MOST_MEMORY: u64 = 64 * 1024 * 1024;
/// Maximum rows of an accepted file.
const MOST_ROWS: usize = 100_000;

/// A compressed part of an archive.
struct Part {
    name: &'static str,
    /// 0 is stored, 8 is deflated.
    method: u16,
    packed: Vec<u8>,
    unpacked: usize,
    checksum: u32,
}

impl Part {
    fn stored(name: &'static str, text: &str) -> Self {
        let mut checksum = Crc::new();
        checksum.update(text.as_bytes());
        let (packed, unpacked) = (text.as_bytes().to_vec(), text.len());
        Self { name, method: 0, packed, unpacked, checksum: checksum.sum() }
    }

    /// Mebibytes of tags, each of which is compressed to the same few bytes.
    fn bomb(name: &'static str, mebibytes: usize) -> Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&b"<c/>".repeat(256 * 1024)).unwrap();
        encoder.flush().unwrap();
        let mut packed = encoder.get_ref().repeat(mebibytes);
        // An empty block, which is the last one.
        packed.extend([3_u8, 0]);
        // The checksum is compared at the end, which is never read.
        Self { name, method: 8, packed, unpacked: mebibytes * 1024 * 1024, checksum: 0 }
    }
}

/// A ZIP archive.
fn archive(parts: &[Part]) -> Vec<u8> {
    let number = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    let short = |number: usize| u16::try_from(number).unwrap().to_le_bytes();
    let mut file: Vec<u8> = Vec::new();
    let mut directory: Vec<u8> = Vec::new();
    for part in parts {
        let mut about: Vec<u8> = Vec::new();
        // Required version, no flags, the method; the first hour of 1980.
        for field in [20, 0, part.method, 0, 0x21] {
            about.extend(field.to_le_bytes());
        }
        about.extend(part.checksum.to_le_bytes());
        about.extend(number(part.packed.len()));
        about.extend(number(part.unpacked));
        about.extend(short(part.name.len()));
        about.extend(short(0));
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&about);
        // No comment, the first disk, no attributes; the offset of the part.
        directory.extend([0_u8; 10]);
        directory.extend(number(file.len()));
        directory.extend(part.name.as_bytes());
        file.extend(b"PK\x03\x04");
        file.extend(&about);
        file.extend(part.name.as_bytes());
        file.extend(&part.packed);
    }
    let begin = file.len();
    file.extend(&directory);
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend(short(parts.len()));
    file.extend(short(parts.len()));
    file.extend(number(directory.len()));
    file.extend(number(begin));
    file.extend(short(0));
    file
}

/// A workbook with one worksheet.
fn workbook(sheet: Part) -> Vec<u8> {
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet";
    let target = format!(
        "<Relationships><Relationship Id=\"r1\" Type=\"{kind}\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
    );
    let sheets = "<workbook><sheets><sheet name=\"Clientes\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>";
    archive(&[
        Part::stored("xl/workbook.xml", sheets),
        Part::stored("xl/_rels/workbook.xml.rels", &target),
        Part::stored("xl/sharedStrings.xml", "<sst></sst>"),
        sheet,
    ])
}

/// A worksheet with a formula as a number, one that failed, and merged cells below the table.
fn formulas_and_merged_cells() -> Part {
    let text = |at: &str, text: &str| format!("<c r=\"{at}\" t=\"inlineStr\"><is><t>{text}</t></is></c>");
    let headings = [
        ("A1", "username"),
        ("B1", "email"),
        ("C1", "phoneNumber"),
        ("D1", "credits"),
        ("E1", "expirationDate"),
    ];
    let headings = headings.map(|(at, heading)| text(at, heading)).concat();
    let user = [("A2", "de_un_libro"), ("B2", "a@example.com"), ("C2", "600 123 456"), ("E2", "2030-12-31")];
    let [name, email, phone, end] = user.map(|(at, value)| text(at, value));
    let sum = "<c r=\"D2\"><f>1+2</f><v>3</v></c>";
    let failed = [("A3", "de_otro_libro"), ("B3", "b@example.com"), ("C3", "600 123 457")];
    let failed = failed.map(|(at, value)| text(at, value)).concat();
    let quotient = "<c r=\"D3\" t=\"e\"><f>1/0</f><v>#DIV/0!</v></c>";
    let merged = text("A4", "Total: 1 cliente");
    let rows = format!(
        "<row r=\"1\">{headings}</row><row r=\"2\">{name}{email}{phone}{sum}{end}</row>\
         <row r=\"3\">{failed}{quotient}</row><row r=\"4\">{merged}</row>"
    );
    let sheet = format!(
        "<worksheet><sheetData>{rows}</sheetData><mergeCells count=\"1\"><mergeCell ref=\"A4:E4\"/></mergeCells></worksheet>"
    );
    Part::stored("xl/worksheets/sheet1.xml", &sheet)
}

/// Users below an owner who is in the last row, with this number of additional columns of one
/// character.
fn users(count: usize, columns: usize) -> Vec<u8> {
    let mut file = format!("username;registeredBy;role;email;phoneNumber{}\n", ";a".repeat(columns));
    let more = ";x".repeat(columns);
    for number in 1..count {
        let _ = writeln!(file, "cliente_{number};revende_1;app;a@example.com;600 123 456{more}");
    }
    let _ = writeln!(file, "revende_1;admin;agent;a@example.com;600 123 456{more}");
    file.into_bytes()
}

/// The beginnings of a text in Spanish and in English.
type Texts = [&'static str; 2];

/// Expected outcome of a file.
enum Expected {
    /// It is rejected with this code and text.
    Refused(&'static str, Texts),
    /// It is accepted; its preview adds so many rows, and rejects these: the number in the file, a
    /// code and its text.
    Previewed(usize, &'static [(i64, &'static str, Texts)]),
    /// It is accepted; its preview is cancelled after a part.
    Begun,
}

fn files() -> Vec<(&'static str, Vec<u8>, Expected)> {
    let windows: Vec<u8> =
        "username;fullName;email;phoneNumber\ncliente_1;Begoña Núñez;a@example.com;600 123 456\n"
            .chars()
            .map(|letter| u8::try_from(u32::from(letter)).unwrap())
            .collect();
    let mut damaged = "username;fullName\ncliente_1;Begoña Núñez\n".as_bytes().to_vec();
    damaged.extend(b"cliente_2;Bego\xf1a\n");
    let dates = "username;email;phoneNumber;expirationDate\n\
        cliente_1;a@example.com;600 123 456;31/12/2030\n\
        cliente_2;a@example.com;600 123 456;2030-12-31\n\
        cliente_3;a@example.com;600 123 456;47848\n\
        cliente_4;a@example.com;600 123 456;31/31/2030\n\
        CLIENTE_1;b@example.com;600 123 456;31/12/2030\n";
    let wide = users(500, 195);
    let mut files = vec![
        ("Windows-1252", windows, Expected::Previewed(1, &[])),
        (
            "damaged text",
            damaged,
            Expected::Refused(
                "DAMAGED_TEXT",
                ["El texto del archivo está dañado", "The text of the file is damaged"],
            ),
        ),
        (
            "three notations of dates, and a name twice",
            dates.as_bytes().to_vec(),
            Expected::Previewed(
                3,
                &[
                    (
                        5,
                        "INVALID_DATE",
                        ["La fecha de vencimiento no es válida", "The expiration date is not valid"],
                    ),
                    (
                        6,
                        "DUPLICATE_ROW",
                        ["Es el mismo elemento que el de la fila 2", "It is the same item as that of row 2"],
                    ),
                ],
            ),
        ),
        ("200 columns", wide, Expected::Previewed(500, &[])),
        (
            "formulas and merged cells",
            workbook(formulas_and_merged_cells()),
            Expected::Previewed(
                1,
                &[
                    (3, "FAILED_FORMULA", ["La fórmula de la celda falló", "The formula of the cell failed"]),
                    // The merged cells are a row of their first cell, which is no user name.
                    (4, "INVALID_FORMAT", ["", ""]),
                ],
            ),
        ),
        (
            "a zip bomb",
            workbook(Part::bomb("xl/worksheets/sheet1.xml", 300)),
            Expected::Refused(
                "UNPACKED_TOO_LARGE",
                ["El archivo descomprimido supera 256 MB", "The file unpacks to more than 256 MB"],
            ),
        ),
        ("cells of one character", users(1_800, 1_095), Expected::Begun),
        ("as many rows as a file may have", users(MOST_ROWS, 0), Expected::Begun),
    ];
    if nightly() {
        let texts = ["El archivo tiene más de 100000 filas", "The file has more than 100000 rows"];
        let million = format!("username\n{}", "abc\n".repeat(1_000_000));
        files.push(("a million rows", million.into_bytes(), Expected::Refused("TOO_MANY_ROWS", texts)));
        files.push((
            "as many cells of one character as a file may have",
            users(6_800, 1_095),
            Expected::Begun,
        ));
    }
    files
}

/// Asserts that a preview rejects these rows, and no others, and says why in both languages.
async fn assert_rejects(
    admin: &Client,
    url: &str,
    operation: &Value,
    expected: &[(i64, &'static str, Texts)],
) {
    let path = format!("/operations/{}/rows?verdict=REFUSED&_size=100", operation["id"]);
    let mut messages = Vec::new();
    for (language, index) in [("es", 0), ("en", 1)] {
        let rows: Value =
            admin.open(url, &path, Some(("accept-language", language))).await.json().await.unwrap();
        let rows = rows.as_array().unwrap();
        let numbers: Vec<i64> = rows.iter().map(|row| row["sheetRow"].as_i64().unwrap()).collect();
        assert_eq!(numbers, expected.iter().map(|(number, ..)| *number).collect::<Vec<_>>(), "{rows:?}");
        for (row, (_, code, texts)) in rows.iter().zip(expected) {
            let problems = row["problems"].as_array().unwrap();
            let problem = problems.iter().find(|problem| problem["code"] == *code);
            let message = problem.and_then(|problem| problem["message"].as_str()).unwrap_or_default();
            assert!(!message.is_empty() && message.starts_with(texts[index]), "{language}: {row}");
            messages.push((language, message.to_owned()));
        }
    }
    let (spanish, english) = messages.split_at(expected.len());
    for ((_, spanish), (_, english)) in spanish.iter().zip(english) {
        assert_ne!(spanish, english);
    }
}

async fn preview(admin: &Client, url: &str, uploaded: &Value) -> Value {
    let mut request = recognised(uploaded);
    request["dryRun"] = json!(true);
    admin.post(url, &format!("{UPLOADS}/{}/run", uploaded["id"]), &request).await
}

fn assert_little_memory(server: &Server, idle: u64, name: &str, bytes: usize) {
    let used = server.peak_memory().saturating_sub(idle);
    println!("{name}: {bytes} bytes, {} MiB above idle", used / (1024 * 1024));
    assert!(used <= MOST_MEMORY, "{name}: {} MiB above idle", used / (1024 * 1024));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_and_large_files_get_a_verdict_and_need_little_memory() {
    let db = TestDb::sqlite().await;
    let server = Server::start(&db);
    let url = &server.url;
    let admin = Client::sign_in(url, "admin").await;
    // The code that reads files is loaded at its first run and does not count as memory of a file.
    for file in [users(3, 0), workbook(formulas_and_merged_cells())] {
        let (status, uploaded) = admin.send_file(url, UPLOADS, file).await;
        assert_eq!(status, 201, "{uploaded}");
        ended(&admin, url, &preview(&admin, url, &uploaded).await).await;
    }
    let idle = server.memory();
    for (name, file, expected) in files() {
        server.reset_peak_memory();
        let bytes = file.len();
        if let Expected::Refused(code, texts) = expected {
            for (language, text) in ["es", "en"].into_iter().zip(texts) {
                let (status, refused) = admin.send_file_in(language, url, UPLOADS, file.clone()).await;
                let fault = &refused["errors"][0];
                assert_eq!((status.as_u16(), &fault["code"]), (422, &json!(code)), "{name}: {refused}");
                assert!(fault["message"].as_str().unwrap().starts_with(text), "{name}: {refused}");
            }
            assert_little_memory(&server, idle, name, bytes);
            continue;
        }
        let (status, uploaded) = admin.send_file(url, UPLOADS, file).await;
        match expected {
            Expected::Refused(..) => {}
            Expected::Previewed(created, rejected) => {
                assert_eq!(status, 201, "{name}: {uploaded}");
                let done = ended(&admin, url, &preview(&admin, url, &uploaded).await).await;
                let counts = (&done["counts"]["created"], &done["counts"]["refused"]);
                assert_eq!(counts, (&json!(created), &json!(rejected.len())), "{name}: {done}");
                assert_rejects(&admin, url, &done, rejected).await;
            }
            Expected::Begun => {
                assert_eq!(status, 201, "{name}: {uploaded}");
                let begun = preview(&admin, url, &uploaded).await;
                until_running(&admin, url, &begun).await;
                let cancelled = format!("/operations/{}/cancel", begun["id"]);
                let (status, done) = admin.send(url, Method::POST, &cancelled, None, None).await.unwrap();
                // A preview of few rows may have ended.
                assert!([200, 409].contains(&status.as_u16()), "{name}: {status} {done}");
                let done = ended(&admin, url, &begun).await;
                assert_eq!(done["counts"]["refused"], 0, "{name}: {done}");
            }
        }
        assert_little_memory(&server, idle, name, bytes);
    }
    server.stop(Duration::from_secs(30));
}
