// «Estado de cuenta»: an agent's stock by month. Agents see their own at once and choose among their agents; admins choose an
// agent. Who and when stand in the address.
import { ActionIcon, Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { useUser } from "../../access/session";
import { isMissing, messageOf } from "../../api/problem";
import { mayBeUsername } from "../../forms/username";
import { formatMonth } from "../../i18n/formats";
import { type Known, withoutUnknown } from "../../routing/knownAddress";
import { AddressWarning } from "../../ui/AddressWarning";
import { Empty } from "../../ui/Empty";
import { ErrorView } from "../../ui/ErrorView";
import { fileLink } from "../../ui/fileLink";
import { icon, NextIcon, PreviousIcon } from "../../ui/icons";
import { DownloadIcon } from "../../ui/lazyIcons";
import { PageHeading } from "../../ui/PageHeading";
import { AgentField } from "./AgentField";
import { exportAddress, isMonth, monthAfter, monthOfUtc, type Statement, statementQueries } from "./queries";
import { StatementSheet } from "./StatementSheet";
import "./statements.css";

const PrintIcon = icon(<path d="M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z" />);

const known: Known = { username: mayBeUsername, month: isMonth };

export default function StatementsPage() {
  const { t } = useTranslation();
  const user = useUser();
  const [address, setAddress] = useSearchParams();
  const isAgent = user.roleCode === "agent";
  const own = isAgent ? { username: user.username, fullName: user.fullName ?? user.username } : undefined;
  const params = withoutUnknown(address, known);
  const username = params.get("username") || own?.username;
  // Without a month the current one is shown.
  const month = params.get("month") || undefined;
  const found = useQuery({
    ...statementQueries.one(username ?? "", month),
    enabled: username !== undefined,
  });
  // The statement of another agent is not shown while this one is on its way.
  const isOfAnother =
    found.data !== undefined && found.data.user.username.toLowerCase() !== username?.toLowerCase();
  const statement = found.isError || isOfAnother ? undefined : found.data;
  // The current month in the time zone of the server; the month in UTC until the server has answered.
  const [currentMonth, setCurrentMonth] = useState(monthOfUtc);
  const lastMonth = statement && (statement.complete ? monthAfter(statement.month, 1) : statement.month);
  const isLater = lastMonth !== undefined && (lastMonth > currentMonth || !statement?.complete);
  if (isLater && lastMonth !== currentMonth) setCurrentMonth(lastMonth);
  const set = (change: { username?: string; month?: string }) =>
    setAddress((current) => ({ ...Object.fromEntries(current), ...change }));
  return (
    <>
      <PageHeading
        title={t("statements.title")}
        actions={<Actions statement={statement} isStale={found.isPlaceholderData} />}
      />
      <AddressWarning known={known} />
      <div className="statement-tools">
        <AgentField
          agent={statement?.user ?? (username === undefined ? undefined : { username, fullName: username })}
          own={own}
          onChoose={(username) => set({ username })}
        />
        {username !== undefined && (
          <Months
            of={month ?? statement?.month}
            current={currentMonth}
            onChoose={(month) => set({ month })}
          />
        )}
      </div>
      {username === undefined && <Empty help={t("statements.chooseHelp")}>{t("statements.choose")}</Empty>}
      {found.isError && (
        <ErrorView
          title={t("statements.failed")}
          message={messageOf(found.error)}
          onRetry={isMissing(found.error) ? undefined : () => void found.refetch()}
        />
      )}
      {username !== undefined && !statement && !found.isError && <Skeleton h={420} maw="56rem" />}
      {statement && (
        <div data-stale={found.isPlaceholderData || undefined} className="statement-place">
          <StatementSheet statement={statement} />
        </div>
      )}
    </>
  );
}

interface ActionsProps {
  statement: Statement | undefined;
  /** Another month is on its way. */
  isStale: boolean;
}

function Actions({ statement, isStale }: ActionsProps) {
  const { t } = useTranslation();
  if (!statement) return null;
  return (
    <>
      <Button
        {...(isStale ? { disabled: true } : { component: "a", ...fileLink(exportAddress(statement)) })}
        variant="default"
        leftSection={<DownloadIcon />}
        className="icon-on-phone"
      >
        {t("statements.export")}
      </Button>
      <Button
        variant="default"
        leftSection={<PrintIcon />}
        className="icon-on-phone"
        disabled={isStale}
        onClick={() => window.print()}
      >
        {t("statements.print")}
      </Button>
    </>
  );
}

interface MonthsProps {
  of: string | undefined;
  /** The month that is not over. */
  current: string;
  onChoose: (month: string) => void;
}

function Months({ of: month, current, onChoose }: MonthsProps) {
  const { t } = useTranslation();
  if (!month) return <Skeleton h={36} w={240} />;
  const isLast = month >= current;
  return (
    <fieldset className="statement-months" aria-label={t("statements.month")}>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={t("statements.previousMonth")}
        onClick={() => onChoose(monthAfter(month, -1))}
      >
        <PreviousIcon />
      </ActionIcon>
      <output aria-live="polite">{formatMonth(month, "long")}</output>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={t("statements.nextMonth")}
        disabled={isLast}
        onClick={() => onChoose(monthAfter(month, 1))}
      >
        <NextIcon />
      </ActionIcon>
    </fieldset>
  );
}
