// A calendar date, written or picked, in the reader's language; kept as the server wants it: 2026-11-20.
import { DateInput } from "@mantine/dates";
import "@mantine/dates/styles.layer.css";
import dayjs from "dayjs";
import "dayjs/locale/es";
import customParseFormat from "dayjs/plugin/customParseFormat";
import { useTranslation } from "react-i18next";
import { currentLanguage } from "../i18n";
import type { FieldProps } from "./fieldsOf";
import { useField } from "./useDraftForm";

dayjs.extend(customParseFormat);

export function DateField({ name }: FieldProps) {
  const { t } = useTranslation();
  const { value, change, input } = useField<string | null>(name);
  return (
    <DateInput
      {...input}
      inputWrapperOrder={["label", "input", "description", "error"]}
      locale={currentLanguage()}
      valueFormat="DD/MM/YYYY"
      placeholder="31/12/2026"
      clearable
      clearButtonProps={{ "aria-label": t("form.clear", { field: input.label }) }}
      highlightToday
      value={value || null}
      onChange={(next) => change(next)}
    />
  );
}
