// The list of webhooks: address, events and outcome of the last delivery.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { paths } from "../../routing/paths";
import { DeleteIcon, EditIcon } from "../../ui/icons";
import { type Action, ActionButtons } from "../../ui/list/ActionButtons";
import { answerOf } from "../../ui/list/answer";
import { ListExport } from "../../ui/list/export/ListExport";
import { ListScreen } from "../../ui/list/ListScreen";
import { listQuery } from "../../ui/list/listQuery";
import { useInLanguage } from "../../ui/list/useInLanguage";
import { useListAddress } from "../../ui/list/useListAddress";
import { useNextPage } from "../../ui/list/useNextPage";
import { webhookColumns } from "./columns";
import { useResume, type Webhook, webhookQueries } from "./hooks";
import { LogIcon, RepeatIcon, SendIcon } from "./icons";
import { useRemove } from "./useRemove";
import { useTest } from "./useTest";
import "./webhooks.css";

const defaults = { name: "webhooks", size: 10 };

export default function WebhooksPage() {
  const { t } = useTranslation();
  const { state, change } = useListAddress(defaults);
  const list = useQuery(webhookQueries.list(state));
  const prefetchNext = useNextPage(state, list.data?.totalPages, (next) => webhookQueries.list(next));
  const columns = useInLanguage(webhookColumns);
  return (
    <ListScreen<Webhook>
      name={defaults.name}
      title={t("pages.webhooks")}
      searchLabel={t("webhooks.search")}
      columns={columns}
      state={state}
      change={change}
      answer={answerOf(list)}
      aside={
        <ListExport
          list={defaults.name}
          file="spreadsheets/webhooks"
          query={listQuery(state)}
          total={list.data?.totalElements}
          columns={columns}
        />
      }
      header={<p className="webhooks-about">{t("webhooks.about")}</p>}
      create={{ to: paths.newWebhook, label: t("webhooks.create") }}
      identity={({ id, name, url }, leave) => (
        <span className="row-title webhook-name">
          <Link to={paths.webhook(id)} data-row={id} onClick={leave}>
            {name}
          </Link>
          <span className="quiet webhook-url" title={url}>
            {url}
          </span>
        </span>
      )}
      actions={(row, leave) => <Actions of={row} onLeave={leave} />}
      onIntent={prefetchNext}
    />
  );
}

function Actions({ of: webhook, onLeave }: { of: Webhook; onLeave: () => void }) {
  const { t } = useTranslation();
  const test = useTest();
  const remove = useRemove();
  const resume = useResume();
  const { id, name } = webhook;
  const actions: Action[] = [
    ...(webhook.pause
      ? [
          {
            label: t("webhooks.pause.resumeOf", { name }),
            verb: t("webhooks.pause.resume"),
            Icon: RepeatIcon,
            onClick: () => {
              if (!resume.isPending) resume.mutate(webhook);
            },
          },
        ]
      : []),
    {
      label: t("webhooks.test.of", { name }),
      verb: t("webhooks.test.verb"),
      Icon: SendIcon,
      onClick: () => test.run(webhook),
    },
    {
      label: t("webhooks.log.of", { name }),
      verb: t("webhooks.log.verb"),
      Icon: LogIcon,
      to: paths.webhook(id),
      onClick: onLeave,
    },
    {
      label: t("webhooks.edit", { name }),
      verb: t("common.edit"),
      Icon: EditIcon,
      to: paths.editWebhook(id),
      onClick: onLeave,
    },
    {
      label: t("webhooks.delete", { name }),
      verb: t("common.delete"),
      Icon: DeleteIcon,
      onClick: () => void remove(webhook),
    },
  ];
  return <ActionButtons name={name} actions={actions} />;
}
