// The message to one customer, ready to be copied or sent: a template in the customer's language, filled with their values.
import { Button, Group, NativeSelect, NumberInput, Skeleton, Stack, Text, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useUser } from "../../access/session";
import { messageOf } from "../../api/problem";
import { currentLanguage, type Language, languages } from "../../i18n";
import { Dialog } from "../../ui/Dialog";
import { ErrorView } from "../../ui/ErrorView";
import {
  filled,
  isInternational,
  languageOf,
  mailAddress,
  rememberLanguage,
  whatsAppAddress,
} from "./message";
import { type Customer, type Message, renewalQueries } from "./queries";

interface MessageDialogProps {
  customer: Customer;
  onClose: () => void;
}

export default function MessageDialog({ customer, onClose }: MessageDialogProps) {
  const { t } = useTranslation();
  const messages = useQuery(renewalQueries.messages());
  return (
    <Dialog
      title={t("renewals.messageTitle", { name: customer.fullName })}
      onClose={onClose}
      size="lg"
      isForm
    >
      {messages.data?.length === 0 ? (
        <Text size="sm">{t("renewals.noMessages")}</Text>
      ) : messages.data ? (
        <MessageForm customer={customer} messages={messages.data} />
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

function MessageForm({ customer, messages }: { customer: Customer; messages: readonly Message[] }) {
  const { t } = useTranslation();
  const caller = useUser().username;
  const { username, phoneNumber, email } = customer;
  const [language, setLanguage] = useState<Language>(() => languageOf(caller, username) ?? currentLanguage());
  const [id, setId] = useState(messages[0]?.id);
  const [months, setMonths] = useState<number | string>(1);
  const [typed, setTyped] = useState<string>();
  const [isCopied, setCopied] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);

  const message = messages.find((one) => one.id === id) ?? messages[0];
  const template = message?.[language === "es" ? "spanish" : "english"] ?? "";
  const text = typed ?? filled(template, customer, Number(months) || 1, language);
  /** What was typed belongs to the message that it was made from. */
  const anew = () => {
    setTyped(undefined);
    setCopied(false);
  };
  const remember = () => rememberLanguage(caller, username, language);
  const copy = async () => {
    remember();
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch (failure) {
      // Without https there is no clipboard: the text is selected, for Ctrl+C.
      console.warn("not copied", failure);
      area.current?.select();
    }
  };

  return (
    <Stack gap="md">
      <div className="renewal-message">
        <NativeSelect
          label={t("renewals.template")}
          value={message?.id}
          data={messages.map((one) => ({ value: String(one.id), label: one.name }))}
          onChange={(event) => {
            setId(Number(event.currentTarget.value));
            anew();
          }}
        />
        <NativeSelect
          label={t("renewals.language")}
          value={language}
          data={languages.map((one) => ({ value: one, label: t(`renewals.languages.${one}`) }))}
          onChange={(event) => {
            setLanguage(event.currentTarget.value as Language);
            anew();
          }}
        />
        <NumberInput
          label={t("renewals.monthsOffered")}
          value={months}
          onChange={(value) => {
            setMonths(value);
            anew();
          }}
          min={1}
          max={1200}
          allowDecimal={false}
        />
      </div>
      <Textarea
        ref={area}
        label={t("renewals.text")}
        description={t("renewals.textHelp")}
        lang={language}
        value={text}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setCopied(false);
        }}
        rows={6}
      />
      {phoneNumber && !isInternational(phoneNumber) && (
        <Text size="sm" c="var(--warning)">
          {t("renewals.noPrefix")}
        </Text>
      )}
      <Group justify="flex-end" gap="sm">
        <Send
          label={t("renewals.email")}
          missing={email ? undefined : t("renewals.noEmail")}
          to={mailAddress(email, message?.name ?? "", text)}
          onSend={remember}
        />
        <Send
          label={t("renewals.whatsApp")}
          missing={phoneNumber ? undefined : t("renewals.noPhone")}
          to={whatsAppAddress(phoneNumber, text)}
          onSend={remember}
        />
        <Button onClick={() => void copy()}>
          <span aria-live="polite">{t(isCopied ? "renewals.copied" : "renewals.copy")}</span>
        </Button>
      </Group>
    </Stack>
  );
}

interface SendProps {
  label: string;
  /** What the customer lacks for it. */
  missing: string | undefined;
  to: string;
  onSend: () => void;
}

function Send({ label, missing, to, onSend }: SendProps) {
  if (missing)
    return (
      <Button variant="default" disabled>
        {missing}
      </Button>
    );
  return (
    <Button component="a" variant="default" href={to} target="_blank" rel="noreferrer" onClick={onSend}>
      {label}
    </Button>
  );
}
