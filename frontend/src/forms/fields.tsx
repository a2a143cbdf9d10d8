// The fields of the panel's forms. A field is given a name and finds everything else through its form: value, label,
// help, limits, error. Names are checked by the compiler: a number field cannot be given the name of a text.
import { MultiSelect, NumberInput, Select, Switch, Textarea, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { enumLabels } from "../api/enums.gen";
import { currentLanguage } from "../i18n";
import { ruleAt } from "./rules";
import { useField, useForm } from "./useDraftForm";

export interface FieldProps {
  name: string;
}

// Help stands below the input, where it does not part a label from what it names.
const order: ("label" | "input" | "description" | "error")[] = ["label", "input", "description", "error"];

export function TextField({ name, placeholder, type }: FieldProps & { placeholder?: string; type?: "text" | "url" }) {
  const { value, change, input } = useField<string | null>(name);
  return (
    <TextInput
      {...input}
      inputWrapperOrder={order}
      // Not type="url": the browser would judge in words of its own, before ours.
      inputMode={type === "url" ? "url" : undefined}
      spellCheck={type !== "url"}
      placeholder={placeholder}
      value={value ?? ""}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

export function LongTextField({ name }: FieldProps) {
  const { t } = useTranslation();
  const { draft } = useForm();
  const { value, change, input } = useField<string | null>(name);
  const max = ruleAt(draft.rule, name)?.maxLength;
  const length = [...(value ?? "")].length;
  // Counting matters when the end is near; before that it is noise.
  const counter = max !== undefined && length > max * 0.8 ? t("form.counter", { length, max }) : undefined;
  return (
    <Textarea
      {...input}
      description={counter ?? input.description}
      inputWrapperOrder={order}
      autosize
      minRows={4}
      maxRows={12}
      value={value ?? ""}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

export function NumberField({ name, step = 1 }: FieldProps & { step?: number }) {
  const { draft } = useForm();
  const { value, change, input } = useField<number | string | null>(name);
  const rule = ruleAt(draft.rule, name);
  const decimals = rule?.type === "integer" ? 0 : (rule?.decimals ?? 2);
  return (
    <NumberInput
      {...input}
      inputWrapperOrder={order}
      // Limits are judged in words, not by silently changing what was typed.
      clampBehavior="none"
      step={step}
      allowDecimal={decimals > 0}
      decimalScale={decimals}
      decimalSeparator={currentLanguage() === "es" ? "," : "."}
      allowedDecimalSeparators={[",", "."]}
      hideControls
      value={value ?? ""}
      onChange={change}
    />
  );
}

export interface ChoiceOption {
  value: string;
  label: string;
}

export type EnumName = keyof typeof enumLabels;

/** The values of an enumeration in the reader's language, as the server names them. */
export function optionsOf(name: EnumName): ChoiceOption[] {
  const language = currentLanguage();
  return Object.entries(enumLabels[name] as Record<string, { es: string; en: string }>).map(([value, label]) => ({
    value,
    label: label[language],
  }));
}

export function labelOf(name: EnumName, value: string): string {
  return (enumLabels[name] as Record<string, { es: string; en: string }>)[value]?.[currentLanguage()] ?? value;
}

export function ChoiceField({ name, of }: FieldProps & { of: EnumName }) {
  const { t } = useTranslation();
  const { value, change, input, violation } = useField<string | null>(name);
  return (
    <Select
      {...input}
      inputWrapperOrder={order}
      aria-invalid={violation ? true : undefined}
      data={optionsOf(of)}
      placeholder={t("form.choose")}
      nothingFoundMessage={t("form.nothingFound")}
      searchable
      allowDeselect={!input.required}
      clearable={!input.required}
      clearButtonProps={{ "aria-label": t("form.clear", { field: input.label }) }}
      value={value || null}
      onChange={change}
    />
  );
}

export function ChoicesField({ name, of }: FieldProps & { of: EnumName }) {
  const { t } = useTranslation();
  const { value, change, input } = useField<string[]>(name);
  return (
    <MultiSelect
      {...input}
      inputWrapperOrder={order}
      data={optionsOf(of)}
      placeholder={value?.length ? undefined : t("form.chooseSome")}
      nothingFoundMessage={t("form.nothingFound")}
      searchable
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

type NamesOf<D, Value> = {
  [Name in keyof D]-?: NonNullable<D[Name]> extends Value ? Name : never;
}[keyof D] &
  string;

type Typed<Props, D, Value> = (props: Omit<Props, "name"> & { name: NamesOf<D, Value> }) => ReactNode;

/** Makes a field take only names whose values it can edit. */
export function typed<D, Value>() {
  return <Props extends FieldProps>(Field: (props: Props) => ReactNode) => Field as unknown as Typed<Props, D, Value>;
}

/** The fields for one kind of draft. */
export function fieldsOf<D>() {
  return {
    Text: typed<D, string>()(TextField),
    LongText: typed<D, string>()(LongTextField),
    Number: typed<D, number>()(NumberField),
    Choice: typed<D, string>()(ChoiceField),
    Choices: typed<D, readonly string[]>()(ChoicesField),
    Flag: typed<D, boolean>()(FlagField),
  };
}
