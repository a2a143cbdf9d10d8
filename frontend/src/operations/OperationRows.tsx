// Items of a bulk operation with one verdict: what changed of each, or why it did not.
import { Button } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Verdict as VerdictLabels } from "../api/enums/Verdict.gen";
import { messageOf } from "../api/problem";
import { FieldChanges, type FieldLabels } from "../history/FieldChanges";
import { itemName } from "../history/itemName";
import { labelOf } from "../i18n/enums";
import { formatNumber } from "../i18n/formats";
import { ErrorView } from "../ui/ErrorView";
import { countName } from "./OperationCounts";
import "./operations.css";
import { type Operation, type OperationRow, operationQueries, type Verdict } from "./queries";
import { placeOf } from "./resources";
import { useTrashedTitles } from "./useTrashedTitles";

interface OperationRowsProps extends FieldLabels {
  operation: Operation;
  verdict: Verdict;
  /** How many items have the verdict. */
  total: number;
  /** How many are shown at most, or at first. */
  limit: number;
  /** Whether more can be shown, and names lead to the items. */
  isWhole?: boolean;
}

export function OperationRows({
  operation,
  verdict,
  total,
  limit,
  isWhole = false,
  ...labels
}: OperationRowsProps) {
  const { t } = useTranslation();
  const [pages, setPages] = useState(1);
  const read = useQueries({
    queries: Array.from({ length: pages }, (_, page) =>
      operationQueries.rows(operation.id, verdict, limit, total, page),
    ),
  });
  const failed = read.find(({ error }) => error);
  const found = read.every(({ data }) => data === undefined)
    ? undefined
    : read.flatMap(({ data }) => data ?? []);
  const titles = useTrashedTitles(operation, found?.some(isUntitled) ?? false);
  const rows = found?.map((row) =>
    isUntitled(row) ? { ...row, title: titles[row.itemId] ?? row.title } : row,
  );
  const wouldBe = verdict === "CREATED" ? "created" : verdict === "CHANGED" ? "changed" : undefined;
  const title =
    operation.dryRun && wouldBe
      ? t(`operations.counts.${countName(wouldBe, operation)}`, {
          count: total,
          number: formatNumber(total),
        })
      : `${labelOf(VerdictLabels, verdict)} (${formatNumber(total)})`;
  if (failed?.error)
    return (
      <ErrorView
        title={t("operations.rowsFailed")}
        message={messageOf(failed.error)}
        onRetry={() => void failed.refetch()}
      />
    );
  // What is in the trash, or was never there, has no page.
  const isThere = verdict !== "MISSING" && (operation.action?.type !== "DELETE" || verdict !== "CHANGED");
  return (
    <RowList
      resource={operation.resource}
      title={title}
      rows={rows}
      total={total}
      hasLinks={isWhole && isThere}
      isDeleted={verdict === "MISSING" && isOfExisting(operation)}
      onMore={isWhole ? () => setPages(pages + 1) : undefined}
      isReading={read.some(({ isFetching }) => isFetching)}
      {...labels}
    />
  );
}

/** A row of a file has the number of its row there. */
const isUntitled = ({ title, sheetRow }: OperationRow) => title === "" && sheetRow == null;

/** Whether what it did not find was deleted: what a restoration does not find was restored before. */
const isOfExisting = ({ action }: Operation) => action != null && action.type !== "RESTORE";

interface RowListProps extends FieldLabels {
  /** What the items are, by the path of the API. */
  resource: string;
  title: string;
  rows: readonly OperationRow[] | undefined;
  total: number;
  note?: string | undefined;
  hasLinks?: boolean;
  /** The items were deleted. */
  isDeleted?: boolean;
  onMore?: (() => void) | undefined;
  isReading?: boolean;
}

export function RowList({ title, rows, total, note, onMore, isReading = false, ...labels }: RowListProps) {
  const { t } = useTranslation();
  return (
    <section aria-label={title}>
      <h3 className="operation-rows-title">{title}</h3>
      <ul className="operation-rows" aria-busy={!rows}>
        {rows?.map((row) => (
          <Row key={row.position} of={row} {...labels} />
        ))}
      </ul>
      {rows && total > rows.length && (
        <p className="quiet">
          {t("operations.more", { number: formatNumber(total - rows.length) })}{" "}
          {onMore && (
            <Button variant="subtle" size="compact-sm" loading={isReading} onClick={onMore}>
              {t("operations.showMore")}
            </Button>
          )}
        </p>
      )}
      {note && <p className="quiet">{note}</p>}
    </section>
  );
}

interface RowProps extends FieldLabels {
  of: OperationRow;
  resource: string;
  hasLinks?: boolean;
  isDeleted?: boolean;
}

function Row({ of: row, resource, hasLinks = false, isDeleted = false, fieldLabel, valueLabel }: RowProps) {
  const { t } = useTranslation();
  const name = itemName(resource, row.title);
  const place = hasLinks && name ? placeOf(resource, row.itemId) : undefined;
  const isOfFile = row.sheetRow != null;
  // The id of a user is the user name.
  const id = typeof row.itemId === "number" ? `#${row.itemId}` : row.itemId;
  return (
    <li>
      {isOfFile && (
        <span className="quiet tabular">
          {t("operations.sheetRow", { number: formatNumber(row.sheetRow ?? 0) })}
        </span>
      )}
      <strong>
        {place ? (
          <Link to={place}>{name}</Link>
        ) : (
          name || (isOfFile ? "—" : isDeleted ? t("operations.deletedItem", { id }) : id)
        )}
      </strong>
      <FieldChanges
        resource={resource}
        before={row.before}
        after={row.after}
        fieldLabel={fieldLabel}
        valueLabel={valueLabel}
      />
      {row.problems.map((problem) => (
        <span key={`${problem.field} ${problem.code}`} className="operation-problem">
          {problem.field === ""
            ? problem.message
            : `${nameOf(problem.column) || fieldLabel(problem.field)}: ${problem.message}`}
        </span>
      ))}
    </li>
  );
}

/** A heading of a file without the colon, or the asterisk of a required field, that it may end with. */
const nameOf = (heading: string | null) => heading?.replace(/[\s:*]+$/, "");
