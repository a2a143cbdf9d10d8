//! The common parts of the tables of all kinds of content: server-managed columns, indexes of the list,
//! counter tables, and the search index. docs/adr/0006-lists-at-a-million.md has the reasons and the figures.

use sea_orm::DbBackend;
use sea_orm_migration::{prelude::*, schema::*};

use crate::outbox_triggers::create_content_triggers;

/// A column of folded text, with byte order on both databases, independent of PostgreSQL's locale.
pub fn key(name: &'static str, backend: DbBackend) -> ColumnDef {
    let mut column = text(name);
    if backend == DbBackend::Postgres {
        column.extra("COLLATE \"C\"");
    }
    column
}

/// A table of one kind of content.
pub struct Content<'a> {
    pub table: &'static str,
    /// Sortable columns, beside id and dates.
    pub sorts: &'static [&'static str],
    /// Filter columns with their SQL types; the counter table has a row for each combination of them.
    pub facets: &'a [(&'a str, &'a str)],
}

impl Content<'_> {
    /// A table with the server-managed columns.
    pub fn columns(&self, backend: DbBackend) -> TableCreateStatement {
        Table::create()
            .table(self.table)
            .col(big_integer("id").auto_increment().primary_key())
            .col(big_integer("version"))
            .col(big_integer("views"))
            .col(timestamp_with_time_zone("created_date"))
            .col(timestamp_with_time_zone("updated_date"))
            // Identifies the item in an import.
            .col(key("natural_key", backend))
            // Folded searchable text of the list.
            .col(text("search_text"))
            .to_owned()
    }

    /// Creates the table of a kind that was added after migration 67, with its indexes, counter table, search
    /// index and outbox triggers. `path` is its name in paths.
    pub async fn create(
        &self,
        manager: &SchemaManager<'_>,
        mut table: TableCreateStatement,
        path: &str,
    ) -> Result<(), DbErr> {
        table.col(text_null("updated_by"));
        manager.create_table(table).await?;
        self.create_indexes(manager).await?;
        let facets: Vec<&str> = self.facets.iter().map(|(column, _)| *column).collect();
        let (name, on) = updated_by_index(self.table, &facets.join(", "));
        self.run(manager, &format!("CREATE INDEX {name} ON {on}")).await?;
        self.spread_counts(manager).await?;
        create_content_triggers(manager, self.table, path).await
    }

    /// Creates the indexes of further filters of titles.
    pub async fn index_media(&self, manager: &SchemaManager<'_>, media: Media) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let table = self.table;
        for (name, on, condition) in media_indexes(backend, media) {
            self.run(manager, &format!("CREATE INDEX {table}_{name} ON {table} {on} {condition}")).await?;
        }
        if media.links {
            for (name, on) in link_indexes(backend) {
                self.run(manager, &format!("CREATE INDEX {table}_by_{name}_link ON {table} ({on})")).await?;
            }
            create_row_triggers(manager, &address_triggers(backend, table)).await?;
        }
        // Items are compared by it to find duplicates.
        let on = format!("{table} (title_key, year, id)");
        self.run(manager, &format!("CREATE INDEX {table}_by_title_and_year ON {on}")).await
    }

    /// Creates the indexes of other filters: flags ([`FLAGS`]) and calendar days. The migration of a later
    /// kind calls it (docs/adding-a-content-type.md, scripts/new-kind).
    pub async fn index_filters(&self, manager: &SchemaManager<'_>, columns: &[&str]) -> Result<(), DbErr> {
        let table = self.table;
        let facets: Vec<&str> = self.facets.iter().map(|(column, _)| *column).collect();
        for column in columns {
            let on = format!("{table} ({column}, id, {})", facets.join(", "));
            self.run(manager, &format!("CREATE INDEX {table}_by_{column} ON {on}")).await?;
        }
        Ok(())
    }

    /// Creates the indexes, the counter table and the search index.
    pub async fn create_indexes(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let table = self.table;
        let facets: Vec<&str> = self.facets.iter().map(|(column, _)| *column).collect();
        for column in self.sorts.iter().copied().chain(["created_date", "updated_date"]) {
            // The filter columns are included, so that a filtered list scans the index only.
            let covered: Vec<&str> = [column, "id"]
                .into_iter()
                .chain(facets.iter().copied().filter(|facet| *facet != column))
                .collect();
            self.run(
                manager,
                &format!("CREATE INDEX {table}_by_{column} ON {table} ({})", covered.join(", ")),
            )
            .await?;
        }
        // For selective filters; the first one also supports the foreign key.
        for facet in facets.iter().filter(|facet| !self.sorts.contains(facet)) {
            let others: Vec<&str> = [*facet, "id"]
                .into_iter()
                .chain(facets.iter().copied().filter(|other| other != facet))
                .collect();
            self.run(manager, &format!("CREATE INDEX {table}_by_{facet} ON {table} ({})", others.join(", ")))
                .await?;
        }
        if manager.get_database_backend() == DbBackend::Sqlite {
            // Rows are wide, and SQLite has no narrow index of ids by default.
            let sql = format!("CREATE INDEX {table}_by_id ON {table} (id, {})", facets.join(", "));
            self.run(manager, &sql).await?;
        }
        self.run(manager, &format!("CREATE INDEX {table}_by_natural_key ON {table} (natural_key)")).await?;
        self.create_counters(manager).await?;
        self.index_text(manager).await
    }

    /// Drops the table with its dependents.
    pub async fn drop(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let table = self.table;
        if manager.get_database_backend() == DbBackend::Sqlite {
            self.run(manager, &format!("DROP TABLE {table}_search")).await?;
        }
        self.run(manager, &format!("DROP TABLE {table}")).await?;
        self.run(manager, &format!("DROP TABLE {table}_counts")).await
    }

    /// Reverts [`Self::create`].
    pub async fn drop_created(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        self.drop(manager).await?;
        // Dropping a table fires no triggers of its rows.
        let kind = self.table.replace('_', "-");
        self.run(manager, &format!("DELETE FROM item_addresses WHERE kind = '{kind}'")).await?;
        if manager.get_database_backend() != DbBackend::Sqlite {
            for function in ["add", "count"] {
                let sql = format!("DROP FUNCTION {}_counts_{function}", self.table);
                self.run(manager, &sql).await?;
            }
            for (function, ..) in address_triggers(DbBackend::Postgres, self.table) {
                self.run(manager, &format!("DROP FUNCTION IF EXISTS {function}")).await?;
            }
        }
        Ok(())
    }

    async fn run(&self, manager: &SchemaManager<'_>, sql: &str) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared(sql).await.map(drop)
    }

    /// Creates the counter table, with one row per combination of filter columns, and the triggers that
    /// update it, so that totals read a few rows instead of scanning the table.
    pub async fn create_counters(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let table = self.table;
        let names: Vec<&str> = self.facets.iter().map(|(column, _)| *column).collect();
        let typed: Vec<String> =
            self.facets.iter().map(|(column, sql_type)| format!("{column} {sql_type} NOT NULL")).collect();
        let keys = names.join(", ");
        self.run(
            manager,
            &format!(
                "CREATE TABLE {table}_counts ({}, total bigint NOT NULL, PRIMARY KEY ({keys}))",
                typed.join(", ")
            ),
        )
        .await?;
        let of = |row: &str| names.iter().map(|name| format!("{row}.{name}")).collect::<Vec<_>>().join(", ");
        let add = format!(
            "INSERT INTO {table}_counts ({keys}, total) VALUES ({}, 1) \
             ON CONFLICT ({keys}) DO UPDATE SET total = {table}_counts.total + 1;",
            of("new")
        );
        let matches: Vec<String> = names.iter().map(|name| format!("{name} = old.{name}")).collect();
        let take = format!("UPDATE {table}_counts SET total = total - 1 WHERE {};", matches.join(" AND "));
        if manager.get_database_backend() == DbBackend::Sqlite {
            let differs: Vec<String> =
                names.iter().map(|name| format!("old.{name} IS NOT new.{name}")).collect();
            let moved = differs.join(" OR ");
            for (event, when, body) in [
                ("INSERT", String::new(), add.clone()),
                ("DELETE", String::new(), take.clone()),
                ("UPDATE", format!("WHEN {moved}"), format!("{take} {add}")),
            ] {
                let name = event.to_lowercase();
                self.run(
                    manager,
                    &format!("CREATE TRIGGER {table}_counts_{name} AFTER {event} ON {table} {when} BEGIN {body} END"),
                )
                .await?;
            }
            return Ok(());
        }
        self.run(
            manager,
            &format!(
                "CREATE FUNCTION {table}_keep_counts() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                 IF TG_OP = 'UPDATE' AND ({old}) IS NOT DISTINCT FROM ({new}) THEN RETURN NULL; END IF; \
                 IF TG_OP <> 'INSERT' THEN {take} END IF; \
                 IF TG_OP <> 'DELETE' THEN {add} END IF; RETURN NULL; END $$",
                old = of("old"),
                new = of("new"),
            ),
        )
        .await?;
        self.run(
            manager,
            &format!(
                "CREATE TRIGGER {table}_counts_kept AFTER INSERT OR UPDATE OR DELETE ON {table} \
                 FOR EACH ROW EXECUTE FUNCTION {table}_keep_counts()"
            ),
        )
        .await
    }

    /// Distributes the counts of `PostgreSQL` over slots, as migration 21 did for the existing tables. A
    /// migration of a later kind calls it after [`Self::create_indexes`].
    pub async fn spread_counts(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        if manager.get_database_backend() == DbBackend::Sqlite {
            return Ok(());
        }
        let table = self.table;
        self.run(manager, &format!("DROP TRIGGER {table}_counts_kept ON {table}")).await?;
        self.run(manager, &format!("DROP FUNCTION {table}_keep_counts()")).await?;
        let counts = format!("{table}_counts");
        let key = |(name, sql_type): &(_, _)| (*name, *sql_type, format!("{{row}}.{name}"));
        Counter { table, counts: &counts, keys: self.facets.iter().map(key).collect() }.spread(manager).await
    }

    /// Searches of three letters and more use a trigram index on both databases.
    pub async fn index_text(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let table = self.table;
        if manager.get_database_backend() != DbBackend::Sqlite {
            self.run(manager, "CREATE EXTENSION IF NOT EXISTS pg_trgm").await?;
            let sql =
                format!("CREATE INDEX {table}_by_search ON {table} USING gin (search_text gin_trgm_ops)");
            return self.run(manager, &sql).await;
        }
        // Searches of one or two letters scan this narrow index.
        let short = format!("CREATE INDEX {table}_by_search_text ON {table} (search_text)");
        self.run(manager, &short).await?;
        self.run(
            manager,
            &format!(
                "CREATE VIRTUAL TABLE {table}_search USING fts5(search_text, content='{table}', \
                 content_rowid='id', columnsize=0, tokenize='trigram case_sensitive 1')"
            ),
        )
        .await?;
        let add = format!("INSERT INTO {table}_search(rowid, search_text) VALUES (new.id, new.search_text);");
        let take = format!(
            "INSERT INTO {table}_search({table}_search, rowid, search_text) \
             VALUES ('delete', old.id, old.search_text);"
        );
        for (name, event, body) in [
            ("insert", "INSERT".to_owned(), add.clone()),
            ("delete", "DELETE".to_owned(), take.clone()),
            ("update", "UPDATE".to_owned(), format!("{take} {add}")),
        ] {
            let when = if name == "update" { "WHEN old.search_text IS NOT new.search_text" } else { "" };
            self.run(
                manager,
                &format!(
                    "CREATE TRIGGER {table}_search_{name} AFTER {event} ON {table} {when} BEGIN {body} END"
                ),
            )
            .await?;
        }
        Ok(())
    }
}

