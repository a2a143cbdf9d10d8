//! Columns of the lists of live TV: links, playlists, profiles and guides. Credentials in addresses are masked
//! as in the lists.

use chrono::{DateTime, Utc};
use domain_kernel::{Cell, Enumeration, Labels};
use domain_live::{
    diff::FieldChange,
    guide::{shown_episode, text_in_language, texts_in_language},
    link::{Link, Probe},
    matching::MatchReason,
    playlist::reason_labels,
    profile::LiveProfile,
    programme::{KeptProgramme, ProgrammeDetails},
    run::PlaylistRun,
    source::PlaylistSource,
};
use ports::{LeftOut, ListedGuideChannel};

use super::super::{Cells, ListColumn, optional, text};
use super::{count, number};
use crate::{CandidateRow, ChannelHealth, EntryRow, GuideCoverage, MatchRow, ScheduledProgramme};

pub(in super::super) const LINKS: &[ListColumn<Link>] = columns! {
    "id" "ID" "ID" |link, _cells| Cell::Integer(link.id);
    "owner" "Tipo" "Type" |link, cells| cells.code(link.owner);
    "itemId" "ID del contenido" "Content ID" |link, _cells| Cell::Integer(link.item);
    "title" "Título" "Title" |link, _cells| text(&*link.title);
    "position" "Señal n.º" "Stream no." |link, _cells| Cell::Integer(i64::from(link.position) + 1);
    "label" "Nombre de la señal" "Name of the stream" |link, _cells| optional(link.label.as_ref());
    "host" "Servidor" "Host" |link, _cells| text(&*link.host);
    "active" "Activo" "Active" |link, _cells| Cell::Flag(link.active);
    "switchedOff" "Desactivado por el servicio" "Turned off by the service" |link, _cells| Cell::Flag(link.switched_off);
    "state" "Estado" "State" |link, cells| cells.code(link.health.state);
    "since" "Desde" "Since" |link, cells| cells.moment(link.health.since);
    "outcome" "Última comprobación" "Last check" |link, cells| cells.optional_code(probe(link).map(|probe| probe.outcome));
    "probedAt" "Comprobado" "Checked" |link, cells| cells.optional_moment(link.last.as_ref().map(|(at, _)| *at));
    "nextProbe" "Próxima comprobación" "Next check" |link, cells| cells.optional_moment(link.next_probe);
    "httpStatus" "Respuesta" "Answer" |link, _cells| number(probe(link).and_then(|probe| probe.http_status));
    "milliseconds" "Duración (ms)" "Duration (ms)" |link, _cells| number(probe(link).map(|probe| probe.milliseconds));
    "format" "Formato" "Format" |link, cells| cells.optional_code(probe(link).and_then(|probe| probe.format));
    "height" "Líneas" "Lines" |link, _cells| number(probe(link).and_then(|probe| probe.height));
    "codecs" "Códecs" "Codecs" |link, _cells| optional(probe(link).and_then(|probe| probe.codecs.as_ref()));
    "bitrate" "Bits por segundo" "Bits per second"
        |link, _cells| probe(link).and_then(|probe| probe.bitrate).map_or(Cell::Empty, count);
};

fn probe(link: &Link) -> Option<&Probe> {
    link.last.as_ref().map(|(_, probe)| probe)
}

pub(in super::super) const PLAYLIST_SOURCES: &[ListColumn<PlaylistSource>] = columns! {
    "id" "ID" "ID" |source, _cells| Cell::Integer(source.id);
    "title" "Título" "Title" |source, _cells| text(&*source.draft.title);
    "url" "Dirección" "Address" |source, _cells| optional(source.draft.url.as_ref().map(|url| &url.0));
    "refreshHours" "Leer cada (horas)" "Read every (hours)" |source, _cells| number(source.draft.refresh_hours);
    "automatic" "Aplicar sin preguntar" "Apply without asking" |source, cells| cells.code(source.draft.automatic);
    "active" "Activa" "Active" |source, _cells| Cell::Flag(source.draft.active);
    "nextRefreshDate" "Próxima lectura" "Next run" |source, cells| cells.optional_moment(source.next_refresh_date);
    "lastRun" "Última lectura" "Last run"
        |source, cells| cells.optional_code(source.last_run.as_ref().map(|run| run.state));
    "lastRunDate" "Fecha de la última lectura" "Date of the last run"
        |source, cells| {
            let run = source.last_run.as_ref();
            cells.optional_moment(run.map(|run| run.finished_date.unwrap_or(run.created_date)))
        };
    "fault" "Por qué no se leyó" "Why it was not read"
        |source, cells| cells.optional_code(source.last_run.as_ref().and_then(|run| run.fault));
    "entries" "Entradas" "Entries" |source, _cells| counted(source, |run| run.counts.entries);
    "new" "Nuevas" "New" |source, _cells| counted(source, |run| run.counts.new);
    "changed" "Modificadas" "Changed" |source, _cells| counted(source, |run| run.counts.changed);
    "unchanged" "Sin cambios" "Unchanged" |source, _cells| counted(source, |run| run.counts.unchanged);
    "missing" "Ausentes" "Missing" |source, _cells| counted(source, |run| run.counts.missing);
    "createdDate" "Creada" "Created" |source, cells| cells.moment(source.created_date);
    "updatedDate" "Modificada el" "Changed on" |source, cells| cells.moment(source.updated_date);
    "updatedBy" "Modificada por" "Changed by" |source, _cells| text(&*source.updated_by);
};

