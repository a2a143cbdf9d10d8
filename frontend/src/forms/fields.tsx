// The inputs of the panel's forms. A field has a name and reads everything else from its form: value, label,
// help, limits, error. Large: loaded through fieldsOf.tsx, so that a list does not download what only forms need.
import { MultiSelect, Select, Switch, Textarea, TextInput } from "@mantine/core";
import "@mantine/core/styles/Switch.layer.css";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type EnumLabels, optionsOf } from "../i18n/enums";
import type { FieldProps } from "./fieldProps";
import "./mantine-forms.css";
import { ruleAt } from "./rules";
import { numberText, parseDecimal, parseInteger, Unreadable } from "./typed";
import { choicesKeys, useChoiceKeys } from "./useChoiceKeys";
import { useField, useForm } from "./useDraftForm";

// Help is below the input, where it does not part a label from what it names.
const order: ("label" | "input" | "description" | "error")[] = ["label", "input", "description", "error"];

interface TextFieldProps extends FieldProps {
  placeholder?: string;
  type?: "text" | "url" | "digits" | "email" | "tel";
  autoComplete?: string;
  /** Where they depend on another field; by default both are found by the name. */
  label?: string;
  help?: string;
}

export function TextField({ name, placeholder, type = "text", autoComplete, label, help }: TextFieldProps) {
  const { value, change, input } = useField<string | null>(name);
  return (
    <TextInput
      {...input}
      label={label ?? input.label}
      description={help ?? input.description}
      inputWrapperOrder={order}
      // Not type="url" and the like: the browser would validate with messages of its own, before ours.
      inputMode={type === "digits" ? "numeric" : type}
      spellCheck={type === "text"}
      autoComplete={autoComplete}
      placeholder={placeholder}
      value={value ?? ""}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

interface LongTextFieldProps extends FieldProps {
  rows?: number;
  /** Counts from the first character on. */
  isCounted?: boolean;
}

export function LongTextField({ name, rows = 4, isCounted }: LongTextFieldProps) {
  const { t } = useTranslation();
  const { draft } = useForm();
  const { value, change, input } = useField<string | null>(name);
  const max = ruleAt(draft.rule, name)?.maxLength;
  const length = [...(value ?? "")].length;
  // The counter is shown near the limit, or always where the field requires it.
  const counts = max !== undefined && (isCounted || length > max * 0.8);
  const counter = counts ? t("form.counter", { length, max }) : undefined;
  return (
    <Textarea
      {...input}
      description={counter ?? input.description}
      inputWrapperOrder={order}
      autosize
      minRows={rows}
      maxRows={12}
      value={value ?? ""}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

interface NumberFieldProps extends FieldProps {
  /** The first to be filled in: a dialog gives it the focus. */
  isFirst?: boolean;
}

export function NumberField({ name, isFirst }: NumberFieldProps) {
  const { draft } = useForm();
  const { value, change, input } = useField<number | string | null | Unreadable>(name);
  const rule = ruleAt(draft.rule, name);
  const isWhole = rule?.type === "integer" || rule?.decimals === 0;
  const parse = isWhole ? parseInteger : parseDecimal;
  // The text is the field's for as long as it means what the draft holds: «15,90» is not rewritten while it is typed.
  const [typed, setTyped] = useState("");
  const shown =
    value instanceof Unreadable
      ? value.text
      : parse(typed) === (value || value === 0 ? value : null)
        ? typed
        : textOf(value);
  return (
    <TextInput
      {...input}
      inputWrapperOrder={order}
      data-autofocus={isFirst || undefined}
      // The keypad of an iPhone has no minus.
      inputMode={
        rule?.minimum !== undefined && rule.minimum < 0 ? undefined : isWhole ? "numeric" : "decimal"
      }
      autoComplete="off"
      value={shown}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        change(parse(event.currentTarget.value));
      }}
    />
  );
}

function textOf(value: number | string | null | undefined): string {
  return typeof value === "number" ? numberText(value) : (value ?? "");
}

export function ChoiceField({ name, of, isFixed }: FieldProps & { of: EnumLabels; isFixed?: boolean }) {
  const { t } = useTranslation();
  const { value, change, input, violation } = useField<string | null>(name);
  const keys = useChoiceKeys(value);
  return (
    <Select
      {...input}
      inputWrapperOrder={order}
      aria-invalid={violation ? true : undefined}
      data={optionsOf(of)}
      placeholder={t("form.choose")}
      nothingFoundMessage={t("form.nothingFound")}
      {...keys}
      clearable={!input.required}
      clearButtonProps={{ "aria-label": t("form.clear", { field: input.label }) }}
      disabled={isFixed}
      value={value || null}
      onChange={change}
    />
  );
}

export function ChoicesField({ name, of }: FieldProps & { of: EnumLabels }) {
  const { t } = useTranslation();
  const { value, change, input } = useField<string[]>(name);
  return (
    <MultiSelect
      {...input}
      inputWrapperOrder={order}
      data={optionsOf(of)}
      placeholder={value?.length ? undefined : t("form.chooseSome")}
      nothingFoundMessage={t("form.nothingFound")}
      {...choicesKeys}
      clearable
      hidePickedOptions
      clearSearchOnChange
      clearButtonProps={{ "aria-label": t("form.clear", { field: input.label }) }}
      value={value ?? []}
      onChange={change}
    />
  );
}

export function FlagField({ name }: FieldProps) {
  const { value, change, input } = useField<boolean>(name);
  return (
    <Switch
      name={input.name}
      label={input.label}
      description={input.description}
      error={input.error}
      checked={value ?? false}
      onChange={(event) => change(event.currentTarget.checked)}
    />
  );
}
