//! The triggers that write the outbox, for both databases.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

/// A time in the past, so that the delivery is due without reading a clock.
const AT_ONCE: &str = "'1970-01-01T00:00:00+00:00'";

/// Time of the event: dates of the rows may be older (imports), and a deletion has none.
const NOW_ON_SQLITE: &str = "strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')";
const NOW_ON_POSTGRES: &str = "date_trunc('milliseconds', clock_timestamp())";

/// The current time, as SQL.
pub(crate) const fn moment_now(backend: DbBackend) -> &'static str {
    match backend {
        DbBackend::Sqlite => NOW_ON_SQLITE,
        _ => NOW_ON_POSTGRES,
    }
}

pub(crate) async fn run(manager: &SchemaManager<'_>, sql: &str) -> Result<(), DbErr> {
    manager.get_connection().execute_unprepared(sql).await.map(drop)
}

/// Inserts one row for each active webhook of the event. All arguments are SQL.
pub(crate) fn insert_deliveries(event: &str, entity: &str, data: &str, at: &str) -> String {
    format!(
        "INSERT INTO webhook_deliveries (webhook_id, event_type, entity, data, occurred_at, status, attempts, next_attempt_at) \
         SELECT w.id, {event}, {entity}, {data}, {at}, 'PENDING', 0, {AT_ONCE} FROM webhooks w \
         WHERE w.active AND w.events LIKE '%,' || {event} || ',%';"
    )
}

/// Payload of a movement of credits; `moment` formats a date as JSON.
fn movement(object: &str, moment: &str, flag: impl Fn(&str) -> String) -> String {
    format!(
        "{object}('movementId', new.id, 'username', (SELECT u.username FROM users u WHERE u.id = new.user_id), \
         'operationType', o.operation_type, 'creditType', CASE new.account WHEN 'APP' THEN 'NORMAL' ELSE 'SALE' END, \
         'amount', o.amount, 'balanceAfter', new.balance_after, 'expirationAfter', {moment}, \
         'performedBy', (SELECT p.username FROM users p WHERE p.id = new.performer_id), 'reversal', {})",
        flag("o.reverses_id IS NOT NULL")
    )
}

/// Payload of a report.
fn report(object: &str, moment: &str) -> String {
    format!(
        "{object}('id', new.id, 'title', new.title, 'contentType', new.content_type, 'contentId', new.content_id, \
         'reportType', new.report_type, 'priority', new.priority, 'status', new.status, 'reportedDate', {moment})"
    )
}

/// New open reports, and open ones that are resolved.
const ISSUES: [(&str, &str, &str, &str); 2] = [
    ("opened", "INSERT", "new.status IN ('REPORTADO', 'EN_PROGRESO')", "'ISSUE_OPENED'"),
    (
        "resolved",
        "UPDATE OF status",
        "new.status = 'RESUELTO' AND old.status <> 'RESUELTO'",
        "'ISSUE_RESOLVED'",
    ),
];
const OF_ISSUE: &str = "'issue-reports/' || new.id";

const OF_USER: &str = "'users/' || (SELECT u.username FROM users u WHERE u.id = new.user_id)";

fn sqlite_flag(condition: &str) -> String {
    format!("json(CASE WHEN {condition} THEN 'true' ELSE 'false' END)")
}

/// Creates the outbox triggers of one kind of content: `path` is its name in paths. `PostgreSQL` has the
/// function they call since migration 20.
pub(crate) async fn create_content_triggers(
    manager: &SchemaManager<'_>,
    table: &str,
    path: &str,
) -> Result<(), DbErr> {
    if manager.get_database_backend() != DbBackend::Sqlite {
        let trigger = format!(
            "CREATE TRIGGER {table}_told AFTER INSERT OR UPDATE OF version OR DELETE ON {table} \
             FOR EACH ROW EXECUTE FUNCTION contents_tell('{path}')"
        );
        return run(manager, &trigger).await;
    }
    for (name, event, event_type, row) in [
        ("insert", "INSERT", "ITEM_CREATED", "new"),
        ("update", "UPDATE OF version", "ITEM_CHANGED", "new"),
        ("delete", "DELETE", "ITEM_REMOVED", "old"),
    ] {
        let when = if name == "update" { "WHEN new.version <> old.version" } else { "" };
        let active = sqlite_flag(&format!("{row}.active"));
        let data = format!(
            "json_object('resource', '{path}', 'id', {row}.id, 'version', {row}.version, 'active', {active})"
        );
        let body = insert_deliveries(
            &format!("'{event_type}'"),
            &format!("'{path}/' || {row}.id"),
            &data,
            NOW_ON_SQLITE,
        );
        let trigger =
            format!("CREATE TRIGGER {table}_told_{name} AFTER {event} ON {table} {when} BEGIN {body} END");
        run(manager, &trigger).await?;
    }
    Ok(())
}

