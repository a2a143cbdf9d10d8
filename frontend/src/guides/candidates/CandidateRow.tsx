// A channel of a guide that a channel or an entry may be: its score, what speaks for it and what against, what is on there
// now.
import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { MatchReason } from "../../api/enums/MatchReason.gen";
import type { components } from "../../api/schema.gen";
import { labelOf } from "../../i18n/enums";
import { AlertIcon, CheckIcon } from "../../ui/icons";
import "./candidates.css";

export type Candidate = components["schemas"]["EpgCandidate"];

interface CandidateRowProps {
  of: Candidate;
  /** From 1. */
  place: number;
  /** Whether its number is a key that accepts it, shown on the button. */
  isKey?: boolean;
  /** What the channel is called. */
  channel: string;
  isBusy: boolean;
  /** The channel is linked with it now. */
  isLinked?: boolean;
  /** Undefined where the user may not accept it, or there is nothing to accept. */
  onAccept: (() => void) | undefined;
}

export function CandidateRow(props: CandidateRowProps) {
  const { of: candidate, place, isKey, channel, isBusy, isLinked = false, onAccept } = props;
  const { t } = useTranslation();
  const { name, guideTitle, xmlId, score, for: pros, against, now } = candidate;
  return (
    <li className="epg-candidate">
      <span className="epg-score tabular" title={t("epgReview.score")}>
        {score}
        <span className="visually-hidden"> {t("epgReview.score")}</span>
      </span>
      <div className="epg-what">
        <strong>{name}</strong>
        <span className="quiet epg-id">{[guideTitle ?? t("epgReview.guideGone"), xmlId].join(" · ")}</span>
        <span className="epg-now">
          {now ? (
            t("epgReview.now", { title: now.title })
          ) : (
            <span className="quiet">{t("epgReview.nothingOn")}</span>
          )}
        </span>
      </div>
      <ul className="epg-reasons">
        {pros.map(({ code }) => (
          <li key={code} data-for>
            <CheckIcon size={14} /> {labelOf(MatchReason, code)}
          </li>
        ))}
        {against.map(({ code }) => (
          <li key={code} data-against>
            <AlertIcon size={14} /> {labelOf(MatchReason, code)}
          </li>
        ))}
        {pros.length + against.length === 0 && <li className="quiet">{t("epgReview.noReason")}</li>}
      </ul>
      {isLinked && (
        <span
          className="epg-linked"
          // Where there is no button, the review focuses this for its keyboard shortcuts.
          {...(isKey && !onAccept && { "data-place": place, tabIndex: -1 })}
        >
          <CheckIcon size={14} /> {t("epgReview.candidates.linked")}
        </span>
      )}
      {onAccept && (
        <Button
          size="xs"
          variant={place === 1 ? "filled" : "default"}
          disabled={isBusy}
          data-place={place}
          aria-label={t("epgReview.acceptOf", { name, title: channel })}
          leftSection={isKey && <kbd>{place}</kbd>}
          onClick={onAccept}
        >
          {t("epgReview.accept")}
        </Button>
      )}
    </li>
  );
}
