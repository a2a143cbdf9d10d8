// The columns of a list that the user chose, stored in the browser.
import { useEffect, useState } from "react";
import { useLocation, useNavigationType } from "react-router";
import { ColumnChooser } from "./ColumnChooser";
import type { Column } from "./columns";
import { keepHidden, keptHidden } from "./preferences";

type Optional = Pick<Column<never>, "key" | "isOptional" | "isIdentity">;

/** The default columns of a list, and those that the user chose. */
export function visibleColumns<C extends Optional>(
  list: string,
  columns: readonly C[],
  chosen: readonly string[] | undefined = keptHidden(list),
): C[] {
  return columns.filter(
    ({ key, isOptional, isIdentity }) => isIdentity || !(chosen ? chosen.includes(key) : isOptional),
  );
}

/** On a narrow screen wide columns are neither shown nor selectable; the user's choice of them is unchanged. */
export function useChosenColumns<Row>(list: string, columns: readonly Column<Row>[], isTight: boolean) {
  const [chosen, setChosen] = useState(() => keptHidden(list));
  const opened = useOpenedWith();
  const [openedBy, setOpenedBy] = useState<string>();
  if (opened && opened.key !== openedBy) {
    setOpenedBy(opened.key);
    setChosen(opened.hidden);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each time that it is opened
  useEffect(() => {
    if (opened) keepHidden(list, opened.hidden);
  }, [list, opened?.key]);
  const hidden = chosen ?? columns.filter((column) => column.isOptional).map((column) => column.key);
  const choose = (next: string[]) => {
    keepHidden(list, next);
    setChosen(next);
  };
  const available = isTight ? columns.filter((column) => !column.needsRoom) : columns;
  const optional = available.filter((column) => !column.isIdentity);
  return {
    shown: visibleColumns(list, available, hidden),
    hidden,
    choose,
    chooser: <ColumnChooser columns={optional} hidden={hidden} onHidden={choose} />,
  };
}

/** The columns of the view that a menu opened the list with. What is come back to is as it was left. */
function useOpenedWith(): { key: string; hidden: string[] } | undefined {
  const { key, state } = useLocation();
  const isBack = useNavigationType() === "POP";
  const hidden = (state as { hiddenColumns?: string[] } | null)?.hiddenColumns;
  return hidden && !isBack ? { key, hidden } : undefined;
}
