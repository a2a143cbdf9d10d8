// The checkboxes of a list: one for each row, and one for all of the page.
import { useTranslation } from "react-i18next";
import type { RowId, Selection } from "./useSelection";

interface SelectRowProps {
  selection: Selection;
  id: RowId;
  page: readonly RowId[];
  name: string;
}

export function SelectRow({ selection, id, page, name }: SelectRowProps) {
  const { t } = useTranslation();
  return (
    <input
      type="checkbox"
      className="select-box"
      aria-label={t("list.select", { name })}
      checked={selection.has(id)}
      // A click event has the state of Shift; a change event does not.
      onClick={(event) => selection.toggle(id, page, event.shiftKey)}
      readOnly
    />
  );
}

export function SelectPage({ selection, page }: Pick<SelectRowProps, "selection" | "page">) {
  const { t } = useTranslation();
  const count = page.filter(selection.has).length;
  return (
    <input
      type="checkbox"
      className="select-box"
      aria-label={t("list.selectPage")}
      checked={count > 0 && count === page.length}
      // Before the rows arrive a click would select nothing, and say nothing.
      disabled={page.length === 0}
      ref={(box) => {
        if (box) box.indeterminate = count > 0 && count < page.length;
      }}
      onChange={() => selection.togglePage(page)}
    />
  );
}
