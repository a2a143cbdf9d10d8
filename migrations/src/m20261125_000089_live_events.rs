//! Times since when a link has its URL and a guide is stale, and the webhook events of live TV.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

use crate::outbox_triggers::{insert_deliveries, moment_now, run};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// A trigger that writes an event when a row changes according to the condition.
struct Trigger {
    name: &'static str,
    /// `AFTER …`, with the table.
    event: &'static str,
    condition: String,
    event_type: &'static str,
    entity: &'static str,
    data: String,
}

const LINK: &str = "(SELECT l.owner || '/' || l.item_id FROM links l WHERE l.id = new.link_id)";

fn triggers(backend: DbBackend) -> Vec<Trigger> {
    let is_sqlite = backend == DbBackend::Sqlite;
    let object = if is_sqlite { "json_object" } else { "json_build_object" };
    let text = |data: String| if is_sqlite { data } else { format!("CAST({data} AS text)") };
    let count = |name: &str| {
        if is_sqlite {
            format!("json_extract(new.counts, '$.{name}')")
        } else {
            format!("CAST(new.counts AS json) -> '{name}'")
        }
    };
    let number = |name: &str| {
        if is_sqlite { count(name) } else { format!("CAST(CAST(new.counts AS json) ->> '{name}' AS bigint)") }
    };
    let link = text(format!(
        "{object}('resource', l.owner, 'id', l.item_id, 'title', l.title, 'linkId', l.id, 'host', l.host, \
         'state', new.state, 'outcome', new.outcome, 'httpStatus', new.http_status)"
    ));
    let link = format!("(SELECT {link} FROM links l WHERE l.id = new.link_id)");
    let of_link = |name, condition: &str, event_type| Trigger {
        name,
        event: "INSERT ON link_changes",
        condition: condition.to_owned(),
        event_type,
        entity: LINK,
        data: link.clone(),
    };
    let last_of_channel = "new.state = 'DOWN' AND NOT EXISTS (SELECT 1 FROM links l JOIN links o \
         ON o.owner = l.owner AND o.item_id = l.item_id WHERE l.id = new.link_id \
         AND (l.owner <> 'tv-channels' OR (o.active AND o.state <> 'DOWN')))";
    vec![
        of_link("link_down", "new.state IN ('DOWN', 'FLAPPING')", "LINK_DOWN"),
        of_link("link_up", "new.state = 'UP'", "LINK_UP"),
        of_link("channel_without_link", last_of_channel, "CHANNEL_WITHOUT_LINK"),
        Trigger {
            name: "playlist_changed",
            event: "UPDATE OF finished_date ON playlist_runs",
            condition: format!(
                "old.finished_date IS NULL AND new.state = 'FINISHED' AND {} + {} + {} > 0",
                number("new"),
                number("changed"),
                number("lost")
            ),
            event_type: "PLAYLIST_CHANGED",
            entity: "'playlist-sources/' || new.source_id",
            data: text(format!(
                "{object}('sourceId', new.source_id, 'title', (SELECT s.title FROM playlist_sources s WHERE s.id = new.source_id), \
                 'runId', new.id, 'new', {}, 'changed', {}, 'lost', {})",
                count("new"),
                count("changed"),
                count("lost")
            )),
        },
        Trigger {
            name: "guide_stale",
            event: "UPDATE OF stale_since ON guide_fetches",
            condition: "old.stale_since IS NULL AND new.stale_since IS NOT NULL".to_owned(),
            event_type: "GUIDE_STALE",
            entity: "'tv-guides/' || new.guide_id",
            data: text(format!(
                "{object}('id', new.guide_id, 'title', (SELECT t.title FROM tv_guides t WHERE t.id = new.guide_id), \
                 'fault', new.fault)"
            )),
        },
    ]
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let is_sqlite = backend == DbBackend::Sqlite;
        let date = if is_sqlite { "timestamp_with_timezone_text" } else { "timestamp with time zone" };
        run(manager, &format!("ALTER TABLE links ADD COLUMN address_since {date}")).await?;
        run(manager, &format!("ALTER TABLE guide_fetches ADD COLUMN stale_since {date}")).await?;
        for Trigger { name, event, condition, event_type, entity, data } in triggers(backend) {
            let body = insert_deliveries(&format!("'{event_type}'"), entity, &data, moment_now(backend));
            if is_sqlite {
                let trigger =
                    format!("CREATE TRIGGER {name}_event AFTER {event} WHEN {condition} BEGIN {body} END");
                run(manager, &trigger).await?;
                continue;
            }
            // The condition of a trigger can't read other tables.
            let function = format!(
                "CREATE FUNCTION {name}_event() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                 IF {condition} THEN {body} END IF; RETURN NULL; END $$"
            );
            run(manager, &function).await?;
            let trigger = format!(
                "CREATE TRIGGER {name}_event AFTER {event} FOR EACH ROW EXECUTE FUNCTION {name}_event()"
            );
            run(manager, &trigger).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        for Trigger { name, event, .. } in triggers(backend) {
            if backend == DbBackend::Sqlite {
                run(manager, &format!("DROP TRIGGER {name}_event")).await?;
                continue;
            }
            let (_, table) = event.split_once(" ON ").unwrap_or_default();
            run(manager, &format!("DROP TRIGGER {name}_event ON {table}")).await?;
            run(manager, &format!("DROP FUNCTION {name}_event()")).await?;
        }
        run(manager, "ALTER TABLE guide_fetches DROP COLUMN stale_since").await?;
        run(manager, "ALTER TABLE links DROP COLUMN address_since").await
    }
}
