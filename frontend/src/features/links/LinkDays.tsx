// How often a link played on each of the last 30 days: a bar for each, and a table for screen readers.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../i18n/formats";
import { formatDayOfMonth } from "../../i18n/lazyFormats";
import { linkQueries, type ProbeDay, shareOf } from "./queries";
import "./days.css";

interface LinkDaysProps {
  link: number;
  /** What the link is called. */
  name: string;
}

export function LinkDays({ link, name }: LinkDaysProps) {
  const { t } = useTranslation();
  const { data } = useQuery(linkQueries.days(link));
  const share = data && shareOf(data);
  return (
    <div className="link-days">
      <span className="link-days-bars" aria-hidden="true">
        {data?.map(({ day, good, failed }) => (
          <Bar key={day} day={day} good={good} failed={failed} />
        ))}
      </span>
      <span className="quiet link-days-share">
        {data &&
          (share === undefined
            ? t("probes.days.none")
            : t("probes.days.share", { share: formatNumber(share) }))}
      </span>
      {data && share !== undefined && (
        <div className="visually-hidden">
          <table>
            <caption>{t("probes.days.of", { name })}</caption>
            <thead>
              <tr>
                <th scope="col">{t("probes.days.day")}</th>
                <th scope="col">{t("probes.days.good")}</th>
                <th scope="col">{t("probes.days.failed")}</th>
              </tr>
            </thead>
            <tbody>
              {data.map(({ day, good, failed }) => (
                <tr key={day}>
                  <th scope="row">{formatDayOfMonth(day)}</th>
                  <td>{formatNumber(good)}</td>
                  <td>{formatNumber(failed)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function Bar({ day, good, failed }: ProbeDay) {
  const { t } = useTranslation();
  const share = shareOf([{ good, failed }]);
  const text =
    share === undefined ? t("probes.days.noProbe") : t("probes.days.percent", { share: formatNumber(share) });
  return (
    <span className="link-day" title={`${formatDayOfMonth(day)}: ${text}`}>
      {share !== undefined && share < 100 && <span className="link-day-failed" />}
      {share !== undefined && <span className="link-day-good" style={{ height: `${share}%` }} />}
    </span>
  );
}
