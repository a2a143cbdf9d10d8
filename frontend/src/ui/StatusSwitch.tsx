// The one way to see and change whether something is active: a switch with the word beside it. Whoever may not change
// it sees the badge (StatusBadge).

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
    // An element of HTML: the library's brings three components for each row.
    <label className="toggle" title={label}>
      <input
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says itself whether it is checked
        role="switch"
        aria-label={name}
        checked={active}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}
