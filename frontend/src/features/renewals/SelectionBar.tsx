// The customers who are selected, and what can be done with them.
import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../i18n/formats";
import type { Selection } from "../../ui/list/useSelection";
import "../../ui/list/lazy/selection-bar.css";
import { most } from "./queries";

interface SelectionBarProps {
  selection: Selection;
  /** How many customers match. */
  total: number | undefined;
  onRenew: () => void;
  onWrite: () => void;
}

export function SelectionBar({ selection, total = 0, onRenew, onWrite }: SelectionBarProps) {
  const { t } = useTranslation();
  const count = selection.everything ? total : selection.ids.length;
  const isTooMany = count > most;
  return (
    <section className="selection-bar" aria-label={t("renewals.selection")}>
      <span aria-live="polite">
        <strong>{t("renewals.selected", { count, number: formatNumber(count) })}</strong>{" "}
        {selection.isNarrowed && t("renewals.narrowed")}
      </span>
      {isTooMany && (
        <span className="renewal-too-many">
          {t(selection.everything ? "renewals.tooManyMatch" : "renewals.tooMany", { most })}
        </span>
      )}
      {!selection.everything && total > count && (
        <Button variant="subtle" size="compact-sm" onClick={selection.selectEverything}>
          {t("renewals.selectEverything", { count: total, number: formatNumber(total) })}
        </Button>
      )}
      <Button variant="subtle" size="compact-sm" color="gray" onClick={selection.clear}>
        {t("renewals.clear")}
      </Button>
      <span className="selection-actions">
        <Button
          size="compact-sm"
          variant="default"
          disabled={isTooMany && selection.everything}
          onClick={onWrite}
        >
          {t("renewals.writeAll")}
        </Button>
        <Button size="compact-sm" disabled={isTooMany || count === 0} onClick={onRenew}>
          {t("renewals.renew")}
        </Button>
      </span>
    </section>
  );
}
