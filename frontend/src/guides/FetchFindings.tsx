// When a guide was read, what it held, and what was left out and why.
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../i18n/formats";
import { DayAndTime } from "../ui/DayAndTime";
import type { GuideFetch } from "./queries";

interface FetchFindingsProps {
  of: GuideFetch;
  /** Further facts. */
  children?: ReactNode;
}

export function FetchFindings({ of: fetch, children }: FetchFindingsProps) {
  const { t } = useTranslation();
  const { counts } = fetch;
  return (
    <>
      <dl className="guide-facts">
        <Fact name={t("guideHealth.lastGood")} moment={fetch.lastGoodDate} />
        <Fact name={t("guideHealth.newest")} moment={fetch.newestProgramme} ofProgramme />
        <Fact name={t("guideHealth.next")} moment={fetch.active ? fetch.nextFetchDate : null} />
        {fetch.lastGoodDate && (
          <div>
            <dt>{t("guideHealth.held")}</dt>
            <dd className="tabular">
              {(["channels", "programmes"] as const)
                .map((what) =>
                  t(`guideHealth.${what}`, { count: counts[what], number: formatNumber(counts[what]) }),
                )
                .join(", ")}
              {counts.outside > 0 && (
                <span className="quiet">
                  {" "}
                  {t("guideHealth.outside", { number: formatNumber(counts.outside) })}
                </span>
              )}
            </dd>
          </div>
        )}
        {children}
      </dl>
      <LeftOut of={fetch} />
    </>
  );
}

interface FactProps {
  name: string;
  moment: string | null;
  /** A time of the schedule. */
  ofProgramme?: boolean;
}

function Fact({ name, moment, ofProgramme }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <DayAndTime of={moment} inService={ofProgramme} />
      </dd>
    </div>
  );
}

function LeftOut({ of: { leftOut, examples } }: { of: GuideFetch }) {
  const { t } = useTranslation();
  if (leftOut.length === 0) return null;
  const total = leftOut.reduce((sum, { count }) => sum + count, 0);
  return (
    <details className="guide-left-out">
      <summary>{t("guideHealth.leftOut", { count: total, number: formatNumber(total) })}</summary>
      <ul>
        {leftOut.map(({ reason, message, count }) => (
          <li key={reason}>
            {message}: <span className="tabular">{formatNumber(count)}</span>
            <span className="quiet">
              {" "}
              {examples
                .filter((example) => example.reason === reason)
                .map(({ text }) => `«${text}»`)
                .join(", ")}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
