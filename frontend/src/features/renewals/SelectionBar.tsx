// The customers who are selected, and what can be done with them.
import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../i18n/formats";
import type { Selection } from "../../ui/list/useSelection";
import "../../ui/list/lazy/selection-bar.css";
import { most } from "./queries";

interface SelectionBarProps {
  selection: Selection;
  onRenew: () => void;
  onWrite: () => void;
}

export function SelectionBar({ selection, onRenew, onWrite }: SelectionBarProps) {
  const { t } = useTranslation();
  const count = selection.ids.length;
  const isTooMany = count > most;
  return (
    <section className="selection-bar" aria-label={t("renewals.selection")}>
      <strong aria-live="polite">{t("renewals.selected", { count, number: formatNumber(count) })}</strong>
      {isTooMany && <span className="renewal-too-many">{t("renewals.tooMany", { most })}</span>}
      <Button variant="subtle" size="compact-sm" color="gray" onClick={selection.clear}>
        {t("renewals.clear")}
      </Button>
      <span className="selection-actions">
        <Button size="compact-sm" variant="default" onClick={onWrite}>
          {t("renewals.writeAll")}
        </Button>
        <Button size="compact-sm" disabled={isTooMany} onClick={onRenew}>
          {t("renewals.renew")}
        </Button>
      </span>
    </section>
  );
}
