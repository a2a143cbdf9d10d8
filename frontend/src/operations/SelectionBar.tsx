// What is selected of a list, and what can be done with it.
import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../i18n/formats";
import type { Selection } from "../ui/list/useSelection";
import "../ui/list/lazy/selection-bar.css";
import type { OperationRequest } from "./queries";

/** The selection, as the dialog of an operation needs it. */
export interface SelectedItems {
  selected: Pick<OperationRequest, "ids" | "filter">;
  count: number;
  /** What is requested. */
  opened: "change" | "another" | "deletion" | "restoration";
  /** Whether something was changed. */
  onClose: (isDone: boolean) => void;
}

interface SelectionBarProps {
  selection: Selection;
  /** Search and filters of the list, as a request names them. */
  filter: Record<string, unknown>;
  /** How many rows match. */
  total: number | undefined;
  /** What one more action is called, beside those of every list. */
  another?: string | undefined;
  mayDelete?: boolean;
  /** The list is that of the trash: its rows can be restored, and nothing else. */
  isTrash?: boolean;
  dialog: (items: SelectedItems) => ReactNode;
}

export function SelectionBar({
  selection,
  filter,
  total = 0,
  another,
  mayDelete = false,
  isTrash = false,
  dialog,
}: SelectionBarProps) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<SelectedItems["opened"]>();
  const count = selection.everything ? total : selection.ids.length;
  const set = Object.entries(filter).filter(([, value]) => value !== "" && value !== undefined);
  return (
    <section className="selection-bar" aria-label={t("operations.selection")}>
      <span aria-live="polite">
        <strong>{t("operations.selected", { count, number: formatNumber(count) })}</strong>{" "}
        {selection.isNarrowed && t("operations.narrowed")}
      </span>
      {!selection.everything && total > count && (
        <Button variant="subtle" size="compact-sm" onClick={selection.selectEverything}>
          {t("operations.selectEverything", { count: total, number: formatNumber(total) })}
        </Button>
      )}
      <Button variant="subtle" size="compact-sm" color="gray" onClick={selection.clear}>
        {t("operations.clear")}
      </Button>
      <span className="selection-actions">
        <Button size="compact-sm" onClick={() => setOpen(isTrash ? "restoration" : "change")}>
          {t(isTrash ? "operations.restore" : "operations.change")}
        </Button>
        {another && (
          <Button size="compact-sm" variant="default" onClick={() => setOpen("another")}>
            {another}
          </Button>
        )}
        {mayDelete && (
          <Button size="compact-sm" variant="light" color="red" onClick={() => setOpen("deletion")}>
            {t("operations.delete")}
          </Button>
        )}
      </span>
      {open &&
        dialog({
          opened: open,
          selected: selection.everything ? { filter: Object.fromEntries(set) } : { ids: [...selection.ids] },
          count,
          onClose: (isDone) => {
            setOpen(undefined);
            if (isDone) selection.clear();
          },
        })}
    </section>
  );
}
