// The messages to customers, one after the other, ready to be copied or sent: a template in the customer's language, filled
// with their values. Each customer is marked as contacted at the same time, unless the user deselects that.
import { Button, Checkbox, Group, NativeSelect, Skeleton, Stack, Text, Textarea } from "@mantine/core";
import "@mantine/core/styles/Combobox.layer.css";
import "@mantine/core/styles/Checkbox.layer.css";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useUser } from "../../access/session";
import { messageOf } from "../../api/problem";
import { rules } from "../../api/rules.gen";
import { useIdempotencyKey } from "../../api/useIdempotencyKey";
import { Draft } from "../../forms/draft";
import { LeaveGuard } from "../../forms/LeaveGuard";
import { useDialogDraft } from "../../forms/useDialogDraft";
import { useDraftValue, useIsChanged } from "../../forms/useDraftForm";
import { type TypedNumber, WholeNumberInput, wholeNumber } from "../../forms/WholeNumberInput";
import { currentLanguage, type Language, languages } from "../../i18n";
import { formatNumber } from "../../i18n/formats";
import { dayFromNow } from "../../i18n/serviceDays";
import { askAndClose } from "../../ui/askAndClose";
import { confirm } from "../../ui/confirm";
import { Dialog } from "../../ui/Dialog";
import { ErrorView } from "../../ui/ErrorView";
import { FailureAlert } from "../../ui/FailureAlert";
import { filled, fits, languageOf, mailAddress, rememberLanguage, whatsAppAddress } from "./message";
import { useAddNote } from "./notes";
import { type Customer, type Message, renewalQueries } from "./queries";
import { SnoozeChoice } from "./SnoozeChoice";

const ofMonths = { min: 1, max: rules.AppCredits.properties.amount.maximum };

/** A text that was typed over the one of a message, and which message in which language that was. */
interface TypedText {
  message?: string;
  madeOf?: MadeOf;
}

interface MadeOf {
  id: number | undefined;
  language: Language;
}

const rule = {
  type: "object",
  properties: { message: { type: "string" }, madeOf: { type: "object" } },
} as const;

/** Enough of a customer to write to. */
type Recipient = Pick<
  Customer,
  "username" | "fullName" | "email" | "phoneNumber" | "internationalNumber" | "language" | "expirationDate"
>;

interface MessageDialogProps {
  /** One or several, who are written to one after the other. */
  customers: readonly Recipient[];
  onClose: () => void;
}

/** What stays from one customer to the next. */
interface Choices {
  id: number | undefined;
  months: TypedNumber;
  marks: boolean;
  snooze: number;
}

export default function MessageDialog({ customers, onClose }: MessageDialogProps) {
  const { t } = useTranslation();
  const messages = useQuery(renewalQueries.messages());
  const [index, setIndex] = useState(0);
  const [choices, setChoices] = useState<Choices>({ id: undefined, months: 1, marks: true, snooze: 0 });
  /** What was typed into the text and neither copied nor sent. */
  const [isUnsent, setUnsent] = useState(false);
  const [isUnmarked, setUnmarked] = useState(false);
  const abandon = useRef(() => {});
  const customer = customers[index];
  if (!customer) return null;
  const isLast = index + 1 >= customers.length;
  const leave = async (go: () => void) => {
    const isConfirmed =
      !isUnmarked ||
      (await confirm({
        title: t("renewals.unmarkedTitle"),
        consequence: t("renewals.unmarkedWhy", { name: customer.fullName }),
        verb: t("renewals.unmarkedVerb"),
      }));
    if (isConfirmed)
      await askAndClose(isUnsent, () => {
        abandon.current();
        go();
      });
  };
  const close = () => void leave(onClose);
  const next = () =>
    void leave(() => {
      setUnsent(false);
      setUnmarked(false);
      setIndex(index + 1);
    });
  return (
    <Dialog title={t("renewals.messageTitle", { name: customer.fullName })} onClose={close} size="lg" isForm>
      {(isUnsent || isUnmarked) && <LeaveGuard onLeave={() => abandon.current()} isKept={!isUnmarked} />}
      {messages.data?.length === 0 ? (
        <Text size="sm">{t("renewals.noMessages")}</Text>
      ) : messages.data ? (
        <MessageForm
          key={customer.username}
          customer={customer}
          messages={messages.data}
          choices={choices}
          onChoices={(change) => setChoices((before) => ({ ...before, ...change }))}
          onUnsent={setUnsent}
          onUnmarked={setUnmarked}
          abandon={abandon}
          footer={
            customers.length > 1 && (
              <Group gap="sm" className="renewal-sequence">
                <Text size="sm" c="dimmed" aria-live="polite">
                  {t("renewals.position", {
                    index: formatNumber(index + 1),
                    count: formatNumber(customers.length),
                  })}
                </Text>
                <Button variant="default" onClick={isLast ? close : next}>
                  {t(isLast ? "renewals.finish" : "renewals.next")}
                </Button>
              </Group>
            )
          }
        />
      ) : messages.error ? (
        <ErrorView
          title={t("renewals.messagesFailed")}
          message={messageOf(messages.error)}
          onRetry={() => void messages.refetch()}
        />
      ) : (
        <Skeleton h={320} role="status" aria-label={t("common.loading")} />
      )}
    </Dialog>
  );
}

