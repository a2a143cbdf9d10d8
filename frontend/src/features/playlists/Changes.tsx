// What a run found: entries by what they are to the channels in use, to be filtered, ticked, applied or ignored.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay } from "../../access/session";
import { EntryChange } from "../../api/enums/EntryChange.gen";
import type { CandidatesOf } from "../../guides/candidates/queries";
import { loadTexts } from "../../i18n";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { lazyPart } from "../../loading/lazyPart";
import { AddIcon, CheckIcon, CloseIcon } from "../../ui/icons";
import { UndoIcon } from "../../ui/lazyIcons";
import { ActionButtons } from "../../ui/list/ActionButtons";
import { answerOf } from "../../ui/list/answer";
import { ListExport } from "../../ui/list/export/ListExport";
import type { FilterChoice } from "../../ui/list/filter";
import { ListScreen } from "../../ui/list/ListScreen";
import { useInLanguage } from "../../ui/list/useInLanguage";
import { type ListState, useListAddress } from "../../ui/list/useListAddress";
import { useNextPage } from "../../ui/list/useNextPage";
import { type Selection, useSelection } from "../../ui/list/useSelection";
import { changeColumns } from "./columns";
import { GroupChoices } from "./GroupChoices";
import {
  type AppliedEntries,
  appliedChanges,
  changesQuery,
  type Entry,
  isApplied,
  playlistQueries,
  type Run,
  type Source,
  shownFilter,
  useIgnore,
  useMergeEntries,
} from "./queries";
import { Summary } from "./Summary";
import { useBack } from "./useBack";
import "../../ui/list/lazy/selection-bar.css";

const ApplyDialog = lazyPart(() => import("./ApplyDialog"), { isDialog: true });
const CandidatesDialog = lazyPart(
  async () =>
    (await Promise.all([import("../../guides/candidates/CandidatesDialog"), loadTexts("epgReview")]))[0],
  { isDialog: true },
);
const StreamDialog = lazyPart(() => import("./StreamDialog"), { isDialog: true });
const StreamsDialog = lazyPart(() => import("./StreamsDialog"), { isDialog: true });

const defaults = {
  name: "playlist-changes",
  size: 25,
  filters: ["change", "group", "grouped", "duplicate", "ignored"],
};
const changes = ["NEW", "CHANGED", "MISSING", "UNCHANGED"] as const;

interface ChangesProps {
  source: Source;
  runs: readonly Run[];
  finished: Run;
}

interface Chosen {
  /** The run that was looked at. */
  run: number;
  request: AppliedEntries;
  count: number;
  /** Whether users may have changed fields of what is applied. */
  mayBeEdited: boolean;
}

