// The boxes of the columns that a list can show.
import { Checkbox, Stack } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";

export interface ColumnChoicesProps {
  columns: readonly { key: string; label: string }[];
  hidden: readonly string[];
  onHidden: (hidden: string[]) => void;
}

export default function ColumnChoices({ columns, hidden, onHidden }: ColumnChoicesProps) {
  return (
    <Stack gap="xs">
      {columns.map(({ key, label }) => (
        <Checkbox
          key={key}
          label={label}
          checked={!hidden.includes(key)}
          onChange={(event) =>
            onHidden(event.currentTarget.checked ? hidden.filter((other) => other !== key) : [...hidden, key])
          }
        />
      ))}
    </Stack>
  );
}
