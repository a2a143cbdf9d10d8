// The newest fetch of a guide, on the guide's own page and in the dialog of its list.
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMay } from "../access/session";
import { messageOf } from "../api/problem";
import { ErrorView } from "../ui/ErrorView";
import { FetchButtons } from "./FetchButtons";
import { FetchFindings } from "./FetchFindings";
import { FetchBadge, FetchFault } from "./fetchState";
import { guideFetch } from "./queries";
import "./guides.css";

export default function GuideFetching({ guide }: { guide: number }) {
  const { t } = useTranslation();
  const may = useMay();
  const { data, error, refetch } = useQuery(guideFetch(guide));
  if (error && !data)
    return (
      <ErrorView title={t("guideHealth.failed")} message={messageOf(error)} onRetry={() => void refetch()} />
    );
  if (!data) return <Skeleton className="guide-waits" />;
  return (
    <section className="guide" aria-label={t("guideHealth.fetching")}>
      <div className="guide-head">
        <h2>{t("guideHealth.fetching")}</h2>
        <span role="status">
          <FetchBadge of={data} />
        </span>
        {may("TVGUIDE_UPDATE") && <FetchButtons of={data} />}
      </div>
      <FetchFault of={data} />
      <FetchFindings of={data} />
    </section>
  );
}
