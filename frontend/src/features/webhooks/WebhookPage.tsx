// One webhook: its address, its actions, and the log of its deliveries.
import { Button, Group, Menu } from "@mantine/core";
import "@mantine/core/styles/Menu.layer.css";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useParams } from "react-router";
import { useRecentItem } from "../../access/recent";
import { DeliveryStatus } from "../../api/enums/DeliveryStatus.gen";
import { EventType } from "../../api/enums/EventType.gen";
import { unlessMissing } from "../../api/problem";
import { LeaveGuard } from "../../forms/LeaveGuard";
import { secretQuestion } from "../../forms/secretQuestion";
import { labelOf, optionsOf } from "../../i18n/enums";
import { paths } from "../../routing/paths";
import { confirm } from "../../ui/confirm";
import { DeleteIcon, EditIcon, KeyIcon, ViewIcon } from "../../ui/icons";
import { ActionButtons } from "../../ui/list/ActionButtons";
import { answerOf } from "../../ui/list/answer";
import { ListExport } from "../../ui/list/export/ListExport";
import type { FilterChoice } from "../../ui/list/filter";
import { ListScreen } from "../../ui/list/ListScreen";
import { listQuery } from "../../ui/list/listQuery";
import { useInLanguage } from "../../ui/list/useInLanguage";
import { useListAddress } from "../../ui/list/useListAddress";
import { useNextPage } from "../../ui/list/useNextPage";
import { MoreMenu } from "../../ui/MoreMenu";
import { PageSkeleton } from "../../ui/PageSkeleton";
import { eventsOf, logColumns } from "./columns";
import { type Delivery, useResend, useRotateSecret, type Webhook, webhookQueries } from "./hooks";
import { RepeatIcon, SendIcon } from "./icons";
import { NotHere } from "./NotHere";
import { PauseAlert, WebhookState } from "./PauseBadge";
import { useBack } from "./useBack";
import { useRemove } from "./useRemove";
import { useTest } from "./useTest";
import "./webhooks.css";
import { lazyPart } from "../../loading/lazyPart";

const SecretDialog = lazyPart(() => import("./SecretDialog"), { isDialog: true });
const defaults = { name: "webhook-log", size: 10, filters: ["status", "eventType"] };
const DeliveryDialog = lazyPart(() => import("./DeliveryDialog"), { isDialog: true });

export default function WebhookPage() {
  const id = Number(useParams().id);
  const webhook = useQuery(webhookQueries.one(id));
  const found = unlessMissing(webhook);
  useRecentItem(found && { of: "webhooks", name: found.name, path: paths.webhook(id) });
  if (webhook.isError && !found)
    return <NotHere error={webhook.error} onRetry={() => void webhook.refetch()} />;
  if (!found) return <PageSkeleton />;
  return <Log key={id} of={found} />;
}

function Log({ of: webhook }: { of: Webhook }) {
  const { t } = useTranslation();
  const back = useBack();
  const { id } = webhook;
  const { state, change } = useListAddress(defaults);
  const list = useQuery(webhookQueries.log(id, state));
  const prefetchNext = useNextPage(state, list.data?.totalPages, (next) => webhookQueries.log(id, next));
  const [shown, setShown] = useState<Delivery>();
  const columns = useInLanguage(logColumns);
  const filters: FilterChoice[] = [
    { key: "status", label: t("status.label"), options: optionsOf(DeliveryStatus) },
    { key: "eventType", label: t("webhooks.log.event"), options: optionsOf(EventType) },
  ];
  return (
    <>
      <ListScreen<Delivery>
        name={defaults.name}
        title={webhook.name}
        back={back.link}
        searchLabel={t("webhooks.log.search")}
        columns={columns}
        filters={filters}
        // An event over what it is about.
        state={state}
        change={change}
        answer={answerOf(list)}
        aside={
          <ListExport
            list={defaults.name}
            file="spreadsheets/webhook-deliveries"
            query={{ ...listQuery(state), webhook: String(id) }}
            total={list.data?.totalElements}
            columns={columns}
          />
        }
        header={<Summary of={webhook} />}
        identity={({ eventType, entity }) => (
          <span className="row-title webhook-name">
            <strong>{labelOf(EventType, eventType)}</strong>
            <span className="quiet">{entity}</span>
          </span>
        )}
        actions={(row) => <LogActions webhook={id} of={row} onShow={() => setShown(row)} />}
        onIntent={prefetchNext}
      />
      <Suspense fallback={null}>
        {shown && <DeliveryDialog delivery={shown} onClose={() => setShown(undefined)} />}
      </Suspense>
    </>
  );
}

