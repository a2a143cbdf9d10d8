//! What the tables of all kinds of content share: columns of the server, indexes of the list, kept counts, and the
//! search index. docs/adr/0006-lists-at-a-million.md has the reasons and the figures.

use sea_orm::DbBackend;
use sea_orm_migration::{prelude::*, schema::*};

use crate::outbox_triggers::create_content_triggers;

/// A column of folded text, compared byte by byte on both databases, whatever language PostgreSQL was set up for.
pub fn key(name: &'static str, backend: DbBackend) -> ColumnDef {
    let mut column = text(name);
    if backend == DbBackend::Postgres {
        column.extra("COLLATE \"C\"");
    }
    column
}

/// A table that keeps one kind of content.
pub struct Content<'a> {
    /// Its name.
    pub table: &'static str,
    /// Columns that lists are ordered by, beside id and dates.
    pub sorts: &'static [&'static str],
    /// Columns that lists are filtered by, with their SQL types: rows are counted by each combination of them.
    pub facets: &'a [(&'a str, &'a str)],
}

impl Content<'_> {
    /// A table with the columns that the server fills.
    pub fn columns(&self, backend: DbBackend) -> TableCreateStatement {
        Table::create()
            .table(self.table)
            .col(big_integer("id").auto_increment().primary_key())
            .col(big_integer("version"))
            .col(big_integer("views"))
            .col(timestamp_with_time_zone("created_date"))
            .col(timestamp_with_time_zone("updated_date"))
            // What an import recognises the item by.
            .col(key("natural_key", backend))
            // What a person sees of it in a list, folded: what the search looks in.
            .col(text("search_text"))
            .to_owned()
    }

    /// Creates the table of a kind that was added after migration 67, with its indexes, counts, search index and the
    /// triggers that write the outbox. `path` is its name in paths.
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

    /// Creates the indexes of what titles are filtered by beside the facets.
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
        }
        Ok(())
    }

    /// Creates the indexes of other columns that lists are filtered by: flags ([`FLAGS`]) and calendar days. The migration of a
    /// later kind calls it (docs/adding-a-content-type.md, scripts/new-kind).
    pub async fn index_filters(&self, manager: &SchemaManager<'_>, columns: &[&str]) -> Result<(), DbErr> {
        let table = self.table;
        let facets: Vec<&str> = self.facets.iter().map(|(column, _)| *column).collect();
        for column in columns {
            let on = format!("{table} ({column}, id, {})", facets.join(", "));
            self.run(manager, &format!("CREATE INDEX {table}_by_{column} ON {on}")).await?;
        }
        Ok(())
    }

    /// Indexes, kept counts and the search index.
    pub async fn create_indexes(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let table = self.table;
        let facets: Vec<&str> = self.facets.iter().map(|(column, _)| *column).collect();
        for column in self.sorts.iter().copied().chain(["created_date", "updated_date"]) {
            // The facets come along, so that a filtered list scans the index alone.
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
        // Filters that keep few rows start from these; the first is also what the foreign key looks in.
        for facet in facets.iter().filter(|facet| !self.sorts.contains(facet)) {
            let others: Vec<&str> = [*facet, "id"]
                .into_iter()
                .chain(facets.iter().copied().filter(|other| other != facet))
                .collect();
            self.run(manager, &format!("CREATE INDEX {table}_by_{facet} ON {table} ({})", others.join(", ")))
                .await?;
        }
        if manager.get_database_backend() == DbBackend::Sqlite {
            // Rows are wide, and SQLite has no narrow index of their ids by itself.
            let sql = format!("CREATE INDEX {table}_by_id ON {table} (id, {})", facets.join(", "));
            self.run(manager, &sql).await?;
        }
        self.run(manager, &format!("CREATE INDEX {table}_by_natural_key ON {table} (natural_key)")).await?;
        self.keep_counts(manager).await?;
        self.index_text(manager).await
    }

    /// Drops the table with all that belongs to it.
    pub async fn drop(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let table = self.table;
        if manager.get_database_backend() == DbBackend::Sqlite {
            self.run(manager, &format!("DROP TABLE {table}_search")).await?;
        }
        self.run(manager, &format!("DROP TABLE {table}")).await?;
        self.run(manager, &format!("DROP TABLE {table}_counts")).await
    }

    /// Undoes [`Self::create`].
    pub async fn drop_created(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        self.drop(manager).await?;
        if manager.get_database_backend() != DbBackend::Sqlite {
            for function in ["add", "count"] {
                let sql = format!("DROP FUNCTION {}_counts_{function}", self.table);
                self.run(manager, &sql).await?;
            }
        }
        Ok(())
    }

    async fn run(&self, manager: &SchemaManager<'_>, sql: &str) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared(sql).await.map(drop)
    }

    /// One row per combination of facets, kept by triggers: nothing that writes can forget it, and totals cost a
    /// handful of rows instead of a scan.
    pub async fn keep_counts(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
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

    /// Spreads the counts of `PostgreSQL` over slots, as migration 21 did for all that were there. A migration of a later
    /// kind calls it after [`Self::create_indexes`].
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

    /// Substrings of three letters and more come out of a trigram index on both databases.
    pub async fn index_text(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let table = self.table;
        if manager.get_database_backend() != DbBackend::Sqlite {
            self.run(manager, "CREATE EXTENSION IF NOT EXISTS pg_trgm").await?;
            let sql =
                format!("CREATE INDEX {table}_by_search ON {table} USING gin (search_text gin_trgm_ops)");
            return self.run(manager, &sql).await;
        }
        // One or two letters make no trigram: they are looked for along this narrow index.
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

/// Flags that lists are filtered by, beside `active`.
pub const FLAGS: [&str; 2] = ["adult_content", "kids_content"];

/// The index of who wrote an item last: its name, and what it is on. The expression is that of
/// `adapter-seaorm/src/catalogue/filters.rs`, without the alias.
pub(crate) fn updated_by_index(table: &str, facets: &str) -> (String, String) {
    (format!("{table}_by_updated_by"), format!("{table} (lower(updated_by), id, {facets})"))
}

/// What a table of titles has of what not every one has.
#[derive(Clone, Copy)]
pub struct Media {
    /// The column `links`.
    pub links: bool,
    /// The column `classification`.
    pub classification: bool,
}

/// The name of an index without its table's, what it is on, and its condition.
pub(crate) type IndexParts = (&'static str, &'static str, &'static str);

/// The indexes of what titles are filtered by. The conditions are those of
/// `adapter-seaorm/src/catalogue/filters.rs`, without the alias. The facets come along, so that filters together are
/// counted in the index.
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

/// The first three addresses that an item streams from. `PostgreSQL` indexes their digests: an entry of a B-tree has at
/// most 2,704 bytes there, and an address of 2,048 characters may have more.
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

/// What rows are counted by: column, SQL type, and the value in a row that means `{row}`.
pub(crate) type CounterKey<'a> = (&'a str, &'a str, String);

/// A counter table of `PostgreSQL` that triggers keep, on which no writer waits for another.
pub(crate) struct Counter<'a> {
    /// Whose rows are counted.
    pub(crate) table: &'a str,
    /// The counter table: the keys, `total`, and `slot`.
    pub(crate) counts: &'a str,
    /// What rows are counted by.
    pub(crate) keys: Vec<CounterKey<'a>>,
}

impl Counter<'_> {
    /// Adds slots to a counter table, and the triggers that count into them: once a statement, so that an import counts
    /// once for thousands of rows, and an update that changes no key touches no counter.
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
