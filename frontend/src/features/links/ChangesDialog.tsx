// How often a link played, and when it went down and came up.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { LinkState } from "../../api/enums/LinkState.gen";
import { ProbeOutcome } from "../../api/enums/ProbeOutcome.gen";
import { isMissing, messageOf, unlessMissing } from "../../api/problem";
import { labelOf } from "../../i18n/enums";
import { formatMoment } from "../../i18n/formats";
import { Dialog } from "../../ui/Dialog";
import { ErrorView } from "../../ui/ErrorView";
import { PageSkeleton } from "../../ui/PageSkeleton";
import { LinkDays } from "./LinkDays";
import { type Link, linkQueries } from "./queries";

export function ChangesDialog({ link, onClose }: { link: Link; onClose: () => void }) {
  const { t } = useTranslation();
  const query = useQuery(linkQueries.changes(link.id));
  const { error, refetch } = query;
  const data = unlessMissing(query);
  return (
    <Dialog title={t("probes.historyOf", { title: link.title })} onClose={onClose} size="lg">
      <LinkDays link={link.id} name={link.title} />
      {data ? (
        data.length === 0 ? (
          <p>{t("probes.noChanges")}</p>
        ) : (
          <ol className="link-changes">
            {data.map(({ occurredAt, from, to, outcome, httpStatus }) => (
              <li key={`${occurredAt} ${to}`}>
                <span className="tabular quiet">{formatMoment(occurredAt)}</span>{" "}
                {t("probes.change", { from: labelOf(LinkState, from), to: labelOf(LinkState, to) })}{" "}
                <span className="quiet">
                  {labelOf(ProbeOutcome, outcome)}
                  {httpStatus ? ` (${httpStatus})` : ""}
                </span>
              </li>
            ))}
          </ol>
        )
      ) : error ? (
        <ErrorView
          title={t("probes.failed")}
          message={messageOf(error)}
          onRetry={isMissing(error) ? undefined : () => void refetch()}
        />
      ) : (
        <PageSkeleton />
      )}
    </Dialog>
  );
}
