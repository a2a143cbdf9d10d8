// The filters of a list: active ones are chips with their value, the others are in a menu.
import { Button } from "@mantine/core";
import { Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { MenuButton } from "../dropdown/MenuButton";
import { AddIcon } from "../icons";
import { type FilterChoice, type FilterValues, keysOf } from "./filter";
import { RemoveFilter } from "./RemoveFilter";
import { seldomShown } from "./seldomShown";

const PanelFilter = seldomShown(() => import("./lazy/PanelFilter"));

interface FiltersProps {
  choices: readonly FilterChoice[];
  values: Record<string, string>;
  onChange: (values: FilterValues) => void;
}

export function Filters({ choices, values, onChange }: FiltersProps) {
  const { t } = useTranslation();
  /** Chosen in the menu, without a value yet. */
  const [added, setAdded] = useState<string>();
  const button = useRef<HTMLButtonElement>(null);
  const hasChosen = useRef(false);
  const isSet = (choice: FilterChoice) => keysOf(choice).some((key) => values[key]);
  // Not before its value is in the address: its chip would go and come back.
  if (choices.some((choice) => choice.key === added && isSet(choice))) setAdded(undefined);
  const shown = choices.filter((choice) => choice.key === added || isSet(choice));
  const rest = choices.filter((choice) => !shown.includes(choice));
  const put = (choice: FilterChoice, next: FilterValues) => {
    const after = { ...values, ...next };
    if (!keysOf(choice).some((key) => after[key])) {
      if (choice.key === added) setAdded(undefined);
      setTimeout(() => button.current?.focus());
    }
    if (keysOf(choice).some((key) => (after[key] ?? "") !== (values[key] ?? ""))) onChange(next);
  };
  const remove = (choice: FilterChoice) =>
    put(choice, Object.fromEntries(keysOf(choice).map((key) => [key, undefined])));
  return (
    <>
      {shown.map((choice) =>
        choice.input === "several" || choice.input === "days" ? (
          <Suspense key={choice.key} fallback={<span className="filter-chip">{choice.label}: …</span>}>
            <PanelFilter
              choice={choice}
              values={values}
              isNew={choice.key === added}
              onChange={(next) => put(choice, next)}
              onRemove={() => remove(choice)}
            />
          </Suspense>
        ) : (
          <FilterChip
            key={choice.key}
            choice={choice}
            value={values[choice.key] ?? ""}
            isNew={choice.key === added}
            onValue={(value) => put(choice, { [choice.key]: value || undefined })}
          />
        ),
      )}
      {rest.length > 0 && (
        <MenuButton
          buttonRef={button}
          button={(props) => (
            <Button {...props} variant="default" leftSection={<AddIcon size={16} />}>
              {t("list.addFilter")}
            </Button>
          )}
          position="bottom-start"
          shadow="md"
          withinPortal={false}
          returnFocus={false}
          // What was chosen takes the focus; else it returns.
          onClose={() => !hasChosen.current && button.current?.focus()}
          onOpen={() => {
            hasChosen.current = false;
          }}
          entries={rest.map(({ key, label }) => ({
            key,
            label,
            onClick: () => {
              hasChosen.current = true;
              setAdded(key);
            },
          }))}
        />
      )}
      {shown.length > 1 && (
        <Button
          variant="subtle"
          onClick={() => {
            setAdded(undefined);
            button.current?.focus();
            onChange(Object.fromEntries(shown.flatMap(keysOf).map((key) => [key, undefined])));
          }}
        >
          {t("list.clearFilters")}
        </Button>
      )}
    </>
  );
}

interface FilterChipProps {
  choice: FilterChoice;
  value: string;
  isNew: boolean;
  onValue: (value: string) => void;
}

function FilterChip({ choice: { label, options, input }, value, isNew, onValue }: FilterChipProps) {
  const { t } = useTranslation();
  const control = useRef<HTMLInputElement & HTMLSelectElement>(null);
  useEffect(() => {
    if (!isNew) return;
    control.current?.focus();
    try {
      control.current?.showPicker?.();
    } catch {
      // Only opens right after a click; the control has the focus anyway.
    }
  }, [isNew]);
  const take = (text: string) => onValue(input === "number" ? text.replace(/\D/g, "") : text.trim());
  return (
    <span className="filter-chip">
      <span aria-hidden="true">{label}:</span>
      {input ? (
        <input
          key={value}
          ref={control}
          aria-label={label}
          defaultValue={value}
          inputMode={input === "number" ? "numeric" : undefined}
          size={input === "number" ? 5 : 14}
          maxLength={input === "number" ? 4 : 255}
          onBlur={(event) => event.target.value !== value && take(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && take(event.currentTarget.value)}
        />
      ) : (
        <select
          ref={control}
          aria-label={label}
          value={value}
          onChange={(event) => onValue(event.target.value)}
        >
          {!value && <option value="">{t("list.choose")}</option>}
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
      <RemoveFilter label={label} onRemove={() => onValue("")} />
    </span>
  );
}

/** What the list is called: its one filter is named where it has a name. */
export function headingOf(title: string, choices: readonly FilterChoice[], values: Record<string, string>) {
  const set = Object.keys(values).filter((key) => values[key]);
  const options = choices.find(({ key }) => key === set[0])?.options;
  const heading = options?.find(({ value }) => value === values[set[0] as string])?.heading;
  return set.length === 1 && heading ? heading : title;
}
