// Which columns a list shows: the person's choice, kept for the next visit.
import { useState } from "react";
import { ColumnChooser } from "./ColumnChooser";
import type { Column } from "./columns";
import { keepHidden, keptHidden } from "./preferences";

export function useChosenColumns<Row>(list: string, columns: readonly Column<Row>[]) {
  const [chosen, setChosen] = useState(() => keptHidden(list));
  const hidden = chosen ?? columns.filter((column) => column.isOptional).map((column) => column.key);
  const choose = (next: string[]) => {
    keepHidden(list, next);
    setChosen(next);
  };
  const optional = columns.filter((column) => !column.isIdentity);
  return {
    shown: columns.filter((column) => column.isIdentity || !hidden.includes(column.key)),
    chooser: <ColumnChooser columns={optional} hidden={hidden} onHidden={choose} />,
  };
}