pub(crate) async fn on_sqlite(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let flag = sqlite_flag;
    let moment = |column: &str| format!("strftime('%Y-%m-%dT%H:%M:%fZ', {column})");
    for (name, event, when, event_type) in ISSUES {
        let body = insert_deliveries(
            event_type,
            OF_ISSUE,
            &report("json_object", &moment("new.created_date")),
            NOW_ON_SQLITE,
        );
        let trigger = format!(
            "CREATE TRIGGER issue_reports_told_{name} AFTER {event} ON issue_reports WHEN {when} BEGIN {body} END"
        );
        run(manager, &trigger).await?;
    }
    let data = movement("json_object", &moment("new.expiration_after"), flag);
    let body = insert_deliveries(
        "'CREDITS_MOVED'",
        OF_USER,
        &format!("(SELECT {data} FROM operations o WHERE o.id = new.operation_id)"),
        "new.operation_date",
    );
    run(
        manager,
        &format!("CREATE TRIGGER entries_told AFTER INSERT ON entries WHEN new.leg = 0 AND NOT new.imported AND new.user_id IS NOT NULL BEGIN {body} END"),
    )
    .await?;
    let data = format!(
        "json_object('username', (SELECT u.username FROM users u WHERE u.id = new.user_id), 'expirationDate', {})",
        moment("new.expiration_date")
    );
    let body = insert_deliveries("'USER_' || new.stage", OF_USER, &data, "new.noticed_date");
    let sql = format!(
        "CREATE TRIGGER subscription_notices_told AFTER INSERT ON subscription_notices BEGIN {body} END"
    );
    run(manager, &sql).await
}

pub(crate) async fn on_postgres(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let moment =
        |column: &str| format!("to_char({column} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')");
    let body = insert_deliveries(
        "told",
        "TG_ARGV[0] || '/' || item.id",
        "CAST(json_build_object('resource', TG_ARGV[0], 'id', item.id, 'version', item.version, 'active', item.active) AS text)",
        NOW_ON_POSTGRES,
    );
    run(
        manager,
        &format!(
            "CREATE FUNCTION contents_tell() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE item record; told text; BEGIN \
             IF TG_OP = 'UPDATE' THEN IF new.version = old.version THEN RETURN NULL; END IF; \
               item := new; told := 'ITEM_CHANGED'; \
             ELSIF TG_OP = 'DELETE' THEN item := old; told := 'ITEM_REMOVED'; \
             ELSE item := new; told := 'ITEM_CREATED'; END IF; \
             {body} RETURN NULL; END $$"
        ),
    )
    .await?;
    for (name, event, when, event_type) in ISSUES {
        let data = format!("CAST({} AS text)", report("json_build_object", &moment("new.created_date")));
        let body = insert_deliveries(event_type, OF_ISSUE, &data, NOW_ON_POSTGRES);
        let function = format!(
            "CREATE FUNCTION issue_reports_tell_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} RETURN NULL; END $$"
        );
        run(manager, &function).await?;
        let trigger = format!(
            "CREATE TRIGGER issue_reports_told_{name} AFTER {event} ON issue_reports FOR EACH ROW WHEN ({when}) \
             EXECUTE FUNCTION issue_reports_tell_{name}()"
        );
        run(manager, &trigger).await?;
    }
    let data =
        movement("json_build_object", &moment("new.expiration_after"), |condition| format!("({condition})"));
    let body = insert_deliveries(
        "'CREDITS_MOVED'",
        OF_USER,
        &format!("(SELECT CAST({data} AS text) FROM operations o WHERE o.id = new.operation_id)"),
        "new.operation_date",
    );
    run(
        manager,
        &format!(
            "CREATE FUNCTION entries_tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} RETURN NULL; END $$"
        ),
    )
    .await?;
    run(
        manager,
        "CREATE TRIGGER entries_told AFTER INSERT ON entries FOR EACH ROW \
         WHEN (new.leg = 0 AND NOT new.imported AND new.user_id IS NOT NULL) EXECUTE FUNCTION entries_tell()",
    )
    .await?;
    let data = format!(
        "CAST(json_build_object('username', (SELECT u.username FROM users u WHERE u.id = new.user_id), 'expirationDate', {}) AS text)",
        moment("new.expiration_date")
    );
    let body = insert_deliveries("'USER_' || new.stage", OF_USER, &data, "new.noticed_date");
    run(
        manager,
        &format!(
            "CREATE FUNCTION notices_tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} RETURN NULL; END $$"
        ),
    )
    .await?;
    run(
        manager,
        "CREATE TRIGGER subscription_notices_told AFTER INSERT ON subscription_notices FOR EACH ROW EXECUTE FUNCTION notices_tell()",
    )
    .await
}
