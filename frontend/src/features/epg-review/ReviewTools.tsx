// What narrows the review: the level, filters, search. On a phone filters in use are chips, as on lists.
import { Button, NativeSelect } from "@mantine/core";
import "@mantine/core/styles/Combobox.layer.css";
import { useTranslation } from "react-i18next";
import { useMay } from "../../access/session";
import { LinkVerdict } from "../../api/enums/LinkVerdict.gen";
import { MatchReason } from "../../api/enums/MatchReason.gen";
import { useGuideOptions } from "../../api/storedOptions";
import { GuideSelect } from "../../guides/candidates/GuideSelect";
import { labelOf, optionsOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { FailureAlert } from "../../ui/FailureAlert";
import { Filters } from "../../ui/list/Filters";
import type { FilterChoice } from "../../ui/list/filter";
import { SearchBox } from "../../ui/list/SearchBox";
import { useIsAtMost } from "../../ui/list/useIsAtMost";
import { type Level, levels, type Matching, undecided } from "./queries";

export type Chosen = Record<string, string | undefined>;

interface ReviewToolsProps {
  matching: Matching | undefined;
  state: Chosen;
  change: (next: Chosen) => void;
}

export function ReviewTools({ matching, state, change }: ReviewToolsProps) {
  const { t } = useTranslation();
  const isNarrow = useIsAtMost(640);
  const { reason = "" } = state;
  const reasons = [
    ...optionsOf(MatchReason),
    // Several, as «Aceptar varios» counts them.
    ...(reason.includes(",")
      ? [
          {
            value: reason,
            label: reason
              .split(",")
              .map((code) => labelOf(MatchReason, code))
              .join(", "),
          },
        ]
      : []),
  ];
  const decisions = [{ value: undecided, label: t("epgReview.undecided") }, ...optionsOf(LinkVerdict)];
  // Decided channels have other levels than those that wait.
  const narrow = (next: Chosen) => change("decision" in next ? { ...next, level: undefined } : next);
  return (
    <search className="epg-tools">
      <LevelSelect matching={matching} state={state} change={change} />
      {isNarrow ? (
        <NarrowFilters
          state={state}
          narrow={narrow}
          choices={[
            { key: "reason", label: t("epgReview.reason"), options: reasons },
            { key: "decision", label: t("epgReview.decision"), options: decisions },
          ]}
        />
      ) : (
        <>
          <GuideSelect
            aria-label={t("epgReview.guide")}
            title={t("epgReview.guide")}
            value={state.guide ?? ""}
            onChoose={(guide) => narrow({ guide: guide || undefined })}
          />
          <NativeSelect
            aria-label={t("epgReview.reason")}
            value={reason}
            data={[{ value: "", label: t("epgReview.allReasons") }, ...reasons]}
            onChange={(event) => narrow({ reason: event.currentTarget.value || undefined })}
          />
          <NativeSelect
            aria-label={t("epgReview.decision")}
            value={state.decision ?? ""}
            data={[{ value: "", label: t("epgReview.anyDecision") }, ...decisions]}
            onChange={(event) => narrow({ decision: event.currentTarget.value || undefined })}
          />
        </>
      )}
      {(state.minScore || state.maxScore || state.clear) && (
        <Button
          variant="default"
          onClick={() => change({ minScore: undefined, maxScore: undefined, clear: undefined })}
        >
          {t(state.clear ? "epgReview.ofClearScores" : "epgReview.ofScores", {
            from: state.minScore || 0,
            to: state.maxScore || 100,
          })}
        </Button>
      )}
      <SearchBox
        value={state.search ?? ""}
        placeholder={t("epgReview.search")}
        onSearch={(search) => change({ search })}
      />
    </search>
  );
}

function LevelSelect({ matching, state, change }: ReviewToolsProps) {
  const { t } = useTranslation();
  const count = (level: Level) => matching?.levels.find((one) => one.level === level)?.count ?? 0;
  const chosen = state.level || (state.channel || state.decision ? "" : "REVIEW");
  return (
    <NativeSelect
      className="epg-level"
      aria-label={t("epgReview.level")}
      value={chosen}
      data={[
        ...(state.channel ? [{ value: "", label: t("epgReview.oneChannel") }] : []),
        ...(state.decision && !state.channel ? [{ value: "", label: t("epgReview.allLevels") }] : []),
        ...levels.map((level) => ({
          value: level,
          label: t(`epgReview.levels.${level}`, { number: formatNumber(count(level)) }),
        })),
      ]}
      onChange={(event) =>
        change({
          // The default, unless another filter shows all levels.
          level:
            event.currentTarget.value === "REVIEW" && !state.decision
              ? undefined
              : event.currentTarget.value || undefined,
          channel: undefined,
        })
      }
    />
  );
}

interface NarrowFiltersProps {
  state: Chosen;
  narrow: (next: Chosen) => void;
  /** Beside the guide. */
  choices: readonly FilterChoice[];
}

/** The same filters as chips. */
function NarrowFilters({ state, narrow, choices }: NarrowFiltersProps) {
  const { t } = useTranslation();
  const mayRead = useMay()("TVGUIDE_READ");
  const guides = useGuideOptions(mayRead);
  const hasGuides = mayRead && !guides.isError;
  const guide = { key: "guide", label: t("epgReview.guide"), options: guides.options };
  const all = hasGuides ? [guide, ...choices] : choices;
  return (
    <>
      {guides.isError && (
        <FailureAlert title={guide.label}>
          {t("list.failed")}{" "}
          <Button size="compact-xs" variant="default" onClick={() => void guides.refetch()}>
            {t("common.retry")}
          </Button>
        </FailureAlert>
      )}
      <Filters
        choices={all}
        values={Object.fromEntries(all.map(({ key }) => [key, state[key] ?? ""]))}
        onChange={narrow}
      />
    </>
  );
}
