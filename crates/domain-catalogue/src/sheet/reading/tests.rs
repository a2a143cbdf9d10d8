//! Rows with their content, or their invalid cells.

use domain_kernel::{DraftReader, REPLACED_BY_SERVER, fold, for_each_kind};
use serde_json::json;

use super::*;
use crate::{
    Category, Movie, TvChannel,
    sheet::headings::{import_columns, links_in_headings},
};

fn object(item: &impl serde::Serialize) -> Map<String, Value> {
    match serde_json::to_value(item) {
        Ok(Value::Object(fields)) => fields,
        other => panic!("{other:?}"),
    }
}

fn columns<C: Content>(keys: &[&str]) -> Vec<Option<SheetColumn>> {
    let known = import_columns(&DraftReader::<C>::new(), links_in_headings(keys.iter().copied()));
    keys.iter().map(|key| known.iter().find(|column| column.key == *key).cloned()).collect()
}

/// Reads a row of texts. Categories 1 and 2 have the name Acción, 3 is Drama.
fn read<C: Content>(row: &[(&str, &str)]) -> RowDraft {
    let keys: Vec<&str> = row.iter().map(|(key, _)| *key).collect();
    let cells: Vec<Cell> = row.iter().map(|(_, text)| Cell::Text((*text).into())).collect();
    let names = [(1, "accion"), (2, "accion"), (3, "drama")];
    let context = RowContext {
        locale: Locale::Spanish,
        named: &|_, name| names.iter().filter(|(_, known)| fold(name) == *known).map(|(id, _)| *id).collect(),
        is_called: &|_, id, name| names.contains(&(id, fold(name).as_str())),
    };
    read_row(&columns::<C>(&keys), &cells, &context)
}

#[test]
fn fields_without_a_value_get_those_of_the_defaults_with_their_violations() {
    let defaults = read::<Movie>(&[("categoryId.name", "Drama"), ("year", "mil"), ("durationMinutes", "90")]);
    for (row, expected, faults) in [
        // No column, and an empty cell.
        (
            vec![("title", "Uno"), ("durationMinutes", "")],
            (json!(3), json!(90)),
            vec![("year", "NOT_NUMERIC")],
        ),
        // Its own values remain.
        (
            vec![("categoryId", "1"), ("year", "1927"), ("durationMinutes", "120")],
            (json!(1), json!(120)),
            vec![],
        ),
        // Invalid cells are not replaced.
        (
            vec![("categoryId.name", "Acción"), ("year", "x")],
            (Value::Null, json!(90)),
            vec![("categoryId", "AMBIGUOUS"), ("year", "NOT_NUMERIC")],
        ),
    ] {
        let mut draft = read::<Movie>(&row);
        draft.fill(&defaults);
        let mut item = Map::new();
        draft.apply(&mut item);
        let field = |name: &str| item.get(name).cloned().unwrap_or_default();
        assert_eq!((field("categoryId"), field("durationMinutes")), expected, "{row:?}");
        let mut found = problems(&draft);
        found.sort_unstable();
        assert_eq!(found, faults, "{row:?}");
    }
}

fn problems(draft: &RowDraft) -> Vec<(&str, &str)> {
    draft.problems.iter().map(|problem| (problem.field.as_str(), problem.code.as_str())).collect()
}

#[test]
fn a_row_changes_the_fields_of_its_cells_and_no_others() {
    let mut film = object(&Movie::sample());
    let before = film.clone();
    let draft = read::<Movie>(&[("title", " Dune "), ("rating", "8,3"), ("actors", ""), ("active", "no")]);
    assert!(draft.apply(&mut film).is_empty());
    assert_eq!(
        (&film["title"], &film["rating"], &film["actors"]),
        (&json!("Dune"), &json!(8.3), &Value::Null)
    );
    assert_eq!((&film["active"], &film["year"]), (&json!(false), &before["year"]));
    let mut lines = Map::from_iter([("spanishSynopsis".to_owned(), json!("a\r\nb"))]);
    read::<Movie>(&[("spanishSynopsis", "a\nb")]).apply(&mut lines);
    assert_eq!(lines["spanishSynopsis"], "a\r\nb", "another line end is no change");
}