/// Flags with a filter, beside `active`.
pub const FLAGS: [&str; 2] = ["adult_content", "kids_content"];

/// The index of the last author: its name, and its columns. The expression is that of
/// `adapter-seaorm/src/catalogue/filters.rs`, without the alias.
pub(crate) fn updated_by_index(table: &str, facets: &str) -> (String, String) {
    (format!("{table}_by_updated_by"), format!("{table} (lower(updated_by), id, {facets})"))
}

/// Optional columns of a table of titles.
#[derive(Clone, Copy)]
pub struct Media {
    pub links: bool,
    pub classification: bool,
}

/// Suffix of an index's name, its columns, and its condition.
pub(crate) type IndexParts = (&'static str, &'static str, &'static str);

/// The indexes of filters of titles. The conditions are those of `adapter-seaorm/src/catalogue/filters.rs`,
/// without the alias. The filter columns are included, so that combined filters are counted in the index.
pub(crate) fn media_indexes(backend: DbBackend, media: Media) -> Vec<IndexParts> {
    let mut all = vec![
        ("without_cover", "(id, category_id, active)", "WHERE cover_image_url IS NULL"),
        ("without_spanish_synopsis", "(id, category_id, active)", "WHERE spanish_synopsis IS NULL"),
        ("without_english_synopsis", "(id, category_id, active)", "WHERE english_synopsis IS NULL"),
        genre_index(backend),
    ];
    if media.links {
        all.push(("without_links", "(id, category_id, active)", without_links(backend)));
    }
    if media.classification {
        all.push(("by_classification", "(classification, id, category_id, active)", ""));
    }
    all
}

/// The condition of an index of items without an active link.
pub(crate) fn without_links(backend: DbBackend) -> &'static str {
    if backend == DbBackend::Sqlite {
        r#"WHERE instr(links, '"active":true') = 0"#
    } else {
        r#"WHERE NOT links @> CAST('[{"active": true}]' AS jsonb)"#
    }
}

