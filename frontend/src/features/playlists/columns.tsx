// The columns of the list of sources, and those of what a run found.
import { Button } from "@mantine/core";
import { Link } from "react-router";
import { AutomaticApply } from "../../api/enums/AutomaticApply.gen";
import { EntryChange } from "../../api/enums/EntryChange.gen";
import { EntryDuplicateReason } from "../../api/enums/EntryDuplicateReason.gen";
import { EntryField } from "../../api/enums/EntryField.gen";
import { t } from "../../i18n";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { formatShortDay } from "../../i18n/lazyFormats";
import { paths } from "../../routing/paths";
import { DayAndTime } from "../../ui/DayAndTime";
import type { Column } from "../../ui/list/columns";
import { StatusBadge } from "../../ui/StatusBadge";
import { type Tone, ToneBadge } from "../../ui/ToneBadge";
import { Dash } from "../../ui/values";
import type { Entry, Source } from "./queries";
import { faultOf, RunBadge } from "./RunBadge";

const tones: Record<string, Tone> = { NEW: "green", CHANGED: "blue", UNCHANGED: "gray", MISSING: "orange" };

export function sourceColumns(): Column<Source>[] {
  return [
    {
      key: "title",
      label: t("playlists.fields.title"),
      isIdentity: true,
      sortable: true,
      inFile: ["url"],
      render: () => null,
    },
    {
      key: "lastRun",
      label: t("playlists.lastRun"),
      width: "16rem",
      onCard: true,
      inFile: ["lastRunDate"],
      render: ({ lastRun }) =>
        lastRun ? (
          <span className="playlist-run">
            <RunBadge of={lastRun} /> <DayAndTime of={lastRun.finishedDate ?? lastRun.createdDate} />
          </span>
        ) : (
          <span className="quiet">{t("playlists.never")}</span>
        ),
    },
    {
      key: "outcome",
      label: t("playlists.outcome"),
      inFile: ["fault", "entries"],
      onCard: true,
      needsRoom: true,
      render: ({ lastRun }) =>
        lastRun ? (
          <span className="playlist-outcome">
            {faultOf(lastRun) ||
              t("playlists.found", {
                count: lastRun.counts.entries,
                number: formatNumber(lastRun.counts.entries),
              })}
          </span>
        ) : (
          <Dash />
        ),
    },
    {
      key: "refreshHours",
      label: t("playlists.refresh"),
      width: "9rem",
      onCard: true,
      render: ({ refreshHours }) =>
        refreshHours ? t("playlists.everyHours", { count: refreshHours }) : t("playlists.byHand"),
    },
    {
      key: "automatic",
      label: t("playlists.fields.automatic"),
      isOptional: true,
      render: ({ automatic }) => labelOf(AutomaticApply, automatic),
    },
    {
      key: "nextRefreshDate",
      label: t("playlists.nextRefreshDate"),
      isOptional: true,
      render: ({ nextRefreshDate }) => <DayAndTime of={nextRefreshDate} />,
    },
    {
      key: "active",
      label: t("status.label"),
      width: "8rem",
      render: ({ active }) => <StatusBadge active={active} />,
    },
  ];
}

/** Makes a new entry and a missing one the same. */
type MergeEntries = (entries: { id: number; missingId: number }) => void;

/** `onMerge` is there for users who may change sources, `onCompare` for those who may read channels. */
export function changeColumns(
  onMerge: MergeEntries | undefined,
  onCompare: ((entry: Entry) => void) | undefined,
): Column<Entry>[] {
  return [
    {
      key: "name",
      label: t("playlists.entry.name"),
      isIdentity: true,
      inFile: ["url"],
      render: () => null,
    },
    {
      key: "change",
      label: t("playlists.entry.change"),
      inFile: ["ignored"],
      width: "9rem",
      onCard: true,
      render: ({ change, ignored }) => (
        <span className="playlist-badges">
          <ToneBadge tone={tones[change] ?? "gray"}>{labelOf(EntryChange, change)}</ToneBadge>
          {ignored && <ToneBadge tone="gray">{t("playlists.entry.ignored")}</ToneBadge>}
        </span>
      ),
    },
    {
      key: "groups",
      label: t("playlists.entry.group"),
      width: "11rem",
      onCard: true,
      needsRoom: true,
      render: ({ groups }) => (groups.length > 0 ? groups.join(", ") : <Dash />),
    },
    {
      key: "number",
      label: t("playlists.entry.number"),
      align: "right",
      width: "6rem",
      needsRoom: true,
      render: ({ number }) => (number == null ? <Dash /> : number),
    },
    {
      key: "fields",
      label: t("playlists.entry.differs"),
      inFile: ["missingSince", "duplicateOf", "duplicateReason", "changesItem", "candidates"],
      width: "clamp(10rem, 30vw, 28rem)",
      onCard: true,
      render: (entry) => <Differences of={entry} onMerge={onMerge} onCompare={onCompare} />,
    },
    {
      key: "guideId",
      label: t("playlists.entry.guideId"),
      isOptional: true,
      render: ({ guideId }) => guideId ?? <Dash />,
    },
  ];
}

