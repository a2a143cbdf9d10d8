// Accepts the best candidates of many channels: shows their number and the list first, then the progress and the undo.
import { Button, Checkbox, Group, MultiSelect, Stack, Text } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { MatchReason } from "../../api/enums/MatchReason.gen";
import { messageOf } from "../../api/problem";
import "../../forms/mantine-forms.css";
import { type TypedNumber, WholeNumberInput, wholeNumber } from "../../forms/WholeNumberInput";
import { GuideSelect } from "../../guides/candidates/GuideSelect";
import { labelOf, optionsOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { RunningOperation } from "../../operations/RunningOperation";
import { paths } from "../../routing/paths";
import { Dialog } from "../../ui/Dialog";
import { FailureAlert } from "../../ui/FailureAlert";
import {
  type AcceptFilter,
  type MatchCounts,
  type Matching,
  matchQueries,
  type Reason,
  undecided,
  useAccept,
  useRefreshMatches,
} from "./queries";

const ofScores = { min: 0, max: 100 };

interface AcceptDialogProps {
  of: Matching;
  /** The filters of the page, which it begins with. */
  shown: Record<string, string | undefined>;
  onClose: () => void;
}

export default function AcceptDialog({ of: { review }, shown, onClose }: AcceptDialogProps) {
  const { t } = useTranslation();
  const accept = useAccept();
  const [begun, setBegun] = useState<number>();
  const [score, setScore] = useState<TypedNumber>(shown.minScore ? Number(shown.minScore) : review);
  const [isClear, setClear] = useState(true);
  const [reasons, setReasons] = useState((shown.reason ? shown.reason.split(",") : []) as Reason[]);
  const [guide, setGuide] = useState(shown.guide ?? "");
  const [search, setSearch] = useState(shown.search ?? "");
  const minScore = wholeNumber(score, ofScores);
  const filter = {
    minScore: minScore ?? review,
    ...(search ? { search } : {}),
    ...(isClear ? { clear: true as const } : {}),
    ...(reasons.length > 0 ? { reason: reasons } : {}),
    ...(guide ? { guide: Number(guide) } : {}),
  };
  const counts = useQuery({
    ...matchQueries.counts(filter),
    enabled: begun === undefined && minScore !== undefined,
  });
  const preview = useQuery({
    ...matchQueries.preview(filter),
    enabled: begun === undefined && minScore !== undefined,
  });
  const count = preview.data?.totalElements ?? 0;
  const isReady = minScore !== undefined && preview.data !== undefined && !preview.isPlaceholderData;
  return (
    <Dialog title={t("epgReview.many.title")} onClose={onClose} size="lg" isForm>
      {begun === undefined ? (
        <Stack gap="md">
          <WholeNumberInput
            label={t("epgReview.many.score")}
            description={t("epgReview.many.scoreHelp")}
            value={score}
            onChange={setScore}
            {...ofScores}
          />
          <Checkbox
            label={t("epgReview.many.clear")}
            checked={isClear}
            onChange={(event) => setClear(event.currentTarget.checked)}
          />
          <MultiSelect
            label={t("epgReview.many.reasons")}
            placeholder={reasons.length > 0 ? undefined : t("epgReview.many.anyReason")}
            value={reasons}
            data={optionsOf(MatchReason)}
            onChange={(next) => setReasons(next as Reason[])}
            searchable
            hidePickedOptions
          />
          <GuideSelect label={t("epgReview.guide")} value={guide} onChoose={setGuide} />
          {search && (
            <Group gap="sm">
              <Text>{t("epgReview.many.search", { search })}</Text>
              <Button size="compact-sm" variant="default" onClick={() => setSearch("")}>
                {t("epgReview.many.allChannels")}
              </Button>
            </Group>
          )}
          <div role="status">
            <Text fw={600}>
              {isReady ? t("epgReview.many.count", { count, number: formatNumber(count) }) : "…"}
            </Text>
            <ul className="epg-examples">
              {preview.data?.content.map(({ id, title, candidates }) => (
                <li key={id}>
                  {title} → {candidates[0]?.name}{" "}
                  <span className="quiet tabular">{candidates[0]?.score}</span>
                </li>
              ))}
            </ul>
          </div>
          {counts.data && counts.data.total > 0 && (
            <Breakdown of={counts.data} filter={filter} onClose={onClose} />
          )}
          <FailureAlert>
            {(accept.error ?? preview.error) && messageOf(accept.error ?? preview.error)}
          </FailureAlert>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {t("common.cancel")}
            </Button>
            <Button
              disabled={!isReady || count === 0}
              loading={accept.isPending}
              onClick={() =>
                accept.mutate({ filter, expectedCount: count }, { onSuccess: ({ id }) => setBegun(id) })
              }
            >
              {t("epgReview.many.verb", { count, number: formatNumber(count) })}
            </Button>
          </Group>
        </Stack>
      ) : (
        <Carried id={begun} onUndo={setBegun} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface BreakdownProps {
  of: MatchCounts;
  filter: AcceptFilter;
  onClose: () => void;
}

/** The numbers by score and by reason; each opens its list. */
function Breakdown({ of: { bands, reasons }, filter, onClose }: BreakdownProps) {
  const { t } = useTranslation();
  const listOf = (change: Record<string, string>) => `${paths.epgReview}?${addressOf(filter, change)}`;
  return (
    <div className="epg-breakdown">
      <ul aria-label={t("epgReview.many.byScore")}>
        {bands.map(({ from, to, count }) => (
          <li key={from}>
            <Link
              to={listOf({ minScore: String(Math.max(from, filter.minScore)), maxScore: String(to) })}
              onClick={onClose}
            >
              {t("epgReview.many.band", { from: Math.max(from, filter.minScore), to })}
            </Link>{" "}
            <span className="tabular">{formatNumber(count)}</span>
          </li>
        ))}
      </ul>
      <ul aria-label={t("epgReview.many.byReason")}>
        {reasons.map(({ code, count }) => (
          <li key={code}>
            <Link
              to={listOf({ reason: [...new Set([...(filter.reason ?? []), code])].join(",") })}
              onClick={onClose}
            >
              {labelOf(MatchReason, code)}
            </Link>{" "}
            <span className="tabular">{formatNumber(count)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The list of what would be accepted, with further filters. */
function addressOf(filter: AcceptFilter, change: Record<string, string>): URLSearchParams {
  return new URLSearchParams({
    decision: undecided,
    minScore: String(filter.minScore),
    ...(filter.clear ? { clear: "true" } : {}),
    ...(filter.guide ? { guide: String(filter.guide) } : {}),
    ...(filter.search ? { search: filter.search } : {}),
    ...(filter.reason ? { reason: filter.reason.join(",") } : {}),
    ...change,
  });
}

interface CarriedProps {
  id: number;
  onUndo: (id: number) => void;
  onClose: () => void;
}

function Carried({ id, onUndo, onClose }: CarriedProps) {
  const { t } = useTranslation();
  const refresh = useRefreshMatches();
  return (
    <RunningOperation
      id={id}
      text={() => t("epgReview.many.running")}
      onEnded={() => void refresh()}
      onUndo={onUndo}
      onClose={onClose}
    />
  );
}
