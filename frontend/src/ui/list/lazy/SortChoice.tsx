// The order of a list where there are no headers to press: on a small screen.
import { NativeSelect } from "@mantine/core";
import "@mantine/core/styles/Combobox.layer.css";
import { useTranslation } from "react-i18next";
import { textAt } from "../../../i18n";

interface SortChoiceProps {
  columns: readonly { key: string; label: string; sortable?: boolean }[];
  sort: string;
  onSort: (sort: string) => void;
}

export default function SortChoice({ columns, sort, onSort }: SortChoiceProps) {
  useTranslation(); // The texts follow the language.
  const orders = columns
    .filter((column) => column.sortable)
    .flatMap(({ key, label }) => [
      { value: key, label: textAt("list.ascending", { column: label }) },
      { value: `-${key}`, label: textAt("list.descending", { column: label }) },
    ]);
  return (
    <NativeSelect
      aria-label={textAt("list.sort")}
      value={orders.some(({ value }) => value === sort) ? sort : ""}
      onChange={(event) => onSort(event.currentTarget.value)}
      data={[{ value: "", label: textAt("list.unsorted") }, ...orders]}
    />
  );
}
