//! Columns of each list. Phone numbers, e-mail addresses and texts of users are cells of text in
//! every format; passwords, keys and secrets are never exported.

use chrono::TimeDelta;
use domain_audience::Visit;
use domain_audit::AuditEntry;
use domain_catalogue::{TRASH_DAYS, TrashEntry};
use domain_credits::{LedgerLine, RequestedReversal};
use domain_integrations::{Delivery, Key, Webhook};
use domain_issues::Report;
use domain_kernel::{Cell, Labels};
use domain_operations::BulkOperation;
use domain_users::{Renewal, User};
use serde_json::{Map, Value};

use super::{ListColumn, optional, text};
use crate::GroupSeen;

macro_rules! columns {
    ($($key:literal $spanish:literal $english:literal |$row:ident, $cells:ident| $cell:expr;)+) => {
        &[$(ListColumn {
            key: $key,
            labels: Labels { spanish: $spanish, english: $english },
            cell: |$row, $cells| $cell,
        },)+]
    };
}

mod duplicates;
mod live;

/// The columns of a user, whom a row has, and more.
macro_rules! with_columns_of_users {
    (|$row:ident| $user:expr; $($more:tt)*) => {
        columns! {
            "username" "Usuario" "User name" |$row, _cells| text($user.username.to_string());
            "fullName" "Nombre completo" "Full name" |$row, _cells| text(&*$user.full_name);
            "email" "Correo electrónico" "E-mail" |$row, _cells| text(&*$user.email);
            "phoneNumber" "Teléfono" "Phone number" |$row, _cells| text(&*$user.phone_number);
            "language" "Idioma" "Language" |$row, cells| cells.optional_code($user.language);
            "address" "Dirección" "Address" |$row, _cells| optional($user.address.as_ref());
            "comment" "Comentario" "Comment" |$row, _cells| optional($user.comment.as_ref());
            "role" "Rol" "Role" |$row, cells| cells.code($user.role);
            "status" "Estado" "Status" |$row, cells| cells.code($user.status);
            "credits" "Créditos de App" "App credits" |$row, _cells| Cell::Integer($user.credits);
            "saleCredits" "Créditos para Venta" "Credits for sale" |$row, _cells| Cell::Integer($user.sale_credits);
            "expirationDate" "Vencimiento" "Expiration" |$row, cells| cells.optional_moment($user.expiration_date);
            "registeredBy" "Registrado por" "Registered by" |$row, _cells| optional($user.registered_by.as_ref());
            "signIns" "Inicios de sesión" "Sign-ins" |$row, _cells| Cell::Integer($user.sign_ins);
            "createdDate" "Creado" "Created" |$row, cells| cells.moment($user.created_date);
            "updatedDate" "Modificado" "Changed" |$row, cells| cells.moment($user.updated_date);
            $($more)*
        }
    };
}

pub(super) use self::duplicates::DUPLICATES;
pub(super) use self::live::{
    EPG_MATCHES, GUIDE_CHANNELS, GUIDE_HEALTH, LINKS, LIVE_PROFILES, PLAYLIST_CHANGES, PLAYLIST_LINES,
    PLAYLIST_SOURCES, SCHEDULE,
};

pub(super) const USERS: &[ListColumn<User>] = with_columns_of_users! { |user| user; };

pub(super) const RENEWALS: &[ListColumn<Renewal>] = with_columns_of_users! {
    |renewal| renewal.user;
    "lastContact" "Último contacto" "Last contact"
        |renewal, _cells| renewal.last_contact.as_ref().map_or(Cell::Empty, |contact| Cell::Date(contact.contacted_on));
    "contactedBy" "Contactado por" "Contacted by"
        |renewal, _cells| optional(renewal.last_contact.as_ref().map(|contact| &contact.author));
    "contactNote" "Nota del contacto" "Contact note"
        |renewal, _cells| optional(renewal.last_contact.as_ref().and_then(|contact| contact.text.as_ref()));
    "snoozedUntil" "Pospuesto hasta" "Snoozed until"
        |renewal, cells| {
            let until = renewal.snoozed_until.filter(|until| *until > cells.calendar.now());
            until.map_or(Cell::Empty, |until| Cell::Date(cells.calendar.local(until).date()))
        };
};

