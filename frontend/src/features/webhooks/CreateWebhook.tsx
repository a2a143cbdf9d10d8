// Makes a webhook, and shows its secret.
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { rules } from "../../api/rules.gen";
import { useIdempotencyKey } from "../../api/useIdempotencyKey";
import { Draft, type PartialDraft } from "../../forms/draft";
import { EditForm } from "../../forms/EditForm";
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
  const [draft] = useState(() => new Draft<WebhookDraft>(blank(), rules.WebhookDraft));
  const [made, setMade] = useState<NewWebhook>();
  const creating = useCreateWebhook();
  const once = useIdempotencyKey();

  const save = async () => {
    const body = draft.toPayload();
    const answer = await creating.mutateAsync({ draft: body, idempotencyKey: once.keyFor(body) });
    once.forget();
    toast.success(t("webhooks.created", { name: answer.name }));
    draft.reset(blank());
    setMade(answer);
  };

  return (
    <>
      <PageHeading title={t("webhooks.create")} back={back.link} />
      <EditForm
        draft={draft}
        labels="webhooks"
        submitLabel={t("webhooks.create")}
        once={once}
        onSave={save}
        onCancel={() => navigate(back.link.to, { state: back.link.state })}
      >
        <WebhookFields />
      </EditForm>
      <Suspense fallback={null}>
        {made && <SecretDialog secret={made.secret} onClose={() => navigate(paths.webhook(made.id))} />}
      </Suspense>
    </>
  );
}
