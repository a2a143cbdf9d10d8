// Reversals that agents ask for. Admins decide each with one click; an agent sees what became of its own. Not shown where
// there are none.
import { Button, Group, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { isAdmin } from "../../access/permissions";
import { useUser } from "../../access/session";
import { ReversalStatus } from "../../api/enums/ReversalStatus.gen";
import { messageOf } from "../../api/problem";
import { useIdempotencyKey } from "../../api/useIdempotencyKey";
import { Draft } from "../../forms/draft";
import { LeaveGuard } from "../../forms/LeaveGuard";
import { useDialogDraft } from "../../forms/useDialogDraft";
import { useDraftValue } from "../../forms/useDraftForm";
import { formatDayAndTime } from "../../i18n/dayAndTime";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { ErrorView } from "../../ui/ErrorView";
import { FailureAlert } from "../../ui/FailureAlert";
import { ListExport } from "../../ui/list/export/ListExport";
import { useMoreRows } from "../../ui/list/useMoreRows";
import { ToneBadge } from "../../ui/ToneBadge";
import { toast } from "../../ui/toast";
import { type RequestedReversal, requestQueries, requestStep, useDecide } from "./queries";
import { isSame } from "./UserChip";

/** What a request shows. */
const columns = ["status", "requestedDate", "requestedBy", "reason", "operationDate", "targetUser"]
  .concat(["targetUserName", "amount", "decidedBy", "decidedDate", "note"])
  .map((key) => ({ key }));
const longestNote = 500;
const rule = { type: "object", properties: { note: { type: "string" } } } as const;
const tones = { PENDING: "yellow", APPROVED: "green", DECLINED: "gray" } as const;

export default function ReversalRequests() {
  const { t } = useTranslation();
  const user = useUser();
  const decides = isAdmin(user);
  const { size, hasMore, showMore } = useMoreRows(requestStep, requestStep);
  const status = decides ? "PENDING" : undefined;
  const { data, error, refetch } = useQuery(requestQueries.newest(status, size));
  // What waits for a decision is not hidden by a failure.
  if (error && !data)
    return <ErrorView title={t("list.failed")} message={messageOf(error)} onRetry={() => void refetch()} />;
  if (!data || data.content.length === 0) return null;
  const pending = data.content.filter(({ status }) => status === "PENDING").length;
  const number = formatNumber(decides ? data.totalElements : pending);
  return (
    <details className="reversal-requests" open={pending > 0}>
      <summary>{t("creditsHistory.requests.title", { number })}</summary>
      <ul>
        {data.content.map((request) => (
          <li key={request.id}>
            <What of={request} isOfOthers={!isSame(request.requestedBy.username, user.username)} />
            {decides ? <Decision of={request} /> : <Outcome of={request} />}
          </li>
        ))}
      </ul>
      <Group mt="sm" gap="sm">
        {hasMore(data.totalElements) && (
          <Button variant="default" size="compact-sm" onClick={showMore}>
            {t("creditsHistory.requests.more")}
          </Button>
        )}
        <ListExport
          list="reversal-requests"
          file="spreadsheets/reversal-requests"
          query={{ status }}
          total={data.totalElements}
          columns={columns}
          label={t("creditsHistory.requests.export")}
        />
      </Group>
    </details>
  );
}

function What({ of: request, isOfOthers }: { of: RequestedReversal; isOfOthers: boolean }) {
  const { t } = useTranslation();
  const { targetUser, requestedBy, amount, operationDate, reason } = request;
  return (
    <div className="reversal-request">
      <p>
        <strong>
          {t("creditsHistory.requests.what", {
            count: amount,
            number: formatNumber(amount),
            name: targetUser.fullName,
          })}
        </strong>{" "}
        <span className="quiet">
          {t("creditsHistory.requests.sold", { date: formatDayAndTime(operationDate) })}
          {isOfOthers && <> · {t("creditsHistory.requests.by", { name: requestedBy.fullName })}</>}
        </span>
      </p>
      {reason && <p className="reversal-reason">{t("creditsHistory.requests.reason", { reason })}</p>}
    </div>
  );
}

/** One click decides; what is typed before goes with it. */
function Decision({ of: { id, targetUser } }: { of: RequestedReversal }) {
  const { t } = useTranslation();
  const named = { name: targetUser.fullName };
  const [draft] = useState(() => new Draft<{ note: string }>({ note: "" }, rule));
  const note = useDraftValue<string | null>(draft, "note") ?? "";
  const { proposal, abandon } = useDialogDraft(draft, {
    of: `reversal-request ${id}`,
    labels: "creditsHistory",
    isAlwaysOpen: true,
  });
  const once = useIdempotencyKey();
  const deciding = useDecide((isApproved) => {
    abandon();
    toast.success(t(isApproved ? "creditsHistory.reverse.done" : "creditsHistory.requests.declined", named));
  });
  const decide = (isApproved: boolean) => {
    if (deciding.isPending) return;
    deciding.mutate({ id, isApproved, note, idempotencyKey: once.keyFor({ note: note.trim() }) });
  };
  return (
    <div className="reversal-decision">
      {note.trim() && <LeaveGuard onLeave={abandon} isKept />}
      {proposal}
      <TextInput
        size="xs"
        aria-label={t("creditsHistory.requests.noteOn", named)}
        placeholder={t("creditsHistory.requests.note")}
        maxLength={longestNote}
        value={note}
        onChange={(event) => draft.set("note", event.currentTarget.value)}
      />
      <Button
        size="xs"
        variant="default"
        aria-label={t("creditsHistory.requests.declineOf", named)}
        aria-disabled={deciding.isPending}
        onClick={() => decide(false)}
      >
        {t("creditsHistory.requests.decline")}
      </Button>
      <Button
        size="xs"
        aria-label={t("creditsHistory.requests.approveOf", named)}
        aria-disabled={deciding.isPending}
        onClick={() => decide(true)}
      >
        {t("creditsHistory.requests.approve")}
      </Button>
      <FailureAlert title={t("creditsHistory.requests.failed")} mt="xs">
        {deciding.isError && messageOf(deciding.error)}
      </FailureAlert>
    </div>
  );
}

function Outcome({ of: { status, note, decidedBy, decidedDate } }: { of: RequestedReversal }) {
  const { t } = useTranslation();
  return (
    <div className="reversal-outcome">
      <ToneBadge tone={tones[status]}>{labelOf(ReversalStatus, status)}</ToneBadge>
      {decidedDate && (
        <span className="quiet">
          {[decidedBy?.fullName, formatDayAndTime(decidedDate)].filter(Boolean).join(" · ")}
        </span>
      )}
      {note && (
        <span className="reversal-reason">{t("creditsHistory.requests.reason", { reason: note })}</span>
      )}
    </div>
  );
}
