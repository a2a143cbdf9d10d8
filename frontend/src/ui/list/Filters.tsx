// The filter button of a list: how many are set, and the choices behind it.
import { Button, NativeSelect, Popover, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { FilterIcon } from "../icons";

export interface FilterChoice {
  /** The key in the address, which is also the server's. */
  key: string;
  label: string;
  options: readonly { value: string; label: string }[];
}

interface FiltersProps {
  choices: readonly FilterChoice[];
  values: Record<string, string>;
  onChange: (values: Record<string, string | undefined>) => void;
}

export function Filters({ choices, values, onChange }: FiltersProps) {
  const { t } = useTranslation();
  const count = choices.filter(({ key }) => (values[key] ?? "") !== "").length;
  return (
    <Popover position="bottom-start" shadow="md" trapFocus returnFocus width={280} withinPortal={false}>
      <Popover.Target>
        <Button variant={count ? "light" : "default"} leftSection={<FilterIcon />}>
          {count ? t("list.filtersSet", { count }) : t("list.filters")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("list.filters")}>
        <Stack gap="sm">
          {choices.map(({ key, label, options }) => (
            <NativeSelect
              key={key}
              label={label}
              value={values[key] ?? ""}
              onChange={(event) => onChange({ [key]: event.currentTarget.value || undefined })}
              data={[{ value: "", label: t("list.any") }, ...options]}
            />
          ))}
          <Button
            variant="subtle"
            size="xs"
            disabled={count === 0}
            onClick={() => onChange(Object.fromEntries(choices.map(({ key }) => [key, undefined])))}
          >
            {t("list.clearFilters")}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
