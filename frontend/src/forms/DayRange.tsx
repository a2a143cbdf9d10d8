// The days of a filter: from one on, up to one, or the last so many.
import { Button, Group, Stack } from "@mantine/core";
import { textAt } from "../i18n";
import { dayFromNow } from "../i18n/serviceDays";
import type { FilterPanelProps } from "../ui/list/filter";
import DayInput from "./DayInput";

/** How many days, today included. */
const stretches = [1, 7, 30];

export default function DayRange({ choice: { key }, values, onChange }: FilterPanelProps) {
  const from = values[`${key}From`] ?? "";
  const to = values[`${key}To`] ?? "";
  return (
    <Stack gap="sm" className="filter-days">
      <Group gap="xs">
        {stretches.map((days) => (
          <Button
            key={days}
            size="compact-xs"
            variant={to === "" && from === dayFromNow(1 - days) ? "light" : "default"}
            onClick={() => onChange({ [`${key}From`]: dayFromNow(1 - days), [`${key}To`]: undefined })}
          >
            {days === 1 ? textAt("list.today") : textAt("list.lastDays", { count: days })}
          </Button>
        ))}
      </Group>
      <DayInput
        label={textAt("list.from")}
        value={from}
        max={to}
        isInPanel
        onDay={(day) => onChange({ [`${key}From`]: day })}
      />
      <DayInput
        label={textAt("list.to")}
        value={to}
        min={from}
        isInPanel
        onDay={(day) => onChange({ [`${key}To`]: day })}
      />
    </Stack>
  );
}