interface MessageFormProps {
  customer: Recipient;
  messages: readonly Message[];
  choices: Choices;
  onChoices: (change: Partial<Choices>) => void;
  onUnsent: (isUnsent: boolean) => void;
  /** Whether the contact is to be saved and is not. */
  onUnmarked: (isUnmarked: boolean) => void;
  /** Receives what deletes the stored draft. */
  abandon: RefObject<() => void>;
  footer: ReactNode;
}

function MessageForm(props: MessageFormProps) {
  const { customer, messages, choices, onChoices, onUnsent, onUnmarked, abandon, footer } = props;
  const { t } = useTranslation();
  const { months } = choices;
  /** That of a restored text, which is not chosen for the next customers. */
  const [restoredId, setRestoredId] = useState<number>();
  const id = restoredId ?? choices.id;
  const { username: caller } = useUser();
  const { username, phoneNumber, internationalNumber, email } = customer;
  const [language, setLanguage] = useState<Language>(
    () => customer.language ?? languageOf(caller, username) ?? currentLanguage(),
  );

  const matching = messages.filter((one) => fits(one, customer));
  const message = matching.find((one) => one.id === id) ?? matching[0];
  const template = message?.[language === "es" ? "spanish" : "english"] ?? "";
  const monthCount = wholeNumber(months, ofMonths);
  const lacksMonths = monthCount === undefined && template.includes("{months}");
  const { text, area, isCopied, proposal, ...typing } = useTypedText(
    filled(template, customer, monthCount, language),
    { id: message?.id, language },
    username,
    onUnsent,
    (restored) => {
      setRestoredId(restored.id);
      setLanguage(restored.language);
    },
  );
  const cannotSend = lacksMonths || text.trim() === "";
  useEffect(() => {
    abandon.current = typing.abandon;
  });
  const whatsApp = internationalNumber ? whatsAppAddress(internationalNumber, text) : undefined;
  const marking = useMarking(username, choices, onUnmarked);
  const sent = (channel: string) => {
    typing.sent();
    if (!customer.language) rememberLanguage(caller, username, language);
    marking.markOnce(message ? `${channel}: ${message.name}` : channel);
  };
  const copy = () => {
    sent(t("renewals.copy"));
    void typing.copy();
  };

  return (
    <Stack gap="md">
      {proposal}
      <div className="renewal-message">
        <NativeSelect
          label={t("renewals.template")}
          value={message?.id}
          disabled={!message}
          data={matching.map((one) => ({ value: String(one.id), label: one.name }))}
          onChange={(event) => {
            const id = Number(event.currentTarget.value);
            void typing.replace(() => {
              setRestoredId(undefined);
              onChoices({ id });
            });
          }}
        />
        <NativeSelect
          label={t("renewals.language")}
          value={language}
          data={languages.map((one) => ({ value: one, label: t(`renewals.languages.${one}`) }))}
          onChange={(event) => {
            const language = event.currentTarget.value as Language;
            void typing.replace(() => setLanguage(language));
          }}
        />
        <WholeNumberInput
          label={t("renewals.monthsOffered")}
          value={months}
          onChange={(value) => void typing.replace(() => onChoices({ months: value }))}
          {...ofMonths}
        />
      </div>
      <Textarea
        ref={area}
        label={t("renewals.text")}
        description={t("renewals.textHelp")}
        lang={language}
        value={text}
        onChange={(event) => typing.type(event.currentTarget.value)}
        rows={6}
      />
      {matching.length < messages.length && (
        <Text size="sm" c="dimmed">
          {t("renewals.noEnd")}
        </Text>
      )}
      {phoneNumber && (!internationalNumber || internationalNumber.assumed) && (
        <Text size="sm" c="var(--warning)">
          {t("renewals.noPrefix")}
        </Text>
      )}
      <Marking of={marking} choices={choices} onChoices={onChoices} onUnmarked={onUnmarked} />
      <Group justify="flex-end" gap="sm">
        {footer}
        <Send
          label={t("renewals.email")}
          missing={email ? undefined : t("renewals.noEmail")}
          isDisabled={cannotSend}
          to={mailAddress(email, message?.name ?? "", text)}
          onSend={() => sent(t("renewals.email"))}
        />
        <Send
          label={t("renewals.whatsApp")}
          missing={whatsApp ? undefined : t(phoneNumber ? "renewals.noCode" : "renewals.noPhone")}
          isDisabled={cannotSend}
          to={whatsApp}
          onSend={() => sent(t("renewals.whatsApp"))}
        />
        <Button onClick={copy} disabled={cannotSend}>
          <span aria-live="polite">{t(isCopied ? "renewals.copied" : "renewals.copy")}</span>
        </Button>
      </Group>
    </Stack>
  );
}

