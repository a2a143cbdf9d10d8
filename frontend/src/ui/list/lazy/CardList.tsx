// A list on a small screen: one card a row, the identity on top, a chosen few values below.
import "./card-list.css";
import type { ReactNode } from "react";
import { CardSkeletons } from "../CardSkeletons";
import type { Column } from "../columns";
import type { SelectableRows } from "../DataTable";
import { SelectRow } from "../SelectBox";

interface CardListProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  skeletonRows: number;
  isStale: boolean;
  actions?: (row: Row) => ReactNode;
  selectable?: SelectableRows<Row>;
}

export default function CardList<Row extends { id: number | string }>(props: CardListProps<Row>) {
  const { label, columns, rows, skeletonRows, isStale, actions, selectable } = props;
  const identity = columns.find((column) => column.isIdentity) ?? columns[0];
  const details = columns.filter((column) => column !== identity && column.onCard);
  const page = rows?.map(({ id }) => id) ?? [];
  if (!rows) return <CardSkeletons count={skeletonRows} />;
  return (
    <ul className="cards" aria-label={label} data-stale={isStale || undefined} aria-busy={isStale}>
      {rows.map((row) => (
        <li key={row.id} className="card">
          <div className="card-top">
            {selectable && (
              <SelectRow
                selection={selectable.selection}
                id={row.id}
                page={page}
                name={selectable.nameOf(row)}
              />
            )}
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
