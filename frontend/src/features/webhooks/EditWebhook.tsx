// Changes a webhook. Its secret stays what it is.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { rules } from "../../api/rules.gen";
import { useConflict } from "../../forms/ConflictDialog";
import { DuplicateButton } from "../../forms/DuplicateButton";
import { Draft, type PartialDraft } from "../../forms/draft";
import { EditForm } from "../../forms/EditForm";
import { FormSkeleton } from "../../forms/FormSkeleton";
import { useStored } from "../../forms/useStored";
import { paths } from "../../routing/paths";
import { PageHeading } from "../../ui/PageHeading";
import { toast } from "../../ui/toast";
import { useSaveWebhook, type Webhook, type WebhookDraft, webhookQueries } from "./hooks";
import { NotHere } from "./NotHere";
import { WebhookFields } from "./WebhookFields";

export default function EditWebhook() {
  const id = Number(useParams().id);
  const webhook = useQuery(webhookQueries.one(id));
  const stored = useStored(webhook, id);
  if (webhook.isError && !stored)
    return <NotHere error={webhook.error} onRetry={() => void webhook.refetch()} />;
  if (!stored) return <FormSkeleton />;
  return <EditLoaded key={id} stored={stored} />;
}

function EditLoaded({ stored }: { stored: Webhook }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [draft] = useState(
    () => new Draft<WebhookDraft>(stored as PartialDraft<WebhookDraft>, rules.WebhookDraft),
  );
  const saving = useSaveWebhook(stored.id);
  const back = () => navigate(paths.webhook(stored.id));

  const saveOver = async (version: number) => {
    const saved = await saving.mutateAsync({ version, draft: draft.toPayload() });
    toast.success(t("webhooks.saved", { name: saved.name }));
    draft.reset(saved as PartialDraft<WebhookDraft>);
    back();
  };
  const conflict = useConflict({ draft, stored, resource: "webhooks", labels: "webhooks", saveOver });
  const { base } = conflict;

  return (
    <>
      <PageHeading
        title={t("webhooks.editTitle", { name: base.name })}
        back={{ to: paths.webhook(stored.id), label: base.name }}
        actions={<DuplicateButton draft={draft} to={paths.newWebhook} />}
      />
      <EditForm
        draft={draft}
        labels="webhooks"
        submitLabel={t("webhooks.submitEdit")}
        version={base.version}
        onKeptVersion={conflict.baseOn}
        onSave={() => saveOver(base.version)}
        onCancel={back}
        onFailure={conflict.takeOver}
      >
        <WebhookFields />
      </EditForm>
      {conflict.dialog}
    </>
  );
}