pub(crate) fn genre_index(backend: DbBackend) -> IndexParts {
    if backend == DbBackend::Sqlite {
        ("by_genres", "(genres)", "")
    } else {
        ("by_genres", "USING gin (genres jsonb_path_ops)", "")
    }
}

/// Indexes of the first three stream URLs of an item. `PostgreSQL` indexes their digests, because an entry of
/// its B-tree has at most 2,704 bytes, and a URL of 2,048 characters may have more.
pub(crate) fn link_indexes(backend: DbBackend) -> [(&'static str, String); 3] {
    [("first", 0), ("second", 1), ("third", 2)].map(|(name, index)| {
        let url = if backend == DbBackend::Sqlite {
            format!("json_extract(links, '$[{index}].url')")
        } else {
            format!("md5(links->{index}->>'url')")
        };
        (name, url)
    })
}

/// An address as `item_addresses` keeps it.
pub(crate) fn address_digest(backend: DbBackend, address: &str) -> String {
    if backend == DbBackend::Sqlite { address.to_owned() } else { format!("md5({address})") }
}

/// The address of a link `j`, and the links of `row`, for a `SELECT` of both.
pub(crate) fn links_of(backend: DbBackend, row: &str) -> (String, String) {
    if backend == DbBackend::Sqlite {
        ("json_extract(j.value, '$.url')".to_owned(), format!("json_each({row}.links) j"))
    } else {
        let address = address_digest(backend, "(j.value->>'url')");
        (address, format!("jsonb_array_elements({row}.links) j(value)"))
    }
}

/// A condition: one of the selected values. `PostgreSQL` takes an array to an index without statistics of the table, too.
pub(crate) fn among(backend: DbBackend, select: &str) -> String {
    if backend == DbBackend::Sqlite { format!("IN ({select})") } else { format!("= ANY (ARRAY({select}))") }
}

/// A trigger that fires for each row: its name, its table, when it fires, the condition, and what it does.
pub(crate) type RowTrigger = (String, String, &'static str, &'static str, String);

/// Creates triggers; each has a function of its name on `PostgreSQL`.
pub(crate) async fn create_row_triggers(
    manager: &SchemaManager<'_>,
    triggers: &[RowTrigger],
) -> Result<(), DbErr> {
    let db = manager.get_connection();
    for (name, table, event, condition, body) in triggers {
        let when = if condition.is_empty() { String::new() } else { format!("WHEN ({condition}) ") };
        if manager.get_database_backend() == DbBackend::Sqlite {
            db.execute_unprepared(&format!(
                "CREATE TRIGGER {name} AFTER {event} ON {table} {when}BEGIN {body} END"
            ))
            .await?;
            continue;
        }
        db.execute_unprepared(&format!(
            "CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} RETURN NULL; END $$"
        ))
        .await?;
        db.execute_unprepared(&format!(
            "CREATE TRIGGER {name} AFTER {event} ON {table} FOR EACH ROW {when}EXECUTE FUNCTION {name}()"
        ))
        .await?;
    }
    Ok(())
}

/// Drops what [`create_row_triggers`] created.
pub(crate) async fn drop_row_triggers(
    manager: &SchemaManager<'_>,
    triggers: &[RowTrigger],
) -> Result<(), DbErr> {
    let db = manager.get_connection();
    for (name, table, ..) in triggers {
        if manager.get_database_backend() == DbBackend::Sqlite {
            db.execute_unprepared(&format!("DROP TRIGGER {name}")).await?;
            continue;
        }
        db.execute_unprepared(&format!("DROP TRIGGER {name} ON {table}")).await?;
        db.execute_unprepared(&format!("DROP FUNCTION {name}()")).await?;
    }
    Ok(())
}

/// Triggers that keep the addresses of a table's links in `item_addresses` (migration 118).
pub(crate) fn address_triggers(backend: DbBackend, table: &str) -> Vec<RowTrigger> {
    let kind = table.replace('_', "-");
    let ((address, links), (_, old_links)) = (links_of(backend, "new"), links_of(backend, "old"));
    let add = format!(
        "INSERT INTO item_addresses (kind, address, item_id) SELECT DISTINCT '{kind}', {address}, new.id FROM {links};"
    );
    let remove = format!(
        "DELETE FROM item_addresses WHERE kind = '{kind}' AND item_id = old.id \
         AND address {};",
        among(backend, &format!("SELECT {address} FROM {old_links}"))
    );
    let change = format!("{remove} {add}");
    [
        ("add", "INSERT", "", add),
        ("remove", "DELETE", "", remove),
        ("change", "UPDATE OF links", "old.links <> new.links", change),
    ]
    .into_iter()
    .map(|(verb, event, condition, body)| {
        (format!("{table}_{verb}_addresses"), table.to_owned(), event, condition, body)
    })
    .collect()
}

/// Key of a counter: column, SQL type, and the value in a row named `{row}`.
pub(crate) type CounterKey<'a> = (&'a str, &'a str, String);

/// A counter table of `PostgreSQL` updated by triggers, on which writers don't wait for each other.
pub(crate) struct Counter<'a> {
    /// Counted table.
    pub(crate) table: &'a str,
    /// Counter table: the keys, `total`, and `slot`.
    pub(crate) counts: &'a str,
    pub(crate) keys: Vec<CounterKey<'a>>,
}

