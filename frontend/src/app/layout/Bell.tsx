// The notices of the user, each with a link. The server stores for each user which notices were seen.
import { ActionIcon } from "@mantine/core";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client";
import { NoticeKind } from "../../api/enums/NoticeKind.gen";
import { messageOf } from "../../api/problem";
import { freshness, noticesKey } from "../../api/queryClient";
import type { components } from "../../api/schema.gen";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { paths } from "../../routing/paths";
import { MenuButton } from "../../ui/dropdown/MenuButton";
import { BellIcon } from "../../ui/lazyIcons";
import "./bell.css";

type Notice = components["schemas"]["Notice"];

const interval = 5 * 60_000;

const notices = queryOptions({
  queryKey: noticesKey,
  queryFn: ({ signal }) => call("get", "/notices", { signal }),
  staleTime: freshness.counts,
  refetchInterval: interval,
});

/** The address of each kind of notice, and the query key of its data. */
const places: Record<Notice["kind"], [address: string, ...queryKey: string[]]> = {
  OWN_LOW_STOCK: [paths.creditsHistory, "credits"],
  AGENTS_LOW_STOCK: [`${paths.usersOfRole("agent")}&sort=credits`, "users", "list"],
  REVERSAL_REQUESTS: [paths.creditsHistory, "credits"],
  EXPIRING: [`${paths.renewals}?window=days_7`, "renewals"],
  EXPIRED: [`${paths.renewals}?window=expired`, "renewals"],
  BACKUP_OVERDUE: [paths.backups, "backups"],
  WEBHOOKS_PAUSED: [paths.webhooks, "webhooks"],
};

export default function Bell() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(notices);
  const seeing = useMutation({
    mutationFn: (shown: readonly Notice[]) =>
      call("put", "/notices/seen", {
        body: { notices: shown.map(({ kind, count, newest }) => ({ kind, count, newest })) },
      }),
    onSuccess: () =>
      client.setQueryData<Notice[]>(noticesKey, (shown) =>
        shown?.map((notice) => ({ ...notice, isNew: false })),
      ),
  });
  const fresh = data?.filter(({ isNew }) => isNew).length ?? 0;
  const label = fresh
    ? t("notices.openNew", { count: fresh, number: formatNumber(fresh) })
    : t("notices.open");
  return (
    <MenuButton
      button={(props) => (
        <ActionIcon {...props} variant="subtle" color="gray" size="lg" aria-label={label} title={label}>
          <BellIcon size={20} />
          {fresh > 0 && <span className="bell-dot" aria-hidden="true" />}
        </ActionIcon>
      )}
      position="bottom-end"
      width={340}
      withinPortal={false}
      // New notices stay marked while the menu is open.
      onClose={() => fresh > 0 && data && seeing.mutate(data)}
      className="notices"
      heading={t("notices.title")}
      note={<NoNotices failure={data ? null : error} isEmpty={data?.length === 0} />}
      entries={[
        ...(data ?? []).map((notice) => {
          const [to, ...queryKey] = places[notice.kind];
          return {
            key: notice.kind,
            label: <NoticeLines notice={notice} />,
            to,
            // Cached data of that page may be older than the notice.
            onClick: () => void client.invalidateQueries({ queryKey }),
          };
        }),
        ...(error && !data
          ? [{ key: "retry", label: t("common.retry"), keepsOpen: true, onClick: () => void refetch() }]
          : []),
      ]}
    />
  );
}

function NoticeLines({ notice }: { notice: Notice }) {
  const { t } = useTranslation();
  return (
    <span className="notice" data-new={notice.isNew || undefined}>
      <span>
        {labelOf(NoticeKind, notice.kind)}
        {notice.isNew && <span className="visually-hidden"> ({t("notices.new")})</span>}
      </span>
      {notice.kind !== "BACKUP_OVERDUE" && <strong className="tabular">{formatNumber(notice.count)}</strong>}
      <span className="quiet">{t(`notices.do.${notice.kind}`)}</span>
    </span>
  );
}

function NoNotices({ failure, isEmpty }: { failure: Error | null; isEmpty: boolean }) {
  const { t } = useTranslation();
  if (failure)
    return (
      <p className="quiet notices-none">
        {t("notices.failed")} {messageOf(failure)}
      </p>
    );
  return isEmpty && <p className="quiet notices-none">{t("notices.none")}</p>;
}
