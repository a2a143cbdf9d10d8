// The button that takes a filter off.
import { useTranslation } from "react-i18next";
import { CloseIcon } from "../icons";

export function RemoveFilter({ label, onRemove }: { label: string; onRemove: () => void }) {
  const { t } = useTranslation();
  const name = t("list.removeFilter", { filter: label });
  return (
    <button type="button" aria-label={name} title={name} onClick={onRemove}>
      <CloseIcon size={14} />
    </button>
  );
}