impl Counter<'_> {
    /// Adds slots to a counter table, and its triggers, which run once per statement, so that an import
    /// counts once for thousands of rows, and an update without a changed key updates no counter.
    pub(crate) async fn spread(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let Self { table, counts, keys } = self;
        let run = async |sql: String| manager.get_connection().execute_unprepared(&sql).await.map(drop);
        let joined = |part: &dyn Fn(usize, &CounterKey<'_>) -> String, separator: &str| {
            keys.iter().enumerate().map(|(index, key)| part(index, key)).collect::<Vec<_>>().join(separator)
        };
        let names = joined(&|_, (name, _, _)| (*name).to_owned(), ", ");
        let parameters = joined(&|index, (_, sql_type, _)| format!("key_{index} {sql_type}"), ", ");
        let arguments = joined(&|index, _| format!("key_{index}"), ", ");
        let is_key = joined(&|index, (name, _, _)| format!("c.{name} = key_{index}"), " AND ");
        let values = |row: &str| joined(&|_, (_, _, value)| value.replace("{row}", row), ", ");
        let positions = joined(&|index, _| (index + 1).to_string(), ", ");
        let columns = joined(&|index, _| format!("b.k{index}"), ", ");
        let aliased = |row: &str| {
            joined(&|index, (_, _, value)| format!("{} AS k{index}", value.replace("{row}", row)), ", ")
        };
        run(format!("ALTER TABLE {counts} DROP CONSTRAINT {counts}_pkey")).await?;
        run(format!("ALTER TABLE {counts} ADD COLUMN slot bigint GENERATED ALWAYS AS IDENTITY")).await?;
        run(format!("ALTER TABLE {counts} ADD PRIMARY KEY ({names}, slot)")).await?;
        run(format!(
            "CREATE FUNCTION {counts}_add({parameters}, change bigint) RETURNS void LANGUAGE plpgsql AS $$ \
             DECLARE unlocked bigint; BEGIN \
             SELECT c.slot INTO unlocked FROM {counts} c WHERE {is_key} LIMIT 1 FOR UPDATE SKIP LOCKED; \
             IF FOUND THEN UPDATE {counts} c SET total = c.total + change WHERE {is_key} AND c.slot = unlocked; \
             ELSE INSERT INTO {counts} ({names}, total) VALUES ({arguments}, change); END IF; END $$"
        ))
        .await?;
        run(format!(
            "CREATE FUNCTION {counts}_count() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF TG_OP = 'INSERT' THEN \
               PERFORM {counts}_add({columns}, b.change) FROM \
                 (SELECT {new}, count(*) AS change FROM new_rows n GROUP BY {positions}) b; \
             ELSIF TG_OP = 'DELETE' THEN \
               PERFORM {counts}_add({columns}, -b.change) FROM \
                 (SELECT {old}, count(*) AS change FROM old_rows o GROUP BY {positions}) b; \
             ELSE \
               PERFORM {counts}_add({columns}, b.change) FROM \
                 (SELECT {columns}, CAST(sum(b.change) AS bigint) AS change FROM \
                   (SELECT {new}, 1 AS change FROM new_rows n UNION ALL SELECT {old_values}, -1 FROM old_rows o) b \
                  GROUP BY {positions} HAVING sum(b.change) <> 0) b; \
             END IF; RETURN NULL; END $$",
            new = aliased("n"),
            old = aliased("o"),
            old_values = values("o"),
        ))
        .await?;
        for (event, rows) in [
            ("INSERT", "NEW TABLE AS new_rows"),
            ("DELETE", "OLD TABLE AS old_rows"),
            ("UPDATE", "NEW TABLE AS new_rows OLD TABLE AS old_rows"),
        ] {
            run(format!(
                "CREATE TRIGGER {counts}_{} AFTER {event} ON {table} REFERENCING {rows} \
                 FOR EACH STATEMENT EXECUTE FUNCTION {counts}_count()",
                event.to_lowercase()
            ))
            .await?;
        }
        Ok(())
    }
}
