// «Candidatos de guía»: which channel of a guide a channel or an entry may be, and why. A channel is linked with one of them.
import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "../../access/session";
import { messageOf } from "../../api/problem";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import { FailureAlert } from "../../ui/FailureAlert";
import { CandidateRow } from "./CandidateRow";
import { GuideSelect } from "./GuideSelect";
import {
  type CandidatesOf,
  candidatesQuery,
  isAcceptable,
  isLinkedWith,
  matchOf,
  useAcceptCandidate,
} from "./queries";
import { ShiftForm } from "./ShiftForm";

interface CandidatesDialogProps {
  of: CandidatesOf;
  /** What the channel or the entry is called. */
  name: string;
  onClose: () => void;
  /** After the channel was linked. */
  onLinked?: () => void;
}

export default function CandidatesDialog({ of, name, onClose, onLinked }: CandidatesDialogProps) {
  const { t } = useTranslation();
  const may = useMay();
  const [guide, setGuide] = useState("");
  const { data, error, isPlaceholderData, refetch } = useQuery(candidatesQuery(of, guide));
  const link = data?.link;
  const isShiftTyped = useRef(false);
  const accept = useAcceptCandidate(name);
  const mayAccept = "channel" in of && may("TVCHANNEL_UPDATE");
  const ofChannel = "channel" in of ? of.channel : 0;
  // The candidates have the level that a run would find; whether a decision is waited for is in the stored match.
  const match = useQuery({ ...matchOf(ofChannel), enabled: mayAccept && link != null });
  const failure = accept.error ?? error;
  return (
    <Dialog
      title={t("epgReview.candidates.title", { name })}
      onClose={() => void askAndClose(isShiftTyped.current, onClose)}
      size="xl"
    >
      <p className="quiet">{t(`epgReview.candidates.${"channel" in of ? "about" : "aboutEntry"}`)}</p>
      <GuideSelect label={t("epgReview.candidates.guide")} value={guide} onChoose={setGuide} />
      <FailureAlert
        mt="md"
        title={t(`epgReview.${accept.error ? "notDecided" : "candidates.failed"}`, { title: name })}
      >
        {failure && (
          <>
            {messageOf(failure)}{" "}
            {!accept.error && (
              <Button size="compact-xs" variant="default" onClick={() => void refetch()}>
                {t("common.retry")}
              </Button>
            )}
          </>
        )}
      </FailureAlert>
      {data && data.candidates.length > 0 && (
        <ol className="epg-candidates epg-candidates-found" data-stale={isPlaceholderData || undefined}>
          {data.candidates.map((candidate, index) => (
            <CandidateRow
              key={`${candidate.guideId} ${candidate.xmlId}`}
              of={candidate}
              place={index + 1}
              channel={name}
              isLinked={isLinkedWith(link, candidate)}
              isBusy={accept.isPending || isPlaceholderData}
              onAccept={
                mayAccept && isAcceptable(candidate, { link, level: match.data?.level })
                  ? () =>
                      accept.mutate(
                        { channel: of.channel, version: data.version ?? 0, candidate, link },
                        {
                          onSuccess: () => {
                            onLinked?.();
                            onClose();
                          },
                        },
                      )
                  : undefined
              }
            />
          ))}
        </ol>
      )}
      {data?.candidates.length === 0 && !isPlaceholderData && (
        <p className="quiet">{t(`epgReview.${guide ? "candidates.none" : "noCandidates"}`)}</p>
      )}
      {mayAccept && link && (
        <ShiftForm
          key={`${link.guideId} ${link.xmlId}`}
          channel={of.channel}
          version={data.version ?? 0}
          of={link}
          isTyped={isShiftTyped}
          onSaved={() => onLinked?.()}
        />
      )}
      {!data && !error && <Skeleton h={160} mt="md" />}
    </Dialog>
  );
}
