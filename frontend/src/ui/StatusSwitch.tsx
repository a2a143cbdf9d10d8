// Shows and changes whether an item is active: a switch with a label. Without the permission the badge (StatusBadge)
// is shown instead.

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