#[test]
fn names_replace_ids_and_must_agree_with_them() {
    let category = |row: &[(&str, &str)]| {
        let draft = read::<Movie>(row);
        let found = draft.fields.get("categoryId").cloned();
        let codes: Vec<String> =
            draft.problems.iter().map(|problem| problem.code.as_str().to_owned()).collect();
        (found, codes.join(","))
    };
    let ok = |id: i64| (Some(json!(id)), String::new());
    let no = |code: &str| (None, code.to_owned());
    assert_eq!(category(&[("categoryId.name", "DRAMA")]), ok(3));
    assert_eq!(category(&[("categoryId.name", "Acción")]), no("AMBIGUOUS"));
    assert_eq!(category(&[("categoryId.name", "Otra")]), no("UNKNOWN_NAME"));
    assert_eq!(category(&[("categoryId", "2"), ("categoryId.name", "Acción")]), ok(2));
    assert_eq!(category(&[("categoryId", "3"), ("categoryId.name", "")]), ok(3));
    assert_eq!(category(&[("categoryId", ""), ("categoryId.name", "Drama")]), ok(3));
    assert_eq!(category(&[("categoryId", "3"), ("categoryId.name", "Acción")]), no("CONTRADICTORY"));
    assert_eq!(category(&[("categoryId", "x"), ("categoryId.name", "Drama")]), no("NOT_NUMERIC"));
    let channel = read::<TvChannel>(&[("categories", "3, 1"), ("categories.name", "Drama, Acción")]);
    assert_eq!((channel.fields["categories"].clone(), problems(&channel)), (json!([3, 1]), vec![]));
    let channel = read::<TvChannel>(&[("categories.name", "Drama; Drama")]);
    assert_eq!(channel.fields["categories"], json!([3, 3]));
}

#[test]
fn links_keep_their_places_and_their_identity() {
    let stored = json!({"links": [
        {"id": "a", "url": "u1", "quality": "HD", "updatedDate": "x", "subtitleLanguages": []},
        {"id": "b", "url": "u2", "quality": "HD", "updatedDate": "x"},
        {"id": "c", "url": "u3"},
    ]});
    let applied = |row: &[(&str, &str)]| {
        let mut item = object(&stored);
        let places = read::<Movie>(row).apply(&mut item);
        let ids: Vec<String> = item["links"]
            .as_array()
            .unwrap()
            .iter()
            .map(|link| {
                format!(
                    "{}{}",
                    link["id"].as_str().unwrap_or("-"),
                    if link.get("updatedDate").is_some() { "" } else { "*" }
                )
            })
            .collect();
        (ids.join(" "), places)
    };
    assert_eq!(applied(&[("link1_url", "u1"), ("link1_subtitles", "")]), ("a b c*".into(), vec![0, 1, 2]));
    assert_eq!(applied(&[("link2_url", "new")]), ("a b* c*".into(), vec![0, 1, 2]));
    assert_eq!(applied(&[("link1_url", ""), ("link1_quality", "")]), ("b c*".into(), vec![1, 2]));
    assert_eq!(applied(&[("link1_quality", ""), ("link4_quality", "")]), ("a b c*".into(), vec![0, 1, 2]));
    assert_eq!(applied(&[("link5_url", "new")]), ("a b c* -*".into(), vec![0, 1, 2, 4]));
    assert_eq!(SheetColumn::key_of("links[1].audioLanguages[0]"), "link2_audio");
    assert_eq!(SheetColumn::key_of("categories[0]"), "categories");
}

#[test]
fn a_natural_key_is_complete_or_a_prefix() {
    let key = |row: &[(&str, &str)]| read::<Movie>(row).natural_key::<Movie>();
    let whole = |text: &str| Some(NaturalKey::Whole(text.to_owned()));
    let begins = |text: &str| Some(NaturalKey::Beginning(text.to_owned()));
    assert_eq!(key(&[("title", "Dune"), ("year", "2021"), ("reference", "R")]), whole("dune\n2021\nr"));
    assert_eq!(key(&[("title", "Dune"), ("year", "2021"), ("reference", "")]), whole("dune\n2021\n"));
    assert_eq!(key(&[("title", "Dune"), ("year", "2021")]), begins("dune\n2021\n"));
    assert_eq!(key(&[("title", "Dune")]), begins("dune\n"));
    assert_eq!(key(&[("year", "2021")]), None);
    assert_eq!(key(&[("title", ""), ("year", "2021")]), None);
    assert_eq!(key(&[("title", "Dune"), ("year", "x")]), None);
}

