// One key: its permissions and its latest calls.
import { Alert, Button, Skeleton, Table } from "@mantine/core";
import "@mantine/core/styles/Table.layer.css";
import "@mantine/core/styles/Alert.layer.css";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { KeyScope } from "../../api/enums/KeyScope.gen";
import { messageOf } from "../../api/problem";
import { labelOf } from "../../i18n/enums";
import { formatDay, formatMoment, formatNumber } from "../../i18n/formats";
import { Dialog } from "../../ui/Dialog";
import { ErrorView } from "../../ui/ErrorView";
import { toast } from "../../ui/toast";
import { StateBadge } from "./columns";
import { type Key, type KeyUse, keyQueries, useKeepKey } from "./queries";

export default function KeyDialog({ of: key, onClose }: { of: Key; onClose: () => void }) {
  const { t } = useTranslation();
  const use = useQuery(keyQueries.one(key.id));
  return (
    <Dialog title={key.name} onClose={onClose}>
      {use.isError ? (
        <ErrorView
          title={t("list.failed")}
          message={messageOf(use.error)}
          onRetry={() => void use.refetch()}
        />
      ) : use.data ? (
        <KeyDetails of={use.data} />
      ) : (
        <Skeleton h={280} role="status" aria-label={t("common.loading")} />
      )}
    </Dialog>
  );
}

function KeyDetails({ of: key }: { of: KeyUse }) {
  const { t } = useTranslation();
  const facts: [string, string][] = [
    [t("keys.fields.hint"), `${key.hint}…`],
    [t("keys.fields.expiresDate"), key.expiresDate ? formatDay(key.expiresDate) : t("keys.neverExpires")],
    [t("keys.fields.callsPerMinute"), formatNumber(key.callsPerMinute)],
    [t("keys.createdBy"), `${key.createdBy}, ${formatMoment(key.createdDate)}`],
    [t("keys.fields.lastUsedDate"), key.lastUsedDate ? formatMoment(key.lastUsedDate) : t("keys.neverUsed")],
    [t("keys.fields.calls"), formatNumber(key.calls)],
    [t("keys.fields.refusedCalls"), formatNumber(key.refusedCalls)],
  ];
  if (key.keptBy) facts.push([t("keys.review.keptBy"), key.keptBy]);
  if (key.revokedDate) facts.push([t("keys.revokedDate"), formatMoment(key.revokedDate)]);
  return (
    <>
      <StateBadge state={key.state} />
      {key.needsReview && <Review of={key} />}
      <ul className="key-may">
        {key.scopes.map((scope) => (
          <li key={scope}>{labelOf(KeyScope, scope)}</li>
        ))}
      </ul>
      <dl className="key-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {key.days.length > 0 && <Days of={key.days} />}
    </>
  );
}

/** The key has no responsible admin any more: keep it here, or revoke it in the list. */
function Review({ of: key }: { of: KeyUse }) {
  const { t } = useTranslation();
  const keep = useKeepKey();
  const onKeep = () =>
    keep.mutate(key, {
      onSuccess: () => toast.success(t("keys.review.done", { name: key.name })),
      onError: (error) => toast.failure(t("keys.review.failed"), messageOf(error)),
    });
  return (
    <Alert color="orange" title={t("keys.review.title")} my="sm">
      <p>{t("keys.review.why", { name: key.keptBy ?? key.createdBy })}</p>
      <Button size="xs" loading={keep.isPending} onClick={onKeep}>
        {t("keys.review.keep")}
      </Button>
    </Alert>
  );
}

function Days({ of: days }: { of: KeyUse["days"] }) {
  const { t } = useTranslation();
  return (
    <Table className="key-days" aria-label={t("keys.days")}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t("keys.day")}</Table.Th>
          <Table.Th>{t("keys.fields.calls")}</Table.Th>
          <Table.Th>{t("keys.fields.refusedCalls")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {days.toReversed().map(({ day, calls, refused }) => (
          <Table.Tr key={day}>
            <Table.Td className="tabular">{formatDay(day)}</Table.Td>
            <Table.Td className="tabular">{formatNumber(calls)}</Table.Td>
            <Table.Td className="tabular">{formatNumber(refused)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
