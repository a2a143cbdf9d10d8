// What the operation would do, as the server says before anything moves: balances, expiration, the payer's stock, and
// what to know first. Keeps its place, so that nothing jumps when the answer comes.
import { Skeleton } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { ruleAt, violationsOf } from "../../forms/rules";
import { useForm, useValue } from "../../forms/useDraftForm";
import { formatNumber } from "../../i18n/formats";
import { AlertIcon } from "../../ui/icons";
import { Moment } from "../../ui/values";
import { type Operation, type Quote, quoteQuery } from "./credits";
import { ArrowIcon } from "./icons";

/** How long the typing rests before the server is asked. */
const rest = 300;

export function CreditPreview() {
  const { t } = useTranslation();
  const { draft } = useForm();
  const operationType = useValue<Operation>("operationType");
  const amount = useValue<number | string | null>("amount");
  const rule = ruleAt(draft.rule, "amount");
  const isValid = typeof amount === "number" && rule && violationsOf(rule, amount).length === 0;
  const [settled] = useDebouncedValue(isValid ? amount : undefined, rest);
  const asked =
    settled === undefined
      ? undefined
      : { operationType, amount: settled, targetUsername: draft.get("targetUsername") as string };
  const quote = useQuery({ ...quoteQuery(asked), placeholderData: keepPreviousData });
  const isStale = settled !== amount || quote.isFetching;

  return (
    <section className="credit-preview" aria-label={t("credits.preview")} aria-busy={isValid && isStale}>
      <h3>{t("credits.preview")}</h3>
      <div aria-live="polite" data-stale={(isValid && isStale) || undefined}>
        {!isValid ? (
          <p className="quiet">{t("credits.noPreview")}</p>
        ) : quote.isError ? (
          <p className="credit-refusal">
            <AlertIcon size={16} />
            {messageOf(quote.error)}
          </p>
        ) : quote.data ? (
          <Outcome of={quote.data} />
        ) : (
          <Skeleton h={20} />
        )}
      </div>
    </section>
  );
}

function Outcome({ of }: { of: Quote }) {
  const { t } = useTranslation();
  const isForSale = of.operationType.endsWith("FOR_SALE");
  const never = t("users.neverExpires");
  return (
    <>
      <dl className="credit-outcome">
        <Change
          label={isForSale ? t("credits.forSale") : t("credits.ofApp")}
          before={formatNumber(of.balanceBefore)}
          after={formatNumber(of.balanceAfter)}
        />
        {!isForSale && (
          <Change
            label={t("users.columns.expirationDate")}
            before={<Moment of={of.expirationBefore} none={never} />}
            after={<Moment of={of.expirationAfter} none={never} />}
          />
        )}
        {of.payer && (
          <Change
            label={t("credits.yourStock")}
            before={formatNumber(of.payer.balanceBefore)}
            after={formatNumber(of.payer.balanceAfter)}
          />
        )}
      </dl>
      {of.warnings.length > 0 && (
        <ul className="credit-warnings">
          {of.warnings.map(({ code, message }) => (
            <li key={code}>
              <AlertIcon size={16} />
              {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Change({ label, before, after }: { label: string; before: ReactNode; after: ReactNode }) {
  const { t } = useTranslation();
  return (
    <div>
      <dt>{label}</dt>
      <dd className="tabular">
        <span className="quiet">{before}</span>
        <ArrowIcon size={14} />
        <span className="visually-hidden">{t("credits.becomes")}</span>
        <strong>{after}</strong>
      </dd>
    </div>
  );
}
