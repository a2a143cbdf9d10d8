// Turns an item on or off in place; a badge for who may only look.
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
  // What belongs to a show is under its permissions.
  const { toggle: permission } = contentEntries[kind as Kind] ?? contentEntries["tv-shows"];
  if (!may(permission)) return <StatusBadge active={row.active} />;
  return (
    <StatusSwitch
      active={row.active}
      name={t("contents.toggle", { name })}
      label={row.active ? t("status.active") : t("status.inactive")}
      onChange={(active) => {
        // One change at a time: the second press would cross the first one's answer.
        if (!toggle.isPending) toggle.mutate({ id: row.id, active, name });
      }}
    />
  );
}
