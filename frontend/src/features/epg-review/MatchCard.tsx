// A channel with the channels of guides that it may be: what speaks for each, what against, what is on there now.
import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay } from "../../access/session";
import { LinkVerdict } from "../../api/enums/LinkVerdict.gen";
import { type Candidate, CandidateRow } from "../../guides/candidates/CandidateRow";
import ChannelCandidates from "../../guides/candidates/ChannelCandidates";
import { isAcceptable, isLinkedWith, keptShift } from "../../guides/candidates/queries";
import { labelOf } from "../../i18n/enums";
import { formatMoment } from "../../i18n/formats";
import { isUndoable } from "../../operations/queries";
import { paths } from "../../routing/paths";
import { AlertIcon } from "../../ui/icons";
import { UndoIcon } from "../../ui/lazyIcons";
import { type Decision, type Match, useRefreshMatches } from "./queries";

/** The keys that stand on the buttons. */
export const noneKey = "0";
export const noGuideKey = "X";

interface MatchCardProps {
  of: Match;
  /** What another user decided meanwhile, or why the decision failed. */
  notice: string | undefined;
  isBusy: boolean;
  onDecide: (decision: Decision) => void;
  onUndo: () => void;
}

/** What a candidate that is accepted sends. The channel of the guide that it has already keeps its shift. */
export const accepted = (candidate: Candidate, { link }: Match): Decision => ({
  verdict: "ACCEPTED",
  guideId: candidate.guideId,
  xmlId: candidate.xmlId,
  ...keptShift(link, candidate),
});

export function MatchCard({ of: match, notice, isBusy, onDecide, onUndo }: MatchCardProps) {
  const { t } = useTranslation();
  const may = useMay();
  const refresh = useRefreshMatches();
  const { id, title, channelNumber, epgId, link, candidates, decision, decidedBy, decidedDate } = match;
  const mayDecide = may("TVCHANNEL_UPDATE");
  const heading = `epg-${id}`;
  return (
    <section className="epg-match" aria-labelledby={heading} aria-busy={isBusy}>
      <div className="epg-channel">
        <h2 id={heading}>
          <span className="quiet tabular">{channelNumber}</span>{" "}
          {mayDecide ? <Link to={paths.editContent("tv-channels", id)}>{title}</Link> : title}
        </h2>
        {epgId && <span className="quiet epg-id">{t("epgReview.epgId", { id: epgId })}</span>}
      </div>
      {notice ? (
        <p className="epg-notice" role="alert">
          <AlertIcon size={16} /> {notice}
        </p>
      ) : (
        decision && (
          <p className="quiet epg-decision">
            {labelOf(LinkVerdict, decision)}
            {decidedBy && ` · ${decidedBy}`}
            {decidedDate && ` · ${formatMoment(decidedDate)}`}
          </p>
        )
      )}
      {candidates.length > 0 ? (
        <ol className="epg-candidates">
          {candidates.map((candidate, index) => (
            <CandidateRow
              key={`${candidate.guideId} ${candidate.xmlId}`}
              of={candidate}
              place={index + 1}
              isKey
              channel={title}
              isLinked={isLinkedWith(link, candidate)}
              onAccept={
                mayDecide && isAcceptable(candidate, match)
                  ? () => onDecide(accepted(candidate, match))
                  : undefined
              }
              isBusy={isBusy}
            />
          ))}
        </ol>
      ) : (
        <div className="epg-others">
          <span className="quiet">{t("epgReview.noCandidates")}</span>
          {mayDecide && <ChannelCandidates channel={id} title={title} onLinked={() => void refresh()} />}
        </div>
      )}
      {mayDecide && (
        <div className="epg-others">
          {candidates.length > 0 && decision !== "REFUSED" && (
            <Button
              size="xs"
              variant="default"
              disabled={isBusy}
              aria-label={t("epgReview.noneOf", { title })}
              leftSection={<kbd>{noneKey}</kbd>}
              onClick={() => onDecide({ verdict: "REFUSED" })}
            >
              {t("epgReview.none")}
            </Button>
          )}
          {decision !== "NO_GUIDE" && (
            <Button
              size="xs"
              variant="default"
              disabled={isBusy}
              aria-label={t("epgReview.noGuideOf", { title })}
              leftSection={<kbd>{noGuideKey}</kbd>}
              onClick={() => onDecide({ verdict: "NO_GUIDE" })}
            >
              {t("epgReview.noGuide")}
            </Button>
          )}
          {isUndoable(match) && (
            <Button
              size="xs"
              variant="default"
              disabled={isBusy}
              aria-label={t("epgReview.undoOf", { title })}
              leftSection={<UndoIcon size={16} />}
              onClick={onUndo}
            >
              {t("epgReview.undo")}
            </Button>
          )}
        </div>
      )}
    </section>
  );
}
