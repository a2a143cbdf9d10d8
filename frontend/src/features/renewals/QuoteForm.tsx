// The renewal before it is confirmed: how many months for each, when each would end, what it takes from the stock, and
// who cannot be renewed and why.
import { ActionIcon, Alert, Button, Checkbox, Group, Skeleton, Stack } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import "@mantine/core/styles/Checkbox.layer.css";
import { type FormEvent, type Ref, useImperativeHandle, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { rules } from "../../api/rules.gen";
import type { Draft } from "../../forms/draft";
import { useDialogDraft } from "../../forms/useDialogDraft";
import { useDraftValue } from "../../forms/useDraftForm";
import { useSettledQuery } from "../../forms/useSettledQuery";
import { type TypedNumber, WholeNumberInput, wholeNumber } from "../../forms/WholeNumberInput";
import { formatNumber } from "../../i18n/formats";
import { ErrorView } from "../../ui/ErrorView";
import { AlertIcon, CloseIcon } from "../../ui/icons";
import { Dash, Moment } from "../../ui/values";
import { ArrowIcon } from "./icons";
import { type Quote, type QuoteLine, type QuoteRequest, type Renewed, renewalQueries } from "./queries";

const ofMonths = { min: 1, max: rules.AppCredits.properties.amount.maximum };

/** A customer to renew, with the end of the subscription as it was shown. */
export type Confirmed = QuoteRequest["customers"][number] & { expectedEnd: string | null };

/** What is entered. A confirmation is none of it: it is for the quote that is shown. */
export interface Terms {
  common: TypedNumber;
  own: Record<string, TypedNumber>;
  removed: string[];
}

export const oneMonth: Terms = { common: 1, own: {}, removed: [] };
export const termsRule = {
  type: "object",
  properties: { common: {}, own: { type: "object" }, removed: { type: "array" } },
} as const;

export interface QuoteFormHandle {
  /** What was entered is not proposed again: it is sold, or left on purpose. */
  abandon: () => void;
}

interface QuoteFormProps {
  ref: Ref<QuoteFormHandle>;
  customers: readonly Renewed[];
  draft: Draft<Terms>;
  onConfirm: (customers: readonly Confirmed[]) => void;
  onCancel: () => void;
}

export function QuoteForm({ ref, customers, draft, onConfirm, onCancel }: QuoteFormProps) {
  const { t } = useTranslation();
  const common = useDraftValue<TypedNumber | null>(draft, "common") ?? "";
  const own = useDraftValue<Terms["own"]>(draft, "own");
  const removed = useDraftValue<Terms["removed"]>(draft, "removed");
  // Months are of these customers, and of no others.
  const [of] = useState(() => `renewal ${customers.map(({ username }) => username).sort()}`);
  const { proposal, abandon } = useDialogDraft(draft, { of, labels: "renewals" });
  useImperativeHandle(ref, () => ({ abandon }));
  const [accepted, setAccepted] = useState("");
  const shown = customers.filter(({ username }) => !removed.includes(username));
  const typedFor = (username: string) => own[username] ?? common;
  const wanted = shown.map(({ username }) => ({
    username,
    months: wholeNumber(typedFor(username), ofMonths),
  }));
  const isComplete = wanted.every(({ months }) => months !== undefined);
  const request = isComplete ? (wanted as QuoteRequest["customers"]) : undefined;
  const {
    answer: quote,
    isCurrent,
    error,
    retry,
  } = useSettledQuery(request && { customers: request }, renewalQueries.quote);
  const lines = new Map(quote?.customers.map((line) => [line.username, line]));

  const possible = request?.filter(({ username }) => lines.get(username)?.refusal === null) ?? [];
  const credits = possible.reduce((sum, { months }) => sum + months, 0);
  const isStillExpired = possible.some(({ username }) => hasWarning(lines.get(username), "STILL_EXPIRED"));
  // It is accepted for what is on the screen, not for what is typed next.
  const confirmation = JSON.stringify(request);
  const isAccepted = !isStillExpired || accepted === confirmation;
  const refused = isCurrent ? shown.length - possible.length : 0;
  const canSell = isCurrent && possible.length > 0 && isAccepted;

  const remove = (username: string) => draft.set("removed", [...removed, username]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (!canSell) return;
    const endOf = (username: string) => lines.get(username)?.expirationBefore ?? null;
    onConfirm(possible.map((one) => ({ ...one, expectedEnd: endOf(one.username) })));
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {proposal}
        <div className="renewal-terms">
          <WholeNumberInput
            label={t("renewals.months")}
            description={t("renewals.monthsHelp")}
            value={common}
            onChange={(value) => draft.merge({ common: value, own: {} })}
            {...ofMonths}
            data-autofocus
          />
          <Cost
            quote={isCurrent ? quote : undefined}
            credits={credits}
            isStale={!isCurrent && !error && isComplete}
          />
        </div>
        {/* The keyboard scrolls it, too. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable */}
        <section className="renewal-scroll" aria-label={t("renewals.customers")} tabIndex={0}>
          <ul className="renewal-lines">
            {shown.map((customer) => (
              <CustomerLine
                key={customer.username}
                customer={customer}
                line={lines.get(customer.username)}
                isStale={!isCurrent}
                months={typedFor(customer.username)}
                onMonths={(value) => draft.set("own", { ...own, [customer.username]: value })}
                onRemove={shown.length > 1 ? () => remove(customer.username) : undefined}
              />
            ))}
          </ul>
        </section>
        {error && <ErrorView title={t("renewals.quoteFailed")} message={messageOf(error)} onRetry={retry} />}
        <div aria-live="polite">
          {refused > 0 && (
            <Alert color="yellow" icon={<AlertIcon />}>
              {t("renewals.refused", { count: refused, number: formatNumber(refused) })}
            </Alert>
          )}
          {quote && isCurrent && lowStock(quote) && (
            <p className="renewal-low-stock">
              <AlertIcon size={16} />
              {lowStock(quote)}
            </p>
          )}
        </div>
        {isStillExpired && (
          <Checkbox
            label={t("renewals.stillExpired")}
            checked={isAccepted}
            onChange={(event) => setAccepted(event.currentTarget.checked ? confirmation : "")}
          />
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            {t("common.cancel")}
          </Button>
          <Button type="submit" disabled={!canSell}>
            {isCurrent && possible.length === 0
              ? t("renewals.nobody")
              : t("renewals.submit", {
                  count: isCurrent ? possible.length : shown.length,
                  number: formatNumber(isCurrent ? possible.length : shown.length),
                })}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function hasWarning(line: QuoteLine | undefined, code: string): boolean {
  return line?.warnings.some((warning) => warning.code === code) ?? false;
}

/** The warning about the stock of the seller; shown once and not for each customer. */
function lowStock(quote: Quote): string | undefined {
  const all = quote.customers.flatMap(({ warnings }) => warnings);
  return all.find(({ code }) => code === "LOW_STOCK")?.message;
}

interface CostProps {
  quote: Quote | undefined;
  credits: number;
  isStale: boolean;
}

/** What the renewal takes: from the stock of an agent, or created by an admin. */
function Cost({ quote, credits, isStale }: CostProps) {
  const { t } = useTranslation();
  const paysNothing = quote?.stockBefore === null;
  // Without months for each customer there is no quote, and none is requested.
  const unknown = (width: number) => (isStale ? <Skeleton h={20} w={width} /> : <Dash />);
  return (
    <dl className="renewal-cost" aria-live="polite" aria-busy={isStale}>
      <div>
        <dt>{t(paysNothing ? "renewals.created" : "renewals.credits")}</dt>
        <dd className="tabular">{quote ? formatNumber(credits) : unknown(40)}</dd>
      </div>
      {!paysNothing && (
        <div>
          <dt>{t("renewals.stock")}</dt>
          <dd className="tabular">
            {quote ? (
              <>
                <span className="quiet">{formatNumber(quote.stockBefore ?? 0)}</span>
                <ArrowIcon size={14} />
                <span className="visually-hidden">{t("renewals.becomes")}</span>
                {formatNumber(quote.stockAfter ?? 0)}
              </>
            ) : (
              unknown(80)
            )}
          </dd>
        </div>
      )}
    </dl>
  );
}

interface CustomerLineProps {
  customer: Renewed;
  line: QuoteLine | undefined;
  isStale: boolean;
  months: TypedNumber;
  onMonths: (months: TypedNumber) => void;
  onRemove: (() => void) | undefined;
}

function CustomerLine({ customer, line, isStale, months, onMonths, onRemove }: CustomerLineProps) {
  const { t } = useTranslation();
  const { fullName, username } = customer;
  const isWrong = wholeNumber(months, ofMonths) === undefined;
  // The quote of a customer who cannot be renewed has the current end of the subscription; that of a user who has been
  // hidden meanwhile has none.
  const isQuoted = line && (line.expirationBefore !== null || !line.refusal);
  const notes = line?.warnings.filter(({ code }) => code !== "LOW_STOCK") ?? [];
  return (
    <li className="renewal-line" data-refused={line?.refusal ? true : undefined}>
      <span className="renewal-customer">
        <strong>{fullName}</strong>
        <span className="quiet">{username}</span>
      </span>
      <span className="renewal-ends tabular" data-stale={isStale || undefined}>
        <Moment
          of={isQuoted ? line.expirationBefore : customer.expirationDate}
          isServiceDay
          none={t("renewals.neverExpires")}
        />
        {!line?.refusal && !isWrong && (
          <>
            <ArrowIcon size={14} />
            <span className="visually-hidden">{t("renewals.becomes")}</span>
            {line ? (
              <strong>
                <Moment of={line.expirationAfter} isServiceDay />
              </strong>
            ) : (
              <Skeleton h={18} w={88} />
            )}
          </>
        )}
      </span>
      <span className="renewal-months">
        <WholeNumberInput
          size="xs"
          aria-label={t("renewals.monthsOf", { name: fullName })}
          value={months}
          onChange={onMonths}
          {...ofMonths}
          error={isWrong}
        />
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          disabled={!onRemove}
          aria-label={t("renewals.remove", { name: fullName })}
          title={t("renewals.remove", { name: fullName })}
          onClick={onRemove}
        >
          <CloseIcon size={16} />
        </ActionIcon>
      </span>
      {line?.refusal && <span className="renewal-reason">{line.refusal.message}</span>}
      {notes.map(({ code, message }) => (
        <span key={code} className="renewal-note">
          <AlertIcon size={14} />
          {message}
        </span>
      ))}
    </li>
  );
}
