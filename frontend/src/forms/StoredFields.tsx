// Choices between stored items: a category of one type, several of them, a guide.
import { Button, MultiSelect, Select } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { type Options, useCategoryOptions, useGuideOptions } from "../api/storedOptions";
import type { FieldProps } from "./fieldProps";
import { choicesKeys, useChoiceKeys } from "./useChoiceKeys";
import { useField } from "./useDraftForm";
import "./mantine-forms.css";

export function CategoryField({ name, of }: FieldProps & { of: string }) {
  return <ItemField name={name} choice={useCategoryOptions(of)} />;
}

export function GuideField({ name }: FieldProps) {
  return <ItemField name={name} choice={useGuideOptions()} />;
}

interface CategoriesProps extends FieldProps {
  of: string;
  /** What none means, where it means something. */
  none?: string;
}

export function CategoriesField({ name, of, none }: CategoriesProps) {
  const choice = useCategoryOptions(of);
  const { value, change, input } = useField<number[]>(name);
  const { common, retry } = useChoice(choice, input.error);
  const { t } = useTranslation();
  return (
    <div>
      <MultiSelect
        {...input}
        {...common}
        {...choicesKeys}
        // A number has no meaning for users until the names are loaded; if loading fails, it distinguishes the items.
        data={
          choice.isPending || choice.isError
            ? (value ?? []).map((id) => ({
                value: String(id),
                label: choice.isPending ? t("form.loading") : `#${id}`,
              }))
            : choice.options
        }
        placeholder={
          value?.length
            ? undefined
            : choice.options.length
              ? (none ?? t("form.chooseSome"))
              : common.placeholder
        }
        hidePickedOptions
        clearSearchOnChange
        clearable
        clearButtonProps={{ "aria-label": t("form.clear", { field: input.label }) }}
        value={(value ?? []).map(String)}
        onChange={(next) => change(next.map(Number))}
      />
      {retry}
    </div>
  );
}

function ItemField({ name, choice }: FieldProps & { choice: Options }) {
  const { value, change, input } = useField<number | null>(name);
  const keys = useChoiceKeys(value);
  const { common, retry } = useChoice(choice, input.error);
  const { t } = useTranslation();
  return (
    <div>
      <Select
        {...input}
        {...common}
        {...keys}
        clearable={!input.required}
        clearButtonProps={{ "aria-label": t("form.clear", { field: input.label }) }}
        value={value ? String(value) : null}
        onChange={(next) => change(next ? Number(next) : null)}
      />
      {retry}
    </div>
  );
}

/** Placeholder and message of a choice while its options are loading, failed to load, or are none. */
function useChoice({ options, isPending, isError, refetch }: Options, error: string | undefined) {
  const { t } = useTranslation();
  const isEmpty = options.length === 0;
  const placeholder = isPending
    ? t("form.loading")
    : isError
      ? t("form.loadFailed")
      : isEmpty
        ? t("form.noOptions")
        : t("form.choose");
  const retry: ReactNode = isError && (
    <Button size="compact-xs" variant="subtle" onClick={() => void refetch()}>
      {t("common.retry")}
    </Button>
  );
  const common = {
    inputWrapperOrder: ["label", "input", "description", "error"] as ("label" | "input" | "description")[],
    data: options,
    placeholder,
    nothingFoundMessage: isEmpty ? placeholder : t("form.nothingFound"),
    error: error ?? (isError ? t("form.loadFailed") : undefined),
  };
  return { common, retry };
}