/** A new entry and a missing one side by side: what differs stands out, what is equal is there once. */
function Sides({ of: entry, and: candidate }: { of: Entry; and: Entry["candidates"][number] }) {
  const fieldsOf = ({ name, url, groups, number, guideId }: Entry | typeof candidate) =>
    ({
      NAME: name,
      URL: url,
      GROUPS: groups.join(", "),
      NUMBER: number == null ? "" : String(number),
      GUIDE_ID: guideId ?? "",
    }) as const;
  const [now, before] = [fieldsOf(entry), fieldsOf(candidate)];
  const names = Object.keys(now) as (keyof typeof now)[];
  const { itemType, itemId } = candidate;
  return (
    <span className="playlist-sides">
      {names.map((name) => (
        <span key={name} className="playlist-difference">
          <span className="quiet">{labelOf(EntryField, name)}</span>{" "}
          {now[name] === before[name] ? (
            <span className="quiet">{now[name] || "—"}</span>
          ) : (
            <>
              <del>{before[name] || "—"}</del> <span aria-hidden="true">→</span> <ins>{now[name] || "—"}</ins>
            </>
          )}
        </span>
      ))}
      {candidate.missingSince && (
        <span>{t("playlists.entry.missingSince", { day: formatShortDay(candidate.missingSince) })}</span>
      )}
      {itemType && itemId && (
        <Link to={paths.editContent(itemType, itemId)} className="playlist-item">
          {t(itemType === "tv-channels" ? "playlists.entry.channel" : "playlists.entry.station")}
        </Link>
      )}
    </span>
  );
}

/** What differs field by field, since when it is missing, which entry it repeats, or which missing one it may be. */
function Differences({
  of: entry,
  onMerge,
  onCompare,
}: {
  of: Entry;
  onMerge: MergeEntries | undefined;
  onCompare: ((entry: Entry) => void) | undefined;
}) {
  const { id, fields, missingSince, candidates, duplicateOf, changesItem, itemType, itemId, streamOf } =
    entry;
  return (
    <span className="playlist-differences">
      {fields.map(({ field, before, after, own }) => (
        <span key={field} className="playlist-difference">
          <span className="quiet">{labelOf(EntryField, field)}</span> <del>{before || "—"}</del>{" "}
          <span aria-hidden="true">→</span> <ins>{after || "—"}</ins>
          {own && (
            <span className="playlist-own">
              {t(field === "GUIDE_ID" ? "playlists.entry.ownGuideId" : "playlists.entry.own")}
            </span>
          )}
        </span>
      ))}
      {missingSince && (
        <span>{t("playlists.entry.missingSince", { day: formatShortDay(missingSince) })}</span>
      )}
      {duplicateOf && (
        <span className="quiet">
          {t("playlists.entry.duplicateOf", {
            reason: labelOf(EntryDuplicateReason, duplicateOf.reason),
            name: duplicateOf.name,
          })}
        </span>
      )}
      {changesItem && (
        <span>
          <Link to={paths.editContent(changesItem.itemType, changesItem.itemId)} className="playlist-item">
            {changesItem.name}
          </Link>{" "}
          <span className="quiet">{t("playlists.entry.exists")}</span>
        </span>
      )}
      {candidates.map((candidate) => (
        <span key={candidate.id} className="playlist-candidate">
          <span className="quiet">{t("playlists.entry.mayBe", { name: candidate.name })}</span>
          <Sides of={entry} and={candidate} />
          {onMerge && (
            <Button
              variant="default"
              size="compact-xs"
              aria-label={t("playlists.entry.isThisName", { name: candidate.name })}
              onClick={() => onMerge({ id, missingId: candidate.id })}
            >
              {t("playlists.entry.isThis")}
            </Button>
          )}
        </span>
      ))}
      {itemType && itemId && (
        <Link to={paths.editContent(itemType, itemId)} className="playlist-item">
          {t(itemType === "tv-channels" ? "playlists.entry.channel" : "playlists.entry.station")}
        </Link>
      )}
      {streamOf != null && (
        <Link to={paths.streams(streamOf)} className="playlist-item">
          {t("playlists.entry.streams")}
        </Link>
      )}
      {onCompare && !entry.radio && (
        <Button
          variant="subtle"
          size="compact-xs"
          aria-label={t("playlists.candidates.of", { name: entry.name })}
          onClick={() => onCompare(entry)}
        >
          {t("playlists.candidates.verb")}
        </Button>
      )}
    </span>
  );
}
