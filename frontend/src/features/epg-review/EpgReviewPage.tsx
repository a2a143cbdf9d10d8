// «Revisión de guías»: channels whose guide channel a user has to choose, one after the other, by keyboard or by
// buttons.
import { Alert, Button } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "../../access/session";
import { LinkVerdict } from "../../api/enums/LinkVerdict.gen";
import { MatchReason } from "../../api/enums/MatchReason.gen";
import { messageOf } from "../../api/problem";
import { isAcceptable } from "../../guides/candidates/queries";
import { formatMoment } from "../../i18n/formats";
import { lazyPart } from "../../loading/lazyPart";
import { isOneOf, isPositive, type Known, knownOf, plainRows } from "../../routing/knownAddress";
import { AddressWarning } from "../../ui/AddressWarning";
import { Empty } from "../../ui/Empty";
import { ErrorView } from "../../ui/ErrorView";
import { AlertIcon } from "../../ui/icons";
import { ListExport } from "../../ui/list/export/ListExport";
import { Pager } from "../../ui/list/Pager";
import { useListAddress } from "../../ui/list/useListAddress";
import { PageHeading } from "../../ui/PageHeading";
import { PageSkeleton } from "../../ui/PageSkeleton";
import { accepted, MatchCard, noGuideKey, noneKey } from "./MatchCard";
import {
  type Decision,
  isUnfinished,
  levels,
  type Match,
  type Matching,
  matchesQuery,
  matchQueries,
  undecided,
  useDecide,
  useMatchNow,
  useRefreshMatches,
  useUndo,
} from "./queries";
import { type Chosen, ReviewTools } from "./ReviewTools";
import "../../ui/list/list.css";
import "./epg-review.css";

const AcceptDialog = lazyPart(() => import("./AcceptDialog"), { isDialog: true });
const ThresholdsDialog = lazyPart(() => import("./ThresholdsDialog"), { isDialog: true });

const defaults = {
  name: "epg-review",
  size: 25,
  filters: ["level", "guide", "reason", "channel", "decision", "minScore", "maxScore", "clear"],
};
/** What a card shows. */
const columnsOfFile = ["number", "title", "epgId", "level", "candidate", "candidateId", "guide", "score"]
  .concat(["for", "against", "others", "decision", "decidedBy", "decidedDate"])
  .map((key) => ({ key }));
const isScore = (value: string) => /^\d{1,3}$/.test(value);
const known: Known = {
  level: isOneOf(levels),
  guide: isPositive,
  reason: (value) => value.split(",").every(isOneOf(Object.keys(MatchReason))),
  channel: isPositive,
  decision: isOneOf([undecided, ...Object.keys(LinkVerdict)]),
  minScore: isScore,
  maxScore: isScore,
  clear: isOneOf(["true"]),
  ...plainRows,
};

export default function EpgReviewPage() {
  const { t } = useTranslation();
  const may = useMay();
  const { state: wanted, change } = useListAddress(defaults);
  const state = { ...wanted, sort: "", filters: knownOf(wanted.filters, known) };
  const { filters } = state;
  const list = useQuery(matchQueries.list(state));
  const matching = useQuery(matchQueries.matching).data;
  const { data, error, refetch } = list;
  useRefreshAfterRun(matching);
  const { level: _, ...others } = filters;
  const isFiltered = Boolean(state.search) || Object.values(others).some(Boolean);
  const rows = data?.content;
  const total = data?.totalElements ?? 0;
  const lastPage = Math.max(0, Math.ceil(total / state.size) - 1);
  // The queue gets shorter: a page that was the last one may be gone.
  useEffect(() => {
    if (data && state.page > lastPage) change({ page: lastPage }, { replace: true });
  }, [data, state.page, lastPage, change]);
  return (
    <>
      <PageHeading
        title={t("pages.epgReview")}
        aside={
          <ListExport
            list={defaults.name}
            file="spreadsheets/epg-matches"
            query={matchesQuery(state)}
            total={data?.totalElements}
            columns={columnsOfFile}
          />
        }
        actions={<Actions matching={matching} shown={{ search: state.search, ...filters }} />}
      />
      <AddressWarning known={known} />
      <p className="quiet epg-about">{t("epgReview.about")}</p>
      {matching?.state === "FAILED" && (
        <Alert color="yellow" icon={<AlertIcon />} title={t("epgReview.runFailed")}>
          {t(may("TVCHANNEL_UPDATE") ? "epgReview.runFailedHelp" : "epgReview.runFailedUntil")}
        </Alert>
      )}
      <ReviewTools
        matching={matching}
        state={{ search: state.search, ...filters }}
        change={({ search, ...next }) =>
          change(search === undefined ? { page: 0, filters: { ...filters, ...next } } : { page: 0, search })
        }
      />
      {rows && rows.length > 0 ? (
        <>
          <Queue rows={rows} isStale={list.isPlaceholderData} />
          {total > state.size && (
            <Pager
              page={state.page}
              size={state.size}
              total={total}
              onPage={(page) => change({ page })}
              onSize={(size) => change({ size, page: 0 })}
            />
          )}
        </>
      ) : rows && total === 0 ? (
        <Nothing isFiltered={isFiltered || Boolean(filters.level)} matching={matching} />
      ) : error ? (
        <ErrorView title={t("epgReview.failed")} message={messageOf(error)} onRetry={() => void refetch()} />
      ) : (
        <PageSkeleton />
      )}
    </>
  );
}

