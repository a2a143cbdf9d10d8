//! Folders of files, and what is reported about their lines.

use super::*;

fn folder_with(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        File::create(folder.path().join(name)).unwrap();
    }
    folder
}

#[test]
fn files_are_imported_in_the_order_of_references() {
    let names = ["issue-reports", "credit-operations", "movies", "categories", "users"];
    let files: Vec<String> = names.iter().map(|name| format!("{name}.ndjson")).collect();
    let mut files: Vec<&str> = files.iter().map(String::as_str).collect();
    files.push(".DS_Store");
    let folder = folder_with(&files);
    let found = sources(&[folder.path().to_owned()]).unwrap();
    let found: Vec<&str> = found.iter().map(|one| one.resource.name()).collect();
    assert_eq!(found, ["categories", "movies", "users", "credit-operations", "issue-reports"]);
    assert!(sources(&[tempfile::tempdir().unwrap().path().to_owned()]).is_err());
}

#[test]
fn unknown_or_missing_files_are_named_and_nothing_is_imported() {
    let folder = folder_with(&["movies.ndjson", "films.ndjson", "categories.json"]);
    let error = sources(&[folder.path().to_owned()]).unwrap_err().to_string();
    assert!(error.contains("categories.json") && error.contains("films.ndjson are not"), "{error}");
    let missing = folder.path().join("users.ndjson");
    let error = sources(std::slice::from_ref(&missing)).unwrap_err().to_string();
    assert_eq!(error, format!("{} does not exist", missing.display()));
    let error = sources(&[folder.path().join("nowhere")]).unwrap_err().to_string();
    assert!(error.ends_with("nowhere does not exist"), "{error}");
}

#[test]
fn every_file_is_opened_before_the_first_is_imported() {
    let folder = folder_with(&["users.ndjson"]);
    // A socket can't be opened as a file, not even by root.
    let reports = folder.path().join("issue-reports.ndjson");
    let _socket = std::os::unix::net::UnixListener::bind(&reports).unwrap();
    let error = sources(&[folder.path().join("users.ndjson"), reports.clone()]).unwrap_err().to_string();
    assert_eq!(error, format!("{} can't be opened", reports.display()));
}

fn read(bytes: Vec<u8>) -> Vec<(u64, Result<Value, String>)> {
    let mut lines = Lines::new(Cursor::new(bytes));
    let batch = lines.batch(100, &ProgressBar::hidden()).unwrap();
    batch.into_iter().map(|line| (line.number, line.json)).collect()
}

#[test]
fn the_demo_catalogue_is_embedded_completely() {
    for (kind, packed) in DEMO {
        let lines = read(unpacked(packed).unwrap());
        assert!(!lines.is_empty(), "{kind:?}");
        assert!(lines.iter().all(|(_, json)| json.is_ok()), "{kind:?}");
    }
}

#[test]
fn lines_have_their_numbers_blank_ones_and_a_byte_order_mark_included() {
    let read = read(b"\xEF\xBB\xBF{\"a\":1}\r\n\n  \n{\"b\":2}\n{\"c\": x}".to_vec());
    assert_eq!((read[0].0, &read[0].1), (1, &Ok(serde_json::json!({"a": 1}))));
    assert_eq!((read[1].0, &read[1].1), (4, &Ok(serde_json::json!({"b": 2}))));
    assert_eq!((read[2].0, &read[2].1), (5, &Err("expected value at column 7".to_owned())));
}

#[test]
fn a_line_that_is_too_long_is_refused_and_the_next_one_read() {
    let longest = usize::try_from(LONGEST_LINE).unwrap();
    let mut bytes = vec![b' '; longest + 5_000_000];
    bytes.extend_from_slice(b"\n{\"a\":1}\n");
    let fits = vec![b' '; longest - 2];
    bytes.extend(fits.into_iter().chain(*b"7\n8"));
    let read = read(bytes);
    assert_eq!((read[0].0, &read[0].1), (1, &Err("longer than 16 MB".to_owned())));
    assert_eq!((read[1].0, &read[1].1), (2, &Ok(serde_json::json!({"a": 1}))));
    assert_eq!(read[2..], [(3, Ok(Value::from(7))), (4, Ok(Value::from(8)))]);
}
