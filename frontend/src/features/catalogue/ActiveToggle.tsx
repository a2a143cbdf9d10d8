// Switch of a row that activates or deactivates an item; a badge for users who may only read.
import { useTranslation } from "react-i18next";
import { contentEntries, type Kind } from "../../access/kinds";
import { useMay } from "../../access/session";
import { StatusBadge } from "../../ui/StatusBadge";
import { StatusSwitch } from "../../ui/StatusSwitch";
import type { ListedKind } from "./contents";
import { useToggleContent } from "./queries";

interface ActiveToggleProps {
  kind: ListedKind;
  row: { id: number; active: boolean };
  name: string;
}

export function ActiveToggle({ kind, row, name }: ActiveToggleProps) {
  const { t } = useTranslation();
  const may = useMay();
  const toggle = useToggleContent(kind);
  // Seasons and episodes have the permissions of shows.
  const { toggle: permission } = contentEntries[kind as Kind] ?? contentEntries["tv-shows"];
  if (!may(permission)) return <StatusBadge active={row.active} />;
  return (
    <StatusSwitch
      active={row.active}
      name={t("contents.toggle", { name })}
      label={row.active ? t("status.active") : t("status.inactive")}
      onChange={(active) => {
        // One change at a time: a second request could be answered before the first.
        if (!toggle.isPending) toggle.mutate({ id: row.id, active, name });
      }}
    />
  );
}
