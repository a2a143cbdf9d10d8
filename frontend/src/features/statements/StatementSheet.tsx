// The statement, for screen and print: opening stock, movements, closing stock, and totals by user.
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { StatementConcept } from "../../api/enums/StatementConcept.gen";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { formatMonth } from "../../i18n/lazyFormats";
import { paths } from "../../routing/paths";
import type { Statement, StatementRow } from "./queries";

/** «+12», «−3», «0». */
function signed(value: number): string {
  if (value === 0) return "0";
  return `${value > 0 ? "+" : "−"}${formatNumber(Math.abs(value))}`;
}

export function StatementSheet({ statement }: { statement: Statement }) {
  const { t } = useTranslation();
  const { user, month, complete, timeZone } = statement;
  return (
    <article className="statement" aria-label={t("statements.of", { name: user.fullName })}>
      <header className="statement-head">
        <h2>
          {user.fullName} <span className="quiet">{user.username}</span>
        </h2>
        <p>
          {formatMonth(month, "long")}
          {!complete && <> · {t("statements.running")}</>}
          <span className="quiet"> · {t("statements.zone", { zone: timeZone })}</span>
        </p>
      </header>
      <Summary statement={statement} />
      <Rows statement={statement} />
    </article>
  );
}

function Summary({ statement: { opening, lines, closing } }: { statement: Statement }) {
  const { t } = useTranslation();
  const moved = lines.filter(({ movements }) => movements > 0);
  return (
    <table className="statement-table statement-summary">
      <caption>{t("statements.stock")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("statements.concept")}</th>
          <th scope="col" className="number">
            {t("statements.movements")}
          </th>
          <th scope="col" className="number">
            {t("statements.credits")}
          </th>
        </tr>
      </thead>
      <tbody>
        <tr className="statement-stock">
          <th scope="row">{t("statements.opening")}</th>
          <td />
          <td className="number">{formatNumber(opening)}</td>
        </tr>
        {moved.map(({ concept, amount, movements }) => (
          <tr key={concept}>
            <th scope="row">{labelOf(StatementConcept, concept)}</th>
            <td className="number quiet">{formatNumber(movements)}</td>
            <td className="number">{signed(amount)}</td>
          </tr>
        ))}
        {moved.length === 0 && (
          <tr>
            <td colSpan={3} className="quiet">
              {t("statements.nothing")}
            </td>
          </tr>
        )}
      </tbody>
      <tfoot>
        <tr className="statement-stock">
          <th scope="row">{t("statements.closing")}</th>
          <td />
          <td className="number">{formatNumber(closing)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

function Rows({ statement: { rows, moreRows } }: { statement: Statement }) {
  const { t } = useTranslation();
  if (rows.length === 0) return null;
  const sum = (of: (row: StatementRow) => number) => rows.reduce((all, row) => all + of(row), 0);
  return (
    <>
      <table className="statement-table statement-rows">
        <caption>{t("statements.byUser")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("statements.user")}</th>
            <th scope="col" className="number">
              {t("statements.sold")}
            </th>
            <th scope="col" className="number">
              {t("statements.received")}
            </th>
            <th scope="col" className="number">
              {t("statements.reversed")}
            </th>
            <th scope="col" className="number">
              {t("statements.net")}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.user.username} ${row.creditType}`}>
              <th scope="row">
                <Link to={paths.creditsHistoryOf(row.user.username)}>{row.user.fullName}</Link>{" "}
                <span className="quiet">
                  {row.user.username}
                  {row.creditType === "SALE" && <> · {t("statements.isAgent")}</>}
                </span>
              </th>
              <Numbers of={[row.sold, row.received, row.reversed, row.net]} />
            </tr>
          ))}
        </tbody>
        {!moreRows && (
          <tfoot>
            <tr className="statement-stock">
              <th scope="row">{t("statements.sum")}</th>
              <Numbers
                of={[
                  sum((row) => row.sold),
                  sum((row) => row.received),
                  sum((row) => row.reversed),
                  sum((row) => row.net),
                ]}
              />
            </tr>
          </tfoot>
        )}
      </table>
      {moreRows && <p className="quiet">{t("statements.more", { number: formatNumber(rows.length) })}</p>}
    </>
  );
}

const columns = ["sold", "received", "reversed", "net"] as const;

function Numbers({ of: numbers }: { of: [number, number, number, number] }) {
  const { t } = useTranslation();
  return columns.map((column, index) => {
    const number = numbers[index] ?? 0;
    return (
      <td key={column} className="number" data-label={t(`statements.${column}`)}>
        {number === 0 && column !== "net" ? <span className="quiet">0</span> : minus(number)}
      </td>
    );
  });
}

function minus(value: number): string {
  return value < 0 ? `−${formatNumber(-value)}` : formatNumber(value);
}