export function Changes({ source, runs, finished }: ChangesProps) {
  const { t } = useTranslation();
  const may = useMay();
  const back = useBack();
  const { id } = source;
  const { state, change } = useListAddress(defaults);
  const list = useQuery(playlistQueries.changes(id, finished.id, state));
  const prefetchNext = useNextPage(state, list.data?.totalPages, (next) =>
    playlistQueries.changes(id, finished.id, next),
  );
  const groups = useQuery(playlistQueries.groups(id));
  const selection = useSelection(state);
  const [applied, setApplied] = useState<Chosen>();
  const [streamed, setStreamed] = useState<readonly Entry[]>([]);
  const [compared, setCompared] = useState<Entry>();
  const mayChange = may("PLAYLIST_UPDATE");
  const mayCompare = may("TVCHANNEL_READ");
  const { mutate: merge } = useMergeEntries(id);
  const columns = useInLanguage(
    () => changeColumns(mayChange ? merge : undefined, mayCompare ? setCompared : undefined),
    mayChange,
    mayCompare,
    merge,
  );
  const closeStreams = (added: readonly Entry[]) => {
    setStreamed([]);
    for (const { id } of added) selection.forget(id);
  };
  const filters: FilterChoice[] = [
    {
      key: "change",
      label: t("playlists.entry.change"),
      options: changes.map((value) => ({ value, label: labelOf(EntryChange, value) })),
      input: "several",
    },
    {
      key: "group",
      label: t("playlists.entry.group"),
      options: (groups.data ?? [])
        .filter(({ group }) => group)
        .map(({ group }) => ({ value: group, label: group })),
      input: "several",
      Panel: GroupChoices,
    },
    {
      key: "grouped",
      label: t("playlists.entry.grouped"),
      options: [
        { value: "false", label: t("playlists.entry.withoutGroup") },
        { value: "true", label: t("playlists.entry.withGroup") },
      ],
    },
    {
      key: "duplicate",
      label: t("playlists.entry.duplicate"),
      options: [
        { value: "true", label: t("playlists.entry.onlyDuplicates") },
        { value: "false", label: t("playlists.entry.withoutDuplicates") },
      ],
    },
    {
      key: "ignored",
      label: t("playlists.entry.ignored"),
      options: [{ value: "true", label: t("playlists.entry.onlyIgnored") }],
    },
  ];
  return (
    <>
      <ListScreen<Entry>
        name={defaults.name}
        title={source.title}
        back={back.link}
        searchLabel={t("playlists.entry.search")}
        columns={columns}
        filters={filters}
        state={state}
        change={change}
        answer={answerOf(list)}
        aside={
          <ListExport
            list={defaults.name}
            file="spreadsheets/playlist-changes"
            query={{ ...changesQuery(state), source: id, run: finished.id }}
            total={list.data?.totalElements}
            columns={columns}
          />
        }
        header={
          <>
            <Summary source={source} runs={runs} finished={finished} />
            <ChangeCounts source={id} run={finished.id} />
          </>
        }
        selectable={mayChange ? { selection, nameOf: ({ name }) => name } : undefined}
        selected={
          mayChange &&
          (selection.everything || selection.ids.length > 0) && (
            <Selected
              source={id}
              run={finished}
              selection={selection}
              total={list.data?.totalElements ?? 0}
              rows={list.data?.content ?? []}
              state={state}
              showsIgnored={shownFilter(state).ignored}
              filter={{ search: state.search, ...state.filters, ...shownFilter(state) }}
              onApply={setApplied}
              onStreams={setStreamed}
            />
          )
        }
        identity={({ name, url }) => (
          <span className="row-title playlist-name">
            <strong>{name}</strong>
            <span className="quiet playlist-url" title={url}>
              {url}
            </span>
          </span>
        )}
        actions={
          mayChange
            ? (row) => (
                <EntryActions
                  source={id}
                  run={finished.id}
                  of={row}
                  onApply={setApplied}
                  onStream={(entry) => setStreamed([entry])}
                />
              )
            : undefined
        }
        onIntent={prefetchNext}
      />
      <Suspense fallback={null}>
        {applied && (
          <ApplyDialog
            source={id}
            run={applied.run}
            request={applied.request}
            count={applied.count}
            mayBeEdited={applied.mayBeEdited}
            onClose={(isDone) => {
              setApplied(undefined);
              if (isDone) selection.clear();
            }}
          />
        )}
        {compared && (
          <CandidatesDialog
            of={comparedOf(compared, finished.id)}
            name={compared.name}
            onClose={() => setCompared(undefined)}
          />
        )}
        {streamed.length === 1 && streamed[0] && (
          <StreamDialog
            source={id}
            entry={streamed[0]}
            onClose={(isDone) => closeStreams(isDone ? streamed : [])}
          />
        )}
        {streamed.length > 1 && <StreamsDialog source={id} entries={streamed} onClose={closeStreams} />}
      </Suspense>
    </>
  );
}

/** The channel of an entry, which can be linked, or else the entry. */
function comparedOf({ id, itemType, itemId }: Entry, run: number): CandidatesOf {
  return itemType === "tv-channels" && itemId != null ? { channel: itemId } : { run, entry: id };
}

/** How many entries are new, changed, unchanged, missing and ignored: each shows its entries. */
function ChangeCounts({ source, run }: { source: number; run: number }) {
  const { t } = useTranslation();
  const { data } = useQuery(playlistQueries.counts(source, run));
  if (!data) return null;
  const text = (name: keyof typeof data) =>
    t(`playlists.counts.${name}`, { count: data[name], number: formatNumber(data[name]) });
  return (
    <nav className="playlist-change-counts" aria-label={t("playlists.counts.about")}>
      {(["new", "changed", "missing", "unchanged"] as const).map((name) => (
        <Link key={name} to={`?change=${name.toUpperCase()}`}>
          {text(name)}
        </Link>
      ))}
      {data.ignored > 0 && <Link to="?ignored=true">{text("ignored")}</Link>}
    </nav>
  );
}

interface SelectedProps {
  source: number;
  run: Run;
  selection: Selection;
  total: number;
  /** The entries of the page, and the list that they are of. */
  rows: readonly Entry[];
  state: ListState;
  showsIgnored: boolean;
  filter: Record<string, unknown>;
  onApply: (chosen: Chosen) => void;
  onStreams: (entries: readonly Entry[]) => void;
}

/** Whether it can become a stream of a channel. */
const isStream = ({ change, ignored, radio }: Entry) => change === "NEW" && !ignored && !radio;