fn counted(source: &PlaylistSource, of: fn(&PlaylistRun) -> i64) -> Cell {
    source.last_run.as_ref().map_or(Cell::Empty, |run| Cell::Integer(of(run)))
}

pub(in super::super) const PLAYLIST_CHANGES: &[ListColumn<EntryRow>] = columns! {
    "id" "ID" "ID" |row, _cells| Cell::Integer(row.stored.id);
    "name" "Entrada" "Entry" |row, _cells| text(&*row.stored.entry.name);
    "url" "Dirección" "Address" |row, _cells| text(&*row.stored.entry.url);
    "change" "Cambio" "Change" |row, cells| cells.code(row.stored.change);
    "ignored" "Ignorada" "Ignored" |row, _cells| Cell::Flag(row.stored.ignored);
    "groups" "Grupo" "Group" |row, _cells| text(row.stored.entry.groups.join(", "));
    "number" "Número" "Number" |row, _cells| number(row.stored.entry.number());
    "guideId" "ID de EPG" "EPG ID" |row, _cells| optional(row.stored.entry.guide_id());
    "radio" "Radio" "Radio" |row, _cells| Cell::Flag(row.stored.entry.is_radio());
    "fields" "Diferencias" "Differences" |row, cells| {
        text(row.fields.iter().map(|change| difference(change, cells)).collect::<Vec<_>>().join("; "))
    };
    "missingSince" "Falta desde" "Missing since" |row, cells| cells.optional_moment(row.stored.missing_since);
    "duplicateOf" "Repite" "Duplicate of"
        |row, _cells| optional(row.stored.duplicate_of.as_ref().map(|other| &other.name));
    "duplicateReason" "Por qué la repite" "Why it is a duplicate"
        |row, cells| cells.optional_code(row.stored.duplicate_of.as_ref().map(|other| other.reason));
    "candidates" "Puede ser" "May be" |row, _cells| {
        text(row.stored.candidates.iter().map(|one| one.entry.name.as_str()).collect::<Vec<_>>().join(", "))
    };
    "changesItem" "Contenido que recibe la dirección" "Item that gets the address"
        |row, _cells| optional(row.changes.as_ref().map(|item| &item.name));
    "itemType" "Tipo de contenido" "Content type" |row, cells| row.stored.item.map_or(Cell::Empty, |(kind, _)| cells.resource(kind.path()));
    "itemId" "ID del contenido" "Content ID" |row, _cells| number(row.stored.item.map(|(_, id)| id));
    "streamOf" "Señal del canal" "Stream of the channel" |row, _cells| number(row.stored.stream_of);
};

/// «Nombre: La Siete → La 7».
fn difference(change: &FieldChange, cells: &Cells) -> String {
    let FieldChange { field, before, after, .. } = change;
    format!("{}: {before} → {after}", field.labels().in_language(cells.locale))
}

pub(in super::super) const PLAYLIST_LINES: &[ListColumn<LeftOut>] = columns! {
    "line" "Línea" "Line" |left, _cells| Cell::Integer(left.line.into());
    "change" "Qué es" "What it is" |left, cells| cells.code(left.change);
    "name" "Entrada" "Entry" |left, _cells| text(&*left.name);
    "reason" "Motivo" "Reason"
        |left, cells| optional(reason_labels(&left.reason).map(|labels| labels.in_language(cells.locale)));
    "ofLine" "Repite la línea" "Duplicate of line" |left, _cells| number(left.of_line);
};

