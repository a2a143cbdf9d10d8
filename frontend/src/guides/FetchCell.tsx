// A guide's newest fetch in a row of the list of guides: the state opens the whole of it. All rows share one request.
import { UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "../access/session";
import { Dialog } from "../ui/Dialog";
import { Moment } from "../ui/values";
import { FailedCell } from "./FailedCell";
import { ReadNowAlone } from "./FetchButtons";
import { FetchBadge } from "./fetchState";
import GuideFetching from "./GuideFetching";
import { guideFetches } from "./queries";
import "./guides.css";

export default function FetchCell({ guide }: { guide: number }) {
  const { t } = useTranslation();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const { data, error, refetch } = useQuery(guideFetches);
  if (error && !data)
    return <FailedCell title={t("guideHealth.failed")} error={error} onRetry={() => void refetch()} />;
  const fetch = data?.find(({ guideId }) => guideId === guide);
  if (!fetch) return <span className="quiet guide-cell-waits">…</span>;
  return (
    <span className="guide-cell">
      <UnstyledButton
        className="guide-state"
        aria-label={t("guideHealth.fetchingOf", { title: fetch.title })}
        onClick={() => setOpen(true)}
      >
        <FetchBadge of={fetch} />
        {fetch.finishedDate && (
          <span className="quiet">
            <Moment of={fetch.finishedDate} />
          </span>
        )}
      </UnstyledButton>
      {may("TVGUIDE_UPDATE") && <ReadNowAlone of={fetch} />}
      {isOpen && (
        <Dialog title={fetch.title} size="xl" onClose={() => setOpen(false)}>
          <GuideFetching guide={guide} />
        </Dialog>
      )}
    </span>
  );
}