function Selected({
  source,
  run,
  selection,
  total,
  rows,
  state,
  showsIgnored,
  filter,
  onApply,
  onStreams,
}: SelectedProps) {
  const { t } = useTranslation();
  const may = useMay();
  const ignore = useIgnore(source);
  const ids = selection.ids.map(Number);
  const count = selection.everything ? total : ids.length;
  const set = Object.entries(filter).filter(([, value]) => value !== "" && value !== undefined);
  // Missing and unchanged entries are not applied: the question counts the others.
  const shown = shownFilter(state).change;
  const applicable = appliedChanges(shown);
  const isWhole = shown?.split(",").every(isApplied) ?? false;
  const change = applicable.join(",");
  const applicableState = { ...state, page: 0, size: 1, filters: { ...state.filters, change } };
  const counted = useQuery({
    ...playlistQueries.changes(source, run.id, applicableState),
    placeholderData: undefined,
    enabled: selection.everything && !showsIgnored && !isWhole && applicable.length > 0,
  });
  const appliedIds = ids.filter((id) => rows.every((row) => row.id !== id || isApplied(row.change)));
  const matching = isWhole ? total : (counted.data?.totalElements ?? 0);
  // Of this page: each is shown with its channel before it is added.
  const streams = selection.everything ? [] : rows.filter((row) => ids.includes(row.id) && isStream(row));
  const appliedCount = selection.everything ? matching : appliedIds.length;
  const ignoreSelected = () => {
    const ignored = !showsIgnored;
    if (selection.everything) {
      const request = { filter: Object.fromEntries(set), expectedCount: count, ignored };
      ignore.mutate(request, { onSuccess: selection.clear });
    } else {
      // What was selected meanwhile stays.
      ignore.mutate({ ids, ignored }, { onSuccess: () => ids.forEach(selection.forget) });
    }
  };
  return (
    <section className="selection-bar" aria-label={t("playlists.selection")}>
      <span aria-live="polite">
        <strong>{t("playlists.selected", { count, number: formatNumber(count) })}</strong>{" "}
        {selection.isNarrowed && t("playlists.narrowed")}
      </span>
      {!selection.everything && total > count && (
        <Button variant="subtle" size="compact-sm" onClick={selection.selectEverything}>
          {t("playlists.selectEverything", { count: total, number: formatNumber(total) })}
        </Button>
      )}
      <Button variant="subtle" size="compact-sm" color="gray" onClick={selection.clear}>
        {t("playlists.clear")}
      </Button>
      <span className="selection-actions">
        {!showsIgnored && (
          <Button
            size="compact-sm"
            disabled={appliedCount === 0}
            onClick={() => {
              const request = selection.everything
                ? { filter: { ...Object.fromEntries(set), change } }
                : { ids: appliedIds };
              onApply({
                run: run.id,
                request: { ...request, expectedCount: appliedCount },
                count: appliedCount,
                mayBeEdited: run.counts.inUse > 0,
              });
            }}
          >
            {t("playlists.apply.verb")}
          </Button>
        )}
        {streams.length > 0 && may("TVCHANNEL_UPDATE") && (
          <Button size="compact-sm" variant="default" onClick={() => onStreams(streams)}>
            {t("playlists.streams.verb", { count: streams.length })}
          </Button>
        )}
        <Button size="compact-sm" variant="default" loading={ignore.isPending} onClick={ignoreSelected}>
          {showsIgnored ? t("playlists.want") : t("playlists.ignore")}
        </Button>
      </span>
    </section>
  );
}

interface EntryActionsProps {
  source: number;
  run: number;
  of: Entry;
  onApply: (chosen: Chosen) => void;
  onStream: (entry: Entry) => void;
}

function EntryActions({ source, run, of: entry, onApply, onStream }: EntryActionsProps) {
  const { t } = useTranslation();
  const ignore = useIgnore(source);
  const may = useMay();
  const { id, name, ignored, change, fields } = entry;
  return (
    <ActionButtons
      name={name}
      actions={[
        ...(isApplied(change) && !ignored
          ? [
              {
                label: t("playlists.apply.of", { name }),
                verb: t("playlists.apply.verb"),
                Icon: CheckIcon,
                onClick: () =>
                  onApply({
                    run,
                    request: { ids: [id] },
                    count: 1,
                    mayBeEdited: fields.some(({ own }) => own),
                  }),
              },
            ]
          : []),
        ...(isStream(entry) && may("TVCHANNEL_UPDATE")
          ? [
              {
                label: t("playlists.stream.of", { name }),
                verb: t("playlists.stream.verb"),
                Icon: AddIcon,
                onClick: () => onStream(entry),
              },
            ]
          : []),
        {
          label: t(ignored ? "playlists.wantOf" : "playlists.ignoreOf", { name }),
          verb: t(ignored ? "playlists.want" : "playlists.ignore"),
          Icon: ignored ? UndoIcon : CloseIcon,
          onClick: () => ignore.mutate({ ids: [id], ignored: !ignored }),
        },
      ]}
    />
  );
}