#[test]
fn the_defaults_complete_a_natural_key() {
    let key = |row: &[(&str, &str)], defaults: &[(&str, &str)]| {
        read::<Movie>(row).filled_key::<Movie>(&read::<Movie>(defaults))
    };
    let whole = |text: &str| Some(NaturalKey::Whole(text.to_owned()));
    let begins = |text: &str| Some(NaturalKey::Beginning(text.to_owned()));
    let year: &[(&str, &str)] = &[("year", "2021")];
    assert_eq!(key(&[("title", "Dune"), ("year", ""), ("reference", "")], year), whole("dune\n2021\n"));
    assert_eq!(key(&[("title", "Dune"), ("reference", "R")], year), whole("dune\n2021\nr"));
    assert_eq!(key(&[("title", "Dune")], year), begins("dune\n2021\n"));
    // A value of the row is not replaced, even if it is invalid.
    assert_eq!(key(&[("title", "Dune"), ("year", "1984")], year), None);
    assert_eq!(key(&[("title", "Dune"), ("year", "x")], year), None);
    for useless in [&[("year", "x")], &[("year", "")], &[("durationMinutes", "90")]] {
        assert_eq!(key(&[("title", "Dune"), ("year", "")], useless), None, "{useless:?}");
    }
    let category = read::<Category>(&[("description", "Drama")]);
    let defaults = read::<Category>(&[("type", "MOVIE")]);
    assert_eq!(category.natural_key::<Category>(), None);
    assert_eq!(category.filled_key::<Category>(&defaults), whole("MOVIE\ndrama"));
}

#[test]
fn empty_cells_of_the_natural_key_leave_an_item_as_it_is() {
    let mut film = object(&Movie::sample());
    let before = film.clone();
    let mut draft = read::<Movie>(&[("title", "Dune"), ("year", ""), ("reference", ""), ("actors", "")]);
    draft.keep_key::<Movie>();
    draft.apply(&mut film);
    assert_eq!((&film["year"], &film["reference"]), (&before["year"], &before["reference"]));
    assert_eq!((&film["title"], &film["actors"]), (&json!("Dune"), &Value::Null));
}

macro_rules! every_kind {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
        #[test]
        fn every_kind_has_a_line_of_its_key_for_each_field_and_imports_writable_fields() {
            $({
                let sample = crate::$type::sample();
                let fields = <crate::$type as Content>::NATURAL_KEY;
                assert_eq!(sample.natural_key().split('\n').count(), fields.len(), $path);
                for (line, field) in fields.iter().enumerate() {
                    let mut item = object(&sample);
                    item[*field] = match &item[*field] {
                        Value::Number(number) => json!(number.as_i64().unwrap() + 1),
                        Value::String(code) if *field == "type" && code == "MOVIE" => json!("TV_CHANNEL"),
                        Value::String(_) if *field == "type" => json!("MOVIE"),
                        _ => json!("other"),
                    };
                    let other: crate::$type = serde_json::from_value(item.into()).unwrap();
                    let (before, after) = (sample.natural_key(), other.natural_key());
                    let differ: Vec<usize> = before.split('\n').zip(after.split('\n')).enumerate()
                        .filter(|(_, (one, other))| one != other).map(|(line, _)| line).collect();
                    assert_eq!(differ, [line], "{field} of {}", $path);
                }
                let columns = import_columns(&DraftReader::<crate::$type>::new(), 1);
                assert_eq!(columns[0].key, "id");
                assert!(columns[1..].iter().all(|column| !REPLACED_BY_SERVER.contains(&column.key.as_str())));
            })+
        }
    };
}
for_each_kind!(every_kind);
