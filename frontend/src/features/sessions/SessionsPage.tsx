// My sessions: where one is signed in, and ending one or all the others.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { confirm } from "../../ui/confirm";
import { ErrorView } from "../../ui/ErrorView";
import { PageHeading } from "../../ui/PageHeading";
import { PageSkeleton } from "../../ui/PageSkeleton";
import { toast } from "../../ui/toast";
import { type Session, sessionQueries, useEndOtherSessions, useEndSession } from "./queries";
import { SessionTable } from "./SessionTable";

export default function SessionsPage() {
  const { t } = useTranslation();
  const own = useQuery(sessionQueries.own());
  const ending = useEndSession();
  const endingOthers = useEndOtherSessions();

  const end = (session: Session) => {
    if (ending.isPending && ending.variables.id === session.id) return;
    ending.mutate(session, {
      onSuccess: () => toast.success(t("sessions.ended")),
      onError: (problem) => toast.failure(t("sessions.notEnded"), messageOf(problem)),
    });
  };

  const endOthers = async () => {
    const goesAhead = await confirm({
      title: t("sessions.endOthers"),
      consequence: t("sessions.endOthersConsequence"),
      verb: t("sessions.endOthersVerb"),
    });
    if (!goesAhead) return;
    endingOthers.mutate(undefined, {
      onSuccess: () => toast.success(t("sessions.othersEnded")),
      onError: (problem) => toast.failure(t("sessions.notEnded"), messageOf(problem)),
    });
  };

  const heading = <PageHeading title={t("pages.sessions")} />;
  if (own.isError && !own.data)
    return (
      <>
        {heading}
        <ErrorView
          title={t("sessions.failed")}
          message={messageOf(own.error)}
          onRetry={() => void own.refetch()}
        />
      </>
    );
  if (!own.data)
    return (
      <>
        {heading}
        <PageSkeleton />
      </>
    );
  const others = own.data.filter((session) => !session.current).length;
  return (
    <>
      {heading}
      <p className="quiet">{t("sessions.help")}</p>
      <SessionTable label={t("pages.sessions")} sessions={own.data} onEnd={end} />
      <div className="sessions-foot">
        <Button
          variant="default"
          disabled={others === 0}
          loading={endingOthers.isPending}
          onClick={() => void endOthers()}
        >
          {t("sessions.endOthers")}
        </Button>
        {others === 0 && <span className="quiet">{t("sessions.onlyThis")}</span>}
      </div>
    </>
  );
}
