// The one way to see and change whether something is active: a switch with the word beside it. Whoever may not change
// it sees the badge (StatusBadge).
import { Switch } from "@mantine/core";

interface StatusSwitchProps {
  active: boolean;
  /** What is switched, for screen readers. */
  name: string;
  /** The status in a word. */
  label: string;
  onChange: (active: boolean) => void;
}

export function StatusSwitch({ active, name, label, onChange }: StatusSwitchProps) {
  return (
    <Switch
      size="sm"
      aria-label={name}
      title={label}
      label={label}
      className="toggle"
      checked={active}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