pub(in super::super) const LIVE_PROFILES: &[ListColumn<LiveProfile>] = columns! {
    "id" "ID" "ID" |profile, _cells| Cell::Integer(profile.id);
    "name" "Nombre" "Name" |profile, _cells| text(&*profile.draft.name);
    "username" "Usuario" "User" |profile, _cells| optional(profile.draft.username.as_ref());
    "keyName" "Clave de API" "API key" |profile, _cells| optional(profile.key_name.as_ref());
    "categories" "Categorías (ID)" "Categories (ID)" |profile, _cells| {
        text(profile.draft.categories.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
    };
    "state" "Estado" "State" |profile, cells| cells.code(profile.state());
    "adultContent" "Incluye canales para adultos" "Includes adult channels"
        |profile, _cells| Cell::Flag(profile.draft.adult_content);
    "onlyPlaying" "Solo canales que se reproducen" "Only channels that play"
        |profile, _cells| Cell::Flag(profile.draft.only_playing);
    "order" "Orden de los canales" "Channel order" |profile, cells| cells.code(profile.draft.order);
    "numbering" "Números de los canales" "Channel numbers" |profile, cells| cells.code(profile.draft.numbering);
    "guideDays" "Días de guía" "Guide days" |profile, _cells| Cell::Integer(profile.draft.guide_days.into());
    "callsPerMinute" "Llamadas por minuto" "Calls per minute"
        |profile, _cells| Cell::Integer(profile.draft.calls_per_minute.into());
    "lastUsedDate" "Último uso" "Last used" |profile, cells| cells.optional_moment(profile.last_used_date);
    "calls" "Llamadas" "Calls" |profile, _cells| Cell::Integer(profile.calls);
    "createdDate" "Creado" "Created" |profile, cells| cells.moment(profile.created_date);
    "updatedDate" "Modificado" "Changed" |profile, cells| cells.moment(profile.updated_date);
    "updatedBy" "Modificado por" "Changed by" |profile, _cells| text(&*profile.updated_by);
    "revokedDate" "Revocado" "Revoked" |profile, cells| cells.optional_moment(profile.revoked_date);
};

pub(in super::super) const EPG_MATCHES: &[ListColumn<MatchRow>] = columns! {
    "id" "ID del canal" "Channel ID" |row, _cells| Cell::Integer(row.of.channel);
    "number" "Número" "Number" |row, _cells| Cell::Integer(row.of.number.into());
    "title" "Canal" "Channel" |row, _cells| text(&*row.of.title);
    "epgId" "ID de EPG" "EPG ID" |row, _cells| optional(row.of.epg_id.as_ref());
    "level" "Resultado" "Result" |row, cells| cells.code(row.of.level);
    "candidate" "Mejor candidato" "Best candidate" |row, _cells| optional(best(row).map(|best| &best.proposal.name));
    "candidateId" "ID de EPG del candidato" "EPG ID of the candidate"
        |row, _cells| optional(best(row).map(|best| &best.proposal.of.xml_id));
    "guide" "Guía del mejor candidato" "Guide of the best candidate"
        |row, _cells| optional(best(row).and_then(|best| best.guide_title.as_ref()));
    "score" "Puntuación" "Score" |row, _cells| number(best(row).map(|best| best.proposal.score));
    "for" "A favor" "For" |row, cells| reasons(row, cells, |best| &best.proposal.for_);
    "against" "En contra" "Against" |row, cells| reasons(row, cells, |best| &best.proposal.against);
    "others" "Otros candidatos" "Other candidates" |row, _cells| {
        let other = |row: &CandidateRow| format!("{} ({})", row.proposal.name, row.proposal.score);
        text(row.candidates.iter().skip(1).map(other).collect::<Vec<_>>().join(", "))
    };
    "decision" "Decisión" "Decision" |row, cells| cells.optional_code(row.of.decision);
    "decidedBy" "Decidido por" "Decided by" |row, _cells| optional(row.of.decided_by.as_ref());
    "decidedDate" "Decidido el" "Decided on" |row, cells| cells.optional_moment(row.of.decided_date);
};

fn best(row: &MatchRow) -> Option<&CandidateRow> {
    row.candidates.first()
}

fn reasons(row: &MatchRow, cells: &Cells, of: fn(&CandidateRow) -> &Vec<MatchReason>) -> Cell {
    best(row).map_or(Cell::Empty, |best| cells.codes(of(best)))
}

pub(in super::super) const GUIDE_CHANNELS: &[ListColumn<ListedGuideChannel>] = columns! {
    "epgId" "ID de EPG" "EPG ID" |channel, _cells| text(&*channel.xml_id);
    "title" "Título" "Title" |channel, _cells| text(&*channel.title);
    "used" "En uso" "Used" |channel, _cells| Cell::Flag(channel.used);
};

pub(in super::super) const GUIDE_HEALTH: &[ListColumn<ChannelHealth>] = columns! {
    "id" "ID del canal" "Channel ID" |health, _cells| Cell::Integer(health.channel.id);
    "number" "Número" "Number" |health, _cells| Cell::Integer(health.channel.number.into());
    "title" "Canal" "Channel" |health, _cells| text(&*health.channel.title);
    "guide" "Guía" "Guide" |health, _cells| optional(health.channel.guide_title.as_ref());
    "epgId" "ID de EPG" "EPG ID" |health, _cells| optional(health.channel.link.epg_id.as_ref());
    "guideChannel" "Canal de la guía" "Channel of the guide"
        |health, _cells| optional(health.channel.guide_channel_title.as_ref());
    "without" "Por qué no tiene programas" "Why it has no programmes"
        |health, cells| cells.optional_code(health.channel.link.fault());
    "day" "24 h: cubierto (%)" "24 h: covered (%)" |health, _cells| of_day(health, |of| of.percent.into());
    "dayGaps" "24 h: huecos" "24 h: gaps" |health, _cells| of_day(health, |of| of.gaps);
    "dayOverlaps" "24 h: solapamientos" "24 h: overlaps" |health, _cells| of_day(health, |of| of.overlaps);
    "dayPlaceholders" "24 h: sin contenido" "24 h: placeholders"
        |health, _cells| of_day(health, |of| of.placeholders);
    "threeDays" "72 h: cubierto (%)" "72 h: covered (%)"
        |health, _cells| of_three_days(health, |of| of.percent.into());
    "threeDaysGaps" "72 h: huecos" "72 h: gaps" |health, _cells| of_three_days(health, |of| of.gaps);
    "threeDaysOverlaps" "72 h: solapamientos" "72 h: overlaps"
        |health, _cells| of_three_days(health, |of| of.overlaps);
    "threeDaysPlaceholders" "72 h: sin contenido" "72 h: placeholders"
        |health, _cells| of_three_days(health, |of| of.placeholders);
};

pub(in super::super) const SCHEDULE: &[ListColumn<ScheduledProgramme>] = columns! {
    "id" "ID del canal" "Channel ID" |row, _cells| Cell::Integer(row.channel.id);
    "number" "Número" "Number" |row, _cells| Cell::Integer(row.channel.number.into());
    "title" "Canal" "Channel" |row, _cells| text(&*row.channel.title);
    "guide" "Guía" "Guide" |row, _cells| optional(row.channel.guide_title.as_ref());
    "epgId" "ID de EPG" "EPG ID" |row, _cells| optional(row.channel.link.epg_id.as_ref());
    "guideChannel" "Canal de la guía" "Channel of the guide"
        |row, _cells| optional(row.channel.guide_channel_title.as_ref());
    "start" "Empieza" "Starts" |row, cells| cells.optional_moment(time(row, |programme| programme.start));
    "stop" "Termina" "Ends" |row, cells| cells.optional_moment(time(row, |programme| programme.stop));
    "programme" "Programa" "Programme"
        |row, cells| of_programme(row, |kept, details| text(kept.title_in(details, cells.locale)));
    "subTitle" "Título del episodio" "Episode title"
        |row, cells| of_programme(row, |_, details| optional(text_in_language(&details.sub_titles, cells.locale)));
    "categories" "Categorías" "Categories" |row, cells| {
        of_programme(row, |_, details| text(texts_in_language(&details.categories, cells.locale).join(", ")))
    };
    "season" "Temporada" "Season"
        |row, _cells| of_programme(row, |_, details| number(shown_episode(&details.episodes).season));
    "episode" "Episodio" "Episode"
        |row, _cells| of_programme(row, |_, details| number(shown_episode(&details.episodes).episode));
    "episodeText" "Episodio según la guía" "Episode as in the guide"
        |row, _cells| of_programme(row, |_, details| optional(shown_episode(&details.episodes).text));
    "isNew" "Estreno" "First broadcast" |row, _cells| of_programme(row, |_, details| Cell::Flag(details.is_new));
    "isRepeat" "Repetición" "Repeat" |row, _cells| of_programme(row, |_, details| Cell::Flag(details.is_repeat));
    "without" "Por qué no tiene programas" "Why it has no programmes"
        |row, cells| cells.optional_code(row.channel.link.fault());
};

fn of_programme(
    row: &ScheduledProgramme,
    cell: impl FnOnce(&KeptProgramme, &ProgrammeDetails) -> Cell,
) -> Cell {
    row.programme.as_ref().map_or(Cell::Empty, |(programme, details)| cell(programme, details))
}

/// A time of a programme, from seconds of UTC.
fn time(row: &ScheduledProgramme, of: fn(&KeptProgramme) -> i64) -> Option<DateTime<Utc>> {
    row.programme.as_ref().and_then(|(programme, _)| DateTime::from_timestamp(of(programme), 0))
}

fn of_day(health: &ChannelHealth, figure: fn(&GuideCoverage) -> u64) -> Cell {
    health.covered.as_ref().map_or(Cell::Empty, |(day, _)| count(figure(day)))
}

fn of_three_days(health: &ChannelHealth, figure: fn(&GuideCoverage) -> u64) -> Cell {
    health.covered.as_ref().map_or(Cell::Empty, |(_, three_days)| count(figure(three_days)))
}
