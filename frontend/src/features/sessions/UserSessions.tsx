// The sessions of a user whom the signed-in user manages, on the edit page, and ending all of them.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { confirm } from "../../ui/confirm";
import { ErrorView } from "../../ui/ErrorView";
import { FormSection } from "../../ui/FormSection";
import { toast } from "../../ui/toast";
import { sessionQueries, useEndUserSessions } from "./queries";
import { SessionTable } from "./SessionTable";
import "./sessions.css";

export default function UserSessions({ username, fullName }: { username: string; fullName: string }) {
  const { t } = useTranslation();
  const sessions = useQuery(sessionQueries.of(username));
  const ending = useEndUserSessions(username);

  const endAll = async () => {
    const goesAhead = await confirm({
      title: t("sessions.endAll"),
      consequence: t("sessions.endAllConsequence", { name: fullName }),
      verb: t("sessions.endAllVerb"),
    });
    if (!goesAhead) return;
    ending.mutate(undefined, {
      onSuccess: () => toast.success(t("sessions.allEnded", { name: fullName })),
      onError: (problem) => toast.failure(t("sessions.notEnded"), messageOf(problem)),
    });
  };

  return (
    <div className="user-sessions">
      <FormSection title={t("sessions.ofUser")}>
        {sessions.isError && !sessions.data ? (
          <ErrorView
            title={t("sessions.failed")}
            message={messageOf(sessions.error)}
            onRetry={() => void sessions.refetch()}
          />
        ) : !sessions.data ? (
          <p className="quiet">{t("common.loading")}</p>
        ) : sessions.data.length === 0 ? (
          <p className="quiet">{t("sessions.none", { name: fullName })}</p>
        ) : (
          <>
            <SessionTable label={t("sessions.listOfUser", { name: fullName })} sessions={sessions.data} />
            <Button variant="default" loading={ending.isPending} onClick={() => void endAll()}>
              {t("sessions.endAll")}
            </Button>
          </>
        )}
      </FormSection>
    </div>
  );
}
