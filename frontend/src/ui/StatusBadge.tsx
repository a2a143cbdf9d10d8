// Active or not: by word, colour and shape.
import { Badge } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { CheckIcon, CloseIcon } from "./icons";

export function StatusBadge({ active }: { active: boolean }) {
  const { t } = useTranslation();
  return (
    <Badge
      variant="light"
      color={active ? "teal" : "gray"}
      className={active ? "status-on" : "status-off"}
      leftSection={active ? <CheckIcon size={12} /> : <CloseIcon size={12} />}
    >
      {active ? t("status.active") : t("status.inactive")}
    </Badge>
  );
}