/** What a run found is shown once it has ended. */
function useRefreshAfterRun(matching: Matching | undefined) {
  const refresh = useRefreshMatches();
  const wasUnfinished = useRef(false);
  const isNow = matching !== undefined && isUnfinished(matching);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it ends
  useEffect(() => {
    if (wasUnfinished.current && !isNow) void refresh();
    wasUnfinished.current = isNow;
  }, [isNow]);
}

function Nothing({ isFiltered, matching }: { isFiltered: boolean; matching: Matching | undefined }) {
  const { t } = useTranslation();
  if (isFiltered) return <Empty>{t("epgReview.noneFound")}</Empty>;
  const help = matching?.finishedDate
    ? t("epgReview.lastRun", { date: formatMoment(matching.finishedDate) })
    : t("epgReview.neverRun");
  return <Empty help={help}>{t("epgReview.nothing")}</Empty>;
}

/** The channels, and the keys that decide about the one that has the focus. */
function Queue({ rows, isStale }: { rows: readonly Match[]; isStale: boolean }) {
  const { t } = useTranslation();
  const may = useMay();
  const queue = useRef<HTMLOListElement>(null);
  const [notices, setNotices] = useState<Record<number, string | undefined>>({});
  const notify = ({ id }: Match, notice: string | undefined) =>
    setNotices((known) => ({ ...known, [id]: notice }));
  const { mutate, variables, isPending } = useDecide((of, problem) => notify(of, messageOf(problem)));
  const undo = useUndo();
  const items = () => [...(queue.current?.children ?? [])] as HTMLElement[];
  /** What of a channel has the focus first: the best candidate, else the first button that there is. */
  const focus = (item: Element | undefined) =>
    (
      item?.querySelector<HTMLElement>('[data-place="1"]') ?? item?.querySelector<HTMLElement>("button")
    )?.focus();
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current || !may("TVCHANNEL_UPDATE")) return;
    hasBegun.current = true;
    // The search field keeps the focus while the user types.
    if (!document.activeElement || document.activeElement === document.body) focus(items()[0]);
  });
  const isBusy = ({ id }: Match) =>
    (isPending && variables.of.id === id) || (undo.isPending && undo.variables.id === id);
  const decide = (of: Match, decision: Decision) => {
    if (isBusy(of)) return;
    const all = items();
    const at = rows.findIndex(({ id }) => id === of.id);
    focus(all[at + 1] ?? all[at - 1]);
    notify(of, undefined);
    mutate({ of, decision });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const at = items().findIndex((item) => item.contains(event.target as Node));
    const match = rows[at];
    if (!match) return;
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") {
      const next = items()[at + (key === "ArrowDown" ? 1 : -1)];
      if (!next) return;
      event.preventDefault();
      focus(next);
      next.scrollIntoView?.({ block: "nearest" });
      return;
    }
    // A key that is held down decides once: by then the next channel has the focus.
    if (event.repeat) {
      if (key === "Enter") event.preventDefault();
      return;
    }
    if (!may("TVCHANNEL_UPDATE")) return;
    const chosen = match.candidates[Number(key) - 1];
    const decision: Decision | undefined =
      key === noneKey && match.candidates.length > 0
        ? { verdict: "REFUSED" }
        : key.toUpperCase() === noGuideKey
          ? { verdict: "NO_GUIDE" }
          : chosen && isAcceptable(chosen, match)
            ? accepted(chosen, match)
            : undefined;
    if (!decision) return;
    event.preventDefault();
    decide(match, decision);
  };
  return (
    <>
      <p className="quiet epg-keys">{t("epgReview.keys")}</p>
      <ol className="epg-queue" ref={queue} onKeyDown={onKeyDown} data-stale={isStale || undefined}>
        {rows.map((match) => (
          <li key={match.id}>
            <MatchCard
              of={match}
              notice={notices[match.id]}
              isBusy={isBusy(match)}
              onDecide={(decision) => decide(match, decision)}
              onUndo={() => {
                if (isBusy(match)) return;
                notify(match, undefined);
                undo.mutate(match);
              }}
            />
          </li>
        ))}
      </ol>
    </>
  );
}

function Actions({ matching, shown }: { matching: Matching | undefined; shown: Chosen }) {
  const { t } = useTranslation();
  const may = useMay();
  const matchNow = useMatchNow();
  const [opened, setOpened] = useState<"accept" | "settings">();
  if (!may("TVCHANNEL_UPDATE") || !matching) return null;
  const busy = isUnfinished(matching) || matchNow.isPending;
  const close = () => setOpened(undefined);
  return (
    <>
      {may("TVGUIDE_UPDATE") && (
        <Button variant="default" onClick={() => setOpened("settings")}>
          {t("epgReview.settings.open")}
        </Button>
      )}
      <Button
        variant="default"
        loading={busy}
        loaderProps={{ "aria-label": t("epgReview.matching") }}
        onClick={() => matchNow.mutate()}
      >
        {t("epgReview.matchNow")}
      </Button>
      {may("TVCHANNEL_CREATE") && (
        <Button onClick={() => setOpened("accept")}>{t("epgReview.many.open")}</Button>
      )}
      <Suspense fallback={null}>
        {opened === "accept" && <AcceptDialog of={matching} shown={shown} onClose={close} />}
        {opened === "settings" && <ThresholdsDialog of={matching} onClose={close} />}
      </Suspense>
    </>
  );
}
