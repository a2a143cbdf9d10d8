// The preview of a credit operation by the server: balances, expiration, the payer's stock and warnings. Its height is
// reserved, so that the layout does not shift when the response arrives.
import { Button, Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { formatNumber } from "../../i18n/formats";
import { AlertIcon } from "../../ui/icons";
import { Moment } from "../../ui/values";
import type { Quote } from "./credits";
import { ArrowIcon } from "./icons";
import type { QuoteState } from "./useQuote";

export function CreditPreview({
  of: { isValid, isCurrent, answer: quote, error, retry },
}: {
  of: QuoteState;
}) {
  const { t } = useTranslation();
  const isStale = isValid && !isCurrent && !error;
  return (
    <section className="credit-preview" aria-label={t("credits.preview")} aria-busy={isStale}>
      <h3>{t("credits.preview")}</h3>
      <div aria-live="polite" data-stale={isStale || undefined}>
        {!isValid ? (
          <p className="quiet">{t("credits.noPreview")}</p>
        ) : error ? (
          <p className="credit-refusal">
            <AlertIcon size={16} />
            {messageOf(error)}
            <Button size="compact-xs" variant="subtle" onClick={retry}>
              {t("common.retry")}
            </Button>
          </p>
        ) : quote ? (
          <Outcome of={quote} />
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
  const none = t(of.startsSubscription ? "users.notStarted" : "users.neverExpires");
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
            before={<Moment of={of.expirationBefore} isServiceDay none={none} />}
            after={<Moment of={of.expirationAfter} isServiceDay none={none} />}
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
