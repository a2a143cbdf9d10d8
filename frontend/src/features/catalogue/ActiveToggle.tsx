// Turns an item on or off in place; a badge for who may only look.
import { useTranslation } from "react-i18next";
import { contentEntries, type Kind } from "../../access/kinds";
import { useMay } from "../../access/session";
import { StatusBadge } from "../../ui/StatusBadge";
import { StatusSwitch } from "../../ui/StatusSwitch";
import { useToggleContent } from "./queries";

interface ActiveToggleProps {
  kind: Kind;
  row: { id: number; active: boolean };
  name: string;
}

export function ActiveToggle({ kind, row, name }: ActiveToggleProps) {
  const { t } = useTranslation();
  const may = useMay();
  const toggle = useToggleContent(kind);
  if (!may(contentEntries[kind].toggle)) return <StatusBadge active={row.active} />;
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
