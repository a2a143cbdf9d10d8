// Makes a webhook, and shows its secret.
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { rules } from "../../api/rules.gen";
import { useIdempotencyKey } from "../../api/useIdempotencyKey";
import type { PartialDraft } from "../../forms/draft";
import { EditForm } from "../../forms/EditForm";
import { useCreatedInARow } from "../../forms/useCreatedInARow";
import { lazyPart } from "../../loading/lazyPart";
import { paths } from "../../routing/paths";
import { PageHeading } from "../../ui/PageHeading";
import { toast } from "../../ui/toast";
import { type NewWebhook, useCreateWebhook, type WebhookDraft } from "./hooks";
import { useBack } from "./useBack";
import { WebhookFields } from "./WebhookFields";

const SecretDialog = lazyPart(() => import("./SecretDialog"), { isDialog: true });

const blank = (): PartialDraft<WebhookDraft> => ({ events: [], active: true });

export default function CreateWebhook() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const back = useBack();
  const { draft, isCopy, formKey, isNew, another } = useCreatedInARow<WebhookDraft>(
    blank,
    rules.WebhookDraft,
  );
  const [made, setMade] = useState<NewWebhook & { isFollowed: boolean }>();
  const creating = useCreateWebhook();
  const once = useIdempotencyKey();

  const save = async (isFollowed = false) => {
    const body = draft.toPayload();
    const answer = await creating.mutateAsync({ draft: body, idempotencyKey: once.keyFor(body) });
    once.forget();
    toast.success(t("webhooks.created", { name: answer.name }));
    draft.reset(blank());
    setMade({ ...answer, isFollowed });
  };
  /** Once its secret was seen. */
  const proceed = ({ id, isFollowed }: { id: number; isFollowed: boolean }) => {
    setMade(undefined);
    if (isFollowed) another();
    else navigate(paths.webhook(id), { replace: isCopy });
  };

  return (
    <>
      <PageHeading title={t("webhooks.create")} back={back.link} />
      <EditForm
        key={formKey}
        draft={draft}
        labels="webhooks"
        submitLabel={t("webhooks.create")}
        once={once}
        onSave={() => save()}
        onSaveAndNext={() => save(true)}
        nextLabel={t("form.saveAndCreate")}
        isNew={isNew}
        onCancel={() => navigate(back.link.to, { state: back.link.state })}
      >
        <WebhookFields />
      </EditForm>
      <Suspense fallback={null}>
        {made && <SecretDialog secret={made.secret} onClose={() => proceed(made)} />}
      </Suspense>
    </>
  );
}
