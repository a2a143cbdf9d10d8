// Which columns a person wants to see; at least the first always stays.
import { ActionIcon, Checkbox, Popover, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ColumnsIcon } from "../icons";

interface ColumnChooserProps {
  columns: readonly { key: string; label: string }[];
  hidden: readonly string[];
  onHidden: (hidden: string[]) => void;
}

export function ColumnChooser({ columns, hidden, onHidden }: ColumnChooserProps) {
  const { t } = useTranslation();
  return (
    <Popover position="bottom-end" shadow="md" trapFocus returnFocus withinPortal={false}>
      <Popover.Target>
        <ActionIcon variant="default" size={36} aria-label={t("list.columns")} title={t("list.columns")}>
          <ColumnsIcon />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("list.columns")}>
        <Stack gap="xs">
          {columns.map(({ key, label }) => (
            <Checkbox
              key={key}
              label={label}
              checked={!hidden.includes(key)}
              onChange={(event) =>
                onHidden(
                  event.currentTarget.checked ? hidden.filter((other) => other !== key) : [...hidden, key],
                )
              }
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