pub(super) const ISSUE_REPORTS: &[ListColumn<Report>] = columns! {
    "id" "ID" "ID" |report, _cells| Cell::Integer(report.id);
    "reportedDate" "Reportado" "Reported" |report, cells| cells.moment(report.reported_date);
    "title" "Título" "Title" |report, _cells| text(&*report.title);
    "description" "Descripción" "Description" |report, _cells| optional(report.description.as_ref());
    "contentType" "Tipo de contenido" "Content type" |report, cells| cells.code(report.content_type);
    "contentId" "ID del contenido" "Content ID" |report, _cells| number(report.content_id);
    "content" "Contenido" "Content" |report, _cells| optional(report.content.as_ref());
    "reportType" "Tipo de error" "Error type" |report, cells| cells.code(report.report_type);
    "reporter" "Reportado por" "Reported by" |report, _cells| optional(report.reporter.as_ref());
    "status" "Estado" "Status" |report, cells| cells.code(report.status);
    "priority" "Prioridad" "Priority" |report, cells| cells.code(report.priority);
    "assignedTo" "Asignado a" "Assigned to" |report, _cells| optional(report.assigned_to.as_ref());
    "notes" "Notas" "Notes" |report, _cells| optional(report.notes.as_ref());
    "updatedDate" "Modificado" "Changed" |report, cells| cells.moment(report.updated_date);
};

