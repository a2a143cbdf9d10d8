//! Headings with the columns that they are matched with.

use super::*;
use crate::Movie;

type Chosen = HashMap<String, Option<String>>;

fn labels(columns: &[SheetColumn], labels: &[(&str, &str)]) -> Vec<String> {
    let label = |column: &SheetColumn| {
        let known = labels.iter().find(|(key, _)| *key == column.key);
        known.map_or(column.key.as_str(), |(_, label)| label).to_owned()
    };
    columns.iter().map(label).collect()
}

/// The columns of headings among those of movies, and the language.
fn matched(headings: &[&str], chosen: &Chosen, preferred: Locale) -> (Vec<MatchedHeading>, Locale) {
    let columns = import_columns(&DraftReader::<Movie>::new(), 3);
    let spanish = [
        ("title", "Título"),
        ("year", "Año"),
        ("durationMinutes", "Duración (min)"),
        ("imdbId", "ID de IMDB"),
        ("categoryId", "Categoría (ID)"),
        ("categoryId.name", "Categoría"),
        ("releaseDate", "Fecha de estreno"),
        ("actors", "Reparto"),
        ("reference", "Cast"),
    ];
    let english = [
        ("title", "Title"),
        ("year", "Year"),
        ("durationMinutes", "Length (min)"),
        ("imdbId", "IMDB ID"),
        ("categoryId", "Category (ID)"),
        ("categoryId.name", "Category ID"),
        ("releaseDate", "Release date"),
        ("actors", "Cast"),
        ("reference", "Reference"),
    ];
    let (spanish, english) = (labels(&columns, &spanish), labels(&columns, &english));
    let others = [("released_in", "year", None), ("running time", "durationMinutes", Some(Locale::English))];
    let names = ColumnNames { columns: &columns, spanish: &spanish, english: &english, others: &others };
    let headings: Vec<String> = headings.iter().map(|heading| (*heading).to_owned()).collect();
    match_headings(&names, &headings, chosen, preferred)
}

fn key(key: &str) -> MatchedHeading {
    MatchedHeading { key: Some(key.to_owned()), fits: Vec::new() }
}

fn unclear(fits: &[&str]) -> MatchedHeading {
    MatchedHeading { key: None, fits: fits.iter().map(|key| (*key).to_owned()).collect() }
}

#[test]
fn a_heading_is_a_column_however_it_is_written() {
    for (heading, expected) in [
        ("Título", key("title")),
        (" titulo ", key("title")),
        ("TÍTULO *", key("title")),
        ("*Título:", key("title")),
        ("Title (*)", key("title")),
        ("Año", key("year")),
        ("ano", key("year")),
        ("Year (YYYY)", key("year")),
        ("released-in", key("year")),
        ("IMDB ID", key("imdbId")),
        ("imdb-id", key("imdbId")),
        ("imdb_id", key("imdbId")),
        ("imdbId", key("imdbId")),
        ("ID_de–IMDB", key("imdbId")),
        ("Duración (min)", key("durationMinutes")),
        ("duracion", key("durationMinutes")),
        ("Duración [minutos] *", key("durationMinutes")),
        ("duracion_min", key("durationMinutes")),
        ("Running Time, mins", key("durationMinutes")),
        ("duration minutes (min)", key("durationMinutes")),
        // Other values than those of the column.
        ("Duración (h)", unclear(&[])),
        ("Título (min)", unclear(&[])),
        ("min", unclear(&[])),
        ("Fecha de estreno (dd/mm/aaaa)", key("releaseDate")),
        ("Release-Date (yyyy-mm-dd)", key("releaseDate")),
        ("Categoría", key("categoryId.name")),
        ("categoria (id)", key("categoryId")),
        // The label of the names, and the key of the ids.
        ("category id", key("categoryId.name")),
        ("Link 1 URL", key("link1_url")),
        ("LINK3-quality", key("link3_quality")),
        // The label of one column in Spanish, and of another in English.
        ("Cast", unclear(&["actors", "reference"])),
        ("Notas", unclear(&[])),
        ("*", unclear(&[])),
        ("", unclear(&[])),
    ] {
        assert_eq!(matched(&[heading], &Chosen::new(), Locale::Spanish).0, [expected], "{heading:?}");
    }
}

#[test]
fn of_two_headings_of_one_column_neither_is_matched() {
    let (found, locale) = matched(&["titulo", "YEAR", "Año *", "Notas"], &Chosen::new(), Locale::English);
    let expected = [key("title"), unclear(&["year"]), unclear(&["year"]), unclear(&[])];
    assert_eq!((found, locale), (expected.to_vec(), Locale::Spanish));
}

#[test]
fn the_language_is_that_of_most_headings() {
    for (headings, locale) in [
        (&["Running time"][..], Locale::English),
        (&["Título", "Año", "Year"][..], Locale::Spanish),
        (&["imdbId", "released in"][..], Locale::Spanish),
    ] {
        assert_eq!(matched(headings, &Chosen::new(), Locale::Spanish).1, locale, "{headings:?}");
    }
}

#[test]
fn what_was_chosen_for_a_heading_precedes_names() {
    let some = |key: &str| Some(key.to_owned());
    let chosen = Chosen::from([
        ("notas_internas".to_owned(), some("actors")),
        ("titulo".to_owned(), None),
        ("anno".to_owned(), some("year")),
        ("fecha".to_owned(), some("views")),
    ]);
    let headings = ["Título *", "Notas internas", "Anno", "Año", "Fecha"];
    let expected = [unclear(&[]), key("actors"), key("year"), unclear(&[]), unclear(&[])];
    assert_eq!(matched(&headings, &chosen, Locale::English).0, expected);

    // Headings of earlier files that were written differently, with different columns.
    let chosen =
        Chosen::from([("mi titulo".to_owned(), some("title")), ("mi_titulo".to_owned(), some("reference"))]);
    for (heading, expected) in
        [("Mi título", key("title")), ("MI_TITULO", key("reference")), ("mi-titulo", unclear(&[]))]
    {
        assert_eq!(matched(&[heading], &chosen, Locale::English).0, [expected], "{heading}");
    }
    let chosen = Chosen::from([("a".to_owned(), some("title")), ("b".to_owned(), some("title"))]);
    let (both, _) = matched(&["a", "b", "Título"], &chosen, Locale::Spanish);
    assert_eq!(both, [unclear(&["title"]), unclear(&["title"]), unclear(&["title"])]);
}

#[test]
fn links_are_counted_however_their_headings_are_written() {
    for (heading, links) in [
        ("link3_url", 3),
        ("LINK12_x", 12),
        ("Link 4 URL", 4),
        ("links", 0),
        ("link2", 0),
        ("link5000_url", 0),
        ("link999999999999_url", 0),
    ] {
        assert_eq!(links_in_headings([heading].into_iter()), links, "{heading}");
    }
}
