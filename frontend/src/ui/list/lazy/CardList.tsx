// A list on a small screen: one card a row, the identity on top, a chosen few values below.
import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import type { Column } from "../columns";

interface CardListProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  skeletonRows: number;
  isStale: boolean;
  actions?: (row: Row) => ReactNode;
}

export default function CardList<Row extends { id: number | string }>(props: CardListProps<Row>) {
  const { label, columns, rows, skeletonRows, isStale, actions } = props;
  const identity = columns.find((column) => column.isIdentity) ?? columns[0];
  const details = columns.filter((column) => column !== identity && column.onCard);
  if (!rows)
    return (
      <div className="cards" aria-busy="true">
        {Array.from({ length: Math.min(skeletonRows, 6) }, (_, index) => index).map((index) => (
          <Skeleton key={index} h={128} radius="md" />
        ))}
      </div>
    );
  return (
    <ul className="cards" aria-label={label} data-stale={isStale || undefined} aria-busy={isStale}>
      {rows.map((row) => (
        <li key={row.id} className="card">
          <div className="card-top">
            <div className="card-title">{identity?.render(row)}</div>
            {actions?.(row)}
          </div>
          <dl className="card-values">
            {details.map((column) => (
              <div key={column.key}>
                <dt>{column.label}</dt>
                <dd>{column.render(row)}</dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}