pub(super) const ISSUE_GROUPS: &[ListColumn<GroupSeen>] = columns! {
    "id" "ID" "ID" |row, _cells| Cell::Integer(row.group.id);
    "title" "Contenido" "Content" |row, _cells| text(&*row.group.title);
    "contentType" "Tipo de contenido" "Content type" |row, cells| cells.code(row.group.content_type);
    "contentId" "ID del contenido" "Content ID" |row, _cells| number(row.group.content_id);
    "reports" "Reportes" "Reports" |row, _cells| count(row.group.reports);
    "inProgress" "En progreso" "In progress" |row, _cells| count(row.group.in_progress);
    "reportTypes" "Tipos de error" "Error types" |row, cells| cells.codes(&row.group.report_types);
    "firstDate" "Primer reporte" "First report" |row, cells| cells.moment(row.group.first_date);
    "lastDate" "Último reporte" "Last report" |row, cells| cells.moment(row.group.last_date);
    "priority" "Prioridad" "Priority" |row, cells| cells.code(row.group.priority);
    "assignedTo" "Asignado a" "Assigned to" |row, _cells| {
        text(row.group.assigned_to.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
    };
};

pub(super) const CREDITS: &[ListColumn<LedgerLine>] = columns! {
    "operationDate" "Fecha" "Date" |line, cells| cells.moment(line.operation_date);
    "operationId" "Operación n.º" "Operation no." |line, _cells| Cell::Integer(line.operation_id);
    "operationType" "Operación" "Operation" |line, cells| cells.code(line.operation_type);
    "targetUser" "Usuario" "User" |line, _cells| text(line.target_user.username.to_string());
    "targetUserName" "Nombre del usuario" "User's name" |line, _cells| text(&*line.target_user.full_name);
    "accountUser" "Cuenta" "Account" |line, _cells| text(line.account_user.username.to_string());
    "creditType" "Tipo de crédito" "Credit type" |line, cells| cells.code(line.credit_type);
    "amount" "Cantidad" "Amount" |line, _cells| Cell::Integer(line.amount);
    "balanceAfter" "Saldo posterior" "Balance after" |line, _cells| Cell::Integer(line.balance_after);
    "counterparty" "Contraparte" "Counterparty"
        |line, _cells| optional(line.counterparty.as_ref().map(|user| &user.username));
    "performedBy" "Realizado por" "Performed by" |line, _cells| text(line.performed_by_user.username.to_string());
    "reason" "Motivo" "Reason" |line, _cells| optional(line.reason.as_ref());
    "expirationBefore" "Vencimiento anterior" "Expiration before"
        |line, cells| cells.optional_moment(line.expiration_before);
    "expirationAfter" "Vencimiento posterior" "Expiration after"
        |line, cells| cells.optional_moment(line.expiration_after);
    "reversed" "Revertida" "Reversed" |line, _cells| Cell::Flag(line.reversed);
    "reversesOperationId" "Revierte la n.º" "Reverses no."
        |line, _cells| number(line.reverses_operation_id);
};

pub(super) const REVERSAL_REQUESTS: &[ListColumn<RequestedReversal>] = columns! {
    "id" "ID" "ID" |request, _cells| Cell::Integer(request.id);
    "status" "Estado" "Status" |request, cells| cells.code(request.status);
    "requestedDate" "Pedida" "Requested" |request, cells| cells.moment(request.requested_date);
    "requestedBy" "Pedida por" "Requested by" |request, _cells| text(request.requested_by.username.to_string());
    "reason" "Motivo" "Reason" |request, _cells| optional(request.reason.as_ref());
    "operationId" "Operación n.º" "Operation no." |request, _cells| Cell::Integer(request.operation_id);
    "operationDate" "Fecha de la venta" "Date of the sale" |request, cells| cells.moment(request.operation_date);
    "targetUser" "Usuario" "User" |request, _cells| text(request.target_user.username.to_string());
    "targetUserName" "Nombre del usuario" "User's name" |request, _cells| text(&*request.target_user.full_name);
    "amount" "Cantidad" "Amount" |request, _cells| Cell::Integer(request.amount);
    "decidedBy" "Decidida por" "Decided by" |request, _cells| optional(request.decided_by.as_ref().map(|user| &user.username));
    "decidedDate" "Decidida" "Decided" |request, cells| cells.optional_moment(request.decided_date);
    "note" "Nota" "Note" |request, _cells| optional(request.note.as_ref());
};

pub(super) const VISITS: &[ListColumn<Visit>] = columns! {
    "occurredAt" "Fecha y hora" "Date and time" |visit, cells| cells.moment(visit.occurred_at);
    "kind" "Tipo" "Type" |visit, cells| cells.code(visit.kind);
    "username" "Usuario" "User name" |visit, _cells| text(&*visit.username);
    "fullName" "Nombre" "Name" |visit, _cells| optional(visit.full_name.as_ref());
    "address" "Dirección IP" "IP address" |visit, _cells| optional(visit.address.as_ref());
    "device" "Dispositivo" "Device" |visit, _cells| optional(visit.device.as_ref());
    "contentType" "Tipo de contenido" "Content type"
        |visit, cells| cells.optional_code(visit.content.as_ref().map(|content| content.content_type));
    "contentId" "ID del contenido" "Content ID"
        |visit, _cells| number(visit.content.as_ref().and_then(|content| content.content_id));
    "content" "Contenido" "Content"
        |visit, _cells| optional(visit.content.as_ref().and_then(|content| content.title.as_ref()));
    "source" "Origen" "Source" |visit, _cells| optional(visit.source.as_ref());
};

pub(super) const AUDIT: &[ListColumn<AuditEntry>] = columns! {
    "id" "N.º" "No." |entry, _cells| Cell::Integer(entry.id);
    "occurredAt" "Fecha" "Date" |entry, cells| cells.moment(entry.occurred_at);
    "actor" "Quién" "Who" |entry, _cells| optional(entry.actor.as_ref());
    "action" "Acción" "Action" |entry, cells| cells.code(entry.action);
    "resource" "Tipo" "Type" |entry, cells| cells.resource(&entry.resource);
    "item" "ID" "ID" |entry, _cells| text(&*entry.item);
    "title" "Elemento" "Item" |entry, _cells| text(&*entry.title);
    "version" "Versión" "Version" |entry, _cells| number(entry.version);
    "before" "Antes" "Before" |entry, _cells| json(&entry.diff.before);
    "after" "Después" "After" |entry, _cells| json(&entry.diff.after);
    "source" "Origen" "Source" |entry, cells| cells.code(entry.origin.source);
    "address" "Dirección IP" "IP address" |entry, _cells| optional(entry.origin.address);
    "operationId" "Operación masiva" "Bulk operation" |entry, _cells| number(entry.origin.operation);
};

pub(super) const KEYS: &[ListColumn<Key>] = columns! {
    "id" "ID" "ID" |key, _cells| Cell::Integer(key.id);
    "name" "Nombre" "Name" |key, _cells| text(&*key.name);
    "state" "Estado" "State" |key, cells| cells.code(key.state(cells.calendar.today()));
    "scopes" "Permisos" "Scopes" |key, cells| cells.codes(&key.scopes);
    "expiresDate" "Caduca" "Expires" |key, _cells| key.expires_date.map_or(Cell::Empty, Cell::Date);
    "callsPerMinute" "Llamadas por minuto" "Calls per minute" |key, _cells| Cell::Integer(i64::from(key.calls_per_minute));
    "createdBy" "Creada por" "Created by" |key, _cells| text(key.created_by.to_string());
    "keptBy" "Conservada por" "Kept by" |key, _cells| optional(key.kept_by.as_ref());
    "createdDate" "Creada" "Created" |key, cells| cells.moment(key.created_date);
    "revokedDate" "Revocada" "Revoked" |key, cells| cells.optional_moment(key.revoked_date);
    "lastUsedDate" "Último uso" "Last used" |key, cells| cells.optional_moment(key.last_used_date);
    "calls" "Llamadas" "Calls" |key, _cells| Cell::Integer(key.calls);
    "refusedCalls" "Llamadas rechazadas" "Refused calls" |key, _cells| Cell::Integer(key.refused_calls);
};

pub(super) const TRASH: &[ListColumn<TrashEntry>] = columns! {
    "kind" "Tipo" "Type" |entry, cells| cells.resource(entry.kind.path());
    "itemId" "ID" "ID" |entry, _cells| Cell::Integer(entry.item);
    "title" "Título" "Title" |entry, _cells| text(&*entry.title);
    "parts" "Temporadas y episodios" "Seasons and episodes" |entry, _cells| count(entry.parts);
    "deletedDate" "Eliminado" "Deleted" |entry, cells| cells.moment(entry.deleted_date);
    "deletedBy" "Eliminado por" "Deleted by" |entry, _cells| optional(entry.deleted_by.as_ref());
    "keptUntil" "Se puede restaurar hasta" "Can be restored until"
        |entry, cells| cells.moment(entry.deleted_date + TimeDelta::days(TRASH_DAYS));
};

pub(super) const OPERATIONS: &[ListColumn<BulkOperation>] = columns! {
    "id" "N.º" "No." |operation, _cells| Cell::Integer(operation.id);
    "createdDate" "Fecha" "Date" |operation, cells| cells.moment(operation.created_date);
    "createdBy" "Quién" "Who" |operation, _cells| text(&*operation.created_by);
    "resource" "Tipo" "Type" |operation, cells| cells.resource(operation.resource.path());
    "action" "Cambio" "Change"
        |operation, _cells| optional(operation.change.as_ref().map(|change| serde_json::json!(change)));
    "import" "Archivo importado" "Imported file"
        |operation, _cells| optional(operation.import.as_ref().map(|import| &import.file_name));
    "undoOf" "Deshace la n.º" "Undoes no." |operation, _cells| number(operation.undo_of);
    "undoneBy" "Deshecha por la n.º" "Undone by no." |operation, _cells| number(operation.undone_by);
    "state" "Estado" "State" |operation, cells| cells.code(operation.state);
    "failure" "Por qué no siguió" "Why it stopped"
        |operation, cells| cells.optional_code(operation.failure);
    "total" "Elementos" "Items" |operation, _cells| Cell::Integer(operation.total);
    "changed" "Cambiados" "Changed" |operation, _cells| Cell::Integer(operation.counts.changed);
    "created" "Creados" "Created" |operation, _cells| Cell::Integer(operation.counts.created);
    "unchanged" "Sin cambios" "Unchanged" |operation, _cells| Cell::Integer(operation.counts.unchanged);
    "refused" "Rechazados" "Refused" |operation, _cells| Cell::Integer(operation.counts.refused);
    "conflicts" "Conflictos" "Conflicts" |operation, _cells| Cell::Integer(operation.counts.conflicts);
    "missing" "No existen" "Missing" |operation, _cells| Cell::Integer(operation.counts.missing);
    "finishedDate" "Terminó" "Ended" |operation, cells| cells.optional_moment(operation.finished_date);
};

pub(super) const WEBHOOKS: &[ListColumn<Webhook>] = columns! {
    "id" "ID" "ID" |webhook, _cells| Cell::Integer(webhook.id);
    "name" "Nombre" "Name" |webhook, _cells| text(&*webhook.draft.name);
    "url" "Dirección" "Address" |webhook, _cells| text(&*webhook.draft.url.0);
    "events" "Eventos" "Events" |webhook, cells| cells.codes(&webhook.draft.events);
    "active" "Activo" "Active" |webhook, _cells| Cell::Flag(webhook.draft.active);
    "pausedDate" "En pausa desde" "Paused since"
        |webhook, cells| cells.optional_moment(webhook.pause.map(|pause| pause.paused_date));
    "lastDelivery" "Última entrega" "Last delivery"
        |webhook, cells| cells.optional_code(webhook.last_delivery.as_ref().map(|last| last.status));
    "lastDeliveryDate" "Fecha de la última entrega" "Date of the last delivery"
        |webhook, cells| cells.optional_moment(webhook.last_delivery.as_ref().map(|last| last.at));
    "statusCode" "Respuesta" "Answer"
        |webhook, _cells| number(webhook.last_delivery.as_ref().and_then(|last| last.status_code));
    "fault" "Por qué falló" "Why it failed"
        |webhook, cells| cells.optional_code(webhook.last_delivery.as_ref().and_then(|last| last.fault));
    "pending" "Pendientes" "Pending" |webhook, _cells| Cell::Integer(webhook.pending.into());
    "createdDate" "Creación" "Created" |webhook, cells| cells.moment(webhook.created_date);
    "updatedDate" "Modificado" "Changed" |webhook, cells| cells.moment(webhook.updated_date);
};

pub(super) const DELIVERIES: &[ListColumn<Delivery>] = columns! {
    "id" "N.º" "No." |delivery, _cells| Cell::Integer(delivery.id);
    "occurredAt" "Ocurrió" "Occurred" |delivery, cells| cells.moment(delivery.occurred_at);
    "eventType" "Evento" "Event" |delivery, cells| cells.code(delivery.event_type);
    "entity" "Sobre" "About" |delivery, _cells| text(&*delivery.entity);
    "status" "Estado" "Status" |delivery, cells| cells.code(delivery.status);
    "attempts" "Intentos" "Attempts" |delivery, _cells| count(delivery.attempts.into());
    "lastAttemptAt" "Último intento" "Last attempt" |delivery, cells| cells.optional_moment(delivery.last_attempt_at);
    "nextAttemptAt" "Próximo intento" "Next attempt" |delivery, cells| cells.optional_moment(delivery.next_attempt_at);
    "statusCode" "Respuesta" "Answer"
        |delivery, _cells| number(delivery.status_code);
    "fault" "Por qué falló" "Why it failed" |delivery, cells| cells.optional_code(delivery.fault);
    "durationMs" "Duración (ms)" "Duration (ms)" |delivery, _cells| number(delivery.duration_ms);
    "deliveredAt" "Entregado" "Delivered" |delivery, cells| cells.optional_moment(delivery.delivered_at);
    "messageId" "ID del mensaje" "Message ID" |delivery, _cells| text(&*delivery.message);
    "resendOf" "Repite el n.º" "Resend of no." |delivery, _cells| number(delivery.resend_of);
};

fn number(number: Option<impl Into<i64>>) -> Cell {
    number.map_or(Cell::Empty, |number| Cell::Integer(number.into()))
}

fn count(number: u64) -> Cell {
    i64::try_from(number).map_or(Cell::Empty, Cell::Integer)
}

fn json(fields: &Map<String, Value>) -> Cell {
    if fields.is_empty() { Cell::Empty } else { Cell::Text(Value::Object(fields.clone()).to_string()) }
}
