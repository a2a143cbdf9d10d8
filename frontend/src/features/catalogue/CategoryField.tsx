// The choice of a category of one type.
import { Button, Select } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { FieldProps } from "../../forms/fieldsOf";
import { useField } from "../../forms/useDraftForm";
import { useCategoryOptions } from "./categoryOptions";

export function CategoryField({ name, of }: FieldProps & { of: string }) {
  const { t } = useTranslation();
  const { options, isPending, isError, refetch } = useCategoryOptions(of);
  const { value, change, input } = useField<number | null>(name);
  const placeholder = isPending
    ? t("form.loading")
    : isError
      ? t("form.loadFailed")
      : options.length === 0
        ? t("form.noOptions")
        : t("form.choose");
  return (
    <div>
      <Select
        {...input}
        inputWrapperOrder={["label", "input", "description", "error"]}
        data={options}
        placeholder={placeholder}
        nothingFoundMessage={options.length === 0 ? placeholder : t("form.nothingFound")}
        error={input.error ?? (isError ? t("form.loadFailed") : undefined)}
        searchable
        openOnFocus={false}
        allowDeselect={false}
        value={value ? String(value) : null}
        onChange={(next) => change(next ? Number(next) : null)}
      />
      {isError && (
        <Button size="compact-xs" variant="subtle" onClick={() => void refetch()}>
          {t("common.retry")}
        </Button>
      )}
    </div>
  );
}
