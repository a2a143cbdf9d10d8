// The second step of an import: which field each column of the file is.
import { Button, Group, Select, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { UploadedSpreadsheet } from "../api/resourceFiles";
import { formatNumber } from "../i18n/formats";
import { FailureAlert } from "../ui/FailureAlert";
import "../forms/mantine-forms.css";

interface ColumnMappingProps {
  uploaded: UploadedSpreadsheet;
  /** The field of each column; null for one that is left out. */
  columns: (string | null)[];
  onColumns: (columns: (string | null)[]) => void;
  onWorksheet: (worksheet: string) => void;
  failure: string | undefined;
  isPending: boolean;
  onBack: () => void;
  onPreview: () => void;
  /** Beneath the columns. */
  children: ReactNode;
}

export function ColumnMapping(props: ColumnMappingProps) {
  const { uploaded, columns, onColumns, failure } = props;
  const { t } = useTranslation();
  const skipped = columns.filter((key) => key === null).length;
  const choices = (own: string | null) =>
    uploaded.fields
      .filter(({ key }) => key === own || !columns.includes(key))
      .map(({ key, heading }) => ({ value: key, label: heading }));
  const labelOf = (wanted: string) => uploaded.fields.find(({ key }) => key === wanted)?.heading ?? wanted;
  /** What a column may be, until it, or another one of the file, is that. */
  const unclear = (fits: string[]) => {
    const fields = fits.filter((key) => !columns.includes(key)).map(labelOf);
    if (fields.length === 0) return undefined;
    return fits.length > 1
      ? t("imports.unclear", { fields: fields.join(", ") })
      : t("imports.repeated", { field: fields[0] });
  };
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-end">
        <Text size="sm" fw={600} role="status">
          {t("imports.found", {
            count: uploaded.rows,
            number: formatNumber(uploaded.rows),
            file: uploaded.fileName,
          })}
        </Text>
        {uploaded.worksheets.length > 1 && (
          <Select
            label={t("imports.worksheet")}
            data={uploaded.worksheets}
            value={uploaded.worksheet ?? null}
            onChange={(worksheet) => worksheet && props.onWorksheet(worksheet)}
            allowDeselect={false}
          />
        )}
      </Group>
      <div className="import-columns">
        <table aria-label={t("imports.columns")}>
          <thead>
            <tr>
              <th scope="col">{t("imports.column")}</th>
              <th scope="col">{t("imports.samples")}</th>
              <th scope="col">{t("imports.field")}</th>
            </tr>
          </thead>
          <tbody>
            {uploaded.columns.map(({ heading, samples, fits }, index) => {
              const name = heading || t("imports.unnamed", { number: index + 1 });
              const key = columns[index] ?? null;
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place; headings may be repeated
                <tr key={index} data-skipped={key === null || undefined}>
                  <th scope="row">{name}</th>
                  <td>{samples.length > 0 ? samples.join(" · ") : "—"}</td>
                  <td>
                    <Select
                      size="xs"
                      aria-label={t("imports.fieldOf", { heading: name })}
                      placeholder={t("imports.skip")}
                      data={choices(key)}
                      value={key}
                      description={key === null ? unclear(fits) : undefined}
                      descriptionProps={{ fz: "xs" }}
                      inputWrapperOrder={["label", "input", "description", "error"]}
                      onChange={(next) => onColumns(columns.map((own, at) => (at === index ? next : own)))}
                      searchable
                      clearable
                    />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <Text size="sm" c="dimmed">
        {skipped > 0 && `${t("imports.skipped", { count: skipped, number: formatNumber(skipped) })}. `}
        {t("imports.emptyCells")}
      </Text>
      {props.children}
      <FailureAlert>{failure}</FailureAlert>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={props.onBack}>
          {t("operations.back")}
        </Button>
        <Button
          onClick={props.onPreview}
          loading={props.isPending}
          disabled={skipped === columns.length}
          data-autofocus
        >
          {t("imports.preview")}
        </Button>
      </Group>
    </Stack>
  );
}
