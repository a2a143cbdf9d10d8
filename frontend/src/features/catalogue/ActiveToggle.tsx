// Turns an item on or off where it stands; a badge for who may only look.
import { Switch } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMay } from "../../access/session";
import { StatusBadge } from "../../ui/StatusBadge";
import { contentEntries, type Kind } from "./kinds";
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
    <Switch
      size="sm"
      aria-label={t("contents.toggle", { name })}
      title={row.active ? t("status.active") : t("status.inactive")}
      label={row.active ? t("status.active") : t("status.inactive")}
      className="toggle"
      checked={row.active}
      onChange={(event) => {
        // One change at a time: the second press would cross the first one's answer.
        if (!toggle.isPending) toggle.mutate({ id: row.id, active: event.currentTarget.checked, name });
      }}
    />
  );
}