function LogActions({ webhook, of: row, onShow }: { webhook: number; of: Delivery; onShow: () => void }) {
  const { t } = useTranslation();
  const resend = useResend(webhook);
  const name = `${labelOf(EventType, row.eventType)} (${row.entity})`;
  const isWaiting = row.status === "PENDING";
  return (
    <ActionButtons
      name={name}
      actions={[
        {
          label: t("webhooks.message.of", { name }),
          verb: t("webhooks.message.verb"),
          Icon: ViewIcon,
          onClick: onShow,
        },
        {
          label: isWaiting ? t("webhooks.hurryOf", { name }) : t("webhooks.resendOf", { name }),
          verb: isWaiting ? t("webhooks.hurry") : t("webhooks.resend"),
          Icon: RepeatIcon,
          onClick: () => {
            if (!resend.isPending) resend.mutate(row);
          },
        },
      ]}
    />
  );
}

function Summary({ of: webhook }: { of: Webhook }) {
  const { t } = useTranslation();
  const test = useTest();
  const rotate = useRotateSecret(webhook.id);
  const [secret, setSecret] = useState<string>();
  // One at a time: a second call of `mutate` replaces the callback of the first, whose secret would never be shown.
  const isRotating = rotate.isPending || secret !== undefined;

  const askAndRotate = async () => {
    const goesAhead = await confirm({
      title: t("webhooks.secret.rotateTitle"),
      consequence: t("webhooks.secret.rotateConsequence", { name: webhook.name }),
      verb: t("webhooks.secret.rotateVerb"),
    });
    if (goesAhead) rotate.mutate(undefined, { onSuccess: (answer) => setSecret(answer.secret) });
  };

  return (
    <section className="webhook-summary" aria-label={t("webhooks.summary")}>
      <div className="webhook-facts">
        <code className="webhook-url">{webhook.url}</code>
        <span className="badges">
          <WebhookState of={webhook} />
          <span className="quiet">{eventsOf(webhook.events)}</span>
        </span>
      </div>
      <Group gap="sm">
        <Button
          variant="light"
          leftSection={<SendIcon />}
          loading={test.isPending}
          loaderProps={{ "aria-label": t("webhooks.test.busy") }}
          onClick={() => test.run(webhook)}
        >
          {t("webhooks.test.send")}
        </Button>
        <Button
          variant="default"
          component={Link}
          to={paths.editWebhook(webhook.id)}
          leftSection={<EditIcon />}
        >
          {t("common.edit")}
        </Button>
        <MoreActions of={webhook} isRotating={isRotating} onRotate={() => void askAndRotate()} />
      </Group>
      <PauseAlert of={webhook} />
      <Suspense fallback={null}>
        {secret && <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />}
      </Suspense>
      {rotate.isPending && <LeaveGuard question={secretQuestion("webhooks.secret")} />}
    </section>
  );
}

interface MoreActionsProps {
  of: Webhook;
  isRotating: boolean;
  onRotate: () => void;
}

function MoreActions({ of: webhook, isRotating, onRotate }: MoreActionsProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const remove = useRemove();
  return (
    <MoreMenu name={webhook.name}>
      <Menu.Item leftSection={<KeyIcon size={16} />} disabled={isRotating} onClick={onRotate}>
        {t("webhooks.secret.rotate")}
      </Menu.Item>
      <Menu.Item
        leftSection={<DeleteIcon size={16} />}
        onClick={() => void remove(webhook, () => navigate(paths.webhooks))}
      >
        {t("common.delete")}
      </Menu.Item>
    </MoreMenu>
  );
}
