//! Composition of statements.

use adapter_seaorm::Sql;
use sea_orm::{DbBackend, Statement, Value};

fn text_of(sql: &str, backend: DbBackend) -> String {
    Sql::new(sql).statement(backend).sql
}

fn values_of(statement: Statement) -> Vec<Value> {
    statement.values.unwrap().0
}

#[test]
fn wildcards_are_ordinary_characters() {
    let mut sql = Sql::default();
    sql.push_like("m.a", r"100%_\o/");
    let statement = sql.statement(DbBackend::Postgres);
    assert_eq!(statement.sql, r"m.a LIKE $1 ESCAPE '\'");
    assert_eq!(values_of(statement), [Value::from(r"%100\%\_\\o/%")]);
}

#[test]
fn values_are_numbered_in_order() {
    let mut sql = Sql::new("SELECT ");
    sql.bind(1).push(", ").bind("x");
    assert_eq!(sql.clone().statement(DbBackend::Postgres).sql, "SELECT $1, $2");
    sql.push(", '$.name'").bind_all(3..=10);
    let statement = sql.clone().statement(DbBackend::Sqlite);
    assert_eq!(statement.sql, format!("SELECT ?, ?, '$.name'{}", ["?"; 8].join(", ")));
    let bound = [Value::from(1), "x".into()].into_iter().chain((3..=10).map(Value::from));
    assert_eq!(values_of(statement), bound.collect::<Vec<_>>());
    let numbered = "SELECT $1, $2, '$.name'$3, $4, $5, $6, $7, $8, $9, $10";
    assert_eq!(sql.statement(DbBackend::Postgres).sql, numbered);
}

#[test]
fn only_placeholders_lose_their_numbers_in_sqlite() {
    for (text, plain) in [
        ("", ""),
        ("SELECT 1", "SELECT 1"),
        ("$1$2, $3", "??, ?"),
        ("'$.name', $1, '$[0].url' = $2, '$'", "'$.name', ?, '$[0].url' = ?, '$'"),
        ("$1 || '$1' || $2 || '$10'", "? || '$1' || ? || '$10'"),
        ("'$2' $1", "'$2' ?"),
        ("$$1 $$", "$? $$"),
        ("'ñ$é' $1ñ$", "'ñ$é' ?ñ$"),
    ] {
        assert_eq!(text_of(text, DbBackend::Sqlite), plain, "{text}");
        assert_eq!(text_of(text, DbBackend::Postgres), text);
    }
    let numbered: Vec<String> = (1..=1_200).map(|number| format!("${number}")).collect();
    assert_eq!(text_of(&numbered.join(", "), DbBackend::Sqlite), vec!["?"; 1_200].join(", "));
}
