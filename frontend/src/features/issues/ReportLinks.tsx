// What the links of the item are that a report is about: whether they play for us, since when one does not, and whether
// the reports on it can be resolved.
import { Alert, Button } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Permission } from "../../access/permissions";
import { useMay } from "../../access/session";
import { messageOf } from "../../api/problem";
import { formatMoment } from "../../i18n/formats";
import { Finding, StateBadge } from "../../probes/Finding";
import { DayAndTime } from "../../ui/DayAndTime";
import { toast } from "../../ui/toast";
import {
  isOpen,
  issueQueries,
  type ReportDetails,
  type ReportedLink,
  saySent,
  useResolve,
  useUndo,
} from "./queries";

/** What one must be allowed to read to see the links of a report; a trailer has none. */
const permissions = {
  TV: "TVCHANNEL_READ",
  RADIO: "RADIOSTATION_READ",
  MOVIE: "MOVIE_READ",
  DOCUMENTARY: "DOCUMENTARY_READ",
  SPORT: "SPORT_READ",
  CONCERT: "CONCERT_READ",
  EPISODE: "TVSHOW_READ",
  TRAILER: undefined,
} as const satisfies Record<ReportDetails["contentType"], Permission | undefined>;

export function ReportLinks({ report }: { report: ReportDetails }) {
  const { t } = useTranslation();
  const may = useMay();
  const permission = permissions[report.contentType];
  const mayRead = permission !== undefined && may(permission);
  const { data } = useQuery({ ...issueQueries.links(report.id), enabled: mayRead });
  if (!data?.length) return null;
  const isAfter = (moment: string | null) =>
    moment !== null && Date.parse(moment) > Date.parse(report.reportedDate);
  const again = data.find(({ playsAgain }) => playsAgain);
  return (
    <section aria-label={t("issues.links.title")}>
      <h4>{t("issues.links.title")}</h4>
      <ul className="report-links">
        {data.map((link) => (
          <li key={link.id}>
            <span>
              <StateBadge of={link.state} /> <Since link={link} />
            </span>
            {link.probe && <Finding link={link} />}
            {isAfter(link.addressSince) && <span className="quiet">{t("issues.links.otherAddress")}</span>}
          </li>
        ))}
      </ul>
      {again?.cameUp && <PlaysAgain report={report} since={again.cameUp} />}
    </section>
  );
}

function Since({ link: { state, since, probedAt } }: { link: ReportedLink }) {
  const { t } = useTranslation();
  if (state === "UP" || state === "UNKNOWN")
    return (
      <span className="quiet">
        {probedAt ? (
          <>
            {t("issues.links.probed")} <DayAndTime of={probedAt} />
          </>
        ) : (
          t("issues.links.notYet")
        )}
      </span>
    );
  return (
    <span className="quiet">
      {t("issues.links.since")} <DayAndTime of={since} />
    </span>
  );
}

/** The link was down after the report came, and plays again. */
function PlaysAgain({ report, since }: { report: ReportDetails; since: string }) {
  const { t } = useTranslation();
  const resolving = useResolve();
  const undo = useUndo();
  const mayResolve = isOpen(report) && report.transitions.includes("RESUELTO");
  const resolve = () => {
    if (resolving.isPending) return;
    resolving.mutate(
      { report, sentence: t("issues.links.note", { date: formatMoment(since) }) },
      {
        onSuccess: (sent) => saySent(sent, undo),
        onError: (problem) => toast.failure(t("issues.notChanged"), messageOf(problem)),
      },
    );
  };
  return (
    <Alert color="green" title={t("issues.links.again")} className="report-plays-again">
      <p>
        {t("issues.links.since")} <DayAndTime of={since} />
      </p>
      {mayResolve && (
        <Button size="xs" onClick={resolve} aria-disabled={resolving.isPending}>
          {t(report.groupId === null ? "issues.links.resolve" : "issues.links.resolveAll")}
        </Button>
      )}
    </Alert>
  );
}
