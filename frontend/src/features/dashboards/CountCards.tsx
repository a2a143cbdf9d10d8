// The numbers on top of a dashboard. A card that leads somewhere is one link; what is urgent is marked by shape and
// colour beside the number.
import { Skeleton } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { t } from "../../i18n";
import { formatNumber } from "../../i18n/formats";
import { paths } from "../../routing/paths";
import { AlertIcon, NextIcon } from "../../ui/icons";
import type { Month } from "./queries";

interface CountCard {
  label: string;
  /** Undefined while it is on its way. */
  value: number | undefined;
  to?: string;
  tone?: "danger" | "warning";
  note?: string;
  /** How it goes: this month against the last. */
  change?: string;
}

export function CountCards({ cards }: { cards: readonly CountCard[] }) {
  const { t } = useTranslation();
  return (
    <ul className="counts" data-cards={cards.length} aria-label={t("dashboards.counts.label")}>
      {cards.map((card) => (
        <li key={card.label}>
          {card.to ? (
            <Link className="count-card" to={card.to}>
              <Content {...card} />
            </Link>
          ) : (
            <div className="count-card">
              <Content {...card} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function Content({ label, value, to, tone, note, change }: CountCard) {
  return (
    <>
      <span className="count-label">
        {label}
        {to && <NextIcon size={16} />}
      </span>
      <span className="count-value tabular" data-tone={tone}>
        {value === undefined ? (
          <Skeleton component="span" h={28} w="5rem" display="block" />
        ) : (
          formatNumber(value)
        )}
        {tone && <AlertIcon size={20} />}
        {note && <span className="count-note">{note}</span>}
      </span>
      {change && (
        <span className="count-change tabular" data-pending={value === undefined || undefined}>
          {change}
        </span>
      )}
    </>
  );
}

/** How urgent a number of users is that should be none. */
export function toneOf(count: number | undefined, tone: "danger" | "warning") {
  return count ? tone : undefined;
}

/** The cards of those who have expired and of those who do soon. */
export function endingCards(
  counts: { expiredUsers: number; usersAboutToExpire: number } | undefined,
): CountCard[] {
  return [
    {
      label: t("dashboards.counts.expired"),
      value: counts?.expiredUsers,
      to: paths.usersWithStatus("expired"),
      tone: toneOf(counts?.expiredUsers, "danger"),
    },
    {
      label: t("dashboards.counts.aboutToExpire"),
      value: counts?.usersAboutToExpire,
      to: paths.usersWithStatus("aboutToExpire"),
      tone: toneOf(counts?.usersAboutToExpire, "warning"),
    },
  ];
}

/** What this month and the last came to, in words. */
export function monthsOf(
  months: readonly Month[] | undefined,
  of: "registrations" | "creditsSold",
  say: (values: { now: string; before: string }) => string,
): string | undefined {
  // The card hides it while it is on its way: it takes as many lines as it will.
  if (!months) return say({ now: "0", before: "0" });
  const [before, now] = months.slice(-2);
  if (!before || !now) return undefined;
  return say({ now: formatNumber(now[of]), before: formatNumber(before[of]) });
}
