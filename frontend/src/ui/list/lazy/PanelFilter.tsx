// A filter whose values are chosen in a panel below it: several options, or the days of a range.
import { Checkbox, Popover, Stack, TextInput } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { textAt } from "../../../i18n";
import { formatShortDay } from "../../../i18n/lazyFormats";
import { plain } from "../../plain";
import { type FilterChoice, type FilterPanelProps, type FilterValues, keysOf } from "../filter";
import { RemoveFilter } from "../RemoveFilter";
import "./panel-filter.css";

interface PanelFilterProps extends FilterPanelProps {
  /** Chosen a moment ago, without a value yet. */
  isNew: boolean;
  onRemove: () => void;
}

export default function PanelFilter({ choice, values, isNew, onChange, onRemove }: PanelFilterProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(isNew);
  const button = useRef<HTMLButtonElement>(null);
  const { label, Panel = SeveralChoices } = choice;
  const text = valueText(choice, values) || t("list.choose");
  const close = () => {
    setOpen(false);
    // Nothing was chosen: there is no filter. What had the focus before may be gone: the chip takes it.
    if (!keysOf(choice).some((key) => values[key])) onRemove();
    // At once: a key or a click that follows is not to lose the focus to the chip.
    else button.current?.focus();
  };
  return (
    <span className="filter-chip">
      <Popover
        opened={isOpen}
        onChange={(next) => (next ? setOpen(true) : close())}
        position="bottom-start"
        shadow="md"
        trapFocus
        withinPortal={false}
      >
        <Popover.Target>
          <button
            ref={button}
            type="button"
            className="filter-values"
            onClick={() => (isOpen ? close() : setOpen(true))}
          >
            <span>{label}:</span> {text}
          </button>
        </Popover.Target>
        <Popover.Dropdown className="filter-panel">
          <Panel choice={choice} values={values} onChange={onChange} />
        </Popover.Dropdown>
      </Popover>
      <RemoveFilter label={label} onRemove={onRemove} />
    </span>
  );
}

/** Options of which one must hold. A long list is searched. */
function SeveralChoices({ choice: { key, label, options }, values, onChange }: FilterPanelProps) {
  const [search, setSearch] = useState("");
  const chosen = chosenOf(values[key]);
  const found = options.filter((option) => plain(option.label).includes(plain(search)));
  const toggle = (value: string) => {
    const next = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
    onChange({ [key]: next.join(",") || undefined });
  };
  return (
    <Stack gap="xs">
      {options.length > 8 && (
        <TextInput
          size="xs"
          aria-label={textAt("list.searchOptions", { filter: label })}
          placeholder={textAt("list.searchOption")}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <fieldset className="filter-options">
        <legend className="visually-hidden">{textAt("list.anyOf", { filter: label })}</legend>
        {found.map((option) => (
          <Checkbox
            key={option.value}
            label={option.label}
            checked={chosen.includes(option.value)}
            onChange={() => toggle(option.value)}
          />
        ))}
        {found.length === 0 && <p className="quiet">{textAt("list.noOption")}</p>}
      </fieldset>
    </Stack>
  );
}

function chosenOf(value = ""): string[] {
  return value.split(",").filter(Boolean);
}

/** Names that fit on a chip. */
const named = 2;

function valueText(choice: FilterChoice, values: FilterValues): string {
  const [first = "", second = ""] = keysOf(choice).map((key) => values[key] ?? "");
  if (choice.input === "days") {
    if (first && second) return `${dayText(first)} – ${dayText(second)}`;
    if (first) return textAt("list.daysFrom", { day: dayText(first) });
    return second && textAt("list.daysTo", { day: dayText(second) });
  }
  // One value, which may have a comma, where a panel of its own chooses it.
  const labels = (choice.Panel && first ? [first] : chosenOf(first)).map(
    (value) => choice.options.find((one) => one.value === value)?.label ?? value,
  );
  const rest = labels.length - named;
  return labels.slice(0, named).join(", ") + (rest > 0 ? ` +${rest}` : "");
}

/** A value of the address may be anything. */
function dayText(day: string): string {
  return /^\d{4}-\d{2}-\d{2}/.test(day) && !Number.isNaN(Date.parse(day)) ? formatShortDay(day) : day;
}
