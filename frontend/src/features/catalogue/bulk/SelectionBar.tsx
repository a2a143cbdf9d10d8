// What is selected of a list, and what can be done with it.
import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { contentEntries, type Kind } from "../../../access/kinds";
import { useMay } from "../../../access/session";
import { formatNumber } from "../../../i18n/formats";
import type { Selection } from "../../../ui/list/useSelection";
import type { ContentDefinition } from "../define";
import "../../../ui/list/lazy/selection-bar.css";
import { BulkDialog } from "./BulkDialog";

interface SelectionBarProps {
  // biome-ignore lint/suspicious/noExplicitAny: of any kind
  of: ContentDefinition<any>;
  selection: Selection;
  /** Search and filters of the list. */
  filters: Record<string, string>;
  /** How many rows match. */
  total: number | undefined;
}

export default function SelectionBar({ of, selection, filters, total = 0 }: SelectionBarProps) {
  const { t } = useTranslation();
  const mayDelete = useMay()(`${contentEntries[of.kind as Kind].entity}_DELETE`);
  const [dialog, setDialog] = useState<"change" | "renumbering" | "deletion">();
  const count = selection.everything ? total : selection.ids.length;
  return (
    <section className="selection-bar" aria-label={t("operations.selection")}>
      <strong aria-live="polite">{t("operations.selected", { count, number: formatNumber(count) })}</strong>
      {!selection.everything && total > count && (
        <Button variant="subtle" size="compact-sm" onClick={selection.selectEverything}>
          {t("operations.selectEverything", { count: total, number: formatNumber(total) })}
        </Button>
      )}
      <Button variant="subtle" size="compact-sm" color="gray" onClick={selection.clear}>
        {t("operations.clear")}
      </Button>
      <span className="selection-actions">
        <Button size="compact-sm" onClick={() => setDialog("change")}>
          {t("operations.change")}
        </Button>
        {of.kind === "tv-channels" && (
          <Button size="compact-sm" variant="default" onClick={() => setDialog("renumbering")}>
            {t("operations.lineup.renumber")}
          </Button>
        )}
        {mayDelete && (
          <Button size="compact-sm" variant="light" color="red" onClick={() => setDialog("deletion")}>
            {t("operations.delete")}
          </Button>
        )}
      </span>
      {dialog && (
        <BulkDialog
          of={of}
          isDeletion={dialog === "deletion"}
          isRenumbering={dialog === "renumbering"}
          selected={
            selection.everything
              ? { filter: Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== "")) }
              : { ids: [...selection.ids] }
          }
          count={count}
          onClose={(isDone) => {
            setDialog(undefined);
            if (isDone) selection.clear();
          }}
        />
      )}
    </section>
  );
}
