// A contact with a customer: when it was, what came of it, and for how long renewals leave the customer out.

import { Button, Group, Stack, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { rules } from "../../api/rules.gen";
import { useIdempotencyKey } from "../../api/useIdempotencyKey";
import DayInput from "../../forms/DayInput";
import { Draft } from "../../forms/draft";
import { LeaveGuard } from "../../forms/LeaveGuard";
import { useDialogDraft } from "../../forms/useDialogDraft";
import { useDraftValue, useIsChanged } from "../../forms/useDraftForm";
import { dayFromNow } from "../../i18n/serviceDays";
import { askAndClose } from "../../ui/askAndClose";
import { Dialog } from "../../ui/Dialog";
import { FailureAlert } from "../../ui/FailureAlert";
import { toast } from "../../ui/toast";
import { useAddNote } from "./notes";
import { SnoozeChoice } from "./SnoozeChoice";

interface Contact {
  text: string;
  day: string;
  /** Days from today; 0 for not at all. */
  snooze: number;
}

const rule = {
  type: "object",
  properties: { text: rules.NewNote.properties.text, day: { type: "string" }, snooze: { type: "integer" } },
} as const;

interface ContactDialogProps {
  customer: { username: string; fullName: string };
  onClose: () => void;
}

export default function ContactDialog({ customer, onClose }: ContactDialogProps) {
  const { t } = useTranslation();
  const { username, fullName: name } = customer;
  const [today] = useState(() => dayFromNow(0));
  const [draft] = useState(() => new Draft<Contact>({ text: "", day: today, snooze: 0 }, rule));
  const text = useDraftValue<string | null>(draft, "text") ?? "";
  const day = useDraftValue<string>(draft, "day");
  const snooze = useDraftValue<number>(draft, "snooze");
  const once = useIdempotencyKey();
  const adding = useAddNote(username, once);
  const { proposal, abandon, storeSent } = useDialogDraft(draft, {
    of: `contact ${username}`,
    labels: "renewals",
    once,
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (adding.isPending) return;
    const contact = {
      kind: "CONTACT",
      text: text.trim() || null,
      // Today is the server's to say.
      contactedOn: day === today ? null : day,
      snoozedUntil: snooze ? dayFromNow(snooze) : null,
    } as const;
    storeSent(contact);
    adding.mutate(contact, {
      onSuccess: () => {
        toast.success(t("renewals.contactSaved", { name }));
        abandon();
        onClose();
      },
    });
  };
  const isChanged = useIsChanged(draft);
  const close = () =>
    void askAndClose(isChanged, () => {
      abandon();
      onClose();
    });

  return (
    <Dialog title={t("renewals.contactTitle", { name })} onClose={close} isForm>
      {isChanged && <LeaveGuard onLeave={abandon} isKept />}
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {proposal}
          <Textarea
            label={t("renewals.contactNote")}
            description={t("renewals.contactNoteHelp")}
            value={text}
            onChange={(event) => draft.set("text", event.currentTarget.value)}
            maxLength={rules.NewNote.properties.text.maxLength}
            rows={3}
            data-autofocus
          />
          <DayInput
            label={t("renewals.contactedOn")}
            value={day}
            max={today}
            onDay={(next) => draft.set("day", next ?? today)}
          />
          <SnoozeChoice days={snooze} onDays={(days) => draft.set("snooze", days)} />
          <FailureAlert title={t("renewals.contactFailed")}>
            {adding.error && messageOf(adding.error)}
          </FailureAlert>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              {t("common.cancel")}
            </Button>
            <Button type="submit" loading={adding.isPending}>
              {t("renewals.contactSubmit")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
