// The order of a list where there are no headers to press: on a small screen.
import { NativeSelect } from "@mantine/core";
import { useTranslation } from "react-i18next";

interface SortChoiceProps {
  columns: readonly { key: string; label: string; sortable?: boolean }[];
  sort: string;
  onSort: (sort: string) => void;
}

export default function SortChoice({ columns, sort, onSort }: SortChoiceProps) {
  const { t } = useTranslation();
  const orders = columns
    .filter((column) => column.sortable)
    .flatMap(({ key, label }) => [
      { value: key, label: t("list.ascending", { column: label }) },
      { value: `-${key}`, label: t("list.descending", { column: label }) },
    ]);
  return (
    <NativeSelect
      aria-label={t("list.sort")}
      value={orders.some(({ value }) => value === sort) ? sort : ""}
      onChange={(event) => onSort(event.currentTarget.value)}
      data={[{ value: "", label: t("list.unsorted") }, ...orders]}
    />
  );
}