/** The text of the message, which may be typed over. */
function useTypedText(
  made: string,
  madeOf: MadeOf,
  username: string,
  onUnsent: (isUnsent: boolean) => void,
  onRestored: (madeOf: MadeOf) => void,
) {
  const { t } = useTranslation();
  const [draft] = useState(() => new Draft<TypedText>({}, rule));
  const typed = useDraftValue<string | null | undefined>(draft, "message") ?? undefined;
  /** Something was typed that was neither copied nor sent. */
  const isUnsent = useIsChanged(draft);
  useEffect(() => onUnsent(isUnsent), [isUnsent, onUnsent]);
  const { proposal, abandon } = useDialogDraft(draft, {
    of: `message ${username}`,
    labels: "renewals",
    onRestored: (values) => {
      const restored = values.madeOf as MadeOf | undefined;
      if (!restored) return;
      draft.merge({ madeOf: restored });
      onRestored(restored);
    },
  });
  const [isCopied, setCopied] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const text = typed ?? made;
  const type = (next: string) => {
    draft.merge({ message: next, madeOf: next.trim() === "" ? undefined : madeOf });
    setCopied(false);
  };
  /** What was typed belongs to the message that it was made from; another one replaces it. */
  const replace = async (choose: () => void) => {
    const isConfirmed =
      !isUnsent ||
      (await confirm({
        title: t("renewals.anewTitle"),
        consequence: t("renewals.anewWhy"),
        verb: t("renewals.anewVerb"),
        cancel: t("form.leaveCancel"),
      }));
    if (!isConfirmed) return;
    choose();
    draft.reset({});
    setCopied(false);
  };
  const written = () => ({ message: draft.get("message"), madeOf: draft.get("madeOf") }) as TypedText;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch (failure) {
      // Without https there is no clipboard: the text is selected, for Ctrl+C.
      console.warn("not copied", failure);
      draft.reset({}, written());
      area.current?.select();
    }
  };
  return {
    text,
    area,
    isCopied,
    proposal,
    abandon,
    type,
    replace,
    copy,
    sent: () => draft.reset(written()),
  };
}

/** The customer is contacted once, however often the text is copied or sent from this dialog. */
function useMarking(username: string, { marks, snooze }: Choices, onUnmarked: (isUnmarked: boolean) => void) {
  const marking = useAddNote(username, useIdempotencyKey());
  const mark = (text: string) => {
    onUnmarked(true);
    const note = {
      kind: "CONTACT",
      text,
      contactedOn: null,
      snoozedUntil: snooze ? dayFromNow(snooze) : null,
    } as const;
    marking.mutate(note, { onSuccess: () => onUnmarked(false) });
  };
  return {
    isDone: marking.isSuccess,
    /** It was begun and is not done. */
    isOpen: marking.isError || marking.isPending,
    error: marking.error,
    markOnce: (text: string) => {
      if (marks && !marking.isPending && !marking.isSuccess) mark(text);
    },
    retry: () => mark(marking.variables?.text ?? ""),
  };
}

interface MarkingProps extends Pick<MessageFormProps, "choices" | "onChoices" | "onUnmarked"> {
  of: ReturnType<typeof useMarking>;
}

/** Whether the customer is marked as contacted, and what became of it. */
function Marking({ of: marking, choices: { marks, snooze }, onChoices, onUnmarked }: MarkingProps) {
  const { t } = useTranslation();
  return (
    <>
      <div className="renewal-marking">
        <Checkbox
          label={t("renewals.markContacted")}
          checked={marks}
          disabled={marking.isDone}
          onChange={(event) => {
            const marks = event.currentTarget.checked;
            onChoices({ marks });
            onUnmarked(marks && marking.isOpen);
          }}
        />
        {marks && !marking.isDone && (
          <SnoozeChoice days={snooze} onDays={(days) => onChoices({ snooze: days })} />
        )}
      </div>
      <Text size="sm" aria-live="polite" className="renewal-marked">
        {marking.isDone && t("renewals.marked")}
      </Text>
      <FailureAlert title={t("renewals.contactFailed")}>
        {marks && marking.error && (
          <>
            {messageOf(marking.error)}{" "}
            <Button size="compact-xs" variant="default" onClick={marking.retry}>
              {t("common.retry")}
            </Button>
          </>
        )}
      </FailureAlert>
    </>
  );
}

interface SendProps {
  label: string;
  /** What the customer lacks for it. */
  missing: string | undefined;
  isDisabled: boolean;
  to: string | undefined;
  onSend: () => void;
}

function Send({ label, missing, isDisabled, to, onSend }: SendProps) {
  if (missing || isDisabled)
    return (
      <Button variant="default" disabled>
        {missing ? `${label}: ${missing}` : label}
      </Button>
    );
  return (
    <Button component="a" variant="default" href={to} target="_blank" rel="noreferrer" onClick={onSend}>
      {label}
    </Button>
  );
}
